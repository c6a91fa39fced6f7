//! `annals rebuild`: rebuilds tables from the catalog beside the present ones, then swaps them.

use annals_service::locks::{Facts, Tables};
use std::process::ExitCode;

use annals_core::{Grain, Result};
use serde_json::json;

use crate::cli::Rebuild;
use crate::folder::Folder;
use crate::progress;
use crate::view::{plural, print_json, say};

pub async fn run(folder: &Folder, args: &Rebuild, json: bool) -> Result<ExitCode> {
    let grains = if args.grains.is_empty() { Grain::ALL.to_vec() } else { args.grains.clone() };
    let mut rows = 0;
    for agent in folder.agents(args.agent.as_deref()).await? {
        for grain in &grains {
            let total = folder.store.backlog(&agent, *grain, 0).await?;
            let bar = progress::bar(total, "rebuilding", json);
            let _tables_lock = folder.locks().lock::<Tables>(&agent).await;
            folder.writer.rebuild(&agent, *grain, folder.now, &|changes| bar.inc(changes)).await?;
            bar.finish_and_clear();
            rows += total;
        }
        if args.grains.is_empty() {
            let _facts_lock = folder.locks().lock::<Facts>(&agent).await;
            folder.fact_writer.refold(&agent).await?;
        }
    }
    if json {
        print_json(&json!({ "memories": rows }));
    } else {
        say!("Rebuilt the tables of {}.", plural(rows, "memory"));
    }
    Ok(ExitCode::SUCCESS)
}
