//! The speed of the configured models, and an estimate of the time that they need for the rest of a roll-up or of an extraction.

use std::time::Duration;

use annals_core::ports::ModelState;
use annals_core::{EngineChoice, Purpose, Settings};
use annals_summarizer::PassPlan;
use annals_writer::MAX_TASK_TURNS;

use super::progress::Stage;
use crate::Service;

/// Time between two reports of the speed.
const INTERVAL: Duration = Duration::from_secs(1);

/// Tokens per word of input, as an upper estimate. Includes the time, speaker and number that precede each message.
const TOKENS_PER_WORD: u64 = 2;

/// Tokens of a message that is read for facts, with its time and speaker: those of a chat between people. A message from an
/// assistant may have ten times as many.
const TOKENS_PER_MESSAGE: u64 = 50;

/// What models have left to do.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ModelWork<'a> {
    /// This many periods of a plan are still to be summarised.
    Summaries(&'a PassPlan, usize),
    /// This many changes of working memory are still to be read for facts. Nearly all are messages; those of several conversations
    /// are read apart, so the estimate is a lower bound.
    Messages(u64),
}

/// An estimate of the number of requests that are left, and of the seconds that they take if each takes as long as the answered
/// ones on average.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RequestsLeft {
    pub(crate) requests: u64,
    /// `None` until a request was answered.
    pub(crate) seconds: Option<u64>,
}

impl Service {
    /// Returns the state of the models that write for an agent with these settings; none if no models are configured or the
    /// settings choose the built-in engine.
    pub(crate) fn model_states(&self, settings: &Settings) -> Vec<ModelState> {
        let models = self.parts.models.as_ref().filter(|_| settings.engine == EngineChoice::Auto);
        models.map(|models| models.model_states()).unwrap_or_default()
    }

    /// Estimates the requests that the periods of a plan and the messages that are not read for facts need; `None` if no model
    /// does any of this work.
    pub(crate) fn requests_left(&self, settings: &Settings, plan: &PassPlan, messages: u64) -> Option<RequestsLeft> {
        let states = self.model_states(settings);
        let works = [ModelWork::Summaries(plan, plan.periods.len()), ModelWork::Messages(messages)];
        works.into_iter().filter_map(|work| requests_left(&states, work)).reduce(|one, other| RequestsLeft {
            requests: one.requests + other.requests,
            seconds: one.seconds.zip(other.seconds).map(|(one, other)| one + other),
        })
    }

    /// Runs `work`. Meanwhile it shows each second in `stage` how fast a model writes and how long the rest takes. `left`
    /// returns what is left to do.
    pub(crate) async fn noting_models<'w, T>(
        &self,
        settings: &Settings,
        left: &(dyn Fn() -> ModelWork<'w> + Sync),
        stage: &dyn Stage,
        work: impl Future<Output = T>,
    ) -> T {
        let mut work = std::pin::pin!(work);
        loop {
            match tokio::time::timeout(INTERVAL, &mut work).await {
                Ok(done) => return done,
                Err(_) => {
                    let states = self.model_states(settings);
                    let note = note(&states, requests_left(&states, left()));
                    note.into_iter().for_each(|note| stage.note(&note));
                }
            }
        }
    }
}

fn requests_left(states: &[ModelState], work: ModelWork<'_>) -> Option<RequestsLeft> {
    let requests = match work {
        ModelWork::Summaries(plan, left) => requests_for_periods(states, plan, left)?,
        ModelWork::Messages(left) => requests_for_messages(states, left)?,
    };
    let answered: u64 = states.iter().map(|state| state.requests).sum();
    let seconds: f64 = states.iter().map(|state| state.seconds).sum();
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an estimate"
    )]
    let seconds = (answered > 0).then(|| (seconds / answered as f64 * requests as f64).round() as u64);
    Some(RequestsLeft { requests, seconds })
}

/// Returns the model that does this work.
fn model_of(states: &[ModelState], purpose: Purpose) -> Option<&ModelState> {
    states.iter().find(|state| state.purposes.contains(&purpose))
}

