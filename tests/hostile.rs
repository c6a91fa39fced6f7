//! Hostile input: manifests of backups, prompts, connections, paths. Each is refused with a reason, and nothing else happens.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::command::{Annals, files};
use crate::service::Served;
use crate::story::line;

/// A backup with the text of its manifest.
struct Backup {
    annals: Annals,
    target: PathBuf,
    manifest: PathBuf,
    text: String,
}

impl Backup {
    fn new() -> Backup {
        let annals = Annals::new();
        annals.import(&line("ann", "c", "1", "Ann", "I live in Ghent.", "2026-02-01T10:00:00Z"));
        let target = annals.data().with_file_name("backups");
        let made = annals.json(&["backup", target.to_str().unwrap()]);
        let manifest = target.join(made["name"].as_str().unwrap()).join("manifest.json");
        let text = std::fs::read_to_string(&manifest).unwrap();
        Backup { annals, target, manifest, text }
    }

    /// Restores into a new folder with this manifest. Returns the exit code and the error output.
    fn restore(&self, manifest: &str) -> (i32, String) {
        std::fs::write(&self.manifest, manifest).unwrap();
        let other = Annals::new();
        let answer = other.run(&["restore", self.target.to_str().unwrap()]);
        (answer.code, answer.err)
    }
}

#[test]
fn absolute_path_in_a_manifest_is_refused() {
    let backup = Backup::new();
    let outside = backup.annals.data().with_file_name("outside.toml");
    let planted = backup.manifest.with_file_name("planted");
    std::fs::write(&planted, "x").unwrap();
    let mut manifest: Value = serde_json::from_str(&backup.text).unwrap();
    let entry = |path: &str| json!({ "path": path, "bytes": 1, "sha256": "0".repeat(64) });
    // The store takes the path as relative to the backup, the file system takes it as absolute. A file lies at the relative
    // path, too.
    let below = backup.manifest.with_file_name(outside.strip_prefix("/").unwrap());
    std::fs::create_dir_all(below.parent().unwrap()).unwrap();
    std::fs::write(&below, "x").unwrap();
    manifest["files"].as_array_mut().unwrap().push(entry(outside.to_str().unwrap()));
    let (code, output) = backup.restore(&manifest.to_string());
    assert!(!outside.exists(), "the restore wrote {}", outside.display());
    assert!(code != 0 && output.contains("is not a path of a backup"), "{code}: {output}");
    let verified = backup.annals.run(&["backup", "verify", backup.target.to_str().unwrap()]);
    assert!(!outside.exists() && verified.code != 0, "{}", verified.out);
}

