//! Checks a value against a schema: types, required fields, constants, enumerations and alternatives. Ignores all other
//! keywords, such as `minimum` and `additionalProperties`, so the values of a map are not checked. Meant to find missing or
//! mistyped fields; clients use full validators.

use serde_json::Value;

/// Returns what does not fit, with its path.
pub(super) fn faults(schema: &Value, value: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    walk(schema, schema, value, "$", &mut faults);
    faults
}

fn walk(root: &Value, schema: &Value, value: &Value, path: &str, faults: &mut Vec<String>) {
    if let Some(path) = schema["$ref"].as_str() {
        let target = root.pointer(path.trim_start_matches('#')).unwrap();
        walk(root, target, value, path, faults);
    }
    let any = schema["anyOf"].as_array().or(schema["oneOf"].as_array());
    if any.is_some_and(|any| !any.iter().any(|one| fits(root, one, value, path))) {
        faults.push(format!("{path} fits none of its schemas"));
    }
    if !schema["type"].is_null() && !is_of(&schema["type"], value) {
        faults.push(format!("{path} is not of type {}", schema["type"]));
    }
    if schema.get("const").is_some_and(|expect| expect != value) {
        faults.push(format!("{path} is not {}", schema["const"]));
    }
    if schema["enum"].as_array().is_some_and(|words| !words.contains(value)) {
        faults.push(format!("{path} is none of {}", schema["enum"]));
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        if value.get(name.as_str().unwrap()).is_none() {
            faults.push(format!("{path} has no {name}"));
        }
    }
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(value) = value.get(name) {
            walk(root, schema, value, &format!("{path}.{name}"), faults);
        }
    }
    for element in value.as_array().into_iter().flatten().filter(|_| schema["items"].is_object()) {
        walk(root, &schema["items"], element, &format!("{path}[]"), faults);
    }
}

fn fits(root: &Value, schema: &Value, value: &Value, path: &str) -> bool {
    let mut faults = Vec::new();
    walk(root, schema, value, path, &mut faults);
    faults.is_empty()
}

fn is_of(kind: &Value, value: &Value) -> bool {
    if let Some(kinds) = kind.as_array() {
        return kinds.iter().any(|kind| is_of(kind, value));
    }
    match kind.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        other => panic!("{other}"),
    }
}

#[test]
fn value_that_does_not_fit_is_reported() {
    let schema = serde_json::json!({
        "type": "object", "required": ["a"],
        "properties": {"a": {"$ref": "#/$defs/word"}, "b": {"type": "array", "items": {"type": ["integer", "null"]}}},
        "$defs": {"word": {"oneOf": [{"const": "x"}, {"const": "y"}]}},
    });
    let check =
        |value: &str, expect: usize| assert_eq!(faults(&schema, &value.parse().unwrap()).len(), expect, "{value}");
    check(r#"{"a": "x", "b": [1, null]}"#, 0);
    check(r#"{"a": "z"}"#, 1);
    check(r#"{"b": [1, "2", 1.5]}"#, 3);
    check("[]", 2);
}
