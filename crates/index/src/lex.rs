//! The analyser of the full-text column: one for stored rows and for queries, in all languages.
//!
//! It turns text into tokens joined by spaces, and LanceDB only splits them again. None of LanceDB's own analysers both stems
//! and handles Chinese or Japanese, and with their stop words a search for "who is it" finds nothing. Stored rows also get the
//! words of their date and speaker. The tokens are stored on disk: change them only together with a new generation of the
//! tables.

mod normalize;
mod script;
mod stem;
mod stop;

use std::collections::HashSet;

use annals_core::Period;
use unicode_segmentation::UnicodeSegmentation;

use normalize::normalize;
use script::{Run, runs};
use stem::Stem;

/// The longest token in bytes; longer words (hashes, encoded data) are cut.
const MAX_TOKEN_LENGTH: usize = 40;

/// Returns the tokens of a stored row, joined by spaces: those of its text, its speaker, and the words for its period.
pub fn document(text: &str, language: &str, period: Period, speaker: Option<&str>) -> String {
    let mut tokens = Vec::new();
    let stem = Stem::of(language);
    for part in [text, speaker.unwrap_or_default(), &date_words(period)] {
        analyse(part, &stem, Single::Each, &mut tokens);
    }
    tokens.join(" ")
}

/// Returns the distinct tokens of a query, joined by spaces. Leaves out stop words, unless the query has no other words. Empty
/// if it has no words.
pub fn query(text: &str, language: &str) -> String {
    let stem = Stem::of(language);
    let mut tokens = Vec::new();
    analyse(text, &stem, Single::Lone, &mut tokens);
    let mut seen = HashSet::new();
    tokens.retain(|token| seen.insert(token.clone()));
    let telling: Vec<String> = tokens.iter().filter(|token| !stop::stops(token, language)).cloned().collect();
    if telling.is_empty() { tokens.join(" ") } else { telling.join(" ") }
}

/// Returns all tokens of a text, repeated ones included, as in a stored row.
pub fn tokens(text: &str, language: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    analyse(text, &Stem::of(language), Single::Each, &mut tokens);
    tokens
}

/// Which single characters of unspaced text are tokens, in addition to the bigrams.
#[derive(Clone, Copy, PartialEq)]
enum Single {
    /// Every character, so that a query of one character finds the row.
    Each,
    /// Only characters without a neighbour; in a query the bigrams are more specific.
    Lone,
}

fn analyse(text: &str, stem: &Stem, single: Single, tokens: &mut Vec<String>) {
    let folded = normalize(text);
    for chunk in folded.split_whitespace() {
        match label(chunk) {
            Some(label) => tokens.push(label),
            None => runs(chunk).for_each(|run| match run {
                Run::Spaced(words) => {
                    let words = words.unicode_words().flat_map(pieces);
                    tokens.extend(words.map(|word| cut(stem.of_word(bare(word, stem)))));
                }
                Run::Unspaced(characters) => pairs(characters, single, tokens),
            }),
        }
    }
}

/// Returns the label of a period if the chunk is one with a hyphen, as in "(2026-03-04)," or "2026-W10"; word boundaries would
/// split it.
fn label(chunk: &str) -> Option<String> {
    let bare = chunk.trim_matches(|c: char| !c.is_alphanumeric());
    let period: Period = bare.contains('-').then(|| bare.to_uppercase().parse().ok())??;
    Some(period.to_string().to_lowercase())
}

/// Splits a word at punctuation that Unicode takes for a part of it, as in "done.Next", "note:tea" and "user_id". Does not
/// split numbers.
fn pieces(word: &str) -> impl Iterator<Item = &str> {
    let is_number = !word.chars().any(char::is_alphabetic);
    let between = move |c: char| c.is_ascii_punctuation() && c != '\'' && !is_number;
    word.split(between).filter(|piece| !piece.is_empty())
}

/// Removes a possessive ending, and an elided article in languages that have them.
fn bare<'a>(word: &'a str, stem: &Stem) -> &'a str {
    let is_apostrophe = |c| c == '\'' || c == '\u{2019}';
    match word.rsplit_once(is_apostrophe) {
        Some((owner, "s")) => owner,
        Some((_, rest)) if stem.elides() => rest,
        _ => word,
    }
}

fn cut(mut word: String) -> String {
    while word.len() > MAX_TOKEN_LENGTH {
        word.pop();
    }
    word
}

