//! Facts: queries about a subject at a point in time, walks and paths between names, and facts entered by hand.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use annals_core::{Agent, Along, Error, Fact, FactQuery, Interval, Result, Route, Timestamp, Walk, Zones};
use annals_writer::FactWriter;
use jiff::SignedDuration;
use parking_lot::Mutex;
use tokio::time::timeout;

use super::timeline::limit;
use crate::locks::{Facts, Held, Lock};
use crate::wire::{FactEntry, FactView, FactsAnswer, FactsRequest, Verb};
use crate::{Service, refuse_in_data_folder};

/// Default maximum number of facts in a path. Names that are farther apart have little to do with each other.
const DEFAULT_PATH_LENGTH: u32 = 6;

/// How long a question to a replica waits until facts are folded anew. The folding goes on, for the next question.
const FOLDING: Duration = Duration::from_secs(1);
/// How long a replica keeps facts that nobody asks for.
const KEPT: SignedDuration = SignedDuration::from_mins(10);

/// The agents with a table of facts that this process has compared with the fact log, and when it last did. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct ComparedFacts(Arc<Mutex<HashMap<Agent, Timestamp>>>);

impl ComparedFacts {
    fn with<T>(&self, act: impl FnOnce(&mut HashMap<Agent, Timestamp>) -> T) -> T {
        act(&mut self.0.lock())
    }
}

impl Service {
    /// Brings the agent's table of facts up to date before this process reads it for the first time. The process before may
    /// have ended after it changed the fact log, so the table may still contain forgotten facts. Does nothing while another
    /// task holds the lock, because that task brings the table up to date. A replica brings its table up to date each time.
    pub(super) async fn compare_facts(&self, agent: &Agent) -> Result<()> {
        let now = self.now();
        if self.parts.is_replica {
            return self.fold_for_question(agent, now).await;
        }
        if self.compared_facts.with(|compared| compared.contains_key(agent)) {
            return Ok(());
        }
        let Some(_facts_lock) = self.locks.try_lock::<Facts>(agent) else { return Ok(()) };
        self.parts.fact_writer.bring_facts(agent).await?;
        self.compared_facts.with(|compared| compared.insert(agent.clone(), now));
        Ok(())
    }

    async fn fold_for_question(&self, agent: &Agent, now: Timestamp) -> Result<()> {
        let folding = async {
            // Waits here first, so that questions asked during a long folding leave no tasks behind.
            self.locks.wait_until_free(agent, Lock::Facts).await;
            let (service, of) = (self.clone(), agent.clone());
            let folding = tokio::spawn(async move {
                let _facts_lock = service.lock_facts(&of).await?;
                service.compared_facts.with(|compared| compared.insert(of, now));
                Ok(())
            });
            folding.await.map_err(|panic| Error::storage(format!("folding the facts of {agent}"), panic))?
        };
        let too_long = |_| Err(Error::unavailable(format!("folding the facts of {agent}"), "it takes too long"));
        timeout(FOLDING, folding).await.unwrap_or_else(too_long)
    }

    /// Brings all tables of facts of a replica up to date, so that forgotten facts leave its memory, and removes those that
    /// nobody has asked for lately. Goes on after an error, and returns the last one.
    pub async fn renew_compared_facts(&self) -> Result<()> {
        let (agents, now): (Vec<Agent>, _) =
            (self.compared_facts.with(|all| all.keys().cloned().collect()), self.now());
        let mut done = Ok(());
        for agent in agents {
            done = self.renew_facts_of(&agent, now).await.and(done);
        }
        done
    }

    async fn renew_facts_of(&self, agent: &Agent, now: Timestamp) -> Result<()> {
        let _facts_lock = self.locks.lock::<Facts>(agent).await;
        let is_idle = |last: &Timestamp| now.duration_since(*last) >= KEPT;
        // Decided under the lock: a question that has just compared the facts still reads them.
        let is_removed =
            self.compared_facts.with(|all| all.get(agent).is_some_and(is_idle) && all.remove(agent).is_some());
        match is_removed {
            true => self.parts.facts.remove(agent).await,
            false => self.parts.fact_writer.bring_facts(agent).await.map(drop),
        }
    }

