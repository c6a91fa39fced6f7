use std::sync::Arc;

use annals_core::{Agent, Grain, Role, Settings};
use annals_testkit::{Faulty, MemoryCatalog, agent, at};
use serde_json::Value;
use tokio::sync::mpsc::channel;

use super::*;
use crate::fixture::{NOW, over, service};
use crate::wire::{FactsRequest, ImportCounts};

/// The time of items other than messages.
const WRITTEN: &str = "2026-02-01T09:00:00Z";

fn me() -> Agent {
    agent("ann")
}

fn item(item: ItemIn) -> ImportItem {
    ImportItem { location: "export.json: line 1".into(), item }
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
    item(ItemIn::Statement { id: id.into(), about: Some("Ann".into()), text: text.into(), at: Some(at(WRITTEN)) })
}

fn document(text: &str) -> ImportItem {
    let id = "chatgpt:notes.md".into();
    item(ItemIn::Document { id, title: "Notes".into(), text: text.into(), at: Some(at(WRITTEN)) })
}

fn fact(object: &str) -> ImportItem {
    let (id, subject, predicate) = (format!("f-{object}"), "Ann".into(), "likes".into());
    item(ItemIn::Fact { id, subject, predicate, object: object.into(), is_relation: false, at: Some(at(WRITTEN)) })
}

fn block(text: &str) -> ImportItem {
    item(ItemIn::Block { name: "human".into(), text: text.into(), at: Some(at(WRITTEN)) })
}

/// Returns two messages, and one item of each other type that is stored.
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
    service.import_items(&me(), &request, &mut received, at(now), &NoProgress).await
}

async fn imported(service: &Service, items: Vec<ImportItem>) -> StoredItems {
    import(service, "chatgpt", items, NOW).await.unwrap()
}

async fn dump(service: &Service) -> Vec<Value> {
    let mut lines: Vec<Value> = Vec::new();
    service.dump(&me(), &mut lines).await.unwrap();
    lines.iter().map(|line| serde_json::from_str(line.as_str().unwrap()).unwrap()).collect()
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
        |stored: &StoredItems| [stored.messages, stored.statements, stored.documents, stored.facts, stored.blocks];
    assert_eq!(counts(&first), [new(2), new(1), new(1), new(1), new(1)]);
    assert_eq!((first.searchable, first.dead, first.skipped.len()), (5, 0, 0));
    let before = dump(&service).await;
    let again = import(&service, "chatgpt", export(), "2026-04-01T12:00:00Z").await.unwrap();
    assert_eq!(counts(&again), [known(2), known(1), known(1), known(1), known(1)]);
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
    assert_eq!(stored.documents, mixed(0, 0, 1));
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
    // The conversation branches for the first time, after a new message.
    let later = vec![message("chatgpt:cc", "2", "Again"), message("chatgpt:cc#leaf", "1", "Hello")];
    assert_eq!(imported(&service, later).await.messages, ImportCounts { new: 1, known: 1, ..new(0) });
}

/// Returns all stored memories and documents as `KIND DATE TEXT`, and all blocks.
async fn texts(service: &Service) -> Vec<String> {
    let memories = service.memories_of(&me(), Grain::Working).await.unwrap();
    let mut texts: Vec<String> = memories
        .iter()
        .map(|memory| format!("{} {} {}", memory.kind().as_str(), memory.days.0, memory.text.replace('\n', " ")))
        .collect();
    // Lists leave passages out.
    let all = annals_core::ports::DocumentSelect { limit: 10, ..Default::default() };
    for document in service.page_of_documents(&me(), &all, at(NOW)).await.unwrap() {
        texts.push(format!("document {} {}", document.day, document.full_text().replace('\n', " ")));
    }
    texts.extend(service.blocks(&me()).await.unwrap().blocks.into_iter().map(|block| format!("block {}", block.text)));
    texts
}

