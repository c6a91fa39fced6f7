//! `annals job`: what a running service does by itself, and when.

use std::process::ExitCode;

use annals_core::{Error, Result};

use super::data;
use crate::cli::{Global, Job};

pub async fn run(global: &Global, _args: &Job) -> Result<ExitCode> {
    // The jobs run in the service; handed over to it, this runs there.
    Err(Error::NotFound { what: "running service over", name: data(global)?.display().to_string() })
}
