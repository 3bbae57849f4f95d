//! Bundles over the toy knowledge base: what is understood, what is refused, and where.

use std::sync::LazyLock;

use lafiya_knowledge::{KnowledgeBase, toy};
use lafiya_model::{Age, Case, Choice, Severity, Sex, SubmittedEvidence};
use serde_json::{Value, json};

use super::*;
use crate::systems::{ICD10, INTERPRETATION, LOINC, SNOMED_CT, UCUM};

/// The toy knowledge base, with codes bound to one risk factor.
static BASE: LazyLock<KnowledgeBase> = LazyLock::new(|| {
    let files = toy::files_with(
        "risk-factors/all.toml",
        "id = \"p_pregnancy\"\n",
        "id = \"p_pregnancy\"\nsnomed_ct = \"77386006\"\nicd10 = [\"Z33\"]\n",
    );
    KnowledgeBase::from_files(files).unwrap()
});

fn systems() -> Systems {
    Systems::new("https://lafiya.example/")
}

fn local(code: &str) -> Value {
    json!({"coding": [{"system": systems().concept(), "code": code}]})
}

fn patient() -> Value {
    json!({"resourceType": "Patient", "id": "7", "gender": "female", "birthDate": "1996-11-15"})
}

fn says(code: &str, word: &str) -> Value {
    json!({
        "resourceType": "Observation", "status": "final", "code": local(code),
        "interpretation": [{"coding": [{"system": INTERPRETATION, "code": word}]}],
    })
}

fn with(mut resource: Value, name: &str, value: Value) -> Value {
    resource[name] = value;
    resource
}

fn without(mut resource: Value, name: &str) -> Value {
    resource.as_object_mut().unwrap().remove(name);
    resource
}

fn bundle(resources: &[Value]) -> Value {
    let entries: Vec<Value> = std::iter::once(patient())
        .chain(resources.iter().cloned())
        .map(|resource| json!({"resource": resource}))
        .collect();
    json!({"resourceType": "Bundle", "type": "collection", "entry": entries})
}

fn read(body: &Value) -> Result<Case, Refusal> {
    read_bundle(body, &BASE, &systems(), "2026-11-15".parse().unwrap())
}

#[track_caller]
fn case(resources: &[Value]) -> Case {
    read(&bundle(resources)).unwrap_or_else(|refusal| panic!("{refusal:?}"))
}

#[track_caller]
fn claim(resource: &Value) -> SubmittedEvidence {
    let case = case(&[says("s_cough", "POS"), resource.clone()]);
    case.evidence.last().unwrap().clone()
}

/// Returns the locations of the problems.
#[track_caller]
fn places(body: &Value) -> Vec<String> {
    match read(body) {
        Err(Refusal::Untranslatable(problems)) => problems
            .into_iter()
            .map(|problem| problem.expression)
            .collect(),
        other => panic!("{other:?}"),
    }
}

fn valued(code: &str, name: &str, value: Value) -> Value {
    with(without(says(code, "POS"), "interpretation"), name, value)
}

fn quantity(value: f64, code: &str) -> Value {
    json!({"value": value, "unit": code, "system": UCUM, "code": code})
}

#[test]
fn present_absent_and_unknown_have_many_codings() {
    let check = |resource: Value, expected: Choice| {
        assert_eq!(claim(&resource).choice, expected, "{resource}");
    };
    check(says("s_fever", "POS"), Choice::Present);
    check(says("s_fever", "NEG"), Choice::Absent);
    check(says("s_fever", "IND"), Choice::Unknown);
    check(says("s_fever", "ND"), Choice::Absent);
    check(
        valued("s_fever", "valueString", json!("present")),
        Choice::Present,
    );
    check(
        valued("s_fever", "valueString", json!("Absent")),
        Choice::Absent,
    );
    check(
        valued("s_fever", "valueBoolean", json!(true)),
        Choice::Present,
    );
    check(
        valued("s_fever", "valueBoolean", json!(false)),
        Choice::Absent,
    );
    let snomed = |code: &str| json!({"coding": [{"system": SNOMED_CT, "code": code}]});
    check(
        valued("s_fever", "valueCodeableConcept", snomed("52101004")),
        Choice::Present,
    );
    check(
        valued("s_fever", "valueCodeableConcept", snomed("2667000")),
        Choice::Absent,
    );
    check(
        valued(
            "s_fever",
            "valueCodeableConcept",
            json!({"text": "unknown"}),
        ),
        Choice::Unknown,
    );
    check(
        valued(
            "s_fever",
            "dataAbsentReason",
            json!({"text": "asked but unknown"}),
        ),
        Choice::Unknown,
    );
}

