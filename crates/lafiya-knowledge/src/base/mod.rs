//! The knowledge base: immutable and indexed.
//!
//! Every reference is resolved once, when it is built, so that the engine works with dense indices
//! and never with names. It does not validate the content (`checks` does) and does not reason.

mod build;
mod concepts;
mod course;
mod directory;
mod durations;
pub(crate) mod example;
mod index;
mod interview;
mod likelihood;
mod measure;
mod medicine;
mod phrase_table;
pub(crate) mod place;
mod priors;
pub(crate) mod reference;
mod score;
mod watch;
mod when;

use std::collections::HashMap;
use std::sync::Arc;

use lafiya_model::{Age, AgeBand, Phrase, Sex, Timeframe, TriageLevel};

pub use concepts::{
    Condition, Finding, FindingLink, Higher, InvestigationLink, LabEffect, LabLink, LabTest,
    Narrower, Pair, RiskFactor, RiskLink, Rule,
};
pub use course::Course;
pub(crate) use directory::Directory;
pub use example::PlainFacts;
pub use index::{
    BeltIx, ConceptRef, ConditionIx, DoseIx, FindingIx, LabIx, MeasureIx, MedicineIx, RiskIx,
    RuleIx, ScoreIx, SourceIx,
};
pub use interview::{Asking, Exposure, Gate, Interview, Scale, Screen};
pub use likelihood::{
    Answer, Group, Likelihood, PROBABILITY_MAX, Showing, Shown, bounded, entropy,
};
pub use measure::{Derived, Measure, NotANumber, Person, Quantity, normal_unit, split_number};
pub use medicine::{Caution, Dose, Medicine, Reason, Weights};
pub use phrase_table::PhraseTable;
pub use place::{Place, Times};
pub use priors::{Multiplier, Priors};
pub use reference::{Segment, capitalise, words as segment_words};
pub use score::{Score, ScoreResult};
pub use when::{Facts, When};

use crate::schema::{
    Belt, Education, LayTerm, LevelText, MedicineDose, PopulationShare, Services, Source,
    Specialist, TimeframeText, TriageTexts, Version,
};
use crate::words::{AgeSpan, PatientState, SexLimit, State};

/// The complete medical knowledge of the service.
#[derive(Clone, Debug)]
pub struct KnowledgeBase {
    content_hash: String,
    version: Version,
    conditions: Vec<Condition>,
    findings: Vec<Finding>,
    measures: Vec<Measure>,
    labs: Vec<LabTest>,
    risks: Vec<RiskFactor>,
    rules: Vec<Rule>,
    rules_watch: watch::Watch,
    usual_levels: Vec<(TriageLevel, Timeframe)>,
    higher: watch::HigherLevels,
    courses: course::Courses,
    priors: Priors,
    state_risks: Vec<RiskIx>,
    age_risks: Vec<RiskIx>,
    scores: Vec<Score>,
    medicines: Vec<Medicine>,
    doses: Vec<Dose>,
    weights: Weights,
    states_by_risks: medicine::StatesByRisks,
    templates: reference::Templates,
    /// The texts for patients in which references were rendered, as in their files.
    education_as_written: HashMap<ConditionIx, Education>,
    pairs: Vec<Pair>,
    interview: Interview,
    places_in_pairs: Vec<u16>,
    likelihood: Likelihood,
    directory: Directory,
    sources: Vec<Source>,
    citations: Vec<Phrase>,
    phrase_table: Arc<PhraseTable>,
    specialists: Vec<Specialist>,
    services: Services,
    triage: TriageTexts,
    belts: Vec<Belt>,
    places: place::Places,
    population: Vec<PopulationShare>,
    lay_terms: Vec<LayTerm>,
}

