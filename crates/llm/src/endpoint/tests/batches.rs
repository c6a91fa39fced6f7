//! Batches over real HTTP: collected, sent, answered, and found again after faults of the provider and crashes.

use annals_core::SignedDuration;
use annals_core::ports::{BatchReport, BatchState, Batches, Erasure, OnConflict, Target, Turns};
use annals_testkit::{BatchFault, Faulty, ModelRequest, ResultFault};

use futures::FutureExt;

use super::*;

/// Number of steps after which a test gives up.
const STEPS: usize = 40;

/// A provider, and a store that outlives the process.
struct Life {
    server: ModelServer,
    store: Arc<Faulty<MemoryCatalog>>,
    now: Timestamp,
}

impl Life {
    fn new(dialect: Dialect, faults: Vec<BatchFault>) -> Life {
        let server = ModelServer::speaking(dialect, []);
        server.plan_batches(1, faults);
        Life { server, store: Arc::new(Faulty::during(MemoryCatalog::new(), 0..0)), now: at(NOW) }
    }

    /// Returns an endpoint that has only the stored state, as after a restart.
    fn process(&self, dialect: Dialect) -> Endpoint {
        let api = if dialect == Dialect::Anthropic { "anthropic" } else { "chat" };
        let table = json!({ "base_url": self.server.base_url(), "model": "test", "api": api, "key": "k" });
        let models = serde_json::from_value::<ModelsConfig>(table).unwrap().check(|_| None).unwrap();
        let endpoint = Endpoint::with_retry_policy(&models, self.store.clone(), QUICK).unwrap();
        endpoint.with_batches(self.store.clone()).in_mode(Mode::InBatches(None))
    }

