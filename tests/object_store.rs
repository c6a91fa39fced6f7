//! Tables and facts in a bucket, through the command: results equal those with local files, another machine continues
//! where a killed one stopped, forgotten words leave the bucket, and a catalog and a bucket that do not belong together
//! are refused.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use annals_testkit::TestBucket;
use serde_json::{Value, json};

use crate::command::Annals;
use crate::postgres::{comparable, configure, expect_sound, live};
use crate::service::Served;
use crate::story::days;
use annals_testkit::postgres_server::Schema;

fn settings(bucket: &TestBucket, prefix: &str) -> String {
    format!("[objects]\nurl = \"{}/{prefix}\"\nendpoint = \"{}\"\n", bucket.url, bucket.endpoint)
}

fn annals_in(bucket: &TestBucket, prefix: &str) -> Annals {
    let annals = Annals::new();
    configure(&annals, &settings(bucket, prefix));
    annals
}

#[track_caller]
fn is_refused(annals: &Annals, args: &[&str], expect: &str) {
    let answer = annals.run(args);
    assert!(answer.code == 2 && answer.err.contains(expect), "{args:?}: {} {}{}", answer.code, answer.out, answer.err);
}

/// Returns the URL of a bucket of moto at its server.
fn address(bucket: &TestBucket) -> String {
    format!("{}/{}", bucket.endpoint, bucket.url.strip_prefix("s3://").unwrap())
}

/// Returns the names of all objects, as the server's own interface lists them.
async fn objects(bucket: &TestBucket) -> BTreeSet<String> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let list = reqwest::get(address(bucket) + "?list-type=2").await.unwrap().text().await.unwrap();
    assert!(list.contains("<IsTruncated>false"), "{list}");
    list.split("<Key>").skip(1).map(|rest| rest.split('<').next().unwrap().to_owned()).collect()
}

#[test]
fn commands_answer_as_they_do_over_local_files() {
    let Some(bucket) = TestBucket::new() else { return };
    let (remote, local) = (annals_in(&bucket, "a/b"), Annals::new());
    let [answers, expect] = [&remote, &local].map(|annals| comparable(live(annals)));
    for (answer, expect) in answers.iter().zip(&expect) {
        assert_eq!(answer, expect);
    }
    assert_eq!(remote.dump(), local.dump());
    expect_sound(&remote);
    let tables = std::fs::read_dir(remote.data().join("tables")).unwrap().count();
    assert_eq!(tables, 0, "the data folder has no table");
}

#[tokio::test]
async fn forgotten_words_leave_the_bucket() {
    let Some(bucket) = TestBucket::of_moto() else { return };
    let annals = annals_in(&bucket, "memory");
    let message = |conversation: &str, word: &str| {
        let (content, at) = (format!("I keep the {word} in the shed."), "2026-03-04T10:00:00Z");
        let line = json!({ "agent": "ann", "conversation": conversation, "role": "user", "name": "Ann", "content": content, "at": at });
        format!("{line}\n")
    };
    annals.import(&(message("one", "quetzalcoatlus") + &message("two", "bicycle")));
    annals.json(&["rollup"]);
    let before = objects(&bucket).await;
    assert!(before.iter().all(|name| name.starts_with("memory/")), "{before:?}");
    let done = annals.json(&["forget", "--agent", "ann", "--conversation", "one", "--yes"]);
    assert_eq!(done["proof"]["clean"], json!(true), "{done}");
    // One object has the rows of both messages.
    let of_rows = |name: &&String| name.contains("/working-") && name.contains("/data/");
    let after = objects(&bucket).await;
    assert!(before.iter().filter(of_rows).count() > 0 && after.iter().filter(of_rows).count() > 0);
    assert_eq!(before.intersection(&after).filter(of_rows).count(), 0, "{after:?}");
    annals.expect_sound_tables();
}

