//! HTTP clients, and requests with JSON answers.
//!
//! Requests are built from async-openai's types, but not sent by its client: that client reads answers of any length, logs the
//! text of those it cannot parse, drops `Retry-After`, and reads keys and organisations from the environment.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::{RequestBuilder, Response, StatusCode, Url, redirect};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use serde_json::Value;

use annals_core::Error;

use super::failure::{EndpointError, failure};
use super::network_policy::NetworkPolicy;
use crate::config::Api;

/// Maximum bytes of a JSON body. A longer answer is unusable. The usual answer has a few thousand.
const MAX_BODY_BYTES: usize = 1_000_000;

/// Time limit for connecting.
const CONNECT: Duration = Duration::from_secs(10);

/// The version of Anthropic's API that this code was written for.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// Creates a client for one base URL. It connects only to addresses that its [`NetworkPolicy`] allows. It follows no redirects,
/// which would send key and memories elsewhere. It uses the proxies of the environment, except for this machine itself. The
/// address of a proxy is not checked, and a proxy resolves the name of the server itself. Fails if the URL is not valid or
/// contains an address that is not allowed.
pub(crate) fn client(base_url: &str, local_network: bool) -> annals_core::Result<reqwest::Client> {
    client_with_connect_timeout(base_url, local_network, CONNECT)
}

/// The same as [`client`], with another time limit for connecting.
pub(super) fn client_with_connect_timeout(
    base_url: &str,
    local_network: bool,
    connect_timeout: Duration,
) -> annals_core::Result<reqwest::Client> {
    // Another crate of the process may have installed a TLS provider already; any provider works.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let url = Url::parse(base_url).map_err(|_| Error::invalid("base_url", "is not a URL"))?;
    let network_policy = NetworkPolicy::new(&url, local_network);
    network_policy.check_written().map_err(|refusal| Error::invalid("base_url", refusal.to_string()))?;
    let mut builder = reqwest::Client::builder()
        .redirect(redirect::Policy::none())
        .dns_resolver(Arc::new(network_policy))
        .connect_timeout(connect_timeout)
        .user_agent(concat!("annals/", env!("CARGO_PKG_VERSION")));
    if is_this_machine(&url) {
        builder = builder.no_proxy();
    }
    if url.scheme() == "http" {
        // A machine without any certificates can then use its own model.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| Error::unavailable(format!("creating an HTTP client for {base_url}"), error))
}

/// Returns whether a server runs on this machine.
fn is_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Adds the authentication header of the API, if there is a key. Anthropic's version header is added with or without one.
pub(super) fn authorized(request: RequestBuilder, api: Api, key: Option<&SecretString>) -> RequestBuilder {
    let request = match api {
        Api::Anthropic => request.header("anthropic-version", ANTHROPIC_VERSION),
        Api::Chat | Api::Azure => request,
    };
    let Some(key) = key.map(ExposeSecret::expose_secret) else { return request };
    match api {
        Api::Chat => request.bearer_auth(key),
        Api::Azure => request.header("api-key", key),
        Api::Anthropic => request.header("x-api-key", key),
    }
}

/// Sends one request, with the key as bearer token, and returns the JSON of the answer, or null if it is not JSON. Fails if the
/// answer reports an error. Has no time limit of its own.
pub(super) async fn post(
    http: &reqwest::Client,
    url: &str,
    key: Option<&SecretString>,
    body: &impl Serialize,
) -> Result<Value, EndpointError> {
    fetch(authorized(http.post(url).json(body), Api::Chat, key)).await
}

/// Sends a request and returns the JSON of the answer, or null if it is not JSON. Fails if the answer reports an error. Has no
/// time limit of its own.
pub(super) async fn fetch(request: RequestBuilder) -> Result<Value, EndpointError> {
    let (verdict, answer) = fetch_with_answer(request).await?;
    verdict.map(|()| answer)
}

/// Like [`fetch`], but returns the answer also if it is an error.
pub(super) async fn fetch_with_answer(
    request: RequestBuilder,
) -> Result<(Result<(), EndpointError>, Value), EndpointError> {
    let response = request.send().await.map_err(unreachable)?;
    let (status, headers) = (response.status(), response.headers().clone());
    let body = read(response).await?;
    let answer: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Ok((failure_of(status, &headers, &answer), answer))
}

/// Returns an error if an answer, or an event of a stream, reports one. Gateways report a failure behind them with status 200
/// and the real status inside.
pub(super) fn failure_of(status: StatusCode, headers: &HeaderMap, answer: &Value) -> Result<(), EndpointError> {
    if !status.is_success() {
        return Err(failure(status.as_u16(), headers, answer));
    }
    let error = &answer["error"];
    if !(error.is_object() || error.is_string()) {
        return Ok(());
    }
    let code = error["code"].as_u64().or(error["code"].as_str().and_then(|code| code.parse().ok()));
    let code = code.and_then(|code| u16::try_from(code).ok()).filter(|code| *code >= 400);
    let kind = error["type"].as_str().unwrap_or_default();
    Err(failure(code.unwrap_or_else(|| status_of(kind)), headers, answer))
}

/// Returns the HTTP status that corresponds to a type of error; 502 for other types.
pub(super) fn status_of(kind: &str) -> u16 {
    match kind {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "rate_limit_error" => 429,
        "overloaded_error" => 529,
        _ => 502,
    }
}

/// Reads the body of an answer. Fails if it is longer than [`MAX_BODY_BYTES`].
pub(crate) async fn read(mut response: Response) -> Result<Vec<u8>, EndpointError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
        if body.len() + chunk.len() > MAX_BODY_BYTES {
            return Err(EndpointError::Unusable("its answer is longer than a million bytes"));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Converts an error of the connection to [`EndpointError::Unreachable`]. The text never contains the URL.
pub(crate) fn unreachable(error: reqwest::Error) -> EndpointError {
    let error = error.without_url();
    let mut root: &dyn std::error::Error = &error;
    while let Some(cause) = root.source() {
        root = cause;
    }
    EndpointError::Unreachable(root.to_string())
}
