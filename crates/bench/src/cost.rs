//! `annals-bench cost`: counts requests and prompt tokens per day of chat, by purpose. Each message counts as arriving at its
//! own time. The purposes are extraction each minute, extraction by schedule, and the summaries of each grain. Those of weeks and
//! longer are written from summaries of the built-in engine, and show the end of the summary before. Nothing is sent. Tokens are
//! the upper estimate that budgets reserve. Answers, known facts and personas are not included.

use std::collections::BTreeMap;
use std::path::PathBuf;

use annals_core::ports::{Background, Engine, ExtractionTask, ReadingSchedule, SummaryTask};
use annals_core::{Agent, Error, Grain, Memory, Result, Settings, SignedDuration, Timestamp, Zones, tokens};
use annals_llm::{Extractive, Prompt};
use annals_writer::{MAX_CONTEXT_TURNS, MAX_TASK_TURNS};
use clap::Args;

use crate::summaries::evaluation::{by_parent, end_of};
use crate::summaries::{frozen, turns};

/// How often the service looks for new messages.
const PERIOD: SignedDuration = SignedDuration::from_mins(1);

/// Input file and schedule.
#[derive(Args)]
pub(crate) struct Cost {
    /// Messages, one per line, as for `retrieval`
    #[arg(long, value_name = "FILE")]
    messages: PathBuf,
    /// Minutes that a conversation must be quiet
    #[arg(long, value_name = "N", default_value_t = 10)]
    quiet: i64,
    /// Messages that are read without waiting
    #[arg(long, value_name = "N", default_value_t = 20)]
    turns: usize,
    /// Folder with prompts such as weekly.md, in place of those that come with Annals
    #[arg(long, value_name = "FOLDER")]
    prompts: Option<PathBuf>,
}

impl Cost {
    /// Returns settings with the prompts of the folder.
    fn settings(&self) -> Result<Settings> {
        let mut prompts = BTreeMap::new();
        for name in Prompt::ALL.map(Prompt::as_str) {
            let Some(path) = self.prompts.as_ref().map(|folder| folder.join(format!("{name}.md"))) else { continue };
            if path.exists() {
                let wrong = |cause| Error::storage(format!("cannot read {}", path.display()), cause);
                prompts.insert(name.to_owned(), std::fs::read_to_string(&path).map_err(wrong)?);
            }
        }
        match &self.prompts {
            Some(folder) if prompts.is_empty() => {
                Err(Error::invalid("prompts", format!("{} has no prompt such as weekly.md", folder.display())))
            }
            _ => Ok(Settings { prompts, ..Settings::default() }),
        }
    }
}

/// Requests and tokens of the messages of all agents, by purpose.
#[derive(Default)]
struct Sums {
    days: usize,
    each_minute: Sum,
    by_schedule: Sum,
    grains: BTreeMap<Grain, Sum>,
}

#[derive(Default)]
struct Sum {
    requests: u64,
    tokens: u64,
}

pub(crate) async fn run(args: &Cost) -> Result<()> {
    sums_of(args).await?.print();
    Ok(())
}

async fn sums_of(args: &Cost) -> Result<Sums> {
    let schedule = ReadingSchedule { quiet: SignedDuration::from_mins(args.quiet), turns: args.turns };
    let settings = args.settings()?;
    let mut sums = Sums::default();
    for (agent, days) in turns::days(&args.messages)? {
        sums.days += days.len();
        for turns in &days {
            sums.each_minute.read(&agent, &settings, turns, ReadingSchedule::AT_ONCE)?;
            sums.by_schedule.read(&agent, &settings, turns, schedule)?;
        }
        sums.summarize(&agent, &settings, days).await?;
    }
    Ok(sums)
}

impl Sums {
    /// Adds the requests for the summaries of an agent, from days to years.
    async fn summarize(&mut self, agent: &Agent, settings: &Settings, days: Vec<Vec<Memory>>) -> Result<()> {
        let mut inputs = days;
        for grain in Grain::SUMMARIES {
            let sum = self.grains.entry(grain).or_default();
            let mut written: Vec<Memory> = Vec::new();
            for sources in inputs.iter().filter(|sources| !sources.is_empty()) {
                let before = written.last().filter(|_| grain > Grain::Daily);
                written.push(sum.summarize(agent, settings, grain, sources, before).await?);
            }
            inputs = by_parent(written, grain);
        }
        Ok(())
    }

