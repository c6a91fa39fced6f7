use std::sync::Arc;

use annals_core::ports::{Content, DocumentKey, Expected};
use annals_testkit::{agent, at};
use serde_json::json;

use super::*;
use crate::fixture::{NOW, service_with_memories};
use crate::jobs::Moment;
use crate::wire::{DocumentSearchRequest, SearchRequest};

fn document_key(key: &str) -> DocumentKey {
    DocumentKey { collection: "notes".into(), key: key.into() }
}

async fn put(service: &Service, key: &str, request: serde_json::Value, now: &str) -> Result<DocumentView> {
    let settings = service.admit(&agent("ann")).await.unwrap();
    let request = serde_json::from_value(request).unwrap();
    service.put_document(&agent("ann"), &settings, document_key(key), request, at(now)).await
}

async fn find(service: &Service, query: &str, now: &str) -> Vec<String> {
    service.make_searchable(&agent("ann"), &|_| ()).await.unwrap();
    let request = DocumentSearchRequest { query: query.into(), collection: None, limit: 5 };
    let found = service.search_documents(&agent("ann"), request, at(now)).await.unwrap();
    found.results.into_iter().map(|result| result.document.key).collect()
}

async fn search(service: &Service, query: &str, now: &str) -> Vec<String> {
    let request = SearchRequest { query: Some(query.into()), limit: 50, ..SearchRequest::default() };
    let found = service.search(&agent("ann"), request, at(now)).await.unwrap().results;
    found.into_iter().filter_map(|memory| memory.document).map(|document| document.key).collect()
}

/// Returns a text of many passages, each about its own word.
fn long_text(count: usize) -> String {
    let filler = "and so on it went for a while without much else to say about it ".repeat(2);
    (0..count).map(|number| format!("Harvest{number} harvest {filler}.\n\n")).collect()
}

#[tokio::test]
async fn document_is_found_by_any_part_and_does_not_flood_a_search() {
    let service = service_with_memories(&agent("ann")).await;
    let stored = put(&service, "farm.md", json!({"text": long_text(30)}), NOW).await.unwrap();
    assert!(stored.passages > 10, "{stored:?}");
    for number in [0, 7, 15, 29] {
        assert_eq!(find(&service, &format!("harvest{number}"), NOW).await, ["farm.md"]);
    }
    assert_eq!(search(&service, "harvest", NOW).await.len(), 3);
    let quiet = json!({"value": {"note": "harvest moon", "id": "x"}, "indexed": []});
    put(&service, "quiet", quiet, NOW).await.unwrap();
    assert_eq!(find(&service, "harvest moon", NOW).await, ["farm.md"], "nothing of it is indexed");
    assert_eq!(
        service.verify(&agent("ann"), at(NOW)).await.unwrap().tables,
        [],
        "the table has the passages of the catalog"
    );
}

#[tokio::test]
async fn document_whose_passages_fill_the_first_round_hides_no_other() {
    let service = service_with_memories(&agent("ann")).await;
    let text: String = (0..450).map(|number| format!("# Harvest{number}\n\nThe harvest.\n\n")).collect();
    let stored = put(&service, "farm.md", json!({"text": text}), NOW).await.unwrap();
    assert!(stored.passages > 400, "{stored:?}");
    put(&service, "tree", json!({"text": "The walnut tree is old."}), NOW).await.unwrap();
    assert_eq!(find(&service, "harvest", NOW).await, ["farm.md", "tree"]);
}

#[tokio::test]
async fn changed_and_removed_documents_are_found_no_more() {
    let service = service_with_memories(&agent("ann")).await;
    put(&service, "a", json!({"text": "The walnut tree is old."}), NOW).await.unwrap();
    assert_eq!(find(&service, "walnut", NOW).await, ["a"]);
    put(&service, "a", json!({"text": "The chestnut tree is old."}), NOW).await.unwrap();
    find(&service, "chestnut", NOW).await;
    let request = DocumentSearchRequest { query: "walnut".into(), collection: None, limit: 5 };
    let found = service.search_documents(&agent("ann"), request, at(NOW)).await.unwrap();
    assert!(found.results.iter().all(|result| !result.text.contains("walnut")), "{found:?}");
    service.remove_document(&agent("ann"), document_key("a"), Some(2), at(NOW)).await.unwrap();
    assert_eq!(find(&service, "chestnut", NOW).await, Vec::<String>::new());
    assert_eq!(service.verify(&agent("ann"), at(NOW)).await.unwrap().tables, []);
}

#[tokio::test]
async fn expired_document_is_found_no_more_and_is_removed() {
    let (service, later) = (service_with_memories(&agent("ann")).await, "2026-03-10T13:00:00Z");
    put(&service, "a", json!({"text": "The walnut tree is old.", "lifetime_seconds": 3600}), NOW).await.unwrap();
    assert_eq!(
        (find(&service, "walnut", NOW).await, search(&service, "walnut", NOW).await.len()),
        (vec!["a".into()], 1)
    );
    assert_eq!((find(&service, "walnut", later).await, search(&service, "walnut", later).await.len()), (Vec::new(), 0));
    assert!(service.get_document(&agent("ann"), &document_key("a"), at(later)).await.is_err());
    service.remove_expired_documents(at(later)).await.unwrap();
    assert_eq!(
        service.list_documents(&agent("ann"), DocumentsRequest::default(), at(NOW)).await.unwrap().documents.len(),
        0
    );
}

