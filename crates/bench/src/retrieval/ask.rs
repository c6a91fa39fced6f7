//! Asking: each question once, one after the other, with what was found and how long it took.

use std::time::Duration;

use annals_core::{Answer, Kind, Query, Result};
use annals_search::Weights;

use super::measures::{Measures, judge};
use crate::input::Question;
use crate::world::World;

/// Results that are looked at: the largest cut.
const LIMIT: usize = 25;

/// What one question came to.
pub struct Asked {
    /// Its type.
    pub class: String,
    /// Of turns.
    pub turn: Measures,
    /// Of conversations.
    pub conversation: Measures,
    /// Of the answer, without embedding the question.
    pub search: Duration,
    /// Of embedding the question; nothing if it was asked before.
    pub embedding: Duration,
}

/// Asks every question with these weights.
pub async fn ask(world: &World, questions: &[Question], weights: Weights) -> Result<Vec<Asked>> {
    let search = world.search.clone().weighing(weights);
    let mut all = Vec::with_capacity(questions.len());
    for question in questions {
        let query = Query { text: Some(question.text.clone()), limit: LIMIT, ..Query::default() };
        let (answer, taken) = world.answer(&search, &question.agent, &query, question.at).await?;
        all.push(Asked {
            class: question.class.clone(),
            turn: judge(&turns(&answer), &question.evidence),
            conversation: judge(&conversations(&answer), &question.conversations),
            search: taken.search,
            embedding: taken.embedding,
        });
    }
    Ok(all)
}

fn turns(answer: &Answer) -> Vec<String> {
    let turns = answer.results.iter().map(|found| &found.memory).filter(|memory| memory.kind == Kind::Turn);
    turns.filter_map(|turn| turn.message.clone()).collect()
}

fn conversations(answer: &Answer) -> Vec<String> {
    answer.conversations.iter().map(|found| found.conversation.clone()).collect()
}