#[test]
fn file_that_no_backup_contains_is_refused() {
    let backup = Backup::new();
    for path in ["annals.sock", "catalog.sqlite-wal", "tables/x.toml", "done/backup", "prompts/x.sh", "prompts/a/b.md"]
    {
        let place = backup.manifest.with_file_name(path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(&place, "").unwrap();
        let mut manifest: Value = serde_json::from_str(&backup.text).unwrap();
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let entry = json!({ "path": path, "bytes": 0, "sha256": empty });
        manifest["files"].as_array_mut().unwrap().push(entry);
        let (code, output) = backup.restore(&manifest.to_string());
        assert!(code != 0 && output.contains("is not a path of a backup"), "{path}: {code}: {output}");
    }
}

#[test]
fn file_longer_than_stated_is_not_read_to_its_end() {
    let backup = Backup::new();
    let catalog = backup.manifest.with_file_name("catalog.sqlite");
    // A sparse file: it takes no space here, but would take 8 GiB where it is copied to.
    std::fs::File::options().write(true).open(catalog).unwrap().set_len(8 << 30).unwrap();
    let begun = Instant::now();
    let (code, output) = backup.restore(&backup.text);
    assert!(code != 0 && output.contains("catalog.sqlite has 8589934592 bytes instead of"), "{code}: {output}");
    assert!(begun.elapsed() < Duration::from_secs(30), "it was read to its end");
}

#[test]
fn wrong_size_is_damage_and_not_a_full_disk() {
    let backup = Backup::new();
    let mut manifest: Value = serde_json::from_str(&backup.text).unwrap();
    manifest["files"][0]["bytes"] = json!(u64::MAX);
    let (code, output) = backup.restore(&manifest.to_string());
    assert!(code == 5 && output.contains("bytes instead of 18446744073709551615"), "{code}: {output}");
}

#[test]
fn sizes_beyond_the_free_space_are_refused() {
    // As large as the largest file of ext4, and sparse.
    const LARGE: u64 = 15 << 40;
    let backup = Backup::new();
    let mut manifest: Value = serde_json::from_str(&backup.text).unwrap();
    let catalog = manifest["files"].as_array_mut().unwrap().iter_mut().find(|file| file["path"] == "catalog.sqlite");
    catalog.unwrap()["bytes"] = json!(LARGE);
    let place = backup.manifest.with_file_name("catalog.sqlite");
    std::fs::File::options().write(true).open(place).unwrap().set_len(LARGE).unwrap();
    let (code, output) = backup.restore(&manifest.to_string());
    assert!(code != 0 && output.contains("are free"), "{code}: {output}");
}

#[test]
fn mutated_manifest_writes_nothing_outside_and_causes_no_panic() {
    let backup = Backup::new();
    let place = backup.annals.data().parent().unwrap().to_owned();
    let odd = prop_oneof![
        Just("/tmp/annals-hostile".to_owned()),
        Just("../../x".to_owned()),
        Just("prompts/../../../x.md".to_owned()),
        Just("//x".to_owned()),
        Just("C:\\x".to_owned()),
        Just("catalog.sqlite\0".to_owned()),
        Just("%2e%2e/x.toml".to_owned()),
        "[./\\\\a-z%]{0,40}",
    ];
    let mutation = prop_oneof![
        (any::<prop::sample::Index>(), any::<u8>()).prop_map(|(at, byte)| Mutation::Byte(at, byte)),
        any::<prop::sample::Index>().prop_map(Mutation::Cut),
        odd.prop_map(Mutation::Path),
        any::<i128>().prop_map(|n| Mutation::Number(n.to_string())),
        (1_usize..2000).prop_map(Mutation::Repeat),
    ];
    let mut runner = TestRunner::new(Config { cases: 48, failure_persistence: None, ..Config::default() });
    let before = files(&place);
    let run = runner.run(&mutation, |mutation| {
        let mutated = mutation.apply(&backup.text);
        let (code, output) = backup.restore(&mutated);
        // Code 0 is allowed: a change to a name or to white space has no effect.
        prop_assert!([0, 2, 3, 5, 6].contains(&code), "{code}: {output}\n{mutated}");
        prop_assert!(!output.contains("panicked"), "{output}\n{mutated}");
        prop_assert_eq!(files(&place), before.clone(), "{}", mutated);
        prop_assert!(!Path::new("/tmp/annals-hostile").exists());
        Ok(())
    });
    run.unwrap();
}

/// A change to the text of a manifest.
#[derive(Clone, Debug)]
enum Mutation {
    Byte(prop::sample::Index, u8),
    Cut(prop::sample::Index),
    Path(String),
    Number(String),
    Repeat(usize),
}

impl Mutation {
    fn apply(&self, text: &str) -> String {
        let mut manifest: Value = serde_json::from_str(text).unwrap();
        match self {
            Mutation::Byte(at, byte) => {
                let mut bytes = text.as_bytes().to_vec();
                let at = at.index(bytes.len());
                bytes[at] = *byte;
                return String::from_utf8_lossy(&bytes).into_owned();
            }
            Mutation::Cut(at) => return text[..at.index(text.len())].to_owned(),
            Mutation::Path(path) => manifest["files"][0]["path"] = json!(path),
            Mutation::Number(number) => {
                return text.replacen("\"bytes\": ", &format!("\"bytes\": {number}"), 1);
            }
            Mutation::Repeat(times) => {
                let entry = manifest["files"][0].clone();
                manifest["files"] = vec![entry; *times].into();
            }
        }
        manifest.to_string()
    }
}

#[tokio::test]
async fn endless_prompt_template_is_refused_when_it_is_set() {
    let served = Served::new();
    async fn check(served: &Served, prompt: &str) {
        let begun = Instant::now();
        let body = json!({ "prompts": { "daily": prompt } });
        let (status, problem) = served.ask(Method::PUT, "/v1/agents/ann/settings", None, Some(&body)).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{problem}");
        assert!(problem["faults"][0]["reason"].as_str().unwrap().len() < 500, "{problem}");
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?} for {}", begun.elapsed(), &prompt[..80]);
        assert_eq!(served.get("/readyz").await.0, StatusCode::OK);
    }
    let looped = "{% for a in range(99999) %}".repeat(3) + &"{% endfor %}".repeat(3);
    check(&served, &format!("Write.\n---\n{{{{ sources }}}}{looped}")).await;
    let doubled: String = (1..28).map(|n| format!("{{% set a{n} = a{m} ~ a{m} %}}", m = n - 1)).collect();
    check(&served, &format!("Write.\n---\n{{{{ sources }}}}{{% set a0 = sources %}}{doubled}")).await;
    check(&served, &format!("Write.\n---\n{{{{ sources }}}}{{{{ {} 1 }}}}", "1 or ".repeat(60_000))).await;
    let chain = "{% elif words %}".repeat(40_000);
    check(&served, &format!("Write.\n---\n{{{{ sources }}}}{{% if words %}}{chain}{{% endif %}}")).await;
    check(&served, &format!("Write.\n---\n{}", "{{ sources }}".repeat(60_000))).await;
}

