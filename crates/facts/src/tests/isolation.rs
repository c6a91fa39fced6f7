//! Tests that an instance of DuckDB can access its own folder and nothing else.

use duckdb::params;

use super::*;
use crate::table::Table;
use annals_objects::Scratch;

#[test]
fn files_outside_the_scratch_folder_are_inaccessible() {
    let folder = TempDir::new().unwrap();
    let scratch = Scratch::emptied(&folder.path().join("it's [a], \"scratch\" folder")).unwrap();
    let table = Table::of(&[fact("Ann", "likes", "tea")], 1, &scratch).unwrap();
    let neighbour = Table::of(&[], 1, &scratch).unwrap();
    let outside = folder.path().join("outside");
    std::fs::write(&outside, "x").unwrap();
    let target = outside.to_str().unwrap();
    let refused = [
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM '/etc/passwd'",
        "COPY facts TO '/tmp/annals-must-not-be.csv'",
        "ATTACH '/tmp/annals-must-not-be.db'",
        "EXPORT DATABASE '/tmp/annals-must-not-be'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SELECT * FROM read_parquet('https://example.org/x.parquet')",
        "SET enable_external_access = true",
        "SET allowed_directories = ['/']",
        "SET autoinstall_known_extensions = true",
        "SET memory_limit = '9GB'",
        "RESET lock_configuration",
        "SELECT getenv('HOME')",
    ];
    for sql in refused {
        assert!(table.connection.execute_batch(sql).is_err(), "{sql}");
    }
    let neighbours = neighbour.encode().map(|_| neighbour.folder()).unwrap();
    std::fs::write(neighbours.join("theirs.txt"), "x").unwrap();
    let own = table.folder().to_str().unwrap().to_owned();
    for path in [target, neighbours.join("theirs.txt").to_str().unwrap(), &format!("{own}/../../outside")] {
        let read = table.connection.execute("SELECT * FROM read_text($1)", params![path]);
        assert!(read.is_err(), "{path}");
        assert!(table.connection.execute("COPY facts TO $1 (FORMAT csv)", params![path]).is_err(), "{path}");
    }
    // The refusals are not due to a broken table.
    table.connection.execute("COPY facts TO $1 (FORMAT csv)", params![format!("{own}/own.csv")]).unwrap();
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "x");
}

#[test]
fn settings_limit_memory_and_disable_the_network() {
    let folder = TempDir::new().unwrap();
    let table = Table::of(&[], 1, &Scratch::emptied(folder.path()).unwrap()).unwrap();
    let setting = |name: &str| -> String {
        let sql = "SELECT current_setting($1)::VARCHAR";
        table.connection.query_row(sql, params![name], |row| row.get(0)).unwrap()
    };
    for (name, expect) in [
        ("memory_limit", "122.0 MiB"),
        ("threads", "1"),
        ("enable_external_access", "false"),
        ("autoinstall_known_extensions", "false"),
        ("autoload_known_extensions", "false"),
        ("allow_community_extensions", "false"),
        ("lock_configuration", "true"),
    ] {
        assert_eq!(setting(name), expect, "{name}");
    }
}
