//! Folding: normalizes text to one plain spelling, with offsets back to the original.
//!
//! Case, diacritics, tone marks and apostrophes are removed; every token keeps the range of the
//! original that it covers. Folding does not correct typing errors.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::hash::{self, WordHasher};

/// A word, a number or a punctuation sign of the text. Tokens are small because a text has many;
/// the spelling is looked up in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// Key of the plain spelling (lower case, no diacritics), for look-ups.
    pub key: u64,
    /// Byte range in the original.
    bytes: (u32, u32),
    kind: FirstCharacter,
    /// Whether white space or the start of the text precedes it.
    pub spaced: bool,
    /// Whether it is a word all in capitals.
    pub capitals: bool,
    /// Whether the plain spelling differs from the lower-cased letters.
    spelt_out: bool,
}

/// What the plain spelling of a token begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FirstCharacter {
    Letter,
    Digit,
    /// A numeral other than an ASCII digit.
    Numeral,
    Sign,
}

impl FirstCharacter {
    fn of(first: char) -> Self {
        match first {
            '0'..='9' => Self::Digit,
            _ if first.is_alphabetic() => Self::Letter,
            _ if first.is_alphanumeric() => Self::Numeral,
            _ => Self::Sign,
        }
    }
}

impl Token {
    /// Byte range in the original.
    pub(crate) fn bytes(&self) -> Range<usize> {
        let (start, end) = self.bytes;
        start as usize..end as usize
    }

    /// Whether it is a number, such as `3` or `39.5`.
    #[inline]
    pub(crate) fn is_number(&self) -> bool {
        self.kind == FirstCharacter::Digit
    }

    /// Whether it is a punctuation sign, not a word.
    #[inline]
    pub(crate) fn is_sign(&self) -> bool {
        self.kind == FirstCharacter::Sign
    }

    /// Whether it begins with a letter.
    #[inline]
    pub(crate) fn is_word(&self) -> bool {
        self.kind == FirstCharacter::Letter
    }
}

/// A text with its plain spelling. Tokens refer to ranges in it, so a word needs no allocation of
/// its own.
#[derive(Clone, Debug)]
pub(crate) struct Folded<'a> {
    text: &'a str,
    lower: String,
    spelt_out: SpeltOut,
}

/// The spelling of the tokens that are not simply their lower-cased letters.
#[derive(Clone, Debug, Default)]
struct SpeltOut {
    text: String,
    /// First byte of each token in the original, in ascending order, and the range of its spelling.
    places: Vec<(u32, Range<usize>)>,
}

/// The state of the tokenizer.
struct Scan<'t> {
    text: &'t str,
    lower: &'t [u8],
    tokens: Vec<Token>,
    spelt_out: &'t mut SpeltOut,
}

/// Returns the character at a byte offset.
#[inline]
fn peek(text: &str, at: usize) -> Option<char> {
    match text.as_bytes().get(at) {
        Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
        _ => text[at..].chars().next(),
    }
}

/// Returns the offset after all consecutive characters of a class.
#[inline]
fn end_of_class(text: &str, at: usize, wanted: Class) -> usize {
    // Fast path over bytes: most characters are one byte.
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    let same = |byte: &&u8| BYTES[usize::from(**byte)] == wanted;
    let plain = rest.iter().take_while(same).count();
    if rest.get(plain).is_none_or(u8::is_ascii) {
        at + plain
    } else {
        end_of_class_beyond_ascii(text, at + plain, wanted)
    }
}

/// Slow path of `end_of_class`, character by character.
#[cold]
fn end_of_class_beyond_ascii(text: &str, mut at: usize, wanted: Class) -> usize {
    while let Some(c) = peek(text, at).filter(|c| class(*c) == wanted) {
        at += c.len_utf8();
    }
    at
}

/// Character classes of the tokenizer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    Apostrophe,
    Gap,
    Sign,
    /// Not ASCII: the class depends on the whole character.
    Beyond,
}

/// The end of a token, and whether its plain spelling is just its letters in lower case.
type End = (usize, bool);

