//! Memories as mem0 shows them, from turns, statements and attachments.

use std::collections::{HashMap, HashSet};

use annals_core::{Agent, Error, Grain, Kind, Memory, MemoryId, Role, Timestamp};
use annals_service::wire::FactsRequest;
use annals_service::{AttachedMemory, Service};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::filter::{Filter, instant};
use super::ids;
use crate::rest::Problem;

/// What mem0 keeps with the messages of one request, as an attachment of each turn.
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
    /// Whether the turn itself is no memory, because the statements that were made of it were deleted.
    pub(super) is_hidden: bool,
}

#[derive(Deserialize)]
struct Attachment {
    mem0: Details,
}

impl Details {
    /// Returns the attachment that holds these details.
    pub(super) fn to_attachment(&self) -> String {
        self.added_to(None)
    }

    /// Returns an attachment with these details. What other adapters keep there stays.
    pub(super) fn added_to(&self, attachment: Option<&str>) -> String {
        let former = attachment.and_then(|json| serde_json::from_str::<Map<String, Value>>(json).ok());
        let mut fields = former.unwrap_or_default();
        fields.insert("mem0".into(), json!(self));
        Value::Object(fields).to_string()
    }

    /// Returns the details of a turn. A turn that came by another way belongs to its speaker and its conversation.
    fn of(turn: &AttachedMemory) -> Details {
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

/// A memory in mem0's sense.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    pub(super) memory: Memory,
    pub(super) details: Details,
    /// The turns that it comes from, or itself.
    pub(super) turns: Vec<MemoryId>,
}

impl Unit {
    /// Returns the fields that filters read.
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

    /// Returns whether the memory has expired: its day is over.
    pub(super) fn is_expired(&self, now: Timestamp) -> bool {
        let end = self.details.expiration_date.as_deref().and_then(|day| instant(day, true));
        end.is_some_and(|end| end < now)
    }
}

/// The turns of an agent with their details, and the memories that follow.
pub(super) struct Memories {
    pub(super) turns: Vec<(Memory, Details)>,
    pub(super) units: Vec<Unit>,
}

impl Memories {
    /// Reads all memories of an agent, oldest first.
    pub(super) async fn read(service: &Service, agent: &Agent) -> Result<Memories, Problem> {
        let all = service.memories_of(agent, Grain::Working).await?;
        let (turns, statements): (Vec<Memory>, Vec<Memory>) =
            all.into_iter().partition(|memory| memory.kind() == Kind::Turn);
        let turns = service.with_attachments(agent, turns).await?;
        let with_details = |turn: AttachedMemory| {
            let details = Details::of(&turn);
            (turn.memory, details)
        };
        let turns: Vec<(Memory, Details)> = turns.into_iter().map(with_details).collect();
        let details: HashMap<&MemoryId, &Details> = turns.iter().map(|(turn, details)| (&turn.id, details)).collect();
        let told: HashSet<&MemoryId> = statements.iter().flat_map(Memory::sources).collect();
        let mut units: Vec<Unit> = statements.iter().filter_map(|statement| unit_of(statement, &details)).collect();
        let verbatim = turns
            .iter()
            .filter(|(turn, details)| is_unit(turn, details) && (!details.infer || !told.contains(&turn.id)));
        units.extend(verbatim.map(|(turn, details)| verbatim_unit(turn, details)));
        units.sort_by(|a, b| (a.memory.at(), &a.memory.id).cmp(&(b.memory.at(), &b.memory.id)));
        Ok(Memories { turns, units })
    }

