//! Sends collected batches, and looks after those that were sent: finds them again after a crash, and takes their results.

use std::sync::Arc;

use annals_core::ports::{BatchReport, BatchState, ModelBatch, RequestState};
use annals_core::{Result, SignedDuration, Timestamp};

use super::outbox::Outbox;
use super::provider::{Found, Provider, Status};
use super::{Desk, locked, results};
use crate::endpoint::Endpoint;
use crate::endpoint::channel::Channel;
use crate::endpoint::failure::EndpointError;

/// How long a batch that may have been created is looked for. Lists may be late by some seconds.
const SEARCH: SignedDuration = SignedDuration::from_mins(2);

/// How long a server gets no further batch after it refused one.
const PAUSE: SignedDuration = SignedDuration::from_mins(10);

/// How often results that are not complete are read before the missing ones are given up.
const READS: u64 = 3;

impl Endpoint {
    /// Sends what was collected. Each batch is recorded first.
    pub(crate) async fn send(&self, now: Timestamp) -> Result<BatchReport> {
        let mut report = BatchReport::default();
        let Some(desk) = &self.desk else { return Ok(report) };
        let _at_work = desk.at_work.lock().await;
        let outboxes = {
            let mut state = locked(&desk.state);
            report.over_budget = std::mem::take(&mut state.over_budget);
            std::mem::take(&mut state.outboxes)
        };
        for outbox in outboxes {
            desk.send_one(outbox, now, &mut report).await?;
        }
        report.open = desk.batches.open_batches().await?;
        Ok(report)
    }

    /// Looks at the batches that have not ended, and saves the answers of those that have.
    pub(crate) async fn take(&self, now: Timestamp) -> Result<BatchReport> {
        let mut report = BatchReport::default();
        let Some(desk) = &self.desk else { return Ok(report) };
        let _at_work = desk.at_work.lock().await;
        let open = desk.batches.open_batches().await?;
        for batch in &open {
            match self.channel_of(batch) {
                Some(channel) => desk.look(channel, batch.clone(), &open, now, &mut report).await?,
                None => report.troubles.push(format!("no model at {} is configured any more", batch.base_url)),
            }
        }
        report.open = desk.batches.open_batches().await?;
        Ok(report)
    }

    /// Returns a channel to the server of a batch, to its model if it is still configured.
    fn channel_of(&self, batch: &ModelBatch) -> Option<&Arc<Channel>> {
        let of_server = || self.channels.values().filter(|channel| channel.model.base_url == batch.base_url);
        of_server().find(|channel| channel.model.name == batch.model).or_else(|| of_server().next())
    }
}

impl Desk {
    async fn send_one(&self, outbox: Outbox, now: Timestamp, report: &mut BatchReport) -> Result<()> {
        let mut batch = outbox.batch(now);
        let Outbox { channel, requests, lines, .. } = outbox;
        self.batches.begin_batch(batch.clone(), requests).await?;
        let provider = Provider::of(&channel);
        let body = match provider.prepare(&batch, lines).await {
            Ok(body) => body,
            Err(failure) => return self.give_up(&batch, &failure, now, report).await,
        };
        batch.state = BatchState::Sending;
        self.batches.save_batch(&batch).await?;
        match provider.create(body).await {
            Ok(remote) => self.note_sent(batch, remote, report).await,
            Err(failure) if is_refusal(&failure) => self.give_up(&batch, &failure, now, report).await,
            Err(failure) => {
                report.troubles.push(format!("{}: {failure}", channel.what()));
                self.search(&provider, batch, &[], now, report).await
            }
        }
    }

    async fn note_sent(&self, mut batch: ModelBatch, remote: String, report: &mut BatchReport) -> Result<()> {
        (batch.state, batch.remote) = (BatchState::Sent, Some(remote));
        report.sent += batch.requests;
        self.batches.save_batch(&batch).await
    }

    /// Ends a batch that the provider does not have. Its requests are collected again, but not at once.
    async fn give_up(
        &self,
        batch: &ModelBatch,
        failure: &EndpointError,
        now: Timestamp,
        report: &mut BatchReport,
    ) -> Result<()> {
        report.troubles.push(format!("a batch to {} was not taken: {failure}", batch.base_url));
        self.pause(batch, now);
        self.batches.end_batch(&batch.id, RequestState::Unsent).await?;
        Ok(())
    }

    fn pause(&self, batch: &ModelBatch, now: Timestamp) {
        let until = now.saturating_add(PAUSE).unwrap_or(Timestamp::MAX);
        locked(&self.state).pauses.insert(batch.base_url.clone(), until);
    }

