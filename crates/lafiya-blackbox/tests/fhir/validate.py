"""FHIR as foreign software sees it.

usage: validate.py BASE_URL API_KEY

fhirpy and fhirclient talk to the service; fhir.resources (R4B) and the models of fhirclient (R4)
validate everything it answers. Nothing here knows more than the documents say.
"""

import json
import sys

import requests
from fhir.resources.R4B import get_fhir_model_class
from fhirclient.client import FHIRClient
from fhirclient.models import fhirelementfactory
from fhirpy import SyncFHIRClient
from fhirpy.base.exceptions import OperationOutcome

BASE, KEY = sys.argv[1], sys.argv[2]
FHIR = BASE + "/v1/fhir"
FHIR_JSON = "application/fhir+json"
CONCEPT = BASE + "/fhir/CodeSystem/concept"
INTERPRETATION = "http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation"
UCUM = "http://unitsofmeasure.org"
checked = 0


def validate(resource):
    """Both sets of models must take the resource."""
    global checked
    kind = resource["resourceType"]
    get_fhir_model_class(kind).model_validate(resource)
    # fhirclient knows no searchset of definitions in a strict mood, but every resource by itself.
    fhirelementfactory.FHIRElementFactory.instantiate(kind, resource)
    checked += 1


def observation(code, choice="POS", **more):
    return {
        "resourceType": "Observation",
        "status": "final",
        "code": {"coding": [{"system": CONCEPT, "code": code}]},
        "interpretation": [{"coding": [{"system": INTERPRETATION, "code": choice}]}],
        **more,
    }


def bundle(gender, born, *resources):
    patient = {"resourceType": "Patient", "gender": gender, "birthDate": born, "address": [{"text": "lagos"}]}
    entries = [{"resource": resource} for resource in (patient, *resources)]
    return {"resourceType": "Bundle", "type": "collection", "entry": entries}


temperature = {
    "resourceType": "Observation",
    "status": "final",
    "code": {"coding": [{"system": "http://loinc.org", "code": "8310-5"}]},
    "valueQuantity": {"value": 103.1, "unit": "F", "system": UCUM, "code": "[degF]"},
}
history = {
    "resourceType": "Condition",
    "subject": {"display": "the patient"},
    "code": {"coding": [{"system": "http://hl7.org/fhir/sid/icd-10", "code": "E11.9"}]},
}
CASES = [
    bundle("female", "1996-07-31", observation("s_fever"), observation("s_headache"), observation("s_cough", "NEG")),
    bundle("male", "1950", observation("s_chest_pain"), observation("s_breathlessness"), history),
    bundle("female", "2024-05", observation("s_diarrhoea"), observation("s_vomiting"), temperature),
    bundle("unknown", "1990", observation("s_unconscious"), observation("s_convulsion")),
    bundle("male", "2001-01-01", observation("s_sneezing"), observation("s_runny_nose")),
    bundle("female", "1998", observation("s_lower_abdominal_pain"), observation("p_pregnancy")),
    bundle("female", "1985", observation("s_cough", component=[
        {"code": {"text": "Duration"}, "valueQuantity": {"value": 4, "system": UCUM, "code": "wk"}},
    ]), observation("s_weight_loss"), {"resourceType": "AllergyIntolerance", "patient": {"display": "x"}}),
]
MALFORMED = [
    {"resourceType": "Bundle"},
    {"resourceType": "Bundle", "type": "transaction", "entry": []},
    bundle("woman", "1996", observation("s_fevr")),
    {"resourceType": "Patient"},
]

for case in CASES:
    validate(case)

# fhirpy reads the statement and assesses.
client = SyncFHIRClient(FHIR, authorization="Bearer " + KEY)
statement = client.execute("metadata", method="get")
assert statement["fhirVersion"] == "4.0.1", statement
for case in CASES:
    answer = client.execute("assess", method="post", data=case)
    answer = json.loads(json.dumps(answer))
    validate(answer)
    for entry in answer["entry"]:
        validate(entry["resource"])
try:
    client.execute("$assess", method="post", data=MALFORMED[2])
    raise SystemExit("a malformed Bundle was assessed")
except OperationOutcome as refused:
    assert len(refused.resource["issue"]) >= 2, refused

# fhirclient reads the statement with its own strict R4 models.
smart = FHIRClient(settings={"app_id": "validator", "api_base": FHIR})
smart.server.get_capability()
assert smart.server.capabilityStatement.fhirVersion == "4.0.1"

# Everything else that is answered, errors included.
session = requests.Session()
session.headers.update({"Accept": FHIR_JSON, "Content-Type": FHIR_JSON})
for body in MALFORMED:
    refused = session.post(FHIR + "/assess", data=json.dumps(body), headers={"Authorization": "Bearer " + KEY})
    assert refused.status_code in (400, 422), refused.text
    validate(refused.json())
validate(session.post(FHIR + "/assess", data="{}").json())
validate(session.get(FHIR + "/Patient/1").json())
validate(session.get(FHIR + "/metadata").json())
for kind in ("CodeSystem", "ValueSet", "StructureDefinition", "OperationDefinition"):
    listed = session.get(f"{BASE}/fhir/{kind}").json()
    get_fhir_model_class("Bundle").model_validate(listed)
    assert listed["total"] >= 1
    for entry in listed["entry"]:
        validate(entry["resource"])
validate(session.get(CONCEPT).json())

print(f"{checked} resources, all valid")
