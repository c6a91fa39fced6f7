//! Three nodes, a database with a synchronous standby, and a bucket, through the command. In each round something fails: a
//! node, a network connection, the bucket, or the database. Meanwhile clients send, search, count and forget through all nodes.
//! No acknowledged message is lost, stored twice or found after it was forgotten. In the end the memory equals that of an
//! undisturbed run.
//!
//! `ANNALS_CHAOS_ROUNDS` is the number of rounds, `ANNALS_CHAOS_SEED` decides what happens in them.

mod client;
mod database;
mod failure;
mod link;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use annals_testkit::{Dice, TestBucket};
use futures::StreamExt;
use futures::future::join_all;
use serde_json::Value;

use crate::cluster::node::{Node, ports, until};
use crate::command::Annals;
use crate::postgres::{configure, expect_sound};
use crate::story::line;
use client::{ChatClient, Load, Record};
use database::PostgresPair;
use failure::Failure;
use link::Link;

const NODES: usize = 3;

/// Lease of a node, in seconds.
const LEASE: u32 = 6;

/// Key of the cluster, with which standby nodes embed texts.
const KEY: &str = "0123456789abcdef0123456789abcdef";

/// Settings without which the clients would be slowed down.
const LIMITS: &str = "[limits]\nrequests_per_minute = 100000\nburst = 100000\n";

const AGENTS: [&str; 3] = ["ann", "bob", "cleo"];

/// The links of one node.
struct Links {
    databases: [Link; 2],
    bucket: Link,
    /// The link through which the other nodes reach this node.
    node: Link,
}

struct Cluster {
    database: PostgresPair,
    bucket: TestBucket,
    nodes: Vec<Node>,
    links: Vec<Links>,
    ports: Vec<u16>,
}

impl Cluster {
    /// Starts the database, the bucket and the nodes. Returns `None` if PostgreSQL or the server of the bucket is not installed.
    async fn start() -> Option<(Cluster, String)> {
        let (bucket, database) = (TestBucket::new()?, PostgresPair::start().await?);
        let mut cluster = Cluster { database, bucket, nodes: Vec::new(), links: Vec::new(), ports: Vec::new() };
        let key = cluster.folder(None).json(&["key", "add", "test", "--scope", "admin"]);
        for index in 0..NODES {
            let port = ports(1);
            let [first, second] = cluster.database.addresses();
            let bucket = cluster.bucket.endpoint.strip_prefix("http://").unwrap().parse().unwrap();
            let databases = [Link::to(first).await, Link::to(second).await];
            let links = Links { databases, bucket: Link::to(bucket).await, node: Link::to(local(port)).await };
            cluster.links.push(links);
            cluster.ports.push(port);
            cluster.nodes.push(Node::start_in(cluster.folder(Some(index)), port));
        }
        Some((cluster, key["key"].as_str().unwrap().to_owned()))
    }

    /// Returns a data folder with the settings of a node. Without a node, the settings are those of a command that does not go
    /// through links.
    fn folder(&self, node: Option<usize>) -> Annals {
        let (bucket, mut databases, mut more) = (&self.bucket, self.database.addresses(), String::new());
        let mut endpoint = bucket.endpoint.clone();
        if let Some(links) = node.map(|index| &self.links[index]) {
            databases = [links.databases[0].address, links.databases[1].address];
            endpoint = format!("http://{}", links.bucket.address);
            more = format!(
                "[cluster]\naddress = \"http://{}\"\nlease_seconds = {LEASE}\nkey = \"{KEY}\"\n",
                links.node.address
            ) + LIMITS;
        }
        let [first, second] = databases;
        let url = format!("postgres://postgres@{first},{second}/postgres?target_session_attrs=read-write");
        let annals = Annals::new();
        let objects = format!("[objects]\nurl = \"{}/nodes\"\nendpoint = \"{endpoint}\"\n", bucket.url);
        configure(&annals, &format!("[catalog]\nurl = \"{url}\"\n{objects}{more}"));
        annals
    }

    /// Waits until a node is active, and returns its index.
    async fn active(&self) -> usize {
        let active = async || {
            let all = join_all(self.nodes.iter().map(Node::is_active)).await;
            all.iter().position(|is_active| *is_active)
        };
        until("a node is active", async || active().await.is_some()).await;
        active().await.unwrap_or(0)
    }

    /// Returns a number that a node counts since it stands by; 0 if it does not answer.
    async fn counted(&self, index: usize, metric: &str) -> u64 {
        let asked = reqwest::Client::new().get(format!("{}/metrics/node", self.nodes[index].address));
        let Ok(answer) = asked.timeout(Duration::from_secs(2)).send().await else { return 0 };
        let metrics = answer.text().await.unwrap_or_default();
        let line = metrics.lines().find_map(|line| line.strip_prefix(metric));
        line.map_or(0, |number| number.trim().parse().unwrap())
    }

    /// Waits until a node's process has ended, and starts it again.
    async fn start_again(&mut self, index: usize) {
        let ended = self.nodes.remove(index);
        let folder = tokio::task::spawn_blocking(move || ended.ended()).await.unwrap();
        self.nodes.insert(index, Node::start_in(folder, self.ports[index]));
    }
}

fn local(port: u16) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], port))
}

fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
#[expect(clippy::print_stderr, reason = "what happened is needed to understand a failure")]
async fn nothing_acknowledged_is_lost_or_doubled_whatever_fails() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let (rounds, seed) = (variable("ANNALS_CHAOS_ROUNDS", 15), variable("ANNALS_CHAOS_SEED", 1));
    let Some((mut cluster, key)) = Cluster::start().await else { return };
    let load = Arc::new(Load {
        key,
        addresses: cluster.nodes.iter().map(|node| node.address.clone()).collect(),
        stop: AtomicBool::new(false),
        acknowledged: AtomicU64::new(0),
    });
    let chats = (seed..).zip(AGENTS).map(|(seed, agent)| tokio::spawn(ChatClient::new(agent, &load, seed).run()));
    let (chats, mut dice) = (chats.collect::<Vec<_>>(), Dice::new(seed));
    let (mut failures, mut embedded) = (BTreeMap::<Failure, u64>::new(), 0);
    let mut searched = 0;
    for round in 0..rounds {
        let failure = Failure::draw(&mut dice);
        *failures.entry(failure).or_default() += 1;
        let (how, begun) = (failure.cause(&mut cluster, &mut dice).await, std::time::Instant::now());
        let target = load.acknowledged.load(Ordering::Relaxed) + 12;
        until("requests are acknowledged", async || load.acknowledged.load(Ordering::Relaxed) >= target).await;
        for node in 0..NODES {
            embedded = embedded.max(cluster.counted(node, "annals_node_embedded_texts_total").await);
            searched = searched.max(cluster.counted(node, "annals_node_answered_searches_total").await);
        }
        eprintln!("round {round}: {failure:?} {how}; requests succeed after {:.1?}", begun.elapsed());
    }
    load.stop.store(true, Ordering::Relaxed);
    let records: Vec<Record> = join_all(chats).await.into_iter().map(Result::unwrap).collect();
    let faults: Vec<&String> = records.iter().flat_map(|record| &record.faults).collect();
    let answers: Vec<_> =
        records.iter().map(|record| (record.messages, record.forgotten.len(), &record.answers)).collect();
    eprintln!(
        "{failures:?}, {embedded} texts embedded and {searched} searches answered by one standby node in a row\nmessages, forgotten conversations and answers by status: {answers:?}"
    );
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(embedded > 0, "no standby node has embedded any text");
    assert!(searched > 0, "no standby node has answered a search");
    equals_undisturbed_run(cluster, &records).await;
}

/// Compares the memory that the nodes left with that of a run without nodes and failures, which gets the same messages and the
/// same orders to forget. The texts of summaries are compared after a late message of each day has made them be written again: which
/// sentences are routine depends on the earlier messages that there were when a summary was written.
async fn equals_undisturbed_run(mut cluster: Cluster, records: &[Record]) {
    for node in cluster.nodes.drain(..) {
        node.signal("-TERM");
        node.ended();
    }
    let (after, undisturbed) = (cluster.folder(None), Annals::new());
    configure(&undisturbed, LIMITS);
    let lines = AGENTS.iter().zip(records).map(|(agent, record)| record.lines(agent));
    undisturbed.import(&lines.collect::<String>());
    let undisturbed = forget(undisturbed, records).await;
    for annals in [&after, &undisturbed] {
        annals.json(&["rollup"]);
    }
    assert_eq!(without_texts_of_summaries(&after.dump()), without_texts_of_summaries(&undisturbed.dump()));
    expect_sound(&after);
    let late: String = AGENTS.iter().map(|agent| late_messages(agent)).collect();
    for annals in [&after, &undisturbed] {
        annals.import(&late);
        annals.json(&["rollup"]);
    }
    assert_eq!(after.dump(), undisturbed.dump());
}

/// Returns a line for each day on which a client may have sent messages: the first nineteen days of a November.
fn late_messages(agent: &str) -> String {
    let at = |day: u64| format!("2026-11-{day:02}T12:00:30Z");
    (1..=19).map(|day| line(agent, "late", &day.to_string(), "Ann", "I like tea.", &at(day))).collect()
}

/// Returns the lines of a dump without what depends on the sentences that a summary quotes.
fn without_texts_of_summaries(dump: &str) -> String {
    let line = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        if line["memory"]["kind"] == "summary" {
            line["sentences"] = Value::Null;
            line["memory"]["text"] = Value::Null;
        }
        if line["table"].is_string() && line["table"] != "working" {
            line["row"] = Value::Null;
        }
        format!("{line}\n")
    };
    dump.lines().map(line).collect()
}

/// Forgets what the clients had forgotten, through a service on this machine: requests at the same time share the proof that nothing
/// is left, and a long run has hundreds.
async fn forget(annals: Annals, records: &[Record]) -> Annals {
    let key = annals.json(&["key", "add", "test", "--scope", "admin"])["key"].as_str().unwrap().to_owned();
    let (service, http) = (Node::start_in(annals, ports(1)), reqwest::Client::new());
    let forgotten =
        AGENTS.iter().zip(records).flat_map(|(agent, record)| record.forgotten.iter().map(move |it| (agent, it)));
    let requests = forgotten.map(|(agent, conversation)| {
        let path = format!("v1/agents/{agent}/conversations/c{conversation}?dry_run=false");
        http.delete(format!("{}/{path}", service.address)).bearer_auth(&key).send()
    });
    let answers: Vec<_> = futures::stream::iter(requests).buffer_unordered(8).collect().await;
    for answer in answers {
        assert!(answer.unwrap().status().is_success());
    }
    service.signal("-TERM");
    service.ended()
}
