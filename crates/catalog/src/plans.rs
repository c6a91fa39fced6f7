//! Tests SQLite's query plans: queries with a small result must not read much.

use annals_core::Grain;
use annals_core::ports::Select;
use rusqlite::Connection;

use crate::fixture::Folder;
use crate::sqlite::open::{Options, open};
use crate::{
    accesses, agents, bases, changes, erasure, idempotency, journal, ledger, memories, names, pruned, seals,
    statements, summaries, turns, versions,
};

fn plan(connection: &Connection, sql: &str) -> String {
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let count = statement.parameter_count();
    let numbers = rusqlite::params_from_iter(std::iter::repeat_n(1, count));
    let lines = statement.query_map(numbers, |row| row.get::<_, String>("detail")).unwrap();
    lines.collect::<Result<Vec<_>, _>>().unwrap().join("; ")
}

fn selection(grain: Grain, conversation: Option<&str>, newest_first: bool) -> Select {
    let conversation = conversation.map(Into::into);
    Select { conversation, newest_first, limit: 1, ..Select::all(grain) }
}

fn listing(grain: Grain, conversation: Option<&str>, newest_first: bool) -> String {
    memories::selecting(&selection(grain, conversation, newest_first))
}

#[test]
fn queries_use_their_indexes() {
    let folder = Folder::new();
    let db = open(&folder.path(), &Options::default()).unwrap();
    let check = |sql: &str, expect: &str| assert_eq!(plan(&db.0, sql), expect, "{sql}");
    for newest_first in [false, true] {
        let ties = "USE TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY";
        check(
            &listing(Grain::Working, None, newest_first),
            &format!("SEARCH turn USING INDEX turn_by_time (agent_id=? AND at>? AND at<?); {ties}"),
        );
        let ties = "USE TEMP B-TREE FOR LAST TERM OF ORDER BY";
        check(
            &listing(Grain::Working, Some("c"), newest_first),
            &format!(
                "SEARCH turn USING INDEX turn_by_conversation (agent_id=? AND conversation=? AND at>? AND at<?); {ties}"
            ),
        );
        check(
            &listing(Grain::Daily, None, newest_first),
            "SEARCH summary USING INDEX summary_by_time (agent_id=? AND grain=? AND cover_start<?)",
        );
        let ties = "USE TEMP B-TREE FOR LAST TERM OF ORDER BY";
        check(
            &memories::selecting_statements(&selection(Grain::Working, None, newest_first)),
            &format!("SEARCH statement USING INDEX statement_by_time (agent_id=? AND cover_start<?); {ties}"),
        );
    }
    check(
        memories::CONVERSATIONS,
        "SEARCH turn USING COVERING INDEX turn_by_conversation (agent_id=? AND conversation>?)",
    );
    check(memories::TURNS_PER_DAY, "SEARCH turn USING COVERING INDEX turn_by_day (agent_id=?)");
    check(memories::SUMMARIZED, "SEARCH summary USING COVERING INDEX summary_by_period (agent_id=?)");
    check(pruned::BY_ID, "SEARCH pruned USING PRIMARY KEY (agent_id=? AND id=?)");
    check(pruned::ALL, "SEARCH pruned USING PRIMARY KEY (agent_id=?)");
    let of_conversation = "USING COVERING INDEX turn_by_conversation (agent_id=? AND conversation=? AND at>?";
    check(turns::LAST_WITHIN, &format!("SEARCH turn {of_conversation} AND at<?)"));
    check(
        changes::DROP_TOMBSTONES,
        "SEARCH tombstone USING COVERING INDEX tombstone_by_change (agent_id=? AND grain=? AND seq<?)",
    );
    check(turns::BY_ID, "SEARCH turn USING INDEX turn_by_id (agent_id=? AND id=?)");
    check(summaries::BY_ID, "SEARCH summary USING INDEX summary_by_id (agent_id=? AND id=?)");
    check(summaries::SOURCES, "SEARCH source USING PRIMARY KEY (summary_id=?)");
    check(
        ledger::TURNS_OF_DAY,
        "SEARCH turn USING INDEX turn_by_day (agent_id=? AND day=?); USE TEMP B-TREE FOR ORDER BY",
    );
    check(
        ledger::SUMMARIES_BETWEEN,
        "SEARCH summary USING INDEX summary_by_period (agent_id=? AND grain=? AND period>? AND period<?)",
    );
    check(changes::TURNS, "SEARCH turn USING INDEX turn_by_change (agent_id=? AND seq>?)");
    check(changes::TURNS_LEFT, "SEARCH turn USING COVERING INDEX turn_by_change (agent_id=? AND seq>?)");
    for (sql, covering) in [(changes::SUMMARIES, ""), (changes::SUMMARIES_LEFT, "COVERING ")] {
        check(
            sql,
            &format!("SEARCH summary USING {covering}INDEX summary_by_change (agent_id=? AND grain=? AND seq>?)"),
        );
    }
    for sql in [changes::TOMBSTONES, changes::TOMBSTONES_LEFT] {
        check(sql, "SEARCH tombstone USING COVERING INDEX tombstone_by_change (agent_id=? AND grain=? AND seq>?)");
    }
    check(agents::COUNT_TURNS, "SEARCH turn USING COVERING INDEX turn_by_time (agent_id=?)");
    check(agents::COUNT_SUMMARIES, "SEARCH summary USING COVERING INDEX summary_by_change (agent_id=?)");
    for sql in [agents::FIRST_TURN, agents::LAST_TURN] {
        check(sql, "SEARCH turn USING COVERING INDEX turn_by_time (agent_id=?)");
    }
}

