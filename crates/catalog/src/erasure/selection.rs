//! Selects what a target names directly: turns, statements, operations, blocks, documents, pruned turns, and sentences of
//! sealed summaries.

mod pruned;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use annals_core::ports::{Block, Document, Target, Turn};
use annals_core::{Agent, Base, FactOperation, Grain, Interval, Memory, MemoryId, Period, Sentence, Zones, entity_key};

use super::Scanned;
use super::subject::{Subject, Witness};
use crate::columns::{bounds, signed};
use crate::db::{Db, Result, params};
use crate::forgotten::{Hash, KeyedHashes};
use crate::pruned::Pruned;
use crate::turns::Stored;
use crate::{agents, journal, statements, turns};
use pruned::Resolved;

const ALL_TURNS: &str = "SELECT * FROM turn WHERE agent_id = ?1";
const SPEAKERS: &str = "SELECT DISTINCT coalesce(name, role) FROM turn WHERE agent_id = ?1";
const ALL_STATEMENTS: &str = "SELECT * FROM statement WHERE agent_id = ?1";
pub(crate) const OF_CONVERSATION: &str =
    "SELECT * FROM turn INDEXED BY turn_by_conversation WHERE agent_id = ?1 AND conversation = ?2";
pub(crate) const WITHIN: &str = "SELECT * FROM turn WHERE agent_id = ?1 AND at >= ?2 AND at < ?3";

/// A selection: a target with its names resolved.
pub(super) struct Selection {
    agent_id: i64,
    target: Target,
    pub(super) subject: Subject,
    /// The turns to remove.
    pub(super) turns: Vec<Stored>,
    /// The pruned turns to forget.
    pub(super) pruned: Vec<Pruned>,
    /// Number of pruned turns that may belong to the target, and stay.
    pub(super) kept: u64,
    /// Number of pruned turns that may belong to the target but cannot be matched, and the periods that may hold
    /// something of them.
    pub(super) unresolved: (u64, BTreeSet<Period>),
    /// Ids of the turns in `turns` and `pruned`, and the other ids that the target names, except ids of summaries.
    sources: BTreeSet<MemoryId>,
    /// The weeks and longer periods that contain turns of `turns` or `pruned`, each with the lowest arrival number of these
    /// turns; `None` if one of the numbers is unknown.
    above: BTreeMap<Period, Option<i64>>,
    zones: Zones,
}

/// A text of a sealed period: its base or its present summary.
pub(super) struct Sealed {
    pub(super) period: Period,
    pub(super) text: Base,
    /// The highest arrival number of the turns that the text may contain; `None` if it is unknown.
    pub(super) seq: Option<i64>,
}

impl Selection {
    pub(super) fn new(
        db: &dyn Db,
        agent: &Agent,
        agent_id: i64,
        target: &Target,
        scanned: Option<&Scanned>,
    ) -> Result<Selection> {
        let subject = subject_of(db, agent, agent_id, target)?;
        let zones = agents::settings(db, agent)?.zones()?;
        let scanned = scanned.map(|scanned| scanned.turns_now(db, agent_id, &subject)).transpose()?.flatten();
        let turns = scanned.map_or_else(|| turns_of(db, agent_id, target, &subject), Ok)?;
        let Resolved { gone: pruned, unresolved, unresolved_in, kept } =
            Resolved::new(db, agent, agent_id, target, &subject, &zones)?;
        let named_ids = if let Target::Memories(ids) = target { ids.as_slice() } else { &[] };
        // Summaries are derived: they are not removed by id.
        let named_ids = named_ids.iter().filter(|id| !id.as_str().starts_with("s-"));
        let ids = turns.iter().map(|stored| &stored.turn.id).chain(pruned.iter().map(|turn| &turn.id));
        let sources = ids.chain(named_ids).cloned().collect();
        let above = above(&turns, &pruned);
        let unresolved = (unresolved, unresolved_in);
        Ok(Selection {
            agent_id,
            target: target.clone(),
            subject,
            turns,
            pruned,
            kept,
            unresolved,
            sources,
            above,
            zones,
        })
    }

