//! What a patient needs of a facility, derived from the assessment with a table of the knowledge
//! base (`services.toml`). The triage level determines which facilities are suitable. The
//! specialist, the category and referral of the leading condition, and the age determine the
//! services. No disease is named here.

use lafiya_knowledge::schema::Service;
use lafiya_knowledge::words::AskedBy;
use lafiya_knowledge::{ConceptRef, KnowledgeBase};
use lafiya_model::{Age, Assessment, FacilityLevel, TriageLevel};

/// The requirements for a facility.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// The urgency.
    pub urgency: TriageLevel,
    /// Suitable levels of care.
    pub levels: Vec<FacilityLevel>,
    /// Levels of care that are better than none.
    pub otherwise: Vec<FacilityLevel>,
    /// Ids of the required services.
    pub services: Vec<String>,
    /// Ids of the services that every facility for this level has, as a fallback if the required
    /// ones are not available.
    pub usual: Vec<String>,
    /// Ids of the services for which a specialised facility is suitable; `None` allows all.
    pub particular: Option<Vec<String>>,
}

impl Need {
    /// Returns what this assessment of a patient of this age requires.
    pub fn of(base: &KnowledgeBase, assessment: &Assessment, age: Age) -> Self {
        let level = assessment.triage.level;
        let Some(care) = base.services().care_at(level) else {
            return Self::anywhere(level);
        };
        let reasons = Reasons::of(base, assessment, age);
        let asks = |service: &&Service| care.by.iter().any(|by| reasons.ask(service, *by));
        let asked: Vec<&Service> = base.services().service.iter().filter(asks).collect();
        let mut services: Vec<String> = asked.iter().map(|service| service.id.clone()).collect();
        if !asked.iter().any(|service| service.stands_alone) {
            services.extend(care.services.iter().cloned());
        } else {
            // A children's hospital need not have the services of a general hospital.
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
            particular: Some(reasons.particular(base)),
        }
    }

    /// Returns what a triage level requires by itself.
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
            particular: Some(Vec::new()),
        }
    }

    /// Accepts any facility: for a knowledge base without `services.toml` entries, and for
    /// browsing.
    pub fn anywhere(urgency: TriageLevel) -> Self {
        Self {
            urgency,
            levels: FacilityLevel::ALL.to_vec(),
            otherwise: Vec::new(),
            services: Vec::new(),
            usual: Vec::new(),
            particular: None,
        }
    }
}

/// The parts of the case that can require a service, extracted once for all services.
struct Reasons<'a> {
    specialist: Option<&'a str>,
    category: Option<&'a str>,
    /// The place of referral, in lower case.
    referred_to: String,
    age: Age,
}

impl<'a> Reasons<'a> {
    fn of(base: &'a KnowledgeBase, assessment: &'a Assessment<'_>, age: Age) -> Self {
        let specialist = assessment.triage.specialist.as_ref();
        Self {
            specialist: specialist.map(|specialist| specialist.id.as_str()),
            category: leading_category(base, assessment),
            referred_to: assessment.referral.refer_to.to_lowercase(),
            age,
        }
    }

    /// Returns every service that any part of the case suggests, whether or not the triage level
    /// requires it: a child with a cough need not go to a children's hospital, but may.
    fn particular(&self, base: &KnowledgeBase) -> Vec<String> {
        let asked = |service: &&Service| AskedBy::ALL.iter().any(|by| self.ask(service, *by));
        let services = base.services().service.iter().filter(asked);
        services.map(|service| service.id.clone()).collect()
    }

    fn ask(&self, service: &Service, by: AskedBy) -> bool {
        let asks = &service.asked_by;
        let is_one_of = |id: Option<&str>, list: &[String]| {
            id.is_some_and(|id| list.iter().any(|listed| listed == id))
        };
        match by {
            AskedBy::Specialist => is_one_of(self.specialist, &asks.specialists),
            AskedBy::Category => is_one_of(self.category, &asks.categories),
            AskedBy::Referral => {
                let mut words = asks.words.iter();
                words.any(|word| self.referred_to.contains(word.as_str()))
            }
            AskedBy::Age => asks
                .below_years
                .is_some_and(|years| self.age.years() < years),
        }
    }
}

fn leading_category<'a>(base: &'a KnowledgeBase, assessment: &Assessment) -> Option<&'a str> {
    let leader = assessment.conditions.first()?;
    match base.resolve(leader.id.as_str())? {
        concept @ ConceptRef::Condition(_) => Some(base.category_of(concept)),
        _ => None,
    }
}
