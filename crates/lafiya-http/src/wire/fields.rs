//! Reads JSON so that every mistake is reported, not only the first. [`Field`] takes any JSON value
//! and remembers whether it was missing, valid or of the wrong type; [`Problems`] collects the
//! errors as JSON pointers.

use std::borrow::Cow;
use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::Date;
use lafiya_model::tenant::UnknownWord;
use lafiya_service::FieldError;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::body::strict_value;
use crate::error::ApiError;

/// A field of a request, read without failing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Field<T> {
    /// Not sent, or sent as null.
    #[default]
    Missing,
    /// Sent with the right type.
    Given(T),
    /// Sent with another type.
    WrongType,
}

/// A type that can be read from one JSON scalar.
pub(crate) trait Scalar<'de>: Sized {
    /// What the client should have sent, for the error.
    const EXPECTED: &'static str;
    fn from_text(_: &str) -> Option<Self> {
        None
    }
    /// Reads a text that contains no escapes and can be borrowed from the body.
    fn from_plain_text(text: &'de str) -> Option<Self> {
        Self::from_text(text)
    }
    fn from_integer(_: i64) -> Option<Self> {
        None
    }
    fn from_fraction(_: f64) -> Option<Self> {
        None
    }
    fn from_truth(_: bool) -> Option<Self> {
        None
    }
}

impl Scalar<'_> for String {
    const EXPECTED: &'static str = "must be a string";
    fn from_text(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }
}

/// Borrows long texts from the body instead of copying them.
impl<'de: 'a, 'a> Scalar<'de> for Cow<'a, str> {
    const EXPECTED: &'static str = String::EXPECTED;
    fn from_text(text: &str) -> Option<Self> {
        Some(Cow::Owned(text.to_owned()))
    }
    fn from_plain_text(text: &'de str) -> Option<Self> {
        Some(Cow::Borrowed(text))
    }
}

/// A value of an enumeration, or what is wrong with it.
pub(crate) struct Word<T>(Result<T, UnknownWord>);

impl<T: FromStr<Err = UnknownWord>> Scalar<'_> for Word<T> {
    const EXPECTED: &'static str = String::EXPECTED;
    fn from_text(text: &str) -> Option<Self> {
        Some(Self(text.parse()))
    }
}

impl Scalar<'_> for i64 {
    const EXPECTED: &'static str = "must be an integer";
    fn from_integer(number: i64) -> Option<Self> {
        Some(number)
    }
}

impl Scalar<'_> for f64 {
    const EXPECTED: &'static str = "must be a number";
    fn from_integer(number: i64) -> Option<Self> {
        Some(number as f64)
    }
    fn from_fraction(number: f64) -> Option<Self> {
        number.is_finite().then_some(number)
    }
}

impl Scalar<'_> for bool {
    const EXPECTED: &'static str = "must be true or false";
    fn from_truth(truth: bool) -> Option<Self> {
        Some(truth)
    }
}

impl<'de, T: Scalar<'de>> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor(PhantomData))
    }
}

struct ScalarVisitor<T>(PhantomData<T>);

fn given<T>(value: Option<T>) -> Field<T> {
    value.map_or(Field::WrongType, Field::Given)
}

impl<'de, T: Scalar<'de>> Visitor<'de> for ScalarVisitor<T> {
    type Value = Field<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }
    fn visit_bool<E>(self, truth: bool) -> Result<Self::Value, E> {
        Ok(given(T::from_truth(truth)))
    }
    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(given(T::from_integer(number)))
    }
    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(given(i64::try_from(number).ok().and_then(T::from_integer)))
    }
    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        // 3.0 is an integer in JSON; 3.5 is not.
        let whole = number.fract() == 0.0 && number.abs() < 9e15;
        let value = whole.then_some(number as i64).and_then(T::from_integer);
        Ok(given(value.or_else(|| T::from_fraction(number))))
    }
    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(given(T::from_text(text)))
    }
    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(given(T::from_plain_text(text)))
    }
    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Field::Missing)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Field::WrongType)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Field::WrongType)
    }
}