#[test]
fn ucum_quantities_and_loinc_codes_are_read() {
    let measured = |value: Value| {
        let code = json!({"coding": [{"system": LOINC, "code": "8310-5"}]});
        claim(&with(
            valued("s_fever", "valueQuantity", value),
            "code",
            code,
        ))
    };
    let celsius = measured(quantity(39.5, "Cel"));
    assert_eq!(celsius.id, "s_body_temperature");
    assert_eq!(celsius.value.as_deref(), Some("39.5 °C"));
    assert_eq!(
        measured(quantity(102.0, "[degF]")).value.as_deref(),
        Some("102 °F")
    );
    assert_eq!(
        measured(json!({"value": 39.5, "unit": "C"}))
            .value
            .as_deref(),
        Some("39.5 C")
    );
}

#[test]
fn a_test_is_positive_by_what_its_number_means() {
    let haemoglobin = |value: f64, unit: &str| {
        claim(&valued(
            "lt_haemoglobin",
            "valueQuantity",
            quantity(value, unit),
        ))
    };
    assert_eq!(haemoglobin(6.0, "g/dL").choice, Choice::Present);
    assert_eq!(haemoglobin(60.0, "g/L").choice, Choice::Present);
    assert_eq!(haemoglobin(14.0, "g/dL").choice, Choice::Absent);
}

#[test]
fn components_give_severity_duration_and_panel_parts() {
    let severity = json!({
        "code": {"coding": [{"system": SNOMED_CT, "code": "246112005"}]},
        "valueCodeableConcept": {"coding": [{"system": SNOMED_CT, "code": "24484000"}]},
    });
    let duration = |value: f64, code: &str| json!({"code": {"text": "duration"}, "valueQuantity": quantity(value, code)});
    let fever = |components: Value| claim(&with(says("s_fever", "POS"), "component", components));
    let both = fever(json!([severity, duration(3.0, "d")]));
    assert_eq!(both.severity, Some(Severity::Severe));
    assert_eq!(both.duration_days, Some(3));
    assert_eq!(fever(json!([duration(2.0, "wk")])).duration_days, Some(14));
    assert_eq!(fever(json!([duration(36.0, "h")])).duration_days, Some(1));
    assert_eq!(fever(json!([duration(1.0, "mo")])).duration_days, Some(30));

    let half = |code: &str, value: f64| json!({"code": local(code), "valueQuantity": quantity(value, "mm[Hg]")});
    let panel = json!({
        "resourceType": "Observation", "status": "final", "code": local("s_blood_pressure"),
        "component": [half("s_systolic_blood_pressure", 180.0), half("s_diastolic_blood_pressure", 110.0)],
    });
    let case = case(&[panel]);
    let ids: Vec<&str> = case.evidence.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(
        ids,
        ["s_systolic_blood_pressure", "s_diastolic_blood_pressure"]
    );
}

#[test]
fn entered_in_error_and_cancelled_resources_are_ignored() {
    for status in ["entered-in-error", "cancelled"] {
        let void = with(says("s_headache", "POS"), "status", json!(status));
        let case = case(&[says("s_fever", "POS"), void]);
        assert_eq!(case.evidence.len(), 1, "{status}");
    }
}

#[test]
fn the_latest_of_two_readings_counts() {
    let at = |word: &str, when: &str| with(says("s_fever", word), "effectiveDateTime", json!(when));
    let early = at("POS", "2026-11-14T08:00:00+01:00");
    let late = at("NEG", "2026-11-14T20:00:00+01:00");
    for order in [[early.clone(), late.clone()], [late, early]] {
        let case = case(&order);
        assert_eq!(case.evidence.len(), 1);
        assert_eq!(case.evidence[0].choice, Choice::Absent);
        assert_eq!(case.evaluated_at, Some("2026-11-14".parse().unwrap()));
    }
}

#[test]
fn history_becomes_risk_factors_and_the_rest_is_reported() {
    let history = |system: &str, code: &str| json!({"resourceType": "Condition", "code": {"coding": [{"system": system, "code": code}]}});
    let fever = says("s_fever", "POS");
    for bound in [history(SNOMED_CT, "77386006"), history(ICD10, "Z33")] {
        let case = case(&[fever.clone(), bound]);
        assert_eq!(case.risk_factors[0].id, "p_pregnancy");
        assert_eq!(case.risk_factors[0].choice, Choice::Present);
        assert!(case.left_out.is_empty());
    }
    let unbound = case(&[fever.clone(), history(ICD10, "S52.5")]);
    assert!(unbound.risk_factors.is_empty());
    assert_eq!(unbound.left_out.len(), 1);
    // A past pregnancy is not a current risk factor.
    let over = with(
        history(ICD10, "Z33"),
        "clinicalStatus",
        json!({"coding": [{"code": "resolved"}]}),
    );
    assert!(case(&[fever.clone(), over]).risk_factors.is_empty());
    let refuted = with(
        history(ICD10, "Z33"),
        "verificationStatus",
        json!({"coding": [{"code": "refuted"}]}),
    );
    assert_eq!(
        case(&[fever, refuted]).risk_factors[0].choice,
        Choice::Absent
    );
}

