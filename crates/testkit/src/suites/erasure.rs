//! Conformance suite of port `Erasure`.

mod blocks;
mod cleaning;
mod erased_sentences;
mod items;
mod leftovers;
mod messages;
mod pruned;
mod sealed;
mod subject;
mod targets;
mod unsealed;
mod whole;

use annals_core::ports::{Change, ErasureReport, Record, Target};
use annals_core::{Grain, LedgerRow, MemoryId, Period};

use super::all_records;
use super::catalog::{all_changes, me};
use super::history::sorted;
use super::{Store, SuiteTest, cases, run};
use crate::{at, period};

/// Runs every case, each on a new empty store from `make`.
pub async fn erasure_suite<S: Store + 'static>(mut make: impl AsyncFnMut() -> S) {
    let cases: Vec<SuiteTest<dyn Store>> = cases![
        targets::memories_are_erased_by_id,
        targets::summaries_are_not_erased_by_id,
        targets::statement_is_erased_without_its_turn,
        targets::entered_fact_is_erased_by_id,
        targets::conversation_is_erased,
        targets::range_is_erased,
        targets::target_without_matches_changes_nothing,
        targets::dry_run_changes_nothing,
        targets::other_agents_are_not_changed,
        targets::pinned_memories_are_erased,
        subject::turns_of_the_subject_are_erased,
        subject::turns_that_name_the_subject_as_whole_words_are_erased,
        subject::aliases_of_the_subject_are_followed,
        subject::statements_and_operations_about_the_subject_are_erased,
        subject::operations_that_name_the_subject_in_any_field_are_erased,
        targets::what_draws_on_a_turn_as_context_is_erased_with_it,
        subject::turns_with_the_name_in_conversation_or_id_are_erased,
        subject::alias_is_followed_if_its_bearer_stated_it,
        subject::retracted_alias_is_not_followed,
        subject::empty_subject_erases_nothing,
        subject::sealed_sentences_that_name_the_subject_are_cut,
        subject::summaries_and_former_texts_that_name_the_subject_are_erased,
        unsealed::summaries_above_are_removed_and_dirty,
        unsealed::other_days_stay,
        unsealed::day_that_quotes_a_name_from_an_earlier_day_is_removed,
        unsealed::day_without_a_summary_is_dirty,
        unsealed::empty_periods_have_no_summaries,
        unsealed::remaining_turns_are_rolled_up_again,
        sealed::late_turn_is_cut_from_the_amended_summary,
        sealed::sentences_of_pruned_turns_are_cut_by_id,
        sealed::range_selects_pruned_turns_by_time,
        sealed::sentence_of_several_turns_is_cut_with_any_of_them,
        sealed::parents_of_a_cut_summary_are_rolled_up_again,
        sealed::sealed_parents_are_cut_too,
        sealed::summary_without_remaining_sentences_is_lost,
        sealed::model_text_is_lost,
        sealed::base_without_the_turn_is_amended_again,
        sealed::base_is_cut_without_a_summary,
        sealed::sentence_that_a_remaining_fact_quotes_is_not_gone,
        sealed::summaries_without_the_turn_stay,
        sealed::untraced_model_text_counts_for_all_sources,
        sealed::sealed_parent_is_amended_after_its_input_is_erased,
        pruned::conversation_selects_its_pruned_turns,
        pruned::forgotten_pruned_turns_are_not_stored_again,
        pruned::subject_selects_pruned_turns_by_speaker_and_remaining_text,
        pruned::model_text_above_days_is_removed_with_any_of_its_turns,
        pruned::late_turn_is_not_in_an_earlier_seal,
        pruned::quotes_of_a_model_are_removed_like_its_own_text,
        pruned::turns_known_only_by_id_are_selected,
        pruned::forgotten_turns_leave_no_record,
        erased_sentences::searched_phrases_are_the_erased_sentences,
        erased_sentences::phrases_that_remain_elsewhere_are_not_searched,
        erased_sentences::phrases_of_statements_and_entries_are_searched,
        erased_sentences::leftovers_are_searched_per_agent,
        erased_sentences::no_leftovers_after_erasure,
        erased_sentences::leftovers_are_searched_in_every_column,
        messages::forgotten_messages_are_recognized_by_place_and_content,
        messages::forgotten_messages_are_not_stored_again,
        messages::forgotten_messages_are_neither_conflict_nor_revision,
        messages::unforgotten_messages_may_be_stored_again,
        messages::same_messages_of_other_agents_are_accepted,
        messages::pruned_messages_are_not_forgotten,
        leftovers::replies_and_requests_are_removed,
        leftovers::late_reply_is_charged_but_not_kept,
        leftovers::dead_letters_are_removed_with_their_memories,
        leftovers::former_texts_are_removed,
        leftovers::former_texts_of_sealed_summaries_are_removed,
        leftovers::changed_log_has_a_new_version,
        leftovers::late_output_of_erased_turns_is_ignored,
        leftovers::second_erasure_changes_nothing,
        leftovers::scrub_changes_no_records,
        messages::attachments_are_removed_with_their_messages,
        blocks::blocks_that_name_the_subject_are_removed,
        blocks::prompts_that_name_the_subject_are_reported_and_stay,
        blocks::leftovers_are_found_in_names_and_texts,
        blocks::blocks_stay_when_other_targets_are_erased,
        items::forgotten_items_are_recognized_by_place,
        items::forgotten_items_are_recognized_after_the_agent_is_erased,
        items::entered_statement_is_erased_by_id_and_by_range,
        items::entered_statement_is_replaced_by_its_id,
        cleaning::cleaning_is_due_from_erasure_until_done,
        cleaning::erased_agent_still_has_cleaning_due,
        cleaning::cleaning_of_an_earlier_erasure_does_not_end_a_later_one,
        cleaning::cleaning_is_per_agent,
        whole::agent_is_erased_with_everything,
        whole::messages_of_the_erased_agent_stay_forgotten,
        whole::erased_agent_may_be_created_again,
        whole::names_of_the_erased_agent_are_free,
        whole::sequence_numbers_are_not_reused_after_erasure,
    ];
    run("erasure", cases, async || Box::new(make().await) as Box<dyn Store>).await;
}

