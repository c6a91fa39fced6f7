//! Passes that hold no lock while the engine writes: a summary is not saved if its input changed meanwhile.

use std::pin::Pin;

use annals_core::ports::{Archive, Erasure, SummaryTask, Target, WriteGuard, WriteLock};
use annals_core::{Digest, Draft, MemoryId, Sentence, Settings};
use parking_lot::Mutex;

use super::*;

type Act = Box<dyn FnOnce() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

/// A lock that runs an action when it is taken for the first time: after the engine wrote, before its summaries are saved.
struct Meanwhile(Mutex<Option<Act>>);

#[async_trait::async_trait]
impl WriteLock for Meanwhile {
    async fn acquire(&self, _: &Agent) -> WriteGuard {
        let act = self.0.lock().take();
        if let Some(act) = act {
            act().await;
        }
        Box::new(())
    }
}

async fn unlocked(catalog: &Arc<MemoryCatalog>, act: Act) -> Passed {
    unlocked_by(&over(catalog.clone()), act).await
}

async fn unlocked_by(summarizer: &Summarizer, act: Act) -> Passed {
    let lock = Meanwhile(Mutex::new(Some(act)));
    summarizer.pass_unlocked(&agent("a"), at(NOW), &|_| (), &|| false, &lock).await.unwrap()
}

/// Runs an action during a pass. Expects `stale` stale summaries of days, no saved summary with the text `gone`, and that one
/// further pass leaves nothing to do.
async fn check(act: fn(Arc<MemoryCatalog>) -> Act, stale: u64, gone: &str) {
    let catalog = Arc::new(MemoryCatalog::new());
    ingest(&catalog, days()).await;
    let passed = unlocked(&catalog, act(catalog.clone())).await;
    assert_eq!(passed.stale, stale, "{passed:?}");
    assert!(gone.is_empty() || summaries(&catalog).await.iter().all(|line| !line.contains(gone)));
    pass(&catalog).await;
    assert_eq!(over(catalog.clone()).coverage(&agent("a"), at(NOW)).await.unwrap(), []);
    assert_eq!(pass(&catalog).await, Passed::default());
}

#[tokio::test]
async fn summary_is_saved_if_nothing_changed_meanwhile() {
    check(|_| Box::new(|| Box::pin(async {})), 0, "").await;
}

/// Forgets one of the turns of `days`.
fn forget(catalog: Arc<MemoryCatalog>, index: usize) -> Act {
    Box::new(move || {
        Box::pin(async move {
            let turn = MemoryId::turn(&agent("a"), &days()[index].key);
            catalog.erase(&agent("a"), &Target::Memories(vec![turn]), at(NOW)).await.unwrap();
        })
    })
}

#[tokio::test]
async fn turn_forgotten_meanwhile_is_in_no_summary() {
    check(|catalog| forget(catalog, 1), 1, "Rome").await;
}

/// An engine that quotes the first of the earlier turns in every day, as the built-in engine adds names from earlier turns.
struct QuotingEarlier;

#[async_trait::async_trait]
impl Engine for QuotingEarlier {
    fn recipe(&self, settings: &Settings, grain: Grain) -> Digest {
        QuotingEngine.recipe(settings, grain)
    }

    async fn summarize(&self, task: SummaryTask<'_>) -> Result<Draft> {
        let mut draft = QuotingEngine.summarize(task).await?;
        if let Some(first) = task.background.and_then(|background| background.earlier.first()) {
            let (day, from) = (task.sources[0].days.0, vec![first.id.clone()]);
            draft.sentences.push(Sentence { day, speaker: None, text: first.text.clone(), from, ungrounded: false });
            draft.text.push_str(&first.text);
        }
        Ok(draft)
    }
}

#[tokio::test]
async fn earlier_turn_forgotten_meanwhile_is_quoted_in_no_summary() {
    let catalog = Arc::new(MemoryCatalog::new());
    ingest(&catalog, days()).await;
    let summarizer = with(&catalog, Arc::new(QuotingEarlier));
    let passed = unlocked_by(&summarizer, forget(catalog.clone(), 0)).await;
    assert_eq!(passed.stale, 4, "{passed:?}");
    assert!(summaries(&catalog).await.iter().all(|line| !line.contains("Bo")));
    summarizer.pass(&agent("a"), at(NOW), &|_| ()).await.unwrap();
    let all = summaries(&catalog).await;
    assert!(all.iter().all(|line| !line.contains("Bo")) && all[1].contains("left Rome"), "{all:?}");
    let again = unlocked_by(&summarizer, Box::new(|| Box::pin(async {}))).await;
    assert_eq!(again, Passed::default());
}

#[tokio::test]
async fn turn_added_meanwhile_is_summarised_too() {
    let say = |catalog: Arc<MemoryCatalog>| -> Act {
        Box::new(move || {
            Box::pin(async move { ingest(&catalog, vec![turn(&agent("a"), "2026-03-04T11:00:00Z", "rain")]).await })
        })
    };
    check(say, 1, "").await;
}

/// A lock that reports itself as held all the time, although another process rolls up the same days meanwhile.
struct Believed(Meanwhile);

#[async_trait::async_trait]
impl WriteLock for Believed {
    async fn acquire(&self, agent: &Agent) -> WriteGuard {
        self.0.acquire(agent).await
    }

    fn is_held(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn stale_batch_changes_nothing_and_is_read_again() {
    let catalog = Arc::new(MemoryCatalog::new());
    ingest(&catalog, days()).await;
    let own = catalog.clone();
    let act: Act = Box::new(move || {
        Box::pin(async move {
            ingest(&own, vec![turn(&agent("a"), "2026-03-04T11:00:00Z", "rain")]).await;
            pass(&own).await;
        })
    });
    let (lock, summarizer) = (Believed(Meanwhile(Mutex::new(Some(act)))), over(catalog.clone()));
    let passed = summarizer.pass_unlocked(&agent("a"), at(NOW), &|_| (), &|| false, &lock).await.unwrap();
    assert!(passed.stale > 0 && passed.written[0] == 0, "{passed:?}");
    assert!(summaries(&catalog).await.iter().any(|line| line.contains("rain")), "the newer text stays");
    assert_eq!(pass(&catalog).await, Passed::default());
}

/// A summary that a person corrected while it was being rewritten keeps the person's text.
#[tokio::test]
async fn summary_corrected_meanwhile_stays() {
    let catalog = Arc::new(MemoryCatalog::new());
    ingest(&catalog, days()).await;
    pass(&catalog).await;
    ingest(&catalog, vec![turn(&agent("a"), "2026-03-04T11:00:00Z", "rain")]).await;
    let day = MemoryId::summary(&agent("a"), annals_testkit::period("2026-03-04"));
    let (own, id) = (catalog.clone(), day.clone());
    let act: Act = Box::new(move || {
        Box::pin(async move { own.correct(&agent("a"), &id, "a person's words", at(NOW)).await.unwrap() })
    });
    assert_eq!(unlocked(&catalog, act).await.stale, 1);
    assert_eq!(catalog.get(&agent("a"), &[day]).await.unwrap()[0].text, "a person's words");
}