/// Kills an import while it writes tables: everything is stored already, and some of it is projected.
fn import_and_kill(annals: &Annals, messages: &str) {
    let file = annals.file("messages.jsonl", messages);
    let mut command = annals.command(&["import", file.to_str().unwrap()]);
    let command = command.env("ANNALS_LOG", "annals=info").stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    lines.find(|line| crate::kill::acknowledged(line).is_some_and(|messages| messages > 0)).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn killed_import_is_completed_in_the_bucket() {
    let Some(bucket) = TestBucket::new() else { return };
    let (annals, undisturbed) = (annals_in(&bucket, "x"), Annals::new());
    let messages = days("ann", 40, 3);
    import_and_kill(&annals, &messages);
    for annals in [&annals, &undisturbed] {
        annals.import(&messages);
        annals.json(&["rollup"]);
    }
    assert_eq!(annals.dump(), undisturbed.dump());
    expect_sound(&annals);
}

#[tokio::test]
async fn another_machine_goes_on_where_a_killed_one_stopped() {
    let (Some(bucket), Some(schema)) = (TestBucket::new(), Schema::new()) else { return };
    let settings = format!("[catalog]\nurl = \"{}\"\n{}", schema.url, settings(&bucket, "shared"));
    let [first, second] = [(), ()].map(|()| {
        let annals = Annals::new();
        configure(&annals, &settings);
        annals
    });
    let served = Served::over_unlimited(first);
    let message =
        json!({ "role": "user", "content": "My sister Greta lives in Bergen.", "at": "2026-11-19T10:00:00Z" });
    let body = json!({ "conversation": "c", "messages": [message] });
    let (status, answer) = served.post("/v1/agents/ann/messages?wait=searchable", &body).await;
    assert!(status.is_success(), "{status}: {answer}");
    let first = served.kill();
    let found = second.json(&["search", "Greta", "--agent", "ann"]);
    assert_eq!(found["results"].as_array().unwrap().len(), 1, "{found}");
    second.import(&days("ann", 2, 2));
    second.expect_sound_tables();
    // Any folder that opens both the bucket and the database continues.
    assert_eq!(first.json(&["status"])["agents"][0]["memories"]["working"], json!(5));
    assert_eq!(first.dump(), second.dump());
}

/// Nothing of the memory is in the folder, but it is not empty for that.
#[test]
fn folder_whose_catalog_and_tables_are_elsewhere_gets_no_catalog_of_its_own() {
    let (Some(bucket), Some(schema)) = (TestBucket::new(), Schema::new()) else { return };
    let annals = Annals::new();
    configure(&annals, &format!("[catalog]\nurl = \"{}\"\n{}", schema.url, settings(&bucket, "both")));
    annals.import(&days("ann", 1, 1));
    let doctor = annals.run(&["doctor", "--without-models"]);
    assert!(!doctor.out.contains("none yet"), "{}", doctor.out);
    for settings in [settings(&bucket, "both"), String::new()] {
        configure(&annals, &settings);
        is_refused(&annals, &["status"], "catalog.url is not set");
    }
    assert!(!annals.data().join("catalog.sqlite").exists());
}

#[tokio::test]
async fn late_id_of_a_former_node_changes_nothing() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let Some(bucket) = TestBucket::of_moto() else { return };
    let annals = annals_in(&bucket, "late");
    annals.import(&days("ann", 1, 1));
    let client = reqwest::Client::new();
    let url = |name: &str| format!("{}/{name}", address(&bucket));
    client.put(url("late/catalog-id/0123")).body("0123").send().await.unwrap().error_for_status().unwrap();
    annals.json(&["status"]);
    let ids = |names: BTreeSet<String>| names.into_iter().filter(|name| name.contains("/catalog")).collect::<Vec<_>>();
    let left = ids(objects(&bucket).await);
    assert!(left.len() == 1 && !left.iter().any(|id| id.ends_with("0123")), "{left:?}");

    // A place that was used last before each id had an object of its own. It has a table, so it may not be taken over without an id.
    let id = std::fs::read_to_string(annals.data().join("catalog.objects")).unwrap();
    configure(&annals, &settings(&bucket, "former"));
    for (name, content) in [("former/tables/x", "x".to_owned()), ("former/catalog.id", id)] {
        client.put(url(name)).body(content).send().await.unwrap().error_for_status().unwrap();
    }
    annals.json(&["status"]);
    let mut left = ids(objects(&bucket).await);
    left.retain(|id| id.starts_with("former/"));
    assert!(left.len() == 1 && left[0].starts_with("former/catalog-id/"), "{left:?}");
}

