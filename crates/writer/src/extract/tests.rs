mod meanwhile;

use annals_core::ports::Journal;
use annals_core::prelude::*;
use annals_core::{Error, FactOperation, MemoryId, Message, Role, SignedDuration};
use annals_testkit::{Faulty, agent, at, message};

use super::*;
use crate::fixture::{Fixture, NOW};

async fn extract(fixture: &Fixture, now: &str) -> ExtractionPassed {
    fixture.fact_writer().extract(&agent("a"), at(now), &|_| ()).await.unwrap()
}

fn away() -> Error {
    Error::unavailable("asking the model", "it is away")
}

fn useless() -> Error {
    Error::model("reading the answer", "it is no JSON")
}

async fn watermark(fixture: &Fixture) -> ExtractionWatermark {
    fixture.catalog.extraction(&agent("a")).await.unwrap()
}

async fn letters(fixture: &Fixture) -> Vec<String> {
    let letters = fixture.catalog.dead_letters(&agent("a")).await.unwrap();
    letters.into_iter().map(|letter| letter.error).collect()
}

#[tokio::test]
async fn new_turns_are_read_once_and_become_facts() {
    let fixture = Fixture::new();
    fixture.say("x", 1, "Ann likes tea.").await;
    fixture.say("x", 2, "Bob likes figs.").await;
    let passed = extract(&fixture, NOW).await;
    let expect = ExtractionPassed { turns: 2, operations: 2, statements: 1, ..ExtractionPassed::default() };
    assert_eq!(passed, expect);
    assert_eq!(fixture.held().await, ["Ann likes tea", "Bob likes figs"]);
    assert_eq!(extract(&fixture, NOW).await, ExtractionPassed::default());
    let questions = fixture.model.take_questions();
    assert_eq!(questions.len(), 1);

    fixture.say("x", 3, "Ann likes rye.").await;
    extract(&fixture, NOW).await;
    let questions = fixture.model.take_questions().remove(0);
    assert_eq!(questions.turns, ["Ann likes rye."]);
    assert_eq!(questions.context, ["Ann likes tea.", "Bob likes figs."]);
    assert_eq!(questions.known, ["tea"], "what is known of those who are named, not of others");
}

/// The fallback is local here; the model is not. Each turn is a task of its own.
#[tokio::test]
async fn local_extractor_gets_more_context_than_a_model() {
    let context = async |model_works: bool| {
        let fixture = Fixture::new();
        fixture.rules.set_local();
        let last = 40;
        for minute in 0..last {
            fixture.say("x", minute, &format!("Ann likes tea{minute}.")).await;
        }
        extract(&fixture, NOW).await;
        fixture.say("x", last, "Ann likes rye.").await;
        if !model_works {
            (0..3).for_each(|_| fixture.model.fail(useless()));
        }
        for hour in 0..4 {
            extract(&fixture, &format!("2026-03-05T{:02}:00:00Z", hour * 3)).await;
        }
        let reader = if model_works { &fixture.model } else { &fixture.rules };
        reader.take_questions().last().unwrap().context.len()
    };
    assert_eq!(context(true).await, 6);
    assert_eq!(context(false).await, 40);
}

#[tokio::test]
async fn scheduled_pass_waits_for_quiet_or_enough_turns() {
    let fixture = Fixture::new();
    let schedule = ReadingSchedule { quiet: SignedDuration::from_mins(10), turns: 4 };
    let writer = fixture.fact_writer().with_schedule(schedule);
    let due = async |now: &str| {
        let moment = format!("2026-03-04T{now}:00Z");
        writer.extract_due(&agent("a"), at(&moment), &|| false, &AlreadyHeld).await.unwrap().turns
    };
    fixture.say("x", 1, "Ann likes tea.").await;
    fixture.say("x", 5, "Ann likes rye.").await;
    assert_eq!(due("10:14").await, 0);
    assert_eq!(due("10:15").await, 2, "ten minutes of quiet");
    for minute in 20..24 {
        assert_eq!(due("10:24").await, 0);
        fixture.say("x", minute, &format!("Ann likes kind{minute}.")).await;
    }
    assert_eq!(due("10:24").await, 4, "enough turns");
    fixture.say("x", 30, "Ann likes figs.").await;
    assert_eq!(due("10:31").await, 0);
    assert_eq!(extract(&fixture, "2026-03-04T10:31:00Z").await.turns, 1, "a pass on request waits for nothing");
}

