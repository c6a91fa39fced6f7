//! Converts texts of clients to values of facts. A value is a short line, and values are compared without case and punctuation.
//! Any other text is kept in full in the properties of the fact, and its value is a shortened line with a digest. This concerns
//! a text that is too long, has control characters such as line breaks, has spaces around it, or has neither letters nor
//! digits. It also concerns a text that differs from another value only in case and punctuation.

use annals_core::{
    ALIAS, Digest, ENTITY_TYPE, Fact, OBSERVATION, Properties, SignedDuration, Timestamp, entity_key, predicate_name,
};

/// Name of the property with the type of a relation as the client wrote it. The property is set only if the type differs from
/// the predicate, or if the predicate is reserved.
pub(super) const RELATION: &str = "relation_type";
/// Name of the property with the full text. It is set only if the value differs from the text.
pub(in crate::operations) const TEXT: &str = "text";

/// Maximum bytes of the value of a fact. A longer text is cut to `SHORTENED` bytes, and a part of its digest is appended.
const MAX_VALUE_BYTES: usize = 256;
const SHORTENED: usize = 160;

/// Returns the value of a fact as the client wrote it.
pub(super) fn text_of(fact: &Fact) -> &str {
    property(fact, TEXT).unwrap_or(&fact.object)
}

/// Returns the type of a relation as the client wrote it; the predicate if no other type is stored.
pub(super) fn relation_type(fact: &Fact) -> &str {
    property(fact, RELATION).unwrap_or(&fact.predicate)
}

fn property<'f>(fact: &'f Fact, name: &str) -> Option<&'f str> {
    fact.properties.get(name).and_then(serde_json::Value::as_str)
}

/// Returns the value to store for a text, and the properties of the fact. `taken` are texts that the value must not equal,
/// compared without case and punctuation.
pub(in crate::operations) fn value<'t>(text: &str, taken: impl IntoIterator<Item = &'t str>) -> (String, Properties) {
    let key = entity_key(text);
    let is_plain =
        text.trim() == text && text.len() <= MAX_VALUE_BYTES && !text.contains(char::is_control) && !key.is_empty();
    if is_plain && taken.into_iter().all(|other| entity_key(other) != key) {
        return (text.to_owned(), Properties::new());
    }
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let short = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let short = &short[..short.floor_char_boundary(SHORTENED.min(short.len()))];
    let value = format!("{} #{}", short.trim(), &Digest::of([text]).to_string()[..12]);
    (value.trim().to_owned(), Properties::from_iter([(TEXT.to_owned(), text.into())]))
}

/// Returns the predicate of a relation, and a property with its type if the predicate differs from the type or is reserved.
pub(in crate::operations) fn predicate(kind: &str) -> (String, Properties) {
    let predicate = predicate_name(kind);
    let is_reserved = [ENTITY_TYPE, OBSERVATION, ALIAS].contains(&predicate.as_str());
    let properties = if predicate == kind && !is_reserved {
        Properties::new()
    } else {
        Properties::from_iter([(RELATION.to_owned(), kind.into())])
    };
    (predicate, properties)
}

/// Returns the time that is `microseconds` after `at`.
pub(in crate::operations) fn after(at: Timestamp, microseconds: usize) -> Timestamp {
    let later = SignedDuration::from_micros(i64::try_from(microseconds).unwrap_or(i64::MAX));
    at.saturating_add(later).unwrap_or(at)
}
