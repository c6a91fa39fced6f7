//! Conformance suite of port `Catalog`.

mod arrival;
mod changes;
mod ingest;
mod names;
mod read;
mod records;
mod rollup;

use annals_core::ports::{Change, OnConflict, Turn};
use annals_core::{Agent, Catalog, Grain, IngestReceipt, LedgerRow, Memory, Message, Timestamp};

use super::{SuiteTest, cases, run};
use crate::{agent, at, message, period, turn_of};

/// Runs every case, each on a new empty catalog from `make`.
pub async fn catalog_suite<C: Catalog + 'static>(mut make: impl AsyncFnMut() -> C) {
    let cases: Vec<SuiteTest<dyn Catalog>> = cases![
        ingest::new_turn_is_stored_verbatim,
        ingest::repeated_request_changes_nothing,
        ingest::same_request_has_the_same_receipt,
        ingest::overlapping_request_adds_the_rest,
        ingest::other_content_is_a_conflict_and_changes_nothing,
        ingest::contradicting_request_is_refused_unless_revised,
        ingest::revision_replaces_the_turn,
        ingest::revision_to_another_day_makes_both_days_dirty,
        ingest::new_turn_makes_its_day_dirty,
        ingest::duplicate_makes_no_day_dirty,
        ingest::same_id_in_two_conversations_is_two_turns,
        ingest::any_text_round_trips,
        ingest::early_and_late_years_round_trip,
        ingest::concurrent_requests_are_stored_once_each,
        ingest::receipt_counts_masked_texts,
        ingest::attachment_stays_with_its_turn,
        arrival::equal_times_keep_the_order_of_arrival,
        arrival::revision_frees_its_former_time,
        arrival::repeated_messages_with_equal_times_are_duplicates,
        arrival::message_without_a_time_follows_the_previous_one,
        arrival::repeated_message_without_a_time_is_a_duplicate,
        arrival::revision_without_a_time_keeps_its_position,
        arrival::repeated_message_is_a_duplicate_after_a_correction,
        arrival::duplicates_are_compared_with_the_sent_content,
        changes::changes_are_ordered_and_paged,
        changes::deletion_applied_by_every_table_is_dropped,
        changes::only_the_last_change_of_a_memory_is_listed,
        changes::changes_are_of_one_grain,
        changes::each_agent_has_its_own_sequence,
        changes::deletion_is_listed_until_the_memory_returns,
        changes::watermarks_are_per_agent_and_grain,
        changes::stale_watermark_changes_nothing,
        changes::watermark_does_not_decrease,
        changes::generation_keeps_its_model,
        rollup::input_is_ordered_by_time_conversation_and_arrival,
        rollup::summary_round_trips,
        rollup::new_text_is_a_change_and_makes_the_parent_dirty,
        rollup::same_text_is_no_change_but_saves_lineage,
        rollup::unchanged_input_only_marks_the_period_clean,
        rollup::period_without_input_loses_its_summary,
        rollup::deleting_a_missing_summary_changes_nothing,
        rollup::input_stored_meanwhile_stays_dirty,
        rollup::stale_roll_up_changes_nothing,
        rollup::one_stale_roll_up_refuses_its_batch,
        rollup::year_has_no_parent,
        rollup::summaries_are_the_input_of_the_next_grain,
        rollup::week_across_two_months_belongs_to_the_month_of_its_thursday,
        rollup::failures_are_counted_until_the_period_is_clean,
        rollup::failures_of_all_agents_are_listed_until_they_are_clean,
        rollup::waiting_counts_as_no_failure,
        rollup::tokens_add_up,
        read::memory_is_found_without_its_agent,
        read::lists_memories_that_overlap_the_range,
        read::lists_a_coarser_memory_that_overlaps_the_edge,
        read::lists_conversations_by_name,
        read::lists_the_newest_first,
        read::lists_equal_times_by_conversation_and_arrival,
        read::lists_one_conversation,
        read::lists_one_grain,
        read::lists_by_kind,
        read::gets_in_the_requested_order,
        read::finds_by_prefix_of_an_id,
        read::counts_live_memories,
        read::outlines_live_days_and_summaries,
        names::every_name_of_an_agent_leads_to_it,
        names::renamed_agent_keeps_its_memories_and_is_listed_under_its_name,
        names::name_that_another_agent_has_or_had_is_refused,
        names::no_second_agent_is_created_under_a_name_of_another,
        records::unknown_agent_reads_as_empty,
        records::settings_round_trip,
        records::agent_state_equals_the_single_queries,
        records::agents_have_settings_or_messages,
        records::agents_to_reembed_have_a_table_of_another_model,
        records::agents_are_listed_by_workspace_and_name_in_pages,
        records::agents_do_not_see_each_other,
        records::same_name_in_another_workspace_is_another_agent,
        records::any_name_is_accepted,
        records::ledger_is_ordered_by_grain_and_time,
        records::dead_letters_stay_until_removed,
        records::receipts_round_trip,
        records::receipt_is_searchable_once_its_own_table_has_applied_it,
        records::intact_store_has_no_faults,
    ];
    run("catalog", cases, async || Box::new(make().await) as Box<dyn Catalog>).await;
}

/// Returns the agent of most cases.
pub(super) fn me() -> Agent {
    agent("tester")
}

pub(super) fn now() -> Timestamp {
    at("2026-06-01T00:00:00Z")
}

/// Returns a day after [`now`].
pub(super) fn later() -> Timestamp {
    at("2026-06-02T00:00:00Z")
}

/// Builds a turn with a client id.
pub(super) fn user_turn(id: &str, instant: &str, text: &str) -> Turn {
    turn_of(&me(), Message { client_id: Some(id.into()), ..message(instant, text) })
}

pub(super) async fn say(catalog: &dyn Catalog, turns: Vec<Turn>) -> IngestReceipt {
    catalog.ingest(&me(), turns, OnConflict::Refuse, now()).await.unwrap()
}

/// Returns the ledger row of a period.
pub(super) async fn row(catalog: &dyn Catalog, label: &str) -> LedgerRow {
    let rows = catalog.ledger(&me()).await.unwrap();
    rows.into_iter().find(|row| row.period == period(label)).unwrap_or_else(|| panic!("no ledger row {label}"))
}

/// Returns the labels of all dirty periods, in ledger order.
pub(super) async fn dirty(catalog: &dyn Catalog) -> Vec<String> {
    let rows = catalog.ledger(&me()).await.unwrap();
    rows.iter().filter(|row| row.is_dirty()).map(|row| row.period.to_string()).collect()
}

pub(super) async fn all_changes(catalog: &dyn Catalog, grain: Grain) -> Vec<Change> {
    catalog.changes(&me(), grain, 0, usize::MAX).await.unwrap()
}

pub(super) fn texts(memories: &[Memory]) -> Vec<&str> {
    memories.iter().map(|memory| memory.text.as_str()).collect()
}
