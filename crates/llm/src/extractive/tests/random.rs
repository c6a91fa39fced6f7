//! Invariants of the summaries of random conversations.

use proptest::prelude::*;

use super::*;

/// Returns a strategy for conversations of up to four months: sentences of words, fillers, questions, punctuation, wide
/// characters, in any order.
fn conversation() -> impl Strategy<Value = Vec<Memory>> {
    let word = prop::sample::select(vec![
        "moved",
        "Berlin",
        "the",
        "garden",
        "£40",
        "yesterday",
        "cousin",
        "Dr.",
        "hey",
        "ok",
        "you",
        "I",
        "公寓",
        "搬到了。",
        "river;",
        "boat",
        "and",
        "then,",
        "😀",
        "https://a.example/some/very/long/path?of=things",
        "2nd.",
        "\n",
        "[photo]",
    ]);
    let end = prop::sample::select(vec![". ", "! ", "? ", "", "\n", "… "]);
    let sentence = (prop::collection::vec(word, 0..30), end).prop_map(|(words, end)| words.join(" ") + end);
    let text = prop::collection::vec(sentence, 0..8).prop_map(|sentences| sentences.concat());
    let speaker = prop::sample::select(vec!["Ann", "Bob Lee", "x", "a very long name of seven words"]);
    let role = prop::sample::select(vec![Role::User, Role::User, Role::User, Role::Assistant, Role::Tool]);
    let fields = (0..120_i64, 0..1440_i64, role, speaker, text);
    prop::collection::vec(fields, 1..40).prop_map(|mut turns| {
        turns.sort_by_key(|(day, minute, ..)| (*day, *minute));
        turns.dedup_by_key(|(day, minute, ..)| (*day, *minute));
        turns.into_iter().map(|(day, minute, role, speaker, text)| turn(day, minute, role, speaker, &text)).collect()
    })
}

fn check_summary(summary: &Memory, turns: &[Memory]) {
    let grain = summary.grain;
    assert!(!summary.text.is_empty());
    let length: usize = turns.iter().filter(|turn| turn.period == summary.period).map(|turn| words(&turn.text)).sum();
    let added = lines::added(grain, summary.sentences());
    let most = if grain == Grain::Daily { ((length / 4).max(60) + added).min(200) } else { word_limit(grain) };
    assert!(words(&summary.text) <= most, "{} of {most} words: {}", words(&summary.text), summary.text);
    assert!(summary.sentences().is_sorted_by_key(|sentence| sentence.day));
    let position = |id: &MemoryId| turns.iter().position(|turn| turn.id == *id).expect("every trace ends in a turn");
    assert!(summary.sentences().is_sorted_by_key(|sentence| position(&sentence.from[0])));
    for sentence in summary.sentences() {
        check_sentence(sentence, turns);
        assert!(summary.text.contains(&sentence.text));
    }
}

/// Checks that a sentence quotes its turns and has the day of the first. A question is quoted from the second turn, and so is what the
/// writer goes on to say.
fn check_sentence(sentence: &Sentence, turns: &[Memory]) {
    let source = |id: &MemoryId| turns.iter().find(|turn| turn.id == *id).expect("every trace ends in a turn");
    let sources: Vec<&Memory> = sentence.from.iter().map(source).collect();
    assert_eq!(sentence.day, sources[0].days.0);
    if sentence.speaker.is_some() {
        let (question, quote) = replies::parts(&sentence.text);
        let (first, next) = quote.split_once(replies::THEN).map_or((quote, None), |(first, next)| (first, Some(next)));
        check_quote(first, sources[0]);
        question.into_iter().chain(next).for_each(|part| check_quote(part, sources[1]));
        assert_eq!(sentence.speaker.as_deref(), sources[0].speaker());
        assert_ne!(sentence.text, "ok");
    }
}

fn check_quote(quote: &str, turn: &Memory) {
    let original = clean::without_asides(&turn.text).to_lowercase();
    let quoted = without_dates(quote).to_lowercase().replace('…', "");
    // A surname may have become a full name: "BerlinBerlin Berlin", or "Ithe Berlin" after "Ithe Berlin" elsewhere.
    let is_longer = |rest: &str| rest.starts_with(char::is_alphabetic);
    let is_before_surname = |word: &str| original.contains(&format!("{word} berlin"));
    let is_given = |word: &&str| word.strip_prefix("berlin").is_some_and(is_longer) || is_before_surname(word);
    let said = quoted.split(' ').filter(|word| !is_given(word)).collect::<Vec<_>>().join(" ");
    assert!(is_in_order(&said, &original), "{original} / {quoted}");
}

/// Returns whether the letters of a quote occur in the text in the same order.
fn is_in_order(quote: &str, text: &str) -> bool {
    let mut letters = text.chars();
    quote.chars().filter(|letter| letter.is_alphanumeric()).all(|letter| letters.any(|one| one == letter))
}

/// Removes the inserted dates.
fn without_dates(text: &str) -> String {
    text.split(" [")
        .enumerate()
        .map(|(n, part)| if n == 0 { part } else { part.split_once(']').map_or("", |it| it.1) })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_grain_respects_budget_order_and_traces(turns in conversation()) {
        let mut memories = turns.clone();
        for grain in Grain::SUMMARIES {
            memories = roll_up(grain, &memories);
            memories.iter().for_each(|summary| check_summary(summary, &turns));
        }
    }

    #[test]
    fn amended_summary_depends_only_on_base_and_set_of_late_sources(turns in conversation(), late in conversation(), seed in any::<u64>()) {
        for grain in [Grain::Daily, Grain::Weekly] {
            let base = sealed(summary(grain, &roll_up_to(grain, &turns)));
            let late = roll_up_to(grain, &late);
            let mut shuffled = late.clone();
            shuffled.sort_by_key(|memory| Digest::of([memory.id.as_str().as_bytes(), &seed.to_le_bytes()]));
            let period = Period::of(grain, turns[0].days.0);
            let amended = write_upon(period, Some(&base), &late);
            prop_assert_eq!(&amended, &write_upon(period, Some(&base), &shuffled));
            prop_assert!(words(&amended.text) <= word_limit(grain));
            prop_assert!(amended.sentences.is_sorted_by_key(|sentence| sentence.day));
            prop_assert_eq!(write_upon(period, Some(&base), &[]).text, base.text);
        }
    }

    #[test]
    fn order_of_sources_does_not_matter(turns in conversation(), seed in any::<u64>()) {
        let mut shuffled = turns.clone();
        shuffled.sort_by_key(|turn| Digest::of([turn.id.as_str().as_bytes(), &seed.to_le_bytes()]));
        prop_assert_eq!(sentences(Grain::Daily, None, &turns, &[]), sentences(Grain::Daily, None, &shuffled, &[]));
    }
}
