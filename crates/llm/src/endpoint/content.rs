//! Content words of a text, in a form in which two texts can be compared. Used to find sentences of a model that say something
//! that only the background says, summaries that do not come from their sources, and the turns that a fact draws on.
//!
//! A word is compared by its first letters, without case and accents, so that most endings do not matter. Texts that are
//! written without spaces are compared by pairs of characters. Works in every language, but treats synonyms as different words.

use std::collections::HashSet;

use annals_core::{entity_key, is_wide, words};

/// Number of leading letters by which words are compared, and minimum letters of a content word that is not a name.
const COMPARED: usize = 5;
const MIN_LENGTH: usize = 4;
/// Characters after which a capital letter does not indicate a name, because a sentence may begin there.
const OPENERS: [char; 8] = ['.', '!', '?', ':', ';', '"', '“', '„'];
/// Minimum letters of a rare word: one alone shows from which text a sentence was taken.
const RARE: usize = 8;

/// A set of words from some texts, in comparable form.
#[derive(Clone, Debug, Default)]
pub(super) struct Content(HashSet<String>);

impl Content {
    /// Returns all words of the texts, also those that are not content words.
    pub(super) fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Content {
        Content(texts.into_iter().flat_map(all_words).map(|word| word.key).collect())
    }

    /// Returns the content words of the texts, by which a sentence may be recognised as taken from them.
    pub(super) fn telling<'t>(texts: impl IntoIterator<Item = &'t str>) -> Content {
        Content(texts.into_iter().flat_map(content_words).map(|word| word.key).collect())
    }

    pub(super) fn has_any<'w>(&self, words: impl IntoIterator<Item = &'w Word>) -> bool {
        words.into_iter().any(|word| self.0.contains(&word.key))
    }
}

/// A word of a text, in comparable form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    key: String,
    is_content: bool,
    /// Whether the word is rare or, within a sentence, written as a name or a German noun.
    is_telling: bool,
}

/// Returns the content words of a text that `others` does not contain.
pub(super) fn missing_from(others: &Content, text: &str) -> Vec<Word> {
    content_words(text).filter(|word| !others.0.contains(&word.key)).collect()
}

/// Returns the share of the distinct content words of some texts that the sources contain. `None` if the texts have fewer than
/// `least` distinct content words.
pub(super) fn share_from<'t>(sources: &Content, texts: impl Iterator<Item = &'t str>, least: usize) -> Option<f64> {
    let Content(words) = Content::telling(texts);
    let found = words.intersection(&sources.0).count();
    (words.len() >= least).then(|| found as f64 / words.len() as f64)
}

/// Returns whether a sentence has content of the background that its sources do not have: at least one telling word, or two
/// different other words.
pub(super) fn is_taken_from(background: &Content, sources: &Content, sentence: &str) -> bool {
    let mut taken = missing_from(sources, sentence);
    taken.retain(|word| background.0.contains(&word.key));
    taken.iter().any(|word| word.is_telling) || taken.iter().map(|word| &word.key).collect::<HashSet<_>>().len() > 1
}

fn content_words(text: &str) -> impl Iterator<Item = Word> + '_ {
    all_words(text).into_iter().filter(|word| word.is_content)
}

fn all_words(text: &str) -> Vec<Word> {
    let (mut all, mut end) = (Vec::new(), 0);
    for run in words(text) {
        let start = end + text[end..].find(run).unwrap_or_default();
        let begins = text[..start].trim_end().chars().next_back().is_none_or(|c| OPENERS.contains(&c));
        end = start + run.len();
        if run.contains(is_wide) {
            all.extend(pairs(run));
        } else if run.contains(char::is_alphabetic) {
            all.push(word(run, begins));
        }
    }
    all
}

fn word(run: &str, begins: bool) -> Word {
    let key = entity_key(run);
    let length = key.chars().count();
    let is_name = !begins && run.starts_with(char::is_uppercase);
    let is_content = length >= MIN_LENGTH || (is_name && length > 1);
    Word { key: key.chars().take(COMPARED).collect(), is_content, is_telling: is_name || length >= RARE }
}

fn pairs(run: &str) -> Vec<Word> {
    let characters: Vec<char> = run.chars().collect();
    let pair = |pair: &[char]| Word { key: pair.iter().collect(), is_content: true, is_telling: false };
    characters.windows(2).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_background_that_no_source_has_are_found() {
        fn check(background: &str, source: &str, sentence: &str, expect: bool) {
            let (background, sources) = (Content::telling([background]), Content::of([source]));
            assert_eq!(is_taken_from(&background, &sources, sentence), expect, "{background:?} / {sentence}");
        }
        let illness = "My sister has leukaemia, and I worry.";
        check(
            illness,
            "I weeded the garden.",
            "While gardening she kept worrying about her sister having leukaemia.",
            true,
        );
        check(illness, "I weeded the garden.", "She thought of leukaemia.", true);
        check(illness, "My sister rang about her leukaemia.", "Her sister rang about her leukaemia.", false);
        check(illness, "I weeded the garden.", "She weeded the garden.", false);
        let apart = "Zelda ist nicht mehr mit Quirin zusammen.";
        check(apart, "Zelda kauft Tulpen.", "Zelda, die nicht mehr mit Quirin zusammen ist, kauft Tulpen.", true);
        check(apart, "Zelda kauft Tulpen.", "Zelda kauft Tulpen.", false);
        check("她的妹妹得了白血病。", "我在花园里除草。", "她在花园里担心妹妹的白血病。", true);
        check("她的妹妹得了白血病。", "我在花园里除草。", "她在花园里除草。", false);
        // One common word may be chance.
        check("Ann started a job.", "my first cello lesson", "She started with the cello.", false);
        check("Ann has a flat in Oslo.", "my first cello lesson", "She plays the cello in Oslo.", true);
        // A capital letter at the beginning of a sentence does not indicate a name.
        check("Ann is On day 1 I went", "On day 2 I went to Porto.", "Ann said: On day 2 I went.", false);
        check("Ann is On day 1 I went", "at home", "Ann said: On Sunday.", false);
        check("", "", "", false);
    }
}
