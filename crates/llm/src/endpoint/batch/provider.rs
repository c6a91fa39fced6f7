//! The interfaces for batches: files and batches of OpenAI, message batches of Anthropic.
//!
//! The request that creates a batch is never repeated: if its answer is lost, the batch may exist. Requests go only to paths
//! below the base URL, whatever an answer names.

use std::time::Duration;

use annals_core::ports::ModelBatch;
use backon::{ExponentialBuilder, Retryable};
use reqwest::header::CONTENT_TYPE;
use reqwest::{RequestBuilder, Response};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::outbox::number_of;
use crate::config::Api;
use crate::endpoint::channel::Channel;
use crate::endpoint::failure::{EndpointError, failure};
use crate::endpoint::http::{authorized, fetch, fetch_with_answer, unreachable};

/// Time limit of a request, and of silence in a download.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Time limit of an upload, and of creating a batch.
const UPLOAD: Duration = Duration::from_secs(1_800);

/// Separates the fields of a form. No line of the files begins with it, because each is a JSON object.
const BOUNDARY: &str = "annals-batch-boundary-7d1f3b";

/// Maximum characters of a provider's reason that are shown.
const MAX_REASON_LENGTH: usize = 200;

/// Number of batches listed in one request, and maximum number of such requests in a search.
const PAGE: usize = 100;
const PAGES: usize = 20;

/// Maximum number of files that are listed to find the input of a batch. The newest come first.
const FILES: usize = 1_000;

/// The state of a batch as the provider reports it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Status {
    pub(super) is_over: bool,
    /// Whether the batch was refused as a whole, before any request was processed.
    pub(super) is_refused: bool,
    /// Number of requests that have a result. With Anthropic, cancelled and expired ones are among them.
    pub(super) done: u64,
    /// Paths of the results, below the base URL.
    pub(super) results: Vec<String>,
    /// Paths of files and batches that can be deleted when the results are saved.
    pub(super) leftovers: Vec<String>,
    /// The provider's error code for a refused batch; empty if it gave none that is a plain word.
    pub(super) reason: String,
    /// The state of the batch in the words of the provider.
    pub(super) word: String,
}

/// Whether the provider has a batch that may have been created. `Yes` holds the provider's id of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Yes(String),
    No,
    /// A listed batch may be the one looked for. Only its results will show that, once it has ended.
    Perhaps,
}

/// Calls the batch interface of the server of a channel.
pub(super) struct Provider<'a> {
    channel: &'a Channel,
}