    /// Returns the ids of the turns that a filter admits, of whatever role.
    pub(super) fn turns_admitted(&self, filter: &Filter) -> Vec<MemoryId> {
        let admits = |(turn, details): &&(Memory, Details)| filter.admits(&verbatim_unit(turn, details).view());
        self.turns.iter().filter(admits).map(|(turn, _)| turn.id.clone()).collect()
    }
}

fn unit_of(statement: &Memory, details: &HashMap<&MemoryId, &Details>) -> Option<Unit> {
    let details = match entered(statement) {
        Some(entered) => entered,
        None => statement.sources().iter().find_map(|source| details.get(source)).map(|details| (*details).clone())?,
    };
    Some(Unit { memory: statement.clone(), details, turns: statement.sources().to_vec() })
}

/// Returns the details of a statement that an import brought: it belongs to whom it is about, and comes from no turn.
fn entered(statement: &Memory) -> Option<Details> {
    let is_entered = statement.sources().first().is_some_and(MemoryId::is_entry);
    let user_id = statement.speaker().map(str::to_owned);
    is_entered.then(|| Details { user_id, infer: true, ..Details::default() })
}

fn verbatim_unit(turn: &Memory, details: &Details) -> Unit {
    Unit { memory: turn.clone(), details: details.clone(), turns: vec![turn.id.clone()] }
}

/// Returns whether a turn may be a memory by itself: word by word whatever was added so, otherwise what the user said.
fn is_unit(turn: &Memory, details: &Details) -> bool {
    let is_said = matches!(turn.role(), Some(Role::User)) || !details.infer;
    is_said && !details.is_hidden
}

/// Returns the memories that some turns and statements stand for, in their order. A turn with statements stands for none of
/// its own; its statements are found by themselves.
pub(super) async fn units_of(service: &Service, agent: &Agent, found: Vec<Memory>) -> Result<Vec<Unit>, Problem> {
    let mut units = Vec::with_capacity(found.len());
    for memory in found {
        units.extend(unit(service, agent, memory, false).await?);
    }
    Ok(units)
}

/// Returns the memory with this UUID. mem0 tells an id that is none from one that is unknown.
pub(super) async fn find(service: &Service, agent: &Agent, uuid: &str) -> Result<Unit, Problem> {
    let missing = || Problem::from(Error::NotFound { what: "memory", name: uuid.to_owned() });
    let prefix = match ids::parse(uuid) {
        ids::Parsed::Prefix(prefix) => prefix,
        ids::Parsed::Foreign => return Err(missing()),
        ids::Parsed::Malformed => return Err(Problem::malformed("memory_id", "is not a UUID")),
    };
    let memory = service.find_by_prefix(agent, &prefix, 1).await?.pop().ok_or_else(missing)?;
    unit(service, agent, memory, true).await?.ok_or_else(missing)
}

/// Returns the memory that a turn or statement is. With `any`, also a turn that lists leave out.
async fn unit(service: &Service, agent: &Agent, memory: Memory, any: bool) -> Result<Option<Unit>, Problem> {
    if let Some(details) = entered(&memory).filter(|_| memory.kind() == Kind::Statement) {
        return Ok(Some(Unit { details, turns: Vec::new(), memory }));
    }
    if memory.kind() == Kind::Statement {
        let sources = service.memories(agent, memory.sources()).await?;
        let turns = service.with_attachments(agent, sources).await?;
        let Some(first) = turns.first() else { return Ok(None) };
        return Ok(Some(Unit { details: Details::of(first), turns: memory.sources().to_vec(), memory }));
    }
    let Some(turn) = service.with_attachments(agent, vec![memory]).await?.pop() else { return Ok(None) };
    let (details, memory) = (Details::of(&turn), turn.memory);
    if !any && (!is_unit(&memory, &details) || (details.infer && has_statements(service, agent, &memory).await?)) {
        return Ok(None);
    }
    Ok(Some(verbatim_unit(&memory, &details)))
}

/// Returns whether a statement was extracted from a turn. A statement covers the instant of its first source.
async fn has_statements(service: &Service, agent: &Agent, turn: &Memory) -> Result<bool, Problem> {
    let beside = service.in_order(agent, &[Grain::Working], turn.cover, usize::MAX).await?;
    Ok(beside.iter().any(|memory| memory.kind() == Kind::Statement && memory.sources().contains(&turn.id)))
}

/// Returns memories as they are answered, with what costs a look-up of each: when they were last changed, and their facts.
pub(super) async fn answered(service: &Service, agent: &Agent, units: &[Unit]) -> Result<Vec<Value>, Problem> {
    let facts = service.ask_facts(agent, FactsRequest::default(), service.now()).await?.facts;
    let mut answered = Vec::with_capacity(units.len());
    for unit in units {
        let mut view = unit.view();
        if let Some(version) = service.versions(agent, &unit.memory.id).await?.last() {
            view["updated_at"] = version.replaced_at.to_string().into();
        }
        let is_of = |sources: &[String]| unit.turns.iter().any(|turn| sources.iter().any(|id| id == turn.as_str()));
        let facts: Vec<Value> = facts
            .iter()
            .filter(|fact| is_of(&fact.source_ids))
            .map(|fact| json!({ "subject": fact.subject, "predicate": fact.predicate, "object": fact.object }))
            .collect();
        view["structured_attributes"] = json!({ "facts": facts });
        answered.push(view);
    }
    Ok(answered)
}
