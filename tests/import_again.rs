//! Tests of what an import stores, through the command: dates come from the source and never from the clock, statements and
//! documents are stored as such, and a repeated import is recognised.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::command::Annals;
use crate::import_from::{fixture, zip};
use crate::service::Served;

/// Writes files with a time into a folder beside the data folder.
fn folder(annals: &Annals, files: &[(&str, &str)], written: &str) -> String {
    let folder = annals.data().with_file_name("source");
    let _ = std::fs::remove_dir_all(&folder);
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        date(&path, written);
    }
    folder.to_str().unwrap().to_owned()
}

fn date(path: &Path, written: &str) {
    let written: jiff::Timestamp = written.parse().unwrap();
    File::options().write(true).open(path).unwrap().set_modified(written.into()).unwrap();
}

fn import(annals: &Annals, kind: &str, path: &str) -> Value {
    annals.json(&["import", path, "--from", kind, "--agent", "ann"])["stored"].clone()
}

fn texts(annals: &Annals, args: &[&str]) -> Vec<String> {
    let found = annals.json(&[&["search"], args, &["--agent", "ann", "--grains", "working"]].concat());
    let results = found["results"].as_array().unwrap();
    results.iter().map(|result| format!("{} {}", result["date"], result["text"]).replace('"', "")).collect()
}

#[test]
fn items_without_a_date_are_dated_by_their_file_and_never_by_the_clock() {
    let annals = Annals::new();
    let files =
        [("MEMORY.md", "Ann lives in Bern."), ("SOUL.md", "Be kind."), ("memory/projects.md", "# Boat\nPaint it.")];
    let path = folder(&annals, &files, "2026-02-03T10:00:00Z");
    let args = ["import", &path, "--from", "openclaw", "--agent", "ann"];
    let stored = &annals.json(&args)["stored"];
    assert_eq!((&stored["blocks"]["new"], &stored["documents"]["new"]), (&json!(2), &json!(1)), "{stored}");
    let dump = annals.dump();
    assert!(dump.contains("2026-02-03T10:00:00Z") && !dump.contains("2026-11-2"), "{dump}");
    assert_eq!(texts(&annals, &["paint the boat"]), ["2026-02-03 projects.md\\n# Boat\\nPaint it."]);
    // The second import is on another day, after the files were copied.
    for (name, _) in files {
        date(&Path::new(&path).join(name), "2026-11-19T10:00:00Z");
    }
    let again = annals.json_after(100, &args)["stored"].clone();
    assert_eq!((&again["blocks"]["known"], &again["documents"]["known"]), (&json!(2), &json!(1)), "{again}");
    assert_eq!(annals.dump(), dump);
}

/// An upload has no time of its own, so the newest time in it counts.
#[test]
fn memory_of_an_export_is_dated_by_the_export() {
    let annals = Annals::new();
    let chat = r#"[{"uuid": "c1", "name": "Boats", "chat_messages": [{"uuid": "m1", "sender": "human", "text": "Ahoy",
        "created_at": "2026-01-05T08:00:00Z"}]}, {"conversations_memory": "Ann sails.", "account_uuid": "a"}]"#;
    let mut child = annals.command(&["import", "-", "--from", "claude", "--agent", "ann"]);
    let file = annals.file("c.json", chat);
    assert!(child.stdin(File::open(file).unwrap()).output().unwrap().status.success());
    assert!(texts(&annals, &["sails"])[0].starts_with("2026-01-05 "), "{:?}", texts(&annals, &["sails"]));
    // The memory of ChatGPT has the date of the conversation that contains it.
    let stored = import(&annals, "chatgpt", &fixture("chatgpt.json"));
    assert!(stored["documents"]["new"].as_u64() > Some(0), "{stored}");
    let listed = annals.json(&["document", "list", "--agent", "ann", "--collection", "chatgpt"]);
    let updated = listed["documents"][0]["updated_at"].as_str().unwrap();
    assert!(updated < "2026-11", "{listed}");
}

#[test]
fn memories_of_mem0_are_statements() {
    let annals = Annals::new();
    import(&annals, "mem0", &fixture("mem0/page.json"));
    let found = annals.json(&["search", "window seats", "--agent", "ann", "--kinds", "fact"]);
    let first = &found["results"][0];
    assert_eq!((&first["kind"], &first["conversation"]), (&json!("statement"), &Value::Null), "{found}");
    assert!(first["text"].as_str().unwrap().contains("window seats"), "{found}");
    let context = annals.run(&["context", "which seats does Ann prefer, window or aisle?", "--agent", "ann"]);
    assert!(context.out.contains("window seats"), "{}", context.out);
    assert_eq!(annals.json(&["conversations", "--agent", "ann"])["conversations"], json!([]));
    annals.expect_sound_tables();
    let verified = annals.run(&["verify"]);
    assert_eq!(verified.code, 0, "{}{}", verified.out, verified.err);
}