impl<'a> Provider<'a> {
    pub(super) fn of(channel: &'a Channel) -> Provider<'a> {
        Provider { channel }
    }

    fn is_anthropic(&self) -> bool {
        self.channel.model.api == Api::Anthropic
    }

    fn url(&self, path: &str) -> String {
        format!("{}/{path}", self.channel.model.base_url)
    }

    fn authorized(&self, request: RequestBuilder) -> RequestBuilder {
        authorized(request, self.channel.model.api, self.channel.model.key.as_ref())
    }

    /// Returns whether requests are uploaded as a file before the batch is created.
    pub(super) fn takes_files(&self) -> bool {
        !self.is_anthropic()
    }

    /// Uploads a form, without retries. Returns the provider's id of the file.
    pub(super) async fn upload(&self, form: Vec<u8>) -> Result<String, EndpointError> {
        let kind = format!("multipart/form-data; boundary={BOUNDARY}");
        let request = self.channel.http().post(self.url("files")).header(CONTENT_TYPE, &kind).body(form);
        let file = within(UPLOAD, fetch(self.authorized(request))).await?;
        let id = file["id"].as_str().filter(|id| is_id(id));
        id.map(str::to_owned).ok_or(EndpointError::Unusable("it named no uploaded file"))
    }

    /// Deletes the input of a batch at a provider that takes files: the file with this id, and what an upload without an answer
    /// may have left. Ignores failures.
    pub(super) async fn delete_input(&self, batch: &ModelBatch, file: Option<&str>) {
        if !self.takes_files() {
            return;
        }
        if let Some(file) = file.filter(|file| is_id(file)) {
            self.delete(&format!("files/{file}")).await;
        }
        let page = self.get(&format!("files?purpose=batch&limit={FILES}")).await.unwrap_or_default();
        let name = file_name(&batch.id);
        let entries = page["data"].as_array().map(Vec::as_slice).unwrap_or_default();
        for id in entries.iter().filter(|entry| entry["filename"] == *name).filter_map(|entry| entry["id"].as_str()) {
            if is_id(id) {
                self.delete(&format!("files/{id}")).await;
            }
        }
    }

    /// Creates the batch, without retries. Returns the provider's id of the batch.
    pub(super) async fn create(&self, body: Vec<u8>) -> Result<String, EndpointError> {
        let path = if self.is_anthropic() { "messages/batches" } else { "batches" };
        let request = self.channel.http().post(self.url(path)).header(CONTENT_TYPE, "application/json").body(body);
        let created = within(UPLOAD, fetch_with_answer(self.authorized(request))).await?;
        let (verdict, created) = created;
        verdict.map_err(|failure| self.with_reason(failure, &created))?;
        let id = created["id"].as_str().filter(|id| is_id(id));
        id.map(str::to_owned).ok_or(EndpointError::Unusable("it named no batch"))
    }

    /// Adds the provider's reason to a refusal, but only if batches are created from files: the body of the request then names
    /// a file and contains no memory, so the reason cannot quote one. Leaves out a reason that contains the key.
    fn with_reason(&self, mut failure: EndpointError, answer: &Value) -> EndpointError {
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        let is_key_in = self.channel.model.key.as_ref().is_some_and(|key| message.contains(key.expose_secret()));
        if let EndpointError::Refused { code, .. } = &mut failure
            && self.takes_files()
            && !message.is_empty()
            && !is_key_in
        {
            let reason: String = message.chars().filter(|c| !c.is_control()).take(MAX_REASON_LENGTH).collect();
            *code = format!("({reason})");
        }
        failure
    }

    /// Looks for a batch that may have been created, among the first `PAGE` times `PAGES` batches that the provider lists.
    /// Passes over the ids in `known`.
    pub(super) async fn find(&self, batch: &ModelBatch, known: &[String]) -> Result<Found, EndpointError> {
        let path = if self.is_anthropic() { "messages/batches" } else { "batches" };
        let cursor = if self.is_anthropic() { "after_id" } else { "after" };
        let (mut after, mut perhaps) = (String::new(), false);
        for _ in 0..PAGES {
            let page = self.get(&format!("{path}?limit={PAGE}{after}")).await?;
            let entries = page["data"].as_array().map(Vec::as_slice).unwrap_or_default();
            for entry in entries {
                let Some(id) = entry["id"].as_str().filter(|id| is_id(id) && !known.iter().any(|one| one == id)) else {
                    continue;
                };
                match self.is_it(batch, id, entry).await? {
                    Found::Yes(id) => return Ok(Found::Yes(id)),
                    Found::Perhaps => perhaps = true,
                    Found::No => {}
                }
            }
            let last = entries.last().and_then(|entry| entry["id"].as_str()).filter(|id| is_id(id));
            let Some(last) = last.filter(|_| page["has_more"] == true) else { break };
            after = format!("&{cursor}={last}");
        }
        Ok(if perhaps { Found::Perhaps } else { Found::No })
    }

    /// Returns whether a listed batch is the one looked for. OpenAI returns the id that Annals gave the batch. With Anthropic,
    /// that id is only in the ids of the requests, which are in the results of a batch that has ended.
    async fn is_it(&self, batch: &ModelBatch, id: &str, entry: &Value) -> Result<Found, EndpointError> {
        if !self.is_anthropic() {
            let is_it = entry["metadata"]["annals"] == *batch.id;
            return Ok(if is_it { Found::Yes(id.to_owned()) } else { Found::No });
        }
        if counts(entry).iter().sum::<u64>() != batch.requests {
            return Ok(Found::No);
        }
        if entry["processing_status"] != "ended" {
            return Ok(Found::Perhaps);
        }
        let mut download = self.download(&format!("messages/batches/{id}/results")).await?;
        let first = download.line().await?.and_then(|line| serde_json::from_slice::<Value>(&line).ok());
        let custom_id = first.as_ref().and_then(|line| line["custom_id"].as_str()).unwrap_or_default();
        Ok(if number_of(&batch.id, custom_id).is_some() { Found::Yes(id.to_owned()) } else { Found::No })
    }

    /// Requests the state of a batch. `remote` is the provider's id of the batch.
    pub(super) async fn status(&self, remote: &str) -> Result<Status, EndpointError> {
        if self.is_anthropic() {
            return Ok(anthropic(remote, &self.get(&format!("messages/batches/{remote}")).await?));
        }
        Ok(openai(&self.get(&format!("batches/{remote}")).await?))
    }

    /// Begins the download of results from a path below the base URL.
    pub(super) async fn download(&self, path: &str) -> Result<Download, EndpointError> {
        let request = self.authorized(self.channel.http().get(self.url(path)));
        let response = within(TIMEOUT, async { request.send().await.map_err(unreachable) }).await?;
        let status = response.status();
        if !status.is_success() {
            return Err(failure(status.as_u16(), response.headers(), &Value::Null));
        }
        Ok(Download { response, rest: Vec::new() })
    }

    /// Requests the cancellation of a batch. Ignores failures, because the provider ends every batch within a day or so.
    pub(super) async fn cancel(&self, remote: &str) {
        let path = if self.is_anthropic() { "messages/batches" } else { "batches" };
        let request = self.authorized(self.channel.http().post(self.url(&format!("{path}/{remote}/cancel"))));
        let _ = within(TIMEOUT, fetch(request)).await;
    }

    /// Deletes a file or a batch at the provider. Ignores failures: providers delete them by themselves after some weeks.
    pub(super) async fn delete(&self, path: &str) {
        let request = self.authorized(self.channel.http().delete(self.url(path)));
        let _ = within(TIMEOUT, fetch(request)).await;
    }

    async fn get(&self, path: &str) -> Result<Value, EndpointError> {
        let get = || async { within(TIMEOUT, fetch(self.authorized(self.channel.http().get(self.url(path))))).await };
        get.retry(backoff()).when(EndpointError::passes).await
    }
}

/// Maximum bytes of a line of results. At a longer one, the download fails. The usual line has a few thousand.
const MAX_LINE_LENGTH: usize = 4 << 20;

/// A download of results that is read line by line.
pub(super) struct Download {
    response: Response,
    rest: Vec<u8>,
}

impl Download {
    /// Returns the next line without its end, or `None` after the last.
    pub(super) async fn line(&mut self) -> Result<Option<Vec<u8>>, EndpointError> {
        loop {
            if let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let line = self.rest.drain(..=end).collect::<Vec<u8>>();
                return Ok(Some(line[..end].to_vec()));
            }
            if self.rest.len() > MAX_LINE_LENGTH {
                return Err(EndpointError::Unusable("a line of its results is too long"));
            }
            match within(TIMEOUT, async { self.response.chunk().await.map_err(unreachable) }).await? {
                Some(chunk) => self.rest.extend_from_slice(&chunk),
                None if self.rest.is_empty() => return Ok(None),
                None => return Ok(Some(std::mem::take(&mut self.rest))),
            }
        }
    }
}

