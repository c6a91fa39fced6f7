//! Examines the PostgreSQL server that keeps the catalog.

use annals_catalog::PostgresCatalog;

use super::Finding;
use super::round_trip::message_of;
use crate::config::Config;

const ABOUT: &str = "database";

/// Reports the server's version and the settings that can lose acknowledged writes, or why the server cannot be reached.
/// Returns nothing if the catalog is in SQLite.
pub(crate) fn look(config: &Config) -> Vec<Finding> {
    let Some(url) = config.catalog.url() else { return Vec::new() };
    let server = match PostgresCatalog::examine(url) {
        Ok(server) => server,
        Err(error) => {
            let remedy = "check catalog.url, and that the server runs and accepts this user";
            return vec![Finding::wrong(ABOUT, message_of(&error), remedy)];
        }
    };
    let kept = &server.durability;
    let state = |on: bool| if on { "on" } else { "off" };
    let found = format!(
        "PostgreSQL {}; synchronous_commit = {}, fsync = {}, full_page_writes = {}",
        server.version,
        kept.synchronous_commit,
        state(kept.fsync),
        state(kept.full_page_writes)
    );
    let mut findings = vec![Finding::ok(ABOUT, found)];
    findings.extend(kept.warnings().iter().map(|warning| {
        let (what, remedy) = warning.split_once("; ").unwrap_or((warning, "see the manual of PostgreSQL"));
        Finding::doubtful(ABOUT, what, remedy)
    }));
    findings
}
