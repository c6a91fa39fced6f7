//! Sealed summaries, which cannot be written again: cut where possible, otherwise lost.

use annals_core::ports::{ErasureReport, OnConflict, Target, Turn};
use annals_core::{Draft, Grain, Interval, MemoryId, Sentence, Settings, Summary};

use super::{by_id, erase, everything, much_later, periods};
use crate::suites::Store;
use crate::suites::catalog::{all_changes, dirty, later, me, now, row, say, user_turn};
use crate::suites::history::{By, base_of, roll_up, roll_up_all, seal, summary_of};
use crate::{at, entry, period, replacing, summary};

const DAY: &str = "2026-03-04";

fn turns() -> [Turn; 3] {
    [
        user_turn("1", "2026-03-04T10:00:00Z", "tea"),
        user_turn("2", "2026-03-04T11:00:00Z", "cake"),
        user_turn("3", "2026-03-05T10:00:00Z", "home"),
    ]
}

/// Stores two days of a week, written with `by`, and seals the first day.
async fn week(store: &dyn Store, by: By) -> [MemoryId; 3] {
    say(store, turns().to_vec()).await;
    roll_up_all(store, by).await;
    seal(store, DAY).await;
    turns().map(|turn| turn.id)
}

/// Adds a turn to the sealed day and rolls it up.
async fn late(store: &dyn Store, by: By) -> MemoryId {
    let late = user_turn("9", "2026-03-04T12:00:00Z", "rain");
    say(store, vec![late.clone()]).await;
    roll_up_all(store, by).await;
    late.id
}

/// Returns text and number of sentences of a summary and of its base; `None` for one that does not exist.
async fn texts(store: &dyn Store, label: &str) -> [Option<(String, usize)>; 2] {
    let summary = summary_of(store, label).await.map(|summary| (summary.text.clone(), summary.sentences().len()));
    [summary, base_of(store, label).await.map(|base| (base.text, base.sentences.len()))]
}

fn both(text: &str, sentences: usize) -> [Option<(String, usize)>; 2] {
    [Some((text.into(), sentences)), Some((text.into(), sentences))]
}

const UP: [&str; 4] = ["2026-W10", "2026-03", "2026-Q1", "2026"];

pub(super) async fn late_turn_is_cut_from_the_amended_summary(store: &dyn Store) {
    week(store, By::Quoting).await;
    let rain = late(store, By::Quoting).await;
    let (base, before) = (base_of(store, DAY).await, summary_of(store, DAY).await.unwrap());
    let done = erase(store, by_id(&[&rain])).await;
    assert_eq!((done.cut, done.rebuilt, done.lost), (periods(&[DAY]), periods(&UP), Vec::new()));
    assert_eq!(base_of(store, DAY).await, base);
    let after = summary_of(store, DAY).await.unwrap();
    assert_eq!((after.text.as_str(), after.sentences().len()), ("tea\ncake", 2));
    assert!(!after.sources().contains(&rain));
    assert!(after.seq > before.seq);
    assert_eq!(all_changes(store, Grain::Daily).await.last().unwrap().seq(), after.seq, "its table learns of it");
    let day = row(store, DAY).await;
    assert!(day.sealed && day.is_dirty());
    assert_eq!(day.dirty_at, much_later());
    assert_eq!(dirty(store).await, [&[DAY], &UP[..]].concat());
}

pub(super) async fn sentences_of_pruned_turns_are_cut_by_id(store: &dyn Store) {
    let [tea, _, _] = week(store, By::Quoting).await;
    store.pin(&me(), &MemoryId::summary(&me(), period(DAY)), true).await.unwrap();
    let done = erase(store, by_id(&[&tea])).await;
    let (pruned, sealed_sentences) = (vec![tea.clone()], vec!["tea".into()]);
    let expected = ErasureReport {
        pruned,
        cut: periods(&[DAY]),
        rebuilt: periods(&UP),
        sealed_sentences,
        ..ErasureReport::default()
    };
    assert_eq!(done, expected);
    assert_eq!(texts(store, DAY).await, both("cake", 1));
    assert!(!base_of(store, DAY).await.unwrap().sources.contains(&tea));
    assert!(summary_of(store, DAY).await.unwrap().pinned);
    roll_up_all(store, By::Quoting).await;
    assert_eq!(summary_of(store, "2026").await.unwrap().text, "cake\nhome");
}

