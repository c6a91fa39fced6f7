//! Tests of what only PostgreSQL does: locks, settings, and its schema.

use std::collections::{BTreeMap, BTreeSet};

use annals_core::ports::{Erasure, OnConflict, Table, Watermark};
use annals_core::prelude::*;
use annals_core::{Agent, Grain};
use annals_testkit::postgres_server::Schema;
use annals_testkit::{agent, at};
use futures::future::join_all;

use crate::db::{Db, Sql};
use crate::fixture::{Folder, open_schema, user_turn};
use crate::sqlite::open::{Options, open};
use crate::{PostgresCatalog, SqliteCatalog};
async fn say(catalog: &PostgresCatalog, agent: &Agent, id: &str, text: &str) -> annals_core::Result<()> {
    let turns = vec![user_turn(agent, id, text)];
    catalog.ingest(agent, turns, OnConflict::Refuse, at("2026-06-01T00:00:00Z")).await.map(|_| ())
}

async fn turns(catalog: &PostgresCatalog, agent: &Agent) -> u64 {
    catalog.counts(agent).await.unwrap().memories[0]
}

#[tokio::test]
async fn second_service_on_the_same_database_is_refused_until_the_first_ends() {
    let Some(schema) = Schema::new() else { return };
    let (first, me) = (open_schema(&schema), agent("me"));
    let error = PostgresCatalog::open(&schema.url).err().unwrap();
    assert!(error.to_string().contains("another annals service uses this database (process "), "{error}");
    assert!(error.to_string().contains("stop it first"), "{error}");
    say(&first, &me, "1", "tea").await.unwrap();
    drop(first);
    assert_eq!(turns(&open_schema(&schema), &me).await, 1);
}

#[tokio::test]
async fn of_services_that_open_a_new_database_at_once_one_creates_it() {
    let Some(schema) = Schema::new() else { return };
    let open = |url: String| std::thread::spawn(move || PostgresCatalog::open(&url));
    let opening: Vec<_> = (0..4).map(|_| open(schema.url.clone())).collect();
    // The opened catalogs stay open until all have answered.
    let opened: Vec<_> = opening.into_iter().map(|opening| opening.join().unwrap()).collect();
    assert_eq!(opened.iter().filter(|catalog| catalog.is_ok()).count(), 1);
    for error in opened.iter().filter_map(|catalog| catalog.as_ref().err()) {
        assert!(error.to_string().contains("another annals service uses this database"), "{error}");
    }
}

#[tokio::test]
async fn failed_write_rolls_back_only_itself() {
    let Some(schema) = Schema::new() else { return };
    let (catalog, me) = (open_schema(&schema), agent("me"));
    let messages = [("1", "tea"), ("2", "tea"), ("1", "coffee"), ("3", "tea")];
    let answers = join_all(messages.map(|(id, text)| say(&catalog, &me, id, text))).await;
    let failed: Vec<bool> = answers.iter().map(Result::is_err).collect();
    assert_eq!(failed, [false, false, true, false], "{answers:?}");
    assert_eq!(turns(&catalog, &me).await, 3);
    assert_eq!(catalog.check().await.unwrap(), Vec::<String>::new());
}

/// After a failed statement, PostgreSQL refuses every statement of the transaction until it is rolled back to a savepoint.
#[tokio::test]
async fn failed_statement_does_not_fail_other_writes() {
    let Some(schema) = Schema::new() else { return };
    let (catalog, me) = (open_schema(&schema), agent("me"));
    let fails = |db: &dyn Db| db.execute("INSERT INTO watermark (agent_id, grain) VALUES (1, 1)", &[]);
    let (failed, said) = futures::join!(catalog.thread.write("testing", fails), say(&catalog, &me, "1", "tea"));
    let error = failed.unwrap_err().to_string();
    assert!(error.contains("testing: PostgreSQL reports: ") && error.contains("(23502)"), "{error}");
    said.unwrap();
    assert_eq!(turns(&catalog, &me).await, 1);
}

