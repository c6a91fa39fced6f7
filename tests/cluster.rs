//! A cluster, through the command: two or three nodes over one PostgreSQL database and one bucket. However the active node
//! ends, another node takes over. Nothing acknowledged is lost or stored twice, and the tables equal the catalog.
//!
//! `ANNALS_TAKEOVER_ROUNDS` is the number of times that the active node is ended.

pub mod node;
mod searches;

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::command::{Annals, program};
use crate::postgres::{configure, expect_sound};
use crate::story::line;
use node::{Node, Shared, ask, ports, until};

/// The lease of most tests, in seconds.
const LEASE: u32 = 6;

async fn say(key: &str, node: &Node, id: u64) {
    let body = json!({ "conversation": "c", "messages": [message(id)] });
    ask(key, "POST", &format!("{}/v1/agents/ann/messages", node.address), Some(&body)).await;
}

fn content(id: u64) -> String {
    format!("On trip {id} I bought a lamp in Turin.")
}

fn at(id: u64) -> String {
    format!("2026-11-{:02}T{:02}:{:02}:00Z", 1 + id / 600 % 19, 8 + id / 60 % 10, id % 60)
}

fn message(id: u64) -> Value {
    json!({ "role": "user", "name": "Ann", "id": id.to_string(), "content": content(id), "at": at(id) })
}

/// Returns the number of stored messages of agent `ann`.
async fn stored(key: &str, node: &Node) -> u64 {
    let status = ask(key, "GET", &format!("{}/v1/agents/ann/status", node.address), None).await;
    status["memories"]["working"].as_u64().unwrap()
}

/// Returns the metrics of one node. They need no key.
async fn own_metrics(node: &Node) -> String {
    reqwest::get(format!("{}/metrics/node", node.address)).await.unwrap().text().await.unwrap()
}

#[tokio::test]
async fn any_node_answers_and_the_next_takes_over_at_once_from_one_that_is_told_to_stop() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    // With a lease this long, a takeover is only in time if the lease is released.
    let Some(shared) = Shared::new(300) else { return };
    let shared = Shared { key: Some("0123456789abcdef0123456789abcdef"), ..shared };
    let key = shared.key();
    let first = Node::start(&shared);
    until("the first node is active", async || first.is_active().await).await;
    let second = Node::start(&shared);
    for id in 0..3 {
        say(&key, if id % 2 == 0 { &second } else { &first }, id).await;
    }
    let body = json!({ "conversation": "c", "messages": [message(3)] });
    let wait = format!("{}/v1/agents/ann/messages?wait=searchable", second.address);
    ask(&key, "POST", &wait, Some(&body)).await;
    let without_key = reqwest::get(format!("{}/v1/agents/ann/status", second.address)).await.unwrap();
    assert_eq!(without_key.status(), StatusCode::UNAUTHORIZED, "the node forwards from this machine, but for others");
    assert!(!second.is_active().await);
    let (of_first, of_second) = (own_metrics(&first).await, own_metrics(&second).await);
    assert!(
        of_first.contains("annals_node_active 1\n") && of_first.contains("annals_node_lease_epoch{} 1\n"),
        "{of_first}"
    );
    let forwarded = "annals_node_forwarded_requests_total{outcome=\"answered\"} 4\n";
    assert!(of_second.contains("annals_node_active 0\n") && of_second.contains(forwarded), "{of_second}");
    // Commands in the folder of a standby node go to the active one.
    assert_eq!(second.annals.json(&["status"])["agents"][0]["memories"]["working"], json!(4));
    assert_eq!(second.annals.import(&line("bob", "c", "1", "Bob", "I like tea.", &at(1)))["accepted"], json!(1));
    let exported = second.annals.run(&["export", "--agent", "bob"]);
    assert!(exported.code == 0 && exported.out.contains("I like tea."), "{}{}", exported.out, exported.err);
    // A standby node embeds too.
    let batches = AtomicU64::new(0);
    until("the standby node has embedded texts", async || {
        let batch = batches.fetch_add(1, Ordering::Relaxed);
        let lines: String = (0..200)
            .map(|id| line("cleo", "c", &format!("{batch}-{id}"), "Cleo", &content(batch * 200 + id), &at(id)))
            .collect();
        second.annals.import(&lines);
        let metrics = own_metrics(&second).await;
        let embedded = metrics.lines().find_map(|line| line.strip_prefix("annals_node_embedded_texts_total "));
        embedded.unwrap().parse::<u64>().unwrap() > 0
    })
    .await;
    let questions = Client::new()
        .post(format!("{}/cluster/embedding", first.address))
        .bearer_auth(&key)
        .json(&json!({ "model": "x" }));
    assert_eq!(questions.send().await.unwrap().status(), StatusCode::UNAUTHORIZED);
    let call = Client::new().post(format!("{}/call", first.address)).bearer_auth(&key).body("{}\n");
    assert_eq!(call.send().await.unwrap().status(), StatusCode::UNAUTHORIZED);

    first.signal("-TERM");
    let first_folder = first.ended();
    until("the second node is active", async || second.is_active().await).await;
    say(&key, &second, 4).await;
    assert_eq!(stored(&key, &second).await, 5);

    // The first node restarts and becomes a standby.
    let port = ports(1);
    configure(&first_folder, &std::fs::read_to_string(shared.folder(Some(port)).data().join("annals.toml")).unwrap());
    let first = Node::start_in(first_folder, port);
    assert_eq!(stored(&key, &first).await, 5);
    assert!(!first.is_active().await);
}

