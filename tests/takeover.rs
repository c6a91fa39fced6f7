//! The data folder passes from the service that `annals mcp` started to one that a user starts, and clients keep
//! working.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixListener;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::command::Annals;
use crate::mcp::{Client, Started};
use crate::service::Served;

const SERVE: [&str; 4] = ["serve", "--json", "--listen", "127.0.0.1:0"];

fn add(client: &mut Client, text: &str) {
    client.call("add_memory", json!({ "content": text, "at": "2026-03-04T18:30:00Z" }));
}

/// Returns the texts that an agent finds over MCP.
fn texts(client: &mut Client) -> String {
    client.call("timeline", json!({ "grains": ["working"] }))["content"][0]["text"].as_str().unwrap().to_owned()
}

fn owner(annals: &Annals) -> String {
    std::fs::read_to_string(annals.data().join("annals.lock")).unwrap().trim().to_owned()
}

fn kill_owner(annals: &Annals) {
    assert!(Command::new("kill").args(["-9", &owner(annals)]).status().unwrap().success());
}

#[tokio::test]
async fn clients_go_on_when_a_user_starts_a_service() {
    let annals = Annals::new();
    let (mut first, mut second) = (Client::start(&annals), Client::start(&annals));
    add(&mut first, "The key to the boat hangs behind the door.");
    let local = owner(&annals);
    let served = Served::over(annals);
    assert_ne!(owner(&served.annals), local);
    assert!(texts(&mut second).contains("behind the door"));
    add(&mut first, "The boat is in the harbour.");
    let (_, found) = served.get("/v1/agents/ann/timeline?grains=working").await;
    let found = found.to_string();
    assert!(found.contains("behind the door") && found.contains("in the harbour"), "{found}");
    // The service ends; the next call starts another.
    let annals = served.kill();
    let _started = Started(&annals);
    assert!(texts(&mut first).contains("in the harbour"));
}

#[test]
fn service_of_a_user_is_not_replaced() {
    let served = Served::new();
    let pid = owner(&served.annals);
    let refused = served.annals.run(&SERVE);
    assert_eq!(refused.code, 4, "{}", refused.err);
    let expect = [format!("(pid {pid})"), format!("`kill {pid}`"), "systemctl stop".to_owned()];
    assert!(expect.iter().all(|part| refused.err.contains(part)), "{}", refused.err);
    assert_eq!(owner(&served.annals), pid);
}

#[test]
fn one_of_two_services_takes_the_folder() {
    let annals = Annals::new();
    let _started = Started(&annals);
    let mut client = Client::start(&annals);
    add(&mut client, "The key to the boat hangs behind the door.");
    let start = || annals.command(&SERVE).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut both = [start(), start()];
    let loser = first_to_end(&mut both);
    assert_eq!(both[loser].wait().unwrap().code(), Some(4));
    let mut error = String::new();
    both[loser].stderr.take().unwrap().read_to_string(&mut error).unwrap();
    let winner = &mut both[1 - loser];
    assert!(error.contains(&format!("`kill {}`", winner.id())), "{error}");
    let mut greeting = String::new();
    BufReader::new(winner.stdout.take().unwrap()).read_line(&mut greeting).unwrap();
    let greeting: Value = serde_json::from_str(&greeting).unwrap();
    assert_eq!(greeting["pid"], winner.id());
    assert!(texts(&mut client).contains("behind the door"));
    winner.kill().unwrap();
    winner.wait().unwrap();
}

/// Returns the number of the process that ends first.
fn first_to_end(processes: &mut [Child]) -> usize {
    for _ in 0..1200 {
        if let Some(ended) = processes.iter_mut().position(|one| one.try_wait().unwrap().is_some()) {
            return ended;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("both go on");
}

#[test]
fn requests_without_an_answer_are_done_once_after_the_owner_is_killed() {
    let annals = Annals::new();
    let _started = Started(&annals);
    let mut client = Client::start(&annals);
    add(&mut client, "Message 0 of the harbour.");
    // Without a time, the same message sent twice would be stored as two messages.
    let asked: Vec<u64> = (1..=20).map(|n| client.request("tools/call", add_without_time(n))).collect();
    kill_owner(&annals);
    let mut answered: Vec<u64> = asked.iter().map(|_| client.answer()["id"].as_u64().unwrap()).collect();
    answered.sort_unstable();
    assert_eq!(answered, asked);
    let turns = annals.json(&["timeline", "--agent", "ann", "--grain", "working", "--limit", "100"]);
    let mut texts: Vec<&str> =
        turns["memories"].as_array().unwrap().iter().map(|turn| turn["text"].as_str().unwrap()).collect();
    texts.sort_unstable();
    let mut expect: Vec<String> = (0..=20).map(|n| format!("Message {n} of the harbour.")).collect();
    expect.sort_unstable();
    assert_eq!(texts, expect);
}

fn add_without_time(n: u32) -> Value {
    json!({ "name": "add_memory", "arguments": { "content": format!("Message {n} of the harbour.") } })
}

#[test]
fn owner_of_an_older_version_is_named_with_what_to_do() {
    let annals = Annals::new();
    std::fs::create_dir_all(annals.data()).unwrap();
    let mut lock = std::fs::File::create(annals.data().join("annals.lock")).unwrap();
    lock.try_lock().unwrap();
    write!(lock, "77").unwrap();
    let listener = UnixListener::bind(annals.data().join("annals.sock")).unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = BufReader::new(stream);
            let _ = stream.read_line(&mut String::new());
            let _ = stream.get_mut().write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
            // Read the rest, so that closing does not cost the other side its answer.
            let _ = stream.read_to_end(&mut Vec::new());
        }
    });
    let refused = annals.run(&SERVE);
    assert_eq!(refused.code, 4, "{}", refused.err);
    assert!(refused.err.contains("(pid 77)") && refused.err.contains("another version"), "{}", refused.err);
}
