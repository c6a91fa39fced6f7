//! Generates any number of rows for one agent from the distinct texts of real messages.
//!
//! The first round uses the messages unchanged. Each further round repeats their words in another order, in new conversations
//! on later days. A short text keeps the order of its words, and the number of the round is appended. All rounds together span
//! ten years. Everything is determined by the row's number: the same messages and count give the same rows.

use std::collections::HashSet;

use annals_core::{Agent, Error, MemoryId, Message, Result, Timestamp, TurnKey};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use crate::input::Messages;

const DAY: i64 = 86_400_000_000;
/// Time span of all rounds, in microseconds.
const SPAN: i64 = 3_652 * DAY;
/// Minimum number of words of a text that is repeated in another order. A shorter text has too few other orders.
const MIN_WORDS: usize = 5;

/// The rows of one agent, numbered from 0. They are computed when they are needed.
pub(crate) struct Rows {
    pub agent: Agent,
    pub count: usize,
    bases: Vec<Message>,
    /// Shift from one round to the next, in microseconds: whole days.
    shift: i64,
}

impl Rows {
    /// Creates `count` rows from the distinct message texts that fit the embedder's window. Fails if there are none.
    pub(crate) fn new(messages: &Messages, count: usize, fits: impl Fn(&str) -> bool) -> Result<Rows> {
        let mut seen = HashSet::new();
        let mut bases: Vec<Message> = Vec::new();
        for (agent, message) in messages.iter().flat_map(|(agent, all)| all.iter().map(move |one| (agent, one))) {
            if bases.len() < count && fits(&message.content) && seen.insert(&message.content) {
                let conversation = format!("{}/{}", agent.name(), message.conversation);
                bases.push(Message { conversation, ..message.clone() });
            }
        }
        if bases.is_empty() {
            return Err(Error::invalid("messages", "hold no text that fits the embedder's window"));
        }
        let shift = shift(&bases, count.div_ceil(bases.len()));
        Ok(Rows { agent: Agent::new("scale")?, count, bases, shift })
    }

    /// Returns the distinct texts that the rows are made from.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.bases.iter().map(|message| message.content.clone()).collect()
    }

    /// Returns the index of the text that a row is made from.
    pub(crate) fn base(&self, row: usize) -> usize {
        row % self.bases.len()
    }

    /// Returns whether a row has the text unchanged.
    pub(crate) fn is_original(&self, row: usize) -> bool {
        row < self.bases.len()
    }

    pub(crate) fn at(&self, row: usize) -> Timestamp {
        let base = self.bases[self.base(row)].at.as_microsecond();
        let at = Timestamp::from_microsecond(base.saturating_add(self.shift.saturating_mul(self.round(row))));
        at.unwrap_or(Timestamp::MAX)
    }

    pub(crate) fn text(&self, row: usize) -> String {
        let text = &self.bases[self.base(row)].content;
        if self.is_original(row) {
            return text.clone();
        }
        let mut words: Vec<&str> = text.split_whitespace().collect();
        if words.len() < MIN_WORDS {
            return format!("{text} {}", self.round(row));
        }
        words.shuffle(&mut StdRng::seed_from_u64(row as u64));
        words.join(" ")
    }

    pub(crate) fn message(&self, row: usize) -> Message {
        let TurnKey { conversation, id } = self.key(row);
        let base = &self.bases[self.base(row)];
        Message { conversation, client_id: Some(id), content: self.text(row), at: self.at(row), ..base.clone() }
    }

    pub(crate) fn id(&self, row: usize) -> MemoryId {
        MemoryId::turn(&self.agent, &self.key(row))
    }

    fn key(&self, row: usize) -> TurnKey {
        let conversation = &self.bases[self.base(row)].conversation;
        TurnKey { conversation: format!("{conversation}~{}", self.round(row)), id: format!("m{row}") }
    }

    fn round(&self, row: usize) -> i64 {
        i64::try_from(row / self.bases.len()).unwrap_or(i64::MAX)
    }
}

fn shift(bases: &[Message], rounds: usize) -> i64 {
    let instants = || bases.iter().map(|message| message.at.as_microsecond());
    let span = instants().max().unwrap_or(0) - instants().min().unwrap_or(0);
    let steps = i64::try_from(rounds).unwrap_or(i64::MAX).saturating_sub(1).max(1);
    ((SPAN - span) / steps / DAY).max(1) * DAY
}

#[cfg(test)]
mod tests {
    use super::*;
    use annals_core::Role;

    fn message(content: &str, at: &str) -> Message {
        let (conversation, client_id) = ("c".to_owned(), None);
        Message {
            conversation,
            client_id,
            role: Role::User,
            name: None,
            content: content.into(),
            at: at.parse().unwrap(),
        }
    }

    fn rows(count: usize) -> Rows {
        let long = "one two three four five six seven eight nine ten";
        let all = ["ok", long, "ok", "too long"].map(|text| message(text, "2020-01-01T10:00:00Z"));
        let messages = Messages::from([(Agent::new("a").unwrap(), all.to_vec())]);
        Rows::new(&messages, count, |text| text != "too long").unwrap()
    }

    #[test]
    fn texts_are_distinct_and_repeat_with_reordered_words() {
        let rows = rows(6);
        assert_eq!(rows.texts().len(), 2);
        let texts: Vec<String> = (0..6).map(|row| rows.text(row)).collect();
        assert_eq!([&*texts[0], &*texts[2], &*texts[4]], ["ok", "ok 1", "ok 2"]);
        assert_eq!(texts.iter().collect::<HashSet<_>>().len(), 6);
        let sorted = |row: usize| {
            let mut words: Vec<&str> = texts[row].split(' ').collect();
            words.sort_unstable();
            words
        };
        assert_eq!((sorted(3), sorted(5)), (sorted(1), sorted(1)));
    }

    #[test]
    fn rounds_span_ten_years_in_distinct_conversations() {
        let rows = rows(6);
        assert_eq!(rows.at(4).to_string(), "2029-12-31T10:00:00Z");
        let ids: HashSet<MemoryId> = (0..6).map(|row| rows.id(row)).collect();
        assert_eq!(ids.len(), 6);
        assert_ne!(rows.message(1).conversation, rows.message(3).conversation);
    }

    #[test]
    fn same_messages_give_the_same_rows() {
        let (one, other) = (rows(6), rows(6));
        assert!((0..6).all(|row| one.message(row) == other.message(row)));
    }
}
