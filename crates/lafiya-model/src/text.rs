//! The texts of an answer. Most come from the knowledge base: an answer borrows them, and a stored
//! document refers to them by their number in the phrase table of that knowledge base instead of
//! repeating them.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::ser::SerializeTuple;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A text of the knowledge base with a number in its phrase table.
#[derive(Clone, Default)]
pub struct Phrase {
    words: Box<str>,
    /// Counted from 1; 0 if it is not in a phrase table.
    number: u32,
}

impl Phrase {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.words
    }

    /// Returns its number in the phrase table, counted from 1; 0 if it is not in one.
    #[inline]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Assigns its number in the phrase table, counted from 1.
    pub fn enter(&mut self, number: u32) {
        self.number = number;
    }
}

/// A text in an answer.
#[derive(Clone)]
pub struct Text<'a>(Words<'a>);

#[derive(Clone)]
enum Words<'a> {
    Phrase(&'a Phrase),
    Borrowed(&'a str),
    Own(String),
    Shared(Arc<Shared>),
}

/// A text that occurs several times in an answer.
struct Shared {
    words: String,
    cited: Option<Cited>,
}

/// A source as cited in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cited {
    /// Its citation number in the answer.
    pub number: u16,
    /// The number of its phrase in the phrase table.
    pub phrase: u16,
}

impl Cited {
    /// Returns the citation line: `[n]` and the source.
    pub fn line(number: u16, source: &str) -> String {
        let mut digits = itoa::Buffer::new();
        ["[", digits.format(number), "] ", source].concat()
    }
}

impl<'a> Text<'a> {
    /// Creates a text that is used several times; clones share it.
    pub fn shared(words: String) -> Self {
        Self(Words::Shared(Arc::new(Shared { words, cited: None })))
    }

    /// Creates the citation of a source with its number in the answer: `[n] Title, publisher,
    /// year`.
    pub fn cited(number: u16, source: &Phrase) -> Self {
        let phrase = u16::try_from(source.number)
            .ok()
            .filter(|&number| number > 0);
        Self(Words::Shared(Arc::new(Shared {
            words: Cited::line(number, source),
            cited: phrase.map(|phrase| Cited { number, phrase }),
        })))
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Words::Phrase(phrase) => phrase,
            Words::Borrowed(words) => words,
            Words::Own(words) => words,
            Words::Shared(shared) => &shared.words,
        }
    }

    /// Returns the reference that replaces the text in a document with a phrase table; `None` if
    /// the text is not in one.
    fn reference(&self) -> Option<Reference> {
        match &self.0 {
            Words::Phrase(phrase) if phrase.number > 0 => Some(Reference::Phrase(phrase.number)),
            Words::Shared(shared) => shared.cited.map(Reference::Cited),
            _ => None,
        }
    }
}

/// A reference in a document to a text in the phrase table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    /// The phrase with this number.
    Phrase(u32),
    /// A cited source.
    Cited(Cited),
}

impl Reference {
    /// The name by which MessagePack serializers recognise an extension value: a type number and
    /// bytes.
    const EXTENSION: &str = "_ExtStruct";
    const PHRASE: i8 = 1;
    const CITED: i8 = 2;

    /// Returns the extension type number and the bytes.
    fn written(self) -> (i8, [u8; 4]) {
        match self {
            Self::Phrase(number) => (Self::PHRASE, number.to_be_bytes()),
            Self::Cited(Cited { number, phrase }) => {
                let ([a, b], [c, d]) = (number.to_be_bytes(), phrase.to_be_bytes());
                (Self::CITED, [a, b, c, d])
            }
        }
    }

    /// Parses a reference; `None` if the type number is unknown.
    pub fn read(kind: i8, bytes: [u8; 4]) -> Option<Self> {
        let [a, b, c, d] = bytes;
        match kind {
            Self::PHRASE => Some(Self::Phrase(u32::from_be_bytes(bytes))),
            Self::CITED => Some(Self::Cited(Cited {
                number: u16::from_be_bytes([a, b]),
                phrase: u16::from_be_bytes([c, d]),
            })),
            _ => None,
        }
    }
}

