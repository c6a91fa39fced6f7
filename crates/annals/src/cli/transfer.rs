//! Arguments of `annals import` and `annals export`.

use std::path::PathBuf;

use annals_importers::{Branches, DateOrder, Kind};
use clap::Args;

const EXAMPLE: &str = r#"jsonl, the default, is one JSON object per line; id and name are optional; role is user, assistant, system or tool:
  {"agent": "ann", "conversation": "2026-03-04", "id": "17", "role": "user", "name": "Ann",
   "content": "We moved to Porto today.", "at": "2026-03-04T18:30:00Z"}

What other programs keep is imported into one agent. A later, longer export adds only what is new:
  annals import chatgpt-export.zip --agent ann --me Ann --time-zone Europe/Lisbon --dry-run
  annals import --from claude-code ~/.claude/projects --agent ann --watch"#;

#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Import {
    /// Files, folders and ZIP archives, also compressed as .gz; - reads standard input
    #[arg(required = true, value_name = "PATH")]
    pub files: Vec<PathBuf>,
    /// What the files are: jsonl, chatgpt, claude, claude-code, codex, openclaw, markdown, letta, mem0, mcp-memory, slack,
    /// whatsapp or csv [default: as the content shows, or else jsonl]
    #[arg(long, value_name = "KIND", value_parser = format, alias = "format")]
    pub from: Option<Format>,
    /// Import everything into this agent; jsonl names the agents itself
    #[arg(long, value_name = "A")]
    pub agent: Option<String>,
    /// IANA time zone in which the agents' days are counted, such as Europe/Berlin; for agents that already have memories it
    /// takes effect at the next midnight. Also the zone of times that a source writes without an offset [default: UTC]
    #[arg(long, value_name = "ZONE")]
    pub time_zone: Option<String>,
    /// Show what would be imported and what is skipped; store nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Your name: the speaker of your messages
    #[arg(long, value_name = "NAME")]
    pub me: Option<String>,
    /// Name of the assistant in a chat of several people; may be given several times
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub assistant: Vec<String>,
    /// Branches of a conversation that are imported: active or all
    #[arg(long, value_name = "WHICH", value_parser = branches, hide_short_help = true)]
    pub branches: Option<Branches>,
    /// Import calls and results of tools, too
    #[arg(long, hide_short_help = true)]
    pub tools: bool,
    /// Import the thinking of models, too
    #[arg(long, hide_short_help = true)]
    pub thinking: bool,
    /// The columns of a CSV file: content=Text,at=Date,name=Who,role=,conversation=,id=
    #[arg(long, value_name = "FIELD=COLUMN,…", value_delimiter = ',', value_parser = column, hide_short_help = true)]
    pub columns: Vec<(String, String)>,
    /// Order of day and month in dates such as 03/04/2026: dmy, mdy or ymd
    #[arg(long, value_name = "ORDER", value_parser = date_order, hide_short_help = true)]
    pub date_order: Option<DateOrder>,
    /// Import again whenever the files change, until Ctrl-C; looks every SECONDS [default: 60]; for claude-code and codex
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true, default_missing_value = "60",
        value_parser = clap::value_parser!(u64).range(1..=86_400), conflicts_with = "dry_run", hide_short_help = true)]
    pub watch: Option<u64>,
    /// Replace messages of jsonl that are stored under the same id with different content; other kinds always do
    #[arg(long)]
    pub revise: bool,
    /// Import messages again that were forgotten
    #[arg(long)]
    pub unforget: bool,
}

/// What the files of an import are: the value of `--from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON Lines, JSON lists of messages, and exports of Annals.
    Jsonl,
    /// Files of another program.
    Of(Kind),
}

fn format(word: &str) -> Result<Format, String> {
    match word {
        "jsonl" | "json" | "annals" => Ok(Format::Jsonl),
        _ => word.parse().map(Format::Of).map_err(|_| {
            let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
            format!("expected jsonl or one of {}; convert other formats first", kinds.join(", "))
        }),
    }
}

fn branches(word: &str) -> Result<Branches, String> {
    word.parse().map_err(|_| "expected active or all".to_owned())
}

fn date_order(word: &str) -> Result<DateOrder, String> {
    word.parse().map_err(|_| "expected dmy, mdy or ymd".to_owned())
}

fn column(pair: &str) -> Result<(String, String), String> {
    let (field, column) = pair.split_once('=').ok_or("expected FIELD=COLUMN, such as content=Text")?;
    Ok((field.trim().to_owned(), column.trim().to_owned()))
}

#[derive(Args)]
pub(crate) struct Export {
    /// Name of the agent to export
    #[arg(long, value_name = "A")]
    pub agent: String,
    /// The file to write; - is standard output
    #[arg(value_name = "FILE", default_value = "-")]
    pub file: PathBuf,
    /// Write memories.parquet and facts.parquet into this folder instead
    #[arg(long, value_name = "DIR", conflicts_with = "file")]
    pub parquet: Option<PathBuf>,
    /// Write daily notes, summaries, facts and blocks as Markdown into this folder instead, for Obsidian and OpenClaw; a later
    /// export into it replaces the notes of the earlier one
    #[arg(long, value_name = "DIR", conflicts_with_all = ["file", "parquet"])]
    pub markdown: Option<PathBuf>,
}
