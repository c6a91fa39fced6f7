//! Checks that records belong to a given agent.
//!
//! Memory ids derive from the name of their agent. A restore computes the ids of turns and summaries anew. References
//! between records would be dangling under another name: no sentence could be traced, and nothing could be forgotten by
//! its source.

use std::collections::HashSet;

use super::Record;
use crate::{Agent, Digest, Error, Grain, MemoryId, Result, TurnKey};

/// Fails with [`Error::Invalid`] if the records reference memories of another agent. Records without references fit any
/// agent.
pub fn check_origin(agent: &Agent, records: &[Record]) -> Result<()> {
    let mut origin = Origin::default();
    records.iter().for_each(|record| origin.add(agent, record));
    origin.check()
}

/// Checks records as [`check_origin`] does, one at a time. Uses about 16 bytes per id.
#[derive(Debug, Default)]
pub struct Origin {
    /// Ids that the records' memories have under the agent.
    known: HashSet<u64>,
    /// Referenced ids that are compared with the known ones, unless they are in `corrected`.
    mentioned: HashSet<u64>,
    /// Sources of operations. Their turns may be pruned.
    sources: HashSet<u64>,
    /// Corrected statements. Their ids derive from their former text.
    corrected: HashSet<u64>,
    /// Whether the records contain a sealed period, so that sources may be pruned.
    prunes: bool,
}

impl Origin {
    /// Records the ids of a record's memories and of the memories that it references.
    pub fn add(&mut self, agent: &Agent, record: &Record) {
        self.known.extend(derived(agent, record).iter().map(short));
        self.mentioned.extend(named(record).iter().map(short));
        match record {
            Record::Version { id, .. } if id.as_str().starts_with("f-") => self.corrected.extend([short(id)]),
            Record::Version { id, .. } => self.mentioned.extend([short(id)]),
            Record::Operation(operation) if operation.source.as_str().starts_with("t-") => {
                self.sources.extend([short(&operation.source)]);
            }
            Record::Period { base: Some(_), .. } => self.prunes = true,
            _ => {}
        }
    }

    /// Fails with [`Error::Invalid`] if the records reference memories of another agent.
    pub fn check(&self) -> Result<()> {
        let statements = self.mentioned.difference(&self.corrected);
        let sources = self.sources.iter().filter(|_| !self.prunes);
        let mut mentioned = statements.chain(sources).peekable();
        // One known id is enough. Hashes do not collide by chance, and a referenced memory may have been removed since.
        if mentioned.peek().is_none() || mentioned.any(|id| self.known.contains(id)) {
            return Ok(());
        }
        Err(Error::invalid(
            "agent",
            "does not match these records: they are of another agent, whose name is part of their ids; restore them under that name",
        ))
    }
}

fn short(id: &MemoryId) -> u64 {
    let digest = Digest::of([id.as_str()]).0;
    digest.iter().take(8).fold(0, |short, byte| short << 8 | u64::from(*byte))
}

