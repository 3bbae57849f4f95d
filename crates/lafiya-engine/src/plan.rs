//! The plan: tests that separate the leading candidates, treatment with its source, referral,
//! warning signs, and notifiable diseases. Everything is copied from the knowledge base as written;
//! anything without a source is left out.

use lafiya_knowledge::schema::{self, Advice, Treatment};
use lafiya_knowledge::words::{State, Urgency};
use lafiya_knowledge::{Condition, ConditionIx, Facts, KnowledgeBase, LabIx, SourceIx, When};
use lafiya_model::assessment::{
    ConditionTreatment, Investigation, Notifiable, ReferralPathway, TreatmentGuidance, WatchFor,
};
use lafiya_model::ids::ConceptId;
use lafiya_model::{Age, Phrase, Text, Timeframe, TriageLevel};

use crate::citations::Citations;
use crate::danger::Alarm;
use crate::dosing::{Dosing, Place};
use crate::facts::PatientFacts;

const INVESTIGATIONS_MAX: usize = 8;
const ACTIONS_MAX: usize = 10;
const WATCH_FOR_MAX: usize = 6;
/// Conditions below this probability are not reported as suspected.
const SUSPECTED_FROM: f64 = 0.10;
/// From this probability on, a condition is more likely than not, and its advice is given
/// unconditionally.
const LIKELY_FROM: f64 = 0.5;
/// The age below which a child's dose is shown beside the adult dose. Many patients of 12 to 14
/// years weigh less than the 40 kg from which adult doses apply.
const CHILD_BELOW_YEARS: u32 = 15;

/// The candidates that the plan covers, with their probabilities.
pub(crate) type Leaders<'a> = [(ConditionIx, f64)];

fn condition<'a>(facts: &PatientFacts<'a>, leader: &(ConditionIx, f64)) -> &'a Condition {
    facts.base.condition(leader.0)
}

/// A test requested by one or more leaders, before it is put into words.
struct Test<'a> {
    lab: LabIx,
    /// The wording of the first leader that requests the test.
    text: &'a schema::Investigation,
    source: Option<SourceIx>,
    differentiates: Vec<ConditionIx>,
}

pub(crate) fn investigations<'a>(
    facts: &PatientFacts<'a>,
    leaders: &Leaders<'_>,
    timeframe: Timeframe,
    dosing: &Dosing<'_, 'a>,
    citations: &mut Citations<'a>,
) -> Vec<Investigation<'a>> {
    let mut tests: Vec<Test<'_>> = Vec::with_capacity(2 * INVESTIGATIONS_MAX);
    for leader in leaders {
        let condition = condition(facts, leader);
        for (text, link) in condition
            .text
            .investigation
            .iter()
            .zip(&condition.investigations)
        {
            let worth_doing = |ix: &LabIx| facts.base.lab(*ix).is_worth_doing(facts);
            let Some(lab) = link.test.filter(worth_doing) else {
                continue;
            };
            let place = tests.iter().position(|test| test.lab == lab);
            let place = place.unwrap_or_else(|| {
                if let Some(source) = link.source {
                    citations.cite(source);
                }
                tests.push(Test {
                    lab,
                    text,
                    source: link.source,
                    differentiates: Vec::with_capacity(1 + link.differentiates.len()),
                });
                tests.len() - 1
            });
            let differentiates = &mut tests[place].differentiates;
            differentiates.push(leader.0);
            differentiates.extend_from_slice(&link.differentiates);
        }
    }
    // Sorted by priority; the sort is stable, so ties keep the order of the leaders.
    tests.sort_by_key(|test| test.text.priority);
    tests.truncate(INVESTIGATIONS_MAX);
    let priorities = 1..;
    let tests = tests.into_iter().zip(priorities);
    tests
        .map(|(test, priority)| test.in_words(priority, timeframe, dosing, facts, citations))
        .collect()
}

impl<'a> Test<'a> {
    fn in_words(
        self,
        priority: u32,
        timeframe: Timeframe,
        dosing: &Dosing<'_, 'a>,
        facts: &PatientFacts<'a>,
        citations: &mut Citations<'a>,
    ) -> Investigation<'a> {
        let lab = &facts.base.lab(self.lab).text;
        let source = self.source.map(|ix| citations.cite(ix));
        let apart = self.differentiates.iter();
        let apart = apart.map(|ix| Text::from(&facts.base.condition(*ix).text.name));
        Investigation {
            priority,
            test_id: ConceptId(self.text.test.clone()),
            test_name: Text::from(&lab.name),
            alternative_name: lab.synonyms.first().map(Text::from).unwrap_or_default(),
            purpose: Text::from(&self.text.purpose),
            source: source.unwrap_or_default(),
            interpretation: dosing.plain(&self.text.interpretation, Place::Aside),
            urgency: planned(self.text.urgency, timeframe).into(),
            differentiates: distinct(apart, usize::MAX),
            available_at: self.text.level.as_str().into(),
        }
    }
}

