//! `annals export`: writes everything of an agent, as lines of records that `import` can read, as Parquet, or as Markdown.

mod markdown;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use annals_core::{Error, Result};
use annals_service::calls::{self, ExportFacts, ListMemories};
use annals_service::refuse_in_data_folder;
use annals_service::wire::MemoryView;

use crate::cli::Export;
use crate::run_or_hand_over::Client;
use crate::scratch::Scratch;
use crate::view::{plural, say, say_raw};

pub(crate) async fn run(client: &Client, args: &Export, json: bool) -> Result<ExitCode> {
    let file = Some(args.file.as_path()).filter(|file| *file != Path::new("-"));
    if let Some(target) = args.parquet.as_deref().or(args.markdown.as_deref()).or(file) {
        refuse_in_data_folder(client.data(), target)?;
    }
    match (&args.parquet, &args.markdown) {
        (Some(target), _) => parquet(client, &args.agent, target, json).await?,
        (None, Some(target)) => markdown::run(client, &args.agent, target, json).await?,
        (None, None) if args.file == Path::new("-") => print(client, &args.agent).await?,
        (None, None) => {
            let records = match args.file.metadata() {
                Ok(existing) if !existing.is_file() => write_through(client, &args.agent, &args.file).await?,
                _ => replace(client, &args.agent, &args.file).await?,
            };
            if !json {
                say!("Wrote {} of {} to {}.", plural(records, "record"), args.agent, args.file.display());
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn print(client: &Client, agent: &str) -> Result<()> {
    let line = |line: String| {
        say_raw!("{line}");
        Ok(())
    };
    client.each(calls::Export { agent: agent.to_owned() }, line).await?;
    Ok(())
}

/// Writes to a path that is not a regular file, such as a pipe or a device. Returns the number of records.
async fn write_through(client: &Client, agent: &str, path: &Path) -> Result<u64> {
    let failed = |cause| Error::storage(format!("writing {}", path.display()), cause);
    let mut output = BufWriter::new(File::options().write(true).open(path).map_err(failed)?);
    let line = |line: String| writeln!(output, "{line}").map_err(failed);
    let answer = client.each(calls::Export { agent: agent.to_owned() }, line).await?;
    output.flush().map_err(failed)?;
    Ok(answer.records)
}

/// Writes to a scratch file and renames it, so that a full disk leaves no partial export under the final name. Follows a link.
/// Returns the number of records.
async fn replace(client: &Client, agent: &str, path: &Path) -> Result<u64> {
    let failed = |cause| Error::storage(format!("writing {}", path.display()), cause);
    let target = path.canonicalize();
    let path = target.as_deref().unwrap_or(path);
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let scratch = Scratch::in_shared(folder, "export")?;
    let beside = scratch.path().join("export");
    let mut file = BufWriter::new(File::create_new(&beside).map_err(failed)?);
    let line = |line: String| writeln!(file, "{line}").map_err(failed);
    let answer = client.each(calls::Export { agent: agent.to_owned() }, line).await?;
    let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
    file.sync_all().map_err(failed)?;
    std::fs::rename(beside, path).map_err(failed)?;
    // Otherwise a power cut may undo the renaming.
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
    Ok(answer.records)
}

async fn parquet(client: &Client, agent: &str, target: &Path, json: bool) -> Result<()> {
    let failed = |cause| Error::storage(format!("writing into {}", target.display()), cause);
    std::fs::create_dir_all(target).map_err(failed)?;
    let file = absolute(&target.join("facts.parquet"))?;
    client.call(ExportFacts { agent: agent.to_owned(), file }).await?;
    let scratch = Scratch::in_shared(target, "export")?;
    let lines = scratch.path().join("memories.jsonl");
    let mut file = BufWriter::new(File::create_new(&lines).map_err(failed)?);
    let mut count = 0;
    let line = |memory: MemoryView| {
        count += 1;
        let view = serde_json::to_string(&memory).map_err(|cause| failed(cause.into()))?;
        writeln!(file, "{view}").map_err(failed)
    };
    client.each(ListMemories { agent: agent.to_owned() }, line).await?;
    file.flush().map_err(failed)?;
    annals_facts::json_to_parquet(&lines, &target.join("memories.parquet"))?;
    if !json {
        say!("Wrote {} and the facts of {agent} into {}.", plural(count, "memory"), target.display());
    }
    Ok(())
}

/// Returns the absolute path of a file. The process that writes it may run in another directory.
pub(crate) fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(|cause| Error::storage(format!("finding {}", path.display()), cause))
}
