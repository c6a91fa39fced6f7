//! The history of one agent: messages for each day, taken from real messages. The first round uses each distinct text once, in
//! the order of the file; further rounds repeat all texts, each in another order. Pure: the same messages give the same history.

use std::collections::HashSet;

use annals_core::{Date, Digest, Error, Message, Result, Timestamp};
use jiff::civil::date;
use jiff::{SignedDuration, ToSpan};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

/// The first day: a Monday with which the cover of a month begins, so that the first month is complete.
const FIRST: Date = date(2016, 4, 4);
/// Hours at which the conversations of a day begin.
const HOURS: [i64; 5] = [8, 11, 14, 17, 20];
/// Time between two turns of a conversation.
const PACE: SignedDuration = SignedDuration::from_secs(20);

/// An endless sequence of days with messages.
pub(crate) struct Life {
    texts: Vec<Message>,
    per_day: usize,
}

impl Life {
    /// Creates a history from these messages, with at least `per_day` bytes of text a day. Fails if no message has text.
    pub(crate) fn new(messages: impl IntoIterator<Item = Message>, per_day: usize) -> Result<Life> {
        let mut known = HashSet::new();
        let mut texts: Vec<Message> = messages.into_iter().collect();
        texts.retain(|message| !message.content.trim().is_empty() && known.insert(message.content.clone()));
        match texts.is_empty() {
            true => Err(Error::invalid("--messages", "hold no text")),
            false => Ok(Life { texts, per_day: per_day.max(1) }),
        }
    }

    /// Returns a digest of the texts and of the bytes a day. Equal digests mean equal histories.
    pub(crate) fn digest(&self) -> Digest {
        let texts = self.texts.iter().map(|message| message.content.as_str());
        Digest::of([self.per_day.to_string().as_str()].into_iter().chain(texts))
    }

    /// Returns the messages of each day in order of time, with at least `per_day` bytes of text. Endless.
    pub(crate) fn days(&self) -> impl Iterator<Item = Vec<Message>> {
        let rounds = (0..).flat_map(|round| order(round, self.texts.len()));
        let mut texts = rounds.map(|index| &self.texts[index]);
        (0..).map(move |number: i64| self.day(FIRST.saturating_add(number.days()), &mut texts))
    }

    fn day<'a>(&self, date: Date, texts: &mut impl Iterator<Item = &'a Message>) -> Vec<Message> {
        let (mut messages, mut bytes) = (Vec::new(), 0);
        while bytes < self.per_day {
            let Some(message) = texts.next() else { break };
            bytes += message.content.len();
            messages.push(message);
        }
        let in_one = messages.len().div_ceil(HOURS.len()).max(1);
        let message = |(number, text): (usize, &&Message)| message(date, number, in_one, text);
        messages.iter().enumerate().map(message).collect()
    }
}

/// Returns the time at which the agent is `days` old: 20 minutes after midnight, so that the previous day is closed.
pub(crate) fn age(days: usize) -> Timestamp {
    let days = i64::try_from(days).unwrap_or(i64::MAX);
    midnight(FIRST.saturating_add(days.days())) + SignedDuration::from_mins(20)
}

/// The label of the first month, and the number of days that it covers.
pub(crate) const FIRST_MONTH: (&str, usize) = ("2016-04", 28);
/// The first month in words, as in a question.
pub(crate) const FIRST_MONTH_IN_WORDS: &str = "in April 2016";

fn message(date: Date, number: usize, in_one: usize, text: &Message) -> Message {
    let (hour, index) = (number / in_one, number % in_one);
    let at = midnight(date) + SignedDuration::from_hours(HOURS[hour]) + PACE * i32::try_from(index).unwrap_or(i32::MAX);
    let (conversation, client_id) = (format!("{date} {hour}"), Some(format!("{date}#{number}")));
    Message { conversation, client_id, at, ..text.clone() }
}

fn midnight(date: Date) -> Timestamp {
    date.in_tz("UTC").map_or(Timestamp::MAX, |midnight| midnight.timestamp())
}

/// Returns the order of the texts in a round: that of the file in round 0, shuffled in later rounds.
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

    fn texts_of(life: &Life, days: usize) -> Vec<Vec<String>> {
        let texts = |day: Vec<Message>| day.into_iter().map(|message| message.content).collect();
        life.days().take(days).map(texts).collect()
    }

    #[test]
    fn days_reach_their_bytes_and_each_round_uses_every_text_once() {
        let life = life(&["aaaa", "bb", "aaaa", " ", "cc", "dddd"], 5);
        let days = texts_of(&life, 100);
        assert_eq!(days[..2], [vec!["aaaa", "bb"], vec!["cc", "dddd"]]);
        let mut second: Vec<String> = days.concat()[4..8].to_vec();
        second.sort();
        assert_eq!(second, ["aaaa", "bb", "cc", "dddd"]);
        assert!(days.concat()[4..].chunks(4).any(|round| round != &days.concat()[..4]), "each time in another order");
        assert_eq!(days, texts_of(&life, 100));
    }

    #[test]
    fn turns_of_a_day_are_in_time_order_with_distinct_ids() {
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
    fn age_is_after_the_end_of_its_last_day() {
        assert_eq!(age(1).to_string(), "2016-04-05T00:20:00Z");
        assert_eq!(age(FIRST_MONTH.1).to_string(), "2016-05-02T00:20:00Z");
    }

    #[test]
    fn messages_without_text_are_refused() {
        assert!(Life::new([], 10).is_err());
    }
}
