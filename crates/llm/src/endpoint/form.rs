//! The two answer formats as JSON schemas that OpenAI's strict mode accepts: every field required, no others allowed.

use async_openai::types::chat::ResponseFormatJsonSchema;
use serde_json::{Value, json};

/// Format of an answer, by what is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Sentences of a summary, each with its day and the lines it cites.
    Summary,
    /// Statements and fact operations, each with the line it cites.
    Extraction,
}

impl Form {
    /// Returns the name of the format. It is sent with the schema, and is part of the key of a saved answer.
    pub(super) fn name(self) -> &'static str {
        match self {
            Form::Summary => "summary",
            Form::Extraction => "extraction",
        }
    }

    /// Returns the JSON schema of the answer, with its name, for the field `response_format`.
    pub(super) fn schema(self) -> ResponseFormatJsonSchema {
        let schema = match self {
            Form::Summary => summary(),
            Form::Extraction => extraction(),
        };
        ResponseFormatJsonSchema { description: None, name: self.name().into(), schema, strict: Some(true) }
    }
}

fn summary() -> Value {
    let sentence = object(json!({
        "text": { "type": "string" },
        "day": { "type": ["string", "null"] },
        "sources": { "type": "array", "items": { "type": "integer" } },
    }));
    object(json!({ "sentences": { "type": "array", "items": sentence } }))
}

fn extraction() -> Value {
    let fact = object(json!({
        "text": { "type": "string" },
        "kind": { "type": "string" },
        "importance": { "type": "number" },
        "confidence": { "type": "number" },
        "when": { "type": ["string", "null"] },
        "who": { "type": "array", "items": { "type": "string" } },
        "source": { "type": "integer" },
    }));
    let operation = object(json!({
        "op": { "type": "string", "enum": ["INSERT", "UPDATE", "DELETE"] },
        "subject": { "type": "string" },
        "predicate": { "type": "string" },
        "object": { "type": "string" },
        "replaces": { "type": ["string", "null"] },
        "confidence": { "type": "number" },
        "when": { "type": ["string", "null"] },
        "source": { "type": "integer" },
    }));
    object(json!({
        "facts": { "type": "array", "items": fact },
        "operations": { "type": "array", "items": operation },
    }))
}

/// Returns the schema of an object with exactly these fields.
fn object(properties: Value) -> Value {
    let names: Vec<String> = properties.as_object().into_iter().flat_map(|fields| fields.keys().cloned()).collect();
    json!({ "type": "object", "properties": properties, "required": names, "additionalProperties": false })
}
