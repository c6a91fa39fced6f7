//! Former field names, and null for an absent field. Each option has one name in the command, REST and MCP; names that were
//! public before are still accepted.

use annals_core::Fault;
use serde_json::{Map, Value};

/// Former names, each with the present one. Names are compared in snake case, so `maxResults` is `max_results` here.
const FORMER: [(&str, &str); 8] = [
    ("minimum_days_ago", "min_days_ago"),
    ("maximum_days_ago", "max_days_ago"),
    ("query_text", "query"),
    ("max_results", "limit"),
    ("occurred_at", "at"),
    ("since", "at"),
    ("speaker", "name"),
    ("grain", "grains"),
];

/// Returns the present name of a field, if the schema has one for this former or camel-case name. Otherwise returns the name
/// unchanged.
pub(super) fn present(name: &str, schema: &Value) -> String {
    let is_known = |name: &str| !schema["properties"][name].is_null();
    if is_known(name) {
        return name.to_owned();
    }
    let snake = snake(name);
    let former = FORMER.iter().find(|(former, now)| *former == snake && is_known(now));
    match former {
        Some((_, now)) => (*now).to_owned(),
        None if is_known(&snake) => snake,
        None => name.to_owned(),
    }
}

/// Renames the fields to their present names. Also returns the fields that were given under two names.
pub(super) fn respell(value: Value, schema: &Value) -> (Value, Vec<Fault>) {
    let Value::Object(fields) = value else { return (value, Vec::new()) };
    let (present_ones, former): (Vec<_>, Vec<_>) =
        fields.into_iter().partition(|(name, _)| present(name, schema) == *name);
    let mut respelled: Map<String, Value> = present_ones.into_iter().collect();
    let mut faults = Vec::new();
    for (name, value) in former {
        let now = present(&name, schema);
        if respelled.contains_key(&now) {
            faults.push(Fault::new(now, format!("is given twice: also as {name}")));
            continue;
        }
        let is_list = schema["properties"][&now]["type"] == "array";
        respelled.insert(now, if is_list { listed(value) } else { value });
    }
    (Value::Object(respelled), faults)
}

/// Removes fields that are null and may be absent: clients with typed fields send null for fields that their user leaves out.
/// No field of ours gives null another meaning.
pub(super) fn remove_nulls(value: &mut Value, schema: &Value) {
    match value {
        Value::Object(fields) => {
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            fields.retain(|name, value| {
                !value.is_null() || schema["properties"][name].is_null() || required.iter().any(|one| one == name)
            });
            fields.iter_mut().for_each(|(name, value)| remove_nulls(value, &schema["properties"][name]));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| remove_nulls(item, &schema["items"])),
        _ => {}
    }
}

/// Splits a text at its commas, where a list is now expected. The former value `auto` becomes an empty list.
fn listed(value: Value) -> Value {
    match value {
        Value::String(word) if word == "auto" => Value::Array(Vec::new()),
        Value::String(words) => words.split(',').map(|word| Value::from(word.trim())).collect(),
        other => other,
    }
}

/// Converts `maxResults` to `max_results`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}