#[tokio::test]
async fn batch_costs_the_same_however_much_an_agent_has() {
    let cost = async |earlier: i64| {
        let fixture = Fixture::new();
        for minute in 0..earlier {
            let at = format!("2026-03-04T{:02}:{:02}:00Z", minute / 60, minute % 60);
            fixture.send(message(&at, &format!("Ann likes kind {minute} of the tea in the old kitchen."))).await;
        }
        let writer = fixture.fact_writer();
        let extract = async || writer.extract(&agent("a"), at(NOW), &|_| ()).await.unwrap();
        extract().await;
        let before = fixture.catalog.listed();
        let repeated = "Ann likes kind 3 of the tea in the old kitchen.";
        fixture.send(Message { role: Role::Assistant, ..message("2026-03-04T23:00:00Z", repeated) }).await;
        assert_eq!(extract().await.turns, 0, "it is recognised");
        fixture.send(message("2026-03-04T22:00:00Z", "Bob likes figs of the tree in the garden.")).await;
        assert_eq!(extract().await.turns, 1);
        fixture.catalog.listed() - before
    };
    assert_eq!(cost(30).await, cost(450).await);
}

#[tokio::test]
async fn extractor_gets_mentioned_facts_then_the_newest() {
    let fixture = Fixture::new();
    for minute in 0..30 {
        fixture.say("x", minute, &format!("Ann likes kind{minute}.")).await;
    }
    extract(&fixture, NOW).await;
    fixture.model.take_questions();
    fixture.say("y", 40, "Ann hates kind3.").await;
    extract(&fixture, NOW).await;
    let known = fixture.model.take_questions().remove(0).known;
    assert_eq!((known.len(), &known[..3]), (20, &["kind3", "kind29", "kind28"].map(str::to_owned)[..]));
}

#[tokio::test]
async fn conversations_are_read_separately_and_long_ones_in_pieces() {
    let fixture = Fixture::new();
    for minute in 0..44 {
        fixture.say(["x", "y"][minute as usize % 2], minute, &format!("Ann likes tea{minute}.")).await;
    }
    extract(&fixture, NOW).await;
    let counts: Vec<usize> = fixture.model.take_questions().iter().map(|questions| questions.turns.len()).collect();
    assert_eq!(counts, [20, 20, 2, 2]);
    let long = format!("Ann likes {}.", "tea ".repeat(1000));
    fixture.say("z", 50, &long).await;
    fixture.say("z", 51, &long).await;
    extract(&fixture, NOW).await;
    assert_eq!(fixture.model.take_questions().len(), 2);
}

#[tokio::test]
async fn tool_turns_are_not_read_and_revised_turns_lose_their_facts() {
    let fixture = Fixture::new();
    let message_of = |role, content: &str| Message {
        role,
        client_id: Some("1".into()),
        content: content.into(),
        ..message("2026-03-04T10:00:00Z", "")
    };
    fixture.send(message_of(Role::User, "Ann likes tea.")).await;
    extract(&fixture, NOW).await;
    assert_eq!(fixture.held().await, ["Ann likes tea"]);
    fixture.send(message_of(Role::Tool, "Ann likes figs.")).await;
    assert_eq!(extract(&fixture, NOW).await.turns, 0);
    assert_eq!((fixture.held().await.len(), fixture.statements().await.len()), (0, 0));
    assert_eq!(
        fixture.catalog.backlog(&agent("a"), Grain::Working, watermark(&fixture).await.extracted).await.unwrap(),
        0
    );
}

#[tokio::test]
async fn outage_stops_extraction_without_using_the_fallback() {
    let fixture = Fixture::new();
    fixture.say("x", 1, "Ann likes tea.").await;
    (0..10).for_each(|_| fixture.model.fail(away()));
    let waits = ["00:00", "00:01", "00:03", "00:07", "00:15", "00:31", "01:03", "02:03"];
    for time in waits {
        let now = format!("2026-03-05T{time}:00Z");
        let passed = extract(&fixture, &now).await;
        assert_eq!(passed.waiting.as_deref(), Some("asking the model: it is away"), "{time}");
        assert_eq!(fixture.model.take_questions().len(), 1, "{time}: extraction was due");
        assert!(extract(&fixture, &now).await.waiting.is_some());
        assert_eq!(fixture.model.take_questions().len(), 0, "{time}: extraction waits");
    }
    assert_eq!((letters(&fixture).await.len(), fixture.rules.take_questions().len()), (0, 0));
    fixture.model.failures.lock().clear();
    assert_eq!(extract(&fixture, "2026-03-05T03:03:00Z").await.turns, 1);
    assert_eq!(fixture.held().await, ["Ann likes tea"]);
    assert_eq!(watermark(&fixture).await.attempts, 0);
}

