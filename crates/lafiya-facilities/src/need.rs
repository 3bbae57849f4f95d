//! What a patient needs of a facility, read from the assessment by the table of the knowledge base
//! (`services.toml`): the triage level says which facilities are right, the specialist, the leading
//! condition's category and referral, and the age say which services. No disease is named here.

use lafiya_knowledge::schema::{Care, Service};
use lafiya_knowledge::words::AskedBy;
use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::{Age, Assessment, FacilityLevel, TriageLevel};

/// What a facility must be and have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// How urgent it is.
    pub urgency: TriageLevel,
    /// Facilities that are right.
    pub levels: Vec<FacilityLevel>,
    /// Facilities that are better than none.
    pub otherwise: Vec<FacilityLevel>,
    /// Ids of the services it must have.
    pub services: Vec<String>,
    /// Ids of what every facility for this level has, where the above are not to be found.
    pub usual: Vec<String>,
}

impl Need {
    /// What this assessment of a patient of this age asks for.
    pub fn of(base: &KnowledgeBase, assessment: &Assessment, age: Age) -> Self {
        let level = assessment.triage.level;
        let Some(care) = base.services().care_at(level) else {
            return Self::anywhere(level);
        };
        let asks = |service: &&Service| is_asked(base, service, care, assessment, age);
        let asked: Vec<&Service> = base.services().service.iter().filter(asks).collect();
        let mut services: Vec<String> = asked.iter().map(|it| it.id.clone()).collect();
        if !asked.iter().any(|it| it.stands_alone) {
            services.extend(care.services.iter().cloned());
        } else {
            // A children's hospital need not have what a hospital for everybody has.
            services.retain(|id| !care.services.contains(id));
        }
        services.sort_unstable();
        services.dedup();
        Self {
            urgency: level,
            levels: care.facilities.clone(),
            otherwise: care.otherwise.clone(),
            services,
            usual: care.services.clone(),
        }
    }

    /// What a triage level asks for by itself.
    pub fn at_level(base: &KnowledgeBase, level: TriageLevel) -> Self {
        let Some(care) = base.services().care_at(level) else {
            return Self::anywhere(level);
        };
        Self {
            urgency: level,
            levels: care.facilities.clone(),
            otherwise: care.otherwise.clone(),
            services: care.services.clone(),
            usual: care.services.clone(),
        }
    }

    /// Any facility at all: for a base that says nothing of facilities, and for looking around.
    pub fn anywhere(urgency: TriageLevel) -> Self {
        Self {
            urgency,
            levels: FacilityLevel::ALL.to_vec(),
            otherwise: Vec::new(),
            services: Vec::new(),
            usual: Vec::new(),
        }
    }
}

fn is_asked(
    base: &KnowledgeBase,
    service: &Service,
    care: &Care,
    assessment: &Assessment,
    age: Age,
) -> bool {
    let asks = &service.asked_by;
    care.by.iter().any(|by| match by {
        AskedBy::Specialist => {
            let specialist = assessment.triage.specialist.as_ref();
            specialist.is_some_and(|it| asks.specialists.iter().any(|id| it.id == id.as_str()))
        }
        AskedBy::Category => leading_category(base, assessment)
            .is_some_and(|it| asks.categories.iter().any(|c| c == it)),
        AskedBy::Referral => {
            let words = assessment.referral.refer_to.to_lowercase();
            asks.words.iter().any(|word| words.contains(word.as_str()))
        }
        AskedBy::Age => asks.below_years.is_some_and(|years| age.years() < years),
    })
}

fn leading_category<'a>(base: &'a KnowledgeBase, assessment: &Assessment) -> Option<&'a str> {
    let leader = assessment.conditions.first()?;
    match base.resolve(leader.id.as_str())? {
        concept @ ConceptRef::Condition(_) => Some(base.category_of(concept)),
        _ => None,
    }
}
