//! Danger signs: red-flag findings, rules and scores. No further evidence can switch them off.

use lafiya_knowledge::{ConceptRef, FindingIx};
use lafiya_model::assessment::RedFlag;
use lafiya_model::{Phrase, Seriousness, Text, Timeframe, TriageLevel};

use crate::facts::{PatientFacts, Status};

/// One reason for alarm.
#[derive(Clone, Debug)]
pub(crate) struct Alarm<'a> {
    pub(crate) level: TriageLevel,
    pub(crate) timeframe: Timeframe,
    pub(crate) flag: RedFlag<'a>,
    /// What to do, as written; `None` if the alarm says nothing of its own.
    pub(crate) action: Option<&'a Phrase>,
    /// The shorter action for an emergency with another cause, if only part of the usual action
    /// still applies.
    pub(crate) in_emergency: Option<&'a Phrase>,
    pub(crate) evidence: Vec<ConceptRef>,
    pub(crate) isolate: bool,
    pub(crate) notify: Option<&'a str>,
    /// Whether the alarm is a finding itself, rather than a combination of findings.
    pub(crate) is_evidence: bool,
}

impl<'a> Alarm<'a> {
    /// Returns the action for a patient at this level. In an emergency, actions that can wait are
    /// left out.
    pub(crate) fn action_at(&self, level: TriageLevel) -> Option<&'a Phrase> {
        let is_lesser = self.level < TriageLevel::Emergency && level == TriageLevel::Emergency;
        match self.in_emergency {
            Some(rest) if is_lesser => Some(rest),
            _ => self.action,
        }
    }
}

/// Returns every alarm, the worst first.
pub(crate) fn alarms<'a>(facts: &PatientFacts<'a>) -> Vec<Alarm<'a>> {
    let mut alarms = finding_alarms(facts);
    alarms.extend(rule_alarms(facts));
    alarms.extend(score_alarms(facts));
    for alarm in &facts.misfit_alarms {
        if alarms.iter().all(|known| known.flag.id != alarm.flag.id) {
            alarms.push(alarm.clone());
        }
    }
    alarms.sort_by(|a, b| {
        let rank = |alarm: &Alarm<'_>| (alarm.level, alarm.flag.seriousness, alarm.timeframe);
        rank(b)
            .cmp(&rank(a))
            // The id breaks ties, so that the order does not depend on how the evidence was
            // entered.
            .then_with(|| a.flag.id.as_str().cmp(&b.flag.id))
    });
    alarms
}

/// Returns the present findings that are dangerous by themselves, whatever else is known.
pub(crate) fn dangerous_findings(facts: &PatientFacts<'_>) -> Vec<FindingIx> {
    let known = facts.known.iter().filter_map(|concept| concept.finding());
    let is_dangerous = |ix: &FindingIx| {
        facts.finding(*ix) == Status::Present && facts.base.finding(*ix).is_danger()
    };
    known.filter(is_dangerous).collect()
}

fn finding_alarms<'a>(facts: &PatientFacts<'a>) -> Vec<Alarm<'a>> {
    dangerous_findings(facts)
        .into_iter()
        .filter_map(|ix| {
            let text = &facts.base.finding(ix).text;
            let seriousness = text.red_flag.seriousness()?;
            Some(Alarm {
                level: seriousness.floor(),
                timeframe: match seriousness {
                    Seriousness::Serious => Timeframe::Within24Hours,
                    Seriousness::Emergency | Seriousness::EmergencyAmbulance => {
                        Timeframe::Immediately
                    }
                },
                flag: RedFlag {
                    id: Text::from(&text.id),
                    name: Text::from(&text.name),
                    seriousness,
                    root_cause: text.danger.as_ref().map(Text::from).unwrap_or_default(),
                },
                action: None,
                in_emergency: None,
                evidence: vec![ConceptRef::Finding(ix)],
                isolate: false,
                notify: None,
                is_evidence: true,
            })
        })
        .collect()
}

fn rule_alarms<'a>(facts: &PatientFacts<'a>) -> Vec<Alarm<'a>> {
    let fired = facts
        .base
        .rules_awake(&facts.known)
        // `rules_awake` only preselects by the concepts that a rule mentions; the condition itself
        // is checked here.
        .filter_map(|rule| Some((rule, rule.when.evidence(facts)?)));
    fired
        .map(|(rule, evidence)| {
            let effect = &rule.text.effect;
            Alarm {
                level: effect.level,
                timeframe: effect.timeframe,
                flag: RedFlag {
                    id: Text::from(&rule.text.id),
                    name: Text::from(&rule.text.says),
                    seriousness: seriousness(effect.seriousness, effect.level),
                    root_cause: Text::from(&rule.text.says),
                },
                action: Some(&effect.action),
                in_emergency: effect.in_emergency.as_ref(),
                evidence,
                isolate: effect.isolate,
                notify: effect.notify.as_deref(),
                is_evidence: false,
            }
        })
        .collect()
}

fn score_alarms<'a>(facts: &PatientFacts<'a>) -> Vec<Alarm<'a>> {
    let counted = facts.base.scores().iter().filter_map(|score| {
        let result = score.count(facts)?;
        let band = result.band?;
        Some((score, result, band))
    });
    counted
        // The lower bands of an early-warning score ask for observation; they are no reason for
        // alarm.
        .filter(|(_, _, band)| band.level >= TriageLevel::Urgent)
        .map(|(score, result, band)| Alarm {
            level: band.level,
            timeframe: band.timeframe,
            flag: RedFlag {
                id: Text::from(&score.text.id),
                name: format!("{} ({} points)", score.text.says, result.points).into(),
                seriousness: seriousness(None, band.level),
                root_cause: Text::from(&score.text.says),
            },
            action: None,
            in_emergency: None,
            evidence: result.evidence,
            isolate: false,
            notify: None,
            is_evidence: false,
        })
        .collect()
}

fn seriousness(stated: Option<Seriousness>, level: TriageLevel) -> Seriousness {
    stated.unwrap_or(match level {
        TriageLevel::Emergency => Seriousness::Emergency,
        _ => Seriousness::Serious,
    })
}
