//! The last accepted figures in `docs/operating/performance.md`: the table and the machine between
//! two markers, and the chart in the folder of the other images.

use std::fs;

use super::machine::Machine;
use super::table::{self, Row};
use crate::marks::Marks;
use crate::workspace;

const PAGE: &str = "docs/operating/performance.md";
const PICTURE: &str = "docs/images/performance.svg";
const FIGURES: Marks = Marks {
    begin: "<!-- figures: begin -->\n",
    end: "<!-- figures: end -->",
};

/// Writes both, with the command that reproduces them.
pub(super) fn save(
    machine: &Machine,
    command: &str,
    rows: &[Row],
    picture: &str,
) -> anyhow::Result<()> {
    let root = workspace::root();
    let page = root.join(PAGE);
    let figures = format!(
        "Measured on {} with `{command}`.\n\n{}",
        machine.sentence(),
        table::markdown(rows)
    );
    let text = FIGURES.fill(&fs::read_to_string(&page)?, &figures)?;
    fs::write(&page, text)?;
    fs::write(root.join(PICTURE), picture)?;
    println!("written: {PAGE}, {PICTURE}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_the_marks_for_the_figures() {
        let page = fs::read_to_string(workspace::root().join(PAGE)).unwrap();
        assert!(FIGURES.fill(&page, "").is_ok());
        assert!(page.contains("(../images/performance.svg)"));
    }
}
