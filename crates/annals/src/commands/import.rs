//! `annals import`: detects the kind of the files, and imports them.

mod folder;
mod kinds;
mod lines;
mod options;
mod report;
mod watch;

use std::path::Path;
use std::process::ExitCode;

use annals_core::{Error, Result};
use annals_importers::{Detected, Kind, Limits, Source, detect};

use crate::cli::{Format, Global, Import};
use crate::failure::unreadable;
use crate::source::is_ours;

pub(crate) async fn run(global: &Global, args: &Import) -> Result<ExitCode> {
    let format = match args.from {
        Some(format) => format,
        None => detected(global, args)?,
    };
    options::check(args, format)?;
    match (format, args.watch) {
        (Format::Jsonl, _) => lines::run(global, args).await,
        (Format::Of(kind), Some(seconds)) => watch::run(kind, &args.files, seconds).await,
        (Format::Of(kind), None) => kinds::run(global, args, kind).await,
    }
}

/// Detects the kind of the files from their content. Standard input, special files, and files of no known kind are read as JSON
/// Lines; each line that is no message is then a fault. Returns an error if the kind is not clear, or if no kind is found and
/// one of the paths is an archive or a folder without files of messages.
fn detected(global: &Global, args: &Import) -> Result<Format> {
    if !has_other_kind(&args.files)? {
        return Ok(Format::Jsonl);
    }
    kinds::refuse_data_folder(global, &args.files)?;
    let mut source = Source::open(&args.files, Limits::default())?;
    match detect(&mut source) {
        Detected::Clear(kind, _) => Ok(Format::Of(kind)),
        Detected::Unknown if all_may_have_lines(&args.files)? => Ok(Format::Jsonl),
        other => Err(Error::invalid("from", other.to_string())),
    }
}

/// Returns whether the files may be something other than JSON Lines: all are files or folders, and at least one is a folder or
/// does not begin with a JSON message.
fn has_other_kind(files: &[impl AsRef<Path>]) -> Result<bool> {
    let mut found = false;
    for path in files.iter().map(AsRef::as_ref) {
        // Standard input can be read only once, and special files have no known end.
        if !path.is_dir() && !path.is_file() {
            return Ok(false);
        }
        found |= path.is_dir() || !is_ours(path).map_err(|cause| unreadable(path, cause))?;
    }
    Ok(found)
}

/// Returns whether each path is a file without the extension `.zip`, or a folder with files of messages.
fn all_may_have_lines(paths: &[impl AsRef<Path>]) -> Result<bool> {
    for path in paths.iter().map(AsRef::as_ref) {
        let is_archive = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("zip"));
        let may_have_lines = if path.is_dir() { folder::has_messages(path)? } else { !is_archive };
        if !may_have_lines {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the error for an option that has no effect on a kind of files.
fn no_effect(option: &str, kind: &str, why: &str) -> Error {
    Error::invalid(format!("--{option}"), format!("has no effect on {kind}: {why}; leave it out"))
}

/// Returns whether a program of this kind writes its files while people type, so that they are worth watching.
fn is_watched(kind: Kind) -> bool {
    matches!(kind, Kind::ClaudeCode | Kind::Codex)
}
