//! Nodes in child processes, and requests to them that are repeated while no node serves.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use annals_testkit::TestBucket;
use reqwest::{Client, StatusCode};
use serde_json::Value;

use crate::command::{Annals, NOW, program};
use crate::postgres::configure;
use annals_testkit::postgres_server::Schema;

/// Time limit for waiting. It is longer than any takeover takes on a busy machine.
pub const MAX_WAIT: Duration = Duration::from_secs(120);

/// The database and the bucket that the nodes share.
pub struct Shared {
    pub schema: Schema,
    pub bucket: TestBucket,
    pub lease: u32,
    /// The key of the cluster, if one is configured.
    pub key: Option<&'static str>,
    /// Number of requests that an API key may send at once. A minute later it may send one more.
    pub requests: u32,
}

impl Shared {
    pub fn new(lease: u32) -> Option<Shared> {
        Some(Shared { schema: Schema::new()?, bucket: TestBucket::new()?, lease, key: None, requests: 1_000_000 })
    }

    /// Returns a data folder with the settings of a node at `port`; without a port, of a command that uses the same
    /// stores but is not a node.
    pub fn folder(&self, port: Option<u16>) -> Annals {
        let annals = Annals::new();
        let (url, TestBucket { url: bucket, endpoint }) = (&self.schema.url, &self.bucket);
        let node = port
            .map(|port| format!("[cluster]\naddress = \"http://127.0.0.1:{port}\"\nlease_seconds = {}\n", self.lease));
        let key = self.key.map(|key| format!("key = \"{key}\"\n")).unwrap_or_default();
        let limits = format!("[limits]\nrequests_per_minute = 1\nburst = {}\n", self.requests);
        let stores =
            format!("[catalog]\nurl = \"{url}\"\n[objects]\nurl = \"{bucket}/nodes\"\nendpoint = \"{endpoint}\"\n");
        configure(&annals, &(stores + &limits + &node.map(|node| node + &key).unwrap_or_default()));
        annals
    }

    /// Creates a key with all scopes.
    pub fn key(&self) -> String {
        let key = self.folder(None).json(&["key", "add", "test", "--scope", "admin"]);
        key["key"].as_str().unwrap().to_owned()
    }
}

/// Returns the first of `number` consecutive ports that no other test takes. They are below those that the system gives
/// to port 0.
pub fn ports(number: u16) -> u16 {
    static TAKEN: AtomicU16 = AtomicU16::new(0);
    20_000 + (std::process::id() % 100) as u16 * 100 + TAKEN.fetch_add(number, Ordering::Relaxed)
}

/// A running node.
pub struct Node {
    pub annals: Annals,
    pub address: String,
    child: Child,
    /// Kept open, because a node that restarts prints its greeting again.
    _output: BufReader<ChildStdout>,
}

impl Node {
    pub fn start(shared: &Shared) -> Node {
        let port = ports(1);
        Node::start_in(shared.folder(Some(port)), port)
    }

    pub fn start_in(annals: Annals, port: u16) -> Node {
        let mut command = program();
        command.args(["serve", "--json", "--listen", &format!("127.0.0.1:{port}"), "--now", NOW, "--data"]);
        command.arg(annals.data()).env_remove("ANNALS_DATA").env_remove("ANNALS_CONFIG");
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut greeting = String::new();
        output.read_line(&mut greeting).unwrap();
        let greeting: Value = serde_json::from_str(&greeting).unwrap_or_else(|error| panic!("{error}: {greeting:?}"));
        Node { annals, address: greeting["address"].as_str().unwrap().to_owned(), child, _output: output }
    }

    pub fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Waits for the end of the process. Returns its folder.
    pub fn ended(mut self) -> Annals {
        self.child.wait().unwrap();
        std::mem::replace(&mut self.annals, Annals::new())
    }

    /// Returns whether the node is active. A paused node counts as not active, because it does not answer.
    pub async fn is_active(&self) -> bool {
        let asked = Client::new().get(format!("{}/readyz", self.address)).timeout(Duration::from_secs(2)).send().await;
        match asked {
            Ok(answer) if answer.status().is_success() => {
                answer.json::<Value>().await.is_ok_and(|it| it["status"] == "ok")
            }
            _ => false,
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a request again and again until the answer is a success.
pub async fn ask(key: &str, method: &str, url: &str, body: Option<&Value>) -> Value {
    let client = Client::new();
    let begun = std::time::Instant::now();
    loop {
        let mut request =
            client.request(method.parse().unwrap(), url).bearer_auth(key).timeout(Duration::from_secs(40));
        if let Some(body) = body {
            request = request.json(body);
        }
        let problem = match request.send().await {
            Ok(answer) if answer.status().is_success() => return answer.json().await.unwrap(),
            Ok(answer) if answer.status() == StatusCode::SERVICE_UNAVAILABLE => answer.text().await.unwrap_or_default(),
            Ok(answer) => panic!("{url}: {} {}", answer.status(), answer.text().await.unwrap_or_default()),
            Err(error) => format!("{error:?}"),
        };
        assert!(begun.elapsed() < MAX_WAIT, "{url}: {problem}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

pub async fn until(what: &str, holds: impl AsyncFn() -> bool) {
    let begun = std::time::Instant::now();
    while !holds().await {
        assert!(begun.elapsed() < MAX_WAIT, "{what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
