//! Conformance suite of port `Strata`.

mod erase;
mod search;
mod whole;
mod write;

use annals_core::ports::{Batch, Part, Table};
use annals_core::{Grain, Kind, MemoryId, Strata};

use super::{SuiteTest, cases, run};
use crate::{agent, period, utc_cover};

/// Length of the suite's vectors, for implementations that need it in advance.
pub const STRATA_DIMENSION: usize = 8;

/// Runs every case, each on a new store without tables from `make`.
pub async fn strata_suite<S: Strata + 'static>(mut make: impl AsyncFnMut() -> S) {
    let cases: Vec<SuiteTest<dyn Strata>> = cases![
        write::unwritten_table_is_empty,
        write::table_exists_from_first_batch_until_removed,
        write::applying_twice_changes_nothing,
        write::generations_keep_their_own_dimension,
        write::upsert_replaces_all_parts,
        write::delete_removes_all_parts,
        write::empty_batch_is_accepted,
        write::one_batch_upserts_and_deletes,
        write::scan_is_sorted_and_digests_ignore_sequence_numbers,
        write::tables_are_per_agent_grain_and_generation,
        write::many_small_batches_add_up,
        write::removed_table_is_empty_and_writable,
        write::quarantined_table_is_moved_aside,
        write::any_text_round_trips,
        write::compaction_changes_no_row,
        erase::rewritten_table_lacks_only_deleted_rows,
        erase::rewriting_an_unwritten_table_does_nothing,
        erase::stored_words_are_found,
        erase::removing_below_a_generation_keeps_later_ones,
        erase::purging_one_agent_keeps_the_others,
        search::most_similar_rows_are_first,
        search::limit_applies_to_each_leg,
        search::small_table_is_scored_completely,
        search::hits_report_their_matched_words,
        search::hits_report_their_conversation,
        search::filters_apply_before_ranking,
        search::ranges_are_half_open,
        search::early_and_late_years_are_found,
        search::kinds_and_conversations_are_filtered,
        search::words_match_any_case,
        search::rare_words_weigh_more,
        search::query_of_only_stop_words_finds_rows,
        search::chinese_japanese_and_korean_are_found,
        search::accents_match_any_spelling,
        search::query_without_words_finds_nothing,
        search::special_characters_are_matched_literally,
        search::empty_query_finds_nothing,
        search::replaced_and_deleted_rows_are_not_found,
    ];
    run("strata", cases, async || Box::new(make().await) as Box<dyn Strata>).await;
}

/// Runs the cases for stores that score all rows of a table.
pub async fn whole_tables_suite<S: Strata + 'static>(mut make: impl AsyncFnMut() -> S) {
    let cases: Vec<SuiteTest<dyn Strata>> = cases![
        whole::table_without_rows_has_only_word_rarity,
        whole::neighbours_of_the_best_hits_are_returned,
        whole::late_turns_take_their_position,
        whole::conversation_statistics_cover_all_parts,
        whole::score_statistics_cover_all_rows_that_pass_the_filter,
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
    strata.apply(&table(), Batch { dimension: STRATA_DIMENSION, upserts, deletes: Vec::new() }).await.unwrap();
}

/// Returns the rows of a table as `memory/part`.
async fn rows(strata: &dyn Strata, table: &Table) -> Vec<String> {
    let rows = strata.scan(table).await.unwrap();
    rows.iter().map(|row| format!("{}/{}", row.memory, row.part)).collect()
}
