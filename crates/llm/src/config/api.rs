//! Dialects of servers as configured: the API, how the format of an answer is requested, and how much a model reasons.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The API that a server speaks. It determines the paths, headers and bodies of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Api {
    /// OpenAI's chat completions, which most servers speak.
    #[default]
    Chat,
    /// OpenAI's chat completions as Azure serves them: the key is in the header `api-key`.
    Azure,
    /// Anthropic's messages API, with the key in the header `x-api-key`.
    Anthropic,
}

impl Api {
    /// Returns the API of a well-known host. Every other host is taken to serve chat completions.
    pub(super) fn of_host(host: &str) -> Api {
        let is_azure = [".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com"];
        match host {
            "api.anthropic.com" => Api::Anthropic,
            host if is_azure.iter().any(|domain| host.ends_with(domain)) => Api::Azure,
            _ => Api::Chat,
        }
    }
}

/// How the format of an answer is requested. If a server rejects one mode, the next is tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum JsonMode {
    /// `response_format` with a JSON schema.
    #[default]
    Schema,
    /// `response_format` with any JSON object.
    Object,
    /// No field of the request names the format; only the prompt describes it.
    None,
}

/// How much a reasoning model thinks before it answers. Each level allows a number of tokens in addition to those of the
/// answer, unless `max_output_tokens` is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Reasoning {
    /// No reasoning, if the model allows that.
    None,
    /// The least that the model supports: 2,048 tokens.
    Minimal,
    /// Little: 2,048 tokens.
    Low,
    /// The default of most models: 6,144 tokens.
    Medium,
    /// Much: 14,336 tokens.
    High,
}

impl Reasoning {
    /// Returns the name of the level as requests contain it.
    pub fn as_str(self) -> &'static str {
        match self {
            Reasoning::None => "none",
            Reasoning::Minimal => "minimal",
            Reasoning::Low => "low",
            Reasoning::Medium => "medium",
            Reasoning::High => "high",
        }
    }

    /// Returns the maximum tokens of reasoning. They are allowed in addition to those of the answer. A configured
    /// `max_output_tokens` includes both.
    pub fn tokens(self) -> u64 {
        match self {
            Reasoning::None => 0,
            Reasoning::Minimal | Reasoning::Low => 2_048,
            Reasoning::Medium => 6_144,
            Reasoning::High => 14_336,
        }
    }
}
