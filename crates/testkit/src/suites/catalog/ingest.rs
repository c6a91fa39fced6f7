//! Ingest of new, repeated, changed and contradictory turns.

use annals_core::ports::{OnConflict, Select, Turn};
use annals_core::{Body, Catalog, Error, Grain, IngestReceipt, Interval, Memory, MemoryId, Message, Role, Timestamp};
use futures::future::join_all;

use super::{all_changes, dirty, later, me, now, row, say, user_turn};
use crate::{agent, at, message, period, turn_of};

pub(super) async fn new_turn_is_stored_verbatim(catalog: &dyn Catalog) {
    let named = Message { role: Role::Assistant, name: Some("Iris".into()), ..message("2026-03-04T10:00:00Z", "tea?") };
    let turn = turn_of(&me(), named);
    let done = say(catalog, vec![turn.clone()]).await;
    assert_eq!((done.accepted, done.duplicate, done.revised), (1, 0, 0));
    let stored = catalog.get(&me(), std::slice::from_ref(&turn.id)).await.unwrap();
    let expected = Memory {
        id: turn.id,
        grain: Grain::Working,
        period: period("2026-03-04"),
        cover: Interval { start: at("2026-03-04T10:00:00Z"), end: at("2026-03-04T10:00:00.000001Z") },
        days: (period("2026-03-04").first_day(), period("2026-03-04").first_day()),
        text: "tea?".into(),
        pinned: false,
        seq: done.seq,
        body: Body::Turn {
            speaker: "Iris".into(),
            role: Role::Assistant,
            conversation: "talk".into(),
            message: turn.key.id,
        },
    };
    assert_eq!(stored, [expected]);
}

pub(super) async fn repeated_request_changes_nothing(catalog: &dyn Catalog) {
    let turns = vec![user_turn("1", "2026-03-04T10:00:00Z", "tea"), user_turn("2", "2026-03-05T10:00:00Z", "cake")];
    say(catalog, turns.clone()).await;
    let (changes, ledger) = (all_changes(catalog, Grain::Working).await, catalog.ledger(&me()).await.unwrap());
    for on_conflict in [OnConflict::Refuse, OnConflict::Revise] {
        let again = catalog.ingest(&me(), turns.clone(), on_conflict, later()).await.unwrap();
        assert_eq!((again.accepted, again.duplicate, again.revised), (0, 2, 0), "{on_conflict:?}");
        assert_eq!(all_changes(catalog, Grain::Working).await, changes, "{on_conflict:?}");
        assert_eq!(catalog.ledger(&me()).await.unwrap(), ledger, "{on_conflict:?}");
    }
}

pub(super) async fn same_request_has_the_same_receipt(catalog: &dyn Catalog) {
    let turns = vec![user_turn("1", "2026-03-04T10:00:00Z", "tea")];
    let first = say(catalog, turns.clone()).await;
    assert_eq!(say(catalog, turns).await.id, first.id);
    let other = say(catalog, vec![user_turn("2", "2026-03-04T10:00:00Z", "tea")]).await;
    assert_ne!(other.id, first.id);
}

pub(super) async fn overlapping_request_adds_the_rest(catalog: &dyn Catalog) {
    let (tea, cake) = (user_turn("1", "2026-03-04T10:00:00Z", "tea"), user_turn("2", "2026-03-04T11:00:00Z", "cake"));
    say(catalog, vec![tea.clone()]).await;
    let done = say(catalog, vec![tea.clone(), cake.clone(), cake]).await;
    assert_eq!((done.accepted, done.duplicate, done.revised), (1, 2, 0));
    let changes = all_changes(catalog, Grain::Working).await;
    assert_eq!(changes.last().map(annals_core::ports::Change::seq), Some(done.seq));
    assert_eq!(changes.len(), 2);
}

pub(super) async fn other_content_is_a_conflict_and_changes_nothing(catalog: &dyn Catalog) {
    say(catalog, vec![user_turn("1", "2026-03-04T10:00:00Z", "tea")]).await;
    let before = (all_changes(catalog, Grain::Working).await, catalog.ledger(&me()).await.unwrap());
    let others = [
        user_turn("1", "2026-03-04T10:00:00Z", "coffee"),
        user_turn("1", "2026-03-04T10:00:00.000001Z", "tea"),
        turn_of(&me(), Message { name: Some("Ann".into()), ..user_turn("1", "2026-03-04T10:00:00Z", "tea").message }),
        turn_of(&me(), Message { role: Role::Tool, ..user_turn("1", "2026-03-04T10:00:00Z", "tea").message }),
    ];
    for other in others {
        let request =
            vec![user_turn("0", "2026-03-07T10:00:00Z", "good"), other, user_turn("9", "2026-03-07T10:00:00Z", "good")];
        let refused = catalog.ingest(&me(), request, OnConflict::Refuse, later()).await;
        assert!(
            matches!(&refused, Err(Error::Conflict { conversation, id }) if conversation == "talk" && id == "1"),
            "{refused:?}"
        );
        let after = (all_changes(catalog, Grain::Working).await, catalog.ledger(&me()).await.unwrap());
        assert_eq!(after, before);
    }
}

