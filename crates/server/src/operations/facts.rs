//! Facts: queries about a subject at a time, walks and paths between names, and facts entered by hand.

use annals_core::{Agent, Along, Error, FactQuery, Result, Route, Timestamp, Walk, Zones};
use annals_writer::FactWriter;

use super::timeline::limit;
use crate::Service;
use crate::locks::Facts;
use crate::wire::{FactEntry, FactView, FactsAnswer, FactsWish, Verb};

/// The default limit for the length of a path; names farther apart have little to do with each other.
const USUAL_PATH: u32 = 6;

impl Service {
    /// Returns the facts that match, that are within some distance of a name, or that lead from one name to another.
    pub async fn facts(&self, agent: &Agent, wish: FactsWish, now: Timestamp) -> Result<FactsAnswer> {
        let limit = Some(limit(wish.limit)?);
        self.ask_facts(agent, FactsWish { limit, ..wish }, now).await
    }

    /// Returns the same as [`Service::facts`], but all facts if the request has no limit.
    pub async fn ask_facts(&self, agent: &Agent, wish: FactsWish, now: Timestamp) -> Result<FactsAnswer> {
        let zones = self.catalog.settings(agent).await?.zones()?;
        ask(&self.fact_writer, agent, &zones, wish, now).await
    }

    /// Enters a fact or retracts one. Returns what is known about its subject now, and the entered fact if a later fact has
    /// ended it.
    pub async fn enter_fact(&self, agent: &Agent, entry: FactEntry, now: Timestamp) -> Result<FactsAnswer> {
        let zones = self.catalog.settings(agent).await?.zones()?;
        let at = entry.at.map_or(now, |at| at.instant(&zones));
        let mut ended = None;
        {
            let _facts_lock = self.locks.lock::<Facts>(agent).await;
            let (subject, predicate, object) = (&entry.subject, &entry.predicate, entry.object.as_deref());
            match (entry.verb, object) {
                (Verb::Add, Some(object)) => {
                    ended = self.fact_writer.add(agent, subject, predicate, object, at, now).await?;
                }
                (Verb::Add, None) => return Err(Error::invalid("object", "is missing")),
                (Verb::Retract, object) => {
                    self.fact_writer.retract(agent, subject, predicate, object, at, now).await?;
                }
            }
        }
        let wish = FactsWish { about: Some(entry.subject), ..FactsWish::default() };
        let mut answer = ask(&self.fact_writer, agent, &zones, wish, now).await?;
        // A fact that a later one has ended would not be shown, as if it had not been stored.
        answer.facts.extend(ended.as_ref().map(FactView::from));
        Ok(answer)
    }
}

async fn ask(facts: &FactWriter, agent: &Agent, zones: &Zones, wish: FactsWish, now: Timestamp) -> Result<FactsAnswer> {
    let as_of = moment(&wish, zones, now);
    let (mut connected, mut next_cursor) = (None, None);
    let found = match (wish.about.clone(), wish.to.clone(), wish.depth) {
        (about, None, None) => {
            let (page, next) = find(facts, agent, about, &wish, as_of).await?;
            next_cursor = next;
            page
        }
        (None, ..) => return Err(Error::invalid("about", "is missing; a walk or a path begins with somebody")),
        (Some(from), None, Some(depth)) => {
            let walk = Walk { from, depth, along: along(&wish, as_of), limit: wish.limit };
            facts.walk(agent, &walk).await?.iter().map(FactView::from).collect()
        }
        (Some(from), Some(to), depth) => {
            let route = Route { from, to, depth: depth.unwrap_or(USUAL_PATH), along: along(&wish, as_of) };
            let path = facts.path(agent, &route).await?;
            connected = Some(path.is_some());
            path.iter().flatten().map(FactView::from).collect()
        }
    };
    Ok(FactsAnswer { agent: agent.name().to_owned(), facts: found, connected, next_cursor })
}

/// Returns one page of facts and the cursor of the next page, which is the number of facts before that page.
async fn find(
    facts: &FactWriter,
    agent: &Agent,
    about: Option<String>,
    wish: &FactsWish,
    as_of: Option<Timestamp>,
) -> Result<(Vec<FactView>, Option<String>)> {
    let skipped = match &wish.cursor {
        None => 0,
        Some(cursor) => cursor.parse::<usize>().map_err(|_| Error::invalid("cursor", "is none of an answer"))?,
    };
    // One more than the page holds shows whether there is a next page.
    let limit = wish.limit.map(|limit| skipped.saturating_add(limit).saturating_add(1));
    let query =
        FactQuery { about, predicate: wish.predicate.clone(), as_of, history: wish.history, said_within: None, limit };
    let found = facts.find(agent, &query).await?;
    let shown = wish.limit.unwrap_or(usize::MAX);
    let more = found.len() > skipped.saturating_add(shown);
    let page = found.iter().skip(skipped).take(shown).map(FactView::from).collect();
    Ok((page, more.then(|| (skipped + shown).to_string())))
}

fn along(wish: &FactsWish, as_of: Option<Timestamp>) -> Along {
    let predicates = wish.predicate.as_deref().unwrap_or_default().split(',').map(str::trim);
    Along {
        direction: wish.direction,
        predicates: predicates.filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        as_of,
        history: wish.history,
        said_within: None,
    }
}

/// Returns the moment of a query. Without history the default is now, because a plan may be dated ahead.
fn moment(wish: &FactsWish, zones: &Zones, now: Timestamp) -> Option<Timestamp> {
    let as_of = wish.as_of.map(|as_of| as_of.instant(zones));
    as_of.or_else(|| (!wish.history).then_some(now))
}
