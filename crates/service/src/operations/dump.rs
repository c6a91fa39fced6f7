//! The dump of an agent: everything in one canonical order, without sequence numbers, recording times and table versions. Two
//! stores that hold the same memory give the same dump, however it got there.

use annals_core::ports::{Select, Table};
use annals_core::{Agent, FactQuery, Grain, Result};
use serde_json::{Value, json};

use crate::Service;
use crate::locks::Facts;
use crate::wire::{FactView, MemoryView};

/// Receives the lines of a dump.
type Line<'a> = &'a mut (dyn FnMut(Value) + Send);

impl Service {
    /// Passes everything of the agent to `line`, one JSON value at a time.
    pub async fn dump(&self, agent: &Agent, line: Line<'_>) -> Result<()> {
        line(json!({ "agent": agent.name(), "settings": self.parts.store.settings(agent).await? }));
        for grain in Grain::ALL {
            for memory in self.parts.store.list(agent, &Select::all(grain)).await? {
                line(json!({ "memory": MemoryView::from(&memory), "sentences": memory.sentences() }));
            }
        }
        self.dump_facts(agent, line).await?;
        for row in self.parts.store.ledger(agent).await? {
            let (input, recipe) = (row.input_digest.map(|d| d.to_string()), row.recipe.map(|d| d.to_string()));
            let period = row.period.to_string();
            line(json!({ "period": period, "dirty": row.is_dirty(), "input": input, "recipe": recipe }));
        }
        for grain in Grain::ALL {
            let generation = self.parts.store.watermark(agent, grain).await?.generation;
            for row in self.parts.strata.scan(&Table { agent: agent.clone(), grain, generation }).await? {
                let digest = row.digest.to_string();
                line(json!({ "table": grain, "memory": row.memory, "part": row.part, "row": digest }));
            }
        }
        Ok(())
    }

    async fn dump_facts(&self, agent: &Agent, line: Line<'_>) -> Result<()> {
        let _facts_lock = self.locks.lock::<Facts>(agent).await;
        self.parts.fact_writer.bring_facts(agent).await?;
        let query = FactQuery { history: true, ..FactQuery::default() };
        for fact in self.parts.facts.find(agent, &query).await? {
            let mut fact = json!(FactView::from(&fact));
            fact.as_object_mut().and_then(|fields| fields.remove("recorded_at"));
            line(json!({ "fact": fact }));
        }
        Ok(())
    }
}
