//! Short ways to write down the records that tests need. Days are those of UTC.

use annals_core::ports::Turn;
use annals_core::{
    Agent, Digest, Draft, Interval, MemoryId, Message, Period, Role, Summary, Timestamp, Zones, identify,
};

/// A message of conversation `talk` without an id of its own, said by a user without a name.
pub fn message(said_at: &str, content: &str) -> Message {
    Message {
        conversation: "talk".into(),
        client_id: None,
        role: Role::User,
        name: None,
        content: content.into(),
        at: at(said_at),
    }
}

/// The turn of [`message`].
pub fn turn(agent: &Agent, said_at: &str, content: &str) -> Turn {
    turn_of(agent, message(said_at, content))
}

/// The turn of any message.
pub fn turn_of(agent: &Agent, message: Message) -> Turn {
    let key = identify(std::slice::from_ref(&message)).remove(0);
    let day = utc().day_of(message.at);
    Turn { id: MemoryId::turn(agent, &key), key, day: Period::of(annals_core::Grain::Daily, day), message }
}

/// A roll-up of `label` that read everything up to `read_seq`, and came to `text`.
pub fn summary(label: &str, read_seq: u64, sources: &[MemoryId], text: &str) -> Summary {
    let period = period(label);
    Summary {
        period,
        cover: utc_cover(period),
        read_seq,
        input_digest: Digest::of(sources.iter().map(MemoryId::as_str)),
        recipe: Digest::of(["recipe"]),
        sources: sources.to_vec(),
        draft: Some(Draft { text: text.into(), sentences: Vec::new(), tokens: 7 }),
    }
}

/// An agent of the default workspace.
pub fn agent(name: &str) -> Agent {
    Agent::new(name).unwrap()
}

/// An instant, as in `2026-03-04T10:00:00Z`.
pub fn at(instant: &str) -> Timestamp {
    instant.parse().unwrap_or_else(|error| panic!("{instant}: {error}"))
}

/// A period by its label.
pub fn period(label: &str) -> Period {
    label.parse().unwrap()
}

pub(crate) fn utc_cover(period: Period) -> Interval {
    utc().cover(period)
}

fn utc() -> Zones {
    Zones::new("UTC").expect("UTC is a zone")
}
