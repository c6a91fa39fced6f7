//! Roll-ups: their input, the outcomes of saving one, and the resulting ledger.

use annals_core::ports::{OnConflict, Turn};
use annals_core::{Body, Catalog, Digest, Draft, Error, Grain, Interval, Memory, MemoryId, Message, Sentence, Summary};

use super::{all_changes, dirty, later, me, now, row, say, texts, user_turn};
use crate::{agent, at, message, period, replacing, summary, turn_of};

const DAY: &str = "2026-03-04";

/// Stores one turn and rolls up its day. Returns the turn's id and the sequence number that the roll-up read.
async fn rolled_up(catalog: &dyn Catalog) -> (MemoryId, u64) {
    let turn = user_turn("1", "2026-03-04T10:00:00Z", "tea");
    let seq = say(catalog, vec![turn.clone()]).await.seq;
    save(catalog, summary(DAY, seq, std::slice::from_ref(&turn.id), "They had tea.")).await;
    (turn.id, seq)
}

/// Saves a roll-up over the present one.
async fn save(catalog: &dyn Catalog, summary: Summary) {
    catalog.save_summaries(&me(), vec![replacing(catalog, &me(), summary).await], later()).await.unwrap();
}

async fn stored(catalog: &dyn Catalog, label: &str) -> Option<Memory> {
    catalog.get(&me(), &[MemoryId::summary(&me(), period(label))]).await.unwrap().pop()
}

pub(super) async fn input_is_ordered_by_time_conversation_and_arrival(catalog: &dyn Catalog) {
    let turn = |conversation: &str, id: &str, instant: &str| {
        let sent = message(instant, &format!("{conversation} {id}"));
        turn_of(&me(), Message { conversation: conversation.into(), client_id: Some(id.into()), ..sent })
    };
    let in_order = [
        turn("b", "1", "2026-03-04T09:00:00Z"),
        turn("a", "2", "2026-03-04T10:00:00Z"),
        turn("b", "0", "2026-03-04T10:00:00Z"),
        turn("a", "0", "2026-03-04T10:00:00.000001Z"),
        turn("a", "1", "2026-03-04T10:00:00Z"),
    ];
    for batch in [vec![2, 1], vec![3], vec![0, 4]] {
        say(catalog, batch.into_iter().map(|index: usize| in_order[index].clone()).collect()).await;
    }
    let input = catalog.inputs(&me(), period(DAY)).await.unwrap();
    let ids: Vec<_> = input.iter().map(|memory| &memory.id).collect();
    assert_eq!(ids, in_order.iter().map(|turn: &Turn| &turn.id).collect::<Vec<_>>());
    assert_eq!(catalog.inputs(&me(), period("2026-03-05")).await.unwrap(), []);
}

pub(super) async fn summary_round_trips(catalog: &dyn Catalog) {
    let turn = user_turn("1", "2026-03-04T10:00:00Z", "tea");
    let seq = say(catalog, vec![turn.clone()]).await.seq;
    let sentence = Sentence {
        day: period(DAY).first_day(),
        speaker: Some("Ann \"O'Neil\"".into()),
        text: "had tea".into(),
        from: vec![turn.id.clone()],
        ungrounded: false,
    };
    // The cover is stored as given, whatever zone the label would suggest.
    let cover = Interval { start: at("2026-03-03T23:00:00Z"), end: at("2026-03-04T23:00:00Z") };
    let mut written = summary(DAY, seq, &[turn.id], "They had tea.");
    written.cover = cover;
    written.draft.as_mut().unwrap().sentences = vec![sentence.clone()];
    save(catalog, written.clone()).await;
    let memory = stored(catalog, DAY).await.unwrap();
    let expected = Memory {
        id: MemoryId::summary(&me(), period(DAY)),
        grain: Grain::Daily,
        period: period(DAY),
        cover,
        days: period(DAY).cover_days(),
        text: "They had tea.".into(),
        pinned: false,
        seq: memory.seq,
        body: Body::Summary { sentences: vec![sentence], sources: written.sources },
    };
    assert_eq!(memory, expected);
    let day = row(catalog, DAY).await;
    assert_eq!((day.input_digest, day.recipe), (Some(written.input_digest), Some(written.recipe)));
}

