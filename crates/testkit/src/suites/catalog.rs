//! Conformance suite of port `Catalog`.

mod arrival;
mod changes;
mod ingest;
mod read;
mod records;
mod rollup;

use annals_core::ports::{Change, Turn};
use annals_core::{Agent, Catalog, Grain, IngestReceipt, LedgerRow, Memory, Message, Timestamp};

use super::{Case, cases, run};
use crate::{agent, at, message, period, turn_of};

/// Runs every case, each on a new empty catalog from `make`.
pub async fn catalog_suite<C: Catalog + 'static>(mut make: impl AsyncFnMut() -> C) {
    let cases: Vec<Case<dyn Catalog>> = cases![
        ingest::a_new_turn_is_stored_as_said,
        ingest::a_repeated_request_changes_nothing,
        ingest::the_same_request_has_the_same_operation,
        ingest::a_request_that_overlaps_adds_the_rest,
        ingest::other_content_is_a_conflict_and_nothing_is_stored,
        ingest::a_request_may_contradict_itself_only_when_it_revises,
        ingest::revise_replaces,
        ingest::revise_that_moves_makes_both_days_dirty,
        ingest::each_input_makes_its_day_dirty,
        ingest::a_duplicate_makes_no_day_dirty,
        ingest::the_same_id_in_two_conversations_is_two_turns,
        ingest::any_text_comes_back_as_it_was,
        ingest::early_and_late_years_are_kept,
        ingest::requests_at_once_are_each_stored_once,
        ingest::what_was_masked_is_counted_in_the_operation,
        ingest::an_attachment_stays_with_its_turn,
        arrival::equal_moments_keep_the_order_of_arrival,
        arrival::a_moment_that_a_revision_leaves_is_free_again,
        arrival::equal_moments_that_come_again_are_known,
        arrival::messages_without_a_moment_stand_behind_what_came_before,
        arrival::a_message_without_a_moment_that_comes_again_is_known,
        arrival::a_revision_without_a_moment_stays_in_its_place,
        arrival::what_a_client_sent_is_known_after_a_correction,
        arrival::messages_are_compared_with_what_their_client_sent,
        changes::come_in_order_and_in_pieces,
        changes::a_deletion_that_every_table_has_applied_is_not_kept,
        changes::show_only_the_last_of_a_memory,
        changes::are_of_one_grain,
        changes::of_each_agent_have_a_sequence_of_their_own,
        changes::a_deletion_shows_until_the_memory_is_back,
        changes::watermarks_are_kept_apart,
        changes::a_watermark_over_another_state_than_was_read_changes_nothing,
        changes::a_watermark_does_not_go_back,
        rollup::input_is_in_order_of_time_then_of_conversation_then_of_arrival,
        rollup::a_summary_reads_back_whole,
        rollup::a_new_text_is_a_change_and_makes_the_parent_dirty,
        rollup::the_same_text_is_no_change_but_has_new_lineage,
        rollup::unchanged_input_only_makes_clean,
        rollup::no_input_left_deletes_the_summary,
        rollup::nothing_to_delete_is_no_change,
        rollup::what_came_meanwhile_stays_dirty,
        rollup::a_roll_up_of_another_state_than_was_read_changes_nothing,
        rollup::one_stale_roll_up_refuses_all_of_its_batch,
        rollup::a_year_has_no_parent,
        rollup::summaries_of_a_grain_are_the_input_of_the_next,
        rollup::weeks_across_a_month_edge_go_to_the_month_of_their_thursday,
        rollup::failures_are_counted_until_it_is_clean,
        rollup::failures_of_all_agents_are_listed_until_they_are_clean,
        rollup::waiting_is_noted_without_a_failure,
        rollup::tokens_add_up,
        read::lists_what_shares_an_instant_with_the_range,
        read::lists_a_coarser_memory_that_overlaps_the_edge,
        read::lists_conversations_by_name,
        read::lists_the_newest_first,
        read::lists_equal_instants_by_conversation_and_arrival,
        read::lists_one_conversation,
        read::lists_one_grain,
        read::lists_by_kind,
        read::gets_in_the_order_asked_for,
        read::finds_by_the_beginning_of_an_id,
        read::counts_what_is_live,
        read::outlines_live_days_and_summaries,
        records::an_unknown_agent_reads_as_empty,
        records::settings_are_kept,
        records::a_standing_is_what_single_questions_tell,
        records::agents_are_those_with_settings_or_messages,
        records::agents_are_listed_by_workspace_and_name_in_pages,
        records::agents_do_not_see_each_other,
        records::the_same_name_elsewhere_is_another_agent,
        records::any_name_is_a_name,
        records::the_ledger_is_by_grain_and_time,
        records::dead_letters_are_kept_until_exhumed,
        records::operations_are_kept,
        records::an_operation_is_done_when_its_own_lane_is,
        records::a_sound_store_has_no_faults,
    ];
    run("catalog", cases, async || Box::new(make().await) as Box<dyn Catalog>).await;
}

/// Returns the agent of most cases.
pub(super) fn me() -> Agent {
    agent("tester")
}

/// Returns the time of ingest, unless a case says otherwise.
pub(super) fn now() -> Timestamp {
    at("2026-06-01T00:00:00Z")
}

/// Returns a time after [`now`].
pub(super) fn later() -> Timestamp {
    at("2026-06-02T00:00:00Z")
}

/// Builds a turn with a client id.
pub(super) fn user_turn(id: &str, instant: &str, text: &str) -> Turn {
    turn_of(&me(), Message { client_id: Some(id.into()), ..message(instant, text) })
}

pub(super) async fn say(catalog: &dyn Catalog, turns: Vec<Turn>) -> IngestReceipt {
    catalog.ingest(&me(), turns, false, now()).await.unwrap()
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
