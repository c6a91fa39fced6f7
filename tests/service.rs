//! The service as applications use it: real HTTP to `annals serve` in a child process, and commands at the same time.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};

use crate::command::{Annals, program};

const UNLIMITED: [&str; 4] = ["--set", "limits.requests_per_minute=100000", "--set", "limits.burst=100000"];

/// A running service on a folder.
pub struct Served {
    pub annals: Annals,
    child: Child,
    pub address: String,
    client: Client,
}

impl Served {
    pub fn new() -> Served {
        Served::over(Annals::new())
    }

    /// Serves an existing folder on a free port.
    pub fn over(annals: Annals) -> Served {
        Served::start(annals, &[])
    }

    /// Serves an existing folder, practically without rate limits.
    pub fn over_unlimited(annals: Annals) -> Served {
        Served::start(annals, &UNLIMITED)
    }

    /// Serves an existing folder, practically without rate limits, with additional arguments.
    pub fn over_unlimited_with(annals: Annals, args: &[&str]) -> Served {
        Served::start(annals, &[&UNLIMITED, args].concat())
    }

    /// Serves a new folder with additional arguments.
    pub fn with(args: &[&str]) -> Served {
        Served::start(Annals::new(), args)
    }

    /// Serves a new folder, practically without rate limits.
    pub fn unlimited() -> Served {
        Served::over_unlimited(Annals::new())
    }

