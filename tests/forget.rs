//! Forgotten data is gone from every store and file, and does not return when its messages are sent again.

use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use crate::command::{Annals, files};
use crate::service::Served;
use crate::story::{days, line};

/// Sentences about one person, spread over months. `lines` adds an earlier sentence about another spouse, whom message 6
/// replaces.
const MESSAGES: [(&str, &str, &str); 7] = [
    ("1", "2026-01-07T10:00:00Z", "My landlord Zelda Quist raised the rent of the flat by forty euros."),
    ("2", "2026-01-21T10:00:00Z", "Zelda Quist lives in Valparaiso."),
    ("3", "2026-02-11T10:00:00Z", "I signed the contract of the new studio with Zelda Quist on Tuesday."),
    ("4", "2026-03-03T10:00:00Z", "The keys of the cellar are with zelda quist until April."),
    ("5", "2026-04-14T10:00:00Z", "Zelda Quist sold the house in Turin and gave me her piano."),
    ("6", "2026-04-15T10:00:00Z", "I am married to Zelda Quist."),
    // From yesterday: every plan keeps its turn.
    ("7", "2026-11-19T20:00:00Z", "I owe Zelda Quist the deposit of two months."),
];

fn lines() -> String {
    let about = MESSAGES.iter().map(|(id, at, text)| line("ann", "landlord", id, "Ann", text, at));
    let before = line("ann", "music", "1", "Ann", "I am married to Hana Mori.", "2026-01-05T10:00:00Z");
    about.chain([before]).collect()
}

fn spouses(annals: &Annals) -> Vec<Value> {
    let facts = annals.json(&["facts", "--agent", "ann", "--predicate", "married_to"]);
    facts["facts"].as_array().unwrap().iter().map(|fact| fact["object"].clone()).collect()
}

/// Returns the files that contain the name or any of the sentences, ignoring case.
fn holders(annals: &Annals) -> Vec<String> {
    let contains = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).to_lowercase();
        text.contains("zelda quist") || MESSAGES.iter().any(|(_, _, output)| text.contains(&output.to_lowercase()))
    };
    let files = files(&annals.data());
    files.iter().filter(|path| contains(&std::fs::read(path).unwrap())).map(|path| path.display().to_string()).collect()
}

#[test]
fn subject_is_forgotten_in_turns_facts_summaries_and_sealed_months() {
    let annals = Annals::new();
    annals.import(&(days("ann", 120, 2) + &lines()));
    annals.json(&["rollup"]);
    annals.json(&["agent", "set", "ann", "--plan", "free"]);
    annals.json(&["retain", "--trust-clock"]);
    annals.import(&lines());
    annals.json(&["rollup"]);
    assert_eq!(spouses(&annals), [json!("Zelda Quist")]);
    assert!(!holders(&annals).is_empty());

    let before = annals.dump();
    let would = annals.json(&["forget", "--agent", "ann", "--subject", "ZELDA quist"]);
    assert_eq!(would["done"], json!(false));
    assert_eq!(annals.dump(), before, "a dry run changes nothing");

    let done = annals.json(&["forget", "--agent", "ann", "--subject", "ZELDA quist", "--yes"]);
    assert_eq!(done["proof"]["clean"], json!(true), "{done}");
    assert!(done["proof"]["sentences"].as_u64().unwrap() > 0, "{done}");
    assert!(!annals.dump().to_lowercase().contains("zelda"), "{}", annals.dump());
    assert_eq!(holders(&annals), [""; 0]);
    assert_eq!(spouses(&annals), [json!("Hana Mori")], "what it had superseded holds again");
    assert_eq!(annals.json(&["verify"])["sound"], json!(true));

    let after = annals.dump();
    let again = annals.import(&lines());
    // Four pruned messages had left traces that name her. The others had left none, and count as pruned.
    assert_eq!((&again["accepted"], &again["forgotten"]), (&json!(0), &json!(5)));
    annals.json(&["rollup"]);
    assert_eq!(annals.dump(), after, "what was forgotten stays so");
}