#[test]
fn bucket_is_used_only_with_the_state_that_it_was_projected_from() {
    let Some(bucket) = TestBucket::new() else { return };
    let annals = annals_in(&bucket, "one");
    annals.import(&days("ann", 3, 2));
    annals.json(&["rollup"]);
    let dump = annals.dump();

    // Another catalog, and this one as it was before.
    is_refused(&annals_in(&bucket, "one"), &["import", "/dev/null"], "was not used last with this catalog");
    let id = annals.data().join("catalog.objects");
    let former = std::fs::read(&id).unwrap();
    annals.json(&["status"]);
    std::fs::write(&id, former).unwrap();
    is_refused(&annals, &["status"], "name an empty prefix, or delete the objects below this one");

    // An empty prefix is filled from the catalog.
    configure(&annals, &settings(&bucket, "two"));
    std::fs::remove_file(&id).unwrap();
    annals.json(&["rebuild"]);
    assert_eq!(annals.dump(), dump);
    expect_sound(&annals);

    // The same back in the data folder.
    configure(&annals, "");
    annals.json(&["rebuild"]);
    assert_eq!(annals.dump(), dump);
    expect_sound(&annals);
    assert!(!id.exists());
}

#[test]
fn tables_from_before_the_bucket_are_refused_after_it() {
    let Some(bucket) = TestBucket::new() else { return };
    let annals = Annals::new();
    annals.import(&days("ann", 1, 2));
    configure(&annals, &settings(&bucket, "later"));
    annals.import(&days("ann", 2, 2));
    configure(&annals, "");
    is_refused(&annals, &["status"], "objects.url is not set, but a bucket was used last");
    for folder in ["tables", "facts"] {
        std::fs::remove_dir_all(annals.data().join(folder)).unwrap();
    }
    assert_eq!(
        annals.json(&["search", "brother", "--agent", "ann", "--limit", "9"])["results"].as_array().unwrap().len(),
        4
    );
    annals.expect_sound_tables();
}

#[test]
fn doctor_tries_the_bucket() {
    let Some(bucket) = TestBucket::new() else { return };
    let check = |annals: &Annals, state: &str, expect: &str| {
        let answer = annals.run(&["doctor", "--json", "--set", "server.listen=127.0.0.1:0"]);
        let output: Value =
            serde_json::from_str(&answer.out).unwrap_or_else(|_| panic!("{}{}", answer.out, answer.err));
        let finding =
            output["findings"].as_array().unwrap().iter().find(|finding| finding["about"] == "bucket").unwrap();
        assert_eq!(finding["state"], state, "{finding}");
        assert!(finding["says"].as_str().unwrap().contains(expect), "{finding}");
    };
    check(&annals_in(&bucket, "fit"), "ok", "lists and deletes objects");
    let scheme = bucket.url.split("://").next().unwrap();
    let absent = TestBucket { url: format!("{scheme}://absent"), ..bucket.clone() };
    check(&annals_in(&absent, ""), "wrong", "absent/ for tables");
}

#[test]
fn wrong_settings_and_absent_buckets_are_errors_that_name_them() {
    let check = |settings: &str, code: i32, expect: &str| {
        let annals = Annals::new();
        configure(&annals, settings);
        let answer = annals.run(&["import", "/dev/null"]);
        assert!(answer.code == code && answer.err.contains(expect), "{settings}: {} {}", answer.code, answer.err);
    };
    check("[objects]\nurl = \"bucket\"", 2, "objects.url must have the form s3://bucket/prefix");
    check("[objects]\nregion = \"eu-north-1\"", 2, "objects.region has no effect without objects.url");
    check("[objects]\nurl = \"s3://b\"\nendpoint = \"localhost\"", 2, "objects.endpoint must begin with http://");
}
