//! Draws the strata of a memory in the terminal: one band per grain over the same time axis, coarsest on top, then lines from
//! the yearly summaries below. Draws only the memories passed to it.

use std::collections::BTreeMap;

use annals_core::{Date, Grain, Memory, Period, Sentence};
use anstyle::{AnsiColor, Color, RgbColor, Style};

use crate::view::{BOLD, DATE, DIM, column, count, say, say_raw};

/// Width of the column with the grain names.
const GUTTER: usize = 11;
/// Bar characters, by amount of text.
const HEIGHTS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Maximum number of lines shown of a year's summary.
const STORY: usize = 12;

/// Draws the bands from the day of the first turn to `today`, then prints sentences of the yearly summaries. Draws nothing if
/// there is no turn.
pub(crate) fn draw(memories: &[Memory], open: &[Period], today: Date) {
    let turns: Vec<&Memory> = memories.iter().filter(|memory| memory.grain == Grain::Working).collect();
    let Some(first) = turns.first().map(|turn| turn.days.0) else { return };
    let scale = Scale::new(first, today);
    say!();
    for grain in [Grain::Yearly, Grain::Quarterly, Grain::Monthly] {
        band(&scale, grain, memories, open);
    }
    columns(&scale, Grain::Weekly, memories);
    columns(&scale, Grain::Daily, memories);
    columns(&scale, Grain::Working, memories);
    say!("{:GUTTER$}{DIM}{first}{:>rest$}{DIM:#}\n", "", today.to_string(), rest = scale.width - 10);
    story(memories);
}

/// The mapping of days to terminal columns.
struct Scale {
    first: Date,
    days: i64,
    width: usize,
}

impl Scale {
    fn new(first: Date, last: Date) -> Scale {
        let width = textwrap::termwidth().clamp(50, 110) - GUTTER - 8;
        Scale { first, days: days_between(first, last) + 1, width }
    }

    fn column(&self, day: Date) -> usize {
        let days = days_between(self.first, day).clamp(0, self.days);
        usize::try_from(days).unwrap_or(0) * self.width / usize::try_from(self.days).unwrap_or(1)
    }
}

fn days_between(from: Date, to: Date) -> i64 {
    from.duration_until(to).as_hours() / 24
}

/// Draws one box per period with its label: filled if the period is closed and summarized, light if it is open.
fn band(scale: &Scale, grain: Grain, memories: &[Memory], open: &[Period]) {
    let closed: Vec<Period> = of(memories, grain).map(|memory| memory.period).collect();
    let mut periods: Vec<(Period, bool)> = closed.into_iter().map(|period| (period, true)).collect();
    periods.extend(open.iter().filter(|period| period.grain() == grain).map(|period| (*period, false)));
    let mut line = String::new();
    let mut at = 0;
    for (index, (period, is_closed)) in periods.into_iter().enumerate() {
        let (first, last) = period.cover_days();
        let (from, to) = (scale.column(first).max(at), scale.column(last.tomorrow().unwrap_or(last)).min(scale.width));
        line.push_str(&" ".repeat(from - at));
        let style = if is_closed { shade(grain, index) } else { DIM };
        let label = if is_closed { short(period) } else { format!("{} open", short(period)) };
        line.push_str(&format!("{style}{}{style:#}", fill(&label, to.saturating_sub(from), is_closed)));
        at = to.max(from);
    }
    say_raw!("{BOLD}{:<GUTTER$}{BOLD:#}{line}", grain.as_str());
}

fn fill(label: &str, width: usize, closed: bool) -> String {
    let filler = if closed { " " } else { "░" };
    let label: String = label.chars().take(width).collect();
    let left = (width - label.chars().count()) / 2;
    let right = width - label.chars().count() - left;
    format!("{}{label}{}", filler.repeat(left), filler.repeat(right))
}

fn short(period: Period) -> String {
    let label = period.to_string();
    match period.grain() {
        Grain::Quarterly => label[5..].to_owned(),
        Grain::Monthly => period.first_day().strftime("%b").to_string(),
        _ => label,
    }
}

/// Returns an earth colour, lighter for coarser grains. Neighbouring boxes differ, so that borders show without lines.
fn shade(grain: Grain, index: usize) -> Style {
    let (r, g, b) = match grain {
        Grain::Yearly => (196, 164, 112),
        Grain::Quarterly => (166, 124, 82),
        _ => (134, 92, 64),
    };
    let step = if index.is_multiple_of(2) { 0 } else { 24 };
    let ground = Color::Rgb(RgbColor(r - step, g - step, b - step));
    Style::new().bg_color(Some(ground)).fg_color(Some(AnsiColor::Black.into()))
}

/// Draws one bar per slice of time. The height grows with the number of words in memories of that grain; the slice with the
/// most words has the full height.
fn columns(scale: &Scale, grain: Grain, memories: &[Memory]) {
    let mut amounts: BTreeMap<usize, usize> = BTreeMap::new();
    let mut total = 0;
    for memory in of(memories, grain) {
        let words = memory.text.split_whitespace().count();
        *amounts.entry(scale.column(memory.days.0)).or_default() += words;
        total += 1;
    }
    let most = amounts.values().copied().max().unwrap_or(1).max(1);
    let bar = |column| {
        let amount: usize = amounts.get(&column).copied().unwrap_or(0);
        HEIGHTS[(amount * 8).div_ceil(most).min(8)]
    };
    let line: String = (0..scale.width).map(bar).collect();
    let style = match grain {
        Grain::Weekly => AnsiColor::Yellow.on_default(),
        Grain::Daily => AnsiColor::Green.on_default(),
        _ => AnsiColor::Cyan.on_default(),
    };
    say_raw!("{BOLD}{:<GUTTER$}{BOLD:#}{style}{line}{style:#} {DIM}{:>6}{DIM:#}", grain.as_str(), count(total));
}

/// Prints sentences of the yearly summaries. Each came from a daily summary through four roll-ups: weekly, monthly, quarterly
/// and yearly.
fn story(memories: &[Memory]) {
    for year in of(memories, Grain::Yearly) {
        say!(
            "{BOLD}What is left of {}{BOLD:#}  {DIM}each line a sentence that rose through four roll-ups{DIM:#}",
            year.period
        );
        for sentence in spread(year.sentences()) {
            let text = column(&label(sentence), 13);
            say!("  {DATE}{}{DATE:#} {}", sentence.day, text.trim_start());
        }
    }
}

/// Returns at most [`STORY`] of the sentences, spread over the whole year.
fn spread(sentences: &[Sentence]) -> impl Iterator<Item = &Sentence> {
    let step = sentences.len().div_ceil(STORY).max(1);
    sentences.iter().step_by(step)
}

fn label(sentence: &Sentence) -> String {
    let speaker = sentence.speaker.as_deref().map(|speaker| format!("{speaker}: ")).unwrap_or_default();
    format!("{speaker}{}", sentence.text)
}

fn of(memories: &[Memory], grain: Grain) -> impl Iterator<Item = &Memory> {
    memories.iter().filter(move |memory| memory.grain == grain)
}
