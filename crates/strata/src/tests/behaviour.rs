//! Tests of the port's behaviour, on real tables.

use annals_objects::Bucket;
use arrow_array::RecordBatch;
use futures::TryStreamExt;
use lancedb::query::ExecutableQuery;

use super::*;

#[tokio::test]
async fn passes_the_conformance_suite() {
    passes_the_suite(Maintenance::default()).await;
}

#[tokio::test]
async fn passes_the_conformance_suite_on_disk_only() {
    passes_the_suite(Maintenance { limits: CacheLimits::of(0), ..Maintenance::default() }).await;
}

#[tokio::test]
async fn passes_the_conformance_suite_with_indexes_larger_than_their_cache() {
    passes_the_suite(Maintenance { index_cache_bytes: 1, ..Maintenance::default() }).await;
}

#[tokio::test]
async fn passes_the_conformance_suites_on_another_object_store() {
    annals_testkit::strata_suite(in_memory_objects).await;
    annals_testkit::whole_tables_suite(in_memory_objects).await;
}

async fn in_memory_objects() -> LanceStrata {
    let objects = Objects::over(std::sync::Arc::new(object_store::memory::InMemory::new()), "v1/tables".into());
    LanceStrata::over(objects, CacheLimits::of(64 << 20)).await.unwrap()
}

#[tokio::test]
async fn passes_the_conformance_suites_in_a_bucket() {
    let Some(bucket) = annals_testkit::TestBucket::new() else { return };
    let number = std::cell::Cell::new(0);
    let open = async || {
        number.set(number.get() + 1);
        let url = format!("{}/{}", bucket.url, number.get());
        let bucket = Bucket { endpoint: Some(bucket.endpoint.clone()), ..Bucket::parse(&url).unwrap() };
        LanceStrata::over(Objects::in_bucket(&bucket, None).unwrap(), CacheLimits::of(64 << 20)).await.unwrap()
    };
    annals_testkit::strata_suite(open).await;
    annals_testkit::whole_tables_suite(open).await;
}

#[tokio::test]
async fn passes_the_whole_tables_suite() {
    let folders = std::cell::RefCell::new(Vec::new());
    annals_testkit::whole_tables_suite(async || new(Maintenance::default(), &folders).await).await;
}

async fn passes_the_suite(maintenance: Maintenance) {
    let folders = std::cell::RefCell::new(Vec::new());
    annals_testkit::strata_suite(async || new(maintenance, &folders).await).await;
}

async fn new(maintenance: Maintenance, folders: &std::cell::RefCell<Vec<tempfile::TempDir>>) -> LanceStrata {
    let folder = tempfile::tempdir().unwrap();
    let strata = LanceStrata::maintained(local(folder.path()), maintenance).await.unwrap();
    folders.borrow_mut().push(folder);
    strata
}

#[tokio::test]
async fn unwritten_table_reads_as_empty_and_creates_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let strata = open(folder.path()).await;
    assert_eq!(strata.search(&table("a"), &words("anything")).await.unwrap().hits, []);
    assert_eq!(strata.scan(&table("a")).await.unwrap(), []);
    strata.remove(&table("a")).await.unwrap();
    assert_eq!(strata.quarantine(&table("a")).await.unwrap(), None);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// The index would take most of the files and commits of a small table.
#[tokio::test]
async fn text_index_is_made_for_many_rows_or_for_a_search_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let has_index = |name: &str| {
        let folder = folder.path().join(table(name).agent.folder()).join("working-g1.lance/_indices");
        !files(&folder).is_empty()
    };
    let strata = open(folder.path()).await;
    strata.apply(&table("small"), upserts([part("t-1", 0, "the kettle leaks")])).await.unwrap();
    assert_eq!(strata.table_stats(&table("small")).await.unwrap().versions, 1);
    assert_eq!(names(&strata.search(&table("small"), &words("leaking")).await.unwrap().hits), ["t-1#0"]);
    strata.compact(&table("small")).await.unwrap();
    assert!(!has_index("small"));
    let many = (0..1_100).map(|number| part(&format!("t-{number}"), number, "the kettle leaks"));
    strata.apply(&table("large"), upserts(many)).await.unwrap();
    strata.compact(&table("large")).await.unwrap();
    assert!(has_index("large"));
    drop(strata);
    let maintenance = Maintenance { limits: CacheLimits::of(0), ..Maintenance::default() };
    let on_disk = LanceStrata::maintained(local(folder.path()), maintenance).await.unwrap();
    assert_eq!(names(&on_disk.search(&table("small"), &words("leaking")).await.unwrap().hits), ["t-1#0"]);
    assert!(has_index("small"));
    on_disk.apply(&table("small"), upserts([part("t-2", 1, "the roof leaks")])).await.unwrap();
    assert_eq!(names(&on_disk.search(&table("small"), &words("leaking")).await.unwrap().hits), ["t-1#0", "t-2#0"]);
}

