//! Exports, as `annals import` reads them and the catalog restores them.

use std::io::Write;

use annals::lines::Lines;
use annals::records::ExportFile;
use annals_catalog::SqliteCatalog;
use annals_core::ports::{Archive, Record};
use annals_core::prelude::*;
use annals_core::{Agent, Result, Timestamp};

use crate::command::{Annals, NOW};
use crate::documents::with_documents;
use crate::fuzz::fuzz;
use crate::story::{days, line};

use super::{lines, names_its_fault};

/// Returns an export with records of every kind.
pub fn good() -> Vec<u8> {
    let annals = Annals::new();
    let moved = line("ann", "me", "1", "Ann", "I moved from Oslo to Bern.", "2026-01-03T10:00:00Z");
    annals.import(&format!("{}{moved}", days("ann", 40, 1)));
    annals.json(&["rollup"]);
    let found = annals.json(&["search", "cello", "--agent", "ann", "--limit", "1"]);
    let id = found["results"][0]["id"].as_str().unwrap();
    annals.run(&["correct", id, "We spoke of the violin."]);
    annals.run(&["pin", id]);
    annals.json(&["agent", "set", "ann", "--plan", "free", "--language", "de"]);
    annals.json(&["retain", "--trust-clock"]);
    let exported = with_documents(&annals).run(&["export", "--agent", "ann"]).out;
    // Keep the first three of each kind: in a shorter input, more mutations change something relevant. The last line counts what
    // is left.
    let mut seen = std::collections::BTreeMap::<String, usize>::new();
    let (records, _end) = exported.trim_end().rsplit_once('\n').unwrap();
    let kept = records.lines().filter(|line| {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let times = seen.entry(record["record"].as_str().unwrap().to_owned()).or_default();
        *times += 1;
        *times <= 3
    });
    let kept: Vec<&str> = kept.collect();
    let end = serde_json::json!({ "record": "end", "agent": "ann", "records": kept.len() });
    format!("{}\n{end}\n", kept.join("\n")).into_bytes()
}

#[test]
fn exports_are_restored_completely_or_not_at_all() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let now = NOW.parse().unwrap();
    fuzz("exports", &[good()], |input| {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(input).unwrap();
        let export = match ExportFile::check(Lines::of(file).unwrap(), None) {
            Ok(export) => export,
            Err(error) => return names_its_fault(&error, lines(input)),
        };
        let folder = tempfile::tempdir().unwrap();
        let catalog = SqliteCatalog::open(&folder.path().join("catalog.sqlite")).unwrap();
        runtime.block_on(async {
            let agents = export.agents.clone();
            let records: Vec<(Agent, Record)> = export.into_records().collect::<Result<_>>().unwrap();
            for (agent, number) in &agents {
                match restore(&catalog, &records, agent, now).await {
                    Ok(()) => {
                        let records = catalog.records(agent, None, usize::MAX).await;
                        records.map_err(|error| format!("restored, not readable: {error}"))?;
                    }
                    Err(error) => {
                        names_its_fault(&error, usize::try_from(*number).unwrap())?;
                        if catalog.agent_state(agent).await.unwrap().known {
                            return Err(format!("half restored: {error}"));
                        }
                    }
                }
            }
            let faults = catalog.check().await.unwrap();
            if faults.is_empty() { Ok(()) } else { Err(format!("an unsound catalog: {faults:?}")) }
        })
    });
}

/// Restores the records of an agent, which come in the order of their ranks.
async fn restore(catalog: &SqliteCatalog, records: &[(Agent, Record)], agent: &Agent, now: Timestamp) -> Result<()> {
    catalog.begin_restore(agent).await?;
    for rank in Record::RANKS {
        let of_rank = records.iter().filter(|(of, record)| of == agent && record.rank() == rank);
        catalog.restore_some(agent, of_rank.map(|(_, record)| record.clone()).collect()).await?;
    }
    catalog.finish_restore(agent, now).await
}
