//! Arguments of `annals backup`, `annals restore` and `annals adopt`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::config::host_and_port;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Backup {
    #[command(subcommand)]
    pub command: Option<BackupCommand>,
    /// A folder, or s3://bucket/prefix, gs://… or az://…, with the credentials in the environment [default: backup.target in annals.toml]
    #[arg(value_name = "TARGET")]
    pub target: Option<String>,
    /// After the backup, remove all but the newest N complete backups there [default: backup.keep in annals.toml; all are kept
    /// unless set]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub keep: Option<u32>,
}

#[derive(Subcommand)]
pub(crate) enum BackupCommand {
    /// List the backups at a target
    List {
        /// The target, as for `annals backup`
        target: Option<String>,
    },
    /// Read a whole backup, compare every file with its digest, and open the copy; exit code 1 if something is wrong
    Verify {
        /// The target, as for `annals backup`
        target: Option<String>,
        /// Name of the backup [default: the newest complete one]
        #[arg(long)]
        name: Option<String>,
    },
}

#[derive(Args)]
pub(crate) struct Restore {
    /// A folder, or s3://bucket/prefix, gs://… or az://…, with the credentials in the environment
    pub target: String,
    /// Name of the backup [default: the newest complete one]
    #[arg(long)]
    pub name: Option<String>,
}

#[derive(Args)]
pub(crate) struct Adopt {
    /// The data folder to copy from; its annals.toml alone says where its catalog and its tables are
    pub folder: PathBuf,
    /// Only copy tables and facts, while the service of FOLDER runs; then less is left to copy when it has stopped. May be repeated
    #[arg(long)]
    pub ahead: bool,
    /// URL of the service of FOLDER, as in http://10.0.0.4:7411. The nodes of the cluster in --data can then be started at once: they
    /// forward requests to it until the memory is moved
    #[arg(long, value_name = "URL", requires = "ahead", value_parser = service)]
    pub service: Option<String>,
}

/// Returns `host:port` of the URL of a service.
fn service(url: &str) -> Result<String, &'static str> {
    host_and_port(url)
        .map(str::to_owned)
        .ok_or("expected http://, a host, a port and nothing else, as in http://10.0.0.4:7411")
}
