//! Conformance suite of port `Archive`.

mod correct;
mod records;
mod restore;
mod versions;
mod world;

use annals_core::ports::{Archive, Record, check_origin};
use annals_core::{Agent, Result, Timestamp};

use super::{Case, Store, cases, run};

/// Returns all records of an agent, read in pages.
pub async fn all_records<A: Archive + ?Sized>(archive: &A, agent: &Agent) -> Vec<Record> {
    let mut all: Vec<Record> = Vec::new();
    loop {
        let page = archive.records(agent, all.last(), 7).await.unwrap();
        if page.is_empty() {
            return all;
        }
        all.extend(page);
    }
}

/// Restores records for an agent that holds no memories or blocks yet, all or none, with the calls that an import makes.
pub(super) async fn restore_records(
    store: &dyn Store,
    agent: &Agent,
    mut records: Vec<Record>,
    now: Timestamp,
) -> Result<()> {
    check_origin(agent, &records)?;
    store.begin_restore(agent).await?;
    records.sort_by_key(Record::rank);
    let stored = match store.restore_some(agent, records).await {
        Ok(()) => store.finish_restore(agent, now).await,
        failed => failed,
    };
    if stored.is_err() {
        store.drop_restore(agent).await?;
    }
    stored
}

/// Runs every case, each on a new empty store from `make`.
pub async fn archive_suite<S: Store + 'static>(mut make: impl AsyncFnMut() -> S) {
    let cases: Vec<Case<dyn Store>> = cases![
        records::of_an_unknown_agent_are_its_settings,
        records::come_in_order,
        records::say_all_of_a_turn,
        records::say_how_far_extraction_came,
        records::say_all_of_a_period,
        records::are_those_of_the_catalog_in_memory,
        records::are_the_same_in_pages_of_any_size,
        records::are_read_back_from_json,
        restore::gives_the_same_records_again,
        restore::gives_the_same_answers_again,
        restore::changes_are_there_for_projections,
        restore::extraction_goes_on_where_it_was,
        restore::work_goes_on,
        restore::what_was_pruned_is_not_added_again,
        restore::a_turn_is_not_there_and_gone,
        restore::a_day_of_which_no_record_tells_is_dirty,
        restore::is_refused_where_memories_are,
        restore::keeps_nothing_of_what_it_refuses,
        restore::is_refused_under_another_name,
        restore::is_refused_for_what_was_forgotten,
        restore::leaves_other_agents_alone,
        restore::of_nothing_is_nothing,
        restore::is_seen_when_all_of_it_is_there,
        restore::is_refused_if_memories_came_meanwhile,
        correct::a_statement,
        correct::a_summary,
        correct::a_summary_stands_until_its_input_changes,
        correct::a_year,
        correct::a_statement_stands_until_it_is_read_again,
        correct::the_same_words_are_no_correction,
        correct::turns_are_revised_instead,
        correct::what_is_not_there,
        versions::of_a_corrected_memory_are_kept_in_order,
        versions::of_a_revised_turn_are_its_former_words,
        versions::go_with_the_memory,
        versions::of_another_agent_are_not_seen,
    ];
    run("archive", cases, async || Box::new(make().await) as Box<dyn Store>).await;
}
