//! Stores turns: recognises stored, pruned and forgotten ones, marks the days of new and revised ones dirty, and records the
//! request.

use std::collections::{BTreeMap, HashMap};

use annals_core::ports::{Comparison, OnConflict, Origin, Turn, Turns};
use annals_core::{Agent, Digest, Error, Grain, IngestReceipt, MemoryId, Message, Period, Timestamp, TurnKey};
use async_trait::async_trait;

use crate::changes::Numbers;
use crate::columns::{number, signed};
use crate::db::{Db, Failure, Result, Row, params};
use crate::forgotten::KeyedHashes;
use crate::turns::Moments;
use crate::turns::{Stored, StoredFields};
use crate::{Backend, SqlCatalog};
use crate::{agents, ledger, pruned, turns, versions};

#[async_trait]
impl<B: Backend> Turns for SqlCatalog<B> {
    async fn ingest(
        &self,
        agent: &Agent,
        turns: Vec<Turn>,
        on_conflict: OnConflict,
        now: Timestamp,
    ) -> annals_core::Result<IngestReceipt> {
        let agent = agent.clone();
        self.thread.write("storing messages", move |c| ingest(c, &agent, &turns, on_conflict, now)).await
    }

    async fn compare(&self, agent: &Agent, messages: &[(TurnKey, Message)]) -> annals_core::Result<Vec<Comparison>> {
        let (agent, messages) = (agent.clone(), messages.to_vec());
        self.thread.read("comparing messages", move |c| compare(c, &agent, &messages)).await
    }

    async fn operation(&self, agent: &Agent, id: &str) -> annals_core::Result<Option<IngestReceipt>> {
        let (agent, id) = (agent.clone(), id.to_owned());
        self.thread.read("reading an operation", move |c| operation(c, &agent, &id)).await
    }

    async fn attachments(&self, agent: &Agent, ids: &[MemoryId]) -> annals_core::Result<Vec<Option<String>>> {
        let (agent, ids) = (agent.clone(), ids.to_vec());
        let read = move |db: &dyn Db| {
            let agent_id = agents::known(db, &agent)?;
            ids.iter().map(|id| turns::attachment(db, agent_id, id)).collect()
        };
        self.thread.read("reading attachments", read).await
    }

    async fn attach(&self, agent: &Agent, id: &MemoryId, attachment: &str) -> annals_core::Result<bool> {
        let (agent, id, attachment) = (agent.clone(), id.clone(), attachment.to_owned());
        let write = move |db: &dyn Db| turns::attach(db, agents::known(db, &agent)?, &id, &attachment);
        self.thread.write("saving an attachment", write).await
    }
}

/// Number of hex digits of the digest in an operation id: 104 bits.
const OPERATION_ID: usize = 26;

/// Stores the turns, all or none, and returns the receipt. See [`OnConflict`] for a turn whose key is stored with other
/// content.
pub(crate) fn ingest(
    db: &dyn Db,
    agent: &Agent,
    turns: &[Turn],
    on_conflict: OnConflict,
    now: Timestamp,
) -> Result<IngestReceipt> {
    let masked = turns.iter().map(|turn| turn.masked).sum();
    let mut operation = IngestReceipt { id: operation_id(turns), masked, ..IngestReceipt::default() };
    if turns.is_empty() {
        return Ok(operation);
    }
    let agent_id = agents::enrolled(db, agent)?;
    let hashes = KeyedHashes::known(db, agent)?;
    let mut agent_turns = AgentTurns {
        db,
        agent,
        agent_id,
        numbers: Numbers::begin(db, agent_id)?,
        hashes,
        now,
        moments: Moments::default(),
        pruned: HashMap::new(),
        dirty: BTreeMap::new(),
    };
    for turn in turns {
        check(agent, turn)?;
        let seq = agent_turns.store(turn, on_conflict, &mut operation)?;
        operation.seq = operation.seq.max(seq);
    }
    for (day, seq) in &agent_turns.dirty {
        ledger::mark_dirty(db, agent_id, *day, *seq, now)?;
    }
    agent_turns.numbers.save_ingest(db, now)?;
    save_operation(db, agent_id, &operation)?;
    Ok(operation)
}

