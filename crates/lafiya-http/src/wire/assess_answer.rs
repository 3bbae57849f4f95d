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
use super::medicines::MedicineAnswer;

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
    /// The medicines that the texts of the answer refer to, each with its dose for this patient; at
    /// most 12
    medicines: Vec<MedicineAnswer<'a>>,
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
        let assessment = &document.assessment;
        let flags: Vec<&str> = assessment
            .red_flags
            .iter()
            .map(|flag| flag.name.as_str())
            .collect();
        let signs: Vec<&str> = assessment
            .watch_for
            .iter()
            .map(|watch| watch.sign.as_str())
            .collect();
        Self {
            interview_id: document.interview_id.0,
            assessment_id: document.assessment_id.0,
            conditions: assessment
                .conditions
                .iter()
                .map(|condition| ConditionAnswer::of(condition, pieces))
                .collect(),
            triage: TriageAnswer::from(&assessment.triage),
            should_stop: assessment.should_stop,
            stop_reason: &assessment.stop_reason,
            next_question: assessment
                .next_question
                .as_ref()
                .map(|question| QuestionAnswer {
                    id: question.id.as_str(),
                    text: &question.text,
                    explanation: &question.explanation,
                    options: OPTIONS,
                }),
            red_flags: flags.iter().chain(&signs).copied().collect(),
            red_flags_structured: assessment
                .red_flags
                .iter()
                .map(RedFlagAnswer::from)
                .collect(),
            red_flags_present: flags,
            red_flags_watch_for: signs,
            red_flags_watch_for_structured: assessment
                .watch_for
                .iter()
                .map(WatchForAnswer::from)
                .collect(),
            has_emergency_evidence: assessment.has_emergency_evidence,
            clinical_warnings: assessment
                .warnings
                .iter()
                .map(WarningAnswer::from)
                .collect(),
            recommended_investigations: assessment
                .investigations
                .iter()
                .map(InvestigationAnswer::from)
                .collect(),
            treatment_guidance: TreatmentAnswer {
                immediate_actions: &assessment.treatment.immediate_actions,
                condition_specific: assessment
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
                supportive_care: &assessment.treatment.supportive_care,
                avoid: &assessment.treatment.avoid,
                medicines: assessment
                    .treatment
                    .medicines
                    .iter()
                    .map(MedicineAnswer::from)
                    .collect(),
            },
            referral_pathway: ReferralAnswer {
                current_level: &assessment.referral.current_level,
                refer_to: &assessment.referral.refer_to,
                referral_criteria: &assessment.referral.criteria,
                pre_referral_actions: &assessment.referral.pre_referral_actions,
                source: &assessment.referral.source,
            },
            nearest_facilities: document
                .facilities
                .iter()
                .map(FacilityAnswer::from)
                .collect(),
            notifiable: assessment
                .notifiable
                .iter()
                .map(NotifiableAnswer::from)
                .collect(),
            sources: &assessment.sources,
            metadata: metadata(document, answer.cache_hit),
            disclaimer: &document.disclaimer,
        }
    }
}

