//! Checks the tables of the configuration and completes them to endpoints. Reports every fault with the field that contains it.

use std::time::Duration;

use annals_core::ports::ReadingSchedule;
use annals_core::{Fault, Purpose, SignedDuration};
use secrecy::ExposeSecret;

use super::{Api, DurationSetting, EndpointConfig, Model, Reasoning, RerankConfig, RerankModel};
use crate::endpoint::network_policy::{NetworkPolicy, Refusal};

/// Default context window in tokens: most local models are served with this window or a larger one.
pub(super) const WINDOW: u64 = 8_192;

/// Returns the default maximum tokens of an answer for a purpose, without reasoning: enough for a summary of this grain with
/// its citations. In a small window, the default is less.
pub(super) const fn output_tokens(purpose: Purpose) -> u64 {
    match purpose {
        Purpose::Monthly => 3_072,
        Purpose::Quarterly | Purpose::Yearly => 4_096,
        _ => 2_048,
    }
}

/// Default maximum time without a token. A small machine needs about a minute to read a prompt of the usual size.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Default quiet time of a conversation before a model reads it for facts, and the longest that can be set.
const READING_QUIET: Duration = Duration::from_secs(600);
const MAX_QUIET: Duration = Duration::from_secs(86_400);

/// Default number of waiting messages from which on a model reads them without waiting for quiet: about as many as one question
/// holds.
const READING_TURNS: u64 = 20;

/// Fields of a request that only Annals sets.
const OWN_FIELDS: [&str; 4] = ["model", "messages", "stream", "stream_options"];

/// Longest time without a token that can be configured.
const MAX_TIMEOUT: Duration = Duration::from_secs(3_600);

/// Default time for reranking: a user waits for the search, and most accept about one second more.
const RERANK_TIMEOUT: Duration = Duration::from_secs(1);

const MAX_RERANK_TIMEOUT: Duration = Duration::from_secs(60);

/// Default number of results to rerank: results below the best 50 are seldom the answer, and each text costs the same.
const CANDIDATES: u64 = 50;

/// Maximum of the setting `candidates` for reranking. A search with a limit of at most 100 reads this many memories.
const MAX_CANDIDATES: u64 = 200;

/// Default daily limit for reranking: several hundred searches of two or three thousand tokens each.
const RERANK_DAILY_TOKENS: u64 = 1_000_000;

/// Smallest window that is accepted, in tokens. The instructions of a prompt alone take about half of it.
const MIN_WINDOW: u64 = 1_024;

/// Completes a purpose's table with values of the table `[models]`. Returns `None` if neither a base URL nor a model is set in
/// any of the two tables.
pub(super) fn merged(own: EndpointConfig, above: &EndpointConfig) -> Option<EndpointConfig> {
    // A key is sent only to the host for which it was configured.
    let key = own.key.or_else(|| above.key.clone().filter(|_| own.base_url.is_none()));
    let whole = EndpointConfig {
        off: false,
        base_url: own.base_url.or_else(|| above.base_url.clone()),
        key,
        key_env: None,
        model: own.model.or_else(|| above.model.clone()),
        api: own.api.or(above.api),
        window: own.window.or(above.window),
        max_output_tokens: own.max_output_tokens.or(above.max_output_tokens),
        timeout: own.timeout.or_else(|| above.timeout.clone()),
        json: own.json.or(above.json),
        reasoning: own.reasoning.or(above.reasoning),
        temperature: own.temperature.or(above.temperature),
        extra_body: if own.extra_body.is_empty() { above.extra_body.clone() } else { own.extra_body },
    };
    (whole.base_url.is_some() || whole.model.is_some()).then_some(whole)
}

fn api_of(base_url: &str) -> Api {
    let url = reqwest::Url::parse(base_url).ok();
    url.as_ref().and_then(|url| url.host_str()).map_or(Api::default(), Api::of_host)
}

/// Collects faults while it builds the checked endpoints.
pub(super) struct Checker<V> {
    variable: V,
    local_network: bool,
    pub(super) faults: Vec<Fault>,
}

impl<V: Fn(&str) -> Option<String>> Checker<V> {
    pub(super) fn new(variable: V, local_network: bool) -> Checker<V> {
        Checker { variable, local_network, faults: Vec::new() }
    }

