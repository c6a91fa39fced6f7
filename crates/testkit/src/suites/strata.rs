//! Conformance suite of port `Strata`.

mod erase;
mod search;
mod whole;
mod write;

use annals_core::ports::{Batch, Part, Table};
use annals_core::{Grain, Kind, MemoryId, Strata};

use super::{Case, cases, run};
use crate::{agent, period, utc_cover};

/// Length of the suite's vectors, for implementations that need it in advance.
pub const STRATA_DIMENSION: usize = 8;

/// Runs every case, each on a new store without tables from `make`.
pub async fn strata_suite<S: Strata + 'static>(mut make: impl AsyncFnMut() -> S) {
    let cases: Vec<Case<dyn Strata>> = cases![
        write::a_table_that_was_never_written_is_empty,
        write::a_table_exists_from_the_first_batch_until_it_is_removed,
        write::applying_twice_is_applying_once,
        write::an_upsert_replaces_all_parts,
        write::deletes_go_with_all_parts,
        write::a_batch_may_be_empty,
        write::one_batch_upserts_and_deletes,
        write::scans_are_sorted_and_tell_content_from_sequence,
        write::tables_are_kept_apart,
        write::many_small_batches_add_up,
        write::a_removed_table_is_empty_and_can_be_written,
        write::a_quarantined_table_is_aside,
        write::any_text_is_stored,
        write::tidying_changes_no_row,
        erase::a_rewritten_table_is_the_same_without_what_was_deleted,
        erase::rewriting_what_was_never_written_is_nothing,
        erase::what_is_there_is_seen,
        erase::removing_below_an_old_generation_leaves_the_later_ones,
        erase::purging_one_agent_leaves_the_others,
        search::the_most_similar_come_first,
        search::the_limit_is_for_each_of_vector_and_words,
        search::a_small_table_is_scored_whole,
        search::hits_say_which_words_they_hold,
        search::hits_say_in_which_conversation,
        search::filters_come_before_the_ranking,
        search::ranges_are_half_open,
        search::early_and_late_years_are_found,
        search::kinds_and_conversations_are_filtered,
        search::words_are_found_whatever_their_case,
        search::rare_words_weigh_more,
        search::stop_words_alone_are_found,
        search::chinese_japanese_and_korean_are_found,
        search::accents_are_found_however_written,
        search::a_text_without_words_finds_nothing,
        search::odd_words_are_no_syntax,
        search::nothing_asked_finds_nothing,
        search::what_was_replaced_or_deleted_is_not_found,
    ];
    run("strata", cases, async || Box::new(make().await) as Box<dyn Strata>).await;
}

/// Runs the cases for stores that keep all rows of a table at hand and score all of them.
pub async fn whole_tables_suite<S: Strata + 'static>(mut make: impl AsyncFnMut() -> S) {
    let cases: Vec<Case<dyn Strata>> = cases![
        whole::without_rows_nothing_is_said,
        whole::what_stands_beside_the_best_is_found_too,
        whole::late_turns_take_their_seat,
        whole::conversations_are_told_by_all_their_parts,
        whole::scores_are_told_by_all_rows_that_pass,
    ];
    run("whole tables", cases, async || Box::new(make().await) as Box<dyn Strata>).await;
}

/// Returns the table of most cases.
fn table() -> Table {
    Table { agent: agent("tester"), grain: Grain::Working, generation: 0 }
}

/// Builds a part of a turn on 2026-03-04 without a conversation. Its vector points along `axis`.
fn part(memory: &str, number: u32, axis: usize, text: &str) -> Part {
    let day = period("2026-03-04");
    Part {
        memory: MemoryId::from_text(memory),
        part: number,
        kind: Kind::Turn,
        period: day,
        cover: utc_cover(day),
        speaker: Some("Ann".into()),
        conversation: None,
        text: text.into(),
        language: "en".into(),
        vector: towards(axis, 0.0),
        seq: 1,
    }
}

/// Returns a unit vector along an axis, turned by `angle` towards the next axis.
fn towards(axis: usize, angle: f32) -> Vec<f32> {
    let mut vector = vec![0.0; STRATA_DIMENSION];
    vector[axis % STRATA_DIMENSION] = angle.cos();
    vector[(axis + 1) % STRATA_DIMENSION] = angle.sin();
    vector
}

async fn upsert(strata: &dyn Strata, upserts: Vec<Part>) {
    strata.apply(&table(), Batch { upserts, deletes: Vec::new() }).await.unwrap();
}

/// Returns the rows of a table as `memory/part`.
async fn rows(strata: &dyn Strata, table: &Table) -> Vec<String> {
    let rows = strata.scan(table).await.unwrap();
    rows.iter().map(|row| format!("{}/{}", row.memory, row.part)).collect()
}
