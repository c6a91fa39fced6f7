//! Calls each configured model once, with the work of the first purpose that it is configured for.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use annals_core::ports::{Engine, ExtractionTask, Extractor, ModelStates, RerankTask, Reranker, SummaryTask};
use annals_core::{Error, Grain, Period, Purpose, Result, Settings};
use annals_llm::{Endpoint, Models, RerankEndpoint, RerankModel};

use super::Finding;
use super::round_trip::{RoundTrip, message_of};
use crate::progress::Waiting;

const ABOUT: &str = "model";

pub(crate) async fn call(models: &Models, round_trip: &RoundTrip, json: bool, report: &mut dyn FnMut(Finding)) {
    write_and_read(models, round_trip, json, report).await;
    if let Some(model) = &models.rerank {
        let waiting = waiting(&model.name, &model.base_url, json);
        let ordered = order(model, round_trip).await;
        drop(waiting);
        report(ordered);
    }
}

/// Shows which model is waited for: a small machine may take a minute to answer.
fn waiting(model: &str, base_url: &str, json: bool) -> Waiting {
    Waiting::new(format!("asking {model} at {base_url}"), json)
}

async fn write_and_read(models: &Models, round_trip: &RoundTrip, json: bool, report: &mut dyn FnMut(Finding)) {
    if models.is_empty() {
        return report(Finding::ok(
            ABOUT,
            "none is configured; the built-in engine writes summaries, and built-in rules extract facts",
        ));
    }
    let endpoint = match Endpoint::new(models.clone(), round_trip.folder.catalog().store()) {
        Ok(endpoint) => endpoint,
        Err(error) => return report(Finding::wrong(ABOUT, message_of(&error), "correct [models] in annals.toml")),
    };
    let mut called = BTreeSet::new();
    for (purpose, model) in models.iter() {
        if !called.insert((model.base_url.clone(), model.name.clone())) {
            continue;
        }
        let name = format!("{} at {}", model.name, model.base_url);
        let begun = Instant::now();
        let waiting = waiting(&model.name, &model.base_url, json);
        let worked = work(&endpoint, purpose, round_trip).await;
        drop(waiting);
        report(match worked {
            Ok(what) => {
                let took = begun.elapsed().as_millis();
                Finding::ok(ABOUT, format!("{name} {what} in {took} ms{}", speed(&endpoint, purpose)))
            }
            Err(error) => Finding::wrong(ABOUT, format!("{name}: {}", message_of(&error)), remedy(&error)),
        });
    }
}

/// Describes the measured speed and the window in use; empty if nothing was measured.
fn speed(endpoint: &Endpoint, purpose: Purpose) -> String {
    let states = endpoint.model_states();
    let Some(state) = states.iter().find(|state| state.purposes.contains(&purpose)) else { return String::new() };
    let (Some(reading), Some(writing)) = (state.reading, state.writing) else { return String::new() };
    format!("; it reads {reading:.0} and writes {writing:.1} tokens a second, window {}", state.window)
}

async fn work(endpoint: &Endpoint, purpose: Purpose, round_trip: &RoundTrip) -> Result<String> {
    let (settings, turns, now) = (Settings::default(), std::slice::from_ref(&round_trip.turn), round_trip.folder.now());
    let Some(grain) = Grain::SUMMARIES.into_iter().find(|grain| Purpose::of(*grain) == purpose) else {
        let agent = &round_trip.agent;
        let task = ExtractionTask {
            agent,
            settings: &settings,
            turns,
            context: &[],
            known: &[],
            predicates: &[],
            now,
            access_key: None,
        };
        let found = endpoint.extract(task).await?;
        return Ok(format!("read a message for facts and found {}", found.operations.len()));
    };
    let period = Period::of(grain, round_trip.turn.days.0);
    let task = SummaryTask {
        agent: &round_trip.agent,
        settings: &settings,
        period,
        sources: turns,
        base: None,
        read_seq: round_trip.turn.seq,
        now,
        background: None,
        access_key: None,
    };
    let draft = endpoint.summarize(task).await?;
    Ok(format!("wrote a {grain} summary of {} sentences", draft.sentences.len()))
}

/// Asks the reranker to order two texts; only the second answers the question.
async fn order(model: &Arc<RerankModel>, round_trip: &RoundTrip) -> Finding {
    const ABOUT: &str = "reranker";
    let name = format!("{} at {}", model.name, model.base_url);
    let texts = ["Stock prices fell sharply.".to_owned(), "The dog sleeps in the garden.".to_owned()];
    let task = RerankTask {
        agent: &round_trip.agent,
        question: "Where does the dog sleep?",
        texts: &texts,
        now: round_trip.folder.now(),
        access_key: None,
    };
    let begun = Instant::now();
    let scores = match RerankEndpoint::new(model.clone(), round_trip.folder.catalog().store()) {
        Ok(endpoint) => endpoint.rerank(task).await,
        Err(error) => Err(error),
    };
    match scores.as_deref() {
        Ok([other, answer]) if answer > other => {
            Finding::ok(ABOUT, format!("{name} reranked two texts in {} ms", begun.elapsed().as_millis()))
        }
        Ok(_) => Finding::doubtful(
            ABOUT,
            format!("{name} did not score the text that answers the question higher than the one that does not"),
            "check that the model is a reranker and that its server runs in reranking mode; search results are worse with \
             it than without it",
        ),
        Err(error) => Finding::wrong(
            ABOUT,
            format!("{name}: {}", message_of(error)),
            "check that its server runs, has /rerank below base_url and answers within `timeout`; until then, searches run \
             without reranking",
        ),
    }
}

fn remedy(error: &Error) -> &'static str {
    match error {
        Error::Unavailable { .. } => {
            "check that its server runs and can be reached from this machine, and that key and model name are right; until \
             then, the built-in engine does the work, after a delay"
        }
        Error::Model { .. } => {
            "it answers, but not in the requested format: try another `json` setting or a larger model"
        }
        _ => "see docs/models.md",
    }
}
