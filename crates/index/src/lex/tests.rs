use std::collections::HashSet;

use annals_core::Settings;
use proptest::prelude::*;

use super::*;

fn query(text: &str, language: &str) -> Query {
    super::query(text, language, Languages::ALL)
}

/// Checks the first token of each word of a query: its stem in English.
fn check(language: &str, text: &str, expect: &str) {
    let query = query(text, language);
    let first: Vec<&str> = query.words.iter().map(|word| word.tokens[0].as_str()).collect();
    assert_eq!(first.join(" "), expect, "{text:?} in {language}");
}

/// Returns all tokens of a query.
fn all_tokens(asked: &str, agents: &str) -> Vec<String> {
    query(asked, agents).words.into_iter().flat_map(|word| word.tokens).collect()
}

/// Returns whether a query finds a row of one text.
fn finds(asked: &str, agents: &str, text: &str, language: &str) -> bool {
    let row = tokens(text, language);
    all_tokens(asked, agents).iter().any(|token| row.contains(token))
}

#[test]
fn repeated_words_are_repeated_tokens() {
    assert_eq!(tokens("The dogs, the Dog", "en"), ["the", "dog", "the", "dog"]);
    assert_eq!(tokens("die Häuser, das Haus", "de"), ["die:de", "haus:de", "das:de", "haus:de"]);
}

#[test]
fn words_are_stemmed_and_folded_and_stop_words_dropped_beside_others() {
    check("en", "Who is IT?", "who is it");
    check("en", "Running, the dogs ran", "run dog ran");
    check("en", "the will of May", "will may");
    check("en", "Alice's café — Alice’s Café", "alic cafe");
    check("en", "ﬁrst Ｗｉｄｅ Straße Øre", "first wide strass ore");
    check("en", "  \n", "");
    check("en", "🎉 !!", "");
    check("en", "the the THE", "the");
    check("en", "done.Next note:tea user_id x@example.org", "done next note tea user id x exampl org");
}

#[test]
fn stop_words_are_those_of_the_language_of_the_query() {
    check("en", "Wo wohnt die Schwester von Jonas?", "wohnt schwester jona");
    check("en", "¿Dónde vive la hermana de Pablo?", "vive hermana pablo");
    check("de", "Where does the sister of Jonas live?", "sister jona live");
    check("de", "die Häuser", "hauser");
    check("en", "what was the war", "war");
    check("de", "wer, wie, was", "wer wie was");
    // Both words have the stem "chi" in Italian.
    check("it", "a chi le chiavi", "chiavi");
    check("de", "das ist es", "das ist es");
}

#[test]
fn words_look_for_their_stems_in_all_languages() {
    fn check(asked: &str, agents: &str, text: &str, language: &str) {
        assert!(finds(asked, agents, text, language), "{asked:?} of {agents} misses {text:?} in {language}");
    }
    check("Häuser", "en", "Das Haus", "de");
    check("Haus", "en", "Die Häuser", "de");
    check("casas", "en", "La casa", "es");
    check("dogs", "en", "A dog", "en");
    check("dogs", "de", "A dog", "en");
    check("l'eau", "en", "de l'eau", "fr");
    check("eau", "en", "de l’eau", "fr");
    check("книги", "en", "книга", "ru");
    check("Docker", "en", "образ Docker", "ru");
    check("Peters", "en", "Peter:", "de");
    // A row in an unclear language has the stems of the agent's language. A German query finds the base form.
    check("Wo sind die Häuser?", "en", "Haus", "en");
    assert!(!finds("dog", "en", "Hund", "de"));
    // The German stem of "user" is "us".
    assert!(!finds("user", "en", "us", "en"));
}

#[test]
fn stems_without_a_language_are_found_in_the_agents_language() {
    let former_row = ["haus", "am", "see"];
    assert!(all_tokens("Häuser", "de").iter().any(|token| former_row.contains(&token.as_str())));
}