/// Returns how soon a test is done in a patient who is seen within `timeframe`. A file says how
/// soon its condition asks for the test; in a patient who may wait longer, the test is done at the
/// visit.
fn planned(urgency: Urgency, timeframe: Timeframe) -> &'static str {
    match asked_within(urgency) {
        Some(asked) if asked > timeframe => timeframe.as_str(),
        _ => urgency.as_str(),
    }
}

/// Returns the timeframe that a test asks for, if it asks for any.
fn asked_within(urgency: Urgency) -> Option<Timeframe> {
    match urgency {
        Urgency::Immediate => Some(Timeframe::Immediately),
        Urgency::Within2Hours => Some(Timeframe::Within2Hours),
        Urgency::Within24Hours => Some(Timeframe::Within24Hours),
        Urgency::IfNegativeForPrimary => None,
    }
}

/// Whether a test, as shown, is not asked for sooner than the patient is seen.
pub(crate) fn is_within(test: &Investigation<'_>, timeframe: Timeframe) -> bool {
    let mut urgencies = Urgency::ALL.iter();
    let urgency = urgencies.find(|urgency| urgency.as_str() == test.urgency.as_str());
    let asked = urgency.and_then(|urgency| asked_within(*urgency));
    asked.is_none_or(|asked| asked <= timeframe)
}

pub(crate) fn treatment<'a>(
    dosing: &Dosing<'_, 'a>,
    leaders: &Leaders<'_>,
    alarms: &[Alarm<'a>],
    level: TriageLevel,
    citations: &mut Citations<'a>,
) -> TreatmentGuidance<'a> {
    let facts = dosing.facts();
    let conditions = || leaders.iter().map(|leader| condition(facts, leader));
    let urgent_actions = alarms
        .iter()
        // The action of a lesser alarm is no immediate action; it is in the recommended action if
        // it decides.
        .filter(|alarm| alarm.level >= TriageLevel::Urgent)
        // Findings and scores are alarms without an action of their own.
        .filter_map(|alarm| alarm.action_at(level))
        .filter(|action| !action.is_empty())
        .map(|action| dosing.of_rule(action));
    let avoid = conditions().flat_map(|condition| to_avoid(dosing, condition));
    TreatmentGuidance {
        immediate_actions: to_do(dosing, leaders, urgent_actions, |treatment| {
            &treatment.immediate_actions
        }),
        supportive_care: to_do(dosing, leaders, std::iter::empty(), |treatment| {
            &treatment.supportive_care
        }),
        avoid: distinct(avoid, ACTIONS_MAX),
        condition_specific: conditions()
            .filter_map(|condition| confirmed_treatment(dosing, condition, citations))
            .collect(),
        medicines: Vec::new(),
    }
}

/// Returns what to do now: the action of the deciding alarm and the general text of the level.
/// Where an alarm isolates, its action comes with it, and the general text is the one for
/// isolation: the usual one sends the patient among people.
pub(crate) fn recommended_action<'a>(
    dosing: &Dosing<'_, 'a>,
    alarms: &[Alarm<'a>],
    level: TriageLevel,
) -> Text<'a> {
    let deciding = alarms.first().filter(|alarm| alarm.level == level);
    let isolating = alarms.iter().find(|alarm| alarm.isolate);
    let text = dosing.facts().base.level_text(level);
    let general = text.and_then(|text| match isolating {
        Some(_) => text.in_isolation.as_ref(),
        None => Some(&text.recommended_action),
    });
    let general = general.map(|line| dosing.plain(line, Place::Treatment));
    let mut lines: Vec<Text<'a>> = Vec::with_capacity(3);
    let said = |line| dosing.of_rule(line);
    let of_deciding = deciding.and_then(|alarm| alarm.action).map(said);
    let of_isolating = isolating.and_then(|alarm| alarm.action_at(level)).map(said);
    for line in [of_deciding, of_isolating, general].into_iter().flatten() {
        if !line.is_empty() && !lines.contains(&line) {
            lines.push(line);
        }
    }
    match &lines[..] {
        [one] => one.clone(),
        several => several.join(" ").into(),
    }
}

