//! Everything in again. The memories get new numbers, so every table of the agent learns of them as of any others.

use annals_core::ports::{Access, Block, Origin, Record, Turn, check_origin};
use annals_core::{Agent, Base, Digest, Error, LedgerRow, MemoryId, Message, Period, Timestamp, TurnKey};
use data_encoding::HEXLOWER;
use rusqlite::{Connection, params};

use crate::columns::word;
use crate::failure::Result;
use crate::forgotten::KeyedHashes;
use crate::pruned::Pruned;
use crate::summaries;
use crate::turns::Place;
use crate::{
    accesses, agents, bases, blocks, counts, extraction, get, ingest, ledger, log, pins, pruned, sequence, statements,
    turns, versions,
};

const DAYS_WITHOUT_ROW: &str = include_str!("../sql/days_without_row.sql");

/// Stores records for an agent that holds no memories yet.
pub(crate) fn restore(connection: &Connection, agent: &Agent, mut records: Vec<Record>, now: Timestamp) -> Result<()> {
    let agent_id = agents::enrolled(connection, agent)?;
    let memories = counts::counts(connection, agent)?.memories.iter().sum::<u64>();
    // A sealed period may be without summary for a while, and lives on in its base.
    let sealed = bases::periods(connection, agent_id)?.len();
    let blocks = blocks::of(connection, agent_id)?.len();
    if memories > 0 || sealed > 0 || blocks > 0 || !log::all(connection, agent_id)?.is_empty() {
        return Err(Error::invalid("agent", "holds memories already").into());
    }
    check_origin(agent, &records)?;
    records.sort_by_key(rank);
    let restoring = Restoring { connection, agent, agent_id, forgotten: KeyedHashes::known(connection, agent)? };
    records.into_iter().try_for_each(|record| restoring.take(record))?;
    restoring.soil_days_without_row(now)
}

/// Extraction has read all turns up to a number: those that it has read come in first. A period comes in after what it is
/// made of, so that its row is the newer.
fn rank(record: &Record) -> u8 {
    match record {
        Record::Settings(_) => 0,
        Record::Turn { extracted: true, .. } => 1,
        Record::Turn { .. } => 2,
        // Of memories that are there.
        Record::Access { .. } => 4,
        _ => 3,
    }
}

struct Restoring<'c> {
    connection: &'c Connection,
    agent: &'c Agent,
    agent_id: i64,
    forgotten: Option<KeyedHashes<'c>>,
}