    fn print(&self) {
        println!("| purpose | requests per day | prompt tokens per day |\n| --- | --- | --- |");
        let row = |purpose: &str, sum: &Sum| {
            let per_day = |number: u64| number as f64 / self.days.max(1) as f64;
            println!("| {purpose} | {:.2} | {:.0} |", per_day(sum.requests), per_day(sum.tokens));
        };
        row("extraction, each minute", &self.each_minute);
        row("extraction, by schedule", &self.by_schedule);
        self.grains.iter().for_each(|(grain, sum)| row(&format!("{grain} summary"), sum));
    }
}

impl Sum {
    /// Adds the requests for the turns of a day, as if extraction ran each minute and read what the schedule makes due.
    fn read(&mut self, agent: &Agent, settings: &Settings, turns: &[Memory], schedule: ReadingSchedule) -> Result<()> {
        let mut read = 0;
        let Some(mut now) = turns.first().map(Memory::at) else { return Ok(()) };
        while read < turns.len() {
            now = now.saturating_add(PERIOD).unwrap_or(Timestamp::MAX);
            let arrived = turns.iter().take_while(|turn| turn.at() < now).count();
            if arrived > read && schedule.is_due(turns[read..arrived].iter().map(Memory::at), now) {
                for start in (read..arrived).step_by(MAX_TASK_TURNS) {
                    let end = arrived.min(start + MAX_TASK_TURNS);
                    let context = &turns[start.saturating_sub(MAX_CONTEXT_TURNS)..start];
                    self.ask(agent, settings, &turns[start..end], context, now)?;
                }
                read = arrived;
            }
        }
        Ok(())
    }

    fn ask(
        &mut self,
        agent: &Agent,
        settings: &Settings,
        turns: &[Memory],
        context: &[Memory],
        now: Timestamp,
    ) -> Result<()> {
        let task =
            ExtractionTask { agent, settings, turns, context, known: &[], predicates: &[], now, access_key: None };
        self.add(&annals_llm::extraction_question_of(&task)?);
        Ok(())
    }

    /// Adds the request for a summary, and returns the summary of the built-in engine. The end of `before` is shown if it is of
    /// the period right before.
    async fn summarize(
        &mut self,
        agent: &Agent,
        settings: &Settings,
        grain: Grain,
        sources: &[Memory],
        before: Option<&Memory>,
    ) -> Result<Memory> {
        let period = sources[0].period.ancestor(grain);
        let before = before.filter(|summary| Some(summary.period) == period.previous());
        let background = before.map(|summary| Background { before: end_of(summary), ..Background::default() });
        let now = Zones::new("UTC")?.cover(period).end;
        let (base, background) = (None, background.as_ref());
        let task =
            SummaryTask { agent, settings, period, sources, base, background, read_seq: 0, now, access_key: None };
        self.add(&annals_llm::question_of(&task)?);
        let draft = Extractive.summarize(task).await?;
        let ids = sources.iter().map(|source| source.id.clone()).collect();
        frozen::summary(agent, period, draft.sentences, ids)
    }

    fn add(&mut self, messages: &[String; 2]) {
        self.requests += 1;
        self.tokens += messages.iter().map(|text| tokens(text)).sum::<u64>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums the requests for a message on each of two days of one week, with these prompts.
    async fn sums(prompts: Option<PathBuf>) -> Sums {
        let file = tempfile::NamedTempFile::new().unwrap();
        let line = |day: u8| {
            format!(
                r#"{{"agent":"ann","conversation":"c","role":"user","content":"I moved to Bern.","at":"2026-03-0{day}T10:00:00Z"}}"#
            )
        };
        std::fs::write(file.path(), format!("{}\n{}\n", line(4), line(5))).unwrap();
        let args = Cost { messages: file.path().to_owned(), quiet: 10, turns: 20, prompts };
        sums_of(&args).await.unwrap()
    }

    #[tokio::test]
    async fn each_period_is_one_request() {
        let found = sums(None).await;
        let requests: Vec<u64> = found.grains.values().map(|sum| sum.requests).collect();
        assert_eq!((found.days, requests), (2, vec![2, 1, 1, 1, 1]));
        assert_eq!((found.each_minute.requests, found.by_schedule.requests), (2, 2));
        assert!(found.grains.values().all(|sum| sum.tokens > 0));
    }

    #[tokio::test]
    async fn prompts_of_a_folder_replace_the_others() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("weekly.md"), "Short.\n---\n{{ sources }}\n").unwrap();
        let (usual, other) = (sums(None).await, sums(Some(folder.path().to_owned())).await);
        assert!(other.grains[&Grain::Weekly].tokens < usual.grains[&Grain::Weekly].tokens);
        assert_eq!(other.grains[&Grain::Daily].tokens, usual.grains[&Grain::Daily].tokens);
    }
}
