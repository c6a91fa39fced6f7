//! SIGKILL of a service that receives messages and documents over HTTP: every message answered with 202 is stored exactly once,
//! and every document is stored, replaced or removed as was answered.
//!
//! Many rounds share one folder, so each start is also a recovery. Several clients send requests without pause, so every kill
//! comes while some requests are in progress.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};

use super::rounds;
use super::tally::{Losses, Tally};
use super::timing::Landing;
use crate::command::Annals;
use crate::service::Served;

/// Number of rounds that share a folder.
const ROUNDS_OF_A_FOLDER: u32 = 10;
const CLIENTS: usize = 4;
/// Latest time of a kill after the first answer.
const LATEST: Duration = Duration::from_millis(120);

/// The messages and documents that the service acknowledged.
#[derive(Default)]
struct State {
    /// Ids of messages.
    messages: Vec<String>,
    /// Documents by key, with their text; `None` if the document was removed. A document is left out from a request that
    /// changes it until the answer.
    documents: BTreeMap<String, Option<String>>,
}

type Acknowledged = Arc<Mutex<State>>;

#[tokio::test(flavor = "multi_thread")]
async fn killed_service_has_every_acknowledged_message_once() {
    let mut tally = Tally::default();
    let mut left = rounds(3);
    while left > 0 {
        let here = left.min(ROUNDS_OF_A_FOLDER);
        one_folder(here, &mut tally).await;
        left -= here;
    }
    tally.print();
}

async fn one_folder(rounds: u32, tally: &mut Tally) {
    let acknowledged = Acknowledged::default();
    let mut annals = Annals::new();
    for round in 0..rounds {
        let served = Served::over_unlimited(annals);
        let clients = (0..CLIENTS).map(|client| {
            let name = format!("{round}-{client}");
            tokio::spawn(send(served.address.clone(), name, acknowledged.clone()))
        });
        let clients: Vec<_> = clients.collect();
        let before = acknowledged.lock().messages.len();
        while acknowledged.lock().messages.len() == before {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        tokio::time::sleep(LATEST.mul_f64((f64::from(round) * 0.618_033_988_75).fract())).await;
        annals = served.kill();
        for client in clients {
            client.await.unwrap();
        }
        let losses = losses(&acknowledged.lock(), &annals);
        tally.add("requests", Landing::UnderWay, losses);
        assert_eq!(losses, Losses::default(), "round {round}");
    }
    annals.json(&["rollup"]);
    let verified = annals.run(&["verify"]);
    assert_eq!(verified.code, 0, "{}", verified.out);
}

/// Sends messages and changes documents until the service is gone.
async fn send(address: String, name: String, acknowledged: Acknowledged) {
    let client = Client::new();
    for number in 0.. {
        let id = format!("{name}-{number}");
        let message = json!({ "id": id, "role": "user", "name": "Ann", "content": content(&id),
            "at": "2026-03-04T18:30:00Z" });
        let body = json!({ "conversation": name, "messages": [message] });
        let sent = client.post(format!("{address}/v1/agents/ann/messages")).json(&body).send().await;
        match sent.map(|answer| answer.status()) {
            Ok(StatusCode::ACCEPTED) => acknowledged.lock().messages.push(id),
            Ok(other) => assert_eq!(other, StatusCode::TOO_MANY_REQUESTS),
            Err(_) => return,
        }
        if change_document(&client, &address, &name, number, &acknowledged).await.is_err() {
            return;
        }
    }
}

/// Stores a document at the first call, replaces it at the second, and removes every other document at the third.
async fn change_document(
    client: &Client,
    address: &str,
    name: &str,
    number: usize,
    acknowledged: &Acknowledged,
) -> reqwest::Result<()> {
    let key = format!("{name}-{}", number / 3);
    let path = format!("{address}/v1/agents/ann/documents/notes/{key}");
    let text = format!("{} It has two parts.\n\n{}", content(&key), "And so on. ".repeat(120 * (1 + number % 3)));
    let (request, text) = match number % 3 {
        2 if number.is_multiple_of(2) => return Ok(()),
        2 => (client.delete(path), None),
        _ => (client.put(path).json(&json!({ "text": text })), Some(text)),
    };
    acknowledged.lock().documents.remove(&key);
    let status = request.send().await?.status();
    if status.is_success() {
        acknowledged.lock().documents.insert(key, text);
    } else {
        assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
    }
    Ok(())
}

/// Compares the acknowledged messages with an export. The export may have more messages, because the kill cut off the answers
/// to some requests.
fn losses(acknowledged: &State, annals: &Annals) -> Losses {
    let exported = annals.run(&["export", "--agent", "ann"]);
    assert_eq!(exported.code, 0, "{}", exported.err);
    let (mut stored, mut documents) = (BTreeMap::<String, usize>::new(), BTreeMap::new());
    for line in exported.out.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        if record["record"] == "turn" {
            *stored.entry(record["content"].as_str().unwrap().to_owned()).or_default() += 1;
        }
        if record["record"] == "document" {
            assert!(record["passages"].as_array().unwrap().len() > 1, "{record}");
            documents.insert(record["key"].as_str().unwrap().to_owned(), record["content"]["text"].clone());
        }
    }
    let lost = acknowledged.messages.iter().filter(|id| !stored.contains_key(&content(id))).count();
    let doubled: usize = stored.values().map(|times| times - 1).sum();
    let differs = |key: &String, text: &Option<String>| documents.get(key).and_then(Value::as_str) != text.as_deref();
    let others = acknowledged.documents.iter().filter(|(key, text)| differs(key, text));
    let (back, lost_documents): (Vec<_>, Vec<_>) = others.partition(|(_, text)| text.is_none());
    Losses { lost: lost + lost_documents.len(), doubled: doubled + back.len() }
}

fn content(id: &str) -> String {
    format!("Note {id} of the boat.")
}