/// Records a request with turns that were all stored or forgotten before. Returns its receipt, with all of them as duplicates.
pub(crate) fn repeat(db: &dyn Db, agent: &Agent, turns: &[Turn]) -> Result<IngestReceipt> {
    let receipt = IngestReceipt { id: operation_id(turns), duplicate: turns.len() as u64, ..IngestReceipt::default() };
    save_operation(db, agents::enrolled(db, agent)?, &receipt)?;
    Ok(receipt)
}

/// Compares each message with the turn that is stored under its key.
pub(crate) fn compare(db: &dyn Db, agent: &Agent, messages: &[(TurnKey, Message)]) -> Result<Vec<Comparison>> {
    let agent_id = agents::known(db, agent)?;
    let hashes = KeyedHashes::known(db, agent)?;
    let compare = |(key, message): &(TurnKey, Message)| -> Result<Comparison> {
        let id = MemoryId::turn(agent, key);
        let values = params![agent_id, id.as_str()];
        let Some(known) = turns::find(db, turns::BY_ID, values)?.pop() else { return Ok(Comparison::New) };
        Ok(match (is_what_was_sent(&known, message, hashes.as_ref()), known.sent) {
            (true, _) => Comparison::Same,
            (false, None) => Comparison::Different,
            (false, Some(_)) => Comparison::DifferentFromCorrected,
        })
    };
    messages.iter().map(compare).collect()
}

/// Returns whether the message equals the stored turn, or what the client sent last before a person corrected the turn.
fn is_what_was_sent(known: &Stored, message: &Message, hashes: Option<&KeyedHashes>) -> bool {
    let corrected = || known.sent.zip(hashes).is_some_and(|(sent, hashes)| hashes.content_of(message) == sent);
    message.digest() == known.as_sent().digest() || corrected()
}

/// Returns the receipt of the accepted request with this id.
pub(crate) fn operation(db: &dyn Db, agent: &Agent, id: &str) -> Result<Option<IngestReceipt>> {
    let sql = "SELECT * FROM operation WHERE agent_id = ?1 AND id = ?2";
    db.query_optional(sql, params![agents::known(db, agent)?, id], read_operation)
}

/// Checks what the unique index over ids and the ledger rely on: the id is that of the key, and `day` is a day.
pub(crate) fn check(agent: &Agent, turn: &Turn) -> Result<()> {
    if turn.id != MemoryId::turn(agent, &turn.key) {
        return Err(Error::invalid("id", format!("{} does not match the position of the turn", turn.id)).into());
    }
    if turn.day.grain() != Grain::Daily {
        return Err(Error::invalid("day", format!("{} is not a day", turn.day)).into());
    }
    Ok(())
}

/// Stores the turns of one request, and collects the days that become dirty.
struct AgentTurns<'c> {
    db: &'c dyn Db,
    agent: &'c Agent,
    agent_id: i64,
    numbers: Numbers,
    hashes: Option<KeyedHashes<'c>>,
    now: Timestamp,
    moments: Moments,
    /// The pruned turns in this request, each with the digest of its message.
    pruned: HashMap<MemoryId, Digest>,
    /// The days with new input, each with the sequence number of its last input.
    dirty: BTreeMap<Period, i64>,
}