pub(super) async fn contradicting_request_is_refused_unless_revised(catalog: &dyn Catalog) {
    let request = vec![user_turn("1", "2026-03-04T10:00:00Z", "tea"), user_turn("1", "2026-03-04T10:00:00Z", "coffee")];
    let refused = catalog.ingest(&me(), request.clone(), OnConflict::Refuse, now()).await;
    assert!(matches!(refused, Err(Error::Conflict { .. })), "{refused:?}");
    assert_eq!(all_changes(catalog, Grain::Working).await, []);
    let done = catalog.ingest(&me(), request.clone(), OnConflict::Revise, now()).await.unwrap();
    assert_eq!((done.accepted, done.duplicate, done.revised), (1, 0, 1));
    assert_eq!(catalog.get(&me(), &[request[1].id.clone()]).await.unwrap()[0].text, "coffee");
}

pub(super) async fn revision_replaces_the_turn(catalog: &dyn Catalog) {
    let first = say(catalog, vec![user_turn("1", "2026-03-04T10:00:00Z", "tea")]).await;
    let other = user_turn("1", "2026-03-04T10:00:00Z", "coffee");
    let done = catalog.ingest(&me(), vec![other.clone()], OnConflict::Revise, later()).await.unwrap();
    assert_eq!((done.accepted, done.duplicate, done.revised), (0, 0, 1));
    assert!(done.seq > first.seq);
    let stored = catalog.get(&me(), &[other.id]).await.unwrap();
    assert_eq!((stored.len(), stored[0].text.as_str(), stored[0].seq), (1, "coffee", done.seq));
    let day = row(catalog, "2026-03-04").await;
    assert_eq!((day.dirty_seq, day.dirty_at), (done.seq, later()));
}

pub(super) async fn revision_to_another_day_makes_both_days_dirty(catalog: &dyn Catalog) {
    let before = say(catalog, vec![user_turn("1", "2026-03-04T10:00:00Z", "tea")]).await.seq;
    let moved = user_turn("1", "2026-03-09T10:00:00Z", "tea");
    catalog.ingest(&me(), vec![moved.clone()], OnConflict::Revise, later()).await.unwrap();
    for label in ["2026-03-04", "2026-03-09"] {
        let day = row(catalog, label).await;
        assert!(day.dirty_seq > before && day.dirty_at == later(), "{day:?}");
    }
    assert_eq!(catalog.inputs(&me(), period("2026-03-04")).await.unwrap(), []);
    assert_eq!(catalog.inputs(&me(), period("2026-03-09")).await.unwrap()[0].id, moved.id);
}

pub(super) async fn new_turn_makes_its_day_dirty(catalog: &dyn Catalog) {
    say(catalog, vec![user_turn("1", "2026-03-04T10:00:00Z", "a"), user_turn("2", "2026-03-05T10:00:00Z", "b")]).await;
    let done = catalog
        .ingest(&me(), vec![user_turn("3", "2026-03-04T09:00:00Z", "c")], OnConflict::Refuse, later())
        .await
        .unwrap();
    assert_eq!(dirty(catalog).await, ["2026-03-04", "2026-03-05"]);
    let (fourth, fifth) = (row(catalog, "2026-03-04").await, row(catalog, "2026-03-05").await);
    assert_eq!((fourth.dirty_seq, fourth.clean_seq, fourth.dirty_at), (done.seq, 0, later()));
    assert!(fifth.dirty_seq < done.seq && fifth.dirty_at == now(), "{fifth:?}");
    assert_eq!((fifth.sealed, fifth.attempts, fifth.tokens, fifth.recipe), (false, 0, 0, None));
}

pub(super) async fn duplicate_makes_no_day_dirty(catalog: &dyn Catalog) {
    say(catalog, vec![user_turn("1", "2026-03-04T10:00:00Z", "tea")]).await;
    // The same message assigned to another day, as after a change of zone: it keeps its day.
    let mut elsewhere = user_turn("1", "2026-03-04T10:00:00Z", "tea");
    elsewhere.day = period("2026-03-05");
    assert_eq!(say(catalog, vec![elsewhere]).await.duplicate, 1);
    assert_eq!(dirty(catalog).await, ["2026-03-04"]);
}

pub(super) async fn same_id_in_two_conversations_is_two_turns(catalog: &dyn Catalog) {
    let here = user_turn("1", "2026-03-04T10:00:00Z", "tea");
    let there = turn_of(&me(), Message { conversation: "other".into(), ..here.message.clone() });
    assert_eq!(say(catalog, vec![here, there]).await.accepted, 2);
}

