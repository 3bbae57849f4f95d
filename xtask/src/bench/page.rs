//! The last accepted figures in the documents: the key figures in `docs/operating/performance.md`,
//! the whole table in `docs/operating/performance-figures.md`, both between two markers, and the
//! chart in the folder of the other images.

use std::fs;

use super::machine::Machine;
use super::table::{self, Row};
use crate::marks::Marks;
use crate::workspace;

const PAGE: &str = "docs/operating/performance.md";
const TABLE_PAGE: &str = "docs/operating/performance-figures.md";
const PICTURE: &str = "docs/images/performance.svg";
const KEY_FIGURES: Marks = Marks {
    begin: "<!-- key figures: begin -->\n",
    end: "<!-- key figures: end -->",
};
const FIGURES: Marks = Marks {
    begin: "<!-- figures: begin -->\n",
    end: "<!-- figures: end -->",
};

/// The rows that a reader wants first.
const KEY_ROWS: [&str; 12] = [
    "start to first assessment, least of ten",
    "memory after start",
    "`/assess`, one connection, median",
    "durable `/assess`, 16 connections, SQLite",
    "`/assess` at 16 connections, 99th percentile",
    "`/parse` of 2,000 characters",
    "durable `/assess`, 64 connections, against the disk",
    "durable `/assess`, 64 connections, PostgreSQL + Redis, four tenants, against the rows copied in",
    "twice the load that saturates: 99th percentile of the accepted",
    "memory: growth over assessments",
    "engine step, 800 conditions x 1,500 findings",
    "growth: `/assess` over stored assessments",
];

/// Writes all of them, with the command that reproduces them.
pub(super) fn save(
    machine: &Machine,
    command: &str,
    rows: &[Row],
    picture: &str,
) -> anyhow::Result<()> {
    let root = workspace::root();
    let measured = format!("Measured on {} with `{command}`.\n\n", machine.sentence());
    let tables = [
        (PAGE, KEY_FIGURES, table::short(rows, &KEY_ROWS)),
        (TABLE_PAGE, FIGURES, table::markdown(rows)),
    ];
    for (page, marks, table) in tables {
        let page = root.join(page);
        let text = marks.fill(&fs::read_to_string(&page)?, &format!("{measured}{table}"))?;
        fs::write(&page, text)?;
    }
    fs::write(root.join(PICTURE), picture)?;
    println!("written: {PAGE}, {TABLE_PAGE}, {PICTURE}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_have_the_marks_for_the_figures() {
        let read = |page: &str| fs::read_to_string(workspace::root().join(page)).unwrap();
        let (page, table_page) = (read(PAGE), read(TABLE_PAGE));
        assert!(KEY_FIGURES.fill(&page, "").is_ok());
        assert!(FIGURES.fill(&table_page, "").is_ok());
        assert!(page.contains("(../images/performance.svg)"));
        for row in KEY_ROWS {
            let begin = format!("| {row} |");
            assert!(table_page.contains(&begin), "{row} is no row of the table");
            assert!(page.contains(&begin), "{row} is missing");
        }
    }
}