#[test]
fn words_look_for_stems_in_the_languages_of_the_rows_only() {
    let mut held = Languages::default();
    held.add("haus:de");
    let tokens = |held| super::query("dogs", "en", held).words[0].tokens.clone();
    assert_eq!(tokens(Languages::default()), ["dog"]);
    assert_eq!(tokens(held), ["dog", "dog:de"]);
    assert!(tokens(Languages::ALL).len() > 10);
    let first = |agents| super::query("¿Dónde están las casas?", agents, Languages::ALL).words[0].tokens[..4].join(" ");
    assert_eq!(first("pt"), "casa cas cas:pt cas:es");
}

#[test]
fn forms_of_one_word_are_one_word() {
    let words = |text, language| query(text, language).words.len();
    assert_eq!(words("Haus Häuser", "de"), 1);
    assert_eq!(words("Haus Häuser", "en"), 2);
    assert_eq!(words("dog dogs Dog's", "en"), 1);
}

#[test]
fn words_of_a_query_have_no_token_twice() {
    for word in query("dogs Häuser книги l'eau 42 猫", "de").words {
        assert_eq!(word.tokens.iter().collect::<HashSet<_>>().len(), word.tokens.len(), "{word:?}");
    }
}

#[test]
fn numbers_and_labels_are_kept() {
    check("en", "room 42, 3.14", "room 42 3.14");
    check("en", "on 2026-03-04.", "2026-03-04");
    check("en", "in 2026-w10 or 2026-q1 or 2026", "2026-w10 2026-q1 2026");
    check("en", "2026-13-45", "2026 13 45");
    assert_eq!(tokens("Zimmer 42 am 2026-03-04", "de"), ["zimm:de", "42", "am:de", "2026-03-04"]);
}

#[test]
fn unspaced_scripts_become_bigrams() {
    check("en", "猫", "猫");
    check("en", "我的猫咪", "我的 的猫 猫咪");
    check("en", "がぎ GPU メモリ", "がぎ gpu メモ モリ");
    check("en", "한국어", "한국 국어");
    check("en", "猫cat猫", "猫 cat");
    assert_eq!(tokens("猫 Katzen", "de"), ["猫", "katz:de"]);
}

#[test]
fn long_words_are_cut_between_characters() {
    let longest = |text: &str| tokens(text, "xx")[0].clone();
    assert_eq!(longest(&"é".repeat(50)), "e".repeat(40));
    assert_eq!(longest(&"ж".repeat(50)).len(), 40);
    assert_eq!(longest(&"ⴰ".repeat(50)).len(), 39);
    check("en", &"é".repeat(50), &"e".repeat(40));
}

#[test]
fn stored_rows_contain_date_and_speaker() {
    let document = |language, period: &str, speaker| document("Hi", language, period.parse().unwrap(), speaker);
    assert_eq!(document("en", "2026-03-04", Some("Bob")), "hi bob 2026-03-04 2026-03 2026 march wednesday");
    assert_eq!(document("de", "2026-03-04", Some("Bob")), "hi:de bob:de 2026-03-04 2026-03 2026 march wednesday");
    assert_eq!(document("en", "2026-W01", None), "hi 2026-w01 2026");
    assert_eq!(document("en", "2026-03", None), "hi 2026-03 2026 march");
    assert_eq!(document("en", "2026-Q1", None), "hi 2026-q1 2026");
    assert_eq!(document("en", "2026", None), "hi 2026");
}

proptest! {
    /// For any text: no panic, no blank or overlong token, and a row in any language contains every word of its own text as a
    /// query, whatever the agent's language.
    #[test]
    fn row_contains_every_word_of_its_text_as_query(
        text in "\\PC{0,60}",
        language in 0..Settings::LANGUAGES.len(),
        agents in 0..Settings::LANGUAGES.len(),
    ) {
        let row = document(&text, Settings::LANGUAGES[language], "2026-03-04".parse().unwrap(), None);
        let row: HashSet<&str> = row.split(' ').collect();
        for word in query(&text, Settings::LANGUAGES[agents]).words {
            prop_assert!(word.tokens.iter().any(|token| row.contains(token.as_str())), "{word:?}");
            for token in word.tokens {
                prop_assert!(!token.contains(char::is_whitespace) && token.len() <= stem::MAX_STEM_LENGTH + 3, "{token:?}");
            }
        }
    }
}