/// Returns the body of the request that creates a batch from an uploaded file.
pub(super) fn creation(batch: &ModelBatch, file: &str) -> Vec<u8> {
    let body = json!({
        "input_file_id": file, "endpoint": "/v1/chat/completions", "completion_window": "24h",
        "metadata": { "annals": batch.id },
    });
    body.to_string().into_bytes()
}

async fn within<T>(time: Duration, work: impl Future<Output = Result<T, EndpointError>>) -> Result<T, EndpointError> {
    timeout(time, work).await.unwrap_or(Err(EndpointError::Late(time)))
}

pub(super) fn backoff() -> ExponentialBuilder {
    ExponentialBuilder::default().with_min_delay(Duration::from_millis(500)).with_max_times(3)
}

/// Returns whether the text has the form of an id and can safely be part of a path.
fn is_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= 200 && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

fn file_name(batch: &str) -> String {
    format!("{batch}.jsonl")
}

/// Returns the form that uploads the lines of a batch.
pub(super) fn form(batch: &ModelBatch, lines: &[u8]) -> Vec<u8> {
    let name = file_name(&batch.id);
    let head = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n--{BOUNDARY}\r\n\
         Content-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
         Content-Type: application/jsonl\r\n\r\n"
    );
    let tail = format!("\r\n--{BOUNDARY}--\r\n");
    [head.as_bytes(), lines, tail.as_bytes()].concat()
}

/// Returns the body of the request that creates a batch from its lines.
pub(super) fn in_an_array(lines: &[u8]) -> Vec<u8> {
    let mut body = b"{\"requests\":[".to_vec();
    for (index, line) in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).enumerate() {
        if index > 0 {
            body.push(b',');
        }
        body.extend_from_slice(line);
    }
    body.extend_from_slice(b"]}");
    body
}

fn openai(batch: &Value) -> Status {
    let word = batch["status"].as_str().unwrap_or_default().to_owned();
    let number = |name: &str| batch["request_counts"][name].as_u64().unwrap_or_default();
    let file = |name: &str| batch[name].as_str().filter(|id| is_id(id));
    let outputs: Vec<&str> = ["output_file_id", "error_file_id"].into_iter().filter_map(file).collect();
    let all = outputs.iter().copied().chain(file("input_file_id"));
    Status {
        is_over: matches!(word.as_str(), "completed" | "failed" | "expired" | "cancelled"),
        is_refused: word == "failed",
        reason: reason(batch),
        done: number("completed") + number("failed"),
        results: outputs.iter().map(|id| format!("files/{id}/content")).collect(),
        leftovers: all.map(|id| format!("files/{id}")).collect(),
        word,
    }
}

/// Returns the code of the first error of a batch; empty if there is none or it is not a plain word. Ignores messages, which
/// may quote requests.
fn reason(batch: &Value) -> String {
    let code = batch["errors"]["data"][0]["code"].as_str().unwrap_or_default();
    let is_word = code.len() <= 60 && code.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_word { code.to_owned() } else { String::new() }
}

fn anthropic(remote: &str, batch: &Value) -> Status {
    let word = batch["processing_status"].as_str().unwrap_or_default().to_owned();
    let is_over = word == "ended";
    Status {
        is_over,
        is_refused: false,
        reason: String::new(),
        done: counts(batch).iter().skip(1).sum(),
        results: if is_over { vec![format!("messages/batches/{remote}/results")] } else { Vec::new() },
        leftovers: vec![format!("messages/batches/{remote}")],
        word,
    }
}

/// Returns how many requests are in each state; those under way come first.
fn counts(batch: &Value) -> [u64; 5] {
    ["processing", "succeeded", "errored", "canceled", "expired"]
        .map(|name| batch["request_counts"][name].as_u64().unwrap_or_default())
}
