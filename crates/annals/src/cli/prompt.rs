//! The prompts for models.

use std::path::PathBuf;

use clap::Subcommand;

use super::OneOrAll;
use crate::terminal::path;

#[derive(Subcommand)]
pub enum Prompt {
    /// List the prompts, and whether the agent has its own
    List(OneOrAll),
    /// Print a prompt
    Show {
        /// Its name
        name: String,
        /// The one that this agent uses
        #[arg(long, value_name = "A")]
        agent: Option<String>,
    },
    /// Use the text of a file as an agent's own prompt
    Set {
        /// Its name
        name: String,
        /// The file
        #[arg(value_parser = path)]
        file: PathBuf,
        /// The agent
        #[arg(long, value_name = "A")]
        agent: String,
    },
    /// Use the prompt that comes with Annals again
    Reset {
        /// Its name
        name: String,
        /// The agent
        #[arg(long, value_name = "A")]
        agent: String,
    },
}