#[tokio::test]
async fn apply_is_idempotent_and_removes_missing_parts() {
    let folder = tempfile::tempdir().unwrap();
    let strata = open(folder.path()).await;
    let three: Vec<Part> = (0..3).map(|number| Part { part: number, ..part("t-1", 0, "long text") }).collect();
    let batch = upserts([three.clone(), vec![part("t-2", 1, "other")]].concat());
    for _ in 0..2 {
        strata.apply(&table("a"), batch.clone()).await.unwrap();
        assert_eq!(rows(&strata, &table("a")).await, ["t-1#0", "t-1#1", "t-1#2", "t-2#0"]);
    }
    strata.apply(&table("a"), upserts([part("t-1", 0, "short")])).await.unwrap();
    assert_eq!(rows(&strata, &table("a")).await, ["t-1#0", "t-2#0"]);
    assert_eq!(names(&strata.search(&table("a"), &words("long")).await.unwrap().hits), Vec::<String>::new());
    assert_eq!(names(&strata.search(&table("a"), &words("short")).await.unwrap().hits), ["t-1#0"]);
    let batch =
        Batch { dimension: DIMENSION, upserts: vec![part("t-3", 2, "new")], deletes: vec![MemoryId::from_text("t-1")] };
    strata.apply(&table("a"), batch).await.unwrap();
    let deletes = Batch { dimension: DIMENSION, upserts: Vec::new(), deletes: vec![MemoryId::from_text("t-2")] };
    strata.apply(&table("a"), deletes).await.unwrap();
    assert_eq!(rows(&open(folder.path()).await, &table("a")).await, ["t-3#0"]);
}

#[tokio::test]
async fn last_duplicate_of_a_row_in_a_batch_wins() {
    let folder = tempfile::tempdir().unwrap();
    let strata = open(folder.path()).await;
    strata.apply(&table("a"), upserts([part("t-1", 0, "first"), part("t-1", 0, "second")])).await.unwrap();
    assert_eq!(names(&strata.search(&table("a"), &words("second")).await.unwrap().hits), ["t-1#0"]);
    assert_eq!(rows(&strata, &table("a")).await, ["t-1#0"]);
}

#[tokio::test]
async fn only_rows_that_pass_the_filter_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let strata = open(folder.path()).await;
    let part_of =
        |memory, day, conversation: &str| Part { conversation: Some(conversation.into()), ..part(memory, day, "tea") };
    let parts = [
        part_of("t-1", 0, "it's \"quoted\" \\ ' OR 1=1 --"),
        part_of("t-2", 1, "plain"),
        Part { kind: Kind::Summary, conversation: None, speaker: None, ..part("s-3", 2, "tea") },
    ];
    strata.apply(&table("a"), upserts(parts)).await.unwrap();
    let check = async |filter: Filter, expect: &[&str]| {
        let by_vector = strata.search(&table("a"), &near(0, filter.clone())).await.unwrap().hits;
        assert_eq!(names(&by_vector), expect, "{filter:?}");
        let by_words =
            strata.search(&table("a"), &Probe { filter: filter.clone(), ..words("tea") }).await.unwrap().hits;
        assert_eq!(names(&by_words), expect, "{filter:?}");
    };
    let of_conversation = |conversation: &str| Filter { conversation: Some(conversation.into()), ..Filter::default() };
    let noon = |day: i64| instant(at("2026-03-01T12:00:00Z").as_microsecond() + day * DAY_US);
    let within = |start, end| Filter { within: Interval { start, end }, ..Filter::default() };
    check(Filter::default(), &["s-3#0", "t-1#0", "t-2#0"]).await;
    check(of_conversation("it's \"quoted\" \\ ' OR 1=1 --"), &["t-1#0"]).await;
    check(of_conversation("plain"), &["t-2#0"]).await;
    check(of_conversation("' OR '1'='1"), &[]).await;
    check(Filter { kinds: vec![Kind::Summary, Kind::Statement], ..Filter::default() }, &["s-3#0"]).await;
    check(within(noon(1), noon(2)), &["t-2#0"]).await;
    check(within(noon(0), instant(noon(0).as_microsecond() + 1)), &["t-1#0"]).await;
    check(within(noon(2), noon(1)), &[]).await;
    check(within(noon(3), Timestamp::MAX), &[]).await;
}

