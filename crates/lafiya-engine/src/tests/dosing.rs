//! Tests of computed doses: examples on the toy base, and what must hold for every dose of the
//! whole knowledge base at every age and weight.

use lafiya_knowledge::schema::DoseRow;
use lafiya_knowledge::words::CautionKind;
use lafiya_knowledge::{ConceptRef, ConditionIx, DoseIx, KnowledgeBase, Reason, dose_words, toy};
use lafiya_model::assessment::MedicineAdvice;
use lafiya_model::{Age, Choice, DeidentifiedCase, Evidence, Phrase, Sex, TriageLevel};

use super::{BASE, case, item};
use crate::citations::Citations;
use crate::dosing::{Dosing, Place};
use crate::facts::PatientFacts;
use crate::plan;

/// Room for the rounding of decimal fractions.
const EXACT: f64 = 1e-6;

fn weighing(kg: f64) -> Evidence {
    let mut weight = item("s_weight", Choice::Present);
    weight.value = Some(kg);
    weight
}

fn patient(age: &str, sex: Sex, kg: Option<f64>, evidence: &[(&str, Choice)]) -> DeidentifiedCase {
    let evidence = evidence.iter().map(|(id, choice)| item(id, *choice));
    let evidence = evidence.chain(kg.map(weighing)).collect();
    case(age.parse().unwrap(), sex, evidence)
}

/// Returns the toy base's dose for a patient, in words.
fn said(base: &KnowledgeBase, dose: &str, patient: &DeidentifiedCase) -> String {
    let facts = PatientFacts::gather(base, patient);
    let medicine = base.find_medicine("marshicillin").unwrap();
    let dose = base.find_dose(medicine, dose).unwrap();
    Dosing::new(&facts, Vec::new()).dose(dose)
}

#[test]
fn a_dose_is_computed_for_age_and_weight() {
    let base = toy::base();
    let check = |dose: &str, age: &str, kg: Option<f64>, expected: &str| {
        let patient = patient(age, Sex::Male, kg, &[]);
        assert_eq!(said(&base, dose, &patient), expected, "{age} {kg:?}");
    };
    let of_child = "marshicillin 40 to 45 mg/kg by mouth twice a day for 5 days";
    let syrup = "mL of suspension 250 mg in 5 mL";
    check(
        "marsh",
        "3 years",
        Some(14.0),
        &format!("{of_child} (14 kg: 600 mg = 12 {syrup}; with food)"),
    );
    check(
        "marsh",
        "3 years",
        None,
        &format!(
            "{of_child} (14 kg assumed for the age, weigh the child: 600 mg = 12 {syrup}; with food)"
        ),
    );
    check(
        "marsh",
        "9 years",
        Some(40.0),
        &format!(
            "{of_child} (40 kg: 1,000 mg = 4 tablets 250 mg, the highest single dose; with food)"
        ),
    );
    check(
        "marsh",
        "11 years",
        None,
        "marshicillin 40 to 45 mg/kg (at most 1,000 mg) by mouth twice a day for 5 days (weigh first; with food)",
    );
    check(
        "marsh",
        "30 years",
        None,
        "marshicillin 500 to 1,000 mg by mouth three times a day for 5 to 7 days (2 to 4 tablets 250 mg; with food)",
    );
    check(
        "marsh",
        "1 months",
        Some(4.0),
        "marshicillin (no dose for this patient in the formulary)",
    );
    check(
        "newborn",
        "5 days",
        Some(2.0),
        "marshicillin 3 mg/kg into a muscle or by vein once a day (2 kg: 6 mg)",
    );
    check(
        "newborn",
        "5 days",
        Some(3.0),
        "marshicillin 5 mg/kg into a muscle or by vein once a day (3 kg: 15 mg)",
    );
}

#[test]
fn a_small_overdose_that_harms_is_never_computed_from_an_assumed_weight() {
    let narrow = "essential = true\nnarrow = true";
    let path = "medicines/marshicillin.toml";
    let files = toy::files_with(path, "essential = true", narrow);
    let base = KnowledgeBase::from_files(files).unwrap();
    let unweighed = patient("5 days", Sex::Female, None, &[]);
    assert_eq!(
        said(&base, "newborn", &unweighed),
        "marshicillin into a muscle or by vein (under 2.5 kg: 3 mg/kg (at most 7.5 mg) once a day; otherwise: 5 mg/kg (at most 25 mg) once a day; weigh first)"
    );
    let child = patient("3 years", Sex::Female, None, &[]);
    let text = said(&base, "marsh", &child);
    assert!(
        text.contains("(weigh first;") && !text.contains("14 kg"),
        "{text}"
    );
    let weighed = patient("3 years", Sex::Female, Some(14.0), &[]);
    assert!(said(&base, "marsh", &weighed).contains("14 kg: 600 mg"));
}

