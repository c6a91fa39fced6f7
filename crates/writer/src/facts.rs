//! Projection of the table of facts, and operations that are entered by hand or imported from another memory.
//!
//! The table is folded from the whole log whenever its version differs from the log's, so there are no partial updates to lose.

use annals_core::{
    Agent, Error, Fact, FactOperation, FactQuery, MemoryId, ObjectKind, Properties, Reached, Result, Route, Timestamp,
    Verb, Walk, fold, predicate_name,
};

use crate::FactWriter;
use crate::check::{check_name, check_year};
use crate::project::STALE_READS;

impl FactWriter {
    /// Brings the agent's table of facts up to date. Returns whether it was out of date or damaged.
    pub async fn bring_facts(&self, agent: &Agent) -> Result<bool> {
        let version = self.store.log_version(agent).await?;
        match self.facts.version(agent).await {
            Ok(folded) if folded == version => return Ok(false),
            Ok(_) | Err(Error::Damaged { .. }) => {}
            Err(error) => return Err(error),
        }
        self.refold(agent).await?;
        Ok(true)
    }

    /// Rewrites the agent's table of facts, whatever it contains.
    pub async fn refold(&self, agent: &Agent) -> Result<()> {
        for _ in 0..=STALE_READS {
            let (version, operations) = self.store.operations(agent).await?;
            match self.facts.replace(agent, fold(&operations), version).await {
                Err(Error::Stale { .. }) => {}
                done => return done,
            }
            if self.store.log_version(agent).await? == version {
                // The table has a later version than the log, so it belongs to another log: the catalog was restored from an
                // earlier copy.
                self.facts.remove(agent).await?;
            }
        }
        Err(Error::Stale { what: format!("the table of facts of {agent}") })
    }

    /// Returns the facts that match. Rewrites the table first if it cannot be read or is missing.
    pub async fn find(&self, agent: &Agent, query: &FactQuery) -> Result<Vec<Fact>> {
        self.or_refold(agent, Vec::is_empty, || self.facts.find(agent, query)).await
    }

    /// Returns the facts within some distance of an entity, the nearest first.
    pub async fn walk(&self, agent: &Agent, walk: &Walk) -> Result<Vec<Reached>> {
        walk.check()?;
        self.or_refold(agent, Vec::is_empty, || self.facts.walk(agent, walk)).await
    }

    /// Returns the facts on the shortest path between two entities. `None` if there is no path; empty if both are one entity.
    pub async fn path(&self, agent: &Agent, route: &Route) -> Result<Option<Vec<Fact>>> {
        route.check()?;
        self.or_refold(agent, Option::is_none, || self.facts.path(agent, route)).await
    }

