//! Derived data that an erasure removes, and late results that it keeps out.

use annals_core::ports::{ErasureReport, OnConflict, Target, Turn};
use annals_core::{CacheTokens, DeadLetter, Digest, ExtractionWatermark, Grain, MemoryId, Purpose, Reply, Stage};

use super::{ABOVE, by_id, erase, everything};
use crate::suites::Store;
use crate::suites::catalog::{me, now, say, user_turn};
use crate::suites::history::{By, extract, roll_up, roll_up_all, seal, summary_of};
use crate::{agent, entry, operation, period, statement};

fn turns() -> [Turn; 2] {
    [user_turn("1", "2026-03-04T10:00:00Z", "tea"), user_turn("2", "2026-04-08T10:00:00Z", "cake")]
}

fn reply(question: &str) -> Reply {
    Reply {
        key: Digest::of([question]),
        purpose: Purpose::Daily,
        model: "m".into(),
        text: "tea".into(),
        tokens_in: 1,
        cache: CacheTokens::default(),
        tokens_out: 1,
        read_seq: 1_000,
        reservation: None,
        access_key: None,
    }
}

pub(super) async fn replies_and_requests_are_removed(store: &dyn Store) {
    let request = say(store, turns().to_vec()).await;
    let other = agent("other");
    for agent in [&me(), &other] {
        store.save_reply(agent, reply("q"), now()).await.unwrap();
    }
    let usage = store.usage(&me(), now()).await.unwrap();
    store.preview(&me(), &by_id(&[&turns()[0].id])).await.unwrap();
    assert!(store.reply(&me(), &Digest::of(["q"])).await.unwrap().is_some());
    erase(store, by_id(&[&turns()[0].id])).await;
    assert_eq!(store.reply(&me(), &Digest::of(["q"])).await.unwrap(), None);
    assert_eq!(store.operation(&me(), &request.id).await.unwrap(), None);
    assert_eq!(store.usage(&me(), now()).await.unwrap(), usage, "what was paid was paid");
    assert!(store.reply(&other, &Digest::of(["q"])).await.unwrap().is_some());
}

/// The question was sent to the model before the erasure; the answer comes after it.
pub(super) async fn late_reply_is_charged_but_not_kept(store: &dyn Store) {
    for (next, target) in [("8", by_id(&[&turns()[0].id])), ("9", Target::Agent)] {
        let seq = say(store, turns().to_vec()).await.seq;
        let before = store.usage(&me(), now()).await.unwrap();
        erase(store, target).await;
        let answer = async |read_seq: u64| {
            store.save_reply(&me(), Reply { read_seq, ..reply("q") }, now()).await.unwrap();
            store.reply(&me(), &Digest::of(["q"])).await.unwrap().is_some()
        };
        assert!(!answer(seq).await);
        assert_ne!(store.usage(&me(), now()).await.unwrap(), before, "it was paid");
        let again = say(store, vec![user_turn(next, "2026-03-04T10:00:00Z", &format!("milk {next}"))]).await.seq;
        assert!(!answer(seq).await && answer(again).await);
        erase(store, Target::Agent).await;
        store.unforget(&me(), &turns().map(|turn| (turn.key, turn.message.digest()))).await.unwrap();
    }
}

pub(super) async fn dead_letters_are_removed_with_their_memories(store: &dyn Store) {
    let [tea, cake] = turns();
    say(store, turns().to_vec()).await;
    let likes_tea = statement(&me(), &tea, "Ann likes tea.");
    extract(store, &[&tea, &cake], vec![likes_tea.clone()], Vec::new()).await;
    let letter = |memory: &MemoryId, stage| DeadLetter {
        agent: me(),
        grain: Grain::Working,
        memory: memory.clone(),
        stage,
        error: "bad".into(),
        at: now(),
    };
    let stays = letter(&cake.id, Stage::Extraction);
    let letters = vec![
        letter(&tea.id, Stage::Table),
        letter(&tea.id, Stage::Extraction),
        letter(&likes_tea.id, Stage::Table),
        stays.clone(),
    ];
    store.add_dead_letters(letters).await.unwrap();
    assert_eq!(erase(store, by_id(&[&tea.id])).await.letters, 3);
    assert_eq!(store.dead_letters(&me()).await.unwrap(), [stays]);
}