#[tokio::test]
async fn commits_wait_for_the_disk_whatever_the_default_of_the_database_is() {
    let Some(schema) = Schema::new() else { return };
    let url = schema.url.replace("options=", "options=-csynchronous_commit%3Doff%20");
    let durability = PostgresCatalog::open(&url).unwrap().durability().await.unwrap();
    assert_eq!(durability.synchronous_commit, "on");
    assert_eq!((durability.standbys, durability.synchronous_standbys), (0, Some(0)));
}

#[tokio::test]
async fn server_is_examined_while_a_service_uses_the_database() {
    let Some(schema) = Schema::new() else { return };
    let catalog = open_schema(&schema);
    let server = PostgresCatalog::examine(&schema.url).unwrap();
    let major: u32 = server.version.split('.').next().unwrap().parse().unwrap();
    assert!(major >= 15, "{server:?}");
    assert_eq!(server.durability, catalog.durability().await.unwrap());
}

#[tokio::test]
async fn data_folder_used_last_is_kept() {
    let Some(schema) = Schema::new() else { return };
    let catalog = open_schema(&schema);
    assert_eq!(catalog.data_folder().await.unwrap(), None);
    for id in ["a", "b"] {
        catalog.set_data_folder(id).await.unwrap();
    }
    drop(catalog);
    assert_eq!(open_schema(&schema).data_folder().await.unwrap().as_deref(), Some("b"));
}

/// The test server may run with or without fsync; the warning is expected only without it.
#[tokio::test]
async fn server_without_fsync_is_named() {
    let Some(schema) = Schema::new() else { return };
    let durability = open_schema(&schema).durability().await.unwrap();
    let is_named = durability.warnings().iter().any(|warning| warning.starts_with("fsync is off"));
    assert_eq!(is_named, !durability.fsync, "{durability:?}");
}

#[tokio::test]
async fn scrub_gives_up_if_another_session_keeps_a_table() {
    let Some(schema) = Schema::new() else { return };
    let (catalog, me) = (open_schema(&schema), agent("me"));
    say(&catalog, &me, "1", "tea").await.unwrap();
    let shorter = |db: &super::Postgres| Ok(db.batch("SET lock_timeout = '100ms'")?);
    catalog.thread.alone("testing", shorter).await.unwrap();
    let holder = schema.transaction("LOCK TABLE turn IN ACCESS SHARE MODE");
    let error = catalog.scrub().await.unwrap_err();
    assert!(error.to_string().contains("lock timeout"), "{error}");
    drop(holder);
    catalog.scrub().await.unwrap();
    assert_eq!(turns(&catalog, &me).await, 1);
}

/// A dump of the database holds such a view for hours. `VACUUM (FULL)` would copy the forgotten rows meanwhile.
#[tokio::test]
async fn scrub_waits_for_sessions_that_still_see_deleted_rows() {
    let Some(schema) = Schema::new() else { return };
    let (catalog, me) = (open_schema(&schema), agent("me"));
    say(&catalog, &me, "1", "tea").await.unwrap();
    let wait = |looks| super::backend::wait_for_older_views(&catalog.thread, looks);
    let reading = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM agent";
    for (id, view) in [("2", reading), ("3", "SELECT pg_current_xact_id()")] {
        let holder = schema.transaction(view);
        say(&catalog, &me, id, "milk").await.unwrap();
        let error = wait(1).await.unwrap_err().to_string();
        assert!(error.contains("another session still sees rows"), "{view}: {error}");
        drop(holder);
        catalog.scrub().await.unwrap();
    }
    let harmless = schema.transaction("SELECT 1");
    wait(20).await.unwrap();
    drop(harmless);
}