    /// Returns the statements to remove: those that the target names, those made from its turns and, for a range, the entered
    /// ones that begin within it.
    pub(super) fn statements(&self, db: &dyn Db) -> Result<Vec<Memory>> {
        let mut all = statements::find(db, ALL_STATEMENTS, params![self.agent_id])?;
        all.retain(|stored| {
            let statement = &stored.statement;
            self.target == Target::Agent
                || self.sources.contains(&statement.id)
                || self.takes_any(&statement.sources)
                || (statement.is_entered() && self.range().is_some_and(|range| range.contains(statement.cover.start)))
                || statement.who.iter().chain([&statement.text, &statement.topic]).any(|text| self.is_named_in(text))
        });
        Ok(all.into_iter().map(statements::Stored::remember).collect())
    }

    /// Returns the operations to remove, by id: those that the target names, those from its turns and, for a range, those said
    /// within it.
    pub(super) fn operations(&self, db: &dyn Db) -> Result<Vec<FactOperation>> {
        let mut all = journal::all(db, self.agent_id)?;
        all.retain(|operation| {
            self.target == Target::Agent
                || self.takes_any(&operation.sources())
                || self.range().is_some_and(|range| range.contains(operation.said_at))
                || self.subject.is_named_by_operation(operation)
        });
        Ok(all)
    }

    /// Returns whether a block is to be removed.
    pub(super) fn takes_block(&self, block: &Block) -> bool {
        self.target == Target::Agent || self.subject.is_named_by(&block.name) || self.is_named_in(&block.text)
    }

    /// Returns the agent's own prompts that name the subject, by name. They are a person's work, and stay.
    pub(super) fn prompts(&self, db: &dyn Db, agent: &Agent) -> Result<Vec<String>> {
        let prompts = agents::settings(db, agent)?.prompts.into_iter();
        Ok(prompts.filter(|(_, text)| self.is_named_in(text)).map(|(name, _)| name).collect())
    }

    /// Returns whether a document is to be removed. Documents are removed as a whole, because their parts mean little without
    /// each other.
    pub(super) fn takes_document(&self, agent: &Agent, document: &Document) -> bool {
        let is_given = || document.memories(agent).iter().any(|passage| self.sources.contains(&passage.id));
        self.target == Target::Agent
            || self.range().is_some_and(|range| range.contains(document.updated_at))
            || [&document.collection, &document.key].into_iter().any(|name| self.subject.is_named_by(name))
            || self.subject.is_named_by_content(&document.content)
            || (matches!(self.target, Target::Memories(_)) && is_given())
    }

    pub(super) fn is_named_in(&self, text: &str) -> bool {
        self.subject.is_named_in(text)
    }

    pub(super) fn has_subject(&self) -> bool {
        matches!(self.target, Target::Subject(_))
    }

    /// Returns whether a sealed text contains or may contain something of the selection.
    pub(super) fn reaches(&self, sealed: &Sealed) -> bool {
        let text = &sealed.text;
        text.sentences.iter().any(|sentence| self.takes_sentence(sentence))
            || self.is_named_in(&text.text)
            // A model may have used any source for any sentence.
            || (!text.verbatim && (self.takes_any(&text.sources) || self.takes_of(sealed)))
    }

    /// Returns whether the text of a week or a longer period may contain selected turns. The sources of such a text are
    /// summaries, which may no longer exist, so arrival numbers decide.
    fn takes_of(&self, sealed: &Sealed) -> bool {
        sealed.period.grain() > Grain::Daily
            && self.above.get(&sealed.period).is_some_and(|first| match (first, sealed.seq) {
                (Some(first), Some(last)) => *first <= last,
                _ => true,
            })
    }

    /// Returns what remains of a sealed text: all of it if the selection does not reach it, otherwise the sentences that are
    /// not selected. Returns `None` if the selection reaches the text and no sentence remains, or if it reaches a text that a
    /// model wrote.
    pub(super) fn without(&self, sealed: Sealed) -> Option<Base> {
        if !self.reaches(&sealed) {
            return Some(sealed.text);
        }
        let Base { mut sentences, mut sources, verbatim, .. } = sealed.text;
        sentences.retain(|sentence| !self.takes_sentence(sentence));
        sources.retain(|id| !self.sources.contains(id));
        let lines: Vec<&str> = sentences.iter().map(|sentence| sentence.text.as_str()).collect();
        let text = lines.join("\n");
        (verbatim && !sentences.is_empty()).then_some(Base { text, sentences, sources, verbatim })
    }

