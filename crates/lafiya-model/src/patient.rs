//! The patient as far as the engine knows: age and sex, nothing else.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::tenant::word_enum;

/// The sex, as in the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sex {
    /// Male.
    Male,
    /// Female.
    Female,
    /// Neither, or not stated: no condition is ruled out by sex.
    Other,
}

word_enum!(Sex { Male => "male", Female => "female", Other => "other" });

/// An age, counted in days so that newborns and adults share one scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Age {
    days: u32,
}

impl Age {
    /// Creates an age from whole days.
    ///
    /// # Example
    ///
    /// ```
    /// use lafiya_model::Age;
    ///
    /// let newborn = Age::from_days(3);
    /// assert_eq!((newborn.days(), newborn.years()), (3, 0));
    /// ```
    #[inline]
    pub const fn from_days(days: u32) -> Self {
        Self { days }
    }

    /// Creates an age from whole months (30.44 days).
    ///
    /// # Example
    ///
    /// ```
    /// use lafiya_model::Age;
    ///
    /// assert_eq!(Age::from_months(18).months(), 18);
    /// assert_eq!(Age::from_months(18).years(), 1);
    /// ```
    #[inline]
    pub const fn from_months(months: u32) -> Self {
        Self {
            days: months * 3044 / 100,
        }
    }

    /// Creates an age from whole years (365.25 days).
    ///
    /// # Example
    ///
    /// ```
    /// use lafiya_model::Age;
    ///
    /// assert_eq!(Age::from_years(30).years(), 30);
    /// assert!(Age::from_years(5) > Age::from_months(59));
    /// ```
    #[inline]
    pub const fn from_years(years: u32) -> Self {
        Self {
            days: years * 36525 / 100,
        }
    }

    /// Returns the age in days.
    #[inline]
    pub const fn days(self) -> u32 {
        self.days
    }

    /// Returns the age in completed months.
    #[inline]
    pub const fn months(self) -> u32 {
        // Rounded so that `from_months(n).months() == n`.
        (self.days * 100 + 99) / 3044
    }

    /// Returns the age in completed years.
    #[inline]
    pub const fn years(self) -> u32 {
        // The same fraction as `from_years`, rounded so that `from_years(n).years() == n`.
        (self.days * 100 + 99) / 36525
    }

    /// Returns the age band used for reasoning.
    ///
    /// # Example
    ///
    /// ```
    /// use lafiya_model::{Age, AgeBand};
    ///
    /// assert_eq!(Age::from_days(3).band(), AgeBand::Neonate);
    /// assert_ne!(Age::from_years(3).band(), Age::from_years(30).band());
    /// ```
    #[inline]
    pub fn band(self) -> AgeBand {
        let mut from_the_last = AgeBand::ALL.iter().rev();
        let band = from_the_last.find(|band| band.youngest() <= self);
        band.copied().unwrap_or(AgeBand::Neonate)
    }
}

/// The precision of an age.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum AgeUnit {
    /// In completed years.
    Years,
    /// In completed months.
    Months,
    /// To the day.
    #[default]
    Days,
}

/// A text that is not an age.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAnAge(String);

impl fmt::Display for NotAnAge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not an age; write \"10 days\", \"2 months\" or \"5 years\"",
            self.0
        )
    }
}

impl std::error::Error for NotAnAge {}

impl FromStr for Age {
    type Err = NotAnAge;

    /// Parses `10 days`, `2 months` or `5 years`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || NotAnAge(text.to_owned());
        let (number, unit) = text.trim().split_once(' ').ok_or_else(wrong)?;
        let number: u32 = number.parse().map_err(|_| wrong())?;
        if number > 50_000 {
            return Err(wrong());
        }
        match unit.trim() {
            "day" | "days" => Ok(Self::from_days(number)),
            "month" | "months" => Ok(Self::from_months(number)),
            "year" | "years" => Ok(Self::from_years(number)),
            _ => Err(wrong()),
        }
    }
}

/// The age bands used in the knowledge base and for reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AgeBand {
    /// 0 to 28 days.
    #[serde(rename = "neonate")]
    Neonate,
    /// 29 days to 11 months.
    #[serde(rename = "infant")]
    Infant,
    /// 1 to 4 years.
    #[serde(rename = "1-4")]
    From1To4,
    /// 5 to 14 years.
    #[serde(rename = "5-14")]
    From5To14,
    /// 15 to 49 years.
    #[serde(rename = "15-49")]
    From15To49,
    /// 50 to 64 years.
    #[serde(rename = "50-64")]
    From50To64,
    /// 65 years and older.
    #[serde(rename = "65+")]
    From65,
}

word_enum!(AgeBand {
    Neonate => "neonate",
    Infant => "infant",
    From1To4 => "1-4",
    From5To14 => "5-14",
    From15To49 => "15-49",
    From50To64 => "50-64",
    From65 => "65+",
});

impl AgeBand {
    /// Returns the youngest age in the band.
    pub const fn youngest(self) -> Age {
        match self {
            Self::Neonate => Age::from_days(0),
            Self::Infant => Age::from_days(29),
            Self::From1To4 => Age::from_years(1),
            Self::From5To14 => Age::from_years(5),
            Self::From15To49 => Age::from_years(15),
            Self::From50To64 => Age::from_years(50),
            Self::From65 => Age::from_years(65),
        }
    }

    /// Returns the generalised group that may leave the service (`phi_age_group`).
    pub fn public_group(self) -> &'static str {
        match self {
            Self::Neonate | Self::Infant | Self::From1To4 => "child_0_4",
            Self::From5To14 => "child_5_14",
            Self::From15To49 => "adult_15_49",
            Self::From50To64 => "adult_50_64",
            Self::From65 => "adult_65_120",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_years_survive_conversion_to_days() {
        for years in 0..=120 {
            assert_eq!(Age::from_years(years).years(), years);
        }
    }

    #[test]
    fn whole_months_survive_conversion_to_days() {
        for months in 0..=120 {
            assert_eq!(Age::from_months(months).months(), months);
            assert_eq!(Age::from_months(months).years(), months / 12);
        }
    }

    #[test]
    fn age_bands_change_at_their_limits() {
        let check = |age: &str, band: AgeBand| {
            assert_eq!(age.parse::<Age>().unwrap().band(), band, "{age}");
        };
        check("0 days", AgeBand::Neonate);
        check("28 days", AgeBand::Neonate);
        check("29 days", AgeBand::Infant);
        check("11 months", AgeBand::Infant);
        check("1 years", AgeBand::From1To4);
        check("5 years", AgeBand::From5To14);
        check("15 years", AgeBand::From15To49);
        check("50 years", AgeBand::From50To64);
        check("65 years", AgeBand::From65);
        for (place, band) in AgeBand::ALL.iter().enumerate() {
            let youngest = band.youngest();
            assert_eq!(youngest.band(), *band);
            let before = youngest.days().checked_sub(1).map(Age::from_days);
            let band_before = place.checked_sub(1).map(|before| AgeBand::ALL[before]);
            assert_eq!(before.map(Age::band), band_before);
        }
    }

    #[test]
    fn invalid_text_is_not_an_age() {
        for text in ["", "5", "five years", "5 weeks", "-1 days"] {
            assert!(text.parse::<Age>().is_err(), "{text}");
        }
    }
}
