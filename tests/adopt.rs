//! `annals adopt`, through the command: a memory moves into a database and a bucket and back, with everything that an export lacks:
//! keys, and what was forgotten. Most of it is copied while its service runs, and clients notice nothing but a pause. Neither a
//! half-copied memory nor one that was moved can be used.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use annals_testkit::TestBucket;
use annals_testkit::postgres_server::Schema;
use serde_json::{Value, json};

use crate::cluster::node::{Node, Shared, ask, ports, until};
use crate::command::{Annals, files};
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
fn is_refused(annals: &Annals, args: &[&str], expect: &str) {
    let answer = annals.run(args);
    assert!(answer.code != 0 && answer.err.contains(expect), "{args:?}: {} {}{}", answer.code, answer.out, answer.err);
}

#[test]
fn memory_moves_to_a_database_and_a_bucket_and_back() {
    let Some((cluster, schema)) = elsewhere() else { return };
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
    is_refused(&first, &["status"], "`annals adopt` has closed");
    first.json(&["reopen"]);
    // The name of its database in the settings of another folder does it no harm.
    let wrong = Annals::new();
    configure(&wrong, &format!("[catalog]\nurl = \"{}\"\n", schema.url));
    is_refused(&wrong, &["adopt", first.data().to_str().unwrap()], "must have no memory yet");
    is_refused(&wrong, &["adopt", first.data().to_str().unwrap(), "--ahead"], "must have no memory yet");
    assert!(first.dump() == dump, "the former memory is unchanged");

    cluster.import(&days("cleo", 3, 2));
    cluster.json(&["rollup"]);
    let adopted = adopt(&cluster, &last);
    assert_eq!(adopted["agents"], json!(3), "{adopted}");
    cluster.json(&["reopen"]);
    assert!(last.dump() == cluster.dump());
    expect_sound(&last);
    last.import(&days("dora", 1, 1));
    last.json(&["rollup"]);
    expect_sound(&last);
}

#[test]
fn refused_adoption_changes_nothing() {
    let (first, other, new) = (Annals::new(), Annals::new(), Annals::new());
    first.import(&days("ann", 1, 1));
    other.import(&days("bob", 1, 1));
    let (folder, nested) = (first.data(), first.data().join("tables"));
    let (folder, nested) = (folder.to_str().unwrap(), nested.to_str().unwrap());
    is_refused(&other, &["adopt", folder], "must have no memory yet");
    is_refused(&other, &["adopt", folder, "--ahead"], "must have no memory yet");
    is_refused(&first, &["adopt", folder], "names the same folder");
    is_refused(&new, &["adopt", nested], "no data folder");
    is_refused(&new, &["adopt", "/nonexistent"], "FOLDER names /nonexistent, which has no catalog");
    is_refused(&new, &["adopt", folder, "--service", "http://127.0.0.1:1"], "--ahead");
    is_refused(&new, &["adopt", folder, "--ahead", "--service", "localhost"], "http://10.0.0.4:7411");
    is_refused(&new, &["adopt", folder, "--ahead", "--service", "http://127.0.0.1:1"], "needs a service of");
    is_refused(&first, &["reopen"], "is not closed");
    assert!(first.dump().contains("ann") && other.dump().contains("bob"));
    assert_eq!(new.import(&days("cleo", 1, 1))["accepted"], json!(1), "it is not closed");
    let open = Annals::new();
    configure(&open, "[server]\nlisten = \"0.0.0.0:7411\"\n");
    is_refused(&open, &["adopt", folder], "there is no key");
    assert!(first.dump().contains("ann"));
}

