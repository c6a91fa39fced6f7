//! Order and identity of messages: times that are taken or missing, and messages sent again after a correction.

use annals_core::ports::{Comparison, OnConflict, Origin, Select, Turn};
use annals_core::{Catalog, Error, Grain, Memory, MemoryId, Message};

use super::{all_changes, dirty, later, me, now, say, texts, user_turn};
use crate::{at, period, turn_of};

const MOMENT: &str = "2026-03-04T10:00:00Z";

async fn in_order(catalog: &dyn Catalog) -> Vec<Memory> {
    catalog.list(&me(), &Select::all(Grain::Working)).await.unwrap()
}

async fn of(catalog: &dyn Catalog, id: &MemoryId) -> Memory {
    catalog.get(&me(), std::slice::from_ref(id)).await.unwrap().remove(0)
}

fn untimed(id: &str, stamped: &str, text: &str) -> Turn {
    Turn { origin: Origin::Untimed, ..user_turn(id, stamped, text) }
}

fn corrected(turn: &Turn, text: &str) -> Turn {
    let message = Message { content: text.into(), ..turn.message.clone() };
    Turn { message, origin: Origin::Correction, ..turn.clone() }
}

pub(super) async fn equal_times_keep_the_order_of_arrival(catalog: &dyn Catalog) {
    for batch in [&["9", "1"][..], &["5"], &["7", "3"]] {
        say(catalog, batch.iter().map(|id| user_turn(id, MOMENT, id)).collect()).await;
    }
    say(catalog, vec![user_turn("0", "2026-03-04T09:59:59.999999Z", "0")]).await;
    let listed = in_order(catalog).await;
    assert_eq!(texts(&listed), ["0", "9", "1", "5", "7", "3"]);
    assert_eq!(texts(&catalog.inputs(&me(), period("2026-03-04")).await.unwrap()), texts(&listed));
    let one = Select { conversation: Some("talk".into()), ..Select::all(Grain::Working) };
    assert_eq!(texts(&catalog.list(&me(), &one).await.unwrap()), texts(&listed));
    let micros: Vec<_> =
        listed.iter().map(|memory| memory.at().as_microsecond() - at(MOMENT).as_microsecond()).collect();
    assert_eq!(micros, [-1, 0, 1, 2, 3, 4]);
    // A turn keeps its own time, unless another turn was moved to that time: then the new turn moves, too.
    let own = "2026-03-04T10:00:00.000003Z";
    say(catalog, vec![user_turn("own", own, "own")]).await;
    assert_eq!(of(catalog, &user_turn("own", own, "").id).await.at(), at("2026-03-04T10:00:00.000005Z"));
    assert_eq!(of(catalog, &user_turn("own", own, "").id).await.period, period("2026-03-04"));
}

pub(super) async fn revision_frees_its_former_time(catalog: &dyn Catalog) {
    let next_day = "2026-03-05T10:00:00Z";
    let moves = [
        user_turn("9", MOMENT, "a"),
        user_turn("1", MOMENT, "b"),
        user_turn("1", next_day, "c"),
        user_turn("5", MOMENT, "d"),
    ];
    catalog.ingest(&me(), moves.to_vec(), OnConflict::Revise, now()).await.unwrap();
    let moments = |listed: &[Memory]| listed.iter().map(|memory| memory.at().to_string()).collect::<Vec<_>>();
    assert_eq!(moments(&in_order(catalog).await), [MOMENT, "2026-03-04T10:00:00.000001Z", next_day]);
    // A turn moves there and back within one request: no two turns share a time.
    let back =
        [user_turn("5", next_day, "e"), user_turn("5", "2026-03-06T10:00:00Z", "f"), user_turn("5", next_day, "g")];
    catalog.ingest(&me(), back.to_vec(), OnConflict::Revise, later()).await.unwrap();
    assert_eq!(moments(&in_order(catalog).await), [MOMENT, next_day, "2026-03-05T10:00:00.000001Z"]);
}

