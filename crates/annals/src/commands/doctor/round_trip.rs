//! Sends one message through the whole pipeline: it is stored, embedded, found by meaning, read for facts by the built-in
//! rules, rolled up.

use std::path::Path;
use std::time::Instant;

use annals_core::{Agent, Error, Grain, Memory, Period, Query, Result, Role, Settings, SignedDuration, Timestamp};
use annals_service::NoProgress;
use annals_service::wire::{FactsRequest, IngestRequest, MessageIn};

use super::Finding;
use crate::cli::Global;
use crate::commands::now;
use crate::folder::{Folder, Opening};

/// The test message, in a form that the rules can read.
const WORDS: &str = "My name is Ada. I live in Oslo.";

/// The question; it shares no word with the message.
const QUESTION: &str = "where is her home";

/// Age of the message, long enough that its week is closed.
const AGO: SignedDuration = SignedDuration::from_hours(15 * 24);

/// A folder with one message, used by the checks that follow.
pub(crate) struct RoundTrip {
    pub folder: Folder,
    pub agent: Agent,
    pub turn: Memory,
}

/// Runs all steps and reports each. Returns `None` if the message could not be stored or was not found again.
pub(crate) async fn go(global: &Global, scratch: &Path, report: &mut dyn FnMut(Finding)) -> Option<RoundTrip> {
    let begun = Instant::now();
    match store(scratch, now(global)).await {
        Ok(round_trip) => {
            let found =
                format!("a message was stored, embedded and found by meaning, in {} ms", begun.elapsed().as_millis());
            report(Finding::ok("write and read", found));
            report(step("facts", facts(&round_trip).await));
            report(step("roll-up", roll_up(&round_trip).await));
            Some(round_trip)
        }
        Err(error) => {
            report(Finding::wrong("write and read", message_of(&error), remedy(&error)));
            None
        }
    }
}

fn step(about: &'static str, came_to: Result<String>) -> Finding {
    match came_to {
        Ok(found) => Finding::ok(about, found),
        Err(error) => Finding::wrong(about, message_of(&error), remedy(&error)),
    }
}

/// Formats an error with its causes.
pub(crate) fn message_of(error: &Error) -> String {
    annals_server::rest::chain(error)
}

fn remedy(error: &Error) -> &'static str {
    match error {
        Error::Storage { .. } => "check whether the disk is full or read-only, and whether this user may write to it",
        _ => "this is a bug: please report it with this output",
    }
}

async fn store(scratch: &Path, now: Timestamp) -> Result<RoundTrip> {
    let folder = Folder::open(scratch, Opening::built_in(now)?, true).await?;
    let agent = Agent::new("doctor")?;
    let message = MessageIn {
        role: Role::User,
        content: WORDS.into(),
        conversation: Some("visit".into()),
        id: None,
        name: Some("Ada".into()),
        at: Some(now.saturating_sub(AGO).unwrap_or(now)),
        attachment: None,
        other: Default::default(),
    };
    let request = IngestRequest { messages: vec![message], conversation: None, revise: false };
    let service = folder.service();
    service.ingest(&agent, &Settings::default(), request, now).await?;
    service.make_searchable(&agent, &|_| ()).await?;
    let query = Query { text: Some(QUESTION.into()), limit: 1, ..Query::default() };
    let found = service.answer(&agent, &query, now).await?.results.pop();
    let turn = found.map(|found| found.memory).filter(|memory| memory.text == WORDS);
    let lost = || {
        Error::damaged(
            "the table of the doctor's message",
            "the test message was stored, but a search does not find it",
        )
    };
    Ok(RoundTrip { turn: turn.ok_or_else(lost)?, folder, agent })
}

/// Checks that DuckDB loads, writes and answers.
async fn facts(round_trip: &RoundTrip) -> Result<String> {
    let folder = &round_trip.folder;
    let passed = folder.service().extract_facts(&round_trip.agent, &NoProgress).await?;
    let about = FactsRequest { about: Some("Ada".into()), history: true, ..FactsRequest::default() };
    let found = folder.service().ask_facts(&round_trip.agent, about, folder.now()).await?.facts.len();
    let missing =
        || Error::damaged("the doctor's table of facts", "the test facts were stored, but a query does not find them");
    (found > 0)
        .then(|| format!("{} extracted by the built-in rules, stored, and found by DuckDB", passed.operations))
        .ok_or_else(missing)
}

async fn roll_up(round_trip: &RoundTrip) -> Result<String> {
    let folder = &round_trip.folder;
    let service = folder.service();
    let passed = service.write_summaries(&round_trip.agent, false, folder.now(), &|_| ()).await?;
    service.make_searchable(&round_trip.agent, &|_| ()).await?;
    let day = Period::of(Grain::Daily, round_trip.turn.days.0);
    let summaries = service.memories_of(&round_trip.agent, Grain::Daily).await?;
    let missing = || Error::damaged("the doctor's roll-up", format!("{day} has no summary"));
    let count = passed.written.iter().sum::<u64>();
    (!summaries.is_empty()).then(|| format!("{count} written by the built-in engine")).ok_or_else(missing)
}
