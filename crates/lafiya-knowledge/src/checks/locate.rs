//! Finds the file and line where an id is written.

use std::collections::HashMap;

use crate::load::SourceFile;

/// The place where every id is declared.
pub(super) struct Locator<'a> {
    files: &'a [SourceFile],
    declared: HashMap<&'a str, (usize, usize)>,
}

impl<'a> Locator<'a> {
    pub(super) fn of(files: &'a [SourceFile]) -> Self {
        let mut declared = HashMap::new();
        for (n, file) in files.iter().enumerate() {
            for (line, text) in file.text.lines().enumerate() {
                if let Some(id) = declared_id(text) {
                    declared.entry(id).or_insert((n, line));
                }
            }
        }
        Self { files, declared }
    }

    /// Returns the path of the file that declares an id.
    pub(super) fn file_of(&self, id: &str) -> Option<&'a str> {
        self.declared
            .get(id)
            .map(|&(n, _)| self.files[n].path.as_str())
    }

    /// Returns the file and line of `near` within the entry of an id, or of the id itself. An id
    /// that is declared nowhere is treated as a path.
    pub(super) fn find(&self, id: &str, near: &str) -> (String, usize) {
        let Some(&(n, start)) = self.declared.get(id) else {
            let lines = self
                .files
                .iter()
                .find(|file| file.path == id)
                .map(|file| file.text.lines());
            let line = lines
                .into_iter()
                .flatten()
                .position(|line| !near.is_empty() && line.contains(near));
            return (id.to_owned(), line.map_or(0, |line| line + 1));
        };
        let file = &self.files[n];
        let entry = file.text.lines().enumerate().skip(start);
        let within = entry.take_while(|(line, text)| *line == start || declared_id(text).is_none());
        let line = within
            .filter(|(_, text)| !near.is_empty() && text.contains(near))
            .map(|(line, _)| line)
            .next()
            .unwrap_or(start);
        (file.path.clone(), line + 1)
    }
}

/// Returns the id that a line declares: `id = "s_fever"`, or `slug = ` and `retired = ` in the
/// files that use those.
fn declared_id(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = ["id", "slug", "retired"]
        .iter()
        .find_map(|key| line.strip_prefix(key))?;
    let value = rest
        .trim_start()
        .strip_prefix('=')?
        .trim_start()
        .strip_prefix('"')?;
    value.split_once('"').map(|(id, _)| id)
}
