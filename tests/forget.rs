//! Forgotten is gone: from every store and file, and stays gone when it comes again.

use serde_json::{Value, json};

use crate::command::{Annals, files};
use crate::story::{days, line};

/// Sentences about one person, spread over months, and one that she took the place of.
const SAID: [(&str, &str, &str); 7] = [
    ("1", "2026-01-07T10:00:00Z", "My landlord Zelda Quist raised the rent of the flat by forty euros."),
    ("2", "2026-01-21T10:00:00Z", "Zelda Quist lives in Valparaiso."),
    ("3", "2026-02-11T10:00:00Z", "I signed the contract of the new studio with Zelda Quist on Tuesday."),
    ("4", "2026-03-03T10:00:00Z", "The keys of the cellar are with zelda quist until April."),
    ("5", "2026-04-14T10:00:00Z", "Zelda Quist sold the house in Turin and gave me her piano."),
    ("6", "2026-04-15T10:00:00Z", "I am married to Zelda Quist."),
    // Yesterday: not past any plan, so its turn is there still.
    ("7", "2026-11-19T20:00:00Z", "I owe Zelda Quist the deposit of two months."),
];

fn told() -> String {
    let about = SAID.iter().map(|(id, at, text)| line("ann", "landlord", id, "Ann", text, at));
    let before = line("ann", "music", "1", "Ann", "I am married to Hana Mori.", "2026-01-05T10:00:00Z");
    about.chain([before]).collect()
}

fn spouses(annals: &Annals) -> Vec<Value> {
    let facts = annals.json(&["facts", "--agent", "ann", "--predicate", "married_to"]);
    facts.as_array().unwrap().iter().map(|fact| fact["object"].clone()).collect()
}

/// The files that hold any of the sentences, however they are cased.
fn holders(annals: &Annals) -> Vec<String> {
    let holds = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).to_lowercase();
        text.contains("zelda quist") || SAID.iter().any(|(_, _, said)| text.contains(&said.to_lowercase()))
    };
    let files = files(&annals.data());
    files.iter().filter(|path| holds(&std::fs::read(path).unwrap())).map(|path| path.display().to_string()).collect()
}

#[test]
fn a_subject_goes_from_turns_facts_summaries_and_sealed_months() {
    let annals = Annals::new();
    annals.import(&(days("ann", 120, 2) + &told()));
    annals.json(&["rollup"]);
    annals.json(&["agent", "set", "ann", "--plan", "free"]);
    annals.json(&["retain", "--trust-clock"]);
    annals.import(&told());
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
    let again = annals.import(&told());
    // What was pruned before it was forgotten is known by its place.
    assert_eq!((&again["accepted"], &again["forgotten"]), (&json!(0), &json!(1)));
    annals.json(&["rollup"]);
    assert_eq!(annals.dump(), after, "what was forgotten stays so");
}

#[test]
fn forgotten_messages_come_back_only_when_that_is_said() {
    let annals = Annals::new();
    annals.import(&told());
    let done = annals.json(&["forget", "--agent", "ann", "--conversation", "landlord", "--yes"]);
    assert_eq!(done["turns"].as_array().unwrap().len(), 7);
    let file = annals.file("again.jsonl", &told());
    let taken = annals.json(&["import", "--unforget", file.to_str().unwrap()]);
    assert_eq!((&taken["accepted"], &taken["forgotten"]), (&json!(7), &json!(0)));
}

#[test]
fn a_range_and_an_id_reach_what_they_name() {
    let annals = Annals::new();
    annals.import(&days("ann", 20, 2));
    annals.json(&["rollup"]);
    let range = ["forget", "--agent", "ann", "--from", "2026-01-03", "--to", "2026-01-04", "--yes"];
    assert_eq!(annals.json(&range)["turns"].as_array().unwrap().len(), 4);
    let left = annals.json(&["timeline", "--agent", "ann", "--grain", "daily"]);
    assert_eq!(left.as_array().unwrap().len(), 18);
    let found = annals.json(&["timeline", "--agent", "ann", "--grain", "working", "--limit", "1"]);
    let id = found[0]["id"].as_str().unwrap();
    assert_eq!(annals.json(&["forget", "--agent", "ann", id, "--yes"])["turns"], json!([id]));
    assert_eq!(annals.run(&["show", id]).code, 3);
    assert_eq!(annals.json(&["verify"])["sound"], json!(true));
}

#[test]
fn a_deleted_agent_leaves_nothing_and_no_other_agent_is_touched() {
    let annals = Annals::new();
    annals.import(&(told() + &days("bob", 10, 2)));
    annals.json(&["rollup"]);
    annals.json(&["facts", "--agent", "ann"]);
    let dump = annals.json(&["timeline", "--agent", "bob", "--grain", "daily"]);
    annals.json(&["agent", "delete", "ann"]);
    assert_eq!(annals.json(&["agent", "list"]), json!(["ann", "bob"]), "without --yes it only says what would go");
    let gone = annals.json(&["agent", "delete", "ann", "--yes"]);
    assert_eq!(gone["proof"]["clean"], json!(true), "{gone}");
    assert_eq!(annals.json(&["agent", "list"]), json!(["bob"]));
    assert_eq!(holders(&annals), [""; 0]);
    assert_eq!(annals.json(&["timeline", "--agent", "bob", "--grain", "daily"]), dump);
}