#[tokio::test]
async fn query_or_prompt_of_a_megabyte_is_refused_at_once() {
    let served = Served::new();
    served.post("/v1/agents/ann/messages", &message("Hello there.")).await;
    let long = "sailing ".repeat(120_000);
    for (path, field) in [("search", "query"), ("context", "prompt")] {
        let begun = Instant::now();
        let (status, problem) = served.post(&format!("/v1/agents/ann/{path}"), &json!({ field: long })).await;
        assert_eq!((status, &problem["faults"][0]["field"]), (StatusCode::BAD_REQUEST, &json!(field)), "{problem}");
        assert!(problem["faults"][0]["reason"].as_str().unwrap().contains("32 KiB"), "{problem}");
        assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    }
}

/// A client that reads the answer only after its body is sent gets the answer, not a broken connection.
#[tokio::test]
async fn body_over_the_limit_is_answered_after_it_is_sent() {
    let served = Served::new();
    let long = json!({ "query": "x".repeat(12_000_000) });
    let (status, problem) = served.post("/v1/agents/ann/search", &long).await;
    assert_eq!((status, &problem["code"]), (StatusCode::PAYLOAD_TOO_LARGE, &json!("too_large")), "{problem}");
}

fn message(content: &str) -> Value {
    json!({ "messages": [{ "role": "user", "content": content, "id": "1", "at": "2026-03-04T18:30:00Z" }],
        "conversation": "talk" })
}

#[test]
fn public_service_without_a_key_does_not_start() {
    #[track_caller]
    fn check(set: &str, expect: &str) {
        let annals = Annals::new();
        let answer = annals.run(&["serve", "--listen", "127.0.0.1:0", "--set", set, "--exit-when-idle", "0"]);
        assert!(answer.code == 2 && answer.err.contains(expect), "{set}: {} {}", answer.code, answer.err);
        assert!(answer.err.contains("annals key add"), "{}", answer.err);
    }
    check("server.hosts=memory.example.org", "server.hosts names memory.example.org");
    check("server.origins=https://app.example.org", "server.origins names https://app.example.org");
}

#[tokio::test]
async fn request_through_a_proxy_is_not_local() {
    let served = Served::new();
    let client = reqwest::Client::new();
    for (header, value) in [("x-forwarded-for", "203.0.113.9"), ("forwarded", "for=203.0.113.9"), ("via", "1.1 caddy")]
    {
        let answer = client.get(format!("{}/v1/agents", served.address)).header(header, value).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{header}");
    }
    assert_eq!(served.get("/v1/agents").await.0, StatusCode::OK);
}

