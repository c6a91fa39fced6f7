//! Arguments of `annals import` and `annals export`.

use std::path::PathBuf;

use clap::Args;

const EXAMPLE: &str = r#"One JSON object per line; id and name are optional; role is user, assistant, system or tool:
  {"agent": "ann", "conversation": "2026-03-04", "id": "17", "role": "user", "name": "Ann",
   "content": "We moved to Porto today.", "at": "2026-03-04T18:30:00Z"}"#;

#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub struct Import {
    /// Files with one message per line or a JSON list of messages, also compressed as .gz; - reads standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Import everything into this agent, whatever agent the lines name
    #[arg(long, value_name = "A")]
    pub agent: Option<String>,
    /// IANA time zone in which the agents' days are counted, such as Europe/Berlin; for agents that already have memories it
    /// takes effect at the next midnight [default: UTC]
    #[arg(long, value_name = "ZONE")]
    pub time_zone: Option<String>,
    /// Replace messages that are stored under the same id with different content
    #[arg(long)]
    pub revise: bool,
    /// Import messages again that were forgotten
    #[arg(long)]
    pub unforget: bool,
    /// Accepted because other tools have this option; there is only one format
    #[arg(long, hide = true, value_name = "FORMAT", value_parser = format)]
    pub format: Option<String>,
}

fn format(word: &str) -> Result<String, String> {
    match word {
        "jsonl" | "json" | "annals" => Ok(word.to_owned()),
        _ => Err("import reads JSON Lines, JSON lists of messages, and exports of annals; convert other formats first"
            .to_owned()),
    }
}

#[derive(Args)]
pub struct Export {
    /// The agent
    #[arg(long, value_name = "A")]
    pub agent: String,
    /// The file to write; - is standard output
    #[arg(value_name = "FILE", default_value = "-")]
    pub file: PathBuf,
    /// Write memories.parquet and facts.parquet into this folder instead
    #[arg(long, value_name = "DIR", conflicts_with = "file")]
    pub parquet: Option<PathBuf>,
}
