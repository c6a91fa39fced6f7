//! Converts texts of clients to values of facts. A value is a short line, and values are compared without case and
//! punctuation. A text that is longer, or that differs from another value only in case and punctuation, is kept in full in
//! the properties of its fact.

use annals_core::{
    ALIAS, Digest, ENTITY_TYPE, Fact, OBSERVATION, Properties, SignedDuration, Timestamp, entity_key, predicate_name,
};

/// The property with the type of a relation as the client wrote it, if the predicate differs from it or is reserved.
pub(super) const RELATION: &str = "relation_type";
/// The property with the full text of a value.
pub(in crate::operations) const TEXT: &str = "text";

/// Maximum bytes of the value of a fact, and the bytes to which a longer one is cut.
const MAX_VALUE_BYTES: usize = 256;
const SHORTENED: usize = 160;

/// Returns the value of a fact as the client wrote it.
pub(super) fn text_of(fact: &Fact) -> &str {
    property(fact, TEXT).unwrap_or(&fact.object)
}

/// Returns the type of a relation as the client wrote it.
pub(super) fn relation_type(fact: &Fact) -> &str {
    property(fact, RELATION).unwrap_or(&fact.predicate)
}

fn property<'f>(fact: &'f Fact, name: &str) -> Option<&'f str> {
    fact.properties.get(name).and_then(serde_json::Value::as_str)
}

/// Returns the value to store for a text, and its properties. `taken` are texts that the value must not equal, compared
/// without case and punctuation.
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

/// Returns the instant this many microseconds after `at`.
pub(in crate::operations) fn after(at: Timestamp, microseconds: usize) -> Timestamp {
    let later = SignedDuration::from_micros(i64::try_from(microseconds).unwrap_or(i64::MAX));
    at.saturating_add(later).unwrap_or(at)
}
