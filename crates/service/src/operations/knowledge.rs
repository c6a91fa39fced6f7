//! The facts of an agent as a graph: typed entities with observations, and relations between entities. Reads the graph, adds to
//! it, and removes from it.
//!
//! An entity's type is a fact `is_a`, an observation is a fact `observation`, and a relation is a fact of its own predicate.
//! Removing an entry retracts its fact: the fact ends, and stays in the history. Names are compared as everywhere else,
//! without case, accents, surrounding punctuation and a leading article. The subject of a fact that was extracted from a
//! conversation is an entity too.

mod change;
pub(super) mod value;

use std::collections::HashMap;

use annals_core::{Agent, ENTITY_TYPE, Fact, FactQuery, MERGED_BECAUSE, OBSERVATION, Result, Timestamp, entity_key};

use crate::Service;
use value::{RELATION, relation_type, text_of};

/// The type of an entity that no fact gives a type.
const UNTYPED: &str = "entity";

/// Entities and relations, each in the order in which their facts begin to hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnowledgeGraph {
    pub entities: Vec<Entity>,
    /// The relations. The entities that they name need not be in `entities`.
    pub relations: Vec<Relation>,
}

/// A person or thing, with observations about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entity {
    pub name: String,
    /// Type of the entity, such as `person`; `entity` if no fact gives one.
    pub kind: String,
    /// Sentences about the entity.
    pub observations: Vec<String>,
}

/// A relation between two entities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// Name of the entity that is the subject.
    pub from: String,
    /// Name of the entity that is the object.
    pub to: String,
    /// The type of the relation as the client wrote it, if it is stored; otherwise the predicate of its fact.
    pub kind: String,
}

impl Service {
    /// Returns the present facts of an agent as a graph.
    pub async fn knowledge(&self, agent: &Agent) -> Result<KnowledgeGraph> {
        self.compare_facts(agent).await?;
        Ok(graph(&self.present_facts(agent).await?))
    }

    /// Returns the facts that have not ended, except those that were inferred.
    async fn present_facts(&self, agent: &Agent) -> Result<Vec<Fact>> {
        let mut facts = self.parts.fact_writer.find(agent, &FactQuery::default()).await?;
        facts.retain(|fact| !fact.properties.contains_key(MERGED_BECAUSE));
        Ok(facts)
    }

    /// Returns a time after all facts that were entered before, so that new facts come last. Ignores facts that are dated more
    /// than a minute ahead of `now`.
    async fn next_instant(&self, agent: &Agent, now: Timestamp) -> Result<Timestamp> {
        let everything = FactQuery { history: true, ..FactQuery::default() };
        let facts = self.parts.fact_writer.find(agent, &everything).await?;
        // A fact that is dated next year must not move all later entries behind it.
        let soon = now.saturating_add(annals_core::SignedDuration::from_mins(1)).unwrap_or(now);
        let instants = facts.iter().flat_map(|fact| [Some(fact.valid_from), fact.valid_to]).flatten();
        let last = instants.filter(|at| *at < soon).max();
        Ok(last.map_or(now, |last| now.max(value::after(last, 1))))
    }
}

/// Builds the graph from facts in the order in which they begin to hold.
fn graph(facts: &[Fact]) -> KnowledgeGraph {
    let mut graph = KnowledgeGraph::default();
    let mut indices: HashMap<String, usize> = HashMap::new();
    let mut untyped = Vec::new();
    for fact in facts.iter().filter(|fact| makes_entity(fact)) {
        let index = *indices.entry(entity_key(&fact.subject)).or_insert_with(|| {
            untyped.push(true);
            let (name, kind) = (fact.subject.clone(), UNTYPED.to_owned());
            graph.entities.push(Entity { name, kind, observations: Vec::new() });
            graph.entities.len() - 1
        });
        let entity = &mut graph.entities[index];
        if is_type(fact) && std::mem::replace(&mut untyped[index], false) {
            entity.kind = text_of(fact).to_owned();
            entity.name.clone_from(&fact.subject);
            continue;
        }
        if is_observation(fact) {
            entity.observations.push(text_of(fact).to_owned());
        }
    }
    let relations = facts.iter().filter(|fact| !is_type(fact) && !is_observation(fact));
    graph.relations = relations.map(relation).collect();
    graph
}

fn relation(fact: &Fact) -> Relation {
    Relation { from: fact.subject.clone(), to: text_of(fact).to_owned(), kind: relation_type(fact).to_owned() }
}

/// Returns whether the fact makes its subject an entity: a type, an observation, or a fact from a conversation. A relation that
/// a client entered does not.
fn makes_entity(fact: &Fact) -> bool {
    is_type(fact) || is_observation(fact) || fact.sources.iter().any(|source| source.as_str().starts_with("t-"))
}

fn is_type(fact: &Fact) -> bool {
    fact.predicate == ENTITY_TYPE && !fact.properties.contains_key(RELATION)
}

fn is_observation(fact: &Fact) -> bool {
    fact.predicate == OBSERVATION && !fact.properties.contains_key(RELATION)
}

impl KnowledgeGraph {
    /// Returns the entities that contain a text in name, type or observations, ignoring case, and the relations from or to
    /// them.
    pub fn search(self, text: &str) -> KnowledgeGraph {
        let text = text.to_lowercase();
        let has = |field: &String| field.to_lowercase().contains(&text);
        self.around(|entity| has(&entity.name) || has(&entity.kind) || entity.observations.iter().any(has))
    }

    /// Returns the entities with these names, and the relations from or to them.
    pub fn open(self, names: &[String]) -> KnowledgeGraph {
        self.around(|entity| names.iter().any(|name| entity_key(name) == entity_key(&entity.name)))
    }

    fn around(mut self, takes: impl Fn(&Entity) -> bool) -> KnowledgeGraph {
        self.entities.retain(takes);
        let names: Vec<String> = self.entities.iter().map(|entity| entity_key(&entity.name)).collect();
        let touches = |name: &String| names.contains(&entity_key(name));
        self.relations.retain(|relation| touches(&relation.from) || touches(&relation.to));
        self
    }

    /// Returns the entity with this name, compared without case, accents, surrounding punctuation and a leading article.
    pub fn entity(&self, name: &str) -> Option<&Entity> {
        let key = entity_key(name);
        self.entities.iter().find(|entity| entity_key(&entity.name) == key)
    }
}

#[cfg(test)]
mod tests;
