//! Other kinds of files: readable ones are imported, all others are refused in one sentence.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::command::Annals;
use crate::story::{days, line};

fn write(annals: &Annals, name: &str, bytes: &[u8]) -> PathBuf {
    let path = annals.file(name, "");
    std::fs::write(&path, bytes).unwrap();
    path
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut child = Command::new("gzip").arg("-c").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    child.wait_with_output().unwrap().stdout
}

fn import(annals: &Annals, path: &Path) -> Value {
    annals.json(&["import", path.to_str().unwrap()])
}

#[test]
fn byte_order_mark_json_list_and_gzip_are_read() {
    let lines = days("ann", 3, 2);
    let list = format!("[{}]", lines.trim_end().replace('\n', ",\n  "));
    let marked = |text: &str| [b"\xef\xbb\xbf", text.as_bytes()].concat();
    let (half, rest) = lines.as_bytes().split_at(lines.len() / 2);
    let kinds = [
        ("marked.jsonl", marked(&lines)),
        ("list.json", list.clone().into_bytes()),
        ("marked.json", marked(&list)),
        ("lines.jsonl.gz", gzip(lines.as_bytes())),
        ("list.json.gz", gzip(&marked(&list))),
        ("two.gz", [gzip(half), gzip(rest)].concat()),
    ];
    for (name, bytes) in kinds {
        let annals = Annals::new();
        assert_eq!(import(&annals, &write(&annals, name, &bytes))["accepted"], json!(6), "{name}");
    }
    // Also from standard input, and with an export.
    let annals = Annals::new();
    annals.import(&lines);
    let export = annals.run(&["export", "--agent", "ann"]).out;
    let other = Annals::new();
    let file = write(&other, "ann.gz", &gzip(export.as_bytes()));
    let mut command = other.command(&["import", "-", "--json"]);
    let output = command.stdin(std::fs::File::open(file).unwrap()).output().unwrap();
    let imported: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&imported["restored_messages"], &imported["accepted"]), (&json!(6), &json!(0)), "{imported}");
}

