//! Conformance suite of port `Erasure`.

mod blocks;
mod cleaning;
mod items;
mod leftovers;
mod messages;
mod pruned;
mod sealed;
mod subject;
mod targets;
mod unsealed;
mod whole;
mod words;

use annals_core::ports::{Change, ErasureReport, Record, Target};
use annals_core::{Grain, LedgerRow, MemoryId, Period};

use super::all_records;
use super::catalog::{all_changes, me};
use super::history::sorted;
use super::{Case, Store, cases, run};
use crate::{at, period};

/// Runs every case, each on a new empty store from `make`.
pub async fn erasure_suite<S: Store + 'static>(mut make: impl AsyncFnMut() -> S) {
    let cases: Vec<Case<dyn Store>> = cases![
        targets::memories_go_by_id,
        targets::summaries_do_not_go_by_id,
        targets::a_statement_goes_alone,
        targets::an_entry_by_hand_goes_by_its_id,
        targets::a_conversation_goes,
        targets::a_range_goes,
        targets::what_is_not_there_reaches_nothing,
        targets::a_dry_run_changes_nothing,
        targets::another_agent_is_not_reached,
        targets::pins_do_not_hold_it_up,
        subject::whatever_was_said_by_it,
        subject::whatever_names_it_as_whole_words,
        subject::its_aliases_are_it,
        subject::statements_and_operations_about_it,
        subject::operations_that_name_it_anywhere,
        subject::turns_whose_conversation_or_id_names_it,
        subject::an_alias_is_followed_if_its_bearer_said_so,
        subject::an_alias_that_was_retracted_is_not_followed,
        subject::nobody_is_nobody,
        subject::sealed_sentences_that_name_it,
        subject::summaries_and_former_texts_that_name_it,
        unsealed::summaries_above_go_and_are_dirty,
        unsealed::other_days_stay,
        unsealed::a_day_without_summary_is_dirty_too,
        unsealed::nothing_left_rolls_up_to_nothing,
        unsealed::what_is_left_is_written_again,
        sealed::a_late_turn_is_cut_out_of_what_was_amended,
        sealed::sentences_of_pruned_turns_are_cut_by_their_ids,
        sealed::a_range_reaches_pruned_turns_by_their_moment,
        sealed::sentences_of_several_turns_go_with_any,
        sealed::parents_of_what_was_cut_are_written_again,
        sealed::sealed_parents_are_cut_themselves,
        sealed::nothing_left_is_lost,
        sealed::words_of_a_model_are_lost,
        sealed::a_base_without_it_is_amended_again,
        sealed::a_base_is_cut_even_without_a_summary,
        sealed::what_does_not_come_from_it_stays,
        sealed::untraced_words_of_a_model_come_from_all_sources,
        sealed::a_parent_whose_input_went_is_amended_again,
        pruned::a_conversation_reaches_its_pruned_turns,
        pruned::forgotten_pruned_turns_do_not_come_back,
        pruned::a_subject_reaches_pruned_turns_by_their_speaker_and_by_what_is_left,
        pruned::words_of_a_model_above_days_are_lost_with_any_turn_of_theirs,
        pruned::a_late_turn_is_not_in_what_was_sealed_before,
        pruned::quotes_of_a_model_are_lost_like_its_words,
        pruned::turns_of_which_only_the_id_is_known_are_not_passed_over,
        pruned::forgotten_turns_leave_no_record,
        words::are_sentences_of_what_goes,
        words::that_stand_elsewhere_do_not_count,
        words::of_statements_and_entries_count,
        words::are_looked_for_in_what_this_agent_has,
        words::are_found_nowhere_afterwards,
        words::are_looked_for_everywhere,
        messages::are_recognised_by_place_and_content,
        messages::are_not_stored_again,
        messages::are_no_conflict_and_no_revision,
        messages::may_be_stored_again_when_that_is_taken_back,
        messages::of_other_agents_are_not_meant,
        messages::that_were_only_pruned_were_not_forgotten,
        leftovers::replies_and_requests_go,
        leftovers::a_late_answer_is_paid_but_not_kept,
        leftovers::letters_go_with_their_memories,
        leftovers::former_texts_go,
        leftovers::former_texts_of_sealed_summaries_go,
        leftovers::the_log_has_a_new_version_if_it_changed,
        leftovers::late_output_of_erased_turns_is_ignored,
        leftovers::twice_is_once,
        leftovers::a_scrub_changes_nothing_else,
        messages::take_their_attachments_along,
        blocks::that_name_the_subject_go,
        blocks::are_looked_for_by_name_and_text,
        blocks::stay_when_anything_else_goes,
        items::are_recognised_by_their_places,
        items::are_recognised_after_the_whole_agent_went,
        items::entered_statements_go_by_id_and_by_range,
        items::entered_statement_is_replaced_by_its_id,
        cleaning::is_owed_from_an_erasure_until_it_is_done,
        cleaning::is_owed_to_an_agent_that_is_gone,
        cleaning::of_an_earlier_erasure_does_not_end_a_later_one,
        cleaning::of_one_agent_is_not_that_of_another,
        whole::an_agent_goes_with_all_it_has,
        whole::its_messages_stay_forgotten,
        whole::it_may_begin_anew,
        whole::numbers_of_what_was_erased_are_not_given_again,
    ];
    run("erasure", cases, async || Box::new(make().await) as Box<dyn Store>).await;
}

/// Erases, and checks that a dry run just before reports the same.
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
