//! Tests what an assessment requires of a facility, with the real knowledge base and the default
//! register.

// In tests, a panic with the reason is the right response to a missing or wrong value.
#![allow(clippy::unwrap_used)]

use std::sync::LazyLock;

use lafiya_facilities::{Atlas, Need, Register, Types, nearest_facilities};
use lafiya_knowledge::KnowledgeBase;
use lafiya_model::assessment::{ReferralPathway, Specialist};
use lafiya_model::{
    Age, Assessment, Choice, ConceptId, DeidentifiedCase, Evidence, EvidenceSource, FacilityLevel,
    NearestFacility, Sex, Text, TriageLevel,
};

// Built once, because building them takes longer than all the tests.
static BASE: LazyLock<KnowledgeBase> = LazyLock::new(|| lafiya_content::load().unwrap());
static ATLAS: LazyLock<Atlas> = LazyLock::new(|| Atlas::new(&BASE));
static REGISTER: LazyLock<Register> = LazyLock::new(|| Register::embedded(Types::of(&BASE)));

/// Returns an assessment by the engine, with the fields that the need depends on replaced.
fn assessment<'a>(
    base: &'a KnowledgeBase,
    level: TriageLevel,
    specialist: &'a str,
    refer_to: &'a str,
) -> Assessment<'a> {
    let case = DeidentifiedCase {
        age: Age::from_years(30),
        sex: Sex::Female,
        region: None,
        month: None,
        evidence: vec![Evidence {
            id: ConceptId("s_headache".to_owned()),
            choice: Choice::Present,
            source: EvidenceSource::Initial,
            duration_days: None,
            severity: None,
            value: None,
        }],
    };
    let parameters = lafiya_engine::Parameters::default();
    let mut made = lafiya_engine::review(lafiya_engine::assess(base, &case, &parameters), 0);
    made.triage.level = level;
    made.triage.specialist = Some(Specialist {
        id: specialist.into(),
        name: Text::default(),
        reasoning: Text::default(),
        escalate_to: Text::default(),
        escalation_trigger: Text::default(),
    });
    made.referral = ReferralPathway {
        refer_to: refer_to.into(),
        ..ReferralPathway::default()
    };
    made
}

fn services(level: TriageLevel, specialist: &str, refer_to: &str, years: u32) -> Vec<String> {
    let made = assessment(&BASE, level, specialist, refer_to);
    Need::of(&BASE, &made, Age::from_years(years)).services
}

#[test]
fn an_emergency_requires_the_services_of_the_case() {
    let emergency =
        |specialist, refer_to, years| services(TriageLevel::Emergency, specialist, refer_to, years);
    assert_eq!(
        emergency("emergency_medicine", "general or district hospital", 40),
        ["emergency"]
    );
    assert_eq!(
        emergency(
            "obstetrics_gynaecology",
            "hospital with theatre and blood",
            25
        ),
        ["blood", "maternity", "surgery"]
    );
    assert_eq!(
        emergency("general_surgery", "hospital with surgery", 40),
        ["emergency", "surgery"]
    );
    assert_eq!(
        emergency("emergency_medicine", "general or district hospital", 3),
        ["paediatrics"]
    );
    assert_eq!(
        emergency("ophthalmology", "hospital with an eye unit", 60),
        ["eye"]
    );
    assert_eq!(
        emergency("psychiatry", "hospital with a mental health service", 30),
        ["mental_health"]
    );
    assert_eq!(
        emergency("nephrology", "hospital with dialysis", 50),
        ["dialysis", "emergency"]
    );
}

#[test]
fn self_care_needs_pharmacies_and_primary_care() {
    let made = assessment(
        &BASE,
        TriageLevel::SelfCare,
        "pharmacy",
        "general or district hospital",
    );
    let need = Need::of(&BASE, &made, Age::from_years(30));
    assert_eq!(
        need.levels,
        [FacilityLevel::Pharmacy, FacilityLevel::Primary]
    );
    assert!(need.services.is_empty());
}

fn near(
    place: &str,
    level: TriageLevel,
    specialist: &str,
    refer_to: &str,
    years: u32,
) -> Vec<NearestFacility> {
    let place = ATLAS.find(place, Some("NG")).unwrap();
    let made = assessment(&BASE, level, specialist, refer_to);
    let need = Need::of(&BASE, &made, Age::from_years(years));
    nearest_facilities(&REGISTER, &BASE, &place, &need)
}

