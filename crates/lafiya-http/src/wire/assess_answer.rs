//! The response of `POST /assess`: a pure function of the stored record. Every documented field is
//! always present; only those that the contract marks may be null.

use lafiya_model::assessment::{
    AssessedCondition, Investigation, Notifiable, RedFlag, Triage, Warning, WatchFor,
};
use lafiya_model::{AssessmentDocument, NearestFacility, Text};
use lafiya_service::assess::Assessed;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::contributions::{ContributionAnswer, Contributions, PreserializedContributions};

#[derive(Serialize, ToSchema)]
pub(crate) struct AssessAnswer<'a> {
    /// The interview; send it again to continue
    interview_id: Uuid,
    /// This turn; `/rationale` explains it
    assessment_id: Uuid,
    /// Most likely first
    conditions: Vec<ConditionAnswer<'a>>,
    triage: TriageAnswer<'a>,
    /// True when enough evidence has been gathered
    should_stop: bool,
    /// Why it may stop or continue
    stop_reason: &'a str,
    next_question: Option<QuestionAnswer<'a>>,
    /// Deprecated: all red flags in one list
    red_flags: Vec<&'a str>,
    red_flags_structured: Vec<RedFlagAnswer<'a>>,
    red_flags_present: Vec<&'a str>,
    red_flags_watch_for: Vec<&'a str>,
    red_flags_watch_for_structured: Vec<WatchForAnswer<'a>>,
    /// True if there is a red flag of seriousness `emergency` or `emergency_ambulance`
    has_emergency_evidence: bool,
    clinical_warnings: Vec<WarningAnswer<'a>>,
    recommended_investigations: Vec<InvestigationAnswer<'a>>,
    treatment_guidance: TreatmentAnswer<'a>,
    referral_pathway: ReferralAnswer<'a>,
    /// Facilities that can provide what is needed, nearest first; empty if the location is not
    /// known
    nearest_facilities: Vec<FacilityAnswer<'a>>,
    /// Diseases that must be reported when suspected
    notifiable: Vec<NotifiableAnswer<'a>>,
    /// The numbered sources that citations point to
    #[schema(value_type = Vec<String>)]
    sources: &'a [Text<'a>],
    metadata: MetadataAnswer<'a>,
    disclaimer: &'a str,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ConditionAnswer<'a> {
    id: &'a str,
    name: &'a str,
    /// 0 to 1
    probability: f64,
    /// `mild`, `moderate`, `severe` or `critical`
    severity: &'a str,
    common_name: &'a str,
    icd10: &'a str,
    snomed_ct: &'a str,
    description: &'a str,
    #[schema(value_type = Vec<String>)]
    evidence_supporting: &'a [Text<'a>],
    #[schema(value_type = Vec<String>)]
    evidence_against: &'a [Text<'a>],
    #[schema(value_type = Vec<String>)]
    source_citations: &'a [Text<'a>],
    rationale_one_line: &'a str,
    insufficient_data: bool,
    /// The weight of each piece of evidence in log-odds; their sum is the score
    #[schema(value_type = Vec<ContributionAnswer>)]
    contributions: Contributions<'a>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct TriageAnswer<'a> {
    /// `emergency`, `urgent`, `routine` or `self-care`
    level: &'static str,
    description: &'a str,
    recommended_action: &'a str,
    /// Such as `within_24_hours`
    timeframe: &'static str,
    recommended_specialist: Option<SpecialistAnswer<'a>>,
    recommended_channel: Option<&'a str>,
    root_cause: Option<&'a str>,
    /// Ids of the symptoms that most influenced the level
    contributing_evidence: Option<Vec<&'a str>>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct SpecialistAnswer<'a> {
    id: &'a str,
    name: &'a str,
    reasoning: &'a str,
    escalate_to: &'a str,
    escalation_trigger: &'a str,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct QuestionAnswer<'a> {
    /// The concept id to send back as evidence
    id: &'a str,
    text: &'a str,
    explanation: &'a str,
    options: [OptionAnswer; 3],
}

#[derive(Serialize, ToSchema)]
pub(crate) struct OptionAnswer {
    id: &'static str,
    label: &'static str,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct RedFlagAnswer<'a> {
    id: &'a str,
    name: &'a str,
    /// `serious`, `emergency` or `emergency_ambulance`
    seriousness: &'static str,
    root_cause: &'a str,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct WatchForAnswer<'a> {
    sign: &'a str,
    escalates_to: &'a str,
    action: &'a str,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct WarningAnswer<'a> {
    /// `validation_concern`, `age_vulnerability`, `triage_mismatch` or `confidence_low`
    #[serde(rename = "type")]
    #[schema(value_type = String)]
    kind: lafiya_model::assessment::WarningKind,
    /// `high`, `medium` or `low`
    #[schema(value_type = String)]
    severity: lafiya_model::assessment::WarningSeverity,
    message: &'a str,
    recommended_action: &'a str,
    #[schema(value_type = Vec<String>)]
    details: &'a [Text<'a>],
}

#[derive(Serialize, ToSchema)]
pub(crate) struct InvestigationAnswer<'a> {
    /// 1 is highest
    priority: u32,
    test_id: &'a str,
    test_name: &'a str,
    alternative_name: &'a str,
    purpose: &'a str,
    source: &'a str,
    interpretation: &'a str,
    /// `immediate`, `within_2_hours`, `within_24_hours` or `if_negative_for_primary`; never sooner
    /// than the `timeframe` of the triage: `within_72_hours`, `within_2_weeks` or `when_convenient`
    /// where the visit is later than the test was asked for
    urgency: &'a str,
    #[schema(value_type = Vec<String>)]
    differentiates: &'a [Text<'a>],
    /// Lowest level of care that usually has it
    available_at: &'a str,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct TreatmentAnswer<'a> {
    #[schema(value_type = Vec<String>)]
    immediate_actions: &'a [Text<'a>],
    condition_specific: Vec<ConditionTreatmentAnswer<'a>>,
    #[schema(value_type = Vec<String>)]
    supportive_care: &'a [Text<'a>],
    /// What not to give to this patient
    #[schema(value_type = Vec<String>)]
    avoid: &'a [Text<'a>],
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ConditionTreatmentAnswer<'a> {
    condition_id: &'a str,
    condition_name: &'a str,
    if_confirmed: ConfirmedAnswer<'a>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ConfirmedAnswer<'a> {
    first_line: &'a str,
    alternative: &'a str,
    source: &'a str,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ReferralAnswer<'a> {
    current_level: &'a str,
    refer_to: &'a str,
    #[schema(value_type = Vec<String>)]
    referral_criteria: &'a [Text<'a>],
    #[schema(value_type = Vec<String>)]
    pre_referral_actions: &'a [Text<'a>],
    source: &'a str,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct FacilityAnswer<'a> {
    name: &'a str,
    address: &'a str,
    /// Null if not known
    phone: Option<&'a str>,
    /// What kind, such as `Teaching hospital`
    #[serde(rename = "type")]
    kind: &'a str,
    /// In a straight line
    distance_km: f64,
    /// Null if not known
    rating: Option<f64>,
    /// Null if not known
    open_now: Option<bool>,
    /// `pharmacy`, `primary`, `hospital` or `referral`
    level: &'static str,
    /// What to know before travelling
    travel_hint: &'a str,
    latitude: f64,
    longitude: f64,
    /// The register it comes from
    source: &'a str,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct NotifiableAnswer<'a> {
    condition_id: &'a str,
    condition_name: &'a str,
    scheme: &'a str,
    how_fast: &'a str,
    to: &'a str,
    source: &'a str,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct MetadataAnswer<'a> {
    model_used: &'a str,
    confidence: f64,
    total_latency_ms: u64,
    retrieval_time_ms: u64,
    generation_time_ms: u64,
    validation_time_ms: u64,
    validation_passed: bool,
    triage_overridden: bool,
    chunks_retrieved: usize,
    cache_hit: bool,
    /// 1: emergency override, 2: clinical warnings, 3: all clear
    escalation_tier: u8,
    phi_tokenized: bool,
    #[schema(example = "adult_15_49")]
    phi_age_group: &'a str,
    phi_region: Option<&'a str>,
    /// Content hash of the knowledge base that answered
    knowledge_version: &'a str,
    engine_version: &'a str,
    /// `not_asked`, `used`, `used_in_part`, `refused` or `unavailable`: the outcome of asking a
    /// language model
    second_opinion: &'static str,
}

const OPTIONS: [OptionAnswer; 3] = [
    OptionAnswer {
        id: "present",
        label: "Yes",
    },
    OptionAnswer {
        id: "absent",
        label: "No",
    },
    OptionAnswer {
        id: "unknown",
        label: "I do not know",
    },
];

impl<'a> AssessAnswer<'a> {
    /// Builds the response with the contributions of its evidence.
    pub(crate) fn of(answer: &'a Assessed<'_>, pieces: &'a PreserializedContributions) -> Self {
        let document = &answer.document;
        let it = &document.assessment;
        let flags: Vec<&str> = it.red_flags.iter().map(|flag| flag.name.as_str()).collect();
        let signs: Vec<&str> = it
            .watch_for
            .iter()
            .map(|watch| watch.sign.as_str())
            .collect();
        Self {
            interview_id: document.interview_id.0,
            assessment_id: document.assessment_id.0,
            conditions: it
                .conditions
                .iter()
                .map(|condition| ConditionAnswer::of(condition, pieces))
                .collect(),
            triage: TriageAnswer::from(&it.triage),
            should_stop: it.should_stop,
            stop_reason: &it.stop_reason,
            next_question: it.next_question.as_ref().map(|question| QuestionAnswer {
                id: question.id.as_str(),
                text: &question.text,
                explanation: &question.explanation,
                options: OPTIONS,
            }),
            red_flags: flags.iter().chain(&signs).copied().collect(),
            red_flags_structured: it.red_flags.iter().map(RedFlagAnswer::from).collect(),
            red_flags_present: flags,
            red_flags_watch_for: signs,
            red_flags_watch_for_structured: it.watch_for.iter().map(WatchForAnswer::from).collect(),
            has_emergency_evidence: it.has_emergency_evidence,
            clinical_warnings: it.warnings.iter().map(WarningAnswer::from).collect(),
            recommended_investigations: it
                .investigations
                .iter()
                .map(InvestigationAnswer::from)
                .collect(),
            treatment_guidance: TreatmentAnswer {
                immediate_actions: &it.treatment.immediate_actions,
                condition_specific: it
                    .treatment
                    .condition_specific
                    .iter()
                    .map(|treatment| ConditionTreatmentAnswer {
                        condition_id: treatment.condition_id.as_str(),
                        condition_name: &treatment.condition_name,
                        if_confirmed: ConfirmedAnswer {
                            first_line: &treatment.first_line,
                            alternative: &treatment.alternative,
                            source: &treatment.source,
                        },
                    })
                    .collect(),
                supportive_care: &it.treatment.supportive_care,
                avoid: &it.treatment.avoid,
            },
            referral_pathway: ReferralAnswer {
                current_level: &it.referral.current_level,
                refer_to: &it.referral.refer_to,
                referral_criteria: &it.referral.criteria,
                pre_referral_actions: &it.referral.pre_referral_actions,
                source: &it.referral.source,
            },
            nearest_facilities: document
                .facilities
                .iter()
                .map(FacilityAnswer::from)
                .collect(),
            notifiable: it.notifiable.iter().map(NotifiableAnswer::from).collect(),
            sources: &it.sources,
            metadata: metadata(document, answer.cache_hit),
            disclaimer: &document.disclaimer,
        }
    }
}

fn metadata<'a>(document: &'a AssessmentDocument<'_>, cache_hit: bool) -> MetadataAnswer<'a> {
    let it = &document.assessment;
    MetadataAnswer {
        model_used: &document.model_used,
        confidence: it.confidence,
        total_latency_ms: document.timings.total_ms,
        retrieval_time_ms: document.timings.retrieval_ms,
        generation_time_ms: document.timings.generation_ms,
        validation_time_ms: document.timings.validation_ms,
        validation_passed: document
            .second_opinion
            .as_ref()
            .is_none_or(|it| it.passed()),
        triage_overridden: it.triage.overridden,
        chunks_retrieved: it.chunks_retrieved,
        cache_hit,
        escalation_tier: it.escalation_tier,
        phi_tokenized: true,
        phi_age_group: &document.age_group,
        phi_region: document.region.as_deref(),
        knowledge_version: &document.knowledge_version,
        engine_version: &document.engine_version,
        second_opinion: opinion_status(document),
    }
}

/// Returns the outcome of the second opinion, or `not_asked`.
pub(crate) fn opinion_status(document: &AssessmentDocument<'_>) -> &'static str {
    let opinion = document.second_opinion.as_ref();
    opinion.map_or("not_asked", |it| it.status.as_str())
}

impl<'a> ConditionAnswer<'a> {
    fn of(it: &'a AssessedCondition<'_>, pieces: &'a PreserializedContributions) -> Self {
        Self {
            id: it.id.as_str(),
            name: &it.name,
            probability: it.probability,
            severity: &it.severity,
            common_name: &it.common_name,
            icd10: &it.icd10,
            snomed_ct: &it.snomed_ct,
            description: &it.description,
            evidence_supporting: &it.supporting,
            evidence_against: &it.against,
            source_citations: &it.citations,
            rationale_one_line: &it.rationale,
            insufficient_data: it.insufficient_data,
            contributions: Contributions {
                pieces,
                weights: &it.weights,
            },
        }
    }
}

impl<'a> From<&'a Triage<'_>> for TriageAnswer<'a> {
    fn from(it: &'a Triage<'_>) -> Self {
        Self {
            level: it.level.as_str(),
            description: &it.description,
            recommended_action: &it.recommended_action,
            timeframe: it.timeframe.as_str(),
            recommended_specialist: it.specialist.as_ref().map(|specialist| SpecialistAnswer {
                id: &specialist.id,
                name: &specialist.name,
                reasoning: &specialist.reasoning,
                escalate_to: &specialist.escalate_to,
                escalation_trigger: &specialist.escalation_trigger,
            }),
            recommended_channel: it.channel.as_deref(),
            root_cause: it.root_cause.as_deref(),
            contributing_evidence: Some(
                it.contributing_evidence
                    .iter()
                    .map(|id| id.as_str())
                    .collect(),
            ),
        }
    }
}

impl<'a> From<&'a RedFlag<'_>> for RedFlagAnswer<'a> {
    fn from(it: &'a RedFlag<'_>) -> Self {
        Self {
            id: &it.id,
            name: &it.name,
            seriousness: it.seriousness.as_str(),
            root_cause: &it.root_cause,
        }
    }
}

impl<'a> From<&'a WatchFor<'_>> for WatchForAnswer<'a> {
    fn from(it: &'a WatchFor<'_>) -> Self {
        Self {
            sign: &it.sign,
            escalates_to: &it.escalates_to,
            action: &it.action,
        }
    }
}

impl<'a> From<&'a Warning<'_>> for WarningAnswer<'a> {
    fn from(it: &'a Warning<'_>) -> Self {
        Self {
            kind: it.kind,
            severity: it.severity,
            message: &it.message,
            recommended_action: &it.recommended_action,
            details: &it.details,
        }
    }
}

impl<'a> From<&'a Investigation<'_>> for InvestigationAnswer<'a> {
    fn from(it: &'a Investigation<'_>) -> Self {
        Self {
            priority: it.priority,
            test_id: it.test_id.as_str(),
            test_name: &it.test_name,
            alternative_name: &it.alternative_name,
            purpose: &it.purpose,
            source: &it.source,
            interpretation: &it.interpretation,
            urgency: &it.urgency,
            differentiates: &it.differentiates,
            available_at: &it.available_at,
        }
    }
}

impl<'a> From<&'a NearestFacility> for FacilityAnswer<'a> {
    fn from(it: &'a NearestFacility) -> Self {
        Self {
            name: &it.name,
            address: &it.address,
            phone: it.phone.as_deref(),
            kind: &it.kind,
            distance_km: it.distance_km,
            rating: it.rating,
            open_now: it.open_now,
            level: it.level.as_str(),
            travel_hint: &it.travel_hint,
            latitude: it.latitude,
            longitude: it.longitude,
            source: &it.source,
        }
    }
}

impl<'a> From<&'a Notifiable<'_>> for NotifiableAnswer<'a> {
    fn from(it: &'a Notifiable<'_>) -> Self {
        Self {
            condition_id: it.condition_id.as_str(),
            condition_name: &it.condition_name,
            scheme: &it.scheme,
            how_fast: &it.how_fast,
            to: &it.to,
            source: &it.source,
        }
    }
}
