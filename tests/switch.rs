//! A change of the embedding model as people make it: only the setting changes. The service is killed again and again while it
//! embeds, and searches run all the time. No search fails, and none compares vectors of two models. Then the model is changed
//! back.
//!
//! The second model is the built-in one with a window of eight tokens, so it has other parts of texts and other vectors.

#![expect(clippy::print_stderr, reason = "how far it was at each kill is part of the result")]

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use reqwest::StatusCode;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::command::{Annals, Answer};
use crate::service::Served;
use crate::story::days;

const MODEL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/all-MiniLM-L6-v2");
const SECOND: &str = "short-window";
const QUESTIONS: [&str; 4] =
    ["who saw the cello", "a trip to Kyoto with my brother", "old maps and the contract", "which window was it"];
/// How often the service is killed before it may end.
const KILLS: u32 = 3;
/// How many times the state is read, with a pause between, before the test fails.
const MAX_LOOKS: u32 = 3_000;
const PAUSE: Duration = Duration::from_millis(20);

/// The share of the vectors in the score of each result, by id: the same whenever the same model answers.
type Shares = BTreeMap<String, i64>;

/// Returns a folder of `ANNALS_SWITCH_MESSAGES` messages (400) that the given model embedded, with both models at hand.
fn folder(second: bool) -> Annals {
    let annals = Annals::new();
    let number = std::env::var("ANNALS_SWITCH_MESSAGES").map_or(400, |number| number.parse::<u32>().unwrap());
    let file = annals.file("messages.jsonl", &days("ann", number.div_ceil(10), 10));
    place_second_model(&annals.data().join("models").join(SECOND));
    let setting = format!("embedder.model={SECOND}");
    let mut args = vec!["import", file.to_str().unwrap()];
    if second {
        args.extend(["--set", &setting]);
    }
    assert_eq!(annals.run(&args).code, 0);
    annals
}

fn place_second_model(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    std::fs::copy(Path::new(MODEL).join("model.onnx"), folder.join("model.onnx")).unwrap();
    let tokenizer = std::fs::read_to_string(Path::new(MODEL).join("tokenizer.json")).unwrap();
    let short = tokenizer.replacen("\"max_length\":256", "\"max_length\":8", 1);
    assert_ne!(short, tokenizer);
    std::fs::write(folder.join("tokenizer.json"), short).unwrap();
    let sums = ["model.onnx", "tokenizer.json"].map(|file| {
        let digest = Sha256::digest(std::fs::read(folder.join(file)).unwrap());
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{hex}  {file}\n")
    });
    std::fs::write(folder.join("SHA256SUMS"), sums.concat()).unwrap();
}

fn serve(annals: Annals, second: bool) -> Served {
    let setting = format!("embedder.model={SECOND}");
    let args: &[&str] = if second { &["--set", &setting] } else { &[] };
    Served::over_unlimited_with(annals, args)
}

async fn ask(served: &Served, question: &str) -> Shares {
    let body = json!({ "query": question, "grains": ["working"], "limit": 20, "explain": true });
    let (status, answer) = served.post("/v1/agents/ann/search", &body).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    assert_eq!(answer["words_alone_because"], Value::Null, "{answer}");
    let share = |result: &Value| {
        let parts = result["parts"].as_array().unwrap().iter();
        let of_vectors = parts.filter(|part| part["name"] == "vector").map(|part| part["value"].as_f64().unwrap());
        (result["id"].as_str().unwrap().to_owned(), (of_vectors.sum::<f64>() * 1e4).round() as i64)
    };
    let shares: Shares = answer["results"].as_array().unwrap().iter().map(share).collect();
    assert!(!shares.is_empty(), "{answer}");
    shares
}

async fn ask_all(served: &Served) -> Vec<Shares> {
    let mut all = Vec::new();
    for question in QUESTIONS {
        all.push(ask(served, question).await);
    }
    all
}

/// Returns whether both answers give the same shares to the results that they have in common. Access counts may change which
/// results are found.
fn agree(found: &Shares, expected: &Shares) -> bool {
    let mut common = found.iter().filter_map(|(id, share)| Some((share, expected.get(id)?))).peekable();
    common.peek().is_some() && common.all(|(share, expected)| (share - expected).abs() <= 10)
}