macro_rules! lists {
    ($($(#[$doc:meta])* $all:ident, $one:ident: $ix:ident -> $item:ty;)+) => {
        $(
            $(#[$doc])*
            /// Returns all, in the order of their indices.
            #[inline]
            pub fn $all(&self) -> &[$item] {
                &self.$all
            }

            $(#[$doc])*
            /// Returns one by its index.
            #[inline]
            pub fn $one(&self, ix: $ix) -> &$item {
                &self.$all[ix.index()]
            }
        )+
    };
}

impl KnowledgeBase {
    /// Returns pairs of conditions that often occur together.
    #[inline]
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// Returns the position of a condition among those that are part of a pair, from 1; 0 for all
    /// others.
    #[inline]
    pub fn place_in_pairs(&self, ix: ConditionIx) -> usize {
        self.places_in_pairs[ix.index()].into()
    }

    /// Returns the number of such positions, including 0.
    #[inline]
    pub fn places_in_pairs(&self) -> usize {
        1 + 2 * self.pairs.len()
    }

    lists! {
        /// Conditions.
        conditions, condition: ConditionIx -> Condition;
        /// Findings.
        findings, finding: FindingIx -> Finding;
        /// Measured values.
        measures, measure: MeasureIx -> Measure;
        /// Lab tests.
        labs, lab: LabIx -> LabTest;
        /// Risk factors.
        risks, risk: RiskIx -> RiskFactor;
        /// Danger rules.
        rules, rule: RuleIx -> Rule;
        /// Scores.
        scores, score: ScoreIx -> Score;
        /// Medicines.
        medicines, medicine: MedicineIx -> Medicine;
        /// Doses of all medicines.
        doses, dose: DoseIx -> Dose;
        /// Sources; the number in citations is the index plus one.
        sources, source: SourceIx -> Source;
        /// Belts.
        belts, belt: BeltIx -> Belt;
    }

    /// Returns the rules that could fire for a patient with these known concepts (present or
    /// measured), in order. No other rule fires.
    pub fn rules_awake<'a>(
        &'a self,
        known: &[ConceptRef],
    ) -> impl Iterator<Item = &'a Rule> + use<'a> {
        let awake = self.rules_watch.awake(known);
        awake.map(|place| &self.rules[place])
    }

    /// Returns the default level of each condition, by `ConditionIx`.
    #[inline]
    pub fn usual_levels(&self) -> &[(TriageLevel, Timeframe)] {
        &self.usual_levels
    }

    /// Returns the course of each condition, by `ConditionIx`.
    #[inline]
    pub fn courses(&self) -> impl ExactSizeIterator<Item = Course> {
        self.courses.iter()
    }

    /// Returns the priors and the factors that they depend on.
    #[inline]
    pub fn priors(&self) -> &Priors {
        &self.priors
    }

    /// Returns the conditions whose level the presence of a concept raises by itself, with the
    /// level.
    pub fn raised_by(
        &self,
        concept: ConceptRef,
    ) -> impl Iterator<Item = (ConditionIx, (TriageLevel, Timeframe))> {
        self.higher.raised_by(concept)
    }

    /// Returns the higher levels, other than those of [`Self::raised_by`], that could hold for a
    /// patient with these known concepts (present or measured). No others hold.
    pub fn higher_awake(
        &self,
        known: &[ConceptRef],
    ) -> impl Iterator<Item = (ConditionIx, &Higher)> {
        let awake = self.higher.awake(known);
        awake.map(|(ix, place)| (ix, &self.condition(ix).higher[place]))
    }

    /// Returns the risk factors that imply a state of a woman.
    #[inline]
    pub fn state_risks(&self) -> &[RiskIx] {
        &self.state_risks
    }

    /// Returns the risk factors that are implied by age.
    #[inline]
    pub fn age_risks(&self) -> &[RiskIx] {
        &self.age_risks
    }

    /// Returns what an interview asks before it compares the candidates.
    #[inline]
    pub fn interview(&self) -> &Interview {
        &self.interview
    }

    /// Returns what must be so for a question about a concept to be asked; `None` if it is no
    /// finding or risk factor.
    pub fn asking(&self, concept: ConceptRef) -> Option<&Asking> {
        match concept {
            ConceptRef::Finding(ix) => Some(&self.finding(ix).asking),
            ConceptRef::Risk(ix) => Some(&self.risk(ix).asking),
            _ => None,
        }
    }

    /// Returns the SHA-256 of the content, in hexadecimal.
    pub fn content_hash(&self) -> &str {
        &self.content_hash
    }

    /// Returns the display version.
    pub fn version(&self) -> &Version {
        &self.version
    }

    /// Returns the indices of all conditions.
    pub fn condition_indices(&self) -> impl ExactSizeIterator<Item = ConditionIx> + use<> {
        (0..self.conditions.len()).map(ConditionIx::at)
    }

    /// Returns the indices of all findings.
    pub fn finding_indices(&self) -> impl ExactSizeIterator<Item = FindingIx> + use<> {
        (0..self.findings.len()).map(FindingIx::at)
    }

    /// Returns the indices of all risk factors.
    pub fn risk_indices(&self) -> impl ExactSizeIterator<Item = RiskIx> + use<> {
        (0..self.risks.len()).map(RiskIx::at)
    }

    /// Returns the indices of all lab tests.
    pub fn lab_indices(&self) -> impl ExactSizeIterator<Item = LabIx> + use<> {
        (0..self.labs.len()).map(LabIx::at)
    }

    /// Returns the concept for an exact id, a bare slug (`fever`) or a retired id.
    pub fn resolve(&self, text: &str) -> Option<ConceptRef> {
        self.directory.resolve(text)
    }

    /// Returns the id of a concept.
    pub fn id_of(&self, concept: ConceptRef) -> &str {
        match concept {
            ConceptRef::Finding(ix) => &self.finding(ix).text.id,
            ConceptRef::Measure(ix) => &self.measure(ix).text.id,
            ConceptRef::Risk(ix) => &self.risk(ix).text.id,
            ConceptRef::Lab(ix) => &self.lab(ix).text.id,
            ConceptRef::Condition(ix) => &self.condition(ix).text.id,
        }
    }

    /// Returns the clinical name of a concept.
    pub fn name_of(&self, concept: ConceptRef) -> &str {
        match concept {
            ConceptRef::Finding(ix) => &self.finding(ix).text.name,
            ConceptRef::Measure(ix) => &self.measure(ix).text.name,
            ConceptRef::Risk(ix) => &self.risk(ix).text.name,
            ConceptRef::Lab(ix) => &self.lab(ix).text.name,
            ConceptRef::Condition(ix) => &self.condition(ix).text.name,
        }
    }

    /// Returns the common name of a concept, or the clinical name if there is none.
    pub fn common_name_of(&self, concept: ConceptRef) -> &str {
        let plain = match concept {
            ConceptRef::Finding(ix) => &self.finding(ix).text.common_name,
            ConceptRef::Measure(ix) => &self.measure(ix).text.common_name,
            ConceptRef::Risk(ix) => &self.risk(ix).text.common_name,
            ConceptRef::Lab(ix) => &self.lab(ix).text.common_name,
            ConceptRef::Condition(ix) => &self.condition(ix).text.common_name,
        };
        if plain.is_empty() {
            self.name_of(concept)
        } else {
            plain
        }
    }

    /// Returns the category of a concept.
    pub fn category_of(&self, concept: ConceptRef) -> &str {
        match concept {
            ConceptRef::Finding(ix) => &self.finding(ix).text.category,
            ConceptRef::Measure(_) => "vital_signs",
            ConceptRef::Risk(ix) => &self.risk(ix).text.category,
            ConceptRef::Lab(ix) => &self.lab(ix).text.category,
            ConceptRef::Condition(ix) => &self.condition(ix).text.category,
        }
    }

    /// Returns the likelihood table.
    #[inline]
    pub fn likelihood(&self) -> &Likelihood {
        &self.likelihood
    }

    /// Returns how values of a concept are parsed and used; `None` if it takes none.
    pub fn quantity(&self, concept: ConceptRef) -> Option<&Quantity> {
        match concept {
            ConceptRef::Measure(ix) => Some(&self.measure(ix).quantity),
            ConceptRef::Lab(ix) => self.lab(ix).quantity.as_ref(),
            _ => None,
        }
    }

    /// Parses a value into the measures that it belongs to, each with its number in its own unit. A
    /// pair such as `180/110` gives two; anything else gives one.
    pub fn read_value(
        &self,
        concept: ConceptRef,
        text: &str,
    ) -> Result<Vec<(ConceptRef, f64)>, NotANumber> {
        let quantity = self.quantity(concept).ok_or(NotANumber::NoUnit)?;
        let pair = match concept {
            ConceptRef::Measure(ix) => self.measure(ix).pair,
            _ => None,
        };
        let Some(pair) = pair else {
            return Ok(vec![(concept, quantity.read_value(text)?)]);
        };
        let parts = text.splitn(2, '/').zip(pair);
        let read = |(part, ix)| {
            let value = self.measure(ix).quantity.read_value(part)?;
            Ok((ConceptRef::Measure(ix), value))
        };
        let values = parts.map(read).collect::<Result<Vec<_>, NotANumber>>()?;
        match values[..] {
            [(_, upper), (_, lower)] if upper <= lower => Err(NotANumber::UpsideDown),
            _ => Ok(values),
        }
    }

    /// Returns pairs of measures whose first value is above the second, such as the two numbers of
    /// a blood pressure.
    pub fn measure_pairs(&self) -> impl Iterator<Item = [MeasureIx; 2]> {
        self.measures.iter().filter_map(|measure| measure.pair)
    }

    /// Returns the range possible in a living patient, in the concept's own unit; `None` if it
    /// takes no value or no range is stated.
    pub fn plausible_range(&self, concept: ConceptRef) -> Option<[f64; 2]> {
        self.quantity(concept)?.plausible_range()
    }

    /// Returns the plausible range in words, such as `30 to 100 %`; for a value of two numbers,
    /// both ranges.
    pub fn plausible_words(&self, concept: ConceptRef) -> Option<String> {
        let words = |concept| {
            let quantity = self.quantity(concept)?;
            let [low, high] = quantity.plausible_range()?;
            Some(format!("{low} to {high} {}", quantity.unit))
        };
        let pair = match concept {
            ConceptRef::Measure(ix) => self.measure(ix).pair,
            _ => None,
        };
        match pair {
            Some([upper, lower]) => Some(format!(
                "{} over {}",
                words(ConceptRef::Measure(upper))?,
                words(ConceptRef::Measure(lower))?
            )),
            None => words(concept),
        }
    }

    /// Whether an implausible value would be dangerous if it were true: an oxygen saturation of 9
    /// may be a typing error or a dying patient. It is judged by the nearest plausible value.
    pub fn is_dangerous_if_true(
        &self,
        concept: ConceptRef,
        problem: &NotANumber,
        person: &Person,
    ) -> bool {
        let &NotANumber::Implausible {
            value, low, high, ..
        } = problem
        else {
            return matches!(problem, NotANumber::UpsideDown);
        };
        let nearest = value.clamp(low, high);
        let concepts = match concept {
            ConceptRef::Measure(ix) => self
                .measure(ix)
                .pair
                .map_or(vec![concept], |pair| pair.map(ConceptRef::Measure).to_vec()),
            _ => vec![concept],
        };
        let derived = concepts
            .into_iter()
            .flat_map(|concept| self.derive(concept, nearest, person).present);
        let mut findings =
            derived.flat_map(|concept| self.implied_by(concept).into_iter().chain([concept]));
        findings.any(|finding| {
            finding
                .finding()
                .is_some_and(|ix| self.finding(ix).is_danger())
        })
    }

    /// Whether a concept applies at this age and for this sex.
    pub fn fits(&self, concept: ConceptRef, age: Age, sex: Sex) -> bool {
        let (sexes, ages) = self.limits(concept);
        sexes.allows(sex) && ages.contains(age)
    }

    /// Returns the sex and the ages in which a concept applies. A lab test always does: its ages
    /// say for whom it is recommended, and an existing result counts in any case.
    pub fn limits(&self, concept: ConceptRef) -> (SexLimit, AgeSpan) {
        match concept {
            ConceptRef::Finding(ix) => (self.finding(ix).sex, self.finding(ix).ages),
            ConceptRef::Risk(ix) => (self.risk(ix).sex, self.risk(ix).ages),
            _ => (SexLimit::Any, AgeSpan::default()),
        }
    }

    /// Returns what a value makes present or absent. Concepts that do not fit the person's age or
    /// sex are neither. Consequences of present concepts are never absent, nor are concepts that no
    /// value could have made present.
    pub fn derive(&self, concept: ConceptRef, value: f64, person: &Person) -> Derived {
        let Some(quantity) = self.quantity(concept) else {
            return Derived::default();
        };
        let mut derived = quantity.derived(value, person);
        let fits = |concept: &ConceptRef| self.fits(*concept, person.age, person.sex);
        derived.present.retain(fits);
        if derived.absent.is_empty() {
            return derived;
        }
        let with_implied =
            |concept: ConceptRef| self.implied_by(concept).into_iter().chain([concept]);
        let present = derived.present.iter().copied();
        let follows: Vec<ConceptRef> = present.flat_map(with_implied).collect();
        let possible = quantity.derivable_in(person).filter(fits);
        let possible: Vec<ConceptRef> = possible.flat_map(with_implied).collect();
        derived.absent.retain(|concept| {
            fits(concept) && possible.contains(concept) && !follows.contains(concept)
        });
        derived
    }

    /// Returns everything that is present whenever a concept is: its ancestors and implied
    /// concepts, without itself.
    pub fn implied_by(&self, concept: ConceptRef) -> Vec<ConceptRef> {
        match concept {
            ConceptRef::Finding(ix) => self
                .finding(ix)
                .ancestors
                .iter()
                .copied()
                .map(ConceptRef::Finding)
                .collect(),
            ConceptRef::Risk(ix) => self
                .risk(ix)
                .implies
                .iter()
                .copied()
                .map(ConceptRef::Risk)
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Compiles a `when` to the indices of this knowledge base. A part that names an unknown
    /// concept never holds.
    pub fn compile_when(&self, written: &crate::schema::When) -> When {
        When::compile(written, &self.directory)
    }

    /// Returns the place for a slug: a region, a country, or a country's ISO code in lower case.
    pub fn place(&self, slug: &str) -> Option<&Place> {
        self.places.find(slug)
    }

    /// Returns every place.
    pub fn places(&self) -> &[Place] {
        &self.places.list
    }

    /// Returns the citation of a source: `Title, publisher, year`.
    pub fn citation(&self, ix: SourceIx) -> &Phrase {
        &self.citations[ix.index()]
    }

    /// Returns the phrase table.
    pub fn phrase_table(&self) -> &Arc<PhraseTable> {
        &self.phrase_table
    }

    /// Returns a medicine by its id, with or without `m_`.
    pub fn find_medicine(&self, id: &str) -> Option<MedicineIx> {
        let found = self.directory.medicine(id);
        found.or_else(|| self.directory.medicine(&format!("m_{id}")))
    }

    /// Returns a dose of a medicine by its id.
    pub fn find_dose(&self, medicine: MedicineIx, id: &str) -> Option<DoseIx> {
        let medicine = self.medicine(medicine);
        let place = medicine.text.dose.iter().position(|dose| dose.id == id)?;
        Some(medicine.doses[place])
    }

    /// Returns the medicine of a dose, and the dose as in its file.
    #[inline]
    pub fn dose_text(&self, ix: DoseIx) -> (&Medicine, &MedicineDose) {
        let dose = self.dose(ix);
        let medicine = self.medicine(dose.medicine);
        (medicine, &medicine.text.dose[dose.place])
    }

    /// Returns the contents of a condition's file, with references to medicines as written.
    pub fn condition_as_written(&self, ix: ConditionIx) -> crate::schema::Condition {
        let mut text = crate::schema::Condition::clone(&self.condition(ix).text);
        if let Some(education) = self.education_as_written.get(&ix) {
            text.education = education.clone();
        }
        text
    }

    /// Returns the usual weights for an age.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Returns the risk factors that `medicine-classes.toml` names for a state.
    pub fn risks_of_state(&self, state: PatientState) -> &[RiskIx] {
        self.states_by_risks.risks(state)
    }

    /// Returns the source with an id.
    pub fn find_source(&self, id: &str) -> Option<SourceIx> {
        self.directory.source(id)
    }

    /// Returns the specialist with an id.
    pub fn specialist(&self, id: &str) -> Option<&Specialist> {
        self.specialists
            .iter()
            .find(|specialist| specialist.id == id)
    }

    /// Returns every specialist.
    pub fn specialists(&self) -> &[Specialist] {
        &self.specialists
    }

    /// Returns the types of facilities, what they offer, and what a patient needs.
    pub fn services(&self) -> &Services {
        &self.services
    }

    /// Returns the texts of a level.
    pub fn level_text(&self, level: TriageLevel) -> Option<&LevelText> {
        self.triage.level.iter().find(|text| text.id == level)
    }

    /// Returns the danger signs that every patient of this age and sex is asked about, in the order
    /// of the file.
    pub fn danger_signs(&self, age: Age, sex: Sex) -> impl Iterator<Item = FindingIx> {
        let asked = self.triage.danger_sign.iter();
        let asked = asked.filter(move |sign| sign.ages().contains(age));
        asked
            .filter_map(|sign| self.resolve(&sign.id)?.finding())
            .filter(move |ix| {
                let finding = self.finding(*ix);
                finding.ages.contains(age) && finding.sex.allows(sex)
            })
    }

    /// Returns the wording of a timeframe.
    pub fn timeframe_text(&self, timeframe: Timeframe) -> Option<&TimeframeText> {
        self.triage
            .timeframe
            .iter()
            .find(|text| text.id == timeframe)
    }

    /// Returns the share (0 to 1) of a named group among people of a band who seek care; `None` if
    /// no file states it.
    pub fn share(&self, id: &str, band: AgeBand) -> Option<f32> {
        let share = self.population.iter().find(|group| group.id == id)?;
        Some(share.of_100.get(&band).copied().unwrap_or(0.0) / 100.0)
    }

    /// Returns the share (0 to 1) of women of a band who are in a state; 0 if no file states it.
    pub fn state_share(&self, state: State, band: AgeBand) -> f32 {
        self.share(state.as_str(), band).unwrap_or(0.0)
    }

    /// Returns the phrases of `lay-terms/`.
    pub fn lay_terms(&self) -> &[LayTerm] {
        &self.lay_terms
    }
}
