//! The life of one agent: what it is told day by day, put together from real messages. Each distinct text comes once, in the
//! order of the file; then all of them again, each time in another order. Pure: the same messages make the same life.

use std::collections::HashSet;

use annals_core::{Date, Digest, Error, Message, Result, Timestamp};
use jiff::civil::date;
use jiff::{SignedDuration, ToSpan};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

/// The first day. A Monday on which the cover of a month begins, so that the first month is a whole one.
const FIRST: Date = date(2016, 4, 4);
/// Hours of the day at which the agent is talked to; a conversation each.
const HOURS: [i64; 5] = [8, 11, 14, 17, 20];
/// From one turn of a conversation to the next.
const PACE: SignedDuration = SignedDuration::from_secs(20);

/// What an agent is told, as far as anybody asks.
pub struct Life {
    texts: Vec<Message>,
    per_day: usize,
}

impl Life {
    /// A life of these messages with at least so many bytes of text a day.
    pub fn new(messages: impl IntoIterator<Item = Message>, per_day: usize) -> Result<Life> {
        let mut known = HashSet::new();
        let mut texts: Vec<Message> = messages.into_iter().collect();
        texts.retain(|message| !message.content.trim().is_empty() && known.insert(message.content.clone()));
        match texts.is_empty() {
            true => Err(Error::invalid("--messages", "hold no text")),
            false => Ok(Life { texts, per_day: per_day.max(1) }),
        }
    }

    /// What tells it from other lives.
    pub fn digest(&self) -> Digest {
        let texts = self.texts.iter().map(|message| message.content.as_str());
        Digest::of([self.per_day.to_string().as_str()].into_iter().chain(texts))
    }

    /// What it is told on each of its days, in order of time: at least as many bytes of text as a day has. Without end.
    pub fn days(&self) -> impl Iterator<Item = Vec<Message>> {
        let rounds = (0..).flat_map(|round| order(round, self.texts.len()));
        let mut told = rounds.map(|place| &self.texts[place]);
        (0..).map(move |number: i64| self.day(FIRST.saturating_add(number.days()), &mut told))
    }

    fn day<'a>(&self, date: Date, told: &mut impl Iterator<Item = &'a Message>) -> Vec<Message> {
        let (mut texts, mut bytes) = (Vec::new(), 0);
        while bytes < self.per_day {
            let Some(message) = told.next() else { break };
            bytes += message.content.len();
            texts.push(message);
        }
        let in_one = texts.len().div_ceil(HOURS.len()).max(1);
        let said = |(number, text): (usize, &&Message)| said(date, number, in_one, text);
        texts.iter().enumerate().map(said).collect()
    }
}

/// When the agent is so many days old: a while after midnight, so that the day before is closed.
pub fn age(days: usize) -> Timestamp {
    let days = i64::try_from(days).unwrap_or(i64::MAX);
    midnight(FIRST.saturating_add(days.days())) + SignedDuration::from_mins(20)
}

/// The label of its first month, and how many days that month covers.
pub const FIRST_MONTH: (&str, usize) = ("2016-04", 28);
/// The same in words, as in a question.
pub const FIRST_MONTH_IN_WORDS: &str = "in April 2016";

fn said(date: Date, number: usize, in_one: usize, text: &Message) -> Message {
    let (hour, place) = (number / in_one, number % in_one);
    let at = midnight(date) + SignedDuration::from_hours(HOURS[hour]) + PACE * i32::try_from(place).unwrap_or(i32::MAX);
    let (conversation, client_id) = (format!("{date} {hour}"), Some(format!("{date}#{number}")));
    Message { conversation, client_id, at, ..text.clone() }
}

fn midnight(date: Date) -> Timestamp {
    date.in_tz("UTC").map_or(Timestamp::MAX, |midnight| midnight.timestamp())
}

/// In which order the texts are told for the `round`th time.
fn order(round: u64, texts: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..texts).collect();
    if round > 0 {
        order.shuffle(&mut StdRng::seed_from_u64(round));
    }
    order
}

#[cfg(test)]
mod tests {
    use annals_core::Role;

    use super::*;

    fn life(texts: &[&str], per_day: usize) -> Life {
        let message = |text: &&str| Message {
            conversation: "c".into(),
            client_id: None,
            role: Role::User,
            name: None,
            content: (*text).to_owned(),
            at: Timestamp::UNIX_EPOCH,
        };
        Life::new(texts.iter().map(message), per_day).unwrap()
    }

    fn told(life: &Life, days: usize) -> Vec<Vec<String>> {
        let texts = |day: Vec<Message>| day.into_iter().map(|message| message.content).collect();
        life.days().take(days).map(texts).collect()
    }

    #[test]
    fn a_day_has_its_bytes_and_every_text_comes_once_a_round() {
        let life = life(&["aaaa", "bb", "aaaa", " ", "cc", "dddd"], 5);
        let days = told(&life, 100);
        assert_eq!(days[..2], [vec!["aaaa", "bb"], vec!["cc", "dddd"]]);
        let mut second: Vec<String> = days.concat()[4..8].to_vec();
        second.sort();
        assert_eq!(second, ["aaaa", "bb", "cc", "dddd"]);
        assert!(days.concat()[4..].chunks(4).any(|round| round != &days.concat()[..4]), "each time in another order");
        assert_eq!(days, told(&life, 100));
    }

    #[test]
    fn turns_of_a_day_are_in_order_of_time_and_have_ids_of_their_own() {
        let life = life(&["one", "two", "three", "four", "five", "six", "seven"], 20);
        let messages: Vec<Message> = life.days().take(2).flatten().collect();
        assert_eq!(messages[messages.len() - 1].at.to_string()[..10], *"2016-04-05");
        assert!(messages.is_sorted_by(|one, next| one.at < next.at));
        let ids: HashSet<&str> = messages.iter().filter_map(|message| message.client_id.as_deref()).collect();
        assert_eq!(ids.len(), messages.len());
        assert_eq!(messages[0].conversation, messages[1].conversation);
        assert!(messages[0].conversation != messages[2].conversation);
    }

    #[test]
    fn after_a_day_that_day_is_over() {
        assert_eq!(age(1).to_string(), "2016-04-05T00:20:00Z");
        assert_eq!(age(FIRST_MONTH.1).to_string(), "2016-05-02T00:20:00Z");
    }

    #[test]
    fn without_text_there_is_no_life() {
        assert!(Life::new([], 10).is_err());
    }
}
