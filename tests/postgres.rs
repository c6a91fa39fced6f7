//! The catalog in PostgreSQL, through the command: results equal those with a catalog in SQLite, only one process uses
//! a database, a data folder is accepted only with the database state it was projected from, and operations that need
//! the catalog's file are refused.

mod tls;

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::command::Annals;
use crate::kill::acknowledged as acknowledged_by;
use crate::service::Served;
use crate::story::days;
use annals_testkit::postgres_server::Schema;

const PASSWORD: &str = "a-secret-word";

/// Returns the URL of a test's schema, with a password that the server does not ask for.
fn url(schema: &Schema) -> String {
    schema.url.replace("postgres@", &format!("postgres:{PASSWORD}@"))
}

/// Creates a data folder with its catalog in the database.
fn annals_over(schema: &Schema) -> Annals {
    let annals = Annals::new();
    configure(&annals, &format!("[catalog]\nurl = \"{}\"\n", url(schema)));
    annals
}

pub fn configure(annals: &Annals, settings: &str) {
    std::fs::create_dir_all(annals.data()).unwrap();
    std::fs::write(annals.data().join("annals.toml"), settings).unwrap();
}

/// Runs a command that must fail; its error contains `expect`, and no password.
#[track_caller]
fn is_refused(annals: &Annals, args: &[&str], expect: &str) {
    let answer = annals.run(args);
    assert!(answer.code != 0 && answer.err.contains(expect), "{args:?}: {} {}{}", answer.code, answer.out, answer.err);
    assert!(!(answer.out + &answer.err).contains(PASSWORD), "{args:?}");
}

#[track_caller]
pub fn expect_sound(annals: &Annals) {
    let answer = annals.run(&["verify"]);
    assert_eq!(answer.code, 0, "{}{}", answer.out, answer.err);
}

fn remove_projections(annals: &Annals) {
    for folder in ["tables", "facts"] {
        std::fs::remove_dir_all(annals.data().join(folder)).unwrap();
    }
    std::fs::remove_file(annals.data().join("catalog.postgres")).unwrap();
}

/// Imports, rolls up, extracts facts, retains and forgets. Returns what the commands answer.
pub fn live(annals: &Annals) -> Vec<Value> {
    let extra =
        "{\"agent\": \"ann\", \"conversation\": \"zero\", \"id\": \"zero\", \"role\": \"user\", \"name\": \"Ann\",
        \"content\": \"I live in Oslo. Tea \\u0001!\", \"at\": \"2026-02-20T10:00:00Z\"}";
    let mut answers =
        vec![annals.import(&(days("ann", 40, 2) + &days("bob", 12, 1) + &extra.replace('\n', "") + "\n"))];
    for args in [
        &["rollup"][..],
        &["agent", "set", "ann", "--plan", "free"],
        &["retain", "--trust-clock"],
        &["forget", "--agent", "ann", "--conversation", "day 38", "--yes"],
        &["facts", "--agent", "ann", "--about", "ann"],
        &["search", "cello in Kyoto", "--agent", "ann", "--limit", "5"],
        &["timeline", "--agent", "bob"],
        &["status"],
    ] {
        answers.push(annals.json(args));
    }
    answers
}

/// Removes what differs between runs: durations, and the sizes of files.
pub fn comparable(answers: Vec<Value>) -> Vec<Value> {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields
                    .retain(|name, _| !name.ends_with("_ms") && !["files", "bytes", "took", "data"].contains(&&**name));
                fields.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    answers
        .into_iter()
        .map(|mut answer| {
            strip(&mut answer);
            answer
        })
        .collect()
}

#[test]
fn commands_answer_as_they_do_over_sqlite() {
    let Some(schema) = Schema::new() else { return };
    let (on_postgres, on_sqlite) = (annals_over(&schema), Annals::new());
    let [answers, expect] = [&on_postgres, &on_sqlite].map(|annals| comparable(live(annals)));
    for (answer, expect) in answers.iter().zip(&expect) {
        assert_eq!(answer, expect);
    }
    assert_eq!(on_postgres.dump(), on_sqlite.dump());
    expect_sound(&on_postgres);
    assert!(!on_postgres.data().join("catalog.sqlite").exists());
}

/// Kills an import as soon as it has acknowledged `commits` commits. Returns how many messages it acknowledged.
fn import_until(annals: &Annals, file: &str, commits: usize) -> u64 {
    let mut command = annals.command(&["import", file]);
    let command = command.env("ANNALS_LOG", "annals=info").stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let (mut acknowledged, mut seen) = (0, 0);
    for messages in lines.filter_map(|line| acknowledged_by(&line)).filter(|messages| *messages > 0) {
        (acknowledged, seen) = (acknowledged + messages, seen + 1);
        if seen == commits {
            child.kill().unwrap();
        }
    }
    child.wait().unwrap();
    acknowledged
}

#[test]
fn killed_imports_end_like_undisturbed_ones() {
    let Some(schema) = Schema::new() else { return };
    let messages: String = (0..10).map(|agent| days(&format!("agent {agent}"), 4, 2)).collect();
    let (undisturbed, annals) = (Annals::new(), annals_over(&schema));
    undisturbed.import(&messages);
    let file = annals.file("messages.jsonl", &messages);
    let mut acknowledged = 0;
    for commits in 1..=3 {
        acknowledged += import_until(&annals, file.to_str().unwrap(), commits);
        let agents = annals.json(&["status"])["agents"].as_array().unwrap().clone();
        let stored: u64 = agents.iter().map(|agent| agent["memories"]["working"].as_u64().unwrap()).sum();
        assert!(acknowledged > 0 && stored >= acknowledged, "{acknowledged} acknowledged, {stored} stored");
        assert!(commits > 2 || stored < 80, "the kill came too late");
    }
    annals.json(&["import", file.to_str().unwrap()]);
    assert_eq!(annals.dump(), undisturbed.dump());
    annals.expect_sound_tables();
}

