//! Tests `POST /fhir/assess`, `GET /fhir/metadata` and the definitions: the same assessment as FHIR
//! resources.

use lafiya_blackbox::{Client, shared};
use serde_json::{Value, json};

use crate::assess::thought;
use crate::fhir_requests::{
    FHIR_ASSESS, FHIR_JSON, as_bundle, bundle, extension, fhir_assessed, interpreted, observation,
    positive, post_fhir, resources,
};
use crate::headers::check_standard_headers;
use crate::requests::{
    absent, assessed, case, clinic, fever, item, measured, new_uuid, patient, pilot, present, with,
};
use crate::shape::column;

/// Returns ids and probabilities of the candidates, as `thought` does for `/assess`.
fn thought_in_fhir(answer: &Value) -> Vec<(String, String)> {
    resources(answer, "Condition")
        .iter()
        .map(|resource| {
            let probability = &extension(resource, "condition-probability")["valueDecimal"];
            (
                resource["code"]["coding"][0]["code"].to_string(),
                probability.to_string(),
            )
        })
        .collect()
}

fn level(answer: &Value) -> &Value {
    let report = resources(answer, "DiagnosticReport")[0];
    &extension(report, "triage-level")["valueCodeableConcept"]["coding"][0]["code"]
}

#[track_caller]
fn check_round_trip(client: &Client, body: &Value) {
    let (plain, fhir) = (
        assessed(client, body),
        fhir_assessed(client, &as_bundle(body)),
    );
    assert_eq!(thought_in_fhir(&fhir), thought(&plain), "{body}");
    assert_eq!(level(&fhir), &plain["triage"]["level"], "{body}");
    let report = resources(&fhir, "DiagnosticReport")[0];
    assert_eq!(
        extension(report, "assessment-confidence")["valueDecimal"],
        plain["metadata"]["confidence"]
    );
    let issues = resources(&fhir, "DetectedIssue");
    let flags = issues
        .iter()
        .filter(|issue| issue["code"]["coding"][0]["code"] == "red-flag");
    let names: Vec<&str> = flags
        .filter_map(|flag| flag["code"]["text"].as_str())
        .collect();
    assert_eq!(names, column(&plain["red_flags_structured"], "name"));
}

#[test]
fn an_assess_body_as_a_bundle_gives_the_same_answer() {
    let client = clinic();
    let severe = with(present("s_headache"), "/severity", json!("severe"));
    let long = with(present("s_cough"), "/duration_days", json!(21));
    for body in [
        fever(),
        case(&[severe, present("s_fever"), absent("s_neck_stiffness")]),
        case(&[long, present("s_weight_loss"), present("s_night_sweats")]),
        case(&[
            measured("s_body_temperature", "39.5"),
            item("s_cough", "unknown"),
        ]),
        case(&[measured("s_oxygen_saturation", "80")]),
        case(&[
            present("s_fever"),
            item("lt_malaria_rapid_diagnostic_test", "present"),
        ]),
        with(fever(), "/risk_factors", json!(["p_pregnancy"])),
        with(fever(), "/patient/location", json!("kano")),
        patient(0, "male", &[present("s_fever")]),
        patient(3, "male", &[present("s_diarrhoea"), present("s_vomiting")]),
        with(
            patient(2, "other", &[present("s_cough")]),
            "/patient/age_months",
            json!(30),
        ),
        patient(120, "male", &[present("s_chest_pain")]),
    ] {
        check_round_trip(&client, &body);
    }
}

/// Thirty cases drawn from the service's list of symptoms, the same in every run.
#[test]
fn cases_drawn_from_the_list_of_symptoms_give_the_same_answer() {
    let client = clinic();
    let listed = client
        .get("/v1/symptoms?limit=50&offset=100")
        .expect(200)
        .json();
    let ids = column(&listed, "id");
    let mut state: u64 = 7;
    let mut draw = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % below
    };
    for _ in 0..30 {
        let mut evidence = vec![present("s_fever")];
        for _ in 0..=draw(5) {
            let id = ids[draw(ids.len())];
            let choice = ["present", "absent", "unknown"][draw(3)];
            if evidence.iter().all(|item| item["id"] != id) {
                let days = with(item(id, choice), "/duration_days", json!(draw(40)));
                evidence.push(days);
            }
        }
        let sex = ["male", "female", "other"][draw(3)];
        check_round_trip(&client, &patient(draw(100) as u32, sex, &evidence));
    }
}

