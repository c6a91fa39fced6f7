//! Changes that happen while the model reads: its answer is saved only if its input is unchanged.

use std::sync::atomic::{AtomicU32, Ordering};

use annals_core::Agent;
use annals_core::ports::{Erasure, Target, WriteGuard, WriteLock};
use annals_testkit::{agent, at};
use async_trait::async_trait;

use super::extract;
use crate::fixture::{Fixture, NOW};

/// A lock that runs `act` just before the extractor's answer is saved: when the lock is taken for the second time.
struct Meanwhile<'g, F> {
    fixture: &'g Fixture,
    times_taken: AtomicU32,
    act: F,
}

#[async_trait]
impl<F: Fn(Fixture) -> BoxedUnit + Sync + Send> WriteLock for Meanwhile<'_, F> {
    async fn acquire(&self, _: &Agent) -> WriteGuard {
        if self.times_taken.fetch_add(1, Ordering::SeqCst) == 1 {
            (self.act)(self.fixture.clone()).await;
        }
        Box::new(())
    }
}

type BoxedUnit = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

/// Runs `act` while the model reads "Bob likes figs." after "Ann likes tea.". Checks the number of stale answers and the facts.
async fn check_meanwhile(act: impl Fn(Fixture) -> BoxedUnit + Send + Sync, stale: u64, held: &[&str]) {
    let fixture = Fixture::new();
    fixture.say("x", 1, "Ann likes tea.").await;
    extract(&fixture, NOW).await;
    fixture.say("x", 2, "Bob likes figs.").await;
    let lock = Meanwhile { fixture: &fixture, times_taken: 0.into(), act };
    let writer = fixture.fact_writer();
    let passed = writer.extract_unlocked(&agent("a"), at(NOW), &|_| (), &|| false, &lock).await.unwrap();
    assert_eq!((passed.stale, fixture.held().await), (stale, held.iter().map(ToString::to_string).collect()));
    assert!(!writer.facts_differ(&agent("a")).await.unwrap());
}

async fn forget(fixture: &Fixture, subject: &str) {
    fixture.catalog.erase(&agent("a"), &Target::Subject(subject.into()), at(NOW)).await.unwrap();
}

#[tokio::test]
async fn answer_is_saved_only_if_its_input_is_unchanged() {
    check_meanwhile(|_| Box::pin(async {}), 0, &["Ann likes tea", "Bob likes figs"]).await;
    check_meanwhile(|fixture| Box::pin(async move { forget(&fixture, "Bob").await }), 1, &["Ann likes tea"]).await;
    // The turn before was shown to the model too.
    check_meanwhile(|fixture| Box::pin(async move { forget(&fixture, "Ann").await }), 1, &["Bob likes figs"]).await;
    let say = |fixture: Fixture| -> BoxedUnit { Box::pin(async move { fixture.say("y", 3, "Cid likes rye.").await }) };
    check_meanwhile(say, 0, &["Ann likes tea", "Bob likes figs", "Cid likes rye"]).await;
}

/// A caller that holds the lock of its own process, while another process reads the same turns.
struct Believed<'g, F>(Meanwhile<'g, F>);

#[async_trait]
impl<F: Fn(Fixture) -> BoxedUnit + Sync + Send> WriteLock for Believed<'_, F> {
    async fn acquire(&self, agent: &Agent) -> WriteGuard {
        self.0.acquire(agent).await
    }

    fn is_held(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn turns_that_somebody_else_read_meanwhile_are_not_saved_twice() {
    let fixture = Fixture::new();
    fixture.say("x", 1, "Ann likes tea.").await;
    let act = |fixture: Fixture| -> BoxedUnit {
        Box::pin(async move {
            extract(&fixture, NOW).await;
        })
    };
    let lock = Believed(Meanwhile { fixture: &fixture, times_taken: 0.into(), act });
    let writer = fixture.fact_writer();
    let passed = writer.extract_unlocked(&agent("a"), at(NOW), &|_| (), &|| false, &lock).await.unwrap();
    assert_eq!((passed.stale, passed.turns, passed.operations), (1, 0, 0));
    assert_eq!(fixture.held().await, ["Ann likes tea"]);
}