pub(super) async fn any_text_round_trips(catalog: &dyn Catalog) {
    let odd =
        ["", "'; DROP TABLE turns; --", "a\0b", "\r\n\t", "👩‍👩‍👧 e\u{301} \u{feff}", "%_\\\"", &"long ".repeat(100_000)];
    for (index, text) in odd.iter().enumerate() {
        let start: String = text.chars().take(20).collect();
        let turn = user_turn(&format!("{index} {start}"), "2026-03-04T10:00:00Z", text);
        let turn = turn_of(&me(), Message { conversation: start, ..turn.message });
        say(catalog, vec![turn.clone()]).await;
        let stored = catalog.get(&me(), &[turn.id]).await.unwrap();
        assert!(stored[0].text == *text, "text {index} is changed");
        assert_eq!(stored[0].conversation(), Some(&*turn.key.conversation));
        assert_eq!(stored[0].message(), Some(&*turn.key.id));
    }
}

pub(super) async fn early_and_late_years_round_trip(catalog: &dyn Catalog) {
    let instants =
        ["0002-01-01T00:00:00Z", "1660-01-11T21:00:00Z", "1969-12-31T23:59:59.999999Z", "9998-12-31T23:59:59Z"];
    say(catalog, instants.iter().map(|instant| user_turn(instant, instant, "x")).collect()).await;
    let select = Select::all(Grain::Working);
    let stored: Vec<Timestamp> = catalog.list(&me(), &select).await.unwrap().iter().map(Memory::at).collect();
    assert_eq!(stored, instants.map(at));
}

pub(super) async fn concurrent_requests_are_stored_once_each(catalog: &dyn Catalog) {
    // Ten turns, each sent by three clients at the same time.
    let turn = |index: usize| user_turn(&format!("{}", index % 10), "2026-03-04T10:00:00Z", "tea");
    let done = join_all((0..30).map(|index| say(catalog, vec![turn(index)]))).await;
    let sum = |count: fn(&IngestReceipt) -> u64| done.iter().map(count).sum::<u64>();
    assert_eq!((sum(|done| done.accepted), sum(|done| done.duplicate)), (10, 20));
    let changes = all_changes(catalog, Grain::Working).await;
    assert_eq!(changes.len(), 10);
    assert!(changes.windows(2).all(|pair| pair[0].seq() < pair[1].seq()), "{changes:?}");
    assert_eq!(row(catalog, "2026-03-04").await.dirty_seq, changes[9].seq());
}

pub(super) async fn receipt_counts_masked_texts(catalog: &dyn Catalog) {
    let mut request = vec![user_turn("1", "2026-03-04T10:00:00Z", "a"), user_turn("2", "2026-03-04T11:00:00Z", "b")];
    assert_eq!(say(catalog, request.clone()).await.masked, 0);
    (request[0].masked, request[1].masked) = (2, 1);
    // The count belongs to the request and is not stored with the turns: sending the same messages again is not a
    // conflict.
    let done = say(catalog, request).await;
    assert_eq!((done.duplicate, done.masked), (2, 3));
    assert_eq!(catalog.operation(&me(), &done.id).await.unwrap(), Some(done));
}

/// A repeated turn keeps its attachment. A revision replaces the attachment, unless the revision has none.
pub(super) async fn attachment_stays_with_its_turn(catalog: &dyn Catalog) {
    let attached = |text: &str, attachment: Option<&str>| Turn {
        attachment: attachment.map(Into::into),
        ..user_turn("1", "2026-03-04T10:00:00Z", text)
    };
    let (tea, other) = (attached("tea", Some("{}")), user_turn("2", "2026-03-04T10:00:01Z", "cake"));
    let ids = [other.id.clone(), tea.id.clone(), MemoryId::from_text("t-none")];
    let stored = async || catalog.attachments(&me(), &ids).await.unwrap().into_iter().flatten().collect::<Vec<_>>();
    assert_eq!(stored().await, Vec::<String>::new());
    catalog.ingest(&me(), vec![tea, other], OnConflict::Refuse, now()).await.unwrap();
    assert_eq!(catalog.attachments(&me(), &ids).await.unwrap(), [None, Some("{}".to_owned()), None]);
    catalog.ingest(&me(), vec![attached("tea", Some("[1]"))], OnConflict::Revise, now()).await.unwrap();
    assert_eq!(stored().await, ["{}"], "the same message changes nothing");
    catalog.ingest(&me(), vec![attached("green tea", None)], OnConflict::Revise, now()).await.unwrap();
    assert_eq!(stored().await, ["{}"]);
    catalog.ingest(&me(), vec![attached("black tea", Some("[2]"))], OnConflict::Revise, now()).await.unwrap();
    assert_eq!(stored().await, ["[2]"]);
    assert!(catalog.attach(&me(), &ids[1], "[3]").await.unwrap());
    assert_eq!(stored().await, ["[3]"]);
    assert!(!catalog.attach(&me(), &ids[2], "[4]").await.unwrap());
    assert_eq!(catalog.attachments(&agent("other"), &ids).await.unwrap(), [None, None, None]);
}
