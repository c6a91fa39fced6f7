//! Documents and attachments for tests of whole folders, without a service: as records of an export.

use serde_json::{Value, json};

use crate::command::Annals;

/// A name that occurs in documents and attachments only.
pub const PERSON: &str = "Zelda Quist";

/// Returns a new folder with the same agents, to which documents and attachments of turns are added.
pub fn with_documents(annals: &Annals) -> Annals {
    let to = Annals::new();
    for agent in annals.json(&["status"])["agents"].as_array().unwrap() {
        let name = agent["agent"].as_str().unwrap();
        let exported = annals.run(&["export", "--agent", name]);
        assert_eq!(exported.code, 0, "{}", exported.err);
        let lines = exported.out.lines().enumerate().map(|(number, line)| with_attachment(number, line));
        let file = to.file("export.jsonl", &(lines.collect::<String>() + &documents(name)));
        to.json(&["import", file.to_str().unwrap()]);
    }
    to
}

/// Adds an attachment to every third turn.
fn with_attachment(number: usize, line: &str) -> String {
    let mut record: Value = serde_json::from_str(line).unwrap();
    if number.is_multiple_of(3) && record["record"] == "turn" {
        let person = if number.is_multiple_of(2) { PERSON } else { "Nobody" };
        let item = json!({"item": {"number": number, "note": format!("Said \"so\".\n{person} heard it.")}});
        record["attachment"] = Value::String(item.to_string());
    }
    format!("{record}\n")
}

/// Returns the documents of an agent: texts and values, of which all, some or no parts are searchable, with and without an
/// expiry.
fn documents(agent: &str) -> String {
    let text = format!("# Harbour\nThe brother paints boats.\n\n# Guests\n{PERSON} came by train.");
    let value = json!({"who": PERSON, "list": [{"t": "a lamp for the brother"}, {"t": "a rope"}]});
    let documents = [
        json!({"key": "plan.md", "content": {"text": text}, "passages": [{"start": 0, "end": 35}, {"start": 37, "end": 72}]}),
        json!({"key": "list", "content": {"json": value}, "indexed": ["list[*].t"], "passages": [{"start": 0, "end": 29}]}),
        json!({"key": "silent", "content": {"text": "Not searched."}, "indexed": [], "version": 3}),
        json!({"key": "brief", "content": {"text": "A brief note."}, "passages": [{"start": 0, "end": 13}], "lifetime": "PT1H",
            "expires_at": "2026-11-20T12:30:00Z"}),
        json!({"key": "former", "content": {"text": "A former note."}, "passages": [{"start": 0, "end": 14}], "lifetime": "PT1H",
            "expires_at": "2026-11-19T12:30:00Z"}),
    ];
    let record = |document: &Value| {
        let mut record = json!({"record": "document", "agent": agent, "collection": "notes.work", "version": 1,
            "created_at": "2026-03-01T10:00:00Z", "updated_at": "2026-03-02T10:00:00Z", "day": "2026-03-02"});
        record.as_object_mut().unwrap().extend(document.as_object().unwrap().clone());
        format!("{record}\n")
    };
    documents.iter().map(record).collect()
}
