//! Translates the catalog's statements for PostgreSQL.

/// Advises SQLite, which has no statistics, to use an index.
const INDEX_ADVICE: &str = "INDEXED BY ";

/// Writes parameters as `$1`, and leaves out advice to SQLite's planner. Replaces every `?`, because no statement has one in a
/// text.
pub(super) fn translated(sql: &str) -> String {
    let mut parts = sql.split(INDEX_ADVICE);
    let mut translated = parts.next().unwrap_or_default().replace('?', "$");
    for part in parts {
        let behind = part.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(part.len());
        translated.push_str(&part[behind..].replace('?', "$"));
    }
    translated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_and_advice_are_translated() {
        fn check(sql: &str, expect: &str) {
            assert_eq!(translated(sql), expect);
        }
        check("", "");
        check("SELECT 1", "SELECT 1");
        check("SELECT ?2 WHERE a = ?1 AND b IN (?3, ?11)", "SELECT $2 WHERE a = $1 AND b IN ($3, $11)");
        check("SELECT a FROM t INDEXED BY t_by_a", "SELECT a FROM t ");
        check("FROM t AS x INDEXED BY t_by_a\nJOIN u INDEXED BY u2 WHERE ?1", "FROM t AS x \nJOIN u  WHERE $1");
        check("(SELECT 1 FROM t INDEXED BY i) = ?1", "(SELECT 1 FROM t ) = $1");
    }
}
