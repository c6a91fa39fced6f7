//! The speed of a model as measured on its answers, and the size of requests that it answers in about a minute.
//!
//! Sizes are rounded down to steps, so that the same input is divided in the same way after a small change of the speed.
//! Otherwise the saved answers to the parts of an interrupted summary would be of no use. Uses tokio's monotonic clock; nothing
//! stored depends on it.

use parking_lot::{Mutex, MutexGuard};

use super::completion::Completion;

/// Seconds that one request should take.
const GOAL: f64 = 60.0;

/// Tokens of lines in a request to a server on this machine or in the local network, until its speed has been measured. A
/// Raspberry Pi reads them in two minutes.
const FIRST: u64 = 1_536;

/// Tokens of the answer for each token of lines: summaries and facts have at most about half of the words of their input.
const ANSWER_SHARE: f64 = 0.5;

/// Minimum tokens of lines in a request, if the window allows them: with fewer, the instructions cost more than the lines.
const MIN_TOKENS: u64 = 384;

/// Weight of a new measurement in the moving average.
const WEIGHT: f64 = 0.5;

/// Minimum tokens that the server had to read, without cached ones, for a measurement of the speed of reading.
const WORTH_MEASURING: u64 = 100;

/// Measures the speed of one model.
#[derive(Debug, Default)]
pub(super) struct Speed {
    state: Mutex<State>,
}

/// The measured speed of a model, and totals of its requests.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct State {
    /// Tokens of the request that the model reads per second; `None` until it has been measured.
    pub(super) reading: Option<f64>,
    /// Tokens of the answer that the model writes per second; `None` until it has been measured.
    pub(super) writing: Option<f64>,
    /// Number of answered requests.
    pub(super) requests: u64,
    /// Number of requests that wait for an answer or receive one.
    pub(super) running: u64,
    /// Total duration of all answered requests, in seconds.
    pub(super) seconds: f64,
    /// Total tokens of requests, of answers, and of the cached parts of requests.
    pub(super) tokens_in: u64,
    pub(super) tokens_out: u64,
    pub(super) cached: u64,
    /// Tokens of the answer that is being written; of the latest to report if there are several, and zero if there is none.
    pub(super) current: u64,
}

impl Speed {
    pub(super) fn now(&self) -> State {
        *self.state()
    }

    /// Records an answer. `prompt_tokens` is an estimate, for servers that do not count.
    pub(super) fn record(&self, completion: &Completion, prompt_tokens: u64) {
        let timing = completion.timing;
        let read = completion.tokens_in.unwrap_or(prompt_tokens).saturating_sub(completion.cache.read);
        let (reading, writing) = match (timing.measured, timing.reading) {
            (Some((reading, writing)), _) => (Some(reading), Some(writing)),
            (None, Some(waited)) => {
                (rate(read, waited.as_secs_f64()), rate(completion.out(), timing.writing.as_secs_f64()))
            }
            // Only the whole duration is known. On most machines, reading is about ten times as fast as writing.
            (None, None) => {
                let writing = rate(completion.out() + read / 10, timing.writing.as_secs_f64());
                (writing.map(|writing| writing * 10.0), writing)
            }
        };
        let mut state = self.state();
        if read >= WORTH_MEASURING {
            state.reading = mean(state.reading, reading);
        }
        state.writing = mean(state.writing, writing);
        state.requests += 1;
        state.seconds += timing.reading.unwrap_or_default().as_secs_f64() + timing.writing.as_secs_f64();
        state.tokens_in += completion.tokens_in.unwrap_or(prompt_tokens);
        state.tokens_out += completion.out();
        state.cached += completion.cache.read;
    }