impl AgentTurns<'_> {
    /// Stores and counts one turn. Returns the sequence number of the stored turn; 0 if the turn is not
    /// stored, because it is forgotten or was pruned.
    fn store(&mut self, turn: &Turn, on_conflict: OnConflict, counts: &mut IngestReceipt) -> Result<u64> {
        if let Some(hashes) = &self.hashes
            && hashes.is_forgotten(&turn.key, &turn.message.digest())?
        {
            counts.forgotten += 1;
            return Ok(0);
        }
        let values = params![self.agent_id, turn.id.as_str()];
        let Some(known) = turns::find(self.db, turns::BY_ID, values)?.pop() else {
            if self.is_pruned(turn, on_conflict)? {
                counts.duplicate += 1;
                return Ok(0);
            }
            counts.accepted += 1;
            return self.insert(turn);
        };
        if self.is_same(turn, &known) {
            counts.duplicate += 1;
            return Ok(known.seq);
        }
        if on_conflict == OnConflict::Refuse {
            return Err(conflict(turn));
        }
        counts.revised += 1;
        self.revise(turn, &known)
    }

    /// Returns whether the turn was pruned and is not to be stored again: the sealed summary would contain it twice. Only a
    /// revision with other content is late input. A turn whose content is not recorded counts as unchanged.
    fn is_pruned(&mut self, turn: &Turn, on_conflict: OnConflict) -> Result<bool> {
        let Some(pruned) = pruned::get(self.db, self.agent_id, &turn.id)? else { return Ok(false) };
        if on_conflict == OnConflict::Revise {
            let sent_at = if turn.origin == Origin::Untimed { pruned.at } else { Some(turn.message.at) };
            let sent = sent_at.map(|at| Message { at, ..turn.message.clone() });
            let known = pruned.content.zip(sent).zip(self.hashes.as_ref());
            return Ok(known.is_none_or(|((content, sent), hashes)| hashes.content_of(&sent) == content));
        }
        // Its text is gone, but one request cannot have two contents under one key.
        let digest = claimed(turn).digest();
        match *self.pruned.entry(turn.id.clone()).or_insert(digest) == digest {
            true => Ok(true),
            false => Err(conflict(turn)),
        }
    }

    fn is_same(&self, turn: &Turn, known: &Stored) -> bool {
        match turn.origin {
            Origin::Client => is_what_was_sent(known, &turn.message, self.hashes.as_ref()),
            Origin::Untimed => {
                let message = Message { at: known.as_sent().at, ..turn.message.clone() };
                is_what_was_sent(known, &message, self.hashes.as_ref())
            }
            Origin::Correction => known.turn.message.content == turn.message.content,
        }
    }

    fn insert(&mut self, turn: &Turn) -> Result<u64> {
        let seq = self.numbers.next();
        let stored_fields = self.stored_fields(turn)?;
        turns::insert(self.db, self.agent_id, turn, &stored_fields, seq)?;
        Ok(self.touch(&[turn.day], seq))
    }

    /// Returns the instant to store: that of the turn, or the first free one after it. If the turn is moved, also returns the
    /// instant that the client sent, if it sent one.
    fn stored_fields(&mut self, turn: &Turn) -> Result<StoredFields> {
        let sent_at = turn.message.at;
        let at = self.moments.free(self.db, self.agent_id, turn)?;
        let moved = at != sent_at && turn.origin == Origin::Client;
        Ok(StoredFields { at, sent_at: moved.then_some(sent_at), sent: None })
    }

    fn revise(&mut self, turn: &Turn, known: &Stored) -> Result<u64> {
        let seq = self.numbers.next();
        let former = &known.turn;
        let moves = turn.origin == Origin::Client && turn.message.at != known.as_sent().at;
        let mut stored_fields = if moves {
            self.stored_fields(turn)?
        } else {
            StoredFields { at: former.message.at, sent_at: known.sent_at, sent: None }
        };
        let mut turn = turn.clone();
        match turn.origin {
            Origin::Client => {}
            // No instant was sent: the turn keeps its own.
            Origin::Untimed => turn.day = former.day,
            Origin::Correction => {
                turn.day = former.day;
                stored_fields.sent = Some(known.sent_content(&KeyedHashes::ready(self.db, self.agent)?));
            }
        }
        turns::revise(self.db, self.agent_id, &turn, &stored_fields, seq)?;
        if moves {
            // The former instant is free again.
            self.moments = Moments::default();
        }
        let text = &former.message.content;
        if *text != turn.message.content {
            versions::keep(self.db, self.agent_id, &turn.id, text, self.now)?;
        }
        Ok(self.touch(&[former.day, turn.day], seq))
    }

    fn touch(&mut self, days: &[Period], seq: i64) -> u64 {
        self.dirty.extend(days.iter().map(|day| (*day, seq)));
        seq.unsigned_abs()
    }
}

/// Returns the message as it counts for comparisons. Without an instant of the client it has the epoch, so that the same
/// message is equal whenever it is sent.
fn claimed(turn: &Turn) -> Message {
    let at = if turn.origin == Origin::Untimed { Timestamp::UNIX_EPOCH } else { turn.message.at };
    Message { at, ..turn.message.clone() }
}

fn conflict(turn: &Turn) -> Failure {
    let TurnKey { conversation, id } = turn.key.clone();
    Error::Conflict { conversation, id }.into()
}

