//! Walks over all memories of an agent in order of time. Only one piece of them is in memory at a time.

use std::collections::{HashMap, HashSet, VecDeque};

use annals_core::{Agent, Grain, Interval, Kind, Memory, MemoryId, Timestamp};
use annals_service::{AttachedMemory, Service};

use super::memory::{Details, Unit, imported, is_unit, stated_turn, with_details};
use crate::rest::Problem;

/// Maximum number of memories in a piece, unless more memories share an instant.
const PIECE: usize = 500;

/// The position of a walk from the oldest memory to the newest.
pub(super) struct Walk<'s> {
    service: &'s Service,
    agent: &'s Agent,
    /// Where the next piece begins; `None` at the end.
    from: Option<Timestamp>,
    /// Number of memories that one query reads. If all of them share an instant, the query is repeated for twice as many.
    most: usize,
}

/// Turns with their details, and the memories in mem0's sense at the same instants, oldest first.
pub(super) struct Piece {
    pub(super) turns: Vec<(Memory, Details)>,
    pub(super) units: Vec<Unit>,
}

impl<'s> Walk<'s> {
    pub(super) fn over(service: &'s Service, agent: &'s Agent) -> Walk<'s> {
        Walk { service, agent, from: Some(Timestamp::MIN), most: PIECE }
    }

    /// Returns the next piece; `None` after the last.
    pub(super) async fn next(&mut self) -> Result<Option<Piece>, Problem> {
        let Some(start) = self.from else { return Ok(None) };
        let listed = self.list(start).await?;
        Ok(Some(self.piece(listed).await?))
    }

    /// Lists the next memories. Memories of one instant are always in one piece, because a statement has the instant of its
    /// first turn.
    async fn list(&mut self, start: Timestamp) -> Result<Vec<Memory>, Problem> {
        let within = Interval { start, ..Interval::ALWAYS };
        let mut most = self.most;
        loop {
            let mut listed = self.service.in_order(self.agent, &[Grain::Working], within, most).await?;
            let Some(last) = listed.last().map(Memory::at).filter(|_| listed.len() == most) else {
                self.from = None;
                return Ok(listed);
            };
            listed.retain(|memory| memory.at() < last);
            if !listed.is_empty() {
                self.from = Some(last);
                return Ok(listed);
            }
            most *= 2;
        }
    }

    async fn piece(&self, listed: Vec<Memory>) -> Result<Piece, Problem> {
        let (turns, statements): (Vec<Memory>, Vec<Memory>) =
            listed.into_iter().partition(|memory| memory.kind() == Kind::Turn);
        let turns = self.service.with_attachments(self.agent, turns).await?;
        let details: HashMap<MemoryId, Details> =
            turns.iter().map(|turn| (turn.memory.id.clone(), Details::of(turn))).collect();
        let represented: HashSet<&MemoryId> = statements.iter().filter_map(stated_turn).collect();
        let with_details = |turn: AttachedMemory| {
            let details = details[&turn.memory.id].clone();
            (turn.memory, details)
        };
        let turns: Vec<(Memory, Details)> = turns.into_iter().map(with_details).collect();
        let stands = |turn: &Memory, details: &Details| {
            is_unit(turn, details) && (!details.infer || !represented.contains(&turn.id))
        };
        let verbatim = turns.iter().filter(|(turn, details)| stands(turn, details));
        let mut units: Vec<Unit> =
            verbatim.map(|(turn, details)| Unit::verbatim(turn.clone(), details.clone())).collect();
        units.extend(statements.iter().filter_map(|statement| {
            let turns = statement.sources().to_vec();
            let of_turn = || turns.iter().find_map(|turn| details.get(turn)).cloned();
            let details = imported(statement).or_else(of_turn)?;
            Some(Unit { memory: statement.clone(), details, turns })
        }));
        units.sort_by(|a, b| (a.memory.at(), &a.memory.id).cmp(&(b.memory.at(), &b.memory.id)));
        Ok(Piece { turns, units })
    }
}

/// Returns a page of the memories that pass, newest first, and the number of all that pass.
pub(super) async fn page(
    service: &Service,
    agent: &Agent,
    passes: impl Fn(&Unit) -> bool,
    skip: usize,
    limit: usize,
) -> Result<(usize, Vec<Unit>), Problem> {
    // The walk ends with the newest memory. So the ids of the last `skip + limit` memories that pass are kept, and the page
    // is among them.
    let (mut count, mut last) = (0, VecDeque::new());
    let mut walk = Walk::over(service, agent);
    while let Some(piece) = walk.next().await? {
        for unit in piece.units.iter().filter(|unit| passes(unit)) {
            count += 1;
            last.push_back(unit.memory.id.clone());
            if last.len() > skip.saturating_add(limit) {
                last.pop_front();
            }
        }
    }
    let shown: Vec<MemoryId> = last.into_iter().rev().skip(skip).take(limit).collect();
    let found = service.memories(agent, &shown).await?;
    Ok((count, with_details(service, agent, found).await?))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use annals_core::Role;
    use annals_service::wire::{IngestRequest, MessageIn};
    use annals_testkit::{agent, at};

    use super::*;
    use crate::fixture::{NOW, service};

    fn message(number: usize) -> MessageIn {
        MessageIn {
            role: Role::User,
            content: format!("text {number}"),
            conversation: Some(format!("talk {number}")),
            id: Some(number.to_string()),
            name: None,
            // Messages of several conversations may share an instant: here, three always do.
            at: Some(at(NOW) + annals_core::SignedDuration::from_secs(i64::try_from(number / 3).unwrap())),
            attachment: None,
            other: Default::default(),
        }
    }

    #[tokio::test]
    async fn pieces_hold_every_turn_once_whatever_their_size() {
        let service = service(Arc::new(|| at("2026-04-01T00:00:00Z")));
        let settings = service.admit(&agent("ann")).await.unwrap();
        let messages = (0..20).map(message).collect();
        let request = IngestRequest { messages, conversation: None, revise: false };
        service.ingest(&agent("ann"), &settings, request, service.now()).await.unwrap();
        let whole = service.in_order(&agent("ann"), &[Grain::Working], Interval::ALWAYS, usize::MAX).await.unwrap();
        let whole: Vec<MemoryId> = whole.into_iter().map(|turn| turn.id).collect();
        for most in [1, 2, 3, 4, 7, 20, 21] {
            let agent = agent("ann");
            let mut walk = Walk { most, ..Walk::over(&service, &agent) };
            let mut seen = Vec::new();
            while let Some(piece) = walk.next().await.unwrap() {
                assert_eq!(piece.turns.len(), piece.units.len());
                seen.extend(piece.turns.into_iter().map(|(turn, _)| turn.id));
            }
            assert_eq!(seen, whole, "{most}");
        }
        for (skip, limit) in [(0, 5), (5, 5), (18, 5), (20, 5)] {
            let passes = |unit: &Unit| unit.memory.text != "text 3";
            let (count, units) = page(&service, &agent("ann"), passes, skip, limit).await.unwrap();
            assert_eq!((count, units.len()), (19, limit.min(19_usize.saturating_sub(skip))), "{skip}");
        }
    }
}