/// Returns the actions. First come those that apply whatever the cause and, unconditionally, those
/// of a condition that is more likely than not. Then come those of the other candidates, each with
/// the condition it applies to, because what helps in one condition can harm in another.
fn to_do<'a>(
    dosing: &Dosing<'_, 'a>,
    leaders: &Leaders<'_>,
    in_any_case: impl Iterator<Item = Text<'a>>,
    lines: impl Fn(&'a Treatment) -> &'a [Phrase],
) -> Vec<Text<'a>> {
    let facts = dosing.facts();
    let lines_of = |condition: &'a Condition| lines(&condition.text.treatment).iter();
    let likely = leaders
        .first()
        .filter(|(_, probability)| *probability >= LIKELY_FROM);
    // The likely leader is covered by `of_leader`.
    let conditions = leaders.iter().skip(usize::from(likely.is_some()));
    let conditions = conditions.map(|leader| condition(facts, leader));
    let of_leader = likely.into_iter().flat_map(|leader| {
        let condition = condition(facts, leader);
        lines_of(condition).map(|line| dosing.of_condition(condition, line, Place::Treatment))
    });
    // A line that is for other patients only is empty.
    let in_any_case = in_any_case.chain(of_leader).filter(|line| !line.is_empty());
    let mut kept = distinct(in_any_case, ACTIONS_MAX);
    let unconditional = kept.len();
    for (condition, line) in
        conditions.flat_map(|condition| lines_of(condition).map(move |line| (condition, line)))
    {
        if kept.len() >= ACTIONS_MAX {
            break;
        }
        let line = dosing.of_condition(condition, line, Place::Treatment);
        // Two candidates may need the same line, each under its own name; only what holds in any
        // case is not repeated.
        if !line.is_empty() && !kept[..unconditional].contains(&line) {
            kept.push(only_if(condition, &line));
        }
    }
    kept
}

/// Limits a line to patients with this condition.
fn only_if<'a>(condition: &Condition, line: &str) -> Text<'a> {
    ["If ", &condition.text.name, ": ", line].concat().into()
}

/// Returns what not to give to this patient. Each line names its condition, because what one
/// condition forbids may be the treatment of another.
fn to_avoid<'a>(
    dosing: &Dosing<'_, 'a>,
    condition: &'a Condition,
) -> impl Iterator<Item = Text<'a>> {
    let facts = dosing.facts();
    let written = condition.text.treatment.avoid.iter();
    let applies = |(avoid, when): &(&schema::Avoid, &Option<When>)| {
        when.as_ref().is_none_or(|when| when.holds(facts)) && !avoid.source.is_empty()
    };
    written
        .zip(&condition.avoid_when)
        .filter(applies)
        .map(|(avoid, _)| dosing.plain(&avoid.text, Place::Aside))
        .filter(|line| !line.is_empty())
        .map(|line| only_if(condition, &line))
}

/// Returns the first and second choice for this patient, together with the line for pregnancy or
/// children.
fn confirmed_treatment<'a>(
    dosing: &Dosing<'_, 'a>,
    condition: &'a Condition,
    citations: &mut Citations<'a>,
) -> Option<ConditionTreatment<'a>> {
    let treatment = &condition.text.treatment;
    let facts = dosing.facts();
    let base = facts.base;
    let (first, source) = sourced(base, treatment.first_line.as_ref())?;
    let said = |line: &'a Phrase| dosing.of_condition(condition, line, Place::Treatment);
    let mut first_line = said(first);
    let mut sources = vec![source];
    let mut also = |label: &str, advice: Option<(Text<'a>, SourceIx)>| {
        if let Some((text, source)) = advice.filter(|(text, _)| !text.is_empty()) {
            // Lines of the knowledge base may or may not end with a full stop.
            let stop = if first_line.ends_with('.') { "" } else { "." };
            let all = [first_line.as_str(), stop, " ", label, ": ", &text];
            first_line = all.concat().into();
            sources.push(source);
        }
    };
    if facts.is_in(State::Pregnant) {
        let advice = sourced(base, treatment.pregnancy.as_ref());
        also(
            "In pregnancy",
            advice.map(|(text, source)| (said(text), source)),
        );
    }
    if facts.age < Age::from_years(CHILD_BELOW_YEARS) {
        let advice = sourced(base, treatment.children.as_ref());
        also(
            "Children",
            // Not through `doses`: the line for children names the doses for children.
            advice.map(|(text, source)| (dosing.plain(text, Place::Treatment), source)),
        );
    }
    let alternative = sourced(base, treatment.alternative.as_ref());
    sources.extend(alternative.map(|(_, source)| source));
    let cited: Vec<_> = distinct(sources.into_iter(), usize::MAX)
        .into_iter()
        .map(|source| citations.cite(source))
        .collect();
    Some(ConditionTreatment {
        condition_id: ConceptId(condition.text.id.clone()),
        condition_name: Text::from(&condition.text.name),
        first_line,
        alternative: alternative.map(|(text, _)| said(text)).unwrap_or_default(),
        source: joined(&cited),
    })
}

