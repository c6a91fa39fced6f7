//! mem0's filters: `{"user_id": "ann"}`, `AND`, `OR`, `NOT`, and the operators `eq ne in nin gt gte lt lte contains
//! icontains`. `*` stands for any value. Unknown operators and fields are refused, so that no filter is silently ignored.

use annals_core::Timestamp;
use serde_json::{Map, Value};

use crate::rest::Problem;

/// Names of the fields with the user, agent, app and run that a memory belongs to.
pub(super) const ENTITIES: [&str; 4] = ["user_id", "agent_id", "app_id", "run_id"];
/// Other fields of a memory that a filter may name. `categories` is missing, because Annals gives no memory a category.
const FIELDS: [&str; 6] = ["id", "memory", "created_at", "updated_at", "expiration_date", "metadata"];

/// A condition on the fields of a memory.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Filter {
    All(Vec<Filter>),
    Any(Vec<Filter>),
    Not(Box<Filter>),
    Field { path: Vec<String>, test: Test },
}

/// A condition on the value of one field.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Test {
    Exists,
    Equals(Value),
    Differs(Value),
    In(Vec<Value>),
    NotIn(Vec<Value>),
    Compare { low: bool, equal: bool, to: Value },
    Contains { text: String, ignores_case: bool },
}

impl Filter {
    pub(super) fn everything() -> Filter {
        Filter::All(Vec::new())
    }

    /// Parses the field `filters` of a request.
    pub(super) fn parse(filters: Option<&Value>) -> Result<Filter, Problem> {
        match filters {
            None | Some(Value::Null) => Ok(Filter::everything()),
            Some(Value::Object(fields)) => object(fields),
            Some(_) => Err(Problem::malformed("filters", "is not an object")),
        }
    }

    /// Returns the filter for entities that are named outside of `filters`; all must match. `*` stands for any id.
    pub(super) fn of_entities<'f>(fields: impl Iterator<Item = (&'f str, &'f str)>) -> Filter {
        let test = |value: &str| if value == "*" { Test::Exists } else { Test::Equals(value.into()) };
        Filter::All(fields.map(|(name, value)| Filter::Field { path: vec![name.into()], test: test(value) }).collect())
    }

    /// Returns whether a memory, in the form of [`Unit::view`](super::memory::Unit::view), passes.
    pub(super) fn admits(&self, memory: &Value) -> bool {
        match self {
            Filter::All(filters) => filters.iter().all(|filter| filter.admits(memory)),
            Filter::Any(filters) => filters.iter().any(|filter| filter.admits(memory)),
            Filter::Not(filter) => !filter.admits(memory),
            Filter::Field { path, test } => {
                test.matches(path.iter().fold(memory, |value, name| value.get(name).unwrap_or(&Value::Null)))
            }
        }
    }
}

fn object(fields: &Map<String, Value>) -> Result<Filter, Problem> {
    let filters = fields.iter().map(|(name, value)| match name.as_str() {
        "AND" => Ok(Filter::All(each(name, value)?)),
        "OR" => Ok(Filter::Any(each(name, value)?)),
        "NOT" => Ok(Filter::Not(Box::new(Filter::Any(each(name, value)?)))),
        "keywords" => Ok(Filter::Field { path: vec!["memory".into()], test: keywords(value)? }),
        "memory_ids" => Ok(Filter::Field { path: vec!["id".into()], test: Test::In(values("memory_ids", value)?) }),
        "metadata" => metadata(value),
        name if ENTITIES.contains(&name) || FIELDS.contains(&name) => field(vec![name.to_owned()], value),
        name => Err(Problem::malformed(
            format!("filters.{name}"),
            format!(
                "is not supported; expected AND, OR, NOT, keywords, memory_ids or one of {}, {}",
                ENTITIES.join(", "),
                FIELDS.join(", ")
            ),
        )),
    });
    let mut filters = filters.collect::<Result<Vec<_>, Problem>>()?;
    Ok(if filters.len() == 1 { filters.remove(0) } else { Filter::All(filters) })
}

fn each(name: &str, value: &Value) -> Result<Vec<Filter>, Problem> {
    let wrong = || Problem::malformed(format!("filters.{name}"), "is not a list of objects");
    match value {
        Value::Array(values) => values.iter().map(|value| object(value.as_object().ok_or_else(wrong)?)).collect(),
        Value::Object(fields) => Ok(vec![object(fields)?]),
        _ => Err(wrong()),
    }
}