#[tokio::test]
async fn similarity_is_cosine_and_limit_applies_to_each_leg() {
    let folder = tempfile::tempdir().unwrap();
    let strata = open(folder.path()).await;
    let parts = (0..6).map(|day| part(&format!("t-{day}"), day, if day > 3 { "coffee" } else { "tea" }));
    strata.apply(&table("a"), upserts(parts)).await.unwrap();
    let probe = Probe { limit: 2, text: Some("coffee".into()), ..near(0, Filter::default()) };
    let hits = strata.search(&table("a"), &probe).await.unwrap().hits;
    assert_eq!(names(&hits), ["t-0#0", "t-1#0", "t-4#0", "t-5#0"]);
    let similarity = |memory: &str| hits.iter().find(|hit| hit.memory.as_str() == memory).unwrap().similarity;
    for (memory, angle) in [("t-0", 0.0_f32), ("t-1", 0.1), ("t-4", 0.4)] {
        assert!((similarity(memory).unwrap() - angle.cos()).abs() < 0.005, "{memory}: {:?}", similarity(memory));
    }
    assert_eq!(strata.search(&table("a"), &Probe { limit: 0, ..probe }).await.unwrap().hits, []);
}

#[tokio::test]
async fn words_of_every_script_are_found_including_stop_words() {
    let folder = tempfile::tempdir().unwrap();
    let strata = open(folder.path()).await;
    let parts = [
        part("t-1", 0, "Who is it? It is me."),
        part("t-2", 1, "Wir trafen uns im Café in Zürich"),
        part("t-3", 2, "我的猫咪很喜欢睡觉"),
        part("t-4", 3, "メモリを増やした"),
        part("t-5", 4, "한국어를 배우고 있다"),
    ];
    strata.apply(&table("a"), upserts(parts)).await.unwrap();
    let check = async |text: &str, expect: &[&str]| {
        assert_eq!(names(&strata.search(&table("a"), &words(text)).await.unwrap().hits), expect, "{text}");
    };
    check("who is it", &["t-1#0"]).await;
    check("CAFE zurich", &["t-2#0"]).await;
    check("猫", &["t-3#0"]).await;
    check("喜欢睡觉", &["t-3#0"]).await;
    check("メモリ", &["t-4#0"]).await;
    check("한국어", &["t-5#0"]).await;
    check("?!", &[]).await;
    check("alice wednesday", &["t-1#0", "t-2#0", "t-3#0", "t-4#0", "t-5#0"]).await;
}

#[tokio::test]
async fn agents_grains_and_generations_are_isolated() {
    let folder = tempfile::tempdir().unwrap();
    let strata = open(folder.path()).await;
    let coarser = Table { grain: Grain::Daily, ..table("a") };
    let next = Table { generation: 2, ..table("a") };
    for (number, table) in [table("a"), table("b"), coarser.clone(), next.clone()].iter().enumerate() {
        strata.apply(table, upserts([part(&format!("t-{number}"), 0, "tea")])).await.unwrap();
    }
    strata.remove(&next).await.unwrap();
    for (table, expect) in [(table("a"), "t-0#0"), (table("b"), "t-1#0"), (coarser, "t-2#0")] {
        assert_eq!(names(&strata.search(&table, &words("tea")).await.unwrap().hits), [expect]);
        assert_eq!(rows(&strata, &table).await, [expect]);
    }
    assert_eq!(rows(&strata, &next).await, Vec::<String>::new());
}

#[tokio::test]
async fn recreated_table_does_not_return_former_rows() {
    let folder = tempfile::tempdir().unwrap();
    let strata = open(folder.path()).await;
    let mut quarantined = Vec::new();
    for round in 0..4 {
        let name = format!("t-{round}");
        strata.apply(&table("a"), upserts([part(&name, round, &format!("word{round}"))])).await.unwrap();
        assert_eq!(rows(&strata, &table("a")).await, [format!("{name}#0")]);
        for (old, expect) in [(round - 1, vec![]), (round, vec![format!("{name}#0")])] {
            assert_eq!(names(&strata.search(&table("a"), &words(&format!("word{old}"))).await.unwrap().hits), expect);
        }
        match round % 2 {
            0 => quarantined.push(strata.quarantine(&table("a")).await.unwrap().unwrap()),
            _ => strata.remove(&table("a")).await.unwrap(),
        }
        assert_eq!(rows(&strata, &table("a")).await, Vec::<String>::new());
    }
    let agent = table("a").agent.folder();
    assert_eq!(quarantined, [1, 2].map(|number| format!("{agent}/quarantine/working-g1-{number}")));
    assert!(quarantined.iter().all(|aside| !files(&folder.path().join(aside)).is_empty()));
}

