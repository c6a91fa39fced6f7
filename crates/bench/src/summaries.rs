//! `annals-bench summaries`: compares summaries with those of the built-in engine on the same input, by grain. Measures how
//! many of the turns that answer questions they cite and represent, how many dates, names and numbers they keep, how many
//! sentences their sources do not support, tokens and time. With references it also measures ROUGE.
//!
//! Summaries come from an endpoint, with answers recorded in a folder and replayed from it, or from answers by period (a file
//! of JSON lines, or a folder with files such as `AGENT/2026-W10.json`, in the form that an endpoint answers). Answers can be
//! written by hand: `--questions` writes the question of each period.
//!
//! Weeks and longer periods are written from the same writer's summaries of the finer grain. An endpoint is shown the end of the
//! summary of the period before, as in a roll-up; facts and persona it is not shown. The built-in engine writes the
//! periods that have no answer, and these summaries are not judged. With `--sources` weeks and longer periods are written from
//! frozen summaries instead, and periods without an answer or without sources are left out. `--freeze` writes such a file.
//! `--planted` also plants faults into the answers and counts how many the check of sources finds.

mod by_period;
pub(crate) mod evaluation;
pub(crate) mod frozen;
mod measures;
mod planted;
mod replies;
mod report;
mod rouge;
#[cfg(test)]
mod tests;
pub(crate) mod turns;
mod writer;

use std::path::PathBuf;
use std::sync::Arc;

use annals_core::{Error, Result};
use annals_embedder::{OnnxEntailment, Runtime};
use annals_llm::EntailmentCheck;
use clap::Args;
use serde::Deserialize;

use by_period::ByPeriod;
use evaluation::SummaryEvaluation;
use frozen::FrozenSources;
use measures::Turns;
use report::Report;
use writer::Writer;

/// Input files and options.
#[derive(Args)]
pub(crate) struct Summaries {
    /// Messages, one per line, as for `retrieval`
    #[arg(long, value_name = "FILE")]
    messages: PathBuf,
    /// Questions, one per line, as for `retrieval`: only the turns that answer them count
    #[arg(long, value_name = "FILE")]
    queries: Option<PathBuf>,
    /// Only this agent
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// File or folder with an answer for each period to be judged
    #[arg(long, value_name = "PATH", conflicts_with_all = ["base_url", "models"])]
    answers: Option<PathBuf>,
    /// Judge only the periods of this other file or folder of answers
    #[arg(long, value_name = "PATH")]
    periods: Option<PathBuf>,
    /// File or folder with frozen summaries, from which those of the coarser grain are written
    #[arg(long, value_name = "PATH")]
    sources: Option<PathBuf>,
    /// File to which the judged summaries are written as frozen sources of the coarser grain
    #[arg(long, value_name = "FILE")]
    freeze: Option<PathBuf>,
    /// File or folder with a reference text (`text`) for each period, to which summaries are compared by ROUGE
    #[arg(long, value_name = "PATH")]
    references: Option<PathBuf>,
    /// Folder to which the question of each period without an answer is written
    #[arg(long, value_name = "FOLDER")]
    questions: Option<PathBuf>,
    /// File with a table `[models]`, such as annals.toml: any API and all settings of models. Its budgets do not apply
    #[arg(long, value_name = "FILE", conflicts_with = "base_url")]
    models: Option<PathBuf>,
    /// URL of a model's API, including `/v1`
    #[arg(long, value_name = "URL", requires = "model")]
    base_url: Option<String>,
    /// Name of the model
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Environment variable with the API key
    #[arg(long, value_name = "NAME")]
    key_env: Option<String>,
    /// Folder in which answers of the model are recorded, and from which they are replayed
    #[arg(long, value_name = "FOLDER", conflicts_with = "answers")]
    replay: Option<PathBuf>,
    /// Plant faults into the answers, and count those that are found
    #[arg(long, requires = "answers")]
    planted: bool,
    /// Folder of an ONNX model that judges the sentences too, as `models.grounding` does
    #[arg(long, value_name = "FOLDER", requires = "planted")]
    grounding: Option<PathBuf>,
    /// Probability of a contradiction from which a sentence counts as unsupported
    #[arg(long, value_name = "P", default_value_t = 0.9, requires = "grounding")]
    contradiction: f32,
    /// List the sentences that their sources do not support
    #[arg(long)]
    unsupported: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A text with which a summary is compared.
#[derive(Deserialize)]
struct Reference {
    text: String,
}

pub(crate) async fn run(args: &Summaries) -> Result<()> {
    let report = judge(args).await?;
    if let Some(path) = &args.freeze {
        let wrong = |cause| Error::storage(format!("cannot write {}", path.display()), cause);
        std::fs::write(path, report.frozen.join("\n") + "\n").map_err(wrong)?;
    }
    report.print(args.json);
    if args.unsupported {
        println!("\n{}", report.unsupported.join("\n"));
    }
    Ok(())
}

async fn judge(args: &Summaries) -> Result<Report> {
    let judged = Writer::of(args)?;
    let entailment = args.entailment()?;
    let mut days = turns::days(&args.messages)?;
    if let Some(name) = &args.agent {
        days.retain(|agent, _| agent.name() == name);
    }
    let evidence = args.queries.as_ref().map(|queries| turns::evidence(queries)).transpose()?;
    let frozen = args.sources.as_ref().map(|path| FrozenSources::read(path)).transpose()?;
    let references = args.references.as_ref().map(|path| ByPeriod::read(path)).transpose()?;
    let periods = args.periods.as_ref().map(|path| ByPeriod::read(path)).transpose()?;
    let mut report = Report::default();
    for (agent, days) in &days {
        let turns = Turns::new(days, evidence.as_ref().map(|evidence| evidence.get(agent.name())));
        let mut evaluation = SummaryEvaluation {
            agent,
            days,
            turns: &turns,
            frozen: frozen.as_ref(),
            references: references.as_ref(),
            periods: periods.as_ref(),
            entailment: entailment.as_ref(),
            args,
            report: &mut report,
            only: None,
        };
        evaluation.run(&judged).await?;
        if !matches!(judged, Writer::Extractive) {
            // The built-in engine writes the same periods.
            evaluation.only = Some(evaluation.report.periods_of(agent));
            evaluation.run(&Writer::Extractive).await?;
        }
    }
    report.tokens = judged.tokens();
    Ok(report)
}

impl Summaries {
    /// Returns the model that judges sentences, if the options name one.
    fn entailment(&self) -> Result<Option<EntailmentCheck>> {
        let Some(folder) = &self.grounding else { return Ok(None) };
        let model = Arc::new(OnnxEntailment::open(folder, || Runtime::find(None))?);
        Ok(Some(EntailmentCheck { model, contradiction: self.contradiction }))
    }
}
