use annals_core::ports::Record;
use annals_core::{FactOperation, MemoryId, Role, Timestamp, Verb};

use super::*;

fn turn(conversation: &str, id: &str, at: &str, name: Option<&str>, content: &str) -> Record {
    let at: Timestamp = at.parse().unwrap();
    let zones = Zones::new("Europe/Lisbon").unwrap();
    Record::Turn {
        conversation: conversation.into(),
        id: id.into(),
        day: Period::of(Grain::Daily, zones.day_of(at)),
        at,
        sent_at: None,
        role: if name.is_some() { Role::User } else { Role::Assistant },
        name: name.map(Into::into),
        content: content.into(),
        extracted: true,
        pinned: false,
        attachment: None,
    }
}

fn period(label: &str, text: Option<&str>) -> Record {
    let period = serde_json::json!({
        "record": "period", "period": label, "text": text, "cover": null, "dirty": false,
        "dirty_at": "2026-03-20T00:00:00Z", "input": null, "recipe": null
    });
    serde_json::from_value(period).unwrap()
}

fn block(name: &str, text: &str) -> Record {
    Record::Block { name: name.into(), text: text.into(), updated_at: Timestamp::UNIX_EPOCH }
}

fn moved(object: &str, at: &str) -> Record {
    let source: MemoryId = serde_json::from_value(format!("u-{object}").into()).unwrap();
    let at: Timestamp = at.parse().unwrap();
    Record::Operation(FactOperation {
        id: FactOperation::id(&source, 0),
        verb: Verb::Update,
        subject: "Rosa".into(),
        predicate: "lives_in".into(),
        object: object.into(),
        replaces: None,
        properties: Default::default(),
        confidence: 1.0,
        at,
        said_at: at,
        source,
        position: 0,
        recorded_at: at,
    })
}

fn records() -> Vec<Record> {
    let settings = Settings { time_zone: "Europe/Lisbon".into(), ..Settings::default() };
    vec![
        Record::Settings(settings),
        turn("tea", "2", "2026-07-09T23:30:00Z", None, "Which one?\n# Not a heading"),
        turn("tea", "1", "2026-07-09T23:29:00Z", Some("Rosa"), "I bought tea."),
        turn("ovens", "1", "2026-07-10T08:00:00Z", Some("Rosa \"R\""), "Hot."),
        period("2026-07-10", Some("Rosa bought tea.")),
        period("2026-W28", Some("A week with tea.")),
        period("2026-07", Some("July.")),
        period("2026-Q3", None),
        moved("Faro", "2026-01-01T12:00:00Z"),
        moved("Porto | Gaia", "2026-07-10T12:00:00Z"),
        block("human", "Name: Rosa"),
        block("Pro/ject", "Ovens"),
        block("pro-ject", "Others"),
    ]
}

#[track_caller]
fn check(path: &str, expect: &str) {
    let files = markdown(records()).unwrap();
    assert_eq!(files.get(path).map(String::as_str), Some(expect), "{:?}", files.keys());
}

#[test]
fn day_has_summary_and_turns_at_local_time() {
    check(
        "memory/2026-07-10.md",
        "---\ndate: 2026-07-10\ntype: daily\nturns: 3\npeople: [\"Rosa\", \"Rosa \\\"R\\\"\", \"assistant\"]\nup: \"[[2026-W28]]\"\n---\n\n\
         # 2026-07-10\n\n## Summary\n\nRosa bought tea.\n\n## tea\n\n- **00:29 Rosa:** I bought tea.\n\
         - **00:30 assistant:** Which one?\n  \\# Not a heading\n\n## ovens\n\n- **09:00 Rosa \"R\":** Hot.\n",
    );
}

#[test]
fn summaries_link_to_their_parts_and_the_coarser_period() {
    check(
        "memory/2026-W28.md",
        "---\ntype: weekly\nfrom: 2026-07-06\nto: 2026-07-12\nup: \"[[2026-07]]\"\n---\n\n# 2026-W28\n\nA week with tea.\n\n\
         Parts: [[2026-07-10]]\n",
    );
    check(
        "memory/2026-07.md",
        "---\ntype: monthly\nfrom: 2026-06-29\nto: 2026-08-02\n---\n\n# 2026-07\n\nJuly.\n\nParts: [[2026-W28]]\n",
    );
}

#[test]
fn facts_are_a_table() {
    check(
        "memory/facts.md",
        "---\ntype: facts\nfacts: 2\n---\n\n# Facts\n\n## Without an end\n\n| subject | predicate | object | from | to |\n\
         | --- | --- | --- | --- | --- |\n| Rosa | lives_in | Porto \\| Gaia | 2026-07-10 |  |\n\n## With an end\n\n\
         | subject | predicate | object | from | to |\n| --- | --- | --- | --- | --- |\n\
         | Rosa | lives_in | Faro | 2026-01-01 | 2026-07-10 |\n",
    );
}

#[test]
fn blocks_have_the_names_of_openclaw_and_never_overwrite_each_other() {
    check("USER.md", "Name: Rosa\n");
    check("memory/blocks/Pro-ject.md", "Ovens\n");
    check("memory/blocks/pro-ject-2.md", "Others\n");
}

#[test]
fn order_of_records_does_not_matter() {
    let mut reversed = records();
    reversed.reverse();
    assert_eq!(markdown(records()).unwrap(), markdown(reversed).unwrap());
}

#[test]
fn importers_recognise_the_folder_and_find_its_days() {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in markdown(records()).unwrap() {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    for kind in [crate::Kind::Markdown, crate::Kind::OpenClaw] {
        let mut source = crate::Source::open(&[folder.path()], crate::Limits::default()).unwrap();
        let options = crate::Options::new("2026-11-23T00:00:00Z".parse().unwrap());
        let summary = crate::import(kind, &mut source, &options, &mut |_| Ok(())).unwrap();
        let days: Vec<String> = summary.days.iter().map(ToString::to_string).collect();
        assert_eq!((days, summary.total_messages()), (vec!["2026-07-10".to_owned()], 3), "{kind}");
    }
}
