use std::sync::Arc;

use annals_core::{Agent, Grain, Settings};
use annals_testkit::{Faulty, MemoryCatalog, agent, at};
use serde_json::Value;
use tokio::sync::mpsc::channel;

use super::*;
use crate::fixture::{NOW, over, service};
use crate::wire::{FactsRequest, ImportCounts};

fn me() -> Agent {
    agent("ann")
}

fn item(item: ItemIn) -> ImportItem {
    ImportItem { place: "export.json: line 1".into(), item }
}

fn message(conversation: &str, id: &str, content: &str) -> ImportItem {
    let message = Message {
        conversation: conversation.into(),
        client_id: Some(id.into()),
        role: Role::User,
        name: Some("Ann".into()),
        content: content.into(),
        at: at("2026-03-04T18:30:00Z"),
    };
    item(message.into())
}

fn statement(id: &str, text: &str) -> ImportItem {
    item(ItemIn::Statement { id: id.into(), about: Some("Ann".into()), text: text.into(), at: None })
}

fn document(text: &str) -> ImportItem {
    item(ItemIn::Document { id: "notes.md".into(), title: "Notes".into(), text: text.into(), at: None })
}

fn fact(object: &str) -> ImportItem {
    let (id, subject, predicate) = (format!("f-{object}"), "Ann".into(), "likes".into());
    item(ItemIn::Fact { id, subject, predicate, object: object.into(), at: None })
}

fn block(text: &str) -> ImportItem {
    item(ItemIn::Block { name: "human".into(), text: text.into() })
}

/// One of each type.
fn export() -> Vec<ImportItem> {
    vec![
        message("chatgpt:c", "1", "We sold the boat."),
        message("chatgpt:c", "2", "We bought a bicycle."),
        statement("mem0:1", "Prefers window seats."),
        document("# Tea\nGreen.\n# Cake\nApple."),
        fact("tea"),
        block("Ann lives in Bern."),
    ]
}

async fn import(service: &Service, from: &str, items: Vec<ImportItem>, now: &str) -> Result<StoredItems> {
    let request = ItemsRequest { from: from.into(), ..ItemsRequest::default() };
    let (sender, mut received) = channel(items.len().max(1));
    for item in items {
        sender.try_send(item).unwrap();
    }
    drop(sender);
    service.import_items(&me(), &request, &mut received, at(now)).await
}

async fn imported(service: &Service, items: Vec<ImportItem>) -> StoredItems {
    import(service, "chatgpt", items, NOW).await.unwrap()
}

async fn dump(service: &Service) -> Vec<Value> {
    let mut lines = Vec::new();
    service.dump(&me(), &mut |line| lines.push(line)).await.unwrap();
    lines
}

fn new(count: u64) -> ImportCounts {
    ImportCounts { new: count, ..ImportCounts::default() }
}

fn known(count: u64) -> ImportCounts {
    ImportCounts { known: count, ..ImportCounts::default() }
}

#[tokio::test]
async fn second_import_changes_nothing_at_a_later_time() {
    let service = service(Arc::new(|| at(NOW)));
    let first = imported(&service, export()).await;
    let counts =
        |stored: &StoredItems| [stored.messages, stored.statements, stored.sections, stored.facts, stored.blocks];
    assert_eq!(counts(&first), [new(2), new(1), new(2), new(1), new(1)]);
    assert_eq!((first.searchable, first.dead, first.skipped.len()), (5, 0, 0));
    let before = dump(&service).await;
    let again = import(&service, "chatgpt", export(), "2026-04-01T12:00:00Z").await.unwrap();
    assert_eq!(counts(&again), [known(2), known(1), known(2), known(1), known(1)]);
    assert_eq!(dump(&service).await, before);
}

#[tokio::test]
async fn longer_export_adds_what_is_new_and_revises_what_was_edited() {
    let service = service(Arc::new(|| at(NOW)));
    imported(&service, export()).await;
    let later = vec![
        message("chatgpt:c", "1", "We sold the blue boat."),
        message("chatgpt:c", "2", "We bought a bicycle."),
        message("chatgpt:c", "3", "It is red."),
        statement("mem0:1", "Prefers aisle seats."),
        document("# Tea\nBlack.\n# Bread\nRye.\n# Cake\nApple."),
        fact("tea"),
        fact("rye"),
        block("Ann lives in Porto."),
    ];
    let stored = imported(&service, later).await;
    let mixed = |new, known, revised| ImportCounts { new, known, revised, forgotten: 0 };
    assert_eq!(stored.messages, mixed(1, 1, 1));
    assert_eq!(stored.statements, mixed(0, 0, 1));
    assert_eq!(stored.sections, mixed(1, 1, 1));
    assert_eq!(stored.facts, mixed(1, 1, 0));
    assert_eq!(stored.blocks, mixed(0, 0, 1));
    let texts: Vec<String> =
        service.memories_of(&me(), Grain::Working).await.unwrap().into_iter().map(|memory| memory.text).collect();
    assert!(texts.contains(&"We sold the blue boat.".to_owned()) && !texts.contains(&"We sold the boat.".to_owned()));
    let request = FactsRequest { about: Some("Ann".into()), ..FactsRequest::default() };
    let facts = service.facts(&me(), request, at("2026-04-01T12:00:00Z")).await.unwrap();
    assert_eq!(facts.facts.iter().filter(|fact| fact.predicate == "likes").count(), 2);
}

