//! The fixed words of the files: one type per list of allowed words.
//!
//! Words shared with the API (levels, timeframes, sex) are in `lafiya-model`; these are specific to
//! the content.

use std::fmt;

use lafiya_model::{Age, AgeBand, Seriousness, Sex};
use serde::{Deserialize, Serialize};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident => $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $word)] $variant),+
        }

        impl $name {
            /// Every value, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the word used in the files.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

words!(
    /// The sexes in which something is possible.
    SexLimit {
        /// Both.
        Any => "any",
        /// Males only.
        Male => "male",
        /// Females only.
        Female => "female",
    }
);

impl SexLimit {
    /// Whether the limit allows a patient of this sex. `other` is always allowed.
    #[inline]
    pub fn allows(self, sex: Sex) -> bool {
        !matches!(
            (self, sex),
            (Self::Male, Sex::Female) | (Self::Female, Sex::Male)
        )
    }
}

words!(
    /// A state of a woman that affects what is possible and how likely it is.
    State {
        /// Pregnant.
        Pregnant => "pregnant",
        /// In the six weeks after birth.
        Postpartum => "postpartum",
    }
);

words!(
    /// The kind of place where the patient lives.
    Setting {
        /// Countryside.
        Rural => "rural",
        /// Town.
        Urban => "urban",
    }
);

words!(
    /// The typical severity of a condition.
    ConditionSeverity {
        /// Self-limiting.
        Mild => "mild",
        /// Needs treatment.
        Moderate => "moderate",
        /// Dangerous.
        Severe => "severe",
        /// Life-threatening.
        Critical => "critical",
    }
);

words!(
    /// The kind of observation.
    FindingKind {
        /// Reported by the patient.
        Symptom => "symptom",
        /// Seen by the examiner.
        Sign => "sign",
        /// A threshold of a measured value.
        Vital => "vital",
    }
);

words!(
    /// Who can answer a question.
    AskedOf {
        /// The patient, a caregiver or a clinician.
        Anyone => "anyone",
        /// Only a clinician: it needs an examination, a device or a laboratory.
        Clinician => "clinician",
    }
);

words!(
    /// What makes a question costly for the answerer.
    Burden {
        /// Hard to answer.
        Hard => "hard",
        /// Intimate.
        Intimate => "intimate",
        /// Long, or in need of an explanation.
        Long => "long",
    }
);

words!(
    /// The kind of value that a scale asks for.
    ScaleKind {
        /// How long it has lasted.
        Duration => "duration",
        /// How bad it is.
        Severity => "severity",
        /// How fast it began.
        Onset => "onset",
    }
);

words!(
    /// How dangerous a finding is by itself, in any patient.
    RedFlag {
        /// Not dangerous by itself.
        None => "none",
        /// Must be seen today.
        Serious => "serious",
        /// Must go to a hospital now.
        Emergency => "emergency",
        /// Needs an ambulance.
        EmergencyAmbulance => "emergency_ambulance",
    }
);

impl RedFlag {
    /// Returns the seriousness in the words of the API; `None` if the finding is not a red flag.
    pub fn seriousness(self) -> Option<Seriousness> {
        match self {
            Self::None => None,
            Self::Serious => Some(Seriousness::Serious),
            Self::Emergency => Some(Seriousness::Emergency),
            Self::EmergencyAmbulance => Some(Seriousness::EmergencyAmbulance),
        }
    }
}

words!(
    /// The lowest level of the health system where something is usually available.
    CareLevel {
        /// Primary health centre.
        Phc => "phc",
        /// District or general hospital.
        District => "district",
        /// Teaching or regional hospital.
        Tertiary => "tertiary",
        /// National reference laboratory.
        NationalReference => "national_reference",
    }
);

words!(
    /// The price of a test for the patient.
    Price {
        /// Free of charge.
        Free => "free",
        /// Low.
        Low => "low",
        /// Medium.
        Medium => "medium",
        /// High.
        High => "high",
    }
);

words!(
    /// How soon an investigation should be done.
    Urgency {
        /// Immediately.
        Immediate => "immediate",
        /// Within 2 hours.
        Within2Hours => "within_2_hours",
        /// Within 24 hours.
        Within24Hours => "within_24_hours",
        /// Only if the first test was negative.
        IfNegativeForPrimary => "if_negative_for_primary",
    }
);

words!(
    /// How the patient should be seen.
    Channel {
        /// In person.
        PersonalVisit => "personal_visit",
        /// By video.
        Video => "video_teleconsultation",
        /// By telephone.
        Audio => "audio_teleconsultation",
        /// By text message.
        Text => "text_teleconsultation",
    }
);

words!(
    /// The part of a case that can require a service.
    AskedBy {
        /// The specialist to see.
        Specialist => "specialist",
        /// The category of the leading condition.
        Category => "category",
        /// The words of the leading condition's `refer_to`.
        Referral => "referral",
        /// The patient's age.
        Age => "age",
    }
);

words!(
    /// How fast a notifiable condition must be reported.
    HowFast {
        /// Immediately, for each case.
        Immediately => "immediately",
        /// In the weekly summary.
        Weekly => "weekly",
        /// In the monthly summary.
        Monthly => "monthly",
    }
);

words!(
    /// The state of the clinical review of a file.
    ReviewStatus {
        /// Written, but not yet read by a clinician who may sign it.
        AwaitingClinicalSignOff => "awaiting_clinical_sign_off",
        /// A clinician is reading it.
        InReview => "in_review",
        /// Signed off by a clinician.
        SignedOff => "signed_off",
    }
);

words!(
    /// How a medicine is given.
    Route {
        /// By mouth.
        Oral => "oral",
        /// Into a vein.
        Iv => "iv",
        /// Into a muscle.
        Im => "im",
        /// Into a bone.
        Io => "io",
        /// Under the skin.
        Sc => "sc",
        /// Into the rectum.
        Rectal => "rectal",
        /// Inhaled.
        Inhaled => "inhaled",
        /// By nebuliser.
        Nebulised => "nebulised",
        /// Into the nose.
        Nasal => "nasal",
        /// Into the eye.
        Eye => "eye",
        /// Into the ear.
        Ear => "ear",
        /// On the skin.
        Skin => "skin",
        /// Into the vagina.
        Vaginal => "vaginal",
        /// Inside the cheek.
        Buccal => "buccal",
        /// Under the tongue.
        Sublingual => "sublingual",
        /// Into the spinal fluid.
        Intrathecal => "intrathecal",
        /// Into the skin.
        Intradermal => "intradermal",
        /// Where the procedure is done.
        Local => "local",
        /// In the mouth, on its lining.
        Mouth => "mouth",
    }
);

words!(
    /// The unit in which the amounts of a medicine are counted.
    AmountUnit {
        /// Milligram.
        Mg => "mg",
        /// Microgram.
        Microgram => "microgram",
        /// Gram.
        G => "g",
        /// International unit.
        Iu => "IU",
        /// Unit, as of insulin or blood.
        Unit => "unit",
        /// Millilitre.
        Ml => "mL",
        /// Millimole.
        Mmol => "mmol",
        /// Litres in a minute.
        LitrePerMinute => "L/min",
        /// Tablet.
        Tablet => "tablet",
        /// Puff of an inhaler.
        Puff => "puff",
        /// Drop.
        Drop => "drop",
        /// One use on the skin or a lining.
        Application => "application",
        /// Sachet.
        Sachet => "sachet",
        /// Vial.
        Vial => "vial",
    }
);

words!(
    /// What is counted or measured out of a form.
    FormUnit {
        /// Tablet.
        Tablet => "tablet",
        /// Capsule.
        Capsule => "capsule",
        /// Millilitre.
        Ml => "mL",
        /// Suppository.
        Suppository => "suppository",
        /// Puff.
        Puff => "puff",
        /// Drop.
        Drop => "drop",
        /// Sachet.
        Sachet => "sachet",
        /// Vial.
        Vial => "vial",
        /// Ampoule.
        Ampoule => "ampoule",
        /// One use on the skin or a lining.
        Application => "application",
        /// Litres in a minute.
        LitrePerMinute => "L/min",
        /// Unit, as of blood.
        Unit => "unit",
    }
);

words!(
    /// The lowest level of care that gives a dose.
    DoseLevel {
        /// A community health worker.
        Community => "community",
        /// Primary health centre.
        Phc => "phc",
        /// District or general hospital.
        District => "district",
        /// Teaching or regional hospital.
        Tertiary => "tertiary",
    }
);

words!(
    /// What the figures of a dose rest on.
    Basis {
        /// What is generally known; the source was not read for it.
        GeneralKnowledge => "general_knowledge",
        /// The source was read, and its words are quoted.
        Read => "read",
    }
);

words!(
    /// How serious a caution is.
    CautionKind {
        /// Not given.
        Contraindicated => "contraindicated",
        /// Given with care.
        Careful => "careful",
    }
);

words!(
    /// A state of the patient that doses depend on.
    PatientState {
        /// Pregnant.
        Pregnant => "pregnant",
        /// In the six weeks after birth.
        Postpartum => "postpartum",
        /// Breastfeeding.
        Breastfeeding => "breastfeeding",
        /// Not pregnant.
        NotPregnant => "not_pregnant",
    }
);

words!(
    /// The time that a rate refers to.
    RateTime {
        /// An hour.
        Hour => "hour",
        /// A minute.
        Minute => "minute",
    }
);

/// A span of ages, from the first (inclusive) to the second (exclusive). `None` means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgeSpan {
    /// The youngest age in the span.
    pub from: Option<Age>,
    /// The first age above the span.
    pub below: Option<Age>,
}

