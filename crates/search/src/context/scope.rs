//! Which days the lines about a prompt may be of: a prompt that asks for a past period, and names no other topic, is answered from
//! that period. Pure.

use std::collections::HashSet;

use annals_core::{Answer, Date, Found, Timestamp, Zones};
use jiff::ToSpan;

use super::floor::Prompt;
use crate::times;

/// Days after a period in which people still tell of it.
const TELLING: i64 = 2;

/// Which days the lines about a prompt may be of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// Those of the period that the prompt asks for, and names no other topic: "how was last week?".
    Period,
    All,
}

impl Scope {
    /// Returns the scope of a prompt. A capitalised word that names nobody in
    /// memory is a topic: "what happened with Kubernetes in March?". Plans for the future are said before their time.
    pub(super) fn of(answer: &Answer, prompt: &Prompt<'_>, zones: &Zones, now: Timestamp) -> Scope {
        let is_over = answer.period.and_then(|period| period.to).is_some_and(|to| to <= prompt.today);
        let understood = times::understand(prompt.text, prompt.language, zones.name_at(now), prompt.today);
        if !is_over || !times::names_only_a_period(&understood.rest) {
            return Scope::All;
        }
        let speakers = answer.results.iter().filter_map(|found| found.memory.speaker());
        let names: HashSet<String> =
            speakers.chain(prompt.subjects.iter().map(String::as_str)).flat_map(spoken).collect();
        let is_name = |word: &str| spoken(word).iter().all(|part| names.contains(part) || times::is_neutral(part));
        let words = understood.rest.split_whitespace().skip(1);
        let mut capitalised = words.filter(|word| word.starts_with(char::is_uppercase));
        if capitalised.all(is_name) { Scope::Period } else { Scope::All }
    }
}

/// Returns the words of a text, in lower case and without accents.
fn spoken(text: &str) -> Vec<String> {
    annals_core::words(&annals_core::folded(text)).map(str::to_owned).collect()
}

/// Returns whether the prompt asks for a period and the days of the result overlap it.
pub(super) fn is_of_requested_period(answer: &Answer, found: &Found) -> bool {
    is_of_period(answer, Some(found.memory.days))
}

/// Returns whether the result is of the period, or of the days right after it: people tell of a weekend on Monday.
pub(super) fn is_told_of_period(answer: &Answer, found: &Found) -> bool {
    let (first, last) = found.memory.days;
    is_of_period(answer, Some((first.saturating_sub(TELLING.days()), last)))
}

pub(super) fn is_of_period(answer: &Answer, days: Option<(Date, Date)>) -> bool {
    let (Some(period), Some((first, last))) = (answer.period, days) else { return false };
    period.from.is_none_or(|from| from <= last) && period.to.is_none_or(|to| first <= to)
}