    /// Adds a fault once: a fault in the table `[models]` is found again in each table that takes the value from there.
    pub(super) fn fault(&mut self, field: &str, name: &str, reason: impl Into<String>) {
        let fault = Fault::new(format!("{field}.{name}"), reason);
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }

    /// Returns the endpoint with its key, read from the variable `key_env` if that is set. Records a fault if the variable is
    /// not set, if `key` is set too, or if the key cannot be sent in a header.
    pub(super) fn key_of(&mut self, field: &str, mut endpoint: EndpointConfig) -> EndpointConfig {
        if let Some(name) = endpoint.key_env.take() {
            match (self.variable)(&name) {
                _ if endpoint.key.is_some() => {
                    self.fault(field, "key_env", "is set together with key; set only one of them");
                }
                None => self.fault(field, "key_env", format!("names the variable {name}, which is not set")),
                Some(key) => endpoint.key = Some(key.trim().into()),
            }
        }
        if endpoint.key.as_ref().is_some_and(|key| !key.expose_secret().bytes().all(|b| b.is_ascii_graphic())) {
            self.fault(field, "key", "contains a character that is not allowed in an HTTP header");
        }
        endpoint
    }

    pub(super) fn model(
        &mut self,
        (field, purpose): (&str, Purpose),
        own: &EndpointConfig,
        whole: EndpointConfig,
    ) -> Option<Model> {
        // The fault is reported in the table that contains the value: the purpose's own table or `[models]`.
        let begun = own.base_url.is_some() || own.model.is_some();
        let at = |own_is_set: bool, is_set: bool| if own_is_set || (begun && !is_set) { field } else { "models" };
        let table = at(own.base_url.is_some(), whole.base_url.is_some());
        let base_url = self.base_url(table, "base_url", whole.base_url.as_deref());
        let name = whole.model.clone().filter(|name| !name.trim().is_empty());
        if name.is_none() {
            self.fault(at(own.model.is_some(), whole.model.is_some()), "model", "is missing");
        }
        let (window, max_output_tokens) = self.tokens(&at, own, &whole, purpose);
        let timeout = self.timeout(at(own.timeout.is_some(), true), whole.timeout.as_ref(), (TIMEOUT, MAX_TIMEOUT));
        if whole.temperature.is_some_and(|temperature| !(0.0..=2.0).contains(&temperature)) {
            self.fault(at(own.temperature.is_some(), true), "temperature", "is not between 0 and 2");
        }
        if let Some(name) = OWN_FIELDS.iter().find(|name| whole.extra_body.contains_key(**name)) {
            let reason = format!("must not contain `{name}`, which Annals sets itself");
            self.fault(at(!own.extra_body.is_empty(), true), "extra_body", reason);
        }
        let base_url = base_url?;
        Some(Model {
            key: whole.key,
            name: name?,
            api: whole.api.unwrap_or_else(|| api_of(&base_url)),
            base_url,
            window,
            has_own_window: whole.window.is_some(),
            max_output_tokens,
            timeout,
            json: whole.json.unwrap_or_default(),
            reasoning: whole.reasoning,
            temperature: whole.temperature,
            extra_body: whole.extra_body,
            local_network: self.local_network,
        })
    }

    /// Checks `[models.rerank]`. Returns `None` if it names neither URL nor model, or if either has a fault.
    pub(super) fn rerank(&mut self, field: &str, own: &RerankConfig, caps: (u64, u64)) -> Option<RerankModel> {
        let (key, key_env) = (own.key.clone(), own.key_env.clone());
        let key = self.key_of(field, EndpointConfig { key, key_env, ..EndpointConfig::default() }).key;
        let timeout = self.timeout(field, own.timeout.as_ref(), (RERANK_TIMEOUT, MAX_RERANK_TIMEOUT));
        let candidates = own.candidates.unwrap_or(CANDIDATES);
        if !(2..=MAX_CANDIDATES).contains(&candidates) {
            self.fault(field, "candidates", format!("is {candidates}; 2 to {MAX_CANDIDATES} are allowed"));
        }
        if own.base_url.is_none() && own.model.is_none() {
            return None;
        }
        let base_url = self.base_url(field, "base_url", own.base_url.as_deref());
        let name = own.model.clone().filter(|name| !name.trim().is_empty());
        if name.is_none() {
            self.fault(field, "model", "is missing");
        }
        Some(RerankModel {
            base_url: base_url?,
            key,
            name: name?,
            timeout,
            candidates: usize::try_from(candidates).ok()?,
            daily_tokens: own.daily_tokens.unwrap_or(RERANK_DAILY_TOKENS),
            workspace_daily_tokens: caps.0,
            process_daily_tokens: caps.1,
            local_network: self.local_network,
        })
    }

