//! Conformance suite of port `Journal`.

mod log;
mod saving;
mod statements;
mod watermark;

use annals_core::ports::{Change, Select};
use annals_core::{Extracted, Extraction, FactOperation, Grain, Kind, Memory, MemoryId, Statement};

use super::catalog::{all_changes, me, now, say, user_turn};
use super::{Case, Store, cases, run};

/// Runs every case, each on a new empty store from `make`.
pub async fn journal_suite<S: Store + 'static>(mut make: impl AsyncFnMut() -> S) {
    let cases: Vec<Case<dyn Store>> = cases![
        statements::a_statement_is_a_memory,
        statements::statements_are_listed_counted_and_changed_as_memories_are,
        statements::statements_are_no_input_and_make_nothing_dirty,
        statements::a_statement_of_later_sources_belongs_to_its_first,
        statements::what_changed_under_its_id_is_replaced,
        saving::the_same_again_changes_nothing,
        saving::the_same_in_another_order_changes_nothing,
        saving::what_was_found_before_goes,
        saving::only_what_came_from_these_turns_goes,
        saving::turns_that_are_gone_yield_nothing,
        saving::a_revised_turn_keeps_its_facts_until_it_is_read_again,
        saving::agents_have_journals_of_their_own,
        watermark::an_unknown_agent_has_no_journal,
        watermark::the_lane_is_as_saved_and_its_failures_end,
        watermark::an_extraction_from_another_watermark_changes_nothing,
        watermark::extraction_does_not_go_back,
        watermark::failures_are_counted,
        watermark::a_failure_noted_in_a_future_that_did_not_come_began_now,
        watermark::degraded_turns_are_dead_letters_until_read,
        watermark::letters_of_the_table_are_others,
        watermark::an_agent_has_work_until_all_is_applied_and_read_and_again_when_a_period_may_be_over,
        log::operations_read_back_whole,
        log::operations_are_added_once,
        log::entries_by_hand_are_of_no_turn,
        log::the_log_has_a_version,
        log::an_agent_of_facts_alone_is_one,
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

/// Returns the ids of the memories whose deletion is among the changes of the working grain, sorted.
async fn deleted(store: &dyn Store) -> Vec<MemoryId> {
    let changes = all_changes(store, Grain::Working).await.into_iter();
    let mut ids: Vec<_> =
        changes.filter_map(|c| if let Change::Delete { id, .. } = c { Some(id) } else { None }).collect();
    ids.sort();
    ids
}