pub(super) async fn range_selects_pruned_turns_by_time(store: &dyn Store) {
    let settings = Settings { time_zone: "Asia/Tokyo".into(), ..Settings::default() };
    store.save_settings(&me(), &settings).await.unwrap();
    week(store, By::Quoting).await;
    for label in ["2026-03-05", "2026-W10"] {
        seal(store, label).await;
    }
    let range = |start, end| Target::Range(Interval { start: at(start), end: at(end) });
    let before = everything(store).await;
    for (start, end) in [
        ("2026-03-03T15:00:00Z", "2026-03-04T10:00:00Z"),
        ("2026-03-04T10:00:00.000001Z", "2026-03-04T11:00:00Z"),
        ("2026-03-04T11:00:00.000001Z", "2026-03-05T10:00:00Z"),
    ] {
        assert_eq!(erase(store, range(start, end)).await, ErasureReport::default(), "{start} to {end}");
        assert_eq!(everything(store).await, before);
    }
    let done = erase(store, range("2026-03-04T11:00:00Z", "2026-03-04T11:00:00.000001Z")).await;
    assert_eq!((done.pruned, done.cut), (vec![turns()[1].id.clone()], periods(&["2026-W10"])));
    assert_eq!(texts(store, "2026-W10").await, both("tea\nhome", 2));
    // The day in Tokyo lasts from 15:00 to 15:00 UTC.
    let done = erase(store, range("2026-03-03T15:00:00Z", "2026-03-04T15:00:00Z")).await;
    assert_eq!(done.cut, periods(&["2026-W10"]));
    assert_eq!(texts(store, "2026-W10").await, both("home", 1));
}

pub(super) async fn sentence_of_several_turns_is_cut_with_any_of_them(store: &dyn Store) {
    say(store, turns().to_vec()).await;
    let [tea, cake, _] = turns().map(|turn| turn.id);
    let sentence = |text: &str, from: &[&MemoryId]| Sentence {
        day: period(DAY).first_day(),
        speaker: None,
        text: text.into(),
        from: from.iter().map(|id| (*id).clone()).collect(),
        ungrounded: false,
    };
    let sentences = vec![sentence("both", &[&tea, &cake]), sentence("one", &[&cake]), sentence("none", &[])];
    let text = "On this day: both, one and none.".into();
    let draft = Some(Draft { text, sentences, tokens: 0, ungrounded: 0, verbatim: true });
    let seq = row(store, DAY).await.dirty_seq;
    let saved = Summary { draft, ..summary(DAY, seq, &[tea.clone(), cake], "") };
    store.save_summaries(&me(), vec![replacing(store, &me(), saved).await], later()).await.unwrap();
    seal(store, DAY).await;
    erase(store, by_id(&[&tea])).await;
    assert_eq!(texts(store, DAY).await, both("one\nnone", 2), "the text is made of the sentences that are left");
}

pub(super) async fn parents_of_a_cut_summary_are_rolled_up_again(store: &dyn Store) {
    let [tea, _, _] = week(store, By::Model).await;
    roll_up_all(store, By::Model).await;
    let done = erase(store, by_id(&[&tea])).await;
    assert_eq!((done.lost, done.rebuilt), (periods(&[DAY]), periods(&UP)));
    roll_up_all(store, By::Model).await;
    assert_eq!(summary_of(store, DAY).await, None);
    for label in UP {
        let text = summary_of(store, label).await.unwrap().text;
        assert!(text.ends_with("home") && !text.contains("tea"), "{label}: {text}");
    }
}

