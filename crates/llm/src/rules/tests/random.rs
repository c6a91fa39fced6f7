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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_text_gives_short_objects_and_ordered_positions(text in conversation_text(), noise in ".{0,60}", day in 0..3_usize) {
        let mut turn = turn(0, Role::User, "Ann", &format!("{text}{noise}"));
        let days = [annals_core::Date::MIN, turn.days.0, annals_core::Date::MAX];
        turn.days = (days[day], days[day]);
        let found = found_in(std::slice::from_ref(&turn), &[]);
        for (place, operation) in found.iter().enumerate() {
            prop_assert_eq!(operation.position as usize, place);
            prop_assert!(operation.object.split_whitespace().count() <= 12, "{}", operation.object);
            prop_assert!(operation.verb == Verb::Delete || !operation.object.is_empty());
            prop_assert!(operation.at <= turn.at() && !operation.subject.is_empty());
        }
        prop_assert_eq!(found_in(&[turn], &[]), found);
    }
}
