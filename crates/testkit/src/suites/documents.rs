//! Conformance suite of port `Documents`.

use annals_core::ports::{
    Access, Change, Content, Document, DocumentKey, DocumentSelect, DocumentWrite, Expected, Select, Target,
};
use annals_core::{Error, Grain, Interval, Kind, Memory, MemoryId, SignedDuration};
use serde_json::json;

use super::catalog::{later, me, now};
use super::{Store, SuiteTest, cases, run};
use crate::{agent, document};

/// Runs every case, each on a new empty store from `make`.
pub async fn documents_suite<S: Store + 'static>(mut make: impl AsyncFnMut() -> S) {
    let cases: Vec<SuiteTest<dyn Store>> = cases![
        document_comes_back_as_it_was,
        every_write_raises_the_version_and_keeps_the_creation,
        write_that_expects_another_state_changes_nothing,
        documents_are_listed_by_collection_and_key,
        newest_documents_come_first_and_entries_have_sizes,
        collections_are_listed_with_their_documents,
        passages_are_memories_of_the_working_grain,
        rewritten_document_replaces_its_passages,
        removed_document_leaves_no_passage,
        expired_document_is_absent_and_can_be_removed,
        agents_do_not_share_documents,
        agent_is_known_by_its_documents,
        erasure_removes_documents_that_the_target_names,
        what_a_field_of_another_document_is_called_is_not_gone,
    ];
    run("documents", cases, async || Box::new(make().await) as Box<dyn Store>).await;
}

fn document_key(collection: &str, key: &str) -> DocumentKey {
    DocumentKey { collection: collection.into(), key: key.into() }
}

async fn save(store: &dyn Store, document: Document) -> u64 {
    let write = DocumentWrite::Save(Box::new(document), Expected::Any);
    store.write_documents(&me(), vec![write], now()).await.unwrap()[0]
}

async fn read(store: &dyn Store, key: &str) -> Option<Document> {
    store.documents(&me(), &[document_key("notes", key)], now()).await.unwrap().pop()
}

async fn passages(store: &dyn Store) -> Vec<Memory> {
    let select = Select { kinds: vec![Kind::Passage], ..Select::all(Grain::Working) };
    store.list(&me(), &select).await.unwrap()
}

async fn texts(store: &dyn Store) -> Vec<String> {
    let mut texts: Vec<String> = passages(store).await.into_iter().map(|memory| memory.text).collect();
    texts.sort();
    texts
}

async fn document_comes_back_as_it_was(store: &dyn Store) {
    let value = json!({"a": [1, 2.5, null, "x\"y"], "ü": {"b": true}});
    let mut documents = vec![
        Document { content: Content::Json(value), indexed: Some(vec!["a[3]".into()]), ..document("json", now(), "") },
        Document {
            expires_at: Some(later()),
            lifetime: Some(SignedDuration::from_hours(24)),
            ..document("ttl", now(), "x")
        },
        Document { indexed: Some(Vec::new()), passages: Vec::new(), ..document("silent", now(), "hush") },
    ];
    for text in ["", "'; DROP TABLE document; --", "a\0b", "\r\n\t", "e\u{301} 東京", &"long ".repeat(20_000)] {
        documents.push(document(&format!("of {}", text.chars().take(9).collect::<String>()), now(), text));
    }
    for document in documents {
        save(store, document.clone()).await;
        assert_eq!(read(store, &document.key).await, Some(document));
    }
    assert_eq!(store.check().await.unwrap(), Vec::<String>::new());
}

async fn every_write_raises_the_version_and_keeps_the_creation(store: &dyn Store) {
    assert_eq!(save(store, document("a", now(), "one")).await, 1);
    assert_eq!(save(store, document("a", later(), "two")).await, 2);
    let stored = read(store, "a").await.unwrap();
    assert_eq!((stored.version, stored.created_at, stored.updated_at), (2, now(), later()));
    let removed = vec![DocumentWrite::Remove(document_key("notes", "a"), Expected::Any)];
    assert_eq!(store.write_documents(&me(), removed.clone(), now()).await.unwrap(), [2]);
    assert_eq!(store.write_documents(&me(), removed, now()).await.unwrap(), [0]);
    assert_eq!(save(store, document("a", later(), "three")).await, 1);
}

