//! In-memory engine and extractor that write like a model: one reworded text for many sources, which cites only one of them.

use annals_core::ports::{Engine, ExtractionTask, Extractor, SummaryTask};
use annals_core::{
    Agent, Digest, Draft, Extracted, FactOperation, Grain, Memory, MemoryId, Properties, Result, SPEAKER, Sentence,
    Settings, Statement, Timestamp, Verb,
};
use annals_llm::Extractive;
use async_trait::async_trait;

use crate::ground_truth::SUBJECT;

/// The agent with reworded summaries. Summaries of all other agents quote their sources.
pub const REWORDED: &str = "bob";

/// An engine that rewords the sources for one agent and quotes them for the others.
pub struct Engines;

#[async_trait]
impl Engine for Engines {
    fn recipe(&self, settings: &Settings, grain: Grain) -> Digest {
        Extractive.recipe(settings, grain)
    }

    async fn summarize(&self, task: SummaryTask<'_>) -> Result<Draft> {
        if task.agent.name() != REWORDED {
            return Extractive.summarize(task).await;
        }
        let mut sentences: Vec<Sentence> = task.base.iter().flat_map(|base| base.sentences.clone()).collect();
        sentences.extend(retold(task.sources));
        let lines: Vec<_> = sentences.iter().map(|sentence| sentence.text.clone()).collect();
        Ok(Draft { text: lines.join("\n"), sentences, tokens: 1, ungrounded: 0, verbatim: false })
    }
}

/// Returns all sources in one sentence, which cites only the first of their turns.
fn retold(sources: &[Memory]) -> Option<Sentence> {
    let first = sources.first()?;
    let texts: Vec<_> = sources.iter().map(|source| source.text.replace('\n', " ")).collect();
    let from = match first.grain {
        Grain::Working => vec![first.id.clone()],
        _ => first.sentences().iter().flat_map(|sentence| sentence.from.iter().take(1).cloned()).take(1).collect(),
    };
    Some(Sentence {
        day: first.days.0,
        speaker: None,
        text: format!("They say: {}", texts.join(" ")),
        from,
        ungrounded: false,
    })
}

/// Extractor that finds operations and statements in the sentences of `history.rs`.
pub struct Reader;

#[async_trait]
impl Extractor for Reader {
    fn is_local(&self, _settings: &Settings) -> bool {
        true
    }

    async fn extract(&self, task: ExtractionTask<'_>) -> Result<Extracted> {
        let mut found = Extracted::default();
        for turn in task.turns {
            if let Some(place) = between(&turn.text, "moved to ", " last") {
                found.operations.push(operation(turn, "lives_in", place, task.now));
            }
            if turn.text.contains(SUBJECT) {
                let mut operation = operation(turn, "knows", SUBJECT, task.now);
                operation.properties.insert("how".into(), turn.text.clone().into());
                found.operations.push(operation);
            }
        }
        found.statements.extend(statement(task.agent, task.turns));
        Ok(found)
    }
}

fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    Some(text.split_once(before)?.1.split_once(after)?.0)
}

fn operation(turn: &Memory, predicate: &str, object: &str, now: Timestamp) -> FactOperation {
    let speaker = turn.speaker().unwrap().to_owned();
    let at = turn.at();
    FactOperation {
        id: FactOperation::id(&turn.id, 0),
        verb: Verb::Insert,
        subject: speaker.clone(),
        predicate: predicate.to_owned(),
        object: object.to_owned(),
        replaces: None,
        properties: Properties::from_iter([(SPEAKER.to_owned(), speaker.into())]),
        confidence: 0.9,
        at,
        said_at: at,
        source: turn.id.clone(),
        position: 0,
        recorded_at: now,
    }
}

/// Returns one statement for all turns that mention a dog.
fn statement(agent: &Agent, turns: &[Memory]) -> Option<Statement> {
    let mut dogs = turns.iter().filter_map(|turn| Some((turn, between(&turn.text, "Our dog ", " barked")?)));
    let (first, dog) = dogs.next()?;
    let (mut sources, mut names): (Vec<MemoryId>, Vec<&str>) = (vec![first.id.clone()], vec![dog]);
    for (turn, dog) in dogs {
        sources.push(turn.id.clone());
        names.push(dog);
    }
    let text = format!("Uma has dogs by the names of {}.", names.join(", "));
    Some(Statement {
        id: MemoryId::statement(agent, &first.id, &text),
        text,
        topic: "pets".into(),
        importance: 0.5,
        confidence: Some(0.9),
        who: vec!["Uma".into()],
        when: None,
        day: first.period,
        cover: first.cover,
        sources,
    })
}
