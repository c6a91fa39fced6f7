//! `annals config`: shows what is set, where it comes from, what is wrong with it, and what can be set.

use std::process::ExitCode;

use annals_core::Result;
use clap::CommandFactory;
use serde_json::{Value, json};

use crate::cli::{self, Cli, ConfigCommand, Global};
use crate::config::{Config, NAME, Origin, Setting, schema};
use crate::view::{DIM, print_json, say, say_raw};

pub(crate) fn run(global: &Global, args: &cli::Config) -> Result<ExitCode> {
    let command = match &args.command {
        None => {
            print_help();
            return Ok(ExitCode::SUCCESS);
        }
        Some(ConfigCommand::Schema) => {
            say_raw!("{:#}", schema());
            return Ok(ExitCode::SUCCESS);
        }
        Some(command) => command,
    };
    let data = super::data(global)?;
    // All errors in the configuration are reported at once, with exit code 2.
    let config = Config::load(global, &data)?;
    let checks = matches!(command, ConfigCommand::Check);
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

/// Prints what `annals config` can do.
fn print_help() {
    let mut command = Cli::command();
    // Without this, the usage line would lack the name of the program.
    command.build();
    if let Some(config) = command.find_subcommand_mut("config") {
        say_raw!("{}", config.render_help());
    }
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
