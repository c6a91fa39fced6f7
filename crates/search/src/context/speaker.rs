//! Facts about the speaker. The prompt does not ask for them, so those that resemble it come first: "allergic to nuts"
//! with "add cashews to the shopping list". The caller drops unrelated facts, unless memory fits the prompt well or the
//! prompt is about the speaker or small talk.

use annals_core::{Agent, Along, ContextQuery, Fact, Result, Zones, entity_key};

use super::items::{self, Candidate};
use super::known::{MAX_FACTS, shared_score, worth};
use super::prompt_terms::words;
use crate::Search;

/// Number of facts that are compared with the prompt: those that share the most words with it, then the newest. Each is
/// embedded once, which takes some 2 ms, and its vector is cached.
const COMPARED: usize = 32;
/// Minimum similarity of a fact that counts as related to the prompt. Measured with the built-in model and fifteen facts about
/// the speaker: some fact reaches it for three in four requests that a fact helps to answer, and for one in eight other
/// prompts.
const RELATED: f64 = 0.2;
/// Score of a certain fact about the speaker that shares no words with the prompt and is not related to it. Lower than that of a
/// fact about a named entity.
const SPEAKER: f64 = 1.0;
/// Score per unit of similarity of a related fact.
const LIKENESS: f64 = 2.0;

/// A fact about the speaker.
pub(super) struct SpeakerFact {
    pub(super) candidate: Candidate,
    /// Whether the fact is similar to the prompt.
    pub(super) is_related: bool,
}

impl Search {
    /// Returns up to [`MAX_FACTS`] facts about the speaker, those that fit the prompt best first; among equals, the newest
    /// first. Returns none if the request names no speaker.
    pub(super) async fn facts_about_speaker(
        &self,
        agent: &Agent,
        request: &ContextQuery,
        along: &Along,
        zones: &Zones,
    ) -> Result<Vec<SpeakerFact>> {
        let speaker = request.speaker.as_deref().map(entity_key).filter(|key| !key.is_empty());
        let Some(name) = speaker else { return Ok(Vec::new()) };
        let facts = self.facts_of(agent, &name, along, &words(&request.prompt), COMPARED).await?;
        let texts = facts.iter().map(|(_, fact)| items::sentence(fact)).collect();
        let (likenesses, _) = self.likenesses(&request.prompt, texts).await?;
        let scored = facts.iter().zip(likenesses);
        let mut scored: Vec<SpeakerFact> =
            scored.map(|((shared, fact), likeness)| speaker_fact(fact, *shared, likeness, zones)).collect();
        // The sort is stable: among facts of one score, the newest stay first.
        scored.sort_by(|a, b| b.candidate.item.score.total_cmp(&a.candidate.item.score));
        scored.truncate(MAX_FACTS);
        Ok(scored)
    }
}

fn speaker_fact(fact: &Fact, shared: usize, likeness: f64, zones: &Zones) -> SpeakerFact {
    let is_related = likeness >= RELATED;
    let resembles = if is_related { LIKENESS * likeness } else { 0.0 };
    let score = SPEAKER * worth(fact) + shared_score(shared) + resembles;
    SpeakerFact { candidate: items::of_fact(fact, score, zones), is_related }
}
