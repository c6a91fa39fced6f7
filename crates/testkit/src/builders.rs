//! Builders for the records that tests need. Days are UTC days.

use annals_core::ports::{Content, Document, Origin, Passage, Turn};
use annals_core::{
    Agent, Author, Date, Digest, Draft, FactOperation, Grain, Interval, MemoryId, Message, Period, Properties, Role,
    RolledUp, Statement, Summary, Timestamp, Verb, Zones, identify,
};

/// Builds a message in conversation `talk` by an unnamed user, without a client id.
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

/// Builds the turn of [`message`].
pub fn turn(agent: &Agent, said_at: &str, content: &str) -> Turn {
    turn_of(agent, message(said_at, content))
}

/// Builds the turn of any message.
pub fn turn_of(agent: &Agent, message: Message) -> Turn {
    let key = identify(std::slice::from_ref(&message)).remove(0);
    let day = utc().day_of(message.at);
    Turn {
        id: MemoryId::turn(agent, &key),
        key,
        day: Period::of(Grain::Daily, day),
        message,
        masked: 0,
        origin: Origin::Client,
        attachment: None,
    }
}

/// Builds the first summary of the period `label`, made from all changes up to `read_seq`.
pub fn summary(label: &str, read_seq: u64, sources: &[MemoryId], text: &str) -> Summary {
    let period = period(label);
    Summary {
        period,
        cover: utc_cover(period),
        read_seq,
        replaces: RolledUp::default(),
        input_digest: Digest::of(sources.iter().map(MemoryId::as_str)),
        recipe: Digest::of(["recipe"]),
        author: Some(Author { engine: "quoting 1".into(), ..Author::default() }),
        sources: sources.to_vec(),
        degraded: false,
        draft: Some(Draft { text: text.into(), sentences: Vec::new(), tokens: 7, ungrounded: 0, verbatim: true }),
    }
}

/// Builds a statement extracted from a turn. It is about Ann.
pub fn statement(agent: &Agent, turn: &Turn, text: &str) -> Statement {
    let start = turn.message.at;
    let end = Timestamp::from_microsecond(start.as_microsecond() + 1).unwrap();
    Statement {
        id: MemoryId::statement(agent, &turn.id, text),
        text: text.into(),
        topic: "attribute".into(),
        importance: 0.5,
        confidence: None,
        who: vec!["Ann".into()],
        when: None,
        day: turn.day,
        cover: Interval { start, end },
        sources: vec![turn.id.clone()],
    }
}

/// Builds an insert operation as extracted from a turn, with its position among the turn's operations. `fact` is the fact, such
/// as `Ann lives_in New York`.
pub fn operation(turn: &Turn, position: u32, fact: &str) -> FactOperation {
    operation_of(turn.id.clone(), position, fact, turn.message.at)
}

/// Builds the operation of a fact that a person entered at `said_at`.
pub fn entry(agent: &Agent, fact: &str, said_at: &str) -> FactOperation {
    operation_of(MemoryId::entry(agent, fact, at(said_at)), 0, fact, at(said_at))
}

fn operation_of(source: MemoryId, position: u32, fact: &str, at: Timestamp) -> FactOperation {
    let words: Vec<&str> = fact.splitn(3, ' ').collect();
    FactOperation {
        id: FactOperation::id(&source, position),
        verb: Verb::Insert,
        subject: words[0].into(),
        predicate: words[1].into(),
        object: words[2].into(),
        replaces: None,
        properties: Properties::new(),
        confidence: 0.5,
        at,
        said_at: at,
        source,
        position,
        recorded_at: at,
    }
}

/// Builds an agent of the default workspace.
pub fn agent(name: &str) -> Agent {
    Agent::new(name).unwrap()
}

/// Parses an instant, such as `2026-03-04T10:00:00Z`.
pub fn at(instant: &str) -> Timestamp {
    instant.parse().unwrap_or_else(|error| panic!("{instant}: {error}"))
}

/// Parses the label of a period.
pub fn period(label: &str) -> Period {
    label.parse().unwrap()
}

pub(crate) fn utc_day(at: Timestamp) -> Date {
    utc().day_of(at)
}

pub(crate) fn utc_cover(period: Period) -> Interval {
    utc().cover(period)
}

fn utc() -> Zones {
    Zones::new("UTC").expect("UTC is a zone")
}

/// Builds a text document of the collection `notes`, written at an instant, with one passage per paragraph.
pub fn document(key: &str, at: Timestamp, text: &str) -> Document {
    let mut start = 0;
    let passages = text.split("\n\n").map(|paragraph| {
        let end = start + paragraph.chars().count() as u32;
        let passage = Passage { start, end };
        start = end + 2;
        passage
    });
    let passages = passages.collect();
    Document {
        collection: "notes".into(),
        key: key.into(),
        content: Content::Text(text.into()),
        indexed: None,
        created_at: at,
        updated_at: at,
        day: Period::of(Grain::Daily, utc().day_of(at)),
        version: 1,
        lifetime: None,
        expires_at: None,
        passages,
    }
}