pub(super) async fn former_texts_are_removed(store: &dyn Store) {
    let [tea, cake] = turns();
    say(store, turns().to_vec()).await;
    for text in ["green tea", "tea"] {
        store
            .ingest(&me(), vec![user_turn("1", "2026-03-04T10:00:00Z", text)], OnConflict::Revise, now())
            .await
            .unwrap();
        store
            .ingest(&me(), vec![user_turn("2", "2026-04-08T10:00:00Z", text)], OnConflict::Revise, now())
            .await
            .unwrap();
    }
    roll_up_all(store, By::Quoting).await;
    let labels = [&ABOVE[..], &["2026-04-08"]].concat();
    for id in labels.iter().map(|label| MemoryId::summary(&me(), period(label))) {
        store.correct(&me(), &id, "corrected", now()).await.unwrap();
    }
    erase(store, by_id(&[&tea.id])).await;
    let former = async |id: &MemoryId| store.versions(&me(), id).await.unwrap().len();
    assert_eq!(former(&tea.id).await, 0);
    assert_eq!(former(&cake.id).await, 2);
    for label in ABOVE {
        assert_eq!(former(&MemoryId::summary(&me(), period(label))).await, 0, "{label}");
    }
    assert_eq!(former(&MemoryId::summary(&me(), period("2026-04-08"))).await, 1);
    // Former texts do not come back with the memory.
    roll_up_all(store, By::Quoting).await;
    assert!(summary_of(store, "2026").await.is_some());
    assert_eq!(former(&MemoryId::summary(&me(), period("2026"))).await, 0);
}

pub(super) async fn former_texts_of_sealed_summaries_are_removed(store: &dyn Store) {
    let day = MemoryId::summary(&me(), period("2026-03-04"));
    let late = user_turn("9", "2026-03-04T12:00:00Z", "rain");
    say(store, [&turns()[..], &[user_turn("3", "2026-03-04T11:00:00Z", "milk")]].concat()).await;
    roll_up_all(store, By::Quoting).await;
    seal(store, "2026-03-04").await;
    let correct = async || {
        store.correct(&me(), &day, "corrected", now()).await.unwrap();
        // Another roll-up makes it verbatim again.
        roll_up(store, "2026-03-04", By::Quoting).await;
        assert_eq!(store.versions(&me(), &day).await.unwrap().len(), 1);
    };
    // The sealed summary is cut at first. In the second case it is not cut, although its period has an erased turn.
    correct().await;
    assert_eq!(erase(store, by_id(&[&turns()[0].id])).await.cut, [period("2026-03-04")]);
    assert_eq!(store.versions(&me(), &day).await.unwrap(), []);
    correct().await;
    say(store, vec![late.clone()]).await;
    assert_eq!(erase(store, by_id(&[&late.id])).await.cut, []);
    assert_eq!(store.versions(&me(), &day).await.unwrap(), []);
}

pub(super) async fn changed_log_has_a_new_version(store: &dyn Store) {
    let [tea, cake] = turns();
    say(store, turns().to_vec()).await;
    extract(store, &[&tea], Vec::new(), vec![operation(&tea, 0, "Ann likes tea")]).await;
    let version = store.log_version(&me()).await.unwrap();
    erase(store, by_id(&[&cake.id])).await;
    assert_eq!(store.log_version(&me()).await.unwrap(), version);
    erase(store, by_id(&[&tea.id])).await;
    assert!(store.log_version(&me()).await.unwrap() > version);
    assert_eq!(store.operations(&me()).await.unwrap().1, []);
}

pub(super) async fn late_output_of_erased_turns_is_ignored(store: &dyn Store) {
    let [tea, cake] = turns();
    say(store, turns().to_vec()).await;
    roll_up_all(store, By::Quoting).await;
    erase(store, by_id(&[&tea.id])).await;
    // The question was sent to the model before the erasure; the answer comes after it.
    let statements = [statement(&me(), &tea, "Ann likes tea."), statement(&me(), &cake, "Ann likes cake.")];
    extract(store, &[&tea, &cake], statements.to_vec(), vec![operation(&tea, 0, "Ann likes tea")]).await;
    assert_eq!(store.get(&me(), &statements.map(|statement| statement.id)).await.unwrap().len(), 1);
    assert_eq!(store.operations(&me()).await.unwrap().1, []);
    let watermark = store.extraction(&me()).await.unwrap();
    assert_eq!(watermark, ExtractionWatermark { extracted: watermark.extracted, ..ExtractionWatermark::default() });
}

pub(super) async fn second_erasure_changes_nothing(store: &dyn Store) {
    let [tea, _] = turns();
    say(store, turns().to_vec()).await;
    store.add_operations(&me(), vec![entry(&me(), "Ann likes tea", "2026-03-04T10:00:00Z")]).await.unwrap();
    roll_up_all(store, By::Quoting).await;
    for target in [by_id(&[&tea.id]), Target::Subject("Ann".into()), Target::Conversation("talk".into())] {
        assert_ne!(erase(store, target.clone()).await, ErasureReport::default());
        let before = everything(store).await;
        assert_eq!(erase(store, target).await, ErasureReport::default());
        assert_eq!(everything(store).await, before);
    }
}

pub(super) async fn scrub_changes_no_records(store: &dyn Store) {
    let [tea, _] = turns();
    say(store, turns().to_vec()).await;
    roll_up_all(store, By::Quoting).await;
    erase(store, by_id(&[&tea.id])).await;
    let before = everything(store).await;
    for _ in 0..2 {
        store.scrub().await.unwrap();
        assert_eq!(everything(store).await, before);
        assert_eq!(store.check().await.unwrap(), Vec::<String>::new());
    }
    say(store, vec![user_turn("9", "2026-03-04T10:00:00Z", "more")]).await;
}
