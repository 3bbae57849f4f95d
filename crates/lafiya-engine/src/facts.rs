//! The known facts about the patient: each piece of evidence and its consequences. A narrow finding
//! makes its broader findings present, an absent broad finding makes its narrower ones absent, and
//! a measured value makes findings present or absent. In a contradiction, the dangerous reading
//! wins.

use lafiya_knowledge::words::State;
use lafiya_knowledge::{
    BeltIx, ConceptRef, Facts, FindingIx, Group, KnowledgeBase, Person, RiskIx,
};
use lafiya_model::{Age, Choice, DeidentifiedCase, Evidence, Severity, Sex};

use crate::danger::Alarm;
use crate::misfit;

mod for_rules;

/// The status of one concept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// Nothing is known.
    #[default]
    Unasked,
    /// Asked, but the patient does not know.
    Unknown,
    /// Absent.
    Absent,
    /// Present.
    Present,
}

/// A contradiction or implausibility in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Concern {
    /// The message.
    pub says: String,
    /// Whether the evidence was ignored because of it.
    pub left_out: bool,
}

/// One piece of evidence that counts, as stated or as derived from a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EvidenceItem {
    pub(crate) concept: ConceptRef,
    pub(crate) present: bool,
    pub(crate) severity: Option<Severity>,
}

/// Everything that is known about the patient.
#[derive(Clone, Debug)]
pub struct PatientFacts<'a> {
    pub(crate) base: &'a KnowledgeBase,
    pub(crate) age: Age,
    pub(crate) sex: Sex,
    /// The patient group, for figures that differ by group.
    pub(crate) group: Option<Group>,
    /// Evidence as stated or derived from values, sorted by concept without duplicates.
    pub(crate) evidence_items: Vec<EvidenceItem>,
    pub(crate) concerns: Vec<Concern>,
    /// Present evidence that is impossible at this age or for this sex.
    pub(crate) misfits: Vec<ConceptRef>,
    /// The danger that the misfits stand for if the age or sex was entered wrongly.
    pub(crate) misfit_alarms: Vec<Alarm<'a>>,
    /// Messages about values far outside the normal range that nothing else was concluded from.
    pub(crate) unusual: Vec<String>,
    /// Messages about values that contradict each other and were not used.
    pub(crate) impossible: Vec<String>,
    /// Every concept that is present or measured, without duplicates: the inputs of the rules.
    /// Until gathering is finished, every concept that anything was noted about.
    pub(crate) known: Vec<ConceptRef>,
    findings: Vec<Status>,
    risks: Vec<Status>,
    /// The belts of the place; `None` if the place is not known.
    pub(crate) belts: Option<&'a [BeltIx]>,
    /// Risk factors implied by the place. The priors of the place already include them.
    by_place: Vec<RiskIx>,
    labs: Vec<Status>,
    /// The status of each state, in the order of `State::ALL`.
    states: [Status; State::ALL.len()],
    severe: Vec<FindingIx>,
    derived: Vec<(ConceptRef, bool)>,
    /// Sorted by finding, without duplicates.
    days: Vec<(FindingIx, u32)>,
    /// Findings with a duration that cannot be right, sorted.
    doubtful_days: Vec<FindingIx>,
    /// Sorted by concept, without duplicates.
    values: Vec<(ConceptRef, f64)>,
}

impl<'a> PatientFacts<'a> {
    /// Gathers the facts of a case. The order and repetition of the evidence make no difference.
    ///
    /// # Example
    ///
    /// ```
    /// use lafiya_engine::{PatientFacts, Status};
    /// use lafiya_model::{Age, DeidentifiedCase, Sex};
    ///
    /// let base = lafiya_content::load()?;
    /// let case = DeidentifiedCase {
    ///     age: Age::from_years(2),
    ///     sex: Sex::Male,
    ///     region: None,
    ///     month: None,
    ///     evidence: Vec::new(),
    /// };
    /// let facts = PatientFacts::gather(&base, &case);
    /// let fever = base.resolve("s_fever").and_then(|concept| concept.finding());
    /// assert!(fever.is_some_and(|fever| facts.finding(fever) == Status::Unasked));
    /// # Ok::<(), lafiya_knowledge::LoadError>(())
    /// ```
    pub fn gather(base: &'a KnowledgeBase, case: &DeidentifiedCase) -> Self {
        let mut facts = Self::gather_fitting(base, case);
        if !facts.misfits.is_empty() {
            facts.misfit_alarms = misfit::alarms(base, case, &facts.misfits);
            facts.note_misfits();
        }
        facts
    }

