//! `annals model pull`: fetches a model into a folder, which gets its name only when the model is complete and has embedded or
//! compared two texts. One process pulls a model at a time. A download that a killed process left is continued by the next pull
//! of the same commit and file; a complete pull of another commit or file of the model removes it.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use annals_core::{Error, Result};
use annals_embedder::{ModelKind, checksums};
use annals_llm::{EmbedderSettings, Hub, HubFile, Listing, fetched_files};
use annals_objects::replace_file;
use annals_service::ProgressSink;
use serde_json::json;

use super::trial::{Tried, tried};
use crate::embedders::{folder_name, models_of};
use crate::entailment;
use crate::progress::Bars;
use crate::view::{print_json, say};

/// File in the folder that records repository and commit of a pulled model. The embedder reads it.
const SOURCE: &str = "source.json";

/// Number of digits of a commit in the name of a partial download.
const COMMIT_DIGITS: usize = 12;

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
    let part = models_of(data).join(part_name(&name, &listing.revision, &network.path));
    std::fs::create_dir_all(&part).map_err(|error| failed(&part, error))?;
    fetch(&hub, &listing, &files, &part, json).await?;
    write_source(&part, &listing, network, &files)?;
    let Tried { kind, name: tried } = tried(&part, settings).await?;
    replace(&part, &target)?;
    remove_parts(&models_of(data), &name)?;
    if json {
        let vectors = (kind == ModelKind::Vectors).then_some(tried);
        print_json(&json!({ "model": model, "revision": listing.revision, "folder": target, "kind": kind.as_str(),
            "vectors": vectors }));
    } else {
        let next = match kind {
            ModelKind::Vectors => format!("`annals model use {model}` configures it."),
            _ => format!("`{} = {model:?}` in annals.toml configures it.", entailment::KEY),
        };
        say!("Pulled {model} at {} to {}. {next}", &listing.revision[..COMMIT_DIGITS], target.display());
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

/// Returns the path to which an older folder is moved until it is removed.
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

/// Returns the name of the folder of a partial download. It contains the commit and the file, so that the download is continued
/// only for the same model.
fn part_name(model: &str, revision: &str, file: &str) -> String {
    format!(".{model}.{}.{}", &revision[..COMMIT_DIGITS], file.replace('/', "-"))
}

/// Returns whether a folder is a partial download of a model. Names of models may contain dots, so the commit must follow.
fn is_part_of(model: &str, folder: &str) -> bool {
    let rest = folder.strip_prefix('.').and_then(|rest| rest.strip_prefix(model)?.strip_prefix('.'));
    let commit = rest.and_then(|rest| Some(rest.split_once('.')?.0));
    commit.is_some_and(|commit| commit.len() == COMMIT_DIGITS && commit.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Removes the partial downloads of a model.
fn remove_parts(models: &Path, model: &str) -> Result<()> {
    let remove = || -> std::io::Result<()> {
        for entry in std::fs::read_dir(models)? {
            let entry = entry?;
            if is_part_of(model, &entry.file_name().to_string_lossy()) {
                std::fs::remove_dir_all(entry.path())?;
            }
        }
        Ok(())
    };
    remove().map_err(|error| failed(models, error))
}

fn failed(path: &Path, error: std::io::Error) -> Error {
    Error::storage(format!("cannot write {}", path.display()), error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partial_downloads_of_the_model_are_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new] = ["0".repeat(40), "a".repeat(40)];
        let parts = [part_name("org--e5", &old, "onnx/model.onnx"), part_name("org--e5", &new, "model.onnx")];
        let others = ["org--e5", ".org--e5.replaced", &part_name("org--e5.1", &old, "model.onnx"), ".org--e5.notes"]
            .map(str::to_owned);
        for name in parts.iter().chain(&others) {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        std::fs::write(folder.path().join(".org--e5.lock"), "").unwrap();
        remove_parts(folder.path(), "org--e5").unwrap();
        assert!(parts.iter().all(|name| !folder.path().join(name).exists()));
        assert!(others.iter().all(|name| folder.path().join(name).exists()));
        assert!(folder.path().join(".org--e5.lock").exists());
    }
}
