//! Erasure of a whole agent.

use crate::suites::all_records;
use annals_core::ports::{Counts, OnConflict, Record, Target, Turn, Watermark};
use annals_core::{
    CacheTokens, DeadLetter, Digest, ExtractionWatermark, FactOperation, Grain, Purpose, Reply, Settings, Stage,
};

use super::{by_id, erase, ids, periods};
use crate::suites::Store;
use crate::suites::catalog::{all_changes, me, now, say, user_turn};
use crate::suites::history::{By, extract, roll_up_all, seal, sorted};
use crate::{agent, entry, made, operation, period, set_watermark, statement, turn};

fn turns() -> [Turn; 2] {
    [user_turn("1", "2026-03-04T10:00:00Z", "We had tea."), user_turn("2", "2026-03-05T10:00:00Z", "We had some cake.")]
}

/// Stores settings, messages, statements, facts, summaries, a watermark, a failure, a dead letter and a reply. The first day is
/// sealed.
async fn fill(store: &dyn Store) {
    store.save_settings(&me(), &Settings { plan: "free".into(), ..Settings::default() }).await.unwrap();
    let [one, two] = turns();
    say(store, turns().to_vec()).await;
    roll_up_all(store, By::Quoting).await;
    seal(store, "2026-03-04").await;
    let likes_cake = operation(&two, 0, "Ann likes cake");
    extract(store, &[&one, &two], vec![statement(&me(), &two, "Ann likes cake.")], vec![likes_cake]).await;
    store.add_operations(&me(), vec![entry(&me(), "Ann likes tea", "2026-03-04T10:00:00Z")]).await.unwrap();
    store.note_extraction_failure(&me(), "bad", now(), now()).await.unwrap();
    let watermark = made(2, 5);
    set_watermark(store, &me(), Grain::Working, watermark).await;
    let (memory, error) = (two.id, "bad".to_owned());
    let letter = DeadLetter { agent: me(), grain: Grain::Working, memory, stage: Stage::Table, error, at: now() };
    store.add_dead_letters(vec![letter]).await.unwrap();
    let (key, model, text) = (Digest::of(["q"]), "m".to_owned(), "We had tea.".to_owned());
    let reply = Reply {
        key,
        purpose: Purpose::Daily,
        model,
        text,
        tokens_in: 1,
        cache: CacheTokens::default(),
        tokens_out: 1,
        read_seq: 1_000,
        reservation: None,
        access_key: None,
    };
    store.save_reply(&me(), reply, now()).await.unwrap();
}

pub(super) async fn agent_is_erased_with_everything(store: &dyn Store) {
    fill(store).await;
    let other = agent("other");
    store.ingest(&other, vec![turn(&other, "2026-03-04T10:00:00Z", "tea")], OnConflict::Refuse, now()).await.unwrap();
    let [_, two] = turns();
    let statement = statement(&me(), &two, "Ann likes cake.");
    let done = erase(store, Target::Agent).await;
    assert_eq!((done.turns, done.statements), (ids(&[&two.id]), ids(&[&statement.id])));
    let by_hand = entry(&me(), "Ann likes tea", "2026-03-04T10:00:00Z").id;
    assert_eq!(done.operations, sorted(vec![FactOperation::id(&two.id, 0), by_hand]));
    assert_eq!((done.rebuilt, done.cut), (Vec::new(), Vec::new()));
    assert_eq!(done.lost, periods(&["2026-03-04", "2026-03-05", "2026-W10", "2026-03", "2026-Q1", "2026"]));
    assert_eq!((done.letters, done.words), (1, vec!["Ann likes cake".into(), "We had some cake".to_owned()]));
    assert_eq!(store.all_agents().await.unwrap(), [other]);
    erased_agent_leaves_nothing(store).await;
}