async fn write_that_expects_another_state_changes_nothing(store: &dyn Store) {
    save(store, document("a", now(), "one")).await;
    let write = |key: &str, expected| DocumentWrite::Save(Box::new(document(key, later(), "two")), expected);
    for (second, stale) in [
        (write("a", Expected::Absent), false),
        (write("a", Expected::Version(2)), true),
        (write("c", Expected::Version(1)), true),
        (DocumentWrite::Remove(document_key("notes", "a"), Expected::Version(7)), true),
        (DocumentWrite::Remove(document_key("notes", "c"), Expected::Version(1)), true),
    ] {
        let writes = vec![write("b", Expected::Absent), second.clone()];
        let error = store.write_documents(&me(), writes, later()).await.unwrap_err();
        assert_eq!(matches!(error, Error::Stale { .. }), stale, "{second:?}: {error}");
        assert_eq!(matches!(error, Error::Exists { .. }), !stale, "{second:?}: {error}");
        assert_eq!(read(store, "b").await, None, "{second:?}");
        assert_eq!(texts(store).await, ["a\none"]);
    }
    let writes = vec![write("a", Expected::Version(1)), write("a", Expected::Version(2))];
    assert_eq!(store.write_documents(&me(), writes, later()).await.unwrap(), [2, 3], "each sees the one before");
}

async fn documents_are_listed_by_collection_and_key(store: &dyn Store) {
    for (collection, key) in [("a.b", "2"), ("a", "1"), ("a.b", "1/x"), ("ab", "1"), ("a-b", "1"), ("a.b.c", "1")] {
        save(store, Document { collection: collection.into(), ..document(key, now(), "x") }).await;
    }
    let list = async |below: &str, key_prefix: &str, after: Option<DocumentKey>, limit: usize| {
        let select = DocumentSelect { below: below.into(), key_prefix: key_prefix.into(), after, limit };
        let found = store.list_documents(&me(), &select, now()).await.unwrap();
        found.iter().map(|document| document.document_key().to_string()).collect::<Vec<_>>()
    };
    let all = ["a/1", "a-b/1", "a.b/1/x", "a.b/2", "a.b.c/1", "ab/1"];
    assert_eq!(list("", "", None, 9).await, all);
    assert_eq!(list("a", "", None, 9).await, ["a/1", "a.b/1/x", "a.b/2", "a.b.c/1"]);
    assert_eq!(list("a.b", "", None, 9).await, ["a.b/1/x", "a.b/2", "a.b.c/1"]);
    assert_eq!(list("a.b", "1", None, 9).await, ["a.b/1/x", "a.b.c/1"]);
    assert_eq!(list("a.b", "", Some(document_key("a.b", "1/x")), 1).await, ["a.b/2"]);
    assert_eq!(list("", "", Some(document_key("ab", "1")), 9).await, Vec::<String>::new());
    assert_eq!(list("b", "", None, 9).await, Vec::<String>::new());
}

