//! The knowledge base: immutable, indexed, what everything else reads.
//!
//! It follows every reference once, when it is built, so that reasoning works on dense indices and never on names.
//! It does not judge the content (`checks` does) and it does not reason.

mod book;
mod build;
mod concepts;
mod course;
mod directory;
pub(crate) mod example;
mod index;
mod likelihood;
mod measure;
pub(crate) mod place;
mod priors;
mod score;
mod watch;
mod when;

use std::sync::Arc;

use lafiya_model::{Age, AgeBand, Phrase, Sex, Timeframe, TriageLevel};

pub use book::Book;
pub use concepts::{
    Condition, Finding, FindingLink, Higher, InvestigationLink, LabEffect, LabLink, LabTest,
    Narrower, Pair, RiskFactor, RiskLink, Rule,
};
pub use course::Course;
pub(crate) use directory::Directory;
pub use example::PlainFacts;
pub use index::{
    BeltIx, ConceptRef, ConditionIx, FindingIx, LabIx, MeasureIx, RiskIx, RuleIx, ScoreIx, SourceIx,
};
pub use likelihood::{
    Answer, Group, Likelihood, PROBABILITY_MAX, Showing, Shown, bounded, entropy,
};
pub use measure::{Derived, Measure, NotANumber, Person, Quantity, normal_unit, split_number};
pub use place::{Place, Times};
pub use priors::{Multiplier, Priors};
pub use score::{Score, ScoreResult};
pub use when::{Facts, When};

use crate::schema::{
    Belt, LayTerm, LevelText, PopulationShare, Services, Source, Specialist, TimeframeText,
    TriageTexts, Version,
};
use crate::words::State;

/// Everything the service knows of medicine.
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
    pairs: Vec<Pair>,
    places_in_pairs: Vec<u16>,
    likelihood: Likelihood,
    directory: Directory,
    sources: Vec<Source>,
    citations: Vec<Phrase>,
    book: Arc<Book>,
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
            /// All, in the order of their indices.
            #[inline]
            pub fn $all(&self) -> &[$item] {
                &self.$all
            }

            $(#[$doc])*
            /// One, by its index.
            #[inline]
            pub fn $one(&self, ix: $ix) -> &$item {
                &self.$all[ix.index()]
            }
        )+
    };
}

impl KnowledgeBase {
    /// Pairs of conditions that often come together.
    #[inline]
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The place of a condition among those that are in a pair, from 1; 0 for all others.
    #[inline]
    pub fn place_in_pairs(&self, ix: ConditionIx) -> usize {
        self.places_in_pairs[ix.index()].into()
    }

