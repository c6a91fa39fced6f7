//! Function words by language: articles, pronouns, prepositions, conjunctions, auxiliary verbs and question words.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::Settings;

/// Question words that the lists of crate `stop_words` lack.
const QUESTION_WORDS: [(&str, &str); 14] = [
    ("da", "hvem hvornår hvorfor hvordan hvilken hvilket hvilke"),
    ("de", "wer wen wem wessen wann woher wohin warum wieso weshalb wieviel"),
    ("el", "ποιος ποια πότε πού πώς γιατί πόσο πόσα"),
    ("es", "quién quiénes cuál cuáles cuándo cuánto cuánta cuántos cuántas dónde cómo"),
    ("fi", "milloin miten kuinka"),
    ("fr", "quoi quand où comment pourquoi combien quel quelle quels quelles lequel laquelle"),
    ("hu", "hol melyik hány mennyi"),
    ("it", "cosa quando quali"),
    ("nl", "wanneer waar waarom welke welk hoeveel"),
    ("no", "hvilket"),
    ("pt", "onde porque quanto quanta quantos quantas quais porquê"),
    ("ro", "când câtă câți"),
    ("ru", "почему какие сколько откуда"),
    ("tr", "hangi kaç"),
];

/// Words of English chats that are function words of other languages, or that are as frequent as function words. Without them
/// "Take care!" would be Romanian. They are no stop words.
const ENGLISH_CHAT: &str = "bye care also cool could get good got great hello hey hi i'd i'll i'm i've it's like lol love man \
                            may much nice oh ok okay please really see sure take thank thanks that's today us well wow \
                            would ya yeah yes";

/// Returns the function words of a language, in lower case. None for a code that is not in [`Settings::LANGUAGES`].
pub fn function_words(language: &str) -> impl Iterator<Item = &'static str> {
    let is_known = Settings::LANGUAGES.contains(&language);
    let list = is_known.then(|| stop_words::lookup(language)).flatten().unwrap_or_default();
    let questions = QUESTION_WORDS.iter().find(|(code, _)| *code == language).map_or("", |(_, words)| words);
    list.iter().copied().chain(questions.split_whitespace())
}

/// Returns the languages of a function word in lower case, as one bit for each of [`Settings::LANGUAGES`].
pub(super) fn languages_of(word: &str) -> u32 {
    LANGUAGES_OF.get(word).copied().unwrap_or(0)
}

static LANGUAGES_OF: LazyLock<HashMap<&str, u32>> = LazyLock::new(|| {
    let mut languages = HashMap::new();
    for (language, index) in Settings::LANGUAGES.iter().zip(0..) {
        let chat = if *language == "en" { ENGLISH_CHAT } else { "" };
        for word in function_words(language).chain(chat.split_whitespace()) {
            *languages.entry(word).or_insert(0) |= 1 << index;
        }
    }
    languages
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_that_can_be_set_has_function_words() {
        for language in Settings::LANGUAGES {
            assert!(function_words(language).count() >= 50, "{language}");
        }
        assert_eq!(function_words("xx").count(), 0);
        assert!(function_words("de").any(|word| word == "wann"));
    }
}
