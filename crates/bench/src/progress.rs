//! Prints the progress of long work to standard error every ten seconds, and at its end.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

const EVERY: Duration = Duration::from_secs(10);

/// The progress of one task.
pub(crate) struct Progress {
    what: String,
    all: usize,
    state: Mutex<State>,
}

struct State {
    done: usize,
    begun: Instant,
    printed: Instant,
}

impl Progress {
    /// Starts a task of `all` items. `what` names the task in the output.
    pub(crate) fn new(what: &str, all: usize) -> Progress {
        let now = Instant::now();
        Progress { what: what.to_owned(), all, state: Mutex::new(State { done: 0, begun: now, printed: now }) }
    }

    pub(crate) fn add(&self, more: usize) {
        let mut state = self.state.lock();
        if state.done == 0 {
            // The task may have waited for other work until now.
            (state.begun, state.printed) = (Instant::now(), Instant::now());
        }
        state.done += more;
        if state.printed.elapsed() >= EVERY || state.done == self.all {
            state.printed = Instant::now();
            let seconds = state.begun.elapsed().as_secs_f64();
            eprintln!("{}: {} of {} after {seconds:.0} s", self.what, state.done, self.all);
        }
    }
}