#[test]
fn unread_clinical_resources_are_reported() {
    let others = |kind: &str| json!({"resourceType": kind});
    let case = case(&[
        says("s_fever", "POS"),
        others("Encounter"),
        others("AllergyIntolerance"),
        others("AllergyIntolerance"),
    ]);
    assert_eq!(case.left_out.len(), 1);
    assert!(case.left_out[0].starts_with("2 of AllergyIntolerance"));
}

#[test]
fn the_patient_is_read_with_place_and_coordinates() {
    let address = json!([{
        "text": "lagos",
        "extension": [{"url": crate::systems::GEOLOCATION, "extension": [
            {"url": "latitude", "valueDecimal": 6.45},
            {"url": "longitude", "valueDecimal": 3.39},
        ]}],
    }]);
    let mut body = bundle(&[says("s_fever", "POS")]);
    body["entry"][0]["resource"]["address"] = address;
    body["entry"][0]["resource"]["gender"] = json!("unknown");
    let case = read(&body).unwrap();
    assert_eq!(case.age, Age::from_years(30));
    assert_eq!(case.sex, Sex::Other);
    assert_eq!(case.location.as_deref(), Some("lagos"));
    assert_eq!(case.coordinate.unwrap().latitude, 6.45);
}

#[test]
fn every_problem_is_named_at_once_with_its_place() {
    let body = json!({
        "resourceType": "Bundle", "type": "transaction",
        "entry": [
            {"resource": {"resourceType": "Patient", "gender": "x", "birthDate": "31.7.1996"}},
            {"resource": with(says("s_fevr", "POS"), "status", json!("done"))},
            {"resource": valued("s_fever", "valueString", json!("a lot"))},
            {"resource": valued("s_body_temperature", "valueQuantity", quantity(39.0, "furlong"))},
            {},
        ],
    });
    assert_eq!(
        places(&body),
        [
            "Bundle.type",
            "Bundle.entry[4].resource",
            "Bundle.entry[0].resource.gender",
            "Bundle.entry[0].resource.birthDate",
            "Bundle.entry[1].resource.status",
            "Bundle.entry[1].resource.code",
            "Bundle.entry[2].resource.valueString",
            "Bundle.entry[3].resource.valueQuantity.code",
        ]
    );
}

#[test]
fn an_observation_of_another_patient_is_refused() {
    let of = |reference: &str| {
        let fever = says("s_fever", "POS");
        bundle(&[with(fever, "subject", json!({"reference": reference}))])
    };
    assert!(read(&of("Patient/7")).is_ok());
    assert!(read(&of("https://ehr.example/fhir/Patient/7")).is_ok());
    assert!(read(&of("Patient/7/_history/2")).is_ok());
    for other in ["Patient/8", "Group/7", "https://ehr.example/Practitioner/7"] {
        let place = ["Bundle.entry[1].resource.subject.reference"];
        assert_eq!(places(&of(other)), place, "{other}");
    }
}

#[test]
fn a_non_bundle_is_distinguished_from_a_malformed_bundle() {
    for body in [json!([]), json!(7), patient(), json!({"resourceType": 3})] {
        assert!(matches!(read(&body), Err(Refusal::NotABundle(_))), "{body}");
    }
}

/// Every element of a valid Bundle is replaced with every JSON type: it is read or refused with a
/// location, and never panics.
#[test]
fn wrong_types_never_panic_the_reader() {
    let fever = with(
        with(
            says("s_fever", "POS"),
            "effectiveDateTime",
            json!("2026-11-14"),
        ),
        "component",
        json!([{"code": {"text": "duration"}, "valueQuantity": quantity(3.0, "d")}]),
    );
    let temperature = valued("s_body_temperature", "valueQuantity", quantity(39.0, "Cel"));
    let good = bundle(&[fever, temperature]);
    let mut pointers = Vec::new();
    collect("", &good, &mut pointers);
    assert!(pointers.len() > 40);
    for pointer in pointers {
        for wrong in [
            json!(null),
            json!(3),
            json!("x"),
            json!(""),
            json!([]),
            json!([7]),
            json!({}),
            json!(true),
        ] {
            let mut body = good.clone();
            *body.pointer_mut(&pointer).unwrap() = wrong;
            if let Err(Refusal::Untranslatable(problems)) = read(&body) {
                assert!(!problems.is_empty(), "{pointer}");
                assert!(
                    problems
                        .iter()
                        .all(|problem| problem.expression.starts_with("Bundle"))
                );
            }
        }
    }
}

