//! `annals-bench summaries`: compares summaries with those of the built-in engine on the same input: answering turns
//! that they cite and cover, dates, names and numbers that they keep, sentences that their sources do not support,
//! tokens and time, by grain.
//!
//! Summaries come from an endpoint, with answers recorded in a folder and replayed from it, or from a folder of answers by period
//! (`AGENT/2026-W10.json`, in the form that an endpoint answers). Such a folder can be written by hand: `--questions` writes the
//! question of each period. The built-in engine writes the periods that have no answer, so that the coarser ones see all of their
//! sources; they are not judged. `--planted` also plants faults into these answers and counts how many the check of sources finds.

mod measures;
mod planted;
mod replies;
mod report;
pub(crate) mod turns;
mod writer;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Instant;

use annals_core::ports::{Engine, SummaryTask};
use annals_core::{Agent, Body, Error, Grain, Memory, MemoryId, Period, Result, Settings, SignedDuration, Zones};
use annals_llm::Extractive;
use clap::Args;

use measures::{Sums, Turns};
use planted::Planted;
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
    /// Folder with an answer for each period to be judged
    #[arg(long, value_name = "FOLDER", conflicts_with = "base_url")]
    answers: Option<PathBuf>,
    /// Folder to which the question of each period without an answer is written
    #[arg(long, value_name = "FOLDER")]
    questions: Option<PathBuf>,
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
    #[arg(long, value_name = "FOLDER", requires = "base_url")]
    replay: Option<PathBuf>,
    /// Plant faults into the answers, and count those that are found
    #[arg(long, requires = "answers")]
    planted: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(args: &Summaries) -> Result<()> {
    let judged = Writer::of(args)?;
    let mut days = turns::days(&args.messages)?;
    if let Some(name) = &args.agent {
        days.retain(|agent, _| agent.name() == name);
    }
    let evidence = args.queries.as_ref().map(|queries| turns::evidence(queries)).transpose()?;
    let mut report = Report::default();
    for (agent, days) in &days {
        let turns = Turns::new(days, evidence.as_ref().map(|evidence| evidence.get(agent.name())));
        let mut evaluation = SummaryEvaluation { agent, turns: &turns, args, report: &mut report, only: None };
        evaluation.run(&judged, days).await?;
        if !matches!(judged, Writer::Extractive) {
            // The built-in engine writes the same periods.
            evaluation.only = Some(evaluation.report.periods_of(agent));
            evaluation.run(&Writer::Extractive, days).await?;
        }
    }
    report.tokens = judged.tokens();
    report.print(args.json);
    Ok(())
}

/// Judges the summaries of one agent.
struct SummaryEvaluation<'a> {
    agent: &'a Agent,
    turns: &'a Turns<'a>,
    args: &'a Summaries,
    report: &'a mut Report,
    /// Periods to write; `None` for all.
    only: Option<BTreeSet<Period>>,
}

impl SummaryEvaluation<'_> {
    /// Writes and judges all grains: each from the summaries of the finer one by the same writer.
    async fn run(&mut self, writer: &Writer, days: &[Vec<Memory>]) -> Result<()> {
        let mut inputs: Vec<Vec<Memory>> = days.to_vec();
        for grain in Grain::SUMMARIES {
            let mut written = Vec::new();
            for sources in &inputs {
                written.extend(self.summary(writer, grain, sources).await?);
            }
            inputs = by_parent(written, grain);
        }
        Ok(())
    }

    async fn summary(&mut self, writer: &Writer, grain: Grain, sources: &[Memory]) -> Result<Option<Memory>> {
        let Some(first) = sources.first() else { return Ok(None) };
        let (settings, period) = (Settings::default(), first.period.ancestor(grain));
        if self.only.as_ref().is_some_and(|only| !only.contains(&period)) {
            return Ok(None);
        }
        let now = Zones::new("UTC")?.cover(period).end.saturating_add(SignedDuration::from_hours(1));
        let now = now.map_err(|_| Error::invalid("at", "is too late"))?;
        let task = SummaryTask {
            agent: self.agent,
            settings: &settings,
            period,
            sources,
            base: None,
            background: None,
            read_seq: 0,
            now,
        };
        let begun = Instant::now();
        let draft = match writer.write(task).await? {
            Some(draft) => {
                let sums = Sums::of(&draft, self.turns, sources, begun.elapsed());
                self.report.add(writer.name(), grain, (self.agent.clone(), period), sums);
                draft
            }
            None => {
                self.write_question(&task)?;
                Extractive.summarize(task).await?
            }
        };
        if self.args.planted
            && let Some(answer) = writer.answer(self.agent, period)?
        {
            self.report.planted.add(&Planted::of(&task, &answer)?);
        }
        let sources_of = sources.iter().map(|source| source.id.clone()).collect();
        Ok(Some(Memory {
            id: MemoryId::summary(self.agent, period),
            grain,
            period,
            cover: Zones::new("UTC")?.cover(period),
            days: period.cover_days(),
            text: draft.text,
            pinned: false,
            seq: 0,
            body: Body::Summary { sentences: draft.sentences, sources: sources_of },
        }))
    }

    fn write_question(&self, task: &SummaryTask<'_>) -> Result<()> {
        let Some(folder) = &self.args.questions else { return Ok(()) };
        let path = folder.join(self.agent.name()).join(format!("{}.md", task.period));
        let [system, user] = annals_llm::question_of(task)?;
        let wrong = |cause| Error::storage(format!("cannot write {}", path.display()), cause);
        std::fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(wrong)?;
        std::fs::write(&path, format!("{system}\n\n---\n\n{user}\n")).map_err(wrong)
    }
}

/// Groups the summaries of a grain by the periods of the next coarser one.
fn by_parent(written: Vec<Memory>, grain: Grain) -> Vec<Vec<Memory>> {
    let Some(coarser) = grain.coarser() else { return Vec::new() };
    let mut periods: BTreeMap<Period, Vec<Memory>> = BTreeMap::new();
    for summary in written {
        periods.entry(summary.period.ancestor(coarser)).or_default().push(summary);
    }
    periods.into_values().collect()
}
