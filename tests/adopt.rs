//! `annals adopt`, through the command: a memory is copied into a database and a bucket and back, with everything that an export
//! lacks: keys, and what was forgotten. A killed copy leaves nothing or everything.

use std::time::Duration;

use annals_testkit::TestBucket;
use annals_testkit::postgres_server::Schema;
use serde_json::{Value, json};

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
fn killed_copy_leaves_nothing_or_everything() {
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
        let again = new.run(&["adopt", first.data().to_str().unwrap()]);
        assert!(again.code == 0 || again.err.contains("must have no memory yet"), "{}", again.err);
        // Tables that were not copied yet are rebuilt when they are needed, or by command.
        new.json(&["rebuild"]);
        assert!(new.dump() == dump, "after {milliseconds} ms");
        expect_sound(&new);
    }
}
