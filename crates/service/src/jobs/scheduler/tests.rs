//! Tests of the scheduler with a job that a test blocks and releases. They wait for events, never for a time.

use annals_core::ObjectKind;
use std::sync::atomic::{AtomicBool, Ordering};

use annals_testkit::at;
use async_trait::async_trait;
use tokio::sync::{Semaphore, mpsc};

use super::*;
use crate::jobs::{Moment, Report};

/// A task that reports the beginning of a run, and then waits for a permit or for the stop signal.
struct Held {
    begun: mpsc::UnboundedSender<u64>,
    go: Arc<Semaphore>,
    count: Mutex<u64>,
    /// Whether a run ends at the stop signal.
    is_obedient: bool,
    /// Whether no run is under way.
    is_alone: AtomicBool,
}

#[async_trait]
impl Task for Held {
    async fn run(&self, _: Moment, stop: &CancellationToken) -> Result<Report> {
        let alone = self.is_alone.swap(false, Ordering::SeqCst);
        assert!(alone, "another run is under way");
        let count = {
            let mut count = self.count.lock();
            *count += 1;
            *count
        };
        self.begun.send(count).unwrap();
        tokio::select! {
            go = self.go.acquire() => go.unwrap().forget(),
            () = stop.cancelled(), if self.is_obedient => {}
        }
        self.is_alone.store(true, Ordering::SeqCst);
        match count {
            13 => panic!("thirteen"),
            7 => Err(Error::invalid("seven", "fails")),
            _ => Ok(Report { done: format!("run {count}"), failures: 0 }),
        }
    }
}

struct Fixture {
    scheduler: Scheduler,
    begun: mpsc::UnboundedReceiver<u64>,
    go: Arc<Semaphore>,
}

const SELDOM: &str = "0 0 0 1 1 *";
const ALWAYS: &str = "* * * * * *";

async fn fixture(wake: &str, enabled: bool, is_obedient: bool) -> Fixture {
    let (sender, begun) = mpsc::unbounded_channel();
    let go = Arc::new(Semaphore::new(0));
    let task =
        Held { begun: sender, go: go.clone(), count: Mutex::default(), is_obedient, is_alone: AtomicBool::new(true) };
    let timing = Timing { enabled, wake: wake.into(), minutes: 10 };
    let job = ScheduledJob { name: "held".into(), timing, task: Arc::new(task), catch_up: true };
    let moment = Moment { now: at("2026-03-04T10:00:00Z"), synchronised: None };
    let scheduler = Scheduler::start(vec![job], Arc::new(move || moment)).await.unwrap();
    Fixture { scheduler, begun, go }
}

impl Fixture {
    async fn begins(&mut self) -> u64 {
        self.begun.recv().await.unwrap()
    }

    async fn status(&self) -> JobStatus {
        self.scheduler.status().await.remove(0)
    }

    async fn run_now(&self) -> Outcome {
        self.go.add_permits(1);
        self.scheduler.run_now("held").await.unwrap()
    }
}

fn done(run: u64) -> Outcome {
    Outcome::Done(Report { done: format!("run {run}"), failures: 0 })
}

#[tokio::test]
async fn enabled_job_runs_once_at_the_start() {
    let mut fixture = fixture(SELDOM, true, true).await;
    assert_eq!(fixture.begins().await, 1);
    let status = fixture.status().await;
    assert!(status.runs.is_running());
    assert_eq!(status.runs.last_start, Some(at("2026-03-04T10:00:00Z")));
    let next = status.next_wake.unwrap().to_string();
    assert!(next.ends_with("-01-01T00:00:00Z"), "{next}");
}

#[tokio::test]
async fn job_runs_at_every_wake_up() {
    let mut fixture = fixture(ALWAYS, true, true).await;
    fixture.go.add_permits(3);
    assert_eq!((fixture.begins().await, fixture.begins().await, fixture.begins().await), (1, 2, 3));
}