#[test]
fn forgotten_items_are_not_stored_by_the_next_import() {
    let annals = Annals::new();
    let notes = [
        ("MEMORY.md", "Zelda Quist is a friend."),
        ("memory/friends.md", "Zelda Quist plays the harp."),
        ("memory/2026-03-09.md", "# Notes\nMet Zelda Quist."),
    ];
    let path = folder(&annals, &notes, "2026-04-01T10:00:00Z");
    let memory =
        r#"{"type": "entity", "name": "Zelda Quist", "entityType": "person", "observations": ["Plays the harp"]}"#;
    let graph = annals.file("memory.jsonl", memory);
    let mem0 = annals.file(
        "mem0.json",
        r#"[{"id": "1", "memory": "Knows Zelda Quist", "user_id": "ann", "created_at": "2026-02-01T10:00:00Z"}]"#,
    );
    let all = || {
        ["openclaw", "mcp-memory", "mem0"]
            .into_iter()
            .zip([path.as_str(), graph.to_str().unwrap(), mem0.to_str().unwrap()])
            .map(|(kind, path)| import(&annals, kind, path))
            .collect::<Vec<_>>()
    };
    all();
    let forgotten = annals.run(&["forget", "--agent", "ann", "--subject", "Zelda Quist", "--yes"]);
    assert_eq!(forgotten.code, 0, "{}{}", forgotten.out, forgotten.err);
    let before = annals.dump();
    let again = all();
    let counts = |stored: &Value, kind: &str| [stored[kind]["new"].as_u64(), stored[kind]["forgotten"].as_u64()];
    for kind in ["messages", "blocks", "documents"] {
        assert_eq!(counts(&again[0], kind), [Some(0), Some(1)], "{kind}: {}", again[0]);
    }
    assert_eq!(counts(&again[1], "facts"), [Some(0), Some(2)], "{}", again[1]);
    assert_eq!(counts(&again[2], "statements"), [Some(0), Some(1)], "{}", again[2]);
    assert_eq!(annals.dump(), before);
    assert!(!before.contains("Zelda"), "{before}");
    let stdout = annals.run(&["import", &path, "--from", "openclaw", "--agent", "ann"]).out;
    assert!(stdout.contains("3 items skipped: forgotten before"), "{stdout}");
    let wanted = annals.json(&["import", &path, "--from", "openclaw", "--agent", "ann", "--unforget"]);
    assert_eq!(wanted["stored"]["blocks"]["new"], 1, "{wanted}");
}

#[test]
fn section_that_was_removed_from_a_note_is_no_longer_found() {
    let annals = Annals::new();
    let before = folder(&annals, &[("ideas.md", "# Tea\nGreen with jasmine.\n# Cake\nApple.")], "2026-02-01T10:00:00Z");
    import(&annals, "markdown", &before);
    assert!(texts(&annals, &["jasmine"])[0].contains("jasmine"));
    folder(&annals, &[("ideas.md", "# Cake\nApple.")], "2026-02-02T10:00:00Z");
    assert_eq!(import(&annals, "markdown", &before)["documents"]["revised"], 1);
    let left = texts(&annals, &["jasmine"]);
    assert!(left.iter().all(|text| !text.contains("jasmine")), "{left:?}");
    annals.expect_sound_tables();
}

#[test]
fn documents_are_listed_shown_deleted_and_named_by_searches() {
    let annals = Annals::new();
    let long = format!("# Boat\nPaint it.\n\n# Sea\n{}", "The sea is wide and cold. ".repeat(200));
    let path = folder(&annals, &[("boats/plan.md", &long), ("tea.md", "Green tea.")], "2026-02-01T10:00:00Z");
    import(&annals, "markdown", &path);
    let found = annals.run(&["search", "paint the boat", "--agent", "ann"]);
    assert!(found.out.contains("markdown/boats/plan.md#0"), "{}", found.out);
    let listed = annals.run(&["document", "list", "--agent", "ann"]);
    assert!(listed.out.contains("markdown/boats/plan.md") && listed.out.contains("markdown/tea.md"), "{}", listed.out);
    let limited = annals.json(&["document", "list", "--agent", "ann", "--limit", "1"]);
    assert_eq!(limited["documents"].as_array().unwrap().len(), 1);
    let shown = annals.run(&["document", "show", "markdown/tea.md", "--agent", "ann"]);
    assert!(shown.out.contains("Green tea."), "{}", shown.out);
    assert_eq!(annals.run(&["document", "delete", "markdown/tea.md", "--agent", "ann"]).code, 0);
    for (place, expect) in [("markdown/tea.md", "document"), ("tea", "expected COLLECTION/KEY")] {
        let answer = annals.run(&["document", "show", place, "--agent", "ann"]);
        assert!(answer.code != 0 && answer.err.contains(expect), "{place}: {}", answer.err);
    }
    assert_eq!(texts(&annals, &["green tea"]).iter().filter(|text| text.contains("Green")).count(), 0);
}

