//! Access control of every route in the OpenAPI description and of every tool, and what the log contains about requests.

mod billing;
mod leaks;
mod logs;
mod pages;
mod scopes;
mod table;
mod tools;

use annals_core::ports::{DocumentKey, Scope};
use annals_core::{Agent, Grain, Message, Timestamp};
use annals_service::wire::NewKey;
use annals_service::{Service, issue};
use annals_testkit::{at, message};
use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::config::ServerConfig;
use crate::fixture::{self, NOW};
use crate::public;

/// The agent that the requests are for, and an agent that does not exist.
const AGENT: &str = "zebra-seven";
const NOBODY: &str = "zebra-eight";
/// Another agent of the same workspace.
const OTHER: &str = "yak-one";
/// An id that does not exist.
const NOTHING: &str = "no-such-id";
/// Text in the agent's memory.
const SECRETS: [&str; 4] = ["Azores", "Bern", "sailing", "broke his arm"];

/// A service with memories of two agents, and ids of some of their data.
struct World {
    service: Service,
    memory: String,
    operation: String,
}

/// Names of keys, with their scopes and agents. All but `foreign` belong to the workspace `default`.
const KEYS: [(&str, &[Scope], &[&str]); 8] = [
    ("admin", &[Scope::Admin], &[]),
    ("ingest", &[Scope::Ingest], &[]),
    ("search", &[Scope::Search], &[]),
    ("all", &Scope::ALL, &[]),
    ("bound", &Scope::ALL, &[OTHER]),
    ("foreign", &Scope::ALL, &[]),
    ("revoked", &Scope::ALL, &[]),
    ("expired", &Scope::ALL, &[]),
];

impl World {
    async fn new() -> World {
        let agent = Agent::new(AGENT).unwrap();
        let service = fixture::service_with_memories(&agent).await;
        let yak = Message { conversation: "chat".into(), ..message("2026-03-05T10:00:00Z", "A yak is large.") };
        let other = Agent::new(OTHER).unwrap();
        fixture::ingest(&service, &other, vec![yak]).await;
        for (number, (name, scopes, agents)) in (1..).zip(KEYS) {
            add_key(&service, number, name, scopes, agents).await;
        }
        let plan = serde_json::from_value(json!({"text": "A plan for the Azores."})).unwrap();
        let document = DocumentKey { collection: "notes".into(), key: "plan".into() };
        let settings = service.admit(&agent).await.unwrap();
        service.put_document(&agent, &settings, document, plan, at(NOW)).await.unwrap();
        let memory = service.memories_of(&agent, Grain::Working).await.unwrap()[0].id.to_string();
        let again = vec![message("2026-03-04T18:30:00Z", "Ann lives_in Bern.")];
        let operation = fixture::ingest(&service, &agent, again).await.id;
        World { service, memory, operation }
    }

    /// Sends a request as a client does. Returns the status and the body, as JSON or otherwise as text, without the request id.
    async fn ask(&self, key: Option<&str>, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let mut request = Request::builder().method(method).uri(path).header(header::CONTENT_TYPE, "application/json");
        request =
            request.header(header::ACCEPT, "application/json, text/event-stream").header(header::HOST, "localhost");
        if let Some(key) = key {
            request = request.header(header::AUTHORIZATION, format!("Bearer {key}"));
        }
        let body = if method == "GET" { Body::empty() } else { Body::from(body.to_string()) };
        // New rate limits for each request; limits are tested elsewhere.
        let app = public(&self.service, &ServerConfig::default());
        let response = app.oneshot(request.body(body).unwrap()).await.unwrap();
        let status = response.status().as_u16();
        let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let mut answer = serde_json::from_str(&text).unwrap_or(Value::String(text));
        answer.as_object_mut().map(|answer| answer.remove("request_id"));
        (status, answer)
    }

    /// Returns all data of the agent, to check that it stays the same.
    async fn export(&self) -> String {
        let mut lines = String::new();
        let export = self.service.export(&Agent::new(AGENT).unwrap()).await.unwrap();
        tokio::io::AsyncReadExt::read_to_string(&mut { export.file }, &mut lines).await.unwrap();
        lines
    }
}

/// Returns the text of the key with this name.
fn key(name: &str) -> String {
    let number = 1 + KEYS.iter().position(|(known, ..)| *known == name).unwrap();
    issued(number as u8).text.expose_secret().to_owned()
}

fn issued(seed: u8) -> annals_service::IssuedKey {
    issue(|bytes| seeded(seed, bytes)).unwrap()
}

fn seeded(seed: u8, bytes: &mut [u8]) -> Result<(), getrandom::Error> {
    bytes.fill(seed);
    Ok(())
}

async fn add_key(service: &Service, number: u8, name: &str, scopes: &[Scope], agents: &[&str]) {
    let march = at("2026-03-01T00:00:00Z");
    let request = NewKey {
        name: name.into(),
        workspace: if name == "foreign" { "elsewhere" } else { "default" }.into(),
        scopes: scopes.iter().copied().collect(),
        agents: agents.iter().map(ToString::to_string).collect(),
        expires_at: (name == "expired").then_some(march),
        daily_tokens: None,
    };
    let (issued, _) = service.add_key(request, Timestamp::UNIX_EPOCH, |bytes| seeded(number, bytes)).await.unwrap();
    if name == "revoked" {
        service.revoke_key(&issued.id, march).await.unwrap();
    }
}

/// Masks the caller's own words in an answer, and the ids derived from them.
fn shape(answer: &Value, put_in: &[&str]) -> Value {
    match answer {
        Value::String(text) => {
            let masked = put_in.iter().fold(text.clone(), |text, word| text.replace(word, "…"));
            Value::String(masked)
        }
        Value::Array(items) => items.iter().map(|item| shape(item, put_in)).collect(),
        Value::Object(fields) => {
            let is_derived = |name: &str| matches!(name, "id" | "operation_id" | "source_ids");
            let shaped = |(name, value): (&String, &Value)| {
                (name.clone(), if is_derived(name) { json!("…") } else { shape(value, put_in) })
            };
            fields.iter().map(shaped).collect()
        }
        other => other.clone(),
    }
}

#[track_caller]
fn tells_nothing(what: &str, answer: &Value) {
    let text = answer.to_string();
    for secret in SECRETS {
        assert!(!text.contains(secret), "{what} tells {secret}: {text}");
    }
}

/// Without a key, a service that listens on an address other than loopback refuses requests, even if no key exists, as after
/// the last key was revoked.
#[tokio::test]
async fn access_without_a_key_needs_a_loopback_listener() {
    async fn check(listen: &str, expect: u16) {
        let service = fixture::service(std::sync::Arc::new(|| at(NOW)));
        let config = ServerConfig { listen: listen.parse().unwrap(), ..ServerConfig::default() };
        let request = Request::get("/v1/agents").header(header::HOST, "localhost").body(Body::empty()).unwrap();
        let answer = public(&service, &config).oneshot(request).await.unwrap();
        assert_eq!(answer.status().as_u16(), expect, "{listen}");
    }
    check("127.0.0.1:7411", 200).await;
    check("[::1]:7411", 200).await;
    check("0.0.0.0:7411", 401).await;
    check("192.168.1.2:7411", 401).await;
}
