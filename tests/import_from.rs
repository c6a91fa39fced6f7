//! Imports from other programs: each kind is imported through the command, imported again, and found by a search. Also imports
//! over HTTP and from a watched folder, and the export as Markdown.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::command::{Annals, files};
use crate::service::Served;

pub fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../importers/fixtures").join(name);
    assert!(path.exists(), "{}", path.display());
    path.to_str().unwrap().to_owned()
}

/// Returns a ZIP archive with one file, not compressed.
pub fn zip(name: &str, content: &[u8]) -> Vec<u8> {
    let mut crc = flate2::Crc::new();
    crc.update(content);
    let (size, length) = (content.len() as u32, name.len() as u16);
    // Version, flags, method, time, date, checksum, sizes, length of the name, length of the extra field.
    let mut common = [20_u16, 0, 0, 0, 0x21].map(u16::to_le_bytes).concat();
    common.extend([crc.sum(), size, size].map(u32::to_le_bytes).concat());
    common.extend([length, 0].map(u16::to_le_bytes).concat());
    let mut archive = [b"PK\x03\x04", &common[..], name.as_bytes(), content].concat();
    let start = archive.len() as u32;
    // Comment, disk, attributes, offset of the file.
    let rest = [[0_u16, 0, 0].map(u16::to_le_bytes).concat(), [0_u32, 0].map(u32::to_le_bytes).concat()].concat();
    archive.extend([b"PK\x01\x02\x14\x00", &common[..], &rest, name.as_bytes()].concat());
    let directory = archive.len() as u32 - start;
    archive.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    archive.extend([directory, start].map(u32::to_le_bytes).concat());
    archive.extend([0, 0]);
    archive
}

fn sum(report: &Value, count: &str) -> u64 {
    let kinds = ["messages", "statements", "facts", "blocks", "documents"];
    kinds.iter().map(|kind| report["stored"][kind][count].as_u64().unwrap()).sum()
}

/// Kind, fixture, options, words to search for, and the text that is found.
const KINDS: [(&str, &str, &[&str], &str, &str); 11] = [
    (
        "chatgpt",
        "chatgpt.json",
        &["--me", "Ann", "--branches", "all"],
        "sourdough rise",
        "How long does sourdough rise?",
    ),
    ("claude", "claude.json", &["--tools", "--thinking"], "grows in shade", "What grows in shade?"),
    ("claude-code", "claude-code.jsonl", &["--me", "Ann", "--tools"], "flaky test", "Fix the flaky test"),
    // The first message was copied from the session that this one is a fork of.
    ("codex", "codex.jsonl", &[], "the docs", "Now the docs"),
    ("openclaw", "openclaw/workspace", &["--me", "Mira"], "filter capacitor", "Is it the filter capacitor?"),
    ("markdown", "markdown/obsidian", &["--me", "Rosa"], "train to Évora", "Booked the train to Évora."),
    ("letta", "letta/conversation.af", &[], "ferry leave", "When does the ferry leave?"),
    ("mem0", "mem0/page.json", &[], "window seats", "Prefers window seats"),
    ("slack", "slack/workspace", &["--me", "Hanna"], "oven", "Oven two is free"),
    (
        "whatsapp",
        "whatsapp/ios.txt",
        &["--me", "Tove", "--assistant", "Arvid"],
        "see the note",
        "Did you see the [14/10] note?",
    ),
    (
        "csv",
        "csv/english.csv",
        &["--columns", "content=text,at=date,name=speaker,conversation=thread"],
        "only a day",
        "Only a day",
    ),
];

#[test]
fn each_kind_is_imported_once_and_found() {
    for (kind, name, options, words, text) in KINDS {
        let annals = Annals::new();
        let path = fixture(name);
        let all =
            [&["import", "--from", kind, &path, "--agent", "ann", "--time-zone", "Europe/Lisbon"], options].concat();
        let report = annals.json(&all);
        assert!(sum(&report, "new") > 0 && sum(&report, "revised") == 0, "{kind}: {report}");
        let before = annals.dump();
        let again = annals.json(&all);
        assert_eq!((sum(&again, "new"), sum(&again, "revised")), (0, 0), "{kind}: {again}");
        assert_eq!(sum(&again, "known"), sum(&report, "new"), "{kind}: {again}");
        assert_eq!(annals.dump(), before, "{kind}");
        let found = annals.json(&["search", words, "--agent", "ann", "--grains", "working"]);
        let texts: Vec<&str> =
            found["results"].as_array().unwrap().iter().map(|result| result["text"].as_str().unwrap()).collect();
        assert!(texts.iter().any(|found| found.contains(text)), "{kind}: {texts:?}");
        annals.expect_sound_tables();
    }
}

