//! Generates the questions for an agent at an age. Pure: the same history gives the same questions.

use annals_core::{Message, Timestamp};
use serde::{Deserialize, Serialize};

use super::life::{self, Life};

/// Number of days before the age that the recent questions are about.
const RECENT_DAYS: usize = 7;
/// Maximum number of questions about the last days, and of prompts for contexts; fewer if there are too few turns.
const RECENT: usize = 120;
/// Maximum number of questions about the first month, of each kind; fewer if there are too few turns.
const PAST: usize = 60;
/// Number of questions about the last days that are asked first and not measured.
const WARMING: usize = 10;
/// Minimum number of words of a turn that becomes a question.
const MIN_WORDS: usize = 4;
/// Maximum number of words of a question.
const MAX_WORDS: usize = 12;

/// All questions of a measurement. The questions differ in their words, so that no vector is already cached.
#[derive(Serialize, Deserialize)]
pub(crate) struct Questions {
    /// The time at which all questions are asked.
    pub now: Timestamp,
    /// Number of recent questions at the beginning that are asked to warm up the process and not measured.
    pub warming: usize,
    /// Questions about the last days.
    pub recent: Vec<String>,
    /// Prompts for contexts.
    pub prompts: Vec<String>,
    /// Label of the first month.
    pub period: String,
    /// Questions about the first month that do not name it; the month is given as a filter.
    pub of_period: Vec<String>,
    /// Questions about the first month that name it in words, asked without a filter.
    pub in_words: Vec<String>,
}

impl Questions {
    /// Generates the questions for an agent of this age.
    pub(crate) fn at(life: &Life, days: usize) -> Questions {
        let (period, first_days) = life::FIRST_MONTH;
        let recent = questions_of(life.days().take(days).skip(days.saturating_sub(RECENT_DAYS)));
        // For a young agent, leaves out the last days, so that no question occurs twice.
        let past = questions_of(life.days().take(first_days.min(days.saturating_sub(RECENT_DAYS)).max(1)));
        let ((recent, prompts), (of_period, in_words)) = (halves(recent, RECENT), halves(past, PAST));
        let in_words = in_words.into_iter().map(|words| format!("{words} {}", life::FIRST_MONTH_IN_WORDS)).collect();
        Questions {
            now: life::age(days),
            warming: WARMING,
            recent,
            prompts,
            period: period.into(),
            of_period,
            in_words,
        }
    }

    /// Returns only the questions about the last days, without warm-up.
    pub(crate) fn recent_alone(&self) -> Questions {
        Questions {
            now: self.now,
            warming: 0,
            recent: self.recent.clone(),
            prompts: Vec::new(),
            period: self.period.clone(),
            of_period: Vec::new(),
            in_words: Vec::new(),
        }
    }
}

fn questions_of(days: impl Iterator<Item = Vec<Message>>) -> Vec<String> {
    let turns = days.flatten().map(|message| message.content);
    let words = turns.map(|text| text.split_whitespace().take(MAX_WORDS).map(str::to_owned).collect::<Vec<_>>());
    words.filter(|words| words.len() >= MIN_WORDS).map(|words| words.join(" ")).collect()
}

/// Selects up to `each` * 2 texts, spread evenly, and assigns them to two lists alternately.
fn halves(all: Vec<String>, each: usize) -> (Vec<String>, Vec<String>) {
    let wanted = (each * 2).min(all.len());
    let mut chosen = (0..wanted).map(|number| all[number * all.len() / wanted].clone());
    let (mut one, mut other) = (Vec::new(), Vec::new());
    while let Some(first) = chosen.next() {
        one.push(first);
        other.extend(chosen.next());
    }
    (one, other)
}

#[cfg(test)]
mod tests {
    use annals_core::Role;

    use super::*;

    fn life() -> Life {
        let message = |number: usize| Message {
            conversation: "c".into(),
            client_id: None,
            role: Role::User,
            name: None,
            content: format!("we spoke of thing number {number}"),
            at: Timestamp::UNIX_EPOCH,
        };
        Life::new((0..5000).map(message), 1000).unwrap()
    }

    #[test]
    fn questions_cover_the_last_days_and_the_first_month() {
        let life = life();
        let questions = Questions::at(&life, 90);
        assert_eq!(questions.now, life::age(90));
        assert_eq!((questions.recent.len(), questions.prompts.len()), (RECENT, RECENT));
        assert_eq!((questions.of_period.len(), questions.in_words.len()), (PAST, PAST));
        let number = |text: &str| text.split_whitespace().nth(5).unwrap().parse::<usize>().unwrap();
        let today: usize = life.days().take(90).map(|day| day.len()).sum();
        assert!(questions.recent.iter().all(|text| (today - 400..today).contains(&number(text))));
        assert!(questions.in_words.iter().all(|text| number(text) < 1200 && text.ends_with(" in April 2016")));
        let alone = questions.recent_alone();
        assert_eq!(alone.recent, questions.recent);
        assert_eq!((alone.prompts.len(), alone.of_period.len(), alone.in_words.len()), (0, 0, 0));
    }

    #[test]
    fn halves_are_spread_evenly_and_disjoint() {
        let all = |number: usize| (0..number).map(|number| number.to_string()).collect::<Vec<_>>();
        let (one, other) = halves(all(8), 2);
        assert_eq!((one, other), (vec!["0".to_owned(), "4".into()], vec!["2".to_owned(), "6".into()]));
        assert_eq!(halves(all(3), 2).1, ["1"]);
        assert_eq!(halves(all(0), 2), (vec![], vec![]));
    }
}
