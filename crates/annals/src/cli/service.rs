//! Arguments of `annals serve`, `mcp`, `key` and `job`.

use std::net::SocketAddr;

use annals_core::Timestamp;
use annals_core::ports::Scope;
use clap::{Args, Subcommand};

use super::value::{Limit, limit, moment, number};

#[derive(Args)]
pub(crate) struct Serve {
    /// Address and port [default: server.listen in annals.toml, else 127.0.0.1:7411]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,
    /// Serve only other processes of this user, over the socket in the data folder
    #[arg(long, conflicts_with = "listen")]
    pub local: bool,
    /// Stop after this many seconds without a request
    #[arg(long, value_name = "SECONDS", hide_short_help = true, value_parser = number::<u64>, allow_negative_numbers = true)]
    pub exit_when_idle: Option<u64>,
}

#[derive(Args)]
pub(crate) struct Mcp {
    /// The agent that the tools work on; without it, each tool call must name one
    #[arg(long, value_name = "A")]
    pub agent: Option<String>,
    /// Allowed scopes, separated by commas: search, ingest, admin
    #[arg(long = "scope", value_name = "SCOPE", value_delimiter = ',', default_value = "ingest,search")]
    pub scopes: Vec<Scope>,
}

#[derive(Subcommand)]
pub(crate) enum Key {
    /// Create a key; it is shown once, here
    Add(AddKey),
    /// List keys, without their secrets, and the tokens of models that they have used today
    List,
    /// Change the limit of tokens of a key
    Set(SetKey),
    /// Revoke a key immediately
    Revoke {
        /// The key's id: the part between `annals_` and the next `_`
        id: String,
    },
}

#[derive(Args)]
pub(crate) struct AddKey {
    /// Name that `annals key list` shows for the key
    pub name: String,
    /// Allowed scopes, separated by commas: search, ingest, admin
    #[arg(long = "scope", value_name = "SCOPE", value_delimiter = ',', default_value = "ingest,search")]
    pub scopes: Vec<Scope>,
    /// The workspace that the key opens; its agents are separate from those of other workspaces
    #[arg(long, default_value = "default")]
    pub workspace: String,
    /// Only these agents of the workspace, separated by commas
    #[arg(long = "agent", value_name = "A", value_delimiter = ',')]
    pub agents: Vec<String>,
    /// When the key stops being valid: a moment, or the beginning of a day in UTC
    #[arg(long, value_name = "T", value_parser = moment)]
    pub expires: Option<Timestamp>,
    /// Maximum number of model tokens per UTC day for requests with this key [default: only other budgets limit them]
    #[arg(long, value_name = "N", value_parser = number::<u64>, allow_negative_numbers = true)]
    pub daily_tokens: Option<u64>,
}

#[derive(Args)]
pub(crate) struct SetKey {
    /// The key's id, as `annals key list` prints it
    pub id: String,
    /// Maximum number of model tokens per UTC day for requests with this key; none removes the limit
    #[arg(long, value_name = "N", value_parser = limit, allow_negative_numbers = true)]
    pub daily_tokens: Limit,
}

#[derive(Subcommand)]
pub(crate) enum Job {
    /// List the jobs of a running service: last run, its outcome, next wake-up
    List,
    /// Run a job now, and print its outcome
    Run {
        /// Name of the job, as `annals job list` prints it
        name: String,
    },
}
