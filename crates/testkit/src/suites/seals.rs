//! Conformance suite of port `Seals`.

mod amend;
mod children;
mod pins;
mod prune;
mod stale;

use annals_core::ports::Turn;

use super::catalog::{say, user_turn};
use super::history::{By, roll_up_all};
use super::{Store, SuiteTest, cases, run};

/// Runs every case, each on a new empty store from `make`.
pub async fn seals_suite<S: Store + 'static>(mut make: impl AsyncFnMut() -> S) {
    let cases: Vec<SuiteTest<dyn Store>> = cases![
        children::agent_without_memories_has_no_children,
        children::periods_with_live_children_are_listed_in_order,
        children::turns_and_statements_are_children_of_their_day,
        children::revised_turn_has_its_new_sequence_number,
        children::pinned_children_are_reported,
        children::coarse_children_end_with_their_cover,
        children::period_without_roll_up_is_listed,
        prune::pruning_removes_children_and_keeps_the_summary,
        prune::weeks_are_pruned_until_the_end_of_their_months_cover,
        prune::pruning_removes_statements_and_keeps_operations,
        prune::entered_statements_are_not_pruned,
        prune::summaries_are_pruned_like_turns,
        prune::pruned_summary_leaves_nothing,
        prune::year_is_pruned_without_a_parent,
        prune::pruning_removes_dead_letters_and_former_texts,
        prune::base_records_whether_it_is_verbatim,
        prune::week_that_quotes_no_sentence_of_a_model_is_verbatim,
        prune::agent_remains_when_all_is_pruned,
        prune::other_agents_are_not_pruned,
        stale::other_clean_seq,
        stale::input_stored_since,
        stale::input_stored_and_rolled_up_since,
        stale::child_stored_since,
        stale::child_removed_since,
        stale::child_pinned_since,
        stale::period_without_summary,
        stale::unknown_period,
        stale::period_sealed_already,
        stale::dirty_year,
        amend::input_of_a_sealed_period_is_only_the_late_turns,
        amend::amended_summary_keeps_its_base,
        amend::sealing_again_replaces_the_base,
        amend::draft_without_sources_is_kept_when_sealed,
        amend::draft_without_sources_removes_the_summary_when_unsealed,
        amend::late_turn_of_a_pruned_day_reaches_its_week,
        amend::repeated_pruned_turn_is_a_duplicate,
        pins::pin_is_visible_and_is_no_change,
        pins::pin_survives_revisions_and_roll_ups,
        pins::pin_ends_with_the_memory,
        pins::pin_of_a_missing_memory_is_refused,
        pins::clock_note_round_trips,
    ];
    run("seals", cases, async || Box::new(make().await) as Box<dyn Store>).await;
}

/// Stores turns of two days of a week and of one day a week later, and rolls them up.
async fn fortnight(store: &dyn Store) -> Vec<Turn> {
    let turns = vec![
        user_turn("1", "2026-03-04T10:00:00Z", "tea"),
        user_turn("2", "2026-03-04T11:00:00Z", "cake"),
        user_turn("3", "2026-03-05T10:00:00Z", "東京"),
        user_turn("4", "2026-03-11T10:00:00Z", "home"),
    ];
    say(store, turns.clone()).await;
    roll_up_all(store, By::Quoting).await;
    turns
}
