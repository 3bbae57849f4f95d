//! A generated section between two markers in a document.

use anyhow::Context;

/// The two markers.
pub(crate) struct Marks {
    pub(crate) begin: &'static str,
    pub(crate) end: &'static str,
}

impl Marks {
    /// Returns the document with the text between the markers replaced.
    pub(crate) fn fill(&self, text: &str, words: &str) -> anyhow::Result<String> {
        let Self { begin, end } = self;
        let (before, rest) = text.split_once(begin).context("no place to write to")?;
        let (_, after) = rest.split_once(end).context("no end of the place")?;
        Ok(format!("{before}{begin}{words}{end}{after}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_text_between_the_marks_is_replaced() {
        let marks = Marks {
            begin: "<!-- begin -->\n",
            end: "<!-- end -->",
        };
        let text = "before\n<!-- begin -->\nold\n<!-- end -->\nafter\n";
        let written = marks.fill(text, "new\n").unwrap();
        assert_eq!(
            written,
            "before\n<!-- begin -->\nnew\n<!-- end -->\nafter\n"
        );
        assert!(marks.fill("nothing", "new").is_err());
        assert!(marks.fill("<!-- begin -->\nno end", "new").is_err());
    }
}