/// An object of a request, read without failing.
#[derive(Clone, Debug, Default)]
pub(crate) enum Object<T> {
    /// Not sent, or sent as null.
    #[default]
    Missing,
    /// Sent as an object of the right shape.
    Given(T),
    /// Sent with another type.
    WrongType,
}

/// A scalar that may replace an object, for the few types where the contract allows it.
pub(crate) trait Shorthand: Sized {
    fn from_text(_: &str) -> Option<Self> {
        None
    }
    fn from_integer(_: i64) -> Option<Self> {
        None
    }
}

impl<'de, T: Deserialize<'de> + Shorthand> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ObjectVisitor(PhantomData))
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

fn shorthand<T>(value: Option<T>) -> Object<T> {
    value.map_or(Object::WrongType, Object::Given)
}

impl<'de, T: Deserialize<'de> + Shorthand> Visitor<'de> for ObjectVisitor<T> {
    type Value = Object<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }
    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(entries)).map(Object::Given)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Object::WrongType)
    }
    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(shorthand(T::from_text(text)))
    }
    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(shorthand(T::from_integer(number)))
    }
    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(shorthand(
            i64::try_from(number).ok().and_then(T::from_integer),
        ))
    }
    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Object::WrongType)
    }
    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Object::WrongType)
    }
    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Object::Missing)
    }
}

/// A list of a request, read without failing.
#[derive(Clone, Debug, Default)]
pub(crate) enum Items<T> {
    /// Not sent, or sent as null.
    #[default]
    Missing,
    /// Sent as a list.
    Given(Vec<Object<T>>),
    /// Sent with another type.
    WrongType,
}

impl<'de, T: Deserialize<'de> + Shorthand> Deserialize<'de> for Items<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ItemsVisitor(PhantomData))
    }
}

struct ItemsVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de> + Shorthand> Visitor<'de> for ItemsVisitor<T> {
    type Value = Items<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut sent: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = sent.next_element()? {
            items.push(item);
        }
        Ok(Items::Given(items))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Items::WrongType)
    }
    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(Items::WrongType)
    }
    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Items::WrongType)
    }
    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Items::WrongType)
    }
    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Items::WrongType)
    }
    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Items::WrongType)
    }
    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Items::Missing)
    }
}

impl<T> Items<T> {
    /// Whether it is an empty list.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Given(items) if items.is_empty())
    }

    /// Returns the items with their pointers. Reports a problem if there are too many or if it is
    /// not a list.
    pub(crate) fn read(
        self,
        pointer: &str,
        max: usize,
        problems: &mut Problems,
    ) -> Vec<(String, Object<T>)> {
        match self {
            Self::Missing => Vec::new(),
            Self::WrongType => {
                problems.note(pointer, "must be a list");
                Vec::new()
            }
            Self::Given(items) if items.len() > max => {
                problems.note(pointer, format!("may have at most {max} items"));
                Vec::new()
            }
            Self::Given(items) => {
                let mut digits = itoa::Buffer::new();
                let numbered = items.into_iter().enumerate();
                numbered
                    .map(|(place, item)| ([pointer, "/", digits.format(place)].concat(), item))
                    .collect()
            }
        }
    }
}

/// A JSON pointer: a parent and a field in it. It is formatted only if the field has a problem.
#[derive(Clone, Copy)]
pub(crate) struct JsonPointer<'a>(pub(crate) &'a str, pub(crate) &'static str);

impl Display for JsonPointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.0, self.1)
    }
}

/// All problems found in a request so far.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    found: Vec<FieldError>,
}

/// Maximum number of problems that are reported; a longer list would not help.
const PROBLEMS_MAX: usize = 100;

impl Problems {
    /// Notes a problem.
    pub(crate) fn note(&mut self, pointer: impl Display, reason: impl Into<String>) {
        self.add(FieldError::new(pointer.to_string(), reason));
    }

