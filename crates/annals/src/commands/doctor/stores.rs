//! Opens the existing stores, and reads a little from each.

use std::path::Path;

use annals_core::{Error, Result};
use annals_service::calls::{CheckReadable, ListBatches};
use annals_service::wire::BatchView;

use super::Finding;
use crate::catalog;
use crate::cli::Global;
use crate::commands::now;
use crate::folder::{Folder, Opening};
use crate::run_or_hand_over::Client;
use crate::view::plural;

const ABOUT: &str = "stores";

/// Opens the stores and reports whether they answer, and which batches have failed. Returns whether another process has them
/// open. Reports that there are none yet if the folder has neither a SQLite catalog nor the marker of one in PostgreSQL.
pub(crate) async fn look(global: &Global, data: &Path, report: &mut dyn FnMut(Finding)) -> bool {
    if !catalog::exists(data) {
        report(Finding::ok(ABOUT, "none yet"));
        return false;
    }
    let (in_use, answer) = match Client::running(global).await {
        Ok(Some(service)) => (true, read(&service).await),
        Ok(None) => (false, open(global, data).await),
        Err(error) => (false, Err(error)),
    };
    match answer {
        Ok((agents, batches)) => {
            report(Finding::ok(ABOUT, format!("catalog, tables and facts of {agents} open and answer")));
            batches.iter().filter_map(failed_batch).for_each(&mut *report);
        }
        Err(Error::InUse { owner, .. }) => {
            report(Finding::ok(ABOUT, format!("not checked: another annals process has them open{owner}")));
            return true;
        }
        Err(error @ Error::Damaged { .. }) => {
            let remedy = "`annals verify` lists all damage; `annals rebuild` rebuilds tables, `annals restore` restores a backup of the catalog";
            report(Finding::wrong(ABOUT, error.to_string(), remedy));
        }
        Err(error @ Error::Storage { .. }) => report(Finding::wrong(ABOUT, error.to_string(), super::rights::MEND)),
        Err(error) => report(Finding::wrong(ABOUT, error.to_string(), "correct what the message names")),
    }
    in_use
}

async fn open(global: &Global, data: &Path) -> Result<(String, Vec<BatchView>)> {
    // Opens without models: a wrong model configuration must not prevent this check.
    let folder = Folder::open(data, Opening::without_models(global, data, now(global))?, false).await?;
    read(&Client::here(folder, global)).await
}

async fn read(client: &Client) -> Result<(String, Vec<BatchView>)> {
    let checked = client.call(CheckReadable {}).await?;
    let agents = plural(checked.agents, "agent");
    let agents = match checked.of_another_model {
        0 => agents,
        some => format!(
            "{agents} ({some} with vectors of another embedding model; the service embeds them again, or `annals rebuild --embedder`)"
        ),
    };
    Ok((agents, client.call(ListBatches {}).await?))
}

/// Returns a finding about a batch that failed, with advice; `None` if the batch has no failure.
fn failed_batch(batch: &BatchView) -> Option<Finding> {
    let failure = batch.failure.as_ref()?;
    let remedy = match batch.state.as_str() {
        "ended" => {
            "its summaries are asked for again, for a day at once at the full price; correct what the message names"
        }
        _ => "it is asked after again; `annals rollup --abandon-batches` ends it, and the next `rollup` asks again",
    };
    Some(Finding::doubtful("batch", format!("{} at {}: {failure}", batch.model, batch.base_url), remedy))
}