#[test]
fn no_weight_is_assumed_where_the_median_says_nothing() {
    let base = toy::base();
    let pale = patient("3 years", Sex::Male, None, &[("s_pallor", Choice::Present)]);
    assert!(said(&base, "marsh", &pale).contains("(weigh first;"));
    // Ten times too much is taken for a mistake, not for a weight.
    let mistyped = patient("3 years", Sex::Male, Some(140.0), &[]);
    assert!(said(&base, "marsh", &mistyped).contains("(weigh first;"));
}

#[test]
fn a_caution_is_hidden_only_if_its_reason_is_known_to_be_absent() {
    let base = toy::base();
    let check = |choice: Option<Choice>, given: bool, applies: bool, asked: bool| {
        let evidence: Vec<(&str, Choice)> = choice
            .iter()
            .map(|choice| ("p_crowded_home", *choice))
            .collect();
        let patient = patient("30 years", Sex::Male, None, &evidence);
        let facts = PatientFacts::gather(&base, &patient);
        let dosing = Dosing::new(&facts, Vec::new());
        let medicine = base.find_medicine("marshicillin").unwrap();
        dosing.dose(base.find_dose(medicine, "marsh").unwrap());
        let advice = dosing.into_all(&mut Citations::new(&base)).remove(0);
        let says = |list: &[lafiya_model::assessment::MedicineCaution<'_>]| {
            list.iter()
                .any(|caution| caution.says.starts_with("Crowded home"))
        };
        assert_eq!(advice.is_given, given, "{choice:?}");
        assert_eq!(says(&advice.cautions), applies, "{choice:?}");
        assert_eq!(says(&advice.ask), asked, "{choice:?}");
        if !given {
            assert_eq!(
                advice.dose,
                "not marshicillin: Crowded home: do not give it; instead gland syrup"
            );
            assert_eq!(advice.computed, None);
        }
    };
    check(None, true, false, true);
    check(Some(Choice::Unknown), true, false, true);
    check(Some(Choice::Absent), true, false, false);
    check(Some(Choice::Present), false, true, false);
}

#[test]
fn a_condition_that_is_likely_gives_the_reason_and_an_unlikely_one_is_asked_about() {
    let base = toy::base();
    let pregnant = patient(
        "30 years",
        Sex::Female,
        None,
        &[("p_pregnancy", Choice::Present)],
    );
    let facts = PatientFacts::gather(&base, &pregnant);
    let brain_fever = base
        .resolve("c_brain_fever")
        .and_then(ConceptRef::condition)
        .unwrap();
    let medicine = base.find_medicine("marshicillin").unwrap();
    let dose = base.find_dose(medicine, "marsh").unwrap();
    let is_given = |listed: &[(ConditionIx, f64)]| {
        let dosing = Dosing::new(&facts, listed.to_vec());
        dosing.dose(dose);
        let advice = dosing.into_all(&mut Citations::new(&base)).remove(0);
        let asked = advice
            .ask
            .iter()
            .any(|caution| caution.says.starts_with("Brain fever"));
        (advice.is_given, asked)
    };
    assert_eq!(is_given(&[]), (true, false));
    assert_eq!(is_given(&[(brain_fever, 0.05)]), (true, true));
    assert_eq!(is_given(&[(brain_fever, 0.3)]), (false, false));
}

#[test]
fn a_line_reads_as_a_sentence() {
    let base = toy::base();
    let patient = patient("50 years", Sex::Male, None, &[]);
    let facts = PatientFacts::gather(&base, &patient);
    let dosing = Dosing::new(&facts, Vec::new());
    let gland = base
        .resolve("c_gland_trouble")
        .and_then(ConceptRef::condition)
        .unwrap();
    let treatment = &base.condition(gland).text.treatment;
    let said = |line: &'_ Phrase| {
        let words = base.segments(line).is_some();
        assert!(words, "{line}");
    };
    said(&treatment.immediate_actions[0]);
    let action = dosing.plain(&treatment.immediate_actions[0], Place::Treatment);
    assert!(
        action.starts_with("Marshicillin 500 to 1,000 mg"),
        "{action}"
    );
    assert!(action.ends_with("; with food); rest"), "{action}");
    let care = dosing.plain(&treatment.supportive_care[0], Place::Treatment);
    assert_eq!(care, "Rest, and keep marshicillin dry");
}

