//! Output for a person at a terminal: no control characters, samples before something is forgotten, former texts, local days.

use reqwest::{Client, StatusCode};
use serde_json::json;

use crate::command::Annals;
use crate::service::Served;
use crate::story::{days, line};

#[test]
fn control_characters_in_memories_are_escaped() {
    let annals = Annals::new();
    let text = "Pay \u{202e}evil\u{202c} now \u{1b}[8mhidden\u{1b}[0m\u{7} \u{200b}and 👩\u{200d}🚀.";
    annals.import(&line("ann", "talk\u{202e}", "1", "Ann\u{202e}", text, "2026-01-02T10:00:00Z"));
    annals.json(&["rollup"]);
    annals.json(&["facts", "add", "Ann", "likes", "figs\u{202e}", "--agent", "ann"]);
    for args in [
        &["search", "evil", "--agent", "ann"][..],
        &["timeline", "--agent", "ann", "--grains", "working,daily"],
        &["conversations", "--agent", "ann"],
        &["facts", "--agent", "ann"],
        &["forget", "--agent", "ann", "--conversation", "talk\u{202e}"],
    ] {
        let shown = annals.run(args);
        assert_eq!(shown.code, 0, "{args:?} {}", shown.err);
        for raw in ['\u{202e}', '\u{1b}', '\u{7}', '\u{200b}'] {
            assert!(!shown.out.contains(raw), "{args:?} {:?}", shown.out);
        }
        assert!(shown.out.contains("\\u{202e}"), "{args:?} {:?}", shown.out);
    }
    let shown = annals.run(&["timeline", "--agent", "ann", "--grains", "working"]).out;
    assert!(shown.contains("\\u{1b}[8mhidden") && shown.contains("👩\u{200d}🚀"), "{shown}");
    // JSON output and exports contain the original characters.
    let turns = annals.json(&["timeline", "--agent", "ann", "--grains", "working"]);
    assert_eq!(turns["memories"][0]["text"], json!(text));
    assert!(annals.run(&["export", "--agent", "ann"]).out.contains('\u{202e}'));
}

#[test]
fn dry_run_of_forgetting_shows_samples() {
    let annals = Annals::new();
    let long = format!("We sold the boat. {}", "It was a long story. ".repeat(20));
    annals.import(&(days("ann", 4, 2) + &line("ann", "boat", "1", "Zelda Quist", &long, "2026-01-02T10:00:00Z")));
    let one = annals.run(&["forget", "--agent", "ann", "--subject", "Zelda Quist"]);
    assert!(one.out.contains("2026-01-02 10:00 Zelda Quist: We sold the boat."), "{}", one.out);
    assert!(one.out.lines().all(|line| line.chars().count() < 120), "{}", one.out);
    assert!(one.out.contains("Nothing was changed. Use --yes"), "{}", one.out);
    let many = annals.run(&["forget", "--agent", "ann", "--from", "2026-01-01", "--to", "2026-01-04"]);
    assert_eq!(many.out.matches("Ann: On day").count() + many.out.matches("Zelda Quist:").count(), 5, "{}", many.out);
    assert!(many.out.contains("… and 4 more"), "{}", many.out);
    let none = annals.run(&["forget", "--agent", "ann", "--conversation", "nowhere"]);
    assert_eq!((none.code, none.out.as_str()), (0, "Nothing matches, so nothing would be forgotten.\n"));
    for yes in [&["--yes"][..], &[]] {
        let unknown = annals.run(&[&["forget", "--agent", "ann", "t-nope"], yes].concat());
        assert_eq!(unknown.code, 3, "{}{}", unknown.out, unknown.err);
        assert!(unknown.err.contains("no memory \"t-nope\""), "{}", unknown.err);
    }
}

#[test]
fn forgetting_shows_former_texts_and_deleting_an_agent_its_summaries() {
    let annals = Annals::new();
    let of_day = |text: &str| line("ann", "talk", "1", "Ann", text, "2026-01-02T10:00:00Z");
    annals.import(&of_day("Zelda Quist sold the boat on Friday."));
    let file = annals.file("revised.jsonl", &of_day("She sold the boat on Friday."));
    annals.json(&["import", "--revise", file.to_str().unwrap()]);
    let forget = ["forget", "--agent", "ann", "--subject", "Zelda Quist"];
    let would = annals.run(&forget).out;
    assert!(would.contains("1 former text") && would.contains("Nothing was changed"), "{would}");
    let done = annals.run(&[&forget[..], &["--yes"]].concat()).out;
    assert!(done.contains("1 former text") && done.contains("1 sentence searched for"), "{done}");
    annals.json(&["rollup"]);
    let deleted = annals.run(&["agent", "delete", "ann", "--yes"]).out;
    assert!(deleted.contains("summaries") && !deleted.contains("sealed"), "{deleted}");
}