    /// Returns the window and the maximum tokens of the answer. Records a fault if the window is too small, or if the maximum
    /// is zero or more than half of the window.
    fn tokens<'a>(
        &mut self,
        at: &impl Fn(bool, bool) -> &'a str,
        own: &EndpointConfig,
        whole: &EndpointConfig,
        purpose: Purpose,
    ) -> (u64, u64) {
        let window = whole.window.unwrap_or(WINDOW);
        let answer = output_tokens(purpose).min(window / 4);
        let reasoning = whole.reasoning.map_or(0, Reasoning::tokens);
        let output = whole.max_output_tokens.unwrap_or((answer + reasoning).min(window / 2));
        if window < MIN_WINDOW {
            let reason = format!("is {window}; at least {MIN_WINDOW} tokens are needed");
            self.fault(at(own.window.is_some(), true), "window", reason);
        } else if output == 0 || output > window / 2 {
            let reason = format!("is {output}; 1 to half of the window are allowed");
            self.fault(at(own.max_output_tokens.is_some(), true), "max_output_tokens", reason);
        }
        (window, output)
    }

    /// Checks the URL `name` of the table `field`, and returns it without a trailing slash; `None` if it has a fault.
    pub(super) fn base_url(&mut self, field: &str, name: &str, text: Option<&str>) -> Option<String> {
        let reason = match text.map(reqwest::Url::parse) {
            None => "is missing",
            Some(Err(_)) => "is not a URL such as http://127.0.0.1:11434/v1",
            Some(Ok(url)) if !matches!(url.scheme(), "http" | "https") => "must begin with http:// or https://",
            Some(Ok(url)) if !url.username().is_empty() || url.password().is_some() => {
                "contains a user name or password; use key_env instead"
            }
            Some(Ok(url)) if url.query().is_some() || url.fragment().is_some() => {
                "must not contain a query (?) or a fragment (#)"
            }
            Some(Ok(url))
                if NetworkPolicy::new(&url, self.local_network).check_written() == Err(Refusal::Unencrypted) =>
            {
                "is a public address without https://"
            }
            Some(Ok(url)) if NetworkPolicy::new(&url, self.local_network).check_written().is_err() => {
                "is an address that no model server can have"
            }
            Some(Ok(url)) => return Some(url.as_str().trim_end_matches('/').to_owned()),
        };
        self.fault(field, name, reason);
        None
    }

    /// Returns when a model reads new messages for facts. Records a fault for a quiet time that is not a duration or longer
    /// than a day, and for zero messages.
    pub(super) fn reading(&mut self, quiet: Option<&DurationSetting>, turns: Option<u64>) -> ReadingSchedule {
        let quiet = match quiet.map(DurationSetting::duration) {
            None => READING_QUIET,
            Some(Ok(quiet)) if quiet <= MAX_QUIET => quiet,
            Some(_) => {
                self.fault("models", "extraction_quiet", "must be a duration such as 10m, at most a day".to_owned());
                READING_QUIET
            }
        };
        let turns = turns.unwrap_or(READING_TURNS);
        if turns == 0 {
            self.fault("models", "extraction_turns", "must be at least 1");
        }
        ReadingSchedule {
            quiet: SignedDuration::from_secs(quiet.as_secs().cast_signed()),
            turns: usize::try_from(turns).unwrap_or(usize::MAX),
        }
    }

    /// Returns the configured time limit, or the default if none is set or it has a fault. Zero, values above the maximum and
    /// texts that are not durations are faults.
    pub(super) fn timeout(
        &mut self,
        field: &str,
        wait: Option<&DurationSetting>,
        (usual, longest): (Duration, Duration),
    ) -> Duration {
        let reason = match wait.map(DurationSetting::duration) {
            None => return usual,
            Some(Ok(timeout)) if !timeout.is_zero() && timeout <= longest => return timeout,
            Some(Ok(_)) => format!("must be more than 0 and at most {} seconds", longest.as_secs()),
            Some(Err(())) => "is not a duration such as 90 or 2m 30s".into(),
        };
        self.fault(field, "timeout", reason);
        usual
    }
}