async fn progress(served: &Served) -> Option<(u64, u64)> {
    let (status, answer) = served.get("/v1/agents/ann/status").await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    let state = &answer["reembedding"];
    (!state.is_null()).then(|| (state["done"].as_u64().unwrap(), state["total"].as_u64().unwrap()))
}

/// Searches until all tables are embedded again or `until` accepts the progress. Each answer must be of one model.
async fn search_until(served: &Served, models: [&[Shares]; 2], until: impl Fn(u64, u64) -> bool) -> Option<(u64, u64)> {
    for _ in 0..MAX_LOOKS {
        for (index, question) in QUESTIONS.iter().enumerate() {
            let found = ask(served, question).await;
            let is_of = models.map(|expected| agree(&found, &expected[index]));
            assert!(is_of[0] != is_of[1], "{question}: {found:?}, of the models: {is_of:?}");
        }
        match progress(served).await {
            Some((done, total)) if !until(done, total) => tokio::time::sleep(PAUSE).await,
            reached => return reached,
        }
    }
    panic!("the tables are not embedded again: {:?}", progress(served).await);
}

#[tokio::test]
async fn model_changes_and_changes_back_under_searches_and_kills() {
    let by_second = ask_all(&serve(folder(true), true)).await;
    let served = serve(folder(false), false);
    let by_first = ask_all(&served).await;
    let models = [&by_first[..], &by_second[..]];
    let mut annals = served.kill();
    let mut reached = 0;
    for kill in 1..=KILLS {
        let served = serve(annals, true);
        let is_far = |done, total| done > reached && done >= total * u64::from(kill) / u64::from(KILLS + 1);
        let (done, total) = search_until(&served, models, is_far).await.expect("the service is killed before the end");
        eprintln!("killed after {done} of {total}");
        annals = served.kill();
        assert!(done >= reached, "after a kill it began again: {done} < {reached}");
        reached = done;
    }
    let served = serve(annals, true);
    assert!(progress(&served).await.is_none_or(|(done, _)| done >= reached), "the last kill lost what was done");
    assert_eq!(search_until(&served, models, |_, _| false).await, None);
    for (index, found) in ask_all(&served).await.iter().enumerate() {
        assert!(agree(found, &by_second[index]), "{found:?}");
    }
    let served = serve(served.kill(), false);
    assert_eq!(search_until(&served, models, |_, _| false).await, None);
    for (index, found) in ask_all(&served).await.iter().enumerate() {
        assert!(agree(found, &by_first[index]), "{found:?}");
    }
    let annals = served.kill();
    annals.expect_sound_tables();
}

/// The former model is set again in the middle of the change. The unfinished tables are dropped, and nothing is embedded.
#[tokio::test]
async fn former_model_set_again_takes_the_change_back() {
    let served = serve(folder(false), false);
    let by_first = ask_all(&served).await;
    let served = serve(served.kill(), true);
    for _ in 0..MAX_LOOKS {
        if progress(&served).await.is_none_or(|(done, _)| done > 0) {
            break;
        }
        tokio::time::sleep(PAUSE).await;
    }
    assert!(progress(&served).await.is_some(), "the service is killed before the end");
    let served = serve(served.kill(), false);
    // A roll-up may have written to tables of the second model in the meantime; these are embedded again.
    for _ in 0..MAX_LOOKS {
        if progress(&served).await.is_none() {
            break;
        }
        tokio::time::sleep(PAUSE).await;
    }
    assert_eq!(progress(&served).await, None);
    for (index, found) in ask_all(&served).await.iter().enumerate() {
        assert!(agree(found, &by_first[index]), "{found:?}");
    }
    served.kill().expect_sound_tables();
}

/// A command does in the foreground what the service does in the background; other commands leave the tables alone.
#[test]
fn command_embeds_again() {
    let annals = folder(false);
    let setting = format!("embedder.model={SECOND}");
    let with = |args: &[&str]| annals.json(&[args, &["--set", &setting]].concat());
    let state = |answer: &Value| answer["agents"][0]["reembedding"].clone();
    assert_eq!(state(&with(&["status"]))["done"], 0);
    with(&["search", "who saw the cello", "--agent", "ann"]);
    assert_eq!(state(&with(&["status"]))["done"], 0);
    assert!(with(&["rebuild", "--embedder"])["memories"].as_u64().unwrap() >= 400);
    assert_eq!(state(&with(&["status"])), Value::Null);
    with(&["rollup"]);
    let verified = with(&["verify"]);
    assert_eq!(verified["sound"], true, "{verified}");
    let model = verified["agents"][0]["models"]["working"].as_str().unwrap();
    assert!(model.starts_with(SECOND), "{model}");
    assert_eq!(with(&["rebuild", "--embedder"])["memories"], 0);
}

