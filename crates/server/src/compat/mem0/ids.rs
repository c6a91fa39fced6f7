//! Ids of memories as UUIDs, which mem0's clients expect, and back. The same memory always has the same UUID: it contains the
//! first 24 of the 26 characters of the hash in the id, by which the memory is found again.

use data_encoding::BASE32_NOPAD;

/// Number of characters of an id's hash that a UUID contains: 15 bytes.
const CHARACTERS: usize = 24;
/// Number of bits of a UUID of version 4 below its variant (`LOW`), and between its version and its variant (`MIDDLE`).
const LOW: u32 = 62;
const MIDDLE: u32 = 12;

/// Returns the UUID of a turn or statement.
pub(in crate::compat) fn uuid(id: &str) -> String {
    let hash = id.get(2..2 + CHARACTERS).unwrap_or_default().to_uppercase();
    let bytes = BASE32_NOPAD.decode(hash.as_bytes()).unwrap_or_default();
    let hash = bytes.iter().fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
    // One bit for the kind, 120 for the hash, one that is zero.
    let payload = u128::from(id.starts_with("f-")) << 121 | hash << 1;
    let (high, low) = (payload >> (MIDDLE + LOW), payload & ((1 << LOW) - 1));
    let middle = payload >> LOW & ((1 << MIDDLE) - 1);
    hyphened(high << 80 | 4 << 76 | middle << 64 | 0b10 << LOW | low)
}

/// Makes a UUID of version 4 from random bytes.
pub(super) fn random(bytes: [u8; 16]) -> String {
    let number = u128::from_be_bytes(bytes) & !(0xf << 76) & !(0b11 << LOW);
    hyphened(number | 4 << 76 | 0b10 << LOW)
}

fn hyphened(number: u128) -> String {
    let hex = format!("{number:032x}");
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

/// Result of parsing a text as the UUID of a memory.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Parsed {
    /// The beginning of the id of a memory.
    Prefix(String),
    /// A UUID that no memory has.
    Foreign,
    /// A text that is not a UUID.
    Malformed,
}

/// Parses a text as the UUID of a memory. The UUID contains the beginning of the memory's id.
pub(super) fn parse(text: &str) -> Parsed {
    let hyphens: Vec<usize> = text.match_indices('-').map(|(index, _)| index).collect();
    let hex = text.replace('-', "");
    let is_uuid = text.len() == 36 && hyphens == [8, 13, 18, 23] && hex.len() == 32;
    let Some(number) = is_uuid.then(|| u128::from_str_radix(&hex, 16).ok()).flatten() else { return Parsed::Malformed };
    let middle = number >> 64 & ((1 << MIDDLE) - 1);
    let payload = (number >> 80) << (MIDDLE + LOW) | middle << LOW | number & ((1 << LOW) - 1);
    if number >> 76 & 0xf != 4 || number >> LOW & 0b11 != 0b10 || payload & 1 == 1 {
        return Parsed::Foreign;
    }
    let kind = if payload >> 121 == 1 { 'f' } else { 't' };
    let hash = (payload >> 1) & ((1 << 120) - 1);
    let hash = BASE32_NOPAD.encode(&hash.to_be_bytes()[1..]).to_lowercase();
    Parsed::Prefix(format!("{kind}-{hash}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuid_leads_back_to_the_id() {
        for id in ["t-myzedabe2jaxwfkkgzwop6zemk", "f-vfrimyyiiifqr5l6hktokwrjbj", "t-22222222222222222222222222"] {
            let uuid = uuid(id);
            assert_eq!(parse(&uuid), Parsed::Prefix(id[..26].to_owned()), "{uuid}");
            assert_eq!(parse(&uuid.to_uppercase()), Parsed::Prefix(id[..26].to_owned()));
            assert_eq!((uuid.len(), &uuid[14..15]), (36, "4"));
            assert!("89ab".contains(&uuid[19..20]), "{uuid}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "not-a-uuid", "t-myzedabe2jaxwfkkgzwop6zemk", "0123456789abcdef0123456789abcdef0123"] {
            assert_eq!(parse(text), Parsed::Malformed, "{text}");
        }
        assert_eq!(parse("00000000-0000-0000-0000-000000000000"), Parsed::Foreign);
        assert!(matches!(parse(&random([0xff; 16])), Parsed::Foreign | Parsed::Prefix(_)));
    }
}
