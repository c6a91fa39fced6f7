//! Checks the configured model of entailment: it judges a wrong and a right sentence about one line of a chat.

use std::path::Path;
use std::time::Instant;

use annals_core::ports::{EntailmentPair, EntailmentScores};
use annals_core::{Entailment, Result};
use annals_llm::{EmbedderSettings, GroundingModel};

use super::Finding;
use super::round_trip::message_of;
use crate::entailment::open;

const ABOUT: &str = "grounding";

const LINE: &str = "10:15 Ann: I refused the offer.";
const WRONG: &str = "Ann took the offer.";
const RIGHT: &str = "Ann refused the offer.";

/// Reports whether the model marks [`WRONG`] as a contradiction and does not mark [`RIGHT`]. Returns nothing if no model is configured.
pub(crate) async fn look(data: &Path, model: Option<&GroundingModel>, settings: &EmbedderSettings) -> Option<Finding> {
    let model = model?;
    let begun = Instant::now();
    Some(match judge(data, model, settings).await {
        Ok((name, [wrong, right])) => judged(&name, wrong, right, model.contradiction, begun),
        Err(error) => {
            let remedy = "correct [models.grounding] in annals.toml; until then, summaries are checked by rules alone, \
                          and `annals serve` does not start if the model cannot be opened";
            Finding::wrong(ABOUT, message_of(&error), remedy)
        }
    })
}

fn judged(name: &str, wrong: EntailmentScores, right: EntailmentScores, from: f32, begun: Instant) -> Finding {
    let (took, percent) = (begun.elapsed().as_millis(), |share: f32| (share * 100.0).round());
    let scores = format!(
        "{name} loaded and judged two sentences in {took} ms: a contradiction with {} % for a wrong one and {} % for a right one",
        percent(wrong.contradicted),
        percent(right.contradicted)
    );
    if wrong.contradicted >= from && right.contradicted < from {
        return Finding::ok(ABOUT, scores);
    }
    let remedy = format!(
        "sentences count as contradicted from {} %; set models.grounding.contradiction between the two, or choose \
         another model",
        percent(from)
    );
    Finding::doubtful(ABOUT, scores, remedy)
}

async fn judge(
    data: &Path,
    model: &GroundingModel,
    settings: &EmbedderSettings,
) -> Result<(String, [EntailmentScores; 2])> {
    let model = open(data, &model.model, settings)?;
    let pair = |hypothesis: &str| EntailmentPair { premise: LINE.into(), hypothesis: hypothesis.into() };
    let scores = model.judge(vec![pair(WRONG), pair(RIGHT)]).await?;
    Ok((model.model().to_owned(), [scores[0], scores[1]]))
}