#[test]
fn an_emergency_in_lagos_goes_to_a_nearby_general_hospital() {
    let found = near(
        "Yaba, Lagos",
        TriageLevel::Emergency,
        "emergency_medicine",
        "general or district hospital",
        40,
    );
    assert_eq!(found.len(), 5);
    assert!(found[0].distance_km < 5.0, "{found:?}");
    assert!(found.is_sorted_by(|a, b| a.distance_km <= b.distance_km));
    assert!(
        found
            .iter()
            .all(|facility| facility.level >= FacilityLevel::Hospital)
    );
    assert!(
        found
            .iter()
            .all(|facility| !facility.kind.contains("Psychiatric")
                && !facility.kind.contains("Orthopaedic")),
        "{found:?}"
    );
    assert!(found.iter().all(|facility| facility.phone.is_none()
        && facility.rating.is_none()
        && facility.open_now.is_none()));
}

#[test]
fn a_mental_health_emergency_may_go_to_a_psychiatric_hospital() {
    let found = near(
        "Yaba, Lagos",
        TriageLevel::Emergency,
        "psychiatry",
        "hospital with a mental health service",
        40,
    );
    assert_eq!(found[0].kind, "Psychiatric hospital", "{found:?}");
}

#[test]
fn a_child_may_go_to_a_childrens_hospital_and_an_adult_may_not() {
    let of = |years| {
        near(
            "Lagos Island",
            TriageLevel::Emergency,
            "emergency_medicine",
            "district hospital",
            years,
        )
    };
    assert!(
        of(3)
            .iter()
            .any(|facility| facility.kind == "Children's hospital")
    );
    assert!(
        of(40)
            .iter()
            .all(|facility| facility.kind != "Children's hospital")
    );
}

fn kinds(
    place: &str,
    level: TriageLevel,
    specialist: &str,
    refer_to: &str,
    years: u32,
) -> Vec<String> {
    let found = near(place, level, specialist, refer_to, years);
    assert!(!found.is_empty(), "{place}, {}", level.as_str());
    found.into_iter().map(|facility| facility.kind).collect()
}

#[test]
fn specialised_hospitals_are_never_shown_for_other_needs() {
    let kinds_of = &BASE.services().facility_type;
    let for_one_thing: Vec<&str> = kinds_of
        .iter()
        .filter(|kind| kind.only_for.is_some())
        .map(|kind| kind.name.as_str())
        .collect();
    assert!(for_one_thing.contains(&"Eye hospital"));
    for place in ["kaduna", "lagos", "Abeokuta", "kano", "Yaba, Lagos"] {
        for level in TriageLevel::ALL {
            for specialist in ["internal_medicine", "general_practice", "general_surgery"] {
                for kind in kinds(place, *level, specialist, "district hospital", 30) {
                    assert!(!for_one_thing.contains(&&*kind), "{place}: {kind}");
                }
            }
        }
    }
}

#[test]
fn specialised_hospitals_are_shown_for_their_specialty() {
    let urgent =
        |place, specialist, years| kinds(place, TriageLevel::Urgent, specialist, "", years);
    for (place, specialist, years, kind) in [
        ("kaduna", "ophthalmology", 30, "Eye hospital"),
        ("kaduna", "ent", 30, "Specialised hospital"),
        ("Yaba, Lagos", "psychiatry", 30, "Psychiatric hospital"),
        ("Yaba, Lagos", "orthopaedics", 30, "Orthopaedic hospital"),
        ("Lagos Island", "general_practice", 3, "Children's hospital"),
        (
            "Lagos Island",
            "obstetrics_gynaecology",
            30,
            "Maternity hospital",
        ),
    ] {
        let found = urgent(place, specialist, years);
        assert!(
            found.iter().any(|offered| offered == kind),
            "{specialist}: {found:?}"
        );
    }
    // The register's entry for this facility counts: a maternity hospital that also treats
    // children.
    let for_a_child = urgent("Sokoto", "general_practice", 3);
    assert!(
        for_a_child
            .iter()
            .any(|offered| offered == "Maternity hospital"),
        "{for_a_child:?}"
    );
    let for_a_man = urgent("Sokoto", "general_practice", 30);
    assert!(
        for_a_man
            .iter()
            .all(|offered| offered != "Maternity hospital"),
        "{for_a_man:?}"
    );
}

#[test]
fn a_country_alone_gives_no_facilities() {
    assert!(
        near(
            "Nigeria",
            TriageLevel::Emergency,
            "emergency_medicine",
            "",
            40
        )
        .is_empty()
    );
}

#[test]
fn default_register_hospitals_have_known_kinds_and_countries() {
    let mut abroad = Vec::new();
    for facility in REGISTER.facilities() {
        assert!(
            REGISTER.types().find(&facility.kind).is_some(),
            "{}",
            facility.name
        );
        if ATLAS.at(facility.position).country != facility.country {
            abroad.push(&facility.name);
        }
    }
    // A border town may be nearer to a village in the neighbouring country.
    assert!(abroad.len() <= 8, "{abroad:?}");
}
