use std::sync::Arc;

use annals_testkit::{agent, at, message};
use parking_lot::Mutex;

use super::*;
use crate::fixture::{NOW, service};
use crate::{NoProgress, ProgressSink, Stage};

/// A file of messages in memory.
struct Lines {
    agents: BTreeMap<Agent, u64>,
    messages: Vec<MessageLine>,
}

impl MessageSource for Lines {
    fn name(&self) -> Option<&str> {
        None
    }

    fn agents(&self) -> &BTreeMap<Agent, u64> {
        &self.agents
    }

    fn messages(&mut self) -> Result<MessageLines<'_>> {
        Ok(Box::new(self.messages.iter().cloned().map(Ok)))
    }
}

fn of(messages: Vec<MessageLine>) -> ImportRequest {
    let mut agents = BTreeMap::new();
    for line in &messages {
        *agents.entry(line.agent.clone()).or_default() += 1;
    }
    ImportRequest { files: vec![Box::new(Lines { agents, messages })], ..ImportRequest::default() }
}

fn request(texts: &[&str]) -> ImportRequest {
    let line = |(index, text): (usize, &&str)| {
        let message = Message { client_id: Some(index.to_string()), ..message("2026-03-04T18:30:00Z", text) };
        MessageLine { line: index + 1, agent: agent("a"), message }
    };
    of(texts.iter().enumerate().map(line).collect())
}

#[tokio::test]
async fn equal_messages_of_many_agents_without_ids_are_stored_once_each() {
    let service = service(Arc::new(|| at(NOW)));
    let lines = || {
        let line = |line: usize| {
            let agent = agent(["a", "b", "c"][line % 3]);
            MessageLine { line, agent, message: message("2026-03-04T18:30:00Z", "Tea?") }
        };
        of((1..=3000).map(line).collect())
    };
    let first = service.import(lines(), at(NOW), &NoProgress).await.unwrap();
    assert_eq!((first.agents, first.accepted, first.duplicate), (3, 3000, 0));
    let second = service.import(lines(), at(NOW), &NoProgress).await.unwrap();
    assert_eq!((second.accepted, second.duplicate), (0, 3000));
}

#[tokio::test]
async fn second_import_skips_stored_messages() {
    let service = service(Arc::new(|| at(NOW)));
    let first = service.import(request(&["one", "two"]), at(NOW), &NoProgress).await.unwrap();
    assert_eq!((first.accepted, first.duplicate, first.searchable), (2, 0, 2));
    let second = service.import(request(&["one", "two", "three"]), at(NOW), &NoProgress).await.unwrap();
    assert_eq!((second.accepted, second.duplicate, second.searchable), (1, 2, 1));
}

#[tokio::test]
async fn changed_message_is_a_fault_of_its_line_unless_revised() {
    let service = service(Arc::new(|| at(NOW)));
    service.import(request(&["one", "two"]), at(NOW), &NoProgress).await.unwrap();
    let changed = || request(&["one", "other", "three"]);
    let error = service.import(changed(), at(NOW), &NoProgress).await.unwrap_err();
    let Error::Faults(faults) = error else { panic!("{error}") };
    assert_eq!(faults.iter().map(|fault| fault.line).collect::<Vec<_>>(), [Some(2)]);
    assert_eq!(service.memories_of(&agent("a"), annals_core::Grain::Working).await.unwrap().len(), 2);
    let revised = ImportRequest { revise: true, ..changed() };
    let answer = service.import(revised, at(NOW), &NoProgress).await.unwrap();
    assert_eq!((answer.accepted, answer.revised, answer.duplicate), (1, 1, 1));
}

/// Records the stages that begin, with the number of their items.
#[derive(Default)]
struct Stages(Mutex<Vec<(String, u64)>>);

impl ProgressSink for Stages {
    fn begin(&self, stage: &str, items: u64) -> Box<dyn Stage> {
        self.0.lock().push((stage.to_owned(), items));
        NoProgress.begin(stage, items)
    }

    fn is_shown(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn everything_is_stored_before_the_first_message_is_embedded() {
    let service = service(Arc::new(|| at(NOW)));
    let texts: Vec<String> = (0..6_000).map(|number| format!("message {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let stages = Stages::default();
    let answer = service.import(request(&texts), at(NOW), &stages).await.unwrap();
    assert_eq!((answer.accepted, answer.searchable), (6_000, 6_000));
    let stages = stages.0.into_inner();
    assert_eq!(stages[..2], [("storing".to_owned(), 6_000), ("embedding".to_owned(), 6_000)]);
}
