//! Folding: one plain spelling of whatever was typed, with the way back to it.
//!
//! Case, diacritics, tone marks and apostrophes fall away; every token remembers which characters of the original it
//! stands for. Nothing is corrected here: a typing error stays one.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// A word, a number or a sign of the text. Small, since a text has many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    /// Folded: lower case, no marks.
    pub text: &'t str,
    /// Where it stands in the original, counted in characters and in bytes.
    characters: (u32, u32),
    bytes: (u32, u32),
    /// Whether white space or the start of the text stands before it.
    pub spaced: bool,
    /// Whether it is a word all in capitals.
    pub capitals: bool,
}

impl Token<'_> {
    /// Its characters in the original.
    pub(crate) fn characters(&self) -> Range<usize> {
        let (start, end) = self.characters;
        start as usize..end as usize
    }

    /// Its bytes in the original.
    pub(crate) fn bytes(&self) -> Range<usize> {
        let (start, end) = self.bytes;
        start as usize..end as usize
    }

    /// Whether it is a number such as `3` or `39.5`.
    pub(crate) fn is_number(&self) -> bool {
        self.text.as_bytes().first().is_some_and(u8::is_ascii_digit)
    }

    /// Whether it is a sign and not a word.
    pub(crate) fn is_sign(&self) -> bool {
        match self.text.as_bytes().first() {
            Some(byte) if byte.is_ascii() => !byte.is_ascii_alphanumeric(),
            _ => !self.text.starts_with(char::is_alphanumeric),
        }
    }
}

/// A text with its plain spelling. Tokens share its strings, so that a word costs no memory of its own.
#[derive(Clone, Debug)]
pub(crate) struct Folded<'a> {
    text: &'a str,
    lower: String,
    /// The spelling of those tokens that are not plain in lower case.
    spelt: String,
}

/// A text on the way to its tokens.
struct Scan<'t, 's> {
    text: &'t str,
    lower: &'t str,
    tokens: Vec<Token<'t>>,
    spelt: &'s mut String,
    /// Tokens that are spelt out, by number, with the place of their spelling: they get it when all are.
    late: Vec<(usize, Range<usize>)>,
}

/// A place in the original.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    byte: usize,
    character: usize,
}

impl Place {
    /// The character that begins here.
    #[inline]
    fn peek(self, text: &str) -> Option<char> {
        match text.as_bytes().get(self.byte) {
            Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
            _ => text[self.byte..].chars().next(),
        }
    }

    /// The place behind a character.
    #[inline]
    fn behind(self, c: char) -> Self {
        Self {
            byte: self.byte + c.len_utf8(),
            character: self.character + 1,
        }
    }

    /// The place behind so many plain characters.
    #[inline]
    fn behind_bytes(self, bytes: usize) -> Self {
        Self {
            byte: self.byte + bytes,
            character: self.character + bytes,
        }
    }

    /// The place behind all characters of a class that follow.
    #[inline]
    fn behind_all(mut self, text: &str, wanted: Class) -> Self {
        // Bytes first: most characters are one.
        let rest = text.as_bytes().get(self.byte..).unwrap_or_default();
        let same = |byte: &&u8| BYTES[usize::from(**byte)] == wanted;
        let plain = rest.iter().take_while(same).count();
        self = self.behind_bytes(plain);
        if rest.get(plain).is_none_or(u8::is_ascii) {
            self
        } else {
            self.behind_all_beyond(text, wanted)
        }
    }

    /// The same, character by character.
    #[cold]
    fn behind_all_beyond(mut self, text: &str, wanted: Class) -> Self {
        while let Some(c) = self.peek(text).filter(|c| class(*c) == wanted) {
            self = self.behind(c);
        }
        self
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
    /// Not of a plain keyboard: the whole character says what it is.
    Beyond,
}

/// A token's end, and whether the plain spelling of what lies before it is the same letters in lower case.
type End = (Place, bool);

impl<'a> Folded<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Self {
            text,
            lower: text.to_ascii_lowercase(),
            spelt: String::new(),
        }
    }

    /// Splits the text into folded tokens.
    pub(crate) fn tokens(&mut self) -> Vec<Token<'_>> {
        self.spelt.clear();
        let scan = Scan {
            text: self.text,
            lower: &self.lower,
            tokens: Vec::with_capacity(self.text.len() / 4),
            spelt: &mut self.spelt,
            late: Vec::new(),
        };
        let (mut tokens, late) = scan.run();
        for (n, spelling) in late {
            tokens[n].text = &self.spelt[spelling];
        }
        tokens
    }
}

