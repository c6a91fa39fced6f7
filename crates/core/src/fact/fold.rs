//! Folds the operation log into facts with intervals.
//!
//! Operations are ordered by event time, then by the time at which they were said, then by source and position, but never by
//! arrival. So an old diary that is imported late does not override newer facts, and any order of the log gives the same
//! result.
//!
//! A marriage ends the engagement to the same person; a divorce ends the marriage.
//!
//! Facts stated by their own subject or entered by hand are first-hand. A DELETE, UPDATE or new value from somebody
//! else (hearsay) neither ends nor replaces them.

use std::collections::HashMap;

use super::aliases::{OtherNames, without_doubtful_aliases};
use super::merge::merges;
use super::{CONTEXT, Fact, FactOperation, SPEAKER, UNTIL, Verb, entity_key};
use crate::{Interval, Timestamp};

/// Single-valued predicates: a new value ends the former one, whichever verb is used.
pub(super) const SINGLE: [&str; 12] = [
    "age",
    "born_in",
    "born_on",
    "has_birthday",
    "has_job",
    "has_name",
    "lives_in",
    "married_to",
    "name",
    "pronouns",
    "time_zone",
    "works_as",
];

/// Returns the predicate and the object of the older facts that a new fact ends. `None` as the object means any object.
fn ended_by<'a>(predicate: &str, object: &'a str) -> Option<(&'static str, Option<&'a str>)> {
    match predicate {
        "married_to" => Some(("engaged_to", Some(object))),
        "marital_status" if entity_key(object) == "divorced" => Some(("married_to", None)),
        _ => None,
    }
}

/// Returns the facts that follow from a log, sorted by `valid_from`, then by id. Includes inferred aliases for names of one
/// entity, each with its reason.
pub fn fold(operations: &[FactOperation]) -> Vec<Fact> {
    let mut ordered = without_doubtful_aliases(operations);
    let names = OtherNames::of(&ordered);
    ordered.sort_by(|a, b| {
        (a.at, a.said_at, &a.source, a.position, &a.id).cmp(&(b.at, b.said_at, &b.source, b.position, &b.id))
    });
    let mut table = Table { names, ..Table::default() };
    for operation in ordered {
        table.apply(operation);
    }
    let mut facts = table.facts;
    sort(&mut facts);
    let merged = merges(&facts, operations);
    if !merged.is_empty() {
        facts.extend(merged);
        sort(&mut facts);
    }
    facts
}

fn sort(facts: &mut [Fact]) {
    facts.sort_by(|a, b| (a.valid_from, &a.id).cmp(&(b.valid_from, &b.id)));
}

/// The facts so far, and the open ones by subject and predicate.
#[derive(Default)]
struct Table {
    facts: Vec<Fact>,
    /// For each fact, whether its subject stated it or it was entered by hand.
    first_hand: Vec<bool>,
    names: OtherNames,
    open: HashMap<(String, String), Vec<usize>>,
}

impl Table {
    fn apply(&mut self, operation: &FactOperation) {
        self.expire(operation);
        if operation.verb != Verb::Delete {
            self.end_others(operation);
        }
        match operation.verb {
            Verb::Insert | Verb::Update if SINGLE.contains(&operation.predicate.as_str()) => {
                self.replace(operation, None);
            }
            Verb::Insert => self.assert(operation),
            Verb::Update => self.replace(operation, named(operation.replaces.as_deref())),
            Verb::Delete => self.close(operation, named(Some(&operation.object)), None),
        }
    }

    /// Ends the facts of another predicate that cannot hold together with the new one.
    fn end_others(&mut self, operation: &FactOperation) {
        if let Some((predicate, object)) = ended_by(&operation.predicate, &operation.object) {
            let ending = FactOperation { predicate: predicate.to_owned(), ..operation.clone() };
            self.close(&ending, object, None);
        }
    }

    /// Removes facts that have ended by the operation's time from the open facts of its subject and predicate.
    fn expire(&mut self, operation: &FactOperation) {
        if let Some(holders) = self.open.get_mut(&slot(operation)) {
            holders.retain(|index| self.facts[*index].valid_to.is_none_or(|end| operation.at < end));
        }
    }

    /// Opens a fact for the object. If it is open already, adds the operation as a source. Also adds the details of the
    /// operation, unless it is hearsay about a first-hand fact.
    fn assert(&mut self, operation: &FactOperation) {
        let key = slot(operation);
        let value = entity_key(&operation.object);
        let holders = self.open.entry(key).or_default();
        match holders.iter().find(|index| entity_key(&self.facts[**index].object) == value) {
            Some(index) => {
                let is_hearsay = self.names.is_hearsay(operation);
                confirm(&mut self.facts[*index], operation);
                if !(is_hearsay && self.first_hand[*index]) {
                    amend(&mut self.facts[*index], operation);
                }
                self.first_hand[*index] |= !is_hearsay;
            }
            None => {
                holders.push(self.facts.len());
                self.facts.push(opened(operation));
                self.first_hand.push(!self.names.is_hearsay(operation));
            }
        }
    }

