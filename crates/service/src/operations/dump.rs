//! The dump of an agent, for comparisons: everything that is stored, in one order, without sequence numbers, recording times
//! and table versions. Two stores with the same contents give the same dump, even if the contents arrived in different ways.

use annals_core::ports::{Record, Select, Table};
use annals_core::{Agent, FactQuery, Grain, Result};
use serde_json::{Value, json};

use crate::Service;
use crate::calls::Output;
use crate::locks::Facts;
use crate::wire::{FactView, MemoryView};

/// Number of records that one query reads.
const PAGE: usize = 100;

impl Service {
    /// Sends the settings, memories, blocks, documents, attachments, facts, ledger and table rows of the agent, as lines of
    /// JSON.
    pub async fn dump(&self, agent: &Agent, output: &mut dyn Output) -> Result<()> {
        send(output, json!({ "agent": agent.name(), "settings": self.parts.store.settings(agent).await? })).await?;
        for grain in Grain::ALL {
            for memory in self.parts.store.list(agent, &Select::rows(grain)).await? {
                send(output, json!({ "memory": MemoryView::from(&memory), "sentences": memory.sentences() })).await?;
            }
        }
        self.dump_records(agent, output).await?;
        self.dump_facts(agent, output).await?;
        for row in self.parts.store.ledger(agent).await? {
            let (input, recipe) = (row.input_digest.map(|d| d.to_string()), row.recipe.map(|d| d.to_string()));
            let period = row.period.to_string();
            send(output, json!({ "period": period, "dirty": row.is_dirty(), "input": input, "recipe": recipe }))
                .await?;
        }
        for grain in Grain::ALL {
            let generation = self.parts.store.watermark(agent, grain).await?.generation;
            for row in self.parts.strata.scan(&Table { agent: agent.clone(), grain, generation }).await? {
                let digest = row.digest.to_string();
                send(output, json!({ "table": grain, "memory": row.memory, "part": row.part, "row": digest })).await?;
            }
        }
        Ok(())
    }

    /// Sends the records that the list of memories lacks: blocks, documents and attachments of turns.
    async fn dump_records(&self, agent: &Agent, output: &mut dyn Output) -> Result<()> {
        let mut last = None;
        loop {
            let mut page = self.parts.store.records(agent, last.as_ref(), PAGE).await?;
            for record in &page {
                match record {
                    Record::Block { .. } | Record::Document(_) => send(output, json!(record)).await?,
                    Record::Turn { conversation, id, attachment: Some(attachment), .. } => {
                        let turn = json!({ "conversation": conversation, "message": id, "attachment": attachment });
                        send(output, turn).await?;
                    }
                    _ => {}
                }
            }
            last = page.pop();
            if last.is_none() {
                return Ok(());
            }
        }
    }

    async fn dump_facts(&self, agent: &Agent, output: &mut dyn Output) -> Result<()> {
        let facts = {
            let _facts_lock = self.locks.lock::<Facts>(agent).await;
            self.parts.fact_writer.bring_facts(agent).await?;
            self.parts.facts.find(agent, &FactQuery { history: true, ..FactQuery::default() }).await?
        };
        for fact in facts {
            let mut fact = json!(FactView::from(&fact));
            fact.as_object_mut().and_then(|fields| fields.remove("recorded_at"));
            send(output, json!({ "fact": fact })).await?;
        }
        Ok(())
    }
}

/// Sends a value as text. A value of JSON would be parsed on the way, and a number could then differ in the last digit.
async fn send(output: &mut dyn Output, value: Value) -> Result<()> {
    output.send(Value::String(value.to_string())).await
}