#[tokio::test]
async fn each_item_is_stored_as_what_it_is_and_dated_by_its_source() {
    let service = service(Arc::new(|| at(NOW)));
    imported(&service, export()).await;
    let expected = [
        "block Ann lives in Bern.",
        "document 2026-02-01 # Tea Green. # Cake Apple.",
        "fact 2026-02-01 Prefers window seats.",
        "turn 2026-03-04 We bought a bicycle.",
        "turn 2026-03-04 We sold the boat.",
    ];
    let mut found = texts(&service).await;
    found.sort();
    assert_eq!(found, expected);
    let block = service.blocks(&me()).await.unwrap().blocks.remove(0);
    assert_eq!(block.updated_at, Some(at(WRITTEN)));
    let (_, log) = service.parts.store.operations(&me()).await.unwrap();
    assert_eq!(log[0].at, at(WRITTEN));
}

#[tokio::test]
async fn forgotten_items_stay_forgotten_until_they_are_wanted() {
    let service = service(Arc::new(|| at(NOW)));
    imported(&service, export()).await;
    let target = annals_core::ports::Target::Agent;
    service.forget_target(&me(), &target, false, at(NOW)).await.unwrap();
    let again = import(&service, "chatgpt", export(), "2026-04-01T12:00:00Z").await.unwrap();
    let forgotten = |count| ImportCounts { forgotten: count, ..ImportCounts::default() };
    let counts =
        |stored: &StoredItems| [stored.messages, stored.statements, stored.documents, stored.facts, stored.blocks];
    assert_eq!(counts(&again), [2, 1, 1, 1, 1].map(forgotten));
    assert_eq!(texts(&service).await, Vec::<String>::new());
    let request = ItemsRequest { from: "chatgpt".into(), unforget: true, ..ItemsRequest::default() };
    let (sender, mut received) = channel(10);
    export().into_iter().for_each(|item| sender.try_send(item).unwrap());
    drop(sender);
    let wanted = service.import_items(&me(), &request, &mut received, at(NOW), &NoProgress).await.unwrap();
    assert_eq!(counts(&wanted), [2, 1, 1, 1, 1].map(new));
    assert_eq!(imported(&service, export()).await.statements, known(1));
}

/// Forgetting a person also removes the statement, the document, the fact and the block that name her.
#[tokio::test]
async fn items_that_name_a_forgotten_person_are_not_stored_again() {
    let service = service(Arc::new(|| at(NOW)));
    let items = || {
        let fact = ItemIn::Fact {
            id: "f".into(),
            subject: "Zelda Quist".into(),
            predicate: "likes".into(),
            object: "tea".into(),
            is_relation: true,
            at: None,
        };
        vec![
            statement("mem0:2", "Zelda Quist sings."),
            document("Zelda Quist was here."),
            item(fact),
            block("Her friend is Zelda Quist."),
            statement("mem0:3", "Likes tea."),
        ]
    };
    imported(&service, items()).await;
    let target = annals_core::ports::Target::Subject("Zelda Quist".into());
    service.forget_target(&me(), &target, false, at(NOW)).await.unwrap();
    let again = imported(&service, items()).await;
    let counts = [again.statements, again.documents, again.facts, again.blocks];
    assert_eq!(counts.map(|counts| counts.forgotten), [1, 1, 1, 1]);
    assert_eq!(texts(&service).await, ["fact 2026-02-01 Likes tea."]);
}

#[tokio::test]
async fn section_that_the_source_removed_is_removed() {
    let service = service(Arc::new(|| at(NOW)));
    imported(&service, vec![document("# Tea\nGreen.\n# Cake\nApple.")]).await;
    let stored = imported(&service, vec![document("# Cake\nApple.")]).await;
    assert_eq!(stored.documents, ImportCounts { revised: 1, ..new(0) });
    assert_eq!(texts(&service).await, ["document 2026-02-01 # Cake Apple."]);
}

#[tokio::test]
async fn document_that_became_shorter_loses_its_further_parts() {
    let service = service(Arc::new(|| at(NOW)));
    let keys = async || {
        let request = crate::wire::DocumentsRequest::default();
        let listed = service.list_documents(&me(), request, at(NOW)).await.unwrap().documents;
        listed.into_iter().map(|document| document.key).collect::<Vec<_>>()
    };
    imported(&service, vec![document(&"word ".repeat(450_000))]).await;
    assert_eq!(keys().await, ["notes.md", "notes.md#2", "notes.md#3"]);
    imported(&service, vec![document("word")]).await;
    assert_eq!(keys().await, ["notes.md"]);
}

