//! Exports everything of an agent and imports it again.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::command::Annals;
use crate::documents::{PERSON, with_documents};
use crate::service::Served;
use crate::story::{days, line};

/// Creates a folder with data of every kind: summaries, a sealed past, facts by rule and by hand, a correction, a pin, a late
/// message.
fn full() -> Annals {
    let annals = Annals::new();
    annals
        .import(&(days("ann", 100, 2) + &line("ann", "home", "1", "Ann", "I live in Porto.", "2026-01-05T10:00:00Z")));
    annals.json(&["rollup"]);
    annals.json(&["facts", "add", "Bob", "works_at", "the harbour", "--agent", "ann", "--since", "2025-05-01"]);
    let days_of_april = ["timeline", "--agent", "ann", "--grain", "working", "--from", "2026-04-01"];
    let late = annals.json(&days_of_april);
    let [first, last] = [0, 1].map(|index| late["memories"][index]["id"].as_str().unwrap().to_owned());
    annals.json(&["pin", &first]);
    annals.json(&["correct", &last, "On the first of April I went nowhere at all."]);
    annals.json(&["rollup"]);
    annals.json(&["agent", "set", "ann", "--plan", "starter"]);
    annals.json(&["retain", "--trust-clock"]);
    annals.import(&line(
        "ann",
        "late",
        "1",
        "Ann",
        "I forgot to say that the cello was sold in January.",
        "2026-01-09T10:00:00Z",
    ));
    annals.json(&["rollup"]);
    annals
}

#[test]
fn export_imported_into_an_empty_folder_gives_the_same_dump() {
    let from = with_documents(&full());
    let dump = from.dump();
    for held in ["a former note", "Not searched.", "a rope", "attachment", PERSON] {
        assert!(dump.to_lowercase().contains(&held.to_lowercase()), "{held} is in the dump");
    }
    let file = from.data().with_file_name("ann.jsonl");
    let written = from.run(&["export", "--agent", "ann", file.to_str().unwrap()]);
    assert_eq!(written.code, 0, "{}", written.err);
    let to = Annals::new();
    let imported = to.json(&["import", file.to_str().unwrap()]);
    assert!(imported["restored"].as_u64().unwrap() > 100);
    assert_eq!(to.dump(), from.dump());
    assert_eq!(to.json(&["verify"])["sound"], json!(true));
    // The imported agent continues like the original.
    assert_eq!(to.json(&["rollup"]), from.json(&["rollup"]));
    let again = to.run(&["export", "--agent", "ann"]);
    assert_eq!(again.out, std::fs::read_to_string(&file).unwrap());
}

