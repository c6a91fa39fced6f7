//! Puts text of conversations into a prompt in such a way that it stays data.
//!
//! The delimiter of a block contains a hash of the block, so no text inside can contain it. Line breaks inside texts are
//! removed, so each text stays on its line.

use annals_core::Digest;
pub(crate) use annals_core::sanitized_line;

/// Hex digits of the hash in a delimiter: too many to construct a text that contains its own hash.
const DIGITS: usize = 12;

/// Wraps a text in a block that no text inside can close.
pub(crate) fn fence(name: &str, body: &str) -> String {
    let id = &Digest::of([name, body]).to_string()[..DIGITS];
    format!("<{name} id=\"{id}\">\n{}\n</{name} id=\"{id}\">", body.trim_end_matches('\n'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn text_inside_a_block_cannot_close_it(text in "(\\PC|\n|<|/|sources|id=|\"|>){0,60}") {
            let block = fence("sources", &format!("[1] {}\n[2] end", sanitized_line(&text)));
            let lines: Vec<&str> = block.lines().collect();
            prop_assert_eq!(lines.len(), 4);
            let (open, close) = (lines[0], lines[3]);
            prop_assert!(!lines[1].contains(open) && !lines[1].contains(close));
            prop_assert!(lines[1].starts_with("[1] "));
        }
    }
}