    /// Gathers the facts without judging the danger of what does not fit the age or sex.
    pub(crate) fn gather_fitting(base: &'a KnowledgeBase, case: &DeidentifiedCase) -> Self {
        let mut facts = Self {
            base,
            age: case.age,
            sex: case.sex,
            group: None,
            evidence_items: Vec::new(),
            concerns: Vec::new(),
            misfits: Vec::new(),
            misfit_alarms: Vec::new(),
            unusual: Vec::new(),
            impossible: Vec::new(),
            known: Vec::new(),
            findings: vec![Status::Unasked; base.findings().len()],
            risks: vec![Status::Unasked; base.risks().len()],
            belts: None,
            by_place: Vec::new(),
            labs: vec![Status::Unasked; base.labs().len()],
            states: [Status::Unasked; State::ALL.len()],
            severe: Vec::new(),
            derived: Vec::new(),
            days: Vec::new(),
            doubtful_days: Vec::new(),
            values: Vec::new(),
        };
        let mut evidence: Vec<(ConceptRef, &Evidence)> = case
            .evidence
            .iter()
            .filter_map(|item| Some((base.resolve(item.id.as_str())?, item)))
            .collect();
        // Keeps one piece of evidence per concept, independent of input order. Present sorts first,
        // so a contradiction about the same concept counts as present.
        let rank = |item: &Evidence| {
            (
                item.choice,
                std::cmp::Reverse(item.severity),
                item.duration_days,
                item.value.map(f64::to_bits),
            )
        };
        evidence.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| rank(a.1).cmp(&rank(b.1))));
        evidence.dedup_by_key(|(concept, _)| *concept);
        evidence.retain(|(concept, item)| facts.is_possible(*concept, item));
        // Risk factors come first: the state (pregnancy) follows from them, and what a value means
        // follows from the state.
        facts.note_age_risks();
        for (concept, item) in &evidence {
            facts.note_risk(*concept, item);
        }
        facts.note_place_risks(case.region.as_deref());
        // No later step changes a risk factor, so the states can be computed now.
        for &state in State::ALL {
            facts.states[state as usize] = facts.state_by_risks(state);
        }
        facts.group = Group::of(facts.age, facts.is_in(State::Pregnant));
        for (concept, item) in &evidence {
            // All stated findings first: a conclusion from a duration must see whether the narrower
            // finding was denied.
            facts.note_finding(*concept, item);
            facts.note_lab(*concept, item);
        }
        // Before any value is used, because both values of such a pair are left out.
        let impossible = facts.values_upside_down(&evidence);
        for (concept, item) in &evidence {
            facts.note_narrower(*concept, item);
            if !impossible.contains(concept) {
                facts.note_value(*concept, item);
            }
        }
        // After all findings are noted, stated and derived, because each may have broader and
        // narrower ones.
        facts.close_over_relations();
        facts.collect_evidence_items(&evidence);
        facts.collect_known();
        facts
    }

    /// Returns the status of a finding.
    pub fn finding(&self, ix: FindingIx) -> Status {
        self.findings[ix.index()]
    }

    /// Returns the status of a risk factor.
    pub fn risk(&self, ix: RiskIx) -> Status {
        self.risks[ix.index()]
    }

    /// Whether a finding, risk factor or test is known to be absent.
    pub(crate) fn is_absent(&self, concept: ConceptRef) -> bool {
        match concept {
            ConceptRef::Finding(ix) => self.finding(ix) == Status::Absent,
            ConceptRef::Risk(ix) => self.risk(ix) == Status::Absent,
            ConceptRef::Lab(ix) => self.labs[ix.index()] == Status::Absent,
            ConceptRef::Measure(_) | ConceptRef::Condition(_) => false,
        }
    }

    /// Whether the patient is known to be, or not to be, in a state such as pregnancy.
    pub(crate) fn state_status(&self, state: State) -> Status {
        self.states[state as usize]
    }

    fn state_by_risks(&self, state: State) -> Status {
        let all = self
            .base
            .state_risks()
            .iter()
            .map(|ix| (self.base.risk(*ix), *ix));
        let mut status = Status::Unasked;
        for (risk, ix) in all.filter(|(risk, _)| risk.state == Some(state)) {
            match self.risk(ix) {
                Status::Present => return Status::Present,
                // Only denying the broad risk factor rules the state out: "not in the third
                // trimester" does not.
                Status::Absent if risk.implies.is_empty() => status = Status::Absent,
                _ => {}
            }
        }
        status
    }

    /// Returns the longest duration of any present finding, without those that cannot be right.
    pub(crate) fn days_of_illness(&self) -> Option<u32> {
        self.days
            .iter()
            .filter(|(ix, _)| {
                self.finding(*ix) == Status::Present && !self.doubtful_days.contains(ix)
            })
            .map(|(_, days)| *days)
            .max()
    }

    /// Whether evidence is possible at this age and for this sex. If not, it is noted as a misfit
    /// and left out.
    fn is_possible(&mut self, concept: ConceptRef, item: &Evidence) -> bool {
        let possible = self.fits(concept);
        // An absent finding that the patient cannot have is no contradiction.
        if !possible && item.choice == Choice::Present {
            self.misfits.push(concept);
        }
        possible
    }

    fn note_age_risks(&mut self) {
        for &ix in self.base.age_risks() {
            let risk = self.base.risk(ix);
            if risk
                .implied_by_age
                .is_some_and(|span| span.contains(self.age))
                && risk.sex.allows(self.sex)
            {
                self.risks[ix.index()] = Status::Present;
                self.known.push(ConceptRef::Risk(ix));
            }
        }
    }

    /// Marks the risk factors of the place as present, like stated ones, for rules and levels. A
    /// statement that one is absent is overridden: the patient may live elsewhere, but is in this
    /// place now.
    fn note_place_risks(&mut self, region: Option<&str>) {
        let base = self.base;
        let place = region.and_then(|slug| base.place(slug));
        self.belts = place.map(|place| &*place.belts);
        for &ix in place.map_or(&[][..], |place| &place.implies) {
            let risk = base.risk(ix);
            if !self.fits(ConceptRef::Risk(ix)) {
                continue;
            }
            if self.risk(ix) == Status::Absent {
                self.concerns.push(Concern {
                    says: format!(
                        "\"{}\" is called absent although it is so in this place; it was taken as present.",
                        risk.text.name
                    ),
                    left_out: false,
                });
            }
            for &implied in risk.implies.iter().chain([&ix]) {
                self.risks[implied.index()] = Status::Present;
                self.known.push(ConceptRef::Risk(implied));
                self.by_place.push(implied);
            }
        }
    }

    /// Whether a risk factor is implied by the place, so that stating it adds nothing to the
    /// priors.
    pub(crate) fn is_by_place(&self, ix: RiskIx) -> bool {
        self.by_place.contains(&ix)
    }

    fn note_risk(&mut self, concept: ConceptRef, item: &Evidence) {
        let ConceptRef::Risk(ix) = concept else {
            return;
        };
        let status = status_of(item.choice);
        let slot = &mut self.risks[ix.index()];
        *slot = (*slot).max_known(status);
        self.known.push(concept);
        if status == Status::Present {
            for &implied in &self.base.risk(ix).implies {
                self.risks[implied.index()] = Status::Present;
                self.known.push(ConceptRef::Risk(implied));
            }
        }
    }

    fn note_finding(&mut self, concept: ConceptRef, item: &Evidence) {
        let ConceptRef::Finding(ix) = concept else {
            return;
        };
        let status = status_of(item.choice);
        let slot = &mut self.findings[ix.index()];
        *slot = (*slot).max_known(status);
        self.known.push(concept);
        if status == Status::Present {
            if item.severity == Some(Severity::Severe) {
                // The broader findings are as severe as this one.
                self.severe.push(ix);
                self.severe.extend(&self.base.finding(ix).ancestors);
            }
            if let Some(days) = item.duration_days {
                self.days.push((ix, days));
                self.judge_days(ix, days);
            }
        }
    }

    /// Reports a duration that cannot be right. It then counts neither for nor against a condition
    /// and reassures nobody; rules for findings that last long still see it.
    fn judge_days(&mut self, ix: FindingIx, days: u32) {
        if self.base.is_plausible_duration(ix, days, Some(self.age)) {
            return;
        }
        self.doubtful_days.push(ix);
        let name = &self.base.finding(ix).text.name;
        let reason = match self
            .base
            .longest_acute_days(ix)
            .filter(|longest| days > *longest)
        {
            Some(longest) => format!("is expected to last {longest} days at most"),
            None => "cannot be older than the patient".to_owned(),
        };
        self.concerns.push(Concern {
            says: format!(
                "\"{name}\" {reason}, not {days} days; the duration was not used. Ask how long it has lasted."
            ),
            left_out: true,
        });
    }

    /// Marks narrower findings that follow from a duration or severity: a cough for three weeks is
    /// a cough of more than two, unless that was denied.
    fn note_narrower(&mut self, concept: ConceptRef, item: &Evidence) {
        let Some(ix) = concept.finding().filter(|_| item.choice == Choice::Present) else {
            return;
        };
        let is_severe = item.severity == Some(Severity::Severe);
        let base = self.base;
        for narrower in &base.finding(ix).narrower {
            let concept = ConceptRef::Finding(narrower.finding);
            let unasked = self.finding(narrower.finding) == Status::Unasked;
            // An answer about the narrower finding itself counts more than the conclusion.
            if self.fits(concept) && unasked && narrower.holds(item.duration_days, is_severe) {
                self.note_derived(concept, Status::Present);
            }
        }
    }

    fn note_lab(&mut self, concept: ConceptRef, item: &Evidence) {
        if let ConceptRef::Lab(ix) = concept {
            let slot = &mut self.labs[ix.index()];
            *slot = (*slot).max_known(status_of(item.choice));
            self.known.push(concept);
        }
    }

    /// Returns measures whose values contradict each other, such as a diastolic pressure above the
    /// systolic one. Neither is used.
    fn values_upside_down(&mut self, evidence: &[(ConceptRef, &Evidence)]) -> Vec<ConceptRef> {
        let base = self.base;
        let value_of = |wanted: ConceptRef| {
            let stated = evidence.iter().find(|(concept, _)| *concept == wanted);
            stated.and_then(|(_, item)| item.value)
        };
        let mut impossible = Vec::new();
        for pair in base.measure_pairs() {
            let [upper, lower] = pair.map(ConceptRef::Measure);
            let values = value_of(upper).zip(value_of(lower));
            // Equal values are as impossible as reversed ones.
            if values.is_some_and(|(of_upper, of_lower)| of_upper <= of_lower) {
                self.impossible.push(format!(
                    "\"{}\" must be above \"{}\"; neither was used.",
                    base.name_of(upper),
                    base.name_of(lower)
                ));
                impossible.extend([upper, lower]);
            }
        }
        impossible
    }

    fn note_value(&mut self, concept: ConceptRef, item: &Evidence) {
        let Some(value) = item.value else { return };
        // A value beside "unknown" was perhaps typed before the answer was changed.
        if item.choice == Choice::Unknown {
            return;
        }
        self.values.push((concept, value));
        let person = Person {
            age: self.age,
            sex: self.sex,
            state: self.state(),
        };
        let derived = self.base.derive(concept, value, &person);
        // If something follows from the value, that finding is reported already.
        if derived.present.is_empty() {
            self.note_unusual(concept, value);
        }
        for (concepts, status) in [
            (derived.present, Status::Present),
            (derived.absent, Status::Absent),
        ] {
            for derived in concepts {
                if derived == concept {
                    self.settle_by_value(derived, status);
                } else {
                    self.note_derived(derived, status);
                }
            }
        }
    }

    /// Reports every value far outside the normal range, even if nothing is known to follow from
    /// it.
    fn note_unusual(&mut self, concept: ConceptRef, value: f64) {
        let Some(quantity) = self.base.quantity(concept) else {
            return;
        };
        if !quantity.is_far_from_normal(value, self.age) {
            return;
        }
        let Some([low, high]) = quantity.normal_at(self.age) else {
            return;
        };
        let name = self.base.name_of(concept);
        let unit = &quantity.unit;
        self.unusual.push(format!(
            "{name} is {value} {unit}; usual at this age is {low} to {high} {unit}."
        ));
    }

    /// Lets a measured value override the stated result: "positive" may only mean that the test was
    /// done.
    fn settle_by_value(&mut self, concept: ConceptRef, status: Status) {
        let ConceptRef::Lab(ix) = concept else {
            return;
        };
        let slot = &mut self.labs[ix.index()];
        if *slot != status {
            *slot = status;
            self.concerns.push(Concern {
                says: format!(
                    "The value of \"{}\" says otherwise than the answer beside it; the value was taken.",
                    self.base.lab(ix).text.name
                ),
                left_out: false,
            });
        }
    }

    /// Notes a status that follows from another concept's value.
    fn note_derived(&mut self, concept: ConceptRef, status: Status) {
        let slot = match concept {
            ConceptRef::Finding(ix) => &mut self.findings[ix.index()],
            ConceptRef::Lab(ix) => &mut self.labs[ix.index()],
            _ => return,
        };
        *slot = (*slot).max_known(status);
        self.known.push(concept);
        self.derived.push((concept, status == Status::Present));
    }

    fn state(&self) -> Option<State> {
        [State::Pregnant, State::Postpartum]
            .into_iter()
            .find(|&state| self.state_status(state) == Status::Present)
    }

    /// Whether a concept applies at this age and for this sex. A concept that does not apply is
    /// neither present nor absent.
    fn fits(&self, concept: ConceptRef) -> bool {
        self.base.fits(concept, self.age, self.sex)
    }

    /// Marks ancestors of present findings as present, and descendants of absent findings as absent
    /// unless they are present.
    fn close_over_relations(&mut self) {
        let base = self.base;
        let noted = self.known.iter().filter_map(|concept| concept.finding());
        // Copied, because the loop below adds to `known`.
        let mut noted: Vec<FindingIx> = noted.collect();
        noted.sort_unstable();
        noted.dedup();
        for &ix in &noted {
            if self.finding(ix) != Status::Present {
                continue;
            }
            let finding = base.finding(ix);
            for ancestor in &finding.ancestors {
                if !self.fits(ConceptRef::Finding(*ancestor)) {
                    continue;
                }
                self.known.push(ConceptRef::Finding(*ancestor));
                let slot = &mut self.findings[ancestor.index()];
                if *slot == Status::Absent {
                    self.concerns.push(Concern {
                        says: format!(
                            "\"{}\" is present although \"{}\" is called absent; both were taken as present.",
                            finding.text.name,
                            base.finding(*ancestor).text.name
                        ),
                        left_out: false,
                    });
                }
                *slot = Status::Present;
            }
        }
        // In a second pass, when every ancestor of a present finding is marked: only then is it
        // certain which narrower findings may be set to absent.
        for ix in noted {
            if self.finding(ix) != Status::Absent {
                continue;
            }
            for descendant in &base.finding(ix).descendants {
                if !self.fits(ConceptRef::Finding(*descendant)) {
                    continue;
                }
                let slot = &mut self.findings[descendant.index()];
                // Of a contradiction the dangerous reading wins.
                if *slot != Status::Present {
                    *slot = Status::Absent;
                }
            }
        }
    }

    /// Collects the evidence that was stated or derived from a value, one entry per concept. Facts
    /// that only follow from other facts are not included.
    fn collect_evidence_items(&mut self, evidence: &[(ConceptRef, &Evidence)]) {
        let counts = |concept: &ConceptRef, item: &Evidence| {
            item.choice != Choice::Unknown
                // A measure counts through the findings that follow from its value.
                && !matches!(concept, ConceptRef::Measure(_) | ConceptRef::Condition(_))
        };
        // The evidence is already sorted by concept without duplicates.
        let evidence_items = evidence
            .iter()
            .filter(|(concept, item)| counts(concept, item));
        self.evidence_items = evidence_items
            .map(|(concept, item)| EvidenceItem {
                concept: *concept,
                present: match concept {
                    // Read from the facts and not from the answer, because the value of the test
                    // may have overridden it.
                    ConceptRef::Lab(ix) => self.labs[ix.index()] == Status::Present,
                    ConceptRef::Risk(ix) => self.risk(*ix) == Status::Present,
                    _ => item.choice == Choice::Present,
                },
                severity: item.severity,
            })
            .collect();
        for &(concept, present) in &self.derived {
            match self
                .evidence_items
                .binary_search_by_key(&concept, |item| item.concept)
            {
                // A contradiction counts as present.
                Ok(place) => self.evidence_items[place].present |= present,
                Err(place) => self.evidence_items.insert(
                    place,
                    EvidenceItem {
                        concept,
                        present,
                        severity: None,
                    },
                ),
            }
        }
    }

    /// Reduces the noted concepts to those that are present or measured.
    fn collect_known(&mut self) {
        let mut known = std::mem::take(&mut self.known);
        known.retain(|concept| self.is_present(*concept));
        known.sort_unstable();
        known.dedup();
        let measured = self.values.iter().map(|(concept, _)| *concept);
        // A laboratory test can be both present and measured.
        known.extend(measured.filter(|concept| !self.is_present(*concept)));
        self.known = known;
    }

    /// Returns the evidence that counts in its own right, out of all that was stated.
    pub(crate) fn counted(&self) -> Vec<EvidenceItem> {
        self.counted_among(&self.evidence_items)
    }

    /// Returns the evidence among `kept`, sorted by concept, that counts in its own right. A
    /// present finding counts unless a narrower one is present. An absent finding counts unless a
    /// broader one is absent or a narrower one is present. So nothing is counted twice.
    pub(crate) fn counted_among(&self, kept: &[EvidenceItem]) -> Vec<EvidenceItem> {
        // Loops over ancestors because a finding has few of them, but many descendants.
        let broader = |ix: FindingIx| &self.base.finding(ix).ancestors;
        let present = kept.iter().filter(|item| item.present);
        let present = present.filter_map(|item| item.concept.finding());
        let said_by_narrower: Vec<FindingIx> = present.flat_map(broader).copied().collect();
        let counts = |item: &&EvidenceItem| {
            item.concept.finding().is_none_or(|ix| {
                !said_by_narrower.contains(&ix)
                    && (item.present || !is_any_among(kept, broader(ix), false))
            })
        };
        let mut counted = Vec::with_capacity(kept.len());
        counted.extend(kept.iter().filter(counts));
        counted
    }
}

