//! Tests of concurrency: agents do not disturb each other, and no reader sees half a replacement.

use std::sync::Arc;

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn more_agents_than_loaded_tables_work_concurrently() {
    let folder = TempDir::new().unwrap();
    let tables = DuckFacts::open(folder.path()).unwrap();
    let work = (0..24).map(|number: u64| {
        let tables = tables.clone();
        tokio::spawn(async move {
            let agent = agent(&format!("agent {number}"));
            for version in 1..=4 {
                let facts = vec![fact("Ann", "counts", &format!("{number}-{version}"))];
                tables.replace(&agent, facts.clone(), version).await.unwrap();
                tokio::task::yield_now().await;
                assert_eq!(tables.find(&agent, &FactQuery::default()).await.unwrap(), facts);
                assert_eq!(tables.version(&agent).await.unwrap(), version);
            }
        })
    });
    for task in work.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    assert!((0..24).all(|number| files(folder.path(), &agent(&format!("agent {number}"))).len() == 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_see_the_former_or_the_new_table() {
    let folder = TempDir::new().unwrap();
    let tables = Arc::new(DuckFacts::open(folder.path()).unwrap());
    let table = |version: u64| -> Vec<Fact> {
        (0..50).map(|number| fact("Ann", &format!("v{version}"), &format!("{number:02}"))).collect()
    };
    tables.replace(&me(), table(0), 0).await.unwrap();
    let writer = {
        let tables = tables.clone();
        tokio::spawn(async move {
            for version in 1..=15 {
                tables.replace(&me(), table(version), version).await.unwrap();
            }
        })
    };
    let mut last = 0;
    while !writer.is_finished() {
        let found = found(&tables).await;
        let version: u64 = found[0].predicate[1..].parse().unwrap();
        assert_eq!(found, table(version));
        assert!(version >= last);
        last = version;
    }
    writer.await.unwrap();
    assert_eq!(found(&tables).await, table(15));
}