#[tokio::test]
async fn statement_that_was_corrected_by_hand_stays_corrected() {
    let service = service(Arc::new(|| at(NOW)));
    imported(&service, vec![statement("mem0:1", "Prefers window seats.")]).await;
    let id = service.memories_of(&me(), Grain::Working).await.unwrap().remove(0).id;
    let change = crate::wire::CorrectRequest { text: Some("Prefers aisle seats.".into()), pinned: None };
    service.correct(&me(), id.as_str(), change, at(NOW)).await.unwrap();
    assert_eq!(imported(&service, vec![statement("mem0:1", "Prefers window seats.")]).await.statements, known(1));
    assert_eq!(texts(&service).await, ["fact 2026-02-01 Prefers aisle seats."]);
}

#[tokio::test]
async fn titles_are_kept_with_the_first_message() {
    let service = service(Arc::new(|| at(NOW)));
    let titled = |title: &str| {
        let id = "chatgpt:c".into();
        let title = ItemIn::Conversation { id, title: Some(title.into()), summary: None };
        vec![item(title), message("chatgpt:c", "1", "We sold the boat."), message("chatgpt:c", "2", "A pity.")]
    };
    let listed = async || {
        let answer = service.conversations(&me(), crate::wire::PageRequest::default()).await.unwrap();
        answer.conversations.into_iter().map(|entry| entry.title).collect::<Vec<_>>()
    };
    imported(&service, titled("Boats")).await;
    assert_eq!(listed().await, [Some("Boats".to_owned())]);
    let before = dump(&service).await;
    imported(&service, titled("Boats")).await;
    assert_eq!(dump(&service).await, before);
    imported(&service, titled("The boat")).await;
    assert_eq!(listed().await, [Some("The boat".to_owned())]);
}

/// Facts follow the rule of the adapter for the MCP reference memory server: a long value is shortened, and the full text is
/// kept as a property.
#[tokio::test]
async fn long_observations_and_equal_ones_are_kept_in_full() {
    let service = service(Arc::new(|| at(NOW)));
    let long = "plays the piano ".repeat(40);
    let observed = |text: &str| {
        item(ItemIn::Fact {
            id: format!("mcp-memory:{text}"),
            subject: "Zoe".into(),
            predicate: annals_core::OBSERVATION.into(),
            object: text.into(),
            is_relation: false,
            at: None,
        })
    };
    let items = || vec![observed("Likes tea."), observed("likes tea"), observed(&long)];
    assert_eq!(imported(&service, items()).await.facts, new(3));
    let expected = ["Likes tea.", "likes tea", &long];
    assert_eq!(service.knowledge(&me()).await.unwrap().entities[0].observations, expected);
    assert_eq!(imported(&service, items()).await.facts, known(3));
    // The adapter recognises these observations as stored.
    let again = vec![("Zoe".to_owned(), expected.map(str::to_owned).to_vec())];
    assert_eq!(service.add_observations(&me(), again, at(NOW)).await.unwrap()[0].1, Vec::<String>::new());
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
async fn items_that_do_not_fit_are_stored_elsewhere_or_counted() {
    let service = service(Arc::new(|| at(NOW)));
    let title = ItemIn::Conversation { id: "chatgpt:c".into(), title: None, summary: Some("About boats.".into()) };
    let items = vec![
        item(title),
        fact(&"long ".repeat(100)),
        statement("mem0:1", &"long ".repeat(3000)),
        block(&"x ".repeat(10_000)),
        message("chatgpt:c", "1", " \n"),
        message("chatgpt:c", "2", "Here."),
    ];
    let stored = imported(&service, items).await;
    assert_eq!((stored.messages, stored.facts, stored.statements), (new(1), new(1), new(0)));
    assert_eq!((stored.blocks, stored.documents), (new(0), new(2)));
    let skipped: Vec<(&str, u64)> = stored.skipped.iter().map(|skip| (skip.kind.as_str(), skip.count)).collect();
    let expected = [("message that cannot be stored", 1), ("summary of a conversation", 1)];
    assert_eq!(skipped, expected);
    assert_eq!(stored.skipped[0].location, "export.json: line 1");
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
