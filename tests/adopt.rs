//! `annals adopt`, through the command: a memory is copied into a database and a bucket and back, with everything that an export
//! lacks: keys, and what was forgotten. A memory moves while its service runs, and clients notice nothing but a pause. What a
//! killed copy leaves cannot be used, and the next copy replaces it.

use std::process::{Child, Stdio};
use std::time::Duration;

use annals_testkit::TestBucket;
use annals_testkit::postgres_server::Schema;
use serde_json::{Value, json};

use crate::cluster::node::{Node, Shared, ask, ports, until};
use crate::command::Annals;
use crate::postgres::{configure, expect_sound, live};
use crate::story::days;

/// Returns a new data folder whose catalog and tables are elsewhere.
fn elsewhere() -> Option<(Annals, Schema)> {
    let (bucket, schema, annals) = (TestBucket::new()?, Schema::new()?, Annals::new());
    let objects = format!("[objects]\nurl = \"{}/memory\"\nendpoint = \"{}\"\n", bucket.url, bucket.endpoint);
    configure(&annals, &format!("[catalog]\nurl = \"{}\"\n{objects}", schema.url));
    Some((annals, schema))
}

fn adopt(source: &Annals, target: &Annals) -> Value {
    target.json(&["adopt", source.data().to_str().unwrap()])
}

#[track_caller]
fn is_refused(annals: &Annals, folder: &str, expect: &str) {
    let answer = annals.run(&["adopt", folder]);
    assert!(answer.code != 0 && answer.err.contains(expect), "{folder}: {} {}{}", answer.code, answer.out, answer.err);
}

#[test]
fn memory_moves_to_a_database_and_a_bucket_and_back() {
    let Some((cluster, _schema)) = elsewhere() else { return };
    let (first, last) = (Annals::new(), Annals::new());
    live(&first);
    first.json(&["key", "add", "phone"]);
    let (dump, keys) = (first.dump(), first.json(&["key", "list"]));
    std::fs::create_dir_all(first.data().join("prompts")).unwrap();
    std::fs::write(first.data().join("prompts/daily.md"), "Be brief.").unwrap();
    std::fs::write(first.data().join("embedders.json"), "{}").unwrap();

    let adopted = adopt(&first, &cluster);
    assert!(adopted["agents"] == 2 && adopted["objects"].as_u64() > Some(20), "{adopted}");
    assert!(cluster.dump() == dump);
    assert_eq!(cluster.json(&["key", "list"]), keys);
    expect_sound(&cluster);
    assert!(cluster.data().join("prompts/daily.md").exists() && cluster.data().join("embedders.json").exists());
    // The day was forgotten before, so it does not come back with the messages.
    let again = cluster.import(&days("ann", 40, 2));
    assert!(again["forgotten"].as_u64() > Some(0), "{again}");
    assert!(first.dump() == dump, "the former memory is unchanged");

    cluster.import(&days("cleo", 3, 2));
    cluster.json(&["rollup"]);
    let adopted = adopt(&cluster, &last);
    assert_eq!(adopted["agents"], json!(3), "{adopted}");
    assert!(last.dump() == cluster.dump());
    expect_sound(&last);
    last.import(&days("dora", 1, 1));
    last.json(&["rollup"]);
    expect_sound(&last);
}

#[test]
fn only_a_new_folder_adopts() {
    let (first, other, new) = (Annals::new(), Annals::new(), Annals::new());
    first.import(&days("ann", 1, 1));
    other.import(&days("bob", 1, 1));
    let dump = other.dump();
    is_refused(&other, first.data().to_str().unwrap(), "must have no memory yet");
    is_refused(&other, other.data().to_str().unwrap(), "names the same folder");
    is_refused(&new, "/nonexistent", "FOLDER names /nonexistent, which has no catalog");
    assert!(other.dump() == dump);
    adopt(&first, &new);
    assert!(new.dump() == first.dump());
}

#[test]
fn killed_copy_cannot_be_used_and_is_replaced_by_the_next() {
    let first = Annals::new();
    first.import(&days("ann", 60, 4));
    first.json(&["rollup"]);
    let dump = first.dump();
    for milliseconds in [20, 60, 120, 250, 400] {
        let new = Annals::new();
        let mut child = new.command(&["adopt", first.data().to_str().unwrap()]).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
        let used = new.run(&["import", new.file("more.jsonl", &days("bob", 1, 1)).to_str().unwrap()]);
        if new.data().join("closed").exists() {
            assert!(used.code != 0 && used.err.contains("has not finished copying"), "{}{}", used.out, used.err);
            adopt(&first, &new);
        } else if used.code == 0 && new.json(&["agent", "list"])["agents"].as_array().unwrap().len() == 1 {
            // It was killed before it began.
            continue;
        }
        new.run(&["agent", "delete", "bob", "--yes"]);
        assert!(new.dump() == dump, "after {milliseconds} ms");
        expect_sound(&new);
    }
}

/// Starts `annals adopt --live`.
fn move_live(source: &Annals, target: &Annals, service: Option<&str>) -> Child {
    let mut command = target.command(&["adopt", source.data().to_str().unwrap(), "--live", "--json"]);
    command.args(service.iter().flat_map(|url| ["--service", url])).stdout(Stdio::piped()).spawn().unwrap()
}

