//! Sets up logging to standard error. A service logs as `[log]` of the configuration says, other commands only errors.
//! `ANNALS_LOG=annals=debug` overrides both.

use std::io::IsTerminal;

use annals_server::config::{LogConfig, LogFormat, LogLevel};
use tracing_subscriber::EnvFilter;

use crate::cli::{Cli, Command};
use crate::config::Config;
use crate::folder::default_path;

/// Installs the log subscriber of this process.
pub(crate) fn start(cli: &Cli) {
    let LogConfig { level, format } = match cli.command {
        Command::Serve(_) => configured(cli),
        _ => LogConfig { level: LogLevel::Error, ..LogConfig::default() },
    };
    // Logs of libraries are shown at level error only; finer ones are for debugging them.
    let usual = match level {
        LogLevel::Off | LogLevel::Error => level.as_str().to_owned(),
        level => format!("error,annals={0},annals_server={0},annals_writer={0}", level.as_str()),
    };
    let filter = EnvFilter::try_from_env("ANNALS_LOG").unwrap_or_else(|_| usual.into());
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let log = log.with_ansi(std::io::stderr().is_terminal());
    match format {
        LogFormat::Text => log.init(),
        LogFormat::Json => log.json().init(),
    }
}

/// Returns the configured log settings, or the defaults if the configuration is wrong; the command itself reports that.
fn configured(cli: &Cli) -> LogConfig {
    let data = cli.global.data.clone().map_or_else(default_path, Ok);
    let config = data.and_then(|data| Config::load(&cli.global, &data));
    config.map_or_else(|_| LogConfig::default(), |config| config.log)
}
