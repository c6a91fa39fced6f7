//! Divides a file of messages into batches of one agent each, masked and with their keys.

use std::collections::{BTreeMap, VecDeque};

use annals_core::{Agent, Message, Result, TurnKey, TurnKeys};

use super::{BATCH, MessageLine, MessageLines};
use crate::Service;

/// Maximum number of messages of all agents together that wait for their batches to be full. When it is reached, all of them
/// become batches that are not full.
const MAX_PENDING: usize = 4 * BATCH;

/// Messages of one agent that are stored in one transaction.
pub(super) struct Batch {
    pub(super) agent: Agent,
    /// Number of the line of each message in the file.
    pub(super) lines: Vec<usize>,
    /// The messages with their keys. Credentials are masked if the agent's settings say so.
    pub(super) messages: Vec<(TurnKey, Message)>,
    /// Number of credentials that were masked.
    pub(super) masked: u64,
}

/// Reads a file and yields its messages in batches.
pub(super) struct Batches<'f> {
    lines: MessageLines<'f>,
    pending: BTreeMap<Agent, Vec<MessageLine>>,
    /// Number of messages in `pending`.
    count: usize,
    ready: VecDeque<Vec<MessageLine>>,
    keys: BTreeMap<Agent, TurnKeys>,
}

impl<'f> Batches<'f> {
    pub(super) fn of(lines: MessageLines<'f>) -> Batches<'f> {
        Batches { lines, pending: BTreeMap::new(), count: 0, ready: VecDeque::new(), keys: BTreeMap::new() }
    }

    /// Returns the next batch; `None` at the end of the file.
    pub(super) async fn next(&mut self, service: &Service) -> Result<Option<Batch>> {
        loop {
            if let Some(lines) = self.ready.pop_front() {
                return self.prepare(service, lines).await.map(Some);
            }
            match self.lines.next().transpose()? {
                Some(line) => self.add(line),
                None if self.count == 0 => return Ok(None),
                None => self.finish_batches(),
            }
        }
    }

    fn add(&mut self, line: MessageLine) {
        let pending = self.pending.entry(line.agent.clone()).or_default();
        pending.push(line);
        self.count += 1;
        if pending.len() >= BATCH {
            self.count -= pending.len();
            self.ready.push_back(std::mem::take(pending));
        } else if self.count >= MAX_PENDING {
            self.finish_batches();
        }
    }

    fn finish_batches(&mut self) {
        self.count = 0;
        self.ready.extend(std::mem::take(&mut self.pending).into_values().filter(|lines| !lines.is_empty()));
    }

    /// Masks messages if the agent's settings say so, and computes their keys from the masked text, as for a request.
    async fn prepare(&mut self, service: &Service, lines: Vec<MessageLine>) -> Result<Batch> {
        let agent = lines[0].agent.clone();
        let (lines, messages): (Vec<usize>, Vec<Message>) =
            lines.into_iter().map(|line| (line.line, line.message)).unzip();
        let (messages, masked) = service.parts.writer.prepare(&agent, messages).await?;
        let keys = self.keys.entry(agent.clone()).or_default();
        let messages = messages.into_iter().map(|message| (keys.key(&message), message)).collect();
        Ok(Batch { agent, lines, messages, masked })
    }
}
