//! Checks of what the catalogs of the fixtures hold, by the version that introduced it.

use annals_core::ports::OnConflict;

use super::*;

/// Checks the third agent of the fixtures, and the tables that came with version 3.
pub(super) async fn holds_what_version_3_held(catalog: &SqliteCatalog) {
    let (they, now) = (Agent::in_workspace("w", "they").unwrap(), at("2026-06-01T00:00:00Z"));
    let blocks = catalog.blocks(&they).await.unwrap();
    assert_eq!((blocks[0].name.as_str(), blocks[0].text.as_str()), ("human", "They like \"rye\"."));
    let digest = Digest([7; 32]);
    let operation =
        IngestReceipt { id: "o-fedcba".into(), accepted: 1, seq: 11, masked: 2, ..IngestReceipt::default() };
    assert_eq!(crate::idempotency::stored(catalog, &they, digest).await, Some((digest, operation)));
    let (key, hash) = catalog.key("k1").await.unwrap().unwrap();
    assert_eq!((key.name.as_str(), key.opens(&they), key.is_good(now), hash), ("laptop", true, true, digest));
    assert_eq!(catalog.pending_cleanings().await.unwrap(), [(they, 4)]);
}

/// Checks the second agent of the fixtures.
pub(super) async fn holds_what_version_2_held(catalog: &SqliteCatalog) {
    let (you, now) = (agent("you"), at("2026-06-01T00:00:00Z"));
    let records: Vec<String> = all_records(catalog, &you).await.iter().map(in_short).collect();
    let expected = [
        "settings keep",
        "turn jam true true",
        "gone t-ntutykxgssylhsgedrthrjitf6",
        "statement You like jam. false",
        "operation you likes jam",
        "2026-03-04 So there was tea. dirty: false, degraded: false, base: true",
        "2026-03-05  dirty: true, degraded: false, base: false",
        "version You hate jam.",
    ];
    assert_eq!(records, expected);
    let day = catalog.ledger(&you).await.unwrap().remove(0);
    assert_eq!((day.sealed, day.ungrounded, day.tokens), (true, 2, 7));
    let watermark = catalog.extraction(&you).await.unwrap();
    let failing = ExtractionWatermark { extracted: 7, attempts: 1, failing_since: Some(now), ..watermark.clone() };
    assert_eq!((watermark.last_error.as_deref(), &watermark), (Some("bad answer"), &failing));
    assert_eq!(catalog.log_version(&you).await.unwrap(), 9);
    assert_eq!(catalog.reply(&you, &Digest::of(["q"])).await.unwrap().as_deref(), Some("{\"text\":\"jam\"}"));
    assert_eq!(catalog.usage(&you, now).await.unwrap()[0].tokens_in, 10);
    let steady_since = at("2026-05-31T23:59:59.999995Z");
    assert_eq!(catalog.clock().await.unwrap(), Some(ClockNote { seen: now, steady_since }));
    let operation =
        IngestReceipt { id: "o-abcdef".into(), accepted: 1, seq: 7, forgotten: 1, ..IngestReceipt::default() };
    assert_eq!(catalog.find_operation("default", "o-abcdef").await.unwrap(), Some((you.clone(), operation)));
    let messages = [("3", "a secret"), ("9", "a secret"), ("9", "nothing")].map(|(id, text)| {
        let turn = user_turn(&you, id, text);
        (turn.key, turn.message.digest())
    });
    assert_eq!(catalog.forgotten(&you, &messages).await.unwrap(), [true, true, false]);
}

fn in_short(record: &Record) -> String {
    match record {
        Record::Settings(settings) => format!("settings {}", settings.plan),
        Record::Turn { content, extracted, pinned, .. } => format!("turn {content} {extracted} {pinned}"),
        Record::Statement { statement, pinned } => format!("statement {} {pinned}", statement.text),
        Record::Operation(operation) => {
            format!("operation {} {} {}", operation.subject, operation.predicate, operation.object)
        }
        Record::Period { period, text, dirty, degraded, base, .. } => {
            let (text, base) = (text.as_deref().unwrap_or_default(), base.is_some());
            format!("{period} {text} dirty: {dirty}, degraded: {degraded}, base: {base}")
        }
        Record::Version { text, .. } => format!("version {text}"),
        Record::Block { text, .. } => format!("block {text}"),
        Record::Document(document) => format!("document {}", document.key),
        Record::Gone { id, .. } => format!("gone {id}"),
        Record::Access { id, times, .. } => format!("access {id} {times}"),
    }
}