fn collect(pointer: &str, value: &Value, pointers: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), value))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(n, value)| (n.to_string(), value))
            .collect(),
        _ => Vec::new(),
    };
    for (name, child) in children {
        let path = format!("{pointer}/{name}");
        collect(&path, child, pointers);
        pointers.push(path);
    }
}

#[test]
fn made_up_content_is_kept_out_of_the_case_and_bounded() {
    let made_up = "AminaOkafor0803".repeat(4000);
    let history = |system: &str, code: &str| json!({"resourceType": "Condition", "code": {"coding": [{"system": system, "code": code}]}});
    let mut resources = vec![says("s_fever", "POS")];
    for number in 0..200 {
        resources.push(json!({"resourceType": format!("{made_up}{number}")}));
        resources.push(json!({"resourceType": format!("Amina{number}")}));
        resources.push(history(
            "http://snomed.info/sct",
            &format!("Okafor{number}"),
        ));
        resources.push(history("http://example.org/own", &made_up));
        resources.push(history(ICD10, "Z99.9"));
    }
    let case = case(&resources);
    let said = case.left_out.join("\n");
    for private in ["Amina", "Okafor", "0803", "Z99.9", "example.org"] {
        assert!(!said.contains(private), "{said}");
    }
    assert!(said.len() < 500, "{said}");
    assert!(said.contains("400 of other resources"), "{said}");
    assert!(said.contains("600 Conditions"), "{said}");
}

#[test]
fn modifier_extensions_are_refused_everywhere() {
    let extension = json!([{"url": "http://example.org/not", "valueBoolean": true}]);
    let deep = with(
        says("s_fever", "POS"),
        "component",
        json!([{"code": {"text": "x", "coding": [{"code": "s_cough", "modifierExtension": extension}]}}]),
    );
    let observation = |name: &str, value: &Value| with(says("s_fever", "POS"), name, value.clone());
    let on_entry = |name: &str| {
        let mut body = bundle(&[says("s_fever", "POS")]);
        body["entry"][1][name] = extension.clone();
        body
    };
    let on_bundle = |name: &str| with(bundle(&[says("s_fever", "POS")]), name, json!("http://x"));
    let on_patient = |name: &str| {
        let mut body = bundle(&[says("s_fever", "POS")]);
        body["entry"][0]["resource"][name] = extension.clone();
        body
    };
    let history = json!({
        "resourceType": "Condition", "modifierExtension": extension,
        "code": {"coding": [{"system": ICD10, "code": "E11"}]},
    });
    let resource = "Bundle.entry[1].resource";
    for (body, expression) in [
        (
            bundle(&[observation("modifierExtension", &extension)]),
            format!("{resource}.modifierExtension"),
        ),
        (
            bundle(&[observation("implicitRules", &json!("http://x"))]),
            format!("{resource}.implicitRules"),
        ),
        (
            bundle(&[deep]),
            format!("{resource}.component[0].code.coding[0].modifierExtension"),
        ),
        (
            bundle(&[says("s_fever", "POS"), history]),
            "Bundle.entry[2].resource.modifierExtension".to_owned(),
        ),
        (
            on_entry("modifierExtension"),
            "Bundle.entry[1].modifierExtension".to_owned(),
        ),
        (
            on_bundle("implicitRules"),
            "Bundle.implicitRules".to_owned(),
        ),
        (
            on_patient("modifierExtension"),
            "Bundle.entry[0].resource.modifierExtension".to_owned(),
        ),
    ] {
        let places = places(&body);
        assert!(places.contains(&expression), "{places:?}");
    }
    // A location contains the client's field names, but with limited length.
    let long = "x".repeat(100_000);
    let places = places(&bundle(&[observation(
        &long,
        &json!({"implicitRules": "x"}),
    )]));
    assert!(places.iter().all(|place| place.len() < 200), "too long");
    // Modifiers in resources that are not read do not matter.
    let other = json!({"resourceType": "Encounter", "modifierExtension": extension});
    assert!(case(&[says("s_fever", "POS"), other]).left_out.is_empty());
}
