//! A model endpoint for tests: an OpenAI-compatible server, with the usual `/rerank` beside, over real HTTP that answers by a script and remembers what it was asked.
//!
//! It listens on a free port of 127.0.0.1, on a thread of its own, so that it serves synchronous tests, child processes and
//! tests with paused time alike. Without a script it answers reasonably: see [`Script::Good`]. It stops when dropped.

mod good;
mod serve;

use std::collections::{BTreeMap, VecDeque};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::Value;
use tokio::sync::oneshot;

/// One answer of the server.
#[derive(Clone, Debug, PartialEq)]
pub enum Script {
    /// What a good model would say: a sentence with the first words of each numbered line, citing it; or a fact and an
    /// operation for each numbered turn. Asked for an order, scores by the words that question and text share.
    Good,
    /// This, whatever was asked.
    Says(String),
    /// This, ended by the limit of tokens.
    CutOff(String),
    /// A good answer by a server that says it read only so many tokens of the question.
    Read(u64),
    /// A good answer, unless a form of the answer is asked for: that is refused with 400, as servers do that know none.
    Formless,
    /// An HTTP error, with the seconds to wait if any.
    Refuses(u16, Option<u64>),
    /// Nothing, for as long as the client waits.
    Hangs,
    /// An answer of so many bytes.
    Floods(usize),
    /// This body, with status 200.
    Raw(String),
}

/// One request as it came.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRequest {
    /// The path with which it was asked.
    pub path: String,
    /// Headers by their names in small letters.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Value,
}

impl ModelRequest {
    /// What the message of a role says, the last if there are several; empty if there is none.
    pub fn said_by(&self, role: &str) -> &str {
        let messages = self.body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
        let message = messages.iter().rfind(|message| message["role"] == role);
        message.and_then(|message| message["content"].as_str()).unwrap_or_default()
    }
}

type Choose = Box<dyn Fn(&ModelRequest) -> Script + Send + Sync>;

/// The server.
pub struct ModelServer {
    base_url: String,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    /// Answers that come first, in order.
    script: Mutex<VecDeque<Script>>,
    /// Says what comes when the script is over.
    choose: Choose,
    requests: Mutex<Vec<ModelRequest>>,
}

impl ModelServer {
    /// A server that gives these answers in order and good ones from then on.
    pub fn start(script: impl IntoIterator<Item = Script>) -> ModelServer {
        ModelServer::with(script.into_iter().collect(), Box::new(|_| Script::Good))
    }

    /// A server that always gives the same answer.
    pub fn always(script: Script) -> ModelServer {
        ModelServer::choosing(move |_| script.clone())
    }

    /// A server that chooses each answer by the request.
    pub fn choosing(choose: impl Fn(&ModelRequest) -> Script + Send + Sync + 'static) -> ModelServer {
        ModelServer::with(VecDeque::new(), Box::new(choose))
    }

    /// Where it is, as a client's base URL.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Adds to the end of the script.
    pub fn then(&self, script: Script) {
        self.shared.script.lock().unwrap().push_back(script);
    }

    /// All requests so far.
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.shared.requests.lock().unwrap().clone()
    }

    fn with(script: VecDeque<Script>, choose: Choose) -> ModelServer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let shared = Arc::new(Shared { script: Mutex::new(script), choose, requests: Mutex::default() });
        let (stop, stopped) = oneshot::channel();
        let serving = Arc::clone(&shared);
        let thread = std::thread::spawn(move || serve::until(listener, serving, stopped));
        ModelServer { base_url, shared, stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        // Gone already if the thread has panicked; that panic was printed there.
        let _ = self.stop.take().map(|stop| stop.send(()));
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// A base URL at which nothing listens: connections are refused.
pub fn refused_url() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}/v1", listener.local_addr().unwrap())
}
