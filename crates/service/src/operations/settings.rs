//! The settings of one agent: time zone, language, plan, engine, prompts, daily tokens, masking.

use annals_core::{Agent, Error, Fault, Grain, ObjectKind, Result, Settings, Timestamp};

use crate::Service;
use crate::locks::{History, Tables};
use crate::wire::{SettingsChange, SettingsView};

/// Maximum of `daily_tokens`; a larger value is a mistake. The operator's budgets for workspace and process apply in any case.
pub(super) const MAX_TOKENS: u64 = 1_000_000_000;

impl Service {
    /// Returns an agent's settings; the defaults if the agent does not exist.
    pub async fn settings(&self, agent: &Agent) -> Result<SettingsView> {
        Ok(SettingsView::new(agent, &self.parts.store.settings(agent).await?))
    }

    /// Returns the IANA name of the time zone that was set last for an agent.
    pub async fn present_zone(&self, agent: &Agent) -> Result<String> {
        Ok(self.parts.store.settings(agent).await?.present_zone().to_owned())
    }

    /// Changes the settings of an agent, or creates the agent with them. Rebuilds the tables after a change of language. After
    /// a change of plan, the answer says what the new plan no longer keeps.
    pub async fn change_settings(&self, agent: &Agent, change: SettingsChange, now: Timestamp) -> Result<SettingsView> {
        let changes_plan = change.plan.is_some();
        let settings = self.save_change(agent, change, false, now).await?;
        // If the process ends here, the next pass finishes the rebuild.
        if self.is_rebuilding(agent).await? {
            self.make_searchable(agent, &|_| ()).await?;
        }
        let past_plan = if changes_plan { Some(self.past_plan(agent, now).await?) } else { None };
        Ok(SettingsView { past_plan, ..SettingsView::new(agent, &settings) })
    }

    /// Creates an agent with these settings. Fails with [`Error::Exists`] if the agent exists.
    pub async fn create_agent(&self, agent: &Agent, change: SettingsChange, now: Timestamp) -> Result<SettingsView> {
        // A new agent has no tables to rebuild.
        let settings = self.save_change(agent, change, true, now).await?;
        Ok(SettingsView::new(agent, &settings))
    }

    async fn save_change(
        &self,
        agent: &Agent,
        change: SettingsChange,
        must_be_new: bool,
        now: Timestamp,
    ) -> Result<Settings> {
        let mut history = self.locks.lock::<History>(agent).await;
        if must_be_new && self.parts.store.agent_state(agent).await?.known {
            return Err(Error::Exists { what: ObjectKind::Agent, name: agent.name().to_owned() });
        }
        let before = self.parts.store.settings(agent).await?;
        let has_memories = self.parts.store.counts(agent).await?.has_memories();
        let mut settings = before.clone();
        self.apply(&mut settings, change, has_memories, now)?;
        // Keeps other tasks from building a table in the former language between the two writes.
        let _tables = history.then::<Tables>().await;
        if settings.language != before.language {
            self.schedule_rebuilds(agent).await?;
        }
        self.parts.store.save_settings(agent, &settings).await?;
        Ok(settings)
    }

    /// Records that all tables that were written before must be rebuilt: texts whose own language is unclear have stems of the
    /// former language, and searches would miss those that are stored without a language. Called before the language is saved,
    /// so that a crash between the two only causes a needless rebuild, and no search misses results.
    async fn schedule_rebuilds(&self, agent: &Agent) -> Result<()> {
        for grain in Grain::ALL {
            if self.parts.store.watermark(agent, grain).await?.applied > 0 {
                self.parts.writer.schedule_rebuild(agent, grain).await?;
            }
        }
        Ok(())
    }

    /// Returns whether a table has to be rebuilt at once.
    async fn is_rebuilding(&self, agent: &Agent) -> Result<bool> {
        for grain in Grain::ALL {
            if self.parts.store.watermark(agent, grain).await?.is_urgent() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Applies all changes to `settings`. Fails with all faults at once; the caller must not use `settings` then.
    fn apply(&self, settings: &mut Settings, change: SettingsChange, has_memories: bool, now: Timestamp) -> Result<()> {
        let mut faults = Vec::new();
        if let Some(zone) = &change.time_zone {
            note(settings.set_time_zone(zone, has_memories, now), "time_zone", &mut faults);
        }
        if let Some(language) = &change.language {
            note(settings.set_language(language), "language", &mut faults);
        }
        if let Some(plan) = change.plan {
            if self.parts.plans.get(&plan).is_err() {
                let known: Vec<&str> = self.parts.plans.all().map(|(name, _)| name).collect();
                faults.push(Fault::new("plan", format!("is {plan:?}; expected one of {}", known.join(", "))));
            }
            settings.plan = plan;
        }
        for (name, text) in change.prompts {
            if !self.parts.prompts.names.contains(&name.as_str()) {
                let known = self.parts.prompts.names.join(", ");
                faults.push(Fault::new("prompts", format!("has no prompt {name:?}; expected one of {known}")));
                continue;
            }
            match text {
                Some(text) => {
                    note((self.parts.prompts.check)(&name, &text), "prompts", &mut faults);
                    settings.prompts.insert(name, text);
                }
                None => drop(settings.prompts.remove(&name)),
            }
        }
        if change.daily_tokens.is_some_and(|tokens| tokens > MAX_TOKENS) {
            faults.push(Fault::new("daily_tokens", format!("is above {MAX_TOKENS}")));
        }
        settings.engine = change.engine.unwrap_or(settings.engine);
        settings.daily_tokens = change.daily_tokens.map_or(settings.daily_tokens, |n| Some(n).filter(|n| *n > 0));
        settings.mask = change.mask.unwrap_or(settings.mask);
        if faults.is_empty() { Ok(()) } else { Err(Error::Faults(faults)) }
    }
}

fn note(result: Result<()>, field: &str, faults: &mut Vec<Fault>) {
    match result {
        Ok(()) => {}
        Err(Error::Invalid(fault)) => faults.push(fault),
        Err(Error::Faults(several)) => faults.extend(several),
        Err(other) => faults.push(Fault::new(field, format!("is not possible: {other}"))),
    }
}

#[cfg(test)]
mod tests {
    use annals_testkit::{agent, at};

    use super::*;
    use crate::fixture::{NOW, service_with_memories};

    /// Simulates a process that ends right after the change was saved.
    #[tokio::test]
    async fn interrupted_change_of_language_is_finished_by_the_next_pass() {
        let me = agent("a");
        let service = service_with_memories(&me).await;
        let german: SettingsChange = serde_json::from_value(serde_json::json!({ "language": "de" })).unwrap();
        service.save_change(&me, german, false, at(NOW)).await.unwrap();
        assert_eq!(service.parts.store.agents_with_work(at(NOW)).await.unwrap(), std::slice::from_ref(&me));
        service.make_searchable(&me, &|_| ()).await.unwrap();
        assert!(!service.is_rebuilding(&me).await.unwrap());
        for grain in [Grain::Working, Grain::Daily] {
            assert_eq!(
                service.parts.store.watermark(&me, grain).await.unwrap().generation,
                1,
                "{grain} was built anew"
            );
        }
        assert_eq!(service.parts.store.agents_with_work(at(NOW)).await.unwrap(), []);
    }
}