pub(super) async fn sealed_parents_are_cut_too(store: &dyn Store) {
    let [tea, _, _] = week(store, By::Quoting).await;
    seal(store, "2026-03-05").await;
    for label in UP {
        seal(store, label).await;
    }
    let done = erase(store, by_id(&[&tea])).await;
    assert_eq!((done.cut, done.rebuilt, done.lost), (periods(&["2026"]), Vec::new(), Vec::new()));
    assert_eq!(texts(store, "2026").await, both("cake\nhome", 2));
    // With a live child below the sealed period, the erasure reaches both.
    say(store, vec![user_turn("9", "2026-03-04T12:00:00Z", "rain")]).await;
    for label in [DAY, "2026-W10", "2026-03", "2026-Q1", "2026"] {
        roll_up(store, label, By::Quoting).await;
        if label != "2026" {
            seal(store, label).await;
        }
    }
    let rain = user_turn("9", "2026-03-04T12:00:00Z", "rain").id;
    let done = erase(store, by_id(&[&rain])).await;
    assert_eq!(done.lost, periods(&["2026-Q1"]), "it had nothing else");
    assert_eq!((done.cut, done.rebuilt), (periods(&["2026"]), Vec::new()));
    assert_eq!(texts(store, "2026").await, both("cake\nhome", 2));
}

pub(super) async fn summary_without_remaining_sentences_is_lost(store: &dyn Store) {
    let [tea, cake, home] = week(store, By::Quoting).await;
    let done = erase(store, by_id(&[&tea, &cake])).await;
    assert_eq!((done.lost, done.cut, done.rebuilt), (periods(&[DAY]), Vec::new(), periods(&UP)));
    assert_eq!(texts(store, DAY).await, [None, None]);
    let day = row(store, DAY).await;
    assert!(!day.sealed && day.is_dirty());
    roll_up_all(store, By::Quoting).await;
    assert_eq!(summary_of(store, DAY).await, None);
    assert_eq!(summary_of(store, "2026").await.unwrap().sentences()[0].from, [home]);
}

pub(super) async fn model_text_is_lost(store: &dyn Store) {
    let [tea, _, _] = week(store, By::Model).await;
    late(store, By::Quoting).await;
    let done = erase(store, by_id(&[&tea])).await;
    assert_eq!((done.lost, done.cut, done.rebuilt), (periods(&[DAY]), Vec::new(), periods(&UP)));
    assert_eq!(texts(store, DAY).await, [None, None]);
    assert!(!row(store, DAY).await.sealed);
    // The late turn is live, and is now the only input.
    roll_up_all(store, By::Quoting).await;
    assert_eq!(summary_of(store, DAY).await.unwrap().text, "rain");
}

pub(super) async fn base_without_the_turn_is_amended_again(store: &dyn Store) {
    week(store, By::Model).await;
    let rain = late(store, By::Model).await;
    let base = base_of(store, DAY).await;
    let done = erase(store, by_id(&[&rain])).await;
    let expected = periods(&["2026-03-04", "2026-W10", "2026-03", "2026-Q1", "2026"]);
    assert_eq!((done.rebuilt, done.cut, done.lost), (expected, Vec::new(), Vec::new()));
    assert_eq!((summary_of(store, DAY).await, base_of(store, DAY).await), (None, base));
    let day = row(store, DAY).await;
    assert!(day.sealed && day.is_dirty());
    roll_up_all(store, By::Quoting).await;
    assert_eq!(summary_of(store, DAY).await.unwrap().text, "All in all: tea; cake");
}

pub(super) async fn summaries_without_the_turn_stay(store: &dyn Store) {
    week(store, By::Quoting).await;
    // A turn that arrived late and is not rolled up yet.
    let late = user_turn("9", "2026-03-04T12:00:00Z", "rain");
    say(store, vec![late.clone()]).await;
    let (summary, base) = (summary_of(store, DAY).await, base_of(store, DAY).await);
    let done = erase(store, by_id(&[&late.id])).await;
    assert_eq!((done.turns, done.cut, done.lost), (vec![late.id], Vec::new(), Vec::new()));
    assert_eq!(done.rebuilt, periods(&UP), "whatever is above an erased turn and not sealed is written again");
    assert_eq!((summary_of(store, DAY).await, base_of(store, DAY).await), (summary, base));
    assert!(row(store, DAY).await.sealed);
    // A turn of another day.
    let home = turns()[2].id.clone();
    let (summary, base) = (summary_of(store, DAY).await, base_of(store, DAY).await);
    assert_eq!(erase(store, by_id(&[&home])).await.rebuilt, periods(&["2026-03-05"]));
    assert_eq!((summary_of(store, DAY).await, base_of(store, DAY).await), (summary, base));
}

