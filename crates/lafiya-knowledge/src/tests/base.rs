//! Tests of the knowledge base as the engine sees it.

use lafiya_model::{Age, AgeBand, Sex};

use crate::base::{ConceptRef, Group, NotANumber, Person};
use crate::{KnowledgeBase, toy};

fn concept(base: &KnowledgeBase, id: &str) -> ConceptRef {
    base.resolve(id)
        .unwrap_or_else(|| panic!("{id} is in the toy base"))
}

#[test]
fn the_toy_base_has_no_complaints() {
    let checked = crate::check(toy::files());
    let complaints: Vec<String> = checked.complaints().map(ToString::to_string).collect();
    assert!(complaints.is_empty(), "{complaints:#?}");
}

#[test]
fn ids_resolve_exactly_then_bare_then_by_old_name() {
    let base = toy::base();
    let check = |text: &str, id: Option<&str>| {
        assert_eq!(
            base.resolve(text).map(|concept| base.id_of(concept)),
            id,
            "{text}"
        );
    };
    check("s_fever", Some("s_fever"));
    check("fever", Some("s_fever"));
    check("s_pyrexia", Some("s_fever"));
    check("pyrexia", Some("s_fever"));
    check("pregnancy", Some("p_pregnancy"));
    check("haemoglobin", Some("lt_haemoglobin"));
    check("head_cold", Some("c_head_cold"));
    check("body_temperature", Some("s_body_temperature"));
    check("elbow", None);
    check("", None);
}

#[test]
fn values_are_read_in_many_units() {
    let base = toy::base();
    let check = |id: &str, text: &str, expected: Option<f64>| {
        let read = base.read_value(concept(&base, id), text).ok();
        assert_eq!(read.map(|values| values[0].1), expected, "{id} {text:?}");
    };
    check("s_body_temperature", "39.5", Some(39.5));
    check("s_body_temperature", " 39,5 °C", Some(39.5));
    check("s_body_temperature", "39.5C", Some(39.5));
    check("s_body_temperature", "39.5 degrees celsius", Some(39.5));
    check("s_body_temperature", "102 F", Some(38.89));
    check("s_body_temperature", "102 fahrenheit", Some(38.89));
    check("s_body_temperature", "102", Some(38.89));
    check("s_body_temperature", "395", None);
    check("s_body_temperature", "102 C", None);
    for nonsense in [
        "", "hot", "39.5.1", "38 39", "38-39", "38 to 39", "39e0", "NaN", "inf", "39.", ".5",
        "1,2,3",
    ] {
        check("s_body_temperature", nonsense, None);
    }
    check("lt_haemoglobin", "7", Some(7.0));
    check("lt_haemoglobin", "70 g/L", Some(7.0));
    check("lt_haemoglobin", "70", Some(7.0));
    check("s_heart_rate", "120 beats per minute", Some(120.0));
    check("s_fever", "39", None);
}

#[test]
fn a_wrong_unit_is_not_ignored() {
    let base = toy::base();
    let check = |id: &str, text: &str, expected: Option<f64>| {
        let read = base.read_value(concept(&base, id), text).ok();
        assert_eq!(read.map(|values| values[0].1), expected, "{id} {text:?}");
    };
    for wrong in ["40 mmHg", "40 bananas", "40 %", "40 C/min", "40 C per day"] {
        check("s_body_temperature", wrong, None);
    }
    check("lt_haemoglobin", "7 mmol/L", None);
    check("s_heart_rate", "120 kg", None);
    for fine in [
        "39",
        "39°",
        "39 degrees",
        "39 ℃",
        "39 Cel",
        "39 C axillary",
        "39 °C (oral)",
    ] {
        check("s_body_temperature", fine, Some(39.0));
    }
    check("s_body_temperature", "102 F oral", Some(38.89));
    for fine in [
        "120",
        "120/min",
        "120 bpm",
        "120 b/min",
        "120 beats/minute",
        "120 bpm regular",
    ] {
        check("s_heart_rate", fine, Some(120.0));
    }
    for fine in ["7 g/dL", "7 G/DL", "7gm/dl", "70 g/L", "70 g/litre"] {
        check("lt_haemoglobin", fine, Some(7.0));
    }
}

