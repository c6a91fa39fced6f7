//! Opens the existing stores, and reads a little from each.

use std::path::Path;

use annals_core::{Agent, Error, FactQuery, Query, Result};
use annals_llm::ModelsConfig;

use super::Finding;
use crate::cli::Global;
use crate::commands::now;
use crate::console::remote;
use crate::folder::{Folder, Opening};
use crate::view::plural;

const ABOUT: &str = "stores";

/// Returns whether another process, or this service, has the stores open.
pub async fn look(global: &Global, data: &Path, tell: &mut dyn FnMut(Finding)) -> bool {
    if !data.join("catalog.sqlite").exists() {
        tell(Finding::ok(ABOUT, "none yet"));
        return false;
    }
    match open(global, data).await {
        Ok(agents) => tell(Finding::ok(ABOUT, format!("catalog, tables and facts of {agents} open and answer"))),
        Err(Error::InUse { owner, .. }) => {
            tell(Finding::ok(ABOUT, format!("not checked: another annals process has them open{owner}")));
            return true;
        }
        Err(error @ Error::Damaged { .. }) => {
            let mend = "`annals verify` lists all damage; `annals rebuild` rebuilds tables, `annals restore` restores a backup of the catalog";
            tell(Finding::wrong(ABOUT, error.to_string(), mend));
        }
        Err(error) => tell(Finding::wrong(ABOUT, error.to_string(), super::rights::MEND)),
    }
    remote(|_| ()).is_some()
}

async fn open(global: &Global, data: &Path) -> Result<String> {
    let folder = match remote(|remote| remote.folder.clone()) {
        Some(folder) => folder,
        None => {
            // Opens without models: a wrong model configuration must not prevent this check.
            let none = ModelsConfig::default().check(|_| None).map_err(Error::Faults)?;
            Folder::open(data, Opening::by_hand(none, now(global)), false).await?
        }
    };
    let agents = folder.store.all_agents().await?;
    for agent in &agents {
        read(&folder, agent).await?;
    }
    Ok(plural(agents.len() as u64, "agent"))
}

async fn read(folder: &Folder, agent: &Agent) -> Result<()> {
    let query = Query { text: Some("annals".into()), limit: 1, ..Query::default() };
    folder.search.answer(agent, &query, folder.now).await?;
    folder.facts.find(agent, &FactQuery { limit: Some(1), ..FactQuery::default() }).await?;
    Ok(())
}
