//! Progress on standard error: how far, how fast, how long still. Silent where nobody looks at it.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar over so many things of a kind.
pub fn bar(total: u64, doing: &'static str, json: bool) -> ProgressBar {
    if json || total == 0 || crate::terminal::guest(|_| ()).is_some() {
        return ProgressBar::hidden();
    }
    let template = "{msg:12} {bar:32} {human_pos}/{human_len} · {per_sec} · {eta} left";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(total).with_style(style).with_message(doing)
}