#[tokio::test]
async fn node_that_stands_by_and_is_told_to_stop_finishes_what_it_forwards() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let Some(shared) = Shared::new(LEASE) else { return };
    let key = shared.key();
    let first = Node::start(&shared);
    until("the first node is active", async || first.is_active().await).await;
    let second = Node::start(&shared);
    say(&key, &second, 0).await;

    let host = second.address.strip_prefix("http://").unwrap().to_owned();
    let body = json!({ "conversation": "c", "messages": [message(1)] }).to_string();
    let (half, rest) = body.split_at(body.len() / 2);
    let head = format!(
        "POST /v1/agents/ann/messages HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{half}",
        body.len()
    );
    let mut connection = tokio::net::TcpStream::connect(&host).await.unwrap();
    connection.write_all(head.as_bytes()).await.unwrap();
    // Long enough for the node to read the head of the request.
    tokio::time::sleep(Duration::from_millis(500)).await;
    second.signal("-TERM");
    tokio::time::sleep(Duration::from_millis(500)).await;
    connection.write_all(rest.as_bytes()).await.unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 202"), "{answer:?}");
    second.ended();
    assert_eq!(stored(&key, &first).await, 2);
}

/// Returns the index of the active node, or `None` if no node is active.
async fn active(nodes: &[Node]) -> Option<usize> {
    for (index, node) in nodes.iter().enumerate() {
        if node.is_active().await {
            return Some(index);
        }
    }
    None
}

/// Sends messages one after another to one node after another, each until it is acknowledged.
struct Sender {
    addresses: Arc<Mutex<Vec<String>>>,
    acknowledged: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
}

impl Sender {
    fn start(key: &str, addresses: Vec<String>) -> (Sender, tokio::task::JoinHandle<()>) {
        let sender =
            Sender { addresses: Arc::new(Mutex::new(addresses)), acknowledged: Arc::default(), stop: Arc::default() };
        let (key, addresses, acknowledged, stop) =
            (key.to_owned(), sender.addresses.clone(), sender.acknowledged.clone(), sender.stop.clone());
        let sending = async move {
            let client = Client::new();
            let mut tries = 0;
            while !stop.load(Ordering::Relaxed) {
                let id = acknowledged.load(Ordering::Relaxed);
                let nodes = addresses.lock().clone();
                let url = format!("{}/v1/agents/ann/messages", nodes[tries % nodes.len()]);
                let body = json!({ "conversation": "c", "messages": [message(id)] });
                let request = client.post(url).bearer_auth(&key).json(&body).timeout(Duration::from_secs(5));
                match request.send().await {
                    Ok(answer) if answer.status() == StatusCode::ACCEPTED => {
                        acknowledged.store(id + 1, Ordering::Relaxed);
                    }
                    Ok(answer) if answer.status() != StatusCode::SERVICE_UNAVAILABLE => {
                        panic!("{} {}", answer.status(), answer.text().await.unwrap_or_default())
                    }
                    _ => tokio::time::sleep(Duration::from_millis(50)).await,
                }
                tries += 1;
            }
        };
        (sender, tokio::spawn(sending))
    }

    /// Waits until `more` messages were acknowledged from now on.
    async fn acknowledges(&self, more: u64) {
        let target = self.acknowledged.load(Ordering::Relaxed) + more;
        until("messages are acknowledged", async || self.acknowledged.load(Ordering::Relaxed) >= target).await;
    }
}

/// Signals that take the active node out: kill, pause for longer than its lease, and request to stop.
const ENDS: [&str; 3] = ["-KILL", "-STOP", "-TERM"];

