//! Invariants of every summary, on small cases and random conversations.

use annals_core::{Agent, Body, Interval, MemoryId, Period, Role, Timestamp, TurnKey, Zones};
use proptest::prelude::*;

use super::*;

fn agent() -> Agent {
    Agent::new("a").unwrap()
}

/// A turn on the `day`th of May 2023, `minute` minutes after midnight.
fn turn(day: i64, minute: i64, role: Role, speaker: &str, text: &str) -> Memory {
    let at = Timestamp::from_second(1_682_899_200 + (day - 1) * 86_400 + minute * 60).unwrap();
    let date = Zones::new("UTC").unwrap().day_of(at);
    let key = TurnKey { conversation: "c".into(), id: format!("{day:03}-{minute:05}") };
    Memory {
        id: MemoryId::turn(&agent(), &key),
        grain: Grain::Working,
        period: Period::of(Grain::Daily, date),
        cover: Interval { start: at, end: at },
        days: (date, date),
        text: text.to_owned(),
        pinned: false,
        seq: 0,
        body: Body::Turn { speaker: speaker.to_owned(), role, conversation: key.conversation, message: key.id },
    }
}

/// Turns of one day, one a minute: `Ann: I moved to Berlin.`
fn day(lines: &[&str]) -> Vec<Memory> {
    let turn = |(minute, line): (usize, &&str)| {
        let (speaker, text) = line.split_once(": ").unwrap();
        turn(8, i64::try_from(minute).unwrap(), Role::User, speaker, text)
    };
    lines.iter().enumerate().map(turn).collect()
}

fn write(grain: Grain, sources: &[Memory]) -> Draft {
    write_upon(Period::of(grain, sources[0].days.0), None, sources)
}

fn write_upon(period: Period, base: Option<&Base>, sources: &[Memory]) -> Draft {
    let (agent, settings, now) = (agent(), Settings::default(), Timestamp::UNIX_EPOCH);
    let task = SummaryTask { agent: &agent, settings: &settings, period, sources, base, read_seq: 0, now };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(Extractive.summarize(task)).unwrap()
}

/// What is kept of a summary when it is sealed.
fn sealed(summary: Memory) -> Base {
    let Memory { text, body: Body::Summary { sentences, sources }, .. } = summary else {
        panic!("{summary:?} is no summary")
    };
    Base { text, sentences, sources, verbatim: true }
}

fn summary(grain: Grain, sources: &[Memory]) -> Memory {
    let draft = write(grain, sources);
    let period = Period::of(grain, sources[0].days.0);
    Memory {
        id: MemoryId::summary(&agent(), period),
        grain,
        period,
        cover: Zones::new("UTC").unwrap().cover(period),
        days: (sources[0].days.0, sources[sources.len() - 1].days.1),
        text: draft.text,
        pinned: false,
        seq: 0,
        body: Body::Summary {
            sentences: draft.sentences,
            sources: sources.iter().map(|source| source.id.clone()).collect(),
        },
    }
}

/// Returns the summaries of one grain above these memories, in order.
fn roll_up(grain: Grain, memories: &[Memory]) -> Vec<Memory> {
    let same_period = |one: &Memory, next: &Memory| one.period.ancestor(grain) == next.period.ancestor(grain);
    memories.chunk_by(same_period).map(|children| summary(grain, children)).collect()
}

/// Returns the sources of a period of the grain.
fn roll_up_to(grain: Grain, turns: &[Memory]) -> Vec<Memory> {
    if grain == Grain::Daily { turns.to_vec() } else { roll_up(Grain::Daily, turns) }
}

#[test]
fn summary_quotes_content_only() {
    fn check(lines: &[&str], expect: &str) {
        assert_eq!(write(Grain::Daily, &day(lines)).text, expect);
    }
    check(&["Ann: I moved to Berlin."], "Ann: I moved to Berlin.");
    check(
        &["Ann: Hey Bob! Good to see you!", "Bob: Hi! I sold the car on Monday.", "Ann: Wow, cool!", "Bob: :-)"],
        "Bob: I sold the car on Monday [2023-05-08].",
    );
    check(
        &[
            "Ann: We got a puppy from Spain. Her name is Luna.",
            "Ann: She eats shoes",
            "Bob: Does Luna sleep in the kitchen?",
        ],
        "Ann: We got a puppy from Spain.\nAnn: The puppy's name is Luna.",
    );
    check(&["Ann: Does Luna sleep in the kitchen?"], "Ann: Does Luna sleep in the kitchen?");
    check(&["Ann: ", "Bob: \n \t", "Ann: The bakery closed."], "Ann: The bakery closed.");
    check(&["Ann: The bakery closed.", "Ann: The bakery closed."], "Ann: The bakery closed.");
    check(&["Ann: hi", "Bob: hello!", "Ann: ok"], "Small talk only: 3 messages by Ann and Bob.");
    check(&["Ann: "], "Small talk only: 1 message by Ann.");
}