#[tokio::test]
async fn indexed_and_unindexed_rows_are_each_found_once() {
    let folder = tempfile::tempdir().unwrap();
    let strata = open(folder.path()).await;
    let row = |number: i64| part(&format!("t-{number:05}"), number, &format!("common number{number}"));
    // With batches of forty, maintenance joins, indexes and prunes the first fragments, and not yet the last ones.
    for first in (0..3_000).step_by(40) {
        strata.apply(&table("a"), upserts((first..first + 40).map(row))).await.unwrap();
    }
    // One of the indexed rows changes.
    strata.apply(&table("a"), upserts([part("t-00007", 7, "common changed")])).await.unwrap();
    let strata = open(folder.path()).await;
    let all = strata.search(&table("a"), &Probe { limit: 5_000, ..words("common") }).await.unwrap().hits;
    assert_eq!(all.len(), 3_000);
    assert_eq!(rows(&strata, &table("a")).await.len(), 3_000);
    for (text, expect) in [("number1", "t-00001#0"), ("number2999", "t-02999#0"), ("changed", "t-00007#0")] {
        assert_eq!(names(&strata.search(&table("a"), &words(text)).await.unwrap().hits), [expect]);
    }
    assert_eq!(strata.search(&table("a"), &words("number7")).await.unwrap().hits, []);
    let near = strata.search(&table("a"), &Probe { limit: 5_000, ..near(0, Filter::default()) }).await.unwrap().hits;
    assert_eq!(near.len(), 3_000);
    let manifests = files(&folder.path().join(table("a").agent.folder()).join("working-g1.lance/_versions"));
    assert!(manifests.len() < 30, "old versions are pruned: {}", manifests.len());
}

#[tokio::test]
async fn vector_of_wrong_length_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let strata = open(folder.path()).await;
    let short = Part { vector: vec![1.0], ..part("t-1", 0, "x") };
    let batch = upserts([part("t-0", 0, "x"), short.clone()]);
    let error = strata.apply(&table("a"), batch).await.unwrap_err();
    assert_eq!(error.to_string(), "vector of t-1 has 1 numbers; expected 4 finite numbers");
    strata.apply(&table("a"), upserts([part("t-0", 0, "x")])).await.unwrap();
    let error = strata.apply(&table("a"), upserts([short])).await.unwrap_err();
    assert_eq!(error.code(), "damaged", "{error}");
    let probe = Probe { vector: Some(vec![1.0]), limit: 1, ..Probe::default() };
    let error = strata.search(&table("a"), &probe).await.unwrap_err();
    assert_eq!(error.to_string(), "vector has 1 numbers; those of the table have 4");
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_searches_and_writes_do_not_interfere() {
    let folder = tempfile::tempdir().unwrap();
    let strata = open(folder.path()).await;
    strata.apply(&table("a"), upserts([part("t-0", 0, "tea")])).await.unwrap();
    let writer = strata.clone();
    let writing = tokio::spawn(async move {
        for number in 0..60 {
            writer.apply(&table("a"), upserts([part("t-0", number, "tea"), part("t-1", number, "tea")])).await.unwrap();
        }
    });
    while !writing.is_finished() {
        let probe = Probe { text: Some("tea".into()), ..near(0, Filter::default()) };
        let hits = strata.search(&table("a"), &probe).await.unwrap().hits;
        assert!(hits.iter().all(|hit| hit.similarity.is_some() && hit.relevance.is_some()), "{hits:?}");
        assert!((1..=2).contains(&strata.scan(&table("a")).await.unwrap().len()));
    }
    writing.await.unwrap();
}

#[tokio::test]
async fn running_search_keeps_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let strata = open(folder.path()).await;
    strata.apply(&table("a"), upserts([part("t-0", 0, "tea")])).await.unwrap();
    let slot = strata.tables.slot(&table("a"));
    let searching = strata.tables.reading(&table("a"), &slot).await.unwrap().unwrap();
    let before = searching.query_snapshot().await.unwrap();
    // Makes enough commits to run maintenance, which joins the row's file with others and would then delete it.
    for number in 1..30 {
        strata.apply(&table("a"), upserts([part(&format!("t-{number}"), 0, "tea")])).await.unwrap();
    }
    let found: Vec<RecordBatch> = before.query().execute().await.unwrap().try_collect().await.unwrap();
    assert_eq!(found.iter().map(RecordBatch::num_rows).sum::<usize>(), 1);
}

#[tokio::test]
async fn more_tables_than_open_handles_can_be_used() {
    let folder = tempfile::tempdir().unwrap();
    let strata = open(folder.path()).await;
    for round in 0..2 {
        for number in 0..70 {
            let name = table(&format!("agent {number}"));
            strata.apply(&name, upserts([part(&format!("t-{round}"), 0, "tea")])).await.unwrap();
        }
    }
    assert_eq!(rows(&strata, &table("agent 0")).await, ["t-0#0", "t-1#0"]);
}