#[test]
fn a_blood_pressure_is_two_values() {
    let base = toy::base();
    let check = |text: &str, expected: &[(&str, f64)]| {
        let read = base
            .read_value(concept(&base, "s_blood_pressure"), text)
            .unwrap_or_default();
        let named: Vec<(&str, f64)> = read
            .iter()
            .map(|&(concept, value)| (base.id_of(concept), value))
            .collect();
        assert_eq!(named, expected, "{text}");
    };
    check(
        "180/110",
        &[
            ("s_systolic_blood_pressure", 180.0),
            ("s_diastolic_blood_pressure", 110.0),
        ],
    );
    check(
        "180 / 110 mmHg",
        &[
            ("s_systolic_blood_pressure", 180.0),
            ("s_diastolic_blood_pressure", 110.0),
        ],
    );
    check("180", &[("s_systolic_blood_pressure", 180.0)]);
    check("180/110/90", &[]);
    check("1800/110", &[]);
    check("80/120", &[]);
    check("90/90", &[]);
}

#[test]
fn implausible_and_unreadable_values_are_distinguished() {
    let base = toy::base();
    let temperature = concept(&base, "s_body_temperature");
    let answer = base.read_value(temperature, "60 C").unwrap_err();
    assert!(matches!(answer, NotANumber::Implausible { .. }), "{answer}");
    let answer = base.read_value(temperature, "warm").unwrap_err();
    assert!(matches!(answer, NotANumber::Unreadable(_)), "{answer}");
    let answer = base.read_value(concept(&base, "s_cough"), "3").unwrap_err();
    assert_eq!(answer, NotANumber::NoUnit);
}