#[test]
fn text_for_some_patients_is_read_by_nobody_else() {
    let path = "conditions/c_gland_trouble.toml";
    let line = "{marshicillin.marsh}; rest";
    let check = |text: &str, age: &str, expected: &[&str]| {
        let base = KnowledgeBase::from_files(toy::files_with(path, line, text)).unwrap();
        let gland = base
            .resolve("c_gland_trouble")
            .and_then(ConceptRef::condition);
        let leaders = [(gland.unwrap(), 1.0)];
        let patient = patient(age, Sex::Male, None, &[]);
        let facts = PatientFacts::gather(&base, &patient);
        let dosing = Dosing::new(&facts, Vec::new());
        let mut citations = Citations::new(&base);
        let level = TriageLevel::Routine;
        let plan = plan::treatment(&dosing, &leaders, &[], level, &mut citations);
        assert_eq!(plan.immediate_actions, expected, "{age}");
    };
    let both = "<below 60 years: drink water; ><from 60 years: drink tea; >rest";
    check(both, "45 years", &["Drink water; rest"]);
    check(both, "70 years", &["Drink tea; rest"]);
    let young = "<below 60 years: {marshicillin.marsh}>";
    check(young, "70 years", &[]);
}

/// Patients of every age, with likely and unlikely weights, pregnant or not.
fn patients() -> Vec<DeidentifiedCase> {
    let ages = [
        "0 days",
        "5 days",
        "20 days",
        "45 days",
        "4 months",
        "10 months",
        "2 years",
        "4 years",
        "7 years",
        "9 years",
        "11 years",
        "13 years",
        "16 years",
        "25 years",
        "48 years",
        "70 years",
        "90 years",
    ];
    let mut patients = Vec::new();
    for (place, age) in ages.iter().enumerate() {
        let years = age.parse::<Age>().unwrap();
        let sex = if place % 2 == 0 {
            Sex::Female
        } else {
            Sex::Male
        };
        let usual = BASE.weights().median_kg(years, sex).unwrap_or(55.0);
        let weights = [None, Some(0.5 * usual), Some(usual), Some(1.7 * usual)];
        for kg in weights {
            patients.push(patient(age, sex, kg, &[]));
            let is_fertile = years >= Age::from_years(11) && years < Age::from_years(50);
            if is_fertile {
                for choice in [Choice::Present, Choice::Absent] {
                    let states = BASE.state_risks().iter().map(|ix| BASE.risk(*ix));
                    let mut broad = states.filter(|risk| risk.implies.is_empty());
                    let id = broad.next().map(|risk| risk.text.id.as_str()).unwrap();
                    patients.push(patient(age, Sex::Female, kg, &[(id, choice)]));
                }
            }
        }
    }
    patients
}

/// Checks a dose against the row of its file that has its figures.
fn check_dose(advice: &MedicineAdvice<'_>, patient: &DeidentifiedCase) {
    let text = advice.dose.as_str();
    assert!(!text.contains(['{', '}']), "{text}");
    assert!(!text.contains("  ") && !text.contains("NaN"), "{text}");
    let forbidden = advice
        .cautions
        .iter()
        .any(|caution| caution.kind == "contraindicated");
    assert_eq!(forbidden, text.starts_with("not "), "{text}");
    if forbidden {
        assert!(!advice.is_given && advice.computed.is_none(), "{text}");
    }
    let Some(computed) = &advice.computed else {
        return;
    };
    let medicine = BASE.medicine(BASE.find_medicine(&advice.id).unwrap());
    let dose = BASE.find_dose(BASE.find_medicine(&advice.id).unwrap(), &advice.dose_id);
    let (_, dose) = BASE.dose_text(dose.unwrap());
    let highest = |row: &DoseRow| {
        let limits = [row.at_most, row.in_day];
        limits.into_iter().flatten().fold(f64::INFINITY, f64::min)
    };
    let least_allowed = |row: &&DoseRow| match (row.per_kg, row.fixed, computed.weight_kg) {
        (Some([_, most]), _, Some(kg)) => computed.most <= most * kg * (1.0 + EXACT),
        (None, Some([_, most]), None) => computed.most <= most * (1.0 + EXACT),
        _ => false,
    };
    // The patient's row, chosen here by age and weight alone.
    let kg = patient
        .evidence
        .iter()
        .find_map(|item| item.value)
        .or(computed.weight_kg);
    let fits = |row: &&DoseRow| {
        row.who.ages().contains(patient.age)
            && kg.is_none_or(|kg| row.who.allows_kg(kg))
            && row.who.sex.is_none_or(|sex| sex.allows(patient.sex))
    };
    let mut rows = dose.rows.iter().filter(fits).filter(least_allowed);
    let row = rows.find(|row| computed.most <= highest(row) * (1.0 + EXACT));
    let row = row.unwrap_or_else(|| panic!("above every limit: {} {text}", advice.id));
    assert!(computed.least <= computed.most * (1.0 + EXACT), "{text}");
    let printed = |number: f64| {
        let mut words = String::new();
        dose_words::push_number(&mut words, number);
        words
    };
    // A dose that can exceed the total of a day says so.
    if let (Some(in_day), None) = (row.in_day, row.rate)
        && computed.most * row.doses_in_day() > in_day * (1.0 + EXACT)
    {
        assert!(text.contains(" in 24 hours"), "{text}");
    }
    if let Some(given) = &computed.given {
        let form = medicine
            .text
            .form
            .iter()
            .find(|form| given.form == form.name.as_str());
        let amount = given.most * form.unwrap().amount;
        assert!(amount <= highest(row) * (1.0 + EXACT), "{text}");
        assert!(amount <= computed.most * 1.06, "{text}");
        assert!(
            text.contains(given.words.as_str()),
            "{text} / {}",
            given.words
        );
        if row.per_kg.is_some() {
            assert!(
                text.contains(&format!(
                    "{} {}",
                    printed(amount),
                    dose_words::unit_words(medicine.text.unit, amount > 1.0)
                )),
                "{text}"
            );
        }
    } else {
        assert!(
            text.contains(&printed(computed.most)),
            "{text} {}",
            computed.most
        );
    }
}

