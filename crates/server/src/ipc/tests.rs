//! Calls over a real Unix socket to a service in memory.

use std::path::PathBuf;
use std::sync::Arc;

use annals_core::{Agent, Error, ObjectKind, Result};
use annals_service::calls::{
    AddKey, Call, Context, CopyCatalog, CreateAgent, Dump, FindFacts, GetMemory, ListAgents, ListJobs, Rebuild, Rollup,
    Search, Status,
};
use annals_service::wire::{NewKey, RollupRequest, SearchRequest};
use annals_service::{NoProgress, ProgressSink, Service, Stage};
use annals_testkit::{agent, at, message};
use futures::StreamExt;
use futures::stream::{empty, iter};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};

use super::{Options, call, route};
use crate::fixture::{NOW, TestHost, ingest, service_with_memories};
use crate::rest::chain;

/// A service with the memories of Ann that listens on a socket.
struct Listening {
    service: Service,
    socket: PathBuf,
    _folder: tempfile::TempDir,
}

impl Listening {
    async fn new() -> Listening {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("socket");
        let service = service_with_memories(&agent("ann")).await;
        let listener = UnixListener::bind(&socket).unwrap();
        let router = route(Arc::new(TestHost(service.clone())));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Listening { service, socket, _folder: folder }
    }

    async fn connect(&self) -> UnixStream {
        UnixStream::connect(&self.socket).await.unwrap()
    }

    async fn call<C: Call>(&self, request: C) -> Result<C::Answer> {
        self.call_with(request, &NoProgress, &mut |_| Ok(())).await
    }

    async fn call_with<C: Call>(
        &self,
        request: C,
        progress: &dyn ProgressSink,
        output: &mut (dyn FnMut(Value) -> Result<()> + Send),
    ) -> Result<C::Answer> {
        let options = Options { now: None, progress, input: empty().boxed(), output };
        call(self.connect().await, &request, options).await
    }

