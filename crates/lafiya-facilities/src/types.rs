//! Maps a register's own words for a type of facility to the types of the knowledge base.

use lafiya_knowledge::KnowledgeBase;
use lafiya_knowledge::schema::FacilityType;
use lafiya_model::FacilityLevel;

use crate::fold::fold;
use crate::register::Services;

/// The facility types of a knowledge base, and the services that they usually offer.
#[derive(Clone, Debug)]
pub struct Types {
    kinds: Vec<FacilityType>,
    /// The words of each type, with a space on both sides so that only whole words match.
    words: Vec<Vec<String>>,
    services: Vec<String>,
    standing_alone: Services,
}

impl Types {
    /// Reads the types of a knowledge base.
    pub fn of(base: &KnowledgeBase) -> Self {
        let services = &base.services().service;
        let alone = services
            .iter()
            .zip(0..)
            .filter(|(service, _)| service.stands_alone);
        Self {
            standing_alone: Services::from_numbers(alone.map(|(_, number)| number)),
            words: base
                .services()
                .facility_type
                .iter()
                .map(|kind| kind.words.iter().map(|word| format!(" {word} ")).collect())
                .collect(),
            kinds: base.services().facility_type.clone(),
            services: services.iter().map(|service| service.id.clone()).collect(),
        }
    }

    /// Returns the type with this id.
    pub fn find(&self, id: &str) -> Option<&FacilityType> {
        self.kinds.iter().find(|kind| kind.id == id)
    }

    /// Returns the type for a register's type and name. A name is more specific than a plain
    /// "hospital", but never turns a health centre into a hospital or the reverse.
    pub fn read(&self, kind: &str, name: &str) -> Option<&FacilityType> {
        let (kind, name) = (fold(kind), fold(name));
        let by_kind = self
            .find(&kind.replace(' ', "_"))
            .or_else(|| self.by_words(&kind));
        match by_kind {
            None => self.by_words(&name),
            Some(found) if found.id == "hospital" => self
                .by_words(&name)
                .filter(|by_name| by_name.level >= FacilityLevel::Hospital)
                .or(Some(found)),
            Some(found) => Some(found),
        }
    }

    fn by_words(&self, text: &str) -> Option<&FacilityType> {
        let padded = format!(" {text} ");
        let at = self
            .words
            .iter()
            .position(|words| words.iter().any(|word| padded.contains(word.as_str())))?;
        self.kinds.get(at)
    }

    /// Returns the services that suffice alone: a facility that offers only such a service suits a
    /// patient who needs it.
    pub(crate) fn standing_alone(&self) -> Services {
        self.standing_alone
    }

    /// Returns a set of services. Unknown ids are left out.
    pub fn services<'a>(&self, ids: impl IntoIterator<Item = &'a str>) -> Services {
        let numbers = ids
            .into_iter()
            .filter_map(|id| self.services.iter().position(|known| known == id));
        Services::from_numbers(numbers)
    }
}
