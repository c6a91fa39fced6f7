//! The limits of a server that cannot report them at first, or never.

use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::*;

/// A server that loads its model after the start: of llama.cpp, whose `/props` fails until then, or another one.
struct LoadingServer {
    base_url: String,
    asked: Arc<AtomicUsize>,
}

impl LoadingServer {
    /// Starts a server whose first `failures` answers to `/props` have status 503.
    async fn start(failures: usize) -> LoadingServer {
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&asked);
        let props = async move || props(counter.fetch_add(1, Ordering::Relaxed) < failures);
        let models = async || axum::Json(json!({ "data": [{ "id": "test", "owned_by": "llamacpp" }] }));
        let router = Router::new().route("/v1/models", get(models)).route("/props", get(props));
        LoadingServer { asked, ..LoadingServer::over(router).await }
    }

    async fn over(router: Router) -> LoadingServer {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        LoadingServer { base_url, asked: Arc::default() }
    }

    /// Returns an endpoint that has asked the server nothing yet.
    fn endpoint(&self) -> Endpoint {
        let config = json!({ "base_url": self.base_url, "model": "test" });
        let config: ModelsConfig = serde_json::from_value(config).unwrap();
        let models = config.check(|_| None).unwrap();
        Endpoint::with_retry_policy(&models, Arc::new(MemoryCatalog::new()), QUICK).unwrap()
    }
}

fn props(fails: bool) -> Response {
    if fails {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    axum::Json(json!({ "default_generation_settings": { "n_ctx": 6_000 }, "total_slots": 2 })).into_response()
}

/// Regression: the window and slots of such a server stayed unknown until the process ended.
#[tokio::test]
async fn server_that_loads_its_model_is_asked_again_for_its_limits() {
    let server = LoadingServer::start(1).await;
    let endpoint = server.endpoint();
    let channel = endpoint.channel(Purpose::Daily).unwrap();
    assert_ne!(channel.sizes().await.window, 6_000);
    assert_eq!(channel.sizes().await.window, 6_000);
    assert_eq!(channel.sizes().await.window, 6_000);
    assert_eq!(server.asked.load(Ordering::Relaxed), 2);
}

/// Ollama reports the window of a model only once it has loaded it.
#[tokio::test]
async fn window_of_a_model_that_ollama_loads_later_is_read_after_the_first_answer() {
    async fn check(parameters: &'static str, expect: u64) {
        let loaded = Arc::new(AtomicUsize::new(0));
        let model = Arc::clone(&loaded);
        let entries = async move || match model.load(Ordering::Relaxed) {
            0 => axum::Json(json!({ "models": [] })),
            _ => axum::Json(json!({ "models": [{ "name": "test:latest", "context_length": 16_384 }] })),
        };
        let models = async || axum::Json(json!({ "data": [{ "id": "test", "owned_by": "library" }] }));
        let show = async move || axum::Json(json!({ "parameters": parameters }));
        let router = Router::new().route("/v1/models", get(models)).route("/api/ps", get(entries));
        let server = LoadingServer::over(router.route("/api/show", axum::routing::post(show))).await;
        let endpoint = server.endpoint();
        let channel = endpoint.channel(Purpose::Daily).unwrap();
        assert_eq!(channel.sizes().await.window, expect, "{parameters}");
        loaded.store(1, Ordering::Relaxed);
        assert_eq!(channel.sizes().await.window, expect, "{parameters}: nothing was answered yet");
        channel.learned.speed.record(&fast(), 0);
        assert_eq!(channel.sizes().await.window, 16_384, "{parameters}");
        assert_eq!(channel.state(Vec::new()).window, 16_384);
    }
    check("", 4_096).await;
    check("stop \"x\"\nnum_ctx                        6000", 6_000).await;
    check("num_ctx 0", 4_096).await;
}

#[tokio::test]
async fn server_that_answers_requests_but_not_for_its_limits_is_not_asked_for_ever() {
    let server = LoadingServer::start(usize::MAX).await;
    let endpoint = server.endpoint();
    let channel = endpoint.channel(Purpose::Daily).unwrap();
    channel.sizes().await;
    channel.learned.speed.record(&fast(), 0);
    channel.sizes().await;
    channel.sizes().await;
    assert_eq!(server.asked.load(Ordering::Relaxed), 2);
}

/// Ollama names the owner of a model that is not from its library, and models may have tags.
#[tokio::test]
async fn ollama_is_recognised_whatever_the_model_is_called() {
    async fn check(entries: Value, has_version: bool, expect: u64) {
        let shown = entries.to_string();
        let models = async move || axum::Json(json!({ "data": entries }));
        let loaded = async || axum::Json(json!({ "models": [{ "name": "test:latest", "context_length": 5_000 }] }));
        let version = async || axum::Json(json!({ "version": "0.12.3" }));
        let mut router = Router::new().route("/v1/models", get(models)).route("/api/ps", get(loaded));
        if has_version {
            router = router.route("/api/version", get(version));
        }
        let server = LoadingServer::over(router).await;
        let endpoint = server.endpoint();
        let window = endpoint.channel(Purpose::Daily).unwrap().sizes().await.window;
        assert_eq!(window, expect, "{shown} {has_version}");
    }
    let other = json!({ "id": "other:7b", "owned_by": "library" });
    check(json!([other, { "id": "test:latest", "owned_by": "library" }]), true, 5_000).await;
    check(json!([other, { "id": "test:latest", "owned_by": "somebody" }]), true, 5_000).await;
    check(json!([other, { "id": "test", "owned_by": "somebody" }]), false, 8_192).await;
    check(json!([{ "id": "test", "owned_by": "somebody", "max_model_len": 3_000 }]), true, 3_000).await;
}

/// Regression: one failed query after the first answer replaced the window of Ollama by the default of unknown servers.
#[tokio::test]
async fn known_window_stays_while_the_server_is_away() {
    let is_away = Arc::new(AtomicUsize::new(0));
    let state = Arc::clone(&is_away);
    let models = async move || match state.load(Ordering::Relaxed) {
        0 => axum::Json(json!({ "data": [{ "id": "test", "owned_by": "library" }] })).into_response(),
        _ => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    };
    let loaded = async || axum::Json(json!({ "models": [] }));
    let router = Router::new().route("/v1/models", get(models)).route("/api/ps", get(loaded));
    let server = LoadingServer::over(router).await;
    let endpoint = server.endpoint();
    let channel = endpoint.channel(Purpose::Daily).unwrap();
    assert_eq!(channel.sizes().await.window, 4_096);
    channel.learned.speed.record(&fast(), 0);
    is_away.store(1, Ordering::Relaxed);
    assert_eq!(channel.sizes().await.window, 4_096);
    assert_eq!(channel.sizes().await.window, 4_096);
}

#[tokio::test]
async fn old_ollama_that_never_reports_its_window_is_not_asked_for_ever() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let models = async move || {
        count.fetch_add(1, Ordering::Relaxed);
        axum::Json(json!({ "data": [{ "id": "test", "owned_by": "library" }] }))
    };
    let loaded = async || axum::Json(json!({ "models": [{ "name": "test:latest" }] }));
    let router = Router::new().route("/v1/models", get(models)).route("/api/ps", get(loaded));
    let server = LoadingServer::over(router).await;
    let endpoint = server.endpoint();
    let channel = endpoint.channel(Purpose::Daily).unwrap();
    for _ in 0..20 {
        assert_eq!(channel.sizes().await.window, 4_096);
        channel.learned.speed.record(&fast(), 0);
    }
    let asked = asked.load(Ordering::Relaxed);
    assert!((2..=4).contains(&asked), "{asked}");
}