pub(super) async fn new_text_is_a_change_and_makes_the_parent_dirty(catalog: &dyn Catalog) {
    let (turn, seq) = rolled_up(catalog).await;
    let first = stored(catalog, DAY).await.unwrap();
    let week = row(catalog, "2026-W10").await;
    assert_eq!((week.dirty_seq, week.clean_seq, week.dirty_at), (first.seq, 0, later()));
    assert_eq!(dirty(catalog).await, ["2026-W10"]);

    save(catalog, summary(DAY, seq, &[turn], "They had green tea.")).await;
    let second = stored(catalog, DAY).await.unwrap();
    assert!(second.seq > first.seq);
    assert_eq!(second.text, "They had green tea.");
    assert_eq!(row(catalog, "2026-W10").await.dirty_seq, second.seq);
    assert_eq!(all_changes(catalog, Grain::Daily).await.len(), 1);
}

pub(super) async fn same_text_is_no_change_but_saves_lineage(catalog: &dyn Catalog) {
    let (turn, _) = rolled_up(catalog).await;
    let (first, week) = (stored(catalog, DAY).await.unwrap(), row(catalog, "2026-W10").await);
    let late = user_turn("2", "2026-03-04T11:00:00Z", "yes");
    let seq = say(catalog, vec![late.clone()]).await.seq;
    assert_eq!(dirty(catalog).await, [DAY, "2026-W10"]);
    let sources = [turn, late.id];
    save(catalog, summary(DAY, seq, &sources, "They had tea.")).await;
    let body = Body::Summary { sentences: first.sentences().to_vec(), sources: sources.to_vec() };
    assert_eq!(stored(catalog, DAY).await.unwrap(), Memory { body, ..first });
    assert_eq!(row(catalog, "2026-W10").await, week);
    let day = row(catalog, DAY).await;
    assert!(!day.is_dirty());
    assert_eq!(day.input_digest, Some(Digest::of(sources.iter().map(MemoryId::as_str))));
}

pub(super) async fn unchanged_input_only_marks_the_period_clean(catalog: &dyn Catalog) {
    let (turn, _) = rolled_up(catalog).await;
    let (first, week) = (stored(catalog, DAY).await.unwrap(), row(catalog, "2026-W10").await);
    // Changed and changed back.
    for text in ["coffee", "tea"] {
        let turns = vec![user_turn("1", "2026-03-04T10:00:00Z", text)];
        catalog.ingest(&me(), turns, OnConflict::Revise, now()).await.unwrap();
    }
    let before = row(catalog, DAY).await;
    assert!(before.is_dirty());
    save(catalog, Summary { draft: None, ..summary(DAY, before.dirty_seq, &[turn], "") }).await;
    assert_eq!(stored(catalog, DAY).await.unwrap(), first);
    assert_eq!(row(catalog, "2026-W10").await, week);
    let after = row(catalog, DAY).await;
    assert_eq!((after.clean_seq, after.tokens), (before.dirty_seq, before.tokens));
}

pub(super) async fn period_without_input_loses_its_summary(catalog: &dyn Catalog) {
    rolled_up(catalog).await;
    let week = row(catalog, "2026-W10").await;
    let moved = vec![user_turn("1", "2026-03-09T10:00:00Z", "tea")];
    let seq = catalog.ingest(&me(), moved, OnConflict::Revise, now()).await.unwrap().seq;
    save(catalog, Summary { draft: None, ..summary(DAY, seq, &[], "") }).await;
    assert_eq!(stored(catalog, DAY).await, None);
    assert_eq!(catalog.inputs(&me(), period("2026-W10")).await.unwrap(), []);
    assert!(row(catalog, "2026-W10").await.dirty_seq > week.dirty_seq);
    assert!(!row(catalog, DAY).await.is_dirty(), "the row stays, and is clean");
    assert_eq!(catalog.counts(&me()).await.unwrap().memories, [1, 0, 0, 0, 0, 0]);
}

pub(super) async fn deleting_a_missing_summary_changes_nothing(catalog: &dyn Catalog) {
    let seq = say(catalog, vec![user_turn("1", "2026-03-04T10:00:00Z", "tea")]).await.seq;
    save(catalog, Summary { draft: None, ..summary(DAY, seq, &[], "") }).await;
    assert_eq!(all_changes(catalog, Grain::Daily).await, []);
    assert_eq!(dirty(catalog).await, Vec::<String>::new());
}

pub(super) async fn input_stored_meanwhile_stays_dirty(catalog: &dyn Catalog) {
    let turn = user_turn("1", "2026-03-04T10:00:00Z", "tea");
    let read = say(catalog, vec![turn.clone()]).await.seq;
    let late = say(catalog, vec![user_turn("2", "2026-03-04T11:00:00Z", "cake")]).await.seq;
    save(catalog, summary(DAY, read, &[turn.id], "They had tea.")).await;
    let day = row(catalog, DAY).await;
    assert_eq!((day.clean_seq, day.dirty_seq), (read, late));
    assert!(day.is_dirty());
}