    /// Returns whether a sentence is selected: by its sources, by a name, or, for a range, by its day, if the range contains
    /// the whole day. The day also selects sentences of turns of unknown instant.
    fn takes_sentence(&self, sentence: &Sentence) -> bool {
        let day = self.zones.day_interval(sentence.day);
        self.takes_any(&sentence.from)
            || self.range().is_some_and(|range| range.start <= day.start && day.end <= range.end)
            || sentence.speaker.iter().chain([&sentence.text]).any(|text| self.is_named_in(text))
    }

    /// Returns whether one of the ids is that of a turn to remove, or is named by the target.
    pub(super) fn takes_any(&self, sources: &[MemoryId]) -> bool {
        sources.iter().any(|id| self.sources.contains(id))
    }

    fn range(&self) -> Option<&Interval> {
        if let Target::Range(range) = &self.target { Some(range) } else { None }
    }
}

fn turns_of(db: &dyn Db, agent_id: i64, target: &Target, subject: &Subject) -> Result<Vec<Stored>> {
    match target {
        Target::Memories(ids) => {
            let mut found = Vec::new();
            for id in ids.iter().collect::<BTreeSet<_>>() {
                found.append(&mut turns::find(db, turns::BY_ID, params![agent_id, id.as_str()])?);
            }
            Ok(found)
        }
        Target::Conversation(name) => turns::find(db, OF_CONVERSATION, params![agent_id, name]),
        Target::Subject(_) => turns::find_where(db, ALL_TURNS, params![agent_id], |turn| is_about(turn, subject)),
        Target::Range(range) => {
            let (start, end) = bounds(range);
            turns::find_where(db, WITHIN, params![agent_id, start, end], |turn| range.contains(turn.message.at))
        }
        Target::Agent => turns::find(db, ALL_TURNS, params![agent_id]),
    }
}

/// Returns the subject of a target with all its names; an empty one for other targets.
pub(super) fn subject_of(db: &dyn Db, agent: &Agent, agent_id: i64, target: &Target) -> Result<Subject> {
    let Target::Subject(name) = target else { return Ok(Subject::default()) };
    let log = journal::all(db, agent_id)?;
    let mut subject = Subject::new(name, &log, &Speakers::read(db, agent, agent_id)?)?;
    let speakers = db.query(SPEAKERS, params![agent_id], |row| row.text(0).map(str::to_owned))?;
    subject.note_longer(speakers);
    Ok(subject)
}

pub(super) fn is_about(turn: &Turn, subject: &Subject) -> bool {
    let message = &turn.message;
    subject.is(message.speaker())
        || subject.is_named_in(&message.content)
        || turn.attachment.as_deref().is_some_and(|attachment| subject.is_named_by_json(attachment))
        || [&turn.key.conversation, &turn.key.id].into_iter().any(|name| subject.is_named_by(name))
}

/// Returns the weeks and longer periods that contain the turns, each with the lowest arrival number of its turns.
fn above(turns: &[Stored], pruned: &[Pruned]) -> BTreeMap<Period, Option<i64>> {
    let live = turns.iter().map(|stored| (stored.turn.day, Some(signed(stored.arrived))));
    let pruned = pruned.iter().filter_map(|turn| Some((turn.day?, turn.arrived)));
    let mut above = BTreeMap::new();
    for (day, arrived) in live.chain(pruned) {
        for grain in Grain::SUMMARIES.into_iter().filter(|grain| *grain > Grain::Daily) {
            let first = above.entry(day.ancestor(grain)).or_insert(arrived);
            // `None` sorts before all numbers, so one unknown number makes the result unknown.
            *first = arrived.min(*first);
        }
    }
    above
}

/// The speakers of an agent's turns, live and pruned.
struct Speakers<'c> {
    db: &'c dyn Db,
    agent_id: i64,
    /// Entity keys, read when they are first needed: only aliases need them.
    live: OnceCell<BTreeSet<String>>,
    pruned: BTreeMap<MemoryId, Hash>,
    hashes: Option<KeyedHashes<'c>>,
}