    /// How many such places there are, 0 among them.
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
        /// Sources; the number in citations is the index plus one.
        sources, source: SourceIx -> Source;
        /// Belts.
        belts, belt: BeltIx -> Belt;
    }

    /// The rules that could fire for a patient of whom these concepts are known (present, or measured), in order. No other
    /// rule does.
    pub fn rules_awake<'a>(
        &'a self,
        known: &[ConceptRef],
    ) -> impl Iterator<Item = &'a Rule> + use<'a> {
        let awake = self.rules_watch.awake(known);
        awake.map(|place| &self.rules[place])
    }

    /// The level of each condition in the usual patient, by `ConditionIx`.
    #[inline]
    pub fn usual_levels(&self) -> &[(TriageLevel, Timeframe)] {
        &self.usual_levels
    }

    /// How long each condition lasts, by `ConditionIx`.
    #[inline]
    pub fn courses(&self) -> impl ExactSizeIterator<Item = Course> {
        self.courses.iter()
    }

    /// How common conditions are, and what that depends on.
    #[inline]
    pub fn priors(&self) -> &Priors {
        &self.priors
    }

    /// The conditions that the presence of a concept raises by itself, and to which level.
    pub fn raised_by(
        &self,
        concept: ConceptRef,
    ) -> impl Iterator<Item = (ConditionIx, (TriageLevel, Timeframe))> {
        self.higher.raised_by(concept)
    }

    /// The higher levels beside those of [`Self::raised_by`] that could hold for a patient of whom these concepts are known
    /// (present, or measured). No other one does.
    pub fn higher_awake(
        &self,
        known: &[ConceptRef],
    ) -> impl Iterator<Item = (ConditionIx, &Higher)> {
        let awake = self.higher.awake(known);
        awake.map(|(ix, place)| (ix, &self.condition(ix).higher[place]))
    }

    /// The risk factors that say a woman is in a state.
    #[inline]
    pub fn state_risks(&self) -> &[RiskIx] {
        &self.state_risks
    }

    /// The risk factors that an age brings with it.
    #[inline]
    pub fn age_risks(&self) -> &[RiskIx] {
        &self.age_risks
    }

    /// SHA-256 over the content, in hexadecimal.
    pub fn content_hash(&self) -> &str {
        &self.content_hash
    }

    /// The version for people.
    pub fn version(&self) -> &Version {
        &self.version
    }

    /// The indices of all conditions.
    pub fn condition_indices(&self) -> impl ExactSizeIterator<Item = ConditionIx> + use<> {
        (0..self.conditions.len()).map(ConditionIx::at)
    }

    /// The indices of all findings.
    pub fn finding_indices(&self) -> impl ExactSizeIterator<Item = FindingIx> + use<> {
        (0..self.findings.len()).map(FindingIx::at)
    }

    /// The indices of all risk factors.
    pub fn risk_indices(&self) -> impl ExactSizeIterator<Item = RiskIx> + use<> {
        (0..self.risks.len()).map(RiskIx::at)
    }

    /// The indices of all lab tests.
    pub fn lab_indices(&self) -> impl ExactSizeIterator<Item = LabIx> + use<> {
        (0..self.labs.len()).map(LabIx::at)
    }

    /// The concept a caller means: the exact id, a bare slug (`fever`), a retired id.
    pub fn resolve(&self, text: &str) -> Option<ConceptRef> {
        self.directory.resolve(text)
    }

    /// The id of a concept.
    pub fn id_of(&self, concept: ConceptRef) -> &str {
        match concept {
            ConceptRef::Finding(ix) => &self.finding(ix).text.id,
            ConceptRef::Measure(ix) => &self.measure(ix).text.id,
            ConceptRef::Risk(ix) => &self.risk(ix).text.id,
            ConceptRef::Lab(ix) => &self.lab(ix).text.id,
            ConceptRef::Condition(ix) => &self.condition(ix).text.id,
        }
    }

    /// The clinical name of a concept.
    pub fn name_of(&self, concept: ConceptRef) -> &str {
        match concept {
            ConceptRef::Finding(ix) => &self.finding(ix).text.name,
            ConceptRef::Measure(ix) => &self.measure(ix).text.name,
            ConceptRef::Risk(ix) => &self.risk(ix).text.name,
            ConceptRef::Lab(ix) => &self.lab(ix).text.name,
            ConceptRef::Condition(ix) => &self.condition(ix).text.name,
        }
    }

    /// The plain name of a concept, or the clinical one where there is no other.
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

    /// The category a concept is listed under.
    pub fn category_of(&self, concept: ConceptRef) -> &str {
        match concept {
            ConceptRef::Finding(ix) => &self.finding(ix).text.category,
            ConceptRef::Measure(_) => "vital_signs",
            ConceptRef::Risk(ix) => &self.risk(ix).text.category,
            ConceptRef::Lab(ix) => &self.lab(ix).text.category,
            ConceptRef::Condition(ix) => &self.condition(ix).text.category,
        }
    }

    /// How often findings show in conditions.
    #[inline]
    pub fn likelihood(&self) -> &Likelihood {
        &self.likelihood
    }

    /// How to read and use values of a concept; `None` where it takes none.
    pub fn quantity(&self, concept: ConceptRef) -> Option<&Quantity> {
        match concept {
            ConceptRef::Measure(ix) => Some(&self.measure(ix).quantity),
            ConceptRef::Lab(ix) => self.lab(ix).quantity.as_ref(),
            _ => None,
        }
    }

    /// Reads a value: the measures it belongs to, each with its number in its own unit.
    /// A pair such as `180/110` gives two; anything else gives one.
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

    /// Pairs of measures whose first value is above the second, such as the two numbers of a blood pressure.
    pub fn measure_pairs(&self) -> impl Iterator<Item = [MeasureIx; 2]> {
        self.measures.iter().filter_map(|measure| measure.pair)
    }

    /// What a living patient can have, in the concept's own unit; `None` where it takes no value or no file says.
    pub fn plausible_range(&self, concept: ConceptRef) -> Option<[f64; 2]> {
        self.quantity(concept)?.plausible_range()
    }

    /// The same in words, `30 to 100 %`; of a value written as two numbers, of both.
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

    /// Whether a value that cannot be read would be dangerous if it were true: an oxygen saturation of 9 may be a
    /// typing error, or a dying patient. It is judged by the nearest value that a living patient can have.
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
            .flat_map(|it| self.derive(it, nearest, person).present);
        let mut findings = derived.flat_map(|it| self.implied_by(it).into_iter().chain([it]));
        findings.any(|it| it.finding().is_some_and(|ix| self.finding(ix).is_danger()))
    }

    /// Whether a concept makes sense at this age and in this sex. A lab test always does: its ages say whom it is
    /// recommended to, and a result that is brought counts in any case.
    pub fn fits(&self, concept: ConceptRef, age: Age, sex: Sex) -> bool {
        match concept {
            ConceptRef::Finding(ix) => {
                let finding = self.finding(ix);
                finding.sex.allows(sex) && finding.ages.contains(age)
            }
            ConceptRef::Risk(ix) => {
                let risk = self.risk(ix);
                risk.sex.allows(sex) && risk.ages.contains(age)
            }
            _ => true,
        }
    }

    /// What a value makes present or absent. What does not fit the person's age or sex is neither. Nothing that
    /// follows from what is present is called absent, nor anything that no value could have made present.
    pub fn derive(&self, concept: ConceptRef, value: f64, person: &Person) -> Derived {
        let Some(quantity) = self.quantity(concept) else {
            return Derived::default();
        };
        let mut derived = quantity.derived(value, person);
        let fits = |it: &ConceptRef| self.fits(*it, person.age, person.sex);
        derived.present.retain(fits);
        if derived.absent.is_empty() {
            return derived;
        }
        let with_implied = |it: ConceptRef| self.implied_by(it).into_iter().chain([it]);
        let present = derived.present.iter().copied();
        let follows: Vec<ConceptRef> = present.flat_map(with_implied).collect();
        let possible = quantity.derivable_in(person).filter(fits);
        let possible: Vec<ConceptRef> = possible.flat_map(with_implied).collect();
        derived
            .absent
            .retain(|it| fits(it) && possible.contains(it) && !follows.contains(it));
        derived
    }

    /// What is present whenever this is: ancestors and implied concepts, without itself.
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

    /// A `when` over this base's indices. What names nothing known never holds.
    pub fn compile_when(&self, written: &crate::schema::When) -> When {
        When::compile(written, &self.directory)
    }

    /// The place of a slug: a region, a country, or a country's ISO code in lower case.
    pub fn place(&self, slug: &str) -> Option<&Place> {
        self.places.find(slug)
    }

    /// Every place.
    pub fn places(&self) -> &[Place] {
        &self.places.list
    }

    /// A source as it is cited: `Title, publisher, year`.
    pub fn citation(&self, ix: SourceIx) -> &Phrase {
        &self.citations[ix.index()]
    }

    /// The texts of answers by their numbers.
    pub fn book(&self) -> &Arc<Book> {
        &self.book
    }

    /// The source of an id.
    pub fn find_source(&self, id: &str) -> Option<SourceIx> {
        self.directory.source(id)
    }

    /// The name for people of a specialist.
    pub fn specialist(&self, id: &str) -> Option<&Specialist> {
        self.specialists.iter().find(|it| it.id == id)
    }

    /// Every specialist.
    pub fn specialists(&self) -> &[Specialist] {
        &self.specialists
    }

    /// Kinds of facilities, what they offer, and what a patient needs of them.
    pub fn services(&self) -> &Services {
        &self.services
    }

    /// The texts of a level.
    pub fn level_text(&self, level: TriageLevel) -> Option<&LevelText> {
        self.triage.level.iter().find(|it| it.id == level)
    }

    /// The danger signs that a patient is asked for, whatever was told, in the order of the file.
    pub fn danger_signs(&self, age: Age, sex: Sex) -> impl Iterator<Item = FindingIx> {
        let asked = self.triage.danger_sign.iter();
        let asked = asked.filter(move |it| it.ages().contains(age));
        asked
            .filter_map(|it| self.resolve(&it.id)?.finding())
            .filter(move |ix| {
                let finding = self.finding(*ix);
                finding.ages.contains(age) && finding.sex.allows(sex)
            })
    }

    /// The words for a time-frame.
    pub fn timeframe_text(&self, timeframe: Timeframe) -> Option<&TimeframeText> {
        self.triage.timeframe.iter().find(|it| it.id == timeframe)
    }

    /// The share (0 to 1) of a named group among those of a band who come for care; `None` where no file says.
    pub fn share(&self, id: &str, band: AgeBand) -> Option<f32> {
        let share = self.population.iter().find(|it| it.id == id)?;
        Some(share.of_100.get(&band).copied().unwrap_or(0.0) / 100.0)
    }

    /// The share (0 to 1) of women of a band who are in a state; 0 where no file says.
    pub fn state_share(&self, state: State, band: AgeBand) -> f32 {
        self.share(state.as_str(), band).unwrap_or(0.0)
    }

    /// The phrases of `lay-terms/`.
    pub fn lay_terms(&self) -> &[LayTerm] {
        &self.lay_terms
    }
}
