//! `annals model use`: writes `embedder.model` into the configuration file, and removes the settings in `[embedder]` that
//! describe another model or an endpoint. Leaves everything else in the file as it is.

use std::path::Path;
use std::process::ExitCode;

use annals_core::{Error, Result};
use annals_embedder::{ModelKind, OnnxEmbedder};
use annals_llm::BUILT_IN;
use annals_objects::replace_file;
use serde_json::json;
use toml_edit::{DocumentMut, Item, value};

use super::trial::{Tried, tried};
use crate::config::{Config, NAME};
use crate::embedders::{KEY, folder_name, folder_of, models_of};
use crate::entailment;
use crate::failure::unreadable;
use crate::view::{print_json, say};

pub(crate) async fn run(data: &Path, config: &Config, model: &str, json: bool) -> Result<ExitCode> {
    let (model, vectors) = match model {
        BUILT_IN => (model.to_owned(), OnnxEmbedder::name_of_bundled()),
        _ => {
            let folder = folder_of(data, KEY, model)?;
            let Tried { kind, name } = tried(&folder, &config.embedder).await?;
            if kind != ModelKind::Vectors {
                let reason = format!("{model} makes no vectors; it judges sentences: set {}", entailment::KEY);
                return Err(Error::invalid("the model", reason));
            }
            (lasting(data, model, &folder)?, name)
        }
    };
    let path = config.file.clone().unwrap_or_else(|| data.join(NAME));
    let text = if path.exists() {
        std::fs::read_to_string(&path).map_err(|cause| unreadable(&path, cause))?
    } else {
        String::new()
    };
    write(&path, &changed(&text, &model)?)?;
    if json {
        print_json(&json!({ "file": path, "model": model, "vectors": vectors }));
    } else {
        say!("{} now says embedder.model = {model:?}.", path.display());
        say!("Restart the service if it runs. Vectors that another model made are made again, which takes a while.");
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns a name for the model that is valid in any directory: the name of a pulled model, otherwise the absolute path of its
/// folder.
fn lasting(data: &Path, model: &str, folder: &Path) -> Result<String> {
    if folder == models_of(data).join(folder_name(model)) {
        return Ok(model.to_owned());
    }
    let path = folder.canonicalize().map_err(|cause| unreadable(folder, cause))?;
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| Error::invalid("the folder of the model", "has a name that is not UTF-8"))
}

/// Returns the configuration with this model. Settings that describe another model or an endpoint are removed.
fn changed(text: &str, model: &str) -> Result<String> {
    let mut file: DocumentMut =
        text.parse().map_err(|_| Error::invalid("the configuration", "is no valid TOML; correct it first"))?;
    let table = file.entry("embedder").or_insert_with(toml_edit::table);
    let Some(table) = table.as_table_like_mut() else {
        return Err(Error::invalid("embedder", "must be a table"));
    };
    for key in [
        "base_url",
        "key",
        "key_env",
        "timeout",
        "dimension",
        "file",
        "pooling",
        "query_prefix",
        "passage_prefix",
        "window",
    ] {
        table.remove(key);
    }
    match table.get_mut("model") {
        Some(Item::Value(old)) => {
            let decor = old.decor().clone();
            *old = model.into();
            // Keep the comment behind the value.
            *old.decor_mut() = decor;
        }
        _ => drop(table.insert("model", value(model))),
    }
    Ok(file.to_string())
}

/// Replaces the file atomically, so that a crash or a power cut leaves the old or the new file. If the path is a symbolic link,
/// replaces the file that it points to.
fn write(path: &Path, text: &str) -> Result<()> {
    let failed = |error| Error::storage(format!("cannot write {}", path.display()), error);
    let Ok(target) = path.canonicalize() else { return replace_file(path, text.as_bytes()).map_err(failed) };
    let rights = std::fs::metadata(&target).map_err(failed)?.permissions();
    // The file may hold a key: before the new file gets the rights of the old one, it has no rights for others.
    replace_file(&target, text.as_bytes()).map_err(failed)?;
    std::fs::set_permissions(&target, rights).map_err(failed)
}
