//! Medicines with their references resolved, and the usual weight for an age.

use lafiya_model::{Age, Sex};

use super::directory::Directory;
use super::index::{BeltIx, ConceptRef, DoseIx, MeasureIx, MedicineIx, RiskIx, SourceIx};
use crate::schema;
use crate::words::{CautionKind, PatientState};

/// A medicine.
#[derive(Clone, Debug)]
pub struct Medicine {
    /// The contents of the file.
    pub text: Box<schema::Medicine>,
    /// The name inside a sentence.
    pub name_inside: String,
    /// The doses, in the order of the file.
    pub doses: Vec<DoseIx>,
    /// The cautions, in the order of the file.
    pub cautions: Vec<Caution>,
    /// The sources of the file.
    pub sources: Vec<SourceIx>,
}

/// A dose of a medicine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dose {
    /// The medicine.
    pub medicine: MedicineIx,
    /// The place in the file's list of doses.
    pub place: usize,
    /// The source.
    pub source: Option<SourceIx>,
}

/// A caution with its references resolved; the text is at the same place in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Caution {
    /// How serious it is.
    pub kind: CautionKind,
    /// Any of these gives the reason.
    pub reasons: Vec<Reason>,
    /// The belt that gives the reason.
    pub belt: Option<BeltIx>,
    /// Whether only who the patient is gives the reason.
    pub is_by_who: bool,
    /// The doses concerned; `None` means all.
    pub doses: Option<Vec<DoseIx>>,
    /// The source.
    pub source: Option<SourceIx>,
}

impl Caution {
    /// Whether it concerns a dose.
    pub fn concerns(&self, dose: DoseIx) -> bool {
        self.doses
            .as_ref()
            .is_none_or(|doses| doses.contains(&dose))
    }
}

/// What gives the reason for a caution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A finding, risk factor, test or condition.
    Concept(ConceptRef),
    /// Another medicine that the patient takes.
    Medicine(MedicineIx),
}

/// The usual weight for an age, and where a measured weight is kept.
#[derive(Clone, Debug, Default)]
pub struct Weights {
    /// The contents of the file.
    pub text: schema::WeightForAge,
    /// The measure of a measured weight.
    pub measure: Option<MeasureIx>,
    /// The source of the medians.
    pub source: Option<SourceIx>,
    /// Concepts with which the median says nothing about the patient.
    pub not_if: Vec<ConceptRef>,
}

impl Weights {
    /// Returns the median weight, in kilograms. Between two ages of the table it is interpolated;
    /// after the last age there is none. For a sex that is not stated, it is the lower of the two.
    pub fn median_kg(&self, age: Age, sex: Sex) -> Option<f64> {
        let table = &self.text.median;
        let of_sex = |row: &schema::MedianWeight| match sex {
            Sex::Male => row.boys,
            Sex::Female => row.girls,
            Sex::Other => row.boys.min(row.girls),
        };
        let days = |row: &schema::MedianWeight| f64::from(Age::from_months(row.months).days());
        let now = f64::from(age.days());
        let after = table.iter().position(|row| days(row) > now)?;
        let before = after.checked_sub(1)?;
        let (low, high) = (&table[before], &table[after]);
        let share = (now - days(low)) / (days(high) - days(low));
        Some(of_sex(low) + share * (of_sex(high) - of_sex(low)))
    }

    /// Returns the usual range of weights at an age, in kilograms.
    pub fn usual_range_kg(&self, age: Age) -> Option<[f64; 2]> {
        let ranges = self.text.range.iter().rev();
        let mut known = ranges.filter(|range| range.from.is_none_or(|from| age >= from));
        known.next().map(|range| range.kg)
    }
}

/// The risk factors that mean a state, for states that no risk factor says by itself.
#[derive(Clone, Debug, Default)]
pub(super) struct StatesByRisks(Vec<(PatientState, Vec<RiskIx>)>);

impl StatesByRisks {
    pub(super) fn of(written: &[schema::StateRisks], directory: &Directory) -> Self {
        let risks = |state: &schema::StateRisks| {
            let ids = state.any.iter();
            ids.filter_map(|id| directory.exact(id)?.risk()).collect()
        };
        Self(
            written
                .iter()
                .map(|medicine| (medicine.id, risks(medicine)))
                .collect(),
        )
    }

    pub(super) fn risks(&self, state: PatientState) -> &[RiskIx] {
        let mut all = self.0.iter();
        all.find(|(id, _)| *id == state)
            .map_or(&[], |(_, risks)| risks)
    }
}

/// Resolves all medicines and numbers their doses.
pub(super) fn build(
    texts: Vec<schema::Medicine>,
    directory: &Directory,
) -> (Vec<Medicine>, Vec<Dose>) {
    let mut doses = Vec::new();
    let medicines = texts.into_iter().enumerate().map(|(n, text)| {
        let first = doses.len();
        for (place, dose) in text.dose.iter().enumerate() {
            doses.push(Dose {
                medicine: MedicineIx::at(n),
                place,
                source: directory.source(&dose.source.id),
            });
        }
        let own: Vec<DoseIx> = (first..doses.len()).map(DoseIx::at).collect();
        let cautions = text.caution.iter();
        Medicine {
            name_inside: text.name_in_sentence(),
            cautions: cautions
                .map(|caution| build_caution(caution, &text, &own, directory))
                .collect(),
            doses: own,
            sources: text
                .sources
                .iter()
                .filter_map(|id| directory.source(id))
                .collect(),
            text: Box::new(text),
        }
    });
    let medicines = medicines.collect();
    (medicines, doses)
}

fn build_caution(
    written: &schema::Caution,
    medicine: &schema::Medicine,
    own: &[DoseIx],
    directory: &Directory,
) -> Caution {
    let reason = |id: &String| match directory.medicine(id) {
        Some(ix) => Some(Reason::Medicine(ix)),
        None => directory.exact(id).map(Reason::Concept),
    };
    let dose = |id: &String| {
        let place = medicine.dose.iter().position(|dose| dose.id == *id)?;
        Some(own[place])
    };
    Caution {
        kind: written.kind,
        reasons: written.if_any.iter().filter_map(reason).collect(),
        belt: written.belt.as_ref().and_then(|id| directory.belt(id)),
        is_by_who: written.if_any.is_empty() && written.belt.is_none(),
        doses: (!written.doses.is_empty()).then(|| written.doses.iter().filter_map(dose).collect()),
        source: directory.source(&written.source.id),
    }
}

/// Resolves the usual weights.
pub(super) fn build_weights(text: schema::WeightForAge, directory: &Directory) -> Weights {
    Weights {
        measure: match directory.exact(&text.measure) {
            Some(ConceptRef::Measure(ix)) => Some(ix),
            _ => None,
        },
        source: text
            .source
            .as_ref()
            .and_then(|source| directory.source(&source.id)),
        not_if: text
            .not_if
            .iter()
            .filter_map(|id| directory.exact(id))
            .collect(),
        text,
    }
}
