//! Every subcommand does its work and prints JSON.

use serde_json::json;

use crate::command::Annals;
use crate::story::{days, line};

fn with_story() -> Annals {
    let annals = Annals::new();
    annals.import(&days("ann", 40, 3));
    annals.json(&["rollup"]);
    annals
}

#[test]
fn import_counts_messages_and_a_second_one_skips_them() {
    let annals = Annals::new();
    let first = annals.import(&days("ann", 3, 2));
    assert_eq!((&first["accepted"], &first["duplicate"], &first["searchable"]), (&json!(6), &json!(0), &json!(6)));
    let second = annals.import(&days("ann", 4, 2));
    assert_eq!((&second["accepted"], &second["duplicate"], &second["searchable"]), (&json!(2), &json!(6), &json!(2)));
}

#[test]
fn import_reads_standard_input_and_overrides_the_agent() {
    let annals = Annals::new();
    let file = annals.file("in.jsonl", &days("ann", 2, 2));
    let mut command = annals.command(&["import", "-", "--agent", "../bo'b", "--json"]);
    let output = command.stdin(std::fs::File::open(file).unwrap()).output().unwrap();
    assert!(output.status.success());
    assert_eq!(annals.json(&["agent", "list"])["agents"], json!(["../bo'b"]));
}

#[test]
fn unknown_fields_are_named() {
    let annals = Annals::new();
    let message =
        r#"{"agent":"a","conversation":"c","role":"user","content":"hi","at":"2026-01-01T00:00:00Z","mood":"fine"}"#;
    assert_eq!(annals.import(message)["ignored_fields"], json!({ "mood": 1 }));
}

#[test]
fn rollup_fills_every_closed_period_once() {
    let annals = Annals::new();
    annals.import(&days("ann", 40, 3));
    let due = annals.json(&["rollup", "--dry-run"]);
    assert_eq!(due[0]["periods"].as_array().unwrap().len(), 40 + 7 + 2 + 1);
    let first = annals.json(&["rollup"]);
    assert_eq!(first[0]["written"], json!({ "daily": 40, "weekly": 7, "monthly": 2, "quarterly": 1, "yearly": 0 }));
    let second = annals.json(&["rollup"]);
    assert_eq!(second[0]["written"], json!({ "daily": 0, "weekly": 0, "monthly": 0, "quarterly": 0, "yearly": 0 }));
    assert_eq!(annals.run(&["verify"]).code, 0);
}

#[test]
fn search_filters_by_grain_and_range_and_names_its_sources() {
    let annals = with_story();
    let answer =
        annals.json(&["search", "brother in Kyoto", "--agent", "ann", "--period", "2026-01-04", "--grain", "working"]);
    let results = answer["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    for result in results {
        assert_eq!(
            (&result["grain"], &result["period"], &result["date"]),
            (&json!("working"), &json!("2026-01-04"), &json!("2026-01-04"))
        );
    }
    assert_eq!(results[0]["source_ids"], json!(["3#0"]));
    let weeks = annals.json(&[
        "search",
        "Kyoto",
        "--agent",
        "ann",
        "--grain",
        "weekly",
        "--from",
        "2026-01-12",
        "--to",
        "2026-01-18",
    ]);
    assert_eq!(weeks["results"].as_array().unwrap().len(), 1);
    assert_eq!(weeks["results"][0]["cover"]["from"], json!("2026-01-12"));
    assert_eq!(weeks["results"][0]["source_ids"].as_array().unwrap().len(), 7);
}

#[test]
fn prompt_without_matching_memories_gets_no_context() {
    let annals = Annals::new();
    annals.import(include_str!("../crates/annals/demo/messages.jsonl"));
    let context = |prompt: &str| annals.json(&["context", prompt, "--agent", "demo"]);
    for unrelated in [
        "What is the capital of Mongolia?",
        "Who are you?",
        "Tell me a joke.",
        "How do I exit vim?",
        "Write a haiku about autumn.",
        "give me an example",
        "What causes earthquakes?",
    ] {
        let context = context(unrelated);
        assert_eq!((&context["known"], &context["tokens"]), (&json!(false), &json!(0)), "{unrelated}: {context}");
    }
    for (related, answer) in [("Where do I live?", "Graça"), ("Who gives me cello lessons?", "Benedita")] {
        let context = context(related);
        assert!(context["text"].as_str().unwrap().contains(answer), "{related}: {context}");
    }
}

