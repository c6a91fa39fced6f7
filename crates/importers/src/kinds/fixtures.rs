//! Tests of importers with files of other programs: `check(kind, fixture, options)` compares the items and skips of a fixture
//! with the file `FIXTURE.expect` beside it. `ANNALS_EXPECT=write` writes these files anew; read the difference before
//! committing it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use annals_core::Message;

use crate::{Imported, Item, Kind, Limits, Options, Source, Summary, detect, import};

/// The time of every import, later than all times in the fixtures.
pub const NOW: &str = "2026-11-23T12:00:00Z";

pub fn options(zone: &str) -> Options {
    let mut options = Options::new(NOW.parse().unwrap());
    options.zone = jiff::tz::TimeZone::get(zone).unwrap();
    options
}

pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

pub fn read(kind: Kind, path: &Path, options: &Options) -> annals_core::Result<(Vec<Imported>, Summary)> {
    let mut source = Source::open(&[path], Limits::default())?;
    source.date_files(super::testing::WRITTEN.parse().unwrap());
    let mut found = Vec::new();
    let summary = import(kind, &mut source, options, &mut |item| {
        found.push(item);
        Ok(())
    })?;
    Ok((found, summary))
}

/// Compares the items and skips of a fixture with its file `.expect`. Checks that a second import gives the same items and that
/// ids are unique.
#[track_caller]
pub fn check(kind: Kind, name: &str, options: &Options) {
    let (items, summary) = read(kind, &fixture(name), options).unwrap();
    let found = rendered(&items, &summary);
    let expected = fixture(&format!("{name}.expect"));
    if std::env::var("ANNALS_EXPECT").is_ok_and(|value| value == "write") {
        std::fs::write(&expected, &found).unwrap();
    }
    let wanted = std::fs::read_to_string(&expected).unwrap_or_default();
    let only = |one: &str, other: &str, sign: char| -> String {
        one.lines()
            .filter(|line| !other.lines().any(|found| found == *line))
            .map(|line| format!("{sign} {line}\n"))
            .collect()
    };
    assert!(found == wanted, "{name}:\n{}{}", only(&wanted, &found, '-'), only(&found, &wanted, '+'));
    let again = read(kind, &fixture(name), options).unwrap();
    assert_eq!(again.0, items, "{name} a second time");
    keyed(&items);
    let mut source = Source::open(&[fixture(name)], Limits::default()).unwrap();
    let is_other = matches!(detect(&mut source), crate::Detected::Clear(other, _) if other != kind);
    assert!(!is_other, "{name} is detected as another kind");
}

/// Checks that a later export has the same content as an earlier one for the items that both have, and that it adds `new`
/// items.
#[track_caller]
pub fn check_longer(kind: Kind, first: &str, later: &str, new: usize, options: &Options) {
    let first = keyed(&read(kind, &fixture(first), options).unwrap().0);
    let later = keyed(&read(kind, &fixture(later), options).unwrap().0);
    let changed: Vec<&String> =
        later.keys().filter(|key| first.get(*key).is_some_and(|old| *old != later[*key])).collect();
    assert!(changed.is_empty(), "changed: {changed:?}");
    assert_eq!(later.keys().filter(|key| !first.contains_key(*key)).count(), new);
}

/// Returns all items except titles of conversations by their key, without places. Panics if a key occurs twice.
#[track_caller]
pub fn keyed(items: &[Imported]) -> BTreeMap<String, String> {
    let mut keyed = BTreeMap::new();
    for imported in items {
        let key = match &imported.item {
            Item::Conversation { .. } => continue,
            Item::Message(message) => format!("{}/{}", message.conversation, message.client_id.as_deref().unwrap()),
            Item::Block { name, .. } => format!("block {name}"),
            Item::Statement { id, .. } | Item::Fact { id, .. } | Item::Document { id, .. } => id.clone(),
        };
        assert!(keyed.insert(key.clone(), format!("{:?}", imported.item)).is_none(), "twice: {key}");
    }
    keyed
}

fn rendered(items: &[Imported], summary: &Summary) -> String {
    let mut text = String::new();
    let at = |at: &Option<jiff::Timestamp>| at.map_or_else(|| "undated".to_owned(), |at| at.to_string());
    for Imported { location, item } in items {
        match item {
            Item::Conversation { id, title, .. } => writeln!(text, "conversation {id} {title:?}"),
            Item::Message(message) => writeln!(
                text,
                "  {} {} {} {:?} {:?} {:?}",
                message.at,
                message.role,
                message.name.as_deref().unwrap_or("-"),
                message.conversation,
                message.client_id.as_deref().unwrap_or_default(),
                message.content
            ),
            Item::Statement { id, about, text: statement, at: when } => {
                writeln!(text, "statement {id} {} {} {statement:?}", at(when), about.as_deref().unwrap_or("-"))
            }
            Item::Fact { id, subject, predicate, object, at: when, .. } => {
                writeln!(text, "fact {id} {} {subject:?} {predicate:?} {object:?}", at(when))
            }
            Item::Block { name, text: own, at: when } => writeln!(text, "block {name:?} {} {own:?}", at(when)),
            Item::Document { id, title, text: own, at: when } => {
                writeln!(text, "document {id:?} {} {title:?} {own:?}", at(when))
            }
        }
        .unwrap();
        assert!(!location.file.is_empty());
    }
    for (why, kind, counted) in summary.skipped.iter() {
        let location = &counted.location;
        writeln!(text, "skipped {} {why:?} {kind}, first {location} {:?}", counted.count, counted.example).unwrap();
    }
    text
}