impl<'c> Speakers<'c> {
    fn read(db: &'c dyn Db, agent: &'c Agent, agent_id: i64) -> Result<Speakers<'c>> {
        let pruned = crate::pruned::all(db, agent_id)?.into_iter();
        let pruned = pruned.filter_map(|turn| Some((turn.id, turn.speaker?))).collect();
        Ok(Speakers { db, agent_id, live: OnceCell::new(), pruned, hashes: KeyedHashes::known(db, agent)? })
    }

    fn live(&self) -> Result<&BTreeSet<String>> {
        if self.live.get().is_none() {
            let keys = self.db.query(SPEAKERS, params![self.agent_id], |row| Ok(entity_key(row.text(0)?)))?;
            let _ = self.live.set(keys.into_iter().collect());
        }
        Ok(self.live.get_or_init(BTreeSet::new))
    }

    fn hash(&self, name: &str) -> Option<Hash> {
        self.hashes.as_ref().map(|hashes| hashes.speaker(name))
    }

    /// Returns the speaker of a live turn, as an entity key.
    fn speaker(&self, id: &MemoryId) -> Result<Option<String>> {
        let found = turns::find(self.db, turns::BY_ID, params![self.agent_id, id.as_str()])?.pop();
        Ok(found.map(|stored| entity_key(stored.turn.message.speaker())))
    }
}

impl Witness for Speakers<'_> {
    fn states(&self, operation: &FactOperation, name: &str) -> Result<bool> {
        Ok(match (self.speaker(&operation.source)?, self.pruned.get(&operation.source)) {
            (Some(speaker), _) => speaker == entity_key(name),
            (None, Some(speaker)) => self.hash(name).as_ref() == Some(speaker),
            // The speaker is unknown.
            (None, None) => true,
        })
    }

    fn speaks(&self, name: &str) -> Result<bool> {
        let hash = self.hash(name);
        Ok(self.live()?.contains(&entity_key(name))
            || self.pruned.values().any(|speaker| Some(speaker) == hash.as_ref()))
    }
}

#[cfg(test)]
mod tests {
    use annals_core::ports::OnConflict;
    use std::ops::ControlFlow;

    use annals_core::prelude::*;
    use annals_core::{Extracted, Extraction};
    use annals_testkit::{agent, at, operation};

    use super::*;
    use crate::db::{AgentTable, Error, Row, Sql, Values};
    use crate::fixture::{Folder, user_turn};
    use crate::sqlite::open::{Options, open};

    /// A database in which one statement fails.
    struct Failing<'d>(&'d dyn Db, &'static str);

    impl Db for Failing<'_> {
        fn run(&self, sql: Sql<'_>, values: Values<'_>) -> Result<u64> {
            self.0.run(sql, values)
        }

        fn read(
            &self,
            sql: Sql<'_>,
            values: Values<'_>,
            read: &mut dyn FnMut(&Row<'_>) -> Result<ControlFlow<()>>,
        ) -> Result<()> {
            let (Sql::Kept(text) | Sql::Once(text)) = sql;
            if text == self.1 { Err(Error::other("the disk is gone").into()) } else { self.0.read(sql, values, read) }
        }

        fn tables_of_agents(&self) -> Result<Vec<AgentTable>> {
            self.0.tables_of_agents()
        }
    }

    /// If the error counted as an unknown speaker, forgetting would follow an alias that somebody else stated.
    #[tokio::test]
    async fn unreadable_speaker_is_an_error_not_an_unknown_speaker() {
        let (folder, me, now) = (Folder::new(), agent("me"), at("2026-06-01T00:00:00Z"));
        let (catalog, turn) = (folder.open(), user_turn(&me, "1", "I am also called Zel."));
        let extracted = catalog.ingest(&me, vec![turn.clone()], OnConflict::Refuse, now).await.unwrap().seq;
        let found =
            Extracted { operations: vec![operation(&turn, 0, "user also_known_as Zel")], ..Extracted::default() };
        let read = Extraction { turns: vec![turn.id], found, after: 0, extracted, degraded: None };
        catalog.save_extraction(&me, read, now).await.unwrap();
        drop(catalog);
        let db = open(&folder.path(), &Options::default()).unwrap();
        let select = |db: &dyn Db| {
            let agent_id = agents::known(db, &me).ok().unwrap();
            Selection::new(db, &me, agent_id, &Target::Subject("user".into()), None)
                .map(|selection| selection.turns.len())
        };
        assert_eq!(select(&db).ok(), Some(1));
        assert!(select(&Failing(&db, turns::BY_ID)).is_err());
    }
}