/// Whether any of these findings is among the stated evidence, as present or as absent.
/// `evidence_items` is sorted by concept.
pub(crate) fn is_any_among(
    evidence_items: &[EvidenceItem],
    findings: &[FindingIx],
    present: bool,
) -> bool {
    findings
        .iter()
        .any(|&ix| is_among(evidence_items, ix, present))
}

/// Like [`is_any_among`], for a single finding.
pub(crate) fn is_among(evidence_items: &[EvidenceItem], ix: FindingIx, present: bool) -> bool {
    let place = evidence_items.binary_search_by_key(&ConceptRef::Finding(ix), |item| item.concept);
    place.is_ok_and(|place| evidence_items[place].present == present)
}

impl Status {
    /// Returns the stronger of two statuses: present, then absent, then unknown, then unasked.
    fn max_known(self, other: Self) -> Self {
        let rank = |status| match status {
            Self::Unasked => 0,
            Self::Unknown => 1,
            Self::Absent => 2,
            Self::Present => 3,
        };
        if rank(other) > rank(self) {
            other
        } else {
            self
        }
    }
}

fn status_of(choice: Choice) -> Status {
    match choice {
        Choice::Present => Status::Present,
        Choice::Absent => Status::Absent,
        Choice::Unknown => Status::Unknown,
    }
}
