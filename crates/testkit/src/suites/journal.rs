//! Conformance suite of port `Journal`.

mod log;
mod saving;
mod statements;
mod watermark;

use annals_core::ports::{Change, Select};
use annals_core::{Extracted, Extraction, FactOperation, Grain, Kind, Memory, MemoryId, Statement};

use super::catalog::{all_changes, me, now, say, user_turn};
use super::{Store, SuiteTest, cases, run};

/// Runs every case, each on a new empty store from `make`.
pub async fn journal_suite<S: Store + 'static>(mut make: impl AsyncFnMut() -> S) {
    let cases: Vec<SuiteTest<dyn Store>> = cases![
        statements::statement_is_a_memory,
        statements::statements_are_listed_counted_and_projected_like_memories,
        statements::statements_are_no_roll_up_input_and_make_nothing_dirty,
        statements::statement_of_several_turns_belongs_to_the_first,
        statements::changed_statement_with_the_same_id_is_replaced,
        saving::repeated_extraction_changes_nothing,
        saving::extraction_in_another_order_changes_nothing,
        saving::earlier_output_of_the_turns_is_replaced,
        saving::output_of_other_turns_stays,
        saving::missing_turns_yield_nothing,
        saving::revised_turn_keeps_its_facts_until_extracted_again,
        saving::agents_do_not_share_journals,
        watermark::unknown_agent_has_no_journal,
        watermark::saved_watermark_round_trips_and_ends_failures,
        watermark::stale_extraction_changes_nothing,
        watermark::watermark_does_not_decrease,
        watermark::failures_are_counted,
        watermark::failure_recorded_in_the_future_begins_now,
        watermark::degraded_turns_are_dead_letters_until_extracted,
        watermark::dead_letters_of_tables_are_separate,
        watermark::agent_has_work_until_all_is_applied_and_again_when_a_period_ends,
        log::operations_round_trip,
        log::operations_are_added_once,
        log::entered_facts_survive_extraction,
        log::changed_log_has_a_new_version,
        log::agent_with_only_facts_exists,
    ];
    run("journal", cases, async || Box::new(make().await) as Box<dyn Store>).await;
}

/// Stores two turns of a conversation.
async fn store_two_turns(store: &dyn Store) -> [annals_core::ports::Turn; 2] {
    let turns =
        [user_turn("1", "2026-03-04T10:00:00Z", "I like tea."), user_turn("2", "2026-03-05T11:00:00Z", "Off to Rome!")];
    say(store, turns.to_vec()).await;
    turns
}

fn found(statements: Vec<Statement>, operations: Vec<FactOperation>) -> Extracted {
    Extracted { statements, operations, rejected: Vec::new() }
}

/// Builds the extraction of these turns, with the watermark at 9.
fn reading(turns: &[&MemoryId], found: Extracted) -> Extraction {
    Extraction { turns: turns.iter().map(|id| (*id).clone()).collect(), found, after: 0, extracted: 9, degraded: None }
}

/// Saves an extraction at the present watermark.
async fn save(store: &dyn Store, extraction: Extraction) {
    let after = store.extraction(&me()).await.unwrap().extracted;
    let extraction = Extraction { after, ..extraction };
    store.save_extraction(&me(), extraction, now()).await.unwrap();
}

async fn statements(store: &dyn Store) -> Vec<Memory> {
    let facts = Select { kinds: vec![Kind::Statement], ..Select::all(Grain::Working) };
    store.list(&me(), &facts).await.unwrap()
}

/// Returns the log, sorted by id.
async fn log(store: &dyn Store) -> Vec<FactOperation> {
    let (version, mut log) = store.operations(&me()).await.unwrap();
    assert_eq!(store.log_version(&me()).await.unwrap(), version);
    log.sort_by(|a, b| a.id.cmp(&b.id));
    log
}

/// Returns the ids of the deleted memories among the changes of the working grain, sorted.
async fn deleted(store: &dyn Store) -> Vec<MemoryId> {
    let changes = all_changes(store, Grain::Working).await.into_iter();
    let mut ids: Vec<_> =
        changes.filter_map(|c| if let Change::Delete { id, .. } = c { Some(id) } else { None }).collect();
    ids.sort();
    ids
}