    async fn look(
        &self,
        channel: &Arc<Channel>,
        batch: ModelBatch,
        open: &[ModelBatch],
        now: Timestamp,
        report: &mut BatchReport,
    ) -> Result<()> {
        let provider = Provider::of(channel);
        match (batch.state, batch.remote.clone()) {
            // The process that recorded it ended before it was created.
            (BatchState::Prepared, _) => self.batches.end_batch(&batch.id, RequestState::Unsent).await.map(|_| ()),
            (BatchState::Sent, Some(remote)) => self.follow(channel, batch, &remote, now, report).await,
            _ => {
                let known: Vec<String> = open.iter().filter_map(|batch| batch.remote.clone()).collect();
                self.search(&provider, batch, &known, now, report).await
            }
        }
    }

    /// Looks for a batch that may have been created. Gives it up when it should have been found.
    async fn search(
        &self,
        provider: &Provider<'_>,
        batch: ModelBatch,
        known: &[String],
        now: Timestamp,
        report: &mut BatchReport,
    ) -> Result<()> {
        match provider.find(&batch, known).await {
            Ok(Found::Yes(remote)) => self.note_sent(batch, remote, report).await,
            Ok(Found::No) if batch.at.saturating_add(SEARCH).is_ok_and(|until| until <= now) => {
                self.batches.end_batch(&batch.id, RequestState::Unsent).await.map(|_| ())
            }
            Ok(Found::No | Found::Perhaps) => Ok(()),
            Err(failure) => {
                report.troubles.push(format!("looking for a batch at {}: {failure}", batch.base_url));
                Ok(())
            }
        }
    }

    /// Asks how far a batch has come, and takes the results of one that is over.
    async fn follow(
        &self,
        channel: &Arc<Channel>,
        mut batch: ModelBatch,
        remote: &str,
        now: Timestamp,
        report: &mut BatchReport,
    ) -> Result<()> {
        let provider = Provider::of(channel);
        let status = match provider.status(remote).await {
            Ok(status) => status,
            Err(EndpointError::Denied(404)) if batch.reads + 1 >= READS => {
                report.settled += self.batches.end_batch(&batch.id, RequestState::Lost).await?;
                return Ok(());
            }
            Err(failure @ EndpointError::Denied(404)) => {
                report.troubles.push(format!("asking after the batch {remote} at {}: {failure}", batch.base_url));
                batch.reads += 1;
                return self.batches.save_batch(&batch).await;
            }
            Err(failure) => {
                report.troubles.push(format!("asking after a batch at {}: {failure}", batch.base_url));
                return Ok(());
            }
        };
        batch.done = status.done;
        if status.is_refused && status.results.is_empty() {
            report.troubles.push(format!("the provider refused the batch {remote} as a whole"));
            self.pause(&batch, now);
            self.batches.end_batch(&batch.id, RequestState::Unsent).await?;
            return Ok(());
        }
        if status.is_over {
            return self.finish(channel, batch, &status, now, report).await;
        }
        self.batches.save_batch(&batch).await
    }

    /// Saves the results of a batch that is over, and ends it when all of them were read.
    async fn finish(
        &self,
        channel: &Arc<Channel>,
        mut batch: ModelBatch,
        status: &Status,
        now: Timestamp,
        report: &mut BatchReport,
    ) -> Result<()> {
        let provider = Provider::of(channel);
        let read = results::save(&*self.batches, channel, &batch, status, now).await?;
        report.settled += read.settled;
        let is_complete = read.failure.is_none() && read.lines >= status.done;
        // Without a connection nothing is known. What is gone or was never there is given up after a while.
        let is_final = read.failure.as_ref().is_none_or(|failure| !failure.passes() && !failure.is_late());
        if !is_complete && (!is_final || batch.reads + 1 < READS) {
            let why = read.failure.map_or_else(|| "lines are missing".into(), |failure| failure.to_string());
            report.troubles.push(format!("the results of a batch at {} are not complete: {why}", batch.base_url));
            batch.reads += u64::from(is_final);
            return self.batches.save_batch(&batch).await;
        }
        report.settled += self.batches.end_batch(&batch.id, RequestState::Lost).await?;
        for path in &status.leftovers {
            provider.delete(path).await;
        }
        Ok(())
    }
}

/// Returns whether the provider has certainly not created the batch.
fn is_refusal(failure: &EndpointError) -> bool {
    match failure {
        EndpointError::Overloaded { status, .. } => *status == 429,
        EndpointError::Denied(_) | EndpointError::Refused { .. } | EndpointError::TooLong { .. } => true,
        _ => false,
    }
}