#[test]
fn a_value_makes_findings_present_and_absent() {
    let base = toy::base();
    let check = |id: &str, value: f64, years: u32, present: &[&str], absent: &[&str]| {
        let person = Person {
            age: Age::from_years(years),
            sex: Sex::Female,
            state: None,
        };
        let derived = base.derive(concept(&base, id), value, &person);
        let ids = |list: &[ConceptRef]| {
            list.iter()
                .map(|&concept| base.id_of(concept).to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(ids(&derived.present), present, "{id} {value} present");
        assert_eq!(ids(&derived.absent), absent, "{id} {value} absent");
    };
    check("s_body_temperature", 36.8, 30, &[], &["s_fever"]);
    check("s_body_temperature", 38.0, 30, &["s_fever"], &[]);
    check(
        "s_body_temperature",
        39.0,
        30,
        &["s_fever", "s_high_fever"],
        &[],
    );
    check("s_heart_rate", 150.0, 2, &[], &["s_fast_pulse"]);
    check("s_heart_rate", 150.0, 30, &["s_fast_pulse"], &[]);
    check(
        "s_systolic_blood_pressure",
        80.0,
        30,
        &["s_low_blood_pressure"],
        &[],
    );
    check("s_systolic_blood_pressure", 80.0, 3, &[], &[]);
    check(
        "lt_haemoglobin",
        6.0,
        30,
        &["lt_haemoglobin", "s_pallor"],
        &[],
    );
}

#[test]
fn what_is_normal_depends_on_age() {
    let base = toy::base();
    let pulse = base.quantity(concept(&base, "s_heart_rate")).unwrap();
    assert_eq!(pulse.normal_at(Age::from_years(1)), Some([100.0, 160.0]));
    assert_eq!(pulse.normal_at(Age::from_years(40)), Some([60.0, 100.0]));
}

#[test]
fn a_narrow_finding_implies_the_broad_one() {
    let base = toy::base();
    let narrow = concept(&base, "s_high_fever");
    let implied: Vec<&str> = base
        .implied_by(narrow)
        .into_iter()
        .map(|concept| base.id_of(concept))
        .collect();
    assert_eq!(implied, ["s_fever"]);
    let fever = base.finding(concept(&base, "s_fever").finding().unwrap());
    assert_eq!(fever.descendants, [narrow.finding().unwrap()]);
}

#[test]
fn common_findings_are_also_indexed_by_condition() {
    let base = toy::base();
    let likelihood = base.likelihood();
    let mut laid_out = 0;
    for finding in base.finding_indices() {
        let showing = likelihood.showing(finding, None);
        for (ix, present) in base
            .condition_indices()
            .flat_map(|ix| [(ix, true), (ix, false)])
        {
            let expected = showing.place_of(ix).map(|place| showing.ln(present)[place]);
            assert_eq!(showing.ln_of(ix, present), expected);
        }
        laid_out += usize::from(showing.ln_by_condition(true).is_some());
    }
    assert!((1..base.findings().len()).contains(&laid_out));
}

#[test]
fn probabilities_are_listed_raised_or_background() {
    let base = toy::base();
    let check = |condition: &str, finding: &str, group: Option<Group>, expected: f32| {
        let condition = concept(&base, condition).condition().unwrap();
        let finding = concept(&base, finding).finding().unwrap();
        let found = base.likelihood().probability(condition, finding, group);
        assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
    };
    check("c_marsh_fever", "s_headache", None, 0.65);
    check("c_marsh_fever", "s_headache", Some(Group::Under5), 0.15);
    check("c_marsh_fever", "s_headache", Some(Group::Over65), 0.65);
    check("c_marsh_fever", "s_pallor", Some(Group::Pregnant), 0.25);
    check("c_head_cold", "s_chills", None, 0.03);
    check("c_gland_trouble", "s_abdominal_pain", None, 0.18);
}

#[test]
fn an_unlisted_broad_finding_is_as_frequent_as_the_narrow_one() {
    let files = toy::files_with(
        "conditions/c_tube_pregnancy.toml",
        "  { id = \"s_abdominal_pain\", of_100 = 97, cardinal = true },\n",
        "",
    );
    let base = crate::check(files).base;
    let condition = concept(&base, "c_tube_pregnancy").condition().unwrap();
    let broad = concept(&base, "s_abdominal_pain").finding().unwrap();
    let showing = base.likelihood().showing(broad, None);
    let place = showing.place_of(condition).expect("it counts as listed");
    assert!((showing.probabilities()[place] - 0.92).abs() < 1e-6);
}

#[test]
fn priors_limits_and_multipliers_are_ready_for_use() {
    let base = toy::base();
    let gland = base.condition(concept(&base, "c_gland_trouble").condition().unwrap());
    assert!(gland.is_possible(Age::from_years(70), Sex::Male));
    assert!(gland.is_possible(Age::from_years(70), Sex::Other));
    assert!(!gland.is_possible(Age::from_years(70), Sex::Female));
    assert!(!gland.is_possible(Age::from_years(30), Sex::Male));
    assert_eq!(gland.per_1000(AgeBand::From65), 50.0);

    let marsh = base.condition(concept(&base, "c_marsh_fever").condition().unwrap());
    let heights = base.place("toy-heights").unwrap();
    let delta = base.place("toy-delta").unwrap();
    let product = |belts: &[_], month| -> f32 {
        marsh
            .times
            .iter()
            .filter(|time| time.applies(belts, month, None))
            .map(|time| time.by)
            .product()
    };
    assert_eq!(product(&heights.belts, Some(8)), 0.05);
    assert_eq!(product(&delta.belts, Some(8)), 2.0);
    assert_eq!(product(&delta.belts, None), 1.0);
    assert_eq!(base.place("toyland"), base.place("xa"));
    assert!((base.share("pregnant", AgeBand::From15To49).unwrap() - 0.12).abs() < 1e-6);
}

#[test]
fn a_packed_base_is_the_same_base() {
    let checked = crate::check(toy::files());
    let bytes = crate::artefact::pack(&checked.content).unwrap();
    let content: crate::schema::Content = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(content, checked.content);
    assert!(KnowledgeBase::from_artefact(&bytes[..bytes.len() / 2]).is_err());
}