/// Slow header bytes hold a connection for a limited time, and never all connections.
#[tokio::test]
async fn slow_headers_do_not_block_other_clients() {
    let served = Served::with(&[
        "--set",
        "server.max_connections=8",
        "--set",
        "server.max_connections_per_peer=4",
        "--set",
        "server.header_seconds=2",
    ]);
    let address = served.address.trim_start_matches("http://").to_owned();
    let drip = std::thread::spawn(move || {
        let mut sockets: Vec<TcpStream> = (0..4).map(|_| TcpStream::connect(&address).unwrap()).collect();
        sockets.iter_mut().for_each(|socket| socket.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ").unwrap());
        // A connection beyond the limit per peer is closed at once.
        let mut fifth = TcpStream::connect(&address).unwrap();
        fifth.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        let closed = fifth.read(&mut [0; 16]);
        assert!(
            matches!(closed, Ok(0)) || closed.is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionReset)
        );
        for _ in 0..60 {
            std::thread::sleep(Duration::from_millis(100));
            if sockets.iter_mut().all(|socket| socket.write_all(b"x").is_err()) {
                return true;
            }
        }
        false
    });
    assert!(drip.join().unwrap(), "the connections are held as long as bytes drip");
    assert_eq!(served.get("/readyz").await.0, StatusCode::OK);
}

/// A command that the service runs for another process uses the folder, configuration file, variables and working directory of
/// that process.
#[tokio::test]
async fn command_run_by_the_service_uses_the_callers_settings() {
    let served = Served::new();
    served.post("/v1/agents/ann/messages", &message("Hello there.")).await;
    let place = served.annals.data().parent().unwrap().to_owned();
    let settings = "[backup]\nkeep = 1\n";
    std::fs::write(place.join("mine.toml"), settings).unwrap();
    let run = |args: &[&str], variables: &[(&str, &str)]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_annals"));
        command.args(args).env_remove("ANNALS_CONFIG").current_dir(&place).stdin(std::process::Stdio::null());
        // The folder comes from a variable that the service does not have, and is relative to the directory of the command.
        command.env("ANNALS_DATA", "data").envs(variables.iter().copied());
        let output = command.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{args:?}: {text}");
        text
    };
    let made: Value =
        serde_json::from_str(&run(&["backup", "copies", "--json", "--config", "mine.toml"], &[])).unwrap();
    let kept = place.join("copies").join(made["name"].as_str().unwrap());
    assert_eq!(std::fs::read_to_string(kept.join("annals.toml")).unwrap(), settings);
    let copies = place.join("copies");
    let listed = run(&["backup", "list", "--json"], &[("ANNALS_BACKUP_TARGET", copies.to_str().unwrap())]);
    assert!(listed.contains(made["name"].as_str().unwrap()), "{listed}");
    let doctor: Value = serde_json::from_str(&run(&["doctor", "--json", "--without-models"], &[])).unwrap();
    let folder = doctor["data"].as_str().unwrap();
    assert_eq!(place.join(folder).canonicalize().unwrap(), served.annals.data().canonicalize().unwrap());
}

/// The standard input and output of a command that the service runs are passed on in pieces.
#[tokio::test]
async fn large_input_and_output_of_a_forwarded_command_pass_through() {
    let served = Served::new();
    // Forty messages with an unknown field, five hundred times each: twenty megabytes.
    let output = (0..40).map(|n| {
        let at = format!("2026-02-01T10:{:02}:{:02}Z", n / 60, n % 60);
        line("ann", "c", &n.to_string(), "Ann", &format!("Message {n} about the boat."), &at)
    });
    let padded = |line: String| line.replacen('{', &format!("{{\"pad\": {:?}, ", "x".repeat(1000)), 1);
    let lines: String = output.map(|line| padded(line).repeat(500)).collect();
    let mut child = served.annals.command(&["import", "-", "--json"]);
    let mut child = child.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let imported: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&imported["accepted"], &imported["duplicate"]), (&json!(40), &json!(19_960)));
    let exported = served.annals.run(&["export", "--agent", "ann"]);
    assert_eq!(exported.out.lines().filter(|line| line.contains("\"record\":\"turn\"")).count(), 40);
    let (status, over_http) = served.get("/v1/agents/ann/export").await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(over_http.as_str().unwrap().lines().count(), exported.out.lines().count());
}