/// Expects that saving roll-ups fails and changes nothing.
async fn refused(catalog: &dyn Catalog, summaries: &[Summary]) {
    let all = async || (all_changes(catalog, Grain::Daily).await, catalog.ledger(&me()).await.unwrap());
    let before = all().await;
    let refused = catalog.save_summaries(&me(), summaries.to_vec(), later()).await;
    assert!(matches!(refused, Err(Error::Stale { .. })), "{refused:?}");
    assert_eq!(all().await, before);
}

/// A writer was paused while another one rolled the period up. The older text replaces nothing.
pub(super) async fn stale_roll_up_changes_nothing(catalog: &dyn Catalog) {
    let turn = user_turn("1", "2026-03-04T10:00:00Z", "tea");
    let first = say(catalog, vec![turn.clone()]).await.seq;
    let sources = std::slice::from_ref(&turn.id);
    let slept = replacing(catalog, &me(), summary(DAY, first, sources, "They slept.")).await;
    let second = say(catalog, vec![user_turn("2", "2026-03-04T11:00:00Z", "cake")]).await.seq;
    save(catalog, summary(DAY, second, sources, "They had tea.")).await;
    refused(catalog, std::slice::from_ref(&slept)).await;
    refused(catalog, &[Summary { draft: None, ..slept.clone() }]).await;
    refused(catalog, &[Summary { draft: None, sources: Vec::new(), ..slept }]).await;
    // A summary of the same input by another recipe, saved meanwhile, makes a roll-up stale as well.
    let slept = replacing(catalog, &me(), summary(DAY, second, sources, "They slept.")).await;
    let refreshed =
        Summary { recipe: Digest::of(["another recipe"]), ..summary(DAY, second, sources, "Tea and cake.") };
    save(catalog, refreshed).await;
    refused(catalog, &[slept]).await;
    assert_eq!(stored(catalog, DAY).await.unwrap().text, "Tea and cake.");
}

pub(super) async fn one_stale_roll_up_refuses_its_batch(catalog: &dyn Catalog) {
    let (turn, seq) = rolled_up(catalog).await;
    let sources = [turn];
    let other = summary("2026-03-05", seq, &sources, "Another day.");
    refused(catalog, &[other.clone(), summary(DAY, seq, &sources, "They slept.")]).await;
    save(catalog, other).await;
}

pub(super) async fn year_has_no_parent(catalog: &dyn Catalog) {
    save(catalog, summary("2026", 0, &[MemoryId::from_text("s-quarter")], "A good year.")).await;
    assert_eq!(stored(catalog, "2026").await.unwrap().text, "A good year.");
    assert_eq!(dirty(catalog).await, Vec::<String>::new());
}

pub(super) async fn summaries_are_the_input_of_the_next_grain(catalog: &dyn Catalog) {
    let source = [MemoryId::from_text("t-any")];
    let labels = ["2026-03-03", "2026-03-01", "2026-03-02", "2026-W10", "2026-W12", "2026-W11", "2026-03", "2026-Q1"];
    let summaries = labels.iter().map(|label| summary(label, 0, &source, label)).collect();
    catalog.save_summaries(&me(), summaries, now()).await.unwrap();
    let check = async |label: &str, expect: &[&str]| {
        let input = catalog.inputs(&me(), period(label)).await.unwrap();
        assert_eq!(texts(&input), expect, "{label}");
    };
    check("2026-W10", &["2026-03-02", "2026-03-03"]).await;
    check("2026-W09", &["2026-03-01"]).await;
    check("2026-03", &["2026-W10", "2026-W11", "2026-W12"]).await;
    check("2026-Q1", &["2026-03"]).await;
    check("2026", &["2026-Q1"]).await;
    check("2026-03-02", &[]).await;
}

pub(super) async fn week_across_two_months_belongs_to_the_month_of_its_thursday(catalog: &dyn Catalog) {
    // 2026-W14 is 30 March to 5 April; its Thursday is 2 April. 2026-W53 ends on 3 January 2027.
    let source = [MemoryId::from_text("t-any")];
    let summaries = ["2026-W14", "2026-W53"].map(|label| summary(label, 0, &source, label));
    catalog.save_summaries(&me(), summaries.to_vec(), now()).await.unwrap();
    assert_eq!(dirty(catalog).await, ["2026-04", "2026-12"]);
    assert_eq!(texts(&catalog.inputs(&me(), period("2026-04")).await.unwrap()), ["2026-W14"]);
    assert_eq!(texts(&catalog.inputs(&me(), period("2026-12")).await.unwrap()), ["2026-W53"]);
    assert_eq!(catalog.inputs(&me(), period("2027-01")).await.unwrap(), []);
}