/// Parses conditions on fields of the metadata; all must hold. An object that has only operators, and any value that is no
/// object, is a condition on the metadata as a whole.
fn metadata(value: &Value) -> Result<Filter, Problem> {
    match value {
        Value::Object(fields) if !fields.keys().all(|name| is_operator(name)) => {
            let conditions = fields.iter().map(|(name, value)| field(vec!["metadata".into(), name.clone()], value));
            Ok(Filter::All(conditions.collect::<Result<_, _>>()?))
        }
        _ => field(vec!["metadata".into()], value),
    }
}

fn keywords(value: &Value) -> Result<Test, Problem> {
    match value {
        Value::String(text) => Ok(Test::Contains { text: text.clone(), ignores_case: true }),
        Value::Object(operators) if operators.len() == 1 => {
            let (name, value) = operators.iter().next().expect("it has one");
            operator(name, value)
        }
        _ => Err(Problem::malformed("filters.keywords", "must be a text, or contains or icontains with a text")),
    }
}

fn field(path: Vec<String>, value: &Value) -> Result<Filter, Problem> {
    let tests = match value {
        Value::String(any) if any == "*" => vec![Test::Exists],
        Value::Object(operators) if !operators.is_empty() => {
            operators.iter().map(|(name, value)| operator(name, value)).collect::<Result<_, _>>()?
        }
        Value::Array(values) => vec![Test::In(values.clone())],
        value => vec![Test::Equals(value.clone())],
    };
    Ok(Filter::All(tests.into_iter().map(|test| Filter::Field { path: path.clone(), test }).collect()))
}