pub(super) async fn repeated_messages_with_equal_times_are_duplicates(catalog: &dyn Catalog) {
    let turns: Vec<Turn> = ["9", "1", "5"].iter().map(|id| user_turn(id, MOMENT, id)).collect();
    say(catalog, turns.clone()).await;
    let before = all_changes(catalog, Grain::Working).await;
    for on_conflict in [OnConflict::Refuse, OnConflict::Revise] {
        for again in [turns.clone(), vec![turns[2].clone()], turns.iter().rev().cloned().collect()] {
            let number = again.len() as u64;
            let done = catalog.ingest(&me(), again, on_conflict, later()).await.unwrap();
            assert_eq!((done.accepted, done.duplicate, done.revised), (0, number, 0));
        }
    }
    assert_eq!(all_changes(catalog, Grain::Working).await, before);
    // A new text keeps the position, a new time does not.
    let words = user_turn("1", MOMENT, "one");
    catalog.ingest(&me(), vec![words.clone()], OnConflict::Revise, later()).await.unwrap();
    assert_eq!(texts(&in_order(catalog).await), ["9", "one", "5"]);
    assert_eq!(catalog.ingest(&me(), vec![words], OnConflict::Refuse, later()).await.unwrap().duplicate, 1);
    catalog
        .ingest(&me(), vec![user_turn("9", "2026-03-04T11:00:00Z", "9")], OnConflict::Revise, later())
        .await
        .unwrap();
    assert_eq!(texts(&in_order(catalog).await), ["one", "5", "9"]);
}

pub(super) async fn message_without_a_time_follows_the_previous_one(catalog: &dyn Catalog) {
    // The second request has earlier times than the last message of the first.
    let first = [untimed("c", MOMENT, "c"), untimed("a", "2026-03-04T10:00:00.000009Z", "a")];
    let second = [untimed("b", "2026-03-04T10:00:00.000004Z", "b"), untimed("0", "2026-03-04T10:00:00.000005Z", "0")];
    say(catalog, first.to_vec()).await;
    say(catalog, second.to_vec()).await;
    assert_eq!(texts(&in_order(catalog).await), ["c", "a", "b", "0"]);
}

pub(super) async fn repeated_message_without_a_time_is_a_duplicate(catalog: &dyn Catalog) {
    let first = say(catalog, vec![untimed("1", MOMENT, "tea")]).await;
    let before = all_changes(catalog, Grain::Working).await;
    let again = vec![untimed("1", "2026-03-04T10:07:00Z", "tea")];
    for on_conflict in [OnConflict::Refuse, OnConflict::Revise] {
        let done = catalog.ingest(&me(), again.clone(), on_conflict, later()).await.unwrap();
        assert_eq!((done.accepted, done.duplicate, done.revised), (0, 1, 0), "{on_conflict:?}");
        assert_eq!((&done.id, done.seq), (&first.id, first.seq));
    }
    // The same within one request.
    let twice = vec![untimed("2", MOMENT, "cake"), untimed("2", "2026-03-04T10:00:00.000001Z", "cake")];
    let done = say(catalog, twice).await;
    assert_eq!((done.accepted, done.duplicate), (1, 1));
    assert_eq!(all_changes(catalog, Grain::Working).await[0], before[0]);
    let other = catalog.ingest(&me(), vec![untimed("1", MOMENT, "coffee")], OnConflict::Refuse, later()).await;
    assert!(matches!(other, Err(Error::Conflict { .. })), "{other:?}");
    let moved =
        catalog.ingest(&me(), vec![user_turn("1", "2026-03-04T10:07:00Z", "tea")], OnConflict::Refuse, later()).await;
    assert!(matches!(moved, Err(Error::Conflict { .. })), "{moved:?}");
}

pub(super) async fn revision_without_a_time_keeps_its_position(catalog: &dyn Catalog) {
    say(catalog, vec![user_turn("1", MOMENT, "tea"), user_turn("2", "2026-03-04T11:00:00Z", "cake")]).await;
    let revised = untimed("1", "2026-04-01T10:00:00Z", "coffee");
    let done = catalog.ingest(&me(), vec![revised.clone()], OnConflict::Revise, later()).await.unwrap();
    assert_eq!(done.revised, 1);
    let stored = of(catalog, &revised.id).await;
    assert_eq!((stored.text.as_str(), stored.at(), stored.period), ("coffee", at(MOMENT), period("2026-03-04")));
    assert_eq!(dirty(catalog).await, ["2026-03-04"]);
}

