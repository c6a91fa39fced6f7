//! The conversations of a table in memory, each with its rows in order, to find the turns right before and after a turn.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

/// The conversations by number, and the position of each row in its conversation.
#[derive(Default)]
pub(crate) struct ConversationRows {
    numbers: HashMap<Arc<str>, u32>,
    entries: Vec<ConversationEntry>,
    /// The number of the conversation of each row, or [`NONE`].
    of: Vec<u32>,
    /// The position of each row in its conversation; zero for a row without one. That of a removed row is no longer valid.
    positions: Vec<u32>,
    /// Approximate size of the conversations, without `of` and `positions`, in bytes. It is kept as a running sum, because
    /// counting would take longer than a commit.
    held_bytes: usize,
}

/// Approximate bytes of a conversation without its name and rows.
const CONVERSATION_BYTES: usize = 96;

/// Marks a row without a conversation.
const NONE: u32 = u32::MAX;

struct ConversationEntry {
    name: Arc<str>,
    /// The rows of the conversation, ordered by time, memory and part.
    rows: Vec<u32>,
}

impl ConversationRows {
    /// Appends the next row of the table. Returns the number of its conversation, or `None` if it has none. The caller must
    /// then insert the row into that conversation.
    pub(crate) fn push(&mut self, name: Option<&str>) -> Option<usize> {
        let conversation = name.map(|name| self.number(name));
        self.of.push(conversation.unwrap_or(NONE));
        self.positions.push(0);
        conversation.map(|conversation| conversation as usize)
    }

    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = u32::try_from(self.entries.len()).expect("no more conversations than rows");
        let name: Arc<str> = name.into();
        self.held_bytes += name.len() + CONVERSATION_BYTES;
        self.entries.push(ConversationEntry { name: name.clone(), rows: Vec::new() });
        self.numbers.insert(name, number);
        number
    }

    /// Returns the number of the row's conversation, or `None` if the row has none. A removed row keeps its number.
    pub(crate) fn of(&self, row: usize) -> Option<usize> {
        known(self.of[row])
    }

    /// Splits the rows from `first` up to `end` into runs of rows of one conversation. Returns the conversation and the length
    /// of each run. Ignores numbers beyond the last row.
    pub(crate) fn runs(&self, first: usize, end: usize) -> impl Iterator<Item = (Option<usize>, usize)> {
        let of = &self.of[first.min(self.of.len())..end.min(self.of.len())];
        of.chunk_by(|a, b| a == b).map(|run| (known(run[0]), run.len()))
    }

    /// Returns the number of the conversation with this name, or `None` if no row has it.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).map(|conversation| *conversation as usize)
    }

    /// Inserts a row into a conversation, at its position in the given order of rows.
    pub(crate) fn insert(&mut self, conversation: usize, row: u32, order: impl Fn(u32, u32) -> Ordering) {
        let rows = &mut self.entries[conversation].rows;
        // This is nearly always the last position, because messages arrive in order.
        let position = match rows.last() {
            Some(last) if order(*last, row).is_gt() => rows.partition_point(|other| order(*other, row).is_lt()),
            _ => rows.len(),
        };
        let room = rows.capacity();
        rows.insert(position, row);
        self.held_bytes += (rows.capacity() - room) * size_of::<u32>();
        self.renumber(conversation, position);
    }

    /// Removes a row from the rows of its conversation. Does nothing for a row without a conversation.
    pub(crate) fn remove(&mut self, row: usize) {
        if let Some(conversation) = self.of(row) {
            let position = self.positions[row] as usize;
            self.entries[conversation].rows.remove(position);
            self.renumber(conversation, position);
        }
    }

    fn renumber(&mut self, conversation: usize, from: usize) {
        for (position, row) in self.entries[conversation].rows.iter().enumerate().skip(from) {
            self.positions[*row as usize] = position as u32;
        }
    }

    pub(crate) fn position(&self, row: usize) -> u32 {
        self.positions[row]
    }

    /// Returns the rows of a conversation that were not removed, ordered by time, memory and part.
    pub(crate) fn rows(&self, conversation: usize) -> &[u32] {
        &self.entries[conversation].rows
    }

    pub(crate) fn name(&self, conversation: usize) -> Arc<str> {
        self.entries[conversation].name.clone()
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the approximate size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.held_bytes + (self.of.capacity() + self.positions.capacity()) * size_of::<u32>()
    }
}

fn known(conversation: u32) -> Option<usize> {
    (conversation != NONE).then_some(conversation as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_positions_in_order_after_insert_and_remove() {
        let mut conversations = ConversationRows::default();
        let times = [30, 10, 20, 40, 5, 7];
        for (row, name) in [(0, "a"), (1, "a"), (2, "a"), (3, "a"), (4, "b")] {
            let conversation = conversations.push(Some(name)).unwrap();
            conversations.insert(conversation, row, |a, b| times[a as usize].cmp(&times[b as usize]));
        }
        assert_eq!(conversations.push(None), None);
        assert_eq!((conversations.rows(0), conversations.rows(1)), (&[1, 2, 0, 3][..], &[4][..]));
        let held = conversations
            .entries
            .iter()
            .map(|conversation| conversation.name.len() + CONVERSATION_BYTES + conversation.rows.capacity() * 4);
        assert_eq!(conversations.held_bytes, held.sum::<usize>());
        let runs = |first, end| conversations.runs(first, end).collect::<Vec<_>>();
        assert_eq!(runs(0, 64), [(Some(0), 4), (Some(1), 1), (None, 1)]);
        assert_eq!((runs(3, 5), runs(64, 128)), (vec![(Some(0), 1), (Some(1), 1)], vec![]));
        conversations.remove(2);
        conversations.remove(5);
        assert_eq!(conversations.rows(0), [1, 0, 3]);
        assert_eq!([1, 0, 3].map(|row| conversations.position(row)), [0, 1, 2]);
        assert_eq!(
            (conversations.of(3), conversations.of(5), conversations.find("b"), conversations.find("c")),
            (Some(0), None, Some(1), None)
        );
    }
}
