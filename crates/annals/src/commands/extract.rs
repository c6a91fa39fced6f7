//! Shared by `import`, `rollup`, `facts` and `export`: reads new turns for facts, and brings the table of facts up to date.

use annals_core::{Agent, Grain, Result};
use annals_service::locks::Facts;
use annals_writer::ExtractionPassed;

use crate::folder::Folder;
use crate::progress;
use crate::view::{WARN, plural, say};

/// Reads all turns that were not yet read for facts, by model or by rules, and brings the table of facts up to date.
pub async fn extract(folder: &Folder, agent: &Agent, json: bool) -> Result<ExtractionPassed> {
    let read = folder.store.extraction(agent).await?.extracted;
    let bar = progress::bar(folder.store.backlog(agent, Grain::Working, read).await?, "extracting facts", json);
    let passed = folder.read_for_facts(agent, &|turns| bar.inc(turns)).await?;
    bar.finish_and_clear();
    Ok(passed)
}

/// Does the same as [`extract`] if the extractor is local. Otherwise only updates the table of facts, and leaves reading to
/// `rollup`: a model costs money and time.
pub async fn bring_up_to_date(folder: &Folder, agent: &Agent, json: bool) -> Result<()> {
    let settings = folder.store.settings(agent).await?;
    if folder.extractor.is_local(&settings) {
        extract(folder, agent, json).await?;
    } else {
        let _facts_lock = folder.locks().lock::<Facts>(agent).await;
        folder.fact_writer.bring_facts(agent).await?;
    }
    Ok(())
}

/// Prints the result for people.
pub fn print(agent: &Agent, passed: &ExtractionPassed) {
    if passed.operations + passed.statements > 0 {
        let (turns, operations) = (plural(passed.turns, "message"), plural(passed.operations, "fact operation"));
        let statements = plural(passed.statements, "statement");
        say!("{agent}: read {turns} for facts: {operations}, {statements}");
    }
    if passed.degraded > 0 {
        let turns = plural(passed.degraded, "message");
        say!("  {WARN}{turns} read by the built-in rules instead of the model; `annals dead list` shows why{WARN:#}");
    }
    if let Some(reason) = &passed.waiting {
        say!("  {WARN}extracting facts is postponed: {reason}{WARN:#}");
    }
}
