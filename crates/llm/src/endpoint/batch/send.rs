//! Sends collected batches, finds sent ones again after a crash, and saves their results.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use annals_core::ports::{BatchReport, BatchState, BatchedRequest, ModelBatch, RequestState};
use annals_core::{Agent, Error, Period, Result, SignedDuration, Timestamp};
use backon::Retryable;

use super::outbox::Outbox;
use super::provider::{self, Found, Provider, Status};
use super::{BatchCollector, locked, results};
use crate::endpoint::Endpoint;
use crate::endpoint::channel::Channel;
use crate::endpoint::failure::EndpointError;

/// Age at which a batch is dropped if it may have been created, but the provider lists none that can be it. New batches may be
/// missing from lists for some seconds, and the age counts from the beginning of the pass, which may collect and upload for
/// minutes.
const SEARCH: SignedDuration = SignedDuration::from_mins(30);

/// Age at which a batch is given up if its provider has not ended it, or if its server is no longer configured. Providers
/// promise to end batches within 24 hours.
const GIVE_UP: SignedDuration = SignedDuration::from_hours(48);

/// Age at which any open batch is given up, even if its provider could not be reached or reported no status.
const SILENCE: SignedDuration = SignedDuration::from_hours(8 * 24);

/// Time without further batches after the server did not accept one for a temporary reason.
const PAUSE: SignedDuration = SignedDuration::from_mins(10);

/// Time without further batches after the server refused one permanently. Meanwhile, requests to this server that would have
/// been sent in batches by default are sent at once.
const REFUSAL: SignedDuration = SignedDuration::from_hours(24);

/// The reason that is recorded when a batch is given up because of its age.
const LATE: &str = "it did not end in time and is given up";

/// Number of attempts to read incomplete results. After the last, the missing ones are given up. A batch is also given up if
/// the provider reports it as not found (404) this many times.
const READS: u64 = 3;

impl Endpoint {
    /// Sends the collected requests, one batch for each model. Records each batch before it is sent. A batch that the server
    /// does not take is reported, and its requests are collected again later.
    pub(crate) async fn send(&self, now: Timestamp) -> Result<BatchReport> {
        let mut report = BatchReport::default();
        let Some(collector) = &self.collector else { return Ok(report) };
        let _at_work = collector.at_work.lock().await;
        let outboxes = {
            let mut state = locked(&collector.state);
            report.over_budget = std::mem::take(&mut state.over_budget);
            std::mem::take(&mut state.outboxes)
        };
        for outbox in outboxes {
            collector.send_one(outbox, now, &mut report).await?;
        }
        report.open = self.reachable_batches(collector).await?;
        Ok(report)
    }

    /// Polls the open batches, and saves the answers of those that have ended. Gives up those that are too old.
    pub(crate) async fn take(&self, now: Timestamp) -> Result<BatchReport> {
        let mut report = BatchReport::default();
        let Some(collector) = &self.collector else { return Ok(report) };
        let _at_work = collector.at_work.lock().await;
        let open = collector.batches.open_batches().await?;
        for batch in &open {
            match self.channel_of(batch) {
                Some(channel) => collector.look(channel, batch.clone(), &open, now, &mut report).await?,
                None if has_lasted(batch, GIVE_UP, now) => collector.lose(None, batch, LATE, &mut report).await?,
                None => collector.note(batch, "its server is no longer configured", &mut report).await?,
            }
        }
        for batch in collector.batches.open_batches().await?.iter().filter(|batch| has_lasted(batch, SILENCE, now)) {
            collector.lose(self.channel_of(batch), batch, LATE, &mut report).await?;
        }
        report.open = self.reachable_batches(collector).await?;
        Ok(report)
    }

    /// Ends the open batches. Cancels those that were sent, if their servers are configured. Their periods are due again.
    pub(crate) async fn abandon(&self) -> Result<BatchReport> {
        let mut report = BatchReport::default();
        let Some(collector) = &self.collector else { return Ok(report) };
        let _at_work = collector.at_work.lock().await;
        for batch in collector.batches.open_batches().await? {
            collector.lose(self.channel_of(&batch), &batch, "it was abandoned by command", &mut report).await?;
        }
        Ok(report)
    }

    /// Returns the batches that have not ended and have a configured server. Batches of other servers cannot be polled, so
    /// nothing waits for them.
    async fn reachable_batches(&self, collector: &BatchCollector) -> Result<Vec<ModelBatch>> {
        let mut open = collector.batches.open_batches().await?;
        open.retain(|batch| self.channel_of(batch).is_some());
        Ok(open)
    }

    /// Returns the channel of the model of a batch, or any channel to its server if the model is no longer configured. `None`
    /// if the server is not configured.
    fn channel_of(&self, batch: &ModelBatch) -> Option<&Arc<Channel>> {
        let of_server = || self.channels.values().filter(|channel| channel.model.base_url == batch.base_url);
        of_server().find(|channel| channel.model.name == batch.model).or_else(|| of_server().next())
    }
}

