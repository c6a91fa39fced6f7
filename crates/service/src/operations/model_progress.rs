//! The speed of the configured models, and an estimate of the time that they need for the rest of a roll-up.

use std::time::Duration;

use annals_core::ports::ModelState;
use annals_core::{EngineChoice, Purpose, Settings};
use annals_summarizer::PassPlan;

use super::progress::Stage;
use crate::Service;

/// Time between two reports of the speed.
const INTERVAL: Duration = Duration::from_secs(1);

/// Tokens per word of input, as an upper estimate. Includes the time, speaker and number that precede each message.
const TOKENS_PER_WORD: u64 = 2;

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

    /// Estimates the requests that the periods of a plan need; `None` if no model writes a summary of these periods.
    pub(crate) fn requests_left(&self, settings: &Settings, plan: &PassPlan) -> Option<RequestsLeft> {
        requests_left(&self.model_states(settings), plan, plan.periods.len())
    }

    /// Runs `work`. Meanwhile it shows each second in `stage` how fast a model writes and how long the rest takes. `left`
    /// returns the number of periods of the plan that are left.
    pub(crate) async fn noting_models<T>(
        &self,
        settings: &Settings,
        plan: &PassPlan,
        left: &(dyn Fn() -> usize + Sync),
        stage: &dyn Stage,
        work: impl Future<Output = T>,
    ) -> T {
        let mut work = std::pin::pin!(work);
        loop {
            match tokio::time::timeout(INTERVAL, &mut work).await {
                Ok(done) => return done,
                Err(_) => {
                    let states = self.model_states(settings);
                    let note = note(&states, requests_left(&states, plan, left()));
                    note.into_iter().for_each(|note| stage.note(&note));
                }
            }
        }
    }
}

fn requests_left(states: &[ModelState], plan: &PassPlan, left: usize) -> Option<RequestsLeft> {
    let writes = |purpose: Purpose| states.iter().find(|state| state.purposes.contains(&purpose));
    let of_models = plan.periods.iter().filter_map(|period| writes(Purpose::of(period.grain())));
    let room = of_models.clone().map(|state| state.room.max(1)).min()?;
    let whole = (of_models.count() as u64).max((plan.words * TOKENS_PER_WORD).div_ceil(room));
    let requests = (whole * left as u64).div_ceil(plan.periods.len().max(1) as u64);
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
            purposes: vec![Purpose::Daily, Purpose::Weekly],
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
            let left = requests_left(&[state], &plan(words), left).unwrap();
            assert_eq!((left.requests, left.seconds), expect);
        }
        check(state(4_000, 0, 0.0), 300, 3, (3, None));
        check(state(400, 4, 200.0), 3_000, 3, (15, Some(750)));
        check(state(400, 4, 200.0), 3_000, 1, (5, Some(250)));
        assert_eq!(requests_left(&[], &plan(300), 3), None);
    }

    #[test]
    fn note_names_speed_requests_and_time_left() {
        let left = Some(RequestsLeft { requests: 15, seconds: Some(750) });
        let found = note(&[state(400, 4, 200.0)], left).unwrap();
        assert_eq!(found, "8.5 tokens/s · 40 tokens of the answer · about 15 requests, 13 min left");
        assert_eq!(note(&[ModelState { running: 0, ..state(400, 4, 200.0) }], left), None);
    }
}