    /// Queries the table. Rewrites an unreadable or missing one and queries it again.
    async fn or_refold<T, F>(&self, agent: &Agent, is_empty: impl Fn(&T) -> bool, ask: impl Fn() -> F) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        match ask().await {
            Err(Error::Damaged { .. }) => {}
            Ok(nothing) if is_empty(&nothing) && self.is_lost(agent).await? => {}
            answer => return answer,
        }
        self.refold(agent).await?;
        ask().await
    }

    /// Returns whether there should be a table but none exists.
    async fn is_lost(&self, agent: &Agent) -> Result<bool> {
        Ok(self.facts.version(agent).await? == 0 && self.store.log_version(agent).await? > 0)
    }

    /// Returns whether the table cannot be read, or differs from the fold of the log at the same version. Returns false for a
    /// table of another version: it is out of date, or belongs to another log, and is written anew in any case.
    pub async fn facts_differ(&self, agent: &Agent) -> Result<bool> {
        let (version, operations) = self.store.operations(agent).await?;
        let everything = FactQuery { history: true, ..FactQuery::default() };
        let held = match self.facts.version(agent).await {
            Ok(folded) if folded != version => return Ok(false),
            Ok(_) => self.facts.find(agent, &everything).await,
            Err(error) => Err(error),
        };
        match held {
            Ok(held) => Ok(held != fold(&operations)),
            Err(Error::Damaged { .. }) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Enters a fact by hand. The fact holds from `at` on, and ends other facts by the same rules as a fact from a
    /// conversation. Returns the fact if it has an end already, because an operation in the log ends it; otherwise `None`.
    pub async fn add(
        &self,
        agent: &Agent,
        subject: &str,
        predicate: &str,
        object: &str,
        at: Timestamp,
        now: Timestamp,
    ) -> Result<Option<Fact>> {
        check("object", object)?;
        let operation = entry(agent, Verb::Insert, [subject, predicate, object], at, now)?;
        let source = operation.source.clone();
        self.store.add_operations(agent, vec![operation]).await?;
        self.bring_facts(agent).await?;
        let (_, log) = self.store.operations(agent).await?;
        let entered = fold(&log).into_iter().find(|fact| fact.sources.contains(&source));
        Ok(entered.filter(|fact| fact.valid_to.is_some()))
    }

    /// Enters several facts, or ends of facts, by hand: all or none. Does not report which facts they end. An end that
    /// matches no fact is no error.
    pub async fn enter(&self, agent: &Agent, entries: Vec<FactInput>, now: Timestamp) -> Result<()> {
        let mut operations = Vec::with_capacity(entries.len());
        for FactInput { verb, subject, predicate, object, properties, at } in entries {
            check("object", &object)?;
            let operation = entry(agent, verb, [&subject, &predicate, &object], at, now)?;
            operations.push(FactOperation { properties, ..operation });
        }
        self.store.add_operations(agent, operations).await?;
        self.bring_facts(agent).await.map(|_| ())
    }

    /// Ends a fact by hand as of `at`: one value, or all values of that predicate. Returns [`Error::NotFound`] if that would
    /// end nothing.
    pub async fn retract(
        &self,
        agent: &Agent,
        subject: &str,
        predicate: &str,
        object: Option<&str>,
        at: Timestamp,
        now: Timestamp,
    ) -> Result<()> {
        object.map_or(Ok(()), |object| check("object", object))?;
        let words = [subject, predicate, object.unwrap_or_default()];
        let operation = entry(agent, Verb::Delete, words, at, now)?;
        let (_, mut log) = self.store.operations(agent).await?;
        let before = fold(&log);
        log.push(operation.clone());
        if fold(&log) == before {
            return Err(Error::NotFound { what: ObjectKind::FactToRetract, name: operation.predicate });
        }
        self.store.add_operations(agent, vec![operation]).await?;
        self.bring_facts(agent).await?;
        Ok(())
    }
}

/// A fact to enter by hand, or its end.
#[derive(Clone, Debug)]
pub struct FactInput {
    /// INSERT or UPDATE if the fact begins, DELETE if it ends.
    pub verb: Verb,
    /// The person or thing that the fact is about.
    pub subject: String,
    pub predicate: String,
    /// The value that the fact gives its subject, or the name of another entity.
    pub object: String,
    /// Details of the fact, by name.
    pub properties: Properties,
    /// When the fact begins or ends.
    pub at: Timestamp,
}

/// Builds an operation entered by hand. The same entry made twice at the same time has the same id.
fn entry(agent: &Agent, verb: Verb, words: [&str; 3], at: Timestamp, now: Timestamp) -> Result<FactOperation> {
    let source = |words: &str| MemoryId::entry(agent, &[verb.as_str(), words, &at.to_string()].join("\0"), now);
    operation(verb, words, at, now, now, source)
}

/// A fact from the memory of another program.
#[derive(Clone, Debug)]
pub struct ImportedFact<'a> {
    /// The id of the fact in that program.
    pub id: &'a str,
    /// Subject, predicate and value.
    pub words: [&'a str; 3],
    /// Details of the fact, by name.
    pub properties: Properties,
    /// When the fact begins.
    pub at: Timestamp,
}

/// Builds the operation of an imported fact. Its id depends only on the agent, the fact's id and its words, so every import of
/// the fact yields the same operation, and a fact with changed words yields another one.
pub fn imported_fact(agent: &Agent, fact: ImportedFact<'_>, now: Timestamp) -> Result<FactOperation> {
    let ImportedFact { id, words, properties, at } = fact;
    check("object", words[2])?;
    let source = |words: &str| MemoryId::imported(agent, &[id, words].join("\0"));
    Ok(FactOperation { properties, ..operation(Verb::Insert, words, at, at, now, source)? })
}

fn operation(
    verb: Verb,
    words: [&str; 3],
    at: Timestamp,
    said_at: Timestamp,
    now: Timestamp,
    source: impl FnOnce(&str) -> MemoryId,
) -> Result<FactOperation> {
    let [subject, predicate, object] = words.map(str::trim);
    check("subject", subject)?;
    let predicate = predicate_name(predicate);
    check("predicate", &predicate)?;
    if let Some(reason) = check_year(at) {
        return Err(Error::invalid("at", reason));
    }
    let source = source(&[subject, &predicate, object].join("\0"));
    Ok(FactOperation {
        id: FactOperation::id(&source, 0),
        verb,
        subject: subject.to_owned(),
        predicate,
        object: object.to_owned(),
        replaces: None,
        properties: Properties::new(),
        confidence: 1.0,
        at,
        said_at,
        source,
        position: 0,
        recorded_at: now,
    })
}

fn check(field: &str, value: &str) -> Result<()> {
    match check_name(value.trim()) {
        Some(reason) => Err(Error::invalid(field, reason)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
