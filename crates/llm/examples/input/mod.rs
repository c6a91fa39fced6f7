//! Reads messages and queries in the import format.

use std::collections::{BTreeMap, BTreeSet};

use annals_core::{Agent, Body, Grain, Interval, Memory, MemoryId, Period, Role, Timestamp, TurnKey, Zones};
use serde_json::Value;
use unicode_segmentation::UnicodeSegmentation;

pub type Failure = Box<dyn std::error::Error>;

/// Returns the words in lower case, without the most common English words.
pub fn content(text: &str) -> impl Iterator<Item = String> {
    let lower = text.unicode_words().map(|word| word.to_lowercase().replace('’', "'"));
    lower.filter(|word| !STOP.split_whitespace().any(|stop| stop == word)).collect::<Vec<_>>().into_iter()
}

const STOP: &str = "a an the and or but if so of to in on at for with by from as is are was were be been being am do \
    does did have has had having i you he she it we they me him her us them my your his its our their mine yours this \
    that these those there here what which who whom whose when where why how not no nor just very too also can could \
    will would should may might must than then up out about into over all some any more most such only own same i'm \
    it's that's don't i've you're we're i'll i'd can't didn't isn't you've we've they're he's she's there's what's \
    let's";

pub fn lines(file: &str) -> Result<Vec<Value>, Failure> {
    let text = std::fs::read_to_string(file)?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

pub fn days(messages: &[Value]) -> Result<BTreeMap<(String, Period), Vec<Memory>>, Failure> {
    let utc = Zones::new("UTC")?;
    let mut days: BTreeMap<(String, Period), Vec<Memory>> = BTreeMap::new();
    for message in messages {
        let turn = turn(message, &utc)?;
        days.entry((text(message, "agent"), turn.period)).or_default().push(turn);
    }
    Ok(days)
}

fn turn(message: &Value, zones: &Zones) -> Result<Memory, Failure> {
    let key = TurnKey { conversation: text(message, "conversation"), id: text(message, "id") };
    let at: Timestamp = text(message, "at").parse()?;
    let day = zones.day_of(at);
    Ok(Memory {
        id: MemoryId::turn(&Agent::new(&text(message, "agent"))?, &key),
        grain: Grain::Working,
        period: Period::of(Grain::Daily, day),
        cover: Interval { start: at, end: at },
        days: (day, day),
        text: text(message, "content"),
        pinned: false,
        seq: 0,
        body: Body::Turn {
            speaker: text(message, "name"),
            role: text(message, "role").parse::<Role>()?,
            conversation: key.conversation,
            message: key.id,
        },
    })
}

pub fn text(message: &Value, field: &str) -> String {
    message[field].as_str().unwrap_or_default().to_owned()
}

/// Returns agent and message id of every turn that answers a query.
pub fn evidence(queries: &[Value]) -> BTreeSet<(String, String)> {
    let ids = |query: &Value| query["evidence"].as_array().cloned().unwrap_or_default();
    let pair = |query: &Value, id: &Value| (text(query, "agent"), id.as_str().unwrap_or_default().to_owned());
    queries.iter().flat_map(|query| ids(query).iter().map(|id| pair(query, id)).collect::<Vec<_>>()).collect()
}
