//! The stored format of export lines: golden files of all versions.

use serde_json::Value;

use super::*;

/// Lines written by the first version with exports. Never changes: new code must read them all.
const FIRST: &str = include_str!("golden/first.jsonl");

/// Records that were added later, one line each.
const LATER: &str = include_str!("golden/later.jsonl");

fn read(lines: &str) -> Vec<Record> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

/// Checks that each line is written as it was read, except for the order of fields.
fn check(lines: &str) {
    for (line, record) in lines.lines().zip(read(lines)) {
        let former: Value = serde_json::from_str(line).unwrap();
        assert_eq!(serde_json::to_value(&record).unwrap(), former, "{line}");
    }
}

#[test]
fn golden_lines_round_trip() {
    assert_eq!((read(FIRST).len(), read(LATER).len()), (8, 7));
    check(FIRST);
    check(LATER);
}

#[test]
fn golden_lines_parse_to_expected_values() {
    let block = Record::Block {
        name: "human".into(),
        text: "Ann likes \"tea\".\n東京".into(),
        updated_at: "2026-06-01T00:00:00.000001Z".parse().unwrap(),
    };
    let access = Record::Access {
        id: MemoryId::from_text("t-1"),
        times: 3,
        last: "2026-06-01T00:00:00.000001Z".parse().unwrap(),
    };
    let later = read(LATER);
    assert_eq!(later[..2], [block, Record::Gone { id: MemoryId::from_text("t-1"), day: None, at: None }]);
    assert_eq!(later[3], access);
    let Record::Statement { statement, .. } = &later[2] else { panic!("a statement that says how sure it is") };
    assert_eq!(statement.confidence, Some(0.25));
    let [Record::Settings(settings), Record::Turn { pinned, extracted, role, .. }, ..] = &read(FIRST)[..] else {
        panic!("settings and a turn come first");
    };
    assert_eq!((settings.plan.as_str(), *pinned, *extracted, *role), ("free", true, false, crate::Role::Tool));
}

#[test]
fn missing_fields_get_defaults() {
    let least = [
        r#"{"record":"settings","time_zone":"UTC","language":"en"}"#,
        r#"{"record":"turn","conversation":"c","id":"1","day":"2026-03-04","at":"2026-03-04T10:00:00Z","role":"user","content":"tea","extracted":true}"#,
        r#"{"record":"period","period":"2026-03-04","text":null,"cover":null,"dirty":true,"dirty_at":"2026-03-04T10:00:00Z","input":null,"recipe":null}"#,
    ];
    let read = read(&least.join("\n"));
    assert_eq!(read[0], Record::Settings(Settings::default()));
    assert!(matches!(&read[1], Record::Turn { name: None, pinned: false, .. }), "{:?}", read[1]);
    assert!(matches!(&read[2], Record::Period { base: None, tokens: 0, verbatim: false, .. }), "{:?}", read[2]);
}

#[test]
fn unknown_or_incomplete_records_are_refused() {
    for line in [
        r#"{"record":"dream","text":"x"}"#,
        r#"{"record":"block","name":"a","text":"b","updated_at":"2026-06-01T00:00:00Z","colour":"red"}"#,
        r#"{"record":"block","name":"a","text":"b"}"#,
    ] {
        assert!(serde_json::from_str::<Record>(line).is_err(), "{line}");
    }
}

#[test]
fn document_round_trips() {
    check(concat!(
        r#"{"record":"document","collection":"notes","key":"a/b.md","content":{"text":"tea"},"created_at":"2026-03-04T10:00:00Z","#,
        r#""updated_at":"2026-03-05T10:00:00Z","day":"2026-03-05","version":2,"passages":[{"start":0,"end":3}]}"#,
        "\n",
        r#"{"record":"document","collection":"a.b","key":"k","content":{"json":{"n":[1,2.5,null]}},"indexed":["n[0]"],"#,
        r#""created_at":"2026-03-04T10:00:00Z","updated_at":"2026-03-04T10:00:00Z","day":"2026-03-04","version":1,"#,
        r#""lifetime":"PT1H","expires_at":"2026-03-04T11:00:00Z","passages":[]}"#
    ));
}
