use std::sync::Arc;

use annals_core::Agent;
use annals_service::Service;
use annals_testkit::at;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::config::ServerConfig;
use crate::fixture::{NOW, service};
use crate::public;

struct Store {
    service: Service,
    app: Router,
}

impl Store {
    fn new() -> Store {
        let service = service(Arc::new(|| at(NOW)));
        Store { app: public(&service, &ServerConfig::default()), service }
    }

    async fn ask(&self, method: &str, path: &str, body: Value) -> (u16, Value) {
        let request = Request::builder().method(method).uri(format!("/compat/langgraph/ann/{path}"));
        let request = request.header(header::HOST, "localhost").header(header::CONTENT_TYPE, "application/json");
        let body = if method == "GET" { Body::empty() } else { Body::from(body.to_string()) };
        let response = self.app.clone().oneshot(request.body(body).unwrap()).await.unwrap();
        let status = response.status().as_u16();
        let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        (status, serde_json::from_slice(&bytes).unwrap_or_default())
    }

    async fn put(&self, namespace: &[&str], key: &str, value: Value) {
        let body = json!({"namespace": namespace, "key": key, "value": value});
        assert_eq!(self.ask("PUT", "store/items", body).await.0, 204);
    }

    /// Returns the keys of a search, and its scores.
    async fn search(&self, body: Value) -> (Vec<String>, Vec<Option<f64>>) {
        self.service.make_searchable(&Agent::new("ann").unwrap(), &|_| ()).await.unwrap();
        let (status, answer) = self.ask("POST", "store/items/search", body).await;
        assert_eq!(status, 200, "{answer}");
        let items = answer["items"].as_array().unwrap();
        let keys = items.iter().map(|item| item["key"].as_str().unwrap().to_owned()).collect();
        (keys, items.iter().map(|item| item["score"].as_f64()).collect())
    }

    async fn keys(&self, body: Value) -> Vec<String> {
        self.search(body).await.0
    }
}

#[tokio::test]
async fn item_is_stored_returned_and_removed() {
    let store = Store::new();
    assert_eq!(store.ask("GET", "store/items?namespace=a.b&key=k", Value::Null).await, (200, Value::Null));
    store.put(&["a", "b"], "k", json!({"text": "tea", "n": 1.5})).await;
    let at = "2026-03-10T12:00:00.000000+00:00";
    let item = json!({
        "namespace": ["a", "b"], "key": "k", "value": {"text": "tea", "n": 1.5}, "created_at": at, "updated_at": at,
    });
    assert_eq!(store.ask("GET", "store/items?namespace=a.b&key=k&refresh_ttl=True", Value::Null).await, (200, item));
    for _ in 0..2 {
        assert_eq!(store.ask("DELETE", "store/items", json!({"namespace": ["a", "b"], "key": "k"})).await.0, 204);
    }
    assert_eq!(store.ask("GET", "store/items?namespace=a.b&key=k", Value::Null).await, (200, Value::Null));
    assert_eq!(store.ask("GET", "ok", Value::Null).await, (200, json!({"ok": true})));
}

#[tokio::test]
async fn namespaces_that_langgraph_refuses_are_refused() {
    let store = Store::new();
    for namespace in [json!([]), json!(["a.b"]), json!(["a", ""]), json!(["langgraph", "a"]), json!(["a\u{0}"])] {
        let body = json!({"namespace": namespace, "key": "k", "value": {}});
        assert_eq!(store.ask("PUT", "store/items", body).await.0, 400, "{namespace}");
    }
    for body in [
        json!({"namespace": ["a"], "key": "k", "value": [1]}),
        json!({"namespace": ["a"], "key": "", "value": {}}),
        json!({"namespace": ["a"], "key": "k", "value": {}, "ttl": 0}),
    ] {
        assert_eq!(store.ask("PUT", "store/items", body.clone()).await.0, 400, "{body}");
    }
    assert_eq!(store.ask("POST", "store/items/search", json!({"filter": {"a": {"$in": [1]}}})).await.0, 400);
}

#[tokio::test]
async fn label_may_end_with_a_line_break() {
    let store = Store::new();
    store.put(&["users", "alice"], "k", json!({"n": 1})).await;
    store.put(&["users", "alice\n"], "k", json!({"n": 2})).await;
    let (_, found) = store.ask("GET", "store/items?namespace=users.alice%0A&key=k", Value::Null).await;
    assert_eq!((&found["namespace"][1], &found["value"]["n"]), (&json!("alice\n"), &json!(2)));
    let (_, found) = store.ask("POST", "store/namespaces", json!({"suffix": ["alice"]})).await;
    assert_eq!(found["namespaces"], json!([["users", "alice"]]));
}

#[tokio::test]
async fn selected_fields_are_compared_each_by_itself() {
    let store = Store::new();
    let body =
        json!({"namespace": ["d"], "key": "two", "value": {"a": "green tea", "b": "cold iron"}, "index": ["a", "b"]});
    assert_eq!(store.ask("PUT", "store/items", body).await.0, 204);
    for query in ["green tea", "cold iron"] {
        let (_, scores) = store.search(json!({"namespace_prefix": ["d"], "query": query})).await;
        assert!(scores[0] > Some(0.99), "{query}: {scores:?}");
    }
}

