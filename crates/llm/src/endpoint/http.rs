//! Sends one request to an endpoint and classifies the outcome.
//!
//! The request is built from async-openai's types, but not sent by its client: that client reads answers of any length, logs the
//! text of those it cannot parse, drops `Retry-After`, and reads keys and organisations from the environment.

use std::sync::Arc;
use std::time::Duration;

use async_openai::types::chat::CreateChatCompletionRequest;
use reqwest::{Response, Url, redirect};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use serde_json::Value;

use annals_core::Error;

use super::failure::{EndpointError, failure};
use super::network_policy::NetworkPolicy;
use crate::config::Model;

/// Maximum bytes of a body; a good answer has a few thousand.
const LONGEST_BODY: usize = 1_000_000;

/// Time limit for connecting.
const CONNECT: Duration = Duration::from_secs(10);

/// A model's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Completion {
    /// Text of the answer.
    pub(super) text: String,
    /// Tokens of the question, if the server reports them.
    pub(super) tokens_in: Option<u64>,
    /// Tokens of the answer, if the server reports them.
    pub(super) tokens_out: Option<u64>,
    /// Whether the token limit ended the answer.
    pub(super) is_cut_off: bool,
}

/// Creates a client for one base URL. It connects only to addresses that its [`NetworkPolicy`] allows. It follows no redirects, which
/// would send key and memories elsewhere. It uses the proxies of the environment, except for this machine itself.
pub(super) fn client(base_url: &str, local_network: bool) -> annals_core::Result<reqwest::Client> {
    // Another crate of the process may have installed a provider; either works.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let url = Url::parse(base_url).map_err(|_| Error::invalid("base_url", "is not a URL"))?;
    let network_policy = NetworkPolicy::new(&url, local_network);
    network_policy.judge_written().map_err(|refusal| Error::invalid("base_url", refusal.to_string()))?;
    let mut builder = reqwest::Client::builder()
        .redirect(redirect::Policy::none())
        .dns_resolver(Arc::new(network_policy))
        .connect_timeout(CONNECT)
        .user_agent(concat!("annals/", env!("CARGO_PKG_VERSION")));
    if is_this_machine(&url) {
        builder = builder.no_proxy();
    }
    if url.scheme() == "http" {
        // Lets a machine without any certificates talk to its own model.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| Error::unavailable(format!("creating an HTTP client for {base_url}"), error))
}

fn is_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Asks a chat model once. Has no time limit of its own.
pub(super) async fn chat(
    http: &reqwest::Client,
    model: &Model,
    body: &CreateChatCompletionRequest,
) -> Result<Completion, EndpointError> {
    let url = format!("{}/chat/completions", model.base_url);
    let answer = post(http, &url, model.key.as_ref(), body).await?;
    completion(&answer).ok_or(EndpointError::Unusable("its answer is not a chat completion"))
}

/// Sends one request and returns the JSON of the answer, or null if it is not JSON. Has no time limit of its own.
pub(super) async fn post(
    http: &reqwest::Client,
    url: &str,
    key: Option<&SecretString>,
    body: &impl Serialize,
) -> Result<Value, EndpointError> {
    let mut request = http.post(url).json(body);
    if let Some(key) = key {
        request = request.bearer_auth(key.expose_secret());
    }
    let response = request.send().await.map_err(unreachable)?;
    let (status, headers) = (response.status(), response.headers().clone());
    let body = read(response).await?;
    let answer: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    if !status.is_success() {
        return Err(failure(status.as_u16(), &headers, &answer));
    }
    if answer["error"].is_object() {
        // Gateways report a failure behind them with status 200 and the real status inside.
        let inner = answer["error"]["code"].as_u64().and_then(|code| u16::try_from(code).ok());
        return Err(failure(inner.filter(|code| *code >= 400).unwrap_or(502), &headers, &answer));
    }
    Ok(answer)
}

async fn read(mut response: Response) -> Result<Vec<u8>, EndpointError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
        if body.len() + chunk.len() > LONGEST_BODY {
            return Err(EndpointError::Unusable("its answer is longer than a million bytes"));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn unreachable(error: reqwest::Error) -> EndpointError {
    let error = error.without_url();
    let mut root: &dyn std::error::Error = &error;
    while let Some(cause) = root.source() {
        root = cause;
    }
    EndpointError::Unreachable(root.to_string())
}

/// Reads the fields that are needed and ignores the rest, which differs between servers.
fn completion(answer: &Value) -> Option<Completion> {
    let choice = answer["choices"].get(0)?;
    let text = match &choice["message"]["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        Value::Null if choice["message"].is_object() => String::new(),
        _ => return None,
    };
    Some(Completion {
        text,
        // Some servers report zero if they do not count.
        tokens_in: answer["usage"]["prompt_tokens"].as_u64().filter(|tokens| *tokens > 0),
        tokens_out: answer["usage"]["completion_tokens"].as_u64(),
        is_cut_off: choice["finish_reason"] == "length",
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answers_of_several_makes_are_read() {
        fn check(message: Value, expect: Option<&str>) {
            let answer = json!({ "choices": [{ "message": message }] });
            assert_eq!(completion(&answer).map(|completion| completion.text).as_deref(), expect);
        }
        check(json!({ "content": "hi" }), Some("hi"));
        check(json!({ "content": [{ "type": "text", "text": "h" }, { "type": "text", "text": "i" }] }), Some("hi"));
        check(json!({ "content": null, "refusal": "no" }), Some(""));
        check(json!("hi"), None);
        assert_eq!(completion(&json!({ "choices": [] })), None);
    }
}
