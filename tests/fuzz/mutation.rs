//! Random mutations of an input, like those by a bad disk, a cut connection, a careless edit or an attacker.

use proptest::prelude::*;

/// Largest size of a mutated input, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// A mutation. Positions and lengths are fractions of the input's length, in 65,536ths, so that it applies to every input.
#[derive(Clone, Debug)]
pub enum Mutation {
    Flip {
        at: u16,
        bit: u8,
    },
    Cut {
        from: u16,
        length: u16,
    },
    End {
        at: u16,
    },
    Repeat {
        from: u16,
        length: u16,
        times: u8,
    },
    Swap {
        one: u16,
        other: u16,
        length: u16,
    },
    Insert {
        at: u16,
        what: usize,
    },
    /// Replaces the n-th number.
    Number {
        n: u16,
        what: usize,
    },
    /// Replaces the text between the n-th quote and the next.
    Quoted {
        n: u16,
        what: usize,
    },
    /// Replaces the n-th structural character.
    Structure {
        n: u16,
        what: u8,
    },
}

/// Values that parsers often mishandle.
const ODD: [&[u8]; 40] = [
    b"",
    b"0",
    b"-1",
    b"1e400",
    b"99999999999999999999999999999999",
    b"9223372036854775808",
    b"-0.0",
    b"1e-400",
    b"NaN",
    b"null",
    b"true",
    b"\"\"",
    b"[]",
    b"{}",
    b"[",
    b"}",
    b"\"",
    b"\\",
    b"\n",
    b"\r\n",
    b"\0",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\\ud800",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xae",
    b"\x1b[2J",
    b"../../../etc/passwd",
    b"/etc/passwd",
    b"%00",
    b"%ff",
    b"'; DROP TABLE turn; --",
    b"{{ text }}",
    b"{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}",
    b"{{ sources }}",
    b"9999-12-31T23:59:60Z",
    b"-9999-01-01T00:00:00Z",
    b"2026-02-30",
    b"2026-W54",
    b"P99999999999D",
];

const NUMBERS: [&[u8]; 10] = [
    b"0",
    b"-1",
    b"1e308",
    b"18446744073709551616",
    b"9223372036854775807",
    b"4294967296",
    b"0.1",
    b"00",
    b"1_000",
    b"999999999",
];

const STRUCTURE: &[u8] = b"{}[]\":,=/?&%.\n# '-";

/// Returns an odd value, sometimes nested deeper or longer than any parser needs to accept.
fn odd(what: usize) -> Vec<u8> {
    match what % (ODD.len() + 4) {
        0 => b"[".repeat(3_000),
        1 => b"{\"a\":".repeat(1_000),
        2 => b"x".repeat(70_000),
        3 => b"((".repeat(500),
        other => ODD[other - 4].to_vec(),
    }
}

/// Generates lists of one to four mutations.
pub fn mutations() -> impl Strategy<Value = Vec<Mutation>> {
    let position = any::<u16>;
    // Mostly short pieces.
    let length = || prop_oneof![3 => 0_u16..1_000, 1 => any::<u16>()];
    let one = prop_oneof![
        (position(), 0_u8..8).prop_map(|(at, bit)| Mutation::Flip { at, bit }),
        (position(), length()).prop_map(|(from, length)| Mutation::Cut { from, length }),
        position().prop_map(|at| Mutation::End { at }),
        (position(), length(), 1_u8..20).prop_map(|(from, length, times)| Mutation::Repeat { from, length, times }),
        (position(), position(), length()).prop_map(|(one, other, length)| Mutation::Swap { one, other, length }),
        (position(), any::<usize>()).prop_map(|(at, what)| Mutation::Insert { at, what }),
        (position(), any::<usize>()).prop_map(|(n, what)| Mutation::Number { n, what }),
        (position(), any::<usize>()).prop_map(|(n, what)| Mutation::Quoted { n, what }),
        (position(), any::<u8>()).prop_map(|(n, what)| Mutation::Structure { n, what }),
    ];
    prop::collection::vec(one, 1..5)
}