#[tokio::test(flavor = "multi_thread")]
async fn nothing_acknowledged_is_lost_or_doubled_when_active_nodes_end() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let Some(shared) = Shared::new(LEASE) else { return };
    let key = shared.key();
    let rounds: usize = std::env::var("ANNALS_TAKEOVER_ROUNDS").map_or(3, |rounds| rounds.parse().unwrap());
    let mut nodes = vec![Node::start(&shared), Node::start(&shared)];
    let (sender, sending) = Sender::start(&key, nodes.iter().map(|node| node.address.clone()).collect());
    let beside = nodes[1].annals.run(&["status"]);
    assert!(beside.code != 0 && beside.err.contains("cluster"), "{}{}", beside.out, beside.err);
    for round in 0..rounds {
        sender.acknowledges(5).await;
        until("a node is active", async || active(&nodes).await.is_some()).await;
        let ended = nodes.remove(active(&nodes).await.unwrap());
        let signal = ENDS[round % ENDS.len()];
        ended.signal(signal);
        until("another node takes over", async || active(&nodes).await.is_some()).await;
        sender.acknowledges(5).await;
        if signal == "-STOP" {
            // The paused node resumes after another node has taken its lease, and restarts.
            ended.signal("-CONT");
            nodes.push(ended);
            say(&key, &nodes[1], 0).await;
            assert!(!nodes[1].is_active().await);
        } else {
            nodes.push(Node::start(&shared));
        }
        *sender.addresses.lock() = nodes.iter().map(|node| node.address.clone()).collect();
    }
    sender.acknowledges(5).await;
    sender.stop.store(true, Ordering::Relaxed);
    sending.await.unwrap();
    // The last message may have been stored without an acknowledgement.
    let (acknowledged, stored) = (sender.acknowledged.load(Ordering::Relaxed), stored(&key, &nodes[0]).await);
    assert!(stored == acknowledged || stored == acknowledged + 1, "{acknowledged} acknowledged, {stored} stored");
    for node in nodes {
        node.signal("-TERM");
        node.ended();
    }
    let (after, undisturbed) = (shared.folder(None), Annals::new());
    let messages = (0..stored).map(|id| line("ann", "c", &id.to_string(), "Ann", &content(id), &at(id)));
    undisturbed.import(&messages.collect::<String>());
    for annals in [&after, &undisturbed] {
        annals.json(&["rollup"]);
    }
    assert_eq!(after.dump(), undisturbed.dump());
    expect_sound(&after);
}

#[test]
fn example_goes_on_after_the_active_node_is_killed() {
    let Some(shared) = Shared::new(LEASE) else { return };
    let bucket = format!("{}/example", shared.bucket.url);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/cluster.sh");
    let mut command = Command::new("sh");
    command.arg(script).env("ANNALS", program().get_program()).env("ANNALS_PORT", ports(4).to_string());
    command.env("ANNALS_CATALOG_URL", &shared.schema.url).env("ANNALS_OBJECTS_URL", bucket);
    let output = command.env("ANNALS_OBJECTS_ENDPOINT", &shared.bucket.endpoint).output().unwrap();
    let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    for parcel in 1..=5 {
        assert!(out.contains(&format!("Parcel {parcel} is in locker {parcel}4")), "{out}\n{errors}");
    }
}

#[tokio::test]
async fn requests_wait_in_a_killed_node_that_comes_back_before_its_lease_ends() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let Some(shared) = Shared::new(LEASE) else { return };
    let (key, port) = (shared.key(), ports(1));
    let first = Node::start_in(shared.folder(Some(port)), port);
    until("the first node is active", async || first.is_active().await).await;
    let second = Node::start(&shared);
    say(&key, &second, 0).await;
    first.signal("-KILL");
    let first = Node::start_in(first.ended(), port);
    let body = json!({ "conversation": "c", "messages": [message(1)] });
    let messages = format!("{}/v1/agents/ann/messages", first.address);
    let answer = Client::new().post(messages).bearer_auth(&key).json(&body).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::ACCEPTED);
    assert_eq!(stored(&key, &second).await, 2);
}

#[tokio::test]
async fn node_with_another_bucket_than_the_active_one_is_refused() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let Some(shared) = Shared::new(LEASE) else { return };
    let first = Node::start(&shared);
    until("the first node is active", async || first.is_active().await).await;
    let port = ports(1);
    let other = shared.folder(Some(port));
    let settings = std::fs::read_to_string(other.data().join("annals.toml")).unwrap();
    configure(&other, &settings.replace("/nodes\"", "/typo\""));
    let refused = other.run(&["serve", "--listen", &format!("127.0.0.1:{port}")]);
    assert!(refused.code == 2 && refused.err.contains("/typo, but the active node 127.0.0.1:"), "{}", refused.err);
    assert!(first.is_active().await);
}