#[test]
fn context_fits_its_budget_and_its_ids_resolve() {
    let annals = with_story();
    let ask = |prompt: &str, more: &[&str]| {
        annals.json(&[&["context", prompt, "--agent", "ann", "--speaker", "Ann"][..], more].concat())
    };
    let answer = ask("When did Ann see two lamps in Kyoto?", &["--budget", "300"]);
    let (text, tokens) = (answer["text"].as_str().unwrap(), answer["tokens"].as_u64().unwrap());
    assert!(text.contains("Kyoto and saw two lamps") && tokens <= 300, "{answer}");
    for item in answer["items"].as_array().unwrap() {
        assert!(text.contains(&format!("\n[{}] ", item["short"].as_str().unwrap())), "{answer}");
        let shown = annals.json(&["show", item["id"].as_str().unwrap()]);
        assert_eq!(shown["memory"]["id"], item["id"]);
    }
    // Memories that did not fit the budget are not reported as missing.
    assert!(answer["hint"].as_str().unwrap().contains("the budget"), "{answer}");

    let month = ask("What happened in January 2026?", &[]);
    assert_eq!((&month["items"][0]["kind"], &month["items"][0]["short"]), (&json!("summary"), &json!("s1")), "{month}");
    let before = ask("What happened in January 2026?", &["--to", "2025-12-20"]);
    assert_eq!((&before["items"], &before["known"]), (&json!([]), &json!(false)), "{before}");

    let plain = annals.run(&["context", "Good morning!", "--agent", "ann"]);
    assert_eq!((plain.code, plain.out.as_str()), (0, "0 tokens. Memory knows nothing about this.\n"));
    assert_eq!(annals.run(&["context", "Kyoto", "--agent", "ann", "--budget", "10"]).code, 2);
}

#[test]
fn empty_range_is_reported() {
    let annals = with_story();
    let answer = annals.json(&["search", "Kyoto", "--agent", "ann", "--period", "2025"]);
    assert_eq!((&answer["results"], &answer["range_is_empty"]), (&json!([]), &json!(true)));
    let shown = annals.run(&["search", "Kyoto", "--agent", "ann", "--period", "2025"]);
    assert_eq!(shown.out, "There are no memories (2025-01-01 to 2025-12-31; summaries 2024-12-30 to 2025-12-28).\n");
}

#[test]
fn timeline_lists_the_oldest_first() {
    let annals = with_story();
    let weeks = annals.json(&["timeline", "--agent", "ann", "--grain", "weekly"]);
    let labels: Vec<&str> =
        weeks["memories"].as_array().unwrap().iter().map(|week| week["period"].as_str().unwrap()).collect();
    assert_eq!(labels, ["2026-W01", "2026-W02", "2026-W03", "2026-W04", "2026-W05", "2026-W06", "2026-W07"]);
    let some = annals.json(&["timeline", "--agent", "ann", "--grain", "daily", "--from", "2026-01-02", "--limit", "2"]);
    let some = &some["memories"];
    assert_eq!((&some[0]["period"], &some[1]["period"]), (&json!("2026-01-02"), &json!("2026-01-03")));
}

#[test]
fn show_traces_a_summary_to_its_messages() {
    let annals = with_story();
    let days = annals.json(&["timeline", "--agent", "ann", "--grain", "daily", "--limit", "1"]);
    let shown = annals.json(&["show", days["memories"][0]["id"].as_str().unwrap(), "--sources"]);
    assert_eq!(shown["sources"].as_array().unwrap().len(), 3);
    assert_eq!(shown["sources"][0]["message"], json!("0#0"));
    let missing = annals.run(&["show", "t-nothing"]);
    assert_eq!(
        (missing.code, missing.err.as_str()),
        (3, "annals: there is no memory \"t-nothing\"; `annals search` and `annals timeline` show ids\n")
    );
}

#[test]
fn status_counts_memories_and_names_due_periods() {
    let annals = Annals::new();
    annals.import(&days("ann", 2, 2));
    let before = annals.json(&["status"]);
    assert_eq!(before["agents"][0]["due"], json!(["2026-01-01", "2026-01-02", "2026-W01", "2026-01", "2026-Q1"]));
    annals.json(&["rollup"]);
    let after = annals.json(&["status", "--agent", "ann"]);
    assert_eq!(after["agents"][0]["due"], json!([]));
    assert_eq!(after["agents"][0]["open"], json!(["2026"]));
    assert_eq!(after["agents"][0]["memories"]["daily"], json!(2));
}

#[test]
fn rebuild_gives_the_same_dump() {
    let annals = with_story();
    let before = annals.dump();
    annals.json(&["rebuild"]);
    assert_eq!(annals.dump(), before);
    assert_eq!(annals.run(&["verify"]).code, 0);
}

#[test]
fn refresh_with_the_same_engine_rewrites_nothing() {
    let annals = with_story();
    let written = annals.json(&["rollup", "--refresh"])[0]["written"].clone();
    assert_eq!(written, json!({ "daily": 0, "weekly": 0, "monthly": 0, "quarterly": 0, "yearly": 0 }));
}

