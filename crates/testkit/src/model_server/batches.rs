//! Batches of both interfaces: files and batches of OpenAI, message batches of Anthropic, with planned faults.
//!
//! The requests of a batch are answered when it is created, and the batch ends after some requests for its status. Answers are
//! counted, because each would have to be paid for: a request that is answered twice is paid for twice.

use std::collections::{BTreeMap, HashMap, VecDeque};

use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::answer::Answer;
use super::{Dialect, ModelRequest, Shared, good};

/// A planned fault of the interface for batches. Each happens once, at the next request that it fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchFault {
    /// The upload is refused with this status.
    Upload(u16),
    /// The batch is refused with this status and not created.
    Create(u16),
    /// The batch is created, but the answer is an error of a gateway.
    CreateUnanswered,
    /// A request for the status of a batch is refused with this HTTP status.
    Status(u16),
    /// Results are refused with this status.
    Download(u16),
    /// Results end in the middle of a line.
    Truncated,
    /// The next batch has these faults in its results.
    Results(Vec<ResultFault>),
}

/// A fault in the results of a batch. A number `n` means that every `n`-th request has the fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultFault {
    /// The requests are answered with an error.
    Errors(usize),
    /// The requests have expired.
    Expires(usize),
    /// The requests were cancelled with the batch.
    Cancelled(usize),
    /// The answers contain no JSON.
    Bad(usize),
    /// The lines with the results come twice.
    Twice(usize),
    /// The results contain a line for a request that was never sent.
    Unknown,
    /// The lines of answers come in reverse order.
    Reversed,
}

/// What a provider would charge for the batches of this server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchBill {
    /// Batches that were created.
    pub batches: u64,
    /// Requests that were answered, and have to be paid for.
    pub answered: u64,
    /// Requests that were answered although a good answer had been given before.
    pub twice: u64,
    /// Tokens of requests.
    pub tokens_in: u64,
    /// Tokens of answers.
    pub tokens_out: u64,
}

/// A function of a test that is called when an upload arrives.
pub(super) type AtUpload = Box<dyn FnMut() + Send>;

/// The files and batches of the server, and the planned faults.
#[derive(Default)]
pub(super) struct BatchDesk {
    pub(super) faults: VecDeque<BatchFault>,
    /// Number of requests for the status of a batch that are answered with "in progress".
    pub(super) slowness: u64,
    pub(super) bill: BatchBill,
    /// Called when an upload arrives, before it is answered.
    pub(super) at_upload: Option<AtUpload>,
    /// The bodies of all uploads, also of those that were refused.
    pub(super) uploaded: Vec<String>,
    /// Ids of the batches that the client asked to cancel.
    pub(super) cancelled: Vec<String>,
    uploads: usize,
    names: BTreeMap<String, String>,
    files: BTreeMap<String, Vec<u8>>,
    batches: Vec<Batch>,
    good: HashMap<String, u64>,
}

#[derive(Debug)]
struct Batch {
    id: String,
    metadata: Value,
    input: String,
    total: usize,
    answered: usize,
    failed: usize,
    is_expired: bool,
    is_cancelled: bool,
    polls: u64,
    output: String,
    errors: String,
}

impl BatchDesk {
    /// Returns the number of input files that were not deleted.
    pub(super) fn inputs(&self) -> usize {
        self.files.keys().filter(|id| self.names.contains_key(*id)).count()
    }

    fn fault(&mut self, is_it: impl Fn(&BatchFault) -> bool) -> Option<BatchFault> {
        let position = self.faults.iter().position(is_it)?;
        self.faults.remove(position)
    }
}

