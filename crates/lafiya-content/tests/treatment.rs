//! Treatment lines of all conditions: cautions that must stand beside a medicine, and doses that
//! say whom they are for.
//!
//! Each test looks for a pattern of words in every file, so that a new condition cannot bring an
//! old mistake back.

use std::path::Path;

use lafiya_knowledge::load::{parse, read_dir};
use lafiya_knowledge::schema::{Condition, Content};
use lafiya_model::Age;

use self::common::has_any;

mod common;

fn content() -> Content {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../knowledge");
    parse(read_dir(&directory).expect("the folder can be read")).content
}

/// Every line that tells what to give or to do.
fn given(condition: &Condition) -> Vec<&str> {
    let treatment = &condition.treatment;
    let advice = [
        &treatment.first_line,
        &treatment.alternative,
        &treatment.pregnancy,
        &treatment.children,
    ];
    let advice = advice
        .into_iter()
        .flatten()
        .map(|advice| advice.text.as_str());
    let lines = treatment
        .immediate_actions
        .iter()
        .chain(&treatment.supportive_care);
    let before_referral = condition
        .referral
        .iter()
        .flat_map(|referral| &referral.pre_referral_actions);
    let lines = lines
        .chain(before_referral)
        .chain(condition.watch_for.iter().map(|sign| &sign.action));
    advice.chain(lines.map(|line| line.as_str())).collect()
}

fn to_avoid(condition: &Condition) -> impl Iterator<Item = &str> {
    condition
        .treatment
        .avoid
        .iter()
        .map(|avoid| avoid.text.as_str())
}

/// All lines in lower case, in one.
fn all_text(condition: &Condition) -> String {
    let lines: Vec<&str> = given(condition)
        .into_iter()
        .chain(to_avoid(condition))
        .collect();
    lines.join("\n").to_lowercase()
}

/// Whether somebody of one of these ages, in days, can have the condition.
fn is_possible(condition: &Condition, mut days: impl Iterator<Item = u32>) -> bool {
    days.any(|days| {
        let age = Age::from_days(days);
        let per_1000 = condition.prior.per_1000.get(&age.band());
        condition.who.ages().contains(age) && per_1000.is_some_and(|rate| *rate > 0.0)
    })
}

/// The sentences and their parts between semicolons; what a bracket holds stays together.
fn clauses(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut from = 0;
    for (place, stop) in line.match_indices(['.', ';']) {
        let clause = &line[from..place];
        let next = line[place + stop.len()..].strip_prefix(' ');
        let starts = |text: &str| stop == ";" || !text.starts_with(char::is_lowercase);
        if clause.matches('(').count() <= clause.matches(')').count() && next.is_some_and(starts) {
            found.push(&line[from..=place]);
            from = place + 2;
        }
    }
    found.push(&line[from..]);
    found
}

fn assert_none(what: &str, complaints: &[String]) {
    assert!(
        complaints.is_empty(),
        "{} {what}:\n{}",
        complaints.len(),
        complaints.join("\n")
    );
}

#[test]
fn ivermectin_stands_beside_its_loa_loa_warning() {
    let content = content();
    let silent = content.conditions.iter().filter(|condition| {
        let lines = given(condition).join("\n").to_lowercase();
        lines.contains("ivermectin") && !has_any(&all_text(condition), &["loa loa", "worms: coma"])
    });
    let silent: Vec<String> = silent.map(|condition| condition.id.clone()).collect();
    assert_none("files name ivermectin and not Loa loa", &silent);
}

/// Conditions that name the medicine without a course of it.
const NO_COURSE: [&str; 11] = [
    // Poisoning with it, porphyria, or a warning against it.
    "c_anticonvulsant_toxicity",
    "c_sedative_overdose",
    "c_porphyria",
    "c_chronic_hepatitis_c",
    "c_pulmonary_embolism",
    "c_haematuria_unexplained",
    // One dose, mostly to newborns.
    "c_cerebral_venous_thrombosis",
    "c_coma_of_unknown_cause",
    "c_heat_stroke",
    "c_neonatal_herpes_simplex",
    "c_vitamin_k_deficiency_bleeding",
];