#[tokio::test]
async fn scrub_writes_every_table_anew() {
    let Some(schema) = Schema::new() else { return };
    let (catalog, me) = (open_schema(&schema), agent("me"));
    say(&catalog, &me, "1", "tea").await.unwrap();
    let files = "SELECT relname || ' ' || relfilenode FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'";
    let files = move |db: &dyn Db| {
        Ok(db.query(Sql::Once(files), &[], |row| row.get(0))?.into_iter().collect::<BTreeSet<String>>())
    };
    let before = catalog.thread.read("testing", files).await.unwrap();
    catalog.scrub().await.unwrap();
    let after = catalog.thread.read("testing", files).await.unwrap();
    assert_eq!((before.len(), after.len()), (after.len(), before.len()));
    assert_eq!(before.intersection(&after).collect::<Vec<_>>(), Vec::<&String>::new());
}

#[tokio::test]
async fn newer_schema_version_is_refused() {
    let Some(schema) = Schema::new() else { return };
    drop(open_schema(&schema));
    schema.sql("UPDATE schema_version SET version = version + 1");
    let error = PostgresCatalog::open(&schema.url).err().unwrap().to_string();
    assert!(error.contains("schema version 17, but this annals supports only 16"), "{error}");
}

#[tokio::test]
async fn catalog_that_was_opened_to_read_sees_each_write_of_the_service_and_writes_nothing() {
    let Some(schema) = Schema::new() else { return };
    let unready = PostgresCatalog::open_to_read(&schema.url).err().unwrap().to_string();
    assert!(unready.contains("has no catalog yet"), "{unready}");
    let (catalog, me) = (open_schema(&schema), agent("me"));
    let reader = PostgresCatalog::open_to_read(&schema.url).unwrap();
    for (id, expect) in [("1", 1), ("2", 2)] {
        say(&catalog, &me, id, "tea").await.unwrap();
        assert_eq!(turns(&reader, &me).await, expect);
    }
    let error = say(&reader, &me, "3", "tea").await.unwrap_err().to_string();
    assert!(error.contains("read-only transaction"), "{error}");
    catalog.scrub().await.unwrap();
    schema.sql("UPDATE schema_version SET version = version - 1");
    let older = PostgresCatalog::open_to_read(&schema.url).err().unwrap().to_string();
    assert!(older.contains("schema version 15; this annals reads version 16"), "{older}");
}

#[tokio::test]
async fn statements_of_one_read_see_one_state() {
    let Some(schema) = Schema::new() else { return };
    let (catalog, me) = (open_schema(&schema), agent("me"));
    say(&catalog, &me, "1", "tea").await.unwrap();
    let reader = PostgresCatalog::open_to_read(&schema.url).unwrap();
    let schema = std::sync::Arc::new(schema);
    let beside = schema.clone();
    let both = move |db: &dyn Db| {
        let count = || db.query_one("SELECT count(*) FROM version", &[], |row| row.get::<i64>(0));
        let before = count()?;
        beside.sql("INSERT INTO version (agent_id, id, text, replaced_at) SELECT agent_id, 'v', 'x', 0 FROM agent");
        Ok((before, count()?))
    };
    assert_eq!(reader.thread.read("testing", both).await.unwrap(), (0, 0));
    assert_eq!(turns(&reader, &me).await, 1);
}

/// A forgetting waits for sessions that still see the deleted rows.
#[tokio::test]
async fn process_that_stands_still_while_it_reads_does_not_hold_up_a_forgetting() {
    let Some(schema) = Schema::new() else { return };
    let (catalog, me) = (open_schema(&schema), agent("me"));
    say(&catalog, &me, "1", "tea").await.unwrap();
    let reader = PostgresCatalog::open_to_read(&schema.url).unwrap();
    let (begun, begins) = std::sync::mpsc::channel();
    let (_goes_on, standing) = std::sync::mpsc::channel::<()>();
    let standing = parking_lot::Mutex::new(standing);
    let stands_still = move |db: &dyn Db| {
        let count = db.query_one("SELECT count(*) FROM turn", &[], |row| row.get::<i64>(0))?;
        begun.send(()).unwrap();
        let _ = standing.lock().recv();
        Ok(count)
    };
    let reading = reader.thread.read("testing", stands_still);
    let forgetting = async {
        tokio::task::spawn_blocking(move || begins.recv().unwrap()).await.unwrap();
        say(&catalog, &me, "2", "milk").await.unwrap();
        let scrubbed = catalog.scrub().await;
        drop(_goes_on);
        scrubbed
    };
    let (_, scrubbed) = futures::join!(reading, forgetting);
    scrubbed.unwrap();
}

