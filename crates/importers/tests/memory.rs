//! Tests that the import of a large export needs no more memory than the import of a small one. The test is alone in its
//! process, because it measures the memory of the process.

#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Read};

use annals_core::Timestamp;
use annals_importers::{Imported, Kind, Limits, Options, Source, import};

/// Size in bytes of the generated exports. They are generated while they are read, and never exist as a whole.
const SIZE: usize = 50 << 20;
/// Maximum number of bytes by which an import may raise the peak memory of the process. One conversation has 100 KB.
const ALLOWED: usize = 16 << 20;

/// A reader of the pieces that a function generates.
struct Made<F> {
    make: F,
    piece: Vec<u8>,
    at: usize,
}

impl<F: FnMut() -> Option<String>> Read for Made<F> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.piece.len() {
            let Some(piece) = (self.make)() else { return Ok(0) };
            (self.piece, self.at) = (piece.into_bytes(), 0);
        }
        let count = buffer.len().min(self.piece.len() - self.at);
        buffer[..count].copy_from_slice(&self.piece[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

/// Returns the highest resident memory of this process since the last reset, in bytes.
fn peak() -> usize {
    let status = BufReader::new(std::fs::File::open("/proc/self/status").unwrap());
    let line = status.lines().map(Result::unwrap).find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() << 10
}

fn reset_peak() {
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
}

/// Imports a generated stream of about [`SIZE`] bytes; returns the number of messages.
fn measure(kind: Kind, name: &str, piece: impl Fn(usize) -> String, end: &str) -> u64 {
    let mut number = 0;
    let mut written = 0;
    let mut ends = Some(end.to_owned());
    let make = move || {
        if written > SIZE {
            return ends.take();
        }
        let text = piece(number);
        number += 1;
        written += text.len();
        Some(text)
    };
    let scratch = std::env::temp_dir();
    let mut stream = Made { make, piece: Vec::new(), at: 0 };
    let mut source = Source::from_reader(name, &mut stream, &scratch, Limits::default()).unwrap();
    reset_peak();
    let before = peak();
    let options = Options::new("2026-11-23T00:00:00Z".parse::<Timestamp>().unwrap());
    let mut bytes = 0;
    let mut sink = |imported: Imported| {
        bytes += format!("{:?}", imported.item).len();
        Ok(())
    };
    let summary = import(kind, &mut source, &options, &mut sink).unwrap();
    let grown = peak() - before;
    assert!(bytes > SIZE / 2, "{bytes} bytes came");
    assert_eq!(summary.skipped.total(), 0, "{summary}");
    assert!(grown < ALLOWED, "{kind}: {} KB for an export of {} KB", grown >> 10, SIZE >> 10);
    summary.total_messages()
}

#[test]
fn memory_does_not_grow_with_the_export() {
    let words = "all that was said ".repeat(55);
    let conversation = |number: usize| {
        let node = |at: usize| {
            let up = if at == 0 { "null".to_owned() } else { format!("\"n{}\"", at - 1) };
            format!(
                r#""n{at}":{{"parent":{up},"message":{{"author":{{"role":"user"}},"create_time":{},"content":{{"content_type":"text","parts":["{words}"]}}}}}}"#,
                1_700_000_000 + number
            )
        };
        let nodes: Vec<String> = (0..100).map(node).collect();
        let separator = if number == 0 { "[" } else { "," };
        format!(r#"{separator}{{"conversation_id":"c{number}","title":"x","mapping":{{{}}}}}"#, nodes.join(","))
    };
    assert!(measure(Kind::ChatGpt, "conversations.json", conversation, "]") > 40_000);
    let line = |number: usize| {
        format!(
            r#"{{"type":"user","uuid":"u{number}","sessionId":"s","timestamp":"2026-05-01T10:00:00Z","message":{{"content":"{words}"}}}}{}"#,
            "\n"
        )
    };
    assert!(measure(Kind::ClaudeCode, "s.jsonl", line, "\n") > 40_000);
}
