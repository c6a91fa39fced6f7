//! Export: the records of an agent.

use std::collections::BTreeSet;

use annals_core::ports::{OnConflict, Record, Turn};
use annals_core::{Author, Digest, MemoryId, Message, Role, Settings};

use super::all_records;
use super::world::build;
use crate::suites::Store;
use crate::suites::catalog::{dirty, later, me, now, row, say, user_turn};
use crate::suites::history::{By, as_base, extract, roll_up_all, seal, sorted, summary_of};
use crate::{MemoryCatalog, agent, at, message, period, turn_of};

pub(super) async fn records(store: &dyn Store) -> Vec<Record> {
    all_records(store, &me()).await
}

pub(super) async fn unknown_agent_has_only_settings(store: &dyn Store) {
    assert_eq!(records(store).await, [Record::Settings(Settings::default())]);
    build(store).await;
    assert_eq!(all_records(store, &agent("other")).await, [Record::Settings(Settings::default())]);
}

/// Formats a record as one short line.
fn short(record: &Record) -> String {
    match record {
        Record::Settings(settings) => format!("settings {}", settings.plan),
        Record::Turn { at, content, pinned, .. } => {
            format!("turn {} {content}{}", &at.to_string()[..10], if *pinned { " pinned" } else { "" })
        }
        Record::Statement { statement, pinned } => {
            format!("statement {}{}", statement.text, if *pinned { " pinned" } else { "" })
        }
        Record::Operation(operation) => format!("operation {} {}", &operation.at.to_string()[..10], operation.object),
        Record::Period { period, text, dirty, base, .. } => {
            let text = text.as_deref().unwrap_or("(none)").replace('\n', "/");
            let (dirty, base) = (if *dirty { " dirty" } else { "" }, base.as_ref().map_or("", |_| " sealed"));
            format!("{period} {text}{dirty}{base}")
        }
        Record::Version { text, .. } => format!("version {text}"),
        Record::Gone { id, .. } => format!("gone {id}"),
        Record::Access { id, times, .. } => format!("access {id} {times}"),
        Record::Block { name, text, .. } => format!("block {name} {text}"),
        Record::Document(document) => format!("document {} {}", document.key, document.passages.len()),
    }
}

pub(super) async fn records_are_ordered(store: &dyn Store) {
    build(store).await;
    let (gone, all): (Vec<_>, Vec<_>) =
        records(store).await.iter().map(short).partition(|line| line.starts_with("gone"));
    let (operations, all): (Vec<_>, Vec<_>) = all.into_iter().partition(|line| line.starts_with("operation"));
    let expected = ["operation 2020-01-01 Kyoto", "operation 2026-03-12 \"cake\"", "operation 2026-03-16 home"];
    assert_eq!(sorted(operations), expected.map(str::to_owned));
    let operation_ids = records(store).await.into_iter().filter_map(|record| match record {
        Record::Operation(operation) => Some(operation.id),
        _ => None,
    });
    assert!(operation_ids.is_sorted());
    let pruned = ["1", "2", "3"].map(|id| format!("gone {}", user_turn(id, "2026-03-04T10:00:00Z", "").id));
    assert_eq!(gone, sorted(pruned.to_vec()));
    let place = |line: &str| all.iter().position(|other| other == line);
    assert_eq!(place("turn 2026-03-20 new").map(|turn| turn + 1), place("statement Ann is at home. pinned"));
    let (documents, all): (Vec<_>, Vec<_>) = all.into_iter().partition(|line| line.starts_with("document"));
    assert_eq!(documents, ["document empty 1", "document json 1", "document plan 2"]);
    let versions = all.iter().position(|line| line.starts_with("version")).unwrap();
    let expected = [
        "settings free",
        "block human 東京\nand more",
        "block persona You are \"kind\".",
        "turn 2026-03-11 late\nand long",
        "turn 2026-03-16 東京, \"so\" to speak pinned",
        "turn 2026-03-17 moved",
        "turn 2026-03-19 gone on",
        "turn 2026-03-20 new",
        "statement Ann is at home. pinned",
        "statement They move.",
        "2026-03-04 (none)",
        "2026-03-05 (none)",
        "2026-03-11 home dirty sealed",
        "2026-03-16 A day corrected twice.",
        "2026-03-17 moved",
        "2026-03-18 (none)",
        "2026-03-19 gone on",
        "2026-03-20 (none) dirty",
        "2026-W10 tea/cake sealed",
        "2026-W11 home",
        "2026-W12 東京, \"so\" to speak/moved/gone on dirty",
        "2026-03 tea/cake/home/東京, \"so\" to speak/moved/gone on",
        "2026-Q1 tea/cake/home/東京, \"so\" to speak/moved/gone on",
        "2026 tea/cake/home/東京, \"so\" to speak/moved/gone on",
    ];
    assert_eq!(all[..versions], expected);
    let (accesses, all): (Vec<_>, Vec<_>) = all.into_iter().partition(|line| line.starts_with("access"));
    assert!(accesses.is_sorted(), "{accesses:?}");
    assert_eq!(accesses.iter().map(|line| &line[line.len() - 2..]).collect::<BTreeSet<_>>(), [" 1", " 2", " 3"].into());
    // Versions are sorted by memory, oldest first.
    let mut versions: Vec<_> = all[versions..].iter().map(String::as_str).collect();
    let corrected: Vec<_> =
        versions.iter().filter(|line| line.contains("All in all") || line.contains("A corr")).collect();
    assert_eq!(corrected, [&"version All in all: 東京, \"so\" to speak", &"version A corrected day."]);
    versions.sort_unstable();
    let expected = [
        "version A corrected day.",
        "version All in all: 東京, \"so\" to speak",
        "version Ann is in Tokyo.",
        "version gone",
        "version moving",
    ];
    assert_eq!(versions, expected);
    let ids = records(store).await.into_iter().filter_map(|record| match record {
        Record::Version { id, .. } => Some(id),
        _ => None,
    });
    assert!(ids.is_sorted());
}

