//! FHIR dates: a year, a month, a day or an instant.

use jiff::Timestamp;
use jiff::civil::Date;

use crate::node::Node;
use crate::problem::{ProblemKind, Problems};

/// When something was observed, as precisely as it was stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct When {
    /// The day, if one was given.
    pub(crate) date: Option<Date>,
    instant: Option<Timestamp>,
}

/// A date of any precision: year, optional month, optional day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Partial {
    pub(crate) year: i16,
    pub(crate) month: Option<i8>,
    pub(crate) day: Option<i8>,
}

/// Parses `2024`, `2024-05` or `2024-05-17`.
pub(crate) fn partial(text: &str) -> Option<Partial> {
    // Checked before parsing, which would also accept "+5".
    let digits = |part: &str, length: usize| {
        part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let parts: Vec<&str> = text.split('-').collect();
    let (year, month, day) = match parts.as_slice() {
        [year] => (*year, None, None),
        [year, month] => (*year, Some(*month), None),
        [year, month, day] => (*year, Some(*month), Some(*day)),
        _ => return None,
    };
    let well_formed = digits(year, 4)
        && month.is_none_or(|month| digits(month, 2))
        && day.is_none_or(|day| digits(day, 2));
    if !well_formed {
        return None;
    }
    let read = Partial {
        year: year.parse().ok()?,
        month: month.and_then(|month| month.parse().ok()),
        day: day.and_then(|day| day.parse().ok()),
    };
    // Refuses impossible dates such as month 13 or 30 February.
    Date::new(read.year, read.month.unwrap_or(1), read.day.unwrap_or(1)).ok()?;
    Some(read)
}

/// Returns the time of an Observation: `effectiveDateTime`, `effectiveInstant`, or the end (or else
/// the start) of the period.
pub(crate) fn of_observation(
    node: &Node<'_>,
    today: Date,
    problems: &mut Problems,
) -> Option<When> {
    let period = node.field("effectivePeriod");
    let sent = [
        node.field("effectiveDateTime"),
        node.field("effectiveInstant"),
        period.field("end"),
        period.field("start"),
    ];
    let node = sent.into_iter().find(Node::exists)?;
    let text = node.text(problems)?;
    let when = read(text);
    let Some(when) = when else {
        problems.note(
            ProblemKind::Value,
            &node,
            "must be a date such as 2026-09-15 or an instant with its time zone",
        );
        return None;
    };
    // One day of tolerance for time zones that are ahead.
    let last = today.tomorrow().unwrap_or(today);
    if when.date.is_some_and(|date| date > last) {
        problems.note(ProblemKind::Value, &node, "lies in the future");
        return None;
    }
    Some(When {
        // A day that is tomorrow only because of its time zone counts as today.
        date: when.date.map(|date| date.min(today)),
        ..when
    })
}

fn read(text: &str) -> Option<When> {
    if let Some((date, _)) = text.split_once('T') {
        return Some(When {
            // The local day as written, not the day in UTC.
            date: Some(date.parse().ok()?),
            instant: Some(text.parse().ok()?),
        });
    }
    let partial = partial(text)?;
    let date = partial
        .month
        .zip(partial.day)
        .and_then(|(month, day)| Date::new(partial.year, month, day).ok());
    Some(When {
        date,
        instant: None,
    })
}

/// Whether two times are known to differ.
pub(crate) fn differ(one: Option<When>, other: Option<When>) -> bool {
    is_later(one, other) || is_later(other, one)
}

/// Whether the first time is known to be later.
pub(crate) fn is_later(one: Option<When>, other: Option<When>) -> bool {
    let (Some(one), Some(other)) = (one, other) else {
        return false;
    };
    match (one.instant, other.instant) {
        (Some(one), Some(other)) => one > other,
        _ => matches!((one.date, other.date), (Some(one), Some(other)) if one > other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_any_precision_are_read_and_others_refused() {
        for good in ["1996", "1996-07", "1996-07-31", "2024-02-29"] {
            assert!(partial(good).is_some(), "{good}");
        }
        for bad in [
            "96",
            "1996-7",
            "1996-13",
            "2023-02-29",
            "31/07/1996",
            "",
            "1996-07-31-1",
        ] {
            assert!(partial(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn readings_are_ordered_only_when_both_are_dated() {
        let at = |text: &str| read(text);
        assert!(is_later(
            at("2026-09-15T10:00:00Z"),
            at("2026-09-15T08:00:00Z")
        ));
        assert!(is_later(at("2026-09-16"), at("2026-09-15T08:00:00+01:00")));
        assert!(!is_later(at("2026-09-15"), None));
        assert!(!differ(at("2026"), at("2026-09-15")));
    }
}
