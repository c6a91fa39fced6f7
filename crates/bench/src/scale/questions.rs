//! What is asked: questions made of rows, the tenth of the time that a range holds, and what is nearest to each question.

use std::path::{Path, PathBuf};

use annals_core::{Date, Embedder, Error, Interval, MemoryId, Result, Settings, Timestamp};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use super::exact::nearest;
use super::row_vectors::RowVectors;
use super::rows::Rows;
use crate::figures::round;
use crate::input;

/// Rows with fewer words make no question.
const LEAST_WORDS: usize = 6;
/// The share of rows that the range holds, at least.
const RANGE: f64 = 0.1;
/// Where the range begins, as a share of the rows: in the middle, where an index helps least.
const BEGINS: f64 = 0.45;
/// Of the words of a row, the share that a question keeps.
const KEPT: f64 = 0.6;

/// Which questions are wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// So many made of rows.
    pub made: usize,
    /// Those of a file besides.
    pub queries: Option<PathBuf>,
}

/// All that the asking process needs to know.
#[derive(Serialize, Deserialize)]
pub struct Asking {
    /// What was wanted.
    pub wanted: Wanted,
    /// Of whom.
    pub agent: String,
    /// When: right after the last row.
    pub now: Timestamp,
    /// The days of the range.
    pub range: Range,
    /// The questions.
    pub questions: Vec<Question>,
}

/// Whole days that hold a tenth of the rows.
#[derive(Clone, Serialize, Deserialize)]
pub struct Range {
    /// The first.
    pub first: Date,
    /// The last.
    pub last: Date,
    /// Their instants.
    pub within: Interval,
    /// The share of rows in it, in percent.
    pub percent: f64,
}

/// One question.
#[derive(Serialize, Deserialize)]
pub struct Question {
    /// Its words.
    pub text: String,
    /// The memories nearest to it.
    pub nearest: Vec<MemoryId>,
    /// Those in the range.
    pub nearest_in_range: Vec<MemoryId>,
}

/// Makes the questions, and finds what is nearest to each.
pub async fn prepare(rows: &Rows, vectors: &RowVectors, embedder: &dyn Embedder, wanted: Wanted) -> Result<Asking> {
    let given = wanted.queries.as_deref().map(input::question_texts).transpose()?.unwrap_or_default();
    let texts: Vec<String> = made(rows, wanted.made).into_iter().chain(given).collect();
    let range = range(rows)?;
    let in_range: Vec<bool> = (0..rows.count).map(|row| range.within.contains(rows.at(row))).collect();
    let found = nearest(vectors, &in_range, &embedder.embed(texts.clone()).await?);
    let ids = |all: Vec<usize>| all.into_iter().map(|row| rows.id(row)).collect();
    let question = |(text, found): (String, super::exact::Nearest)| Question {
        text,
        nearest: ids(found.all),
        nearest_in_range: ids(found.in_range),
    };
    let questions = texts.into_iter().zip(found).map(question).collect();
    Ok(Asking { wanted, agent: rows.agent.name().to_owned(), now: now(rows), range, questions })
}

/// When everything has been said.
pub fn now(rows: &Rows) -> Timestamp {
    (0..rows.count).map(|row| rows.at(row)).max().unwrap_or(Timestamp::UNIX_EPOCH)
}

/// A piece of a row, or some of its words; of rows chosen by a seed.
fn made(rows: &Rows, count: usize) -> Vec<String> {
    let mut random = StdRng::seed_from_u64(5);
    let mut questions = Vec::with_capacity(count);
    // A set of nothing but short texts makes few questions rather than none for ever.
    for _ in 0..count * 20 {
        let text = rows.text(random.random_range(0..rows.count));
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.len() < LEAST_WORDS || questions.len() == count {
            continue;
        }
        questions.push(match random.random_bool(0.5) {
            true => piece(&words, &mut random),
            false => some(&words, &mut random),
        });
    }
    questions
}

fn piece(words: &[&str], random: &mut StdRng) -> String {
    let kept = (words.len() as f64 * KEPT) as usize;
    let start = random.random_range(0..=words.len() - kept);
    words[start..start + kept].join(" ")
}

fn some(words: &[&str], random: &mut StdRng) -> String {
    let kept: Vec<&str> = words.iter().copied().filter(|_| random.random_bool(KEPT)).collect();
    if kept.is_empty() { words.join(" ") } else { kept.join(" ") }
}

/// As many days from the middle on as hold a tenth of the rows.
fn range(rows: &Rows) -> Result<Range> {
    let zones = Settings::default().zones()?;
    let mut instants: Vec<Timestamp> = (0..rows.count).map(|row| rows.at(row)).collect();
    instants.sort();
    let first = zones.day_of(instants[(rows.count as f64 * BEGINS) as usize]);
    let begins = instants.partition_point(|at| *at < zones.day_interval(first).start);
    let tenth = (rows.count as f64 * RANGE) as usize;
    let enough = (begins + tenth.saturating_sub(1)).min(rows.count - 1);
    let last = zones.day_of(instants[enough]);
    let within = zones.days(first, last);
    let inside = instants.iter().filter(|at| within.contains(**at)).count();
    Ok(Range { first, last, within, percent: round(inside as f64 * 100.0 / rows.count as f64) })
}

impl Asking {
    /// What was prepared, if it was.
    pub fn read(path: &Path) -> Result<Option<Asking>> {
        let Ok(text) = std::fs::read_to_string(path) else { return Ok(None) };
        let wrong = |error| Error::storage(format!("reading {}", path.display()), error);
        serde_json::from_str(&text).map(Some).map_err(wrong)
    }

    /// Keeps it for the asking process and the next run.
    pub fn write(&self, path: &Path) -> Result<()> {
        let failed = |error| Error::storage(format!("writing {}", path.display()), error);
        std::fs::write(path, serde_json::json!(self).to_string()).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use annals_core::{Agent, Message, Role};

    use super::*;
    use crate::input::Messages;

    /// A row an hour, of ten words.
    fn rows(count: u16) -> Rows {
        let message = |hour: i64| Message {
            conversation: "c".into(),
            client_id: None,
            role: Role::User,
            name: None,
            content: format!("one two three four five six seven eight nine {hour}"),
            at: Timestamp::from_second(hour * 3600).unwrap(),
        };
        let messages = Messages::from([(Agent::new("a").unwrap(), (0..i64::from(count)).map(message).collect())]);
        Rows::new(&messages, usize::from(count), |_| true).unwrap()
    }

    #[test]
    fn the_range_is_the_days_in_the_middle_that_hold_a_tenth() {
        let range = range(&rows(2400)).unwrap();
        // Ten of a hundred days, from the 46th on.
        assert_eq!((range.first.to_string(), range.last.to_string()), ("1970-02-15".into(), "1970-02-24".into()));
        assert_eq!(range.percent, 10.0);
    }

    #[test]
    fn questions_are_some_words_of_rows_and_the_same_each_time() {
        let rows = rows(100);
        let questions = made(&rows, 50);
        assert_eq!((questions.len(), &questions), (50, &made(&rows, 50)));
        let said: Vec<String> = (0..100).map(|row| rows.text(row)).collect();
        for question in &questions {
            let words: Vec<&str> = question.split(' ').collect();
            let is_of = |text: &String| words.iter().all(|word| text.split(' ').any(|said| said == *word));
            assert!(words.len() < 11 && said.iter().any(is_of), "{question}");
        }
    }
}