async fn newest_documents_come_first_and_entries_have_sizes(store: &dyn Store) {
    for (key, at, text) in [("b", now(), "é"), ("c", later(), ""), ("a", now(), "xyz"), ("d", later(), "x")] {
        save(store, document(key, at, text)).await;
    }
    save(store, Document { content: Content::Json(json!({"a": [1]})), ..document("json", now(), "") }).await;
    save(store, Document { expires_at: Some(now()), ..document("over", later(), "x") }).await;
    save(store, Document { collection: "other".into(), ..document("a", later(), "x") }).await;
    let select = |limit| DocumentSelect { below: "notes".into(), limit, ..DocumentSelect::default() };
    let newest = store.newest_documents(&me(), &select(9), now()).await.unwrap();
    assert_eq!(newest.iter().map(|key| &*key.key).collect::<Vec<_>>(), ["c", "d", "a", "b", "json"]);
    assert_eq!(store.newest_documents(&me(), &select(2), now()).await.unwrap(), newest[..2]);
    let entries = store.document_entries(&me(), &select(9), now()).await.unwrap();
    let entries: Vec<_> = entries.iter().map(|entry| (&*entry.key.key, entry.bytes)).collect();
    assert_eq!(entries, [("a", 3), ("b", 2), ("c", 0), ("d", 1), ("json", 9)]);
    let after = DocumentSelect { after: Some(document_key("notes", "b")), ..select(1) };
    assert_eq!(store.document_entries(&me(), &after, now()).await.unwrap()[0].key, document_key("notes", "c"));
}

async fn collections_are_listed_with_their_documents(store: &dyn Store) {
    for (collection, key) in [("b", "1"), ("a.c", "1"), ("b", "2")] {
        save(store, Document { collection: collection.into(), ..document(key, now(), "x") }).await;
    }
    save(store, Document { collection: "over".into(), expires_at: Some(now()), ..document("1", now(), "x") }).await;
    let found = store.collections(&me(), now()).await.unwrap();
    let found: Vec<_> = found.iter().map(|one| (one.collection.as_str(), one.documents)).collect();
    assert_eq!(found, [("a.c", 1), ("b", 2)]);
}

async fn passages_are_memories_of_the_working_grain(store: &dyn Store) {
    let written = document("plan", now(), "# Trip\n\nWe go to Bern.");
    save(store, written.clone()).await;
    let changes = store.changes(&me(), Grain::Working, 0, 9).await.unwrap();
    let memories: Vec<Memory> = changes
        .iter()
        .map(|change| if let Change::Upsert(memory) = change { memory.clone() } else { panic!() })
        .collect();
    let expected = written.memories(&me());
    let unnumbered = |memories: &[Memory]| -> Vec<Memory> {
        memories.iter().map(|memory| Memory { seq: 0, ..memory.clone() }).collect()
    };
    assert_eq!(unnumbered(&memories), expected);
    assert_eq!(memories[1].text, "plan: Trip\nWe go to Bern.");
    assert!(memories[0].seq < memories[1].seq);
    let ids: Vec<MemoryId> = expected.iter().map(|memory| memory.id.clone()).collect();
    assert_eq!(store.get(&me(), &ids).await.unwrap(), memories);
    assert_eq!(store.list(&me(), &Select::all(Grain::Working)).await.unwrap(), [], "listed by themselves only");
    assert_eq!(passages(store).await.len(), 2);
    assert_eq!(
        (store.backlog(&me(), Grain::Working, 0).await.unwrap(), store.counts(&me()).await.unwrap().memories[0]),
        (2, 2)
    );
    assert_eq!((store.ledger(&me()).await.unwrap(), store.children(&me()).await.unwrap()), (Vec::new(), Vec::new()));
    assert_eq!(store.agents_with_work(now()).await.unwrap(), [me()]);
    assert!(store.pin(&me(), &ids[0], true).await.is_err() && store.correct(&me(), &ids[0], "x", now()).await.is_err());
}

