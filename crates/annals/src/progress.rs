//! Progress on standard error: how far, how fast, how long still. A bar at a terminal; where there is none, a line for each tenth
//! of what takes long, so that a log shows that it goes on. Silent for programs.

use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicU64, Ordering};

use indicatif::{ProgressBar, ProgressStyle};

use crate::terminal::{guest, print_error};
use crate::view::count;

/// Things below this many are done before anybody asks how far they are.
const LONG: u64 = 1000;

/// How far something has come.
pub enum Progress {
    /// Nobody looks.
    Hidden,
    /// At a terminal.
    Bar(ProgressBar),
    /// In a log.
    Lines(Lines),
}

/// What is said in a log.
pub struct Lines {
    doing: &'static str,
    total: u64,
    done: AtomicU64,
}

/// Progress over so many things of a kind.
pub fn bar(total: u64, doing: &'static str, json: bool) -> Progress {
    if json || total == 0 {
        return Progress::Hidden;
    }
    // Another process's terminal is not ours to draw on.
    if guest(|_| ()).is_none() && stderr().is_terminal() {
        let template = "{msg:12} {bar:32} {human_pos}/{human_len} · {per_sec} · {eta} left";
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        return Progress::Bar(ProgressBar::new(total).with_style(style).with_message(doing));
    }
    if total < LONG { Progress::Hidden } else { Progress::Lines(Lines { doing, total, done: AtomicU64::new(0) }) }
}

impl Progress {
    /// So many more are done.
    pub fn inc(&self, more: u64) {
        match self {
            Progress::Hidden => {}
            Progress::Bar(bar) => bar.inc(more),
            Progress::Lines(lines) => lines.inc(more),
        }
    }

    /// All is done, or nothing more will be.
    pub fn finish_and_clear(&self) {
        if let Progress::Bar(bar) = self {
            bar.finish_and_clear();
        }
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