#[test]
fn key_events_are_kept_and_masked_credentials_dropped() {
    fn check(lines: &[&str], expect: &str) {
        assert_eq!(write(Grain::Daily, &day(lines)).text, expect);
    }
    let five = [
        "Ann: Hi, can you help me set up the project?",
        "Ann: My API key is [masked:api-key].",
        "Ann: We decided to use Postgres instead of MySQL; the deadline is 5 December.",
        "Bob: Great, thanks!",
        "Ann: ok",
    ];
    check(&five, "Ann: We decided to use Postgres instead of MySQL; the deadline is 5 December.");
    check(
        &["Ann: Look at this! [shared a picture: a photo of a dog]", "Ann: So yesterday I sold the boat. It was time!"],
        "Ann: Yesterday [2023-05-07] I sold the boat.",
    );
}

#[test]
fn yearly_summary_keeps_lasting_events() {
    let chat = [
        "The light in here is lovely.",
        "I lost my job as a banker.",
        "I had a sandwich with my neighbour and we talked a while.",
        "We should stay positive and follow our dreams.",
        "I opened my own dance studio on Main Street.",
        "My sister Anna got married in Rome.",
    ];
    let days = (0..).step_by(20);
    let turns: Vec<Memory> = chat.iter().zip(days).map(|(text, day)| turn(day, 0, Role::User, "Jon", text)).collect();
    let mut memories = turns;
    for grain in Grain::SUMMARIES {
        memories = roll_up(grain, &memories);
    }
    let year = &memories[0].text;
    for kept in ["lost my job", "dance studio", "Anna got married"] {
        assert!(year.contains(kept), "{kept}: {year}");
    }
    for dropped in ["lovely", "sandwich", "dreams"] {
        assert!(!year.contains(dropped), "{dropped}: {year}");
    }
}

#[test]
fn tool_and_system_turns_are_quoted_only_if_nobody_spoke() {
    fn check(roles: [Role; 2], expect: &str) {
        let turns = [turn(8, 0, roles[0], "x", "The server has four disks."), turn(8, 1, roles[1], "y", "ok")];
        assert_eq!(write(Grain::Daily, &turns).text, expect);
    }
    check([Role::Tool, Role::User], "Small talk only: 2 messages by x and y.");
    check([Role::System, Role::Assistant], "Small talk only: 2 messages by x and y.");
    check([Role::Tool, Role::System], "x: The server has four disks.");
    check([Role::Assistant, Role::Tool], "x: The server has four disks.");
}

#[test]
fn every_child_is_quoted_before_one_dominates() {
    let talk: String = (0..30).map(|n| format!("Room {n} has {n}0 grey chairs and {n}5 green tables. ")).collect();
    let mut turns: Vec<Memory> = (0..9).map(|n| turn(8, n, Role::User, "Ann", &format!("Cousin{n} sailed."))).collect();
    turns.insert(4, turn(8, 100, Role::User, "Bob", &talk));
    let draft = write(Grain::Daily, &turns);
    for source in &turns {
        assert!(draft.sentences.iter().any(|sentence| sentence.from == [source.id.clone()]), "{}", source.text);
    }
    assert!(draft.sentences.iter().filter(|sentence| sentence.speaker.as_deref() == Some("Bob")).count() > 1);
}

#[test]
fn sentence_longer_than_the_budget_is_cut_at_a_word() {
    let long = (0..90).map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ");
    let draft = write(Grain::Daily, &day(&[&format!("Ann: {long}")]));
    assert_eq!(draft.text.split_whitespace().count(), 60);
    assert!(draft.text.ends_with(" word58…"), "{}", draft.text);
}

#[test]
fn small_talk_is_passed_on_only_without_other_content() {
    let quiet = summary(Grain::Daily, &[turn(8, 0, Role::User, "Ann", "hi")]);
    let lively = summary(Grain::Daily, &[turn(9, 0, Role::User, "Ann", "I moved to Berlin.")]);
    let week = summary(Grain::Weekly, &[quiet.clone(), lively]);
    assert_eq!(week.text, "2023-05-08 Small talk only: 1 message by Ann.\n2023-05-09 Ann: I moved to Berlin.");
    assert_eq!(write(Grain::Monthly, &[week]).text, "2023-05-09 Ann: I moved to Berlin.");
    let quiet_week = summary(Grain::Weekly, &[quiet]);
    assert_eq!(write(Grain::Monthly, &[quiet_week]).text, "2023-05-08 Small talk only: 1 message by Ann.");
}