#[test]
fn archive_is_recognised_and_imported() {
    let annals = Annals::new();
    let path = annals.file("export.zip", "");
    std::fs::write(&path, zip("conversations.json", &std::fs::read(fixture("chatgpt.json")).unwrap())).unwrap();
    let report = annals.json(&["import", path.to_str().unwrap(), "--agent", "ann"]);
    assert_eq!(report["from"], "chatgpt", "{report}");
    assert!(sum(&report, "new") > 0, "{report}");
}

#[test]
fn facts_of_the_reference_memory_server_are_facts() {
    let annals = Annals::new();
    let args = ["import", &fixture("mcp-memory/memory.jsonl"), "--from", "mcp-memory", "--agent", "ann"];
    let report = annals.json(&args);
    assert_eq!(report["stored"]["facts"]["new"], 6, "{report}");
    assert_eq!(annals.json(&args)["stored"]["facts"], json!({ "new": 0, "known": 6, "revised": 0, "forgotten": 0 }));
    let facts = annals.json_after(24, &["facts", "--agent", "ann", "--about", "Ines Faria"]);
    let objects: Vec<&str> =
        facts["facts"].as_array().unwrap().iter().map(|fact| fact["object"].as_str().unwrap()).collect();
    assert!(objects.contains(&"Atelier Lume") && objects.contains(&"Speaks four languages"), "{objects:?}");
}

#[test]
fn longer_export_adds_what_is_new() {
    let annals = Annals::new();
    let import = |name: &str| annals.json(&["import", &fixture(name), "--from", "slack", "--agent", "ann"]);
    import("slack/workspace");
    let longer = import("slack/longer");
    assert!(longer["stored"]["messages"]["new"].as_u64().unwrap() > 0, "{longer}");
    assert_eq!(import("slack/longer")["stored"]["messages"]["new"], 0);
}

#[test]
fn kind_is_detected_from_the_content_or_requested() {
    let annals = Annals::new();
    let report = annals.json(&["import", &fixture("claude-code.jsonl"), "--agent", "ann"]);
    assert_eq!(report["from"], "claude-code");
    for (args, expect) in [
        (&[fixture("chatgpt.json")][..], "--agent is missing; the source is chatgpt, which names no agent"),
        (&[fixture("csv/english.csv"), "--agent".into(), "ann".into()], "--from csv"),
        (
            &[fixture("chatgpt.json"), "--agent".into(), "ann".into(), "--revise".into()],
            "--revise has no effect on chatgpt",
        ),
        (
            &[
                fixture("mem0/page.json"),
                "--agent".into(),
                "ann".into(),
                "--from".into(),
                "mem0".into(),
                "--tools".into(),
            ],
            "--tools has no effect on mem0",
        ),
    ] {
        let args: Vec<&str> = std::iter::once("import").chain(args.iter().map(String::as_str)).collect();
        let answer = annals.run(&args);
        assert!(answer.code == 2 && answer.err.contains(expect), "{args:?}: {}", answer.err);
    }
    let plain = annals.file("plain.jsonl", "");
    let answer = annals.run(&["import", plain.to_str().unwrap(), "--me", "Ann"]);
    assert!(answer.code == 2 && answer.err.contains("--me has no effect on jsonl"), "{}", answer.err);
    let data = annals.data();
    let answer = annals.run(&["import", data.to_str().unwrap(), "--from", "markdown", "--agent", "ann"]);
    assert!(answer.code == 2 && answer.err.contains("is the data folder of Annals"), "{}", answer.err);
}

#[test]
fn dry_run_shows_what_would_be_stored_and_stores_nothing() {
    let annals = Annals::new();
    let args = ["import", &fixture("openclaw/workspace"), "--from", "openclaw", "--agent", "ann", "--dry-run"];
    let answer = annals.run(&args);
    assert_eq!(answer.code, 0, "{}", answer.err);
    for expect in ["Would import from openclaw for ann: ", "roles", "days", "people", "blocks", "Nothing was stored."] {
        assert!(answer.out.contains(expect), "{expect}: {}", answer.out);
    }
    assert!(!annals.data().exists());
    let report = annals.json(&args);
    assert_eq!(report["stored"], Value::Null);
    let skipped = report["skipped"].as_array().unwrap();
    assert!(skipped.iter().all(|skipped| skipped["count"].as_u64().unwrap() > 0 && skipped["place"] != ""), "{report}");
    // A dry run also reports messages in our own format.
    let lines = annals.file("own.jsonl", &crate::story::days("ann", 3, 2));
    let report = annals.json(&["import", lines.to_str().unwrap(), "--dry-run"]);
    assert_eq!((&report["from"], &report["found"]["messages"]), (&json!("jsonl"), &json!(6)), "{report}");
    assert!(!annals.data().exists());
}