    fn start(annals: Annals, args: &[&str]) -> Served {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut command = serve(&annals, &[&["--listen", "127.0.0.1:0"], args].concat());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut greeting = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut greeting).unwrap();
        let greeting: Value = serde_json::from_str(&greeting).unwrap_or_else(|error| panic!("{error}: {greeting:?}"));
        let address = greeting["address"].as_str().unwrap().to_owned();
        Served { annals, child, address, client: Client::new() }
    }

    pub async fn ask(
        &self,
        method: Method,
        path: &str,
        key: Option<&str>,
        body: Option<&Value>,
    ) -> (StatusCode, Value) {
        let mut request = self.client.request(method, format!("{}{path}", self.address));
        if let Some(key) = key {
            request = request.bearer_auth(key);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let response = request.send().await.unwrap();
        let status = response.status();
        let text = response.text().await.unwrap();
        (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    pub async fn post(&self, path: &str, body: &Value) -> (StatusCode, Value) {
        self.ask(Method::POST, path, None, Some(body)).await
    }

    pub async fn get(&self, path: &str) -> (StatusCode, Value) {
        self.ask(Method::GET, path, None, None).await
    }

    /// Kills the process. Returns its folder.
    pub fn kill(self) -> Annals {
        let mut served = self;
        served.child.kill().unwrap();
        served.child.wait().unwrap();
        std::mem::replace(&mut served.annals, Annals::new())
    }

    /// Returns the number of locks that the service holds on the catalog, as the system lists them. SQLite holds one lock as
    /// long as the catalog is open.
    ///
    /// If the number is not 1, reads the list again up to 50 times. The system writes the list in pieces, so a list that
    /// changes meanwhile can lack an entry or repeat it. A lock that is really lost stays lost.
    #[cfg(target_os = "linux")]
    pub fn locks(&self) -> usize {
        let mut held = self.listed_locks();
        for _ in 0..50 {
            if held == 1 {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
            held = self.listed_locks();
        }
        held
    }

    #[cfg(target_os = "linux")]
    fn listed_locks(&self) -> usize {
        use std::os::unix::fs::MetadataExt;
        let catalog = self.annals.data().join("catalog.sqlite").metadata().unwrap();
        let (file, owner) = (format!(":{} ", catalog.ino()), format!(" {} ", self.child.id()));
        let listed = std::fs::read_to_string("/proc/locks").unwrap();
        listed.lines().filter(|line| line.contains("POSIX") && line.contains(&file) && line.contains(&owner)).count()
    }

    fn terminate(&mut self) -> i32 {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // The service must not have lost its locks, whatever the test requested (see `locks.rs`).
        #[cfg(target_os = "linux")]
        if !std::thread::panicking()
            && self.annals.data().join("catalog.sqlite").exists()
            && matches!(self.child.try_wait(), Ok(None))
        {
            assert!(self.locks() > 0, "the service has no lock on the catalog any more");
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn serve(annals: &Annals, args: &[&str]) -> Command {
    let mut command = program();
    command.args(["serve", "--json"]).args(args).arg("--data").arg(annals.data());
    command.env_remove("ANNALS_DATA").env_remove("ANNALS_CONFIG").stdin(Stdio::null());
    command
}

fn message(id: &str, content: &str) -> Value {
    json!({ "messages": [{ "role": "user", "name": "Ann", "id": id, "content": content, "at": "2026-03-04T18:30:00Z" }],
        "conversation": "talk" })
}

#[tokio::test]
async fn service_goes_on_when_nobody_reads_its_output() {
    let annals = Annals::new();
    let mut command = serve(&annals, &["--listen", "127.0.0.1:0", "--set", "log.level=debug"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut greeting = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut greeting).unwrap();
    drop(child.stderr.take());
    let greeting: Value = serde_json::from_str(&greeting).unwrap();
    let health = format!("{}/healthz", greeting["address"].as_str().unwrap());
    let unknown = format!("{}/v1/agents/nobody/timeline", greeting["address"].as_str().unwrap());
    for _ in 0..3 {
        reqwest::get(&unknown).await.unwrap();
        assert_eq!(reqwest::get(&health).await.unwrap().status(), StatusCode::OK);
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[tokio::test]
async fn acknowledged_message_is_found_and_survives_a_kill() {
    let served = Served::new();
    let (status, answer) =
        served.post("/v1/agents/ann/messages?wait=extracted", &message("1", "I moved from Oslo to Bern.")).await;
    assert_eq!(status, StatusCode::ACCEPTED, "{answer}");
    assert_eq!(answer["status"], "extracted");
    assert_eq!(answer["accepted"], 1);
    let (_, again) = served.post("/v1/agents/ann/messages", &message("1", "I moved from Oslo to Bern.")).await;
    assert_eq!((&again["accepted"], &again["duplicate"]), (&json!(0), &json!(1)));
    let served = Served::over(served.kill());
    let question = json!({ "query": "Where does Ann live?", "limit": 1 });
    let (status, found) = served.post("/v1/agents/ann/search", &question).await;
    assert_eq!(status, StatusCode::OK, "{found}");
    assert_eq!(found["results"][0]["text"], "I moved from Oslo to Bern.");
    assert_eq!(found["results"][0]["date"], "2026-03-04");
    let (_, facts) = served.get("/v1/agents/ann/facts?about=ann&predicate=lives_in").await;
    assert_eq!(facts["facts"][0]["object"], "Bern");
    let (_, walk) =
        served.get("/v1/agents/ann/facts?about=Bern&depth=1&direction=in&predicate=lives_in,works_at").await;
    assert_eq!((&walk["facts"][0]["object"], &walk["facts"][0]["depth"]), (&json!("Bern"), &json!(1)));
    let (_, path) = served.get("/v1/agents/ann/facts?about=ann&to=Bern").await;
    assert_eq!((&path["connected"], path["facts"].as_array().unwrap().len()), (&json!(true), 1));
    let (status, _) = served.get("/v1/agents/ann/facts?to=Bern").await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let operation = format!("/v1/operations/{}", answer["operation_id"].as_str().unwrap());
    let (status, operation) = served.get(&operation).await;
    assert_eq!((status, &operation["status"]), (StatusCode::OK, &json!("extracted")));
}

#[tokio::test]
async fn repeated_idempotency_key_returns_the_same_operation() {
    let served = Served::new();
    let client = Client::new();
    let send = |body: Value| {
        let request = client.post(format!("{}/v1/agents/ann/messages", served.address));
        request.header("Idempotency-Key", "one").json(&body).send()
    };
    // Without an id and a time, the repeated message would be a new one.
    let body = json!({ "messages": [{ "role": "user", "content": "Hello." }], "conversation": "talk" });
    let first: Value = send(body.clone()).await.unwrap().json().await.unwrap();
    let again: Value = send(body.clone()).await.unwrap().json().await.unwrap();
    assert_eq!(first["operation_id"], again["operation_id"]);
    assert_eq!(again["accepted"], 1);
    let other = send(message("1", "Something else.")).await.unwrap();
    assert_eq!(other.status(), StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(other.json::<Value>().await.unwrap()["code"], "idempotency_key_reused");
    let (_, status) = served.get("/v1/agents/ann/status").await;
    assert_eq!(status["memories"]["working"], 1);

    served.annals.json(&["forget", "--agent", "ann", "--conversation", "talk", "--yes"]);
    let after: Value = send(body).await.unwrap().json().await.unwrap();
    assert_eq!((&after["accepted"], &after["duplicate"]), (&json!(0), &json!(1)));
    let (_, status) = served.get("/v1/agents/ann/status").await;
    assert_eq!(status["memories"]["working"], 0, "what was forgotten stays so");
}

#[tokio::test]
async fn commands_are_run_by_the_running_service() {
    let served = Served::new();
    let file = served.annals.file("chat.jsonl", &crate::story::days("ann", 2, 2));
    let imported = served.annals.json(&["import", file.to_str().unwrap()]);
    assert_eq!(imported["accepted"], 4);
    let (_, status) = served.get("/v1/agents/ann/status").await;
    assert_eq!(status["memories"]["working"], 4);
    assert_eq!(served.annals.json(&["status"])["agents"][0]["memories"]["working"], 4);
    let found = served.annals.run(&["search", "the contract", "--agent", "ann"]);
    assert!(found.code == 0 && found.out.contains("2026-01-0"), "{} {}", found.out, found.err);
    let wrong = served.annals.run(&["search", "x", "--agent", "nobody"]);
    assert_eq!(
        (wrong.code, wrong.err.as_str()),
        (
            3,
            "annals: there is no agent \"nobody\"; `annals agent list` lists all agents, `annals agent create` creates one\n"
        )
    );
    assert_eq!(served.annals.run(&["search", "--no-such-flag"]).code, 2);
    let exported = served.annals.run(&["export", "--agent", "ann"]);
    assert_eq!(exported.out.lines().filter(|line| line.contains("\"record\":\"turn\"")).count(), 4);
}

#[tokio::test]
async fn service_stops_on_sigterm_and_releases_the_folder() {
    let mut served = Served::new();
    served.post("/v1/agents/ann/messages", &message("1", "Hello.")).await;
    assert_eq!(served.terminate(), 0);
    assert!(!served.annals.data().join("annals.sock").exists());
    assert_eq!(served.annals.json(&["status"])["agents"][0]["memories"]["working"], 1);
}

#[tokio::test]
async fn without_a_key_only_local_requests_are_answered() {
    let annals = Annals::new();
    let refused = serve(&annals, &["--listen", "0.0.0.0:0"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    let words = String::from_utf8(refused.stderr).unwrap();
    assert!(words.contains("there is no key") && words.contains("annals key add"), "{words}");
    let served = Served::over(annals);
    let key = served.annals.json(&["key", "add", "phone", "--scope", "ingest"]);
    let (text, id) = (key["key"].as_str().unwrap(), key["id"].as_str().unwrap());
    let body = message("1", "Hello.");
    let path = "/v1/agents/ann/messages";
    assert_eq!(served.post(path, &body).await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(served.ask(Method::POST, path, Some(text), Some(&body)).await.0, StatusCode::ACCEPTED);
    let (status, problem) = served.ask(Method::GET, "/v1/agents/ann/status", Some(text), None).await;
    assert_eq!((status, &problem["code"]), (StatusCode::FORBIDDEN, &json!("insufficient_scope")));
    assert_eq!(served.annals.run(&["key", "revoke", id]).code, 0);
    // With no valid key left, local requests are accepted again. The revoked key is still refused.
    assert_eq!(served.ask(Method::POST, path, Some(text), Some(&body)).await.0, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn problems_name_the_wrong_field() {
    let served = Served::new();
    async fn check(served: &Served, body: Value, status: u16, code: &str, field: &str) {
        let (got, problem) = served.post("/v1/agents/ann/messages", &body).await;
        assert_eq!((got.as_u16(), problem["code"].as_str().unwrap()), (status, code), "{problem}");
        assert_eq!(problem["faults"][0]["field"], field, "{problem}");
        assert!(!problem["request_id"].as_str().unwrap().is_empty());
    }
    check(&served, json!({}), 400, "invalid", "messages").await;
    check(&served, json!({ "messages": [] }), 400, "invalid", "messages").await;
    check(
        &served,
        json!({ "messages": [{ "role": "user", "content": "x" }] }),
        400,
        "invalid",
        "messages[0].conversation",
    )
    .await;
    let bad = json!({ "messages": [{ "role": "king", "content": "x" }], "conversation": "c" });
    check(&served, bad, 400, "invalid", "messages[0].role").await;
    let empty = json!({ "messages": [{ "role": "user", "content": " " }], "conversation": "c" });
    check(&served, empty, 400, "invalid", "messages[0].content").await;
    let (status, problem) = served.get("/v1/nowhere").await;
    assert_eq!((status, &problem["code"]), (StatusCode::NOT_FOUND, &json!("not_found")));
    let (page, section) = problem["type"].as_str().unwrap().split_once('#').unwrap();
    let (status, page) = served.get(page).await;
    assert!(status == StatusCode::OK && page.as_str().unwrap().contains(&format!("id=\"{section}\"")), "{page}");
    let (status, problem) = served.ask(Method::PUT, "/v1/agents", None, None).await;
    assert_eq!((status, &problem["code"]), (StatusCode::METHOD_NOT_ALLOWED, &json!("method_not_allowed")));
    assert_eq!(served.get("/v1/agents/nobody/status").await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn messages_without_a_time_keep_their_order_and_may_be_repeated() {
    let served = Served::new();
    let output =
        ["Where is the key?", "Behind the door.", "And the boat?", "In the harbour.", "Since when?", "Since May."];
    let with_ids = |conversation: &str| {
        let messages =
            output.iter().enumerate().map(|(n, text)| json!({ "id": n.to_string(), "role": "user", "content": text }));
        json!({ "conversation": conversation, "messages": messages.collect::<Vec<_>>() })
    };
    let without = output.map(|text| json!({ "role": "user", "content": text }));
    let without = json!({ "conversation": "plain", "messages": without });
    let (status, _) = served.post("/v1/agents/ann/messages", &without).await;
    assert_eq!(status, StatusCode::ACCEPTED);
    let (_, first) = served.post("/v1/agents/ann/messages", &with_ids("named")).await;
    assert_eq!(first["accepted"], json!(6), "{first}");
    for revise in [false, true] {
        let mut again = with_ids("named");
        again["revise"] = json!(revise);
        let (status, again) = served.post("/v1/agents/ann/messages", &again).await;
        assert!(status.is_success(), "{status} {again}");
        assert_eq!((&again["duplicate"], &again["revised"]), (&json!(6), &json!(0)), "{again}");
        assert_eq!(again["operation_id"], first["operation_id"]);
    }
    let mut changed = with_ids("named");
    changed["messages"][1]["content"] = json!("Under the mat.");
    assert_eq!(served.post("/v1/agents/ann/messages", &changed).await.0, StatusCode::CONFLICT);
    let turns = served.annals.json(&["timeline", "--agent", "ann", "--grain", "working"]);
    for conversation in ["plain", "named"] {
        let of_it = turns["memories"].as_array().unwrap().iter().filter(|turn| turn["conversation"] == conversation);
        let texts: Vec<&str> = of_it.map(|turn| turn["text"].as_str().unwrap()).collect();
        assert_eq!(texts, output, "{conversation}");
    }
}

#[tokio::test]
async fn rollup_that_is_asked_for_does_not_wait_for_late_messages() {
    /// Runs the command at the service's own time: `--now` of the other tests is before these messages arrived.
    fn verify(annals: &Annals) -> (bool, Value) {
        let output = program().args(["verify", "--json", "--data"]).arg(annals.data()).output().unwrap();
        (output.status.success(), serde_json::from_slice(&output.stdout).unwrap())
    }
    let served = Served::new();
    let message = json!({ "conversation": "talk", "messages": [
        { "role": "user", "name": "Ann", "content": "I moved to Ghent.", "id": "1", "at": "2026-02-01T10:00:00Z" }] });
    served.post("/v1/agents/ann/messages?wait=searchable", &message).await;
    let (sound, verified) = verify(&served.annals);
    assert!(sound && verified["agents"][0]["not_yet_due"][0]["period"] == "2026-02-01", "{verified}");

    let (status, answer) = served.post("/v1/agents/ann/rollup", &json!({})).await;
    assert_eq!(
        (status, &answer["written"]["daily"], &answer["written"]["monthly"]),
        (StatusCode::OK, &json!(1), &json!(1))
    );
    let (sound, verified) = verify(&served.annals);
    assert!(sound && verified["agents"][0]["not_yet_due"].is_null(), "{verified}");
}
