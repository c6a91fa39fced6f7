//! A slow model: only the request for its answer waits for it. The test decides when the model answers, so nothing depends on
//! the speed of the machine.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use annals_testkit::{ModelRequest, ModelServer, Script};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::command::{Annals, files};
use crate::service::Served;
use crate::story::days;

/// A kind of task for the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    Facts,
    Summaries,
}

impl Task {
    fn of(request: &ModelRequest) -> Task {
        if request.content_of("system").contains("\"operations\"") { Task::Facts } else { Task::Summaries }
    }
}

/// A gate that holds back the answers to one kind of task until it is opened.
struct Gate {
    task: Task,
    /// Holds back only requests that contain this text.
    about: &'static str,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    open: bool,
    waiting: usize,
}

impl Gate {
    fn open(&self) {
        self.state.lock().unwrap().open = true;
        self.changed.notify_all();
    }

    fn pass(&self, request: &ModelRequest) {
        if Task::of(request) == self.task && request.content_of("user").contains(self.about) {
            let mut state = self.state.lock().unwrap();
            state.waiting += 1;
            drop(self.changed.wait_while(state, |state| !state.open).unwrap());
        }
    }
}

struct Slow {
    gate: Arc<Gate>,
    served: Served,
    _server: ModelServer,
}

/// Opens the gate even if the test fails; otherwise the model's thread would never end.
impl Drop for Slow {
    fn drop(&mut self) {
        self.gate.open();
    }
}

impl Slow {
    /// Serves a folder with these messages. The model does not answer tasks of this kind.
    fn serving(task: Task, messages: &str) -> Slow {
        Slow::serving_about(task, "", messages)
    }

    /// Serves a folder like [`Slow::serving`], but the model answers the tasks that do not contain `about`.
    fn serving_about(task: Task, about: &'static str, messages: &str) -> Slow {
        let gate = Arc::new(Gate { task, about, state: Mutex::default(), changed: Condvar::new() });
        let before = gate.clone();
        let server = ModelServer::choosing(move |request| {
            before.pass(request);
            Script::Good
        });
        let annals = Annals::new();
        std::fs::create_dir_all(annals.data()).unwrap();
        let url = server.base_url();
        let config = format!("[models]\nbase_url = \"{url}\"\nmodel = \"scripted\"\ntimeout = 600\nwindow = 8192\n");
        std::fs::write(annals.data().join("annals.toml"), config).unwrap();
        annals.import(messages);
        Slow { gate, served: Served::over(annals), _server: server }
    }