impl<'a> Folded<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Self {
            text,
            lower: text.to_ascii_lowercase(),
            spelt_out: SpeltOut::default(),
        }
    }

    /// Splits the text into folded tokens.
    pub(crate) fn tokens(&mut self) -> Vec<Token> {
        self.spelt_out = SpeltOut::default();
        let scan = Scan {
            text: self.text,
            lower: self.lower.as_bytes(),
            tokens: Vec::with_capacity(self.text.len() / 4),
            spelt_out: &mut self.spelt_out,
        };
        scan.run()
    }

    /// Returns the plain spelling of one of its tokens.
    pub(crate) fn spelling(&self, token: &Token) -> &str {
        if !token.spelt_out {
            return &self.lower[token.bytes()];
        }
        let SpeltOut { text, places } = &self.spelt_out;
        let place = places.binary_search_by_key(&token.bytes.0, |(start, _)| *start);
        place.map_or("", |n| &text[places[n].1.clone()])
    }
}

impl Scan<'_> {
    fn run(mut self) -> Vec<Token> {
        let (bytes, lower) = (self.text.as_bytes(), self.lower);
        let (mut at, mut spaced) = (0, true);
        while let Some(&byte) = lower.get(at) {
            let class = BYTES[usize::from(byte)];
            // Fast path for most of the input: ASCII words, spaces, ASCII punctuation and whole
            // numbers.
            if class == Class::Letter
                && let Some(word) = PlainWord::at_start(&lower[at..])
            {
                let end = at + word.length;
                self.tokens.push(Token {
                    key: word.key,
                    bytes: (at as u32, end as u32),
                    kind: FirstCharacter::Letter,
                    spaced,
                    capitals: is_loud_ascii(&bytes[at..end]),
                    spelt_out: false,
                });
                // Skips the space after the word at once.
                spaced = word.behind == b' ';
                at = end + usize::from(spaced);
            } else if byte == b' ' {
                (at, spaced) = (at + 1, true);
            } else if class == Class::Sign && byte != b'\r' {
                self.tokens.push(Token {
                    key: hash::key_of(&[byte]),
                    bytes: (at as u32, at as u32 + 1),
                    kind: FirstCharacter::Sign,
                    spaced,
                    capitals: false,
                    spelt_out: false,
                });
                (at, spaced) = (at + 1, false);
            } else if class == Class::Digit
                && let Some(length) = plain_number(&lower[at..])
            {
                let end = at + length;
                self.tokens.push(Token {
                    key: hash::key_of(&lower[at..end]),
                    bytes: (at as u32, end as u32),
                    kind: FirstCharacter::Digit,
                    spaced,
                    capitals: false,
                    spelt_out: false,
                });
                (at, spaced) = (end, false);
            } else {
                (at, spaced) = self.go_on(at, spaced);
            }
        }
        self.tokens
    }

    /// Consumes the next token or one character of a gap. Returns the offset after it, and whether
    /// there was white space since the last token.
    #[inline(never)]
    fn go_on(&mut self, at: usize, spaced: bool) -> (usize, bool) {
        let text = self.text;
        let Some(c) = peek(text, at) else {
            return (at, spaced);
        };
        let (end, plain) = match class(c) {
            Class::Gap | Class::Apostrophe | Class::Beyond => {
                return (at + c.len_utf8(), spaced || c.is_whitespace());
            }
            Class::Letter => word_end(text, at),
            Class::Digit => number_end(text, at),
            Class::Sign => (at + c.len_utf8(), c != '\r'),
        };
        let written = &text[at..end];
        let mut token = Token {
            key: 0,
            bytes: (at as u32, end as u32),
            kind: FirstCharacter::of(c),
            spaced,
            capitals: false,
            spelt_out: false,
        };
        if plain && written.is_ascii() {
            token.key = hash::key_of(&self.lower[at..end]);
            token.capitals = is_loud_ascii(written.as_bytes());
            self.tokens.push(token);
        } else if let Some((key, first)) = self.spell(at, written) {
            (token.key, token.kind) = (key, FirstCharacter::of(first));
            (token.capitals, token.spelt_out) = (is_loud(written), true);
            self.tokens.push(token);
        }
        (end, false)
    }

    /// Stores the spelling of a token whose plain spelling is not just its lower-cased letters.
    /// Returns the key of the spelling and its first character, or `None` if nothing is left of it.
    #[cold]
    fn spell(&mut self, at: usize, written: &str) -> Option<(u64, char)> {
        // A comma on its own is a punctuation sign; any other is a decimal comma.
        let alone = written.chars().nth(1).is_none();
        let letters = written.chars().filter(|&c| class(c) != Class::Apostrophe);
        let letters = letters.nfkd().filter(|c| !is_combining_mark(*c));
        let SpeltOut { text, places } = self.spelt_out;
        let from = text.len();
        text.extend(
            letters
                .flat_map(char::to_lowercase)
                .map(plain)
                .map(|c| if c == ',' && !alone { '.' } else { c }),
        );
        places.push((at as u32, from..text.len()));
        let spelling = &text[from..];
        Some((hash::key(spelling), spelling.chars().next()?))
    }
}