/// Wake-ups and requests during a run cause one more run, and never a concurrent one.
#[tokio::test]
async fn wake_ups_during_a_run_cause_one_more_run() {
    let mut fixture = fixture(SELDOM, true, true).await;
    fixture.begins().await;
    for _ in 0..5 {
        fixture.scheduler.wake("held").unwrap();
    }
    assert_eq!(fixture.status().await.runs.begun, 1, "nothing runs beside it");
    fixture.go.add_permits(1);
    assert_eq!(fixture.begins().await, 2);
    fixture.go.add_permits(1);
    // A run that was still pending would come before this one and have the number 3.
    assert_eq!(fixture.run_now().await, done(3), "and nothing was");
}

#[tokio::test]
async fn scheduled_wake_up_during_a_run_starts_a_run_after_it() {
    let mut fixture = fixture(ALWAYS, true, true).await;
    fixture.begins().await;
    // The scheduler sets the next wake-up when it fires.
    let first = fixture.status().await.next_wake;
    while fixture.status().await.next_wake == first {
        tokio::task::yield_now().await;
    }
    assert_eq!(fixture.status().await.runs.begun, 1);
    fixture.go.add_permits(1);
    assert_eq!(fixture.begins().await, 2);
    assert_eq!(fixture.status().await.runs.outcome, Some(done(1)), "the first was alone");
}

#[tokio::test]
async fn run_now_waits_for_a_run_that_began_after_the_call() {
    let mut fixture = fixture(SELDOM, true, true).await;
    fixture.begins().await;
    fixture.go.add_permits(1);
    assert_eq!(fixture.run_now().await, done(2));
}

#[tokio::test]
async fn disabled_job_runs_on_request() {
    let fixture = fixture(ALWAYS, false, true).await;
    assert_eq!(fixture.run_now().await, done(1));
    assert_eq!(fixture.status().await.next_wake, None);
    assert!(matches!(fixture.scheduler.run_now("other").await, Err(Error::NotFound { what: ObjectKind::Job, .. })));
}

#[tokio::test]
async fn job_continues_after_a_failure_and_a_panic() {
    let fixture = fixture(SELDOM, false, true).await;
    let mut outcomes = Vec::new();
    for _ in 1..=14 {
        outcomes.push(fixture.run_now().await);
    }
    assert_eq!(outcomes[6], Outcome::Failed("seven fails".into()));
    assert_eq!(outcomes[12], Outcome::Failed("it panicked".into()));
    assert_eq!(outcomes[13], done(14));
}

#[tokio::test]
async fn shutdown_waits_for_the_run_under_way_and_starts_no_other() {
    let mut fixture = fixture(ALWAYS, true, true).await;
    fixture.begins().await;
    fixture.scheduler.wake("held").unwrap();
    assert_eq!(fixture.scheduler.shutdown(Duration::from_secs(60)).await, Vec::<String>::new());
    let status = fixture.status().await;
    assert_eq!((status.runs.begun, status.runs.outcome), (1, Some(done(1))));
    assert!(matches!(fixture.scheduler.run_now("held").await, Err(Error::Unavailable { .. })));
}

#[tokio::test]
async fn shutdown_aborts_a_run_that_does_not_end() {
    let mut fixture = fixture(SELDOM, true, false).await;
    fixture.begins().await;
    assert_eq!(fixture.scheduler.shutdown(Duration::ZERO).await, ["held"]);
}

#[tokio::test]
async fn invalid_cron_expression_is_refused() {
    let timing = Timing { enabled: true, wake: "at noon".into(), minutes: 1 };
    let (begun, _) = mpsc::unbounded_channel();
    let task = Arc::new(Held {
        begun,
        go: Arc::new(Semaphore::new(0)),
        count: Mutex::default(),
        is_obedient: true,
        is_alone: AtomicBool::new(true),
    });
    let job = ScheduledJob { name: "held".into(), timing, task, catch_up: true };
    let moment = Moment { now: at("2026-03-04T10:00:00Z"), synchronised: None };
    assert!(Scheduler::start(vec![job], Arc::new(move || moment)).await.is_err());
}
