//! `annals rebuild`: rebuilds tables from the catalog.

use std::process::ExitCode;

use annals_core::Result;
use serde_json::json;

use crate::cli::Rebuild;
use crate::folder::Folder;
use crate::progress::Bars;
use crate::view::{plural, print_json, say};

pub async fn run(folder: &Folder, args: &Rebuild, json: bool) -> Result<ExitCode> {
    let bars = Bars { is_hidden: json };
    let mut memories = 0;
    for agent in folder.agents(args.agent.as_deref()).await? {
        memories += folder.service().rebuild(&agent, &args.grains, folder.now(), &bars).await?;
    }
    if json {
        print_json(&json!({ "memories": memories }));
    } else {
        say!("Rebuilt the tables of {}.", plural(memories, "memory"));
    }
    Ok(ExitCode::SUCCESS)
}
