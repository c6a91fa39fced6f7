//! Reads the limits of a model from its server: the context window that it was started with, and how many requests it
//! answers at once.
//!
//! `GET {base_url}/models` names the software and, for vLLM and gateways, the window. Ollama is also known by `/api/version`. llama.cpp reports window and slots at
//! `/props`, Ollama the window of a loaded model at `/api/ps` and a configured one at `/api/show`. If a server reports no
//! window, the configured one applies, or else a default; the default for Ollama is smaller. Only servers of chat completions
//! are queried. No memories are sent.

use std::time::Duration;

use reqwest::{RequestBuilder, Url};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::failure::EndpointError;
use super::http::{authorized, fetch};
use crate::config::{Api, Model};

/// Time limit of each request. Without an answer in time, the configured window applies until a later request is answered.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// Largest window in tokens that is used unless the configuration sets a larger one: models overlook more in longer requests.
const MAX_WINDOW: u64 = 32_768;

/// Context window that Ollama uses by default, in tokens. Applies if neither the server nor the configuration gives another.
const OLLAMA_WINDOW: u64 = 4_096;

/// Smallest window that is accepted from a server; a smaller one is an error of the server and is ignored.
const MIN_WINDOW: u64 = 512;

/// Number of parallel requests to a server that does not report how many it answers. Also the maximum for llama.cpp. Ollama,
/// and llama.cpp without a reported number of slots, get one request at a time.
const AT_ONCE: usize = 4;

/// The limits of a model as its server reports them, or as assumed for its kind of server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    /// Tokens of request and answer together; `None` if the server does not report them.
    pub(super) window: Option<u64>,
    /// Number of requests that the server answers in parallel. Further requests would wait in its queue and get no token
    /// meanwhile.
    pub(super) at_once: usize,
    /// Whether the server is llama.cpp, which reports progress in reading a request.
    pub(super) reports_progress: bool,
    /// Whether the window is only assumed until the server has loaded the model: Ollama reports the window of a loaded model
    /// only.
    pub(super) is_preliminary: bool,
}

/// The limits of a server that reports none.
pub(super) const UNKNOWN: Limits =
    Limits { window: None, at_once: AT_ONCE, reports_progress: false, is_preliminary: false };

impl Limits {
    /// Returns the window to use in tokens. If the server reports one, this is the smaller of the reported and the configured
    /// window, or without a configured one the reported window up to [`MAX_WINDOW`]. Otherwise it is the window of `model`.
    pub(super) fn window(&self, model: &Model) -> u64 {
        match self.window {
            Some(window) if model.has_own_window => window.min(model.window),
            Some(window) => window.min(MAX_WINDOW),
            None => model.window,
        }
    }
}

/// Requests the limits from a server. Returns `None` if the server cannot answer now, for example while it loads the model; the
/// caller then tries again later. A server that fails in any other way is treated as one that reports nothing.
pub(super) async fn ask(http: &reqwest::Client, model: &Model) -> Option<Limits> {
    if model.api != Api::Chat {
        return Some(UNKNOWN);
    }
    let asking = Asking { http, model };
    let models = asking.json(http.get(format!("{}/models", model.base_url))).await?;
    let entries = models["data"].as_array().map(Vec::as_slice).unwrap_or_default();
    let own = entries
        .iter()
        .find(|entry| is_tag_of(&entry["id"], &model.name))
        .or_else(|| entries.first().filter(|_| entries.len() == 1));
    let window = own.and_then(stated_window);
    match own.and_then(|entry| entry["owned_by"].as_str()) {
        Some("llamacpp") => asking.llama_cpp().await,
        Some("library") => asking.ollama().await,
        // Ollama names the owner of a model that is not from its library, so its own interface tells. Distant servers are not
        // asked for that: they are hardly ever Ollama.
        _ if window.is_none() && is_near(model) && asking.is_ollama().await? => asking.ollama().await,
        _ => Some(Limits { window, ..UNKNOWN }),
    }
}

/// Returns the window in an entry of a list of models; `None` if it names none that is plausible.
fn stated_window(entry: &Value) -> Option<u64> {
    ["max_model_len", "context_length", "max_context_length"].iter().find_map(|name| plausible(&entry[*name]))
}

