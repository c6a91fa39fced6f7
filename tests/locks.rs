//! The service keeps SQLite's locks on the catalog, whatever the request. When a process closes a file, POSIX drops all locks
//! that the process holds on that file, even if the file is still open elsewhere in the process. Another program that then
//! opens the catalog removes the write-ahead log in use, and acknowledged messages with it.

mod commands;
mod interfaces;

use std::collections::BTreeSet;

use reqwest::{Method, StatusCode};
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};

use crate::command::Annals;
use crate::service::Served;

fn message(id: &str, content: &str) -> Value {
    json!({ "conversation": "talk", "messages": [
        { "role": "user", "name": "Ann", "id": id, "content": content, "at": "2026-03-04T18:30:00Z" }] })
}

const MESSAGES: &str = "/v1/agents/ann/messages";

/// Stores a message. Returns the id of the operation.
async fn say(served: &Served, id: &str, content: &str) -> String {
    let (status, answer) = served.post(MESSAGES, &message(id, content)).await;
    assert_eq!(status, StatusCode::ACCEPTED, "{answer}");
    answer["operation_id"].as_str().unwrap().to_owned()
}

/// Opens and reads the catalog as another program would.
fn look_from_outside(annals: &Annals) -> Result<i64, rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    let connection = Connection::open_with_flags(annals.data().join("catalog.sqlite"), flags)?;
    connection.query_row("SELECT count(*) FROM turn", [], |row| row.get(0))
}

#[tokio::test]
async fn messages_acknowledged_after_a_forgetting_survive_a_reader_and_a_kill() {
    let served = Served::unlimited();
    say(&served, "0", "I gave the spare key to the neighbour.").await;
    assert_eq!(served.locks(), 1);
    let body = json!({ "conversation": "talk", "dry_run": false });
    let (status, done) = served.post("/v1/agents/ann/forget", &body).await;
    assert_eq!((status, &done["proof"]["clean"]), (StatusCode::OK, &json!(true)), "{done}");
    assert_eq!(served.locks(), 1);
    // No other program gets in while the service runs.
    assert!(look_from_outside(&served.annals).is_err());
    for id in 1..=5 {
        say(&served, &id.to_string(), "The tram was late again.").await;
    }
    let annals = served.kill();
    assert_eq!(annals.json(&["status"])["agents"][0]["memories"]["working"], 5);
    annals.json(&["rollup"]);
    assert_eq!(annals.json(&["verify"])["sound"], json!(true));
}

/// Returns the methods and paths in the OpenAPI description of the service.
async fn routes(served: &Served) -> BTreeSet<(String, String)> {
    let (_, api) = served.get("/openapi.json").await;
    let paths = api["paths"].as_object().unwrap().iter();
    let of = |(path, methods): (&String, &Value)| {
        let methods: Vec<String> = methods.as_object().unwrap().keys().cloned().collect();
        let path = path.clone();
        methods.into_iter().map(move |method| (method.to_uppercase(), path.clone()))
    };
    paths.flat_map(of).collect()
}

/// Returns a body for a route that takes one.
fn body(path: &str) -> Option<Value> {
    let path = path.trim_start_matches("/v1/agents/{agent}/");
    Some(match path {
        "messages" => message("1", "Ann moved to Bern."),
        "documents/search" => json!({ "query": "figs" }),
        "documents/{collection}/{key}" => json!({ "text": "Ann likes figs." }),
        "search" | "context" => json!({ "query": "Where does Ann live?" }),
        "forget" => json!({ "conversation": "talk", "dry_run": false }),
        "memories/{id}" => json!({ "text": "Ann moved to Basel." }),
        "facts" => json!({ "subject": "Ann", "predicate": "likes", "object": "figs" }),
        "blocks" => json!({ "blocks": [{ "name": "persona", "text": "Be kind." }] }),
        "rename" => json!({ "name": "ann" }),
        "settings" => json!({ "plan": "keep" }),
        "imports" => json!({ "type": "entity", "name": "Ann", "entityType": "person", "observations": ["likes tea"] }),
        _ => json!({}),
    })
}

/// Returns the id of any turn in an answer.
fn id_in(answer: &Value) -> String {
    let text = answer.to_string();
    let id = text.split('"').find(|word| word.starts_with("t-"));
    id.unwrap_or_else(|| panic!("no turn in {text}")).to_owned()
}

#[tokio::test]
async fn every_route_keeps_the_locks() {
    let served = Served::unlimited();
    let routes = routes(&served).await;
    assert!(routes.len() > 20, "{routes:?}");
    let mut answered = 0;
    // Routes with `DELETE` sort first, so they remove nothing that the other routes need.
    for (number, (method, path)) in routes.into_iter().enumerate() {
        let text = format!("Ann moved from Oslo to street {number} of Bern, for a year.");
        let operation = say(&served, &number.to_string(), &text).await;
        let (_, found) = served.get("/v1/agents/ann/timeline?grains=working").await;
        let id = match () {
            () if path.contains("conversations") => "talk".to_owned(),
            () if path.contains("operations") => operation,
            () => id_in(&found),
        };
        let filled = path.replace("{agent}", "ann").replace("{id}", &id).replace("{name}", "search_memory");
        let filled = filled.replace("{collection}", "notes").replace("{key}", "plan");
        let filled = filled.replace("/imports", "/imports?from=mcp-memory");
        let body = if method == "GET" { None } else { body(&path) };
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let (status, answer) = served.ask(method.clone(), &filled, None, body.as_ref()).await;
        assert!(!status.is_server_error(), "{method} {filled}: {status} {answer}");
        answered += usize::from(status.is_success());
        let has_real_input = path.contains("operations") || path.contains("imports");
        assert!(!has_real_input || status.is_success(), "{method} {filled}: {status} {answer}");
        assert_eq!(served.locks(), 1, "after {method} {path}");
    }
    assert!(answered > 15, "{answered} routes did what they were asked");
}
