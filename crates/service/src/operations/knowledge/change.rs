//! Additions to the graph of facts and removals from it. Each call adds its operations to the fact log all or none.

use annals_core::{
    Agent, ENTITY_TYPE, Error, Fact, OBSERVATION, ObjectKind, Properties, Result, Timestamp, Verb, entity_key, harmless,
};
use annals_writer::FactInput;

use super::value::{after, predicate, relation_type, text_of, value};
use super::{Entity, Relation, graph, is_observation, is_type};
use crate::Service;

/// The operations that a call enters, in order. They are dated a microsecond apart, from `from` on, so that the order is kept.
struct Entries {
    from: Timestamp,
    inputs: Vec<FactInput>,
}

impl Entries {
    fn add(&mut self, subject: &str, predicate: &str, (object, properties): (String, Properties)) {
        self.push(Verb::Insert, subject, predicate, object, properties);
    }

    fn end(&mut self, fact: &Fact) {
        self.push(Verb::Delete, &fact.subject, &fact.predicate, fact.object.clone(), Properties::new());
    }

    fn push(&mut self, verb: Verb, subject: &str, predicate: &str, object: String, properties: Properties) {
        let at = after(self.from, self.inputs.len());
        let (subject, predicate) = (subject.to_owned(), predicate.to_owned());
        self.inputs.push(FactInput { verb, subject, predicate, object, properties, at });
    }
}

impl Service {
    /// Adds entities with their observations. Leaves entities that exist unchanged. Returns those that were added.
    pub async fn add_entities(&self, agent: &Agent, entities: Vec<Entity>, now: Timestamp) -> Result<Vec<Entity>> {
        let _facts_lock = self.lock_facts(agent).await?;
        let mut known = graph(&self.present_facts(agent).await?);
        let (mut entries, mut new) = (self.entries(agent, now).await?, Vec::new());
        for entity in entities {
            if known.entity(&entity.name).is_some() {
                continue;
            }
            entries.add(&entity.name, ENTITY_TYPE, value(&entity.kind, []));
            for (index, text) in entity.observations.iter().enumerate() {
                let others = entity.observations[..index].iter().map(String::as_str);
                entries.add(&entity.name, OBSERVATION, value(text, others.filter(|other| other != text)));
            }
            known.entities.push(entity.clone());
            new.push(entity);
        }
        self.enter(agent, entries, now).await?;
        Ok(new)
    }

    /// Adds relations. Returns those that did not exist before. The entities that a relation names need not exist.
    pub async fn add_relations(
        &self,
        agent: &Agent,
        relations: Vec<Relation>,
        now: Timestamp,
    ) -> Result<Vec<Relation>> {
        let _facts_lock = self.lock_facts(agent).await?;
        let mut known = graph(&self.present_facts(agent).await?).relations;
        let (mut entries, mut new) = (self.entries(agent, now).await?, Vec::new());
        for relation in relations {
            if known.iter().any(|other| is_same(other, &relation)) {
                continue;
            }
            let (predicate, predicate_properties) = predicate(&relation.kind);
            let (object, mut properties) = value(&relation.to, []);
            properties.extend(predicate_properties);
            entries.add(&relation.from, &predicate, (object, properties));
            known.push(relation.clone());
            new.push(relation);
        }
        self.enter(agent, entries, now).await?;
        Ok(new)
    }

    /// Adds observations to entities. Returns for each entity those that it did not have before. If an entity does not exist,
    /// adds nothing and fails with [`Error::NotFound`].
    pub async fn add_observations(
        &self,
        agent: &Agent,
        observations: Vec<(String, Vec<String>)>,
        now: Timestamp,
    ) -> Result<Vec<(String, Vec<String>)>> {
        let _facts_lock = self.lock_facts(agent).await?;
        let mut known = graph(&self.present_facts(agent).await?);
        let (mut entries, mut added) = (self.entries(agent, now).await?, Vec::new());
        for (name, texts) in observations {
            let missing = || Error::NotFound { what: ObjectKind::Entity, name: name.clone() };
            let key = entity_key(&name);
            let entity = known.entities.iter_mut().find(|entity| entity_key(&entity.name) == key);
            let entity = entity.ok_or_else(missing)?;
            let mut new = Vec::new();
            for text in texts.into_iter().filter(|text| !entity.observations.contains(text)).collect::<Vec<_>>() {
                entries.add(&entity.name, OBSERVATION, value(&text, entity.observations.iter().map(String::as_str)));
                new.push(text);
            }
            entity.observations.extend(new.iter().cloned());
            added.push((name, new));
        }
        self.enter(agent, entries, now).await?;
        Ok(added)
    }

    /// Ends all facts about these entities, and the relations from or to them. Skips unknown names.
    pub async fn remove_entities(&self, agent: &Agent, names: &[String], now: Timestamp) -> Result<()> {
        let keys: Vec<String> = names.iter().map(|name| entity_key(name)).collect();
        let touches = |name: &str| keys.contains(&entity_key(name));
        let is_end = |fact: &Fact| !is_type(fact) && !is_observation(fact) && touches(text_of(fact));
        self.end(agent, |fact| touches(&fact.subject) || is_end(fact), now).await
    }

    /// Ends observations of entities. Skips observations that do not exist.
    pub async fn remove_observations(
        &self,
        agent: &Agent,
        removed: &[(String, Vec<String>)],
        now: Timestamp,
    ) -> Result<()> {
        let is_meant = |fact: &Fact, (name, texts): &(String, Vec<String>)| {
            entity_key(name) == entity_key(&fact.subject) && texts.iter().any(|text| is_text_of(text, fact))
        };
        self.end(agent, |fact| is_observation(fact) && removed.iter().any(|removed| is_meant(fact, removed)), now).await
    }

    /// Ends relations. Skips relations that do not exist.
    pub async fn remove_relations(&self, agent: &Agent, removed: &[Relation], now: Timestamp) -> Result<()> {
        let is_meant = |fact: &Fact| {
            let kind = relation_type(fact).to_owned();
            let stored = Relation { from: fact.subject.clone(), to: text_of(fact).to_owned(), kind };
            removed.iter().any(|relation| is_same(relation, &stored))
        };
        self.end(agent, |fact| !is_type(fact) && !is_observation(fact) && is_meant(fact), now).await
    }

    async fn end(&self, agent: &Agent, is_meant: impl Fn(&Fact) -> bool, now: Timestamp) -> Result<()> {
        let _facts_lock = self.lock_facts(agent).await?;
        let mut entries = self.entries(agent, now).await?;
        self.present_facts(agent).await?.iter().filter(|fact| is_meant(fact)).for_each(|fact| entries.end(fact));
        self.enter(agent, entries, now).await
    }

    async fn entries(&self, agent: &Agent, now: Timestamp) -> Result<Entries> {
        Ok(Entries { from: self.next_instant(agent, now).await?, inputs: Vec::new() })
    }

    async fn enter(&self, agent: &Agent, entries: Entries, now: Timestamp) -> Result<()> {
        if entries.inputs.is_empty() {
            return Ok(());
        }
        self.parts.fact_writer.enter(agent, entries.inputs, now).await
    }
}

/// Returns whether a text equals the text of a fact, either as stored or as shown to a model.
fn is_text_of(text: &str, fact: &Fact) -> bool {
    text == text_of(fact) || text == harmless(text_of(fact))
}

fn is_same(one: &Relation, other: &Relation) -> bool {
    let key = |relation: &Relation| [&relation.from, &relation.to].map(|name| entity_key(name));
    key(one) == key(other) && predicate(&one.kind).0 == predicate(&other.kind).0
}
