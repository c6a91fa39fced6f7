//! Arguments of `annals prompt`.

use std::path::PathBuf;

use clap::Subcommand;

use super::OneOrAll;

#[derive(Subcommand)]
pub(crate) enum Prompt {
    /// List the prompts, and whether the agent has its own
    List(OneOrAll),
    /// Print a prompt
    Show {
        /// The prompt's name
        name: String,
        /// Print the prompt that this agent uses
        #[arg(long, value_name = "A")]
        agent: Option<String>,
    },
    /// Use the text of a file as an agent's own prompt
    Set {
        /// The prompt's name
        name: String,
        /// The file with the new prompt
        file: PathBuf,
        /// The agent
        #[arg(long, value_name = "A")]
        agent: String,
    },
    /// Use the built-in prompt again
    Reset {
        /// The prompt's name
        name: String,
        /// The agent
        #[arg(long, value_name = "A")]
        agent: String,
    },
}
