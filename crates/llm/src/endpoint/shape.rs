//! The shape of requests that a server accepts: which optional parameters it takes, and how the format of an answer can be
//! requested.
//!
//! Servers refuse parameters that they do not support with status 400, 422 or 501, and mostly name them. A named parameter is
//! left out or replaced by its other name. If none is named, weaker formats are tried, and at last an answer that is not
//! streamed, without any option but the limit of tokens. The shape that worked is kept for the model (`learned_shape`), so a
//! refusal costs one request a week.

use serde_json::Value;

use crate::config::{JsonMode, Model};

/// A parameter of a request that some servers refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parameter {
    MaxTokens,
    MaxCompletionTokens,
    StreamOptions,
    Stream,
    Temperature,
    /// `reasoning_effort`, `thinking` and others.
    Reasoning,
    /// `response_format` and others.
    Format,
    CacheControl,
}

impl Parameter {
    /// Returns the name under which a refusal is stored.
    pub(super) fn as_str(self) -> &'static str {
        let name = NAMES.iter().find(|(_, parameter)| *parameter == self);
        name.map_or("", |(name, _)| name)
    }

    /// Returns the parameter with a stored name; `None` if this version does not have it.
    pub(super) fn from_name(name: &str) -> Option<Parameter> {
        NAMES.iter().find(|(other, _)| *other == name).map(|(_, parameter)| *parameter)
    }
}

/// Names of parameters as refusals contain them.
const NAMES: [(&str, Parameter); 17] = [
    ("max_completion_tokens", Parameter::MaxCompletionTokens),
    ("max_tokens", Parameter::MaxTokens),
    ("stream_options", Parameter::StreamOptions),
    ("include_usage", Parameter::StreamOptions),
    ("stream options", Parameter::StreamOptions),
    ("stream", Parameter::Stream),
    ("streaming", Parameter::Stream),
    ("temperature", Parameter::Temperature),
    ("reasoning_effort", Parameter::Reasoning),
    ("reasoning", Parameter::Reasoning),
    ("thinking", Parameter::Reasoning),
    ("response_format", Parameter::Format),
    ("json_schema", Parameter::Format),
    ("output_config", Parameter::Format),
    ("structured output", Parameter::Format),
    ("grammar", Parameter::Format),
    ("cache_control", Parameter::CacheControl),
];

/// Returns the parameter that a refusal names: in its field `param`, otherwise the first one in its text.
pub(super) fn refused_parameter(answer: &Value) -> Option<Parameter> {
    let field = [&answer["error"]["param"], &answer["param"]].into_iter().find_map(Value::as_str);
    field.and_then(first_named).or_else(|| first_named(&answer.to_string()))
}

fn first_named(text: &str) -> Option<Parameter> {
    let text = text.to_lowercase();
    let found = NAMES.iter().filter_map(|(name, parameter)| Some((find_word(&text, name)?, *parameter)));
    found.min_by_key(|(position, _)| *position).map(|(_, parameter)| parameter)
}

/// Returns the position of a name that is not a part of a longer word: "Upstream error" is not about `stream`.
fn find_word(text: &str, name: &str) -> Option<usize> {
    let is_inside = |near: Option<char>| near.is_some_and(|near| near.is_alphanumeric() || near == '_');
    let is_whole =
        |at: &usize| !is_inside(text[..*at].chars().next_back()) && !is_inside(text[at + name.len()..].chars().next());
    text.match_indices(name).map(|(at, _)| at).find(is_whole)
}

/// Which parameter limits the tokens of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LimitName {
    /// OpenAI's newer name.
    MaxCompletionTokens,
    /// The older name, which most servers accept.
    MaxTokens,
    /// No limit is sent.
    None,
}

/// The optional parts of a request, and their form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) json: JsonMode,
    pub(super) limit: LimitName,
    /// Whether the limit has been replaced by its other name already.
    has_swapped: bool,
    pub(super) streams: bool,
    pub(super) counts: bool,
    pub(super) temperature: bool,
    pub(super) reasoning: bool,
    pub(super) caches: bool,
}

impl Shape {
    /// Returns the shape to try first.
    pub(super) fn of(model: &Model) -> Shape {
        Shape {
            json: model.json,
            // OpenAI's reasoning models accept only the newer name; most other servers know only the older one.
            limit: if model.is_openai() { LimitName::MaxCompletionTokens } else { LimitName::MaxTokens },
            has_swapped: false,
            streams: true,
            counts: true,
            temperature: model.temperature.is_some(),
            reasoning: model.reasoning.is_some(),
            caches: true,
        }
    }