#[tokio::test]
async fn turns_held_up_for_hours_are_read_by_the_fallback_and_replayed() {
    let fixture = Fixture::new();
    for (minute, conversation) in [(1, "x"), (2, "y"), (3, "x")] {
        fixture.say(conversation, minute, &format!("Ann likes tea{minute}.")).await;
    }
    fixture.model.fail(away());
    extract(&fixture, NOW).await;
    fixture.model.fail(away());
    let passed = extract(&fixture, "2026-03-05T06:00:00Z").await;
    assert_eq!((passed.turns, passed.degraded, passed.waiting), (3, 3, None));
    assert_eq!(letters(&fixture).await, ["asking the model: it is away"; 3]);
    assert_eq!(fixture.held().await.len(), 3);
    assert!(fixture.log().await.iter().all(|operation| operation.confidence < 0.6));

    fixture.model.fail(away());
    let replayed = fixture.fact_writer().replay(&agent("a"), at("2026-03-05T07:00:00Z")).await.unwrap();
    assert_eq!((replayed.turns, replayed.waiting.is_some(), letters(&fixture).await.len()), (0, true, 3));
    fixture.model.fail(useless());
    let replayed = fixture.fact_writer().replay(&agent("a"), at("2026-03-05T08:00:00Z")).await.unwrap();
    assert_eq!((replayed.turns, letters(&fixture).await.len()), (1, 2), "the one it fails on stays");
    let replayed = fixture.fact_writer().replay(&agent("a"), at("2026-03-05T09:00:00Z")).await.unwrap();
    assert_eq!((replayed.turns, letters(&fixture).await.len()), (2, 0));
    assert!(fixture.log().await.iter().all(|operation| operation.confidence > 0.6));
}

#[tokio::test]
async fn spent_budget_is_asked_for_again_within_minutes() {
    let fixture = Fixture::new();
    fixture.say("x", 1, "Ann likes tea.").await;
    fixture.model.fail(Error::Budget { limit: 10, of_key: false, again: at("2026-03-05T05:00:00Z") });
    extract(&fixture, NOW).await;
    let again = at(NOW) + annals_core::retry::BUDGET_CHECK;
    let before = again - SignedDuration::from_secs(1);
    assert!(extract(&fixture, &before.to_string()).await.waiting.is_some());
    assert_eq!(extract(&fixture, &again.to_string()).await.turns, 1);
}

/// The key of one request must not delay what everybody else gets, nor have the rules read in the model's place.
#[tokio::test]
async fn spent_budget_of_a_key_stops_only_this_pass() {
    let fixture = Fixture::new();
    fixture.say("x", 1, "Ann likes tea.").await;
    for now in [NOW, "2026-03-05T09:00:00Z"] {
        fixture.model.fail(Error::Budget { limit: 10, of_key: true, again: at("2026-03-06T00:00:00Z") });
        let passed = extract(&fixture, now).await;
        assert_eq!((passed.turns, passed.degraded), (0, 0));
        assert!(passed.waiting.unwrap().contains("of this API key"));
        let watermark = fixture.catalog.extraction(&agent("a")).await.unwrap();
        assert_eq!((watermark.not_before, watermark.failing_since, watermark.attempts), (None, None, 0));
    }
    assert_eq!(extract(&fixture, "2026-03-05T09:00:00Z").await.turns, 1);
}

/// Has the model fail while the clock is `ahead` hours ahead. Checks whether the pipeline still waits once the clock is right
/// again.
async fn check_held(ahead: i64, expect: bool) {
    let fixture = Fixture::new();
    fixture.say("x", 1, "Ann likes tea.").await;
    fixture.model.fail(away());
    let wrong = at(NOW) + SignedDuration::from_hours(ahead);
    extract(&fixture, &wrong.to_string()).await;
    let passed = extract(&fixture, NOW).await;
    assert_eq!(passed.waiting.is_some(), expect, "{ahead} hours ahead: {passed:?}");
    assert_eq!(passed.turns, u64::from(!expect), "{ahead} hours ahead");
}

#[tokio::test]
async fn wait_recorded_under_a_clock_ahead_is_ignored() {
    check_held(0, true).await;
    check_held(1, false).await;
    check_held(30, false).await;
    check_held(24 * 365, false).await;
}

/// The model stays unavailable after the clock went back: the fallback reads after six hours, not after a year.
#[tokio::test]
async fn retry_deadline_restarts_when_the_clock_went_back() {
    let fixture = Fixture::new();
    fixture.say("x", 1, "Ann likes tea.").await;
    for now in ["2027-03-05T00:00:00Z", NOW, "2026-03-05T06:00:00Z"] {
        fixture.model.fail(away());
        extract(&fixture, now).await;
    }
    assert_eq!(fixture.rules.take_questions().len(), 1);
    assert_eq!(fixture.held().await, ["Ann likes tea"]);
}

/// The fallback reads after six hours even if the endpoint asks for a longer wait, which would delay retention.
#[tokio::test]
async fn retry_deadline_ends_before_a_longer_retry_wait() {
    let fixture = Fixture::new();
    fixture.say("x", 1, "Ann likes tea.").await;
    let retry_after = Some(SignedDuration::from_hours(100));
    fixture.model.fail(Error::Unavailable { what: "asking".into(), retry_after, source: "slow down".into() });
    extract(&fixture, NOW).await;
    assert!(extract(&fixture, "2026-03-05T05:59:59Z").await.waiting.is_some());
    assert_eq!(extract(&fixture, "2026-03-05T06:00:00Z").await.degraded, 1);
    assert_eq!(fixture.model.take_questions().len(), 1, "it is not asked before it said");
}

