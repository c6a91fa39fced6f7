//! Turns text into the token ids that the network reads.
//!
//! Relies on `tokenizer.json` for the vocabulary and for the window, which is the number of tokens that the network takes.
//! Never tokenises more than [`MAX_TEXT_BYTES`] bytes of a text at once, so that a text of any size takes little memory.

use annals_core::{Error, Result};
use tokenizers::{Tokenizer, TruncationParams};

/// The most bytes of a text that are tokenised. 256 tokens of prose are 1 KB; a window of that size cuts the rest in any case,
/// but tokenising takes some 50 bytes of memory for each byte of text.
pub(crate) const MAX_TEXT_BYTES: usize = 16 * 1024;

/// A tokenizer and the size of its window.
pub(crate) struct Tokens {
    tokenizer: Tokenizer,
    window: usize,
}

impl Tokens {
    /// Loads a `tokenizer.json`. If no window is given, the file must set the number of tokens at which it truncates.
    pub(crate) fn load(bytes: &[u8], window: Option<usize>) -> Result<Tokens> {
        let mut tokenizer =
            Tokenizer::from_bytes(bytes).map_err(|error| Error::model("cannot read tokenizer.json", error))?;
        tokenizer.with_padding(None);
        let truncation = tokenizer.get_truncation().map(|truncation| truncation.max_length);
        let window = window.or(truncation).ok_or_else(|| Error::damaged("tokenizer.json", "it names no truncation"))?;
        let truncation = TruncationParams { max_length: window, ..TruncationParams::default() };
        let cut = tokenizer.with_truncation(Some(truncation));
        cut.map_err(|error| Error::model("cannot cut texts at the window", error))?;
        Ok(Tokens { tokenizer, window })
    }

    /// Returns the token ids of a text between the model's start and end marks, cut at the window and at
    /// `MAX_TEXT_BYTES`.
    pub(crate) fn ids(&self, text: &str) -> Result<Vec<u32>> {
        let encoding = self.tokenizer.encode_fast(head(text), true);
        let encoding = encoding.map_err(|error| Error::model("cannot tokenise a text", error))?;
        Ok(encoding.get_ids().to_vec())
    }

    /// Returns the most tokens of a part, without marks: the window less the two marks and a margin of four.
    pub(crate) fn room(&self) -> usize {
        self.window.saturating_sub(6).max(1)
    }

    /// Returns the number of tokens of a text, without marks; inexact beyond the window. Returns `usize::MAX` if the text
    /// cannot be tokenised; [`Tokens::ids`] then returns the error.
    pub(crate) fn count(&self, text: &str) -> usize {
        self.tokenizer.encode_fast(head(text), false).map_or(usize::MAX, |encoding| encoding.len())
    }
}

fn head(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TEXT_BYTES)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::ModelFiles;

    fn check(text: &str, expect: &[u32]) {
        let tokens = Tokens::load(&ModelFiles::bundled().tokenizer, None).unwrap();
        assert_eq!(tokens.ids(text).unwrap(), expect);
        assert_eq!(tokens.count(text), expect.len() - 2);
    }

    #[test]
    fn words() {
        check("", &[101, 102]);
        check("Hello, World!", &[101, 7592, 1010, 2088, 999, 102]);
        check("  hello\n\tworld ", &[101, 7592, 2088, 102]);
        check("Café", &[101, 7668, 102]);
    }

    #[test]
    fn long_text_is_cut_at_the_window() {
        let tokens = Tokens::load(&ModelFiles::bundled().tokenizer, None).unwrap();
        let ids = tokens.ids(&"hello ".repeat(1000)).unwrap();
        assert_eq!((ids.len(), ids[254], ids[255]), (256, 7592, 102));
        assert_eq!(tokens.room(), 250);
    }

    #[test]
    fn huge_word_is_one_token() {
        let tokens = Tokens::load(&ModelFiles::bundled().tokenizer, None).unwrap();
        assert_eq!(tokens.ids(&"a".repeat(10_000_000)).unwrap().len(), 3);
        assert_eq!(tokens.ids(&format!("a{}", "é".repeat(MAX_TEXT_BYTES))).unwrap().len(), 3);
    }

    #[test]
    fn missing_truncation_is_an_error() {
        let mut tree: serde_json::Value = serde_json::from_slice(&ModelFiles::bundled().tokenizer).unwrap();
        tree["truncation"] = serde_json::Value::Null;
        let error = Tokens::load(tree.to_string().as_bytes(), None).map(|_| ()).unwrap_err();
        assert_eq!(error.to_string(), "tokenizer.json is damaged: it names no truncation");
    }
}
