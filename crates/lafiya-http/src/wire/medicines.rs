//! The wire types of medicines: as reference data, and with the dose for one patient in an answer.

use lafiya_knowledge::{KnowledgeBase, Medicine, dose_words};
use lafiya_model::Text;
use lafiya_model::assessment::{ComputedDose, MedicineAdvice, MedicineCaution};
use serde::Serialize;
use utoipa::ToSchema;

/// A medicine in a list.
#[derive(Serialize, ToSchema)]
pub(crate) struct MedicineItem<'a> {
    #[schema(example = "m_amoxicillin")]
    id: &'a str,
    name: &'a str,
    /// The class, such as `penicillin`
    category: &'a str,
    /// ATC code; empty if none is given
    atc: &'a str,
    /// Whether it is on the WHO Model List of Essential Medicines
    essential: bool,
}

impl<'a> MedicineItem<'a> {
    pub(crate) fn of(medicine: &'a Medicine) -> Self {
        let text = &medicine.text;
        Self {
            id: &text.id,
            name: &text.name,
            category: &text.class,
            atc: text.atc.as_deref().unwrap_or_default(),
            essential: text.essential,
        }
    }
}

/// One medicine: forms, doses for every group of patients, cautions.
#[derive(Serialize, ToSchema)]
pub(crate) struct MedicineDetail<'a> {
    #[schema(example = "m_amoxicillin")]
    id: &'a str,
    name: &'a str,
    names: &'a [String],
    brands: &'a [String],
    atc: &'a str,
    essential: bool,
    category: &'a str,
    description: &'a str,
    /// What amounts are counted in
    unit: &'static str,
    /// The part that the amounts count; empty if it is the medicine itself
    counted_as: &'a str,
    /// Whether a small overdose harms; its dose is never computed from an assumed weight
    narrow: bool,
    forms: Vec<FormAnswer<'a>>,
    doses: Vec<DoseAnswer<'a>>,
    cautions: Vec<CautionAnswer<'a>>,
    /// What to watch in the patient
    watch: Vec<&'a str>,
    review_status: &'static str,
    /// Titles of the sources
    sources: Vec<String>,
}

/// A form and strength as stocked.
#[derive(Serialize, ToSchema)]
pub(crate) struct FormAnswer<'a> {
    name: &'a str,
    routes: Vec<&'static str>,
    /// The amount in one `per`
    amount: f64,
    per: &'static str,
    /// Into how many parts a tablet can be divided
    split: Option<u8>,
}

/// A dose with its rows in words.
#[derive(Serialize, ToSchema)]
pub(crate) struct DoseAnswer<'a> {
    id: &'a str,
    indication: &'a str,
    routes: Vec<&'static str>,
    /// `community`, `phc`, `district` or `tertiary`
    lowest_level: &'static str,
    rows: Vec<DoseRowAnswer>,
    /// What to do when giving it
    how: &'a str,
    source: String,
    /// `general_knowledge`, or `read` with the place and words of the source
    basis: &'static str,
    place: &'a str,
    quote: &'a str,
}

/// The dose of one group of patients.
#[derive(Serialize, ToSchema)]
pub(crate) struct DoseRowAnswer {
    /// Empty for everybody
    #[schema(example = "2 months to under 12 years")]
    patients: String,
    #[schema(example = "40 to 45 mg/kg (at most 1,000 mg) by mouth twice a day for 5 days")]
    dose: String,
}

/// A reason not to give a medicine, or to give it with care.
#[derive(Serialize, ToSchema)]
pub(crate) struct CautionAnswer<'a> {
    /// `contraindicated` or `careful`
    kind: &'static str,
    says: &'a str,
    instead: &'a str,
    /// Ids of the findings, risk factors, tests, conditions and medicines that give the reason
    if_any: &'a [String],
    /// The doses concerned; empty for all
    doses: &'a [String],
    source: String,
    basis: &'static str,
}

impl<'a> MedicineDetail<'a> {
    pub(crate) fn of(base: &'a KnowledgeBase, medicine: &'a Medicine) -> Self {
        let text = &medicine.text;
        let cited = |id: &String| {
            let source = base.find_source(id).map(|ix| base.source(ix));
            source.map_or(String::new(), |source| {
                format!("{}, {}, {}", source.title, source.publisher, source.year)
            })
        };
        let routes = |routes: &[lafiya_knowledge::words::Route]| {
            routes.iter().map(|route| route.as_str()).collect()
        };
        let form = |form: &'a lafiya_knowledge::schema::MedicineForm| FormAnswer {
            name: &form.name,
            routes: routes(&form.routes),
            amount: form.amount,
            per: form.per.as_str(),
            split: form.split,
        };
        let dose = |dose: &'a lafiya_knowledge::schema::MedicineDose| DoseAnswer {
            id: &dose.id,
            indication: &dose.indication,
            routes: routes(&dose.routes),
            lowest_level: dose.lowest.as_str(),
            rows: dose
                .rows
                .iter()
                .map(|row| {
                    let [patients, dose] = dose_words::row_words(text, dose, row);
                    DoseRowAnswer { patients, dose }
                })
                .collect(),
            how: dose.how.as_deref().unwrap_or_default(),
            source: cited(&dose.source.id),
            basis: dose.source.basis.as_str(),
            place: dose.source.place.as_deref().unwrap_or_default(),
            quote: dose.source.quote.as_deref().unwrap_or_default(),
        };
        let caution = |caution: &'a lafiya_knowledge::schema::Caution| CautionAnswer {
            kind: caution.kind.as_str(),
            says: &caution.says,
            instead: caution.instead.as_deref().unwrap_or_default(),
            if_any: &caution.if_any,
            doses: &caution.doses,
            source: cited(&caution.source.id),
            basis: caution.source.basis.as_str(),
        };
        Self {
            id: &text.id,
            name: &text.name,
            names: &text.names,
            brands: &text.brands,
            atc: text.atc.as_deref().unwrap_or_default(),
            essential: text.essential,
            category: &text.class,
            description: &text.says,
            unit: text.unit.as_str(),
            counted_as: text.counted_as.as_deref().unwrap_or_default(),
            narrow: text.narrow,
            forms: text.form.iter().map(form).collect(),
            doses: text.dose.iter().map(dose).collect(),
            cautions: text.caution.iter().map(caution).collect(),
            watch: text.watch.iter().map(|sign| &**sign).collect(),
            review_status: text
                .review
                .as_ref()
                .map_or("awaiting_clinical_sign_off", |review| {
                    review.status.as_str()
                }),
            sources: text.sources.iter().map(cited).collect(),
        }
    }
}