async fn rewritten_document_replaces_its_passages(store: &dyn Store) {
    save(store, document("a", now(), "one\n\ntwo\n\nthree")).await;
    let first = passages(store).await;
    let access = Access { times: 2, last: now() };
    store
        .add_accesses(&me(), &first.iter().map(|memory| (memory.id.clone(), access)).collect::<Vec<_>>())
        .await
        .unwrap();
    let seq = first.iter().map(|memory| memory.seq).max().unwrap();
    save(store, document("a", later(), "eins\n\nzwei")).await;
    assert_eq!(texts(store).await, ["a\neins", "a\nzwei"]);
    let changes = store.changes(&me(), Grain::Working, seq, 9).await.unwrap();
    let deleted = changes.iter().filter(|change| matches!(change, Change::Delete { .. })).count();
    assert_eq!((changes.len(), deleted), (3, 1));
    let recalled =
        store.recall(&me(), &first.iter().map(|memory| memory.id.clone()).collect::<Vec<_>>()).await.unwrap();
    assert!(recalled.len() == 2 && recalled.iter().all(|(_, counted)| *counted == Some(access)));
    save(store, document("a", later(), "un\n\ndeux\n\ntrois")).await;
    assert_eq!(texts(store).await.len(), 3, "a removed passage comes back");
    assert_eq!(store.check().await.unwrap(), Vec::<String>::new());
}

async fn removed_document_leaves_no_passage(store: &dyn Store) {
    save(store, document("a", now(), "one\n\ntwo")).await;
    save(store, document("b", now(), "three")).await;
    store
        .write_documents(&me(), vec![DocumentWrite::Remove(document_key("notes", "a"), Expected::Version(1))], now())
        .await
        .unwrap();
    assert_eq!((read(store, "a").await, texts(store).await), (None, vec!["b\nthree".to_owned()]));
    let changes = store.changes(&me(), Grain::Working, 0, 9).await.unwrap();
    assert_eq!(changes.iter().filter(|change| matches!(change, Change::Delete { .. })).count(), 2);
    assert_eq!(store.find_leftovers(&me(), &["one".into()]).await.unwrap(), Vec::<String>::new());
    assert_eq!(store.check().await.unwrap(), Vec::<String>::new());
}

async fn expired_document_is_absent_and_can_be_removed(store: &dyn Store) {
    let lifetime = later().duration_since(now());
    let fleeting =
        |key: &str| Document { lifetime: Some(lifetime), expires_at: Some(later()), ..document(key, now(), key) };
    for key in ["a", "b", "c"] {
        save(store, fleeting(key)).await;
    }
    save(store, document("stays", now(), "stays")).await;
    let half = now() + lifetime / 2;
    store
        .refresh_documents(
            &me(),
            &[document_key("notes", "a"), document_key("notes", "stays"), document_key("notes", "none")],
            half,
        )
        .await
        .unwrap();
    let live =
        store.list_documents(&me(), &DocumentSelect { limit: 9, ..DocumentSelect::default() }, later()).await.unwrap();
    assert_eq!(live.iter().map(|document| document.key.as_str()).collect::<Vec<_>>(), ["a", "stays"]);
    assert_eq!(live[0].expires_at, Some(half + lifetime));
    let expired = passages(store).await.into_iter().filter(|memory| memory.is_expired(later())).count();
    assert_eq!(expired, 2);
    store.refresh_documents(&me(), &[document_key("notes", "b")], later()).await.unwrap();
    assert_eq!(store.documents(&me(), &[document_key("notes", "b")], later()).await.unwrap(), [], "it stays expired");
    let again = DocumentWrite::Save(Box::new(document("b", later(), "new")), Expected::Absent);
    assert_eq!(store.write_documents(&me(), vec![again], later()).await.unwrap(), [2]);
    assert_eq!(store.documents(&me(), &[document_key("notes", "b")], later()).await.unwrap()[0].created_at, later());
    assert_eq!(store.remove_expired(later(), 9).await.unwrap(), [me()]);
    assert_eq!(store.remove_expired(later(), 9).await.unwrap(), []);
    assert_eq!(texts(store).await, ["a\na", "b\nnew", "stays\nstays"]);
}