/// Returns the ids that the memories of a record have under this agent.
fn derived(agent: &Agent, record: &Record) -> Vec<MemoryId> {
    match record {
        Record::Turn { conversation, id, .. } => {
            let key = TurnKey { conversation: conversation.clone(), id: id.clone() };
            vec![MemoryId::turn(agent, &key)]
        }
        Record::Statement { statement, .. } => {
            let first = statement.sources.first();
            let id = |source: &MemoryId| match statement.is_entered() {
                true => MemoryId::entered_statement(agent, source),
                false => MemoryId::statement(agent, source, &statement.text),
            };
            first.map(id).into_iter().collect()
        }
        // Includes the child periods, because they may be pruned and then have no records.
        Record::Period { period, .. } => {
            let below = period.children().into_iter().chain([*period]);
            below.map(|period| MemoryId::summary(agent, period)).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the ids in a record that are compared with the derived ones. The id of a statement counts only if the statement
/// was not corrected.
fn named(record: &Record) -> &[MemoryId] {
    match record {
        // A corrected statement keeps the id of its former text.
        Record::Statement { statement, .. } => std::slice::from_ref(&statement.id),
        Record::Period { period, sources, .. } if period.grain() != Grain::Daily => sources,
        // Sealed days are excluded, because their pruned turns are not in the records.
        Record::Period { base: None, dirty: false, sources, .. } => sources,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Date, Period, Timestamp};

    const WHO: [&str; 2] = ["ann", "bob"];

    fn agent(name: &str) -> Agent {
        Agent::new(name).unwrap()
    }

    fn turn_id(name: &str, id: &str) -> MemoryId {
        MemoryId::turn(&agent(name), &TurnKey { conversation: "talk".into(), id: id.into() })
    }

    fn turn(id: &str) -> Record {
        let line = format!(
            r#"{{"record":"turn","conversation":"talk","id":"{id}","day":"2026-03-04","at":"2026-03-04T10:00:00Z",
            "role":"user","content":"tea","extracted":true}}"#
        );
        serde_json::from_str(&line).unwrap()
    }

    fn summary(label: &str, sources: &[MemoryId], sealed: bool) -> Record {
        let base = sealed.then(|| serde_json::json!({"text": "", "sentences": [], "sources": [], "verbatim": true}));
        let record = serde_json::json!({
            "record": "period", "period": label, "text": "Tea.", "sources": sources, "dirty": false, "cover": null,
            "dirty_at": "2026-03-04T10:00:00Z", "input": null, "recipe": null, "base": base,
        });
        serde_json::from_value(record).unwrap()
    }

    fn version(id: MemoryId) -> Record {
        Record::Version { id, text: "Former.".into(), replaced_at: Timestamp::UNIX_EPOCH, sent: false }
    }

    fn statement(of: &str, text: &str) -> Record {
        let source = turn_id(of, "1");
        let id = MemoryId::statement(&agent(of), &source, text);
        let statement = serde_json::json!({
            "id": id, "text": text, "topic": "event", "importance": 0.5, "who": [], "when": null, "day": "2026-03-04",
            "cover": { "start": "2026-03-04T10:00:00Z", "end": "2026-03-04T10:00:01Z" }, "sources": [source],
        });
        Record::Statement { statement: serde_json::from_value(statement).unwrap(), pinned: false }
    }

    fn operation(source: MemoryId) -> Record {
        let operation = serde_json::json!({
            "record": "operation", "id": "o-1", "verb": "INSERT", "subject": "Ann", "predicate": "likes", "object": "tea",
            "confidence": 0.5, "at": "2026-03-04T10:00:00Z", "said_at": "2026-03-04T10:00:00Z", "source": source,
            "position": 0, "recorded_at": "2026-03-04T10:00:00Z",
        });
        serde_json::from_value(operation).unwrap()
    }

    fn day(of: &str) -> MemoryId {
        MemoryId::summary(&agent(of), Period::of(Grain::Daily, Date::constant(2026, 3, 4)))
    }

    /// Checks records that ann exported. `fits_other_agents` is whether bob may restore them too.
    fn check(records: &[Record], fits_other_agents: bool) {
        let [own, other] = WHO.map(|name| check_origin(&agent(name), records).is_ok());
        assert_eq!((own, other), (true, fits_other_agents), "{records:?}");
    }

    #[test]
    fn records_with_references_fit_one_agent_only() {
        check(&[], true);
        check(&[turn("1")], true);
        check(&[turn("1"), summary("2026-03-04", &[turn_id("ann", "1")], false)], false);
        check(&[summary("2026-W10", &[day("ann")], true)], false);
        check(&[summary("2026-W10", &[day("ann")], false), turn("9")], false);
        check(&[turn("1"), statement("ann", "Tea is good.")], false);
        check(&[turn("1"), operation(turn_id("ann", "1"))], false);
        check(&[turn("1"), version(turn_id("ann", "1"))], false);
        check(&[summary("2026-03-04", &[], false), version(day("ann"))], false);
    }

    /// Absent references are no evidence if the memories may have been pruned or reworded.
    #[test]
    fn references_to_pruned_or_corrected_memories_are_accepted() {
        let pruned = turn_id("ann", "gone");
        check(&[summary("2026-03-04", std::slice::from_ref(&pruned), true)], true);
        check(&[summary("2026-03-04", &[], true), operation(pruned)], true);
        check(&[operation(MemoryId::from_text("u-entry"))], true);
        let Record::Statement { mut statement, pinned } = statement("ann", "Tea is good.") else { unreachable!() };
        statement.text = "Tea is fine.".into();
        let former = version(statement.id.clone());
        check(&[turn("1"), Record::Statement { statement, pinned }, former], true);
    }

    #[test]
    fn error_for_foreign_records_names_the_agent() {
        let error = check_origin(&agent("bob"), &[summary("2026-W10", &[day("ann")], true)]).unwrap_err().to_string();
        assert!(error.starts_with("agent does not match these records"), "{error}");
    }
}