#[test]
fn import_of_nothing_but_damaged_rows_fails() {
    let annals = Annals::new();
    let path = annals.file("chat.csv", "");
    let import = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        annals.run(&["import", path.to_str().unwrap(), "--from", "csv", "--agent", "ann"])
    };
    let damaged = import(b"timestamp,author,message\n2026-03-04 10:00,Ann,Caf\xe9\n");
    assert_eq!(damaged.code, 2, "{}", damaged.err);
    assert!(damaged.err.contains("the source holds nothing that can be imported"), "{}", damaged.err);
    assert!(damaged.out.contains("damaged row") && damaged.out.contains("save the file as UTF-8"), "{}", damaged.out);
    let partly = import("timestamp,author,message\n2026-03-04 10:00,Ann,Café\nsoon,Ann,Tea\n".as_bytes());
    assert!(partly.code == 0 && partly.out.contains("1 new"), "{}{}", partly.out, partly.err);
}

#[test]
fn names_that_nobody_has_are_reported() {
    #[track_caller]
    fn check(kind: &str, name: &str, options: &[&str], expect: &str) {
        let annals = Annals::new();
        let path = fixture(name);
        let answer = annals.run(&[&["import", &path, "--from", kind, "--agent", "ann"], options].concat());
        assert_eq!(answer.code, 0, "{}", answer.err);
        let reported: Vec<&str> = answer.err.lines().filter(|line| line.starts_with("annals: ")).collect();
        assert_eq!(reported.is_empty(), expect.is_empty(), "{reported:?}");
        assert!(reported.join(" ").contains(expect), "{reported:?}");
    }
    check("whatsapp", "whatsapp/ios.txt", &["--me", "tove"], "");
    check("whatsapp", "whatsapp/ios.txt", &["--me", "Nobody"], "--me \"Nobody\" is none of the people here: ");
    check("whatsapp", "whatsapp/ios.txt", &["--assistant", "Nobody"], "nothing here is from --assistant \"Nobody\"");
    check("slack", "slack/workspace", &["--me", "Hanna"], "");
}

#[test]
fn standard_input_is_imported() {
    let annals = Annals::new();
    let mut command = annals.command(&["import", "-", "--from", "claude-code", "--agent", "ann", "--json"]);
    let input = std::fs::File::open(fixture("claude-code.jsonl")).unwrap();
    let output = command.stdin(input).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report["stored"]["messages"]["new"].as_u64().unwrap() > 0, "{report}");
}

#[test]
fn import_that_was_killed_is_completed() {
    let line = |number: u32| {
        let (minute, second) = (number / 60 % 60, number % 60);
        format!(
            "{{\"type\":\"user\",\"uuid\":\"u{number}\",\"sessionId\":\"s\",\"timestamp\":\"2026-05-01T10:{minute:02}:{second:02}.000Z\",\
             \"message\":{{\"role\":\"user\",\"content\":\"Line {number} about boats\"}}}}\n"
        )
    };
    let annals = Annals::new();
    let file = annals.file("session.jsonl", &(0..3000).map(line).collect::<String>());
    let args = ["import", file.to_str().unwrap(), "--from", "claude-code", "--agent", "ann"];
    let mut child = annals.command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let catalog = annals.data().join("catalog.sqlite");
    while !catalog.exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(400));
    let _ = child.kill();
    child.wait().unwrap();
    let report = annals.json(&args);
    assert_eq!(sum(&report, "new") + sum(&report, "known"), 3000, "{report}");
    assert_eq!(annals.json(&args)["stored"]["messages"]["known"], 3000);
    assert_eq!(annals.json(&["status", "--agent", "ann"])["agents"][0]["memories"]["working"], 3000);
    annals.expect_sound_tables();
}