/// Computes the id of an operation from its turns, so that the same turns give the same id whenever they are sent. The id
/// differs between agents, as the ids of turns do.
fn operation_id(turns: &[Turn]) -> String {
    let parts = turns.iter().flat_map(|turn| {
        let content = claimed(turn).digest().0.to_vec();
        [turn.id.as_str().as_bytes().to_vec(), content]
    });
    format!("o-{}", &Digest::of(parts).to_string()[..OPERATION_ID])
}

pub(crate) fn save_operation(db: &dyn Db, agent_id: i64, operation: &IngestReceipt) -> Result<()> {
    let sql = "INSERT INTO operation (agent_id, id, accepted, duplicate, revised, forgotten, masked, seq)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        ON CONFLICT (agent_id, id) DO UPDATE
        SET accepted = excluded.accepted,
            duplicate = excluded.duplicate,
            revised = excluded.revised,
            forgotten = excluded.forgotten,
            masked = excluded.masked,
            seq = excluded.seq";
    db.execute(
        sql,
        params![
            agent_id,
            operation.id,
            signed(operation.accepted),
            signed(operation.duplicate),
            signed(operation.revised),
            signed(operation.forgotten),
            signed(operation.masked),
            signed(operation.seq),
        ],
    )?;
    Ok(())
}

pub(crate) fn read_operation(row: &Row) -> Result<IngestReceipt> {
    Ok(IngestReceipt {
        id: row.get("id")?,
        accepted: number(row, "accepted")?,
        duplicate: number(row, "duplicate")?,
        revised: number(row, "revised")?,
        forgotten: number(row, "forgotten")?,
        masked: number(row, "masked")?,
        seq: number(row, "seq")?,
    })
}

#[cfg(test)]
mod tests {
    use annals_core::prelude::*;
    use annals_testkit::{agent, at, period};

    use super::*;
    use crate::fixture::{Folder, user_turn};

    #[tokio::test]
    async fn repeated_request_keeps_its_operation_and_sequence() {
        let folder = Folder::new();
        let (catalog, me, other) = (folder.open(), agent("me"), agent("other"));
        let now = at("2026-06-01T00:00:00Z");
        let request = vec![user_turn(&me, "1", "tea"), user_turn(&me, "2", "cake")];
        let first = catalog.ingest(&me, request.clone(), OnConflict::Refuse, now).await.unwrap();
        catalog.ingest(&other, vec![user_turn(&other, "1", "later")], OnConflict::Refuse, now).await.unwrap();
        let again = catalog.ingest(&me, request, OnConflict::Refuse, now).await.unwrap();
        // The repeated request does not wait for another agent's later change.
        assert_eq!(again, IngestReceipt { accepted: 0, duplicate: 2, ..first });
        assert_eq!(catalog.operation(&me, &again.id).await.unwrap(), Some(again));
    }

    #[tokio::test]
    async fn failed_request_releases_its_sequence_numbers() {
        let folder = Folder::new();
        let (catalog, me, now) = (folder.open(), agent("me"), at("2026-06-01T00:00:00Z"));
        let store = async |ids: &[(&str, &str)]| {
            let turns = ids.iter().map(|(id, text)| user_turn(&me, id, text)).collect();
            catalog.ingest(&me, turns, OnConflict::Refuse, now).await
        };
        assert_eq!(store(&[("1", "tea")]).await.unwrap().seq, 1);
        assert!(store(&[("2", "cake"), ("3", "jam"), ("1", "coffee")]).await.is_err());
        assert_eq!(store(&[("2", "cake"), ("3", "jam")]).await.unwrap().seq, 3);
    }

    #[tokio::test]
    async fn mismatched_id_and_non_daily_period_are_refused() {
        let folder = Folder::new();
        let (catalog, me, now) = (folder.open(), agent("me"), at("2026-06-01T00:00:00Z"));
        let good = user_turn(&me, "1", "tea");
        let by_chance = Turn { id: MemoryId::from_text("t-chance"), ..good.clone() };
        let weekly = Turn { day: period("2026-W10"), ..good };
        for (turn, expect) in
            [(by_chance, "id t-chance does not match the position of the turn"), (weekly, "day 2026-W10 is not a day")]
        {
            let error = catalog.ingest(&me, vec![turn], OnConflict::Refuse, now).await.unwrap_err();
            assert_eq!(error.to_string(), expect);
        }
        assert_eq!(catalog.all_agents().await.unwrap(), []);
    }
}
