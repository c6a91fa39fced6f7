//! Arguments of `annals prompt`.

use std::path::PathBuf;

use clap::Subcommand;

use super::OneOrAll;

#[derive(Subcommand)]
pub(crate) enum Prompt {
    /// List the prompts, and whether the agent has its own
    List(OneOrAll),
    /// Print the text of a prompt
    Show {
        /// Name of the prompt, as `annals prompt list` prints it
        name: String,
        /// Print the prompt that this agent uses [default: the built-in prompt]
        #[arg(long, value_name = "A")]
        agent: Option<String>,
    },
    /// Use the text of a file as an agent's own prompt
    Set {
        /// Name of the prompt, as `annals prompt list` prints it
        name: String,
        /// File with the text of the new prompt
        file: PathBuf,
        /// Name of the agent that gets the prompt
        #[arg(long, value_name = "A")]
        agent: String,
    },
    /// Use the built-in prompt again
    Reset {
        /// Name of the prompt, as `annals prompt list` prints it
        name: String,
        /// Name of the agent that gets the built-in prompt back
        #[arg(long, value_name = "A")]
        agent: String,
    },
}