#[tokio::test]
async fn items_are_filtered_and_paged_below_a_namespace() {
    let store = Store::new();
    for (namespace, key, n) in
        [(["docs", "a"], "1", 1), (["docs", "a"], "2", 2), (["docs", "b"], "3", 3), (["docsx", "a"], "4", 4)]
    {
        store.put(&namespace, key, json!({"n": n, "even": n % 2 == 0})).await;
    }
    let under = |more: Value| {
        let mut body = json!({"namespace_prefix": ["docs"]});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    assert_eq!(store.keys(under(json!({}))).await, ["1", "2", "3"]);
    assert_eq!(store.keys(json!({"namespace_prefix": []})).await.len(), 4);
    assert_eq!(store.keys(under(json!({"filter": {"even": true}}))).await, ["2"]);
    assert_eq!(store.keys(under(json!({"filter": {"n": {"$gte": 2, "$ne": 3}}}))).await, ["2"]);
    assert_eq!(store.keys(under(json!({"limit": 1, "offset": 1}))).await, ["2"]);
    assert_eq!(store.keys(under(json!({"limit": 0}))).await, Vec::<String>::new());
}

#[tokio::test]
async fn query_ranks_items_and_adds_those_that_are_not_indexed() {
    let store = Store::new();
    store.put(&["d"], "tea", json!({"text": "green tea from Japan", "kind": "drink"})).await;
    store.put(&["d"], "bread", json!({"text": "rye bread with butter", "kind": "food"})).await;
    store.put(&["e"], "other", json!({"text": "green tea too"})).await;
    let hidden = json!({"namespace": ["d"], "key": "hidden", "value": {"text": "green tea"}, "index": false});
    assert_eq!(store.ask("PUT", "store/items", hidden).await.0, 204);
    let by_field =
        json!({"namespace": ["d"], "key": "field", "value": {"a": "green tea", "b": "iron"}, "index": ["b"]});
    assert_eq!(store.ask("PUT", "store/items", by_field).await.0, 204);
    let (keys, scores) = store.search(json!({"namespace_prefix": ["d"], "query": "green tea"})).await;
    assert_eq!((keys[0].as_str(), keys.len(), keys[3].as_str()), ("tea", 4, "hidden"), "{keys:?}");
    let (_, hidden) = store.ask("GET", "store/items?namespace=d&key=hidden", Value::Null).await;
    let (_, tea) = store.ask("GET", "store/items?namespace=d&key=tea", Value::Null).await;
    assert_eq!((&hidden["index"], tea.get("index")), (&json!([]), None));
    assert!(scores[0] >= scores[1] && scores[0] > scores[2] && scores[3].is_none(), "{scores:?}");
    let filtered = json!({"namespace_prefix": ["d"], "query": "green tea", "filter": {"kind": "food"}});
    assert_eq!(store.keys(filtered).await, ["bread"]);
    assert_eq!(
        store.keys(json!({"namespace_prefix": ["d"], "query": "green tea", "limit": 1, "offset": 3})).await,
        ["hidden"]
    );
}

#[tokio::test]
async fn namespaces_are_matched_cut_and_paged() {
    let store = Store::new();
    for namespace in [&["a", "b", "c"][..], &["a", "b", "d"], &["a", "x", "d"], &["z"]] {
        store.put(namespace, "k", json!({})).await;
    }
    let list = async |body: Value| {
        let (status, answer) = store.ask("POST", "store/namespaces", body).await;
        assert_eq!(status, 200, "{answer}");
        let paths = answer["namespaces"].as_array().unwrap().iter();
        paths
            .map(|path| {
                path.as_array().unwrap().iter().map(|label| label.as_str().unwrap()).collect::<Vec<_>>().join("/")
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(list(json!({})).await, ["a/b/c", "a/b/d", "a/x/d", "z"]);
    assert_eq!(list(json!({"prefix": ["a", "b"]})).await, ["a/b/c", "a/b/d"]);
    assert_eq!(list(json!({"prefix": ["a", "*"], "suffix": ["d"]})).await, ["a/b/d", "a/x/d"]);
    assert_eq!(list(json!({"max_depth": 2})).await, ["a/b", "a/x", "z"]);
    assert_eq!(list(json!({"limit": 1, "offset": 2})).await, ["a/x/d"]);
}

#[tokio::test]
async fn time_to_live_ends_and_begins_anew_with_a_read() {
    let clock = Arc::new(std::sync::atomic::AtomicI64::new(0));
    let minutes = clock.clone();
    let now =
        move || at(NOW) + annals_core::SignedDuration::from_mins(minutes.load(std::sync::atomic::Ordering::SeqCst));
    let service = service(Arc::new(now));
    let store = Store { app: public(&service, &ServerConfig::default()), service };
    for key in ["read", "looked", "left"] {
        let body = json!({"namespace": ["a"], "key": key, "value": {"n": 1}, "ttl": 10});
        assert_eq!(store.ask("PUT", "store/items", body).await.0, 204);
    }
    let set = |minutes| clock.store(minutes, std::sync::atomic::Ordering::SeqCst);
    set(6);
    assert!(!store.ask("GET", "store/items?namespace=a&key=read", Value::Null).await.1.is_null());
    assert!(!store.ask("GET", "store/items?namespace=a&key=looked&refresh_ttl=False", Value::Null).await.1.is_null());
    set(12);
    assert!(!store.ask("GET", "store/items?namespace=a&key=read&refresh_ttl=false", Value::Null).await.1.is_null());
    for key in ["looked", "left"] {
        let path = format!("store/items?namespace=a&key={key}");
        assert_eq!(store.ask("GET", &path, Value::Null).await, (200, Value::Null), "{key}");
    }
    assert_eq!(store.keys(json!({"namespace_prefix": ["a"]})).await, ["read"]);
    set(21);
    assert_eq!(store.keys(json!({"namespace_prefix": ["a"]})).await, ["read"], "the search before was a read");
}
