//! Rolling up one period: read what it is made of, and unless that is what the stored summary was made of, write it anew.

use annals_core::{Agent, Digest, LedgerRow, Memory, Result, Summary, Zones};

use crate::Summarizer;

impl Summarizer {
    /// The roll-up of one period, ready to be saved. With `refresh` the engine writes even if the input is the same.
    pub(crate) async fn roll_up(
        &self,
        agent: &Agent,
        row: &LedgerRow,
        zones: &Zones,
        refresh: bool,
    ) -> Result<Summary> {
        let period = row.period;
        let inputs = self.catalog.inputs(agent, period).await?;
        let input_digest = digest(&inputs);
        let known = row.input_digest == Some(input_digest);
        let summary = Summary {
            period,
            cover: zones.cover(period),
            read_seq: row.dirty_seq,
            input_digest,
            // What is not written anew keeps the recipe that it was written by.
            recipe: row.recipe.filter(|_| known && !refresh).unwrap_or_else(|| self.engine.recipe(period.grain())),
            sources: inputs.iter().map(|memory| memory.id.clone()).collect(),
            draft: None,
        };
        if inputs.is_empty() || (known && !refresh) {
            return Ok(summary);
        }
        Ok(Summary { draft: Some(self.engine.summarize(period, &inputs).await?), ..summary })
    }
}

/// Hash of the ids and contents of what a summary reads. Speaker and moment belong to what was said, and the sources of each
/// sentence to a summary: without them a year would go on naming turns that its quarter no longer quotes.
fn digest(inputs: &[Memory]) -> Digest {
    Digest::of(inputs.iter().flat_map(|memory| {
        let speaker = memory.speaker.clone().unwrap_or_default();
        let start = memory.cover.start.as_microsecond().to_string();
        let traces = memory.sentences.iter().flat_map(|sentence| sentence.from.iter().map(ToString::to_string));
        let traces = traces.collect::<Vec<_>>().join(" ");
        [memory.id.to_string(), start, speaker, memory.text.clone(), traces]
    }))
}
