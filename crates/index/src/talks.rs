//! The conversations of a table in memory, each with its rows in order, so that what was said right before and after a turn
//! is at hand.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

/// The conversations, by number.
#[derive(Default)]
pub struct Talks {
    numbers: HashMap<Arc<str>, u32>,
    talks: Vec<Talk>,
    /// Of each row of the table the number of its conversation.
    of: Vec<u32>,
    /// And its place there.
    places: Vec<u32>,
    /// What the conversations take; counting them one by one would take longer than a commit.
    held_bytes: usize,
}

/// What a conversation takes beside its name and its rows.
const TALK_BYTES: usize = 96;

/// The number of no conversation.
const NONE: u32 = u32::MAX;

struct Talk {
    name: Arc<str>,
    /// Its rows by time, memory and part.
    rows: Vec<u32>,
}

impl Talks {
    /// Adds the next row of the table, said in a conversation or in none; then it is to be seated.
    pub fn push(&mut self, name: Option<&str>) -> Option<usize> {
        let talk = name.map(|name| self.number(name));
        self.of.push(talk.unwrap_or(NONE));
        self.places.push(0);
        talk.map(|talk| talk as usize)
    }

    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = u32::try_from(self.talks.len()).expect("no more conversations than rows");
        let name: Arc<str> = name.into();
        self.held_bytes += name.len() + TALK_BYTES;
        self.talks.push(Talk { name: name.clone(), rows: Vec::new() });
        self.numbers.insert(name, number);
        number
    }

    /// The conversation of a row.
    pub fn of(&self, row: usize) -> Option<usize> {
        known(self.of[row])
    }

    /// The rows from the first up to the second, cut wherever the next is of another conversation: of each run the conversation
    /// and how many rows it has.
    pub fn runs(&self, first: usize, end: usize) -> impl Iterator<Item = (Option<usize>, usize)> {
        let of = &self.of[first.min(self.of.len())..end.min(self.of.len())];
        of.chunk_by(|a, b| a == b).map(|run| (known(run[0]), run.len()))
    }

    /// The number of a conversation that is known.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).map(|talk| *talk as usize)
    }

    /// Gives a row its place, by an order of rows.
    pub fn seat(&mut self, talk: usize, row: u32, order: impl Fn(u32, u32) -> Ordering) {
        let rows = &mut self.talks[talk].rows;
        // Nearly always the last, as people speak one after the other.
        let place = match rows.last() {
            Some(last) if order(*last, row).is_gt() => rows.partition_point(|other| order(*other, row).is_lt()),
            _ => rows.len(),
        };
        let room = rows.capacity();
        rows.insert(place, row);
        self.held_bytes += (rows.capacity() - room) * size_of::<u32>();
        self.renumber(talk, place);
    }

    /// Takes a row out.
    pub fn leave(&mut self, row: usize) {
        if let Some(talk) = self.of(row) {
            let place = self.places[row] as usize;
            self.talks[talk].rows.remove(place);
            self.renumber(talk, place);
        }
    }

    fn renumber(&mut self, talk: usize, from: usize) {
        for (place, row) in self.talks[talk].rows.iter().enumerate().skip(from) {
            self.places[*row as usize] = place as u32;
        }
    }

    /// The place of a row in its conversation.
    pub fn place(&self, row: usize) -> u32 {
        self.places[row]
    }

    /// The rows of a conversation, in order.
    pub fn rows(&self, talk: usize) -> &[u32] {
        &self.talks[talk].rows
    }

    /// Its name.
    pub fn name(&self, talk: usize) -> Arc<str> {
        self.talks[talk].name.clone()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.talks.len()
    }

    /// About what they take.
    pub fn bytes(&self) -> usize {
        self.held_bytes + (self.of.capacity() + self.places.capacity()) * size_of::<u32>()
    }
}

fn known(talk: u32) -> Option<usize> {
    (talk != NONE).then_some(talk as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_seated_by_their_order_and_leave() {
        let mut talks = Talks::default();
        let times = [30, 10, 20, 40, 5, 7];
        for (row, name) in [(0, "a"), (1, "a"), (2, "a"), (3, "a"), (4, "b")] {
            let talk = talks.push(Some(name)).unwrap();
            talks.seat(talk, row, |a, b| times[a as usize].cmp(&times[b as usize]));
        }
        assert_eq!(talks.push(None), None);
        assert_eq!((talks.rows(0), talks.rows(1)), (&[1, 2, 0, 3][..], &[4][..]));
        let held = talks.talks.iter().map(|talk| talk.name.len() + TALK_BYTES + talk.rows.capacity() * 4);
        assert_eq!(talks.held_bytes, held.sum::<usize>());
        let runs = |first, end| talks.runs(first, end).collect::<Vec<_>>();
        assert_eq!(runs(0, 64), [(Some(0), 4), (Some(1), 1), (None, 1)]);
        assert_eq!((runs(3, 5), runs(64, 128)), (vec![(Some(0), 1), (Some(1), 1)], vec![]));
        talks.leave(2);
        talks.leave(5);
        assert_eq!(talks.rows(0), [1, 0, 3]);
        assert_eq!([1, 0, 3].map(|row| talks.place(row)), [0, 1, 2]);
        assert_eq!((talks.of(3), talks.of(5), talks.find("b"), talks.find("c")), (Some(0), None, Some(1), None));
    }
}
