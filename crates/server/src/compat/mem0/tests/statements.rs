//! Statements that were extracted from a turn stand for it; imported ones come from no turn.

use std::sync::Arc;
use std::time::Duration;

use annals_core::ports::Journal;
use annals_core::{Agent, Extracted, Extraction, Grain, IngestReceipt, Memory, MemoryId};
use annals_service::wire::Progress;
use annals_testkit::{MemoryCatalog, at, message, statement, turn_of};
use serde_json::{Value, json};

use super::ROOT;
use crate::compat::testing::Client;
use crate::fixture::{NOW, over};

/// Returns a service with a turn from which a model made two statements.
async fn with_statements() -> (Client, MemoryId) {
    let store = Arc::new(MemoryCatalog::new());
    let client = Client::of(over(store.clone(), Arc::new(|| at(NOW))));
    client.add("I moved and I like tea", json!({ "user_id": "bea", "metadata": { "a": 1 } })).await;
    let turn = client.turns().await.remove(0);
    client.replace_extraction(&store, &turn, &["Bea moved.", "Bea likes tea."], &[]).await;
    (client, turn.id)
}

impl Client {
    /// Returns all turns of the agent, oldest first.
    async fn turns(&self) -> Vec<Memory> {
        self.service.memories_of(&Agent::new("ann").unwrap(), Grain::Working).await.unwrap()
    }

    /// Replaces what was extracted from the newest turn by statements whose words other turns explain.
    async fn replace_extraction(
        &self,
        store: &MemoryCatalog,
        turn: &Memory,
        texts: &[&str],
        explained_by: &[MemoryId],
    ) {
        let agent = Agent::new("ann").unwrap();
        // The worker extracts from the turn too; the extraction that is saved below replaces its result.
        let receipt = IngestReceipt { seq: turn.seq, ..IngestReceipt::default() };
        self.service.wait(&agent, &receipt, Progress::Extracted, Duration::from_secs(30)).await.unwrap();
        let stored = annals_core::ports::Turn { id: turn.id.clone(), ..turn_of(&agent, message(NOW, &turn.text)) };
        let statement = |text: &&str| annals_core::Statement {
            sources: [std::slice::from_ref(&turn.id), explained_by].concat(),
            ..statement(&agent, &stored, text)
        };
        let statements = texts.iter().map(statement).collect();
        let after = store.extraction(&agent).await.unwrap().extracted;
        let extraction = Extraction {
            turns: vec![turn.id.clone()],
            found: Extracted { statements, ..Extracted::default() },
            after,
            extracted: after.max(turn.seq),
            degraded: None,
        };
        store.save_extraction(&agent, extraction, at(NOW)).await.unwrap();
        self.service.make_searchable(&agent, &|_| ()).await.unwrap();
    }
}

/// The first turn says who "she" is. The statement does not replace that turn.
#[tokio::test]
async fn turn_that_only_explains_a_statement_stays_a_memory_with_its_details() {
    let store = Arc::new(MemoryCatalog::new());
    let client = Client::of(over(store.clone(), Arc::new(|| at(NOW))));
    let (chess, moved) = ("My sister Zoe plays chess", "Zoe moved to Oslo.");
    client.add(chess, json!({ "user_id": "bea", "timestamp": "2026-03-04T10:00:00Z" })).await;
    client.add("She moved to Oslo", json!({ "user_id": "bea", "timestamp": NOW })).await;
    let [explaining, turn] = client.turns().await.try_into().unwrap();
    client.replace_extraction(&store, &turn, &[moved], &[explaining.id]).await;
    assert_eq!(client.texts(json!({})).await, [moved, chess]);
    let found = client.post("/v3/memories/search/", json!({ "query": "plays chess" })).await;
    assert_eq!(found["results"][0]["memory"], chess);
    let id = client.only(json!({ "memory": moved })).await["id"].as_str().unwrap().to_owned();
    let path = format!("{ROOT}/v1/memories/{id}/");
    client.get_ok(client.ask("PUT", &path, json!({ "metadata": { "a": 1 } })).await);
    assert_eq!(client.only(json!({ "metadata": { "a": 1 } })).await["memory"], moved);
    client.get_ok(client.ask("DELETE", &path, Value::Null).await);
    assert_eq!(client.texts(json!({})).await, [chess]);
}

/// A statement that was imported from mem0 comes from no turn.
#[tokio::test]
async fn imported_statement_is_listed_found_and_deleted() {
    let store = Arc::new(MemoryCatalog::new());
    let client = Client::of(over(store.clone(), Arc::new(|| at(NOW))));
    let agent = Agent::new("ann").unwrap();
    let source = MemoryId::imported(&agent, "mem0:1");
    let stated = statement(&agent, &turn_of(&agent, message(NOW, "x")), "Bea likes tea.");
    let (id, who) = (MemoryId::entered_statement(&agent, &source), vec!["bea".to_owned()]);
    let stated = annals_core::Statement { id, who, sources: vec![source], ..stated };
    store.add_statements(&agent, vec![stated]).await.unwrap();
    client.service.make_searchable(&agent, &|_| ()).await.unwrap();
    assert_eq!(client.texts(json!({ "user_id": "bea" })).await, ["Bea likes tea."]);
    let found = client.post("/v3/memories/search/", json!({ "query": "tea", "filters": { "user_id": "bea" } })).await;
    assert_eq!(found["results"][0]["memory"], "Bea likes tea.");
    let id = client.only(json!({})).await["id"].as_str().unwrap().to_owned();
    client.get_ok(client.ask("DELETE", &format!("{ROOT}/v1/memories/?user_id=zoe"), Value::Null).await);
    assert_eq!(client.only(json!({ "user_id": "bea" })).await["id"], json!(id));
    client.get_ok(client.ask("DELETE", &format!("{ROOT}/v1/memories/?user_id=bea"), Value::Null).await);
    assert_eq!(client.texts(json!({})).await, Vec::<String>::new());
}

#[tokio::test]
async fn statements_stand_for_the_turn_they_were_made_of() {
    let (client, _) = with_statements().await;
    let mut texts = client.texts(json!({ "user_id": "bea", "metadata": { "a": 1 } })).await;
    texts.sort();
    assert_eq!(texts, ["Bea likes tea.", "Bea moved."]);
    let found = client.post("/v3/memories/search/", json!({ "query": "tea" })).await;
    assert_eq!(found["results"][0]["memory"], "Bea likes tea.");
    assert!(!found.to_string().contains("I moved and"), "{found}");
    // Deleting the statements does not make their turn a memory again.
    for memory in client.post("/v3/memories/", json!({})).await["results"].as_array().unwrap() {
        let path = format!("{ROOT}/v1/memories/{}/", memory["id"].as_str().unwrap());
        client.get_ok(client.ask("DELETE", &path, Value::Null).await);
    }
    assert_eq!(client.texts(json!({})).await, Vec::<String>::new());
    client.get_ok(client.ask("DELETE", &format!("{ROOT}/v1/memories/?user_id=bea"), Value::Null).await);
    assert!(!client.export("ann").await.contains("I moved and"));
}
