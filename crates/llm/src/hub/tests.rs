//! Fetching from a server on this machine, with files of a few bytes, connections that break and listings that are wrong.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use data_encoding::HEXLOWER;
use futures::StreamExt;
use parking_lot::Mutex;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::*;

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const NETWORK: &[u8] = b"the weights of a very small network";
const TOKENIZER: &[u8] = b"{}";

/// The files of a server, and its faults.
#[derive(Default)]
struct Site {
    tree: Value,
    files: BTreeMap<&'static str, Vec<u8>>,
    /// Bytes after which the next answer for a file breaks off.
    breaks: Mutex<HashMap<&'static str, usize>>,
    /// Whether the server keeps the connection open after such a break, without sending anything more.
    is_silent: bool,
    ignores_ranges: bool,
    /// Values of the header `Range` in the requests for files.
    ranges: Mutex<Vec<String>>,
}

fn site() -> Site {
    let tree = json!([
        { "type": "directory", "oid": "x", "path": "onnx" },
        { "type": "file", "oid": "0", "size": NETWORK.len(), "path": "onnx/model.onnx",
          "lfs": { "oid": HEXLOWER.encode(&Sha256::digest(NETWORK)), "size": NETWORK.len(), "pointerSize": 130 } },
        // The output of `git hash-object` for the two bytes.
        { "type": "file", "oid": "9e26dfeeb6e641a33dae4961196235bdb965b21b", "size": 2, "path": "tokenizer.json" },
        { "type": "file", "oid": "9e26dfeeb6e641a33dae4961196235bdb965b21b", "size": 2, "path": "README.md" },
    ]);
    let files = BTreeMap::from([("onnx/model.onnx", NETWORK.to_vec()), ("tokenizer.json", TOKENIZER.to_vec())]);
    Site { tree, files, ..Site::default() }
}

async fn serve(site: Arc<Site>) -> Hub {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let router = Router::new().fallback(answer).with_state(site);
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    Hub::new(&url, false).unwrap()
}

async fn answer(State(site): State<Arc<Site>>, request: Request) -> Response {
    let path = request.uri().path().trim_start_matches('/').to_owned();
    if path == "api/models/me/tiny/revision/main" {
        return axum::Json(json!({ "sha": COMMIT })).into_response();
    }
    if path == format!("api/models/me/tiny/tree/{COMMIT}") {
        return axum::Json(site.tree.clone()).into_response();
    }
    let file = path.strip_prefix(&format!("me/tiny/resolve/{COMMIT}/"));
    let Some((name, bytes)) = file.and_then(|file| site.files.get_key_value(file)) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let range = request.headers().get("range").map(|range| range.to_str().unwrap().to_owned());
    site.ranges.lock().extend(range.clone());
    let from = range
        .filter(|_| !site.ignores_ranges)
        .map_or(0, |range| range.trim_start_matches("bytes=").trim_end_matches('-').parse::<usize>().unwrap());
    let status = if from > 0 { StatusCode::PARTIAL_CONTENT } else { StatusCode::OK };
    let rest = bytes[from..].to_vec();
    match site.breaks.lock().remove(name) {
        None => (status, rest).into_response(),
        Some(after) => {
            let beginning = futures::stream::iter([Ok(rest[..after].to_vec())]);
            // The beginning must have been sent before the connection breaks.
            let is_silent = site.is_silent;
            let break_off = futures::stream::once(async move {
                tokio::time::sleep(Duration::from_millis(100)).await;
                if is_silent {
                    std::future::pending::<()>().await;
                }
                Err(std::io::Error::other("broken"))
            });
            (status, Body::from_stream(beginning.chain(break_off))).into_response()
        }
    }
}

/// Pulls the model into a folder. Returns the sum of the bytes reported as progress.
async fn pull(hub: &Hub, folder: &Path) -> Result<u64> {
    let listing = hub.list("me/tiny", "main").await?;
    let (_, files) = fetched_files(&listing, None)?;
    let bytes = AtomicU64::new(0);
    for file in files {
        hub.fetch(&listing, file, folder, &|more| _ = bytes.fetch_add(more, Ordering::Relaxed)).await?;
    }
    Ok(bytes.into_inner())
}

async fn error(site: Site) -> String {
    let folder = tempfile::tempdir().unwrap();
    let hub = serve(Arc::new(site)).await;
    let error = pull(&hub, folder.path()).await.unwrap_err().to_string();
    assert!(!folder.path().join("onnx/model.onnx").exists());
    error
}

#[tokio::test]
async fn model_is_fetched_with_what_it_needs_alone() {
    let (folder, hub) = (tempfile::tempdir().unwrap(), serve(Arc::new(site())).await);
    let total = (NETWORK.len() + TOKENIZER.len()) as u64;
    assert_eq!(pull(&hub, folder.path()).await.unwrap(), total);
    assert_eq!(std::fs::read(folder.path().join("onnx/model.onnx")).unwrap(), NETWORK);
    assert!(!folder.path().join("README.md").exists());
    assert_eq!(pull(&hub, folder.path()).await.unwrap(), total);
}

