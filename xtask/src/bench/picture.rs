//! Draws the rows as one chart: a bar for each row with a bound, and below them a small plot for
//! each row about growth.

use std::fmt::Write as _;

use super::table::{Bound, Row, figure};

const BAR_HEIGHT: usize = 22;
const LABEL_WIDTH: usize = 520;
const SCALE_WIDTH: f64 = 240.0;
const WIDTH: f64 = LABEL_WIDTH as f64 + 2.0 * SCALE_WIDTH;

const PLOTS_IN_A_LINE: usize = 4;
const PLOT_WIDTH: f64 = WIDTH / PLOTS_IN_A_LINE as f64;
const PLOT_HEIGHT: f64 = 150.0;

const GOOD: &str = "#1b6e3c";
const BAD: &str = "#b3261e";

/// Returns the whole chart.
pub(super) fn svg(rows: &[Row], machine: &str) -> String {
    let bars: Vec<&Row> = rows.iter().filter(|row| better(row).is_some()).collect();
    let plots: Vec<&Row> = rows.iter().filter(|row| !row.points.is_empty()).collect();
    let head = 2 * BAR_HEIGHT;
    let bars_end = head + bars.len() * BAR_HEIGHT;
    let plots_begin = bars_end as f64 + 24.0;
    let height = plots_begin + plots.len().div_ceil(PLOTS_IN_A_LINE) as f64 * PLOT_HEIGHT;
    // An explicit background, because pages may be dark.
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect class=\"page\" width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"4\" y=\"16\" fill=\"#444\">Measured on {}.</text>\n\
         <text x=\"4\" y=\"34\" fill=\"#444\">Bars: how far a figure stands from its floor, the line in the middle; right of it is better; \
         the ends are a tenth and ten times.</text>\n",
        escaped(machine)
    );
    for (place, row) in bars.into_iter().enumerate() {
        bar(&mut text, row, head + place * BAR_HEIGHT);
    }
    let middle = WIDTH - SCALE_WIDTH;
    let _ = writeln!(
        text,
        "<line x1=\"{middle}\" y1=\"{head}\" x2=\"{middle}\" y2=\"{bars_end}\" stroke=\"#444\"/>"
    );
    for (place, row) in plots.into_iter().enumerate() {
        let left = (place % PLOTS_IN_A_LINE) as f64 * PLOT_WIDTH;
        let top = plots_begin + (place / PLOTS_IN_A_LINE) as f64 * PLOT_HEIGHT;
        plot(&mut text, row, left, top);
    }
    text.push_str("</svg>\n");
    text
}

/// Returns how many times better than its bound a row is; `None` if it has no bound.
fn better(row: &Row) -> Option<f64> {
    let bound = match (row.floor, row.aim) {
        (Bound::None, aim) => aim,
        (floor, _) => floor,
    };
    match bound {
        Bound::AtLeast(limit) => Some(row.value / limit),
        // A cost that shrinks, or does not grow at all, is drawn at the end of the scale.
        Bound::AtMost(limit) if limit > 0.0 => Some(limit / row.value.max(limit / 100.0)),
        // The limit is 0: either end of the scale.
        Bound::AtMost(limit) => Some(if row.value <= limit { 10.0 } else { 0.1 }),
        Bound::Met(_) => Some(1.0),
        Bound::None => None,
    }
}

fn bar(text: &mut String, row: &Row, top: usize) {
    let middle = WIDTH - SCALE_WIDTH;
    let length = better(row).unwrap_or(1.0).log10().clamp(-1.0, 1.0) * SCALE_WIDTH;
    let (from, colour) = if length < 0.0 {
        (middle + length, BAD)
    } else {
        (middle, GOOD)
    };
    let _ = writeln!(
        text,
        "<text x=\"4\" y=\"{}\">{}: {} {}</text><rect x=\"{from:.0}\" y=\"{}\" width=\"{:.0}\" height=\"14\" fill=\"{colour}\"/>",
        top + 16,
        escaped(row.what),
        figure(row.value),
        escaped(row.unit),
        top + 4,
        length.abs().max(1.0)
    );
}

/// Draws size on the x-axis and cost on the y-axis, as multiples of the first point on the same
/// logarithmic scale. The dashed line is linear growth.
fn plot(text: &mut String, row: &Row, left: f64, top: f64) {
    let (Some(&(first_size, first_cost)), Some(&(last_size, _))) =
        (row.points.first(), row.points.last())
    else {
        return;
    };
    let (width, height) = (PLOT_WIDTH - 24.0, PLOT_HEIGHT - 50.0);
    let span = (last_size / first_size).ln();
    let base = top + 36.0 + height;
    let place = |size: f64, cost: f64| {
        let right = (size / first_size).ln() / span;
        let up = ((cost / first_cost).ln() / span).clamp(0.0, 1.0);
        (left + 8.0 + right * width, base - up * height)
    };
    let path: Vec<String> = row
        .points
        .iter()
        .map(|&(size, cost)| place(size, cost))
        .map(|(x, y)| format!("{x:.1},{y:.1}"))
        .collect();
    let colour = if row.floor_holds() { GOOD } else { BAD };
    let name = row.what.strip_prefix("growth: ").unwrap_or(row.what);
    let (x0, x1) = (left + 8.0, left + 8.0 + width);
    let _ = writeln!(
        text,
        "<text x=\"{x0}\" y=\"{}\" font-size=\"11\">{}</text>\
         <text x=\"{x0}\" y=\"{}\" font-size=\"11\" fill=\"#444\">exponent {}, {first_size} to {last_size}</text>\
         <path d=\"M{x0} {} V{base} H{x1}\" fill=\"none\" stroke=\"#888\"/>\
         <path d=\"M{x0} {base} L{x1} {}\" stroke=\"#bbb\" stroke-dasharray=\"3 3\"/>\
         <polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
        top + 12.0,
        escaped(name),
        top + 26.0,
        figure(row.value),
        base - height,
        base - height,
        path.join(" ")
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('`', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(value: f64, floor: Bound) -> Row {
        Row {
            what: "a thing",
            value,
            floor,
            ..Row::default()
        }
    }

    #[test]
    fn bounded_rows_get_a_bar_and_growth_rows_a_plot() {
        let growth = Row {
            points: vec![(1.0, 2.0), (2.0, 2.0), (4.0, 2.0)],
            ..row(0.0, Bound::AtMost(0.1))
        };
        let rows = [
            row(0.1, Bound::AtLeast(0.25)),
            growth,
            row(7.0, Bound::None),
        ];
        let picture = svg(&rows, "a machine");
        assert_eq!(picture.matches("<rect x=").count(), 2, "{picture}");
        assert_eq!(picture.matches("<polyline").count(), 1);
        assert!(picture.contains("Measured on a machine."));
    }

    #[test]
    fn better_results_are_right_of_the_middle() {
        let check = |value, floor, expected: f64| {
            let found = better(&row(value, floor)).unwrap();
            assert!((found - expected).abs() < 1e-9, "{found}");
        };
        check(0.5, Bound::AtLeast(0.25), 2.0);
        check(4.0, Bound::AtMost(2.0), 0.5);
        check(-0.3, Bound::AtMost(0.1), 100.0);
        check(0.0, Bound::AtMost(0.0), 10.0);
        check(3.0, Bound::AtMost(0.0), 0.1);
        assert!(better(&row(7.0, Bound::None)).is_none());
    }
}