impl BatchCollector {
    async fn send_one(&self, outbox: Outbox, now: Timestamp, report: &mut BatchReport) -> Result<()> {
        let mut batch = outbox.batch(now);
        let Outbox { channel, requests, lines, .. } = outbox;
        let periods = periods_by_agent(&requests);
        self.batches.begin_batch(batch.clone(), requests).await?;
        let provider = Provider::of(&channel);
        let body = match self.prepare(&provider, &mut batch, lines, &periods).await {
            Ok(body) => body,
            Err(unsent) => return self.give_up(&provider, &batch, unsent, now, report).await,
        };
        match provider.create(body).await {
            Ok(remote) => self.note_sent(batch, remote, report).await,
            Err(failure) if is_refusal(&failure) => {
                self.give_up(&provider, &batch, Unsent::Refused(failure), now, report).await
            }
            Err(failure) => {
                self.note(&batch, format!("sending it: {failure}"), report).await?;
                self.search(&provider, batch, &[], now, report).await
            }
        }
    }

    /// Records and reports why a step of a batch failed.
    async fn note(&self, batch: &ModelBatch, why: impl fmt::Display, report: &mut BatchReport) -> Result<()> {
        report.failures.push(format!("batch at {}: {why}", batch.base_url));
        self.batches.save_batch(&ModelBatch { failure: Some(why.to_string()), ..batch.clone() }).await
    }

    /// Uploads the lines if the provider takes a file, and records that the batch is being created. Returns the body that
    /// creates it. Checks before each attempt whether requests of the batch were erased meanwhile: erased text must not leave
    /// the machine.
    async fn prepare(
        &self,
        provider: &Provider<'_>,
        batch: &mut ModelBatch,
        lines: Vec<u8>,
        periods_of: &PeriodsByAgent,
    ) -> std::result::Result<Vec<u8>, Unsent> {
        let body = if provider.takes_files() {
            let form = provider::form(batch, &lines);
            let upload = || async {
                self.check_unerased(periods_of).await?;
                provider.upload(form.clone()).await.map_err(Unsent::Refused)
            };
            let file = upload.retry(provider::backoff()).when(Unsent::passes).await?;
            let body = provider::creation(batch, &file);
            batch.remote = Some(file);
            body
        } else {
            provider::in_an_array(&lines)
        };
        batch.state = BatchState::Sending;
        self.batches.save_batch(batch).await?;
        self.check_unerased(periods_of).await?;
        Ok(body)
    }

    /// Fails with [`Unsent::Erased`] if a period no longer waits for its answer, because some of its text was erased.
    async fn check_unerased(&self, periods_of: &PeriodsByAgent) -> std::result::Result<(), Unsent> {
        for (agent, periods) in periods_of {
            let waiting = self.batches.in_batch(agent).await?;
            if periods.iter().any(|period| !waiting.contains(period)) {
                return Err(Unsent::Erased);
            }
        }
        Ok(())
    }

    async fn note_sent(&self, mut batch: ModelBatch, remote: String, report: &mut BatchReport) -> Result<()> {
        (batch.state, batch.remote, batch.failure) = (BatchState::Sent, Some(remote), None);
        report.sent += batch.requests;
        self.batches.save_batch(&batch).await
    }

    /// Ends a batch that the provider has not created, and reports why. After a refusal or a failed upload, the server gets no
    /// batch for a while. The requests are collected again later. If the store failed, leaves the batch open and returns the
    /// error.
    async fn give_up(
        &self,
        provider: &Provider<'_>,
        batch: &ModelBatch,
        unsent: Unsent,
        now: Timestamp,
        report: &mut BatchReport,
    ) -> Result<()> {
        match unsent {
            Unsent::Store(error) => return Err(error),
            Unsent::Erased => {
                report.failures.push("a batch was not sent: something was forgotten meanwhile".to_owned());
            }
            Unsent::Refused(failure) => {
                self.note(batch, format!("it was not taken: {failure}"), report).await?;
                let is_final = is_refusal(&failure) && !failure.passes();
                self.pause(batch, is_final, now);
            }
        }
        self.drop_unsent(provider, batch).await
    }

    /// Deletes the input of a batch that the provider has not created, then ends the batch. In this order, a crash in between
    /// leaves an open batch, which is handled later.
    async fn drop_unsent(&self, provider: &Provider<'_>, batch: &ModelBatch) -> Result<()> {
        provider.delete_input(batch, batch.remote.as_deref()).await;
        self.batches.end_batch(&batch.id, RequestState::Unsent).await.map(|_| ())
    }

    fn pause(&self, batch: &ModelBatch, is_refusal: bool, now: Timestamp) {
        let until = now.saturating_add(if is_refusal { REFUSAL } else { PAUSE }).unwrap_or(Timestamp::MAX);
        locked(&self.state).pauses.insert(batch.base_url.clone(), (until, is_refusal));
    }