/// Checks that tables newer than the fixture are empty and can be written.
pub(super) async fn has_what_is_new(catalog: &SqliteCatalog) {
    let (you, now, key) = (agent("you"), at("2026-06-01T00:00:00Z"), Digest::of(["key"]));
    assert_eq!(catalog.keys().await.unwrap(), []);
    assert_eq!(catalog.blocks(&you).await.unwrap(), []);
    assert_eq!(catalog.pending_cleanings().await.unwrap(), []);
    let request = RequestKey { key, body: key };
    for repeated in [false, true] {
        let turns = vec![user_turn(&you, "new", "We have tea.")];
        let keyed = catalog.ingest_once(&you, &request, turns, OnConflict::Refuse, now).await.unwrap();
        assert_eq!(keyed.repeated, repeated);
    }
    catalog.erase(&you, &Target::Agent, now).await.unwrap();
    assert_eq!(catalog.pending_cleanings().await.unwrap(), [(you, 1)]);
    assert_eq!(catalog.check().await.unwrap(), Vec::<String>::new());
}

/// Checks the agent of all fixtures, with newer columns at their defaults. `next` is the next sequence number.
pub(super) async fn holds_what_it_held(catalog: &SqliteCatalog, next: u64) {
    let (me, now) = (agent("me"), at("2026-06-01T00:00:00Z"));
    assert_eq!(catalog.check().await.unwrap(), Vec::<String>::new());
    let settings = Settings { time_zone: "Europe/Berlin".into(), language: "de".into(), ..Settings::default() };
    assert_eq!(catalog.settings(&me).await.unwrap(), settings);
    let [tea, cake] = [TEA, CAKE].map(MemoryId::from_text);
    assert_eq!(catalog.attachments(&me, &[tea.clone(), cake.clone()]).await.unwrap(), [None, None]);
    let turns = catalog.inputs(&me, period("2026-03-04")).await.unwrap();
    let found: Vec<_> = turns.iter().map(|turn| (&turn.id, turn.text.as_str(), turn.pinned)).collect();
    assert_eq!(found, [(&tea, "tea", false), (&cake, "cake?", false)]);
    let day = catalog.inputs(&me, period("2026-W10")).await.unwrap().remove(0);
    let first_day = period("2026-03-04").first_day();
    let quoted = Sentence {
        day: first_day,
        speaker: Some("user".into()),
        text: "tea".into(),
        from: vec![tea.clone()],
        ungrounded: false,
    };
    assert_eq!((day.text.as_str(), day.sentences(), day.pinned), ("They had tea.", &[quoted][..], false));
    assert_eq!(day.sources(), [tea.clone(), cake.clone()]);
    let clean = LedgerRow {
        clean_seq: 2,
        input_digest: Some(Digest::of([TEA, CAKE])),
        recipe: Some(Digest::of(["recipe"])),
        tokens: 7,
        ..LedgerRow::new(period("2026-03-04"), 2, now)
    };
    let week = LedgerRow {
        attempts: 3,
        not_before: Some(at("2026-06-01T01:00:00Z")),
        last_error: Some("no answer".into()),
        ..LedgerRow::new(period("2026-W10"), 4, now)
    };
    let emptied = LedgerRow { clean_seq: 3, ..LedgerRow::new(period("2026-03-01"), 1, now) };
    assert_eq!(catalog.ledger(&me).await.unwrap(), [emptied, clean, week]);
    assert_eq!(catalog.changes(&me, Grain::Daily, 0, 9).await.unwrap().len(), 2, "a deletion and a summary");
    let model = VectorModel { name: FORMER_MODEL.to_owned(), dimension: 384 };
    let building = Building { generation: 2, applied: 1, model: model.clone(), urgent: true };
    let watermark = Watermark { generation: 1, applied: 2, model: Some(model), building: Some(building) };
    assert_eq!(catalog.watermark(&me, Grain::Working).await.unwrap(), watermark);
    let operation = IngestReceipt { id: "o-0123456789".into(), accepted: 2, seq: 2, ..IngestReceipt::default() };
    assert_eq!(catalog.operation(&me, "o-0123456789").await.unwrap(), Some(operation));
    let (error, grain, stage) = ("too long".into(), Grain::Working, Stage::Table);
    let letter = DeadLetter { agent: me.clone(), grain, memory: cake, stage, error, at: now };
    assert_eq!(catalog.dead_letters(&me).await.unwrap(), [letter]);
    assert_eq!(catalog.log_version(&me).await.unwrap(), 0);
    assert_eq!(catalog.children(&me).await.unwrap().len(), 2);
    // The sequence continues.
    let done = catalog.ingest(&me, vec![user_turn(&me, "3", "jam")], OnConflict::Refuse, now).await.unwrap();
    assert_eq!(done.seq, next);
    let revised = vec![user_turn(&me, "1", "coffee")];
    catalog.ingest(&me, revised, OnConflict::Revise, now).await.unwrap();
    assert_eq!(catalog.versions(&me, &tea).await.unwrap().len(), 1);
    let access = (tea.clone(), Access { times: 2, last: now });
    assert_eq!(catalog.recall(&me, std::slice::from_ref(&tea)).await.unwrap()[0].1, None);
    catalog.add_accesses(&me, std::slice::from_ref(&access)).await.unwrap();
    assert_eq!(catalog.recall(&me, &[tea]).await.unwrap()[0].1, Some(access.1));
}