#[test]
fn file_without_messages_is_refused_in_one_sentence() {
    #[track_caller]
    fn check(name: &str, bytes: &[u8], expect: &str) {
        let annals = Annals::new();
        let path = write(&annals, name, bytes);
        let answer = annals.run(&["import", path.to_str().unwrap()]);
        assert_eq!(answer.code, 2, "{}", answer.err);
        assert!(answer.err.contains(expect), "{}", answer.err);
        assert_eq!(answer.err.lines().count(), 1, "{}", answer.err);
        assert!(!annals.data().exists());
    }
    check("chat.zip", b"PK\x03\x04whatever", "is not a readable ZIP archive");
    check("photo.png", b"\x89PNG\r\n\x1a\n\0\0\0", "is an image");
    check("photo.jpg", b"\xff\xd8\xff\xe0\0", "is an image");
    check(
        "chat.txt",
        "\u{feff}hi".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>().as_slice(),
        "is UTF-16",
    );
    check("random", b"ab\0cd\n", "is not text");
    let prose = "Dear diary,\ntoday I sold the boat.\n".repeat(60);
    check(
        "diary.txt",
        prose.as_bytes(),
        "line 1: the line is not JSON: expected value at column 1. A file of messages has",
    );
    let numbers: String = (1..200).map(|number| format!("{number}\n")).collect();
    check("numbers.txt", numbers.as_bytes(), "line 1: the line is not a JSON object. A file of messages has");
    let tuning = "{\"messages\": [], \"model\": \"x\"}\n".repeat(60);
    check("tuning.jsonl", tuning.as_bytes(), "line 1: agent is missing. A file of messages has");
    check("list.json", b"[{\"agent\": ", "is not a valid JSON list");
    let chatgpt = br#"[{"title": "Boats", "mapping": {}, "create_time": 1}]"#;
    check("conversations.json", chatgpt, "--agent is missing; the source is chatgpt");
    check("other.json", br#"["a"]"#, "element 1: the line is not a JSON object");
}

#[test]
fn folder_and_unknown_format_are_explained() {
    let annals = Annals::new();
    let folder = annals.data().with_file_name("folder");
    std::fs::create_dir(&folder).unwrap();
    let folder = folder.to_str().unwrap();
    let answer = annals.run(&["import", folder]);
    assert_eq!((answer.code, answer.err.contains("contains no files")), (2, true), "{}", answer.err);
    std::fs::write(format!("{folder}/other.txt"), "Nothing known.").unwrap();
    let answer = annals.run(&["import", folder]);
    assert!(answer.code == 2 && answer.err.contains("expected one of chatgpt, claude"), "{}", answer.err);
    let answer = annals.run(&["import", "--from", "jsonl", folder]);
    assert_eq!((answer.code, answer.err.contains("is a folder without .jsonl files")), (2, true), "{}", answer.err);
    let answer = annals.run(&["import", "--format", "diary", "x.json"]);
    assert_eq!(answer.code, 2);
    assert!(answer.err.contains("convert other formats first") && !answer.err.contains("unforget"), "{}", answer.err);
}

#[test]
fn folder_of_json_lines_is_imported_in_order_of_name_or_not_at_all() {
    let annals = Annals::new();
    let folder = annals.data().with_file_name("folder");
    std::fs::create_dir(&folder).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    let said = |id: &str, text: &str| line("ann", "talk", id, "Ann", text, "2026-03-04T10:00:00Z");
    write("b.jsonl", &said("2", "Second."));
    write("a.jsonl", &said("1", "First."));
    write("notes.txt", "Not imported.");
    write("c.jsonl", &(said("3", "Third.") + "not JSON\n"));
    for more in [&[][..], &["--from", "jsonl"]] {
        let answer = annals.run(&[&["import", folder.to_str().unwrap()], more].concat());
        assert!(answer.code == 2 && answer.err.contains("c.jsonl") && answer.err.contains("line 2"), "{}", answer.err);
        assert!(!annals.data().exists());
    }
    write("c.jsonl", &said("3", "Third."));
    let answer = annals.run(&["import", folder.to_str().unwrap()]);
    assert!(answer.out.contains("3 new messages"), "{} {}", answer.out, answer.err);
    let listed = annals.run(&["timeline", "--agent", "ann", "--grains", "working"]).out;
    let places: Vec<_> = ["First.", "Second.", "Third."].iter().map(|text| listed.find(text)).collect();
    assert!(places.is_sorted() && places[0].is_some(), "{listed}");

    for name in ["a.jsonl", "b.jsonl", "c.jsonl"] {
        std::fs::remove_file(folder.join(name)).unwrap();
    }
    std::fs::write(folder.join("d.jsonl.gz"), gzip(said("4", "Fourth.").as_bytes())).unwrap();
    let answer = annals.run(&["import", folder.to_str().unwrap()]);
    assert!(answer.out.contains("1 new message"), "{} {}", answer.out, answer.err);
}

#[test]
fn import_of_an_export_reports_what_was_restored() {
    let annals = Annals::new();
    annals.import(&days("ann", 10, 2));
    annals.json(&["rollup"]);
    let file = annals.data().with_file_name("ann.jsonl");
    annals.run(&["export", "--agent", "ann", file.to_str().unwrap()]);
    let other = Annals::new();
    let refused = other.run(&["import", file.to_str().unwrap(), "--time-zone", "Asia/Tokyo"]);
    assert!(refused.code == 2 && refused.err.contains("--time-zone has no effect on an export"), "{}", refused.err);
    assert!(!other.data().exists());
    let restored = other.run(&["import", file.to_str().unwrap()]);
    let first = restored.out.lines().next().unwrap_or_default();
    assert!(
        first.starts_with("Restored ") && first.contains("among them 20 messages, 14 summaries"),
        "{}",
        restored.out
    );
    assert!(!restored.out.contains("Imported 0"), "{}", restored.out);
}

#[test]
fn progress_is_written_to_a_log() {
    let annals = Annals::new();
    let file = annals.file("long.jsonl", &days("ann", 40, 30));
    let answer = annals.run(&["import", file.to_str().unwrap()]);
    assert_eq!(answer.code, 0, "{}", answer.err);
    for stage in ["storing", "embedding"] {
        let progress: Vec<&str> = answer.err.lines().filter(|line| line.starts_with(stage)).collect();
        assert!((2..=11).contains(&progress.len()), "{}", answer.err);
        assert_eq!(progress.last(), Some(&&*format!("{stage}: 1,200 of 1,200")));
    }
    assert_eq!(annals.run(&["import", file.to_str().unwrap(), "--json"]).err, "");
}
