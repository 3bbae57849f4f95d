//! The last accepted figures in `docs/operating/performance.md`: the table and the machine between two marks, the picture beside
//! the other pictures of the documents.

use std::fs;

use anyhow::Context;

use super::machine::Machine;
use super::table::{self, Row};
use crate::workspace;

const PAGE: &str = "docs/operating/performance.md";
const PICTURE: &str = "docs/images/performance.svg";
const BEGIN: &str = "<!-- figures: begin -->\n";
const END: &str = "<!-- figures: end -->";

/// Writes both.
pub(super) fn save(machine: &Machine, rows: &[Row], picture: &str) -> anyhow::Result<()> {
    let root = workspace::root();
    let page = root.join(PAGE);
    let figures = format!(
        "Measured on {} with `cargo xtask bench all --save`.\n\n{}",
        machine.sentence(),
        table::markdown(rows)
    );
    let text = with_figures(&fs::read_to_string(&page)?, &figures)?;
    fs::write(&page, text)?;
    fs::write(root.join(PICTURE), picture)?;
    println!("written: {PAGE}, {PICTURE}");
    Ok(())
}

fn with_figures(text: &str, figures: &str) -> anyhow::Result<String> {
    let (before, rest) = text.split_once(BEGIN).context("no place for the figures")?;
    let (_, after) = rest.split_once(END).context("no end of the figures")?;
    Ok(format!("{before}{BEGIN}{figures}{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_take_the_place_of_the_last_ones_and_nothing_else() {
        let text = format!("before\n{BEGIN}old\n{END}\nafter\n");
        let written = with_figures(&text, "new\n").unwrap();
        assert_eq!(written, format!("before\n{BEGIN}new\n{END}\nafter\n"));
        assert!(with_figures("nothing", "new").is_err());
    }

    #[test]
    fn the_page_has_a_place_for_the_figures() {
        let page = fs::read_to_string(workspace::root().join(PAGE)).unwrap();
        assert!(with_figures(&page, "").is_ok());
        assert!(page.contains("(../images/performance.svg)"));
    }
}
