//! Step 7: puts a turn that corrects another one right above it: "The meeting is on Tuesday." … "no, Wednesday, not Tuesday".
//! A correction repeats few words of what it corrects, so it ranks low by itself, and often is not among the best rows at all.
//! Therefore the turns that follow the best ones are read back too.
//!
//! Only turns of the same speaker correct each other. There are two kinds:
//!
//! - A correction follows within a few turns of the conversation. It begins as one, or denies a number or the name of a day or
//!   month. It corrects the nearest turn with the word that it denies. Without such a word, a correction with a value corrects
//!   the nearest turn with a value, and one with a certain beginning but no value the nearest turn.
//! - An update may come days later in any conversation. It begins as one ("update: the offer is 42k now"), and has at least
//!   half of the question's words that the older turn has.
//!
//! A sentence such as "it is 42k now" is no update without such a beginning: in long chats, too many of these say something new
//! and correct nothing.

use std::collections::{BTreeMap, HashMap, HashSet};

use annals_core::{Body, CorrectionLead, Memory, MemoryId, Role, correction_lead, has_value};

use super::denials::denies;
use super::{Ranked, Row};
use crate::score::Part;

/// Number of the best turns that are read back together with the turns after them.
const FOLLOWED: usize = 10;
/// Maximum distance of a correction from what it corrects, in turns.
const NEAR: u32 = 8;
/// An update must fit the question at least this many times as well as the turn that it corrects, and in any case as well as
/// [`LEAST_MATCH`].
const SAME_SUBJECT: f64 = 0.6;
const LEAST_MATCH: f64 = 0.15;
/// Difference between the score of a turn and of its correction.
const STEP: f64 = 1e-6;

/// A turn and the later turn that corrects it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Correction {
    pub(crate) corrected: MemoryId,
    pub(crate) by: MemoryId,
}

/// Returns the rows of the turns that follow one of the first [`FOLLOWED`] turns of `best` by at most [`NEAR`] turns. Leaves
/// out rows of `best`. Expects `rows` sorted by conversation and position.
pub(crate) fn followers(rows: &[Row], best: &[Row]) -> Vec<Row> {
    let mut known: HashSet<&MemoryId> = best.iter().map(|row| &row.memory).collect();
    let mut found = Vec::new();
    for last in best.iter().filter_map(|row| row.positions).take(FOLLOWED).map(|(_, last)| last) {
        let start = rows.partition_point(|row| row.positions.is_none_or(|(first, _)| first <= last));
        let is_near = |row: &&Row| {
            row.positions.is_some_and(|(first, _)| {
                first.conversation == last.conversation && first.index.abs_diff(last.index) <= NEAR
            })
        };
        found.extend(rows[start..].iter().take_while(is_near).filter(|row| known.insert(&row.memory)).cloned());
    }
    found
}

/// Returns the corrections among these memories. `rows` are the rows from which they were read back.
pub(crate) fn find_corrections(rows: &[Row], ranked: &[Ranked]) -> Vec<Correction> {
    let rows: HashMap<&MemoryId, &Row> = rows.iter().map(|row| (&row.memory, row)).collect();
    let memories = ranked.iter().map(|ranked| &ranked.memory);
    let mut turns: Vec<Turn<'_>> =
        memories.filter_map(|memory| Turn::of(memory, rows.get(&memory.id).copied()?)).collect();
    turns.sort_by_key(|turn| (turn.memory.cover.start, turn.memory.seq));
    let mut found = Vec::new();
    for (index, later) in turns.iter().enumerate() {
        let earlier = &turns[..index];
        let corrected = match near(earlier, later) {
            Some(corrected) => vec![corrected],
            None => updated(earlier, later),
        };
        let by = &later.memory.id;
        found.extend(corrected.iter().map(|turn| Correction { corrected: turn.memory.id.clone(), by: by.clone() }));
    }
    found
}