#[test]
fn titles_of_conversations_are_listed_and_exported() {
    let annals = Annals::new();
    import(&annals, "chatgpt", &fixture("chatgpt.json"));
    let listed = annals.json(&["conversations", "--agent", "ann"]);
    let titles: Vec<&str> =
        listed["conversations"].as_array().unwrap().iter().filter_map(|entry| entry["title"].as_str()).collect();
    assert!(!titles.is_empty(), "{listed}");
    let plain = annals.run(&["conversations", "--agent", "ann"]).out;
    assert!(plain.contains(titles[0]), "{plain}");
    let notes = annals.data().with_file_name("notes");
    assert_eq!(annals.run(&["export", "--agent", "ann", "--markdown", notes.to_str().unwrap()]).code, 0);
    let written: String =
        crate::command::files(&notes).iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
    assert!(written.contains(&format!("## {} · chatgpt:", titles[0])), "{written}");
}

#[tokio::test]
async fn upload_that_a_kill_interrupted_is_not_unknown() {
    let served = Served::new();
    let line = |number: u32| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"u{number}\",\"sessionId\":\"s\",\"timestamp\":\"2026-05-01T10:{:02}:{:02}.000Z\",\
             \"message\":{{\"role\":\"user\",\"content\":\"Line {number} about boats\"}}}}\n",
            number / 60 % 60,
            number % 60
        )
    };
    let body: String = (0..3000).map(line).collect();
    let upload = async |served: &Served, body: String| {
        let url = format!("{}/v1/agents/ann/imports?from=claude-code", served.address);
        let view: Value = reqwest::Client::new().post(url).body(body).send().await.unwrap().json().await.unwrap();
        format!("/v1/operations/{}", view["operation_id"].as_str().unwrap_or_else(|| panic!("{view}")))
    };
    let small = upload(&served, line(0)).await;
    loop {
        match served.get(&small).await.1["status"].as_str().unwrap() {
            "done" => break,
            "waiting" | "running" => tokio::time::sleep(std::time::Duration::from_millis(20)).await,
            other => panic!("{other}"),
        }
    }
    let operation = upload(&served, body.clone()).await;
    let served = Served::over(served.kill());
    let (_, ended) = served.get(&small).await;
    assert_eq!((&ended["status"], &ended["report"], &ended["error"]), (&json!("done"), &Value::Null, &Value::Null));
    let (status, view) = served.get(&operation).await;
    assert_eq!((status.as_u16(), &view["status"], &view["from"]), (200, &json!("interrupted"), &json!("claude-code")));
    assert!(view["error"].as_str().unwrap().contains("send the same file again"), "{view}");
    let again = upload(&served, body).await;
    let report = loop {
        let (_, view) = served.get(&again).await;
        match view["status"].as_str().unwrap() {
            "done" => break view["report"].clone(),
            "waiting" | "running" => tokio::time::sleep(std::time::Duration::from_millis(50)).await,
            other => panic!("{other}: {view}"),
        }
    };
    let counts = &report["stored"]["messages"];
    assert_eq!(counts["new"].as_u64().unwrap() + counts["known"].as_u64().unwrap(), 3000, "{report}");
}

#[test]
fn times_of_an_archive_date_its_entries() {
    let annals = Annals::new();
    let path = annals.file("export.zip", "");
    std::fs::write(&path, zip("memories.json", br#"[{"conversations_memory": "Ann sails.", "account_uuid": "a"}]"#))
        .unwrap();
    // Neither the archive nor its content has a time, so the document is undated.
    import(&annals, "claude", path.to_str().unwrap());
    assert!(texts(&annals, &["sails"])[0].starts_with("1970-01-01"), "{:?}", texts(&annals, &["sails"]));
}

#[test]
fn killed_while_it_embeds_everything_is_stored_and_a_search_does_not_wait_for_the_rest() {
    let annals = Annals::new();
    let line = |number: u32| {
        crate::story::line("ann", "c", &number.to_string(), "Ann", &format!("Note {number}."), "2026-03-04T10:00:00Z")
    };
    let path = annals.file("long.jsonl", &(0..8_000).map(line).collect::<String>());
    let mut import = annals.command(&["import", path.to_str().unwrap()]).stderr(Stdio::piped()).spawn().unwrap();
    let stored = BufReader::new(import.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!({ stored }.any(|line| line == "storing: 8,000 of 8,000"));
    import.kill().unwrap();
    import.wait().unwrap();
    let found = annals.json(&["search", "note", "--agent", "ann"]);
    let why = found["incomplete_because"].as_str().unwrap();
    assert!(why.contains("messages wait to be embedded"), "{why}");
    assert_eq!(annals.json(&["status"])["agents"][0]["memories"]["working"], json!(8_000));
}