pub(super) async fn sentence_that_a_remaining_fact_quotes_is_not_gone(store: &dyn Store) {
    let [tea, ..] = week(store, By::Quoting).await;
    let mut fact = entry(&me(), "Ann likes cake", "2026-03-04T10:00:00Z");
    fact.properties.insert("how".into(), "tea".into());
    store.add_operations(&me(), vec![fact]).await.unwrap();
    let done = erase(store, by_id(&[&tea])).await;
    assert_eq!((done.pruned, done.cut, done.operations), (vec![tea], periods(&[DAY]), Vec::new()));
    assert_eq!(done.sealed_sentences, [""; 0], "the fact was entered by hand, and stays");
}

pub(super) async fn base_is_cut_without_a_summary(store: &dyn Store) {
    let [tea, _, _] = week(store, By::Quoting).await;
    let rain = late(store, By::Model).await;
    // The model's text of base and late input is removed. The base was not made from the late turn.
    assert_eq!(erase(store, by_id(&[&rain])).await.rebuilt[0], period(DAY));
    assert_eq!(texts(store, DAY).await, [None, Some(("tea\ncake".into(), 2))]);
    let done = erase(store, by_id(&[&tea])).await;
    let sealed_sentences = vec!["tea".into()];
    assert_eq!(
        done,
        ErasureReport { pruned: vec![tea], cut: periods(&[DAY]), sealed_sentences, ..ErasureReport::default() }
    );
    assert_eq!(texts(store, DAY).await, [None, Some(("cake".into(), 1))]);
    roll_up_all(store, By::Quoting).await;
    assert_eq!(summary_of(store, DAY).await.unwrap().text, "cake");
}

/// Saves a summary of one sentence with the sources `from`.
async fn save_summary(store: &dyn Store, label: &str, text: &str, from: &[MemoryId], verbatim: bool) {
    let (sources, seq) = (store.inputs(&me(), period(label)).await.unwrap(), row(store, label).await.dirty_seq);
    let sources: Vec<_> = sources.into_iter().map(|input| input.id).collect();
    let (day, text) = (period(label).first_day(), text.to_owned());
    let sentences = vec![Sentence { day, speaker: None, text: text.clone(), from: from.to_vec(), ungrounded: false }];
    let draft = Some(Draft { text, sentences, tokens: 0, ungrounded: 0, verbatim });
    let saved = replacing(store, &me(), Summary { draft, ..summary(label, seq, &sources, "") }).await;
    store.save_summaries(&me(), vec![saved], later()).await.unwrap();
}

pub(super) async fn untraced_model_text_counts_for_all_sources(store: &dyn Store) {
    let tea = turns()[0].id.clone();
    for (verbatim, lost) in [(true, Vec::new()), (false, periods(&[DAY]))] {
        // With `revise`, because a pruned turn counts as a duplicate otherwise.
        store.unforget(&me(), &[(turns()[0].key.clone(), turns()[0].message.digest())]).await.unwrap();
        store.ingest(&me(), turns()[..2].to_vec(), OnConflict::Revise, now()).await.unwrap();
        save_summary(store, DAY, "They had something.", &[], verbatim).await;
        seal(store, DAY).await;
        assert_eq!(erase(store, by_id(&[&tea])).await.lost, lost, "verbatim: {verbatim}");
    }
}

pub(super) async fn sealed_parent_is_amended_after_its_input_is_erased(store: &dyn Store) {
    let [_, cake, _] = week(store, By::Quoting).await;
    seal(store, "2026-W10").await;
    let rain = late(store, By::Quoting).await;
    // The week need not mention everything.
    save_summary(store, "2026-W10", "cake", &[cake], true).await;
    roll_up_all(store, By::Quoting).await;
    let before = texts(store, "2026-W10").await;
    let done = erase(store, by_id(&[&rain])).await;
    assert_eq!((done.cut, done.lost), (Vec::new(), Vec::new()));
    assert_eq!(done.rebuilt, periods(&[DAY, "2026-03", "2026-Q1", "2026"]));
    assert_eq!(texts(store, "2026-W10").await, before);
    assert_eq!(dirty(store).await, [DAY, "2026-W10", "2026-03", "2026-Q1", "2026"]);
}
