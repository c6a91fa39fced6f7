//! `annals model use`: writes `embedder.model` into the configuration file, and leaves everything else in it as it is.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use annals_core::{Error, Result};
use annals_embedder::{OnnxEmbedder, Options};
use annals_llm::BUILT_IN;
use serde_json::json;
use toml_edit::{DocumentMut, Item, value};

use crate::config::{Config, NAME};
use crate::embedders::folder_of;
use crate::failure::unreadable;
use crate::view::{print_json, say};

pub(crate) fn run(data: &Path, config: &Config, model: &str, json: bool) -> Result<ExitCode> {
    let vectors = if model == BUILT_IN {
        OnnxEmbedder::name_of_bundled()
    } else {
        OnnxEmbedder::name_of(folder_of(data, model)?, &Options::default())?
    };
    let path = config.file.clone().unwrap_or_else(|| data.join(NAME));
    let text = if path.exists() {
        std::fs::read_to_string(&path).map_err(|cause| unreadable(&path, cause))?
    } else {
        String::new()
    };
    write(&path, &changed(&text, model)?)?;
    if json {
        print_json(&json!({ "file": path, "model": model, "vectors": vectors }));
    } else {
        say!("{} now says embedder.model = {model:?}.", path.display());
        say!("Restart the service if it runs. Vectors that another model made are made again, which takes a while.");
    }
    Ok(ExitCode::SUCCESS)
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
            // The comment behind it.
            *old.decor_mut() = decor;
        }
        _ => drop(table.insert("model", value(model))),
    }
    Ok(file.to_string())
}

/// Replaces the file at once, so that a crash or a power cut leaves the old or the new one.
fn write(path: &Path, text: &str) -> Result<()> {
    let failed = |error| Error::storage(format!("cannot write {}", path.display()), error);
    let new = path.with_extension("toml.new");
    let mut file = File::create(&new).map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
    if let Ok(old) = std::fs::metadata(path) {
        // It may hold a key.
        std::fs::set_permissions(&new, old.permissions()).map_err(failed)?;
    }
    std::fs::rename(&new, path).map_err(failed)
}