/// A service waits for late messages before it rolls up what changed. A forgetting does not.
#[tokio::test]
async fn forgetting_beside_a_service_rewrites_the_summaries_at_once() {
    let annals = Annals::new();
    annals.import(&(days("ann", 120, 2) + &lines()));
    annals.json(&["rollup"]);
    let served = Served::over(annals);
    let periods = async || {
        let (_, listed) = served.get("/v1/agents/ann/timeline?grains=weekly,monthly,quarterly&to=2026-03-31").await;
        let memories = listed["memories"].as_array().unwrap().clone();
        memories.iter().map(|memory| memory["period"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let before = periods().await;
    assert!(before.contains(&"2026-Q1".to_owned()) && before.contains(&"2026-02".to_owned()), "{before:?}");
    let forget = json!({ "subject": "Zelda Quist", "dry_run": false });
    let (_, done) = served.post("/v1/agents/ann/forget", &forget).await;
    assert_eq!((&done["proof"]["clean"], &done["not_rewritten"]), (&json!(true), &Value::Null), "{done}");
    assert_eq!(periods().await, before);
}

#[test]
fn forgotten_messages_return_only_with_unforget() {
    let annals = Annals::new();
    annals.import(&lines());
    let done = annals.json(&["forget", "--agent", "ann", "--conversation", "landlord", "--yes"]);
    assert_eq!(done["turns"].as_array().unwrap().len(), 7);
    let file = annals.file("again.jsonl", &lines());
    let again = annals.json(&["import", "--unforget", file.to_str().unwrap()]);
    assert_eq!((&again["accepted"], &again["forgotten"]), (&json!(7), &json!(0)));
}

#[test]
fn next_command_finishes_a_forgetting_that_was_killed() {
    let annals = Annals::new();
    annals.import(&(days("ann", 60, 2) + &lines()));
    annals.json(&["rollup"]);
    let forget = ["forget", "--agent", "ann", "--subject", "Zelda Quist", "--yes"];
    for wait in (100..6_000).step_by(100) {
        let mut child = annals.command(&forget).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        let status = child.wait().unwrap();
        if !annals.dump().contains("Zelda") {
            assert_eq!(status.signal(), Some(9), "it ended before the kill");
            assert_eq!(holders(&annals), [""; 0], "killed after {wait} ms");
            return;
        }
    }
    panic!("no kill came after the erasure in the catalog");
}

#[test]
fn nothing_that_matches_is_said_and_not_proved() {
    let annals = Annals::new();
    annals.import(&lines());
    let forgot = annals.run(&["forget", "--agent", "ann", "--subject", "Nobody Here", "--yes"]);
    assert_eq!((forgot.code, forgot.out.as_str()), (0, "Nothing matched, so nothing was forgotten.\n"));
}

#[test]
fn range_and_id_forget_what_they_name() {
    let annals = Annals::new();
    annals.import(&days("ann", 20, 2));
    annals.json(&["rollup"]);
    let range = ["forget", "--agent", "ann", "--from", "2026-01-03", "--to", "2026-01-04", "--yes"];
    assert_eq!(annals.json(&range)["turns"].as_array().unwrap().len(), 4);
    let left = annals.json(&["timeline", "--agent", "ann", "--grain", "daily"]);
    assert_eq!(left["memories"].as_array().unwrap().len(), 18);
    let found = annals.json(&["timeline", "--agent", "ann", "--grain", "working", "--limit", "1"]);
    let id = found["memories"][0]["id"].as_str().unwrap();
    assert_eq!(annals.json(&["forget", "--agent", "ann", id, "--yes"])["turns"], json!([id]));
    assert_eq!(annals.run(&["show", id]).code, 3);
    assert_eq!(annals.json(&["verify"])["sound"], json!(true));
}

#[test]
fn deleted_agent_leaves_nothing_and_other_agents_stay() {
    let annals = Annals::new();
    annals.import(&(lines() + &days("bob", 10, 2)));
    annals.json(&["rollup"]);
    annals.json(&["facts", "--agent", "ann"]);
    let dump = annals.json(&["timeline", "--agent", "bob", "--grain", "daily"]);
    annals.json(&["agent", "delete", "ann"]);
    assert_eq!(
        annals.json(&["agent", "list"])["agents"],
        json!(["ann", "bob"]),
        "without --yes it only says what would go"
    );
    let gone = annals.json(&["agent", "delete", "ann", "--yes"]);
    assert_eq!(gone["proof"]["clean"], json!(true), "{gone}");
    assert_eq!(annals.json(&["agent", "list"])["agents"], json!(["bob"]));
    assert_eq!(holders(&annals), [""; 0]);
    assert_eq!(annals.json(&["timeline", "--agent", "bob", "--grain", "daily"]), dump);
}

/// An agent with pruned turns, among them two messages by Zelda on one day.
struct Pruned {
    annals: Annals,
    messages: String,
    /// Id of the first of her messages.
    id: String,
}

const SECRET: &str = "I broke my wrist at the harbour office and changed the code of its safe to nine four two seven.";

fn pruned() -> Pruned {
    let annals = Annals::new();
    let of_zelda = [
        line("ann", "secret", "1", "Zelda", SECRET, "2026-01-07T10:00:00Z"),
        line("ann", "secret", "2", "Zelda", "I am married to Hana Mori.", "2026-01-07T11:00:00Z"),
    ];
    let messages = days("ann", 6, 1)
        + &of_zelda.concat()
        + &line("ann", "other", "1", "Bob", "I owe nothing to anybody here.", "2026-01-08T10:00:00Z");
    annals.import(&messages);
    annals.json(&["rollup"]);
    let turns = annals.json(&[
        "timeline",
        "--agent",
        "ann",
        "--grain",
        "working",
        "--from",
        "2026-01-07",
        "--to",
        "2026-01-07",
    ]);
    let id = turns["memories"][0]["id"].as_str().unwrap().to_owned();
    annals.json(&["agent", "set", "ann", "--plan", "free"]);
    annals.json(&["retain", "--trust-clock"]);
    assert_eq!(annals.json(&["status"])["agents"][0]["memories"]["working"], json!(0));
    assert!(annals.dump().contains("nine four two seven"), "{}", annals.dump());
    assert_eq!(spouses(&annals), [json!("Hana Mori")]);
    Pruned { annals, messages, id }
}

impl Pruned {
    /// Forgets by these arguments. Expects `turns` pruned turns to be deleted, and whether the fact is deleted with them.
    #[track_caller]
    fn check(&self, target: &[&str], turns: usize, fact: bool) {
        let annals = &self.annals;
        let would = annals.json(&[&["forget", "--agent", "ann"], target].concat());
        assert!(annals.dump().contains("nine four two seven"), "a dry run changes nothing");
        let done = annals.json(&[&["forget", "--agent", "ann", "--yes"], target].concat());
        for field in ["turns", "pruned", "operations", "cut", "lost", "rebuilt", "unresolved", "unread"] {
            assert_eq!(done[field], would[field], "{field} of {target:?}");
        }
        assert_eq!((done["pruned"].as_array().unwrap().len(), &done["unresolved"]), (turns, &json!(0)), "{done}");
        assert_eq!(done["proof"]["clean"], json!(true), "{done}");
        self.is_gone(fact);
        // Importing the old file again stores nothing: what was only pruned is unchanged.
        let file = annals.file("again.jsonl", &self.messages);
        let again = annals.json(&["import", "--revise", file.to_str().unwrap()]);
        assert_eq!((&again["forgotten"], &again["duplicate"]), (&json!(turns), &json!(9 - turns)), "{target:?}");
        annals.json(&["rollup"]);
        self.is_gone(fact);
        assert_eq!(annals.json(&["verify"])["sound"], json!(true));
    }

    fn is_gone(&self, fact: bool) {
        assert!(!self.annals.dump().contains("nine four two seven"), "{}", self.annals.dump());
        let contains = |path: &std::path::PathBuf| {
            String::from_utf8_lossy(&std::fs::read(path).unwrap()).contains("nine four two seven")
        };
        let files = files(&self.annals.data());
        assert_eq!(files.iter().filter(|path| contains(path) && !path.ends_with("annals.log")).count(), 0);
        assert_eq!(spouses(&self.annals).is_empty(), fact);
    }
}

#[test]
fn pruned_conversation_is_forgotten() {
    pruned().check(&["--conversation", "secret"], 2, true);
}

#[test]
fn pruned_message_is_forgotten_by_its_id() {
    let pruned = pruned();
    let id = pruned.id.clone();
    pruned.check(&[&id], 1, false);
}

#[test]
fn pruned_range_is_forgotten() {
    pruned().check(&["--from", "2026-01-07", "--to", "2026-01-07"], 2, true);
}

#[test]
fn pruned_messages_are_forgotten_by_their_speaker() {
    pruned().check(&["--subject", "ZELDA"], 2, true);
}

#[test]
fn turns_pruned_in_another_folder_are_reported_as_unresolved() {
    let from = pruned().annals;
    let export = from.run(&["export", "--agent", "ann"]).out;
    let to = Annals::new();
    to.import(&export);
    let would = to.json(&["forget", "--agent", "ann", "--conversation", "secret"]);
    let unresolved = would["unresolved"].as_u64().unwrap();
    assert!(would["pruned"] == json!([]) && unresolved > 0, "{would}");
    let periods = would["unresolved_in"].as_array().unwrap();
    assert!(!periods.is_empty(), "{would}");
    let shown = to.run(&["forget", "--agent", "ann", "--conversation", "secret"]).out;
    assert!(shown.contains(&format!("It is unknown whether {unresolved} pruned turns belong to it")), "{shown}");
    // The day of these turns is known.
    let by_day = to.json(&["forget", "--agent", "ann", "--from", "2026-01-07", "--to", "2026-01-07", "--yes"]);
    assert_eq!((by_day["pruned"].as_array().unwrap().len(), &by_day["unresolved"]), (2, &json!(0)), "{by_day}");
    assert!(!to.dump().contains("nine four two seven"));
}

#[test]
fn facts_that_name_the_subject_anywhere_are_forgotten() {
    let annals = Annals::new();
    annals.import(&line("ann", "talk-with-zelda_quist", "1", "Ann", "It rains.", "2026-01-07T10:00:00Z"));
    annals.json(&["facts", "add", "Ann", "likes", "Zelda Quist's bread", "--agent", "ann"]);
    annals.json(&["facts", "add", "Ann", "likes", "rye bread", "--agent", "ann"]);
    let done = annals.json(&["forget", "--agent", "ann", "--subject", "Zelda Quist", "--yes"]);
    assert_eq!(
        (done["operations"].as_array().unwrap().len(), done["turns"].as_array().unwrap().len()),
        (1, 1),
        "{done}"
    );
    assert_eq!(done["proof"]["clean"], json!(true), "{done}");
    assert_eq!(holders(&annals), [""; 0]);
    assert!(annals.dump().contains("rye bread"));
}

#[test]
fn forgetting_ignores_retracted_and_third_party_aliases() {
    let annals = Annals::new();
    let ann = line("ann", "home", "1", "Ann", "The boat lies in the northern harbour.", "2026-01-07T10:00:00Z");
    let mallory = line("ann", "work", "1", "Mallory", "Call me Ann.", "2026-01-07T11:00:00Z");
    annals.import(&(ann + &mallory));
    let reached = |annals: &Annals| {
        let would = annals.json(&["forget", "--agent", "ann", "--subject", "Mallory"]);
        would["turns"].as_array().unwrap().len()
    };
    assert_eq!(reached(&annals), 1, "Ann did not say so");
    annals.json(&["facts", "add", "Mallory", "also_known_as", "Ann", "--agent", "ann"]);
    assert_eq!(reached(&annals), 2, "a person did");
    annals.json_after(1, &["facts", "retract", "Mallory", "also known as", "Ann", "--agent", "ann"]);
    assert_eq!(reached(&annals), 1, "and took it back");
}

#[test]
fn export_contains_no_trace_of_a_forgotten_message() {
    let annals = Annals::new();
    let without_id = |text: &str| {
        let message = json!({ "agent": "ann", "conversation": "talk", "role": "user", "content": text, "at": "2026-01-07T10:00:00Z" });
        format!("{message}\n")
    };
    annals.import(&(without_id("The code is nine four two seven.") + &without_id("It rains.")));
    let turns = annals.json(&["timeline", "--agent", "ann", "--grain", "working"]);
    let id = turns["memories"][0]["id"].as_str().unwrap().to_owned();
    annals.json(&["forget", "--agent", "ann", &id, "--yes"]);
    let export = annals.run(&["export", "--agent", "ann"]).out;
    assert!(!export.contains(&id) && export.contains("It rains."), "{export}");
    let holders = files(&annals.data())
        .into_iter()
        .filter(|path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).contains(&id));
    assert_eq!(holders.collect::<Vec<_>>(), [""; 0].map(std::path::PathBuf::from), "the id is a hash of the words");
    // In this folder the message is still recognised as forgotten.
    assert_eq!(annals.import(&without_id("The code is nine four two seven."))["forgotten"], json!(1));
}
