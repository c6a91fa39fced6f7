//! Finds the kind of a source from names and content. Never guesses: unless exactly one kind is clear, the caller must ask.

use std::collections::HashMap;
use std::fmt;
use std::io::Read;

use annals_core::{Error, Result};
use serde_json::Value;

use crate::json::Lines;
use crate::kind::Kind;
use crate::source::{Entry, Source};

/// Maximum number of bytes of a file that are examined, counted uncompressed.
const HEAD: u64 = 64 * 1024;

/// How well a kind fits a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fit {
    /// The source is not of this kind.
    No,
    /// The source may be of this kind; the text says why: `conversations.json is there`.
    Possible(String),
    /// No other program writes such a source; the text says why.
    Clear(String),
}

/// The result of detecting the kind of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detected {
    /// Exactly one kind is clear. The text is the reason.
    Clear(Kind, String),
    /// Several kinds are clear, or none is clear and at least one is possible. Holds the clear ones in the first case, the
    /// possible ones in the second, each with its reason.
    Unclear(Vec<(Kind, String)>),
    /// No kind fits.
    Unknown,
}

impl Detected {
    /// Returns the kind if it is clear; otherwise an error that says how to choose a kind.
    pub fn clear(self) -> Result<Kind> {
        match self {
            Detected::Clear(kind, _) => Ok(kind),
            other => Err(Error::invalid("from", other.to_string())),
        }
    }
}

impl fmt::Display for Detected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Detected::Clear(kind, reason) => write!(f, "is {kind}: {reason}"),
            Detected::Unclear(fits) => {
                f.write_str("is missing, and the kind is not clear from the content;")?;
                let options: Vec<String> = fits.iter().map(|(kind, why)| format!(" --from {kind} ({why})")).collect();
                write!(f, " use{}", options.join(" or"))
            }
            Detected::Unknown => {
                let all: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
                write!(f, "is missing, and no kind fits the content; expected one of {}", all.join(", "))
            }
        }
    }
}

/// Determines the kind of a source from the names and the first bytes of its files.
pub fn detect(source: &mut Source) -> Detected {
    let mut sample = Sample::new(source);
    let mut clear = Vec::new();
    let mut possible = Vec::new();
    for kind in Kind::ALL.iter().copied() {
        match kind.importer().recognise(&mut sample) {
            Fit::No => {}
            Fit::Possible(why) => possible.push((kind, why)),
            Fit::Clear(why) => clear.push((kind, why)),
        }
    }
    match clear.len() {
        1 => clear.swap_remove(0).into(),
        0 if possible.is_empty() => Detected::Unknown,
        0 => Detected::Unclear(possible),
        _ => Detected::Unclear(clear),
    }
}

impl From<(Kind, String)> for Detected {
    fn from((kind, why): (Kind, String)) -> Detected {
        Detected::Clear(kind, why)
    }
}

/// The files of a source with their first bytes, for [`crate::Importer::recognise`].
pub struct Sample<'a> {
    entries: Vec<Entry>,
    source: &'a mut Source,
    heads: HashMap<Entry, Vec<u8>>,
}

impl<'a> Sample<'a> {
    fn new(source: &'a mut Source) -> Sample<'a> {
        Sample { entries: source.entries().to_vec(), source, heads: HashMap::new() }
    }

    /// Returns all files, ordered. There may be as many as [`crate::Limits::entries`] allows.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the first files for which `is_wanted` returns true, at most `most`.
    pub fn first(&self, most: usize, is_wanted: impl Fn(&Entry) -> bool) -> Vec<Entry> {
        self.entries.iter().filter(|entry| is_wanted(entry)).take(most).cloned().collect()
    }

    /// Returns the first 64 KiB of a file, uncompressed and without a byte order mark; empty if it cannot be read.
    pub fn head(&mut self, entry: &Entry) -> &[u8] {
        let source = &mut *self.source;
        let head = self.heads.entry(entry.clone()).or_insert_with(|| {
            let mut head = Vec::new();
            if let Ok(input) = source.open_entry(entry) {
                // If a file is damaged further on, the bytes before the damage are examined.
                let _ = input.take(HEAD).read_to_end(&mut head);
            }
            head
        });
        head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head)
    }

    /// Returns the JSON objects that stand on lines of their own within the first 64 KiB. Leaves out a line that is cut off
    /// there.
    pub fn lines(&mut self, entry: &Entry) -> Vec<Value> {
        let head = self.head(entry);
        let whole =
            if (head.len() as u64) < HEAD { head.len() } else { head.iter().rposition(|b| *b == b'\n').unwrap_or(0) };
        let mut lines = Lines::new(&head[..whole]);
        let mut values = Vec::new();
        while let Ok(Some(line)) = lines.next() {
            values.extend(line.value.ok().filter(Value::is_object));
        }
        values
    }

    /// Returns the keys of the first JSON object: the first element of a list, or the object itself. Returns none if other text
    /// comes first. Keys after the first 64 KiB are missing.
    pub fn keys(&mut self, entry: &Entry) -> Vec<String> {
        first_keys(self.head(entry))
    }
}

/// Returns the keys of the first object of a text that may be cut off.
fn first_keys(text: &[u8]) -> Vec<String> {
    let mut keys = Vec::new();
    let (mut depth, mut at) = (0_usize, text.iter().position(|byte| *byte == b'{').unwrap_or(text.len()));
    let mut expects_key = false;
    // Only the start of a list or spaces may precede the object.
    if !text[..at].iter().all(|byte| byte.is_ascii_whitespace() || *byte == b'[') {
        return keys;
    }
    while at < text.len() {
        match text[at] {
            b'{' | b'[' => {
                depth += 1;
                expects_key = depth == 1;
            }
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            b',' => expects_key = depth == 1,
            b'"' => {
                let end = string_end(text, at + 1);
                if std::mem::take(&mut expects_key) && depth == 1 {
                    keys.push(String::from_utf8_lossy(&text[at + 1..end]).into_owned());
                }
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
    keys
}

/// Returns the position of the quote that ends a string, or the length of the text if it is cut off before. `from` is the
/// position after the first quote.
fn string_end(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < text.len() && text[at] != b'"' {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    at.min(text.len())
}

#[cfg(test)]
mod tests;