impl AgeSpan {
    /// Whether the span contains an age.
    #[inline]
    pub fn contains(&self, age: Age) -> bool {
        self.from.is_none_or(|from| age >= from) && self.below.is_none_or(|below| age < below)
    }

    /// Whether the span contains all ages of a band.
    pub(crate) fn covers(&self, band: AgeBand) -> bool {
        let oldest_within = self.below.is_none_or(|below| {
            let next = next_youngest(band);
            next.is_some_and(|next| next <= below)
        });
        self.from.is_none_or(|from| from <= band.youngest()) && oldest_within
    }

    /// Whether the span contains some ages of a band.
    pub(crate) fn meets(&self, band: AgeBand) -> bool {
        let begins_within = self.from.is_none_or(|from| {
            let next = next_youngest(band);
            next.is_none_or(|next| from < next)
        });
        begins_within && self.below.is_none_or(|below| below > band.youngest())
    }
}

/// Returns the youngest age of the next band.
fn next_youngest(band: AgeBand) -> Option<Age> {
    let next = AgeBand::ALL.get(band as usize + 1)?;
    Some(next.youngest())
}

/// Serializes ages: as words ("2 months") in files and as days in the packed artefact.
pub(crate) mod age_words {
    use lafiya_model::Age;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(age: &Option<Age>, to: S) -> Result<S::Ok, S::Error> {
        age.map(Age::days).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Age>, D::Error> {
        if !from.is_human_readable() {
            return Ok(Option::<u32>::deserialize(from)?.map(Age::from_days));
        }
        let words = Option::<String>::deserialize(from)?;
        words
            .map(|words| words.parse().map_err(D::Error::custom))
            .transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_span_covers_or_overlaps_a_band_by_its_ages() {
        let limits = [0, 20, 28, 29, 365, 366, 1825, 1826, 9_000, 23_741, 40_000];
        let limits = || {
            limits
                .map(Age::from_days)
                .map(Some)
                .into_iter()
                .chain([None])
        };
        let ages: Vec<Age> = (0..50_000).map(Age::from_days).collect();
        for (from, below) in limits().flat_map(|from| limits().map(move |below| (from, below))) {
            if from.zip(below).is_some_and(|(from, below)| from >= below) {
                continue;
            }
            let span = AgeSpan { from, below };
            for &band in AgeBand::ALL {
                let mut of_band = ages.iter().filter(|age| age.band() == band);
                // The list of ages ends at some day, but the last band has no upper limit.
                let all = of_band.clone().all(|age| span.contains(*age));
                let is_all = all && (band != AgeBand::From65 || below.is_none());
                assert_eq!(span.covers(band), is_all, "{span:?} {band:?}");
                let is_any = of_band.any(|age| span.contains(*age));
                assert_eq!(span.meets(band), is_any, "{span:?} {band:?}");
            }
        }
    }
}
