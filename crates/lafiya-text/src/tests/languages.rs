//! A table of sentences for each language. No native speaker has read them yet.

use super::sentences::{check, lasts};

#[test]
fn pidgin_is_read() {
    check("Body dey hot me since yesterday", &["s_fever"]);
    check(
        "Head dey pain me, I no dey vomit",
        &["s_headache", "-s_vomiting"],
    );
    check("I no fit breathe well", &["s_breathlessness"]);
    check("I no fit sleep", &["s_poor_sleep"]);
    check("fever no dey", &["-s_fever"]);
    check("I dey feel like say I wan vomit", &["s_nausea"]);
}

#[test]
fn french_is_read() {
    check(
        "J'ai de la fièvre et mal à la tête",
        &["s_fever", "s_headache"],
    );
    check(
        "Pas de toux, mais j'ai mal au ventre",
        &["-s_cough", "s_abdominal_pain"],
    );
    check("il ne tousse pas", &["-s_cough"]);
    lasts(
        "Mon enfant vomit et a la diarrhée depuis hier",
        &[Some(1), Some(1)],
    );
}

#[test]
fn swahili_is_read() {
    check("Nina homa na kichwa kinaniuma", &["s_fever", "s_headache"]);
    check("Sina kikohozi wala homa", &["-s_cough", "-s_fever"]);
    lasts(
        "Ninaharisha na kutapika kwa siku mbili",
        &[Some(2), Some(2)],
    );
    lasts(
        "Mtoto ana homa na anaharisha tangu juzi",
        &[Some(2), Some(2)],
    );
}

#[test]
fn hausa_is_read() {
    check("Ina da zazzabi da ciwon kai", &["s_fever", "s_headache"]);
    check("Ba ni da zazzabi amma ina tari", &["-s_fever", "s_cough"]);
    lasts("Ina da zazzabi kwana uku", &[Some(3)]);
}

#[test]
fn yoruba_is_read() {
    check("Ori n fo mi, mo si n bi", &["s_headache", "s_vomiting"]);
    check("Ara mi n gbona, mi o ni iko", &["s_fever", "-s_cough"]);
}

#[test]
fn igbo_is_read() {
    check(
        "Isi na-awa m, ahụ na-ekpo m ọkụ",
        &["s_headache", "s_fever"],
    );
    check(
        "Ana m akwa ụkwara, enweghị m ahụ ọkụ",
        &["s_cough", "-s_fever"],
    );
}

#[test]
fn portuguese_is_read() {
    check("Tenho febre e dor de cabeça", &["s_fever", "s_headache"]);
}