#[test]
fn the_answer_is_a_bundle_in_which_every_reference_resolves() {
    let evidence = [
        positive("s_fever"),
        positive("s_neck_stiffness"),
        positive("s_headache"),
    ];
    let answer = fhir_assessed(&clinic(), &bundle(&evidence));
    assert_eq!(answer["type"], "collection");
    let urls = column(&answer["entry"], "fullUrl");
    let text = answer.to_string();
    for rest in text.split("\"reference\":\"").skip(1) {
        let reference = rest.split('"').next().unwrap_or_default();
        assert!(urls.contains(&reference), "{reference} leads nowhere");
    }
    for kind in [
        "DiagnosticReport",
        "Patient",
        "Condition",
        "Observation",
        "DetectedIssue",
        "RiskAssessment",
        "ServiceRequest",
        "CarePlan",
        "Provenance",
    ] {
        assert!(!resources(&answer, kind).is_empty(), "no {kind}");
    }
    assert_eq!(level(&answer), "emergency");
    let condition = resources(&answer, "Condition")[0];
    let systems = column(&condition["code"]["coding"], "system");
    assert!(systems[0].ends_with("/fhir/CodeSystem/concept"));
    assert_eq!(systems[1], "http://hl7.org/fhir/sid/icd-10");
    assert_eq!(
        condition["severity"]["coding"][0]["system"],
        "http://snomed.info/sct"
    );
}

#[test]
fn standard_codes_and_units_are_understood() {
    let client = clinic();
    let coded = |system: &str, code: &str| {
        with(
            positive("x"),
            "/code",
            json!({"coding": [{"system": system, "code": code}]}),
        )
    };
    let same = |one: Value, other: Value| {
        let (one, other) = (
            fhir_assessed(&client, &bundle(&[positive("s_headache"), one])),
            fhir_assessed(&client, &bundle(&[positive("s_headache"), other])),
        );
        assert_eq!(thought_in_fhir(&one), thought_in_fhir(&other));
        assert_eq!(level(&one), level(&other));
    };
    same(
        coded("http://snomed.info/sct", "386661006"),
        positive("s_fever"),
    );
    let quantity = |code: &str, value: f64, unit: &str| {
        let loinc = json!({"coding": [{"system": "http://loinc.org", "code": code}]});
        let measured = with(observation("x"), "/code", loinc);
        let quantity = json!({"value": value, "system": "http://unitsofmeasure.org", "code": unit});
        with(measured, "/valueQuantity", quantity)
    };
    same(
        quantity("8310-5", 103.1, "[degF]"),
        quantity("8310-5", 39.5, "Cel"),
    );
    same(
        quantity("8480-6", 24.0, "kPa"),
        quantity("8480-6", 180.01, "mm[Hg]"),
    );
    let history = json!({
        "resourceType": "Condition",
        "code": {"coding": [{"system": "http://hl7.org/fhir/sid/icd-10", "code": "E11.9"}]},
    });
    same(history, positive("p_diabetes_mellitus_known"));
}

#[test]
fn a_blood_pressure_panel_is_read_by_its_components() {
    let half = |code: &str, value: f64| {
        json!({
            "code": {"coding": [{"system": "http://loinc.org", "code": code}]},
            "valueQuantity": {"value": value, "code": "mm[Hg]"},
        })
    };
    let panel = with(
        with(
            observation("x"),
            "/code",
            json!({"coding": [{"system": "http://loinc.org", "code": "85354-9"}]}),
        ),
        "/component",
        json!([half("8480-6", 190.0), half("8462-4", 125.0)]),
    );
    let answer = fhir_assessed(&clinic(), &bundle(&[positive("s_headache"), panel]));
    let plain = case(&[
        present("s_headache"),
        measured("s_blood_pressure", "190/125"),
    ]);
    assert_eq!(
        thought_in_fhir(&answer),
        thought(&assessed(&clinic(), &plain))
    );
}

