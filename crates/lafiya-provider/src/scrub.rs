//! Removes personal data from a text before it may be sent to a model: names, telephone numbers,
//! dates, ages, addresses, ids. It prefers to remove too much: a capitalised word is kept only if
//! it is known not to be a name. Everything else stays unchanged, so that quotes can be found in
//! the original.

use std::collections::HashSet;

use lafiya_knowledge::KnowledgeBase;

const NAMES: &str = include_str!("../words/names.txt");
const NAMES_THAT_ARE_WORDS: &str = include_str!("../words/names-that-are-words.txt");
const GENERAL: &str = include_str!("../words/general.txt");

const TITLES: &[&str] = &[
    "mr", "mrs", "ms", "miss", "dr", "prof", "chief", "alhaji", "alhaja", "hajia", "mallam",
    "malam", "nurse", "sister", "pastor", "imam", "baba", "mama", "madam", "engr", "barr", "sir",
    "oba", "mazi", "lolo", "rev",
];
/// Cues that are followed by a name, however it is written.
const NAME_CUES: &[&[&str]] = &[
    &["name", "is"],
    &["named"],
    &["called"],
    &["name"],
    &["i", "be"],
];
/// Cues that are followed by a place, up to the next known word.
const PLACE_CUES: &[&str] = &[
    "in", "at", "from", "near", "address", "village", "town", "lives", "stays", "behind",
    "opposite",
];
const STREETS: &[&str] = &[
    "street",
    "st",
    "road",
    "rd",
    "avenue",
    "ave",
    "close",
    "crescent",
    "lane",
    "estate",
    "quarters",
    "block",
    "flat",
    "plot",
    "drive",
    "layout",
    "boulevard",
    "junction",
    "compound",
    "village",
    "lga",
    "ward",
];
const MONTHS: &[&str] = &[
    "january",
    "jan",
    "february",
    "feb",
    "march",
    "mar",
    "april",
    "apr",
    "may",
    "june",
    "jun",
    "july",
    "jul",
    "august",
    "aug",
    "september",
    "sept",
    "sep",
    "october",
    "oct",
    "november",
    "nov",
    "december",
    "dec",
];
const YEARS_OLD: &[&str] = &["year", "years", "yr", "yrs", "yo", "y"];
/// Maximum number of digits of a number that is kept; longer numbers may identify a person.
const DIGITS_MAX: usize = 4;
/// Maximum number of words removed after a cue.
const AFTER_CUE_MAX: usize = 4;

/// Removes personal data from texts. Built once per knowledge base.
#[derive(Clone, Debug)]
pub struct Scrubber {
    known: HashSet<String>,
    names: HashSet<&'static str>,
    names_that_are_words: HashSet<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    Word,
    Number,
    /// Letters and digits together.
    Mixed,
    Other,
}

#[derive(Clone, Debug)]
struct Piece<'a> {
    text: &'a str,
    lower: String,
    kind: Token,
    /// The placeholder that replaces it.
    taken: Option<&'static str>,
}

impl Scrubber {
    /// Creates a scrubber that knows the words of a knowledge base, so that they are not taken for
    /// names.
    pub fn new(base: &KnowledgeBase) -> Self {
        let mut known: HashSet<String> = listed(GENERAL).map(str::to_owned).collect();
        for term in base.search_terms() {
            let words = term.term.split(|letter: char| !letter.is_alphanumeric());
            known.extend(words.filter(|word| !word.is_empty()).map(str::to_lowercase));
        }
        Self {
            known,
            names: listed(NAMES).collect(),
            names_that_are_words: listed(NAMES_THAT_ARE_WORDS).collect(),
        }
    }

    /// Returns the text without personal data.
    ///
    /// # Example
    ///
    /// ```
    /// use lafiya_provider::Scrubber;
    ///
    /// let base = lafiya_content::load()?;
    /// let scrubber = Scrubber::new(&base);
    /// let scrubbed = scrubber.scrub("fever, call 08031234567");
    /// assert!(scrubbed.contains("fever") && !scrubbed.contains("0803"));
    /// # Ok::<(), lafiya_knowledge::LoadError>(())
    /// ```
    pub fn scrub(&self, text: &str) -> String {
        let mut pieces = pieces(text);
        // What has a fixed form comes first; names are searched last, because words that are
        // already removed help to find their ends.
        take_contacts(&mut pieces);
        take_dates(&mut pieces);
        take_ages(&mut pieces);
        take_numbers(&mut pieces);
        take_streets(&mut pieces);
        self.take_names(&mut pieces);
        self.take_after_cues(&mut pieces);
        written(&pieces)
    }

    fn is_known(&self, piece: &Piece<'_>) -> bool {
        self.known.contains(&piece.lower)
    }