/// A medicine that the texts of the answer refer to, with its dose for this patient.
#[derive(Serialize, ToSchema)]
pub(crate) struct MedicineAnswer<'a> {
    #[schema(example = "m_amoxicillin")]
    id: &'a str,
    name: &'a str,
    /// The id of the dose within the medicine
    dose_id: &'a str,
    indication: &'a str,
    route: &'a str,
    /// The dose as the texts say it; if it is not to be given, why not
    dose: &'a str,
    /// Whether there is a dose for this patient and no contraindication is known
    is_given: bool,
    /// The amount of one dose for this patient, if it could be computed
    computed: Option<ComputedDoseAnswer<'a>>,
    /// Cautions whose reason is known to be present
    cautions: Vec<MedicineCautionAnswer<'a>>,
    /// Cautions whose reason is not known: ask about them
    ask: Vec<MedicineCautionAnswer<'a>>,
    /// What to watch in the patient
    #[schema(value_type = Vec<String>)]
    watch: &'a [Text<'a>],
    source: &'a str,
    /// `general_knowledge`, or `read` if the source was read for this dose
    basis: &'a str,
}

/// The amount of one dose.
#[derive(Serialize, ToSchema)]
pub(crate) struct ComputedDoseAnswer<'a> {
    unit: &'a str,
    least: f64,
    most: f64,
    /// The least and most for each kilogram; null for a dose that does not depend on the weight
    per_kg: Option<[f64; 2]>,
    weight_kg: Option<f64>,
    /// `measured`, `assumed_from_age`, or empty if no weight was used
    weight_origin: &'a str,
    /// The amount in a stocked form, if one fits
    given: Option<GivenAnswer<'a>>,
    /// How the amount was worked out
    arithmetic: &'a str,
    /// The highest total in 24 hours, if the formulary states one
    in_24_hours_at_most: Option<f64>,
    /// The limit that cut the amount: `highest_single_dose`, `highest_in_24_hours`, or empty
    limited_by: &'a str,
}

/// An amount in a stocked form.
#[derive(Serialize, ToSchema)]
pub(crate) struct GivenAnswer<'a> {
    form: &'a str,
    /// What is counted or measured out, such as `tablet` or `mL`
    per: &'a str,
    least: f64,
    most: f64,
    #[schema(example = "12 mL of suspension 250 mg in 5 mL")]
    words: &'a str,
}

/// A caution for this patient.
#[derive(Serialize, ToSchema)]
pub(crate) struct MedicineCautionAnswer<'a> {
    /// `contraindicated` or `careful`
    kind: &'a str,
    says: &'a str,
    instead: &'a str,
    /// The id of its source
    source: &'a str,
}

impl<'a> From<&'a MedicineAdvice<'_>> for MedicineAnswer<'a> {
    fn from(advice: &'a MedicineAdvice<'_>) -> Self {
        let cautions = |list: &'a [MedicineCaution<'_>]| {
            list.iter()
                .map(|caution| MedicineCautionAnswer {
                    kind: &caution.kind,
                    says: &caution.says,
                    instead: &caution.instead,
                    source: &caution.source,
                })
                .collect()
        };
        Self {
            id: &advice.id,
            name: &advice.name,
            dose_id: &advice.dose_id,
            indication: &advice.indication,
            route: &advice.route,
            dose: &advice.dose,
            is_given: advice.is_given,
            computed: advice.computed.as_ref().map(ComputedDoseAnswer::from),
            cautions: cautions(&advice.cautions),
            ask: cautions(&advice.ask),
            watch: &advice.watch,
            source: &advice.source,
            basis: &advice.basis,
        }
    }
}

impl<'a> From<&'a ComputedDose<'_>> for ComputedDoseAnswer<'a> {
    fn from(computed: &'a ComputedDose<'_>) -> Self {
        Self {
            unit: &computed.unit,
            least: computed.least,
            most: computed.most,
            per_kg: computed.per_kg,
            weight_kg: computed.weight_kg,
            weight_origin: &computed.weight_origin,
            given: computed.given.as_ref().map(|given| GivenAnswer {
                form: &given.form,
                per: &given.per,
                least: given.least,
                most: given.most,
                words: &given.words,
            }),
            arithmetic: &computed.arithmetic,
            in_24_hours_at_most: computed.in_24_hours_at_most,
            limited_by: &computed.limited_by,
        }
    }
}
