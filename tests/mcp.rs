//! `annals mcp` as agents start it: a program that serves MCP over standard input and output. `tests/python/mcp_client.py`
//! tests it with the official client of another language.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::command::Annals;

/// A client with its own `annals mcp` process.
pub struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    requests: u64,
}

impl Client {
    pub fn start(annals: &Annals) -> Client {
        Client::with(annals, &[])
    }

    fn with(annals: &Annals, args: &[&str]) -> Client {
        let mut command = Command::new(env!("CARGO_BIN_EXE_annals"));
        command.args(["mcp", "--agent", "ann"]).args(args).arg("--data").arg(annals.data());
        command.env_remove("ANNALS_DATA").env_remove("ANNALS_CONFIG");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut client = Client { child, input, output, requests: 0 };
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" } });
        assert_eq!(client.ask("initialize", hello)["serverInfo"]["name"], "annals");
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
        self.input.flush().unwrap();
    }

    /// Sends a request. Returns its id.
    pub fn request(&mut self, method: &str, params: Value) -> u64 {
        self.requests += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.requests, "method": method, "params": params }));
        self.requests
    }

    /// Returns the next answer.
    pub fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let answer = self.answer();
        assert_eq!(answer["id"], id, "{answer}");
        answer["result"].clone()
    }

    pub fn tools(&mut self) -> Vec<String> {
        let listed = self.ask("tools/list", json!({}));
        let tools = listed["tools"].as_array().unwrap().iter();
        tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert_ne!(result["isError"], json!(true), "{result}");
        result
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Ends the service that the first client started when the test ends.
pub struct Started<'a>(pub &'a Annals);

impl Drop for Started<'_> {
    fn drop(&mut self) {
        let pid = std::fs::read_to_string(self.0.data().join("annals.lock")).unwrap_or_default();
        let _ = Command::new("kill").arg(pid.trim()).status();
    }
}

#[test]
fn three_clients_share_a_memory_after_the_first_is_killed() {
    let annals = Annals::new();
    let _started = Started(&annals);
    let (mut first, mut second, mut third) = (Client::start(&annals), Client::start(&annals), Client::start(&annals));
    let output = json!({ "content": "The key to the boat hangs behind the door.", "at": "2026-03-04T18:30:00Z" });
    first.call("add_memory", output);
    drop(first);
    let reading = ["search_memory", "get_memory", "timeline", "search_facts", "memory_context"];
    assert_eq!(second.tools(), [&reading[..], &["add_memory"]].concat(), "forgetting is asked for");
    let found = third.call("search_memory", json!({ "query": "Where is the key to the boat?", "limit": 1 }));
    let text = found["content"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("behind the door") && text.contains("2026-03-04") && text.contains("annals-memory"),
        "{text}"
    );
    assert_eq!(found["structuredContent"]["results"][0]["date"], "2026-03-04");
    drop(third);
    second.call("search_memory", json!({ "query": "boat" }));
    // A client has the tools of the scopes it was started with.
    assert_eq!(Client::with(&annals, &["--scope", "read"]).tools(), reading);
    let mut all = Client::with(&annals, &["--scope", "read,ingest,forget"]);
    assert_eq!(all.tools(), [&reading[..], &["add_memory", "forget_memory"]].concat());
    let act = json!({ "conversation": "notes", "dry_run": false });
    let refused = all.ask("tools/call", json!({ "name": "forget_memory", "arguments": act }));
    assert!(refused["content"][0]["text"].as_str().unwrap().contains("confirmation is missing"), "{refused}");
    let planned = all.call("forget_memory", json!({ "conversation": "notes" }));
    let confirmation = planned["structuredContent"]["confirmation"].as_str().unwrap();
    let act = json!({ "conversation": "notes", "dry_run": false, "confirmation": confirmation });
    assert_eq!(all.call("forget_memory", act)["structuredContent"]["done"], true);
}

#[test]
fn memories_of_one_time_keep_their_order() {
    let annals = Annals::new();
    let _started = Started(&annals);
    let mut client = Client::start(&annals);
    let output = ["Where is the key?", "Behind the door.", "And the boat?", "In the harbour."];
    for text in output {
        client.call("add_memory", json!({ "content": text, "at": "2026-03-04T18:30:00Z" }));
    }
    let turns = annals.json(&["timeline", "--agent", "ann", "--grain", "working"]);
    let texts: Vec<&str> =
        turns["memories"].as_array().unwrap().iter().map(|turn| turn["text"].as_str().unwrap()).collect();
    assert_eq!(texts, output);
}