    /// Returns the shape to try after a refusal, or `None` if nothing is left to leave out.
    pub(super) fn after_refusal_of(self, parameter: Option<Parameter>) -> Option<Shape> {
        parameter.and_then(|parameter| self.without(parameter)).or_else(|| self.with_less())
    }

    /// Returns the shape without a parameter, or with its other name or a weaker form; `None` if that changes nothing.
    pub(super) fn without(self, parameter: Parameter) -> Option<Shape> {
        let shape = match parameter {
            Parameter::MaxTokens | Parameter::MaxCompletionTokens => self.with_other_limit(),
            Parameter::StreamOptions => Shape { counts: false, ..self },
            Parameter::Stream => Shape { streams: false, ..self },
            Parameter::Temperature => Shape { temperature: false, ..self },
            Parameter::Reasoning => Shape { reasoning: false, ..self },
            Parameter::Format => Shape { json: weaker(self.json)?, ..self },
            Parameter::CacheControl => Shape { caches: false, ..self },
        };
        Some(shape).filter(|shape| *shape != self)
    }

    fn with_other_limit(self) -> Shape {
        let limit = match self.limit {
            LimitName::MaxTokens if !self.has_swapped => LimitName::MaxCompletionTokens,
            LimitName::MaxCompletionTokens if !self.has_swapped => LimitName::MaxTokens,
            _ => LimitName::None,
        };
        Shape { limit, has_swapped: true, ..self }
    }

    /// Returns a shape with the next weaker format. After the weakest, returns one that does not stream and has no option but
    /// the limit of tokens, or `None` if this shape does not stream.
    fn with_less(self) -> Option<Shape> {
        let bare = Shape { streams: false, counts: false, temperature: false, reasoning: false, caches: false, ..self };
        match weaker(self.json) {
            Some(json) => Some(Shape { json, ..self }),
            None => Some(bare).filter(|_| self.streams),
        }
    }
}

fn weaker(json: JsonMode) -> Option<JsonMode> {
    match json {
        JsonMode::Schema => Some(JsonMode::Object),
        JsonMode::Object => Some(JsonMode::None),
        JsonMode::None => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn refused_parameter_is_found_in_field_or_text() {
        fn check(answer: Value, expect: Option<Parameter>) {
            assert_eq!(refused_parameter(&answer), expect, "{answer}");
        }
        let openai = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
        check(json!({ "error": { "message": openai, "param": "max_tokens" } }), Some(Parameter::MaxTokens));
        check(json!({ "error": { "message": openai, "param": null } }), Some(Parameter::MaxTokens));
        let mistral = json!({ "detail": [{ "type": "extra_forbidden", "loc": ["body", "stream_options"] }] });
        check(mistral, Some(Parameter::StreamOptions));
        let vllm = "Stream options can only be defined when `stream=True`.";
        check(json!({ "object": "error", "message": vllm, "code": 400 }), Some(Parameter::StreamOptions));
        let ollama = "\"gemma3:1b\" does not support thinking";
        check(json!({ "error": { "message": ollama } }), Some(Parameter::Reasoning));
        check(json!({ "error": { "message": "Streaming is not supported for this model." } }), Some(Parameter::Stream));
        check(json!({ "error": { "message": "no" } }), None);
        check(json!({ "error": { "message": "Upstream error: bad_temperature_sensor" } }), None);
    }

    #[test]
    fn every_refusal_leads_to_a_smaller_request_until_nothing_is_left() {
        let model = crate::config::ModelsConfig {
            base_url: Some("http://127.0.0.1/v1".into()),
            model: Some("m".into()),
            ..Default::default()
        };
        let models = model.check(|_| None).unwrap();
        let (_, model) = models.iter().next().unwrap();
        for refused in NAMES.map(|(_, parameter)| Some(parameter)).into_iter().chain([None]) {
            let (mut shape, mut steps) = (Shape::of(model), 0);
            while let Some(next) = shape.after_refusal_of(refused) {
                assert_ne!(next, shape);
                (shape, steps) = (next, steps + 1);
            }
            assert!((2..10).contains(&steps), "{refused:?} took {steps} steps");
        }
    }
}