#[test]
fn the_first_of_two_differing_observations_counts() {
    let temperature = |value: f64| {
        with(
            observation("s_body_temperature"),
            "/valueQuantity",
            json!({"value": value}),
        )
    };
    let answer = fhir_assessed(
        &clinic(),
        &bundle(&[positive("s_cough"), temperature(41.2), temperature(37.0)]),
    );
    assert_eq!(level(&answer), "emergency");
    let said = answer.to_string();
    assert!(said.contains("was sent more than once"), "{said}");
}

#[test]
fn a_patient_with_many_extra_fields_is_accepted() {
    let patient = json!({
        "resourceType": "Patient",
        "id": "b58731cc-2d8b-4c2d-b327-4cab771af3ef",
        "meta": {"profile": ["http://hl7.org/fhir/us/core/StructureDefinition/us-core-patient"]},
        "text": {"status": "generated", "div": "<div xmlns=\"http://www.w3.org/1999/xhtml\">Generated by Synthea</div>"},
        "extension": [
            {"url": "http://hl7.org/fhir/us/core/StructureDefinition/us-core-race", "extension": [{"url": "text", "valueString": "Black"}]},
            {"url": "http://synthetichealth.github.io/synthea/disability-adjusted-life-years", "valueDecimal": 0.2},
        ],
        "identifier": [{"system": "https://github.com/synthetichealth/synthea", "value": "x"}],
        "name": [{"use": "official", "family": "Okafor", "given": ["Ada"], "prefix": ["Ms."]}],
        "telecom": [{"system": "phone", "value": "555-0100", "use": "home"}],
        "gender": "female", "_gender": {"extension": []},
        "birthDate": "1996",
        "deceasedBoolean": false,
        "address": [{
            "extension": [{"url": "http://hl7.org/fhir/StructureDefinition/geolocation", "extension": [
                {"url": "latitude", "valueDecimal": 6.4541}, {"url": "longitude", "valueDecimal": 3.3947},
            ]}],
            "line": ["12 Allen Avenue"], "city": "Ikeja", "state": "Lagos", "postalCode": "101233", "country": "NG",
        }],
        "maritalStatus": {"text": "M"}, "multipleBirthBoolean": false,
        "communication": [{"language": {"text": "English"}}],
    });
    let mut body = bundle(&[
        positive("s_fever"),
        json!({"resourceType": "Encounter", "status": "finished"}),
    ]);
    body["entry"][0] = json!({"fullUrl": "urn:uuid:b58731cc-2d8b-4c2d-b327-4cab771af3ef", "resource": patient, "request": {"method": "POST", "url": "Patient"}});
    body["entry"][1]["resource"]["subject"] =
        json!({"reference": "urn:uuid:b58731cc-2d8b-4c2d-b327-4cab771af3ef"});
    let answer = fhir_assessed(&clinic(), &body);
    assert!(
        !answer.to_string().contains("Okafor"),
        "the person comes back"
    );
    let left_out = "Some of what was sent was not used.";
    assert!(!answer.to_string().contains(left_out), "{answer}");
}

#[test]
fn interviews_idempotency_and_billing_work_as_in_assess() {
    let server = shared();
    let client = pilot(&server, "fhir billing", 2);
    let interview = new_uuid();
    let first = client.with_header("X-Interview-Id", &interview);
    let answer = post_fhir(&first, &bundle(&[positive("s_fever")])).expect(200);
    assert_eq!(answer.required_header("x-interview-id"), interview);
    check_standard_headers(&answer);
    // The second turn is free, in either format.
    let turn = with(
        case(&[present("s_cough")]),
        "/interview_id",
        json!(interview),
    );
    assert_eq!(assessed(&client, &turn)["interview_id"], json!(interview));
    let keyed = client.with_header("Idempotency-Key", "fhir once");
    let body = bundle(&[positive("s_headache")]);
    let once = post_fhir(&keyed, &body).expect(200);
    let again = post_fhir(&keyed, &body).expect(200);
    assert_eq!(again.required_header("idempotent-replayed"), "true");
    assert_eq!(again.json(), once.json(), "a replay is the record again");
    let other = post_fhir(&keyed, &bundle(&[positive("s_cough")])).expect(409);
    assert_eq!(other.json()["issue"][0]["code"], "conflict");
    // Two were billed, so the quota is used up.
    let refused = post_fhir(&client, &body).expect(403);
    assert_eq!(code_of(&refused.json()), "QUOTA_EXCEEDED");
    // The rationale of an assessment made through FHIR is available.
    let id = once.json()["identifier"]["value"].clone();
    client
        .post("/v1/rationale", &json!({"assessment_id": id}))
        .expect(200);
}

