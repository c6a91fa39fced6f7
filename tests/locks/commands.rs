//! Every command keeps the locks. The commands are read from the program's own help.

use std::collections::BTreeSet;

use crate::command::Annals;
use crate::service::Served;

/// Commands that a running service of the folder does not run, each with the reason.
const LEFT_OUT: &[(&str, &str)] = &[
    ("demo", "has a folder of its own"),
    ("serve", "does not open a folder that is in use; tests/takeover.rs"),
    ("mcp", "sends messages to the service; tests/takeover.rs"),
    ("adopt", "writes a new folder"),
    ("reopen", "opens a memory that no service uses; tests/adopt.rs"),
    ("restore", "writes a new folder"),
    ("model list", "asks a hub in a network"),
    ("model pull", "asks a hub in a network"),
    ("model use", "changes the configuration alone"),
    ("model measure", "reads no folder"),
];

/// Returns the full names of all commands below `path` that have no subcommands, as the help lists them.
fn leaves(annals: &Annals, path: &str) -> Vec<String> {
    let words = path.split_whitespace().chain(["--help"]);
    let help = annals.run(&words.collect::<Vec<_>>()).out;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // Further lines of a description are indented more.
    let names = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    let below: Vec<String> = names.map(|name| format!("{path} {name}").trim().to_owned()).collect();
    if below.is_empty() { vec![path.to_owned()] } else { below.iter().flat_map(|path| leaves(annals, path)).collect() }
}

#[tokio::test]
async fn every_command_keeps_the_locks() {
    let served = Served::unlimited();
    let annals = &served.annals;
    let commands = commands(&served);
    for command in &commands {
        let answer = annals.run(&command.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(served.locks(), 1, "after annals {}: {} {}", command.join(" "), answer.out, answer.err);
        assert!(!answer.err.contains("Usage:"), "annals {}: {}", command.join(" "), answer.err);
    }
    let is_run =
        |path: &str| commands.iter().any(|command| format!("{} ", command.join(" ")).starts_with(&format!("{path} ")));
    let all: BTreeSet<String> = leaves(annals, "").into_iter().collect();
    assert!(all.len() > 50, "{all:?}");
    let left_out: BTreeSet<String> = LEFT_OUT.iter().map(|(path, _)| (*path).to_owned()).collect();
    let not_run: BTreeSet<String> = all.into_iter().filter(|path| !is_run(path)).collect();
    assert_eq!(not_run, left_out, "a command is neither run here nor left out with a reason, or both");
}

/// Creates the data that the commands need. Returns the commands to run, with the ids of this data.
fn commands(served: &Served) -> Vec<Vec<String>> {
    let annals = &served.annals;
    let file = |name: &str, text: &str| annals.file(name, text).to_str().unwrap().to_owned();
    let messages = file("chat.jsonl", &crate::story::days("ann", 3, 2));
    annals.json(&["import", &messages]);
    annals.json(&["import", &file("notes.jsonl", &crate::story::days("bob", 1, 2))]);
    let key = annals.json(&["key", "add", "reader"])["id"].as_str().unwrap().to_owned();
    let turns = annals.json(&["timeline", "--agent", "ann", "--grain", "working"]);
    let id = turns["memories"][0]["id"].as_str().unwrap().to_owned();
    let catalog = annals.data().join("catalog.sqlite").to_str().unwrap().to_owned();
    let linked = annals.file("linked", "").with_file_name("link");
    std::os::unix::fs::symlink(&catalog, &linked).unwrap();
    let linked = linked.to_str().unwrap().to_owned();
    let backups = annals.file("x", "").with_file_name("backups").to_str().unwrap().to_owned();
    let prompt = file("daily.md", "Say it in short.\n\n{{ text }}");
    let commands: &[&[&str]] = &[
        &["import", &messages],
        &["import", &catalog],
        &["import", &linked],
        &["key", "add", "other"],
        &["key", "list"],
        &["key", "set", &key, "--daily-tokens", "none"],
        &["key", "revoke", &key],
        &["job", "list"],
        &["job", "run", "rollup"],
        &["rollup"],
        &["search", "the contract", "--agent", "ann"],
        &["context", "What about the contract?", "--agent", "ann"],
        &["timeline", "--agent", "ann"],
        &["facts", "--agent", "ann"],
        &["facts", "add", "--agent", "ann", "Ann", "likes", "figs"],
        &["facts", "retract", "--agent", "ann", "Ann", "likes", "figs"],
        &["conversations", "--agent", "ann"],
        &["document", "list", "--agent", "ann"],
        &["document", "show", "--agent", "ann", "notes/plan"],
        &["document", "delete", "--agent", "ann", "notes/plan"],
        &["show", &id],
        &["correct", &id, "The contract is signed."],
        &["pin", &id],
        &["plans"],
        &["retain"],
        &["status"],
        &["verify"],
        &["dead", "list"],
        &["dead", "replay"],
        &["costs"],
        &["price", "list"],
        &["price", "set", "small", "--currency", "EUR", "--input", "0.15", "--output", "0.6"],
        &["price", "remove", "small"],
        &["dump"],
        &["export", "--agent", "ann"],
        &["rebuild", "--agent", "ann"],
        &["backup", &backups],
        &["backup", "verify", &backups],
        &["backup", "list", &backups],
        &["doctor"],
        &["config", "check"],
        &["config", "show"],
        &["config", "schema"],
        &["agent", "list"],
        &["agent", "show", "ann"],
        &["agent", "create", "eve"],
        &["agent", "set", "ann", "--plan", "keep"],
        &["agent", "rename", "eve", "eva"],
        &["prompt", "list"],
        &["prompt", "show", "daily"],
        &["prompt", "set", "daily", &catalog, "--agent", "ann"],
        &["prompt", "set", "daily", &prompt, "--agent", "ann"],
        &["prompt", "reset", "daily", "--agent", "ann"],
        &["embed"],
        &["forget", "--agent", "ann", "--from", "2026-01-01", "--to", "2026-01-02"],
        &["forget", "--agent", "ann", "--from", "2026-01-01", "--to", "2026-01-02", "--yes"],
        &["agent", "delete", "ann", "--yes"],
    ];
    commands.iter().map(|words| words.iter().map(|word| (*word).to_owned()).collect()).collect()
}
