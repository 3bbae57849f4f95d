//! Asserts fields and their types. A documented field is always present; only a few may be null.

use serde_json::Value;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Text,
    TextOrNull,
    Number,
    NumberOrNull,
    Whole,
    WholeOrNull,
    Flag,
    FlagOrNull,
    Texts,
    TextsOrNull,
    List,
    Object,
    ObjectOrNull,
}

/// Asserts every field of an object with its type.
#[track_caller]
pub(crate) fn check_fields(object: &Value, fields: &[(&str, Kind)]) {
    let found = object.as_object();
    let found = found.unwrap_or_else(|| panic!("not an object: {object}"));
    for (name, kind) in fields {
        let value = found.get(*name);
        let value = value.unwrap_or_else(|| panic!("`{name}` is missing: {object:.1000}"));
        assert!(is(value, *kind), "`{name}` is not {kind:?}: {value}");
    }
}

/// Asserts a list of objects with these fields, and returns it.
#[track_caller]
pub(crate) fn check_each<'a>(list: &'a Value, fields: &[(&str, Kind)]) -> &'a [Value] {
    let items = list.as_array();
    let items = items.unwrap_or_else(|| panic!("not a list: {list}"));
    for item in items {
        check_fields(item, fields);
    }
    items
}

/// Asserts that a value is one of the documented words.
#[track_caller]
pub(crate) fn check_word(value: &Value, words: &[&str]) {
    let word = value.as_str().unwrap_or_default();
    assert!(words.contains(&word), "{value} is none of {words:?}");
}

/// Returns the strings of a list.
#[track_caller]
pub(crate) fn texts(list: &Value) -> Vec<&str> {
    let items = list.as_array();
    let items = items.unwrap_or_else(|| panic!("not a list: {list}"));
    items.iter().filter_map(Value::as_str).collect()
}

/// Returns the values of one field of all items.
#[track_caller]
pub(crate) fn column<'a>(list: &'a Value, field: &str) -> Vec<&'a str> {
    let items = list.as_array();
    let items = items.unwrap_or_else(|| panic!("not a list: {list}"));
    items
        .iter()
        .filter_map(|item| item[field].as_str())
        .collect()
}

pub(crate) fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let hexadecimal = |group: &&str| group.bytes().all(|byte| byte.is_ascii_hexdigit());
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12]) && groups.iter().all(hexadecimal)
}

fn is(value: &Value, kind: Kind) -> bool {
    let all_texts = || {
        value
            .as_array()
            .is_some_and(|all| all.iter().all(Value::is_string))
    };
    match kind {
        Kind::Text => value.is_string(),
        Kind::TextOrNull => value.is_string() || value.is_null(),
        Kind::Number => value.is_number(),
        Kind::NumberOrNull => value.is_number() || value.is_null(),
        Kind::Whole => value.is_u64(),
        Kind::WholeOrNull => value.is_u64() || value.is_null(),
        Kind::Flag => value.is_boolean(),
        Kind::FlagOrNull => value.is_boolean() || value.is_null(),
        Kind::Texts => all_texts(),
        Kind::TextsOrNull => value.is_null() || all_texts(),
        Kind::List => value.is_array(),
        Kind::Object => value.is_object(),
        Kind::ObjectOrNull => value.is_object() || value.is_null(),
    }
}
