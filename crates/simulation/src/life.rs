//! Simulates an agent's life with the writer, the summarizer and the search: messages arrive, some of them late, summaries are
//! rolled up as time passes, and the agent moves. At each stop its memory is queried. Works over any stores.

use std::sync::Arc;

use annals_core::ports::{OnConflict, Select, SummaryTask};
use annals_core::{
    Agent, Digest, Draft, Engine, Extracted, Extraction, Grain, Interval, Memory, Message, Result, Settings,
    SignedDuration, Store, Strata, Timestamp,
};
use annals_retention::Plans;
use annals_service::{Components, Parts};
use annals_summarizer::SchedulePolicy;
use annals_testkit::calendar::{Diary, Place, bounds};
use annals_testkit::{MemoryFacts, SilentExtractor, WordEmbedder, one_embedder};

/// An engine that writes the summaries that the diary expects.
struct Labels;

#[async_trait::async_trait]
impl Engine for Labels {
    fn recipe(&self, _: &Settings, _: Grain) -> Digest {
        Digest::of(["labels"])
    }

    async fn summarize(&self, task: SummaryTask<'_>) -> Result<Draft> {
        let text = format!("word in {}", task.period);
        Ok(Draft { text, sentences: Vec::new(), tokens: 0, ungrounded: 0, verbatim: true })
    }
}

/// An agent and its memory.
pub struct Life {
    agent: Agent,
    diary: Diary,
    parts: Parts,
}

impl Life {
    /// Begins the life of an agent who lives at this place.
    pub async fn new(place: Place, store: Arc<dyn Store>, strata: Arc<dyn Strata>) -> Life {
        let agent = Agent::new("me").unwrap();
        let settings = Settings { time_zone: place.zone.into(), ..Settings::default() };
        store.save_settings(&agent, &settings).await.unwrap();
        let parts = Parts::over(Components {
            store,
            strata,
            facts: Arc::new(MemoryFacts::new()),
            embedders: one_embedder(WordEmbedder::new()),
            engine: Arc::new(Labels),
            fallback_engine: Arc::new(Labels),
            extractor: Arc::new(SilentExtractor),
            fallback_extractor: Arc::new(SilentExtractor),
            plans: Plans::built_in(),
            schedule: SchedulePolicy::default(),
            clock: Arc::new(|| Timestamp::UNIX_EPOCH),
            folder: None,
        });
        Life { agent, diary: Diary::new(place), parts }
    }

    /// Returns the stops: every move, noon of every `every`th day of the diary, and the end.
    fn stops(&self, every: usize) -> Vec<Timestamp> {
        let noon = |day| self.diary.almanac.instants(day, day).start + SignedDuration::from_hours(12);
        let moves = self.diary.place.moves.iter().map(|step| step.at.parse::<Timestamp>().unwrap());
        let mut stops: Vec<Timestamp> = self.diary.days.iter().step_by(every).map(|day| noon(*day)).collect();
        stops.extend(moves);
        stops.push(self.diary.place.now());
        stops.sort();
        stops
    }

    /// Runs from stop to stop, and tests every `step`th of the time bounds at each stop. Returns the number of checks.
    pub async fn live(&self, every: usize, step: usize) -> usize {
        let mut checks = 0;
        for (number, now) in self.stops(every).into_iter().enumerate() {
            let diary = self.diary.as_of(now);
            let before = self.covers().await;
            self.hear(&diary, now).await;
            let after = self.covers().await;
            assert!(before.iter().all(|row| after.contains(row)), "{:?}: a cover changed by {now}", diary.place);
            // Bounds that count days from a later time would need moves that have not happened yet.
            let bounds: Vec<_> = bounds(&diary, now).into_iter().filter(|bounds| bounds.now <= now).collect();
            for (place, bounds) in bounds.iter().skip(number % step).step_by(step).enumerate() {
                for question in bounds.each(place % 2 == 0) {
                    diary.check(&question, self.parts.search.answer(&self.agent, &question.query, question.now).await);
                    checks += 1;
                }
            }
            self.move_house(now).await;
        }
        checks
    }

    /// Ingests the messages said by now: most before a roll-up, the rest after it.
    async fn hear(&self, diary: &Diary, now: Timestamp) {
        let (late, timely): (Vec<_>, Vec<_>) =
            diary.messages().into_iter().enumerate().partition(|(number, _)| number % 3 == 1);
        for messages in [timely, late] {
            let messages: Vec<Message> = messages.into_iter().map(|(_, message)| message).collect();
            self.parts.writer.ingest(&self.agent, messages, OnConflict::Refuse, now).await.unwrap();
            self.parts.summarizer.pass(&self.agent, now, &|_| ()).await.unwrap();
        }
        let turns = diary.turns(&self.agent).into_iter().map(|turn| turn.id).collect();
        let found = Extracted { statements: diary.statements(&self.agent), ..Extracted::default() };
        let after = self.parts.store.extraction(&self.agent).await.unwrap().extracted;
        let extraction = Extraction { turns, found, after, extracted: 1, degraded: None };
        self.parts.store.save_extraction(&self.agent, extraction, now).await.unwrap();
        self.parts.writer.project(&self.agent, now, &|_| ()).await.unwrap();
    }

    async fn move_house(&self, now: Timestamp) {
        let is_now = |at: &str| at.parse::<Timestamp>().unwrap() == now;
        let mut settings = self.parts.store.settings(&self.agent).await.unwrap();
        for step in self.diary.place.moves.iter().filter(|step| is_now(step.at)) {
            settings.set_time_zone(step.to, true, now).unwrap();
        }
        self.parts.store.save_settings(&self.agent, &settings).await.unwrap();
    }

    /// Returns the text and cover of every summary.
    async fn covers(&self) -> Vec<(String, Interval)> {
        let mut covers = Vec::new();
        for grain in Grain::SUMMARIES {
            let all = Select::all(grain);
            let summaries: Vec<Memory> = self.parts.store.list(&self.agent, &all).await.unwrap();
            covers.extend(summaries.into_iter().map(|summary| (summary.text, summary.cover)));
        }
        covers
    }
}

#[cfg(test)]
mod tests {
    use annals_testkit::calendar::PLACES;
    use annals_testkit::{MemoryCatalog, MemoryStrata};
    use futures::executor::block_on;

    use super::*;

    #[test]
    fn range_holds_exactly_the_memories_inside_it_as_time_passes() {
        for place in PLACES {
            let checks = block_on(async {
                let life = Life::new(place, Arc::new(MemoryCatalog::new()), Arc::new(MemoryStrata::new())).await;
                life.live(11, 90).await
            });
            assert!(checks > 300, "only {checks} checks of {place:?}");
        }
    }
}