fn code_of(outcome: &Value) -> &str {
    assert_eq!(outcome["resourceType"], "OperationOutcome", "{outcome}");
    outcome["issue"][0]["details"]["coding"][0]["code"]
        .as_str()
        .unwrap_or_default()
}

#[test]
fn the_sandbox_returns_mock_data_and_simulated_errors() {
    let client = shared().sandbox();
    let answer = fhir_assessed(&client, &bundle(&[positive("s_fever")]));
    let tag = &answer["meta"]["tag"][0]["code"];
    assert_eq!(tag, "HTEST");
    let mut body = bundle(&[positive("s_fever")]);
    body["entry"][0]["resource"]["address"] = json!([{"text": "sandbox:timeout"}]);
    let refused = post_fhir(&client, &body).expect(504);
    assert_eq!(code_of(&refused.json()), "GATEWAY_TIMEOUT");
}

#[test]
fn insufficient_data_is_reported_as_in_assess() {
    let client = clinic();
    let answer = post_fhir(&client, &bundle(&[interpreted("s_fever", "NEG")])).expect(400);
    assert_eq!(code_of(&answer.json()), "INSUFFICIENT_DATA");
    let bad = client.with_header("X-Interview-Id", "7");
    let answer = post_fhir(&bad, &bundle(&[positive("s_fever")])).expect(400);
    assert_eq!(
        answer.json()["issue"][0]["expression"][0],
        "http.X-Interview-Id"
    );
}

#[test]
fn fhir_clients_get_operation_outcomes_and_others_envelopes() {
    let server = shared();
    let ask = |headers: &[(&str, &str)], client: &Client, body: &str| {
        let mut request = client.request("POST", FHIR_ASSESS).body(body);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        request.send()
    };
    let fhir = [("Content-Type", FHIR_JSON), ("Accept", FHIR_JSON)];
    let plain = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json"),
    ];
    // 401, with and without FHIR.
    let answer = ask(&fhir, &server.client(), "{}").expect(401);
    assert_eq!(code_of(&answer.json()), "INVALID_API_KEY");
    assert_eq!(answer.json()["issue"][0]["code"], "login");
    check_standard_headers(&answer);
    ask(&plain, &server.client(), "{}").expect_error(401, "INVALID_API_KEY");
    // 400: not JSON, or not a Bundle.
    let client = clinic();
    for body in [
        "{",
        "[]",
        "{\"resourceType\": \"Patient\"}",
        "{\"a\": 1, \"a\": 2}",
    ] {
        let answer = ask(&fhir, &client, body).expect(400);
        assert_eq!(code_of(&answer.json()), "INVALID_REQUEST", "{body}");
        ask(&plain, &client, body).expect_error(400, "INVALID_REQUEST");
    }
    // A 422 is always an OperationOutcome.
    let bad = bundle(&[]).to_string();
    for headers in [fhir, plain] {
        let answer = ask(&headers, &client, &bad).expect(422);
        assert_eq!(answer.required_header("content-type"), FHIR_JSON);
        assert_eq!(answer.json()["resourceType"], "OperationOutcome");
    }
    // XML is neither accepted nor returned.
    let xml = [("Content-Type", "application/fhir+xml"), ("Accept", "*/*")];
    assert_eq!(
        code_of(&ask(&xml, &client, "<Bundle/>").expect(415).json()),
        "UNSUPPORTED_MEDIA_TYPE"
    );
    let xml = [
        ("Content-Type", FHIR_JSON),
        ("Accept", "application/fhir+xml"),
    ];
    assert_eq!(
        code_of(&ask(&xml, &client, &bad).expect(406).json()),
        "NOT_ACCEPTABLE"
    );
    // Unknown paths under /fhir.
    let lost = server
        .client()
        .request("GET", "/v1/fhir/Patient/1")
        .header("Accept", FHIR_JSON)
        .send();
    assert_eq!(code_of(&lost.expect(404).json()), "RESOURCE_NOT_FOUND");
    let wrong = server
        .client()
        .request("GET", FHIR_ASSESS)
        .header("Accept", FHIR_JSON)
        .send();
    assert_eq!(code_of(&wrong.expect(405).json()), "METHOD_NOT_ALLOWED");
}