#[test]
fn medicines_that_lower_dolutegravir_say_so() {
    let content = content();
    let inducers = [
        "rifampicin",
        "rifapentine",
        "carbamazepine",
        "phenytoin",
        "phenobarbital",
    ];
    let silent = content.conditions.iter().filter(|condition| {
        let lines = without_references(&given(condition).join("\n")).to_lowercase();
        is_possible(condition, (60..40_000).step_by(30))
            && has_any(&lines, &inducers)
            && !all_text(condition).contains("dolutegravir")
            && !NO_COURSE.contains(&condition.id.as_str())
    });
    let silent: Vec<String> = silent.map(|condition| condition.id.clone()).collect();
    assert_none("files lower dolutegravir and do not name it", &silent);
}

/// An illness, an allergy or a medicine may be there without having been told.
#[test]
fn cautions_are_hidden_only_by_sex_and_age() {
    let content = content();
    let hidden = content.conditions.iter().flat_map(|condition| {
        let lines = condition.treatment.avoid.iter();
        let lines = lines.filter(|line| {
            line.when.as_ref().is_some_and(|when| {
                let mut others = when.clone();
                others.age = None;
                others.sex = None;
                others != Default::default()
            })
        });
        lines.map(|line| format!("{}: {}", condition.id, line.text))
    });
    let hidden: Vec<String> = hidden.collect();
    assert_none("cautions wait for a disease to be known", &hidden);
}

/// A line without its references to medicines. Their doses and cautions stand in the files of the
/// medicines.
fn without_references(line: &str) -> String {
    let mut parts = line.split('{');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.split_once('}').map_or(part, |(_, after)| after)
    })
}

#[test]
fn ceftriaxone_is_barred_for_yellow_newborns_and_beside_calcium() {
    let content = content();
    let silent = content.conditions.iter().filter(|condition| {
        let text = all_text(condition);
        let of = |words: &[&str]| -> bool {
            let clauses = text.split(['.', ';', '\n']);
            let mut clauses = clauses.filter(|clause| has_any(clause, &["ceftriaxone", "newborn"]));
            clauses.any(|clause| has_any(clause, words))
        };
        let lines = without_references(&given(condition).join("\n")).to_lowercase();
        is_possible(condition, 0..28)
            && lines.contains("ceftriaxone")
            && !(of(&["yellow", "jaundice"]) && of(&["calcium"]))
    });
    let silent: Vec<String> = silent.map(|condition| condition.id.clone()).collect();
    assert_none("files give ceftriaxone to any newborn", &silent);
}

const UNITS: [&str; 17] = [
    "mg",
    "g",
    "gram",
    "grams",
    "microgram",
    "micrograms",
    "mcg",
    "iu",
    "unit",
    "units",
    "ml",
    "litre",
    "litres",
    "l",
    "tablet",
    "tablets",
    "capsules",
];
const BY_WEIGHT: [&str; 8] = [
    "/kg",
    "/ kg",
    "per kg",
    "a kg",
    "each kg",
    "per kilogram",
    "/m2",
    "per square met",
];
/// Words that say whom a dose is for.
const PEOPLE: [&str; 24] = [
    "adult",
    "adults",
    "child",
    "children",
    "child's",
    "infant",
    "infants",
    "newborn",
    "newborns",
    "baby",
    "babies",
    "kg",
    "woman",
    "women",
    "mother",
    "mothers",
    "pregnancy",
    "pregnant",
    "man",
    "men",
    "girl",
    "girls",
    "boy",
    "boys",
];
const NUMBERS: [&str; 8] = [
    "half", "one", "two", "three", "four", "five", "six", "twelve",
];

fn words(text: &str) -> Vec<&str> {
    let words = text.split_whitespace();
    let words = words
        .map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '/'));
    words.collect()
}

fn is_number(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_digit()) || NUMBERS.contains(&word)
}

/// Whether the clause tells an amount of something to take: a number with a unit.
fn tells_an_amount(words: &[&str]) -> bool {
    (1..words.len()).any(|place| {
        let number = match words[place - 1] {
            "million" if place > 1 => words[place - 2],
            word => word,
        };
        let per = words.get(place + 1).filter(|word| **word == "per");
        let of_what = per.and(words.get(place + 2)).copied().unwrap_or_default();
        let is_strength = ["dl", "l", "litre", "minute", "ml"].contains(&of_what);
        let digits = number.starts_with(|letter: char| letter.is_ascii_digit());
        digits && UNITS.contains(&words[place]) && !is_strength
    })
}