impl Serialize for Reference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (kind, bytes) = self.written();
        let mut tuple = serializer.serialize_tuple(2)?;
        tuple.serialize_element(&kind)?;
        tuple.serialize_element(&Bytes(&bytes))?;
        tuple.end()
    }
}

struct Bytes<'a>(&'a [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

/// Writes the text itself in human-readable formats. In binary formats, writes a reference if the
/// text is in a phrase table.
impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return serializer.serialize_str(self);
        }
        match self.reference() {
            Some(reference) => {
                serializer.serialize_newtype_struct(Reference::EXTENSION, &reference)
            }
            None => serializer.serialize_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Text<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

impl Default for Text<'_> {
    fn default() -> Self {
        Self(Words::Borrowed(""))
    }
}

impl<'a> From<&'a Phrase> for Text<'a> {
    fn from(phrase: &'a Phrase) -> Self {
        Self(Words::Phrase(phrase))
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(words: &'a str) -> Self {
        Self(Words::Borrowed(words))
    }
}

impl<'a> From<&'a String> for Text<'a> {
    fn from(words: &'a String) -> Self {
        Self(Words::Borrowed(words))
    }
}

impl From<String> for Text<'_> {
    fn from(words: String) -> Self {
        Self(Words::Own(words))
    }
}

impl Serialize for Phrase {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for Phrase {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

impl From<String> for Phrase {
    fn from(words: String) -> Self {
        Self {
            words: words.into_boxed_str(),
            number: 0,
        }
    }
}

impl From<&str> for Phrase {
    fn from(words: &str) -> Self {
        words.to_owned().into()
    }
}

/// Implements the string traits for types that wrap a text.
macro_rules! words {
    ($($type:ty),+) => {
        $(
            impl Deref for $type {
                type Target = str;
                fn deref(&self) -> &str {
                    self.as_str()
                }
            }

            impl AsRef<str> for $type {
                fn as_ref(&self) -> &str {
                    self
                }
            }

            impl std::borrow::Borrow<str> for $type {
                fn borrow(&self) -> &str {
                    self
                }
            }

            impl fmt::Display for $type {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    fmt::Display::fmt(self.as_str(), f)
                }
            }

            impl fmt::Debug for $type {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    fmt::Debug::fmt(self.as_str(), f)
                }
            }

            impl PartialEq for $type {
                fn eq(&self, other: &Self) -> bool {
                    self.as_str() == other.as_str()
                }
            }

            impl Eq for $type {}

            impl PartialEq<&str> for $type {
                fn eq(&self, other: &&str) -> bool {
                    self.as_str() == *other
                }
            }
        )+
    };
}

words!(Phrase, Text<'_>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_reads_back_as_written() {
        let cited = Cited {
            number: 3,
            phrase: 700,
        };
        for reference in [Reference::Phrase(70_000), Reference::Cited(cited)] {
            let (kind, bytes) = reference.written();
            assert_eq!(Reference::read(kind, bytes), Some(reference));
        }
        assert_eq!(Reference::read(9, [0; 4]), None);
    }

    #[test]
    fn only_numbered_phrases_have_a_reference() {
        let mut phrase = Phrase::from("Rest.");
        assert_eq!(Text::from(&phrase).reference(), None);
        assert_eq!(Text::cited(1, &phrase).reference(), None);
        phrase.enter(7);
        let reference = Text::from(&phrase).reference();
        assert_eq!(reference, Some(Reference::Phrase(7)));
        let cited = Text::cited(1, &phrase);
        assert_eq!(cited, "[1] Rest.");
        assert!(matches!(cited.reference(), Some(Reference::Cited(it)) if it.phrase == 7));
        // A phrase number too large for a citation.
        phrase.enter(70_000);
        assert_eq!(Text::cited(1, &phrase).reference(), None);
        assert_eq!(Text::from("Rest.").reference(), None);
        assert_eq!(Text::shared("Rest.".to_owned()).reference(), None);
    }
}
