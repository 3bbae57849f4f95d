//! Folding: one plain spelling of whatever was typed, with the way back to it.
//!
//! Case, diacritics, tone marks and apostrophes fall away; every token remembers which characters of the original it
//! stands for. Nothing is corrected here: a typing error stays one.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A word, a number or a sign of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    /// Folded: lower case, no marks.
    pub text: &'t str,
    /// First character of the original, counted in characters.
    pub start: usize,
    /// The character after the last.
    pub end: usize,
    /// Whether white space or the start of the text stands before it.
    pub spaced: bool,
    /// Whether it is a word all in capitals.
    pub capitals: bool,
}

impl Token<'_> {
    /// Whether it is a number such as `3` or `39.5`.
    pub(crate) fn is_number(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_digit())
    }

    /// Whether it is a sign and not a word.
    pub(crate) fn is_sign(&self) -> bool {
        !self.text.starts_with(char::is_alphanumeric)
    }
}

/// A text with its plain spelling. All tokens share one string, so that a word costs no memory of its own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Folded {
    /// The characters as written.
    pub original: Vec<char>,
    /// The plain spelling of the tokens, one behind the other.
    plain: String,
    spans: Vec<Span>,
}

/// Where a token stands: in the plain spelling (bytes) and in the original (characters).
#[derive(Clone, Debug)]
struct Span {
    plain: Range<usize>,
    written: Range<usize>,
    spaced: bool,
    capitals: bool,
}

/// What a character is to the tokens.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    Apostrophe,
    Gap,
    Sign,
}

impl Folded {
    /// Splits a text into folded tokens.
    pub(crate) fn of(text: &str) -> Self {
        let original: Vec<char> = text.chars().collect();
        let mut folded = Self {
            plain: String::with_capacity(text.len()),
            spans: Vec::with_capacity(original.len() / 4),
            original: Vec::new(),
        };
        let mut at = 0;
        let mut spaced = true;
        while at < original.len() {
            let end = match class(original[at]) {
                Class::Gap | Class::Apostrophe => {
                    spaced |= original[at].is_whitespace();
                    at += 1;
                    continue;
                }
                Class::Letter => word_end(&original, at),
                Class::Digit => number_end(&original, at),
                Class::Sign => at + 1,
            };
            folded.enter(&original, at..end, spaced);
            (at, spaced) = (end, false);
        }
        folded.original = original;
        folded
    }

    pub(crate) fn tokens(&self) -> Vec<Token<'_>> {
        let token = |span: &Span| Token {
            text: &self.plain[span.plain.clone()],
            start: span.written.start,
            end: span.written.end,
            spaced: span.spaced,
            capitals: span.capitals,
        };
        self.spans.iter().map(token).collect()
    }

    fn enter(&mut self, original: &[char], written: Range<usize>, spaced: bool) {
        let characters = &original[written.clone()];
        let from = self.plain.len();
        if characters.iter().all(char::is_ascii) {
            for c in characters.iter().filter_map(plain_ascii) {
                self.plain.push(c);
            }
        } else {
            let letters = characters.iter().copied();
            let letters = letters.filter(|&c| class(c) != Class::Apostrophe).nfkd();
            self.plain.extend(
                letters
                    .filter(|c| !is_combining_mark(*c))
                    .flat_map(char::to_lowercase)
                    .map(plain),
            );
        }
        // A decimal comma; a comma that stands alone is a sign.
        if characters.len() > 1 && self.plain[from..].contains(',') {
            let number = self.plain.split_off(from).replace(',', ".");
            self.plain.push_str(&number);
        }
        if self.plain.len() == from {
            return;
        }
        self.spans.push(Span {
            plain: from..self.plain.len(),
            capitals: is_loud(characters),
            written,
            spaced,
        });
    }
}

/// Whether it is a word all in capitals.
fn is_loud(word: &[char]) -> bool {
    word.first().is_some_and(|c| c.is_uppercase())
        && word.iter().all(|c| c.is_uppercase() || !c.is_alphabetic())
}

/// The words of a phrase, without signs: what phrases are compared by.
pub(crate) fn words(phrase: &str) -> Vec<String> {
    Folded::of(phrase)
        .tokens()
        .iter()
        .filter(|token| !token.is_sign() || matches!(token.text, "/" | "%"))
        .map(|token| token.text.to_owned())
        .collect()
}

/// The class of every character that a plain keyboard has: nearly all texts ask for no other.
const ASCII: [Class; 128] = {
    let mut classes = [Class::Gap; 128];
    let mut c = 0;
    while c < classes.len() as u8 {
        classes[c as usize] = match c {
            b'a'..=b'z' | b'A'..=b'Z' => Class::Letter,
            b'0'..=b'9' => Class::Digit,
            b'\'' | b'`' => Class::Apostrophe,
            b'\n' | b'\r' => Class::Sign,
            b'-' | b'_' => Class::Gap,
            c if c.is_ascii_punctuation() => Class::Sign,
            _ => Class::Gap,
        };
        c += 1;
    }
    classes
};

