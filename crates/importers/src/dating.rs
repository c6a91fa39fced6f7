//! Gives a date to items without one in the source: memories, blocks, notes, facts. Never uses the clock of the import.
//!
//! An item gets the first of these times that is known: its own; the time of its file, for a note or a file in an archive; the
//! newest time of an item of the source; the newest time of a data file on disk, which may only be the time when the file was
//! copied. An item with none of these is passed on undated.

use annals_core::Timestamp;

use crate::item::{Imported, Item};

/// Maximum number of items that wait for the newest time of the source. When it is reached, all of them are passed on with the
/// best time so far.
const MAX_WAITING: usize = 10_000;
/// Number of bytes in the texts of waiting items at which all of them are passed on with the best time so far.
const MAX_WAITING_BYTES: usize = 8 << 20;

/// The times that are known while a source is read.
#[derive(Default)]
pub struct Dating {
    /// The time of the current file, if items without a time get it.
    of_file: Option<Timestamp>,
    /// The newest time of the items so far.
    newest: Option<Timestamp>,
    /// The newest time of the data files on disk so far.
    on_disk: Option<Timestamp>,
    waiting: Vec<Imported>,
    bytes: usize,
}

impl Dating {
    /// Begins a file that was written at `modified`. `is_date` says whether items without a time get this time.
    pub fn begin_file(&mut self, modified: Option<Timestamp>, is_date: bool) {
        self.of_file = modified.filter(|_| is_date);
        if !is_date {
            self.on_disk = self.on_disk.max(modified);
        }
    }

    /// Returns the time of the current file, if items without a time get it.
    pub fn of_file(&self) -> Option<Timestamp> {
        self.of_file
    }

    /// Takes the time of an item into account for the newest time of the source.
    pub fn saw(&mut self, at: Option<Timestamp>) {
        self.newest = self.newest.max(at);
    }

    /// Keeps an item until its time is known. Returns whether the limit of waiting items is reached, so that the caller must
    /// [take](Dating::take) them.
    pub fn wait(&mut self, mut imported: Imported) -> bool {
        self.bytes += imported.item.parts().map_or(0, |(text, _)| text.len());
        self.waiting.push(imported);
        self.waiting.len() >= MAX_WAITING || self.bytes >= MAX_WAITING_BYTES
    }

    /// Returns the waiting items, in order. Each gets the newest time of the source so far, or else of the data files on disk.
    /// The items stay undated if neither is known.
    pub fn take(&mut self) -> Vec<Imported> {
        let best = self.newest.or(self.on_disk);
        let mut waiting = std::mem::take(&mut self.waiting);
        self.bytes = 0;
        for Imported { item, .. } in &mut waiting {
            date(item, best);
        }
        waiting
    }
}

fn date(item: &mut Item, best: Option<Timestamp>) {
    if let Some((_, at)) = item.parts() {
        *at = best;
    }
}

#[cfg(test)]
mod tests {
    use crate::item::{Item, Location};

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn block() -> Imported {
        Imported { location: Location::of("a"), item: Item::Block { name: "n".into(), text: "t".into(), at: None } }
    }

    #[track_caller]
    fn check(on_disk: Option<i64>, newest: Option<i64>, expect: Option<i64>) {
        let mut dating = Dating::default();
        dating.begin_file(on_disk.map(at), false);
        assert_eq!(dating.of_file(), None);
        assert!(!dating.wait(block()));
        dating.saw(newest.map(at));
        let dated = dating.take().remove(0).item.parts().map(|(_, at)| *at);
        assert_eq!(dated, Some(expect.map(at)));
    }

    #[test]
    fn newest_time_of_the_source_comes_before_that_of_a_data_file() {
        check(Some(9), Some(5), Some(5));
        check(Some(9), None, Some(9));
        check(None, None, None);
    }

    #[test]
    fn file_dates_what_stands_in_a_note() {
        let mut dating = Dating::default();
        dating.begin_file(Some(at(3)), true);
        assert_eq!(dating.of_file(), Some(at(3)));
        dating.begin_file(None, true);
        assert_eq!(dating.of_file(), None);
    }

    #[test]
    fn number_of_waiting_items_is_bounded() {
        let mut dating = Dating::default();
        assert_eq!((1..=MAX_WAITING + 1).find(|_| dating.wait(block())), Some(MAX_WAITING));
    }
}