#[test]
fn understood_times_are_reported_and_can_be_ignored() {
    let annals = Annals::new();
    let _started = Started(&annals);
    annals.import(&crate::story::days("ann", 40, 2));
    annals.json(&["rollup"]);
    annals.json(&["agent", "set", "ann", "--time-zone", "Asia/Tokyo"]);
    let mut client = Client::start(&annals);
    let question = "What happened in January 2026?";
    let found = client.call("search_memory", json!({ "query": question }));
    let text = found["content"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("Times in the query were understood: \"January 2026\" as from 2026-01-01 to 2026-01-31"),
        "{text}"
    );
    assert_eq!(text.matches("Days are local: Asia/Tokyo.").count(), 1, "{text}");
    let structured = &found["structuredContent"];
    assert_eq!(structured["said"], json!([{ "from": "2026-01-01", "to": "2026-01-31" }]), "{structured}");
    assert_eq!(structured["period"], json!({ "from": "2026-01-01", "to": "2026-01-31" }));
    let ignored = client.call("search_memory", json!({ "query": question, "ignore_times": true }));
    assert_eq!(ignored["structuredContent"]["said"], json!([]));
    assert!(!ignored["content"][0]["text"].as_str().unwrap().contains("understood"));
}

#[test]
fn default_timeline_covers_each_time_once_in_whole_lines() {
    let annals = Annals::new();
    let _started = Started(&annals);
    annals.import(&crate::story::days("ann", 70, 3));
    annals.json(&["rollup"]);
    let mut client = Client::start(&annals);
    let answer = client.call("timeline", json!({}));
    let memories = answer["structuredContent"]["memories"].as_array().unwrap().clone();
    let mut until = String::new();
    for memory in &memories {
        let (from, to) = (memory["date"].as_str().unwrap(), memory["to"].as_str().unwrap());
        assert!(from > until.as_str(), "{from} was told already: {memories:?}");
        until = to.to_owned();
    }
    assert!(memories.len() > 2 && until.starts_with("2026-03"), "{memories:?}");
    // Each sentence of a summary is on its own line, and none is cut in the middle.
    let text = answer["content"][0]["text"].as_str().unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("  ")).collect();
    assert!(lines.len() > memories.len(), "{text}");
    assert!(lines.iter().all(|line| line.contains("with my brother.") || line.ends_with("shows all of it)")), "{text}");
    // The text in the structured content is shorter.
    let brief = answer["structuredContent"]["text"].as_str().unwrap();
    assert!(
        brief.len() < text.len() / 2 && brief.contains("get_memory shows all of it"),
        "{} {}",
        brief.len(),
        text.len()
    );
    // Page by page, with the same result.
    let (mut seen, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let page = client.call("timeline", json!({ "limit": 2, "cursor": cursor }))["structuredContent"].clone();
        seen.extend(page["memories"].as_array().unwrap().clone());
        cursor = page["next_cursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen, memories);
}

#[test]
fn date_is_accepted_where_a_time_is_expected() {
    let annals = Annals::new();
    let _started = Started(&annals);
    annals.json(&["agent", "create", "ann", "--time-zone", "Asia/Tokyo"]);
    annals.json(&["facts", "add", "Ann", "likes", "figs", "--agent", "ann", "--at", "2026-03-04T18:30:00Z"]);
    let mut client = Client::start(&annals);
    for (as_of, expect) in [("2026-03-05", 0), ("2026-03-06", 1), ("2026-03-04T18:30:00Z", 1)] {
        for name in ["as_of", "asOf"] {
            let found = client.call("search_facts", json!({ "about": "Ann", name: as_of }));
            let facts = found["structuredContent"]["facts"].as_array().unwrap().len();
            assert_eq!(facts, expect, "{name} {as_of}");
        }
    }
    let found = client.call("search_facts", json!({ "about": "Ann" }));
    let text = found["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("likes figs: holds from 2026-03-05; said 2026-11-2"), "{text}");
    assert!(
        text.starts_with("1 fact, ordered by the time from which they hold. Days are local: Asia/Tokyo."),
        "{text}"
    );
}