/// Whether an ASCII word is all in capitals.
fn is_loud_ascii(word: &[u8]) -> bool {
    word.first().is_some_and(u8::is_ascii_uppercase) && !word.iter().any(u8::is_ascii_lowercase)
}

/// Whether it is a word all in capitals.
fn is_loud(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
        && word.chars().all(|c| c.is_uppercase() || !c.is_alphabetic())
}

/// Splits a phrase into its words, without punctuation. Phrases are compared by these.
pub(crate) fn words(phrase: &str) -> Vec<String> {
    let mut folded = Folded::of(phrase);
    let tokens = folded.tokens();
    let spellings = tokens.iter().map(|token| (token, folded.spelling(token)));
    spellings
        .filter(|(token, spelling)| !token.is_sign() || matches!(*spelling, "/" | "%"))
        .map(|(_, spelling)| spelling.to_owned())
        .collect()
}

/// The class of every ASCII character. Nearly all texts need no others.
const BYTES: [Class; 256] = {
    let mut classes = [Class::Beyond; 256];
    let mut c = 0;
    while c < 128 {
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
    if c.is_ascii() {
        BYTES[c as usize]
    } else {
        class_beyond_ascii(c)
    }
}

fn class_beyond_ascii(c: char) -> Class {
    match c {
        '’' | '‘' | 'ʼ' | '´' => Class::Apostrophe,
        '‐' | '‑' => Class::Gap,
        // A dash separates clauses like a comma.
        '–' | '—' => Class::Sign,
        c if c.is_numeric() => Class::Digit,
        c if c.is_alphabetic() || is_combining_mark(c) => Class::Letter,
        '°' | '…' | '¿' | '¡' | '。' | '،' | '↑' | '↓' | '→' | '؟' => Class::Sign,
        _ => Class::Gap,
    }
}

/// An ASCII word that is not followed by an apostrophe.
struct PlainWord {
    length: usize,
    key: u64,
    /// The byte after it.
    behind: u8,
}

impl PlainWord {
    /// Returns the word at the start of a lower-case text, if the text starts with a letter.
    /// Returns `None` near the end of the text, where fewer than eight bytes are left to read.
    #[inline]
    fn at_start(lower: &[u8]) -> Option<Self> {
        let (mut length, mut hasher) = (0, WordHasher::default());
        let (step, letters) = loop {
            let step = u64::from_le_bytes(*lower[length..].first_chunk()?);
            let letters = leading_letters(step);
            if letters < hash::STEP {
                break (step, letters);
            }
            hasher.step(step);
            length += letters;
        };
        if letters > 0 {
            hasher.step(step & u64::MAX >> (8 * (hash::STEP - letters)));
        }
        let behind = (step >> (8 * letters)) as u8;
        let class = BYTES[usize::from(behind)];
        let goes_on = matches!(class, Class::Apostrophe | Class::Beyond);
        (!goes_on).then(|| Self {
            length: length + letters,
            key: hasher.key(),
            behind,
        })
    }
}

/// Returns the length of the number at the start of a text, if all its digits are ASCII and no
/// decimal point or comma can belong to it.
#[inline]
fn plain_number(text: &[u8]) -> Option<usize> {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let behind = text.get(length)?;
    // A letter that is not ASCII may be a digit of another script or a decimal sign.
    let goes_on = matches!(behind, b'.' | b',') || !behind.is_ascii();
    (!goes_on).then_some(length)
}

/// Counts the leading bytes of a step that are letters from `a` to `z`. All bytes are tested in
/// parallel; the highest bit of each byte holds the result.
#[inline]
fn leading_letters(step: u64) -> usize {
    const EACH: u64 = u64::from_le_bytes([1; hash::STEP]);
    const HIGHEST: u64 = EACH << 7;
    let plain = step & !HIGHEST;
    let from_a = plain + EACH * (0x80 - b'a' as u64);
    let behind_z = plain + EACH * (0x7f - b'z' as u64);
    let letters = from_a & !behind_z & !step & HIGHEST;
    (letters ^ HIGHEST).trailing_zeros() as usize / 8
}

/// Returns the end of a word: letters, and an apostrophe that belongs to an English contraction
/// ("don't", "I'm"). French elision ("j'ai") and the possessive ("mother's") split the word
/// instead.
fn word_end(text: &str, start: usize) -> End {
    let end = end_of_class(text, start, Class::Letter);
    match peek(text, end) {
        Some(c) if class(c) == Class::Apostrophe => contraction_end(text, end, c),
        _ => (end, true),
    }
}

/// Returns the end of a word that has an apostrophe after its first letters.
#[cold]
fn contraction_end(text: &str, end: usize, apostrophe: char) -> End {
    let tail = end + apostrophe.len_utf8();
    let tail_end = end_of_class(text, tail, Class::Letter);
    let written = text[tail..tail_end].to_lowercase();
    if matches!(written.as_str(), "t" | "m" | "ve" | "re" | "ll" | "d") {
        (tail_end, false)
    } else {
        (end, true)
    }
}

/// Returns the end of a number: digits with at most one decimal point or comma between digits.
fn number_end(text: &str, start: usize) -> End {
    let end = end_of_class(text, start, Class::Digit);
    let Some(point @ ('.' | ',')) = peek(text, end) else {
        return (end, true);
    };
    let fraction = end + point.len_utf8();
    let fraction_end = end_of_class(text, fraction, Class::Digit);
    let digits = |from: usize, to: usize| text[from..to].chars().count();
    let fraction_digits = digits(fraction, fraction_end);
    // "1,2" may be a list without spaces. A point between digits is always decimal; a comma is
    // decimal only after exactly two digits and with one or two digits after it ("38,5").
    let two_digits = digits(start, end) == 2;
    let decimal = fraction_digits > 0 && (point == '.' || (two_digits && fraction_digits <= 2));
    if decimal {
        (fraction_end, point == '.')
    } else {
        (end, true)
    }
}

/// Converts byte offsets to character offsets. Offsets mostly arrive in ascending order, so the
/// last count is kept and extended.
pub(crate) struct Characters<'t> {
    text: &'t str,
    /// Whether every character is one byte.
    plain: bool,
    /// A byte offset, and the number of characters before it.
    counted: (usize, usize),
}

