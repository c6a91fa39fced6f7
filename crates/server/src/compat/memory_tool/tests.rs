use std::sync::Arc;

use annals_core::ports::Scope;
use annals_service::wire::NewKey;
use annals_testkit::at;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::config::ServerConfig;
use crate::fixture::{NOW, service};
use crate::public;

async fn send(app: &Router, key: Option<&str>, command: &Value) -> (u16, String) {
    let mut request = Request::post("/compat/anthropic/ann").header(header::HOST, "localhost");
    request = request.header(header::CONTENT_TYPE, "application/json");
    if let Some(key) = key {
        request = request.header("x-api-key", key);
    }
    let response = app.clone().oneshot(request.body(Body::from(command.to_string())).unwrap()).await.unwrap();
    let status = response.status().as_u16();
    let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    (status, String::from_utf8(bytes.to_vec()).unwrap())
}

fn app() -> Router {
    public(&service(Arc::new(|| at(NOW))), &ServerConfig::default())
}

/// Sends commands in order, and expects the text of each; those that begin with `!` are errors.
async fn check(steps: &[(Value, &str)]) {
    let app = app();
    for (command, expect) in steps {
        let (status, text) = send(&app, None, command).await;
        let (expected_status, expect) = expect.strip_prefix('!').map_or((200, *expect), |expect| (422, expect));
        assert_eq!((status, text.replace('\t', "|").as_str()), (expected_status, expect), "{command}");
    }
}

fn create(path: &str, text: &str) -> Value {
    json!({"command": "create", "path": path, "file_text": text})
}

fn view(path: &str) -> Value {
    json!({"command": "view", "path": path})
}

fn rename(old: &str, new: &str) -> Value {
    json!({"command": "rename", "old_path": old, "new_path": new})
}

const HEAD: &str = "Here're the files and directories up to 2 levels deep in";

#[tokio::test]
async fn files_are_created_viewed_and_edited() {
    check(&[
        (create("/memories/a.txt", "one\ntwo\n"), "File created successfully at: /memories/a.txt"),
        (create("/memories/a.txt", "x"), "!File /memories/a.txt already exists"),
        (create("/memories", "x"), "!File /memories already exists"),
        (view("/memories/a.txt"), "Here's the content of /memories/a.txt with line numbers:\n     1|one\n     2|two\n     3|"),
        (json!({"command": "view", "path": "/memories/a.txt", "view_range": [2, 2]}), "Here's the content of /memories/a.txt with line numbers:\n     2|two"),
        (json!({"command": "str_replace", "path": "/memories/a.txt", "old_str": "two", "new_str": "2"}), "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1|one\n     2|2\n     3|"),
        (json!({"command": "str_replace", "path": "/memories/a.txt", "old_str": "two", "new_str": "2"}), "!No replacement was performed, old_str `two` did not appear verbatim in /memories/a.txt."),
        (json!({"command": "insert", "path": "/memories/a.txt", "insert_line": 1, "insert_text": "mid\n"}), "The file /memories/a.txt has been edited."),
        (json!({"command": "insert", "path": "/memories/a.txt", "insert_line": 9, "insert_text": "x"}), "!Invalid `insert_line` parameter: 9. It should be within the range [0, 3]."),
        (view("/memories/a.txt"), "Here's the content of /memories/a.txt with line numbers:\n     1|one\n     2|mid\n     3|2\n     4|"),
        (view("/memories/b.txt"), "!The path /memories/b.txt does not exist. Please provide a valid path."),
        (json!({"command": "fly"}), "!Unknown command: fly"),
    ])
    .await;
}

