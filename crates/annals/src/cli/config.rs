//! Arguments of `annals config`.

use clap::Subcommand;

#[derive(Subcommand)]
pub(crate) enum Config {
    /// List every error in file, environment and flags; if there are none, say so and list what is set and where
    Check,
    /// Show every setting with its effective value and its origin; secrets are not shown
    Show,
    /// Print the JSON schema of annals.toml, for editors
    Schema,
}
