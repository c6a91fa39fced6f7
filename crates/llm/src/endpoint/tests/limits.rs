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
