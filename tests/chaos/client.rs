//! Clients of a cluster. Each uses an agent of its own, and sends one request after another to any node. It repeats each
//! request until it is answered, so its record says exactly what must be stored.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use annals_testkit::Dice;
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};

use crate::story::line;

/// Time after which a request is given up and repeated. A repeated forgetting begins anew, so it gets enough time for a busy
/// machine.
const MAX_ANSWER: Duration = Duration::from_secs(8);
const MAX_FORGETTING: Duration = Duration::from_secs(40);

/// Number of messages in a conversation.
const CONVERSATION: u64 = 24;

/// What a client has done, and what must be stored in the end.
#[derive(Default)]
pub struct Record {
    /// Number of messages that were acknowledged. Their ids are the numbers below.
    pub messages: u64,
    /// Numbers of the forgotten conversations.
    pub forgotten: Vec<u64>,
    /// Number of answers by status; 0 for none.
    pub answers: BTreeMap<u16, u64>,
    /// Descriptions of broken promises, such as an acknowledged message that is missing.
    pub faults: Vec<String>,
}

impl Record {
    /// Returns the number of messages that must be stored.
    pub fn kept(&self) -> u64 {
        let forgotten: u64 = self.forgotten.iter().map(|it| CONVERSATION.min(self.messages - it * CONVERSATION)).sum();
        self.messages - forgotten
    }

    /// Returns all messages, also the forgotten ones, as lines to import.
    pub fn lines(&self, agent: &str) -> String {
        (0..self.messages)
            .map(|id| line(agent, &conversation(id), &id.to_string(), "Ann", &content(id), &at(id)))
            .collect()
    }
}

fn conversation(id: u64) -> String {
    format!("c{}", id / CONVERSATION)
}

fn content(id: u64) -> String {
    format!("On trip {id} I bought a lamp in Turin.")
}

/// Returns the time of a message. A conversation is spread over nineteen days, so that no day is forgotten as a whole: whether that
/// leaves an empty row in the ledger depends on when it was rolled up.
fn at(id: u64) -> String {
    let minute = id / 19;
    format!("2026-11-{:02}T{:02}:{:02}:00Z", 1 + id % 19, 8 + minute / 60 % 10, minute % 60)
}

fn message(id: u64) -> Value {
    json!({ "role": "user", "name": "Ann", "id": id.to_string(), "content": content(id), "at": at(id) })
}

/// The state that the clients share with the test.
pub struct Load {
    pub key: String,
    /// Addresses of the nodes.
    pub addresses: Vec<String>,
    pub stop: AtomicBool,
    /// Number of acknowledged requests with messages, of all clients.
    pub acknowledged: AtomicU64,
}

/// Number of searches for a message.
const SEARCHES: usize = 6;

pub struct ChatClient {
    agent: String,
    load: Arc<Load>,
    http: Client,
    dice: Dice,
    record: Record,
}

impl ChatClient {
    pub fn new(agent: &str, load: &Arc<Load>, seed: u64) -> ChatClient {
        ChatClient {
            agent: agent.to_owned(),
            load: load.clone(),
            http: Client::new(),
            dice: Dice::new(seed),
            record: Record::default(),
        }
    }

    /// Sends requests until the flag `stop` is set.
    pub async fn run(mut self) -> Record {
        while !self.load.stop.load(Ordering::Relaxed) {
            match self.dice.below(100) {
                0..70 => self.say().await,
                70..78 => self.say_and_find().await,
                78..86 => self.repeat().await,
                86..93 => self.count().await,
                93..98 => self.forget().await,
                // There is no agent before its first message.
                _ if self.record.messages > 0 => _ = self.ask(Method::POST, "rollup", Some(&json!({}))).await,
                _ => {}
            }
        }
        self.record
    }

    async fn say(&mut self) {
        let answer = self.send("messages").await;
        self.expect(answer["forgotten"] == 0, || format!("a new message was forgotten: {answer}"));
    }

    /// Sends one to three new messages of one conversation, or all that it has left: of more than sixteen, standby nodes embed a
    /// part. Returns after they are acknowledged.
    async fn send(&mut self, path: &str) -> Value {
        let all = self.dice.percent(15);
        let (first, more) =
            (self.record.messages, if all { CONVERSATION } else { 1 + self.dice.below(3).unsigned_abs() });
        let next = (first / CONVERSATION + 1) * CONVERSATION;
        let end = next.min(first + more);
        let messages: Vec<Value> = (first..end).map(message).collect();
        let body = json!({ "conversation": conversation(first), "messages": messages });
        let answer = self.ask(Method::POST, path, Some(&body)).await;
        self.record.messages = end;
        self.load.acknowledged.fetch_add(1, Ordering::Relaxed);
        answer
    }

