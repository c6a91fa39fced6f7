//! Reads request bodies, query strings and tool arguments into types. Serde stops at the first fault; the value is then
//! compared with the schema of the type, so that all faults are found at once. Accepts former field names, and null in place of
//! an absent field. Independent of HTTP.

mod compare;
mod spelling;

use annals_core::{Error, Fault, Result};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::schema;

/// Reads a JSON value. The errors name every fault with its field; `whole` names the value in faults that belong to no field.
pub(crate) fn from_value<T: DeserializeOwned + JsonSchema>(value: Value, whole: &str) -> Result<T> {
    // Serde would read a list as the values of the fields, in order.
    if !value.is_array()
        && let Ok(read) = T::deserialize(&value)
    {
        return Ok(read);
    }
    let schema = Value::Object(schema::of::<T>());
    let (mut value, mut faults) = spelling::respell(value, &schema);
    spelling::remove_nulls(&mut value, &schema);
    match serde_path_to_error::deserialize(&value) {
        Ok(read) if faults.is_empty() && !value.is_array() => return Ok(read),
        Ok(_) => compare::compare(&schema, &value, "", whole, &mut faults),
        Err(error) => {
            compare::compare(&schema, &value, "", whole, &mut faults);
            let path = error.path().to_string();
            // A fault that the schema does not express, such as the format of a moment.
            let is_known = |fault: &Fault| fault.field == path || compare::is_within(&fault.field, &path, whole);
            if !faults.iter().any(is_known) {
                faults.push(fault_of(&path, &error.inner().to_string(), whole));
            }
        }
    }
    Err(if faults.len() == 1 { Error::Invalid(faults.remove(0)) } else { Error::Faults(faults) })
}

/// Reads the parameters of a query string, or of a form. A parameter that is given twice is a fault.
pub(crate) fn from_query<T: DeserializeOwned + JsonSchema>(query: &str) -> Result<T> {
    let schema = Value::Object(schema::of::<T>());
    let mut value = Map::new();
    let mut faults = Vec::new();
    for (name, text) in url::form_urlencoded::parse(query.as_bytes()) {
        let name = spelling::present(&name, &schema);
        let typed = typed(&schema["properties"][&name], &text);
        if value.insert(name.clone(), typed).is_some() {
            faults.push(Fault::new(name, "is given twice"));
        }
    }
    if faults.is_empty() { from_value(Value::Object(value), "the query") } else { Err(Error::Faults(faults)) }
}

/// Converts a parameter to the type in its schema. Text that cannot be converted stays text and is refused later.
fn typed(schema: &Value, text: &str) -> Value {
    let read = match schema["type"].as_str() {
        Some("integer") => text.parse::<u64>().ok().map(Value::from),
        Some("boolean") => text.parse::<bool>().ok().map(Value::from),
        _ => None,
    };
    read.unwrap_or_else(|| Value::from(text))
}

fn fault_of(path: &str, text: &str, whole: &str) -> Fault {
    let field = if path.is_empty() || path == "." { whole } else { path };
    let reason = text.split(" at line ").next().unwrap_or(text);
    // Reasons of our own types are complete.
    let says_itself = reason.starts_with("is ");
    Fault::new(field, if says_itself { reason.to_owned() } else { format!("does not parse: {reason}") })
}

#[cfg(test)]
mod tests {
    use annals_core::Date;
    use annals_service::wire::{IngestRequest, SearchRequest};
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Default, PartialEq, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct ListRequest {
        /// How many.
        #[schemars(range(min = 1, max = 9))]
        limit: Option<u32>,
        /// From when.
        #[schemars(with = "Option<String>", extend("format" = "date"))]
        from: Option<Date>,
        #[serde(default)]
        strict: bool,
        min_days_ago: Option<u32>,
    }