#[tokio::test]
async fn turns_that_a_model_fails_on_do_not_block_others() {
    let fixture = Fixture::new();
    fixture.say("x", 1, "Ann likes tea.").await;
    fixture.say("y", 2, "Bob likes figs.").await;
    (0..3).for_each(|_| fixture.model.fail(useless()));
    for time in ["00:00", "00:01"] {
        let passed = extract(&fixture, &format!("2026-03-05T{time}:00Z")).await;
        assert_eq!((passed.turns, passed.waiting.is_some()), (0, true));
    }
    let passed = extract(&fixture, "2026-03-05T00:03:00Z").await;
    assert_eq!((passed.turns, passed.degraded, passed.waiting), (2, 1, None));
    assert_eq!(letters(&fixture).await, ["reading the answer: it is no JSON"]);
    assert_eq!(fixture.held().await, ["Ann likes tea", "Bob likes figs"]);
}

#[tokio::test]
async fn recalled_text_is_not_read_again() {
    let fixture = Fixture::new();
    fixture.say("x", 1, "Ann likes tea.").await;
    fixture.say("x", 2, "Look: <annals-memory>Bob likes figs.</annals-memory>").await;
    fixture.say("x", 3, "<annals-memory>Bob likes figs.</annals-memory>").await;
    extract(&fixture, NOW).await;
    let questions = fixture.model.take_questions();
    assert_eq!(questions[0].turns, ["Ann likes tea.", "Look: "]);
    let stored = fixture.memories(Grain::Working).await;
    assert!(stored.iter().any(|turn| turn.text == "<annals-memory>Bob likes figs.</annals-memory>"), "as it was sent");
}

/// Creates two interleaved conversations, so that their tasks overlap, a tool's answer, and another conversation.
async fn busy() -> Fixture {
    let fixture = Fixture::new();
    for minute in 0..50 {
        fixture.say(["x", "y", "y"][minute as usize % 3], minute, &format!("Ann likes tea{minute}.")).await;
    }
    let tool = Message { role: Role::Tool, conversation: "y".into(), ..message("2026-03-04T10:20:30Z", "42") };
    fixture.send(tool).await;
    fixture.say("z", 55, "Bob likes figs.").await;
    fixture
}

/// The final state: log, statements with their sources, dead letters, facts.
type Outcome = (Vec<FactOperation>, Vec<(String, Vec<MemoryId>)>, Vec<String>, Vec<String>);

/// Makes one call of the catalog and one of the facts table fail, by their numbers; 0 stands for none. Returns the final state
/// and how many calls each received.
async fn outcome_after_failures(catalog_call: u64, facts_call: u64) -> (Outcome, (u64, u64)) {
    let fixture = busy().await;
    *fixture.model.refused.lock() = Some("tea20");
    let catalog = Arc::new(Faulty::at_call(fixture.catalog.clone(), catalog_call));
    let facts = Arc::new(Faulty::at_call(fixture.facts.clone(), facts_call));
    let faulty = fixture.fact_writer_over(catalog.clone(), facts.clone());
    for time in ["00:00", "00:01", "00:03", "00:07", "00:15"] {
        let now = at(&format!("2026-03-05T{time}:00Z"));
        let _ = faulty.extract(&agent("a"), now, &|_| ()).await;
    }
    let left = extract(&fixture, "2026-03-05T01:00:00Z").await;
    assert_eq!(left.waiting, None, "failing calls {catalog_call} and {facts_call}");
    let mut log = fixture.log().await;
    log.iter_mut().for_each(|operation| operation.recorded_at = at(NOW));
    let outcome = (log, fixture.statements().await, letters(&fixture).await, fixture.held().await);
    (outcome, (catalog.calls(), facts.calls()))
}

/// Every call of catalog, journal and facts in turn fails once.
#[tokio::test]
async fn failure_of_any_call_loses_and_doubles_nothing() {
    let (undisturbed, (catalog, facts)) = outcome_after_failures(0, 0).await;
    assert_eq!((undisturbed.0.len(), undisturbed.3.len()), (51, 51));
    assert_eq!(undisturbed.2.len(), 19, "the turns of one task");
    for call in 1..=catalog {
        assert_eq!(outcome_after_failures(call, 0).await.0, undisturbed, "failing call {call} of the catalog");
    }
    for call in 1..=facts {
        assert_eq!(outcome_after_failures(0, call).await.0, undisturbed, "failing call {call} of the facts");
    }
}