    /// Sends messages and waits until they are reported searchable. Searches through any node must then find the last one.
    async fn say_and_find(&mut self) {
        let answer = self.send("messages?wait=searchable&timeout_seconds=3").await;
        if answer["status"] != "searchable" {
            return;
        }
        self.search(&content(self.record.messages - 1), true).await;
    }

    /// Searches for a message through any nodes, and checks whether they find it. A standby node answers only once it has read
    /// the tables, so one search is not enough.
    async fn search(&mut self, text: &str, expect: bool) {
        for _ in 0..SEARCHES {
            let query = json!({ "query": text, "limit": 10, "grains": ["working"] });
            let found = self.ask(Method::POST, "search", Some(&query)).await;
            let results = found["results"].as_array().cloned().unwrap_or_default();
            let is_found = results.iter().any(|result| result["text"] == text);
            self.expect(is_found == expect, || format!("{text:?} is found: {is_found}, among {results:?}"));
        }
    }

    /// Sends an acknowledged message again. It must count as stored or as forgotten.
    async fn repeat(&mut self) {
        let Some(id) = self.acknowledged() else { return };
        let is_forgotten = self.record.forgotten.contains(&(id / CONVERSATION));
        let body = json!({ "conversation": conversation(id), "messages": [message(id)] });
        let answer = self.ask(Method::POST, "messages", Some(&body)).await;
        let known = if is_forgotten { &answer["forgotten"] } else { &answer["duplicate"] };
        self.expect(*known == 1, || format!("message {id} was lost: {answer}"));
    }

    /// Counts the messages through any node. It must count every message that any node has acknowledged.
    async fn count(&mut self) {
        if self.record.messages == 0 {
            return;
        }
        let status = self.ask(Method::GET, "status", None).await;
        let (stored, kept) = (status["memories"]["working"].as_u64(), self.record.kept());
        self.expect(stored == Some(kept), || format!("{stored:?} messages are stored, not {kept}"));
    }

    /// Forgets a conversation that gets no more messages.
    async fn forget(&mut self) {
        let ended = self.record.messages / CONVERSATION;
        let Some(conversation) = (ended > 0).then(|| self.dice.below(ended.cast_signed()).unsigned_abs()) else {
            return;
        };
        if !self.record.forgotten.contains(&conversation) {
            self.ask(Method::DELETE, &format!("conversations/c{conversation}?dry_run=false"), None).await;
            self.record.forgotten.push(conversation);
            self.search(&content(conversation * CONVERSATION), false).await;
        }
    }

    fn acknowledged(&mut self) -> Option<u64> {
        let messages = self.record.messages.cast_signed();
        (messages > 0).then(|| self.dice.below(messages).unsigned_abs())
    }

    fn expect(&mut self, holds: bool, fault: impl FnOnce() -> String) {
        if !holds {
            self.record.faults.push(format!("{}: {}", self.agent, fault()));
        }
    }

    /// Sends a request to one node after another until one answers.
    async fn ask(&mut self, method: Method, path: &str, body: Option<&Value>) -> Value {
        loop {
            let node = self.dice.below(self.load.addresses.len().try_into().unwrap());
            let url =
                format!("{}/v1/agents/{}/{path}", self.load.addresses[usize::try_from(node).unwrap()], self.agent);
            let limit = if method == Method::DELETE { MAX_FORGETTING } else { MAX_ANSWER };
            let mut request = self.http.request(method.clone(), &url).bearer_auth(&self.load.key).timeout(limit);
            if let Some(body) = body {
                request = request.json(body);
            }
            match request.send().await {
                Ok(answer) => {
                    let status = answer.status();
                    *self.record.answers.entry(status.as_u16()).or_default() += 1;
                    match (status, answer.text().await) {
                        (_, Ok(text)) if status.is_success() => return serde_json::from_str(&text).unwrap_or_default(),
                        // The conversation is gone already: an earlier request removed it, but its answer was lost.
                        (StatusCode::NOT_FOUND, _) if method == Method::DELETE => return Value::Null,
                        (StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT, _) | (_, Err(_)) => {}
                        (_, Ok(text)) => self.expect(false, || format!("{method} {path}: {status} {text}")),
                    }
                }
                Err(_) => *self.record.answers.entry(0).or_default() += 1,
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}
