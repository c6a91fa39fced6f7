//! Tests of the exported file, read by a plain DuckDB without this crate.

use duckdb::{Connection, params};

use super::*;

async fn exported(facts: Vec<Fact>, target: &Path) {
    let folder = TempDir::new().unwrap();
    let tables = DuckFacts::open(folder.path()).unwrap();
    if !facts.is_empty() {
        tables.replace(&me(), facts, 42).await.unwrap();
    }
    tables.export(&me(), target).await.unwrap();
}

/// Returns the first column of all rows as text.
fn ask(sql: &str, target: &Path) -> Vec<String> {
    let plain = Connection::open_in_memory().unwrap();
    let mut statement = plain.prepare(sql).unwrap();
    let rows = statement.query_map(params![target.to_str().unwrap()], |row| row.get(0)).unwrap();
    rows.collect::<duckdb::Result<_>>().unwrap()
}

const COLUMNS: &str = "SELECT column_name || ' ' || column_type FROM (DESCRIBE SELECT * FROM read_parquet($1))";

const EXPECTED: [&str; 15] = [
    "id VARCHAR",
    "subject VARCHAR",
    "predicate VARCHAR",
    "object VARCHAR",
    "properties VARCHAR",
    "confidence DOUBLE",
    "valid_from TIMESTAMP",
    "valid_to TIMESTAMP",
    "recorded_at TIMESTAMP",
    "said_from TIMESTAMP",
    "said_to TIMESTAMP",
    "sources VARCHAR[]",
    "superseded_by VARCHAR",
    "subject_key VARCHAR",
    "object_key VARCHAR",
];

#[tokio::test]
async fn plain_duckdb_reads_an_export() {
    let folder = TempDir::new().unwrap();
    let target = folder.path().join("out's.parquet");
    let ended = Fact {
        valid_to: Some(at("2026-03-05T00:00:00.5Z")),
        superseded_by: Some("Oslo".into()),
        properties: [("why".to_owned(), serde_json::json!({ "said": "\"no\"" }))].into_iter().collect(),
        sources: ["t-1", "t-2"].map(MemoryId::from_text).to_vec(),
        ..fact("José", "lives_in", "The Hague")
    };
    exported(vec![fact("José", "lives_in", "Oslo"), ended], &target).await;
    assert_eq!(ask(COLUMNS, &target), EXPECTED);
    let all = "SELECT format('{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}', id, subject, predicate, object, properties, confidence,
        valid_from, ifnull(valid_to::VARCHAR, '-'), recorded_at, said_from, said_to, sources, ifnull(superseded_by, '-'),
        subject_key, object_key) FROM read_parquet($1)";
    let from = "2026-03-04 10:00:00";
    assert_eq!(
        ask(all, &target),
        [
            format!("Oslo|José|lives_in|Oslo|{{}}|0.9|{from}|-|{from}|{from}|{from}.000001|[t-1]|-|jose|oslo"),
            format!(
                "The Hague|José|lives_in|The Hague|{{\"why\":{{\"said\":\"\\\"no\\\"\"}}}}|0.9|{from}|2026-03-05 00:00:00.5|{from}|\
                 {from}|{from}.000001|[t-1, t-2]|Oslo|jose|hague"
            ),
        ]
    );
    let metadata = "SELECT key::VARCHAR || '=' || value::VARCHAR FROM parquet_kv_metadata($1) ORDER BY 1";
    assert_eq!(ask(metadata, &target), ["annals_format=1", "annals_version=42"]);
    let packed = "SELECT DISTINCT compression FROM parquet_metadata($1)";
    assert_eq!(ask(packed, &target), ["ZSTD"]);
}

#[tokio::test]
async fn empty_export_has_all_columns() {
    let folder = TempDir::new().unwrap();
    let target = folder.path().join("out.parquet");
    exported(Vec::new(), &target).await;
    assert_eq!(ask(COLUMNS, &target), EXPECTED);
    assert_eq!(ask("SELECT count(*)::VARCHAR FROM read_parquet($1)", &target), ["0"]);
}

#[tokio::test]
async fn export_replaces_an_existing_file_and_leaves_no_other() {
    let folder = TempDir::new().unwrap();
    let target = folder.path().join("out.parquet");
    std::fs::write(&target, "something else").unwrap();
    exported(vec![fact("Ann", "likes", "tea")], &target).await;
    assert_eq!(ask("SELECT object FROM read_parquet($1)", &target), ["tea"]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn unwritable_export_target_is_an_error() {
    let folder = TempDir::new().unwrap();
    let tables = DuckFacts::open(folder.path()).unwrap();
    for target in [folder.path().join("absent/out.parquet"), folder.path().join("scratch")] {
        let error = tables.export(&me(), &target).await.unwrap_err();
        assert!(matches!(error, annals_core::Error::Storage { .. }), "{error}");
    }
}