#[test]
fn time_zone_of_an_agent_decides_its_days() {
    let annals = Annals::new();
    annals.json(&["agent", "create", "ann", "--time-zone", "Asia/Tokyo"]);
    annals.import(&line("ann", "c", "1", "Ann", "late on the last day of the year", "2025-12-31T20:00:00Z"));
    let turns = annals.json(&["timeline", "--agent", "ann", "--grain", "working"]);
    assert_eq!(turns["memories"][0]["date"], json!("2026-01-01"));
    assert_eq!(annals.json(&["agent", "show", "ann"])["time_zone"], json!("Asia/Tokyo"));
    let wrong = annals.run(&["agent", "set", "ann", "--time-zone", "Mars/Olympus"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("time_zone \"Mars/Olympus\" is not an IANA time zone"), "{}", wrong.err);
}

#[test]
fn shown_dates_are_local_and_the_zone_is_named_once() {
    let annals = Annals::new();
    annals.json(&["agent", "create", "ann", "--time-zone", "Europe/Lisbon"]);
    annals.import(&line("ann", "c", "1", "Ann", "fireworks over the river", "2026-07-04T23:30:00Z"));
    let id = annals.json(&["timeline", "--agent", "ann", "--grain", "working"])["memories"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let commands: [&[&str]; 3] = [
        &["search", "fireworks", "--agent", "ann"],
        &["timeline", "--agent", "ann", "--grain", "working"],
        &["show", &id],
    ];
    for command in commands {
        let shown = annals.run(command).out;
        assert!(shown.contains("2026-07-05 00:30") && !shown.contains("2026-07-04"), "{shown}");
        assert_eq!(shown.matches("Europe/Lisbon").count(), 1, "{shown}");
    }
}

#[test]
fn now_and_calendar_months_limit_the_results() {
    let annals = Annals::new();
    let line = |id: &str, at: &str| line("ann", id, id, "Ann", "a red boat in the harbour", at);
    let output = [("1", "2026-03-01"), ("2", "2026-03-31"), ("3", "2026-04-01"), ("4", "2026-11-20")];
    annals.import(&output.map(|(id, day)| line(id, &format!("{day}T12:04:00Z"))).join(""));
    let found = |args: &[&str]| {
        let answer = annals.json(&[&["search", "boat", "--agent", "ann"], args].concat());
        answer["results"].as_array().unwrap().len()
    };
    assert_eq!(found(&["--period", "2026-03"]), 2);
    assert_eq!(found(&["--period", "2026-Q1"]), 2);
    assert_eq!(found(&[]), 3, "the last is four minutes from now");
    let later = annals.json_after(2, &["search", "boat", "--agent", "ann"]);
    assert_eq!(later["results"].as_array().unwrap().len(), 4);
}

#[test]
fn word_forms_match_in_the_language_of_each_text() {
    let annals = Annals::new();
    let texts = [
        "Die alten Häuser am Fluss wurden verkauft",
        "Las casas de mis abuelos están en Teruel",
        "The dogs are asleep",
    ];
    let output = texts.map(|text| line("ann", "c", text, "Ann", text, "2026-01-01T20:00:00Z"));
    annals.import(&output.join(""));
    let found =
        |word: &str| annals.json(&["search", word, "--agent", "ann", "--explain"])["results"][0]["text"].clone();
    let forms = ["Haus", "casa", "dog"];
    assert_eq!(forms.map(found), texts.map(|text| json!(text)));
    // Other stems for texts in no clear language; the rest stays as it is.
    annals.json(&["agent", "set", "ann", "--language", "de"]);
    assert_eq!(forms.map(found), texts.map(|text| json!(text)));
    annals.json(&["rollup"]);
    assert_eq!(annals.run(&["verify"]).code, 0);
}

#[test]
fn dead_letters_are_listed_and_replayed() {
    let annals = with_story();
    assert_eq!(annals.json(&["dead", "list"]), json!([]));
    assert_eq!(annals.json(&["dead", "replay"]), json!({ "alive": 0, "dead": 0 }));
}

#[test]
fn agents_do_not_see_each_other() {
    let annals = with_story();
    annals.import(&line("bo", "c", "1", "Bo", "Kyoto with my brother", "2026-01-04T08:00:00Z"));
    let answer = annals.json(&["search", "Kyoto brother", "--agent", "bo"]);
    assert_eq!(answer["results"].as_array().unwrap().len(), 1);
    let answer = annals.json(&["search", "Kyoto brother", "--agent", "ann", "--limit", "500"]);
    assert!(answer["results"].as_array().unwrap().iter().all(|result| result["speaker"] != json!("Bo")));
}

#[test]
fn embed_measures_fidelity() {
    let annals = Annals::new();
    let pairs = "main\tx\t2012\t1\t5.0\tA man is singing.\tA man sings.\nmain\tx\t2012\t2\t0.2\tA man is singing.\tThe stock fell.\nmain\tx\t2012\t3\t3.0\tA dog runs.\tAn animal is running.\n";
    let file = annals.file("sts.csv", pairs);
    let answer = annals.json(&["embed", "--eval", file.to_str().unwrap()]);
    assert_eq!((&answer["pairs"], &answer["spearman"]), (&json!(3), &json!(1.0)));
}
