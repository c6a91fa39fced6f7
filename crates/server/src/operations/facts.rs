//! What is known about whom and since when; facts entered by hand.

use annals_core::{Agent, Error, FactQuery, Result, Timestamp};

use super::timeline::limit;
use crate::Service;
use crate::wire::{FactEntry, FactView, FactsAnswer, FactsWish, Verb};

impl Service {
    /// The facts that fit.
    pub async fn facts(&self, agent: &Agent, wish: FactsWish, now: Timestamp) -> Result<FactsAnswer> {
        let query = FactQuery {
            about: wish.about,
            predicate: wish.predicate,
            // What holds now, not what will: a plan may be dated ahead.
            as_of: wish.as_of.or_else(|| (!wish.history).then_some(now)),
            history: wish.history,
            said_within: None,
            limit: Some(limit(wish.limit)?),
        };
        self.find_facts(agent, &query).await
    }

    /// Enters a fact, or its end, and shows what is known about its subject then.
    pub async fn enter_fact(&self, agent: &Agent, entry: FactEntry, now: Timestamp) -> Result<FactsAnswer> {
        let at = entry.at.unwrap_or(now);
        {
            let _reading = self.reading(agent).await;
            let (subject, predicate, object) = (&entry.subject, &entry.predicate, entry.object.as_deref());
            match (entry.verb, object) {
                (Verb::Add, Some(object)) => {
                    self.fact_writer.add(agent, subject, predicate, object, at, now).await?;
                }
                (Verb::Add, None) => return Err(Error::invalid("object", "is missing")),
                (Verb::Retract, object) => {
                    self.fact_writer.retract(agent, subject, predicate, object, at, now).await?;
                }
            }
        }
        let query = FactQuery { about: Some(entry.subject), as_of: Some(now), ..FactQuery::default() };
        self.find_facts(agent, &query).await
    }

    async fn find_facts(&self, agent: &Agent, query: &FactQuery) -> Result<FactsAnswer> {
        let facts = self.fact_writer.find(agent, query).await?;
        Ok(FactsAnswer { agent: agent.name().to_owned(), facts: facts.iter().map(FactView::from).collect() })
    }
}
