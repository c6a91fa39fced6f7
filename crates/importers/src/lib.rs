//! Reads what other programs keep (chat exports, session files, notes) and yields messages, facts, blocks and notes.
//!
//! An import is three steps: [`Source::open`] lists the files of a folder, ZIP archive or gzip file, and
//! [`Source::from_reader`] those of a stream; [`detect`] finds the kind from their names and content; [`import`] reads them and
//! passes one item after another to the caller.
//!
//! The input is never held in memory as a whole: files are decompressed as streams, and at most one JSON value, one message of
//! a chat or one note is in memory at a time, besides up to 10,000 items that wait for a date. Memory grows only by the list of
//! files, by some bytes for each message that may occur in several files or has no id in the source, and by 8 bytes for each
//! conversation. [`export`] is the opposite direction: it makes a folder of Markdown notes.
//!
//! The crate never stores anything, never reads a clock and never uses a network. Everything that is not imported is counted
//! ([`Skipped`]).

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod clean;
pub mod dates;
mod dating;
mod detect;
pub mod export;
mod item;
pub mod json;
mod kind;
mod kinds;
mod options;
mod output;
mod skipped;
mod source;
mod summary;
mod tree;

pub use clean::{id as storable_id, name as storable_name, split as split_text};
pub use detect::{Detected, Fit, Sample, detect};
pub use item::{Imported, Item, Location};
pub use kind::{Importer, Kind};
pub use options::{Branches, DateOrder, Options};
pub use output::Output;
pub use skipped::{Skip, SkipReason, Skipped};
pub use source::{Entry, Limits, Source};
pub use summary::Summary;

use annals_core::Result;

/// Reads a source of a kind and passes every item to `sink`. An error of `sink` ends the import and is returned. Returns the
/// counts of items and of skipped parts.
pub fn import(
    kind: Kind,
    source: &mut Source,
    options: &Options,
    sink: &mut dyn FnMut(Imported) -> Result<()>,
) -> Result<Summary> {
    let mut output = Output::new(options, sink);
    for (location, what) in source.refused() {
        output.skip(Skip::damaged("file that is not read", what.as_str(), location));
    }
    kind.importer().read(source, &mut output)?;
    output.finish()
}