fn requests_for_periods(states: &[ModelState], plan: &PassPlan, left: usize) -> Option<u64> {
    let of_models = plan.periods.iter().filter_map(|period| model_of(states, Purpose::of(period.grain())));
    let room = of_models.clone().map(|state| state.room.max(1)).min()?;
    let whole = (of_models.count() as u64).max((plan.words * TOKENS_PER_WORD).div_ceil(room));
    Some((whole * left as u64).div_ceil(plan.periods.len().max(1) as u64))
}

fn requests_for_messages(states: &[ModelState], left: u64) -> Option<u64> {
    let room = model_of(states, Purpose::Extraction)?.room;
    Some(left.div_ceil((room / TOKENS_PER_MESSAGE).clamp(1, MAX_TASK_TURNS as u64)))
}

/// Returns a line about the first model that is answering now; `None` if none is, or if it has no figures yet.
fn note(states: &[ModelState], left: Option<RequestsLeft>) -> Option<String> {
    let state = states.iter().find(|state| state.running > 0)?;
    let mut parts = Vec::new();
    parts.extend(state.writing.map(|rate| format!("{rate:.1} tokens/s")));
    if state.current > 0 {
        parts.push(format!("{} tokens of the answer", state.current));
    }
    if let Some(RequestsLeft { requests, seconds }) = left {
        parts.push(match seconds {
            Some(seconds) => format!("about {requests} requests, {} left", in_words(seconds)),
            None => format!("about {requests} requests left"),
        });
    }
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// Formats a duration in seconds, or in minutes or hours, rounded up.
fn in_words(seconds: u64) -> String {
    match seconds {
        0..=89 => format!("{seconds} s"),
        90..=5_399 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h", seconds.div_ceil(3_600)),
    }
}

#[cfg(test)]
mod tests {
    use annals_testkit::period;

    use super::*;

    fn state(room: u64, requests: u64, seconds: f64) -> ModelState {
        ModelState {
            model: "m".into(),
            base_url: "http://127.0.0.1/v1".into(),
            purposes: vec![Purpose::Extraction, Purpose::Daily, Purpose::Weekly],
            window: 8_192,
            room,
            reading: Some(100.0),
            writing: Some(8.5),
            requests,
            running: 1,
            seconds,
            tokens_in: 0,
            cached: 0,
            tokens_out: 0,
            current: 40,
        }
    }

    fn plan(words: u64) -> PassPlan {
        PassPlan { periods: vec![period("2026-03-02"), period("2026-03-03"), period("2026-W10")], words }
    }

    #[test]
    fn requests_are_estimated_from_words_and_speed() {
        fn check(state: ModelState, words: u64, left: usize, expect: (u64, Option<u64>)) {
            let left = requests_left(&[state], ModelWork::Summaries(&plan(words), left)).unwrap();
            assert_eq!((left.requests, left.seconds), expect);
        }
        check(state(4_000, 0, 0.0), 300, 3, (3, None));
        check(state(400, 4, 200.0), 3_000, 3, (15, Some(750)));
        check(state(400, 4, 200.0), 3_000, 1, (5, Some(250)));
        assert_eq!(requests_left(&[], ModelWork::Summaries(&plan(300), 3)), None);
    }

    #[test]
    fn requests_for_facts_are_estimated_from_messages_and_speed() {
        fn check(state: ModelState, messages: u64, expect: (u64, Option<u64>)) {
            let left = requests_left(&[state], ModelWork::Messages(messages)).unwrap();
            assert_eq!((left.requests, left.seconds), expect);
        }
        check(state(4_000, 0, 0.0), 41, (3, None));
        check(state(400, 4, 200.0), 41, (6, Some(300)));
        check(state(20, 4, 200.0), 2, (2, Some(100)));
        check(state(400, 4, 200.0), 0, (0, Some(0)));
        let summaries_alone = ModelState { purposes: vec![Purpose::Daily], ..state(400, 4, 200.0) };
        assert_eq!(requests_left(&[summaries_alone], ModelWork::Messages(41)), None);
    }

    #[test]
    fn note_names_speed_requests_and_time_left() {
        let left = Some(RequestsLeft { requests: 15, seconds: Some(750) });
        let found = note(&[state(400, 4, 200.0)], left).unwrap();
        assert_eq!(found, "8.5 tokens/s · 40 tokens of the answer · about 15 requests, 13 min left");
        assert_eq!(note(&[ModelState { running: 0, ..state(400, 4, 200.0) }], left), None);
    }
}
