//! `annals export`: writes everything of an agent, as lines of records that `import` can read, as Parquet, or as Markdown.

mod markdown;

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

use annals_core::{Agent, Error, Grain, Result};
use annals_service::Export as Exported;
use annals_service::wire::MemoryView;

use crate::cli::Export;
use crate::folder::Folder;
use crate::progress::Bars;
use crate::scratch::Scratch;
use crate::view::{plural, say, say_raw};

pub async fn run(folder: &Folder, args: &Export, json: bool) -> Result<ExitCode> {
    let agent = folder.agent(&args.agent).await?;
    if let Some(target) = &args.parquet {
        parquet(folder, &agent, target, json).await?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(target) = &args.markdown {
        markdown::run(folder, &agent, target, json).await?;
        return Ok(ExitCode::SUCCESS);
    }
    let Exported { file, records } = folder.service().export(&agent).await?;
    let mut lines = file.into_std().await;
    let failed = |cause| Error::storage(format!("writing {}", args.file.display()), cause);
    let written = if args.file == Path::new("-") {
        say_lines(lines)
    } else {
        whole_or_not(&args.file, |target| std::io::copy(&mut lines, target).map(|_| ()))
    };
    written.map_err(failed)?;
    if !json && args.file != Path::new("-") {
        say!("Wrote {} of {agent} to {}.", plural(records, "record"), args.file.display());
    }
    Ok(ExitCode::SUCCESS)
}

fn say_lines(lines: File) -> std::io::Result<()> {
    for line in BufReader::new(lines).lines() {
        say_raw!("{}", line?);
    }
    Ok(())
}

/// Writes to a scratch file and renames it, so that a full disk leaves no partial export under the final name.
fn whole_or_not(path: &Path, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> std::io::Result<()> {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let scratch = Scratch::within(folder, "export").map_err(std::io::Error::other)?;
    let beside = scratch.path().join("export");
    let mut file = BufWriter::new(File::create_new(&beside)?);
    write(&mut file)?;
    file.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
    std::fs::rename(beside, path)
}

async fn parquet(folder: &Folder, agent: &Agent, target: &Path, json: bool) -> Result<()> {
    let failed = |cause| Error::storage(format!("writing into {}", target.display()), cause);
    std::fs::create_dir_all(target).map_err(failed)?;
    folder.service().bring_facts_up_to_date(agent, &Bars { is_hidden: json }).await?;
    folder.service().export_facts(agent, &target.join("facts.parquet")).await?;
    let scratch = Scratch::within(target, "export")?;
    let lines = scratch.path().join("memories.jsonl");
    let mut file = BufWriter::new(File::create_new(&lines).map_err(failed)?);
    let mut count = 0;
    for grain in Grain::ALL {
        for memory in folder.service().memories_of(agent, grain).await? {
            let view = serde_json::to_string(&MemoryView::from(&memory)).map_err(|cause| failed(cause.into()))?;
            writeln!(file, "{view}").map_err(failed)?;
            count += 1;
        }
    }
    file.flush().map_err(failed)?;
    annals_facts::json_to_parquet(&lines, &target.join("memories.parquet"))?;
    if !json {
        say!("Wrote {} and the facts of {agent} into {}.", plural(count, "memory"), target.display());
    }
    Ok(())
}
