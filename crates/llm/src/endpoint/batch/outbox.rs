//! Requests that are collected for one batch: their records, and the lines of the file that is sent.

use std::collections::HashSet;
use std::sync::Arc;

use annals_core::ports::{BatchState, BatchedRequest, ModelBatch};
use annals_core::{Agent, Digest, Timestamp};
use serde_json::{Value, json};

use crate::config::Api;
use crate::endpoint::channel::Channel;

/// Maximum requests of a batch. OpenAI accepts 50,000, Anthropic 100,000.
const MAX_REQUESTS: usize = 50_000;

/// Bytes of lines from which on a batch takes no further request. OpenAI accepts 200 MB, Anthropic 256 MB; the lines of a batch
/// are held in memory.
const MAX_BYTES: usize = 48 << 20;

/// Number of hex digits of the id that Annals gives a batch.
const ID: usize = 20;

/// A batch that is being collected.
pub(super) struct Outbox {
    pub(super) channel: Arc<Channel>,
    pub(super) id: String,
    pub(super) requests: Vec<BatchedRequest>,
    /// The requests in the provider's format, one per line.
    pub(super) lines: Vec<u8>,
    known: HashSet<(Agent, Digest)>,
}

impl Outbox {
    /// Begins a batch. Its id is a digest of the first request, the time, and the number of requests made for the same period
    /// `before`, so that no two batches have the same id.
    pub(super) fn new(channel: Arc<Channel>, first: &BatchedRequest, now: Timestamp, before: usize) -> Outbox {
        let (key, now, before) = (first.key.to_string(), now.to_string(), before.to_string());
        let digest = Digest::of([&channel.model.base_url, &channel.model.name, &key, &now, &before]);
        let id = digest.to_string().chars().take(ID).collect();
        Outbox { channel, id, requests: Vec::new(), lines: Vec::new(), known: HashSet::new() }
    }

    pub(super) fn is_of(&self, channel: &Channel) -> bool {
        let (own, other) = (&self.channel.model, &channel.model);
        (&own.base_url, &own.name) == (&other.base_url, &other.name)
    }

    pub(super) fn is_full(&self) -> bool {
        self.requests.len() >= MAX_REQUESTS || self.lines.len() >= MAX_BYTES
    }

    /// Adds a request with its body. Returns false if the batch already contains the request.
    pub(super) fn add(&mut self, request: BatchedRequest, body: &Value) -> bool {
        if !self.known.insert((request.agent.clone(), request.key)) {
            return false;
        }
        let custom_id = custom_id(&self.id, self.requests.len() as u64);
        let line = match self.channel.model.api {
            Api::Chat | Api::Azure => {
                json!({ "custom_id": custom_id, "method": "POST", "url": "/v1/chat/completions", "body": body })
            }
            Api::Anthropic => json!({ "custom_id": custom_id, "params": body }),
        };
        self.lines.extend_from_slice(line.to_string().as_bytes());
        self.lines.push(b'\n');
        self.requests.push(request);
        true
    }

    /// Returns the record of the batch before it is sent.
    pub(super) fn batch(&self, now: Timestamp) -> ModelBatch {
        ModelBatch {
            id: self.id.clone(),
            base_url: self.channel.model.base_url.clone(),
            model: self.channel.model.name.clone(),
            remote: None,
            state: BatchState::Prepared,
            at: now,
            requests: self.requests.len() as u64,
            done: 0,
            reads: 0,
            failure: None,
        }
    }
}

/// Returns the id that identifies a request to the provider: the batch's id and the request's number in the batch.
pub(super) fn custom_id(batch: &str, number: u64) -> String {
    format!("{batch}-{number}")
}

/// Returns the number in the id of a request; `None` if the id is not of this batch.
pub(super) fn number_of(batch: &str, custom_id: &str) -> Option<u64> {
    custom_id.strip_prefix(batch)?.strip_prefix('-')?.parse().ok()
}
