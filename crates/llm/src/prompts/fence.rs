//! How words of conversations are put into a prompt: so that they stay data.
//!
//! A block's delimiter carries a hash of the block, which no text inside can know of itself; and inside it no line begins
//! with anything but what is written there by us, because line breaks of the texts are gone.

use annals_core::Digest;
pub(crate) use annals_core::tame;

/// Digits of the hash in a delimiter: enough that nobody finds a text that contains its own.
const DIGITS: usize = 12;

/// A block that only its own end closes.
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
        fn no_text_closes_its_block(text in "(\\PC|\n|<|/|sources|id=|\"|>){0,60}") {
            let block = fence("sources", &format!("[1] {}\n[2] end", tame(&text)));
            let lines: Vec<&str> = block.lines().collect();
            prop_assert_eq!(lines.len(), 4);
            let (open, close) = (lines[0], lines[3]);
            prop_assert!(!lines[1].contains(open) && !lines[1].contains(close));
            prop_assert!(lines[1].starts_with("[1] "));
        }
    }
}