/// Raises each correction right above the best turn that it corrects, the newest correction highest. A correction that is above
/// it already stays there. Sorts again.
pub(crate) fn raise_corrections(ranked: &mut [Ranked], corrections: &[Correction]) {
    if corrections.is_empty() {
        return;
    }
    let mut totals: HashMap<MemoryId, f64> =
        ranked.iter().map(|ranked| (ranked.memory.id.clone(), ranked.score.total())).collect();
    let mut by: BTreeMap<_, (usize, Vec<&MemoryId>)> = BTreeMap::new();
    for correction in corrections {
        let Some(index) = ranked.iter().position(|ranked| ranked.memory.id == correction.by) else { continue };
        let memory = &ranked[index].memory;
        let key = (memory.cover.start, memory.seq, index);
        by.entry(key).or_insert_with(|| (index, Vec::new())).1.push(&correction.corrected);
    }
    for (index, corrected) in by.into_values() {
        let best = corrected.iter().filter_map(|id| totals.get(*id).map(|total| (*id, *total)));
        let Some((below, total)) = best.max_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
        let (own, above) = (ranked[index].score.total(), total + STEP);
        if own < above {
            ranked[index].score.add(Part::Correction, above - own);
            totals.insert(ranked[index].memory.id.clone(), above);
            // A later correction of the same turn goes above this one.
            totals.insert(below.clone(), above);
        }
    }
    super::sort_ranked(ranked);
}

/// A turn of a user or an assistant with its speaker, and its row from the search.
struct Turn<'a> {
    memory: &'a Memory,
    speaker: &'a str,
    row: &'a Row,
}

impl<'a> Turn<'a> {
    fn of(memory: &'a Memory, row: &'a Row) -> Option<Turn<'a>> {
        match &memory.body {
            Body::Turn { speaker, role: Role::User | Role::Assistant, .. } => Some(Turn { memory, speaker, row }),
            _ => None,
        }
    }

    /// Returns the number of turns from `earlier` to this one, if both are near each other in one conversation.
    fn distance(&self, earlier: &Turn<'_>) -> Option<u32> {
        let ((first, _), (_, last)) = self.row.positions.zip(earlier.row.positions)?;
        let distance = first.index.checked_sub(last.index)?;
        (first.conversation == last.conversation && (1..=NEAR).contains(&distance)).then_some(distance)
    }

    fn text(&self) -> &'a str {
        &self.memory.text
    }

    fn is_question(&self) -> bool {
        self.text().trim_end().ends_with(['?', '？'])
    }

    /// Returns whether this turn has at least half of the words of the question that the earlier turn has, and fits the
    /// question nearly as well.
    fn is_about_the_same(&self, earlier: &Turn<'_>) -> bool {
        let (own, other) = (self.row, earlier.row);
        let both = (own.matched & other.matched).count_ones();
        both > 0
            && both * 2 >= other.matched.count_ones()
            && own.fit.words >= LEAST_MATCH.max(SAME_SUBJECT * other.fit.words)
    }
}

/// Returns the turn a few turns before that this turn corrects. An answer to a question with only a weak beginning is no
/// correction, unless it denies a word.
fn near<'t, 'a>(earlier: &'t [Turn<'a>], later: &Turn<'_>) -> Option<&'t Turn<'a>> {
    let lead = correction_lead(later.text());
    let mut before: Vec<(u32, &Turn<'a>)> =
        earlier.iter().filter_map(|turn| Some((later.distance(turn)?, turn))).collect();
    before.sort_by_key(|(distance, _)| *distance);
    let own =
        || before.iter().map(|(_, turn)| *turn).filter(|turn| turn.speaker == later.speaker && !turn.is_question());
    if let Some(denied) = own().find(|turn| denies(later.text(), turn.text(), lead)) {
        return Some(denied);
    }
    let is_answer =
        before.first().is_some_and(|(at, turn)| *at == 1 && turn.speaker != later.speaker && turn.is_question());
    match lead {
        CorrectionLead::None => None,
        CorrectionLead::Weak if is_answer => None,
        _ if has_value(later.text()) => own().find(|turn| has_value(turn.text())),
        CorrectionLead::Certain => own().next(),
        CorrectionLead::Weak | CorrectionLead::Clear => None,
    }
}

/// Returns the earlier turns that this turn updates.
fn updated<'t, 'a>(earlier: &'t [Turn<'a>], later: &Turn<'_>) -> Vec<&'t Turn<'a>> {
    if later.is_question() || !says_a_change(later.text()) {
        return Vec::new();
    }
    let is_updated =
        |turn: &&Turn<'_>| turn.speaker == later.speaker && !turn.is_question() && later.is_about_the_same(turn);
    earlier.iter().filter(is_updated).collect()
}

/// Returns whether the text begins as an update of something said long before. Unless the beginning is certain, the text must
/// also have a value.
fn says_a_change(text: &str) -> bool {
    match correction_lead(text) {
        CorrectionLead::Certain => true,
        CorrectionLead::Clear => has_value(text),
        CorrectionLead::Weak | CorrectionLead::None => false,
    }
}

#[cfg(test)]
mod tests;