/// Erases a target. Expects that a dry run just before it reports the same.
async fn erase(store: &dyn Store, target: Target) -> ErasureReport {
    let planned = store.preview(&me(), &target).await.unwrap();
    let done = store.erase(&me(), &target, much_later()).await.unwrap();
    assert_eq!(in_order(done.clone()), in_order(planned), "a dry run says what is done");
    in_order(done)
}

fn in_order(report: ErasureReport) -> ErasureReport {
    ErasureReport {
        turns: sorted(report.turns),
        pruned: sorted(report.pruned),
        statements: sorted(report.statements),
        operations: sorted(report.operations),
        words: sorted(report.words),
        ..report
    }
}

fn much_later() -> annals_core::Timestamp {
    at("2026-07-01T00:00:00Z")
}

fn ids(ids: &[&MemoryId]) -> Vec<MemoryId> {
    sorted(ids.iter().map(|id| (*id).clone()).collect())
}

fn by_id(ids: &[&MemoryId]) -> Target {
    Target::Memories(ids.iter().map(|id| (*id).clone()).collect())
}

fn periods(labels: &[&str]) -> Vec<Period> {
    labels.iter().map(|label| period(label)).collect()
}

/// Day, week, month, quarter and year of 2026-03-04.
const ABOVE: [&str; 5] = ["2026-03-04", "2026-W10", "2026-03", "2026-Q1", "2026"];

/// Returns all records, changes and ledger rows of the agent.
async fn everything(store: &dyn Store) -> (Vec<Record>, Vec<Change>, Vec<LedgerRow>) {
    let mut changes = Vec::new();
    for grain in Grain::ALL {
        changes.extend(all_changes(store, grain).await);
    }
    (all_records(store, &me()).await, changes, store.ledger(&me()).await.unwrap())
}