fn plausible(window: &Value) -> Option<u64> {
    window.as_u64().filter(|window| *window >= MIN_WINDOW)
}

struct Asking<'a> {
    http: &'a reqwest::Client,
    model: &'a Model,
}

impl Asking<'_> {
    async fn llama_cpp(&self) -> Option<Limits> {
        let props = self.json(self.http.get(self.beside("/props"))).await?;
        let slots = props["total_slots"].as_u64().and_then(|slots| usize::try_from(slots).ok());
        Some(Limits {
            window: plausible(&props["default_generation_settings"]["n_ctx"]),
            at_once: slots.unwrap_or(1).clamp(1, AT_ONCE),
            reports_progress: true,
            is_preliminary: false,
        })
    }

    async fn is_ollama(&self) -> Option<bool> {
        Some(self.json(self.http.get(self.beside("/api/version"))).await?["version"].is_string())
    }

    async fn ollama(&self) -> Option<Limits> {
        let loaded = self.json(self.http.get(self.beside("/api/ps"))).await?;
        let loaded = loaded["models"].as_array().map(Vec::as_slice).unwrap_or_default().iter();
        let name = self.model.name.as_str();
        let mut named = loaded.filter(|entry| [&entry["name"], &entry["model"]].iter().any(|own| is_tag_of(own, name)));
        let loaded = named.find_map(|entry| plausible(&entry["context_length"]));
        let window = match loaded {
            Some(window) => window,
            None => self.ollama_setting().await.unwrap_or(self.unset_ollama_window()),
        };
        let is_preliminary = loaded.is_none();
        Some(Limits { window: Some(window), at_once: 1, reports_progress: false, is_preliminary })
    }

    /// Returns the window that the model file sets; `None` if it sets none or the server cannot answer.
    async fn ollama_setting(&self) -> Option<u64> {
        let request = self.http.post(self.beside("/api/show")).json(&json!({ "model": self.model.name }));
        let shown = self.json(request).await?;
        let lines = shown["parameters"].as_str()?.lines();
        let settings = lines.filter_map(|line| line.trim().strip_prefix("num_ctx"));
        settings.filter_map(|value| value.trim().parse().ok()).find(|window| *window >= MIN_WINDOW)
    }

    /// Returns the configured window, or Ollama's default. Ollama reports the window in use only while the model is loaded.
    fn unset_ollama_window(&self) -> u64 {
        if self.model.has_own_window { self.model.window } else { OLLAMA_WINDOW }
    }

    /// Returns the URL of a path of the server: the base URL with the path in place of `/v1`.
    fn beside(&self, path: &str) -> String {
        let base = self.model.base_url.as_str();
        format!("{}{path}", base.strip_suffix("/v1").unwrap_or(base))
    }

    /// Returns the JSON of an answer, or null if the server refuses the request. Returns `None` if it cannot answer now.
    async fn json(&self, request: RequestBuilder) -> Option<Value> {
        let request = authorized(request, self.model.api, self.model.key.as_ref());
        match timeout(MAX_WAIT, fetch(request)).await.unwrap_or(Err(EndpointError::Late(MAX_WAIT))) {
            Ok(answer) => Some(answer),
            Err(failure) if failure.passes() || failure.is_late() => None,
            Err(_) => Some(Value::Null),
        }
    }
}

/// Returns whether a name such as `qwen3:latest` refers to the model `qwen3`.
fn is_tag_of(name: &Value, model: &str) -> bool {
    name.as_str().is_some_and(|name| name == model || name.strip_suffix(":latest") == Some(model))
}

/// Returns whether a server may be a small machine: this one, or one of the local network. Any host name counts as one if the
/// setting `local_network` is on.
pub(super) fn is_near(model: &Model) -> bool {
    use std::net::IpAddr;

    let url = Url::parse(&model.base_url).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default().trim_matches(['[', ']']);
    match host.parse() {
        Ok(IpAddr::V4(address)) => address.is_loopback() || address.is_private(),
        Ok(IpAddr::V6(address)) => address.is_loopback() || address.is_unique_local(),
        Err(_) => host == "localhost" || model.local_network,
    }
}
