//! Property tests on randomly generated messages.

use annals_core::{Role, Verb};
use proptest::prelude::*;

use super::{found_in, turn};

/// Returns a strategy for messages of words that the rules use, and of others, in any order.
fn conversation_text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "I",
        "we",
        "my",
        "Eva",
        "sister",
        "love",
        "live",
        "in",
        "to",
        "and",
        "the",
        "a",
        "dog",
        "named",
        "moved",
        "Rome",
        "from",
        "not",
        "anymore",
        "used",
        "no longer",
        "forget that",
        "\"",
        "'",
        "said",
        "if",
        "last week",
        "on 31 February",
        "999 years ago",
        "in 2019",
        "next Friday",
        "I'm",
        "going to",
        "plan to",
        "favorite",
        "is",
        "was born",
        "birthday",
        "work at",
        "quit",
        "job",
        ",",
        ".",
        "?",
        "!",
        ";",
        " - ",
        "😀",
        "公寓",
        "’",
        "\n",
        ">",
        "[shared a picture: x]",
        "tea",
        "because",
        "that",
    ]);
    prop::collection::vec(word, 0..40).prop_map(|words| words.join(" "))
}

/// Returns a strategy for statements that the rules read, each with more words after a mark of punctuation.
fn marked_statements() -> impl Strategy<Value = String> {
    const STATEMENTS: [&str; 24] = [
        "I live in Whitby",
        "I work in a bank",
        "I'm a nurse",
        "We have a dog named Rex",
        "I love chess",
        "My sister Eva lives in Rome",
        "I moved to Oslo last week",
        "I quit my job",
        "My favorite color is green",
        "I was born in 1990",
        "My birthday is 4 May",
        "I'm allergic to nuts",
        "I no longer drink coffee",
        "I'm learning Italian",
        "My cat is called Max",
        "I plan to visit Japan in 2027",
        "I study physics",
        "I'm married to Tom",
        "I used to play tennis",
        "I have two kids",
        "Ich wohne in Bern",
        "J'habite à Lyon",
        "Vivo en Madrid",
        "My name is Ann",
    ];
    const MARKS: [&str; 22] = [
        "—", " — ", "–", " – ", "…", "... ", ", ", ",", "; ", " (", ") ", "“", "” ", "’s ", "’", "· ", " • ", "、",
        "。", "😀", "\u{301} ", " ",
    ];
    const TAILS: [&str; 20] = [
        "for the pay",
        "and a half",
        "with my brother Émile",
        "because it is warm",
        "but not for long",
        "as a driver",
        "to be near Ann",
        "at home",
        "in spring",
        "if that matters",
        "which I love",
        "so yes",
        "every day",
        "without sugar",
        "near Zürich",
        "wait, no",
        "since June",
        "until 2027",
        "für immer",
        "",
    ];
    let part = |words: &'static [&'static str]| prop::sample::select(words);
    let statement = (part(&STATEMENTS), part(&MARKS), part(&TAILS), part(&MARKS), part(&TAILS), part(&MARKS));
    let text = statement.prop_map(|(a, b, c, d, e, f)| [a, b, c, d, e, f].concat());
    prop::collection::vec(text, 1..4).prop_map(|texts| texts.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn no_punctuation_makes_the_rules_fail(text in marked_statements()) {
        found_in(&[turn(0, Role::User, "Ann", &text)], &[]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_text_gives_short_objects_and_ordered_positions(text in conversation_text(), noise in ".{0,60}", day in 0..3_usize) {
        let mut turn = turn(0, Role::User, "Ann", &format!("{text}{noise}"));
        let days = [annals_core::Date::MIN, turn.days.0, annals_core::Date::MAX];
        turn.days = (days[day], days[day]);
        let found = found_in(std::slice::from_ref(&turn), &[]);
        for (index, operation) in found.iter().enumerate() {
            prop_assert_eq!(operation.position as usize, index);
            prop_assert!(operation.object.split_whitespace().count() <= 12, "{}", operation.object);
            prop_assert!(operation.verb == Verb::Delete || !operation.object.is_empty());
            prop_assert!(operation.at <= turn.at() && !operation.subject.is_empty());
        }
        prop_assert_eq!(found_in(&[turn], &[]), found);
    }
}