#[test]
fn no_dose_is_above_its_limit_and_no_contraindicated_medicine_is_shown() {
    for patient in patients() {
        let facts = PatientFacts::gather(&BASE, &patient);
        let dosing = Dosing::new(&facts, Vec::new());
        for ix in 0..BASE.doses().len() {
            dosing.dose(DoseIx::at(ix));
        }
        let all = dosing.into_all(&mut Citations::new(&BASE));
        for advice in &all {
            check_dose(advice, &patient);
        }
    }
}

#[test]
fn a_reason_that_is_present_forbids_every_dose_concerned() {
    let ages = ["20 days", "3 years", "30 years"];
    for medicine in BASE.medicines() {
        for (text, caution) in medicine.text.caution.iter().zip(&medicine.cautions) {
            let reasons = caution.reasons.iter().filter_map(|reason| match reason {
                Reason::Concept(concept) if concept.condition().is_none() => Some(*concept),
                _ => None,
            });
            for (concept, age) in reasons.flat_map(|concept| ages.map(|age| (concept, age))) {
                let is_simple =
                    text.who.is_everybody() && caution.kind == CautionKind::Contraindicated;
                let patient = patient(
                    age,
                    Sex::Female,
                    None,
                    &[(BASE.id_of(concept), Choice::Present)],
                );
                let facts = PatientFacts::gather(&BASE, &patient);
                if !is_simple || !BASE.fits(concept, patient.age, Sex::Female) {
                    continue;
                }
                for dose in medicine
                    .doses
                    .iter()
                    .filter(|dose| caution.concerns(**dose))
                {
                    let dosing = Dosing::new(&facts, Vec::new());
                    let said = dosing.dose(*dose);
                    assert!(said.starts_with("not "), "{}: {said}", text.says);
                }
            }
        }
    }
}

#[test]
fn no_text_for_any_patient_has_braces() {
    let ages = [
        "10 days", "2 years", "8 years", "14 years", "30 years", "80 years",
    ];
    for (place, age) in ages.iter().enumerate() {
        let sex = if place % 2 == 0 {
            Sex::Female
        } else {
            Sex::Male
        };
        let patient = patient(age, sex, None, &[]);
        let facts = PatientFacts::gather(&BASE, &patient);
        for ix in BASE.condition_indices() {
            let dosing = Dosing::new(&facts, vec![(ix, 1.0)]);
            let leaders = [(ix, 1.0)];
            let mut citations = Citations::new(&BASE);
            let level = TriageLevel::Urgent;
            let treatment = plan::treatment(&dosing, &leaders, &[], level, &mut citations);
            let referral = plan::referral(&dosing, &leaders, level, &mut citations);
            let watch_for = plan::watch_for(&dosing, &leaders);
            let written = format!("{treatment:?} {referral:?} {watch_for:?}");
            let written = serde_braces(&written);
            assert!(!written, "{}", BASE.condition(ix).text.id);
        }
    }
}

/// Whether text between quotes has a brace; the braces of `Debug` stand outside of quotes.
fn serde_braces(written: &str) -> bool {
    let mut is_quoted = false;
    let mut is_escaped = false;
    for letter in written.chars() {
        match letter {
            '\\' if is_quoted && !is_escaped => {
                is_escaped = true;
                continue;
            }
            '"' if !is_escaped => is_quoted = !is_quoted,
            '{' | '}' if is_quoted => return true,
            _ => {}
        }
        is_escaped = false;
    }
    false
}