/// Returns what the command answers.
fn moved(child: Child) -> Value {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Returns the service of a folder on this machine alone.
fn serve(annals: Annals) -> Node {
    Node::start_in(annals, ports(1))
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_moves_into_a_cluster_while_clients_write_through_its_nodes() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let Some(shared) = Shared::new(6) else { return };
    let old = Annals::new();
    old.import(&days("ann", 40, 2));
    old.json(&["rollup"]);
    let key = old.json(&["key", "add", "app", "--scope", "admin"])["key"].as_str().unwrap().to_owned();
    let service = serve(old);
    let port = ports(1);
    let first = shared.folder(Some(port));
    let moving = move_live(&service.annals, &first, Some(&service.address));
    // It must have the lease before the first node asks for it.
    tokio::time::sleep(Duration::from_secs(2)).await;
    let nodes = [Node::start(&shared), Node::start(&shared)];

    let say = async |node: &Node, id: u32| {
        let (content, at) = (format!("Trip {id} went to Turin."), format!("2026-11-19T10:{id:02}:00Z"));
        let message = json!({ "role": "user", "name": "Ann", "id": id.to_string(), "content": content, "at": at });
        let url = format!("{}/v1/agents/ann/messages", node.address);
        ask(&key, "POST", &url, Some(&json!({ "conversation": "live", "messages": [message] }))).await;
    };
    for id in 0..20 {
        say(&nodes[id as usize % 2], id).await;
    }
    let stop = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        service.signal("-TERM");
        service.ended()
    };
    let write = async {
        for id in 20..60 {
            say(&nodes[id as usize % 2], id).await;
        }
    };
    let (old, ()) = tokio::join!(stop, write);
    let adopted = moved(moving);
    assert!(adopted["agents"] == 1 && adopted["objects"].as_u64() > Some(20), "{adopted}");
    until("a node is active", async || nodes[0].is_active().await || nodes[1].is_active().await).await;
    let status = ask(&key, "GET", &format!("{}/v1/agents/ann/status", nodes[0].address), None).await;
    assert_eq!(status["memories"]["working"], json!(80 + 60), "{status}");
    let search = format!("{}/v1/agents/ann/search", nodes[1].address);
    until("a message of the pause is found", async || {
        let found = ask(&key, "POST", &search, Some(&json!({ "query": "trip 47", "limit": 1 }))).await;
        found["results"][0]["text"] == json!("Trip 47 went to Turin.")
    })
    .await;
    // The former service cannot go on with a memory that everybody else has left.
    let refused = old.run(&["status"]);
    assert!(refused.code != 0 && refused.err.contains("has moved this memory to"), "{}{}", refused.out, refused.err);
    for node in nodes {
        node.signal("-TERM");
        node.ended();
    }
    first.json(&["rollup"]);
    expect_sound(&first);
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_moves_out_of_a_cluster_once_its_last_node_has_stopped() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let Some(shared) = Shared::new(6) else { return };
    let key = shared.key();
    let (node, last) = (Node::start(&shared), Annals::new());
    until("the node is active", async || node.is_active().await).await;
    let send = async |id: u32| {
        let url = format!("{}/v1/agents/ann/messages", node.address);
        let message = json!({ "role": "user", "id": id.to_string(), "content": format!("Trip {id} went to Turin.") });
        ask(&key, "POST", &url, Some(&json!({ "conversation": "live", "messages": [message] }))).await;
    };
    send(1).await;
    let moving = move_live(&node.annals, &last, None);
    for id in 2..20 {
        send(id).await;
    }
    node.signal("-TERM");
    let node = node.ended();
    let adopted = moved(moving);
    assert!(adopted["agents"] == 1 && adopted["objects"].as_u64() > Some(0), "{adopted}");
    assert_eq!(last.json(&["status"])["agents"][0]["memories"]["working"], json!(19));
    expect_sound(&last);
    let refused = node.run(&["status"]);
    assert!(refused.code != 0 && refused.err.contains("has moved this memory to"), "{}{}", refused.out, refused.err);
}

#[test]
fn refused_move_changes_nothing() {
    let (first, other, new) = (Annals::new(), Annals::new(), Annals::new());
    first.import(&days("ann", 1, 1));
    other.import(&days("bob", 1, 1));
    let folder = first.data();
    let folder = folder.to_str().unwrap();
    let check = |target: &Annals, args: &[&str], expect: &str| {
        let answer = target.run(&[&["adopt", folder], args].concat());
        assert!(answer.code != 0 && answer.err.contains(expect), "{args:?}: {}{}", answer.out, answer.err);
    };
    check(&other, &["--live"], "must have no memory yet");
    check(&new, &["--service", "http://127.0.0.1:1"], "--live");
    check(&new, &["--live", "--service", "localhost"], "http://10.0.0.4:7411");
    check(&new, &["--live", "--service", "http://127.0.0.1:1"], "cluster.address is not set");
    let service = serve(first);
    let in_use = new.run(&["adopt", service.annals.data().to_str().unwrap()]);
    assert!(in_use.code != 0 && in_use.err.contains("move the memory while it runs with --live"), "{}", in_use.err);
    service.signal("-TERM");
    let first = service.ended();
    assert!(first.dump().contains("ann") && other.dump().contains("bob"));
    let memory = moved(move_live(&first, &new, None));
    assert_eq!(memory["agents"], json!(1), "nothing used it, so it is moved at once");
    let again = Annals::new().run(&["adopt", first.data().to_str().unwrap()]);
    assert!(again.code != 0 && again.err.contains("has moved this memory to"), "{}", again.err);
    std::fs::remove_file(first.data().join("closed")).unwrap();
    assert!(first.dump() == new.dump());
}
