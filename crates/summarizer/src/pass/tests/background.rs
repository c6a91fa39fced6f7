//! Tests of the background that an engine behind a network gets besides its input.

use annals_core::ports::{Background, Block, Facts, SummaryTask};
use annals_core::{Draft, Fact, Interval, Period, Properties, Sentence, Settings};
use annals_testkit::{MemoryFacts, period};
use parking_lot::Mutex;

use super::*;

/// An engine behind a network that records its background.
#[derive(Default)]
struct Remote(Mutex<Vec<(Period, Option<Background>)>>);

#[async_trait::async_trait]
impl Engine for Remote {
    fn recipe(&self, _: &Settings, grain: Grain) -> annals_core::Digest {
        annals_core::Digest::of(["remote", grain.as_str()])
    }

    fn writes_locally(&self, _: &Settings, _: Grain) -> bool {
        false
    }

    async fn summarize(&self, task: SummaryTask<'_>) -> Result<Draft> {
        self.0.lock().push((task.period, task.background.cloned()));
        let (day, from) = (task.sources[0].days.0, vec![task.sources[0].id.clone()]);
        let sentence =
            |text: &str| Sentence { day, speaker: None, text: text.into(), from: from.clone(), ungrounded: false };
        let label = task.period.to_string();
        let number = format!("{} sources.", task.sources.len());
        let sentences = [number.as_str(), "Two.", &label].map(sentence).to_vec();
        Ok(Draft { text: format!("{label}: {number}"), sentences, tokens: 1, ungrounded: 0, verbatim: false })
    }
}

fn fact(predicate: &str, object: &str, from: &str, to: Option<&str>) -> Fact {
    Fact {
        id: object.into(),
        subject: "user".into(),
        predicate: predicate.into(),
        object: object.into(),
        properties: Properties::new(),
        confidence: 1.0,
        valid_from: at(from),
        valid_to: to.map(at),
        recorded_at: at(NOW),
        mentioned: Interval { start: at(from), end: at(from) },
        sources: Vec::new(),
        superseded_by: None,
    }
}

#[tokio::test]
async fn engine_sees_persona_facts_that_held_and_the_end_of_the_week_before() {
    let (catalog, facts, engine) = (Arc::new(MemoryCatalog::new()), MemoryFacts::new(), Arc::new(Remote::default()));
    ingest(&catalog, days()).await;
    let block = Block { name: "Persona".into(), text: "Looks after the household.".into(), updated_at: at(NOW) };
    catalog.write_blocks(&agent("a"), vec![block], Vec::new(), 9).await.unwrap();
    let all = vec![
        fact("lives_in", "Rome", "2020-01-01T00:00:00Z", Some("2026-03-05T00:00:00Z")),
        fact("lives_in", "Oslo", "2026-03-05T00:00:00Z", None),
        fact("also_known_as", "Annie", "2019-01-01T00:00:00Z", None),
        fact("likes", "snow", "2026-03-11T10:00:00Z", None),
    ];
    facts.replace(&agent("a"), all, 0).await.unwrap();
    let summarizer = with(&catalog, engine.clone()).with_facts(Arc::new(facts));
    summarizer.pass(&agent("a"), at(NOW), &|_| ()).await.unwrap();
    let seen = engine.0.lock();
    let of = |label: &str| seen.iter().find(|(seen, _)| *seen == period(label)).unwrap().1.clone().unwrap();
    let objects = |background: &Background| background.known.iter().map(|fact| fact.object.clone()).collect::<Vec<_>>();
    assert_eq!(of("2026-03-03").persona.as_deref(), Some("Looks after the household."));
    assert_eq!(
        (objects(&of("2026-03-03")), of("2026-03-03").before),
        (vec!["Annie".into(), "Rome".into()], Vec::<String>::new())
    );
    assert_eq!(objects(&of("2026-03-11")), ["Annie", "snow", "Oslo"]);
    assert_eq!(
        of("2026-W11").before,
        ["2026-03-11 Two.", "2026-03-11 2026-W10"].map(|text| text.replace("2026-03-11", "2026-03-03"))
    );
    assert!(of("2026-W10").before.is_empty());
}

#[tokio::test]
async fn new_facts_and_changed_weeks_leave_later_summaries_as_they_are() {
    let (catalog, engine) = (Arc::new(MemoryCatalog::new()), Arc::new(Remote::default()));
    ingest(&catalog, days()).await;
    let facts = MemoryFacts::new();
    let summarizer = with(&catalog, engine.clone()).with_facts(Arc::new(facts.clone()));
    summarizer.pass(&agent("a"), at(NOW), &|_| ()).await.unwrap();
    engine.0.lock().clear();
    facts.replace(&agent("a"), vec![fact("likes", "snow", "2026-01-11T10:00:00Z", None)], 0).await.unwrap();
    ingest(&catalog, vec![turn(&agent("a"), "2026-03-04T11:00:00Z", "late")]).await;
    summarizer.pass(&agent("a"), at(NOW), &|_| ()).await.unwrap();
    let written: Vec<String> = engine.0.lock().iter().map(|(period, _)| period.to_string()).collect();
    assert!(written.contains(&"2026-W10".to_owned()) && !written.contains(&"2026-W11".to_owned()), "{written:?}");
}

/// While something is being forgotten, the table of facts may still hold it.
#[tokio::test]
async fn facts_of_a_table_behind_the_log_are_not_shown() {
    let (catalog, facts, engine) = (Arc::new(MemoryCatalog::new()), MemoryFacts::new(), Arc::new(Remote::default()));
    ingest(&catalog, days()).await;
    facts.replace(&agent("a"), vec![fact("likes", "snow", "2026-01-11T10:00:00Z", None)], 7).await.unwrap();
    let summarizer = with(&catalog, engine.clone()).with_facts(Arc::new(facts));
    summarizer.pass(&agent("a"), at(NOW), &|_| ()).await.unwrap();
    let seen = engine.0.lock();
    assert!(seen.iter().all(|(_, background)| background.as_ref().unwrap().known.is_empty()));
}