pub(super) async fn repeated_message_is_a_duplicate_after_a_correction(catalog: &dyn Catalog) {
    let (tea, cake) = (user_turn("1", MOMENT, "tea"), user_turn("2", MOMENT, "cake"));
    say(catalog, vec![tea.clone(), cake.clone()]).await;
    let placed =
        Turn { message: Message { at: of(catalog, &cake.id).await.at(), ..cake.message.clone() }, ..cake.clone() };
    for (turn, text) in [(&tea, "green tea"), (&tea, "black tea"), (&placed, "pie")] {
        let done = catalog.ingest(&me(), vec![corrected(turn, text)], OnConflict::Revise, now()).await.unwrap();
        assert_eq!(done.revised, 1, "{text}");
        let again = catalog.ingest(&me(), vec![corrected(turn, text)], OnConflict::Revise, now()).await.unwrap();
        assert_eq!(again.duplicate, 1, "{text}");
    }
    let before = all_changes(catalog, Grain::Working).await;
    for on_conflict in [OnConflict::Refuse, OnConflict::Revise] {
        let again = vec![
            tea.clone(),
            cake.clone(),
            untimed("1", "2026-05-01T10:00:00Z", "tea"),
            user_turn("1", MOMENT, "black tea"),
        ];
        let done = catalog.ingest(&me(), again, on_conflict, later()).await.unwrap();
        assert_eq!((done.duplicate, done.revised), (4, 0), "{on_conflict:?}");
    }
    assert_eq!(all_changes(catalog, Grain::Working).await, before);
    assert_eq!(texts(&in_order(catalog).await), ["black tea", "pie"]);
    // A changed source is a conflict; with `Revise` it replaces the correction.
    let changed = vec![user_turn("1", MOMENT, "coffee")];
    let refused = catalog.ingest(&me(), changed.clone(), OnConflict::Refuse, later()).await;
    assert!(matches!(refused, Err(Error::Conflict { .. })), "{refused:?}");
    assert_eq!(catalog.ingest(&me(), changed, OnConflict::Revise, later()).await.unwrap().revised, 1);
    assert_eq!(catalog.ingest(&me(), vec![tea.clone()], OnConflict::Revise, later()).await.unwrap().revised, 1);
    assert_eq!(texts(&in_order(catalog).await), ["tea", "pie"]);
}

pub(super) async fn duplicates_are_compared_with_the_sent_content(catalog: &dyn Catalog) {
    use Comparison::{Different, DifferentFromCorrected, New, Same};
    let turns = ["1", "2", "3"].map(|id| user_turn(id, MOMENT, id));
    say(catalog, turns.to_vec()).await;
    catalog.ingest(&me(), vec![corrected(&turns[0], "one")], OnConflict::Revise, now()).await.unwrap();
    let cases = [
        (user_turn("1", MOMENT, "1"), Same),
        (user_turn("1", MOMENT, "one"), Same),
        (user_turn("1", MOMENT, "uno"), DifferentFromCorrected),
        (user_turn("1", "2026-03-04T10:00:01Z", "1"), DifferentFromCorrected),
        (user_turn("2", MOMENT, "2"), Same),
        (user_turn("2", MOMENT, "two"), Different),
        (user_turn("2", "2026-03-04T10:00:00.000001Z", "2"), Different),
        (user_turn("3", MOMENT, "3"), Same),
        (user_turn("4", MOMENT, "4"), New),
        (turn_of(&me(), Message { conversation: "other".into(), ..turns[1].message.clone() }), New),
    ];
    let (messages, expect): (Vec<_>, Vec<_>) =
        cases.map(|(turn, expect)| ((turn.key, turn.message), expect)).into_iter().unzip();
    assert_eq!(catalog.compare(&me(), &messages).await.unwrap(), expect);
    assert_eq!(catalog.compare(&me(), &[]).await.unwrap(), []);
}