/// Whether the clause names an age, as "below 5 years" or "5 to 14 years".
fn names_an_age(words: &[&str]) -> bool {
    (1..words.len()).any(|place| {
        let unit = words[place].trim_end_matches('s');
        let number = place - 1;
        if !["year", "month", "week", "day"].contains(&unit) || !is_number(words[number]) {
            return false;
        }
        let is_range = number > 1 && words[number - 1] == "to" && is_number(words[number - 2]);
        let first = if is_range { number - 2 } else { number };
        let before = first.checked_sub(1).map_or("", |before| words[before]);
        let of_age = ["below", "under", "from", "above", "aged", "than", "age"].contains(&before);
        let in_years = unit == "year" && (before == "over" || (is_range && before != "for"));
        of_age || in_years || words.get(place + 1) == Some(&"old")
    })
}

/// Who is named before a colon of the clause: adults (true) or children (false).
fn heading(clause: &str) -> Option<bool> {
    let head = clause.rsplit_once(':')?.0;
    let words = words(head);
    let names = |who: [&str; 2]| words.iter().any(|word| who.contains(word));
    if names(["adult", "adults"]) {
        Some(true)
    } else {
        names(["child", "children"]).then_some(false)
    }
}

/// The clauses with an amount for which nobody is named.
fn unlabelled(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut for_adults = false;
    for clause in clauses(line) {
        let clause = clause.to_lowercase();
        let words = words(&clause);
        for_adults = heading(&clause).unwrap_or(for_adults);
        let is_said = for_adults
            || has_any(&clause, &BY_WEIGHT)
            || clause.contains("any age")
            || words.iter().any(|word| PEOPLE.contains(word))
            || names_an_age(&words);
        if tells_an_amount(&words) && !is_said {
            found.push(clause.clone());
        }
        for_adults &= clause.ends_with(';');
    }
    found
}

/// The forms of the labels stand in `knowledge/FORM.md`.
#[test]
fn doses_say_whom_they_are_for() {
    let content = content();
    let mut complaints = Vec::new();
    for condition in &content.conditions {
        if condition.who.state.is_some() || !is_possible(condition, (0..4_380).step_by(10)) {
            continue;
        }
        let treatment = &condition.treatment;
        let others = [&treatment.pregnancy, &treatment.children];
        let others: Vec<&str> = others
            .into_iter()
            .flatten()
            .map(|other| other.text.as_str())
            .collect();
        let lines = given(condition);
        let lines = lines.iter().filter(|line| !others.contains(line));
        let clauses = lines.flat_map(|line| unlabelled(&without_references(line)));
        complaints.extend(clauses.map(|clause| format!("{}: {clause}", condition.id)));
    }
    assert_none("doses are for nobody in particular", &complaints);
}

/// What must be said wherever a medicine is a first or second choice.
struct Caution {
    medicines: &'static [&'static str],
    /// For whom it matters: the condition is possible in one of these ages, in days.
    ages: std::ops::Range<u32>,
    women: bool,
    /// One of these stands somewhere in the condition's lines.
    said: &'static [&'static str],
    except: &'static [&'static str],
}

const ANYBODY: std::ops::Range<u32> = 0..40_000;
const FERTILE: std::ops::Range<u32> = 5_000..16_000;
const NSAIDS: [&str; 3] = ["ibuprofen", "diclofenac", "naproxen"];

