//! `annals model`: lists, fetches, configures and measures the models that run in this process: those that turn texts into
//! vectors, and those that judge sentences.

mod configure;
mod measure;
mod pull;
mod trial;

use std::path::Path;
use std::process::ExitCode;

use annals_core::{Error, Result};
use annals_embedder::{ModelKind, OnnxEmbedder, OnnxEntailment, Options, Runtime};
use annals_llm::{BUILT_IN, EmbedderChoice};
use serde::Serialize;
use serde_json::json;

use crate::cli::{self, Global};
use crate::config::Config;
use crate::embedders::{KEY, folder_of, options, pulled};
use crate::entailment;
use crate::view::{BOLD, DIM, print_json, say};

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

/// A line of the list: a model on this machine.
#[derive(Serialize)]
struct Line {
    /// The name to configure; for an endpoint, the name and the address of its model.
    name: String,
    /// What the model is for: vectors, entailment, or nothing that Annals does.
    kind: &'static str,
    /// The name that is stored with its vectors; `None` if the model makes none or cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    vectors: Option<String>,
    /// Why the model cannot be used; `None` if it can.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    configured: bool,
}

fn list(data: &Path, config: &Config, json: bool) -> Result<ExitCode> {
    let lines = lines(data, config)?;
    if json {
        print_json(&json!({ "models": lines }));
        return Ok(ExitCode::SUCCESS);
    }
    for Line { name, kind, vectors, error, configured } in lines {
        let mark = if configured { "*" } else { " " };
        say!("{mark} {BOLD}{name}{BOLD:#}  {kind}  {DIM}{}{DIM:#}", vectors.or(error).unwrap_or_default());
    }
    say!(
        "{DIM}* configured. `annals model use NAME` configures another one for vectors, {} one for entailment; \
         `annals model pull OWNER/NAME` fetches one.{DIM:#}",
        entailment::KEY
    );
    Ok(ExitCode::SUCCESS)
}

/// Returns the built-in model, the pulled ones, and those that are configured by a folder or an endpoint.
fn lines(data: &Path, config: &Config) -> Result<Vec<Line>> {
    let choice = &config.embedder.choice;
    let is_built_in = matches!(choice, EmbedderChoice::BuiltIn);
    let mut lines = vec![vectors(BUILT_IN.into(), Ok(OnnxEmbedder::name_of_bundled()), is_built_in)];
    let own = match choice {
        EmbedderChoice::Folder(model) => Some((folder_of(data, KEY, &model.model), model)),
        _ => None,
    };
    let own_path = own.as_ref().and_then(|(path, _)| path.as_ref().ok()).cloned();
    let judge = config.models.grounding.as_ref();
    let judge = judge.map(|model| (folder_of(data, entailment::KEY, &model.model), &model.model));
    let judge_path = judge.as_ref().and_then(|(path, _)| path.as_ref().ok()).cloned();
    let pulled = pulled(data)?;
    for folder in pulled.iter().filter(|folder| Some(*folder) != own_path.as_ref()) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().replace("--", "/");
        lines.push(line(name, folder, Some(folder) == judge_path.as_ref()));
    }
    if let Some((path, model)) = own {
        let name = path.and_then(|path| OnnxEmbedder::name_of(path, &options(model)));
        lines.push(vectors(model.model.clone(), name, true));
    }
    if let EmbedderChoice::Endpoint(model) = choice {
        lines.push(vectors(format!("{} at {}", model.name, model.base_url), Ok(model.name.clone()), true));
    }
    match judge {
        Some((Ok(path), _)) if pulled.contains(&path) => {}
        Some((Ok(path), name)) => lines.push(line(name.clone(), &path, true)),
        Some((Err(error), name)) => lines.push(Line::unusable(name.clone(), ModelKind::Entailment, &error, true)),
        None => {}
    }
    Ok(lines)
}

/// Returns the line of a model in a folder, by its kind.
fn line(name: String, folder: &Path, configured: bool) -> Line {
    match ModelKind::of(folder) {
        Ok(ModelKind::Vectors) => vectors(name, OnnxEmbedder::name_of(folder, &Options::default()), configured),
        Ok(kind) => match OnnxEntailment::open(folder, || Runtime::Rten) {
            Ok(_) => Line { name, kind: kind.as_str(), vectors: None, error: None, configured },
            Err(error) => Line::unusable(name, kind, &error, configured),
        },
        Err(error) => Line::unusable(name, ModelKind::Vectors, &error, configured),
    }
}

fn vectors(name: String, vectors: Result<String>, configured: bool) -> Line {
    let kind = ModelKind::Vectors;
    match vectors {
        Ok(vectors) => Line { name, kind: kind.as_str(), vectors: Some(vectors), error: None, configured },
        Err(error) => Line::unusable(name, kind, &error, configured),
    }
}

impl Line {
    fn unusable(name: String, kind: ModelKind, error: &Error, configured: bool) -> Line {
        Line { name, kind: kind.as_str(), vectors: None, error: Some(error.to_string()), configured }
    }
}