fn is_operator(name: &str) -> bool {
    ["eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "contains", "icontains"].contains(&name)
}

fn operator(name: &str, value: &Value) -> Result<Test, Problem> {
    let text = || {
        value.as_str().map(str::to_owned).ok_or_else(|| Problem::malformed(format!("filters: {name}"), "takes a text"))
    };
    let compare = |low, equal| Test::Compare { low, equal, to: value.clone() };
    Ok(match name {
        "eq" => Test::Equals(value.clone()),
        "ne" => Test::Differs(value.clone()),
        "in" => Test::In(values(name, value)?),
        "nin" => Test::NotIn(values(name, value)?),
        "gt" => compare(true, false),
        "gte" => compare(true, true),
        "lt" => compare(false, false),
        "lte" => compare(false, true),
        "contains" => Test::Contains { text: text()?, ignores_case: false },
        "icontains" => Test::Contains { text: text()?, ignores_case: true },
        _ => return Err(Problem::malformed("filters", format!("have the unknown operator {name:?}"))),
    })
}

fn values(name: &str, value: &Value) -> Result<Vec<Value>, Problem> {
    value.as_array().cloned().ok_or_else(|| Problem::malformed(format!("filters: {name}"), "takes a list"))
}

impl Test {
    fn matches(&self, value: &Value) -> bool {
        match self {
            Test::Exists => !value.is_null(),
            Test::Equals(expect) => is_or_has(value, expect),
            Test::Differs(other) => !is_or_has(value, other),
            Test::In(list) => list.iter().any(|one| is_or_has(value, one)),
            Test::NotIn(list) => !list.iter().any(|one| is_or_has(value, one)),
            Test::Compare { low, equal, to } => match compare(value, to, *low != *equal) {
                None => false,
                Some(order) => (*equal && order.is_eq()) || if *low { order.is_gt() } else { order.is_lt() },
            },
            Test::Contains { text, ignores_case } => {
                let fold = |text: &str| if *ignores_case { text.to_lowercase() } else { text.to_owned() };
                match value {
                    Value::Array(values) => values.iter().any(|value| value.as_str().map(fold) == Some(fold(text))),
                    value => value.as_str().is_some_and(|value| fold(value).contains(&fold(text))),
                }
            }
        }
    }
}

/// Returns whether a value equals `expect`, or is a list that contains it.
fn is_or_has(value: &Value, expect: &Value) -> bool {
    value == expect || value.as_array().is_some_and(|values| values.contains(expect))
}

/// Compares numbers, times or texts. A day in `to` means its end if `ends`, otherwise its beginning. `None` for any other two
/// values.
fn compare(value: &Value, to: &Value, ends: bool) -> Option<std::cmp::Ordering> {
    if let (Some(value), Some(to)) = (value.as_f64(), to.as_f64()) {
        return value.partial_cmp(&to);
    }
    let (value, to) = (value.as_str()?, to.as_str()?);
    Some(match (instant(value, false), instant(to, ends)) {
        (Some(value), Some(to)) => value.cmp(&to),
        _ => value.cmp(to),
    })
}

/// Parses a time, in UTC if it has no offset, or a day in UTC: its end if `ends`, otherwise its beginning.
pub(super) fn instant(text: &str, ends: bool) -> Option<Timestamp> {
    let of_day = if ends { "T23:59:59.999999Z" } else { "T00:00:00Z" };
    text.parse().ok().or_else(|| format!("{text}Z").parse().ok()).or_else(|| format!("{text}{of_day}").parse().ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn memory() -> Value {
        json!({
            "id": "1", "memory": "Likes Green tea", "user_id": "ann", "agent_id": null, "run_id": "r1",
            "created_at": "2026-03-10T12:00:00Z",
            "metadata": { "topic": "tea", "rating": 4, "labels": ["food", "drinks"] },
        })
    }

    #[test]
    fn filters_admit_as_mem0_documents() {
        #[track_caller]
        fn check(filters: Value, expect: bool) {
            assert_eq!(Filter::parse(Some(&filters)).unwrap().admits(&memory()), expect, "{filters}");
        }
        check(json!({}), true);
        check(json!({ "user_id": "ann" }), true);
        check(json!({ "user_id": "bob" }), false);
        check(json!({ "user_id": "*" }), true);
        check(json!({ "agent_id": "*" }), false);
        check(json!({ "user_id": "ann", "run_id": "r2" }), false);
        check(json!({ "AND": [{ "user_id": "ann" }, { "run_id": "r1" }] }), true);
        check(json!({ "OR": [{ "user_id": "bob" }, { "run_id": "r1" }] }), true);
        check(json!({ "OR": [{ "user_id": "bob" }, { "AND": [{ "user_id": "ann" }, { "run_id": "r2" }] }] }), false);
        check(json!({ "NOT": [{ "user_id": "bob" }] }), true);
        check(json!({ "NOT": { "user_id": "ann" } }), false);
        check(json!({ "user_id": { "in": ["ann", "bob"] } }), true);
        check(json!({ "user_id": ["bob"] }), false);
        check(json!({ "user_id": { "ne": "ann" } }), false);
        check(json!({ "user_id": { "nin": ["bob"] } }), true);
        check(json!({ "created_at": { "gte": "2026-03-10", "lte": "2026-03-10" } }), true);
        check(json!({ "created_at": { "gt": "2026-03-10" } }), false);
        check(json!({ "created_at": { "lt": "2026-03-10" } }), false);
        check(json!({ "created_at": { "gte": "2026-03-10T12:00:01Z" } }), false);
        check(json!({ "metadata": { "topic": "tea" } }), true);
        check(json!({ "metadata": { "topic": "tea", "rating": { "gt": 4 } } }), false);
        check(json!({ "metadata": { "rating": { "gte": 4 } } }), true);
        check(json!({ "memory": { "contains": "green" } }), false);
        check(json!({ "memory": { "icontains": "green" } }), true);
        check(json!({ "keywords": { "icontains": "TEA" } }), true);
        check(json!({ "metadata": { "labels": { "in": ["food"] } } }), true);
        check(json!({ "metadata": { "labels": { "contains": "sport" } } }), false);
        check(json!({ "memory_ids": ["2"] }), false);
    }

    #[test]
    fn unknown_field_or_operator_is_refused() {
        #[track_caller]
        fn check(filters: Value, expect: &str) {
            let detail = Filter::parse(Some(&filters)).unwrap_err().detail().to_owned();
            assert!(detail.contains(expect), "{detail}");
        }
        check(json!({ "colour": "red" }), "filters.colour is not supported");
        check(json!({ "AND": [{ "categories": { "in": ["food"] } }] }), "filters.categories is not supported");
        check(json!({ "user_id": { "like": "a" } }), "unknown operator \"like\"");
        check(json!({ "AND": "x" }), "filters.AND is not a list of objects");
        check(json!({ "user_id": { "in": "ann" } }), "in takes a list");
        check(json!([]), "filters is not an object");
    }
}