#[test]
fn memory_that_was_moved_moves_only_there_again() {
    let [first, other, half, new] = std::array::from_fn(|_| Annals::new());
    first.import(&days("ann", 3, 1));
    other.import(&days("bob", 3, 1));
    let dump = first.dump();
    let folder = first.data();
    let folder = folder.to_str().unwrap();
    half.json(&["adopt", folder, "--ahead"]);
    is_refused(&half, &["import", "-"], "is not copied completely");
    is_refused(&half, &["reopen"], "is not copied completely");
    is_refused(&half, &["adopt", other.data().to_str().unwrap()], "is not copied completely");
    adopt(&first, &new);
    assert!(new.dump() == dump);
    for args in [&["status"][..], &["serve"], &["rollup"]] {
        is_refused(&first, args, "`annals adopt` has closed");
    }
    is_refused(&half, &["adopt", folder], "`annals adopt` has closed");
    is_refused(&new, &["adopt", folder], "FOLDER names");
    let fresh = Annals::new();
    is_refused(&fresh, &["adopt", folder], "`annals adopt` has closed");
    fresh.import(&days("cleo", 1, 1));
    let back = new.run(&["adopt", half.data().to_str().unwrap()]);
    assert!(back.code != 0, "{}", back.out);
    first.json(&["reopen"]);
    adopt(&first, &half);
    assert!(half.dump() == dump);
}

#[test]
fn killed_copy_cannot_be_used_and_is_replaced_by_the_next() {
    let first = Annals::new();
    first.import(&days("ann", 60, 4));
    first.json(&["rollup"]);
    let dump = first.dump();
    for (milliseconds, ahead) in [(20, false), (60, true), (120, false), (250, true), (250, false), (400, false)] {
        let new = Annals::new();
        let folder = first.data();
        let args = [&["adopt", folder.to_str().unwrap()][..], if ahead { &["--ahead"] } else { &[] }].concat();
        let mut child = new.command(&args).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
        let used = new.run(&["status"]);
        if used.code == 0 && new.dump() == dump {
            assert!(first.run(&["status"]).err.contains("`annals adopt` has closed"));
        } else {
            // It is closed, or not a memory yet.
            assert!(used.code != 0 || new.dump().is_empty(), "{}", used.out);
            adopt(&first, &new);
            assert!(new.dump() == dump, "after {milliseconds} ms");
        }
        expect_sound(&new);
        first.json(&["reopen"]);
        assert!(first.dump() == dump);
    }
}

/// Returns the files of tables, each with the time of its last change.
fn times(annals: &Annals) -> BTreeMap<PathBuf, SystemTime> {
    let time = |path: &PathBuf| std::fs::metadata(path).unwrap().modified().unwrap();
    let name = |path: &PathBuf| path.strip_prefix(annals.data()).unwrap().to_owned();
    files(&annals.data().join("tables")).iter().map(|path| (name(path), time(path))).collect()
}

