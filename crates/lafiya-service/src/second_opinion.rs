//! Asks a language model for a second opinion. The order matters: the engine reasons, personal data
//! is removed from the question, the model is asked (which does not block other assessments), every
//! claim is judged, and the engine weighs the accepted ones. The outcome is stored with the
//! assessment.

use std::sync::Arc;
use std::time::{Duration, Instant};

use lafiya_engine::{Draft, Parameters, Refusal};
use lafiya_model::assessment::{Warning, WarningKind, WarningSeverity};
use lafiya_model::opinion::{Exchange, Verdict};
use lafiya_model::{DeidentifiedCase, OpinionStatus, SecondOpinion, Text, TextToProvider};
use lafiya_provider::{Asked, Judged, NoReply, Patient, Provider, Reply, judge, question_about};

use crate::error::ServiceError;
use crate::library::Library;

/// Maximum number of candidates that the model sees.
const CANDIDATES_MAX: usize = 12;
/// Maximum number of characters of a reply that are stored.
const ANSWER_CHARACTERS_KEPT: usize = 16_000;
/// Maximum number of refused claims that are listed.
const REFUSALS_SHOWN_MAX: usize = 10;

/// What happens if the provider gives no reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AiMode {
    /// The engine answers alone, with a warning.
    Fallback,
    /// The request fails with 503.
    Require,
}

/// The optional language model.
pub struct Advisor {
    /// The API client of the model.
    pub provider: Provider,
    /// What happens if it is unavailable.
    pub mode: AiMode,
}

/// A model's opinion on a case, before the engine has weighed it.
pub(crate) struct Advice {
    judged: Option<Judged>,
    kept: SecondOpinion,
    /// Number of knowledge base excerpts sent with the question.
    pub(crate) passages: usize,
    /// How long it took to find them.
    pub(crate) retrieval: Duration,
    /// How long the model took to reply.
    pub(crate) latency: Duration,
}

/// Asks the model. The question contains no personal data: not the exact age, no date, no place
/// beyond the region.
pub(crate) async fn ask(
    advisor: &Advisor,
    library: &Arc<Library>,
    case: &DeidentifiedCase,
    text: TextToProvider,
) -> Result<Advice, ServiceError> {
    let (asked, retrieval) = put_into_words(library, case).await?;
    let provider = &advisor.provider;
    let passages = asked.passages.len();
    match provider.ask(&asked.question).await {
        Ok(reply) => {
            let patient = Patient {
                age: case.age,
                sex: case.sex,
            };
            let judged = judge(library, &asked, patient, provider.model(), &reply.content);
            Ok(Advice {
                kept: answered(provider, &asked, &reply, text),
                judged: Some(judged),
                passages,
                retrieval,
                latency: reply.latency,
            })
        }
        Err(_) if advisor.mode == AiMode::Require => Err(ServiceError::ProviderUnavailable),
        Err(no_reply) => Ok(Advice {
            latency: no_reply.latency,
            kept: unanswered(provider, no_reply),
            judged: None,
            passages,
            retrieval,
        }),
    }
}

/// Builds the question from the engine's own draft.
async fn put_into_words(
    library: &Arc<Library>,
    case: &DeidentifiedCase,
) -> Result<(Asked, Duration), ServiceError> {
    let (library, case) = (Arc::clone(library), case.clone());
    let question_task = tokio::task::spawn_blocking(move || {
        let draft = lafiya_engine::assess(&library, &case, &Parameters::default());
        let outline = draft.outline(CANDIDATES_MAX);
        let begun = Instant::now();
        let group = case.age.band().public_group();
        let region = case.region.as_deref();
        let asked = question_about(&library, &outline, group, case.sex, region);
        (asked, begun.elapsed())
    });
    question_task
        .await
        .map_err(|cause| ServiceError::Internal(format!("reasoning broke off: {cause}")))
}

fn answered(
    provider: &Provider,
    asked: &Asked,
    reply: &Reply,
    text: TextToProvider,
) -> SecondOpinion {
    let exchange = || Exchange {
        request: asked.question.matter.clone(),
        answer: reply.content.chars().take(ANSWER_CHARACTERS_KEPT).collect(),
    };
    SecondOpinion {
        status: OpinionStatus::Refused,
        model: provider.model().to_owned(),
        failure: String::new(),
        request_sha256: reply.request_sha256.clone(),
        attempts: reply.attempts,
        latency_ms: milliseconds(reply.latency),
        verdicts: Vec::new(),
        exchange: (text == TextToProvider::Scrubbed).then(exchange),
    }
}