    /// Counts a request as running until the returned guard is dropped.
    pub(super) fn begin(&self) -> Running<'_> {
        self.state().running += 1;
        Running(self)
    }

    /// Sets the number of tokens of the answer that is being written.
    pub(super) fn note(&self, tokens: u64) {
        self.state().current = tokens;
    }

    /// Returns how many tokens of lines, at most `most`, a request with `fixed` further tokens may have, so that the model
    /// reads and answers it in about [`GOAL`] seconds. The answer has [`ANSWER_SHARE`] of the tokens of the lines, and at most
    /// `longest_answer`. Until the speed has been measured, this is [`FIRST`] if `is_near`, which
    /// means that the server may be a small machine, and otherwise `most`.
    pub(super) fn room(&self, fixed: u64, most: u64, longest_answer: Option<u64>, is_near: bool) -> u64 {
        let state = self.now();
        let fitting = match (state.reading, state.writing) {
            (Some(reading), Some(writing)) => {
                let left = (GOAL - as_f64(fixed) / reading).max(0.0);
                let with_longest = longest_answer.map_or(0.0, |answer| (left - as_f64(answer) / writing) * reading);
                with_longest.max(left / (1.0 / reading + ANSWER_SHARE / writing))
            }
            _ if is_near => as_f64(FIRST),
            _ => return most,
        };
        if fitting >= as_f64(most) { most } else { step(fitting).max(MIN_TOKENS).min(most) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

/// Guard that counts a request as running until it is dropped.
pub(super) struct Running<'a>(&'a Speed);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.running -= 1;
        state.current = 0;
    }
}

/// Rounds down to [`MIN_TOKENS`] times a power of two, but not below [`MIN_TOKENS`].
fn step(tokens: f64) -> u64 {
    let mut step = MIN_TOKENS;
    while as_f64(step) * 2.0 <= tokens {
        step *= 2;
    }
    step
}

fn rate(tokens: u64, seconds: f64) -> Option<f64> {
    (tokens > 0 && seconds > 0.0).then(|| as_f64(tokens) / seconds)
}

fn mean(before: Option<f64>, now: Option<f64>) -> Option<f64> {
    match (before, now.filter(|rate| rate.is_finite() && *rate > 0.0)) {
        (Some(before), Some(now)) => Some(before * (1.0 - WEIGHT) + now * WEIGHT),
        (before, now) => now.or(before),
    }
}

#[expect(clippy::cast_precision_loss, reason = "tokens of a request are far below 2^52")]
fn as_f64(tokens: u64) -> f64 {
    tokens as f64
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use annals_core::CacheTokens;

    use super::super::completion::Timing;
    use super::*;

    fn answered(tokens_in: u64, tokens_out: u64, timing: Timing) -> Speed {
        let speed = Speed::default();
        let completion =
            Completion { tokens_in: Some(tokens_in), tokens_out: Some(tokens_out), timing, ..Completion::default() };
        speed.record(&completion, 0);
        speed
    }

    fn streamed(reading: u64, writing: u64) -> Timing {
        let reading = Some(Duration::from_secs(reading));
        Timing { reading, writing: Duration::from_secs(writing), measured: None }
    }

    #[test]
    fn requests_fit_the_speed() {
        fn check(speed: &Speed, expect: u64) {
            assert_eq!(speed.room(500, 6_000, None, true), expect, "{:?}", speed.now());
        }
        check(&Speed::default(), 1_536);
        assert_eq!(Speed::default().room(500, 6_000, None, false), 6_000);
        // 20 tokens a second read and 4 written, as a Pi does: 200 tokens would fit.
        check(&answered(1_000, 80, streamed(50, 20)), 384);
        // 200 and 20: the 57 seconds left are enough for some 1,900 tokens of lines.
        check(&answered(2_000, 400, streamed(10, 20)), 1_536);
        check(&answered(5_000, 600, streamed(1, 5)), 6_000);
        // The server's own figures take precedence.
        let measured = Some((200.0, 20.0));
        check(&answered(2_000, 400, Timing { measured, ..streamed(100, 200) }), 1_536);
        // An answer that came at once.
        let whole = Timing { reading: None, writing: Duration::from_secs(100), measured: None };
        check(&answered(1_000, 300, whole), 384);
    }

    #[test]
    fn cached_tokens_do_not_count_as_read() {
        let speed = Speed::default();
        let timing = streamed(1, 20);
        speed.record(
            &Completion {
                tokens_in: Some(1_050),
                cache: CacheTokens { read: 1_000, written: 0 },
                tokens_out: Some(40),
                timing,
                ..Completion::default()
            },
            0,
        );
        assert_eq!((speed.now().reading, speed.now().writing), (None, Some(2.0)));
    }
}