/// Returns the lines of the turns, because a running service writes summaries meanwhile.
fn turns(annals: &Annals) -> Vec<String> {
    let dump = annals.dump();
    dump.lines().filter(|line| line.contains(r#""kind":"turn""#)).map(str::to_owned).collect()
}

/// Tries every way to write into the data folder.
fn check_that_no_export_enters_the_data_folder(annals: &Annals) {
    let (data, beside) = (annals.data(), annals.data().with_file_name("link"));
    std::os::unix::fs::symlink(&data, &beside).unwrap();
    let before = turns(annals);
    assert_eq!(before.len(), 6);
    for folder in [data.clone(), beside, data.join("tables/../absent/..")] {
        let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
        for args in [
            vec!["export", "--agent", "ann", &path("catalog.sqlite")],
            vec!["export", "--agent", "ann", "--markdown", &path("notes")],
            vec!["export", "--agent", "ann", "--parquet", &path("")],
            vec!["facts", "--agent", "ann", "--parquet", &path("catalog.sqlite")],
            vec!["backup", &path("backups")],
        ] {
            let refused = annals.run(&args);
            assert_eq!((refused.code, refused.err.contains("data folder")), (2, true), "{args:?}: {}", refused.err);
        }
    }
    assert_eq!(turns(annals), before);
    for name in ["notes", "facts.parquet", "backups", "absent"] {
        assert!(!data.join(name).exists(), "{name}");
    }
}

#[test]
fn exports_into_the_data_folder_are_refused() {
    let annals = Annals::new();
    annals.import(&days("ann", 3, 2));
    check_that_no_export_enters_the_data_folder(&annals);
}

#[tokio::test]
async fn exports_into_the_data_folder_of_a_running_service_are_refused() {
    let annals = Annals::new();
    annals.import(&days("ann", 3, 2));
    check_that_no_export_enters_the_data_folder(&Served::over(annals).annals);
}

#[test]
fn export_is_refused_where_memories_exist() {
    let from = full();
    let file = from.data().with_file_name("ann.jsonl");
    from.run(&["export", "--agent", "ann", file.to_str().unwrap()]);
    let before = from.dump();
    let refused = from.run(&["import", file.to_str().unwrap()]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert_eq!(from.dump(), before);
    // The records refer to memories by ids, which are valid for one agent only.
    let other = from.run(&["import", file.to_str().unwrap(), "--agent", "twin"]);
    assert_eq!((other.code, other.err.contains("they are of another agent")), (2, true), "{}", other.err);
    assert_eq!(from.dump(), before);
}

#[test]
fn broken_export_names_its_lines_and_stores_nothing() {
    let annals = Annals::new();
    let good = r#"{"record":"settings","agent":"ann","time_zone":"UTC","language":"en"}"#;
    let file = annals.file(
        "bad.jsonl",
        &format!("{good}\n{{\"record\":\"turn\",\"agent\":\"ann\"}}\n{{\"record\":\"no\",\"agent\":\"ann\"}}\n"),
    );
    let refused = annals.run(&["import", file.to_str().unwrap()]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("line 2") && refused.err.contains("line 3"), "{}", refused.err);
    assert!(!annals.data().join("catalog.sqlite").exists());
}

#[test]
fn incomplete_export_is_refused_and_what_is_left_can_be_imported() {
    let from = Annals::new();
    from.import(&days("ann", 3, 2));
    let export = from.run(&["export", "--agent", "ann"]).out;
    let lines: Vec<&str> = export.lines().collect();
    let last = lines.len() - 1;
    let check = |kept: Vec<&str>, expect: &str| {
        let to = Annals::new();
        let file = to.file("ann.jsonl", &(kept.join("\n") + "\n"));
        let refused = to.run(&["import", file.to_str().unwrap()]);
        assert_eq!((refused.code, refused.err.contains(expect)), (2, true), "{}", refused.err);
        assert!(!to.data().join("catalog.sqlite").exists());
    };
    let without = |number: usize| [&lines[..number], &lines[number + 1..]].concat();
    check(lines[..last].to_vec(), "is missing for agent ann: the file was cut off");
    check(lines[..3].to_vec(), "is missing for agent ann: the file was cut off");
    let counted = |found: usize| format!("counts {last} records, but the file has {found}");
    check(without(0), &counted(last - 1));
    check(without(3), &counted(last - 1));
    check([&lines[..3], &lines[2..]].concat(), &counted(last + 1));

    let (to, former) = (Annals::new(), lines[0].replace(",\"format\":2", ""));
    assert_ne!(former, lines[0]);
    let file = to.file("ann.jsonl", &(former + "\n" + lines[1] + "\n"));
    assert_eq!(to.json(&["import", file.to_str().unwrap()])["restored"], json!(2));
    // Two exports in one file.
    from.import(&days("bob", 1, 1));
    let both = export.clone() + &from.run(&["export", "--agent", "bob"]).out;
    let (to, file) = (Annals::new(), from.file("both.jsonl", &both));
    to.json(&["import", file.to_str().unwrap()]);
    assert_eq!(to.dump(), from.dump());
}

#[test]
fn parquet_export_writes_memories_and_facts() {
    let annals = full();
    let folder = annals.data().with_file_name("parquet");
    let written = annals.run(&["export", "--agent", "ann", "--parquet", folder.to_str().unwrap()]);
    assert_eq!(written.code, 0, "{}", written.err);
    for name in ["memories.parquet", "facts.parquet"] {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{name}");
    }
    assert!(!folder.join("memories.jsonl.part").exists());
}

#[test]
fn export_removes_what_a_killed_export_left() {
    let annals = Annals::new();
    annals.import(&days("ann", 1, 1));
    let folder = annals.data().with_file_name("exports");
    let (left, file) = (folder.join("annals-scratch-export-0a"), folder.join("ann.jsonl"));
    for target in [vec![file.to_str().unwrap()], vec!["--parquet", folder.to_str().unwrap()]] {
        std::fs::create_dir_all(&left).unwrap();
        std::fs::write(left.join("export"), "tea").unwrap();
        let exported = annals.run(&[&["export", "--agent", "ann"][..], &target].concat());
        assert_eq!(exported.code, 0, "{}", exported.err);
        assert!(!left.exists(), "{target:?}");
    }
}

#[test]
fn export_writes_into_a_pipe_and_through_a_link() {
    let annals = Annals::new();
    annals.import(&days("ann", 1, 1));
    let export = |path: &Path| {
        let exported = annals.run(&["export", "--agent", "ann", path.to_str().unwrap()]);
        assert_eq!(exported.code, 0, "{}", exported.err);
    };
    let file = annals.file("ann.jsonl", "");
    let [link, pipe] = ["link", "pipe"].map(|name| file.with_file_name(name));
    std::os::unix::fs::symlink(&file, &link).unwrap();
    export(&link);
    assert!(link.is_symlink());
    let records = std::fs::read(&file).unwrap();
    assert!(!records.is_empty());

    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // Opened for both, so that neither side waits for the other.
    let mut reader = File::options().read(true).write(true).open(&pipe).unwrap();
    export(&pipe);
    assert!(pipe.metadata().unwrap().file_type().is_fifo(), "the pipe was replaced");
    let mut read = vec![0; records.len()];
    reader.read_exact(&mut read).unwrap();
    assert_eq!(read, records);
}

#[test]
fn full_device_behind_the_output_is_an_error() {
    let annals = Annals::new();
    annals.import(&days("ann", 1, 1));
    for args in [&["export", "--agent", "ann", "-"][..], &["facts", "--agent", "ann", "--json"], &["dump"]] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let status = annals.command(args).stdout(full).stderr(Stdio::null()).status().unwrap();
        assert_eq!(status.code(), Some(6), "{args:?}");
    }
}
