//! Prepares the questions, made from rows or read from a file, a date range with a tenth of the rows, and the nearest rows of
//! each question.

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

/// Minimum number of words of a row that becomes a question.
const MIN_WORDS: usize = 6;
/// Minimum share of rows in the range, which ends with the day on which this share is reached.
const RANGE: f64 = 0.1;
/// Start of the range as a share of the rows: in the middle, where an index helps least.
const BEGINS: f64 = 0.45;
/// Share of a row's words that a question keeps.
const KEPT: f64 = 0.6;

/// Options for the questions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Wanted {
    /// Number of questions made from rows.
    pub made: usize,
    /// File with further questions.
    pub queries: Option<PathBuf>,
}

/// The file that the asking process reads: the questions, and the rows nearest to each.
#[derive(Serialize, Deserialize)]
pub(crate) struct Asking {
    pub wanted: Wanted,
    /// Name of the agent that holds the rows.
    pub agent: String,
    /// The time of the questions: the latest time of any row.
    pub now: Timestamp,
    pub range: Range,
    pub questions: Vec<Question>,
}

/// A range of whole days with at least a tenth of the rows.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Range {
    pub first: Date,
    pub last: Date,
    /// The same range as instants.
    pub within: Interval,
    /// Share of rows in the range, in percent.
    pub percent: f64,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct Question {
    pub text: String,
    /// Ids of the memories nearest to the question, including ties with the tenth.
    pub nearest: Vec<MemoryId>,
    /// Ids of the nearest memories in the range, including ties with the tenth.
    pub nearest_in_range: Vec<MemoryId>,
}

/// Makes the questions, and finds the rows nearest to each.
pub(crate) async fn prepare(
    rows: &Rows,
    vectors: &RowVectors,
    embedder: &dyn Embedder,
    wanted: Wanted,
) -> Result<Asking> {
    let from_file = wanted.queries.as_deref().map(input::question_texts).transpose()?.unwrap_or_default();
    let texts: Vec<String> = made(rows, wanted.made).into_iter().chain(from_file).collect();
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

/// Returns the latest time of any row, which serves as the current time of the import and of the questions.
pub(crate) fn now(rows: &Rows) -> Timestamp {
    (0..rows.count).map(|row| rows.at(row)).max().unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Makes questions from randomly chosen rows with a fixed seed: a contiguous piece of the words, or a random subset. Makes
/// fewer than `count` if most texts are short.
fn made(rows: &Rows, count: usize) -> Vec<String> {
    let mut random = StdRng::seed_from_u64(5);
    let mut questions = Vec::with_capacity(count);
    // Bounded, so that a set of only short texts gives few questions instead of looping for ever.
    for _ in 0..count * 20 {
        let text = rows.text(random.random_range(0..rows.count));
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.len() < MIN_WORDS || questions.len() == count {
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

/// Returns the days from the middle onwards that hold at least a tenth of the rows.
fn range(rows: &Rows) -> Result<Range> {
    let zones = Settings::default().zones()?;
    let mut instants: Vec<Timestamp> = (0..rows.count).map(|row| rows.at(row)).collect();
    instants.sort();
    let first = zones.day_of(instants[(rows.count as f64 * BEGINS) as usize]);
    let begins = instants.partition_point(|at| *at < zones.day_interval(first).start);
    let tenth = (rows.count as f64 * RANGE) as usize;
    let should_stop = (begins + tenth.saturating_sub(1)).min(rows.count - 1);
    let last = zones.day_of(instants[should_stop]);
    let within = zones.days(first, last);
    let inside = instants.iter().filter(|at| within.contains(**at)).count();
    Ok(Range { first, last, within, percent: round(inside as f64 * 100.0 / rows.count as f64) })
}

impl Asking {
    /// Reads the questions that an earlier run prepared; `None` if there are none.
    pub(crate) fn read(path: &Path) -> Result<Option<Asking>> {
        let Ok(text) = std::fs::read_to_string(path) else { return Ok(None) };
        let wrong = |error| Error::storage(format!("reading {}", path.display()), error);
        serde_json::from_str(&text).map(Some).map_err(wrong)
    }

    /// Saves the questions for the asking process and the next run.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let failed = |error| Error::storage(format!("writing {}", path.display()), error);
        std::fs::write(path, serde_json::json!(self).to_string()).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use annals_core::{Agent, Message, Role};

    use super::*;
    use crate::input::Messages;

    /// Returns one row an hour, of ten words each.
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
    fn range_covers_a_tenth_of_the_rows_in_the_middle() {
        let range = range(&rows(2400)).unwrap();
        // Ten of a hundred days, from the 46th on.
        assert_eq!((range.first.to_string(), range.last.to_string()), ("1970-02-15".into(), "1970-02-24".into()));
        assert_eq!(range.percent, 10.0);
    }

    #[test]
    fn questions_are_words_of_rows_and_reproducible() {
        let rows = rows(100);
        let questions = made(&rows, 50);
        assert_eq!((questions.len(), &questions), (50, &made(&rows, 50)));
        let texts: Vec<String> = (0..100).map(|row| rows.text(row)).collect();
        for question in &questions {
            let words: Vec<&str> = question.split(' ').collect();
            let is_of = |text: &String| words.iter().all(|word| text.split(' ').any(|other| other == *word));
            assert!(words.len() < 11 && texts.iter().any(is_of), "{question}");
        }
    }
}