#[inline]
fn class(c: char) -> Class {
    match ASCII.get(c as usize) {
        Some(&class) => class,
        None => class_beyond_ascii(c),
    }
}

fn class_beyond_ascii(c: char) -> Class {
    match c {
        '’' | '‘' | 'ʼ' | '´' => Class::Apostrophe,
        '‐' | '‑' => Class::Gap,
        // A long dash parts clauses as a comma does.
        '–' | '—' => Class::Sign,
        c if c.is_numeric() => Class::Digit,
        c if c.is_alphabetic() || is_combining_mark(c) => Class::Letter,
        '°' | '…' | '¿' | '¡' | '。' | '،' | '↑' | '↓' | '؟' => Class::Sign,
        _ => Class::Gap,
    }
}

/// Letters, and an apostrophe that belongs to an English contraction ("don't", "I'm"). French elision ("j'ai") and the
/// possessive ("mother's") part the word instead.
fn word_end(text: &[char], start: usize) -> usize {
    let letters = |from: usize| {
        text[from..]
            .iter()
            .take_while(|&&c| class(c) == Class::Letter)
            .count()
    };
    let end = start + letters(start);
    let after_apostrophe = end + 1;
    if end >= text.len() || class(text[end]) != Class::Apostrophe || after_apostrophe >= text.len()
    {
        return end;
    }
    let tail: String = text[after_apostrophe..after_apostrophe + letters(after_apostrophe)]
        .iter()
        .collect::<String>()
        .to_lowercase();
    if matches!(tail.as_str(), "t" | "m" | "ve" | "re" | "ll" | "d") {
        after_apostrophe + tail.chars().count()
    } else {
        end
    }
}

/// Digits with one decimal point or comma between digits.
fn number_end(text: &[char], start: usize) -> usize {
    let digits = |from: usize| {
        text[from..]
            .iter()
            .take_while(|&&c| class(c) == Class::Digit)
            .count()
    };
    let end = start + digits(start);
    let fraction = end + 1;
    let has_point = text.get(end).is_some_and(|&c| c == '.' || c == ',');
    let fraction_digits = if has_point && fraction < text.len() {
        digits(fraction)
    } else {
        0
    };
    // "1,2" may be a list; a decimal comma has one or two digits and no space, and so has the list: a point is safe,
    // a comma counts only after two digits ("38,5").
    let decimal =
        fraction_digits > 0 && (text[end] == '.' || (end - start == 2 && fraction_digits <= 2));
    if decimal {
        fraction + fraction_digits
    } else {
        end
    }
}

/// What is left of a character without marks, which most texts have nothing but.
fn plain_ascii(c: &char) -> Option<char> {
    match c {
        '\'' | '`' => None,
        '\r' => Some('\n'),
        c => Some(c.to_ascii_lowercase()),
    }
}

/// Letters that decomposition leaves alone but keyboards lack.
fn plain(c: char) -> char {
    match c {
        'ɓ' => 'b',
        'ɗ' => 'd',
        'ƙ' => 'k',
        'ƴ' => 'y',
        'ø' => 'o',
        'ł' => 'l',
        'ı' => 'i',
        'ẹ' => 'e',
        'ọ' => 'o',
        'ụ' => 'u',
        'ị' => 'i',
        'œ' => 'o',
        'æ' => 'e',
        '\n' | '\r' => '\n',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let folded = Folded::of(text);
        let got: Vec<&str> = folded.tokens().iter().map(|it| it.text).collect();
        assert_eq!(got, expected, "{text}");
    }

    #[test]
    fn tokens_are_plain_words_numbers_and_signs() {
        check("Fever, 39.5°C", &["fever", ",", "39.5", "°", "c"]);
        check("BP 180/110", &["bp", "180", "/", "110"]);
        check("I don’t cough", &["i", "dont", "cough"]);
        check("J'ai mal à la tête", &["j", "ai", "mal", "a", "la", "tete"]);
        check("mother's", &["mother", "s"]);
        check("Isi na-awa m", &["isi", "na", "awa", "m"]);
        check("zazzaɓi ẹ̀fọ́rí", &["zazzabi", "efori"]);
        check("38,5", &["38.5"]);
        check("1,2,3", &["1", ",", "2", ",", "3"]);
        check("x3/7", &["x", "3", "/", "7"]);
    }

    #[test]
    fn offsets_count_characters_of_the_original() {
        let text = "fièvre ŌRÍ";
        let folded = Folded::of(text);
        let tokens = folded.tokens();
        for token in &tokens {
            assert!(token.end <= text.chars().count() && token.start < token.end);
        }
        assert_eq!((tokens[1].start, tokens[1].end), (7, 10));
    }
}
