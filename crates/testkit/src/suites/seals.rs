//! Conformance suite of port `Seals`.

mod amend;
mod children;
mod pins;
mod prune;
mod stale;

use annals_core::ports::Turn;

use super::catalog::{say, user_turn};
use super::history::{By, roll_up_all};
use super::{Case, Store, cases, run};

/// Runs every case, each on a new empty store from `make`.
pub async fn seals_suite<S: Store + 'static>(mut make: impl AsyncFnMut() -> S) {
    let cases: Vec<Case<dyn Store>> = cases![
        children::there_are_none_where_nothing_is,
        children::every_period_with_live_children_is_there_in_order,
        children::turns_and_statements_are_children_of_their_day,
        children::a_revised_turn_counts_by_its_new_number,
        children::pins_show,
        children::coarse_children_end_with_their_cover,
        children::what_has_no_roll_up_yet_is_there_too,
        prune::children_go_and_the_summary_stays,
        prune::weeks_are_pruned_until_the_end_of_what_their_month_covers,
        prune::statements_go_and_operations_stay,
        prune::entered_statements_stay,
        prune::summaries_are_pruned_as_turns_are,
        prune::nothing_is_left_of_a_pruned_summary,
        prune::a_year_goes_by_itself,
        prune::letters_and_former_texts_of_pruned_memories_go,
        prune::the_base_knows_whether_it_is_verbatim,
        prune::an_agent_stays_when_all_is_pruned,
        prune::another_agent_is_not_pruned,
        stale::other_clean_seq,
        stale::input_that_came_since,
        stale::input_that_came_and_was_rolled_up_since,
        stale::a_child_that_came_since,
        stale::a_child_that_went_since,
        stale::a_child_that_was_pinned_since,
        stale::a_period_without_summary,
        stale::an_unknown_period,
        stale::a_period_that_is_sealed_already,
        stale::a_year_that_is_dirty,
        amend::late_input_is_all_there_is,
        amend::an_amended_summary_keeps_its_base,
        amend::sealing_again_moves_the_base,
        amend::a_draft_without_sources_is_kept_where_sealed,
        amend::a_draft_without_sources_removes_where_not,
        amend::late_input_of_a_pruned_day_reaches_its_week,
        amend::a_pruned_turn_that_comes_again_is_known,
        pins::show_and_are_no_change,
        pins::outlast_revisions_and_roll_ups,
        pins::end_with_the_memory,
        pins::of_what_is_not_there,
        pins::the_clock_is_kept,
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