#[tokio::test]
async fn broken_connection_is_continued() {
    let site = Arc::new(Site { breaks: Mutex::new(HashMap::from([("onnx/model.onnx", 10)])), ..site() });
    let (folder, hub) = (tempfile::tempdir().unwrap(), serve(site.clone()).await);
    pull(&hub, folder.path()).await.unwrap();
    assert_eq!(std::fs::read(folder.path().join("onnx/model.onnx")).unwrap(), NETWORK);
    assert_eq!(*site.ranges.lock(), ["bytes=10-"]);
}

#[tokio::test]
async fn silent_connection_is_continued_and_a_silent_server_is_an_error() {
    let stalls = HashMap::from([("onnx/model.onnx", 10)]);
    let site = Arc::new(Site { breaks: Mutex::new(stalls), is_silent: true, ..site() });
    let (folder, mut hub) = (tempfile::tempdir().unwrap(), serve(site.clone()).await);
    hub.silence = Duration::from_millis(500);
    pull(&hub, folder.path()).await.unwrap();
    assert_eq!(*site.ranges.lock(), ["bytes=10-"]);
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut hub = Hub::new(&format!("http://{}", silent.local_addr().unwrap()), false).unwrap();
    hub.silence = Duration::from_millis(50);
    assert!(matches!(hub.list("me/tiny", "main").await, Err(Error::Unavailable { .. })));
}

#[tokio::test]
async fn server_without_ranges_sends_the_file_again() {
    let (folder, hub) = (tempfile::tempdir().unwrap(), serve(Arc::new(Site { ignores_ranges: true, ..site() })).await);
    std::fs::create_dir_all(folder.path().join("onnx")).unwrap();
    std::fs::write(folder.path().join("onnx/model.onnx.part"), b"the weights").unwrap();
    let progress = pull(&hub, folder.path()).await.unwrap();
    assert_eq!(progress, (NETWORK.len() + TOKENIZER.len()) as u64, "bytes that are sent again are counted once");
    assert_eq!(std::fs::read(folder.path().join("onnx/model.onnx")).unwrap(), NETWORK);
}

#[tokio::test]
async fn wrong_content_is_not_kept() {
    let mut wrong = site();
    wrong.files.insert("onnx/model.onnx", NETWORK.to_ascii_uppercase());
    let found = error(wrong).await;
    assert!(found.contains("onnx/model.onnx is damaged: its checksum is"), "{found}");
    let mut wrong = site();
    wrong.files.insert("tokenizer.json", b"[]".to_vec());
    assert!(error(wrong).await.contains("tokenizer.json is damaged"));
    let mut longer = site();
    longer.files.insert("onnx/model.onnx", NETWORK.repeat(2));
    assert!(error(longer).await.contains("is longer than the listed size"));
}

#[tokio::test]
async fn what_is_begun_wrongly_is_begun_again() {
    let (folder, hub) = (tempfile::tempdir().unwrap(), serve(Arc::new(site())).await);
    std::fs::create_dir_all(folder.path().join("onnx")).unwrap();
    std::fs::write(folder.path().join("onnx/model.onnx.part"), b"another file").unwrap();
    std::fs::write(folder.path().join("tokenizer.json"), b"[]").unwrap();
    pull(&hub, folder.path()).await.unwrap();
    assert_eq!(std::fs::read(folder.path().join("onnx/model.onnx")).unwrap(), NETWORK);
    assert_eq!(std::fs::read(folder.path().join("tokenizer.json")).unwrap(), TOKENIZER);
}

#[tokio::test]
async fn listing_that_lies_is_refused() {
    let with = |path: &str, size: u64, oid: &str| {
        let mut site = site();
        let entry = json!({ "type": "file", "oid": oid, "size": size, "path": path });
        site.tree.as_array_mut().unwrap().push(entry);
        site
    };
    for path in ["../evil", "/etc/passwd", "a/../../b", "c:\\d", ""] {
        assert!(error(with(path, 2, COMMIT)).await.contains("leads out of the folder"), "{path:?}");
    }
    assert!(error(with("big", 1 << 60, COMMIT)).await.contains("too large"));
    assert!(error(with("bare", 2, "")).await.contains("without a checksum"));
}

#[tokio::test]
async fn missing_models_and_files_are_named() {
    let hub = serve(Arc::new(site())).await;
    let missing = hub.list("me/other", "main").await.unwrap_err().to_string();
    assert!(missing.contains("me/other") && missing.contains("check name and revision"), "{missing}");
    for name in ["tiny", "a/b/c", "../x", "a/..", "a/b?c"] {
        assert!(hub.list(name, "main").await.unwrap_err().to_string().contains("OWNER/NAME"), "{name}");
    }
    assert!(hub.list("me/tiny", "../main").await.unwrap_err().to_string().contains("--revision"));
    let listing = hub.list("me/tiny", "main").await.unwrap();
    let named = fetched_files(&listing, Some("onnx/other.onnx")).unwrap_err().to_string();
    assert!(named.contains("--file") && named.contains("onnx/model.onnx"), "{named}");
}
