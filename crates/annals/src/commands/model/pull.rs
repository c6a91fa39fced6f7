//! `annals model pull`: fetches a model into a folder, which gets its name only when the model is complete and has embedded two
//! texts. One process pulls a model at a time. A download that a killed process left is continued by the next pull of the same
//! commit and file.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use annals_core::{Error, Result};
use annals_embedder::checksums;
use annals_llm::{EmbedderSettings, Hub, HubFile, Listing, fetched_files};
use annals_objects::replace_file;
use annals_service::ProgressSink;
use serde_json::json;

use super::tried;
use crate::embedders::{folder_name, models_of};
use crate::progress::Bars;
use crate::view::{print_json, say};

/// File in the folder that records repository and commit of a pulled model. The embedder reads it.
const SOURCE: &str = "source.json";

pub(crate) async fn run(
    data: &Path,
    settings: &EmbedderSettings,
    (model, revision, file): (&str, &str, Option<&str>),
    json: bool,
) -> Result<ExitCode> {
    let hub = Hub::new(&settings.hub, settings.local_network)?;
    let listing = hub.list(model, revision).await?;
    let (network, files) = fetched_files(&listing, file)?;
    let name = folder_name(model);
    let target = models_of(data).join(&name);
    let _lock = lock(data, model)?;
    remove_leftovers(&target)?;
    // The name contains the commit and the file, so that a partial download is continued only for the same model.
    let part = models_of(data).join(format!(".{name}.{}.{}", &listing.revision[..12], network.path.replace('/', "-")));
    std::fs::create_dir_all(&part).map_err(|error| failed(&part, error))?;
    fetch(&hub, &listing, &files, &part, json).await?;
    write_source(&part, &listing, network, &files)?;
    let vectors = tried(&part, settings).await?;
    replace(&part, &target)?;
    if json {
        print_json(&json!({ "model": model, "revision": listing.revision, "folder": target, "vectors": vectors }));
    } else {
        say!(
            "Pulled {model} at {} to {}. `annals model use {model}` configures it.",
            &listing.revision[..12],
            target.display()
        );
    }
    Ok(ExitCode::SUCCESS)
}

async fn fetch(hub: &Hub, listing: &Listing, files: &[&HubFile], folder: &Path, json: bool) -> Result<()> {
    let bars = Bars::new(json);
    let stage = bars.begin("pulling", files.iter().map(|file| file.size).sum());
    for file in files {
        hub.fetch(listing, file, folder, &|bytes| stage.advance(bytes)).await?;
    }
    Ok(())
}

fn write_source(folder: &Path, listing: &Listing, network: &HubFile, files: &[&HubFile]) -> Result<()> {
    let sums = checksums(folder, files.iter().map(|file| &*file.path))?;
    let source = json!({ "repo": listing.repo, "revision": listing.revision, "file": network.path, "sha256": sums });
    let path = folder.join(SOURCE);
    replace_file(&path, source.to_string().as_bytes()).map_err(|error| failed(&path, error))
}

/// Locks a model while it is pulled. The lock is released when the returned file is closed. Fails if another process has the
/// lock.
fn lock(data: &Path, model: &str) -> Result<File> {
    let path = models_of(data).join(format!(".{}.lock", folder_name(model)));
    let open = || {
        std::fs::create_dir_all(models_of(data))?;
        OpenOptions::new().write(true).create(true).truncate(false).open(&path)
    };
    let file = open().map_err(|error| failed(&path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            Err(Error::invalid("the model", format!("{model} is being pulled by another process; wait for it")))
        }
        Err(TryLockError::Error(error)) => Err(failed(&path, error)),
    }
}

/// Completes or undoes the replacement of an older folder by a process that was killed meanwhile.
fn remove_leftovers(target: &Path) -> Result<()> {
    let old = replaced(target);
    if !old.exists() {
        return Ok(());
    }
    match target.exists() {
        true => std::fs::remove_dir_all(&old).map_err(|error| failed(&old, error)),
        false => rename(&old, target),
    }
}

/// Returns the name that an older folder has until it is removed.
fn replaced(target: &Path) -> PathBuf {
    target.with_file_name(format!(".{}.replaced", target.file_name().unwrap_or_default().to_string_lossy()))
}

/// Renames a folder; a power cut does not undo it.
fn rename(from: &Path, to: &Path) -> Result<()> {
    let rename = || {
        std::fs::rename(from, to)?;
        File::open(to.parent().unwrap_or(to))?.sync_all()
    };
    rename().map_err(|error| failed(to, error))
}

/// Renames the complete folder to its final name, and removes an older folder of that name.
fn replace(part: &Path, target: &Path) -> Result<()> {
    if target.exists() {
        rename(target, &replaced(target))?;
    }
    rename(part, target)?;
    remove_leftovers(target)
}

fn failed(path: &Path, error: std::io::Error) -> Error {
    Error::storage(format!("cannot write {}", path.display()), error)
}
