//! Sets up logging to standard error. `annals serve` logs as `[log]` of the configuration says; other commands log only errors.
//! `ANNALS_LOG=annals=debug` overrides both. Panics are logged without what they quote, which may be text of memories.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::IsTerminal;
use std::panic::PanicHookInfo;

use annals_server::config::{LogConfig, LogFormat, LogLevel};
use tracing_subscriber::EnvFilter;

use crate::cli::{Cli, Command};
use crate::config::Config;
use crate::folder::default_path;

/// Installs the log subscriber of this process. Unless `ANNALS_LOG` is set, libraries log errors at most.
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
    // A failure to log would be printed to the same place, and that panics.
    let log = log.with_ansi(std::io::stderr().is_terminal()).log_internal_errors(false);
    match format {
        LogFormat::Text => log.init(),
        LogFormat::Json => log.json().init(),
    }
    std::panic::set_hook(Box::new(log_panic));
}

/// Logs where a panic arose and why. With `RUST_BACKTRACE=1`, adds the calls that led to it.
fn log_panic(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    let cause = unquoted(panic.payload_as_str().unwrap_or_default());
    let backtrace = Backtrace::capture();
    let calls = (backtrace.status() == BacktraceStatus::Captured).then(|| backtrace.to_string());
    tracing::error!(place, cause, calls, "a defect of Annals; please report this line");
}

/// Returns the message of a panic up to the first quotation: "byte index 1 is not a char boundary; it is inside".
fn unquoted(message: &str) -> &str {
    message.split(['`', '"', '\'', '\n']).next().unwrap_or_default().trim_end()
}

/// Returns the configured log settings, or the defaults if the configuration is wrong; the command itself reports that.
fn configured(cli: &Cli) -> LogConfig {
    let data = cli.global.data.clone().map_or_else(default_path, Ok);
    let config = data.and_then(|data| Config::load(&cli.global, &data));
    config.map_or_else(|_| LogConfig::default(), |config| config.log)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_are_logged_without_text_of_memories() {
        fn check(cause: &dyn Fn(), expect: &str) {
            let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(cause)).unwrap_err();
            let message = panic.downcast_ref::<String>().cloned();
            let message = message.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            assert_eq!(unquoted(&message.unwrap()), expect);
        }
        let memory = std::hint::black_box("a—my password is tulip");
        check(&|| drop(memory[2..].to_owned()), "start byte index 2 is not a char boundary; it is inside");
        let quotes = || memory.parse::<u8>().map(|_| ()).map_err(|_| memory.to_owned()).unwrap();
        check(&quotes, "called");
        check(&|| panic!("no permit is left"), "no permit is left");
    }
}
