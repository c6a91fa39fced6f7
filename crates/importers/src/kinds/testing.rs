//! Runs an importer on small files and returns the items and skips as lines, for the tests of all kinds.

use std::io::Write;

use annals_core::Timestamp;

use crate::{Imported, Item, Kind, Limits, Options, Source, Summary, import};

/// The time of the import in the tests that use this module.
pub const NOW: &str = "2026-11-23T00:00:00Z";

/// The time that the files of the tests get.
pub const WRITTEN: &str = "2026-11-01T00:00:00Z";

pub fn options() -> Options {
    Options::new(NOW.parse().unwrap())
}

/// Writes files into a folder, imports it, and returns the items.
pub fn items(kind: Kind, files: &[(&str, &str)], options: &Options) -> (Vec<Imported>, Summary) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let mut source = Source::open(&[folder.path()], Limits::default()).unwrap();
    source.date_files(WRITTEN.parse().unwrap());
    let mut items = Vec::new();
    let mut sink = |item| {
        items.push(item);
        Ok(())
    };
    let summary = import(kind, &mut source, options, &mut sink).unwrap();
    (items, summary)
}

/// Returns items and skips as lines: `CONVERSATION ID ROLE[ NAME] TIME TEXT` for a message, and `skip COUNT KIND`.
pub fn shown(items: &[Imported], summary: &Summary) -> String {
    let mut lines: Vec<String> = items.iter().map(line).collect();
    lines.extend(summary.skipped.iter().map(|(_, kind, counted)| format!("skip {} {kind}", counted.count)));
    lines.join("\n")
}

fn line(imported: &Imported) -> String {
    let moment = |at: &Option<Timestamp>| at.map_or("undated".to_owned(), |at| at.to_string());
    match &imported.item {
        Item::Conversation { id, title, summary } => {
            let rest: Vec<&str> = [title, summary].into_iter().filter_map(|text| text.as_deref()).collect();
            format!("conversation {id} {}", rest.join(" / "))
        }
        Item::Message(message) => {
            let id = message.client_id.as_deref().unwrap();
            let name = message.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
            format!("{} {id} {}{name} {} {}", message.conversation, message.role, message.at, message.content)
        }
        Item::Statement { id, about, text, at } => {
            format!("statement {id} {} {text} {}", about.as_deref().unwrap_or("-"), moment(at))
        }
        Item::Fact { id, subject, predicate, object, at, .. } => {
            format!("fact {id} {subject} {predicate} {object} {}", moment(at))
        }
        Item::Block { name, text, at } => format!("block {name} {text} {}", moment(at)),
        Item::Document { id, title, text, at } => format!("document {id} [{title}] {text} {}", moment(at)),
    }
}

/// Imports files and compares the items and skips with `expect`, line by line. Ignores blank lines and indentation.
#[track_caller]
pub fn check_with(kind: Kind, options: &Options, files: &[(&str, &str)], expect: &str) {
    let (items, summary) = items(kind, files, options);
    let plain = |text: &str| {
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        lines.join("\n")
    };
    assert_eq!(plain(&shown(&items, &summary)), plain(expect));
}

/// Imports files twice and checks that the messages are the same, and that a longer export contains all of them.
#[track_caller]
pub fn check_again(kind: Kind, files: &[(&str, &str)], longer: &[(&str, &str)]) {
    let messages = |files| -> Vec<Item> {
        let (items, _) = items(kind, files, &options());
        items.into_iter().map(|imported| imported.item).filter(|item| matches!(item, Item::Message(_))).collect()
    };
    let first = messages(files);
    assert!(!first.is_empty());
    assert_eq!(first, messages(files), "the same export");
    let later = messages(longer);
    assert!(later.len() > first.len(), "the longer export has more");
    for item in &first {
        assert!(later.contains(item), "the longer export changed or lost {item:?}");
    }
}

/// Returns a ZIP archive with these files, given as path and content.
pub fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in files {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}
