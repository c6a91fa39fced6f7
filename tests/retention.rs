//! Plans prune only complete sets that a summary covers. Late input of a sealed period amends its summary.

use serde_json::{Value, json};

use crate::command::Annals;
use crate::story::{days, line};

fn with_plan(plan: &str) -> Annals {
    let annals = Annals::new();
    annals.import(&days("ann", 100, 2));
    annals.json(&["agent", "set", "ann", "--plan", plan]);
    annals
}

fn memories(annals: &Annals) -> Value {
    annals.json(&["status"])["agents"][0]["memories"].clone()
}

fn pruned(annals: &Annals, args: &[&str]) -> Value {
    annals.json(&[&["retain"], args].concat())["agents"][0].clone()
}

#[test]
fn data_without_a_summary_is_never_pruned() {
    let annals = with_plan("free");
    let done = pruned(&annals, &["--trust-clock"]);
    assert_eq!(done["grains"]["working"]["memories"], json!(0), "{done}");
    assert_eq!(done["kept"].as_array().unwrap().len(), 100, "{done}");
    assert_eq!(memories(&annals)["working"], json!(200));
}

#[test]
fn plan_prunes_what_is_past_it_and_keeps_the_rest() {
    let annals = with_plan("free");
    annals.json(&["rollup"]);
    let would = pruned(&annals, &["--dry-run"]);
    let done = pruned(&annals, &["--trust-clock"]);
    assert_eq!(done["grains"], would["grains"]);
    assert_eq!(memories(&annals)["working"], json!(0));
    assert_eq!(memories(&annals)["daily"], json!(0));
    assert_eq!(annals.json(&["verify"])["sound"], json!(true));
    let again = pruned(&annals, &["--trust-clock"]);
    assert_eq!(again["grains"]["working"]["memories"], json!(0));
    let found = annals.json(&["search", "cello", "--agent", "ann", "--grain", "quarterly"]);
    assert!(!found["results"].as_array().unwrap().is_empty());
}

/// The turns are pruned and their summaries stay: their days were assigned in the former zone, and do not change.
#[test]
fn new_zone_begins_later_where_only_summaries_are_left() {
    let zones = |command: &dyn Fn(&Annals) -> Vec<String>| {
        let annals = with_plan("free");
        annals.json(&["rollup"]);
        annals.json(&["retain", "--trust-clock"]);
        let left = memories(&annals);
        assert!(left["working"] == json!(0) && left["quarterly"] != json!(0), "{left}");
        let command = command(&annals);
        annals.json(&command.iter().map(String::as_str).collect::<Vec<_>>());
        let zones = annals.json(&["agent", "show", "ann"])["time_zones"].clone();
        zones.as_array().unwrap().iter().map(|zone| zone["time_zone"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let set = |_: &Annals| ["agent", "set", "ann", "--time-zone", "Asia/Tokyo"].map(String::from).to_vec();
    let import = |annals: &Annals| {
        let output = line("ann", "new", "1", "Ann", "I am in Kyoto now.", "2026-11-20T09:00:00Z");
        let path = annals.file("more.jsonl", &output).to_str().unwrap().to_owned();
        ["import", &path, "--time-zone", "Asia/Tokyo"].map(String::from).to_vec()
    };
    assert_eq!(zones(&set), ["UTC", "Asia/Tokyo"]);
    assert_eq!(zones(&import), ["UTC", "Asia/Tokyo"]);
}

#[test]
fn change_of_plan_reports_what_it_would_prune() {
    let annals = with_plan("keep");
    annals.json(&["rollup"]);
    let would = pruned(&annals, &["--plan", "pro"]);
    assert_eq!(would["grains"]["working"]["memories"], json!(200), "{would}");
    assert_eq!(pruned(&annals, &["--trust-clock"])["grains"]["working"]["memories"], json!(0));
    let unknown = annals.run(&["agent", "set", "ann", "--plan", "gold"]);
    let expect = "annals: plan is \"gold\"; expected one of free, keep, pro, starter\n";
    assert_eq!((unknown.code, unknown.err.as_str()), (2, expect));
}

#[test]
fn unobserved_clock_prunes_nothing() {
    let annals = with_plan("free");
    annals.json(&["rollup"]);
    let answer = annals.run(&["retain", "--json"]);
    assert_eq!(answer.code, 1, "{}", answer.out);
    assert_eq!(memories(&annals)["working"], json!(200));
}

#[test]
fn late_message_amends_a_sealed_period_once() {
    let annals = with_plan("free");
    annals.json(&["rollup"]);
    annals.json(&["retain", "--trust-clock"]);
    let text = "I broke my wrist in Valparaiso and cancelled the concert of 7 February.";
    annals.import(&line("ann", "late", "1", "Ann", text, "2026-02-07T21:00:00Z"));
    annals.json(&["rollup"]);
    let found = annals.json(&["search", "wrist Valparaiso", "--agent", "ann", "--grain", "quarterly"]);
    let quarter = found["results"][0]["text"].as_str().unwrap();
    assert!(quarter.contains("Valparaiso") && quarter.lines().count() > 1, "{quarter}");
    assert_eq!(annals.json(&["verify"])["sound"], json!(true));
    let before = annals.dump();
    annals.import(&line("ann", "late", "1", "Ann", text, "2026-02-07T21:00:00Z"));
    annals.json(&["rollup"]);
    assert_eq!(annals.dump(), before);
    // Still found after another pruning.
    annals.json(&["retain", "--trust-clock"]);
    let again = annals.json(&["search", "wrist Valparaiso", "--agent", "ann", "--grain", "quarterly"]);
    assert_eq!(again["results"][0]["text"], found["results"][0]["text"]);
}

#[test]
fn pinned_memory_keeps_its_set() {
    let annals = with_plan("free");
    annals.json(&["rollup"]);
    let turns = annals.json(&["timeline", "--agent", "ann", "--grain", "working", "--limit", "1"]);
    annals.json(&["pin", turns["memories"][0]["id"].as_str().unwrap()]);
    annals.json(&["retain", "--trust-clock"]);
    assert_eq!(memories(&annals)["working"], json!(2));
    annals.json(&["pin", "--lift", turns["memories"][0]["id"].as_str().unwrap()]);
    annals.json(&["retain", "--trust-clock"]);
    assert_eq!(memories(&annals)["working"], json!(0));
}

#[test]
fn own_plan_is_read_and_a_wrong_one_names_its_fields() {
    let annals = with_plan("keep");
    annals.json(&["rollup"]);
    let folder = annals.data().join("retention");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(
        folder.join("short.toml"),
        include_str!("../retention/keep.toml").replace("working = \"forever\"", "working = \"1d\""),
    )
    .unwrap();
    assert_eq!(annals.json(&["agent", "set", "ann", "--plan", "short"])["plan"], json!("short"));
    annals.json(&["retain", "--trust-clock"]);
    assert_eq!((&memories(&annals)["working"], &memories(&annals)["daily"]), (&json!(0), &json!(100)));
    std::fs::write(folder.join("bad.toml"), "working = \"soon\"\nhourly = \"1d\"\n").unwrap();
    let refused = annals.run(&["status"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("soon") && refused.err.contains("hourly"), "{}", refused.err);
}
