//! `annals reopen`: lets a memory be used again that `annals adopt` has moved elsewhere.

use std::process::ExitCode;

use annals_catalog::Closed;
use annals_core::{Error, Result};

use super::data;
use crate::catalog::{Catalog, closed_error};
use crate::cli::Global;
use crate::config::Config;
use crate::folder::Claim;
use crate::view::{print_json, say};

pub(crate) async fn run(global: &Global) -> Result<ExitCode> {
    let data = data(global)?;
    let config = Config::load(global, &data)?;
    // A folder may be new to a memory in a database.
    let claim = Claim::take(&data, config.catalog.url.is_some())?;
    let catalog = Catalog::open_closed(claim.path(), &config.catalog, None)?;
    let folder = claim.path().display();
    let moved_to = match catalog.closed().await? {
        Some(Closed::Moved { to, .. }) => to,
        Some(closed) => return Err(closed_error("--data", claim.path(), &closed)),
        None => return Err(Error::invalid("--data", format!("names {folder}, which is not closed"))),
    };
    catalog.reopen().await?;
    if global.json {
        print_json(&serde_json::json!({ "reopened": folder.to_string(), "moved_to": moved_to }));
    } else {
        say!(
            "The memory of {folder} can be used again. If it was moved completely, what has been stored in {moved_to} since is missing here."
        );
    }
    Ok(ExitCode::SUCCESS)
}