#[tokio::test]
async fn wrong_clock_removes_no_document() {
    let service = service_with_memories(&agent("ann")).await;
    put(&service, "a", json!({"text": "The walnut tree is old.", "lifetime_seconds": 864_000}), NOW).await.unwrap();
    // For each step: the time on the clock, whether the system reports the clock as synchronised, and whether the document,
    // which expires on 20 March, is left.
    let looks = [
        ("2026-03-10T12:00:00Z", None, true),
        ("2026-03-10T13:00:00Z", None, true),
        ("2027-03-10T13:00:00Z", None, true),
        ("2027-03-10T13:20:00Z", None, true),
        ("2026-03-10T13:21:00Z", None, true),
        ("2026-03-10T14:00:00Z", None, true),
        ("2026-03-21T14:00:00Z", None, true),
        ("2026-03-21T14:40:00Z", Some(false), true),
        ("2026-03-21T14:41:00Z", Some(true), false),
    ];
    for (now, synchronised, is_left) in looks {
        service.remove_expired_by_steady_clock(Moment { now: at(now), synchronised }).await.unwrap();
        let left = service.list_documents(&agent("ann"), DocumentsRequest::default(), at(NOW)).await.unwrap();
        assert_eq!(!left.documents.is_empty(), is_left, "{now}");
    }
}

#[tokio::test]
async fn export_restores_documents_with_their_passages() {
    let service = service_with_memories(&agent("ann")).await;
    put(&service, "farm.md", json!({"text": long_text(9)}), NOW).await.unwrap();
    let records = annals_testkit::all_records(&*service.parts.store, &agent("ann")).await;
    let other = Arc::new(annals_testkit::MemoryCatalog::new());
    annals_core::ports::Archive::begin_restore(&*other, &agent("ann")).await.unwrap();
    annals_core::ports::Archive::restore_some(&*other, &agent("ann"), records.clone()).await.unwrap();
    annals_core::ports::Archive::finish_restore(&*other, &agent("ann"), at(NOW)).await.unwrap();
    assert_eq!(annals_testkit::all_records(&*other, &agent("ann")).await, records);
}

#[tokio::test]
async fn forgetting_a_subject_forgets_its_documents_and_proves_it() {
    let service = service_with_memories(&agent("ann")).await;
    put(&service, "guests", json!({"value": {"guests": ["Zelda Quist likes the opera a lot."]}}), NOW).await.unwrap();
    find(&service, "opera", NOW).await;
    let request = serde_json::from_value(json!({"subject": "Zelda Quist", "dry_run": false})).unwrap();
    let forgotten = service.forget(&agent("ann"), request, at(NOW)).await.unwrap();
    assert_eq!(forgotten.documents, ["notes/guests"]);
    let proof = forgotten.proof.unwrap();
    assert!(proof.clean && proof.sentences > 0, "{proof:?}");
    assert_eq!(find(&service, "opera", NOW).await, Vec::<String>::new());
}

#[tokio::test]
async fn credentials_in_documents_are_masked_unless_the_settings_say_otherwise() {
    let service = service_with_memories(&agent("ann")).await;
    put(&service, "router.md", json!({"text": "The password is hunter2"}), NOW).await.unwrap();
    put(&service, "router", json!({"value": {"user": "ann", "password": "hunter2"}}), NOW).await.unwrap();
    let stored = service.get_document(&agent("ann"), &document_key("router.md"), at(NOW)).await.unwrap();
    assert_eq!(stored.text.as_deref(), Some("The password is [masked:password]"));
    let stored = service.get_document(&agent("ann"), &document_key("router"), at(NOW)).await.unwrap();
    assert_eq!(stored.value, Some(json!({"user": "ann", "password": "[masked:password]"})));
    let settings = Settings { mask: false, ..Settings::default() };
    service.parts.store.save_settings(&agent("ann"), &settings).await.unwrap();
    put(&service, "plain.md", json!({"text": "The password is hunter2"}), NOW).await.unwrap();
    let stored = service.get_document(&agent("ann"), &document_key("plain.md"), at(NOW)).await.unwrap();
    assert_eq!(stored.text.as_deref(), Some("The password is hunter2"));
}

#[test]
fn faults_of_a_document_are_all_named() {
    let new = NewDocument {
        key: DocumentKey { collection: ".".into(), key: String::new() },
        content: Content::Text("x".repeat(MAX_CONTENT_BYTES + 1)),
        indexed: Some(vec![String::new(); MAX_PATHS + 1]),
        lifetime: None,
        expected: Expected::Any,
    };
    let fields: Vec<String> = check(&new).into_iter().map(|fault| fault.field).collect();
    assert_eq!(fields, ["key", "collection", "content", "indexed"]);
}
