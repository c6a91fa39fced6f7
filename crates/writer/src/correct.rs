//! Corrects a memory: replaces its text and keeps the former text as a version.

use annals_core::{Agent, Body, Error, Memory, MemoryId, Message, ObjectKind, Result, Timestamp, TurnKey};

use crate::check::check_content;
use crate::{Writer, check, mask};

impl Writer {
    /// Replaces the text of a memory, with credentials masked if the settings ask for it. A corrected turn makes everything
    /// derived from it out of date. A corrected statement or summary stays until its own input changes. A corrected summary
    /// also makes its parent period dirty. [`Error::NotFound`] if there is no such memory, [`Error::Invalid`] for a passage or
    /// an empty text.
    pub async fn correct(&self, agent: &Agent, id: &MemoryId, text: &str, now: Timestamp) -> Result<()> {
        let mut found = self.store.get(agent, std::slice::from_ref(id)).await?;
        let memory = found.pop().ok_or_else(|| Error::NotFound { what: ObjectKind::Memory, name: id.to_string() })?;
        if let Some(reason) = check_content(text) {
            return Err(Error::invalid("text", reason));
        }
        match with_text(memory, text) {
            Some(turn) => self.correct_turn(agent, turn, now).await,
            None => {
                let masked = self.store.settings(agent).await?.mask.then(|| mask(text).0);
                self.store.correct(agent, id, masked.as_deref().unwrap_or(text), now).await
            }
        }
    }

    async fn correct_turn(&self, agent: &Agent, (key, message): (TurnKey, Message), now: Timestamp) -> Result<()> {
        let faults = check(&message, now);
        if !faults.is_empty() {
            return Err(Error::Faults(faults));
        }
        match self.ingest_correction(agent, (key, message), now).await?.forgotten {
            0 => Ok(()),
            _ => Err(Error::invalid("text", "was forgotten in this conversation before, so it is not stored again")),
        }
    }
}

/// Converts a turn back to a message, with `text` as its content. Returns `None` for a memory that is not a turn.
fn with_text(memory: Memory, text: &str) -> Option<(TurnKey, Message)> {
    let at = memory.at();
    let Body::Turn { speaker, role, conversation, message } = memory.body else { return None };
    let key = TurnKey { conversation, id: message };
    let message = Message {
        conversation: key.conversation.clone(),
        client_id: Some(key.id.clone()),
        role,
        name: Some(speaker).filter(|speaker| speaker != role.as_str()),
        content: text.to_owned(),
        at,
    };
    Some((key, message))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use annals_core::Settings;
    use annals_core::ports::{Archive, OnConflict};
    use annals_core::prelude::*;
    use annals_testkit::{
        MemoryCatalog, MemoryStrata, WordEmbedder, agent, at, message, one_embedder, period, summary,
    };

    use super::*;

    const NOW: &str = "2026-03-05T00:00:00Z";

    struct Fixture {
        catalog: Arc<MemoryCatalog>,
        writer: Writer,
        turn: MemoryId,
    }

    async fn fixture(content: &str, name: Option<&str>) -> Fixture {
        let catalog = Arc::new(MemoryCatalog::new());
        let (strata, embedder) = (Arc::new(MemoryStrata::new()), one_embedder(WordEmbedder::new()));
        let writer = Writer::new(catalog.clone(), strata, embedder);
        let message = Message { name: name.map(Into::into), ..message("2026-03-04T10:00:00Z", content) };
        writer.ingest(&agent("a"), vec![message], OnConflict::Refuse, at(NOW)).await.unwrap();
        let inputs = catalog.inputs(&agent("a"), period("2026-03-04")).await.unwrap();
        Fixture { catalog, writer, turn: inputs[0].id.clone() }
    }

    impl Fixture {
        async fn correct(&self, id: &MemoryId, text: &str) -> Result<()> {
            self.writer.correct(&agent("a"), id, text, at(NOW)).await
        }

        async fn text(&self, id: &MemoryId) -> String {
            self.catalog.get(&agent("a"), std::slice::from_ref(id)).await.unwrap().remove(0).text
        }

        async fn versions(&self, id: &MemoryId) -> Vec<String> {
            let versions = self.catalog.versions(&agent("a"), id).await.unwrap();
            versions.into_iter().map(|version| version.text).collect()
        }
    }

    #[tokio::test]
    async fn corrected_turn_keeps_its_fields_and_a_version() {
        for name in [None, Some("Ann")] {
            let fixture = fixture("I live in Bonn.", name).await;
            let before = fixture.catalog.get(&agent("a"), std::slice::from_ref(&fixture.turn)).await.unwrap().remove(0);
            fixture.correct(&fixture.turn, "I live in Bern. My password is hunter2.").await.unwrap();
            let after = fixture.catalog.get(&agent("a"), std::slice::from_ref(&fixture.turn)).await.unwrap().remove(0);
            let text = "I live in Bern. My password is [masked:password].".to_owned();
            assert_eq!(after, Memory { text, seq: after.seq, ..before });
            assert_eq!(fixture.versions(&fixture.turn).await, ["I live in Bonn."]);
            fixture.correct(&fixture.turn, &after.text).await.unwrap();
            assert_eq!(fixture.versions(&fixture.turn).await.len(), 1, "the same words again are no version");
        }
    }

    #[tokio::test]
    async fn corrected_summary_keeps_the_correction_and_a_version() {
        let fixture = fixture("I live in Bonn.", None).await;
        let roll_up = summary("2026-03-04", u64::MAX, std::slice::from_ref(&fixture.turn), "Ann lives in Bonn.");
        fixture.catalog.save_summaries(&agent("a"), vec![roll_up], at(NOW)).await.unwrap();
        let id = MemoryId::summary(&agent("a"), period("2026-03-04"));
        fixture.correct(&id, "Ann lives in Bern.").await.unwrap();
        assert_eq!(fixture.text(&id).await, "Ann lives in Bern.");
        assert_eq!(fixture.versions(&id).await, ["Ann lives in Bonn."]);
    }

    #[tokio::test]
    async fn unknown_memory_and_empty_text_are_refused() {
        let fixture = fixture("I live in Bonn.", None).await;
        let unknown = fixture.correct(&MemoryId::from_text("t-x"), "other").await.unwrap_err();
        assert_eq!(unknown.to_string(), "there is no memory \"t-x\"");
        assert_eq!(fixture.correct(&fixture.turn, " ").await.unwrap_err().to_string(), "text is empty");
    }

    #[tokio::test]
    async fn masking_can_be_switched_off() {
        let fixture = fixture("I live in Bonn.", None).await;
        let settings = Settings { mask: false, ..Settings::default() };
        fixture.catalog.save_settings(&agent("a"), &settings).await.unwrap();
        fixture.correct(&fixture.turn, "My password is hunter2.").await.unwrap();
        assert_eq!(fixture.text(&fixture.turn).await, "My password is hunter2.");
    }
}
