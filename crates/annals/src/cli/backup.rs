//! Words of `annals backup` and `annals restore`.

use clap::{Args, Subcommand};

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Backup {
    #[command(subcommand)]
    pub command: Option<BackupCommand>,
    /// A folder, or s3://bucket/prefix with AWS_… in the environment [default: target under [backup] of annals.toml]
    #[arg(value_name = "TARGET")]
    pub target: Option<String>,
    /// Afterwards remove all but the newest N backups there [default: keep under [backup]; all are kept unless set]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub keep: Option<u32>,
}

#[derive(Subcommand)]
pub enum BackupCommand {
    /// List the backups at a target
    List {
        /// As for backup
        target: Option<String>,
    },
    /// Read a whole backup, compare every file with its digest, and open the copy; exit code 1 if something is wrong
    Verify {
        /// As for backup
        target: Option<String>,
        /// Which one [default: the newest that is whole]
        #[arg(long)]
        name: Option<String>,
    },
}

#[derive(Args)]
pub struct Restore {
    /// A folder, or s3://bucket/prefix with AWS_… in the environment
    pub target: String,
    /// Which one [default: the newest that is whole]
    #[arg(long)]
    pub name: Option<String>,
}
