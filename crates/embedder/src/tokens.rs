//! Turns text into the token ids that the network reads.
//!
//! Relies on `tokenizer.json` for the vocabulary, and also for the window unless the caller gives one. The window is the number
//! of tokens that the network takes. Never tokenises more than [`MAX_TEXT_BYTES`] bytes of a text at once, so that a text of
//! any size takes little memory.

use annals_core::{Error, Result};
use tokenizers::{Encoding, PostProcessor, Tokenizer, TruncationDirection, TruncationParams};

/// Maximum bytes of a text that are tokenised. A window of 256 tokens holds about 1 KB of prose, so the rest would be cut in
/// any case. Tokenising takes some 50 bytes of memory for each byte of text.
pub(crate) const MAX_TEXT_BYTES: usize = 16 * 1024;

/// The tokens of a text or of a pair of texts, with the model's start and end marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TokenIds {
    pub ids: Vec<u32>,
    /// The part that each token belongs to: 0, or 1 for the second text of a pair.
    pub types: Vec<u32>,
}

impl From<Encoding> for TokenIds {
    fn from(encoding: Encoding) -> TokenIds {
        TokenIds { ids: encoding.get_ids().to_vec(), types: encoding.get_type_ids().to_vec() }
    }
}

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

    /// Returns the tokens of a text between the model's start and end marks, cut at the window and at `MAX_TEXT_BYTES`.
    pub(crate) fn ids(&self, text: &str) -> Result<TokenIds> {
        let encoding = self.tokenizer.encode_fast(head(text), true);
        let encoding = encoding.map_err(|error| Error::model("cannot tokenise a text", error))?;
        // A model of vectors reads one text, whatever types its tokenizer gives.
        let types = vec![0; encoding.len()];
        Ok(TokenIds { types, ..encoding.into() })
    }

    /// Returns the tokens of two texts with the model's marks between them. Cuts the end of the first text until both fit the
    /// window; the second one is cut only at half of the window.
    pub(crate) fn pair(&self, first: &str, second: &str) -> Result<TokenIds> {
        let failed = |error| Error::model("cannot tokenise a text", error);
        let encode = |text: &str| self.tokenizer.encode_fast(head(text), false).map_err(failed);
        let (mut first, mut second) = (encode(first)?, encode(second)?);
        second.truncate(self.window / 2, 0, TruncationDirection::Right);
        let marks = self.tokenizer.get_post_processor().map_or(0, |marks| marks.added_tokens(true));
        first.truncate(self.window.saturating_sub(marks + second.len()), 0, TruncationDirection::Right);
        // Otherwise the marks would be written around every combination of the parts that were cut off.
        first.take_overflowing();
        second.take_overflowing();
        Ok(self.tokenizer.post_process(first, Some(second), true).map_err(failed)?.into())
    }

    /// Returns the maximum number of tokens of a part, without marks: the window less the two marks and a margin of four, but
    /// at least one.
    pub(crate) fn room(&self) -> usize {
        self.window.saturating_sub(6).max(1)
    }

    /// Returns the number of tokens of a text, without marks. A text that is longer than the window counts as the window.
    /// Returns `usize::MAX` if the text cannot be tokenised; [`Tokens::ids`] then returns the error.
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
        assert_eq!(tokens.ids(text).unwrap(), TokenIds { ids: expect.to_vec(), types: vec![0; expect.len()] });
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
        let TokenIds { ids, .. } = tokens.ids(&"hello ".repeat(1000)).unwrap();
        assert_eq!((ids.len(), ids[254], ids[255]), (256, 7592, 102));
        assert_eq!(tokens.room(), 250);
    }

    #[test]
    fn huge_word_is_one_token() {
        let tokens = Tokens::load(&ModelFiles::bundled().tokenizer, None).unwrap();
        assert_eq!(tokens.ids(&"a".repeat(10_000_000)).unwrap().ids.len(), 3);
        assert_eq!(tokens.ids(&format!("a{}", "é".repeat(MAX_TEXT_BYTES))).unwrap().ids.len(), 3);
    }

    #[test]
    fn pair_is_cut_at_the_end_of_its_first_text() {
        let tokens = Tokens::load(&ModelFiles::bundled().tokenizer, Some(16)).unwrap();
        let check = |first: usize, second: usize, expect: (usize, usize)| {
            let TokenIds { ids, types } = tokens.pair(&"hello ".repeat(first), &"world ".repeat(second)).unwrap();
            let count = |word: u32| ids.iter().filter(|id| **id == word).count();
            assert_eq!((count(7592), count(2088)), expect, "{ids:?}");
            // The marks: the first text begins with one, and each text ends with one.
            let (firsts, seconds) = (vec![0; expect.0 + 2], vec![1; expect.1 + 1]);
            assert_eq!(types, [firsts, seconds].concat());
            assert_eq!((ids[0], ids[expect.0 + 1], *ids.last().unwrap()), (101, 102, 102));
        };
        check(3, 2, (3, 2));
        check(100, 2, (11, 2));
        check(100, 100, (5, 8));
        check(0, 100, (0, 8));
        check(0, 0, (0, 0));
    }

    #[test]
    fn missing_truncation_is_an_error() {
        let mut tree: serde_json::Value = serde_json::from_slice(&ModelFiles::bundled().tokenizer).unwrap();
        tree["truncation"] = serde_json::Value::Null;
        let error = Tokens::load(tree.to_string().as_bytes(), None).map(|_| ()).unwrap_err();
        assert_eq!(error.to_string(), "tokenizer.json is damaged: it names no truncation");
    }
}