    /// Replaces the value `former`, or all values if it is `None`, by the object. If `former` was never stated, the new
    /// value opens anyway. Does nothing if hearsay would replace a first-hand fact by a new value.
    fn replace(&mut self, operation: &FactOperation, former: Option<&str>) {
        let value = entity_key(&operation.object);
        let holders = self.open.get(&slot(operation)).cloned().unwrap_or_default();
        let present = holders.iter().find(|index| entity_key(&self.facts[**index].object) == value);
        if present.is_none()
            && holders.iter().any(|index| self.is_meant(*index, former) && self.resists(*index, operation))
        {
            return;
        }
        let successor = present.map_or_else(|| operation.id.clone(), |index| self.facts[*index].id.clone());
        self.close(operation, former, Some(successor));
        self.assert(operation);
    }

    fn is_meant(&self, index: usize, object: Option<&str>) -> bool {
        object.is_none_or(|object| entity_key(object) == entity_key(&self.facts[index].object))
    }

    /// Returns whether the operation is hearsay and the fact first-hand, so that it may not end the fact.
    fn resists(&self, index: usize, operation: &FactOperation) -> bool {
        self.names.is_hearsay(operation) && self.first_hand[index]
    }

    /// Ends the open facts with the value `object`, or all of them if it is `None`. Does not end the successor; hearsay
    /// does not end first-hand facts.
    fn close(&mut self, operation: &FactOperation, object: Option<&str>, successor: Option<String>) {
        let is_hearsay = self.names.is_hearsay(operation);
        let Some(holders) = self.open.get_mut(&slot(operation)) else { return };
        let value = object.map(entity_key);
        holders.retain(|index| {
            let fact = &mut self.facts[*index];
            let resists = is_hearsay && self.first_hand[*index];
            let stays = resists
                || successor.as_ref() == Some(&fact.id)
                || value.as_ref().is_some_and(|value| *value != entity_key(&fact.object));
            if !stays {
                fact.valid_to = Some(operation.at);
                fact.superseded_by.clone_from(&successor);
            }
            stays
        });
    }
}

/// Maps an empty value to `None`, which means all values.
fn named(value: Option<&str>) -> Option<&str> {
    value.filter(|value| !value.trim().is_empty())
}

fn slot(operation: &FactOperation) -> (String, String) {
    (entity_key(&operation.subject), operation.predicate.clone())
}

fn opened(operation: &FactOperation) -> Fact {
    let mut properties = operation.properties.clone();
    properties.remove(UNTIL);
    properties.remove(CONTEXT);
    if !operation.is_hearsay() {
        properties.remove(SPEAKER);
    }
    Fact {
        id: operation.id.clone(),
        subject: operation.subject.clone(),
        predicate: operation.predicate.clone(),
        object: operation.object.clone(),
        properties,
        confidence: operation.confidence,
        valid_from: operation.at,
        valid_to: operation.until(),
        recorded_at: operation.recorded_at,
        mentioned: moment(operation.said_at),
        sources: operation.sources(),
        superseded_by: None,
    }
}

/// Adds the operation as further evidence: to the sources, the confidence and the times of the fact.
fn confirm(fact: &mut Fact, operation: &FactOperation) {
    for source in operation.sources() {
        if !fact.sources.contains(&source) {
            fact.sources.push(source);
        }
    }
    fact.confidence = fact.confidence.max(operation.confidence);
    fact.recorded_at = fact.recorded_at.min(operation.recorded_at);
    let said_at = moment(operation.said_at);
    fact.mentioned =
        Interval { start: fact.mentioned.start.min(said_at.start), end: fact.mentioned.end.max(said_at.end) };
}

/// Adds the details and the end of an operation to a fact that is already open.
fn amend(fact: &mut Fact, operation: &FactOperation) {
    if !operation.is_hearsay() {
        fact.properties.remove(SPEAKER);
    }
    let own = [CONTEXT, SPEAKER, UNTIL];
    for (name, value) in operation.properties.iter().filter(|(name, _)| !own.contains(&name.as_str())) {
        // An operation with a new end date postpones a plan, so its details replace the former ones.
        if operation.until().is_some() {
            fact.properties.insert(name.clone(), value.clone());
        } else {
            fact.properties.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    fact.valid_to = operation.until().or(fact.valid_to);
}

fn moment(at: Timestamp) -> Interval {
    let end = Timestamp::from_microsecond(at.as_microsecond().saturating_add(1)).unwrap_or(Timestamp::MAX);
    Interval { start: at, end }
}

#[cfg(test)]
pub(super) mod tests;