#[test]
fn what_was_copied_ahead_is_not_copied_again() {
    let (first, new) = (Annals::new(), Annals::new());
    first.import(&days("ann", 60, 4));
    let service = Node::start_in(first, ports(1));
    let folder = service.annals.data();
    let folder = folder.to_str().unwrap();
    is_refused(&new, &["adopt", folder], "stop it first. `annals adopt --ahead`");
    let ahead = || new.json(&["adopt", folder, "--ahead"]);
    let (copied, again) = (ahead(), ahead());
    assert!(copied["objects"].as_u64() > Some(3) && copied["copied"] == copied["objects"], "{copied}");
    assert_eq!((&again["objects"], &again["copied"]), (&copied["objects"], &json!(0)));
    let copied = times(&new);
    service.annals.import(&days("bob", 3, 2));
    service.signal("-TERM");
    let first = service.ended();
    adopt(&first, &new);
    let (source, target) = (times(&first), times(&new));
    assert!(source.keys().eq(target.keys()));
    let unchanged = copied.iter().filter(|(name, at)| source.get(*name).is_some_and(|changed| changed < at));
    let unchanged: Vec<_> = unchanged.collect();
    assert!(unchanged.len() > 3 && unchanged.iter().all(|(name, at)| target[*name] == **at), "{unchanged:?}");
    assert!(!new.data().join("adopt.copied").exists());
    new.expect_sound_tables();
    first.json(&["reopen"]);
    assert!(new.dump() == first.dump());
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_moves_into_a_cluster_while_clients_write_through_its_nodes() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let Some(shared) = Shared::new(6) else { return };
    let old = Annals::new();
    old.import(&days("ann", 40, 2));
    old.json(&["rollup"]);
    let key = old.json(&["key", "add", "app", "--scope", "admin"])["key"].as_str().unwrap().to_owned();
    let service = Node::start_in(old, ports(1));
    let new = shared.folder(Some(ports(1)));
    let folder = service.annals.data();
    new.json(&["adopt", folder.to_str().unwrap(), "--ahead", "--service", &service.address]);
    let nodes = [Node::start(&shared), Node::start(&shared)];

    let say = async |id: u32| {
        let (content, at) = (format!("Trip {id} went to Turin."), format!("2026-11-19T10:{id:02}:00Z"));
        let message = json!({ "role": "user", "name": "Ann", "id": id.to_string(), "content": content, "at": at });
        let url = format!("{}/v1/agents/ann/messages", nodes[id as usize % 2].address);
        ask(&key, "POST", &url, Some(&json!({ "conversation": "live", "messages": [message] }))).await;
    };
    for id in 0..20 {
        say(id).await;
    }
    let wrong = new.run(&["adopt", folder.to_str().unwrap(), "--ahead", "--service", "http://127.0.0.1:1"]);
    assert!(wrong.err.contains("is no service that is ready"), "{}", wrong.err);
    // The nodes go on forwarding to the same service.
    new.json(&["adopt", folder.to_str().unwrap(), "--ahead"]);
    say(20).await;
    let moving = tokio::task::spawn_blocking(move || {
        std::thread::sleep(Duration::from_millis(300));
        service.signal("-TERM");
        let old = service.ended();
        (adopt(&old, &new), old, new)
    });
    for id in 21..60 {
        say(id).await;
    }
    let (adopted, old, new) = moving.await.unwrap();
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
    is_refused(&old, &["serve"], "`annals adopt` has closed");
    for node in nodes {
        node.signal("-TERM");
        node.ended();
    }
    new.json(&["rollup"]);
    expect_sound(&new);
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_moves_out_of_a_cluster_and_its_nodes_stand_by_from_then_on() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let Some(shared) = Shared::new(6) else { return };
    let key = shared.key();
    let (first, last) = (Node::start(&shared), Annals::new());
    until("the first node is active", async || first.is_active().await).await;
    let second = Node::start(&shared);
    let url = format!("{}/v1/agents/ann/messages", first.address);
    for id in 0..9 {
        let message = json!({ "role": "user", "id": id.to_string(), "content": format!("Trip {id} went to Turin.") });
        ask(&key, "POST", &url, Some(&json!({ "conversation": "live", "messages": [message] }))).await;
    }
    let folder = first.annals.data();
    let folder = folder.to_str().unwrap();
    last.json(&["adopt", folder, "--ahead"]);
    is_refused(&last, &["adopt", folder], "is in use");
    first.signal("-TERM");
    let first = first.ended();
    until("the other node is active", async || second.is_active().await).await;
    is_refused(&last, &["adopt", folder], "uses this database");
    second.signal("-TERM");
    second.ended();
    let adopted = adopt(&first, &last);
    assert!(adopted["agents"] == 1 && adopted["objects"].as_u64() > Some(0), "{adopted}");
    assert_eq!(last.json(&["status"])["agents"][0]["memories"]["working"], json!(9));
    expect_sound(&last);
    // A new folder with the same database is no way around the mark.
    is_refused(&shared.folder(None), &["status"], "`annals adopt` has closed");
    let third = Node::start(&shared);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(!third.is_active().await);
}