fn metadata<'a>(document: &'a AssessmentDocument<'_>, cache_hit: bool) -> MetadataAnswer<'a> {
    let assessment = &document.assessment;
    MetadataAnswer {
        model_used: &document.model_used,
        confidence: assessment.confidence,
        total_latency_ms: document.timings.total_ms,
        retrieval_time_ms: document.timings.retrieval_ms,
        generation_time_ms: document.timings.generation_ms,
        validation_time_ms: document.timings.validation_ms,
        validation_passed: document
            .second_opinion
            .as_ref()
            .is_none_or(|opinion| opinion.passed()),
        triage_overridden: assessment.triage.overridden,
        chunks_retrieved: assessment.chunks_retrieved,
        cache_hit,
        escalation_tier: assessment.escalation_tier,
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
    opinion.map_or("not_asked", |opinion| opinion.status.as_str())
}

impl<'a> ConditionAnswer<'a> {
    fn of(condition: &'a AssessedCondition<'_>, pieces: &'a PreserializedContributions) -> Self {
        Self {
            id: condition.id.as_str(),
            name: &condition.name,
            probability: condition.probability,
            severity: &condition.severity,
            common_name: &condition.common_name,
            icd10: &condition.icd10,
            snomed_ct: &condition.snomed_ct,
            description: &condition.description,
            evidence_supporting: &condition.supporting,
            evidence_against: &condition.against,
            source_citations: &condition.citations,
            rationale_one_line: &condition.rationale,
            insufficient_data: condition.insufficient_data,
            contributions: Contributions {
                pieces,
                weights: &condition.weights,
            },
        }
    }
}

impl<'a> From<&'a Triage<'_>> for TriageAnswer<'a> {
    fn from(triage: &'a Triage<'_>) -> Self {
        Self {
            level: triage.level.as_str(),
            description: &triage.description,
            recommended_action: &triage.recommended_action,
            timeframe: triage.timeframe.as_str(),
            recommended_specialist: triage
                .specialist
                .as_ref()
                .map(|specialist| SpecialistAnswer {
                    id: &specialist.id,
                    name: &specialist.name,
                    reasoning: &specialist.reasoning,
                    escalate_to: &specialist.escalate_to,
                    escalation_trigger: &specialist.escalation_trigger,
                }),
            recommended_channel: triage.channel.as_deref(),
            root_cause: triage.root_cause.as_deref(),
            contributing_evidence: Some(
                triage
                    .contributing_evidence
                    .iter()
                    .map(|id| id.as_str())
                    .collect(),
            ),
        }
    }
}

impl<'a> From<&'a RedFlag<'_>> for RedFlagAnswer<'a> {
    fn from(red_flag: &'a RedFlag<'_>) -> Self {
        Self {
            id: &red_flag.id,
            name: &red_flag.name,
            seriousness: red_flag.seriousness.as_str(),
            root_cause: &red_flag.root_cause,
        }
    }
}

impl<'a> From<&'a WatchFor<'_>> for WatchForAnswer<'a> {
    fn from(sign: &'a WatchFor<'_>) -> Self {
        Self {
            sign: &sign.sign,
            escalates_to: &sign.escalates_to,
            action: &sign.action,
        }
    }
}

impl<'a> From<&'a Warning<'_>> for WarningAnswer<'a> {
    fn from(warning: &'a Warning<'_>) -> Self {
        Self {
            kind: warning.kind,
            severity: warning.severity,
            message: &warning.message,
            recommended_action: &warning.recommended_action,
            details: &warning.details,
        }
    }
}

impl<'a> From<&'a Investigation<'_>> for InvestigationAnswer<'a> {
    fn from(investigation: &'a Investigation<'_>) -> Self {
        Self {
            priority: investigation.priority,
            test_id: investigation.test_id.as_str(),
            test_name: &investigation.test_name,
            alternative_name: &investigation.alternative_name,
            purpose: &investigation.purpose,
            source: &investigation.source,
            interpretation: &investigation.interpretation,
            urgency: &investigation.urgency,
            differentiates: &investigation.differentiates,
            available_at: &investigation.available_at,
        }
    }
}

impl<'a> From<&'a NearestFacility> for FacilityAnswer<'a> {
    fn from(facility: &'a NearestFacility) -> Self {
        Self {
            name: &facility.name,
            address: &facility.address,
            phone: facility.phone.as_deref(),
            kind: &facility.kind,
            distance_km: facility.distance_km,
            rating: facility.rating,
            open_now: facility.open_now,
            level: facility.level.as_str(),
            travel_hint: &facility.travel_hint,
            latitude: facility.latitude,
            longitude: facility.longitude,
            source: &facility.source,
        }
    }
}

impl<'a> From<&'a Notifiable<'_>> for NotifiableAnswer<'a> {
    fn from(duty: &'a Notifiable<'_>) -> Self {
        Self {
            condition_id: duty.condition_id.as_str(),
            condition_name: &duty.condition_name,
            scheme: &duty.scheme,
            how_fast: &duty.how_fast,
            to: &duty.to,
            source: &duty.source,
        }
    }
}