/// The model's folder is gone: searches use words alone and say so, new messages are found, and the service embeds everything
/// again with the new model.
#[test]
fn without_its_model_a_folder_answers_by_words() {
    let annals = folder(true);
    std::fs::remove_dir_all(annals.data().join("models")).unwrap();
    let answer = annals.json(&["search", "the cello", "--agent", "ann"]);
    assert!(answer["words_alone_because"].as_str().unwrap().contains(SECOND), "{answer}");
    assert!(answer["results"][0]["text"].as_str().unwrap().contains("cello"), "{answer}");
    let news =
        annals.file("news.jsonl", &crate::story::line("ann", "new", "1", "Ann", "A zeppelin!", "2026-11-01T10:00:00Z"));
    assert_eq!(annals.run(&["import", news.to_str().unwrap()]).code, 0);
    let answer = annals.json(&["search", "zeppelin", "--agent", "ann"]);
    assert_eq!(answer["results"][0]["text"], "A zeppelin!");
    annals.json(&["rebuild", "--embedder"]);
    let answer = annals.json(&["search", "zeppelin", "--agent", "ann"]);
    assert_eq!((&answer["words_alone_because"], &answer["results"][0]["text"]), (&Value::Null, &json!("A zeppelin!")));
}

/// An endpoint embedded the messages and is no longer configured: it still embeds the questions, with its prefix and with the key
/// from the environment, until the messages are embedded again. The file with its settings never contains a key.
#[test]
fn former_endpoint_embeds_questions_until_the_messages_are_embedded_again() {
    let vectors = |request: &annals_testkit::ModelRequest| {
        let texts = request.body["input"].as_array().unwrap().iter();
        let vector = |text: &Value| [0, 1, 2, 3].map(|at| 1 + Sha256::digest(text.as_str().unwrap())[at]);
        let rows = texts.enumerate().map(|(index, text)| json!({ "index": index, "embedding": vector(text) }));
        annals_testkit::Script::Raw(json!({ "data": rows.collect::<Vec<_>>() }).to_string())
    };
    let server = annals_testkit::ModelServer::choosing(vectors);
    let annals = Annals::new();
    let table = |key: &str| {
        format!(
            "[embedder]\nbase_url = \"{}\"\nmodel = \"vectors\"\nquery_prefix = \"query: \"\n{key}\n",
            server.base_url()
        )
    };
    let file = annals.file("messages.jsonl", &days("ann", 2, 5));
    let settings = annals.data().join("annals.toml");
    std::fs::create_dir_all(annals.data()).unwrap();
    let with_key =
        |args: &[&str]| Answer::from(annals.command(args).env("EMBEDDER_KEY", "sk-variable").output().unwrap());
    for key in ["key = \"sk-secret\"", "key_env = \"EMBEDDER_KEY\""] {
        std::fs::write(&settings, table(key)).unwrap();
        assert_eq!(with_key(&["import", file.to_str().unwrap()]).code, 0);
    }
    let recorded = std::fs::read_to_string(annals.data().join("embedders.json")).unwrap();
    assert!(recorded.contains("EMBEDDER_KEY") && !recorded.contains("sk-"), "{recorded}");
    std::fs::remove_file(&settings).unwrap();

    let answer = with_key(&["search", "the cello", "--agent", "ann", "--json"]);
    let answer: Value = serde_json::from_str(&answer.out).unwrap();
    assert_eq!(answer["words_alone_because"], Value::Null, "{answer}");
    let asked = server.requests().pop().unwrap();
    assert_eq!(
        (&asked.body["input"], &*asked.headers["authorization"]),
        (&json!(["query: the cello"]), "Bearer sk-variable")
    );
    let answer = annals.json(&["search", "the cello", "--agent", "ann"]);
    assert_ne!(answer["words_alone_because"], Value::Null, "the key is gone: {answer}");

    annals.json(&["rebuild", "--embedder"]);
    let requests = server.requests().len();
    let answer = annals.json(&["search", "the cello", "--agent", "ann"]);
    assert_eq!((&answer["words_alone_because"], server.requests().len()), (&Value::Null, requests));
}