#[test]
fn watched_folder_is_imported_as_it_grows() {
    let annals = Annals::new();
    let sessions = annals.data().with_file_name("sessions");
    std::fs::create_dir(&sessions).unwrap();
    let line = |number: u32, text: &str| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"w{number}\",\"sessionId\":\"s\",\"timestamp\":\"2026-05-01T10:00:0{number}.000Z\",\
             \"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n"
        )
    };
    let path = sessions.to_str().unwrap();
    let args = ["import", path, "--from", "claude-code", "--agent", "ann", "--watch=1"];
    let mut child = annals.command(&args).stdout(Stdio::null()).spawn().unwrap();
    let has_count = |count: u64| {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(60) {
            let answer = annals.run(&["status", "--agent", "ann", "--json"]);
            let status: Value = serde_json::from_str(&answer.out).unwrap_or_default();
            if status["agents"][0]["memories"]["working"] == count {
                return true;
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        false
    };
    std::fs::write(sessions.join("s.jsonl"), line(1, "Hello boats")).unwrap();
    assert!(has_count(1));
    std::fs::write(sessions.join("s.jsonl"), line(1, "Hello boats") + &line(2, "More boats")).unwrap();
    assert!(has_count(2));
    let interrupted = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    assert!(child.wait().unwrap().success());
}

#[tokio::test]
async fn upload_is_imported_by_the_service() {
    let served = Served::new();
    let client = reqwest::Client::new();
    let upload = async |query: &str, body: Vec<u8>| {
        let url = format!("{}/v1/agents/ann/imports?{query}", served.address);
        let response = client.post(url).body(body).send().await.unwrap();
        (response.status().as_u16(), response.json::<Value>().await.unwrap())
    };
    let session = std::fs::read(fixture("claude-code.jsonl")).unwrap();
    for expect in ["new", "known"] {
        let (status, view) = upload("from=claude-code&me=Ann", session.clone()).await;
        assert_eq!(status, 202, "{view}");
        let operation = format!("/v1/operations/{}", view["operation_id"].as_str().unwrap());
        let report = loop {
            let (_, view) = served.get(&operation).await;
            match view["status"].as_str().unwrap() {
                "done" => break view["report"].clone(),
                "failed" => panic!("{view}"),
                _ => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        };
        assert!(report["stored"]["messages"][expect].as_u64().unwrap() > 0, "{report}");
    }
    let (_, found) = served.post("/v1/agents/ann/search", &json!({ "query": "flaky test" })).await;
    assert!(found.to_string().contains("Fix the flaky test"), "{found}");
    for (query, body, expect) in [
        ("from=slak", session.clone(), "expected one of chatgpt"),
        ("from=chatgpt", Vec::new(), "the body is empty"),
        ("from=chatgpt", b"PK\x03\x04damaged".to_vec(), "is not a readable ZIP archive"),
    ] {
        let (status, problem) = upload(query, body).await;
        assert!(status == 400 && problem["detail"].as_str().unwrap().contains(expect), "{problem}");
    }
    // While the service runs, the import command forwards the import to it.
    let report = served.annals.json(&["import", &fixture("mem0/page.json"), "--from", "mem0", "--agent", "ann"]);
    assert!(report["stored"]["statements"]["new"].as_u64().unwrap() > 0, "{report}");
}

#[test]
fn markdown_export_replaces_its_own_notes_only() {
    let annals = Annals::new();
    annals.import(&crate::story::days("ann", 40, 3));
    annals.json(&["rollup"]);
    let notes = annals.data().with_file_name("notes");
    let export = |agent: &str| annals.run(&["export", "--agent", agent, "--markdown", notes.to_str().unwrap()]);
    let answer = export("ann");
    assert_eq!(answer.code, 0, "{}", answer.err);
    let names = |notes: &Path| -> Vec<PathBuf> {
        files(notes).into_iter().map(|file| file.strip_prefix(notes).unwrap().to_owned()).collect()
    };
    let written = names(&notes);
    let daily = written.iter().filter(|name| name.to_str().unwrap().starts_with("memory/2026-")).count();
    assert!(daily >= 40, "{written:?}");
    let day = std::fs::read_to_string(files(&notes.join("memory")).into_iter().next().unwrap()).unwrap();
    assert!(day.starts_with("---\n"), "{day}");
    std::fs::write(notes.join("mine.md"), "My own note.").unwrap();
    assert_eq!(export("ann").code, 0);
    assert_eq!(names(&notes).len(), written.len() + 1);
    // A note never replaces a file that somebody else wrote: nothing is written then.
    annals.import(&crate::story::line("ann", "new", "new", "Ann", "A day of its own.", "2026-05-24T10:00:00Z"));
    let foreign = notes.join("memory/2026-05-24.md");
    std::fs::write(&foreign, "My plans.").unwrap();
    let refused = export("ann");
    assert!(refused.code == 2 && refused.err.contains("2026-05-24.md"), "{}", refused.err);
    assert_eq!(std::fs::read_to_string(&foreign).unwrap(), "My plans.");
    std::fs::remove_file(&foreign).unwrap();
    assert_eq!(export("ann").code, 0);
    // Another agent, or a folder of somebody else, is refused.
    annals.import(&crate::story::days("bob", 1, 1));
    let refused = export("bob");
    assert!(refused.code == 2 && refused.err.contains("holds the export of another agent"), "{}", refused.err);
    std::fs::remove_file(notes.join(".annals-export.json")).unwrap();
    let refused = export("ann");
    assert!(refused.code == 2 && refused.err.contains("is not empty"), "{}", refused.err);
    // The notes are a source, too.
    let other = Annals::new();
    let report =
        other.json(&["import", notes.to_str().unwrap(), "--from", "markdown", "--agent", "ann", "--me", "Ann"]);
    assert!(report["stored"]["messages"]["new"].as_u64().unwrap() >= 40, "{report}");
}