    fn take_names(&self, pieces: &mut [Piece<'_>]) {
        for place in 0..pieces.len() {
            let piece = &pieces[place];
            if piece.kind != Token::Word {
                continue;
            }
            let capital = piece.text.starts_with(char::is_uppercase);
            let after_title = previous_word(pieces, place)
                .is_some_and(|at| TITLES.contains(&pieces[at].lower.as_str()));
            // Names that are also words are names only with a capital; other unknown words with a
            // capital are taken for names too, which removes too much rather than too little.
            let is_name = self.names.contains(piece.lower.as_str())
                || (capital && self.names_that_are_words.contains(piece.lower.as_str()))
                || (capital && !self.is_known(piece) && !TITLES.contains(&piece.lower.as_str()))
                || (after_title && !self.is_known(piece));
            if is_name {
                pieces[place].taken = Some("[name]");
            }
        }
    }

    fn take_after_cues(&self, pieces: &mut [Piece<'_>]) {
        for place in 0..pieces.len() {
            if ends_name_cue(pieces, place) {
                self.take_unknown_after(pieces, place, "[name]");
            } else if PLACE_CUES.contains(&pieces[place].lower.as_str()) {
                self.take_unknown_after(pieces, place, "[place]");
            }
        }
    }

    /// Removes the unknown words after a cue, up to the first known one or the end of the clause.
    fn take_unknown_after(&self, pieces: &mut [Piece<'_>], cue: usize, with: &'static str) {
        let mut taken = 0;
        for piece in &mut pieces[cue + 1..] {
            let ends_clause =
                piece.kind == Token::Other && piece.text.contains([',', '.', ';', '!', '?', '\n']);
            // Without a bound, a text in an unknown language would be removed to its end.
            if taken == AFTER_CUE_MAX || ends_clause {
                return;
            }
            if piece.kind == Token::Word {
                // A word that was already removed is part of the name, even if it is known.
                if self.known.contains(&piece.lower) && piece.taken.is_none() {
                    return;
                }
                piece.taken = piece.taken.or(Some(with));
                taken += 1;
            }
        }
    }
}

fn listed(text: &'static str) -> impl Iterator<Item = &'static str> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace)
}

/// Splits a text into runs of letters and digits, and the text between them.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut begin = 0;
    let mut inside: Option<bool> = None;
    // A combining mark belongs to the letter before it; the spelling of many African languages
    // needs them.
    let belongs =
        |letter: char| letter.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&letter);
    for (at, character) in text.char_indices() {
        let word = belongs(character);
        if inside.is_some_and(|inside| inside != word) {
            pieces.push(piece(&text[begin..at]));
            begin = at;
        }
        inside = Some(word);
    }
    if begin < text.len() {
        pieces.push(piece(&text[begin..]));
    }
    pieces
}

fn piece(text: &str) -> Piece<'_> {
    let digits = text.chars().any(|letter| letter.is_numeric());
    let letters = text.chars().any(char::is_alphabetic);
    Piece {
        text,
        lower: text.to_lowercase(),
        kind: match (letters, digits) {
            (true, false) => Token::Word,
            (false, true) => Token::Number,
            (true, true) => Token::Mixed,
            (false, false) => Token::Other,
        },
        taken: None,
    }
}

/// Removes email and web addresses: everything between spaces around an `@`, `://` or `www`.
fn take_contacts(pieces: &mut [Piece<'_>]) {
    let is_blank =
        |piece: &Piece<'_>| piece.kind == Token::Other && piece.text.contains(char::is_whitespace);
    let is_sign = |piece: &Piece<'_>| {
        piece.text.contains('@') || piece.text.contains("://") || piece.lower == "www"
    };
    let signs: Vec<usize> = (0..pieces.len())
        .filter(|&at| is_sign(&pieces[at]))
        .collect();
    for sign in signs {
        let before = pieces[..sign]
            .iter()
            .rposition(is_blank)
            .map_or(0, |blank| blank + 1);
        let after = pieces[sign + 1..].iter().position(is_blank);
        let end = after.map_or(pieces.len(), |blank| sign + 1 + blank);
        for piece in &mut pieces[before..end] {
            piece.taken = Some("[contact]");
        }
    }
}