const CAUTIONS: [Caution; 16] = [
    Caution {
        medicines: &NSAIDS,
        ages: ANYBODY,
        women: false,
        said: &["kidney", "dehydrat"],
        except: &[
            // A gel, and the duct of preterm babies in a newborn unit.
            "c_breast_cyst",
            "c_patent_ductus_arteriosus",
            "c_congenital_heart_disease_acyanotic",
        ],
    },
    Caution {
        medicines: &NSAIDS,
        ages: FERTILE,
        women: true,
        said: &["pregnan"],
        except: &["c_patent_ductus_arteriosus"],
    },
    Caution {
        medicines: &["enalapril", "captopril", "lisinopril", "ace inhibitor"],
        ages: FERTILE,
        women: true,
        said: &["pregnan"],
        // Given to babies.
        except: &["c_patent_ductus_arteriosus", "c_ventricular_septal_defect"],
    },
    Caution {
        medicines: &["metformin"],
        ages: ANYBODY,
        women: false,
        said: &["kidney", "egfr"],
        except: &[],
    },
    Caution {
        medicines: &["tramadol", "codeine"],
        ages: 0..4_380,
        women: false,
        said: &["12 years", "child"],
        except: &[],
    },
    Caution {
        medicines: &["doxycycline"],
        ages: FERTILE,
        women: true,
        said: &["pregnan"],
        except: &[
            // Deadly diseases that it is given for in pregnancy too, and one dose when the womb is
            // emptied.
            "c_anthrax_cutaneous",
            "c_anthrax_gastrointestinal",
            "c_anthrax_inhalational",
            "c_epidemic_typhus",
            "c_mediterranean_spotted_fever",
            "c_murine_typhus",
            "c_plague_pneumonic",
            "c_tularaemia",
            "c_incomplete_miscarriage",
        ],
    },
    Caution {
        medicines: &[
            "propranolol",
            "atenolol",
            "metoprolol",
            "carvedilol",
            "labetalol",
        ],
        ages: ANYBODY,
        women: false,
        said: &["asthma", "wheez"],
        except: &[],
    },
    Caution {
        medicines: &["primaquine", "dapsone", "nitrofurantoin", "methylene blue"],
        ages: ANYBODY,
        women: false,
        said: &["g6pd"],
        except: &[],
    },
    Caution {
        medicines: &["itraconazole", "voriconazole"],
        ages: FERTILE,
        women: true,
        said: &["pregnan"],
        // Eye drops.
        except: &["c_fungal_keratitis"],
    },
    Caution {
        medicines: &["albendazole"],
        ages: FERTILE,
        women: true,
        said: &["pregnan"],
        except: &[],
    },
    Caution {
        medicines: &["methotrexate", "mycophenolate"],
        ages: FERTILE,
        women: true,
        said: &["pregnan"],
        // Treatment at a cancer centre.
        except: &["c_burkitt_lymphoma"],
    },
    Caution {
        medicines: &["azathioprine"],
        ages: ANYBODY,
        women: false,
        said: &["allopurinol"],
        except: &[],
    },
    Caution {
        medicines: &["promethazine"],
        ages: 0..730,
        women: false,
        said: &["2 years"],
        except: &[],
    },
    Caution {
        medicines: &["metoclopramide"],
        ages: 0..4_380,
        women: false,
        said: &["child"],
        except: &[
            // Sickness in pregnancy, and a jaw put out by it.
            "c_hyperemesis_gravidarum",
            "c_nausea_and_vomiting_of_pregnancy",
            "c_jaw_dislocation",
        ],
    },
    Caution {
        medicines: &["valproate"],
        ages: FERTILE,
        women: true,
        said: &["women", "girl", "pregnan"],
        except: &[
            // Its overdose, and a choice of the specialist.
            "c_anticonvulsant_toxicity",
            "c_dress_syndrome",
        ],
    },
    Caution {
        medicines: &["quinine"],
        ages: ANYBODY,
        women: false,
        said: &["glucose", "sugar"],
        except: &[
            // Small doses against cramps, and warnings against it.
            "c_motor_neuron_disease",
            "c_myasthenic_crisis",
            "c_tinnitus",
        ],
    },
];

#[test]
fn medicines_carry_their_cautions() {
    use lafiya_knowledge::words::SexLimit;
    let content = content();
    let mut complaints = Vec::new();
    for condition in &content.conditions {
        let treatment = &condition.treatment;
        let choices = [&treatment.first_line, &treatment.alternative];
        let choices = choices.into_iter().flatten();
        let choices = choices.map(|choice| without_references(&choice.text).to_lowercase());
        let choices: Vec<String> = choices.collect();
        for caution in &CAUTIONS {
            let concerned = is_possible(condition, caution.ages.clone().step_by(5))
                && !(caution.women && condition.who.sex == SexLimit::Male)
                && !caution.except.contains(&condition.id.as_str());
            let given = choices
                .iter()
                .any(|choice| has_any(choice, caution.medicines));
            if concerned && given && !has_any(&all_text(condition), caution.said) {
                let medicines = caution.medicines.join(" or ");
                complaints.push(format!("{}: {medicines}", condition.id));
            }
        }
    }
    assert_none("medicines stand without their caution", &complaints);
}
