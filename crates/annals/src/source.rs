//! What a file to be imported is, by its first bytes: lines of JSON, a JSON list, either of them compressed. What is none of these
//! is refused in one sentence. Never stores anything.

use std::io::{BufRead, BufReader, Cursor, Read, Result as IoResult};
use std::path::Path;

use annals_core::{Error, Fault, Result};
use flate2::bufread::MultiGzDecoder;
use serde_json::Value;

use crate::failure::unreadable;

/// Bytes that are looked at.
const HEAD: usize = 8 * 1024;

/// What other files begin with, and what to do about them.
const OTHERS: [(&[u8], &str); 9] = [
    (b"PK\x03\x04", "is a zip archive; unpack it, and import the files in it"),
    (b"\x28\xb5\x2f\xfd", "is compressed with zstd; unpack it first"),
    (b"BZh", "is compressed with bzip2; unpack it first"),
    (b"\xfd7zXZ\x00", "is compressed with xz; unpack it first"),
    (b"\x89PNG", "is an image; import reads lines of JSON"),
    (b"\xff\xd8\xff", "is an image; import reads lines of JSON"),
    (b"GIF8", "is an image; import reads lines of JSON"),
    (b"%PDF", "is a PDF; import reads lines of JSON"),
    (b"SQLite format 3", "is a database; import reads lines of JSON"),
];

/// The text of a file.
pub enum Source {
    /// A JSON object a line.
    Lines(Box<dyn BufRead>),
    /// The elements of a JSON list, an object a line.
    List(Vec<u8>),
}

/// Opens a file, or standard input.
pub fn open(path: &Path) -> Result<Source> {
    if path == Path::new("-") {
        return read(Box::new(BufReader::new(crate::terminal::input())), path);
    }
    if path.is_dir() {
        return Err(wrong(path, "is a folder; name the files in it"));
    }
    let file = crate::input::open(path).map_err(|cause| unreadable(path, cause))?;
    read(Box::new(BufReader::new(file)), path)
}

fn read(input: Box<dyn BufRead>, path: &Path) -> Result<Source> {
    let failed = |cause| unreadable(path, cause);
    let (head, mut input) = peek(input).map_err(failed)?;
    if head.starts_with(&[0x1f, 0x8b]) {
        return read(Box::new(BufReader::new(MultiGzDecoder::new(input))), path);
    }
    if let Some((_, what)) = OTHERS.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Err(wrong(path, what));
    }
    if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
        return Err(wrong(path, "is UTF-16; save it as UTF-8"));
    }
    if head.contains(&0) {
        return Err(wrong(path, "is no text; import reads lines of JSON"));
    }
    let mark = if head.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    input.read_exact(&mut [0; 3][..mark]).map_err(failed)?;
    if head[mark..].trim_ascii_start().starts_with(b"[") {
        return list(input, path);
    }
    Ok(Source::Lines(input))
}

/// The first bytes, and the input with them before it again.
fn peek(mut input: Box<dyn BufRead>) -> IoResult<(Vec<u8>, Box<dyn BufRead>)> {
    let mut head = Vec::new();
    input.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
    Ok((head.clone(), Box::new(Cursor::new(head).chain(input))))
}

/// The elements of a list as lines. It is held as a whole: a list ends with its last byte.
fn list(mut input: Box<dyn BufRead>, path: &Path) -> Result<Source> {
    let mut text = Vec::new();
    input.read_to_end(&mut text).map_err(|cause| unreadable(path, cause))?;
    let elements: Vec<Value> = match serde_json::from_slice(&text) {
        Ok(elements) => elements,
        // Lines that begin with a list are no list.
        Err(_) if text.split(|byte| *byte == b'\n').any(is_object) => {
            return Ok(Source::Lines(Box::new(Cursor::new(text))));
        }
        Err(error) => return Err(wrong(path, &format!("is no JSON list: {error}"))),
    };
    if elements.iter().any(|element| element.get("mapping").is_some()) {
        let reason = "is an export of ChatGPT; import reads one message a line, so convert it first";
        return Err(wrong(path, reason));
    }
    let lines: Vec<String> = elements.iter().map(|element| format!("{element}\n")).collect();
    Ok(Source::List(lines.concat().into_bytes()))
}

fn is_object(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"{")
}

fn wrong(path: &Path, reason: &str) -> Error {
    let name = if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() };
    Error::Invalid(Fault::new(name, reason))
}
