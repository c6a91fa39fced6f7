//! Finds the turns that name a subject before an erasure is planned, in pieces with other work between: names occur in
//! texts, so all turns of the agent are read, and the plan itself is one job of the one thread.
//!
//! The plan reads the found turns again, and every turn that was added or changed since the scan. If the subject got another
//! name meanwhile, the plan reads all turns.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use annals_core::ports::Target;
use annals_core::{Agent, MemoryId};

use super::PLANNING;
use super::selection::{is_about, subject_of};
use super::subject::Subject;
use crate::columns::signed;
use crate::db::{Db, Result, params};
use crate::turns::{self, Stored};
use crate::{Backend, SqlCatalog, agents, changes};

/// The maximum number of rows in a piece, and the bytes of text after which a piece ends early.
const ROWS: usize = 1_000;
const BYTES: usize = 2 << 20;

pub(crate) const FROM: &str = "SELECT * FROM turn WHERE agent_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3";

/// The turns that name a subject or that the subject said, among all turns up to the sequence number `until`.
pub(crate) struct Scanned {
    subject: Arc<Subject>,
    until: i64,
    turns: BTreeSet<MemoryId>,
}

impl Scanned {
    /// Returns the turns that are about the subject now. `None` if the names of the subject changed since the scan.
    pub(super) fn turns_now(&self, db: &dyn Db, agent_id: i64, subject: &Subject) -> Result<Option<Vec<Stored>>> {
        if !self.subject.has_names_of(subject) {
            return Ok(None);
        }
        let mut found = Vec::new();
        for id in &self.turns {
            let stored =
                turns::find_where(db, turns::BY_ID, params![agent_id, id.as_str()], |turn| is_about(turn, subject))?;
            found.extend(stored.into_iter().filter(|stored| stored.seq <= self.until.unsigned_abs()));
        }
        let since = params![agent_id, self.until, i64::MAX];
        found.extend(turns::find_where(db, FROM, since, |turn| is_about(turn, subject))?);
        Ok(Some(found))
    }

    /// Reads the next piece of the turns up to sequence number `end`. Returns whether there may be more.
    fn read(&mut self, db: &dyn Db, agent_id: i64, end: i64) -> Result<bool> {
        let (after, mut rows, mut bytes) = (self.until, 0, 0);
        db.for_each(FROM, params![agent_id, after, signed(ROWS as u64)], |row| {
            let stored = turns::read(row)?;
            self.until = signed(stored.seq);
            rows += 1;
            bytes += stored.turn.message.content.len();
            if is_about(&stored.turn, &self.subject) {
                self.turns.insert(stored.turn.id);
            }
            let is_full = rows == ROWS || bytes > BYTES || self.until >= end;
            Ok(if is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        Ok(rows > 0 && self.until < end)
    }
}

impl<B: Backend> SqlCatalog<B> {
    /// Finds the turns that name the subject of a target or that the subject said; `None` for other targets.
    pub(super) async fn scanned(&self, agent: &Agent, target: &Target) -> annals_core::Result<Option<Scanned>> {
        if !matches!(target, Target::Subject(_)) {
            return Ok(None);
        }
        let (of, target) = (agent.clone(), target.clone());
        let begin = move |db: &dyn Db| {
            let agent_id = agents::known(db, &of)?;
            let subject = Arc::new(subject_of(db, &of, agent_id, &target)?);
            Ok((agent_id, changes::last_seq(db, agent_id)?, Scanned { subject, until: 0, turns: BTreeSet::new() }))
        };
        let (agent_id, end, mut scanned) = self.thread.read(PLANNING, begin).await?;
        loop {
            let (subject, until) = (Arc::clone(&scanned.subject), scanned.until);
            let piece = move |db: &dyn Db| {
                let mut piece = Scanned { subject: Arc::clone(&subject), until, turns: BTreeSet::new() };
                Ok((piece.read(db, agent_id, end)?, piece))
            };
            let (is_more, mut piece) = self.thread.read(PLANNING, piece).await?;
            scanned.until = piece.until;
            scanned.turns.append(&mut piece.turns);
            if !is_more {
                return Ok(Some(scanned));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use annals_core::ports::{Erasure, OnConflict, Target, Turn};
    use annals_core::prelude::*;
    use annals_testkit::{agent, at, entry};

    use super::*;
    use crate::erasure::{erase, plan};
    use crate::fixture::{Folder, user_turn};

    /// If turns or names change between the scan and the erasure, the erasure uses their state at its own time.
    #[tokio::test]
    async fn erasure_takes_what_changed_since_the_scan() {
        let (folder, me, now) = (Folder::new(), agent("me"), at("2026-06-01T00:00:00Z"));
        let catalog = folder.open();
        let turn_by_user = |id: &str, text: &str| user_turn(&me, id, text);
        let many = (0..ROWS + 10).map(|number| turn_by_user(&number.to_string(), "Nobody was there."));
        let many: Vec<Turn> =
            many.chain([turn_by_user("zelda", "Zelda was there."), turn_by_user("goes", "Zelda left.")]).collect();
        catalog.ingest(&me, many, OnConflict::Refuse, now).await.unwrap();
        let target = Target::Subject("Zelda".into());
        let scan = || async { catalog.scanned(&me, &target).await.unwrap().unwrap() };
        let scanned = scan().await;
        assert_eq!(scanned.turns, [turn_by_user("zelda", "").id, turn_by_user("goes", "").id].into());
        catalog
            .ingest(
                &me,
                vec![turn_by_user("goes", "Bob left."), turn_by_user("3", "Zelda came.")],
                OnConflict::Revise,
                now,
            )
            .await
            .unwrap();
        catalog
            .ingest(
                &me,
                vec![turn_by_user("new", "So did Zelda."), turn_by_user("zoe", "Zoe sang.")],
                OnConflict::Refuse,
                now,
            )
            .await
            .unwrap();
        let (of, select) = (me.clone(), target.clone());
        let planned = move |db: &dyn Db| Ok(plan(db, &of, &select, Some(&scanned))?.report.turns);
        let mut expect: Vec<MemoryId> = ["zelda", "3", "new"].map(|id| turn_by_user(id, "").id).to_vec();
        let sorted = |mut ids: Vec<MemoryId>| {
            ids.sort();
            ids
        };
        assert_eq!(sorted(catalog.thread.read("testing", planned).await.unwrap()), sorted(expect.clone()));

        let scanned = scan().await;
        let alias = entry(&me, "Zelda also_known_as Zoe", "2026-03-04T10:00:00Z");
        catalog.add_operations(&me, vec![alias]).await.unwrap();
        let (of, select) = (me.clone(), target.clone());
        let erased = move |db: &dyn Db| Ok(erase(db, &of, &select, Some(&scanned), now)?.report.turns);
        expect.push(turn_by_user("zoe", "").id);
        assert_eq!(sorted(catalog.thread.write("testing", erased).await.unwrap()), sorted(expect));
        assert_eq!(catalog.preview(&me, &target).await.unwrap().turns, []);
    }
}