#[test]
fn show_history_prints_former_texts() {
    let annals = Annals::new();
    annals.import(&line("ann", "talk", "1", "Ann", "We moved to Lisbon.", "2026-01-02T10:00:00Z"));
    let id = annals.json(&["timeline", "--agent", "ann", "--grains", "working"])["memories"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(annals.run(&["show", &id, "--history"]).out.contains("The text was never changed"));
    annals.json(&["correct", &id, "We moved to Porto."]);
    let plain = annals.run(&["show", &id]).out;
    assert!(
        plain.contains("We moved to Porto.") && !plain.contains("Lisbon") && plain.contains("--history"),
        "{plain}"
    );
    let history = annals.run(&["show", &id, "--history"]).out;
    assert!(history.contains("until 2026-11-20 12:00") && history.contains("We moved to Lisbon."), "{history}");
    assert_eq!(annals.json(&["show", &id])["versions"][0]["text"], json!("We moved to Lisbon."));
}

#[test]
fn facts_are_shown_with_ids_and_local_days() {
    let annals = Annals::new();
    annals.json(&["agent", "create", "ann", "--time-zone", "Asia/Tokyo"]);
    let add = |object: &str, at: &str| {
        annals.json(&["facts", "add", "Ann", "likes", object, "--agent", "ann", "--at", at]);
    };
    add("figs", "2026-03-04T18:30:00Z");
    add("tea", "2026-03-10");
    let shown = annals.run(&["facts", "--agent", "ann"]).out;
    assert!(shown.contains("likes figs  since 2026-03-05") && shown.contains("likes tea  since 2026-03-10"), "{shown}");
    assert_eq!(shown.matches("Days are in the time zone Asia/Tokyo.").count(), 1, "{shown}");
    let facts = annals.json(&["facts", "--agent", "ann"]);
    let id = facts["facts"][0]["id"].as_str().unwrap();
    assert!(shown.contains(id), "{shown}");
    assert_eq!(facts["facts"][1]["valid_from"], json!("2026-03-09T15:00:00Z"), "a day begins at its midnight");
    // A day in `--as-of` is a local day of the agent.
    let as_of =
        |day: &str| annals.json(&["facts", "--agent", "ann", "--as-of", day])["facts"].as_array().unwrap().len();
    assert_eq!((as_of("2026-03-05"), as_of("2026-03-06"), as_of("2026-03-10")), (0, 1, 2));
}

#[test]
fn reset_of_a_prompt_is_reported() {
    let annals = Annals::new();
    annals.import(&days("ann", 1, 1));
    let reset = annals.run(&["prompt", "reset", "daily", "--agent", "ann"]);
    assert!(reset.out.contains("\"daily\" is reset to the built-in one"), "{} {}", reset.out, reset.err);
}

#[tokio::test]
async fn taken_port_is_reported_and_the_root_page_has_links() {
    let served = Served::new();
    let address = served.address.trim_start_matches("http://");
    let second = Annals::new().run(&["serve", "--listen", address]);
    assert_eq!(second.code, 9, "{}", second.err);
    assert!(second.err.contains(&format!("address already in use: {address};")), "{}", second.err);
    let page = Client::new().get(&served.address).send().await.unwrap();
    assert_eq!(page.status(), StatusCode::OK);
    let page = page.text().await.unwrap();
    assert!(page.contains("href=\"/docs\"") && page.contains("No memory is stored yet."), "{page}");
}

#[tokio::test]
async fn five_hundred_single_messages_stay_within_the_limits() {
    let message = |number: u32| {
        json!({ "conversation": "old", "messages": [
            { "role": "user", "id": number.to_string(), "content": format!("Message {number}.") }] })
    };
    let served = Served::new();
    for number in 0..500 {
        let (status, answer) = served.post("/v1/agents/ann/messages", &message(number)).await;
        assert_eq!(status, StatusCode::ACCEPTED, "{answer}");
    }
    // The answer to a client beyond the limit says when to retry, and how to send many messages in one request.
    let strict = Served::with(&["--set", "limits.requests_per_minute=1", "--set", "limits.burst=1"]);
    let send = |number: u32| {
        Client::new().post(format!("{}/v1/agents/ann/messages", strict.address)).json(&message(number)).send()
    };
    assert_eq!(send(0).await.unwrap().status(), StatusCode::ACCEPTED);
    let refused = send(1).await.unwrap();
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    assert!(refused.headers().contains_key("retry-after"));
    let problem: serde_json::Value = refused.json().await.unwrap();
    assert!(problem["detail"].as_str().unwrap().contains("one request may contain up to 1000 messages"), "{problem}");
}