    /// Asks for a summary of the day of each agent. Returns how many were written.
    async fn ask(&self, endpoint: &Endpoint, turns: &[Memory], agents: &[Agent]) -> Result<usize> {
        let (settings, mut written) = (Settings::default(), 0);
        for agent in agents {
            // Requests of different agents differ, so that the provider notices a request that it gets twice.
            let own = super::turns(&[("self", agent.name(), "I keep a diary from today on.")]).await;
            let sources = [turns, &own].concat();
            let task = SummaryTask {
                agent,
                settings: &settings,
                period: period(DAY),
                sources: &sources,
                base: None,
                background: None,
                read_seq: 1,
                now: self.now,
                access_key: None,
            };
            match endpoint.summarize(task).await {
                Ok(_) => written += 1,
                Err(Error::InBatch) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(written)
    }

    /// Makes one step of a roll-up by batches. Returns how many summaries were written, and the report of sending.
    async fn step(&self, endpoint: &Endpoint, turns: &[Memory], agents: &[Agent]) -> Result<(usize, BatchReport)> {
        endpoint.take(self.now).await?;
        let written = self.ask(endpoint, turns, agents).await?;
        Ok((written, endpoint.send(self.now).await?))
    }

    /// Makes steps, each in a new process three minutes later, until all summaries are written.
    async fn until_written(&mut self, dialect: Dialect, agents: &[Agent]) {
        let turns = a_day().await;
        for _ in 0..STEPS {
            if let Ok((written, _)) = self.step(&self.process(dialect), &turns, agents).await
                && written == agents.len()
            {
                return;
            }
            self.now += SignedDuration::from_mins(3);
        }
        panic!("not written after {STEPS} steps: {:?}", self.server.batch_bill());
    }
}

fn agents(number: usize) -> Vec<Agent> {
    (0..number).map(|number| agent(&format!("tester{number}"))).collect()
}

/// Asserts that the booked calls and tokens equal the provider's bill.
async fn is_booked_exactly(life: &Life, agents: &[Agent]) {
    let (mut calls, mut tokens) = (0, 0);
    for agent in agents {
        for usage in life.store.usage(agent, at("2026-01-01T00:00:00Z")).await.unwrap() {
            if usage.batch {
                (calls, tokens) = (calls + usage.calls, tokens + usage.tokens_in + usage.tokens_out);
            }
        }
    }
    let bill = life.server.batch_bill();
    assert_eq!((calls, tokens), (bill.answered, bill.tokens_in + bill.tokens_out), "{bill:?}");
}

#[tokio::test]
async fn question_is_collected_sent_and_found_as_a_reply() {
    for dialect in [Dialect::Plain, Dialect::OpenAi, Dialect::Anthropic] {
        let (life, agents, turns) = (Life::new(dialect, vec![]), agents(3), a_day().await);
        let endpoint = life.process(dialect);
        let (written, sent) = life.step(&endpoint, &turns, &agents).await.unwrap();
        assert_eq!((written, sent.sent, sent.open.len(), sent.failures.len()), (0, 3, 1, 0), "{sent:?}");
        assert_eq!(endpoint.awaited(&agents[0]).await.unwrap(), [period(DAY)]);
        let (written, waiting) = life.step(&endpoint, &turns, &agents).await.unwrap();
        assert_eq!((written, waiting.sent, waiting.open[0].state), (0, 0, BatchState::Sent), "nothing is asked again");
        let (written, ended) = life.step(&endpoint, &turns, &agents).await.unwrap();
        assert_eq!((written, ended.sent, ended.open.len()), (3, 0, 0));
        assert_eq!((life.server.batch_bill().answered, life.server.requests().len()), (3, 0), "{dialect:?}");
        is_booked_exactly(&life, &agents).await;
    }
}

#[tokio::test]
async fn provider_may_fail_at_every_step_and_nothing_is_paid_twice() {
    use BatchFault::{Create, CreateUnanswered, Download, Results, Status, Truncated, Upload};
    use ResultFault::{Reversed, Twice, Unknown};
    async fn check(dialect: Dialect, faults: Vec<BatchFault>) {
        let (mut life, agents) = (Life::new(dialect, faults.clone()), agents(7));
        life.until_written(dialect, &agents).await;
        let bill = life.server.batch_bill();
        assert_eq!((bill.answered, bill.twice), (7, 0), "{dialect:?} {faults:?}");
        assert_eq!((life.server.batch_faults_left(), life.server.requests().len()), (0, 0), "{dialect:?} {faults:?}");
        is_booked_exactly(&life, &agents).await;
    }
    for dialect in [Dialect::Plain, Dialect::Anthropic] {
        check(dialect, vec![Create(400)]).await;
        check(dialect, vec![Create(429), Create(500)]).await;
        check(dialect, vec![CreateUnanswered]).await;
        check(dialect, vec![Status(500), Status(429)]).await;
        check(dialect, vec![Download(503)]).await;
        check(dialect, vec![Truncated]).await;
        check(dialect, vec![Results(vec![Reversed, Twice(2), Unknown])]).await;
    }
    check(Dialect::Plain, vec![Upload(500)]).await;
    check(Dialect::Plain, vec![Upload(400)]).await;
}

#[tokio::test]
async fn what_has_no_good_answer_is_asked_once_more_and_then_at_once() {
    use ResultFault::{Bad, Cancelled, Errors, Expires};
    async fn check(dialect: Dialect, faults: &[ResultFault], expect: (u64, usize)) {
        let results = faults.iter().map(|fault| BatchFault::Results(vec![*fault])).collect();
        let (mut life, agents) = (Life::new(dialect, results), agents(6));
        life.until_written(dialect, &agents).await;
        let answered = life.server.batch_bill().answered;
        assert_eq!((answered, life.server.requests().len()), expect, "{dialect:?} {faults:?}");
        is_booked_exactly(&life, &agents).await;
    }
    for dialect in [Dialect::Plain, Dialect::Anthropic] {
        check(dialect, &[Errors(3)], (6, 0)).await;
        check(dialect, &[Expires(2)], (6, 0)).await;
        check(dialect, &[Cancelled(1)], (6, 0)).await;
        check(dialect, &[Bad(3)], (8, 0)).await;
        check(dialect, &[Bad(3), Bad(1)], (8, 2)).await;
        check(dialect, &[Errors(3), Errors(2)], (5, 1)).await;
    }
}

#[tokio::test]
async fn crash_at_any_call_of_the_store_pays_nothing_twice() {
    for dialect in [Dialect::Plain, Dialect::Anthropic] {
        for call in 1..60 {
            let (mut life, agents) = (Life::new(dialect, vec![]), agents(2));
            life.store = Arc::new(Faulty::at_call(MemoryCatalog::new(), call));
            life.until_written(dialect, &agents).await;
            let bill = life.server.batch_bill();
            assert_eq!((bill.answered, bill.twice), (2, 0), "{dialect:?}, call {call}");
        }
    }
}

#[tokio::test]
async fn budget_bounds_what_is_collected() {
    let (mut life, agents, turns) = (Life::new(Dialect::Plain, vec![]), agents(1), a_day().await);
    let budgeted = |budget| life.process(Dialect::Plain).in_mode(Mode::InBatches(Some(budget)));
    let (_, report) = life.step(&budgeted(100), &turns, &agents).await.unwrap();
    assert_eq!((report.sent, report.over_budget, report.open.len()), (0, 1, 0));
    let (_, report) = life.step(&budgeted(100_000), &turns, &agents).await.unwrap();
    assert_eq!((report.sent, report.over_budget), (1, 0));
    life.until_written(Dialect::Plain, &agents).await;
}

#[tokio::test]
async fn all_parts_of_a_long_day_go_into_one_batch() {
    let (life, agents, turns) = (Life::new(Dialect::Plain, vec![]), agents(1), a_long_day(8, 40).await);
    let endpoint = life.process(Dialect::Plain);
    let (_, report) = life.step(&endpoint, &turns, &agents).await.unwrap();
    assert!(report.sent > 1, "{report:?}");
    // A direct roll-up finishes a summary that was begun in batches, and does not pay for its parts again.
    let direct = life.process(Dialect::Plain).in_mode(Mode::Direct);
    assert_eq!(life.ask(&direct, &turns, &agents).await.unwrap(), 0, "it waits for the batch");
    for _ in 0..2 {
        direct.take(life.now).await.unwrap();
    }
    assert_eq!(life.ask(&direct, &turns, &agents).await.unwrap(), 1);
    assert_eq!(life.server.batch_bill().answered, report.sent);
    let asked = life.server.requests();
    let is_merge = |request: &ModelRequest| request.body.to_string().contains("parts of it were");
    assert!(!asked.is_empty() && asked.iter().all(is_merge), "only merges are asked at once");
}

#[tokio::test]
async fn forgotten_text_is_not_uploaded() {
    async fn check(uploads: usize, faults: Vec<BatchFault>, is_erased_before: bool) {
        let (life, agents, turns) = (Life::new(Dialect::Plain, faults), agents(2), a_day().await);
        let endpoint = life.process(Dialect::Plain);
        let secret = turn_of(&agents[0], message("2026-03-04T09:00:00Z", "a secret"));
        let id = secret.id.clone();
        life.store.ingest(&agents[0], vec![secret], OnConflict::Refuse, life.now).await.unwrap();
        life.ask(&endpoint, &turns, &agents).await.unwrap();
        let (store, me, now) = (life.store.clone(), agents[0].clone(), life.now);
        let erase = async move || store.erase(&me, &Target::Memories(vec![id.clone()]), now).await.map(|_| ());
        if is_erased_before {
            erase().await.unwrap();
        } else {
            // The store is in memory: it never waits.
            life.server.at_upload(move || erase().now_or_never().unwrap().unwrap());
        }
        let report = endpoint.send(life.now).await.unwrap();
        assert_eq!((report.sent, report.open.len(), report.failures.len()), (0, 0, 1), "{report:?}");
        let bill = life.server.batch_bill();
        assert_eq!((life.server.uploaded().len(), life.server.input_files(), bill.batches), (uploads, 0, 0));
    }
    check(0, vec![], true).await;
    check(1, vec![BatchFault::Upload(503)], false).await;
    check(1, vec![], false).await;
}

#[tokio::test]
async fn no_input_stays_at_the_provider() {
    async fn check(faults: Vec<BatchFault>) {
        let (mut life, agents) = (Life::new(Dialect::Plain, faults.clone()), agents(2));
        life.until_written(Dialect::Plain, &agents).await;
        assert_eq!(life.server.input_files(), 0, "{faults:?}");
    }
    check(vec![]).await;
    check(vec![BatchFault::Create(400)]).await;
    check(vec![BatchFault::Create(500)]).await;
    check(vec![BatchFault::CreateUnanswered]).await;
    for call in 1..40 {
        let (mut life, agents) = (Life::new(Dialect::Plain, vec![]), agents(2));
        life.store = Arc::new(Faulty::at_call(MemoryCatalog::new(), call));
        life.until_written(Dialect::Plain, &agents).await;
        assert_eq!(life.server.input_files(), 0, "call {call}");
    }
}

#[tokio::test]
async fn batch_that_never_ends_is_given_up() {
    for dialect in [Dialect::Plain, Dialect::Anthropic] {
        let (mut life, agents, turns) = (Life::new(dialect, vec![]), agents(2), a_day().await);
        life.server.plan_batches(u64::MAX, []);
        let endpoint = life.process(dialect);
        life.step(&endpoint, &turns, &agents).await.unwrap();
        life.now += SignedDuration::from_hours(47);
        assert_eq!(endpoint.take(life.now).await.unwrap().open.len(), 1);
        life.now += SignedDuration::from_hours(2);
        let report = endpoint.take(life.now).await.unwrap();
        assert_eq!((report.settled, report.open.len(), report.failures.len()), (2, 0, 1), "{report:?}");
        assert_eq!((life.server.cancelled_batches().len(), life.server.input_files()), (1, 0));
        let direct = life.process(dialect).in_mode(Mode::Direct);
        assert_eq!(life.ask(&direct, &turns, &agents).await.unwrap(), 2);
    }
}

#[tokio::test]
async fn abandoned_batch_is_cancelled_and_its_questions_are_asked_at_once() {
    for dialect in [Dialect::Plain, Dialect::Anthropic] {
        let (life, agents, turns) = (Life::new(dialect, vec![]), agents(2), a_day().await);
        life.server.plan_batches(u64::MAX, []);
        let endpoint = life.process(dialect);
        life.step(&endpoint, &turns, &agents).await.unwrap();
        let report = endpoint.abandon().await.unwrap();
        assert_eq!((report.settled, report.failures.len()), (2, 1), "{report:?}");
        assert_eq!((life.server.cancelled_batches().len(), life.server.input_files()), (1, 0));
        assert_eq!(life.store.failed_batches(life.now).await.unwrap().len(), 1);
        assert_eq!(endpoint.abandon().await.unwrap(), BatchReport::default());
        let direct = life.process(dialect).in_mode(Mode::Direct);
        assert_eq!(life.ask(&direct, &turns, &agents).await.unwrap(), 2);
    }
}

#[tokio::test]
async fn batch_of_a_server_that_is_not_configured_is_given_up() {
    let (mut life, agents, turns) = (Life::new(Dialect::Plain, vec![]), agents(1), a_day().await);
    life.step(&life.process(Dialect::Plain), &turns, &agents).await.unwrap();
    life.server = ModelServer::speaking(Dialect::Plain, []);
    let other = life.process(Dialect::Plain);
    let report = other.take(life.now).await.unwrap();
    assert_eq!((report.open.len(), report.failures.len()), (0, 1), "nobody waits for it: {report:?}");
    assert_eq!(other.awaited(&agents[0]).await.unwrap().len(), 1);
    life.now += SignedDuration::from_hours(49);
    other.take(life.now).await.unwrap();
    assert_eq!(other.awaited(&agents[0]).await.unwrap(), []);
}

#[tokio::test]
async fn server_that_refuses_batches_is_asked_at_once() {
    let (mut life, agents, turns) =
        (Life::new(Dialect::Plain, vec![BatchFault::Create(400)]), agents(2), a_day().await);
    life.now += SignedDuration::from_hours(30 * 24);
    let endpoint = life.process(Dialect::Plain).in_mode(Mode::OldInBatches);
    let (written, report) = life.step(&endpoint, &turns, &agents).await.unwrap();
    assert_eq!(written, 0);
    assert!(report.failures[0].contains("status 400 (refused by the test)"), "{report:?}");
    let failed = life.store.failed_batches(life.now).await.unwrap().remove(0).failure.unwrap();
    assert!(report.failures[0].ends_with(&failed) && failed.contains("status 400"), "{failed}");
    let (written, report) = life.step(&endpoint, &turns, &agents).await.unwrap();
    assert_eq!((written, report.sent, life.server.batch_bill().batches), (2, 0, 0));
}

#[tokio::test]
async fn batches_of_the_same_moment_have_different_ids() {
    let faults = vec![BatchFault::Create(400)];
    let (life, agents, turns) = (Life::new(Dialect::Plain, faults), agents(1), a_day().await);
    for sent in [0, 1] {
        let (_, report) = life.step(&life.process(Dialect::Plain), &turns, &agents).await.unwrap();
        assert_eq!(report.sent, sent);
    }
}
