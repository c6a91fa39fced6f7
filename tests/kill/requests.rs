//! SIGKILL of a service that receives messages over HTTP: every message answered with 202 is stored exactly once.
//!
//! Many rounds share one folder, so each start is also a recovery. Several clients send requests without pause, so every kill
//! comes while some requests are in progress.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::{Client, StatusCode};
use serde_json::{Value, json};

use super::pace::Landing;
use super::rounds;
use super::tally::{Losses, Tally};
use crate::command::Annals;
use crate::service::Served;

/// Number of rounds that share a folder.
const ROUNDS_OF_A_FOLDER: u32 = 10;
const CLIENTS: usize = 4;
/// Latest time of a kill after the first answer.
const LATEST: Duration = Duration::from_millis(120);

/// Ids of acknowledged messages.
type Acknowledged = Arc<Mutex<Vec<String>>>;

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
        let before = acknowledged.lock().unwrap().len();
        while acknowledged.lock().unwrap().len() == before {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        tokio::time::sleep(LATEST.mul_f64((f64::from(round) * 0.618_033_988_75).fract())).await;
        annals = served.kill();
        for client in clients {
            client.await.unwrap();
        }
        let losses = losses(&acknowledged.lock().unwrap(), &annals);
        tally.add("requests", Landing::UnderWay, losses);
        assert_eq!(losses, Losses::default(), "round {round}");
    }
    annals.json(&["rollup"]);
    let verified = annals.run(&["verify"]);
    assert_eq!(verified.code, 0, "{}", verified.out);
}

/// Sends messages until the service is gone.
async fn send(address: String, name: String, acknowledged: Acknowledged) {
    let client = Client::new();
    for number in 0.. {
        let id = format!("{name}-{number}");
        let message = json!({ "id": id, "role": "user", "name": "Ann", "content": content(&id),
            "at": "2026-03-04T18:30:00Z" });
        let body = json!({ "conversation": name, "messages": [message] });
        let sent = client.post(format!("{address}/v1/agents/ann/messages")).json(&body).send().await;
        match sent.map(|answer| answer.status()) {
            Ok(StatusCode::ACCEPTED) => acknowledged.lock().unwrap().push(id),
            Ok(other) => assert_eq!(other, StatusCode::TOO_MANY_REQUESTS),
            Err(_) => return,
        }
    }
}

/// Compares the acknowledged messages with an export. More may be stored: messages whose answers the kill cut off.
fn losses(acknowledged: &[String], annals: &Annals) -> Losses {
    let exported = annals.run(&["export", "--agent", "ann"]);
    assert_eq!(exported.code, 0, "{}", exported.err);
    let mut stored = BTreeMap::<String, usize>::new();
    for line in exported.out.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        if record["record"] == "turn" {
            *stored.entry(record["content"].as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
    let lost = acknowledged.iter().filter(|id| !stored.contains_key(&content(id))).count();
    let doubled = stored.values().map(|times| times - 1).sum();
    Losses { lost, doubled }
}

fn content(id: &str) -> String {
    format!("Note {id} of the boat.")
}