#[tokio::test]
async fn present_tables_are_those_that_searches_read() {
    let Some(schema) = Schema::new() else { return };
    let (catalog, me) = (open_schema(&schema), agent("me"));
    say(&catalog, &me, "1", "tea").await.unwrap();
    let reader = PostgresCatalog::open_to_read(&schema.url).unwrap();
    let agents = [me.clone(), agent("nobody")].into();
    assert_eq!(reader.present_tables(&agents).await.unwrap(), [].into());
    let read = catalog.watermark(&me, Grain::Working).await.unwrap();
    let next = Watermark { generation: 3, applied: 1, ..read.clone() };
    catalog.save_watermark(&me, Grain::Working, read, next).await.unwrap();
    let expect = Table { agent: me, grain: Grain::Working, generation: 3 };
    assert_eq!(reader.present_tables(&agents).await.unwrap(), [expect].into());
}

#[tokio::test]
async fn unusable_database_is_an_error_without_the_password() {
    let Some(schema) = Schema::new() else { return };
    for (url, expect) in [
        ("not a url", "catalog.url is not valid"),
        ("postgres://me@127.0.0.1:1/none?secret=word", "catalog.url is not valid"),
        ("postgres://me:secret@127.0.0.1:1/none", "opening the catalog in PostgreSQL"),
        (&schema.url.replace(&schema.name, "nowhere"), "names no schema that exists"),
    ] {
        let error = PostgresCatalog::open(url).err().unwrap().to_string();
        assert!(error.contains(expect) && !error.contains("secret"), "{url}: {error}");
    }
}

#[tokio::test]
async fn broken_invariant_is_reported() {
    let Some(schema) = Schema::new() else { return };
    for (fault, expect) in [
        ("DELETE FROM ledger WHERE grain = 1", "is newer than the ledger row of its day"),
        ("UPDATE agent SET seq = 0", "is beyond the end of its sequence"),
        ("INSERT INTO access SELECT agent_id, 't-none', 1, 0 FROM agent", "memory t-none, which does not exist"),
    ] {
        let Some(schema) = Schema::new() else { return };
        let (catalog, me) = (open_schema(&schema), agent("me"));
        say(&catalog, &me, "1", "tea").await.unwrap();
        schema.sql(fault);
        let faults = catalog.check().await.unwrap();
        assert!(faults.iter().any(|found| found.contains(expect)), "{fault}: {faults:?}");
    }
    drop(schema);
}

/// Text sorts by bytes whatever the collation of the database is.
#[tokio::test]
async fn every_text_column_has_the_collation_c() {
    let Some(schema) = Schema::new() else { return };
    let others = "SELECT table_name || '.' || column_name FROM information_schema.columns
        WHERE table_schema = current_schema() AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'";
    let others = move |db: &dyn Db| db.query(Sql::Once(others), &[], |row| row.get::<String>(0));
    assert_eq!(open_schema(&schema).thread.read("testing", others).await.unwrap(), Vec::<String>::new());
}

/// The columns of each table with their type and whether they may be NULL, and the columns of each index.
type Shape = BTreeMap<String, Vec<String>>;

