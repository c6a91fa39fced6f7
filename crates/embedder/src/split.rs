//! Splits long texts into parts that fit the model's window: whole sentences together, and a sentence that is too long in
//! halves.
//!
//! Pure. Relies on Unicode's sentence boundaries (a line break is one) and on a function that counts tokens. That function gets
//! at most [`PIECE`] bytes at once, so memory is bounded. It gets each byte once, and in a sentence that is too long once more
//! for each halving, so time is linear in the length of a text.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use crate::tokens::MAX_TEXT_BYTES;

/// Maximum bytes of a sentence for its tokens to be counted. A longer sentence is halved first. 250 tokens of prose are about
/// 1000 bytes.
const PIECE: usize = 2048;

/// Returns ranges of at most `room` tokens and at most [`MAX_TEXT_BYTES`] bytes, in order and without gaps; one empty range for
/// an empty text. A single character is never split, even if it has more tokens.
pub(crate) fn split(text: &str, room: usize, count: impl Fn(&str) -> usize) -> Vec<Range<usize>> {
    let fits = |tokens: usize| tokens <= room;
    let mut parts = Parts::default();
    for (start, sentence) in text.split_sentence_bound_indices() {
        let range = start..start + sentence.len();
        let tokens = if sentence.len() <= PIECE { count(sentence) } else { usize::MAX };
        if fits(tokens) {
            parts.add(range, tokens, room);
        } else {
            parts.close();
            halve(text, range, &|piece| fits(count(piece)), &mut parts.done);
        }
    }
    parts.finish()
}

/// The finished parts, and the open part that still takes sentences.
#[derive(Default)]
struct Parts {
    done: Vec<Range<usize>>,
    open: Option<(Range<usize>, usize)>,
}

impl Parts {
    fn add(&mut self, sentence: Range<usize>, tokens: usize, room: usize) {
        if let Some((open, held)) = &mut self.open
            && *held + tokens <= room
            && sentence.end - open.start <= MAX_TEXT_BYTES
        {
            open.end = sentence.end;
            *held += tokens;
            return;
        }
        self.close();
        self.open = Some((sentence, tokens));
    }

    fn close(&mut self) {
        self.done.extend(self.open.take().map(|(range, _)| range));
    }

    fn finish(mut self) -> Vec<Range<usize>> {
        self.close();
        if self.done.is_empty() {
            self.done.push(0..0);
        }
        self.done
    }
}

/// Halves a piece until each part fits. The parts are not joined with neighbours: a word cut in two may have more tokens whole
/// than its halves together.
fn halve(text: &str, range: Range<usize>, fits: &dyn Fn(&str) -> bool, parts: &mut Vec<Range<usize>>) {
    let piece = &text[range.clone()];
    let cut = middle(piece);
    if cut == piece.len() || (piece.len() <= PIECE && fits(piece)) {
        parts.push(range);
        return;
    }
    let cut = range.start + cut;
    halve(text, range.start..cut, fits, parts);
    halve(text, cut..range.end, fits, parts);
}

/// Returns where to cut a piece: at the first space of the third quarter, or else at the last character boundary in the first
/// half. If the first character fills more than half, returns its end, which is the end of a piece of one character.
fn middle(piece: &str) -> usize {
    let half = match piece.floor_char_boundary(piece.len() / 2) {
        0 => piece.ceil_char_boundary(1),
        half => half,
    };
    let quarter = piece.ceil_char_boundary(piece.len() / 4 * 3).max(half);
    piece[half..quarter].find(char::is_whitespace).map_or(half, |space| half + space)
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;
    use crate::files::ModelFiles;
    use crate::tokens::Tokens;

    /// Splits a text in which each word is a token, and compares the parts joined by `|`.
    fn check(text: &str, room: usize, expect: &str) {
        let parts = split(text, room, |part| part.split_whitespace().count());
        assert_eq!(parts.into_iter().map(|part| &text[part]).collect::<Vec<_>>().join("|"), expect);
    }

    #[test]
    fn short_texts_stay_whole() {
        check("", 3, "");
        check(" ", 3, " ");
        check("One. Two. Three.", 3, "One. Two. Three.");
    }

    #[test]
    fn sentences_stay_together_as_far_as_they_fit() {
        check("One two. Three. Four five.", 3, "One two. Three. |Four five.");
        check("One\ntwo\nthree\nfour", 2, "One\ntwo\n|three\nfour");
        check("Is it? Yes! He said \"No.\" Then.", 3, "Is it? Yes! |He said \"No.\" |Then.");
    }

    #[test]
    fn long_sentences_are_cut_at_words() {
        check("So. A b c d e f. Then.", 3, "So. |A b| c d| e f. |Then.");
    }

    #[test]
    fn long_words_are_cut_at_characters() {
        assert_eq!(split("éééé", 2, |part| part.chars().count()), [0..4, 4..8]);
        assert_eq!(split("aé", 0, |_| usize::MAX), [0..1, 1..3]);
        assert_eq!(split("éa", 0, |_| usize::MAX), [0..2, 2..3]);
    }

    static TOKENS: LazyLock<Tokens> = LazyLock::new(|| Tokens::load(&ModelFiles::bundled().tokenizer, None).unwrap());

    fn check_parts(text: &str) {
        let tokens = &*TOKENS;
        let parts = split(text, tokens.room(), |part| tokens.count(part));
        let mut end = 0;
        for part in &parts {
            assert_eq!(part.start, end, "a gap");
            assert!(part.len() <= MAX_TEXT_BYTES && tokens.count(&text[part.clone()]) <= tokens.room(), "too long");
            end = part.end;
        }
        assert_eq!(end, text.len());
    }

    #[test]
    fn awkward_texts_are_covered_and_fit() {
        for unit in ["\n", "x", "한", "🎉", "1.1,", "a,b", "e\u{301}", " ", "日本。", "word word\u{2029}", "\u{0}"]
        {
            check_parts(&unit.repeat(20_000));
        }
    }

    /// Returns the time to split a text of `bytes` bytes of each of three kinds.
    fn measure(bytes: usize) -> Duration {
        let prose = "The bridge carries eleven thousand cars a day, and was built for two thousand. ";
        let measure_one = |unit: &str| {
            let text = unit.repeat(bytes / unit.len());
            let started = Instant::now();
            let parts = split(&text, TOKENS.room(), |part| TOKENS.count(part)).len();
            println!("{bytes} bytes of {unit:?}: {parts} parts, {:.1?}", started.elapsed());
            started.elapsed()
        };
        ["a", "a b ", prose].map(measure_one).iter().sum()
    }

    #[test]
    fn time_grows_no_faster_than_the_text() {
        // A tenth of a second each on a quiet machine; quadratic time would take minutes.
        assert!(measure(300_000) < Duration::from_secs(60));
    }

    #[test]
    #[ignore = "measures; run it on a quiet machine"]
    fn ten_megabytes() {
        measure(10_000_000);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_text_is_covered_and_fits(text in "(\\PC{0,40}|[a-z ]{0,60}[.!?\\n] ?|[\\x00-\\x20]{0,5}){0,60}") {
            check_parts(&text);
        }
    }
}