#[test]
fn fact_queries_use_their_indexes() {
    let folder = Folder::new();
    let db = open(&folder.path(), &Options::default()).unwrap();
    let check = |sql: &str, expect: &str| assert_eq!(plan(&db.0, sql), expect, "{sql}");
    check(statements::BY_ID, "SEARCH statement USING INDEX statement_by_id (agent_id=? AND id=?)");
    check(statements::SOURCES, "SEARCH statement_source USING PRIMARY KEY (agent_id=? AND statement=?)");
    check(changes::STATEMENTS, "SEARCH statement USING INDEX statement_by_change (agent_id=? AND seq>?)");
    check(changes::STATEMENTS_LEFT, "SEARCH statement USING COVERING INDEX statement_by_change (agent_id=? AND seq>?)");
    check(agents::COUNT_STATEMENTS, "SEARCH statement USING COVERING INDEX statement_by_change (agent_id=?)");
    check(
        journal::FORMER_STATEMENTS,
        "SEARCH statement_source USING COVERING INDEX statement_by_source (agent_id=? AND id=?)",
    );
    check(journal::IS_LIVE, "SEARCH turn USING COVERING INDEX turn_by_id (agent_id=? AND id=?)");
    check(journal::ALL_OPERATIONS, "SEARCH fact_operation USING PRIMARY KEY (agent_id=?)");
    check(journal::OF_SOURCE, "SEARCH fact_operation USING INDEX fact_operation_by_source (agent_id=? AND source=?)");
}

#[test]
fn retention_and_erasure_queries_use_their_indexes() {
    let folder = Folder::new();
    let db = open(&folder.path(), &Options::default()).unwrap();
    let check = |sql: &str, expect: &str| assert_eq!(plan(&db.0, sql), expect, "{sql}");
    check(seals::CHILD_TURNS, "SEARCH turn USING INDEX turn_by_day (agent_id=? AND day>? AND day<?)");
    check(
        seals::CHILD_STATEMENTS,
        "SEARCH statement USING INDEX statement_by_day (agent_id=? AND day>? AND day<?); CORRELATED SCALAR SUBQUERY 1; \
         SEARCH entry USING PRIMARY KEY (agent_id=? AND statement=?)",
    );
    check(
        seals::CHILD_SUMMARIES,
        "SEARCH summary USING INDEX summary_by_period (agent_id=? AND grain=? AND period>? AND period<?)",
    );
    check(seals::STATEMENTS_OF_DAY, "SEARCH statement USING INDEX statement_by_day (agent_id=? AND day=?)");
    check(seals::IS_CLEAN, "SEARCH ledger USING PRIMARY KEY (agent_id=? AND grain=? AND period=?)");
    check(bases::OF_PERIOD, "SEARCH base USING PRIMARY KEY (agent_id=? AND grain=? AND period=?)");
    check(versions::OF_MEMORY, "SEARCH version USING INDEX version_by_memory (agent_id=? AND id=?)");
    check(erasure::OF_CONVERSATION, "SEARCH turn USING INDEX turn_by_conversation (agent_id=? AND conversation=?)");
    check(erasure::WITHIN, "SEARCH turn USING INDEX turn_by_time (agent_id=? AND at>? AND at<?)");
    check(erasure::SCANNED_TURNS, "SEARCH turn USING INDEX turn_by_change (agent_id=? AND seq>?)");
    check(erasure::TURN_TEXTS, "SEARCH turn USING INDEX turn_by_change (agent_id=? AND seq>?)");
    check(erasure::STATEMENT_TEXTS, "SEARCH statement USING INDEX statement_by_change (agent_id=? AND seq>?)");
    // The next piece of a search begins where the last one ended.
    let tables = erasure::tables(&db).ok().unwrap();
    for (name, expect) in [
        ("ledger", "SEARCH ledger USING PRIMARY KEY (agent_id=? AND (grain,period)>(?,?))"),
        ("fact_operation", "SEARCH fact_operation USING PRIMARY KEY (agent_id=? AND id>?)"),
        ("turn", "SEARCH turn USING INDEX turn_by_change (agent_id=? AND seq>?)"),
    ] {
        check(&tables.iter().find(|table| table.name == name).unwrap().sql(true), expect);
    }
}

#[test]
fn service_queries_use_their_indexes() {
    let folder = Folder::new();
    let db = open(&folder.path(), &Options::default()).unwrap();
    let check = |sql: &str, expect: &str| assert_eq!(plan(&db.0, sql), expect, "{sql}");
    check(
        idempotency::REQUEST,
        "SEARCH request USING PRIMARY KEY (agent_id=? AND key=?); \
         SEARCH operation USING PRIMARY KEY (agent_id=? AND id=?)",
    );
    check(
        idempotency::FIND,
        "SEARCH operation USING INDEX operation_by_id (id=?); SEARCH agent USING INTEGER PRIMARY KEY (rowid=?)",
    );
    for (sql, terms) in
        [(agents::PAGE, "(workspace,name)>(?,?)"), (agents::PAGE_OF_WORKSPACE, "workspace=? AND name>?")]
    {
        let found = plan(&db.0, sql);
        let expect = format!("SEARCH agent USING INDEX sqlite_autoindex_agent_1 ({terms});");
        assert!(found.starts_with(&expect) && !found.contains("SCAN"), "{found}");
    }
    let found = plan(&db.0, names::OWNER);
    assert!(found.matches("(workspace=? AND name=?)").count() == 2 && !found.contains("SCAN"), "{found}");
    for (_, sql) in memories::AGENT_OF {
        let found = plan(&db.0, sql);
        assert!(found.contains("(agent_id=? AND id=?)") && found.matches("SCAN").count() == 1, "{found}");
    }
    check(accesses::OF_MEMORY, "SEARCH access USING PRIMARY KEY (agent_id=? AND id=?)");
    check(idempotency::DROP, "SEARCH request USING INDEX request_by_time (kept_at<?)");
}