fn pairs(characters: &str, single: Single, tokens: &mut Vec<String>) {
    let characters: Vec<char> = characters.chars().collect();
    if single == Single::Each || characters.len() == 1 {
        tokens.extend(characters.iter().map(char::to_string));
    }
    tokens.extend(characters.windows(2).map(|pair| pair.iter().collect::<String>()));
}

/// Returns the words by which people name a period: for a day its label, year and month, year, month and weekday; fewer for a
/// coarser period.
fn date_words(period: Period) -> String {
    use annals_core::Grain::{Daily, Monthly, Quarterly, Weekly, Working, Yearly};
    let (day, label) = (period.first_day(), period.to_string());
    match period.grain() {
        Working | Daily => format!("{label} {} {}", day.strftime("%Y-%m %Y %B"), day.strftime("%A")),
        Monthly => format!("{label} {}", day.strftime("%Y %B")),
        // The year of the label: an ISO week may begin in the year before.
        Weekly | Quarterly => format!("{label} {}", label.split('-').next().unwrap_or_default()),
        Yearly => label,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use annals_core::Settings;
    use proptest::prelude::*;

    #[test]
    fn repeated_words_are_repeated_tokens() {
        assert_eq!(tokens("The dogs, the Dog", "en"), ["the", "dog", "the", "dog"]);
    }

    fn check(language: &str, text: &str, expect: &str) {
        assert_eq!(query(text, language), expect, "{text:?} in {language}");
    }

    #[test]
    fn words_are_stemmed_and_folded_and_stop_words_dropped_beside_others() {
        check("en", "Who is IT?", "who is it");
        check("en", "Running, the dogs ran", "run dog ran");
        check("en", "the will of May", "will may");
        check("fr", "the dogs", "the dog");
        check("en", "Alice's café — Alice’s Café", "alic cafe");
        check("en", "cafe", "cafe");
        check("de", "Häuser", "haus");
        check("fr", "l'été", "ete");
        check("fr", "ete", "ete");
        check("ru", "книги", "книг");
        check("xx", "Running", "running");
        check("en", "ﬁrst Ｗｉｄｅ Straße Øre", "first wide strass ore");
        check("en", "  \n", "");
        check("en", "🎉 !!", "");
        check("en", "the the THE", "the");
        check("en", "done.Next note:tea user_id x@example.org", "done next note tea user id x exampl org");
    }

    #[test]
    fn numbers_and_labels_are_kept() {
        check("en", "room 42, 3.14", "room 42 3.14");
        check("en", "on 2026-03-04.", "2026-03-04");
        check("en", "in 2026-w10 or 2026-q1 or 2026", "2026-w10 2026-q1 2026");
        check("en", "2026-13-45", "2026 13 45");
    }

    #[test]
    fn unspaced_scripts_become_bigrams() {
        check("en", "猫", "猫");
        check("en", "我的猫咪", "我的 的猫 猫咪");
        check("en", "がぎ GPU メモリ", "がぎ gpu メモ モリ");
        check("en", "한국어", "한국 국어");
        check("en", "猫cat猫", "猫 cat");
    }

    #[test]
    fn long_words_are_cut_between_characters() {
        let longest = query(&"é".repeat(50), "xx");
        assert_eq!(longest, "e".repeat(40));
        assert_eq!(query(&"ж".repeat(50), "xx").len(), 40);
        assert_eq!(query(&"ⴰ".repeat(50), "xx").len(), 39);
    }

    #[test]
    fn stored_rows_contain_date_and_speaker() {
        let document = |period: &str, speaker| document("Hi", "en", period.parse().unwrap(), speaker);
        assert_eq!(document("2026-03-04", Some("Bob")), "hi bob 2026-03-04 2026-03 2026 march wednesday");
        assert_eq!(document("2026-W01", None), "hi 2026-w01 2026");
        assert_eq!(document("2026-03", None), "hi 2026-03 2026 march");
        assert_eq!(document("2026-Q1", None), "hi 2026-q1 2026");
        assert_eq!(document("2026", None), "hi 2026");
    }

    proptest! {
        /// For any text: no panic, no blank or overlong token, and a row contains every token of its own text as a query, in
        /// every language.
        #[test]
        fn row_contains_every_token_of_its_text_as_query(text in "\\PC{0,60}", language in 0..Settings::LANGUAGES.len()) {
            let language = Settings::LANGUAGES[language];
            let row = document(&text, language, "2026-03-04".parse().unwrap(), None);
            let row: HashSet<&str> = row.split(' ').collect();
            for token in query(&text, language).split_whitespace() {
                prop_assert!(row.contains(token), "{token:?}");
                prop_assert!(token.len() <= MAX_TOKEN_LENGTH);
            }
        }
    }
}