/// Removes dates: `12/03/2024`, `2024-03-12`, `12 March`, `March 12th, 2024`, `1987`. Two numbers
/// alone (`3/7`) are not a date.
fn take_dates(pieces: &mut [Piece<'_>]) {
    for place in 0..pieces.len() {
        let joined = |at: usize| {
            pieces
                .get(at)
                .is_some_and(|piece| matches!(piece.text, "/" | "-" | "."))
                && pieces
                    .get(at + 1)
                    .is_some_and(|piece| piece.kind == Token::Number)
        };
        let is_number = pieces[place].kind == Token::Number;
        if is_number
            && joined(place + 1)
            && joined(place + 3)
            && pieces[place + 2].kind == Token::Number
        {
            for piece in &mut pieces[place..place + 5] {
                piece.taken = Some("[date]");
            }
        }
        if is_number && is_year(pieces[place].text) {
            pieces[place].taken = Some("[date]");
        }
        if MONTHS.contains(&pieces[place].lower.as_str()) {
            take_month(pieces, place);
        }
    }
}

fn is_year(text: &str) -> bool {
    text.len() == 4 && (text.starts_with("19") || text.starts_with("20"))
}

/// Removes a month as a date if a day or a year is next to it.
fn take_month(pieces: &mut [Piece<'_>], month: usize) {
    let has_digit = |piece: &Piece<'_>| matches!(piece.kind, Token::Number | Token::Mixed);
    let near = |at: Option<usize>| at.filter(|&at| pieces.get(at).is_some_and(has_digit));
    let before = near(month.checked_sub(2));
    let after = near(Some(month + 2));
    if before.is_none() && after.is_none() {
        return;
    }
    for at in [before, Some(month), after].into_iter().flatten() {
        pieces[at].taken = Some("[date]");
    }
}

/// Removes ages: `34 years`, `34yo`, `34 y/o`, `aged 34`.
fn take_ages(pieces: &mut [Piece<'_>]) {
    for place in 0..pieces.len() {
        let aged = previous_word(pieces, place)
            .is_some_and(|at| matches!(pieces[at].lower.as_str(), "aged" | "age"));
        let next = pieces[place + 1..]
            .iter()
            .find(|piece| piece.kind != Token::Other);
        let followed = next.is_some_and(|word| YEARS_OLD.contains(&word.lower.as_str()));
        let unit = pieces[place]
            .lower
            .trim_start_matches(|letter: char| letter.is_numeric());
        let joined = pieces[place].kind == Token::Mixed && YEARS_OLD.contains(&unit);
        if joined || (pieces[place].kind == Token::Number && (aged || followed)) {
            pieces[place].taken = Some("[age]");
        }
    }
}

/// Removes long numbers, also in groups (`0803 123 4567`), and numbers with letters
/// (`LUTH/2023/00123`).
fn take_numbers(pieces: &mut [Piece<'_>]) {
    let digits = |text: &str| text.chars().filter(|letter| letter.is_numeric()).count();
    let mut place = 0;
    while place < pieces.len() {
        if pieces[place].kind == Token::Mixed && digits(pieces[place].text) >= 3 {
            pieces[place].taken = pieces[place].taken.or(Some("[number]"));
        }
        if pieces[place].kind != Token::Number {
            place += 1;
            continue;
        }
        let mut end = place + 1;
        let mut count = digits(pieces[place].text);
        while let [between, next, ..] = &pieces[end..]
            && next.kind == Token::Number
            && between.text.chars().all(|letter| " -.()+".contains(letter))
            // "39.5" and "37 38" are measurements; groups of a telephone number are longer.
            && (digits(next.text) >= 3 || count > DIGITS_MAX)
        {
            count += digits(next.text);
            end += 2;
        }
        if count > DIGITS_MAX {
            for piece in &mut pieces[place..end] {
                piece.taken = piece.taken.or(Some("[number]"));
            }
        }
        place = end;
    }
}

/// Removes street addresses such as `12 Allen Avenue`: the number and the words up to the word for
/// a street.
fn take_streets(pieces: &mut [Piece<'_>]) {
    for place in 0..pieces.len() {
        if !STREETS.contains(&pieces[place].lower.as_str()) {
            continue;
        }
        let from = place.saturating_sub(6);
        let number = (from..place).rev().find(|&at| {
            matches!(pieces[at].kind, Token::Number | Token::Mixed)
                && pieces[at].taken != Some("[age]")
        });
        if let Some(number) = number {
            for piece in &mut pieces[number..=place] {
                piece.taken = Some("[place]");
            }
        }
    }
}

fn previous_word(pieces: &[Piece<'_>], place: usize) -> Option<usize> {
    let before = pieces[..place]
        .iter()
        .rposition(|piece| piece.kind != Token::Other)?;
    let between = &pieces[before + 1..place];
    // A title may end with a full stop, and a colon may follow "name".
    let close = between
        .iter()
        .all(|piece| piece.text.trim_matches([' ', '.', ':', '-']).is_empty());
    close.then_some(before)
}

/// Whether the words up to and including this one are a cue for a name.
fn ends_name_cue(pieces: &[Piece<'_>], place: usize) -> bool {
    NAME_CUES.iter().any(|cue| {
        let mut at = Some(place);
        cue.iter().rev().all(|word| {
            let here = at.is_some_and(|at| pieces[at].lower == *word);
            at = at.and_then(|at| previous_word(pieces, at));
            here
        })
    })
}

/// Returns the text with placeholders; adjacent placeholders of one kind are merged.
fn written(pieces: &[Piece<'_>]) -> String {
    let mut text = String::new();
    let mut last: Option<&'static str> = None;
    let mut between = String::new();
    for piece in pieces {
        match piece.taken {
            Some(with) if last == Some(with) => between.clear(),
            Some(with) => {
                text.push_str(&std::mem::take(&mut between));
                text.push_str(with);
                last = Some(with);
            }
            None if piece.kind == Token::Other
                && last.is_some()
                && piece.text.trim().is_empty() =>
            {
                between.push_str(piece.text);
            }
            None => {
                text.push_str(&std::mem::take(&mut between));
                text.push_str(piece.text);
                last = None;
            }
        }
    }
    text.push_str(&between);
    text
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;

    static SCRUBBER: LazyLock<Scrubber> =
        LazyLock::new(|| Scrubber::new(&lafiya_content::load().unwrap()));

    /// Checks what must be removed and what must be kept.
    fn check(text: &str, gone: &[&str], kept: &[&str]) {
        let scrubbed = SCRUBBER.scrub(text);
        for word in gone {
            assert!(
                !scrubbed.to_lowercase().contains(&word.to_lowercase()),
                "{word} in {scrubbed:?}"
            );
        }
        for word in kept {
            assert!(scrubbed.contains(word), "{word} not in {scrubbed:?}");
        }
    }

    #[test]
    fn names_are_removed() {
        check(
            "My name is Ngozi Okafor and I have fever",
            &["Ngozi", "Okafor"],
            &["fever"],
        );
        check("my name is zubby and i have fever", &["zubby"], &["fever"]);
        check(
            "ngozi okafor has fever and cough",
            &["ngozi", "okafor"],
            &["fever and cough"],
        );
        check(
            "Pt: Zubairu Tanko, fever x 3/7, Dr. Quartey saw him",
            &["Zubairu", "Tanko", "Quartey"],
            &["fever x 3/7"],
        );
        check("Ọlábísí is vomiting", &["Ọlábísí"], &["is vomiting"]);
        check("NNEKA EZE HAS HEADACHE", &["NNEKA", "EZE"], &["HEADACHE"]);
        check("Blessing has a cough", &["Blessing"], &["cough"]);
        check("mrs tandoh is coughing", &["tandoh"], &["coughing"]);
    }

    #[test]
    fn numbers_dates_and_contacts_are_removed() {
        check(
            "call 08031234567 or +234 803 123 4567",
            &["0803", "4567", "234"],
            &["call"],
        );
        check(
            "hospital no LUTH/2023/00123",
            &["00123", "2023"],
            &["hospital"],
        );
        check("NIN 12345678901", &["12345678901"], &[]);
        check(
            "born 12/03/1987, fever since 5 March",
            &["1987", "12/03", "5 March"],
            &["fever since"],
        );
        check(
            "seen 2024-03-12 and March 12th 2024",
            &["2024", "March", "12th"],
            &["seen"],
        );
        check(
            "write to ngozi.o@example.org or https://x.example/p?id=7",
            &["example", "ngozi"],
            &["write to"],
        );
    }

    #[test]
    fn exact_ages_are_removed() {
        check(
            "a 34 year old woman, 34yo, aged 34, 34 y/o",
            &["34"],
            &["woman"],
        );
    }

    #[test]
    fn places_are_removed() {
        check(
            "lives at 12 Allen Avenue, Ikeja with fever",
            &["12", "Allen", "Ikeja"],
            &["with fever"],
        );
        check(
            "i live in surulere and have fever",
            &["surulere"],
            &["have fever"],
        );
        check("from Gwagwalada, vomiting", &["Gwagwalada"], &["vomiting"]);
    }

    #[test]
    fn clinical_details_are_kept_unchanged() {
        let story =
            "Fever and chills for 3 days, BP 120/80, temp 39.5, no cough, 3/7 hx of vomiting";
        assert_eq!(SCRUBBER.scrub(story), story);
    }

    proptest! {
        #[test]
        fn long_numbers_are_always_removed(text in ".{0,200}", number in 10_000_u64..) {
            let text = format!("{text} {number} {text}");
            prop_assert!(!SCRUBBER.scrub(&text).contains(&number.to_string()));
        }

        #[test]
        fn the_remaining_text_is_from_the_original(text in "[a-zA-Z0-9 ,.]{0,120}") {
            let scrubbed = SCRUBBER.scrub(&text);
            for part in scrubbed.split(['[', ']']) {
                let placeholder = ["name", "place", "date", "age", "number", "contact"].contains(&part);
                prop_assert!(placeholder || text.contains(part.trim()), "{:?} not in {:?}", part, text);
            }
        }
    }
}
