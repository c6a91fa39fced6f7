//! Reads whole text files, reads JSON values according to the extension of the file, and makes ids for items without an id.
//! Shared by several kinds.

use std::collections::HashMap;
use std::io::Read;

use annals_core::{Digest, Result};
use serde_json::Value;

use crate::item::Location;
use crate::kinds::files::{each_element, each_line};
use crate::output::Output;
use crate::skipped::Skip;
use crate::source::{Entry, Source};

/// Maximum size in bytes of a text file. A larger file is skipped, because files are read as a whole.
const MAX_FILE_BYTES: u64 = 32 << 20;

/// Reads a text file: UTF-8, or UTF-16 with a byte order mark. Skips a file that is neither, or is larger than
/// `MAX_FILE_BYTES`, and returns `None`.
pub fn read_text(source: &mut Source, entry: &Entry, output: &mut Output<'_>) -> Option<String> {
    output.begin_file(entry, true);
    let mut bytes = Vec::new();
    let read = source.open_entry(entry).and_then(|input| input.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes));
    let fault = match read {
        Err(cause) => cause.to_string(),
        Ok(_) if bytes.len() as u64 > MAX_FILE_BYTES => format!("is larger than {} MiB", MAX_FILE_BYTES >> 20),
        Ok(_) => match decode(bytes) {
            Some(text) => return Some(text),
            None => "is not UTF-8 text; save it as UTF-8".to_owned(),
        },
    };
    output.skip(Skip::damaged("unreadable file", fault, &entry.location()));
    None
}

fn decode(bytes: Vec<u8>) -> Option<String> {
    let wide = |read: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks_exact(2).map(|pair| read([pair[0], pair[1]]));
        char::decode_utf16(units).collect::<std::result::Result<String, _>>().ok()
    };
    match &bytes[..] {
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, ..] => String::from_utf8(bytes[3..].to_vec()).ok(),
        _ => String::from_utf8(bytes).ok(),
    }
}

/// Returns the extension of a file's name, for the report of skipped files; empty if the name has none.
pub fn extension(entry: &Entry) -> &str {
    entry.name().rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// Returns whether a file has one JSON value per line.
pub fn is_lines(entry: &Entry) -> bool {
    entry.has_extension("jsonl") || entry.has_extension("ndjson") || entry.name().contains(".jsonl.")
}

/// Passes the JSON values of a file to `read`, with their places. Counts damaged ones as skipped.
///
/// In a file with a value per line, reading continues after a damaged line.
pub fn each_value<F>(source: &mut Source, entry: &Entry, output: &mut Output<'_>, mut read: F) -> Result<()>
where
    F: FnMut(&Value, &Location, &mut Output<'_>) -> Result<()>,
{
    let read = |value: Value, location: &Location, output: &mut Output<'_>| read(&value, location, output);
    if is_lines(entry) { each_line(source, entry, output, read) } else { each_element(source, entry, output, read) }
}

/// Returns a text without the spans from `start` to `end`, both included. A span without an end stays.
pub fn without_spans(text: &str, start: &str, end: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(from) = rest.find(start) {
        let Some(length) = rest[from..].find(end) else { break };
        kept.push_str(&rest[..from]);
        rest = &rest[from + length + end.len()..];
    }
    kept.push_str(rest);
    kept
}

/// Returns the first `most` bytes of a text, or fewer to end at a character. Searches for the end of a span are limited to such
/// a window, because a hostile text may have a million beginnings and no end.
pub fn window(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    &text[..end]
}

/// Makes ids for items without an id in the source: a hash of their words, with a number if the words occur again.
///
/// Items that are added elsewhere do not change an id, because only items with equal words are numbered.
#[derive(Default)]
pub struct MadeIds(HashMap<Digest, u64>);

impl MadeIds {
    /// Returns the id of the next item with these words.
    pub fn next(&mut self, words: &[&str]) -> String {
        let digest = Digest::of(words);
        let count = self.0.entry(digest).or_default();
        *count += 1;
        let start = &digest.to_string()[..24];
        if *count == 1 { start.to_owned() } else { format!("{start}.{count}") }
    }

    /// Returns a readable id, with a number if it was used before.
    pub fn named(&mut self, name: &str) -> String {
        let count = self.0.entry(Digest::of([name])).or_default();
        *count += 1;
        if *count == 1 { name.to_owned() } else { format!("{name}.{count}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_decoded() {
        assert_eq!(decode(b"\xef\xbb\xbfa".to_vec()).as_deref(), Some("a"));
        assert_eq!(decode(b"\xff\xfea\0\xe9\0".to_vec()).as_deref(), Some("aé"));
        assert_eq!(decode(b"\xfe\xff\0a".to_vec()).as_deref(), Some("a"));
        assert_eq!(decode(b"caf\xe9".to_vec()), None);
        assert_eq!(decode(b"\xff\xfe\0\xd8".to_vec()), None);
    }

    #[test]
    fn spans_and_windows_end_where_they_should() {
        assert_eq!(without_spans("a[x]b[y]c[z", "[", "]"), "abc[z");
        assert_eq!(without_spans("]a", "[", "]"), "]a");
        assert_eq!((window("éa", 1), window("éa", 2), window("éa", 9)), ("", "é", "éa"));
    }

    #[test]
    fn equal_words_are_numbered() {
        let mut ids = MadeIds::default();
        let (first, second, other) = (ids.next(&["a", "b"]), ids.next(&["a", "b"]), ids.next(&["ab"]));
        assert_eq!(second, format!("{first}.2"));
        assert_ne!(first, other);
        assert_eq!((ids.named("n"), ids.named("n")), ("n".to_owned(), "n.2".to_owned()));
    }
}
