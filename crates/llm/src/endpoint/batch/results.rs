//! The results of a batch: lines in any order, some twice, some of other batches, some broken. Saved in pieces.

use std::collections::HashSet;

use annals_core::ports::{BatchAnswer, Batches, ModelBatch, Settlement};
use annals_core::{Result, Timestamp};
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::outbox::number_of;
use super::provider::{Provider, Status};
use crate::endpoint::channel::Channel;
use crate::endpoint::completion::{Reading, Timing, is_answer};
use crate::endpoint::failure::{EndpointError, failure};
use crate::endpoint::http::status_of;

/// Number of answers that are saved in one transaction.
const PIECE: usize = 200;

/// The outcome of reading results.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// Number of distinct requests in the results.
    pub(super) lines: u64,
    /// Number of requests that were settled now.
    pub(super) settled: u64,
    /// The last failure of a download; `None` if all were read to the end. Lines that cannot be parsed are skipped and are no
    /// failure.
    pub(super) failure: Option<EndpointError>,
}

/// Reads the results of a batch and saves those that can be read. Skips lines that cannot be parsed. Fails only if the results
/// cannot be saved; if a download fails, the outcome contains the failure.
pub(super) async fn save(
    batches: &dyn Batches,
    channel: &Channel,
    batch: &ModelBatch,
    status: &Status,
    now: Timestamp,
) -> Result<Read> {
    let (mut read, mut seen, mut faults) = (Read::default(), HashSet::new(), Faults::default());
    for path in &status.results {
        let mut download = match Provider::of(channel).download(path).await {
            Ok(download) => download,
            Err(failure) => {
                read.failure = Some(failure);
                continue;
            }
        };
        let mut piece = Vec::new();
        loop {
            let line = match download.line().await {
                Ok(line) => line,
                Err(failure) => {
                    read.failure = Some(failure);
                    None
                }
            };
            let Some(line) = line else { break };
            if let Some((number, settlement)) = settled(&mut faults, &batch.id, &line)
                && seen.insert(number)
            {
                piece.push((number, settlement));
            }
            if piece.len() >= PIECE {
                read.settled += batches.settle(&batch.id, std::mem::take(&mut piece), now).await?;
            }
        }
        read.settled += batches.settle(&batch.id, piece, now).await?;
    }
    read.lines = seen.len() as u64;
    if read.failure.is_none() {
        channel.note_refusals(&faults.refusals);
        if faults.lacked_room {
            channel.allow_more_reasoning(0).await;
        }
    }
    Ok(read)
}

/// What the results of a batch show about the requests that the server accepts. It is used once all results have been read.
#[derive(Debug, Default)]
struct Faults {
    /// The distinct refusals.
    refusals: Vec<EndpointError>,
    /// Whether reasoning left too few tokens for an answer.
    lacked_room: bool,
}

/// Parses a line to the number of a request and its result. Returns `None` if the line cannot be parsed or belongs to
/// another batch.
fn settled(faults: &mut Faults, batch: &str, line: &[u8]) -> Option<(u64, Settlement)> {
    let line: Value = serde_json::from_slice(line).ok()?;
    let number = number_of(batch, line["custom_id"].as_str()?)?;
    let settlement = match line["result"]["type"].as_str() {
        Some("succeeded") => answered(faults, &line["result"]["message"]),
        Some("expired" | "canceled") => Settlement::Expired,
        Some(_) => {
            let error = &line["result"]["error"];
            let kind = error["error"]["type"].as_str().or(error["type"].as_str()).unwrap_or_default();
            refused(faults, status_of(kind), error)
        }
        None => openai(faults, &line),
    };
    Some((number, settlement))
}

fn openai(faults: &mut Faults, line: &Value) -> Settlement {
    let response = &line["response"];
    match response["status_code"].as_u64().and_then(|status| u16::try_from(status).ok()) {
        Some(200) => answered(faults, &response["body"]),
        Some(status) => refused(faults, status, &response["body"]),
        None if matches!(line["error"]["code"].as_str(), Some("batch_expired" | "batch_cancelled")) => {
            Settlement::Expired
        }
        None => Settlement::Failed,
    }
}

/// Returns the settlement of a refused request.
fn refused(faults: &mut Faults, status: u16, body: &Value) -> Settlement {
    let refusal = failure(status, &HeaderMap::new(), body);
    if !faults.refusals.contains(&refusal) {
        faults.refusals.push(refusal);
    }
    Settlement::Failed
}

fn answered(faults: &mut Faults, answer: &Value) -> Settlement {
    let mut reading = Reading::default();
    if !is_answer(answer) || reading.take(answer).is_err() {
        return Settlement::Failed;
    }
    let tokens_in = reading.tokens_in().unwrap_or_default();
    match reading.end(Timing::default()) {
        Ok(completion) => {
            faults.lacked_room |= completion.is_cut_off && completion.has_reasoned;
            let is_useless = completion.is_cut_off || completion.is_repetitive;
            let answer = BatchAnswer {
                tokens_in: completion.tokens_in.unwrap_or_default(),
                cache: completion.cache,
                tokens_out: completion.out(),
                text: completion.text,
            };
            if is_useless { Settlement::Useless(answer) } else { Settlement::Answered(answer) }
        }
        Err(_) => Settlement::Useless(BatchAnswer { tokens_in, ..BatchAnswer::default() }),
    }
}
