//! Splits text into words and sentences, to compare texts with each other.
//!
//! Some code splits by rules of its own, on purpose:
//!
//! - `index/src/lex.rs` makes the tokens that are stored on disk, stemmed and by language.
//! - `llm/src/extractive/split.rs` makes sentences for readers, by Unicode's rules and a list of abbreviations.
//! - `llm/src/extractive/tokens.rs` makes words that keep the apostrophes and hyphens inside them.
//! - `embedder/src/split.rs` fills the window of a model, by Unicode's rules and without gaps.
//! - `annals/src/view/excerpt.rs` removes endings, so that "moving" finds "moved".
//! - `server/src/mcp/text.rs` cuts only where a space follows, so not within "3.50".

use crate::folded;

/// Characters that end a sentence wherever they stand.
pub const SENTENCE_ENDS: [char; 7] = ['.', '!', '?', '\n', '。', '！', '？'];

/// Minimum length in characters of a sentence that an erasure searches for. Shorter ones occur in too many texts to prove
/// anything.
const MIN_SEARCHED_LENGTH: usize = 12;

/// The first character of the wide scripts: Chinese, Japanese, Korean, and emoji above them.
const WIDE: char = '\u{2E80}';

/// Returns the words of a text: its runs of letters and digits, as written.
pub fn words(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Returns the words of a text, folded, between single spaces, with one before the first and one after the last.
pub fn spaced(text: &str) -> String {
    words(&folded(text)).fold(String::from(" "), |all, word| all + word + " ")
}

/// Returns whether the character belongs to a wide script. Most of these are written without spaces.
pub fn is_wide(c: char) -> bool {
    c >= WIDE
}

/// Returns the sentences of a text with their marks and spaces; together they are the text. An ellipsis ends a sentence
/// too.
pub fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(|c| c == '…' || SENTENCE_ENDS.contains(&c))
}

/// Returns the sentences by which an erasure proves that a text is gone: without marks and surrounding spaces, at least
/// twelve characters long. An ellipsis does not end such a sentence, so that a longer and rarer text is searched for.
pub fn searched_sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split(SENTENCE_ENDS).map(str::trim).filter(|sentence| is_searched(sentence))
}

/// Returns whether an erasure searches for the sentence.
pub fn is_searched(sentence: &str) -> bool {
    sentence.chars().count() >= MIN_SEARCHED_LENGTH
}

/// Returns whether a text contains a name as whole words: no letter or digit touches it on either side. Kana, Chinese
/// and Korean characters may touch it, because names there are not separated from the words around them. Compares
/// exactly; the caller folds both.
pub fn contains_name(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(start, _)| stands_alone(text, start, name))
}

fn stands_alone(text: &str, start: usize, name: &str) -> bool {
    let touch = |inner: Option<char>, outer: Option<char>| {
        inner.zip(outer).is_some_and(|(inner, outer)| is_lettered(inner) && is_lettered(outer))
    };
    let (before, after) = (text[..start].chars().next_back(), text[start + name.len()..].chars().next());
    !touch(name.chars().next(), before) && !touch(name.chars().next_back(), after)
}

fn is_lettered(c: char) -> bool {
    c.is_alphanumeric() && !matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined<'a>(pieces: impl Iterator<Item = &'a str>) -> String {
        pieces.collect::<Vec<_>>().join("|")
    }

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        fn check(text: &str, expect: &str) {
            assert_eq!(joined(words(text)), expect, "{text:?}");
        }
        check("Ann's well-known café, 2nd floor", "Ann|s|well|known|café|2nd|floor");
        check("去北京 3.5", "去北京|3|5");
        check(" … !", "");
    }

    #[test]
    fn sentences_keep_every_character() {
        fn check(text: &str, expect: &str) {
            assert_eq!(joined(sentences(text)), expect, "{text:?}");
            assert_eq!(sentences(text).collect::<String>(), text);
        }
        check("One. Two!?\nThree… four", "One.| Two!|?|\n|Three…| four");
        check("我搬到了伯尔尼。她在画画！", "我搬到了伯尔尼。|她在画画！");
        check("", "");
    }

    #[test]
    fn searched_sentences_are_long_and_bare() {
        fn check(text: &str, expect: &str) {
            assert_eq!(joined(searched_sentences(text)), expect, "{text:?}");
        }
        check("We went to Rome. Yes! And came back late?", "We went to Rome|And came back late");
        check("It cost 12.50 in all\nTwelve chars", "Twelve chars");
        check("Eleven char. We went… and came back", "We went… and came back");
    }

    #[test]
    fn name_is_contained_as_whole_words() {
        fn check(name: &str, text: &str, expect: bool) {
            assert_eq!(contains_name(text, name), expect, "{name:?} in {text:?}");
        }
        check("ann", "ann's tea", true);
        check("ann", "joann", false);
        check("ann", "joann and ann", true);
        check("r2", "r2d2", false);
        check("東京", "東京に行く", true);
        check("민수", "민숙이 왔다", false);
        check("सीता", "सतआई", false);
    }
}