    /// Adds a problem that was found elsewhere.
    pub(crate) fn add(&mut self, problem: FieldError) {
        if self.found.len() < PROBLEMS_MAX {
            self.found.push(problem);
        }
    }

    /// Notes that a field is missing, unless it already has a problem.
    pub(crate) fn require(&mut self, pointer: impl Display) {
        let pointer = pointer.to_string();
        if self.found.iter().all(|problem| problem.pointer != pointer) {
            self.note(pointer, "is required");
        }
    }

    /// Whether no problem has been found so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Returns the value of an optional field. Notes a problem if it has the wrong type.
    pub(crate) fn optional<'de, T: Scalar<'de>>(
        &mut self,
        pointer: impl Display,
        field: Field<T>,
    ) -> Option<T> {
        match field {
            Field::Missing => None,
            Field::Given(value) => Some(value),
            Field::WrongType => {
                self.note(pointer, T::EXPECTED);
                None
            }
        }
    }

    /// Returns the value of an optional enumeration field. Notes a problem for an unknown value.
    pub(crate) fn word<T: FromStr<Err = UnknownWord>>(
        &mut self,
        pointer: impl Display + Copy,
        field: Field<Word<T>>,
    ) -> Option<T> {
        let Word(read) = self.optional(pointer, field)?;
        self.understood(pointer, read)
    }

    /// Unwraps an enumeration value, and notes a problem if it is unknown.
    pub(crate) fn understood<T>(
        &mut self,
        pointer: impl Display,
        read: Result<T, UnknownWord>,
    ) -> Option<T> {
        match read {
            Ok(word) => Some(word),
            Err(unknown) => {
                self.note(pointer, unknown.to_string());
                None
            }
        }
    }

    /// Returns the value of a required enumeration field.
    pub(crate) fn required_word<T: FromStr<Err = UnknownWord>>(
        &mut self,
        pointer: impl Display + Copy,
        field: Field<Word<T>>,
    ) -> Option<T> {
        if matches!(field, Field::Missing) {
            self.require(pointer);
        }
        self.word(pointer, field)
    }

    /// Reads a day from a body: a date, or the date of a timestamp.
    pub(crate) fn day(&mut self, pointer: &str, field: Field<String>) -> Option<Date> {
        let text = self.optional(pointer, field)?;
        let date = strict_date(&text).or_else(|| {
            text.parse::<Timestamp>().ok()?;
            strict_date(text.get(..10)?)
        });
        if date.is_none() {
            self.note(pointer, "must be a date such as 2026-09-15");
        }
        date
    }

    /// Returns the request, or all problems found in it.
    pub(crate) fn into_result<T>(self, request: impl FnOnce() -> Option<T>) -> Result<T, ApiError> {
        if self.found.is_empty()
            && let Some(request) = request()
        {
            return Ok(request);
        }
        Err(ApiError::fields(self.found))
    }
}

/// Parses a date in the exact form `2026-09-15`.
pub(crate) fn strict_date(text: &str) -> Option<Date> {
    let date: Date = text.parse().ok()?;
    (date.to_string() == text).then_some(date)
}

/// Reads a JSON object into a wire type whose fields are all [`Field`]s.
pub(crate) fn read_object<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, ApiError> {
    if let Some(object) = read_whole(bytes) {
        return Ok(object);
    }
    let value = strict_value(bytes)?;
    let not_an_object = || ApiError::fields(vec![FieldError::new("", "must be a JSON object")]);
    // Serde would accept an array as an object with its fields in order.
    if !value.is_object() {
        return Err(not_an_object());
    }
    T::deserialize(value).map_err(|_| not_an_object())
}

