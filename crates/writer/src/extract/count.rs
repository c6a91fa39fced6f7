//! Counts what an extraction would read, without reading it: calls an extractor that only counts its requests, with the tasks
//! that a pass would make of the waiting turns. Saves nothing and moves no watermark.

use std::collections::BTreeSet;

use annals_core::ports::Change;
use annals_core::{Agent, Extractor, Grain, Memory, Result, Timestamp};

use super::ask::{MAX_FACTS, MAX_FACTS_PER_NAME};
use super::section::tasks;
use super::{BATCH, FactWriter, Inputs, turn};

/// Estimate of the facts that a task finds about its speakers. Not measured.
const FOUND: u64 = 6;

/// What an extraction of all waiting turns would read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unread {
    /// Turns, without those that have nothing to read and those that the extractor refuses.
    pub turns: u64,
    /// Estimate of the facts that the tasks would send to the model in addition to the present ones, because earlier tasks find
    /// them. Summed over all tasks: a fact counts once for each task that sends it.
    pub to_come: u64,
}

impl FactWriter {
    /// Calls `extractor` with each task that [`FactWriter::extract`] would give it now, and discards its answers. Does nothing
    /// if the extractor is local, because it costs nothing.
    pub async fn ask_for_unread(&self, extractor: &dyn Extractor, agent: &Agent, now: Timestamp) -> Result<Unread> {
        let settings = self.store.settings(agent).await?;
        let (mut unread, mut asked) = (Unread::default(), 0);
        if extractor.is_local(&settings) {
            return Ok(unread);
        }
        let mut after = self.store.extraction(agent).await?.extracted;
        loop {
            let changes = self.store.changes(agent, Grain::Working, after, BATCH).await?;
            let Some(last) = changes.last().map(Change::seq) else { return Ok(unread) };
            after = last;
            let turns: Vec<Memory> = changes.into_iter().filter_map(turn).collect();
            let seen = self.seen(agent, &turns).await?;
            for task in tasks(turns, &seen) {
                let mut inputs = Inputs::default();
                match self.ask(extractor, agent, &settings, &seen, &task, now, &mut inputs).await {
                    // A pass gives turns that do not fit the model to the fallback, at no cost.
                    Err(error) if error.is_of_input() => continue,
                    done => done?,
                };
                unread.turns += task.spoken.len() as u64;
                unread.to_come += found_by(asked, &task.spoken).saturating_sub(inputs.number_of_facts());
                asked += 1;
            }
        }
    }
}

/// Estimates how many facts a task sends to the model because the `tasks` tasks before it found them, at [`FOUND`] facts a
/// task. The limit for the speakers of the task applies.
fn found_by(tasks: u64, turns: &[Memory]) -> u64 {
    let speakers: BTreeSet<&str> = turns.iter().filter_map(Memory::speaker).collect();
    let most = (MAX_FACTS_PER_NAME * speakers.len()).min(MAX_FACTS);
    (tasks * FOUND).min(most as u64)
}

#[cfg(test)]
mod tests {
    use annals_testkit::agent;

    use super::*;
    use crate::fixture::{Fixture, NOW};

    async fn unread(fixture: &Fixture) -> Unread {
        fixture.fact_writer().ask_for_unread(&*fixture.model, &agent("a"), annals_testkit::at(NOW)).await.unwrap()
    }

    #[tokio::test]
    async fn tasks_are_those_of_the_next_pass_and_nothing_is_saved() {
        let fixture = Fixture::new();
        for minute in 0..50 {
            fixture.say(["x", "y"][minute as usize % 2], minute, &format!("Ann likes tea{minute}.")).await;
        }
        for _ in 0..2 {
            assert_eq!(unread(&fixture).await.turns, 50);
        }
        let counted = fixture.model.take_questions();
        assert!(fixture.held().await.is_empty() && fixture.statements().await.is_empty());
        let writer = fixture.fact_writer();
        writer.extract(&agent("a"), annals_testkit::at(NOW), &|_| ()).await.unwrap();
        let asked = fixture.model.take_questions();
        let turns = |questions: &[crate::fixture::RecordedQuestion]| -> Vec<Vec<String>> {
            questions.iter().map(|question| question.turns.clone()).collect()
        };
        assert_eq!(turns(&counted), [turns(&asked), turns(&asked)].concat());
        assert_eq!(unread(&fixture).await, Unread::default());
        fixture.say("x", 50, "Ann likes rye.").await;
        assert_eq!(unread(&fixture).await, Unread { turns: 1, to_come: 0 });
    }

    #[tokio::test]
    async fn tasks_show_what_earlier_ones_find_up_to_a_limit() {
        let fixture = Fixture::new();
        for conversation in 0..6 {
            fixture.say(&format!("x{conversation}"), conversation, "Ann likes tea.").await;
        }
        assert_eq!(unread(&fixture).await, Unread { turns: 6, to_come: 6 + 12 + 18 + 20 + 20 });
    }

    #[tokio::test]
    async fn local_extractor_and_turns_that_do_not_fit_cost_nothing() {
        let fixture = Fixture::new();
        fixture.say("x", 1, "Ann likes tea.").await;
        fixture.say("y", 2, "Ann likes refused.").await;
        *fixture.model.refused.lock() = Some("refused");
        assert_eq!(unread(&fixture).await.turns, 1);
        fixture.model.set_local();
        assert_eq!(unread(&fixture).await, Unread::default());
    }
}
