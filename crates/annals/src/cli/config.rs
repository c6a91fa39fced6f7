//! Arguments of `annals config` and `annals doctor`.

use clap::{Args, Subcommand};

#[derive(Args)]
pub(crate) struct Config {
    #[command(subcommand)]
    pub command: Option<ConfigCommand>,
}

#[derive(Subcommand)]
pub(crate) enum ConfigCommand {
    /// List every error in file, environment and flags; if there are none, say so and list what is set and where
    Check,
    /// Show every setting with its effective value and its origin; secrets are not shown
    Show,
    /// Print the JSON schema of annals.toml, for editors
    Schema,
}

#[derive(Args)]
pub(crate) struct Doctor {
    /// Do not call the configured models; a call costs a few hundred tokens for each model
    #[arg(long)]
    pub without_models: bool,
}