#[test]
fn the_body_may_be_one_mebibyte() {
    let padded = |bytes: usize| {
        let mut body = bundle(&[positive("s_fever")]).to_string();
        body.push_str(&" ".repeat(bytes - body.len()));
        clinic()
            .request("POST", FHIR_ASSESS)
            .header("Content-Type", FHIR_JSON)
            .header("Accept", FHIR_JSON)
            .body(body)
            .send()
    };
    padded(1024 * 1024).expect(200);
    let answer = padded(1024 * 1024 + 1).expect(413);
    assert_eq!(code_of(&answer.json()), "PAYLOAD_TOO_LARGE");
}

#[test]
fn plain_json_format_and_pretty_are_honoured() {
    let client = clinic();
    let body = bundle(&[positive("s_fever")]);
    let plain = client
        .with_header("Accept", "application/json")
        .post(FHIR_ASSESS, &body);
    assert_eq!(
        plain.expect(200).required_header("content-type"),
        "application/json"
    );
    let public = shared().client();
    let pretty = public
        .get("/v1/fhir/metadata?_format=json&_pretty=true")
        .expect(200);
    assert_eq!(pretty.required_header("content-type"), FHIR_JSON);
    assert!(pretty.text().contains("\n  \"status\""));
    assert!(
        !public
            .get("/v1/fhir/metadata")
            .expect(200)
            .text()
            .contains('\n')
    );
    let xml = public.get("/v1/fhir/metadata?_format=xml").expect(406);
    assert_eq!(code_of(&xml.json()), "NOT_ACCEPTABLE");
}

#[test]
fn the_capability_statement_is_public_complete_and_cached() {
    let client = shared().client();
    let answer = client.get("/v1/fhir/metadata").expect(200);
    check_standard_headers(&answer);
    let statement = answer.json();
    assert_eq!(statement["resourceType"], "CapabilityStatement");
    assert_eq!(statement["status"], "active");
    assert_eq!(statement["kind"], "instance");
    assert_eq!(statement["fhirVersion"], "4.0.1");
    assert_eq!(statement["format"][0], "json");
    let rest = &statement["rest"][0];
    assert_eq!(rest["mode"], "server");
    let types = column(&rest["resource"], "type");
    for kind in [
        "Bundle",
        "Patient",
        "Observation",
        "Condition",
        "DiagnosticReport",
    ] {
        assert!(types.contains(&kind), "{kind} is not listed");
    }
    let tag = answer.required_header("etag").to_owned();
    let again = client
        .with_header("If-None-Match", &tag)
        .get("/v1/fhir/metadata");
    again.expect(304);
}

#[test]
fn every_own_url_in_an_answer_resolves() {
    let server = shared();
    let base = format!("http://{}", server.address);
    let evidence = [
        positive("s_fever"),
        positive("s_neck_stiffness"),
        interpreted("s_cough", "NEG"),
    ];
    let texts = [
        fhir_assessed(&clinic(), &bundle(&evidence)).to_string(),
        post_fhir(&clinic(), &bundle(&[])).text(),
        server.client().get("/v1/fhir/metadata").text(),
    ];
    let mut paths: Vec<&str> = texts
        .iter()
        .flat_map(|text| text.split(base.as_str()).skip(1))
        .filter_map(|rest| rest.split(['"', ' ', ';']).next())
        .filter(|path| path.starts_with("/fhir/") && !path.starts_with("/fhir/identifier/"))
        .collect();
    paths.sort_unstable();
    paths.dedup();
    assert!(paths.len() >= 12, "{paths:?}");
    for path in paths {
        for path in [path.to_owned(), format!("/v1{path}")] {
            let definition = server.client().get(&path).expect(200);
            assert_eq!(definition.required_header("content-type"), FHIR_JSON);
            check_standard_headers(&definition);
            assert!(
                definition.json()["url"]
                    .as_str()
                    .is_some_and(|url| path.ends_with(url.trim_start_matches(base.as_str())))
            );
        }
    }
    let found = server
        .client()
        .get(&format!("/fhir/ValueSet?url={base}/fhir/ValueSet/evidence"));
    assert_eq!(found.expect(200).json()["total"], 1);
}
