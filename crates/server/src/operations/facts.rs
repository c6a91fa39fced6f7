//! What is known about whom and since when, and what leads from one to another; facts entered by hand.

use annals_core::{Agent, Along, Error, FactQuery, Result, Route, Timestamp, Walk};
use annals_writer::FactWriter;

use super::timeline::limit;
use crate::Service;
use crate::locks::Facts;
use crate::wire::{FactEntry, FactView, FactsAnswer, FactsWish, Verb};

/// How long a path may be that nothing is said of: what is farther apart has little to do with each other.
const USUAL_PATH: u32 = 6;

impl Service {
    /// The facts that fit, lie within some distance, or lead from one to another.
    pub async fn facts(&self, agent: &Agent, wish: FactsWish, now: Timestamp) -> Result<FactsAnswer> {
        let limit = Some(limit(wish.limit)?);
        ask(&self.fact_writer, agent, FactsWish { limit, ..wish }, now).await
    }

    /// Enters a fact, or its end, and shows what is known about its subject then.
    pub async fn enter_fact(&self, agent: &Agent, entry: FactEntry, now: Timestamp) -> Result<FactsAnswer> {
        let at = entry.at.unwrap_or(now);
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
        let mut answer = ask(&self.fact_writer, agent, wish, now).await?;
        // One that something later has ended already would not be shown, as if it had not been stored.
        answer.facts.extend(ended.as_ref().map(FactView::from));
        Ok(answer)
    }
}

/// Answers a question about facts; without a limit, with all of them.
pub async fn ask(facts: &FactWriter, agent: &Agent, wish: FactsWish, now: Timestamp) -> Result<FactsAnswer> {
    let (found, connected) = match (wish.about.clone(), wish.to.clone(), wish.depth) {
        (about, None, None) => (find(facts, agent, about, &wish, now).await?, None),
        (None, ..) => return Err(Error::invalid("about", "is missing; a walk or a path begins with somebody")),
        (Some(from), None, Some(depth)) => {
            let walk = Walk { from, depth, along: along(&wish, now), limit: wish.limit };
            (facts.walk(agent, &walk).await?.iter().map(FactView::from).collect(), None)
        }
        (Some(from), Some(to), depth) => {
            let route = Route { from, to, depth: depth.unwrap_or(USUAL_PATH), along: along(&wish, now) };
            let path = facts.path(agent, &route).await?;
            (path.iter().flatten().map(FactView::from).collect(), Some(path.is_some()))
        }
    };
    Ok(FactsAnswer { agent: agent.name().to_owned(), facts: found, connected })
}

async fn find(
    facts: &FactWriter,
    agent: &Agent,
    about: Option<String>,
    wish: &FactsWish,
    now: Timestamp,
) -> Result<Vec<FactView>> {
    let query = FactQuery {
        about,
        predicate: wish.predicate.clone(),
        as_of: moment(wish, now),
        history: wish.history,
        said_within: None,
        limit: wish.limit,
    };
    Ok(facts.find(agent, &query).await?.iter().map(FactView::from).collect())
}

fn along(wish: &FactsWish, now: Timestamp) -> Along {
    let predicates = wish.predicate.as_deref().unwrap_or_default().split(',').map(str::trim);
    Along {
        direction: wish.direction,
        predicates: predicates.filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        as_of: moment(wish, now),
        history: wish.history,
        said_within: None,
    }
}

/// What holds now, not what will: a plan may be dated ahead.
fn moment(wish: &FactsWish, now: Timestamp) -> Option<Timestamp> {
    wish.as_of.or_else(|| (!wish.history).then_some(now))
}