fn unanswered(provider: &Provider, no_reply: NoReply) -> SecondOpinion {
    SecondOpinion {
        status: OpinionStatus::Unavailable,
        model: provider.model().to_owned(),
        failure: no_reply.failure.as_str().to_owned(),
        request_sha256: no_reply.request_sha256,
        attempts: no_reply.attempts,
        latency_ms: milliseconds(no_reply.latency),
        verdicts: Vec::new(),
        exchange: None,
    }
}

impl Advice {
    /// Lets the engine weigh the accepted claims, and adds a warning about the refused ones to the
    /// draft.
    pub(crate) fn weigh(self, draft: &mut Draft<'_>, library: &Library) -> SecondOpinion {
        let mut kept = self.kept;
        let Some(judged) = self.judged else {
            draft.note(vec![nobody_answered(&kept)]);
            return kept;
        };
        let mut verdicts = judged.verdicts;
        for refusal in draft.consider(judged.opinion) {
            overrule(&mut verdicts, &refusal);
        }
        kept.status = match (
            verdicts.iter().any(|verdict| verdict.accepted),
            verdicts.iter().all(|verdict| verdict.accepted),
        ) {
            (true, true) => OpinionStatus::Used,
            (true, false) => OpinionStatus::UsedInPart,
            (false, _) => OpinionStatus::Refused,
        };
        kept.verdicts = verdicts;
        for verdict in &kept.verdicts {
            let word = if verdict.accepted {
                "accepted"
            } else {
                "refused"
            };
            metrics::counter!("lafiya_ai_claims_total", "verdict" => word).increment(1);
        }
        draft.note(refused_claims(&kept, library).into_iter().collect());
        kept
    }
}

/// Refuses claims that the engine rejects. The engine knows more about the patient than the judge,
/// so its decision is final.
fn overrule(verdicts: &mut [Verdict], refusal: &Refusal) {
    let is_meant = |verdict: &Verdict| match refusal {
        Refusal::Impossible(id) => verdict.about.as_ref() == Some(id),
        Refusal::LowerLevel => verdict.claim == "triage",
    };
    let reason = match refusal {
        Refusal::Impossible(_) => "is ruled out by what is known of the patient",
        Refusal::LowerLevel => "is less urgent than the engine's own level, which stands",
    };
    for verdict in verdicts
        .iter_mut()
        .filter(|verdict| verdict.accepted && is_meant(verdict))
    {
        verdict.accepted = false;
        reason.clone_into(&mut verdict.reason);
    }
}

/// Builds one warning for all refused claims, with one line per claim. It contains none of the
/// model's own words.
fn refused_claims(kept: &SecondOpinion, library: &Library) -> Option<Warning<'static>> {
    let refused: Vec<&Verdict> = kept
        .verdicts
        .iter()
        .filter(|verdict| !verdict.accepted)
        .collect();
    if refused.is_empty() {
        return None;
    }
    let line = |verdict: &&Verdict| {
        let about = verdict.about.as_ref();
        let about = about.and_then(|id| library.resolve(id.as_str()));
        let about = about.map_or(String::new(), |concept| {
            format!(" ({})", library.name_of(concept))
        });
        Text::from(format!("{}{about}: {}", verdict.claim, verdict.reason))
    };
    let mut details: Vec<Text<'static>> =
        refused.iter().take(REFUSALS_SHOWN_MAX).map(line).collect();
    if refused.len() > REFUSALS_SHOWN_MAX {
        let more = refused.len() - REFUSALS_SHOWN_MAX;
        details.push(format!("and {more} more").into());
    }
    Some(Warning {
        kind: WarningKind::ValidationConcern,
        severity: WarningSeverity::Medium,
        message: format!(
            "{} of {} claims of the second opinion did not pass validation and do not count.",
            refused.len(),
            kept.verdicts.len()
        )
        .into(),
        recommended_action: "Rely on the embedded answer for these.".into(),
        details,
    })
}

fn nobody_answered(kept: &SecondOpinion) -> Warning<'static> {
    Warning {
        kind: WarningKind::ValidationConcern,
        severity: WarningSeverity::Low,
        message: "No second opinion could be had; the answer is that of the embedded engine alone."
            .into(),
        recommended_action: "No action is needed; tell the operator if it lasts.".into(),
        details: vec![kept.failure.clone().into()],
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
