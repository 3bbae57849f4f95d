//! Folding: one plain spelling of whatever was typed, with the way back to it.
//!
//! Case, diacritics, tone marks and apostrophes fall away; every token remembers which characters of the original it
//! stands for. Nothing is corrected here: a typing error stays one.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A word, a number or a sign of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// Folded: lower case, no marks.
    pub text: String,
    /// First character of the original, counted in characters.
    pub start: usize,
    /// The character after the last.
    pub end: usize,
    /// Whether white space or the start of the text stands before it.
    pub spaced: bool,
    /// Whether it is a word all in capitals.
    pub capitals: bool,
}

impl Token {
    /// Whether it is a number such as `3` or `39.5`.
    pub(crate) fn is_number(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_digit())
    }

    /// Whether it is a sign and not a word.
    pub(crate) fn is_sign(&self) -> bool {
        !self.text.starts_with(char::is_alphanumeric)
    }
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

/// Splits a text into folded tokens.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let original: Vec<char> = text.chars().collect();
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    let mut spaced = true;
    while at < original.len() {
        match class(original[at]) {
            Class::Gap | Class::Apostrophe => {
                spaced |= original[at].is_whitespace();
                at += 1;
            }
            Class::Letter => {
                let end = word_end(&original, at);
                tokens.push(token(&original, at, end, spaced));
                (at, spaced) = (end, false);
            }
            Class::Digit => {
                let end = number_end(&original, at);
                tokens.push(token(&original, at, end, spaced));
                (at, spaced) = (end, false);
            }
            Class::Sign => {
                tokens.push(token(&original, at, at + 1, spaced));
                (at, spaced) = (at + 1, false);
            }
        }
    }
    tokens.retain(|token| !token.text.is_empty());
    tokens
}

/// The words of a phrase, without signs: what phrases are compared by.
pub(crate) fn words(phrase: &str) -> Vec<String> {
    tokens(phrase)
        .into_iter()
        .filter(|token| !token.is_sign() || matches!(token.text.as_str(), "/" | "%"))
        .map(|token| token.text)
        .collect()
}

fn class(c: char) -> Class {
    match c {
        'a'..='z' | 'A'..='Z' => Class::Letter,
        '0'..='9' => Class::Digit,
        '\'' | '’' | '‘' | 'ʼ' | '`' | '´' => Class::Apostrophe,
        '\n' | '\r' => Class::Sign,
        '-' | '‐' | '‑' | '_' => Class::Gap,
        // A long dash parts clauses as a comma does.
        '–' | '—' => Class::Sign,
        c if c.is_numeric() => Class::Digit,
        c if c.is_alphabetic() || is_combining_mark(c) => Class::Letter,
        c if c.is_ascii_punctuation()
            || matches!(c, '°' | '…' | '¿' | '¡' | '。' | '،' | '↑' | '↓' | '؟') =>
        {
            Class::Sign
        }
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

fn token(original: &[char], start: usize, end: usize, spaced: bool) -> Token {
    let written = &original[start..end];
    let mut text = if written.iter().all(char::is_ascii) {
        folded_ascii(written)
    } else {
        let letters = written.iter().copied();
        letters
            .filter(|&c| class(c) != Class::Apostrophe)
            .nfkd()
            .filter(|c| !is_combining_mark(*c))
            .flat_map(char::to_lowercase)
            .map(plain)
            .collect()
    };
    // A decimal comma; a comma that stands alone is a sign.
    if end - start > 1 && text.contains(',') {
        text = text.replace(',', ".");
    }
    Token {
        text,
        start,
        end,
        spaced,
        capitals: original[start..end]
            .iter()
            .all(|c| c.is_uppercase() || !c.is_alphabetic())
            && original[start].is_alphabetic(),
    }
}

/// The same for plain letters, which most texts have: without looking at what marks they bear.
fn folded_ascii(written: &[char]) -> String {
    let mut text = String::with_capacity(written.len());
    for &c in written {
        match c {
            '\'' | '`' => {}
            '\r' => text.push('\n'),
            c => text.push(c.to_ascii_lowercase()),
        }
    }
    text
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
        let got: Vec<String> = tokens(text).into_iter().map(|it| it.text).collect();
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
        for token in tokens(text) {
            assert!(token.end <= text.chars().count() && token.start < token.end);
        }
        assert_eq!((tokens(text)[1].start, tokens(text)[1].end), (7, 10));
    }
}
