//! `annals model pull`: fetches a model into a folder that gets its name only when the model is complete and can be read.

use std::path::Path;
use std::process::ExitCode;

use annals_core::{Error, Result};
use annals_embedder::{OnnxEmbedder, Options};
use annals_llm::{EmbedderSettings, Hub, HubFile, Listing, fetched_files};
use annals_service::ProgressSink;
use serde_json::json;

use crate::embedders::{folder_name, models_of};
use crate::progress::Bars;
use crate::view::{print_json, say};

/// Where the folder says what it was pulled from; the embedder reads it.
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
    // Another commit or another file is another model; what was begun of it is of no use.
    let part = models_of(data).join(format!(".{name}.{}.{}", &listing.revision[..12], network.path.replace('/', "-")));
    std::fs::create_dir_all(&part).map_err(|error| failed(&part, error))?;
    fetch(&hub, &listing, &files, &part, json).await?;
    write_source(&part, &listing, network)?;
    let vectors = OnnxEmbedder::name_of(&part, &Options::default())?;
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

fn write_source(folder: &Path, listing: &Listing, network: &HubFile) -> Result<()> {
    let source = json!({ "repo": listing.repo, "revision": listing.revision, "file": network.path });
    let path = folder.join(SOURCE);
    std::fs::write(&path, source.to_string()).map_err(|error| failed(&path, error))
}

/// Gives the complete folder its name. An older one of that name is removed.
fn replace(part: &Path, target: &Path) -> Result<()> {
    if target.exists() {
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let old = target.with_file_name(format!(".{name}.replaced"));
        std::fs::rename(target, &old).map_err(|error| failed(target, error))?;
        std::fs::rename(part, target).map_err(|error| failed(target, error))?;
        return std::fs::remove_dir_all(&old).map_err(|error| failed(&old, error));
    }
    std::fs::rename(part, target).map_err(|error| failed(target, error))
}

fn failed(path: &Path, error: std::io::Error) -> Error {
    Error::storage(format!("cannot write {}", path.display()), error)
}
