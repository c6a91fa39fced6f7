//! Input that arrives late, in another order, or again with other text.

use serde_json::json;

use crate::command::Annals;
use crate::story::{days, line};

#[test]
fn late_message_rewrites_only_its_ancestors() {
    let annals = Annals::new();
    annals.import(&days("ann", 120, 2));
    annals.json(&["rollup"]);
    let text = "I broke my wrist in Valparaiso and cancelled the concert on 7 February 2026.";
    annals.import(&line("ann", "late", "1", "Ann", text, "2026-02-07T21:00:00Z"));
    let before: Vec<String> = annals.dump().lines().map(str::to_owned).collect();
    let written = annals.json(&["rollup"])[0]["written"].clone();
    // The year is still open.
    assert_eq!(written, json!({ "daily": 1, "weekly": 1, "monthly": 1, "quarterly": 1, "yearly": 0 }));
    let after = annals.dump();
    let changed = after.lines().filter(|line| line.starts_with("{\"memory\"") && !before.iter().any(|old| old == line));
    let periods: Vec<serde_json::Value> = changed
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["memory"]["period"].clone())
        .collect();
    assert_eq!(periods, [json!("2026-02-07"), json!("2026-W06"), json!("2026-02"), json!("2026-Q1")]);
}

#[test]
fn shuffled_import_gives_the_same_dump() {
    let messages = days("ann", 60, 3);
    let straight = Annals::new();
    straight.import(&messages);
    straight.json(&["rollup"]);

    let shuffled = Annals::new();
    let mut lines: Vec<&str> = messages.lines().collect();
    // A fixed shuffle: 97 and 180 have no common factor.
    let count = lines.len();
    lines = (0..count).map(|n| lines[n * 97 % count]).collect();
    for piece in lines.chunks(50) {
        shuffled.import(&piece.join("\n"));
        shuffled.json(&["rollup"]);
    }
    assert_eq!(shuffled.dump(), straight.dump());
}

#[test]
fn changed_text_under_the_same_id_is_refused_or_revises_the_day() {
    let annals = Annals::new();
    annals.import(&days("ann", 10, 2));
    annals.json(&["rollup"]);
    let before = annals.dump();
    let other = line(
        "ann",
        "day 3",
        "3#0",
        "Ann",
        "I broke my wrist in Valparaiso and cancelled the concert of 7 February.",
        "2026-01-04T08:00:00Z",
    );
    let file = annals
        .file("other.jsonl", &format!("{}{other}", line("ann", "new", "1", "Ann", "fresh", "2026-01-04T09:00:00Z")));
    let refused = annals.run(&["import", file.to_str().unwrap()]);
    assert_eq!(refused.code, 2);
    assert!(
        refused.err.contains("id \"3#0\" of conversation \"day 3\" is stored with other content"),
        "{}",
        refused.err
    );
    assert_eq!(annals.dump(), before, "nothing of a refused file is stored");

    let revised = annals.json(&["import", "--revise", file.to_str().unwrap()]);
    assert_eq!((&revised["revised"], &revised["accepted"]), (&json!(1), &json!(1)));
    assert_eq!(annals.json(&["rollup"])[0]["written"]["daily"], json!(1));
    let day =
        annals.json(&["timeline", "--agent", "ann", "--grain", "daily", "--from", "2026-01-04", "--to", "2026-01-04"]);
    assert!(day["memories"][0]["text"].as_str().unwrap().contains("Valparaiso"));
    assert_eq!(annals.run(&["verify"]).code, 0);
}

fn texts(annals: &Annals) -> Vec<String> {
    let turns = annals.json(&["timeline", "--agent", "ann", "--grain", "working"]);
    turns["memories"].as_array().unwrap().iter().map(|turn| turn["text"].as_str().unwrap().to_owned()).collect()
}

fn corrected() -> (Annals, String) {
    let annals = Annals::new();
    let messages = line("ann", "talk", "1", "Ann", "I live in Bonn.", "2026-01-04T08:00:00Z")
        + &line("ann", "talk", "2", "Ann", "It rains.", "2026-01-04T08:00:00Z");
    annals.import(&messages);
    for (n, text) in ["I live in Bern.", "It snows."].into_iter().enumerate() {
        let turns = annals.json(&["timeline", "--agent", "ann", "--grain", "working"]);
        annals.json(&["correct", turns["memories"][n]["id"].as_str().unwrap(), text]);
    }
    assert_eq!(texts(&annals), ["I live in Bern.", "It snows."]);
    (annals, messages)
}

#[test]
fn correction_stays_when_its_file_is_imported_again() {
    let (annals, messages) = corrected();
    let export = annals.run(&["export", "--agent", "ann"]).out;
    let moved = Annals::new();
    moved.import(&export);
    for annals in [&annals, &moved] {
        let file = annals.file("again.jsonl", &messages);
        for revise in [&[][..], &["--revise"]] {
            let again = annals.json(&[&["import", file.to_str().unwrap()], revise].concat());
            assert_eq!((&again["duplicate"], &again["revised"]), (&json!(2), &json!(0)), "{revise:?}");
            assert_eq!(texts(annals), ["I live in Bern.", "It snows."]);
        }
    }
}

#[test]
fn changed_source_of_a_correction_is_named_by_its_line() {
    let (annals, messages) = corrected();
    let file = annals.file("changed.jsonl", &messages.replace("It rains.", "It pours."));
    let refused = annals.run(&["import", file.to_str().unwrap()]);
    assert_eq!(refused.code, 2);
    let expect = "line 2: id \"2\" of conversation \"talk\" was corrected by hand, and its source has changed since; \
        --revise replaces the correction";
    assert!(refused.err.contains(expect), "{}", refused.err);
    let shown = annals.run(&["import", "--revise", file.to_str().unwrap()]);
    assert!(
        shown.out.contains("line 2: id \"2\" of conversation \"talk\" changed after it was corrected"),
        "{}",
        shown.out
    );
    assert_eq!(texts(&annals), ["I live in Bern.", "It pours."]);
}

#[test]
fn messages_of_one_time_keep_the_order_of_file_and_export() {
    let annals = Annals::new();
    let output =
        ["Where is the key?", "Behind the door.", "And the boat?", "In the harbour.", "Since when?", "Since May."];
    let message = |text: &str| {
        let at = "2026-01-04T08:00:00Z";
        json!({ "agent": "ann", "conversation": "talk", "role": "user", "content": text, "at": at }).to_string() + "\n"
    };
    let messages: String = output.iter().map(|text| message(text)).collect();
    annals.import(&messages);
    assert_eq!(texts(&annals), output);
    assert_eq!(annals.import(&messages)["duplicate"], json!(6));
    let moved = Annals::new();
    moved.import(&annals.run(&["export", "--agent", "ann"]).out);
    assert_eq!(texts(&moved), output);
    assert_eq!(moved.import(&messages)["duplicate"], json!(6));
}
