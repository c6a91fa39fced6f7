//! Detects the format of a file to import from its first bytes: JSON lines or a JSON list, plain or gzip-compressed. Refuses
//! known other formats, UTF-16 and binary files with one sentence. Never stores anything.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read, Result as IoResult, Seek};
use std::path::Path;

use annals_core::{Error, Fault, Result};
use flate2::bufread::MultiGzDecoder;
use serde_json::Value;

use crate::failure::unreadable;
use crate::lines::Lines;

const GZIP: [u8; 2] = [0x1f, 0x8b];
/// Number of bytes at the beginning of a file that are inspected.
const HEAD: usize = 8 * 1024;

/// First bytes of other file formats, and the message for each.
const OTHERS: [(&[u8], &str); 9] = [
    (
        b"PK\x03\x04",
        "is a zip archive; name the program that wrote it with --from, or unpack it and import the files in it",
    ),
    (b"\x28\xb5\x2f\xfd", "is compressed with zstd; unpack it first"),
    (b"BZh", "is compressed with bzip2; unpack it first"),
    (b"\xfd7zXZ\x00", "is compressed with xz; unpack it first"),
    (b"\x89PNG", "is an image; import reads JSON Lines"),
    (b"\xff\xd8\xff", "is an image; import reads JSON Lines"),
    (b"GIF8", "is an image; import reads JSON Lines"),
    (b"%PDF", "is a PDF; import reads JSON Lines"),
    (b"SQLite format 3", "is a database; import reads JSON Lines"),
];

/// The text of a file to import.
pub(crate) enum Source {
    /// One JSON object per line, in a file that can be read again.
    File(Lines),
    /// One JSON object per line, to be read once.
    Stream(Box<dyn BufRead>),
    /// The elements of a JSON list, one per line.
    List(Vec<u8>),
}

/// Opens a file, or standard input for `-`.
pub(crate) fn open(path: &Path) -> Result<Source> {
    if path == Path::new("-") {
        return read(Box::new(BufReader::new(std::io::stdin())), path);
    }
    if path.is_dir() {
        return Err(wrong(path, "is a folder; name the files in it"));
    }
    let failed = |cause| unreadable(path, cause);
    let file = File::open(path).map_err(failed)?;
    let again = file.try_clone().map_err(failed)?;
    match read(Box::new(BufReader::new(file)), path)? {
        Source::Stream(_) if path.is_file() => match start_of_lines(&again).map_err(failed)? {
            Some(start) => Ok(Source::File(Lines::from(again, start).map_err(failed)?)),
            None => open_stream(again, path),
        },
        other => Ok(other),
    }
}

/// Reads a file from its start, once.
fn open_stream(mut file: File, path: &Path) -> Result<Source> {
    file.rewind().map_err(|cause| unreadable(path, cause))?;
    read(Box::new(BufReader::new(file)), path)
}

/// Returns where the text of a plain file begins, or `None` for a compressed file and for one that begins with a list.
fn start_of_lines(mut file: &File) -> IoResult<Option<u64>> {
    let mut head = Vec::new();
    file.rewind()?;
    file.take(HEAD as u64).read_to_end(&mut head)?;
    let mark = if head.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let is_list = head[mark..].trim_ascii_start().starts_with(b"[");
    Ok((!head.starts_with(&GZIP) && !is_list).then_some(mark as u64))
}

/// Returns whether a file, also one compressed with gzip, begins with a message or a record of an export, or with a JSON list of
/// them. Returns false if the first one is longer than the inspected bytes, and for a damaged compressed file.
pub(crate) fn is_ours(path: &Path) -> IoResult<bool> {
    let (mut head, mut file) = (Vec::new(), BufReader::new(File::open(path)?));
    if file.fill_buf()?.starts_with(&GZIP) {
        if MultiGzDecoder::new(file).take(HEAD as u64).read_to_end(&mut head).is_err() {
            return Ok(false);
        }
    } else {
        file.take(HEAD as u64).read_to_end(&mut head)?;
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head).trim_ascii_start();
    let first =
        serde_json::Deserializer::from_slice(text.strip_prefix(b"[").unwrap_or(text)).into_iter::<Value>().next();
    let Some(Ok(first)) = first else { return Ok(false) };
    let has = |field: &&str| first.get(*field).is_some();
    Ok(has(&"record") || ["conversation", "role", "content", "at"].iter().filter(|field| has(field)).count() > 1)
}

fn read(input: Box<dyn BufRead>, path: &Path) -> Result<Source> {
    let failed = |cause| unreadable(path, cause);
    let (head, mut input) = peek(input).map_err(failed)?;
    if head.starts_with(&GZIP) {
        return read(Box::new(BufReader::new(MultiGzDecoder::new(input))), path);
    }
    if let Some((_, what)) = OTHERS.iter().find(|(magic, _)| head.starts_with(magic)) {
        return Err(wrong(path, what));
    }
    if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
        return Err(wrong(path, "is UTF-16; save it as UTF-8"));
    }
    if head.contains(&0) {
        return Err(wrong(path, "is not text; import reads JSON Lines"));
    }
    let mark = if head.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    input.read_exact(&mut [0; 3][..mark]).map_err(failed)?;
    if head[mark..].trim_ascii_start().starts_with(b"[") {
        return list(input, path);
    }
    Ok(Source::Stream(input))
}

/// Returns the first bytes, and a reader that yields them again before the rest.
fn peek(mut input: Box<dyn BufRead>) -> IoResult<(Vec<u8>, Box<dyn BufRead>)> {
    let mut head = Vec::new();
    input.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
    Ok((head.clone(), Box::new(Cursor::new(head).chain(input))))
}

/// Converts a JSON list to lines. Holds the whole list in memory, because it is complete only at its last byte. A text that is
/// no list but has a line with an object is passed on as lines.
fn list(mut input: Box<dyn BufRead>, path: &Path) -> Result<Source> {
    let mut text = Vec::new();
    input.read_to_end(&mut text).map_err(|cause| unreadable(path, cause))?;
    let elements: Vec<Value> = match serde_json::from_slice(&text) {
        Ok(elements) => elements,
        // A file of lines may begin with a list and still hold objects; `jsonl` then reports the faults by line.
        Err(_) if text.split(|byte| *byte == b'\n').any(is_object) => {
            return Ok(Source::Stream(Box::new(Cursor::new(text))));
        }
        Err(error) => return Err(wrong(path, &format!("is not a valid JSON list: {error}"))),
    };
    if elements.iter().any(|element| element.get("mapping").is_some()) {
        let reason = "is an export of ChatGPT; import it with --from chatgpt";
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