/// Answers a request to the interface for batches. Returns `None` for any other request.
pub(super) fn answer(shared: &Shared, method: &Method, path: &str, body: &[u8]) -> Option<Response> {
    let desk = &mut *shared.batches.lock();
    let parts: Vec<&str> = path.trim_matches('/').split('/').skip(1).collect();
    let is_anthropic = shared.dialect == Dialect::Anthropic;
    Some(match (method.as_str(), parts.as_slice()) {
        ("POST", ["files"]) => upload(desk, body),
        ("GET", ["files"]) => {
            let listed = |(id, name): (&String, &String)| json!({ "id": id, "filename": name });
            let inputs = desk.names.iter().filter(|(id, _)| desk.files.contains_key(*id));
            axum::Json(json!({ "data": inputs.map(listed).collect::<Vec<_>>(), "has_more": false })).into_response()
        }
        ("POST", ["batches"]) => create_openai(desk, shared.dialect, body),
        ("POST", ["messages", "batches"]) => create_anthropic(desk, shared.dialect, body),
        ("POST", ["batches", id, "cancel"] | ["messages", "batches", id, "cancel"]) => {
            desk.cancelled.push((*id).to_owned());
            axum::Json(json!({ "id": id })).into_response()
        }
        ("GET", ["batches"] | ["messages", "batches"]) => {
            let all: Vec<Value> =
                desk.batches.iter().rev().map(|batch| status(batch, desk.slowness, is_anthropic)).collect();
            desk.batches.iter_mut().for_each(|batch| batch.polls += 1);
            axum::Json(json!({ "data": all, "has_more": false })).into_response()
        }
        ("GET", ["batches", id] | ["messages", "batches", id]) => ask(desk, id, is_anthropic),
        ("GET", ["files", id, "content"]) => match desk.files.get(*id).cloned() {
            Some(content) => download(desk, content),
            None => StatusCode::NOT_FOUND.into_response(),
        },
        ("GET", ["messages", "batches", id, "results"]) => match desk.batches.iter().find(|batch| batch.id == *id) {
            Some(batch) => {
                let content = format!("{}{}", batch.output, batch.errors).into_bytes();
                download(desk, content)
            }
            None => StatusCode::NOT_FOUND.into_response(),
        },
        ("DELETE", ["files", id]) => {
            desk.files.remove(*id);
            axum::Json(json!({ "deleted": true })).into_response()
        }
        ("DELETE", ["messages", "batches", _]) => {
            axum::Json(json!({ "type": "message_batch_deleted" })).into_response()
        }
        _ => return None,
    })
}

fn refusal(status: u16) -> Response {
    let body = json!({ "error": { "message": "refused by the test", "type": "test" } });
    (StatusCode::from_u16(status).unwrap(), axum::Json(body)).into_response()
}