#[test]
fn sealed_day_is_amended_with_late_turns() {
    fn check(kept: &[&str], late: &[&str], expect: &str) {
        let period = Period::of(Grain::Daily, day(kept)[0].days.0);
        let base = sealed(summary(Grain::Daily, &day(kept)));
        assert_eq!(write_upon(period, Some(&base), &day(late)).text, expect);
    }
    let moved = ["Ann: I moved to Berlin.", "Bob: Hi!"];
    check(&moved, &[], "Ann: I moved to Berlin.");
    check(&moved, &["Bob: I sold the car."], "Ann: I moved to Berlin.\nBob: I sold the car.");
    check(&moved, &["Ann: I moved to Berlin."], "Ann: I moved to Berlin.");
    check(&moved, &["Bob: ok"], "Ann: I moved to Berlin.");
    check(&["Ann: hi"], &["Bob: ok"], "Small talk only: 1 message by Ann.");
    check(&["Ann: hi"], &["Bob: I sold the car."], "Bob: I sold the car.");
}

#[test]
fn short_late_turn_takes_only_its_own_room_from_a_sealed_day() {
    let turn = |n| {
        turn(
            8,
            n,
            Role::User,
            "Ann",
            &format!("Cousin{n} sailed. So did the three of them, now and then, if it is not too far."),
        )
    };
    let base = sealed(summary(Grain::Daily, &(0..20).map(turn).collect::<Vec<_>>()));
    let amended = write_upon(turn(0).period, Some(&base), &day(&["Bob: I sold the car."]));
    assert!(words(&base.text) > 50, "{}", base.text);
    assert!(words(&amended.text) >= words(&base.text) - 1, "{}", amended.text);
    assert!(amended.text.ends_with("\nBob: I sold the car."), "{}", amended.text);
}

#[test]
fn sealed_week_is_amended_in_order_of_days() {
    let stated = |day, text| summary(Grain::Daily, &[turn(day, 0, Role::User, "Ann", text)]);
    let kept = [stated(9, "I moved to Berlin."), stated(11, "The bakery closed.")];
    let base = sealed(summary(Grain::Weekly, &kept));
    let late = [stated(8, "Cousin Tom sails to Oslo."), stated(11, "The river froze.")];
    let draft = write_upon(Period::of(Grain::Weekly, kept[0].days.0), Some(&base), &late);
    assert_eq!(
        draft.text,
        "2023-05-08 Ann: Cousin Tom sails to Oslo.\n2023-05-09 Ann: I moved to Berlin.\n\
         2023-05-11 Ann: The bakery closed.\n2023-05-11 Ann: The river froze."
    );
}

#[test]
fn base_is_unchanged_if_nothing_can_be_added() {
    let turns = day(&["Ann: I moved to Berlin."]);
    let reworded = Base { text: "A move.".into(), verbatim: false, ..sealed(summary(Grain::Daily, &turns)) };
    let same = write_upon(turns[0].period, Some(&reworded), &[]);
    assert_eq!((same.text, same.sentences, same.verbatim), (reworded.text.clone(), reworded.sentences.clone(), false));
    assert!(!write_upon(turns[0].period, Some(&reworded), &day(&["Bob: I sold the car."])).verbatim);
    let empty = Base { sentences: Vec::new(), ..reworded };
    assert_eq!(write_upon(turns[0].period, Some(&empty), &day(&["Bob: ok"])).text, "A move.");
}

#[test]
fn chinese_text_has_sentences_and_lengths() {
    let talk = "我上个月搬到了柏林。新的公寓很大，有三个房间！你什么时候来看我？";
    assert_eq!(
        write(Grain::Daily, &day(&[&format!("安: {talk}")])).text,
        "安: 我上个月[2023-04]搬到了柏林。\n安: 新的公寓很大，有三个房间！"
    );
    let many: String = (0..3000).map(|n| char::from_u32(0x4E00 + n).unwrap()).collect();
    let unbroken = write(Grain::Daily, &day(&[&format!("安: {many}")])).text;
    assert!(unbroken.chars().count() <= 125 && unbroken.ends_with('…'), "{unbroken}");
}

/// One text of ten megabytes, and texts of one megabyte each of patterns that could make a search for ends of sentences, clauses
/// or words start over. With quadratic run time this test would take hours.
#[test]
fn a_huge_turn_is_a_turn_like_any_other() {
    fn check(bytes: usize, piece: &str) {
        let text = piece.repeat(bytes / piece.len());
        let draft = write(Grain::Daily, &[turn(8, 0, Role::User, "Ann", &text)]);
        assert!(!draft.text.is_empty() && words(&draft.text) <= 200);
    }
    check(10_000_000, "The bakery closed on Monday. ");
    for piece in ["ok ", "x", "我去了北京", "a; b ", "1. ", ".1 ", "line of a log\n"] {
        check(1_000_000, piece);
    }
}

