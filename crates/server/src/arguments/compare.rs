//! Describes in words where a value does not fit a schema. Covers what our schemas use: types, enumerations, formats of days
//! and moments, bounds, missing and unknown fields.

use annals_core::{Date, Fault, Timestamp};
use serde_json::Value;

/// Maximum number of characters of a text that a fault shows. The rest is cut off.
const SHOWN: usize = 60;

/// Compares a value, its fields and its items with a schema, and adds their faults to `faults`. `path` is empty for the whole
/// value.
pub(super) fn compare(schema: &Value, value: &Value, path: &str, whole: &str, faults: &mut Vec<Fault>) {
    let schema = without_null(schema);
    let field = if path.is_empty() { whole } else { path };
    if let Some(reason) = wrong(schema, value) {
        faults.push(Fault::new(field, reason));
        return;
    }
    if let Value::Object(object) = value {
        compare_fields(schema, object, path, whole, faults);
    }
    if schema["items"].is_object() {
        for (index, item) in value.as_array().into_iter().flatten().enumerate() {
            compare(&schema["items"], item, &format!("{path}[{index}]"), whole, faults);
        }
    }
}

/// Returns whether a known fault at `field` makes serde's error at `path` redundant: one lies within the other, or one of them
/// is the whole value. Equal paths are left to the caller.
pub(super) fn is_within(field: &str, path: &str, whole: &str) -> bool {
    let rest = path.strip_prefix(field);
    // Serde reports a missing field at the object that lacks it.
    let is_above = field == whole || path == "." || field.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'));
    is_above || rest.is_some_and(|rest| rest.starts_with(['.', '[']))
}

fn compare_fields(
    schema: &Value,
    object: &serde_json::Map<String, Value>,
    path: &str,
    whole: &str,
    faults: &mut Vec<Fault>,
) {
    let Some(properties) = schema["properties"].as_object() else { return };
    let path_of = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    if schema["additionalProperties"] == false {
        let known = || properties.keys().cloned().collect::<Vec<_>>().join(", ");
        let unknown = object.keys().filter(|name| !properties.contains_key(*name));
        faults
            .extend(unknown.map(|name| Fault::new(path_of(name), format!("is unknown; expected one of {}", known()))));
    }
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, schema) in properties {
        match object.get(name).filter(|value| !value.is_null()) {
            Some(value) => compare(schema, value, &path_of(name), whole, faults),
            None if required.contains(&name.as_str()) => faults.push(Fault::new(path_of(name), "is missing")),
            None => {}
        }
    }
}

/// Returns the schema of an optional value, without null.
fn without_null(schema: &Value) -> &Value {
    let any = schema["anyOf"].as_array().into_iter().flatten();
    any.into_iter().find(|one| one["type"] != "null").unwrap_or(schema)
}

/// Returns what is wrong with the value itself, apart from its fields and items.
fn wrong(schema: &Value, value: &Value) -> Option<String> {
    let words = words(schema);
    if !words.is_empty() {
        let is_one = value.as_str().is_some_and(|value| words.contains(&value));
        return (!is_one).then(|| format!("is {}; expected one of {}", shown(value), words.join(", ")));
    }
    let (fits, kind) = match schema["type"].as_str() {
        Some("object") => (value.is_object(), "an object"),
        Some("array") => (value.is_array(), "a list"),
        Some("string") => (value.is_string(), "a text"),
        Some("boolean") => (value.is_boolean(), "true or false"),
        Some("integer") => (value.is_i64() || value.is_u64(), "a whole number"),
        Some("number") => (value.is_number(), "a number"),
        _ => (true, ""),
    };
    if !fits {
        return Some(format!("is {}; it must be {kind}", shown(value)));
    }
    out_of_bounds(schema, value).or_else(|| ill_formed(schema, value))
}

fn out_of_bounds(schema: &Value, value: &Value) -> Option<String> {
    let (number, least, most) = (value.as_f64()?, schema["minimum"].as_f64(), schema["maximum"].as_f64());
    if least.is_none_or(|least| number >= least) && most.is_none_or(|most| number <= most) {
        return None;
    }
    Some(match (least, most) {
        (Some(least), Some(most)) => format!("is {value}; {least} to {most} are allowed"),
        (Some(least), None) => format!("is {value}; {least} or more are allowed"),
        (_, most) => format!("is {value}; at most {} are allowed", most.unwrap_or_default()),
    })
}

fn ill_formed(schema: &Value, value: &Value) -> Option<String> {
    let text = value.as_str()?;
    let looks_like = match schema["format"].as_str()? {
        "date" if text.parse::<Date>().is_err() => "expected a valid date such as 2026-03-04",
        "date-time" if text.parse::<Timestamp>().is_err() => "expected a time such as 2026-03-04T18:30:00Z",
        _ => return None,
    };
    Some(format!("is {}; {looks_like}", shown(value)))
}

/// Returns the values of an enumeration. Empty for any other schema.
fn words(schema: &Value) -> Vec<&str> {
    let listed = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let constants = schema["oneOf"].as_array().into_iter().flatten();
    let constants = constants.flat_map(|one| words(one).into_iter().chain(one["const"].as_str()));
    listed.chain(constants).collect()
}

fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) if text.chars().count() > SHOWN => {
            format!("{:?}", text.chars().take(SHOWN).chain(['…']).collect::<String>())
        }
        Value::String(text) => format!("{text:?}"),
        other => other.to_string(),
    }
}