#[tokio::test]
async fn directories_are_listed_moved_and_removed() {
    let listed = |path: &str, lines: &str| format!("{HEAD} {path}, excluding hidden items:\n4K|{path}{lines}");
    let root = listed("/memories", "\n4K|/memories/d/\n2B|/memories/d/a.md\n4K|/memories/d/e/\n4K|/memories/f/");
    let moved = listed("/memories/g/h/", "\n2B|/memories/g/h//a.md\n4K|/memories/g/h//e/\n0B|/memories/g/h//e/b.md");
    check(&[
        (view("/memories"), &listed("/memories", "")),
        (create("/memories/d/a.md", "ab"), "File created successfully at: /memories/d/a.md"),
        (create("/memories/d/e/b.md", ""), "File created successfully at: /memories/d/e/b.md"),
        (create("/memories/f/.hidden", "x"), "File created successfully at: /memories/f/.hidden"),
        (view("/memories"), &root),
        (create("/memories/d", "x"), "!File /memories/d already exists"),
        (
            json!({"command": "str_replace", "path": "/memories/d", "old_str": "a"}),
            "!The path /memories/d is not a file.",
        ),
        (rename("/memories/d", "/memories/f"), "!The destination /memories/f already exists"),
        (rename("/memories/x", "/memories/new/x"), "!The path /memories/x does not exist"),
        (rename("/memories", "/memories/x"), "!Cannot rename the /memories directory itself"),
        (rename("/memories/d", "/memories/d/e/d"), "!Cannot move /memories/d into itself"),
        (rename("/memories/d", "/memories/g/h"), "Successfully renamed /memories/d to /memories/g/h"),
        (view("/memories/g/h/"), &moved),
        (json!({"command": "delete", "path": "/memories/g/h/e/b.md"}), "Successfully deleted /memories/g/h/e/b.md"),
        (view("/memories/g/h/e"), &listed("/memories/g/h/e", "")),
        (json!({"command": "delete", "path": "/memories/g"}), "Successfully deleted /memories/g"),
        (json!({"command": "delete", "path": "/memories/g"}), "!The path /memories/g does not exist"),
        (json!({"command": "delete", "path": "/memories/"}), "!Cannot delete the /memories directory itself"),
        (view("/memories"), &listed("/memories", "\n4K|/memories/f/\n4K|/memories/new/")),
        (create("/memories/f/.hidden/x", ""), "!The path /memories/f/.hidden/x has a file among its directories"),
    ])
    .await;
}

#[tokio::test]
async fn paths_outside_are_refused() {
    check(&[
        (view("/etc/passwd"), "!Path must start with /memories, got: /etc/passwd"),
        (view("/memoriesX/y"), "!Path must start with /memories, got: /memoriesX/y"),
        (create("/memories/../x", ""), "!Path /memories/../x would escape /memories directory"),
        (rename("/memories/a", "/memories/../../a"), "!Path /memories/../../a would escape /memories directory"),
        (create("/memories/%2e%2e/x", ""), "File created successfully at: /memories/%2e%2e/x"),
    ])
    .await;
}

#[tokio::test]
async fn file_is_a_document_that_searches_find() {
    let service = service(Arc::new(|| at(NOW)));
    let app = public(&service, &ServerConfig::default());
    send(&app, None, &create("/memories/people/bob.md", "Bob collects old stamps.")).await;
    let ann = annals_core::Agent::new("ann").unwrap();
    service.make_searchable(&ann, &|_| ()).await.unwrap();
    let request = serde_json::from_value(json!({"query": "stamps"})).unwrap();
    let found = service.search(&ann, request, at(NOW)).await.unwrap().results;
    let document = found[0].document.clone().unwrap();
    assert_eq!((document.collection.as_str(), document.key.as_str()), ("memories", "people/bob.md"));
}

#[tokio::test]
async fn key_that_only_searches_may_view_and_not_write() {
    let service = service(Arc::new(|| at(NOW)));
    let app = public(&service, &ServerConfig::default());
    let request = NewKey {
        name: "reader".into(),
        workspace: "default".into(),
        scopes: [Scope::Search].into(),
        agents: Vec::new(),
        expires_at: None,
        daily_tokens: None,
    };
    let (issued, _) = service.add_key(request, at(NOW), getrandom::fill).await.unwrap();
    let key = issued.text.expose_secret();
    assert_eq!(send(&app, Some(key), &view("/memories")).await.0, 200);
    for command in ["create", "str_replace", "insert", "delete", "rename"] {
        assert_eq!(send(&app, Some(key), &json!({"command": command, "path": "/memories/a"})).await.0, 403);
    }
}