#[test]
fn recipe_differs_by_grain() {
    let mut recipes: Vec<Digest> =
        Grain::SUMMARIES.iter().map(|grain| Extractive.recipe(&Settings::default(), *grain)).collect();
    recipes.sort_unstable();
    recipes.dedup();
    assert_eq!(recipes.len(), 5);
}

/// Conversations of several weeks: sentences of words, fillers, questions, punctuation, wide characters, in any order.
fn talk() -> impl Strategy<Value = Vec<Memory>> {
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
    let spoken = (0..120_i64, 0..1440_i64, role, speaker, text);
    prop::collection::vec(spoken, 1..40).prop_map(|mut spoken| {
        spoken.sort_by_key(|(day, minute, ..)| (*day, *minute));
        spoken.dedup_by_key(|(day, minute, ..)| (*day, *minute));
        spoken.into_iter().map(|(day, minute, role, speaker, text)| turn(day, minute, role, speaker, &text)).collect()
    })
}

fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

fn check_summary(summary: &Memory, turns: &[Memory]) {
    let grain = summary.grain;
    assert!(!summary.text.is_empty());
    let spoken: usize = turns.iter().filter(|turn| turn.period == summary.period).map(|turn| words(&turn.text)).sum();
    let added = lines::added(grain, summary.sentences());
    let most = if grain == Grain::Daily { ((spoken / 4).max(60) + added).min(200) } else { budget::limit(grain) };
    assert!(words(&summary.text) <= most, "{} of {most} words: {}", words(&summary.text), summary.text);
    assert!(summary.sentences().is_sorted_by_key(|sentence| sentence.day));
    let place = |id: &MemoryId| turns.iter().position(|turn| turn.id == *id).expect("every trace ends in a turn");
    assert!(summary.sentences().is_sorted_by_key(|sentence| place(&sentence.from[0])));
    for sentence in summary.sentences() {
        check_sentence(sentence, &turns[place(&sentence.from[0])]);
        assert!(summary.text.contains(&sentence.text));
    }
}

/// Checks that a sentence quotes its turn and has the turn's day.
fn check_sentence(sentence: &Sentence, turn: &Memory) {
    assert_eq!(sentence.day, turn.days.0);
    if sentence.speaker.is_some() {
        let spoken = clean::spoken(&turn.text).to_lowercase();
        let (_, quote) = answers::parts(&sentence.text);
        let quoted = without_dates(quote).to_lowercase().replace('…', "");
        assert!(is_in_order(&quoted, &spoken), "{spoken} / {quoted}");
        assert_eq!(sentence.speaker.as_deref(), turn.speaker());
        assert_ne!(sentence.text, "ok");
    }
}

/// Whether the letters of a quote occur in the text in the same order.
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
    fn every_grain_respects_budget_order_and_traces(turns in talk()) {
        let mut memories = turns.clone();
        for grain in Grain::SUMMARIES {
            memories = roll_up(grain, &memories);
            memories.iter().for_each(|summary| check_summary(summary, &turns));
        }
    }

    #[test]
    fn amended_summary_depends_only_on_base_and_set_of_late_sources(turns in talk(), late in talk(), seed in any::<u64>()) {
        for grain in [Grain::Daily, Grain::Weekly] {
            let base = sealed(summary(grain, &roll_up_to(grain, &turns)));
            let late = roll_up_to(grain, &late);
            let mut shuffled = late.clone();
            shuffled.sort_by_key(|memory| Digest::of([memory.id.as_str().as_bytes(), &seed.to_le_bytes()]));
            let period = Period::of(grain, turns[0].days.0);
            let amended = write_upon(period, Some(&base), &late);
            prop_assert_eq!(&amended, &write_upon(period, Some(&base), &shuffled));
            prop_assert!(words(&amended.text) <= budget::limit(grain));
            prop_assert!(amended.sentences.is_sorted_by_key(|sentence| sentence.day));
            prop_assert_eq!(write_upon(period, Some(&base), &[]).text, base.text);
        }
    }

    #[test]
    fn order_of_sources_does_not_matter(turns in talk(), seed in any::<u64>()) {
        let mut shuffled = turns.clone();
        shuffled.sort_by_key(|turn| Digest::of([turn.id.as_str().as_bytes(), &seed.to_le_bytes()]));
        prop_assert_eq!(sentences(Grain::Daily, None, &turns), sentences(Grain::Daily, None, &shuffled));
    }
}
