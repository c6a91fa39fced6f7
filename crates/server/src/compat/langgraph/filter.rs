//! Filters of a search: every field that a filter names must match the given value, or meet each of the given operators.
//! Compares as LangGraph's own stores do.

use std::cmp::Ordering;

use annals_core::ports::{Content, Document};
use serde_json::{Map, Value};

use crate::rest::Problem;

const OPERATORS: [&str; 6] = ["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"];

/// Refuses operators that are unknown.
pub(super) fn check(filter: &Map<String, Value>) -> Result<(), Problem> {
    for wanted in filter.values().filter_map(operators) {
        if let Some(unknown) = wanted.keys().find(|operator| !OPERATORS.contains(&operator.as_str())) {
            let reason = format!("has the unknown operator {unknown:?}; expected one of {}", OPERATORS.join(", "));
            return Err(Problem::malformed("filter", reason));
        }
    }
    Ok(())
}

/// Returns whether a document meets a filter. In a text document every field is null.
pub(super) fn admits(filter: &Map<String, Value>, document: &Document) -> bool {
    let of = |name: &str| if let Content::Json(value) = &document.content { field(value, name) } else { &Value::Null };
    filter.iter().all(|(name, wanted)| meets(of(name), wanted))
}

/// Returns the field of this name, or the nested field if the name is a path joined with dots; null if there is neither.
fn field<'v>(value: &'v Value, name: &str) -> &'v Value {
    let nested = || name.split('.').try_fold(value, |value, name| value.get(name));
    value.get(name).or_else(nested).unwrap_or(&Value::Null)
}

fn operators(wanted: &Value) -> Option<&Map<String, Value>> {
    wanted.as_object().filter(|fields| fields.keys().any(|key| key.starts_with('$')))
}

fn meets(value: &Value, wanted: &Value) -> bool {
    if let Some(operators) = operators(wanted) {
        return operators.iter().all(|(operator, operand)| applies(value, operator, operand));
    }
    match wanted {
        // Fields that are not named may have any value.
        Value::Object(fields) => {
            value.is_object()
                && fields.iter().all(|(name, wanted)| meets(value.get(name).unwrap_or(&Value::Null), wanted))
        }
        Value::Array(wanted) => value.as_array().is_some_and(|values| {
            values.len() == wanted.len() && values.iter().zip(wanted).all(|(value, wanted)| meets(value, wanted))
        }),
        single => equal(value, single),
    }
}

fn applies(value: &Value, operator: &str, operand: &Value) -> bool {
    let order = || compare(value, operand);
    match operator {
        "$eq" => equal(value, operand),
        "$ne" => !equal(value, operand),
        "$gt" => order() == Some(Ordering::Greater),
        "$gte" => matches!(order(), Some(Ordering::Greater | Ordering::Equal)),
        "$lt" => order() == Some(Ordering::Less),
        "$lte" => matches!(order(), Some(Ordering::Less | Ordering::Equal)),
        _ => false,
    }
}

/// Returns whether two values are deeply equal. 1 equals 1.0.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, value)| b.get(name).is_some_and(|other| equal(value, other)))
        }
        _ => a == b,
    }
}

/// Compares two values: as numbers if both are numbers or texts that hold a number, as texts if both are texts. `None` for
/// other pairs.
fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    let number = |value: &Value| match value {
        Value::String(text) => text.trim().parse::<f64>().ok(),
        value => value.as_f64(),
    };
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a.partial_cmp(&b),
        _ => Some(a.as_str()?.cmp(b.as_str()?)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_compared_as_langgraph_compares_them() {
        let value = json!({"n": 5, "f": 5.0, "s": "10", "d": "2026-03-04", "l": [1, {"a": 2}], "o": {"a": 1, "b": 2}, "z": null, "x.y": 1, "x": {"y": 2}});
        let check = |filter: Value, expect: bool| {
            let Value::Object(filter) = filter else { panic!("an object") };
            let found = filter.iter().all(|(name, wanted)| meets(field(&value, name), wanted));
            assert_eq!(found, expect, "{filter:?}");
        };
        for filter in [
            json!({}),
            json!({"n": 5, "f": 5}),
            json!({"n": {"$gt": 4, "$lte": 5}}),
            json!({"s": {"$gt": 9}}),
            json!({"d": {"$gte": "2026-03-01", "$lt": "2026-04-01"}}),
            json!({"l": [1, {"a": 2}]}),
            json!({"l": {"$eq": [1, {"a": 2}]}}),
            json!({"o": {"a": 1}}),
            json!({"missing": null, "z": null}),
            json!({"missing": {"$ne": 1}}),
            json!({"o.a": 1, "o.b": {"$gt": 1}, "o.c": null}),
            json!({"x.y": 1}),
        ] {
            check(filter, true);
        }
        for filter in [
            json!({"n": 6}),
            json!({"n": "5"}),
            json!({"n": 5, "s": "11"}),
            json!({"n": {"$gt": 4, "$lt": 5}}),
            json!({"s": {"$gt": "9a"}}),
            json!({"l": [1]}),
            json!({"o": {"$eq": {"a": 1}}}),
            json!({"o": {"c": 1}}),
            json!({"o.a": 2}),
            json!({"x.y": 2}),
            json!({"missing": {"$gt": 0}}),
            json!({"z": {"$ne": null}}),
        ] {
            check(filter, false);
        }
    }

    #[test]
    fn unknown_operator_is_refused() {
        let Value::Object(filter) = json!({"n": {"$in": [1]}}) else { panic!("an object") };
        assert!(check(&filter).unwrap_err().detail().contains("unknown operator \"$in\""));
    }
}