pub(super) async fn failures_are_counted_until_the_period_is_clean(catalog: &dyn Catalog) {
    let turn = user_turn("1", "2026-03-04T10:00:00Z", "tea");
    let seq = say(catalog, vec![turn.clone(), user_turn("2", "2026-03-05T10:00:00Z", "cake")]).await.seq;
    for (error, attempts) in [("no model", 1), ("bad answer", 2)] {
        catalog.note_failure(&me(), period(DAY), error, later(), now()).await.unwrap();
        let day = row(catalog, DAY).await;
        assert_eq!((day.attempts, day.last_error.as_deref(), day.not_before), (attempts, Some(error), Some(later())));
        assert!(day.is_dirty());
    }
    assert_eq!(row(catalog, "2026-03-05").await.attempts, 0);
    save(catalog, summary(DAY, seq, &[turn.id], "They had tea.")).await;
    let day = row(catalog, DAY).await;
    assert_eq!((day.attempts, day.last_error, day.not_before, day.failing_since), (0, None, None, None));
}

pub(super) async fn failures_of_all_agents_are_listed_until_they_are_clean(catalog: &dyn Catalog) {
    let (they, turn) = (agent("they"), user_turn("1", "2026-03-04T10:00:00Z", "tea"));
    assert_eq!((catalog.failures(9).await.unwrap(), catalog.last_change(&me()).await.unwrap()), (Vec::new(), 0));
    let seq = say(catalog, vec![turn.clone()]).await.seq;
    assert_eq!(catalog.last_change(&me()).await.unwrap(), seq);
    let theirs = turn_of(&they, message("2026-03-05T10:00:00Z", "cake"));
    catalog.ingest(&they, vec![theirs], OnConflict::Refuse, now()).await.unwrap();
    catalog.note_failure(&they, period("2026-03-05"), "no model", later(), now()).await.unwrap();
    catalog.note_failure(&me(), period(DAY), "bad answer", now(), now()).await.unwrap();
    let listed = async |limit| {
        let failures = catalog.failures(limit).await.unwrap();
        failures.into_iter().map(|(agent, row)| (agent, row.period, row.last_error.unwrap())).collect::<Vec<_>>()
    };
    let mine = (me(), period(DAY), "bad answer".to_owned());
    assert_eq!(listed(1).await, std::slice::from_ref(&mine));
    assert_eq!(listed(9).await, [mine, (they.clone(), period("2026-03-05"), "no model".to_owned())]);
    save(catalog, summary(DAY, seq, &[turn.id], "They had tea.")).await;
    assert_eq!(listed(9).await.len(), 1);
}

pub(super) async fn waiting_counts_as_no_failure(catalog: &dyn Catalog) {
    let days = [period(DAY), period("2026-03-05"), period("2026-03-06")];
    let turns =
        ["1", "2"].map(|id| user_turn(id, &format!("2026-03-0{}T10:00:00Z", 3 + id.parse::<u8>().unwrap()), "tea"));
    let seq = say(catalog, turns.to_vec()).await.seq;
    catalog.note_failure(&me(), days[0], "bad answer", now(), now()).await.unwrap();
    // The last day has no row, and none is created.
    catalog.note_outage(&me(), &days, "no model", later(), later()).await.unwrap();
    catalog.note_outage(&me(), &[], "nothing", now(), now()).await.unwrap();
    let noted = async |label| {
        let row = row(catalog, label).await;
        assert!(row.is_dirty());
        (row.attempts, row.failing_since, row.last_error, row.not_before)
    };
    let (error, again) = (Some("no model".to_owned()), Some(later()));
    assert_eq!(noted(DAY).await, (1, Some(now()), error.clone(), again));
    assert_eq!(noted("2026-03-05").await, (0, Some(later()), error, again));
    assert_eq!(catalog.ledger(&me()).await.unwrap().len(), 2);
    save(catalog, summary(DAY, seq, &[turns[0].id.clone()], "They had tea.")).await;
    let day = row(catalog, DAY).await;
    assert_eq!((day.attempts, day.last_error, day.not_before, day.failing_since), (0, None, None, None));
    assert_eq!(catalog.all_agents().await.unwrap(), [me()]);
}

pub(super) async fn tokens_add_up(catalog: &dyn Catalog) {
    let (turn, seq) = rolled_up(catalog).await;
    let before = row(catalog, DAY).await.tokens;
    let mut again = summary(DAY, seq, &[turn], "");
    again.draft =
        Some(Draft { text: "Tea.".into(), sentences: Vec::new(), tokens: 100, ungrounded: 0, verbatim: true });
    save(catalog, again).await;
    assert_eq!(row(catalog, DAY).await.tokens, before + 100);
}