/// Reads an object if the wire type has a field for every part of it. In that case nothing was
/// skipped and no field came twice, so the text is strict JSON and need not be parsed a second time
/// to check that.
fn read_whole<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Option<T> {
    // UTF-8 is validated once for the whole body, so that it is not validated again for every
    // string.
    let text = std::str::from_utf8(bytes).ok()?;
    if !text.starts_with('{') {
        return None;
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let mut is_whole = true;
    let object = serde_ignored::deserialize(&mut reader, |_| is_whole = false).ok()?;
    reader.end().ok()?;
    is_whole.then_some(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[allow(
        clippy::needless_pass_by_value,
        reason = "reads better in the rows below"
    )]
    fn check<'de, T: Scalar<'de> + fmt::Debug + PartialEq>(json: &'de str, expected: Field<T>) {
        assert_eq!(
            serde_json::from_str::<Field<T>>(json).unwrap(),
            expected,
            "{json}"
        );
    }

    #[test]
    fn a_date_or_a_timestamp_gives_a_day() {
        let day = |text: &str| {
            let mut problems = Problems::default();
            let day = problems.day("/day", Field::Given(text.to_owned()));
            assert_eq!(day.is_none(), !problems.is_empty(), "{text}");
            day.map(|day| day.to_string())
        };
        for good in [
            "2026-09-15",
            "2026-09-15T08:30:00Z",
            "2026-09-15T08:30:00+01:00",
        ] {
            assert_eq!(day(good).as_deref(), Some("2026-09-15"), "{good}");
        }
        for bad in [
            "",
            "2026-02-30",
            "20260915",
            "2026-09-15x",
            "15/09/2026",
            "2026-9-5",
        ] {
            assert_eq!(day(bad), None, "{bad}");
        }
    }

    #[test]
    fn any_json_value_is_read_without_failing() {
        check("3", Field::Given(3_i64));
        check("3.0", Field::Given(3_i64));
        check::<i64>("3.5", Field::WrongType);
        check::<i64>("\"3\"", Field::WrongType);
        check::<i64>("null", Field::Missing);
        check::<i64>("18446744073709551615", Field::WrongType);
        check("\"x\"", Field::Given("x".to_owned()));
        check::<String>("[1, {\"a\": 2}]", Field::WrongType);
        check::<String>("{\"a\": [2]}", Field::WrongType);
        check("true", Field::Given(true));
    }

    #[derive(Debug, Default, Deserialize)]
    #[allow(dead_code, reason = "read for its mistakes")]
    struct Body {
        #[serde(default)]
        name: Field<String>,
        #[serde(default)]
        inner: Object<Inner>,
    }

    #[derive(Debug, Default, Deserialize)]
    #[allow(dead_code, reason = "read for its mistakes")]
    struct Inner {
        #[serde(default)]
        age: Field<i64>,
    }

    impl Shorthand for Inner {}

    #[test]
    fn read_whole_accepts_only_strict_complete_json() {
        for whole in [
            r#"{}"#,
            r#"{"name": "a", "inner": {"age": 3}}"#,
            r#"{"name": null, "inner": null} "#,
            r#"{"name": 7, "inner": "text"}"#,
        ] {
            assert!(read_whole::<Body>(whole.as_bytes()).is_some(), "{whole}");
            assert!(strict_value(whole.as_bytes()).is_ok());
        }
        for doubtful in [
            r#"{"name": "a", "name": "b"}"#,
            r#"{"inner": {"age": 1, "age": 2}}"#,
            r#"{"other": 1}"#,
            r#"{"other": {"a": 1, "a": 2}}"#,
            r#"{"name": {"a": 1, "a": 2}}"#,
            r#"{"inner": [{"a": 1, "a": 2}]}"#,
            r#"{"name": "a"} x"#,
            r#"["a", {"age": 3}]"#,
            "{\"name\": \"a\u{0}\"}",
        ] {
            assert!(
                read_whole::<Body>(doubtful.as_bytes()).is_none(),
                "{doubtful}"
            );
        }
        assert!(read_whole::<Body>(b"{\"name\": \"\xff\"}").is_none());
        // Unknown fields are still accepted; they only take the slower path.
        let unknown = read_object::<Body>(br#"{"other": 1, "name": "a"}"#).unwrap();
        assert_eq!(unknown.name, Field::Given("a".to_owned()));
    }
}