/// Fails each call of the store once, and imports again.
#[tokio::test]
async fn interrupted_import_is_completed_by_the_next() {
    let undisturbed = service(Arc::new(|| at(NOW)));
    imported(&undisturbed, export()).await;
    let expected = dump(&undisturbed).await;
    let mut failures = 0;
    for call in 0.. {
        let store = Arc::new(Faulty::during(MemoryCatalog::new(), call..call + 1));
        let service = over(store.clone(), Arc::new(|| at(NOW)));
        let failed = import(&service, "chatgpt", export(), NOW).await.is_err();
        if !failed && store.calls() <= call {
            break;
        }
        failures += u32::from(failed);
        imported(&service, export()).await;
        assert_eq!(dump(&service).await, expected, "call {call}");
    }
    assert!(failures > 10, "{failures}");
}

#[tokio::test]
async fn message_that_moved_to_another_session_stays_where_it_is() {
    let service = service(Arc::new(|| at(NOW)));
    let from = |items| import(&service, "claude-code", items, NOW);
    from(vec![message("claude-code:a", "1", "Hello"), message("claude-code:a", "2", "Go on")]).await.unwrap();
    let resumed = vec![message("claude-code:b", "2", "Go on"), message("claude-code:b", "3", "Stop")];
    assert_eq!(from(resumed.clone()).await.unwrap().messages, ImportCounts { new: 1, known: 1, ..new(0) });
    assert_eq!(from(resumed).await.unwrap().messages, known(2));
}

#[tokio::test]
async fn message_that_moved_to_another_branch_stays_where_it_is() {
    let service = service(Arc::new(|| at(NOW)));
    imported(&service, vec![message("chatgpt:c", "1", "Hello"), message("chatgpt:c#leaf", "2", "Other")]).await;
    let later = vec![message("chatgpt:c", "2", "Other"), message("chatgpt:c#new", "1", "Hello")];
    assert_eq!(imported(&service, later).await.messages, known(2));
    // Another conversation may use the same ids.
    assert_eq!(imported(&service, vec![message("chatgpt:cc", "1", "Hello")]).await.messages, new(1));
}

#[tokio::test]
async fn forgotten_messages_and_statements_stay_forgotten() {
    let service = service(Arc::new(|| at(NOW)));
    imported(&service, export()).await;
    let ids = service.memories_of(&me(), Grain::Working).await.unwrap().into_iter().map(|memory| memory.id).collect();
    let target = annals_core::ports::Target::Memories(ids);
    service.forget_target(&me(), &target, false, at(NOW)).await.unwrap();
    let again = import(&service, "chatgpt", export(), "2026-04-01T12:00:00Z").await.unwrap();
    let forgotten = |count| ImportCounts { forgotten: count, ..ImportCounts::default() };
    assert_eq!([again.messages, again.statements, again.sections], [forgotten(2), forgotten(1), forgotten(2)]);
}

#[tokio::test]
async fn credentials_are_masked_unless_the_settings_say_otherwise() {
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let items = || vec![message("chatgpt:c", "1", &format!("The token is {secret}.")), block(secret)];
    let service = service(Arc::new(|| at(NOW)));
    assert_eq!(imported(&service, items()).await.masked, 2);
    assert!(!format!("{:?}", dump(&service).await).contains(secret));
    assert_eq!(imported(&service, items()).await.messages, known(1));
    let plain = crate::fixture::service(Arc::new(|| at(NOW)));
    let settings = Settings { mask: false, ..Settings::default() };
    plain.parts.store.save_settings(&me(), &settings).await.unwrap();
    assert_eq!(imported(&plain, items()).await.masked, 0);
}

#[tokio::test]
async fn what_does_not_fit_is_stored_elsewhere_or_counted() {
    let service = service(Arc::new(|| at(NOW)));
    let title = ItemIn::Conversation { title: Some("Boats".into()), summary: Some("About boats.".into()) };
    let items = vec![
        item(title),
        fact(&"long ".repeat(100)),
        block(&"x ".repeat(10_000)),
        message("chatgpt:c", "1", " \n"),
        message("chatgpt:c", "2", "Here."),
    ];
    let stored = imported(&service, items).await;
    assert_eq!((stored.messages, stored.statements, stored.facts), (new(1), new(1), new(0)));
    assert_eq!((stored.blocks, stored.sections), (new(0), new(3)));
    let skipped: Vec<(&str, u64)> = stored.skipped.iter().map(|skip| (skip.kind.as_str(), skip.count)).collect();
    let expected =
        [("message that cannot be stored", 1), ("summary of a conversation", 1), ("title of a conversation", 1)];
    assert_eq!(skipped, expected);
    assert_eq!(stored.skipped[0].place, "export.json: line 1");
}

#[tokio::test]
async fn id_with_two_contents_in_one_export_ends_with_the_last() {
    let service = service(Arc::new(|| at(NOW)));
    let items = vec![message("chatgpt:c", "1", "Old"), message("chatgpt:c", "1", "New")];
    assert_eq!(imported(&service, items).await.messages, ImportCounts { new: 1, revised: 1, ..new(0) });
    let stored = service.memories_of(&me(), Grain::Working).await.unwrap();
    assert_eq!(stored.iter().map(|memory| memory.text.as_str()).collect::<Vec<_>>(), ["New"]);
}

#[tokio::test]
async fn more_than_a_batch_is_stored_once_each() {
    let service = service(Arc::new(|| at(NOW)));
    let items = || (0..1300).map(|number| message("chatgpt:c", &number.to_string(), "Tea?")).collect::<Vec<_>>();
    assert_eq!(imported(&service, items()).await.messages, new(1300));
    assert_eq!(imported(&service, items()).await.messages, known(1300));
}
