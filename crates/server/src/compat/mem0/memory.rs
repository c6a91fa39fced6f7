//! Memories as mem0 shows them, from turns, statements and attachments.

use std::collections::HashMap;

use annals_core::{Agent, Error, Grain, Interval, Kind, Memory, MemoryId, ObjectKind, Role, Timestamp};
use annals_service::{AttachedMemory, Service};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::filter::instant;
use super::ids;
use crate::rest::Problem;

/// The details that mem0 keeps with the messages of one request. Stored as an attachment of each turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Details {
    pub(super) user_id: Option<String>,
    pub(super) agent_id: Option<String>,
    pub(super) app_id: Option<String>,
    pub(super) run_id: Option<String>,
    pub(super) metadata: Map<String, Value>,
    pub(super) infer: bool,
    pub(super) event: Option<String>,
    pub(super) expiration_date: Option<String>,
    /// Hides the turn itself, because a statement made from it was deleted.
    pub(super) is_hidden: bool,
}

#[derive(Deserialize)]
struct Attachment {
    mem0: Details,
}

impl Details {
    /// Returns these details as the attachment of a new turn.
    pub(super) fn to_attachment(&self) -> String {
        self.added_to(None)
    }

    /// Returns the given attachment with these details. Keeps the fields of other adapters.
    pub(super) fn added_to(&self, attachment: Option<&str>) -> String {
        let former = attachment.and_then(|json| serde_json::from_str::<Map<String, Value>>(json).ok());
        let mut fields = former.unwrap_or_default();
        fields.insert("mem0".into(), json!(self));
        Value::Object(fields).to_string()
    }

    /// Returns the details of a turn. For a turn that was stored through another interface, `run_id` is its
    /// conversation and, if a user said it, `user_id` its speaker.
    pub(super) fn of(turn: &AttachedMemory) -> Details {
        let attached = turn.attachment.as_deref().and_then(|json| serde_json::from_str::<Attachment>(json).ok());
        attached.map_or_else(|| Details::of_plain(&turn.memory), |attachment| attachment.mem0)
    }

    fn of_plain(turn: &Memory) -> Details {
        let is_user = turn.role() == Some(Role::User);
        let name = turn.speaker().filter(|name| is_user && *name != Role::User.as_str());
        let (user_id, run_id) = (name.map(str::to_owned), turn.conversation().map(str::to_owned));
        Details { user_id, run_id, infer: true, ..Details::default() }
    }
}

/// What mem0 calls a memory: a turn or a statement, with its details.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    pub(super) memory: Memory,
    pub(super) details: Details,
    /// The turns that the memory comes from; for a turn, the turn itself.
    pub(super) turns: Vec<MemoryId>,
}

impl Unit {
    /// Returns the memory that consists of this turn alone.
    pub(super) fn verbatim(turn: Memory, details: Details) -> Unit {
        Unit { turns: vec![turn.id.clone()], memory: turn, details }
    }

    /// Returns whether lists and searches show the memory: a statement, a turn added with `infer=false`, or a user's turn from
    /// which no statement was made. False for hidden turns.
    pub(super) async fn stands_by_itself(&self, service: &Service, agent: &Agent) -> Result<bool, Problem> {
        if self.memory.kind() == Kind::Statement {
            return Ok(true);
        }
        let is_unit = is_unit(&self.memory, &self.details);
        Ok(is_unit && (!self.details.infer || !has_statements(service, agent, &self.memory).await?))
    }

    /// Returns the fields of the memory that need no further query. Answers show them, and filters read them.
    pub(super) fn view(&self) -> Value {
        let details = &self.details;
        let at = self.memory.at().to_string();
        json!({
            "id": ids::uuid(self.memory.id.as_str()),
            "memory": self.memory.text,
            "user_id": details.user_id,
            "agent_id": details.agent_id,
            "app_id": details.app_id,
            "run_id": details.run_id,
            "metadata": details.metadata,
            "categories": [],
            "created_at": at,
            "updated_at": at,
            "expiration_date": details.expiration_date,
        })
    }

    /// Returns whether the last day of the memory is over.
    pub(super) fn is_expired(&self, now: Timestamp) -> bool {
        let end = self.details.expiration_date.as_deref().and_then(|day| instant(day, true));
        end.is_some_and(|end| end < now)
    }
}

/// Returns whether a turn can be a memory of its own: any turn that was added with `infer=false`, and otherwise the turns of
/// users. False for hidden turns.
pub(super) fn is_unit(turn: &Memory, details: &Details) -> bool {
    let is_said = matches!(turn.role(), Some(Role::User)) || !details.infer;
    is_said && !details.is_hidden
}

