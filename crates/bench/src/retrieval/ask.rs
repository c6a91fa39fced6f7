//! Asks each question once, one after the other, and records results and times.

use std::time::Duration;

use annals_core::{Answer, Query, Result};
use annals_search::Weights;

use super::measures::{Measures, measure};
use crate::input::Question;
use crate::world::World;

/// Number of results requested: the largest cut-off.
const LIMIT: usize = 25;

/// The result of one question.
pub(crate) struct QuestionResult {
    /// The type of the question, as the file names it.
    pub class: String,
    /// Measures of the ranked turns.
    pub turn: Measures,
    /// Measures of the ranked conversations.
    pub conversation: Measures,
    /// Time of the answer, without embedding the question.
    pub search: Duration,
    /// Time of embedding the question; near zero if its vector was cached.
    pub embedding: Duration,
}

/// Asks every question with these weights.
pub(crate) async fn ask(world: &World, questions: &[Question], weights: Weights) -> Result<Vec<QuestionResult>> {
    let search = world.search.clone().weighing(weights);
    let mut all = Vec::with_capacity(questions.len());
    for question in questions {
        let query = Query { text: Some(question.text.clone()), limit: LIMIT, ..Query::default() };
        let (answer, durations) = world.answer(&search, &question.agent, &query, question.at).await?;
        all.push(QuestionResult {
            class: question.class.clone(),
            turn: measure(&turns(&answer), &question.evidence),
            conversation: measure(&conversations(&answer), &question.conversations),
            search: durations.search,
            embedding: durations.embedding,
        });
    }
    Ok(all)
}

fn turns(answer: &Answer) -> Vec<String> {
    answer.results.iter().filter_map(|found| found.memory.message().map(str::to_owned)).collect()
}

fn conversations(answer: &Answer) -> Vec<String> {
    answer.conversations.iter().map(|found| found.conversation.clone()).collect()
}