    /// Waits for the lock of the agent's facts, and brings their table up to date.
    pub(super) async fn lock_facts(&self, agent: &Agent) -> Result<Held<'static, Facts>> {
        let facts_lock = self.locks.lock::<Facts>(agent).await;
        self.parts.fact_writer.bring_facts(agent).await?;
        Ok(facts_lock)
    }

    /// Returns the facts that match the request. Without `depth` and `to` these are the facts with the name `about`, or of all
    /// names without `about`. With `depth` they are those within this distance of `about`, and with `to` those on the shortest
    /// path from `about`. Fails if `depth` or `to` is given without `about`.
    pub async fn facts(&self, agent: &Agent, request: FactsRequest, now: Timestamp) -> Result<FactsAnswer> {
        let limit = Some(limit(request.limit)?);
        self.ask_facts(agent, FactsRequest { limit, ..request }, now).await
    }

    /// Returns the same as [`Service::facts`], but all facts if the request has no limit.
    pub async fn ask_facts(&self, agent: &Agent, request: FactsRequest, now: Timestamp) -> Result<FactsAnswer> {
        let zones = self.parts.store.settings(agent).await?.zones()?;
        self.compare_facts(agent).await?;
        ask(&self.parts.fact_writer, agent, &zones, request, now).await
    }

    /// Returns the facts that hold now and were said within an interval.
    pub async fn facts_said_within(&self, agent: &Agent, within: Interval, now: Timestamp) -> Result<Vec<Fact>> {
        let query = FactQuery { said_within: Some(within), as_of: Some(now), ..FactQuery::default() };
        self.compare_facts(agent).await?;
        self.parts.fact_writer.find(agent, &query).await
    }

    /// Writes the facts of an agent to a Parquet file. Fails if the file would be in the data folder.
    pub(crate) async fn export_facts(&self, agent: &Agent, file: &Path) -> Result<()> {
        self.parts.folder.as_deref().map_or(Ok(()), |data| refuse_in_data_folder(data, file))?;
        self.parts.facts.export(agent, file).await
    }

    /// Enters a fact or retracts one. Returns all present facts about the subject, and the entered fact even if a later fact
    /// has ended it.
    pub async fn enter_fact(&self, agent: &Agent, entry: FactEntry, now: Timestamp) -> Result<FactsAnswer> {
        let zones = self.parts.store.settings(agent).await?.zones()?;
        let at = entry.at.map_or(now, |at| at.instant(&zones));
        let mut ended = None;
        {
            let _facts_lock = self.locks.lock::<Facts>(agent).await;
            let (subject, predicate, object) = (&entry.subject, &entry.predicate, entry.object.as_deref());
            match (entry.verb, object) {
                (Verb::Add, Some(object)) => {
                    ended = self.parts.fact_writer.add(agent, subject, predicate, object, at, now).await?;
                }
                (Verb::Add, None) => return Err(Error::invalid("object", "is missing")),
                (Verb::Retract, object) => {
                    self.parts.fact_writer.retract(agent, subject, predicate, object, at, now).await?;
                }
            }
        }
        let request = FactsRequest { about: Some(entry.subject), ..FactsRequest::default() };
        let mut answer = ask(&self.parts.fact_writer, agent, &zones, request, now).await?;
        // Adds the entered fact if a later fact has ended it. Otherwise the answer would look as if nothing had been stored.
        answer.facts.extend(ended.as_ref().map(FactView::from));
        Ok(answer)
    }
}

async fn ask(
    facts: &FactWriter,
    agent: &Agent,
    zones: &Zones,
    request: FactsRequest,
    now: Timestamp,
) -> Result<FactsAnswer> {
    let as_of = moment(&request, zones, now);
    let (mut connected, mut next_cursor) = (None, None);
    let found = match (request.about.clone(), request.to.clone(), request.depth) {
        (about, None, None) => {
            let (page, next) = find(facts, agent, about, &request, as_of).await?;
            next_cursor = next;
            page
        }
        (None, ..) => {
            return Err(Error::invalid("about", "is missing; it is required with `depth` and `to`"));
        }
        (Some(from), None, Some(depth)) => {
            let walk = Walk { from, depth, along: along(&request, as_of), limit: request.limit };
            facts.walk(agent, &walk).await?.iter().map(FactView::from).collect()
        }
        (Some(from), Some(to), depth) => {
            let route = Route { from, to, depth: depth.unwrap_or(DEFAULT_PATH_LENGTH), along: along(&request, as_of) };
            let path = facts.path(agent, &route).await?;
            connected = Some(path.is_some());
            path.iter().flatten().map(FactView::from).collect()
        }
    };
    Ok(FactsAnswer { agent: agent.name().to_owned(), facts: found, connected, next_cursor })
}

/// Returns one page of facts and the cursor of the next page: the number of facts before that page. The cursor is `None` on the
/// last page.
async fn find(
    facts: &FactWriter,
    agent: &Agent,
    about: Option<String>,
    request: &FactsRequest,
    as_of: Option<Timestamp>,
) -> Result<(Vec<FactView>, Option<String>)> {
    let skipped = match &request.cursor {
        None => 0,
        Some(cursor) => cursor
            .parse::<usize>()
            .map_err(|_| Error::invalid("cursor", "is not valid; use the next_cursor of an answer"))?,
    };
    // One more than the page holds shows whether there is a next page.
    let limit = request.limit.map(|limit| skipped.saturating_add(limit).saturating_add(1));
    let query = FactQuery {
        about,
        predicate: request.predicate.clone(),
        as_of,
        history: request.history,
        said_within: None,
        limit,
    };
    let found = facts.find(agent, &query).await?;
    let shown = request.limit.unwrap_or(usize::MAX);
    let more = found.len() > skipped.saturating_add(shown);
    let page = found.iter().skip(skipped).take(shown).map(FactView::from).collect();
    Ok((page, more.then(|| (skipped + shown).to_string())))
}

fn along(request: &FactsRequest, as_of: Option<Timestamp>) -> Along {
    let predicates = request.predicate.as_deref().unwrap_or_default().split(',').map(str::trim);
    Along {
        direction: request.direction,
        predicates: predicates.filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        as_of,
        history: request.history,
        said_within: None,
    }
}

/// Returns the time at which the facts must hold: `as_of` if it is given. Without it, this is `now`, because facts may be dated
/// in the future, or `None` if the request has `history`. `None` stands for all times.
fn moment(request: &FactsRequest, zones: &Zones, now: Timestamp) -> Option<Timestamp> {
    let as_of = request.as_of.map(|as_of| as_of.instant(zones));
    as_of.or_else(|| (!request.history).then_some(now))
}

#[cfg(test)]
mod tests;