async fn agents_do_not_share_documents(store: &dyn Store) {
    let other = agent("other");
    save(store, document("a", now(), "mine")).await;
    assert_eq!(store.documents(&other, &[document_key("notes", "a")], now()).await.unwrap(), []);
    let write = DocumentWrite::Save(Box::new(document("a", now(), "theirs")), Expected::Absent);
    store.write_documents(&other, vec![write], now()).await.unwrap();
    store.erase(&other, &Target::Agent, now()).await.unwrap();
    assert_eq!(texts(store).await, ["a\nmine"]);
}

async fn agent_is_known_by_its_documents(store: &dyn Store) {
    save(store, document("a", now(), "")).await;
    assert_eq!(store.all_agents().await.unwrap(), [me()]);
    assert!(store.agent_state(&me()).await.unwrap().known);
    store
        .write_documents(&me(), vec![DocumentWrite::Remove(document_key("notes", "a"), Expected::Any)], now())
        .await
        .unwrap();
    assert_eq!(store.all_agents().await.unwrap(), []);
}

async fn erasure_removes_documents_that_the_target_names(store: &dyn Store) {
    let written = [
        document("one", now(), "Zelda likes rye bread.\n\nBob likes oat cakes."),
        document("zelda", now(), "She plays the piano well."),
        Document {
            content: Content::Json(json!({"who": "Zelda", "what": "Bob likes oat cakes."})),
            passages: Vec::new(),
            ..document("json", later(), "")
        },
        // The name is in a field without a text, and after an escaped line break.
        Document { content: Content::Json(json!({"zelda": null, "x": {}})), ..document("empty", now(), "") },
        Document { content: Content::Json(json!(["Bob\nZelda"])), ..document("line", now(), "") },
        document("other", later(), "Bob likes oat cakes."),
    ];
    for document in written.clone() {
        save(store, document).await;
    }
    let range = Interval { start: later(), end: later() + SignedDuration::from_secs(1) };
    let ranged = store.preview(&me(), &Target::Range(range)).await.unwrap();
    let keys = |places: &[DocumentKey]| places.iter().map(|document_key| document_key.key.clone()).collect::<Vec<_>>();
    assert_eq!(keys(&ranged.documents), ["json", "other"]);
    let passage = written[0].memories(&me())[1].id.clone();
    let report = store.preview(&me(), &Target::Memories(vec![passage])).await.unwrap();
    assert_eq!((keys(&report.documents), report.words), (vec!["one".into()], vec!["Zelda likes rye bread".to_owned()]));
    let report = store.erase(&me(), &Target::Subject("Zelda".into()), later()).await.unwrap();
    assert_eq!(keys(&report.documents), ["empty", "json", "line", "one", "zelda"]);
    assert_eq!(
        report.words,
        ["She plays the piano well", "Zelda likes rye bread"],
        "what another document says is not gone"
    );
    assert_eq!(texts(store).await, ["other\nBob likes oat cakes."]);
    assert_eq!(store.find_leftovers(&me(), &report.words).await.unwrap(), Vec::<String>::new());
    assert_eq!(store.check().await.unwrap(), Vec::<String>::new());
    let report = store.erase(&me(), &Target::Agent, later()).await.unwrap();
    assert_eq!(
        (keys(&report.documents), report.words),
        (vec!["other".to_owned()], vec!["Bob likes oat cakes".to_owned()])
    );
    assert_eq!(store.all_agents().await.unwrap(), []);
}

async fn what_a_field_of_another_document_is_called_is_not_gone(store: &dyn Store) {
    let json = |name: &str, content| Document { content: Content::Json(content), ..document(name, now(), "") };
    save(store, json("goes", json!({"Zelda": ["She plays the piano well.", "Contrabassoon", "Violoncellist"]}))).await;
    save(store, json("stays", json!({"She plays the piano well.": {}, "Contrabassoon": 1}))).await;
    let report = store.erase(&me(), &Target::Subject("Zelda".into()), later()).await.unwrap();
    assert_eq!(report.words, ["Violoncellist"]);
    assert_eq!(store.find_leftovers(&me(), &report.words).await.unwrap(), Vec::<String>::new());
}