/// Returns the given turns and statements that are memories in mem0's sense, in their order.
pub(super) async fn units_of(service: &Service, agent: &Agent, found: Vec<Memory>) -> Result<Vec<Unit>, Problem> {
    let mut units = Vec::with_capacity(found.len());
    for unit in with_details(service, agent, found).await? {
        if unit.stands_by_itself(service, agent).await? {
            units.push(unit);
        }
    }
    Ok(units)
}

/// Returns turns and statements with their details, including those that lists leave out. A statement has the details of the
/// first of its turns that is stored. A statement without such a turn is left out, unless it was imported.
pub(super) async fn with_details(service: &Service, agent: &Agent, found: Vec<Memory>) -> Result<Vec<Unit>, Problem> {
    let turns: Vec<MemoryId> = found.iter().flat_map(turns_of).collect();
    let turns = service.memories(agent, &turns).await?;
    let turns = service.with_attachments(agent, turns).await?;
    let details: HashMap<&MemoryId, Details> = turns.iter().map(|turn| (&turn.memory.id, Details::of(turn))).collect();
    let unit = |memory: Memory| {
        let turns = turns_of(&memory);
        let of_turn = || turns.iter().find_map(|turn| details.get(turn)).cloned();
        let details = imported(&memory).or_else(of_turn)?;
        Some(Unit { memory, details, turns })
    };
    Ok(found.into_iter().filter_map(unit).collect())
}

/// Returns the details of an imported statement, which comes from no turn: its user is the person whom it is about. `None`
/// for other memories.
pub(super) fn imported(statement: &Memory) -> Option<Details> {
    let is_entry = statement.sources().first().is_some_and(MemoryId::is_entry);
    let user_id = statement.speaker().map(str::to_owned);
    (is_entry && statement.kind() == Kind::Statement).then(|| Details { user_id, infer: true, ..Details::default() })
}

/// Returns the ids of the turns that a memory comes from; for a turn, its own id.
fn turns_of(memory: &Memory) -> Vec<MemoryId> {
    if memory.kind() == Kind::Statement { memory.sources().to_vec() } else { vec![memory.id.clone()] }
}

/// Returns the memory with this UUID. As in mem0, the error for a text that is not a UUID differs from that for an unknown
/// UUID.
pub(super) async fn find(service: &Service, agent: &Agent, uuid: &str) -> Result<Unit, Problem> {
    let missing = || Problem::from(Error::NotFound { what: ObjectKind::Memory, name: uuid.to_owned() });
    let prefix = match ids::parse(uuid) {
        ids::Parsed::Prefix(prefix) => prefix,
        ids::Parsed::Foreign => return Err(missing()),
        ids::Parsed::Malformed => return Err(Problem::malformed("memory_id", "is not a UUID")),
    };
    let memory = service.find_by_prefix(agent, &prefix, 1).await?.pop().ok_or_else(missing)?;
    with_details(service, agent, vec![memory]).await?.pop().ok_or_else(missing)
}

/// Returns the turn that a statement restates: its first source, which has the instant of the statement. Further
/// sources only explain its words, such as who "she" is, and stay memories by themselves. `None` for other memories.
pub(super) fn stated_turn(memory: &Memory) -> Option<&MemoryId> {
    memory.sources().first().filter(|_| memory.kind() == Kind::Statement)
}

async fn has_statements(service: &Service, agent: &Agent, turn: &Memory) -> Result<bool, Problem> {
    let beside = service.in_order(agent, &[Grain::Working], turn.cover, usize::MAX).await?;
    Ok(beside.iter().any(|memory| stated_turn(memory) == Some(&turn.id)))
}

/// Returns the views of memories for an answer. Adds the time of the last change, which takes a query for each memory, and
/// the facts of their turns.
pub(super) async fn answered(service: &Service, agent: &Agent, units: &[Unit]) -> Result<Vec<Value>, Problem> {
    let facts = service.facts_said_within(agent, span(units), service.now()).await?;
    let mut answered = Vec::with_capacity(units.len());
    for unit in units {
        let mut view = unit.view();
        if let Some(version) = service.versions(agent, &unit.memory.id).await?.last() {
            view["updated_at"] = version.replaced_at.to_string().into();
        }
        let facts: Vec<Value> = facts
            .iter()
            .filter(|fact| unit.turns.iter().any(|turn| fact.sources.contains(turn)))
            .map(|fact| json!({ "subject": fact.subject, "predicate": fact.predicate, "object": fact.object }))
            .collect();
        view["structured_attributes"] = json!({ "facts": facts });
        answered.push(view);
    }
    Ok(answered)
}

/// Returns the interval in which the turns of these memories were said. A statement has the instant of its first turn.
fn span(units: &[Unit]) -> Interval {
    let covers = || units.iter().map(|unit| unit.memory.cover);
    let (start, end) = (covers().map(|cover| cover.start).min(), covers().map(|cover| cover.end).max());
    Interval { start: start.unwrap_or(Timestamp::MIN), end: end.unwrap_or(Timestamp::MIN) }
}
