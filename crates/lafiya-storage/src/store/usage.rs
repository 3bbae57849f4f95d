//! Usage as it is counted: by month for the quota, by day for the report.

use std::collections::BTreeMap;
use std::fmt;

use jiff::civil::Date;
use lafiya_model::TriageLevel;

/// How many conditions a usage report names.
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

/// What a tenant used between two days, both included. An interview counts on the day it was
/// first billed, under the level and the leading condition of its last turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsageReport {
    /// Interviews counted.
    pub total: u64,
    /// By triage level; levels without any are absent.
    pub by_level: BTreeMap<TriageLevel, u64>,
    /// By day; days without any are absent.
    pub by_day: BTreeMap<Date, u64>,
    /// The leading conditions, most frequent first, at most [`TOP_CONDITIONS_MAX`].
    pub top_conditions: Vec<ConditionCount>,
    /// Usage of every month the period touches, as counted against the quota: whole months.
    pub months: BTreeMap<String, u64>,
    /// Interviews of the first month that were counted before the period begins.
    pub earlier_in_month: u64,
}

/// How often a condition led.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionCount {
    /// Concept id.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// How often.
    pub count: u64,
}