    /// Posts a body and returns the lines of the answer.
    async fn post(&self, body: &str) -> Vec<Value> {
        let mut stream = self.connect().await;
        stream.write_all(request(body, body.len()).as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let frames = answer.lines().filter(|line| line.starts_with('{'));
        frames.map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn request(body: &str, length: usize) -> String {
    format!("POST /call HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}")
}

fn head(call: &str, request: &Value) -> String {
    let head = json!({ "version": "0", "call": call, "now": null, "shows_progress": true, "request": request });
    format!("{head}\n")
}

#[tokio::test]
async fn answer_over_the_socket_is_that_of_the_operation() {
    let listening = Listening::new().await;
    let query = SearchRequest { query: Some("why was the trip cancelled?".into()), limit: 10, ..Default::default() };
    let answer = listening.call(Search { agent: "ann".into(), request: query.clone() }).await.unwrap();
    let expect = listening.service.search(&agent("ann"), query, at(NOW)).await.unwrap();
    assert!(!answer.results.is_empty());
    // A score that is parsed may differ in its last digit.
    let parsed: Value = serde_json::from_str(&json!(expect).to_string()).unwrap();
    assert_eq!(json!(answer), parsed);
    let status = listening.call(Status { agent: None }).await.unwrap();
    assert_eq!(json!(status), json!([listening.service.status(&agent("ann"), at(NOW)).await.unwrap()]));
}

#[tokio::test]
async fn error_over_the_socket_has_the_code_and_text_of_the_operation() {
    let listening = Listening::new().await;
    let unknown = listening.call(FindFacts { agent: "bob".into(), request: Default::default() }).await.unwrap_err();
    assert!(matches!(&unknown, Error::NotFound { what: ObjectKind::Agent, name } if name == "bob"), "{unknown:?}");
    let error = listening.call(CopyCatalog { to: "/x".into() }).await.unwrap_err();
    assert_eq!((chain(&error).as_str(), error.code()), ("copying to /x: disk full", "storage"));
    let key = NewKey {
        name: "n".into(),
        workspace: "default".into(),
        scopes: Default::default(),
        agents: Vec::new(),
        expires_at: Some(at("2020-01-01T00:00:00Z")),
        daily_tokens: None,
    };
    let Err(Error::Invalid(fault)) = listening.call(AddKey { key }).await else { panic!("it is in the past") };
    assert_eq!(fault.field, "expires_at");
    assert_eq!(listening.call(ListJobs {}).await.unwrap_err().code(), "not_found");
    assert_eq!(listening.call(GetMemory { id: "t-none".into() }).await.unwrap_err().code(), "not_found");
}

/// Records the stages of progress.
#[derive(Default)]
struct Recorded(Arc<Mutex<Vec<String>>>);

struct RecordedStage(Arc<Mutex<Vec<String>>>, String);

impl ProgressSink for Recorded {
    fn begin(&self, stage: &str, items: u64) -> Box<dyn Stage> {
        self.0.lock().push(format!("{stage} of {items}"));
        Box::new(RecordedStage(self.0.clone(), stage.to_owned()))
    }

    fn is_shown(&self) -> bool {
        true
    }
}

impl Stage for RecordedStage {
    fn advance(&self, items: u64) {
        self.0.lock().push(format!("{} +{items}", self.1));
    }
}

impl Drop for RecordedStage {
    fn drop(&mut self) {
        self.0.lock().push(format!("{} ends", self.1));
    }
}

#[tokio::test]
async fn progress_arrives_stage_by_stage() {
    let listening = Listening::new().await;
    let recorded = Recorded::default();
    let rebuild = Rebuild { agent: Some("ann".into()), grains: vec![annals_core::Grain::Working], embedder: false };
    let answer = listening.call_with(rebuild, &recorded, &mut |_| Ok(())).await.unwrap();
    let lines = recorded.0.lock().clone();
    assert_eq!(lines.first(), Some(&format!("rebuilding of {}", answer.memories)));
    assert_eq!(lines.last().map(String::as_str), Some("rebuilding ends"));
    let advanced = lines.iter().filter_map(|lines| lines.strip_prefix("rebuilding +")?.parse::<u64>().ok());
    assert_eq!(advanced.sum::<u64>(), answer.memories);
}

#[tokio::test]
async fn items_arrive_in_order_before_the_answer() {
    let listening = Listening::new().await;
    let mut items = Vec::new();
    let mut keep = |item| {
        items.push(item);
        Ok(())
    };
    listening.call_with(Dump { agent: None }, &NoProgress, &mut keep).await.unwrap();
    let lines: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
    assert!(lines[0].starts_with(r#"{"agent":"ann""#), "{}", lines[0]);
    assert!(lines.last().unwrap().contains(r#""table":"#) && lines.len() > 10);
}

/// A call that does not exist.
#[derive(Serialize, Deserialize)]
struct Juggle {}

impl Call for Juggle {
    const NAME: &'static str = "juggle";
    type Answer = ();

    async fn run(self, _: Context<'_>) -> Result<()> {
        Ok(())
    }
}

/// A request with fields that no service expects.
#[derive(Serialize, Deserialize)]
struct OtherSearch {
    name: String,
}

impl Call for OtherSearch {
    const NAME: &'static str = Search::NAME;
    type Answer = ();

    async fn run(self, _: Context<'_>) -> Result<()> {
        Ok(())
    }
}

/// A call with another type of answer than the service has.
#[derive(Serialize, Deserialize)]
struct OtherAgents {}

impl Call for OtherAgents {
    const NAME: &'static str = ListAgents::NAME;
    type Answer = u64;

    async fn run(self, _: Context<'_>) -> Result<u64> {
        Ok(0)
    }
}

#[tokio::test]
async fn service_of_another_version_is_named_in_the_error() {
    fn check(error: &Error, expect: &str) {
        let text = chain(error);
        assert!(text.contains(expect) && text.ends_with("restart the service"), "{text}");
        assert_eq!(error.code(), "storage");
    }
    let listening = Listening::new().await;
    check(&listening.call(Juggle {}).await.unwrap_err(), "does not know the call \"juggle\"");
    let other = OtherSearch { name: "ann".into() };
    check(&listening.call(other).await.unwrap_err(), "cannot read the request of \"search\": missing field `agent`");
    check(&listening.call(OtherAgents {}).await.unwrap_err(), "its answer cannot be read");

    let socket = listening.socket.with_file_name("older");
    let listener = UnixListener::bind(&socket).unwrap();
    tokio::spawn(async move { axum::serve(listener, axum::Router::new()).await });
    let options = Options { now: None, progress: &NoProgress, input: empty().boxed(), output: &mut |_| Ok(()) };
    let older = UnixStream::connect(&socket).await.unwrap();
    check(&call(older, &ListAgents {}, options).await.unwrap_err(), "another version");
}

#[tokio::test]
async fn truncated_answer_reports_that_the_service_stopped() {
    async fn check(answer: &str, cause: &str) {
        let answer = answer.to_owned();
        let (client, mut service) = UnixStream::pair().unwrap();
        tokio::spawn(async move {
            let _ = service.read(&mut [0; 4096]).await;
            service.write_all(answer.as_bytes()).await.unwrap();
        });
        let options = Options { now: None, progress: &NoProgress, input: empty().boxed(), output: &mut |_| Ok(()) };
        let text = chain(&call(client, &ListAgents {}, options).await.unwrap_err());
        let begin =
            format!("calling the running service: the service stopped before the command was finished: {cause}");
        assert!(text.starts_with(&begin) && text.ends_with("; run the command again"), "{text}");
    }
    let begin = r#"{"begin":{"stage":1,"name":"rebuilding","items":3}}"#;
    check("HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n", "").await;
    check(&format!("HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{begin}\n"), "").await;
    let whole = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{begin}\n", begin.len() + 1);
    check(&whole, "its answer ends before its last line").await;
}

#[tokio::test]
async fn body_that_is_no_call_is_answered_with_the_reason() {
    #[track_caller]
    fn check(frames: &[Value], expect: &str) {
        let reason = frames[0]["not_understood"]["reason"].as_str().unwrap_or_else(|| panic!("{frames:?}"));
        assert!(frames.len() == 1 && reason.contains(expect), "{reason}");
    }
    let listening = Listening::new().await;
    check(&listening.post("").await, "incomplete");
    check(&listening.post("x\n").await, "cannot read the call: expected value");
    check(&listening.post(r#"{"call": "search"}"#).await, "it ends within a line");
    check(&listening.post("{}\n").await, "missing field");
    check(&listening.post(&"x".repeat((8 << 20) + 70_000)).await, "a line is longer than 8 MiB");
}

#[tokio::test]
async fn call_of_a_client_that_closes_within_its_request_does_not_run() {
    let listening = Listening::new().await;
    let create = head(CreateAgent::NAME, &json!({ "agent": "bob", "settings": {} }));
    let mut stream = listening.connect().await;
    stream.write_all(request(&create[..create.len() - 5], create.len()).as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    // Ends once the service has dropped the request.
    let _ = stream.read_to_end(&mut Vec::new()).await;
    assert_eq!(listening.call(ListAgents {}).await.unwrap().agents, ["ann"]);
}

#[tokio::test]
async fn operation_of_a_client_that_closes_goes_on() {
    let listening = Listening::new().await;
    let bob: Agent = agent("bob");
    ingest(&listening.service, &bob, vec![message("2026-03-04T10:00:00Z", "Bob lives_in Oslo.")]).await;
    let rollup = head(Rollup::NAME, &json!({ "agent": "bob", "request": RollupRequest::default() }));
    let mut stream = listening.connect().await;
    stream.write_all(request(&rollup, rollup.len()).as_bytes()).await.unwrap();
    let mut lines = BufReader::new(stream).lines();
    while let Some(line) = lines.next_line().await.unwrap() {
        if line.contains("begin") {
            break;
        }
    }
    drop(lines);
    listening.service.activity().idle_for(std::time::Duration::from_millis(50)).await;
    let written = listening.service.memories_of(&bob, annals_core::Grain::Daily).await.unwrap();
    assert_eq!(written.len(), 1);
}

#[tokio::test]
async fn error_of_the_callers_input_is_the_error_of_the_call() {
    let listening = Listening::new().await;
    let input = iter([Ok(json!(1)), Err(Error::invalid("line 2", "is not JSON"))]).boxed();
    let options = Options { now: None, progress: &NoProgress, input, output: &mut |_| Ok(()) };
    let error = call(listening.connect().await, &ListAgents {}, options).await.unwrap_err();
    assert_eq!(error.to_string(), "line 2 is not JSON");
}