fn upload(desk: &mut BatchDesk, body: &[u8]) -> Response {
    if let Some(at_upload) = &mut desk.at_upload {
        at_upload();
    }
    desk.uploaded.push(String::from_utf8_lossy(body).into_owned());
    if let Some(BatchFault::Upload(status)) = desk.fault(|fault| matches!(fault, BatchFault::Upload(_))) {
        return refusal(status);
    }
    let text = String::from_utf8_lossy(body);
    assert!(text.contains("name=\"purpose\"\r\n\r\nbatch\r\n"), "an upload without its purpose");
    let from = text.find("{\"").unwrap_or(text.len());
    let until = text.rfind("\r\n--").unwrap_or(text.len()).max(from);
    desk.uploads += 1;
    let id = format!("file-{}", desk.uploads);
    let name = text.split("filename=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
    desk.names.insert(id.clone(), name.to_owned());
    desk.files.insert(id.clone(), text[from..until].as_bytes().to_vec());
    axum::Json(json!({ "id": id, "object": "file", "purpose": "batch" })).into_response()
}

fn create_openai(desk: &mut BatchDesk, dialect: Dialect, body: &[u8]) -> Response {
    let request: Value = serde_json::from_slice(body).unwrap();
    assert_eq!((&request["endpoint"], &request["completion_window"]), (&json!("/v1/chat/completions"), &json!("24h")));
    let input = request["input_file_id"].as_str().unwrap().to_owned();
    let Some(lines) = desk.files.get(&input).cloned() else { return refusal(400) };
    let lines: Vec<Value> =
        String::from_utf8(lines).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    create(desk, dialect, lines, request["metadata"].clone(), input)
}

fn create_anthropic(desk: &mut BatchDesk, dialect: Dialect, body: &[u8]) -> Response {
    let request: Value = serde_json::from_slice(body).unwrap();
    create(desk, dialect, request["requests"].as_array().unwrap().clone(), Value::Null, String::new())
}

fn create(desk: &mut BatchDesk, dialect: Dialect, lines: Vec<Value>, metadata: Value, input: String) -> Response {
    if let Some(BatchFault::Create(status)) = desk.fault(|fault| matches!(fault, BatchFault::Create(_))) {
        return refusal(status);
    }
    let is_anthropic = dialect == Dialect::Anthropic;
    let faults = match desk.fault(|fault| matches!(fault, BatchFault::Results(_))) {
        Some(BatchFault::Results(faults)) => faults,
        _ => Vec::new(),
    };
    desk.bill.batches += 1;
    let id = format!("{}_{}", if is_anthropic { "msgbatch" } else { "batch" }, desk.bill.batches);
    let total = lines.len();
    let mut batch = Batch {
        id,
        metadata,
        input,
        total,
        answered: 0,
        failed: 0,
        is_expired: faults.iter().any(|fault| matches!(fault, ResultFault::Expires(_))),
        is_cancelled: faults.iter().any(|fault| matches!(fault, ResultFault::Cancelled(_))),
        polls: 0,
        output: String::new(),
        errors: String::new(),
    };
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    for (position, line) in lines.iter().enumerate() {
        let has = |of: fn(&ResultFault) -> Option<usize>| {
            faults.iter().filter_map(of).any(|every| position % every == every - 1)
        };
        let custom_id = line["custom_id"].as_str().unwrap();
        if has(|fault| if let ResultFault::Errors(n) = fault { Some(*n) } else { None }) {
            errors.push(failed(is_anthropic, custom_id, "errored", "server_error"));
            batch.failed += 1;
        } else if has(|fault| if let ResultFault::Expires(n) = fault { Some(*n) } else { None }) {
            errors.push(failed(is_anthropic, custom_id, "expired", "batch_expired"));
        } else if has(|fault| if let ResultFault::Cancelled(n) = fault { Some(*n) } else { None }) {
            errors.push(failed(is_anthropic, custom_id, "canceled", "batch_cancelled"));
        } else {
            let is_bad = has(|fault| if let ResultFault::Bad(n) = fault { Some(*n) } else { None });
            let body = if is_anthropic { &line["params"] } else { &line["body"] };
            let answered = desk.answer(dialect, custom_id, body, is_bad);
            if has(|fault| if let ResultFault::Twice(n) = fault { Some(*n) } else { None }) {
                output.push(answered.clone());
            }
            output.push(answered);
            batch.answered += 1;
        }
    }
    if faults.contains(&ResultFault::Unknown) {
        output.push(failed(is_anthropic, "nobody-7", "errored", "server_error"));
    }
    if faults.contains(&ResultFault::Reversed) {
        output.reverse();
    }
    let joined = |lines: &[Value]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    (batch.output, batch.errors) = (joined(&output), joined(&errors));
    for (name, content) in [("output", &batch.output), ("error", &batch.errors)] {
        desk.files.insert(format!("{name}-{}", batch.id), content.clone().into_bytes());
    }
    let answer = status(&batch, 1, is_anthropic);
    desk.batches.push(batch);
    if desk.fault(|fault| *fault == BatchFault::CreateUnanswered).is_some() {
        return refusal(504);
    }
    axum::Json(answer).into_response()
}

impl BatchDesk {
    fn answer(&mut self, dialect: Dialect, custom_id: &str, body: &Value, is_bad: bool) -> Value {
        let request = ModelRequest { path: String::new(), headers: BTreeMap::new(), body: body.clone() };
        assert!(body.get("stream").is_none(), "a request of a batch asks for a stream");
        let text = if is_bad { "I would rather not.".to_owned() } else { good::answer(&request) };
        let answer = Answer::new(text, dialect.tokens_read(&request));
        self.bill.answered += 1;
        self.bill.tokens_in += dialect.tokens_read(&request);
        self.bill.tokens_out += answer.tokens_out();
        let times = self.good.entry(body["messages"].to_string()).or_default();
        self.bill.twice += u64::from(*times > 0);
        *times += u64::from(!is_bad);
        let whole = answer.whole(dialect);
        if dialect == Dialect::Anthropic {
            return json!({ "custom_id": custom_id, "result": { "type": "succeeded", "message": whole } });
        }
        json!({ "id": format!("r-{custom_id}"), "custom_id": custom_id, "error": null, "response": { "status_code": 200, "body": whole } })
    }
}

fn failed(is_anthropic: bool, custom_id: &str, kind: &str, code: &str) -> Value {
    if is_anthropic {
        let error = json!({ "type": "error", "error": { "type": "api_error", "message": "Internal server error" } });
        return json!({ "custom_id": custom_id, "result": { "type": kind, "error": error } });
    }
    if kind == "errored" {
        let body = json!({ "error": { "message": "failed", "type": code } });
        return json!({ "custom_id": custom_id, "error": null, "response": { "status_code": 500, "body": body } });
    }
    json!({ "custom_id": custom_id, "response": null, "error": { "code": code, "message": "not processed" } })
}

fn ask(desk: &mut BatchDesk, id: &str, is_anthropic: bool) -> Response {
    if let Some(BatchFault::Status(status)) = desk.fault(|fault| matches!(fault, BatchFault::Status(_))) {
        return refusal(status);
    }
    let slowness = desk.slowness;
    match desk.batches.iter_mut().find(|batch| batch.id == id) {
        Some(batch) => {
            let answer = status(batch, slowness, is_anthropic);
            batch.polls += 1;
            axum::Json(answer).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn status(batch: &Batch, slowness: u64, is_anthropic: bool) -> Value {
    let is_over = batch.polls >= slowness;
    let rest = batch.total - batch.answered - batch.failed;
    let (answered, failed) = if is_over { (batch.answered, batch.failed) } else { (0, 0) };
    if is_anthropic {
        let (expired, cancelled) = if batch.is_cancelled { (0, rest) } else { (rest, 0) };
        let ended = |number: usize| if is_over { number } else { 0 };
        return json!({
            "id": batch.id, "type": "message_batch", "processing_status": if is_over { "ended" } else { "in_progress" },
            "request_counts": {
                "processing": if is_over { 0 } else { batch.total }, "succeeded": answered, "errored": failed,
                "canceled": ended(cancelled), "expired": ended(expired),
            },
            "results_url": "http://elsewhere.invalid/results",
        });
    }
    let word = match is_over {
        false => "in_progress",
        true if batch.is_cancelled => "cancelled",
        true if batch.is_expired => "expired",
        true => "completed",
    };
    let file = |name: &str, content: &str| {
        if is_over && !content.is_empty() { json!(format!("{name}-{}", batch.id)) } else { Value::Null }
    };
    json!({
        "id": batch.id, "object": "batch", "status": word, "metadata": batch.metadata, "input_file_id": batch.input,
        "output_file_id": file("output", &batch.output), "error_file_id": file("error", &batch.errors),
        "request_counts": { "total": batch.total, "completed": answered, "failed": failed },
    })
}

fn download(desk: &mut BatchDesk, mut content: Vec<u8>) -> Response {
    if let Some(BatchFault::Download(status)) = desk.fault(|fault| matches!(fault, BatchFault::Download(_))) {
        return refusal(status);
    }
    if desk.fault(|fault| *fault == BatchFault::Truncated).is_some() {
        content.truncate(content.len() * 2 / 3);
    }
    ([(header::CONTENT_TYPE, "application/octet-stream")], content).into_response()
}