impl<'t> Characters<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        Self {
            text,
            plain: text.is_ascii(),
            counted: (0, 0),
        }
    }

    pub(crate) fn before(&mut self, place: usize) -> usize {
        if self.plain {
            return place;
        }
        let (from, characters) = match self.counted {
            (counted, characters) if counted <= place => (counted, characters),
            _ => (0, 0),
        };
        let characters = characters + self.text[from..place].chars().count();
        self.counted = (place, characters);
        characters
    }
}

/// Maps letters that Unicode decomposition leaves alone but keyboards lack.
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
        let mut folded = Folded::of(text);
        let tokens = folded.tokens();
        let got: Vec<&str> = tokens.iter().map(|token| folded.spelling(token)).collect();
        assert_eq!(got, expected, "{text}");
    }

    #[test]
    fn text_splits_into_words_numbers_and_signs() {
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
    fn only_ascii_letters_count_as_leading_letters() {
        for byte in 0..=u8::MAX {
            let is_letter = byte.is_ascii_lowercase();
            for place in 0..hash::STEP {
                let mut bytes = [b'q'; hash::STEP];
                bytes[place] = byte;
                let expected = if is_letter { hash::STEP } else { place };
                let step = u64::from_le_bytes(bytes);
                assert_eq!(leading_letters(step), expected, "{byte} at {place}");
            }
        }
    }

    #[test]
    fn each_token_has_the_key_of_its_word() {
        let text =
            "I've convulsed unconsciously for 12 days: ẹ̀fọ́rí, hyperventilation; Unwell, Dyspnoea";
        let mut folded = Folded::of(text);
        for token in folded.tokens() {
            let spelling = folded.spelling(&token);
            assert_eq!(token.key, hash::key(spelling), "{spelling}");
        }
    }

    #[test]
    fn tokens_map_back_to_the_original_text() {
        let text = "fièvre ŌRÍ";
        let mut folded = Folded::of(text);
        let tokens = folded.tokens();
        let written: Vec<&str> = tokens.iter().map(|token| &text[token.bytes()]).collect();
        assert_eq!(written, ["fièvre", "ŌRÍ"]);
        let mut characters = Characters::of(text);
        let place = tokens[1].bytes();
        assert_eq!(characters.before(place.end), 10);
        assert_eq!(characters.before(place.start), 7);
        assert_eq!(characters.before(place.end), 10);
    }
}