pub(super) async fn page_size_does_not_matter(store: &dyn Store) {
    build(store).await;
    let all = store.records(&me(), None, usize::MAX).await.unwrap();
    assert!(all.len() > 30, "{}", all.len());
    for limit in [1, 2, 3, 7, 1000] {
        let mut pages: Vec<Record> = Vec::new();
        loop {
            let page = store.records(&me(), pages.last(), limit).await.unwrap();
            if page.is_empty() {
                break;
            }
            pages.extend(page);
        }
        assert_eq!(pages, all, "pages of {limit}");
    }
}

pub(super) async fn turn_record_is_complete(store: &dyn Store) {
    let named = Message {
        client_id: Some("7".into()),
        role: Role::Tool,
        name: Some("grep".into()),
        ..message("2026-03-04T23:30:00.000001Z", "{\"a\": 1}")
    };
    // The turn's day is that of a zone where the next day has already begun.
    let attachment = Some("{\"a\":[1]}".to_owned());
    let turn = Turn { day: period("2026-03-05"), attachment, ..turn_of(&me(), named) };
    say(store, vec![turn.clone(), user_turn("8", "2026-03-06T10:00:00Z", "tea")]).await;
    store.pin(&me(), &turn.id, true).await.unwrap();
    let expected = Record::Turn {
        conversation: "talk".into(),
        id: "7".into(),
        day: period("2026-03-05"),
        at: at("2026-03-04T23:30:00.000001Z"),
        sent_at: None,
        role: Role::Tool,
        name: Some("grep".into()),
        content: "{\"a\": 1}".into(),
        extracted: false,
        pinned: true,
        attachment: Some("{\"a\":[1]}".into()),
    };
    let all = records(store).await;
    assert_eq!(all[1], expected);
    assert!(matches!(&all[2], Record::Turn { name: None, role: Role::User, pinned: false, .. }), "{:?}", all[2]);
}

pub(super) async fn extraction_watermark_is_exported(store: &dyn Store) {
    let turns = vec![user_turn("1", "2026-03-04T10:00:00Z", "a"), user_turn("2", "2026-03-03T10:00:00Z", "b")];
    say(store, turns.clone()).await;
    extract(store, &[&turns[0], &turns[1]], Vec::new(), Vec::new()).await;
    say(store, vec![user_turn("3", "2026-03-02T10:00:00Z", "c")]).await;
    store.ingest(&me(), vec![user_turn("1", "2026-03-04T10:00:00Z", "A")], OnConflict::Revise, later()).await.unwrap();
    let of_turns = records(store).await.into_iter().filter_map(|record| match record {
        Record::Turn { content, extracted, .. } => Some((content, extracted)),
        _ => None,
    });
    let of_turns: Vec<_> = of_turns.collect();
    assert_eq!(of_turns, [("c".into(), false), ("b".into(), true), ("A".into(), false)]);
}

pub(super) async fn period_records_are_complete(store: &dyn Store) {
    let turns = vec![user_turn("1", "2026-03-04T10:00:00Z", "tea")];
    say(store, turns.clone()).await;
    roll_up_all(store, By::Quoting).await;
    seal(store, "2026-03-04").await;
    let stored = summary_of(store, "2026-03-04").await.unwrap();
    store.pin(&me(), &stored.id, true).await.unwrap();
    say(store, vec![user_turn("2", "2026-03-04T11:00:00Z", "cake")]).await;
    let base = as_base(&stored);
    let expected = Record::Period {
        period: period("2026-03-04"),
        text: Some("tea".into()),
        sentences: base.sentences.clone(),
        cover: Some(stored.cover),
        sources: base.sources.clone(),
        dirty: true,
        dirty_at: now(),
        input: Some(Digest::of([turns[0].id.as_str()]).to_string()),
        recipe: Some(Digest::of(["recipe"]).to_string()),
        author: Some(Author { engine: "quoting 1".into(), ..Author::default() }),
        verbatim: true,
        degraded: false,
        ungrounded: 0,
        tokens: 7,
        base: Some(base),
        pinned: true,
    };
    let all = records(store).await;
    assert_eq!(
        (&all[2], &all[3]),
        (&Record::Gone { id: turns[0].id.clone(), day: Some(turns[0].day), at: Some(turns[0].message.at) }, &expected)
    );
    let empty = Record::Period {
        period: period("2026-03-09"),
        text: None,
        sentences: Vec::new(),
        cover: None,
        sources: Vec::new(),
        dirty: true,
        dirty_at: now(),
        input: None,
        recipe: None,
        author: None,
        verbatim: false,
        degraded: false,
        ungrounded: 0,
        tokens: 0,
        base: None,
        pinned: false,
    };
    say(store, vec![user_turn("3", "2026-03-09T11:00:00Z", "late")]).await;
    assert_eq!(dirty(store).await, ["2026-03-04", "2026-03-09"]);
    assert_eq!(row(store, "2026-03-09").await.clean_seq, 0);
    assert!(records(store).await.contains(&empty));
    assert_ne!(MemoryId::summary(&me(), period("2026-03-09")), stored.id);
}

pub(super) async fn records_equal_those_of_the_in_memory_store(store: &dyn Store) {
    let memory = MemoryCatalog::new();
    build(store).await;
    build(&memory).await;
    assert_eq!(records(store).await, records(&memory).await);
}

pub(super) async fn records_round_trip_through_json(store: &dyn Store) {
    build(store).await;
    for record in records(store).await {
        let line = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&line).unwrap(), record, "{line}");
    }
}
