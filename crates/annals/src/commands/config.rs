//! `annals config`: shows what is set, where it comes from, what is wrong with it, and what can be set.

use std::process::ExitCode;

use annals_core::Result;
use serde_json::{Value, json};

use crate::cli::{self, Global};
use crate::config::{Config, NAME, Origin, Setting, schema};
use crate::view::{DIM, print_json, say, say_raw};

pub(crate) fn run(global: &Global, args: &cli::Config) -> Result<ExitCode> {
    if let cli::Config::Schema = args {
        say_raw!("{:#}", schema());
        return Ok(ExitCode::SUCCESS);
    }
    let data = super::data(global)?;
    // Errors in the configuration are reported like any other error: all of them, with exit code 2.
    let config = Config::load(global, &data)?;
    let checks = matches!(args, cli::Config::Check);
    let chosen: Vec<&Setting> =
        config.settings.iter().filter(|setting| !checks || setting.origin != Origin::Default).collect();
    if global.json {
        let settings: Vec<Value> = chosen.into_iter().map(view).collect();
        print_json(&json!({ "file": config.file, "settings": settings }));
        return Ok(ExitCode::SUCCESS);
    }
    if checks {
        let file = config.file.map(|file| file.display().to_string());
        say!("Fine. {}", file.unwrap_or_else(|| format!("There is no {NAME} in {}.", data.display())));
    }
    chosen.into_iter().filter(|setting| matters(setting)).for_each(print);
    Ok(ExitCode::SUCCESS)
}

fn view(setting: &Setting) -> Value {
    let mut view = json!(setting.origin);
    view["key"] = json!(setting.key);
    view["value"] = setting.value.clone();
    view
}

/// Returns whether to print a setting. Model settings for a single purpose are printed only if they are set.
fn matters(setting: &Setting) -> bool {
    setting.origin != Origin::Default || setting.key.matches('.').count() < 2
}

fn print(setting: &Setting) {
    let value = if setting.value.is_null() { "–".to_owned() } else { setting.value.to_string() };
    let origin = match &setting.origin {
        Origin::Default => "default".to_owned(),
        Origin::File { file, line } => format!("{}:{line}", file.display()),
        Origin::Env { variable } => variable.clone(),
        Origin::Flag => "--set".to_owned(),
    };
    say!("{:28} {value}  {DIM}{origin}{DIM:#}", setting.key);
}
