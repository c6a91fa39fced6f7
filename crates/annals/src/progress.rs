//! Shows progress on standard error: amount done, rate, time left. At a terminal it is a bar. Elsewhere a long task prints a
//! line for each tenth, so that a log shows it advancing, and a task that a model works on prints a line for each step. Prints
//! nothing when the output is JSON.

use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use annals_service::{ProgressSink, Stage};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use parking_lot::Mutex;

use crate::failure::print as print_error;
use crate::view::count;

/// Number of items from which a task prints a line for each tenth, without a terminal. Smaller tasks end quickly.
const LONG: u64 = 1000;

/// The bars on the terminal: an import reads, stores and embeds, and two of these may be under way at once.
static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

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
    /// A description of the work of a model, printed with the next line. Each item of such work takes long, so there is a line
    /// for each.
    note: Mutex<Option<String>>,
}

/// Returns a progress display for `total` items. It shows nothing if the output is JSON or there are no items.
fn bar(total: u64, doing: &str, json: bool) -> Progress {
    if json || total == 0 {
        return Progress::Hidden;
    }
    if stderr().is_terminal() {
        let template = "{msg:12} {bar:32} {human_pos}/{human_len} · {per_sec} · {eta} left{prefix}";
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(total).with_style(style).with_message(doing.to_owned());
        return Progress::Bar(BARS.add(bar));
    }
    Progress::Lines(Lines { doing: doing.to_owned(), total, done: AtomicU64::new(0), note: Mutex::default() })
}

impl Stage for Progress {
    fn advance(&self, more: u64) {
        match self {
            Progress::Hidden => {}
            Progress::Bar(bar) => bar.inc(more),
            Progress::Lines(lines) => lines.inc(more),
        }
    }

    fn note(&self, text: &str) {
        match self {
            Progress::Hidden => {}
            Progress::Bar(bar) => bar.set_prefix(format!(" · {text}")),
            Progress::Lines(lines) => {
                *lines.note.lock() = Some(text.to_owned());
            }
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

/// Shows that one answer is waited for, until it is dropped: at a terminal with the seconds so far, elsewhere in one line. Shows
/// nothing if the output is JSON.
pub(crate) struct Waiting(ProgressBar);

impl Waiting {
    pub(crate) fn new(doing: String, json: bool) -> Waiting {
        if json {
            return Waiting(ProgressBar::hidden());
        }
        if !stderr().is_terminal() {
            print_error(&doing);
            return Waiting(ProgressBar::hidden());
        }
        let style = ProgressStyle::with_template("{msg} · {elapsed}").unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = BARS.add(ProgressBar::new_spinner().with_style(style).with_message(doing));
        bar.enable_steady_tick(Duration::from_secs(1));
        Waiting(bar)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Shows the progress of operations on standard error, with a display for each stage.
pub(crate) struct Bars {
    /// Whether nothing is shown.
    pub is_hidden: bool,
    /// Set to true to end the operation as soon as the work that it has begun is saved.
    pub stop: Arc<AtomicBool>,
}

impl Bars {
    /// Returns a display that shows nothing if the output is JSON.
    pub fn new(json: bool) -> Bars {
        Bars { is_hidden: json, stop: Arc::default() }
    }
}

impl ProgressSink for Bars {
    fn begin(&self, stage: &str, items: u64) -> Box<dyn Stage> {
        Box::new(bar(items, stage, self.is_hidden))
    }

    fn is_shown(&self) -> bool {
        !self.is_hidden
    }

    fn should_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

impl Lines {
    fn inc(&self, more: u64) {
        let before = self.done.fetch_add(more, Ordering::Relaxed);
        let tenth = |done: u64| done.min(self.total) * 10 / self.total;
        let done = (before + more).min(self.total);
        let note = self.note.lock().take();
        if note.is_some() || (self.total >= LONG && tenth(done) > tenth(before)) {
            let note = note.map(|note| format!(" · {note}")).unwrap_or_default();
            print_error(&format!("{}: {} of {}{note}", self.doing, count(done), count(self.total)));
        }
    }
}