impl<'t> Scan<'t, '_> {
    fn run(mut self) -> (Vec<Token<'t>>, Vec<(usize, Range<usize>)>) {
        let bytes = self.text.as_bytes();
        let mut at = Place::default();
        let mut spaced = true;
        while let Some(&byte) = bytes.get(at.byte) {
            // What most texts are made of: spaces, words of plain letters, and signs that are their own spelling.
            if byte == b' ' {
                at = at.behind(' ');
                spaced = true;
            } else if let Some(word) = plain_word(&bytes[at.byte..]) {
                let end = at.behind_bytes(word.len());
                let spelling = &self.lower[at.byte..end.byte];
                self.push((at, end), spelling, (spaced, is_loud_ascii(word)));
                (at, spaced) = (end, false);
            } else if BYTES[usize::from(byte)] == Class::Sign && byte != b'\r' {
                let end = at.behind_bytes(1);
                let spelling = &self.lower[at.byte..end.byte];
                self.push((at, end), spelling, (spaced, false));
                (at, spaced) = (end, false);
            } else {
                (at, spaced) = self.go_on(at, spaced);
            }
        }
        (self.tokens, self.late)
    }

    /// Takes whatever comes next: a token or one character of a gap. Gives the place behind it, and whether there was
    /// white space since the last token.
    #[inline(never)]
    fn go_on(&mut self, at: Place, spaced: bool) -> (Place, bool) {
        let text = self.text;
        let Some(c) = at.peek(text) else {
            return (at, spaced);
        };
        let (end, plain) = match class(c) {
            Class::Gap | Class::Apostrophe | Class::Beyond => {
                return (at.behind(c), spaced || c.is_whitespace());
            }
            Class::Letter => word_end(text, at),
            Class::Digit => number_end(text, at),
            Class::Sign => (at.behind(c), c != '\r'),
        };
        let is_ascii = end.byte - at.byte == end.character - at.character;
        let written = &text[at.byte..end.byte];
        if plain && is_ascii {
            let spelling = &self.lower[at.byte..end.byte];
            let capitals = is_loud_ascii(written.as_bytes());
            self.push((at, end), spelling, (spaced, capitals));
        } else {
            let spelling = self.spell(written);
            if !spelling.is_empty() {
                self.late.push((self.tokens.len(), spelling));
                self.push((at, end), "", (spaced, is_loud(written)));
            }
        }
        (end, false)
    }

    #[inline]
    fn push(
        &mut self,
        (start, end): (Place, Place),
        text: &'t str,
        (spaced, capitals): (bool, bool),
    ) {
        self.tokens.push(Token {
            text,
            characters: (start.character as u32, end.character as u32),
            bytes: (start.byte as u32, end.byte as u32),
            spaced,
            capitals,
        });
    }

    /// Spells out a token whose plain spelling is not its letters in lower case.
    #[cold]
    fn spell(&mut self, written: &str) -> Range<usize> {
        // A comma that stands alone is a sign, any other a decimal comma.
        let alone = written.chars().nth(1).is_none();
        let letters = written.chars().filter(|&c| class(c) != Class::Apostrophe);
        let letters = letters.nfkd().filter(|c| !is_combining_mark(*c));
        let from = self.spelt.len();
        self.spelt.extend(
            letters
                .flat_map(char::to_lowercase)
                .map(plain)
                .map(|c| if c == ',' && !alone { '.' } else { c }),
        );
        from..self.spelt.len()
    }
}

/// Whether it is a word all in capitals, where all its characters are plain.
fn is_loud_ascii(word: &[u8]) -> bool {
    word.first().is_some_and(u8::is_ascii_uppercase) && !word.iter().any(u8::is_ascii_lowercase)
}

/// Whether it is a word all in capitals.
fn is_loud(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
        && word.chars().all(|c| c.is_uppercase() || !c.is_alphabetic())
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
        // A long dash parts clauses as a comma does.
        '–' | '—' => Class::Sign,
        c if c.is_numeric() => Class::Digit,
        c if c.is_alphabetic() || is_combining_mark(c) => Class::Letter,
        '°' | '…' | '¿' | '¡' | '。' | '،' | '↑' | '↓' | '؟' => Class::Sign,
        _ => Class::Gap,
    }
}

/// The word that begins here, where all its letters are plain and no apostrophe follows.
#[inline]
fn plain_word(rest: &[u8]) -> Option<&[u8]> {
    let class = |byte: &u8| BYTES[usize::from(*byte)];
    let length = rest.iter().position(|byte| class(byte) != Class::Letter);
    let (word, behind) = rest.split_at(length.unwrap_or(rest.len()));
    let goes_on = |byte| matches!(class(byte), Class::Apostrophe | Class::Beyond);
    (!word.is_empty() && !behind.first().is_some_and(goes_on)).then_some(word)
}

/// Letters, and an apostrophe that belongs to an English contraction ("don't", "I'm"). French elision ("j'ai") and the
/// possessive ("mother's") part the word instead.
fn word_end(text: &str, start: Place) -> End {
    let end = start.behind_all(text, Class::Letter);
    match end.peek(text) {
        Some(c) if class(c) == Class::Apostrophe => contraction_end(text, end, c),
        _ => (end, true),
    }
}

/// The end of a word that has an apostrophe behind its first letters.
#[cold]
fn contraction_end(text: &str, end: Place, apostrophe: char) -> End {
    let tail = end.behind(apostrophe);
    let tail_end = tail.behind_all(text, Class::Letter);
    let written = text[tail.byte..tail_end.byte].to_lowercase();
    if matches!(written.as_str(), "t" | "m" | "ve" | "re" | "ll" | "d") {
        (tail_end, false)
    } else {
        (end, true)
    }
}

/// Digits with one decimal point or comma between digits.
fn number_end(text: &str, start: Place) -> End {
    let end = start.behind_all(text, Class::Digit);
    let Some(point @ ('.' | ',')) = end.peek(text) else {
        return (end, true);
    };
    let fraction = end.behind(point);
    let fraction_end = fraction.behind_all(text, Class::Digit);
    let fraction_digits = fraction_end.character - fraction.character;
    // "1,2" may be a list; a decimal comma has one or two digits and no space, and so has the list: a point is safe,
    // a comma counts only after two digits ("38,5").
    let two_digits = end.character - start.character == 2;
    let decimal = fraction_digits > 0 && (point == '.' || (two_digits && fraction_digits <= 2));
    if decimal {
        (fraction_end, point == '.')
    } else {
        (end, true)
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
        let mut folded = Folded::of(text);
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
        let mut folded = Folded::of(text);
        let tokens = folded.tokens();
        for token in &tokens {
            let characters = token.characters();
            assert!(characters.end <= text.chars().count() && !characters.is_empty());
        }
        assert_eq!(tokens[1].characters(), 7..10);
    }
}
