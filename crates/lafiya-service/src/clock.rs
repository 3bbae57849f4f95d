//! The clock as a dependency: the only place that reads the system time.

use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The name of the time zone in which months and days are counted and billed.
const BILLING_ZONE: &str = "Africa/Lagos";

/// A source of the current time. Tests use their own.
///
/// # Example
///
/// ```
/// use jiff::Timestamp;
/// use lafiya_service::Clock;
///
/// struct Fixed(Timestamp);
///
/// impl Clock for Fixed {
///     fn now(&self) -> Timestamp {
///         self.0
///     }
/// }
///
/// assert_eq!(Fixed(Timestamp::UNIX_EPOCH).now().as_second(), 0);
/// ```
pub trait Clock: Send + Sync + 'static {
    /// Returns the current time.
    fn now(&self) -> Timestamp;
}

/// The system clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// The time zone is looked up by name once. Lagos has been at UTC+1 without daylight saving since
/// 1919, so a fixed offset is the fallback on a machine without time zone data.
static LAGOS: LazyLock<TimeZone> = LazyLock::new(|| {
    TimeZone::get(BILLING_ZONE).unwrap_or_else(|_| TimeZone::fixed(jiff::tz::Offset::constant(1)))
});

/// The time zone in which months and days are counted and billed, also on a machine without zone
/// data.
pub fn billing_zone() -> TimeZone {
    LAGOS.clone()
}

/// Returns the calendar day in Lagos at a point in time.
///
/// # Example
///
/// ```
/// use lafiya_service::clock::lagos_date;
///
/// // 23:30 in UTC is half past midnight in Lagos.
/// let late: jiff::Timestamp = "2026-01-31T23:30:00Z".parse()?;
/// assert_eq!(lagos_date(late).to_string(), "2026-02-01");
/// # Ok::<(), jiff::Error>(())
/// ```
pub fn lagos_date(at: Timestamp) -> Date {
    LAGOS.to_datetime(at).date()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_month_ends_at_midnight_in_lagos_not_utc() {
        let before: Timestamp = "2026-01-31T22:59:59Z".parse().unwrap();
        let after: Timestamp = "2026-01-31T23:00:00Z".parse().unwrap();
        assert_eq!(lagos_date(before).to_string(), "2026-01-31");
        assert_eq!(lagos_date(after).to_string(), "2026-02-01");
    }
}
