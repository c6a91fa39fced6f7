//! Formats the figures of one set as a table and as JSON.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::BUDGETS;
use super::ask::{Answered, Periods, Wasted};
use super::evidence::Source;
use crate::figures::round;

/// Kinds of items with a column of their own.
const KINDS: [(&str, &[&str]); 3] =
    [("facts", &["fact", "statement"]), ("summaries", &["summary"]), ("turns", &["turn"])];

/// Results, each with one entry per budget.
#[derive(Default)]
pub(crate) struct Report {
    /// The questions of the set.
    pub answered: Vec<Answered>,
    /// Prompts unrelated to the memory.
    pub wasted: Vec<Wasted>,
    /// Questions about periods.
    pub periods: Vec<Periods>,
    /// The questions of the set after retention.
    pub retained: Vec<Answered>,
}

impl Report {
    pub(crate) fn table(&self, name: &str) -> String {
        let mut text = format!(
            "{name}\n{:<22}{:>6}{:>8}{:>8}{:>8}{:>9}{:>8}{:>8}{:>8}{:>8}{:>8}\n",
            "", "asked", "any %", "all %", "verb. %", "tokens", "facts", "summ.", "turns", "waste", "p95"
        );
        for ((budget, answered), wasted) in BUDGETS.iter().zip(&self.answered).zip(&self.wasted) {
            let waste = format!("{:>8.1}{:>8}", wasted.mean(), wasted.at(95));
            text += &format!("{:<22}{}{waste}\n", format!("{budget} tokens"), answered.row());
        }
        for (budget, answered) in BUDGETS.iter().zip(&self.retained) {
            let _ = write!(text, "{:<22}{}  by", format!("{budget}, a year later"), answered.row());
            for (source, share) in answered.by_source() {
                let _ = write!(text, " {source} {share:.1}");
            }
            text.push('\n');
        }
        for (budget, periods) in BUDGETS.iter().zip(&self.periods) {
            let (questions, right) = periods.sum();
            let _ = write!(
                text,
                "{:<22}{questions:>6} questions about periods, the summary first: {:.1} %; by grain",
                format!("{budget} tokens"),
                percent(right, questions)
            );
            for (grain, (questions, right)) in &periods.by_grain {
                let _ = write!(text, " {grain} {right}/{questions}");
            }
            text.push('\n');
        }
        text
    }

    pub(crate) fn in_json(&self) -> Value {
        let of = |index: usize| {
            let grains = self.periods[index].by_grain.iter();
            let grains =
                grains.map(|(grain, (questions, right))| (grain.clone(), json!({"asked": questions, "first": right})));
            json!({
                "answered": self.answered[index].in_json(),
                "retained": self.retained[index].in_json(),
                "wasted": { "mean": round(self.wasted[index].mean()), "p95": self.wasted[index].at(95) },
                "periods": grains.collect::<Map<String, Value>>(),
            })
        };
        let entries = BUDGETS.iter().enumerate().map(|(index, budget)| (budget.to_string(), of(index)));
        Value::Object(entries.collect())
    }
}

impl Answered {
    fn row(&self) -> String {
        let share = |count: usize| percent(count, self.questions);
        let mut row = format!(
            "{:>6}{:>8.1}{:>8.1}{:>8.1}{:>9.0}",
            self.questions,
            share(self.any),
            share(self.all),
            share(self.verbatim),
            self.tokens as f64 / self.questions.max(1) as f64
        );
        self.shares().for_each(|(_, share)| row += &format!("{share:>8.1}"));
        row
    }

    /// Returns the share of items of each kind in the tokens of all contexts, in percent.
    fn shares(&self) -> impl Iterator<Item = (&'static str, f64)> + '_ {
        let of = |kinds: &[&str]| kinds.iter().filter_map(|kind| self.kinds.get(kind)).sum::<u64>() as f64;
        KINDS.iter().map(move |(name, kinds)| (*name, of(kinds) * 100.0 / self.tokens.max(1) as f64))
    }

    /// Returns the share of questions for which each source holds evidence, in percent.
    fn by_source(&self) -> impl Iterator<Item = (String, f64)> + '_ {
        let sources = self.by.iter().filter(|(source, _)| **source != Source::All);
        sources.map(|(source, count)| (name(*source), percent(*count, self.questions)))
    }

    fn in_json(&self) -> Value {
        let share = |count: usize| round(percent(count, self.questions));
        let map = |entries: Vec<(String, f64)>| {
            entries.into_iter().map(|(name, value)| (name, json!(round(value)))).collect::<Map<String, Value>>()
        };
        json!({
            "asked": self.questions, "any": share(self.any), "all": share(self.all), "verbatim": share(self.verbatim),
            "tokens": round(self.tokens as f64 / self.questions.max(1) as f64),
            "shares": map(self.shares().map(|(name, share)| (name.to_owned(), share)).collect()),
            "by": map(self.by_source().collect()),
        })
    }
}

impl Wasted {
    fn mean(&self) -> f64 {
        self.tokens.iter().sum::<u64>() as f64 / self.tokens.len().max(1) as f64
    }

    fn at(&self, percentile: usize) -> u64 {
        self.tokens
            .get((self.tokens.len() * percentile / 100).min(self.tokens.len().saturating_sub(1)))
            .copied()
            .unwrap_or(0)
    }
}

impl Periods {
    fn sum(&self) -> (usize, usize) {
        self.by_grain.values().fold((0, 0), |sum, (questions, right)| (sum.0 + questions, sum.1 + right))
    }
}

fn name(source: Source) -> String {
    match source {
        Source::All => "all".into(),
        Source::Turn => "turn".into(),
        Source::Excerpt => "excerpt".into(),
        Source::Fact => "fact".into(),
        Source::Summary(grain) => grain.to_string(),
    }
}

fn percent(count: usize, of: usize) -> f64 {
    count as f64 * 100.0 / of.max(1) as f64
}
