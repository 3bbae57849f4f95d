//! The wire types of `/danger-signs`.

use lafiya_knowledge::{FindingIx, KnowledgeBase};
use lafiya_model::{Age, Sex};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use super::assess_request::{AGE_DAYS_MAX, AGE_MONTHS_MAX, AGE_YEARS_MAX, read_age};
use super::query::Params;
use crate::error::ApiError;

/// The patient that the danger signs are requested for.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(dead_code, reason = "documents what `read` reads")]
pub(crate) struct DangerSignParams {
    /// Completed years; 0 without months or days returns all signs of the first year
    #[param(minimum = 0, maximum = 120)]
    age: u32,
    /// For children under five: completed months
    #[param(minimum = 0, maximum = 59)]
    age_months: Option<u32>,
    /// For newborns: completed days
    #[param(minimum = 0, maximum = 60)]
    age_days: Option<u32>,
    /// `male`, `female` or `other`
    sex: String,
}

/// Reads the possible ages and the sex.
pub(crate) fn read(mut params: Params) -> Result<(Vec<Age>, Sex), ApiError> {
    let mut number = |name: &str, most: i64| {
        let number = params.number(name, 0..=most.unsigned_abs());
        number.and_then(|number| u32::try_from(number).ok())
    };
    let years = number("age", AGE_YEARS_MAX);
    let months = number("age_months", AGE_MONTHS_MAX);
    let days = number("age_days", AGE_DAYS_MAX);
    let sex: Option<Sex> = params.word("sex");
    for (name, missing) in [("/age", years.is_none()), ("/sex", sex.is_none())] {
        if missing {
            params.problems.require(name);
        }
    }
    let age = years.and_then(|year| read_age("", (year, months, days), &mut params.problems));
    // "0 years" without months or days may also be a newborn.
    let finer = months.or(days).is_some();
    let newborn = (years == Some(0) && !finer).then(|| Age::from_days(0));
    let ages = age.map(|age| newborn.into_iter().chain([age]).collect());
    params.problems.into_result(|| Some((ages?, sex?)))
}

/// A danger sign to ask about.
#[derive(Serialize, ToSchema)]
pub(crate) struct DangerSignItem<'a> {
    /// The id to send as evidence if the sign is present
    #[schema(example = "s_convulsion")]
    id: &'a str,
    name: &'a str,
    common_name: &'a str,
    /// To the patient
    question: &'a str,
    /// To the person who brings the patient
    caregiver_question: &'a str,
    /// `serious`, `emergency` or `emergency_ambulance`
    seriousness: &'static str,
}

impl<'a> DangerSignItem<'a> {
    pub(crate) fn of(base: &'a KnowledgeBase, ix: FindingIx) -> Self {
        let text = &base.finding(ix).text;
        Self {
            id: &text.id,
            name: &text.name,
            common_name: &text.common_name,
            question: &text.question,
            caregiver_question: &text.caregiver_question,
            seriousness: text.red_flag.as_str(),
        }
    }
}