    /// Waits until the model has received a task that is held back.
    async fn wait_for_question(&self) {
        while self.gate.state.lock().unwrap().waiting == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Sends a request while the model does not answer. Panics after 120 seconds if the request waits for the model.
    async fn expect(&self, method: Method, path: &str, body: Value, status: StatusCode) -> Value {
        let answer = self.served.ask(method, path, None, Some(&body));
        let (found, answer) = tokio::time::timeout(Duration::from_secs(120), answer).await.expect(path);
        assert_eq!(found, status, "{path}: {answer}");
        answer
    }

    async fn everything_else_goes_on(&self) {
        let block = json!({ "blocks": [{ "name": "n", "text": "t" }] });
        self.expect(Method::PUT, "/v1/agents/ann/blocks", block, StatusCode::OK).await;
        let fact = json!({ "subject": "Ann", "predicate": "likes", "object": "tea" });
        self.expect(Method::POST, "/v1/agents/ann/facts", fact, StatusCode::OK).await;
        self.expect(Method::PUT, "/v1/agents/ann/settings", json!({ "plan": "keep" }), StatusCode::OK).await;
        let message = json!({ "messages": [{ "role": "user", "content": "Hello there." }], "conversation": "new" });
        let path = "/v1/agents/ann/messages?wait=searchable";
        let answer = self.expect(Method::POST, path, message, StatusCode::ACCEPTED).await;
        assert_eq!(answer["status"], "searchable");
    }

    /// Lets the model answer, and waits until everything is written.
    async fn finish(&self) {
        self.gate.open();
        self.expect(Method::POST, "/v1/agents/ann/rollup", json!({}), StatusCode::OK).await;
    }
}

async fn check(task: Task) {
    let slow = Slow::serving(task, &days("ann", 2, 2));
    slow.wait_for_question().await;
    slow.everything_else_goes_on().await;
    slow.finish().await;
    slow.served.annals.expect_sound_tables();
}

#[tokio::test]
async fn slow_extraction_model_blocks_no_other_call() {
    check(Task::Facts).await;
}

#[tokio::test]
async fn slow_summary_model_blocks_no_other_call() {
    check(Task::Summaries).await;
}

/// Data forgotten while the model reads it does not return with the model's answer.
#[tokio::test]
async fn data_forgotten_during_extraction_stays_forgotten() {
    let slow = Slow::serving(Task::Facts, "");
    // The messages are of today, so the request to forget has no summary to write again.
    let message_of = |content: &str, conversation: &str| json!({ "messages": [{ "role": "user", "name": "Ann", "content": content }], "conversation": conversation });
    let path = "/v1/agents/ann/messages?wait=extracted&timeout_seconds=1";
    slow.served.post(path, &message_of("Zelda Quist bakes bread in Uppsala.", "secret")).await;
    slow.served.post("/v1/agents/ann/messages", &message_of("Tom likes his tea black.", "other")).await;
    slow.wait_for_question().await;
    let forgotten = slow.served.ask(Method::DELETE, "/v1/agents/ann/conversations/secret?dry_run=false", None, None);
    let (status, answer) = tokio::time::timeout(Duration::from_secs(120), forgotten).await.expect("forgetting");
    assert_eq!(status, StatusCode::OK, "{answer}");
    slow.finish().await;
    let annals = slow.served.annals.dump();
    assert!(!annals.contains("Quist") && annals.contains("black"), "{annals}");
}

/// Data forgotten while the model summarises it is nowhere on disk after the proof, whenever the model answers.
#[tokio::test]
async fn data_forgotten_during_a_summary_stays_forgotten() {
    for path in ["/v1/agents/ann/conversations/day%200", "/v1/agents/ann"] {
        let slow = Slow::serving_about(Task::Summaries, SECRET, &days("ann", 2, 2));
        slow.wait_for_question().await;
        let path = format!("{path}?dry_run=false");
        let forgetting = slow.served.ask(Method::DELETE, &path, None, None);
        let (_, answer) = tokio::time::timeout(Duration::from_secs(120), forgetting).await.expect(&path);
        assert_eq!(answer["proof"]["clean"], true, "{path}: {answer}");
        // Makes the agent known again, so that the next roll-up waits for the late answer.
        let message = json!({ "messages": [{ "role": "user", "content": "Hello again." }], "conversation": "later" });
        slow.expect(Method::POST, "/v1/agents/ann/messages", message, StatusCode::ACCEPTED).await;
        slow.finish().await;
        let places = places_of(SECRET, &slow.served.annals.data());
        assert!(places.is_empty(), "{path}: {places:?}");
    }
}

/// The beginning of each message in the conversation `day 0`.
const SECRET: &str = "On day 0 I went";

/// Returns the files that contain `secret`, byte for byte.
fn places_of(secret: &str, folder: &Path) -> Vec<PathBuf> {
    let contains = |file: &PathBuf| {
        std::fs::read(file).unwrap_or_default().windows(secret.len()).any(|piece| piece == secret.as_bytes())
    };
    files(folder).into_iter().filter(contains).collect()
}

/// After forgetting, the model writes the affected summaries again. Only the request to forget waits for that.
#[tokio::test]
async fn only_the_request_to_forget_waits_for_the_model() {
    let slow = Slow::serving(Task::Summaries, &days("ann", 2, 2));
    slow.wait_for_question().await;
    let path = "/v1/agents/ann/conversations/day%200?dry_run=false";
    let forgetting = slow.served.ask(Method::DELETE, path, None, None);
    let others = async {
        while slow.served.get("/v1/agents/ann/export").await.1.to_string().contains("day 0") {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        slow.everything_else_goes_on().await;
        slow.gate.open();
    };
    let ((status, answer), ()) = tokio::join!(forgetting, others);
    assert_eq!((status, &answer["proof"]["clean"]), (StatusCode::OK, &json!(true)), "{answer}");
    slow.served.annals.expect_sound_tables();
}

/// Facts are read from their table alone. It must lose forgotten facts before summaries are written again.
#[tokio::test]
async fn forgotten_facts_are_not_shown_while_the_model_writes() {
    let slow = Slow::serving(Task::Summaries, &days("ann", 2, 2));
    let fact = json!({ "subject": "Zelda Quist", "predicate": "lives_in", "object": "Porto" });
    slow.expect(Method::POST, "/v1/agents/ann/facts", fact, StatusCode::OK).await;
    let message =
        json!({ "role": "user", "name": "Ann", "content": "Zelda Quist called.", "at": "2026-01-01T12:00:00Z" });
    let body = json!({ "conversation": "day 0", "messages": [message] });
    let (status, answer) = slow.served.post("/v1/agents/ann/messages?wait=searchable", &body).await;
    assert!(status.is_success(), "{answer}");
    slow.wait_for_question().await;
    let body = json!({ "subject": "Zelda Quist", "dry_run": false });
    let forgetting = slow.served.ask(Method::POST, "/v1/agents/ann/forget", None, Some(&body));
    let facts = async {
        while slow.served.get("/v1/agents/ann/export").await.1.to_string().contains("Quist") {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let mut shown = json!(null);
        for _ in 0..100 {
            shown = slow.served.get("/v1/agents/ann/facts?about=Zelda%20Quist").await.1["facts"].take();
            if shown == json!([]) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        slow.gate.open();
        shown
    };
    let ((status, answer), shown) = tokio::join!(forgetting, facts);
    assert_eq!((status, shown), (StatusCode::OK, json!([])), "{answer}");
}
