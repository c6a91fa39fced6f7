//! Stored files: the Parquet file of facts, and the catalog.

use std::path::Path;

use annals_catalog::SqliteCatalog;
use annals_core::ports::Archive;
use annals_core::prelude::*;
use annals_core::{Agent, Error, FactQuery, Facts};
use annals_facts::DuckFacts;

use crate::command::{Annals, files};
use crate::fuzz::fuzz;
use crate::story::{days, line};

fn annals() -> Annals {
    let annals = Annals::new();
    let moved = line("ann", "me", "1", "Ann", "I moved from Oslo to Bern. I like figs.", "2026-01-03T10:00:00Z");
    annals.import(&format!("{}{moved}", days("ann", 9, 1)));
    annals.json(&["rollup"]);
    annals
}

#[test]
fn damaged_file_of_facts_is_never_read_as_other_facts() {
    let annals = annals();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let stored = files(&annals.data().join("facts")).into_iter().find(|file| is_parquet(file)).unwrap();
    let place = stored.strip_prefix(annals.data().join("facts")).unwrap().to_owned();
    let agent = Agent::new("ann").unwrap();
    let find = |input: &[u8]| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(&place);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, input).unwrap();
        let facts = DuckFacts::open(folder.path()).unwrap();
        runtime.block_on(facts.find(&agent, &FactQuery { history: true, ..FactQuery::default() }))
    };
    let good = std::fs::read(&stored).unwrap();
    let expect = find(&good).unwrap();
    assert!(!expect.is_empty());
    fuzz("facts", &[good], |input| match find(input) {
        Ok(found) if found == expect => Ok(()),
        Ok(found) => Err(format!("other facts: {found:?}")),
        Err(Error::Damaged { .. }) => Ok(()),
        Err(other) => Err(format!("not reported as damage: {other}")),
    });
}

fn is_parquet(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "parquet")
}

#[test]
fn damaged_catalog_answers_or_fails_without_panic() {
    let annals = annals();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let good = std::fs::read(annals.data().join("catalog.sqlite")).unwrap();
    fuzz("catalog", &[good], |input| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("catalog.sqlite");
        std::fs::write(&file, input).unwrap();
        let Ok(catalog) = SqliteCatalog::open(&file) else { return Ok(()) };
        runtime.block_on(async {
            // Any result is allowed, but no panic and no hang.
            let _ = catalog.check().await;
            for agent in catalog.all_agents().await.unwrap_or_default() {
                let _ = catalog.records(&agent, None, usize::MAX).await;
                let _ = catalog.ledger(&agent).await;
            }
        });
        Ok(())
    });
}