/// Applies all mutations to an input.
pub fn apply(good: &[u8], mutations: &[Mutation]) -> Vec<u8> {
    let mut bytes = good.to_vec();
    for mutation in mutations {
        change(&mut bytes, mutation);
        bytes.truncate(MAX_BYTES);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, mutation: &Mutation) {
    let length = bytes.len();
    let position = |share: u16| length * usize::from(share) / 65_536;
    let piece = |from: u16, share: u16| position(from)..(position(from) + position(share)).min(length);
    match *mutation {
        Mutation::Flip { at, bit } => {
            if let Some(byte) = bytes.get_mut(position(at)) {
                *byte ^= 1 << bit;
            }
        }
        Mutation::Cut { from, length } => drop(bytes.drain(piece(from, length))),
        Mutation::End { at } => bytes.truncate(position(at)),
        Mutation::Repeat { from, length, times } => {
            let copied = bytes[piece(from, length)].repeat(usize::from(times));
            let at = position(from);
            bytes.splice(at..at, copied);
        }
        Mutation::Swap { one, other, length } => {
            let (first, second) = (piece(one.min(other), length), piece(one.max(other), length));
            if first.end <= second.start {
                let (before, after) = (bytes[first.clone()].to_vec(), bytes[second.clone()].to_vec());
                bytes.splice(second, before);
                bytes.splice(first, after);
            }
        }
        Mutation::Insert { at, what } => {
            let at = position(at);
            bytes.splice(at..at, odd(what));
        }
        Mutation::Number { n, what } => {
            if let Some(range) = nth(&numbers(bytes), n) {
                bytes.splice(range, NUMBERS[what % NUMBERS.len()].iter().copied());
            }
        }
        Mutation::Quoted { n, what } => {
            if let Some(range) = nth(&quoted(bytes), n) {
                bytes.splice(range, odd(what));
            }
        }
        Mutation::Structure { n, what } => {
            let places = bytes.iter().enumerate().filter(|(_, byte)| STRUCTURE.contains(byte));
            let places: Vec<_> = places.map(|(at, _)| at..at + 1).collect();
            if let Some(range) = nth(&places, n) {
                bytes[range.start] = STRUCTURE[usize::from(what) % STRUCTURE.len()];
            }
        }
    }
}

fn nth(ranges: &[std::ops::Range<usize>], n: u16) -> Option<std::ops::Range<usize>> {
    (!ranges.is_empty()).then(|| ranges[usize::from(n) % ranges.len()].clone())
}

/// Returns the runs of digits.
fn numbers(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
    for (at, _) in bytes.iter().enumerate().filter(|(_, byte)| byte.is_ascii_digit()) {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

/// Returns the ranges between each quote and the next.
fn quoted(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let quotes = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'"').map(|(at, _)| at);
    let quotes: Vec<usize> = quotes.collect();
    quotes.windows(2).map(|pair| pair[0] + 1..pair[1]).collect()
}

#[test]
fn every_mutation_changes_the_input() {
    let good = b"{\"at\": \"2026-03-04\", \"n\": 17, \"text\": \"We met in Kyoto.\"}";
    let (at, n, what) = (30_000, 5, 7);
    for mutation in [
        Mutation::Flip { at, bit: 3 },
        Mutation::Cut { from: at, length: 5_000 },
        Mutation::End { at },
        Mutation::Repeat { from: at, length: 5_000, times: 2 },
        Mutation::Swap { one: 10_000, other: 40_000, length: 5_000 },
        Mutation::Insert { at, what },
        Mutation::Number { n, what },
        Mutation::Quoted { n, what },
        Mutation::Structure { n, what: 1 },
    ] {
        assert_ne!(apply(good, std::slice::from_ref(&mutation)), good, "{mutation:?}");
        let is_insert = matches!(mutation, Mutation::Insert { .. });
        assert_eq!(apply(b"", &[mutation]).is_empty(), !is_insert);
    }
}