async fn erased_agent_leaves_nothing(store: &dyn Store) {
    for grain in Grain::ALL {
        assert_eq!(all_changes(store, grain).await, [], "its tables are removed as a whole");
        let none = Watermark::default();
        assert_eq!(store.watermark(&me(), grain).await.unwrap(), none);
    }
    assert_eq!(all_records(store, &me()).await, [Record::Settings(Settings::default())]);
    assert_eq!(store.counts(&me()).await.unwrap(), Counts::default());
    assert_eq!(store.children(&me()).await.unwrap(), []);
    assert_eq!(store.base(&me(), period("2026-03-04")).await.unwrap(), None);
    assert_eq!(store.extraction(&me()).await.unwrap(), ExtractionWatermark::default());
    assert_eq!(store.operations(&me()).await.unwrap().1, []);
    assert_eq!(store.dead_letters(&me()).await.unwrap(), []);
    assert_eq!(store.reply(&me(), &Digest::of(["q"])).await.unwrap(), None);
    assert_eq!(
        store.find_leftovers(&me(), &["had tea".into(), "had some cake".into()]).await.unwrap(),
        Vec::<String>::new()
    );
}

pub(super) async fn messages_of_the_erased_agent_stay_forgotten(store: &dyn Store) {
    fill(store).await;
    erase(store, Target::Agent).await;
    let [one, two] = turns();
    let known = [&one, &two].map(|turn| (turn.key.clone(), turn.message.digest()));
    // The first turn was pruned before.
    assert_eq!(store.forgotten(&me(), &known).await.unwrap(), [true, true]);
    let done = say(store, vec![two]).await;
    assert_eq!((done.accepted, done.forgotten), (0, 1));
    assert_eq!(store.all_agents().await.unwrap(), [], "nothing was stored");
}

pub(super) async fn erased_agent_may_be_created_again(store: &dyn Store) {
    fill(store).await;
    let newest = all_changes(store, Grain::Yearly).await.last().unwrap().seq();
    erase(store, Target::Agent).await;
    let done = say(store, vec![user_turn("3", "2026-03-04T10:00:00Z", "Hello again.")]).await;
    assert_eq!(done.accepted, 1);
    assert!(done.seq > newest, "numbers are never given twice");
    assert_eq!(store.all_agents().await.unwrap(), [me()]);
    roll_up_all(store, By::Quoting).await;
    assert_eq!(store.counts(&me()).await.unwrap().memories, [1; 6]);
    assert_eq!(erase(store, Target::Agent).await.turns.len(), 1);
    erased_agent_leaves_nothing(store).await;
}

pub(super) async fn names_of_the_erased_agent_are_free(store: &dyn Store) {
    fill(store).await;
    store.rename_agent(&me(), "Anna").await.unwrap();
    erase(store, Target::Agent).await;
    assert_eq!(store.all_agents().await.unwrap(), []);
    for name in [me().key(), "Anna"] {
        let found = store.resolve_agent(me().workspace(), name).await.unwrap();
        assert_eq!((found.key(), found.name()), (name, name));
    }
    erased_agent_leaves_nothing(store).await;
    let other = agent("other");
    store.save_settings(&other, &Settings::default()).await.unwrap();
    assert_eq!(store.rename_agent(&other, "Anna").await.unwrap().name(), "Anna");
}

pub(super) async fn sequence_numbers_are_not_reused_after_erasure(store: &dyn Store) {
    let (first, second) = (turns(), agent("other"));
    let newest = say(store, first.to_vec()).await.seq;
    erase(store, by_id(&[&first[1].id])).await;
    let removal = all_changes(store, Grain::Working).await.last().unwrap().seq();
    assert!(removal > newest);
    let next = say(store, vec![user_turn("3", "2026-03-04T10:00:00Z", "Hello again.")]).await.seq;
    assert!(next > removal);
    let mut last = 0;
    for time in ["2026-03-04T10:00:00Z", "2026-03-04T11:00:00Z", "2026-03-04T12:00:00Z"] {
        let done = store.ingest(&second, vec![turn(&second, time, time)], OnConflict::Refuse, now()).await.unwrap();
        assert!(done.accepted == 1 && done.seq > last, "{} is not above {last}", done.seq);
        last = done.seq;
        store.erase(&second, &Target::Agent, now()).await.unwrap();
    }
    assert_eq!(say(store, vec![user_turn("4", "2026-03-04T10:00:00Z", "Me too.")]).await.seq, next + 1);
}
