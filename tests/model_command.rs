//! `annals model` as people use it: a model is pulled from a hub on this machine, configured, measured and used for searches; then
//! the built-in model is configured again.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::command::Annals;
use crate::story::days;

const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/all-MiniLM-L6-v2");
const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const MODEL: &str = "me/short";

/// Starts a hub with one model: the built-in one with a window of eight tokens. Returns its URL. It ends with the tests.
fn hub() -> String {
    let file = |name: &str| std::fs::read(Path::new(FILES).join(name)).unwrap();
    let files = BTreeMap::from([
        ("model.onnx", file("model.onnx")),
        ("sentence_bert_config.json", json!({ "max_seq_length": 8 }).to_string().into_bytes()),
        ("tokenizer.json", file("tokenizer.json")),
    ]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            // A client that has gone away is no fault of the hub.
            let _ = answer(&connection.unwrap(), &files);
        }
    });
    url
}

fn answer(mut connection: &TcpStream, files: &BTreeMap<&str, Vec<u8>>) -> std::io::Result<()> {
    let mut lines = BufReader::new(connection).lines();
    let first = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let path = first.split(' ').nth(1).unwrap_or_default().split('?').next().unwrap_or_default();
    let (status, body) = match body(path, files) {
        Some(body) => ("200 OK", body),
        None => ("404 Not Found", Vec::new()),
    };
    write!(connection, "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len())?;
    connection.write_all(&body)
}

fn body(path: &str, files: &BTreeMap<&str, Vec<u8>>) -> Option<Vec<u8>> {
    if path == format!("/api/models/{MODEL}/revision/main") {
        return Some(json!({ "sha": COMMIT }).to_string().into_bytes());
    }
    if path == format!("/api/models/{MODEL}/tree/{COMMIT}") {
        let entry = |(path, bytes): (&&str, &Vec<u8>)| {
            let sum: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            let lfs = json!({ "oid": sum, "size": bytes.len(), "pointerSize": 130 });
            json!({ "type": "file", "oid": "0", "size": bytes.len(), "path": path, "lfs": lfs })
        };
        return Some(files.iter().map(entry).collect::<Value>().to_string().into_bytes());
    }
    files.get(path.strip_prefix(&format!("/{MODEL}/resolve/{COMMIT}/"))?).cloned()
}

/// Returns the listed models: name, and whether it is configured.
fn listed(annals: &Annals) -> Vec<(String, bool)> {
    let list = annals.json(&["model", "list"]);
    let line = |line: &Value| (line["name"].as_str().unwrap().to_owned(), line["configured"].as_bool().unwrap());
    list["models"].as_array().unwrap().iter().map(line).collect()
}

/// Embeds again what another model embedded. Returns the model of the vectors, after a search by meaning.
fn reembedded(annals: &Annals) -> String {
    annals.json(&["rebuild", "--embedder"]);
    let found = annals.json(&["search", "who saw the cello", "--agent", "ann"]);
    assert_eq!(found["words_alone_because"], Value::Null, "{found}");
    assert!(!found["results"].as_array().unwrap().is_empty(), "{found}");
    let verified = annals.run(&["verify", "--json"]);
    assert_eq!(verified.code, 0, "{}{}", verified.out, verified.err);
    let verified: Value = serde_json::from_str(&verified.out).unwrap();
    verified["agents"][0]["models"]["working"].as_str().unwrap().to_owned()
}

#[test]
fn model_is_pulled_used_measured_and_taken_back() {
    let (annals, hub) = (Annals::new(), format!("embedder.hub={}", hub()));
    annals.import(&days("ann", 4, 5));
    annals.json(&["rollup"]);
    let built_in = |configured| ("built-in".to_owned(), configured);
    let own = |configured| (MODEL.to_owned(), configured);
    assert_eq!(listed(&annals), [built_in(true)]);

    let pulled = annals.json(&["model", "pull", MODEL, "--set", &hub]);
    assert_eq!((&pulled["model"], &pulled["revision"]), (&json!(MODEL), &json!(COMMIT)), "{pulled}");
    assert_eq!(listed(&annals), [built_in(true), own(false)], "pulling does not configure");

    let used = annals.json(&["model", "use", MODEL]);
    assert_eq!(used["vectors"], pulled["vectors"]);
    assert_eq!(listed(&annals), [built_in(false), own(true)]);
    let texts = annals.file("texts", "The ship came in at dawn.\nNobody saw it.\n");
    let measured = annals.json(&["model", "measure", texts.to_str().unwrap()]);
    assert_eq!((&measured["model"], &measured["dimension"]), (&pulled["vectors"], &json!(384)), "{measured}");
    assert!(measured["texts_per_second"].as_f64().unwrap() > 0.0, "{measured}");
    assert_eq!(reembedded(&annals), pulled["vectors"]);

    let former = annals.json(&["model", "use", "built-in"])["vectors"].clone();
    assert_eq!(listed(&annals), [built_in(true), own(false)]);
    assert_eq!(reembedded(&annals), former);
    assert_ne!(former, pulled["vectors"]);
}

#[test]
fn unknown_models_change_nothing() {
    let (annals, hub) = (Annals::new(), format!("embedder.hub={}", hub()));
    annals.import(&days("ann", 1, 1));
    let pulled = annals.run(&["model", "pull", "me/none", "--set", &hub]);
    assert!(pulled.code != 0 && pulled.err.contains("me/none"), "{}", pulled.err);
    let used = annals.run(&["model", "use", "me/none"]);
    assert!(used.code != 0 && used.err.contains("annals model pull"), "{}", used.err);
    assert_eq!(listed(&annals), [("built-in".to_owned(), true)]);
    assert!(!annals.data().join("annals.toml").exists());
}
