//! Usage counters: per month for the quota, per day for the report.

use std::collections::BTreeMap;
use std::fmt;

use jiff::civil::Date;
use lafiya_model::TriageLevel;

/// Maximum number of conditions in a usage report.
pub const TOP_CONDITIONS_MAX: usize = 10;

/// A calendar month, written `2026-11`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Month {
    year: i16,
    month: i8,
}

impl From<Date> for Month {
    fn from(date: Date) -> Self {
        Self {
            year: date.year(),
            month: date.month(),
        }
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

/// The usage of a tenant between two days, both inclusive. An interview counts on the day it was
/// first billed, under the triage level and the top condition of its last turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsageReport {
    /// Number of interviews.
    pub total: u64,
    /// By triage level; levels without interviews are omitted.
    pub by_level: BTreeMap<TriageLevel, u64>,
    /// By day; days without interviews are omitted.
    pub by_day: BTreeMap<Date, u64>,
    /// The top conditions, most frequent first, at most [`TOP_CONDITIONS_MAX`].
    pub top_conditions: Vec<ConditionCount>,
    /// The usage of each month in the period, as counted against the quota. Covers whole months.
    pub months: BTreeMap<String, u64>,
    /// Interviews of the first month that were counted before the period starts.
    pub earlier_in_month: u64,
    /// Interviews that were answered although the quota was used up. They are part of `total`.
    pub over_quota: u64,
}

/// The number of interviews with a top condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionCount {
    /// Concept id.
    pub id: String,
    /// The display name.
    pub name: String,
    /// The number of interviews.
    pub count: u64,
}
