//! Computes charts for SVG: bars per day with a scale of round numbers. A template draws them, so
//! that text stays text and colours follow the page.

use std::collections::BTreeMap;

use jiff::civil::Date;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 200.0;
const LEFT: f64 = 40.0;
const BOTTOM: f64 = 24.0;
const TOP: f64 = 10.0;
const LABELS_MAX: usize = 8;

/// A chart of days.
pub(crate) struct DayPlot {
    pub(crate) bars: Vec<Bar>,
    pub(crate) lines: Vec<Line>,
    pub(crate) labels: Vec<Label>,
}

pub(crate) struct Bar {
    pub(crate) x: String,
    pub(crate) y: String,
    pub(crate) width: String,
    pub(crate) height: String,
    pub(crate) title: String,
}

pub(crate) struct Line {
    pub(crate) y: String,
    pub(crate) text: String,
}

pub(crate) struct Label {
    pub(crate) x: String,
    pub(crate) text: String,
}

/// Returns the bars of every day from `start` to `end`, including days without counts.
pub(crate) fn days(counts: &BTreeMap<Date, u64>, start: Date, end: Date) -> DayPlot {
    let days: Vec<Date> = start
        .series(jiff::Span::new().days(1))
        .take_while(|day| *day <= end)
        .collect();
    let most = round_up(counts.values().copied().max().unwrap_or(0));
    let step = (WIDTH - LEFT) / days.len().max(1) as f64;
    let full = HEIGHT - BOTTOM - TOP;
    let height_of = |count: u64| full * count as f64 / most as f64;
    let bars = days.iter().enumerate().map(|(place, day)| {
        let count = counts.get(day).copied().unwrap_or(0);
        let height = height_of(count);
        Bar {
            x: figure(LEFT + step * place as f64 + step * 0.14),
            y: figure(HEIGHT - BOTTOM - height),
            width: figure(step * 0.72),
            height: figure(height),
            title: format!("{}: {count}", day.strftime("%-d %b")),
        }
    });
    let every = days.len().div_ceil(LABELS_MAX).max(1);
    let labels = days
        .iter()
        .enumerate()
        .step_by(every)
        .map(|(place, day)| Label {
            x: figure(LEFT + step * (place as f64 + 0.5)),
            text: day.strftime("%-d %b").to_string(),
        });
    let lines = [0, most / 2, most].map(|count| Line {
        y: figure(HEIGHT - BOTTOM - height_of(count)),
        text: count.to_string(),
    });
    DayPlot {
        bars: bars.collect(),
        labels: labels.collect(),
        lines: lines.into(),
    }
}

/// Returns the smallest number of the series 2, 4, 10, 20, 40, 100, … that is at least `number`.
fn round_up(number: u64) -> u64 {
    let mut scale = 1;
    loop {
        for factor in [2, 4, 10] {
            if factor * scale >= number {
                return factor * scale;
            }
        }
        scale *= 10;
    }
}

fn figure(number: f64) -> String {
    format!("{number:.1}")
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn the_scale_is_a_round_number_above_every_bar() {
        for (number, expected) in [(0, 2), (2, 2), (3, 4), (9, 10), (11, 20), (150, 200)] {
            assert_eq!(round_up(number), expected, "{number}");
        }
    }

    #[test]
    fn every_day_has_a_bar_even_without_assessments() {
        let counts = BTreeMap::from([(date(2026, 11, 2), 3)]);
        let plot = days(&counts, date(2026, 11, 1), date(2026, 11, 3));
        assert_eq!(plot.bars.len(), 3);
        assert_eq!(plot.bars[1].title, "2 Nov: 3");
        assert_eq!(plot.bars[0].height, "0.0");
    }
}
