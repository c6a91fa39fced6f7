//! Escapes texts for PostgreSQL, which cannot store U+0000 in text. U+0000 is stored as U+0001 U+0001, and U+0001 as U+0001
//! U+0002.
//!
//! Other characters do not change. Compared byte by byte, as the collation "C" does, escaped texts have the same order,
//! equalities and prefixes as the original texts: U+0000 and U+0001 are the two smallest bytes, and stay so. Only the lengths
//! differ.

use std::borrow::Cow;

use crate::db::Error;

const MARK: u8 = 1;

/// Returns a text as it is stored.
pub(super) fn escaped(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.iter().any(|byte| *byte <= MARK) {
        return Cow::Borrowed(text);
    }
    let mut escaped = Vec::with_capacity(text.len() + 8);
    for byte in text {
        match byte {
            0 | &MARK => escaped.extend([MARK, byte + 1]),
            other => escaped.push(*other),
        }
    }
    Cow::Owned(escaped)
}

/// Returns the original of a stored text; `None` if nothing in it is escaped. Fails with damage if an escape is not valid.
pub(super) fn unescaped(stored: &[u8]) -> Result<Option<Vec<u8>>, Error> {
    if !stored.contains(&MARK) {
        return Ok(None);
    }
    let (mut text, mut bytes) = (Vec::with_capacity(stored.len()), stored.iter());
    while let Some(byte) = bytes.next() {
        match byte {
            &MARK => match bytes.next() {
                Some(escaped @ 1..=2) => text.push(escaped - 1),
                _ => return Err(Error::damage("a text has the character U+0001 where none can be")),
            },
            other => text.push(*other),
        }
    }
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_the_two_smallest_characters_are_escaped() {
        fn check(text: &str, expect: &str) {
            assert_eq!(escaped(text.as_bytes()), expect.as_bytes(), "{text:?}");
        }
        check("", "");
        check("tea, Tee, 茶 \u{2}\n", "tea, Tee, 茶 \u{2}\n");
        check("\0", "\u{1}\u{1}");
        check("a\u{1}b", "a\u{1}\u{2}b");
        check("\0\u{1}\u{2}\0", "\u{1}\u{1}\u{1}\u{2}\u{2}\u{1}\u{1}");
    }

    #[test]
    fn escape_that_is_never_written_is_damage() {
        for stored in ["\u{1}", "a\u{1}b", "\u{1}\u{3}", "\u{1}\u{1}\u{1}"] {
            assert!(unescaped(stored.as_bytes()).is_err_and(|error| error.is_damage()), "{stored:?}");
        }
    }

    fn text() -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(vec!['\0', '\u{1}', '\u{2}', '\u{3}', 'a', 'é']), 0..6)
            .prop_map(|chars| chars.into_iter().collect())
    }

    proptest! {
        #[test]
        fn escaped_texts_round_trip_and_keep_order_and_prefixes(a in text(), b in text()) {
            let (stored_a, stored_b) = (escaped(a.as_bytes()), escaped(b.as_bytes()));
            prop_assert!(!stored_a.contains(&0));
            let back = unescaped(&stored_a).unwrap().unwrap_or_else(|| stored_a.to_vec());
            prop_assert_eq!(back, a.as_bytes());
            prop_assert_eq!(stored_a.cmp(&stored_b), a.as_bytes().cmp(b.as_bytes()));
            prop_assert_eq!(stored_a.starts_with(&stored_b), a.starts_with(&b));
        }
    }
}
