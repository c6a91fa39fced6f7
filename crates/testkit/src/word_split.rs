//! Splits texts into words in a simple way for tests: in lower case, with composed accents. In Chinese, Japanese and Korean,
//! which write without spaces or attach particles to words, pairs of characters count as words.

use unicode_normalization::UnicodeNormalization;

/// Returns the words of a text for text search and the word embedder.
pub(crate) fn words(text: &str) -> Vec<String> {
    let text: String = text.nfkc().flat_map(char::to_lowercase).collect();
    runs(&text)
        .iter()
        .flat_map(|run| if run.chars().all(is_cjk) { pairs(run) } else { vec![(*run).to_owned()] })
        .collect()
}

/// Returns the start of each word as a byte offset. Each Chinese, Japanese or Korean character counts as one word.
pub(crate) fn starts(text: &str) -> Vec<usize> {
    let start = |run: &str| run.as_ptr() as usize - text.as_ptr() as usize;
    let letters = |run: &&str| if run.chars().all(is_cjk) { usize::MAX } else { 1 };
    let starts = |run| str::char_indices(run).map(move |(index, _)| start(run) + index);
    runs(text).into_iter().flat_map(|run| starts(run).take(letters(&run))).collect()
}

/// Splits a text into runs of letters and digits. A run is either all Chinese, Japanese and Korean, or has none of it.
fn runs(text: &str) -> Vec<&str> {
    let mut runs = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric() && !is_mark(c)).filter(|word| !word.is_empty()) {
        let mut start = 0;
        let indices: Vec<_> = word.char_indices().collect();
        for pair in indices.windows(2).filter(|pair| is_cjk(pair[0].1) != is_cjk(pair[1].1)) {
            runs.push(&word[start..pair[1].0]);
            start = pair[1].0;
        }
        runs.push(&word[start..]);
    }
    runs
}

fn pairs(run: &str) -> Vec<String> {
    let letters: Vec<char> = run.chars().collect();
    letters.windows(letters.len().min(2)).map(|pair| pair.iter().collect()).collect()
}

fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{20000}'..='\u{3ffff}')
}

/// Returns whether a character is a combining accent.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_their_starts_are_found() {
        fn check(text: &str, expect: &[&str], begin: &[usize]) {
            assert_eq!((words(text), starts(text)), (expect.iter().map(ToString::to_string).collect(), begin.to_vec()));
        }
        check("Who is it?", &["who", "is", "it"], &[0, 4, 7]);
        check("", &[], &[]);
        check("… !?", &[], &[]);
        check("Café, cafe\u{301}", &["café", "café"], &[0, 7]);
        check("我在东京", &["我在", "在东", "东京"], &[0, 3, 6, 9]);
        check("A茶b", &["a", "茶", "b"], &[0, 1, 4]);
        check("서울에 갔다", &["서울", "울에", "갔다"], &[0, 3, 6, 10, 13]);
    }
}
