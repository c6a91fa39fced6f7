//! Progress on standard error: amount done, rate, time left. At a terminal it is a bar; elsewhere a long task prints a line for
//! each tenth, so that a log shows it advancing. Prints nothing when the output is JSON.

use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicU64, Ordering};

use annals_service::{ProgressSink, Stage};
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::print as print_error;
use crate::view::count;

/// Without a terminal, smaller tasks print no progress: they end quickly.
const LONG: u64 = 1000;

/// The progress display of one task.
enum Progress {
    /// Shows nothing.
    Hidden,
    /// A bar at a terminal.
    Bar(ProgressBar),
    /// Lines in a log.
    Lines(Lines),
}

/// Progress printed as lines.
struct Lines {
    doing: String,
    total: u64,
    done: AtomicU64,
}

/// Returns a progress display for `total` items.
fn bar(total: u64, doing: &str, json: bool) -> Progress {
    if json || total == 0 {
        return Progress::Hidden;
    }
    if stderr().is_terminal() {
        let template = "{msg:12} {bar:32} {human_pos}/{human_len} · {per_sec} · {eta} left";
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        return Progress::Bar(ProgressBar::new(total).with_style(style).with_message(doing.to_owned()));
    }
    if total < LONG {
        Progress::Hidden
    } else {
        Progress::Lines(Lines { doing: doing.to_owned(), total, done: AtomicU64::new(0) })
    }
}

impl Stage for Progress {
    fn advance(&self, more: u64) {
        match self {
            Progress::Hidden => {}
            Progress::Bar(bar) => bar.inc(more),
            Progress::Lines(lines) => lines.inc(more),
        }
    }
}

/// Removes the bar, whether the task is complete or not.
impl Drop for Progress {
    fn drop(&mut self) {
        if let Progress::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

/// Shows the progress of operations.
pub(crate) struct Bars {
    /// Shows nothing.
    pub is_hidden: bool,
}

impl ProgressSink for Bars {
    fn begin(&self, stage: &str, items: u64) -> Box<dyn Stage> {
        Box::new(bar(items, stage, self.is_hidden))
    }

    fn is_shown(&self) -> bool {
        !self.is_hidden
    }
}

impl Lines {
    fn inc(&self, more: u64) {
        let before = self.done.fetch_add(more, Ordering::Relaxed);
        let tenth = |done: u64| done.min(self.total) * 10 / self.total;
        let done = (before + more).min(self.total);
        if tenth(done) > tenth(before) {
            print_error(&format!("{}: {} of {}", self.doing, count(done), count(self.total)));
        }
    }
}
