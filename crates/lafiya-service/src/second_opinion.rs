//! Asking a language model for a second opinion. The order matters: the engine thinks, the person is
//! out of the question, the model is asked (which keeps nobody else from thinking), every claim is judged,
//! and then the engine weighs what is left. What came of it is kept with the assessment.

use std::sync::Arc;
use std::time::{Duration, Instant};

use lafiya_engine::{Draft, Parameters, Refusal};
use lafiya_model::assessment::{Warning, WarningKind, WarningSeverity};
use lafiya_model::opinion::{Exchange, Verdict};
use lafiya_model::{DeidentifiedCase, OpinionStatus, SecondOpinion, Text, TextToProvider};
use lafiya_provider::{Asked, Judged, NoReply, Patient, Provider, Reply, judge, question_about};

use crate::error::ServiceError;
use crate::library::Library;

/// Candidates that the model is shown.
const CANDIDATES_MAX: usize = 12;
/// What is kept of an answer at most.
const ANSWER_CHARACTERS_KEPT: usize = 16_000;
/// Refused claims that are shown one by one.
const REFUSALS_SHOWN_MAX: usize = 10;

/// What happens when the provider gives no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AiMode {
    /// The engine answers alone, and says so.
    Fallback,
    /// Nobody answers: 503.
    Require,
}

/// The optional language model.
pub struct Advisor {
    /// Where it is.
    pub provider: Provider,
    /// What happens without it.
    pub mode: AiMode,
}

/// What a model said about a case, before the engine has weighed it.
pub(crate) struct Advice {
    judged: Option<Judged>,
    kept: SecondOpinion,
    /// Passages of the base that went along.
    pub(crate) passages: usize,
    /// What finding them took.
    pub(crate) retrieval: Duration,
    /// What asking took.
    pub(crate) latency: Duration,
}

/// Asks. Nothing of the person is in the question: not the age itself, no date, no place beyond the region.
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

/// The question, from what the engine thinks by itself.
async fn put_into_words(
    library: &Arc<Library>,
    case: &DeidentifiedCase,
) -> Result<(Asked, Duration), ServiceError> {
    let (library, case) = (Arc::clone(library), case.clone());
    let thinking = tokio::task::spawn_blocking(move || {
        let draft = lafiya_engine::assess(&library, &case, &Parameters::default());
        let outline = draft.outline(CANDIDATES_MAX);
        let begun = Instant::now();
        let group = case.age.band().public_group();
        let region = case.region.as_deref();
        let asked = question_about(&library, &outline, group, case.sex, region);
        (asked, begun.elapsed())
    });
    thinking
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
    /// Lets the engine weigh what passed, and says in the draft what did not.
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
            verdicts.iter().any(|it| it.accepted),
            verdicts.iter().all(|it| it.accepted),
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

/// The engine knows more of the patient than the judge: it has the last word.
fn overrule(verdicts: &mut [Verdict], refusal: &Refusal) {
    let is_meant = |verdict: &Verdict| match refusal {
        Refusal::Impossible(id) => verdict.about.as_ref() == Some(id),
        Refusal::LowerLevel => verdict.claim == "triage",
    };
    let reason = match refusal {
        Refusal::Impossible(_) => "is ruled out by what is known of the patient",
        Refusal::LowerLevel => "is less urgent than the engine's own level, which stands",
    };
    for verdict in verdicts.iter_mut().filter(|it| it.accepted && is_meant(it)) {
        verdict.accepted = false;
        reason.clone_into(&mut verdict.reason);
    }
}

/// One warning for all claims that were refused, one line for each. None of the model's words are in it.
fn refused_claims(kept: &SecondOpinion, library: &Library) -> Option<Warning<'static>> {
    let refused: Vec<&Verdict> = kept.verdicts.iter().filter(|it| !it.accepted).collect();
    if refused.is_empty() {
        return None;
    }
    let line = |verdict: &&Verdict| {
        let about = verdict.about.as_ref();
        let about = about.and_then(|id| library.resolve(id.as_str()));
        let about = about.map_or(String::new(), |it| format!(" ({})", library.name_of(it)));
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
