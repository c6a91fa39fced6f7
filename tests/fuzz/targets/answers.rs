//! Answers of a model over real HTTP: as the text of a message and as the body of the response.

use std::collections::BTreeSet;
use std::sync::Arc;

use annals_core::ports::{Engine, ExtractionTask, Extractor, OnConflict, SummaryTask};
use annals_core::prelude::*;
use annals_core::{Error, Memory, MemoryId, Settings};
use annals_llm::{Endpoint, ModelsConfig};
use annals_testkit::{MemoryCatalog, ModelServer, Script, agent, at, period, turn};
use serde_json::json;

use crate::command::NOW;
use crate::fuzz::{Verdict, fuzz};

const DAY: &str = "2026-03-04";

/// Checks that all sources are among those of the task, and that an error is reported as the model's fault.
fn check(error: Option<&Error>, sources: impl Iterator<Item = MemoryId>, sent: &BTreeSet<MemoryId>) -> Verdict {
    if let Some(error) = error {
        // The answer states its own token counts, so it may exhaust the budget.
        let is_its_fault = matches!(error, Error::Model { .. } | Error::Unavailable { .. } | Error::Budget { .. });
        return if is_its_fault { Ok(()) } else { Err(format!("not reported as the model's: {error}")) };
    }
    let mut strangers = sources.filter(|id| !sent.contains(id));
    strangers.next().map_or(Ok(()), |id| Err(format!("a source that was not asked about: {id}")))
}

#[test]
fn answers_are_used_or_refused() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (agent, now, settings) = (agent("tester"), at(NOW), Settings::default());
    let catalog = MemoryCatalog::new();
    let turns: Vec<Memory> = runtime.block_on(async {
        let output = ["I signed for a flat in Lisbon.", "The movers come on Friday.", "I told my sister."];
        let moments = ["2026-03-04T09:00:00Z", "2026-03-04T09:01:00Z", "2026-03-04T09:02:00Z"];
        let turns = moments.iter().zip(output).map(|(at, text)| turn(&agent, at, text)).collect();
        catalog.ingest(&agent, turns, OnConflict::Refuse, now).await.unwrap();
        catalog.inputs(&agent, period(DAY)).await.unwrap()
    });
    let sent: BTreeSet<MemoryId> = turns.iter().map(|turn| turn.id.clone()).collect();
    let sentences = json!({ "sentences": [
        { "text": "Ann signed for a flat in Lisbon.", "day": DAY, "sources": [1] },
        { "text": "The movers come on Friday.", "day": null, "sources": [2, 3] } ] });
    let facts = json!({
        "facts": [{ "text": "Ann signed for a flat.", "topic": "plan", "importance": 0.7, "who": ["Ann"], "when": DAY, "sources": [1] }],
        "operations": [{ "op": "INSERT", "subject": "Ann", "predicate": "lives_in", "object": "Lisbon", "confidence": 0.9,
            "when": DAY, "source": 1 }] });
    let raw = |content: &serde_json::Value| {
        json!({ "choices": [{ "message": { "content": content.to_string() },
        "finish_reason": "stop" }], "usage": { "prompt_tokens": 10, "completion_tokens": 20 } })
        .to_string()
    };
    // The first byte marks a message (`m`) or a whole body (`b`).
    let good = [
        format!("m{sentences}"),
        format!("mHere it is:\n```json\n{facts}\n```"),
        format!("b{}", raw(&sentences)),
        format!("b{}", raw(&facts)),
    ];
    fuzz("answers", &good.map(String::into_bytes), |input| {
        let text = String::from_utf8_lossy(input.get(1..).unwrap_or_default()).into_owned();
        let script = if input.first() == Some(&b'b') { Script::Raw(text) } else { Script::Answers(text) };
        let server = ModelServer::always(script);
        let config: ModelsConfig =
            serde_json::from_value(json!({ "base_url": server.base_url(), "model": "test" })).unwrap();
        let models = config.check(|_| None).unwrap();
        let endpoint = Endpoint::new(models, Arc::new(MemoryCatalog::new())).unwrap();
        runtime.block_on(async {
            let summary = SummaryTask {
                agent: &agent,
                settings: &settings,
                period: period(DAY),
                sources: &turns,
                base: None,
                read_seq: 0,
                now,
                background: None,
                access_key: None,
            };
            let drafted = endpoint.summarize(summary).await;
            let sources = drafted.iter().flat_map(|draft| &draft.sentences).flat_map(|sentence| sentence.from.clone());
            check(drafted.as_ref().err(), sources, &sent)?;
            let task = ExtractionTask {
                agent: &agent,
                settings: &settings,
                turns: &turns,
                context: &[],
                known: &[],
                predicates: &[],
                now,
                access_key: None,
            };
            let found = endpoint.extract(task).await;
            let operations = found.iter().flat_map(|found| &found.operations).map(|operation| operation.source.clone());
            let statements = found.iter().flat_map(|found| &found.statements).flat_map(|found| found.sources.clone());
            check(found.as_ref().err(), operations.chain(statements), &sent)
        })
    });
}
