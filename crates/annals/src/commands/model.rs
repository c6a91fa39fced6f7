//! `annals model`: lists, fetches, configures and measures the models that turn texts into vectors.

mod configure;
mod measure;
mod pull;

use std::path::Path;
use std::process::ExitCode;

use annals_core::{Embedder, Error, Result};
use annals_embedder::{OnnxEmbedder, Options};
use annals_llm::{BUILT_IN, EmbedderChoice, EmbedderSettings};
use serde::Serialize;
use serde_json::json;

use crate::cli::{self, Global};
use crate::config::Config;
use crate::embedders::{folder_of, options, pulled, runtime};
use crate::view::{BOLD, DIM, print_json, say};

/// Texts to try a model with: a single word, and a text with characters of several scripts.
const TRIED: [&str; 2] = ["boat", "Ann wohnt seit 2019 in Zürich. 我昨天在东京吃了拉面。 Она любит кофе ☕"];

pub(crate) async fn run(global: &Global, args: &cli::Model) -> Result<ExitCode> {
    let data = super::data(global)?;
    let config = Config::load(global, &data)?;
    match args {
        cli::Model::List => list(&data, &config, global.json),
        cli::Model::Pull { model, revision, file } => {
            pull::run(&data, &config.embedder, (model, revision, file.as_deref()), global.json).await
        }
        cli::Model::Use { model } => configure::run(&data, &config, model, global.json).await,
        cli::Model::Measure { file } => measure::run(&data, &config.embedder, file.as_deref(), global.json).await,
    }
}

/// Embeds two texts with the model in a folder, so that an unusable model is noticed before it is configured. Returns the name
/// that is stored with its vectors.
async fn tried(folder: &Path, settings: &EmbedderSettings) -> Result<String> {
    let embedder = OnnxEmbedder::folder_in(folder, &Options::default(), runtime(settings))?;
    let vectors = embedder.embed(TRIED.map(str::to_owned).to_vec()).await?;
    let is_usable = |vector: &Vec<f32>| !vector.is_empty() && vector.iter().all(|number| number.is_finite());
    if !vectors.iter().all(is_usable) {
        return Err(Error::model(format!("trying {}", folder.display()), "its vectors are no numbers"));
    }
    Ok(embedder.model().to_owned())
}

/// A line of the list: a model on this machine.
#[derive(Serialize)]
struct Line {
    /// The name to configure; for an endpoint, the name and the address of its model.
    name: String,
    /// The name that is stored with its vectors; `None` if the model cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    vectors: Option<String>,
    /// Why the model cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    configured: bool,
}

fn list(data: &Path, config: &Config, json: bool) -> Result<ExitCode> {
    let choice = &config.embedder.choice;
    let is_built_in = matches!(choice, EmbedderChoice::BuiltIn);
    let mut lines = vec![line(BUILT_IN.into(), Ok(OnnxEmbedder::name_of_bundled()), is_built_in)];
    let own = match choice {
        EmbedderChoice::Folder(model) => Some((folder_of(data, &model.model), model)),
        _ => None,
    };
    let own_path = own.as_ref().and_then(|(path, _)| path.as_ref().ok()).cloned();
    for folder in pulled(data)?.into_iter().filter(|folder| Some(folder) != own_path.as_ref()) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().replace("--", "/");
        lines.push(line(name, OnnxEmbedder::name_of(&folder, &Options::default()), false));
    }
    if let Some((path, model)) = own {
        lines.push(line(model.model.clone(), path.and_then(|path| OnnxEmbedder::name_of(path, &options(model))), true));
    }
    if let EmbedderChoice::Endpoint(model) = choice {
        lines.push(line(format!("{} at {}", model.name, model.base_url), Ok(model.name.clone()), true));
    }
    if json {
        print_json(&json!({ "models": lines }));
        return Ok(ExitCode::SUCCESS);
    }
    for Line { name, vectors, error, configured } in lines {
        let mark = if configured { "*" } else { " " };
        say!("{mark} {BOLD}{name}{BOLD:#}  {DIM}{}{DIM:#}", vectors.or(error).unwrap_or_default());
    }
    say!(
        "{DIM}* configured. `annals model use NAME` configures another, `annals model pull OWNER/NAME` fetches one.{DIM:#}"
    );
    Ok(ExitCode::SUCCESS)
}

fn line(name: String, vectors: Result<String>, configured: bool) -> Line {
    let (vectors, error) = match vectors {
        Ok(vectors) => (Some(vectors), None),
        Err(error) => (None, Some(error.to_string())),
    };
    Line { name, vectors, error, configured }
}