const SQLITE_COLUMNS: &str = "SELECT tables.name, lower(columns.name || ' ' || columns.type
        || CASE WHEN columns.\"notnull\" = 1 OR columns.pk > 0 THEN ' not null' ELSE '' END) AS line
    FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'";
const POSTGRES_COLUMNS: &str = "SELECT table_name::text AS name, lower(column_name || ' '
        || CASE data_type WHEN 'bigint' THEN 'integer' WHEN 'bytea' THEN 'blob' WHEN 'double precision' THEN 'real'
            ELSE data_type END
        || CASE is_nullable WHEN 'NO' THEN ' not null' ELSE '' END) AS line
    FROM information_schema.columns WHERE table_schema = current_schema() AND table_name NOT IN ('schema_version', 'commit_mark', 'data_folder')";
const SQLITE_INDEXES: &str =
    "SELECT tables.name, listed.name || ' ' || listed.\"unique\" || ' ' || listed.partial || ' '
        || (SELECT group_concat(key.name, ',') FROM pragma_index_info(listed.name) AS key) AS line
    FROM sqlite_schema AS tables JOIN pragma_index_list(tables.name) AS listed
    WHERE tables.type = 'table' AND listed.origin = 'c'";
const POSTGRES_INDEXES: &str =
    "SELECT of_table.relname::text AS name, named.relname || ' ' || listed.indisunique::int || ' '
        || (listed.indpred IS NOT NULL)::int || ' ' || (
            SELECT string_agg(key.attname, ',' ORDER BY place.number)
            FROM unnest(listed.indkey) WITH ORDINALITY AS place (attnum, number)
            JOIN pg_attribute AS key ON key.attrelid = listed.indrelid AND key.attnum = place.attnum
        ) AS line
    FROM pg_index AS listed
    JOIN pg_class AS named ON named.oid = listed.indexrelid
    JOIN pg_class AS of_table ON of_table.oid = listed.indrelid
    WHERE named.relnamespace = current_schema()::regnamespace
        AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = listed.indexrelid)";

fn shape(db: &dyn Db, queries: [&str; 2]) -> Shape {
    let mut shape = Shape::new();
    for sql in queries {
        let lines = db.query(Sql::Once(sql), &[], |row| Ok((row.get::<String>("name")?, row.get::<String>("line")?)));
        for (table, line) in lines.map_err(|failure| failure.context("reading the schema")).unwrap() {
            shape.entry(table).or_default().push(line);
        }
    }
    shape.values_mut().for_each(|lines| lines.sort());
    shape
}

#[tokio::test]
async fn schema_has_the_tables_columns_and_indexes_of_sqlite() {
    let (Some(schema), folder) = (Schema::new(), Folder::new()) else { return };
    drop(SqliteCatalog::open(&folder.path()).unwrap());
    let sqlite = shape(&open(&folder.path(), &Options::default()).unwrap(), [SQLITE_COLUMNS, SQLITE_INDEXES]);
    let postgres = |db: &dyn Db| Ok(shape(db, [POSTGRES_COLUMNS, POSTGRES_INDEXES]));
    let postgres = open_schema(&schema).thread.read("testing", postgres).await.unwrap();
    assert!(sqlite.len() > 25, "{}", sqlite.len());
    for (table, lines) in &sqlite {
        assert_eq!(postgres.get(table), Some(lines), "{table}");
    }
    assert_eq!(postgres.len(), sqlite.len());
}

#[tokio::test]
async fn tables_of_agents_are_those_of_sqlite() {
    let (Some(schema), folder) = (Schema::new(), Folder::new()) else { return };
    let tables = |db: &dyn Db| {
        let tables = db.tables_of_agents()?.into_iter();
        Ok(tables.map(|table| (table.name, table.keys, table.texts)).collect::<Vec<_>>())
    };
    let sqlite = folder.open().thread.read("testing", tables).await.unwrap();
    assert_eq!(open_schema(&schema).thread.read("testing", tables).await.unwrap(), sqlite);
}