impl Restoring<'_> {
    fn take(&self, record: Record) -> Result<()> {
        match record {
            Record::Settings(settings) => agents::save_settings(self.connection, self.agent, &settings),
            Record::Turn { conversation, id, day, at, sent_at, role, name, content, extracted, pinned } => {
                let message = Message { conversation: conversation.clone(), client_id: None, role, name, content, at };
                let key = TurnKey { conversation, id };
                let (id, origin) = (MemoryId::turn(self.agent, &key), Origin::Client);
                let turn = Turn { id, key, day, message, masked: 0, origin };
                self.take_turn(&turn, sent_at, extracted, pinned)
            }
            Record::Statement { statement, pinned } => {
                statements::save(self.connection, self.agent_id, &statement, sequence::next(self.connection)?)?;
                pins::set(self.connection, self.agent_id, &statement.id, pinned).map(|_| ())
            }
            Record::Operation(operation) => {
                log::save(self.connection, self.agent_id, &operation)?;
                log::raise_version(self.connection, self.agent_id)
            }
            period @ Record::Period { .. } => self.take_period(period),
            Record::Version { id, text, replaced_at, sent } => {
                versions::keep(self.connection, self.agent_id, &id, &text, replaced_at)?;
                if sent { self.take_sent(&id, text) } else { Ok(()) }
            }
            Record::Gone { id, day, at } => self.take_gone(id, day, at),
            Record::Access { id, times, last } => {
                accesses::add(self.connection, self.agent, &[(id, Access { times, last })])
            }
            Record::Block { name, text, updated_at } => {
                blocks::save(self.connection, self.agent, &Block { name, text, updated_at })
            }
        }
    }

    fn take_turn(&self, turn: &Turn, sent_at: Option<Timestamp>, extracted: bool, pinned: bool) -> Result<()> {
        ingest::check(self.agent, turn)?;
        self.refuse_known(turn, sent_at)?;
        let seq = sequence::next(self.connection)?;
        let place = Place { at: turn.message.at, sent_at, sent: None };
        turns::insert(self.connection, self.agent_id, turn, &place, seq)?;
        pins::set(self.connection, self.agent_id, &turn.id, pinned)?;
        if extracted {
            extraction::move_lane(self.connection, self.agent_id, seq.unsigned_abs())?;
        }
        Ok(())
    }

    /// What the client sent last, of a turn that a person corrected since.
    fn take_sent(&self, id: &MemoryId, text: String) -> Result<()> {
        for stored in turns::find(self.connection, get::TURN, params![self.agent_id, id.as_str()])? {
            let sent = Message { content: text.clone(), ..stored.as_sent() };
            let hash = KeyedHashes::ready(self.connection, self.agent)?.content_of(&sent);
            turns::set_sent(self.connection, self.agent_id, id, hash)?;
        }
        Ok(())
    }

    /// A turn cannot be there and gone. That it is gone may be known, and more of it.
    fn take_gone(&self, id: MemoryId, day: Option<Period>, at: Option<Timestamp>) -> Result<()> {
        if !turns::find(self.connection, get::TURN, params![self.agent_id, id.as_str()])?.is_empty() {
            return Err(Error::invalid("records", format!("hold turn {id} and say that it is gone")).into());
        }
        if pruned::exists(self.connection, self.agent_id, &id)? {
            return Ok(());
        }
        let unknown = Pruned { id, arrived: None, day, at, conversation: None, speaker: None, content: None };
        unknown.save(self.connection, self.agent_id)
    }

    fn refuse_known(&self, turn: &Turn, sent_at: Option<Timestamp>) -> Result<()> {
        let sent = Message { at: sent_at.unwrap_or(turn.message.at), ..turn.message.clone() };
        if let Some(forgotten) = &self.forgotten
            && forgotten.is_forgotten(&turn.key, &sent.digest())?
        {
            return Err(Error::invalid("records", "hold a message that was forgotten").into());
        }
        let place = params![self.agent_id, turn.id.as_str()];
        if !turns::find(self.connection, get::TURN, place)?.is_empty() {
            return Err(Error::invalid("records", format!("hold turn {} twice", turn.id)).into());
        }
        Ok(())
    }

    fn take_period(&self, record: Record) -> Result<()> {
        let Record::Period { period, input, recipe, dirty, dirty_at, degraded, ungrounded, tokens, .. } = &record
        else {
            unreachable!("only periods are given here");
        };
        let seq = sequence::next(self.connection)?;
        let row = LedgerRow {
            clean_seq: if *dirty { 0 } else { seq.unsigned_abs() },
            input_digest: input.as_deref().map(digest).transpose()?,
            recipe: recipe.as_deref().map(digest).transpose()?,
            degraded: *degraded,
            ungrounded: *ungrounded,
            tokens: *tokens,
            ..LedgerRow::new(*period, seq.unsigned_abs(), *dirty_at)
        };
        ledger::restore(self.connection, self.agent_id, &row)?;
        self.take_texts(record, seq)
    }

    /// The summary and the base of a period.
    fn take_texts(&self, record: Record, seq: i64) -> Result<()> {
        let Record::Period { period, text, sentences, cover, sources, verbatim, base, pinned, .. } = record else {
            unreachable!("only periods are given here");
        };
        if let Some(base) = base {
            // The turns of the records came in before: any of them may be in it.
            bases::set(self.connection, self.agent_id, period, &base, Some(seq))?;
        }
        let Some(text) = text else { return Ok(()) };
        let cover = cover.ok_or_else(|| Error::invalid("cover", "is missing"))?;
        let id = MemoryId::summary(self.agent, period);
        let place = summaries::Place { connection: self.connection, agent_id: self.agent_id, id };
        place.put(period, cover, &Base { text, sentences, sources, verbatim }, seq)?;
        pins::set(self.connection, self.agent_id, &place.id, pinned).map(|_| ())
    }

    /// A day of which no record tells has had no roll-up.
    fn soil_days_without_row(&self, now: Timestamp) -> Result<()> {
        let mut statement = self.connection.prepare_cached(DAYS_WITHOUT_ROW)?;
        let days = statement.query_map([self.agent_id], |row| word(row, "day"))?;
        for day in days.collect::<rusqlite::Result<Vec<_>>>()? {
            ledger::mark_dirty(self.connection, self.agent_id, day, sequence::last(self.connection)?, now)?;
        }
        Ok(())
    }
}

/// A digest as 64 hexadecimal digits.
fn digest(hex: &str) -> annals_core::Result<Digest> {
    let bytes = HEXLOWER.decode(hex.as_bytes()).ok().and_then(|bytes| bytes.try_into().ok());
    bytes.map(Digest).ok_or_else(|| Error::invalid("digest", "is not one"))
}
