//! Frozen sources: summaries in a file, from which the summaries of the coarser grain are written. The file has the day, the
//! text and the ids of the messages of each sentence, but not the messages. Frozen sources do not change with the built-in
//! engine or with the reading of answers. So an answer that was written from them can be judged at any time.

use std::collections::HashMap;
use std::path::Path;

use annals_core::{Agent, Body, Date, Error, Grain, Memory, MemoryId, Period, Result, Sentence, Zones};
use serde::{Deserialize, Serialize};

use super::by_period::ByPeriod;

#[derive(Deserialize)]
struct FrozenSummary {
    sentences: Vec<FrozenSentence>,
}

#[derive(Deserialize, Serialize)]
struct FrozenSentence {
    day: Date,
    text: String,
    /// Ids of the messages that the sentence comes from.
    messages: Vec<String>,
}

#[derive(Serialize)]
struct Line<'a> {
    agent: &'a str,
    period: String,
    sentences: Vec<FrozenSentence>,
}

pub(super) struct FrozenSources(ByPeriod<FrozenSummary>);

impl FrozenSources {
    pub(super) fn read(path: &Path) -> Result<FrozenSources> {
        ByPeriod::read(path).map(FrozenSources)
    }

    /// Returns the summaries of one grain. Fails if a sentence names a message that the agent does not have.
    pub(super) fn of(&self, agent: &Agent, grain: Grain, days: &[Vec<Memory>]) -> Result<Vec<Memory>> {
        let ids: HashMap<&str, &MemoryId> =
            days.iter().flatten().filter_map(|turn| Some((turn.message()?, &turn.id))).collect();
        let of_grain = self.0.of(agent).filter(|(period, _)| period.grain() == grain);
        of_grain
            .map(|(period, frozen)| {
                let sentences = frozen.sentences.iter().map(|sentence| sentence.thaw(period, &ids));
                summary(agent, period, sentences.collect::<Result<_>>()?, Vec::new())
            })
            .collect()
    }
}

impl FrozenSentence {
    fn thaw(&self, period: Period, ids: &HashMap<&str, &MemoryId>) -> Result<Sentence> {
        let id = |message: &String| {
            let unknown = || Error::invalid(format!("sources of {period}"), format!("no message has the id {message}"));
            ids.get(message.as_str()).map(|id| (*id).clone()).ok_or_else(unknown)
        };
        let from = self.messages.iter().map(id).collect::<Result<_>>()?;
        Ok(Sentence { day: self.day, speaker: None, text: self.text.clone(), from, ungrounded: false })
    }
}

/// Returns a summary as a line of a file of frozen sources. Leaves out sources that are not among the turns of `days`.
pub(super) fn line(agent: &Agent, memory: &Memory, days: &[Vec<Memory>]) -> Result<String> {
    let names: HashMap<&MemoryId, &str> =
        days.iter().flatten().filter_map(|turn| Some((&turn.id, turn.message()?))).collect();
    let sentence = |sentence: &Sentence| FrozenSentence {
        day: sentence.day,
        text: sentence.text.clone(),
        messages: sentence.from.iter().filter_map(|id| names.get(id)).map(|name| (*name).to_owned()).collect(),
    };
    let sentences = memory.sentences().iter().map(sentence).collect();
    serde_json::to_string(&Line { agent: agent.name(), period: memory.period.to_string(), sentences })
        .map_err(|error| Error::invalid("sources", error.to_string()))
}

/// Builds the memory of a summary. Its text is the sentences joined by spaces.
pub(crate) fn summary(
    agent: &Agent,
    period: Period,
    sentences: Vec<Sentence>,
    sources: Vec<MemoryId>,
) -> Result<Memory> {
    let texts: Vec<&str> = sentences.iter().map(|sentence| sentence.text.as_str()).collect();
    Ok(Memory {
        id: MemoryId::summary(agent, period),
        grain: period.grain(),
        period,
        cover: Zones::new("UTC")?.cover(period),
        days: period.cover_days(),
        text: texts.join(" "),
        pinned: false,
        seq: 0,
        body: Body::Summary { sentences, sources },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summaries::turns;

    const MESSAGES: &str = concat!(
        r#"{"agent":"ann","conversation":"c","id":"1","role":"user","content":"I moved to Bern.","at":"2026-03-04T10:00:00Z"}"#,
        "\n",
        r#"{"agent":"ann","conversation":"c","id":"2","role":"user","content":"It rains.","at":"2026-03-05T10:00:00Z"}"#,
    );

    fn file(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    }

    #[test]
    fn frozen_summary_is_read_as_it_was() {
        let all = turns::days(file(MESSAGES).path()).unwrap();
        let (agent, days) = all.iter().next().unwrap();
        let period: Period = "2026-W10".parse().unwrap();
        let from = days.iter().flatten().map(|turn| turn.id.clone()).collect();
        let sentence =
            Sentence { day: days[0][0].days.0, speaker: None, text: "Ann moved.".into(), from, ungrounded: false };
        let week = summary(agent, period, vec![sentence], Vec::new()).unwrap();
        let frozen = FrozenSources::read(file(&line(agent, &week, days).unwrap()).path()).unwrap();
        assert_eq!(frozen.of(agent, Grain::Weekly, days).unwrap(), [week]);
        assert_eq!(frozen.of(agent, Grain::Daily, days).unwrap(), []);
    }

    #[test]
    fn message_that_does_not_exist_is_an_error() {
        let all = turns::days(file(MESSAGES).path()).unwrap();
        let (agent, days) = all.iter().next().unwrap();
        let line =
            r#"{"agent":"ann","period":"2026-W10","sentences":[{"day":"2026-03-04","text":"x","messages":["9"]}]}"#;
        let frozen = FrozenSources::read(file(line).path()).unwrap();
        let error = frozen.of(agent, Grain::Weekly, days).unwrap_err().to_string();
        assert!(error.contains("2026-W10") && error.contains('9'), "{error}");
    }
}
