//! One file per endpoint, named after its URL. A handler parses the request, calls one use case and
//! renders the response; it makes no decisions.

pub(crate) mod adverse_events;
pub(crate) mod assess;
pub(crate) mod conditions;
pub(crate) mod danger_signs;
pub(crate) mod education;
pub(crate) mod fhir_assess;
pub(crate) mod fhir_definitions;
pub(crate) mod fhir_metadata;
pub(crate) mod health;
pub(crate) mod keys_rotate;
pub(crate) mod lab_tests;
pub(crate) mod medicines;
pub(crate) mod openapi_document;
pub(crate) mod parse;
pub(crate) mod rationale;
pub(crate) mod risk_factors;
pub(crate) mod search;
pub(crate) mod symptoms;
pub(crate) mod usage;
pub(crate) mod webhook_deliveries;
pub(crate) mod webhooks;