/// Changes every file of a fixture at random, `rounds` times each, and checks that the import does not panic and that all
/// messages can be stored. The seed is fixed, so that a failure can be repeated.
#[track_caller]
pub fn check_damaged(kind: Kind, name: &str, rounds: u64, options: &Options) {
    let folder = tempfile::tempdir().unwrap();
    let original = fixture(name);
    let files: Vec<PathBuf> = walkdir::WalkDir::new(&original)
        .sort_by_file_name()
        .into_iter()
        .map(Result::unwrap)
        .filter(|found| found.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .collect();
    let target = |path: &Path| match path.strip_prefix(&original) {
        Ok(inner) if !inner.as_os_str().is_empty() => folder.path().join(inner),
        _ => folder.path().join(path.file_name().unwrap()),
    };
    for path in &files {
        std::fs::create_dir_all(target(path).parent().unwrap()).unwrap();
        std::fs::copy(path, target(path)).unwrap();
    }
    for path in &files {
        let bytes = std::fs::read(path).unwrap();
        for round in 0..rounds {
            std::fs::write(target(path), damaged(&bytes, round)).unwrap();
            let Ok((items, _)) = read(kind, folder.path(), options) else { continue };
            for imported in &items {
                if let Item::Message(message) = &imported.item {
                    assert!(!message.content.trim().is_empty() && message.content.len() <= Message::MAX_CONTENT_BYTES);
                    assert!(
                        message
                            .client_id
                            .as_ref()
                            .is_some_and(|id| !id.is_empty() && id.len() <= Message::MAX_NAME_BYTES)
                    );
                }
            }
        }
        std::fs::write(target(path), bytes).unwrap();
    }
}

fn damaged(bytes: &[u8], seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = |most: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % most.max(1) as u64) as usize
    };
    let mut changed = bytes.to_vec();
    for _ in 0..=random(4) {
        let (from, to) = (random(changed.len()), random(changed.len()));
        let (from, to) = (from.min(to), from.max(to));
        match random(6) {
            0 => changed.truncate(from),
            1 => _ = changed.drain(from..to),
            2 => changed.extend_from_within(from..to),
            3 if !changed.is_empty() => changed[from] = random(256) as u8,
            4 => _ = changed.splice(from..from, "é\u{200e}[<:#%".bytes()),
            _ if !changed.is_empty() => changed[from] ^= 1 << random(8),
            _ => {}
        }
    }
    changed
}

/// Checks which kind is detected for each fixture, and whether it is clear or only possible.
#[test]
fn fixtures_are_detected() {
    for (name, kind, is_clear) in [
        ("openclaw/workspace", Kind::OpenClaw, true),
        ("openclaw/home", Kind::OpenClaw, true),
        ("openclaw/sessions", Kind::OpenClaw, true),
        ("openclaw/lower-case", Kind::OpenClaw, false),
        ("markdown/obsidian", Kind::Markdown, true),
        ("markdown/logseq", Kind::Markdown, true),
        ("markdown/plain", Kind::Markdown, false),
        ("letta/conversation.af", Kind::Letta, true),
        ("letta/memory", Kind::Letta, true),
        ("mem0/page.json", Kind::Mem0, true),
        ("mem0/self-hosted.json", Kind::Mem0, true),
        ("mem0/bare-list.json", Kind::Mem0, true),
        ("mem0/history.json", Kind::Mem0, true),
        ("mcp-memory/memory.jsonl", Kind::McpMemory, true),
        ("mcp-memory/memory.json", Kind::McpMemory, true),
        ("slack/workspace", Kind::Slack, true),
        ("slack/grid", Kind::Slack, true),
        ("whatsapp/chat-folder", Kind::WhatsApp, true),
        ("whatsapp/WhatsApp Chat with Arvid.txt", Kind::WhatsApp, true),
        ("whatsapp/android.txt", Kind::WhatsApp, false),
        ("csv/english.csv", Kind::Csv, false),
    ] {
        let mut source = Source::open(&[fixture(name)], Limits::default()).unwrap();
        let fits = match detect(&mut source) {
            crate::Detected::Clear(found, _) => is_clear && found == kind,
            crate::Detected::Unclear(found) => !is_clear && found.iter().any(|(found, _)| *found == kind),
            crate::Detected::Unknown => false,
        };
        assert!(fits, "{name}: {}", detect(&mut source));
    }
}