#[tokio::test]
async fn killed_service_has_stored_what_it_acknowledged() {
    let Some(schema) = Schema::new() else { return };
    let served = Served::over_unlimited(annals_over(&schema));
    for n in 0..20 {
        let message = json!({ "role": "user", "content": format!("Tea number {n}."), "id": n.to_string() });
        let body = json!({ "conversation": "c", "messages": [message] });
        let path = "/v1/agents/ann/messages";
        let (status, answer) = served.ask(reqwest::Method::POST, path, None, Some(&body)).await;
        assert_eq!(status, 202, "{answer}");
    }
    let annals = served.kill();
    assert_eq!(annals.json(&["status"])["agents"][0]["memories"]["working"], json!(20));
    annals.expect_sound_tables();
}

#[test]
fn second_process_on_the_database_is_refused() {
    let Some(schema) = Schema::new() else { return };
    let (served, other) = (Served::over(annals_over(&schema)), annals_over(&schema));
    is_refused(&other, &["import", "/dev/null"], "another annals service uses this database");
    // A command in the folder of the service runs in the service.
    served.annals.import(&days("ann", 1, 1));
    let doctor = other.run(&["doctor", "--json"]);
    assert!(doctor.out.contains("\"database\""), "{}", doctor.out);
    let annals = served.kill();
    assert_eq!(annals.json(&["status"])["agents"][0]["memories"]["working"], json!(1));
}

#[test]
fn folder_is_used_only_with_the_state_that_it_was_projected_from() {
    let Some(schema) = Schema::new() else { return };
    let Some(empty) = Schema::new() else { return };
    let first = annals_over(&schema);
    first.import(&days("ann", 3, 2));
    first.json(&["rollup"]);
    let dump = first.dump();
    let settings = std::fs::read_to_string(first.data().join("annals.toml")).unwrap();

    configure(&first, "");
    is_refused(&first, &["status"], "catalog.url is not set");
    configure(&first, &format!("[catalog]\nurl = \"{}\"\n", url(&empty)));
    is_refused(&first, &["status"], "was not used last with");
    let on_sqlite = Annals::new();
    on_sqlite.import(&days("ann", 1, 1));
    configure(&on_sqlite, &settings);
    is_refused(&on_sqlite, &["status"], "has a catalog in catalog.sqlite");

    // A new folder gets its tables from the catalog.
    let second = annals_over(&schema);
    let query = ["search", "Lisbon", "--agent", "ann", "--limit", "3"];
    assert_eq!(second.json(&query)["results"].as_array().unwrap().len(), 3);
    second.import(&days("ann", 4, 2));
    assert_ne!(second.dump(), dump);

    // The tables of the first folder are now out of date.
    configure(&first, &settings);
    is_refused(&first, &["status"], "was not used last with");
    remove_projections(&first);
    let later = first.dump();
    assert_ne!(later, dump);
    is_refused(&second, &["status"], "was not used last with");
    first.json(&["rollup"]);
    first.json(&["rebuild"]);
    expect_sound(&first);
}

#[test]
fn what_needs_the_file_of_the_catalog_is_refused() {
    let Some(schema) = Schema::new() else { return };
    let annals = annals_over(&schema);
    annals.import(&days("ann", 1, 1));
    is_refused(&annals, &["backup", "BACKUPS"], "pg_dump");
    is_refused(&annals, &["status", "--set", "backup.target=/backups"], "pg_dump");
    let (other, url) = (Annals::new(), format!("catalog.url={}", url(&schema)));
    is_refused(&other, &["restore", "BACKUPS", "--set", &url], "pg_restore");
    assert!(!other.data().exists());
}

#[test]
fn doctor_examines_the_server() {
    let Some(schema) = Schema::new() else { return };
    let annals = annals_over(&schema);
    annals.import(&days("ann", 1, 1));
    let answer = annals.run(&["doctor", "--json", "--set", "server.listen=127.0.0.1:0"]);
    let output: Value = serde_json::from_str(&answer.out).unwrap_or_else(|_| panic!("{}{}", answer.out, answer.err));
    let findings = output["findings"].as_array().unwrap();
    let of = |about: &str| findings.iter().filter(|finding| finding["about"] == about).collect::<Vec<_>>();
    let server = of("database");
    let found = server[0]["says"].as_str().unwrap();
    assert!(found.starts_with("PostgreSQL ") && found.contains("synchronous_commit = on"), "{found}");
    assert_eq!(found.contains("fsync = off"), answer.out.contains("set fsync = on"), "{}", answer.out);
    assert_eq!(of("stores")[0]["state"], "ok", "{}", answer.out);
    assert!(!answer.out.contains(PASSWORD));
}

#[test]
fn unusable_database_is_an_error_without_the_password() {
    fn check(url: &str, args: &[&str], expect: &str) {
        let annals = Annals::new();
        configure(&annals, &format!("[catalog]\nurl = \"{url}\"\n"));
        is_refused(&annals, args, expect);
    }
    let nobody = format!("postgres://me:{PASSWORD}@127.0.0.1:1/none");
    check(&nobody, &["import", "/dev/null"], "opening the catalog in PostgreSQL");
    check(&format!("me:{PASSWORD}"), &["import", "/dev/null"], "catalog.url is not the URL of a PostgreSQL database");
    check(
        &format!("{nobody}?{PASSWORD}=1"),
        &["config", "show"],
        "catalog.url is not the URL of a PostgreSQL database",
    );
}
