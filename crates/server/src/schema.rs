//! Schemas of requests and tool arguments in a form that models handle well: types, bounds, defaults and descriptions, without
//! references.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// Returns the schema of a request or of a tool's arguments.
pub(crate) fn of<T: JsonSchema>() -> JsonObject {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = plain(schema.to_value());
    // The name and comment of our Rust type mean nothing to a model.
    let object = schema.as_object_mut().map(std::mem::take).unwrap_or_default();
    object.into_iter().filter(|(key, _)| key != "title" && key != "description").collect()
}

/// Adds the argument that names the agent.
pub(crate) fn with_agent(mut schema: JsonObject) -> JsonObject {
    let agent = json!({"type": "string", "description": "Whose memory; needed where there are several."});
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.insert("agent".to_owned(), agent);
    }
    schema
}

/// Removes null, which means the same as an absent argument, and the widths of Rust's integers.
fn plain(schema: Value) -> Value {
    match schema {
        Value::Object(map) => Value::Object(map.into_iter().filter_map(keyword).collect()),
        Value::Array(all) => Value::Array(all.into_iter().map(plain).collect()),
        other => other,
    }
}

fn keyword((key, value): (String, Value)) -> Option<(String, Value)> {
    match (key.as_str(), &value) {
        ("default", Value::Null) => None,
        ("format", Value::String(format)) if format.starts_with("uint") || format.starts_with("int") => None,
        ("type", Value::Array(types)) => Some((key, without_null(types))),
        ("properties", Value::Object(properties)) => {
            let properties = properties.clone().into_iter().map(|(name, schema)| (name, plain(schema)));
            Some((key, Value::Object(properties.collect::<Map<_, _>>())))
        }
        _ => Some((key, plain(value))),
    }
}

fn without_null(types: &[Value]) -> Value {
    let rest: Vec<Value> = types.iter().filter(|kind| *kind != "null").cloned().collect();
    match rest.as_slice() {
        [only] => only.clone(),
        _ => Value::Array(rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Arguments {
        /// How many.
        #[schemars(range(min = 1, max = 9))]
        number: Option<u32>,
        /// What for.
        title: String,
    }

    #[test]
    fn schema_contains_types_bounds_and_descriptions() {
        let expect = json!({
            "type": "object",
            "properties": {
                "number": {"description": "How many.", "type": "integer", "minimum": 1, "maximum": 9},
                "title": {"description": "What for.", "type": "string"},
            },
            "required": ["title"],
        });
        assert_eq!(Value::Object(of::<Arguments>()), expect);
    }
}
