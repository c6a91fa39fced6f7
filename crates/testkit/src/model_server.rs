//! A model endpoint for tests: an OpenAI-compatible server with the usual `/rerank` route, or one with another [`Dialect`]. It
//! answers over real HTTP as a script says, and records the requests.
//!
//! It listens on a free port of 127.0.0.1, on its own thread, so that it serves synchronous tests, child processes and tests
//! with paused time. After the end of its script it answers as [`Script::Good`], or as a function of the test chooses. It stops
//! when dropped.

mod answer;
mod batches;
mod dialect;
mod good;
mod serve;

use std::collections::{BTreeMap, VecDeque};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::oneshot;

pub use batches::{BatchBill, BatchFault, ResultFault};
pub use dialect::Dialect;

/// An answer of the server, or the way in which it fails to answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Script {
    /// The answer of a good model. For a summary: one sentence per numbered line with its first words, citing the line. For
    /// extraction: one fact and one operation per numbered turn. For reranking: scores by the words that query and text
    /// share.
    Good,
    /// This text, whatever the request.
    Answers(String),
    /// This text, with finish reason `length`: cut off by the token limit.
    CutOff(String),
    /// A good answer that reports this many prompt tokens as read.
    Read(u64),
    /// A good answer, or 400 if the request has a `response_format`, like a server without support for schemas.
    Formless,
    /// A good answer that reports this many prompt tokens as cached.
    Cached(u64),
    /// A good answer after this reasoning.
    Thinks(String),
    /// This reasoning and no answer, with finish reason `length`.
    ThinksTooLong(String),
    /// A good answer with a pause before the first event, and before each further one.
    Paced(Duration, Duration),
    /// This number of events of a good answer, then the end of the stream.
    BreaksOff(usize),
    /// This number of events of a good answer, then nothing on an open connection.
    Stalls(usize),
    /// This number of events of a good answer, then this event.
    Fails(usize, Value),
    /// This HTTP status and body.
    Responds(u16, Value),
    /// This HTTP status, with `Retry-After` in seconds if given.
    Refuses(u16, Option<u64>),
    /// No answer, for as long as the client waits.
    Hangs,
    /// An answer with a text of this many bytes.
    Floods(usize),
    /// This body, with status 200.
    Raw(String),
}

/// A request as the server received it.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRequest {
    pub path: String,
    /// Headers by their names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body, or `null` if it is not JSON.
    pub body: Value,
}

impl ModelRequest {
    /// Returns the content of the last message of a role, or of a separate `system` field. Returns an empty string if there is
    /// none.
    pub fn content_of(&self, role: &str) -> &str {
        if role == "system" && self.body["system"].is_array() {
            return self.body["system"][0]["text"].as_str().unwrap_or_default();
        }
        let messages = self.body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
        let message = messages.iter().rfind(|message| message["role"] == role);
        message.and_then(|message| message["content"].as_str()).unwrap_or_default()
    }
}

type Choose = Box<dyn Fn(&ModelRequest) -> Script + Send + Sync>;

/// A scripted model endpoint. It stops when dropped.
pub struct ModelServer {
    base_url: String,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    /// Answers to give first, in order.
    script: Mutex<VecDeque<Script>>,
    /// Chooses the answers after the end of the script.
    choose: Choose,
    dialect: Dialect,
    requests: Mutex<Vec<ModelRequest>>,
    batches: Mutex<batches::BatchDesk>,
}

impl ModelServer {
    /// Starts a server that gives these answers in order and good ones from then on.
    pub fn start(script: impl IntoIterator<Item = Script>) -> ModelServer {
        ModelServer::speaking(Dialect::Plain, script)
    }

    /// Starts a server with this dialect that gives these answers in order and good ones from then on. A refused request takes
    /// no answer from the script.
    pub fn speaking(dialect: Dialect, script: impl IntoIterator<Item = Script>) -> ModelServer {
        ModelServer::with(dialect, script.into_iter().collect(), Box::new(|_| Script::Good))
    }

    /// Starts a server that always gives the same answer.
    pub fn always(script: Script) -> ModelServer {
        ModelServer::choosing(move |_| script.clone())
    }

    /// Starts a server that chooses each answer by the request.
    pub fn choosing(choose: impl Fn(&ModelRequest) -> Script + Send + Sync + 'static) -> ModelServer {
        ModelServer::with(Dialect::Plain, VecDeque::new(), Box::new(choose))
    }

    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Appends an answer to the script.
    pub fn then(&self, script: Script) {
        self.shared.script.lock().push_back(script);
    }

    /// Returns all requests so far, without those of batches and those that ask about the server.
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.shared.requests.lock().clone()
    }

    /// Plans faults of the interface for batches. A batch ends after `slowness` requests for its status.
    pub fn plan_batches(&self, slowness: u64, faults: impl IntoIterator<Item = BatchFault>) {
        let mut desk = self.shared.batches.lock();
        desk.slowness = slowness;
        desk.faults.extend(faults);
    }

    /// Sets a function that is called whenever an upload arrives, before the upload is answered.
    pub fn at_upload(&self, act: impl FnMut() + Send + 'static) {
        self.shared.batches.lock().at_upload = Some(Box::new(act));
    }

    /// Returns the bodies of all uploads so far, also of those that were refused.
    pub fn uploaded(&self) -> Vec<String> {
        self.shared.batches.lock().uploaded.clone()
    }

    /// Returns the ids of the batches that clients asked to cancel.
    pub fn cancelled_batches(&self) -> Vec<String> {
        self.shared.batches.lock().cancelled.clone()
    }

    /// Returns the number of input files of batches that clients have not deleted.
    pub fn input_files(&self) -> usize {
        self.shared.batches.lock().inputs()
    }

    /// Returns counts of what was answered in batches so far.
    pub fn batch_bill(&self) -> BatchBill {
        self.shared.batches.lock().bill.clone()
    }

    /// Returns the planned faults that have not happened yet.
    pub fn batch_faults_left(&self) -> usize {
        self.shared.batches.lock().faults.len()
    }

    fn with(dialect: Dialect, script: VecDeque<Script>, choose: Choose) -> ModelServer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let shared = Arc::new(Shared {
            script: Mutex::new(script),
            choose,
            dialect,
            requests: Mutex::default(),
            batches: Mutex::default(),
        });
        let (stop, stopped) = oneshot::channel();
        let serving = Arc::clone(&shared);
        let thread = std::thread::spawn(move || serve::until(listener, serving, stopped));
        ModelServer { base_url, shared, stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        // Both fail only if the thread has panicked, which it has reported itself.
        let _ = self.stop.take().map(|stop| stop.send(()));
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Returns a base URL at which nothing listens: connections are refused.
pub fn refused_url() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}/v1", listener.local_addr().unwrap())
}
