//! What the log contains while every route is requested, correctly and wrongly, with secrets in every possible place: no word
//! of the secrets at `info` and above, and no key at any level.

use std::io::Write;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;

use super::table::{ROUTES, body, id_of, target};
use super::{AGENT, NOTHING, World, key};

/// A word that is planted in texts, names and queries, and is part of an invalid key.
const PLANTED: &str = "qz7secretqz7";

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Log;

    fn make_writer(&self) -> Log {
        self.clone()
    }
}

impl Log {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock()).into_owned()
    }
}

fn planted(body: Value) -> Value {
    match body {
        Value::String(text) => Value::String(format!("{text} {PLANTED}")),
        Value::Array(items) => items.into_iter().map(planted).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, planted(value))).collect(),
        other => other,
    }
}

/// Requests every route: correctly, with the secret in every text, in the path, in the query, as the key, and with a body that
/// does not parse.
async fn ask_everything(world: &World, admin: &str) {
    let wrong_key = format!("annals_{PLANTED}_{PLANTED}");
    for (method, template, _) in ROUTES {
        let right = body(method, template, &world.memory, "talk");
        let path_for = |agent: &str, id: &str| target(method, template, agent, id);
        let there = path_for(AGENT, &id_of(world, template));
        for (key, path, body) in [
            (Some(admin), path_for(AGENT, NOTHING), planted(right.clone())),
            (Some(admin), path_for(PLANTED, PLANTED), right.clone()),
            (Some(admin), format!("{}?about={PLANTED}", path_for(AGENT, NOTHING)), right.clone()),
            (Some(admin), there.clone(), json!([PLANTED])),
            (Some(admin), format!("/{PLANTED}"), json!({ PLANTED: PLANTED })),
            (Some(wrong_key.as_str()), there.clone(), right.clone()),
            (Some(PLANTED), there.clone(), right.clone()),
            (None, there.clone(), planted(right.clone())),
            (Some(admin), there, right),
        ] {
            world.ask(key, method, &path, &body).await;
        }
    }
}

async fn log_of(level: LevelFilter) -> String {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt().with_max_level(level).with_ansi(false).with_writer(log.clone()).finish();
    // Sets the subscriber for this thread only, which runs the whole test.
    let _guard = tracing::subscriber::set_default(subscriber);
    let world = World::new().await;
    // `tracing` caches whether a span is logged. Another test's thread, which has no subscriber, may have registered
    // the span of requests just before this subscriber was set.
    world.ask(None, "GET", "/readyz", &Value::Null).await;
    tracing::callsite::rebuild_interest_cache();
    ask_everything(&world, &key("all")).await;
    log.text()
}

#[track_caller]
fn lacks(log: &str, word: &str) {
    let line = log.lines().find(|line| line.contains(word));
    assert!(line.is_none(), "{word:?} is in the log: {line:?}");
}

#[tokio::test]
async fn info_log_contains_no_memory_text_and_no_key() {
    let log = log_of(LevelFilter::INFO).await;
    for secret in [PLANTED, "Azores", "Bern", "broke his arm", "hello", "other words", AGENT, "Bearer"] {
        lacks(&log, secret);
    }
    for field in ["request.id", "http.method=\"POST\"", "/v1/agents/{agent}/search", "http.status=401", "duration.ms"] {
        assert!(log.contains(field), "{field} is not in the log:\n{log}");
    }
}

#[tokio::test]
async fn trace_log_contains_no_key() {
    let log = log_of(LevelFilter::TRACE).await;
    let secret = key("all").rsplit('_').next().unwrap().to_owned();
    lacks(&log, &secret);
    lacks(&log, &format!("annals_{PLANTED}"));
}