    fn faults_of<T>(result: Result<T>) -> String {
        result.err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn all_faults_of_a_body_are_reported_with_their_fields() {
        fn check(value: Value, expect: &[&str]) {
            assert_eq!(faults_of(from_value::<SearchRequest>(value, "the body")), expect.join("\n"));
        }
        check(json!({ "query": "tea", "limit": 3 }), &[]);
        check(json!({ "limit": "3" }), &["limit is \"3\"; it must be a whole number"]);
        check(json!([]), &["the body is a list; it must be an object"]);
        check(
            json!({ "limit": -1, "grains": ["daily", "hourly"], "from": "yesterday", "strict": 1 }),
            &[
                "grains[1] is \"hourly\"; expected one of working, daily, weekly, monthly, quarterly, yearly",
                "from is \"yesterday\"; expected a valid date such as 2026-03-04",
                "strict is 1; it must be true or false",
                "limit is -1; 1 to 1000 are allowed",
            ],
        );
        let unknown = faults_of(from_value::<SearchRequest>(json!({ "colour": 1, "size": 2 }), "the body"));
        let lines: Vec<&str> = unknown.lines().collect();
        assert!(lines[0].starts_with("colour is unknown; expected one of query, grains, "), "{unknown}");
        assert!(lines.len() == 2 && lines[1].starts_with("size is unknown"), "{unknown}");
    }

    #[test]
    fn faults_of_messages_name_their_path() {
        let wrong = json!({ "messages": [
            { "role": "king", "content": "x" }, { "role": "user" }, { "role": "user", "content": 7, "at": "soon" } ] });
        let expect = "messages[0].role is \"king\"; expected one of user, assistant, system, tool\n\
            messages[1].content is missing\n\
            messages[2].content is 7; it must be a text\n\
            messages[2].at is \"soon\"; expected a time such as 2026-03-04T18:30:00Z";
        assert_eq!(faults_of(from_value::<IngestRequest>(wrong, "the body")), expect);
        assert_eq!(faults_of(from_value::<IngestRequest>(json!({}), "the body")), "messages is missing");
    }

    #[test]
    fn null_is_an_absent_field() {
        fn check<T: DeserializeOwned + JsonSchema>(value: Value, expect: &str) {
            assert_eq!(faults_of(from_value::<T>(value.clone(), "the body")), expect, "{value}");
        }
        check::<SearchRequest>(json!({ "query": "tea", "limit": null, "grains": null, "from": null }), "");
        check::<SearchRequest>(json!({ "maxResults": null, "strict": null }), "");
        check::<IngestRequest>(
            json!({ "messages": [{ "role": "user", "content": "x", "id": null }], "revise": null }),
            "",
        );
        check::<IngestRequest>(json!({ "messages": null }), "messages is missing");
        check::<IngestRequest>(
            json!({ "messages": [{ "role": null, "content": null }] }),
            "messages[0].role is missing\nmessages[0].content is missing",
        );
        let read: SearchRequest = from_value(json!({ "limit": null }), "the body").unwrap();
        assert_eq!(read.limit, 10);
    }

    #[test]
    fn former_field_names_are_accepted() {
        fn check(value: Value, expect: u32) {
            let read: SearchRequest = from_value(value, "the body").unwrap();
            assert_eq!(read.min_days_ago, Some(expect));
        }
        check(json!({ "min_days_ago": 3 }), 3);
        check(json!({ "minimum_days_ago": 4 }), 4);
        check(json!({ "minimumDaysAgo": 5, "queryText": "tea", "maxResults": 7 }), 5);
        let both =
            faults_of(from_value::<SearchRequest>(json!({ "min_days_ago": 3, "minimum_days_ago": 4 }), "the body"));
        assert_eq!(both, "min_days_ago is given twice: also as minimum_days_ago");
        let one: SearchRequest = from_value(json!({ "grain": "weekly" }), "the body").unwrap();
        assert_eq!(one.grains, [annals_core::Grain::Weekly]);
    }

    #[test]
    fn query_parameters_are_parsed_by_their_schema_types() {
        fn check(query: &str, expect: &str) {
            assert_eq!(faults_of(from_query::<ListRequest>(query)), expect, "{query}");
        }
        let request: ListRequest = from_query("limit=3&from=2026-03-04&strict=true&minimum_days_ago=2").unwrap();
        let from = Some(jiff::civil::date(2026, 3, 4));
        assert_eq!(request, ListRequest { limit: Some(3), from, strict: true, min_days_ago: Some(2) });
        check("", "");
        check("limit=x", "limit is \"x\"; it must be a whole number");
        check("limit=1&limit=2", "limit is given twice");
        check(
            "strict=maybe&from=2026-02-30",
            "from is \"2026-02-30\"; expected a valid date such as 2026-03-04\nstrict is \"maybe\"; it must be true or false",
        );
        check("limt=1", "limt is unknown; expected one of limit, from, strict, min_days_ago");
    }
}