    /// Ends a batch that is given up. Cancels it at the provider if a channel is given and the batch was sent. Its periods are
    /// due again; answers that come later are not read.
    async fn lose(
        &self,
        channel: Option<&Arc<Channel>>,
        batch: &ModelBatch,
        why: &str,
        report: &mut BatchReport,
    ) -> Result<()> {
        self.note(batch, why, report).await?;
        if let Some(channel) = channel {
            let provider = Provider::of(channel);
            if let Some(remote) = batch.remote.as_ref().filter(|_| batch.state == BatchState::Sent) {
                provider.cancel(remote).await;
            }
            provider.delete_input(batch, None).await;
        }
        report.settled += self.batches.end_batch(&batch.id, RequestState::Lost).await?;
        Ok(())
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
            // The process that recorded the batch ended before it created the batch at the provider.
            (BatchState::Prepared, _) => self.drop_unsent(&provider, &batch).await,
            (BatchState::Sent, Some(remote)) => self.follow(channel, batch, &remote, now, report).await,
            _ => {
                let known: Vec<String> = open.iter().filter_map(|batch| batch.remote.clone()).collect();
                self.search(&provider, batch, &known, now, report).await
            }
        }
    }

    /// Looks for a batch that may have been created. Drops it at the age [`SEARCH`] if the provider lists none that can be it.
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
                self.drop_unsent(provider, &batch).await
            }
            Ok(Found::No | Found::Perhaps) => Ok(()),
            Err(failure) => self.note(&batch, format!("looking for it: {failure}"), report).await,
        }
    }

    /// Requests the state of a batch. If it has ended, reads its results; if the provider refused it as a whole, ends it. Gives
    /// it up if it is too old or the provider no longer has it.
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
                provider.delete_input(&batch, None).await;
                return self.lose(None, &batch, "the provider no longer has it", report).await;
            }
            Err(failure) => {
                batch.reads += u64::from(matches!(failure, EndpointError::Denied(404)));
                return self.note(&batch, format!("asking after {remote}: {failure}"), report).await;
            }
        };
        (batch.done, batch.failure) = (status.done, None);
        if status.is_refused && status.results.is_empty() {
            self.note(&batch, format!("the provider refused {remote} as a whole {}", status.reason), report).await?;
            // A full queue at the provider is temporary.
            self.pause(&batch, status.reason != "token_limit_exceeded", now);
            for path in &status.leftovers {
                provider.delete(path).await;
            }
            provider.delete_input(&batch, None).await;
            self.batches.end_batch(&batch.id, RequestState::Unsent).await?;
            return Ok(());
        }
        if status.is_over {
            return self.finish(channel, batch, &status, now, report).await;
        }
        if has_lasted(&batch, GIVE_UP, now) {
            return self.lose(Some(channel), &batch, LATE, report).await;
        }
        self.batches.save_batch(&batch).await
    }

    /// Saves the results of a batch that has ended. Ends it here when all results were read or the missing ones are given up.
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
        // An unreachable provider does not count as an attempt. Results that are missing are given up after [`READS`] attempts.
        let is_final = read.failure.as_ref().is_none_or(|failure| !failure.passes() && !failure.is_late());
        if !is_complete && (!is_final || batch.reads + 1 < READS) {
            let why = read.failure.map_or_else(|| "lines are missing".into(), |failure| failure.to_string());
            batch.reads += u64::from(is_final);
            return self.note(&batch, format!("its results are not complete: {why}"), report).await;
        }
        report.settled += self.batches.end_batch(&batch.id, RequestState::Lost).await?;
        for path in &status.leftovers {
            provider.delete(path).await;
        }
        provider.delete_input(&batch, None).await;
        Ok(())
    }
}

fn has_lasted(batch: &ModelBatch, time: SignedDuration, now: Timestamp) -> bool {
    batch.at.saturating_add(time).is_ok_and(|until| until <= now)
}

type PeriodsByAgent = BTreeMap<Agent, BTreeSet<Period>>;

fn periods_by_agent(requests: &[BatchedRequest]) -> PeriodsByAgent {
    let mut periods = PeriodsByAgent::new();
    for request in requests {
        periods.entry(request.agent.clone()).or_default().insert(request.period);
    }
    periods
}

/// Why a batch was not created at the provider.
enum Unsent {
    /// Text that the requests may contain was erased.
    Erased,
    /// The provider has not accepted the batch.
    Refused(EndpointError),
    /// The store failed.
    Store(Error),
}

impl Unsent {
    fn passes(&self) -> bool {
        matches!(self, Unsent::Refused(failure) if failure.passes())
    }
}

impl From<Error> for Unsent {
    fn from(error: Error) -> Unsent {
        Unsent::Store(error)
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
