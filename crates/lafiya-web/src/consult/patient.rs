//! The patient and the story, as forms pass them from page to page.

use lafiya_model::{Age, Sex};

use crate::posted::Posted;
use crate::words;

const AGE_YEARS_MAX: u32 = 120;
const MONTHS_MAX: u32 = 59;
const DAYS_MAX: u32 = 60;
const STORY_CHARACTERS_MAX: usize = 2000;
const PLACE_CHARACTERS_MAX: usize = 120;

/// The fields as typed, so that the form can be shown again with them.
#[derive(Clone, Debug, Default)]
pub(crate) struct PatientFields {
    pub(crate) age: String,
    pub(crate) unit: String,
    pub(crate) sex: String,
    pub(crate) place: String,
    pub(crate) story: String,
}

/// The patient, from valid fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patient {
    pub(crate) age: Age,
    pub(crate) sex: Sex,
}

/// Error messages by field.
#[derive(Clone, Debug, Default)]
pub(crate) struct Problems {
    pub(crate) age: Option<String>,
    pub(crate) sex: Option<String>,
    pub(crate) place: Option<String>,
    pub(crate) story: Option<String>,
}

impl Problems {
    pub(crate) fn any(&self) -> bool {
        self.age.is_some() || self.sex.is_some() || self.place.is_some() || self.story.is_some()
    }
}

impl PatientFields {
    pub(crate) fn of(form: &Posted) -> Self {
        let text = |name| form.text(name).to_owned();
        Self {
            age: text("age"),
            unit: text("unit"),
            sex: text("sex"),
            place: text("place"),
            story: text("story"),
        }
    }

    /// Returns the fields of a known patient, without a story.
    pub(crate) fn of_patient(patient: Patient, place: &str) -> Self {
        let Patient { age, sex } = patient;
        let (number, unit) = match age.days() {
            days @ 0..=DAYS_MAX => (days, "days"),
            _ if Age::from_years(age.years()) == age => (age.years(), "years"),
            _ if age.months() <= MONTHS_MAX => (age.months(), "months"),
            _ => (age.years(), "years"),
        };
        Self {
            age: number.to_string(),
            unit: unit.to_owned(),
            sex: sex.as_str().to_owned(),
            place: place.to_owned(),
            story: String::new(),
        }
    }

    /// Returns the age and the sex as typed, as a form passes them on: "30 years female".
    pub(crate) fn as_shown(&self) -> String {
        format!("{} {} {}", self.age, self.unit, self.sex)
    }

    /// Returns the patient that the page with this form was shown for.
    pub(crate) fn shown_before(form: &Posted) -> Option<Patient> {
        let mut parts = form.text("shown_for").split(' ');
        let fields = Self {
            age: parts.next()?.to_owned(),
            unit: parts.next()?.to_owned(),
            sex: parts.next()?.to_owned(),
            ..Self::default()
        };
        fields.check_person().ok()
    }

    /// Returns the patient, or the errors.
    pub(crate) fn check(&self) -> Result<Patient, Problems> {
        let (person, mut problems) = match self.check_person() {
            Ok(person) => (Some(person), Problems::default()),
            Err(problems) => (None, problems),
        };
        if self.story.is_empty() {
            problems.story = Some("Write what the patient says, in any words.".to_owned());
        } else if self.story.chars().count() > STORY_CHARACTERS_MAX {
            problems.story = Some(format!("Shorten it to {STORY_CHARACTERS_MAX} characters."));
        }
        person.filter(|_| !problems.any()).ok_or(problems)
    }

    /// Returns the patient, or the errors, without looking at the story.
    pub(crate) fn check_person(&self) -> Result<Patient, Problems> {
        let mut problems = Problems::default();
        let age = self.read_age();
        if let Err(problem) = &age {
            problems.age = Some((*problem).to_owned());
        }
        let sex = self.sex.parse::<Sex>();
        if sex.is_err() {
            problems.sex = Some("Choose one.".to_owned());
        }
        if self.place.chars().count() > PLACE_CHARACTERS_MAX {
            problems.place = Some("Name the town or region only.".to_owned());
        }
        match (age, sex) {
            (Ok(age), Ok(sex)) if !problems.any() => Ok(Patient { age, sex }),
            _ => Err(problems),
        }
    }

    fn read_age(&self) -> Result<Age, &'static str> {
        let number: u32 = self
            .age
            .parse()
            .map_err(|_| "Give the age as a whole number.")?;
        let (age, most) = match self.unit.as_str() {
            "days" => (Age::from_days(number.min(10_000)), DAYS_MAX),
            "months" => (Age::from_months(number.min(10_000)), MONTHS_MAX),
            _ => (Age::from_years(number.min(10_000)), AGE_YEARS_MAX),
        };
        match self.unit.as_str() {
            _ if number <= most => Ok(age),
            "days" => Err("For more than 60 days, choose months."),
            "months" => Err("For more than 59 months, choose years."),
            _ => Err("The age must be 0 to 120 years."),
        }
    }

    /// Returns the place, if one was given.
    pub(crate) fn place(&self) -> Option<&str> {
        Some(self.place.as_str()).filter(|place| !place.is_empty())
    }
}

impl Patient {
    /// Describes the patient: "Woman, 30 years".
    pub(crate) fn in_words(self) -> String {
        let person = words::capital(words::person(self.age, self.sex));
        format!("{person}, {}", words::age(self.age))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(age: &str, unit: &str) -> PatientFields {
        PatientFields {
            age: age.to_owned(),
            unit: unit.to_owned(),
            sex: "female".to_owned(),
            story: "fever".to_owned(),
            ..PatientFields::default()
        }
    }

    #[test]
    fn ages_of_small_children_may_be_in_days_or_months() {
        for (age, unit, good) in [
            ("30", "years", true),
            ("120", "years", true),
            ("121", "years", false),
            ("59", "months", true),
            ("60", "months", false),
            ("60", "days", true),
            ("61", "days", false),
            ("", "years", false),
            ("-1", "years", false),
            ("thirty", "years", false),
        ] {
            assert_eq!(fields(age, unit).check().is_ok(), good, "{age} {unit}");
        }
    }

    #[test]
    fn the_fields_of_a_patient_give_the_same_patient() {
        for (age, unit) in [
            ("0", "days"),
            ("60", "days"),
            ("3", "months"),
            ("30", "months"),
            ("59", "months"),
            ("5", "years"),
            ("120", "years"),
        ] {
            let patient = fields(age, unit).check().unwrap();
            let again = PatientFields::of_patient(patient, "Kano");
            assert_eq!(again.check_person().unwrap(), patient, "{age} {unit}");
            assert_eq!(again.place(), Some("Kano"));
        }
    }

    #[test]
    fn every_missing_field_is_named_at_once() {
        let problems = PatientFields::default().check().unwrap_err();
        assert!(problems.age.is_some() && problems.sex.is_some() && problems.story.is_some());
    }
}
