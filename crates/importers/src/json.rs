//! Splits a file into JSON values without parsing the whole file: the elements of one list, or values that follow one another
//! (one object, JSON Lines). One value is in memory at a time, at most [`MAX_VALUE_BYTES`] bytes.
//!
//! A value that is damaged inside is still split off as a value, and an error is reported for it alone. So a damaged
//! conversation does not hide the conversations after it.

mod surrogates;

use std::io::{BufRead, Result as IoResult};

use serde_json::Value;

/// Maximum size of a value in bytes. Larger values are skipped, and an error is reported for them.
pub const MAX_VALUE_BYTES: usize = 256 << 20;
/// Size of the buffer, in bytes, that a reader keeps from one value to the next. A larger buffer is shrunk to this size.
const KEPT: usize = 4 << 20;

/// One value of a file, or the reason why it cannot be read.
#[derive(Debug)]
pub struct Element {
    /// The line on which it begins, counted from 1.
    pub line: u64,
    /// The value, or what is wrong with it.
    pub value: Result<Value, String>,
}

/// Reads one JSON value per line. Skips empty lines.
pub struct Lines<R> {
    input: R,
    line: u64,
    buffer: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    pub fn new(input: R) -> Lines<R> {
        Lines { input, line: 0, buffer: Vec::new() }
    }

    /// Returns the next value, or `None` at the end. Returns an error if the input itself cannot be read; reading then ends.
    #[expect(clippy::should_implement_trait, reason = "an iterator would go on after an error of the input")]
    pub fn next(&mut self) -> IoResult<Option<Element>> {
        loop {
            self.buffer.clear();
            self.buffer.shrink_to(KEPT);
            self.line += 1;
            let read = read_line(&mut self.input, &mut self.buffer)?;
            if read == 0 {
                return Ok(None);
            }
            let line = self.line;
            if self.buffer.len() > MAX_VALUE_BYTES {
                return Ok(Some(Element { line, value: Err(too_large()) }));
            }
            let text = without_mark(&self.buffer).trim_ascii();
            if !text.is_empty() {
                return Ok(Some(Element { line, value: parse(text) }));
            }
        }
    }
}

/// Reads a line and appends it to `buffer`, up to one byte more than [`MAX_VALUE_BYTES`]. Returns the length of the whole line
/// in bytes; 0 at the end of the input.
fn read_line(input: &mut impl BufRead, buffer: &mut Vec<u8>) -> IoResult<usize> {
    let mut length = 0;
    loop {
        let chunk = input.fill_buf()?;
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(chunk.len(), |at| at + 1);
        let room = (MAX_VALUE_BYTES + 1).saturating_sub(buffer.len());
        buffer.extend_from_slice(&chunk[..used.min(room)]);
        length += used;
        input.consume(used);
        if end.is_some() || used == 0 {
            return Ok(length);
        }
    }
}

/// Reads the elements of a list, or values that follow one another.
pub struct Elements<R> {
    input: R,
    line: u64,
    state: State,
    buffer: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Start,
    InList,
    Values,
    End,
}

impl<R: BufRead> Elements<R> {
    pub fn new(input: R) -> Elements<R> {
        Elements { input, line: 1, state: State::Start, buffer: Vec::new() }
    }

    /// Returns the next element, or `None` at the end. Returns an error if the input itself cannot be read; reading then ends.
    #[expect(clippy::should_implement_trait, reason = "an iterator would go on after an error of the input")]
    pub fn next(&mut self) -> IoResult<Option<Element>> {
        loop {
            let Some(byte) = self.between()? else {
                let is_cut = std::mem::replace(&mut self.state, State::End) == State::InList;
                let value = Err("the list has no end: the file is cut off".to_owned());
                return Ok(is_cut.then_some(Element { line: self.line, value }));
            };
            match (self.state, byte) {
                (State::End, _) => return Ok(None),
                (State::Start, b'[') => {
                    self.state = State::InList;
                    self.skip_byte();
                }
                (State::Start, _) => self.state = State::Values,
                // Whatever follows the list is ignored.
                (State::InList, b']') => self.state = State::End,
                _ => return self.element().map(Some),
            }
        }
    }

    /// Skips white space, commas and a byte order mark. Returns the next byte without consuming it, or `None` at the end.
    fn between(&mut self) -> IoResult<Option<u8>> {
        loop {
            let chunk = self.input.fill_buf()?;
            let Some(byte) = chunk.first().copied() else { return Ok(None) };
            let is_mark = self.state == State::Start && matches!(byte, 0xef | 0xbb | 0xbf);
            if !(byte.is_ascii_whitespace() || byte == b',' || is_mark) {
                return Ok(Some(byte));
            }
            self.line += u64::from(byte == b'\n');
            self.skip_byte();
        }
    }

    fn skip_byte(&mut self) {
        self.input.consume(1);
    }

    fn element(&mut self) -> IoResult<Element> {
        let line = self.line;
        self.buffer.clear();
        self.buffer.shrink_to(KEPT);
        let mut scan = Scan::default();
        let mut length = 0;
        while !scan.is_complete {
            let chunk = self.input.fill_buf()?;
            if chunk.is_empty() {
                self.state = State::End;
                break;
            }
            let used = scan.read(chunk);
            self.line += chunk[..used].iter().filter(|byte| **byte == b'\n').count() as u64;
            length += used;
            let room = MAX_VALUE_BYTES.saturating_sub(self.buffer.len());
            self.buffer.extend_from_slice(&chunk[..used.min(room)]);
            self.input.consume(used);
        }
        let value = if length > MAX_VALUE_BYTES { Err(too_large()) } else { parse(&self.buffer) };
        Ok(Element { line, value })
    }
}

/// Finds the end of a value: the bracket that closes the first one, or the separator after a plain value.
#[derive(Default)]
struct Scan {
    depth: usize,
    in_string: bool,
    is_escaped: bool,
    has_begun: bool,
    is_complete: bool,
}

impl Scan {
    /// Scans a chunk and returns how many of its bytes belong to the value.
    fn read(&mut self, chunk: &[u8]) -> usize {
        for (at, byte) in chunk.iter().enumerate() {
            if self.depth == 0 && self.has_begun && !self.in_string && matches!(byte, b',' | b']' | b'}' | b'\n') {
                self.is_complete = true;
                return at;
            }
            self.step(*byte);
            if self.is_complete {
                return at + 1;
            }
        }
        chunk.len()
    }

    fn step(&mut self, byte: u8) {
        self.has_begun = true;
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' if self.in_string => self.is_escaped = true,
            b'"' => {
                self.in_string = !self.in_string;
                self.is_complete = !self.in_string && self.depth == 0;
            }
            _ if self.in_string => {}
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.is_complete = self.depth == 0;
            }
            _ => {}
        }
    }
}

fn parse(bytes: &[u8]) -> Result<Value, String> {
    let failed = match serde_json::from_slice(bytes) {
        Ok(value) => return Ok(value),
        Err(error) => format!("is not JSON: {error}"),
    };
    let repaired = surrogates::without_halves(bytes).ok_or_else(|| failed.clone())?;
    serde_json::from_slice(&repaired).map_err(|_| failed)
}

fn too_large() -> String {
    format!("is larger than {} MiB", MAX_VALUE_BYTES >> 20)
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

#[cfg(test)]
mod tests;
