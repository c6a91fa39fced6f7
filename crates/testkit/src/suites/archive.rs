//! Conformance suite of port `Archive`.

mod correct;
mod records;
mod restore;
mod versions;
mod world;

use annals_core::ports::{Archive, Record, check_origin};
use annals_core::{Agent, Result, Timestamp};

use super::{Store, SuiteTest, cases, run};

/// Returns all records of an agent, read in pages.
pub async fn all_records<A: Archive + ?Sized>(archive: &A, agent: &Agent) -> Vec<Record> {
    let mut all: Vec<Record> = Vec::new();
    loop {
        let page = archive.records(agent, all.last(), 7).await.unwrap();
        if page.is_empty() {
            return all;
        }
        all.extend(page);
    }
}

/// Restores records for an agent without memories, fact operations, blocks and documents, with the calls that an import makes.
/// Restores all records or none.
pub(super) async fn restore_records(
    store: &dyn Store,
    agent: &Agent,
    mut records: Vec<Record>,
    now: Timestamp,
) -> Result<()> {
    check_origin(agent, &records)?;
    store.begin_restore(agent).await?;
    records.sort_by_key(Record::rank);
    let stored = match store.restore_some(agent, records).await {
        Ok(()) => store.finish_restore(agent, now).await,
        failed => failed,
    };
    if stored.is_err() {
        store.drop_restore(agent).await?;
    }
    stored
}

/// Runs every case, each on a new empty store from `make`.
pub async fn archive_suite<S: Store + 'static>(mut make: impl AsyncFnMut() -> S) {
    let cases: Vec<SuiteTest<dyn Store>> = cases![
        records::unknown_agent_has_only_settings,
        records::records_are_ordered,
        records::turn_record_is_complete,
        records::extraction_watermark_is_exported,
        records::period_records_are_complete,
        records::records_equal_those_of_the_in_memory_store,
        records::page_size_does_not_matter,
        records::records_round_trip_through_json,
        restore::restored_agent_has_the_same_records,
        restore::restored_agent_gives_the_same_answers,
        restore::restored_memories_are_changes_for_projections,
        restore::extraction_resumes_after_restore,
        restore::roll_up_and_retention_resume_after_restore,
        restore::pruned_turn_stays_pruned_after_restore,
        restore::turn_that_is_both_live_and_pruned_is_refused,
        restore::day_without_a_ledger_record_is_dirty,
        restore::agent_with_memories_refuses_restore,
        restore::refused_restore_stores_nothing,
        restore::restore_under_another_name_is_refused,
        restore::renamed_agent_is_restored_with_its_names,
        restore::restore_keeps_the_name_of_an_agent_without_memories,
        restore::forgotten_turns_are_not_restored,
        restore::restore_does_not_change_other_agents,
        restore::restore_of_no_records_changes_nothing,
        restore::unfinished_restore_is_not_visible,
        restore::memories_stored_meanwhile_refuse_the_restore,
        correct::corrected_statement_is_a_change_with_a_former_text,
        correct::corrected_summary_makes_its_parent_dirty,
        correct::corrected_summary_stays_until_its_input_changes,
        correct::corrected_year_makes_nothing_dirty,
        correct::corrected_statement_stays_until_its_turn_is_extracted_again,
        correct::correction_to_the_same_text_changes_nothing,
        correct::correction_of_a_turn_is_refused,
        correct::correction_of_a_missing_memory_is_refused,
        versions::former_texts_of_a_corrected_memory_are_in_order,
        versions::former_texts_of_a_revised_turn_are_kept,
        versions::former_texts_go_with_the_memory,
        versions::former_texts_of_another_agent_are_hidden,
    ];
    run("archive", cases, async || Box::new(make().await) as Box<dyn Store>).await;
}