/// Returns advice with its source. Advice whose source cannot be cited is left out.
fn sourced<'a>(base: &KnowledgeBase, advice: Option<&'a Advice>) -> Option<(&'a Phrase, SourceIx)> {
    let advice = advice?;
    Some((&advice.text, base.find_source(&advice.source)?))
}

pub(crate) fn referral<'a>(
    dosing: &Dosing<'_, 'a>,
    leaders: &Leaders<'_>,
    level: TriageLevel,
    citations: &mut Citations<'a>,
) -> ReferralPathway<'a> {
    // Uses the pathway of the first leader that is as urgent as the patient, or else of the first
    // leader.
    let facts = dosing.facts();
    let conditions = || leaders.iter().map(|leader| condition(facts, leader));
    let as_urgent = conditions().position(|condition| condition.text.triage.default >= level);
    let place = as_urgent.unwrap_or_default();
    let Some((condition, text)) = conditions()
        .nth(place)
        .and_then(|condition| Some((condition, condition.text.referral.as_ref()?)))
    else {
        return ReferralPathway::default();
    };
    let said = |line: &'a Phrase| {
        let line = dosing.of_condition(condition, line, Place::Treatment);
        match place {
            _ if line.is_empty() => None,
            0 => Some(line),
            _ => Some(only_if(condition, &line)),
        }
    };
    ReferralPathway {
        current_level: Text::from(&text.current_level),
        refer_to: Text::from(&text.refer_to),
        criteria: text
            .criteria
            .iter()
            .map(|line| dosing.plain(line, Place::Aside))
            .collect(),
        pre_referral_actions: text.pre_referral_actions.iter().filter_map(said).collect(),
        source: citations.cite_id(&text.source),
    }
}

pub(crate) fn watch_for<'a>(dosing: &Dosing<'_, 'a>, leaders: &Leaders<'_>) -> Vec<WatchFor<'a>> {
    let words = leaders.iter().flat_map(|leader| {
        let condition = condition(dosing.facts(), leader);
        let signs = condition.text.watch_for.iter();
        signs.map(|sign| {
            let action = dosing.of_condition(condition, &sign.action, Place::Aside);
            let plain = |line| dosing.plain(line, Place::Aside);
            [plain(&sign.sign), plain(&sign.escalates_to), action]
        })
    });
    let distinct = distinct(words, WATCH_FOR_MAX).into_iter();
    distinct
        .map(|[sign, escalates_to, action]: [Text<'a>; 3]| WatchFor {
            sign,
            escalates_to,
            action,
        })
        .collect()
}

pub(crate) fn notifiable<'a>(
    facts: &PatientFacts<'a>,
    leaders: &Leaders<'_>,
    citations: &mut Citations<'a>,
) -> Vec<Notifiable<'a>> {
    let suspected = leaders
        .iter()
        .filter(|(_, probability)| *probability >= SUSPECTED_FROM);
    suspected
        .filter_map(|leader| {
            let text = &condition(facts, leader).text;
            let duty = text.notifiable.as_ref()?;
            Some(Notifiable {
                condition_id: ConceptId(text.id.clone()),
                condition_name: Text::from(&text.name),
                scheme: Text::from(&duty.scheme),
                how_fast: duty.how_fast.as_str().into(),
                to: Text::from(&duty.to),
                source: citations.cite_id(&duty.source),
            })
        })
        .collect()
}

/// Returns the first `max` distinct items.
fn distinct<T: PartialEq>(items: impl Iterator<Item = T>, max: usize) -> Vec<T> {
    let at_least = items.size_hint().0;
    // The lower bound of a filtered iterator is 0, and `max` may be `usize::MAX`.
    let mut kept = Vec::with_capacity(max.min(at_least.clamp(10, 16)));
    for item in items {
        if kept.len() >= max {
            break;
        }
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}

/// Joins several lines into one.
fn joined<'a>(lines: &[Text<'a>]) -> Text<'a> {
    match lines {
        [one] => one.clone(),
        several => several.join("; ").into(),
    }
}
