//! `annals-bench cost`: counts requests and prompt tokens per day of chat, by purpose. Each message counts as arriving at its
//! own time. The purposes are extraction each minute, extraction by schedule, and daily summaries. Nothing is sent. Tokens are
//! the upper estimate that budgets reserve. Answers and known facts are not included.

use std::path::PathBuf;

use annals_core::ports::{ExtractionTask, ReadingSchedule, SummaryTask};
use annals_core::{Agent, Memory, Result, Settings, SignedDuration, Timestamp, tokens};
use annals_writer::{MAX_CONTEXT_TURNS, MAX_TASK_TURNS};
use clap::Args;

use crate::summaries::turns;

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
}

#[derive(Default)]
struct Sum {
    requests: u64,
    tokens: u64,
}

pub(crate) fn run(args: &Cost) -> Result<()> {
    let schedule = ReadingSchedule { quiet: SignedDuration::from_mins(args.quiet), turns: args.turns };
    let (mut days, mut each, mut scheduled, mut daily) = (0, Sum::default(), Sum::default(), Sum::default());
    for (agent, turns_of_days) in turns::days(&args.messages)? {
        for turns in &turns_of_days {
            days += 1;
            each.read(&agent, turns, ReadingSchedule::AT_ONCE)?;
            scheduled.read(&agent, turns, schedule)?;
            daily.summarize(&agent, turns)?;
        }
    }
    println!("| purpose | requests per day | prompt tokens per day |\n| --- | --- | --- |");
    let sums = [("extraction, each minute", each), ("extraction, by schedule", scheduled), ("daily summary", daily)];
    for (purpose, sum) in sums {
        let per_day = |number: u64| number as f64 / f64::from(days.max(1));
        println!("| {purpose} | {:.1} | {:.0} |", per_day(sum.requests), per_day(sum.tokens));
    }
    Ok(())
}

impl Sum {
    /// Adds the requests for the turns of a day, as if extraction ran each minute and read what the schedule makes due.
    fn read(&mut self, agent: &Agent, turns: &[Memory], schedule: ReadingSchedule) -> Result<()> {
        let mut read = 0;
        let Some(mut now) = turns.first().map(Memory::at) else { return Ok(()) };
        while read < turns.len() {
            now = now.saturating_add(PERIOD).unwrap_or(Timestamp::MAX);
            let arrived = turns.iter().take_while(|turn| turn.at() < now).count();
            if arrived > read && schedule.is_due(turns[read..arrived].iter().map(Memory::at), now) {
                for start in (read..arrived).step_by(MAX_TASK_TURNS) {
                    self.ask(agent, turns, start..arrived.min(start + MAX_TASK_TURNS), now)?;
                }
                read = arrived;
            }
        }
        Ok(())
    }

    fn ask(&mut self, agent: &Agent, turns: &[Memory], part: std::ops::Range<usize>, now: Timestamp) -> Result<()> {
        let context = &turns[part.start.saturating_sub(MAX_CONTEXT_TURNS)..part.start];
        let settings = Settings::default();
        let task = ExtractionTask {
            agent,
            settings: &settings,
            turns: &turns[part],
            context,
            known: &[],
            predicates: &[],
            now,
            access_key: None,
        };
        self.add(&annals_llm::extraction_question_of(&task)?);
        Ok(())
    }

    fn summarize(&mut self, agent: &Agent, turns: &[Memory]) -> Result<()> {
        let Some(last) = turns.last() else { return Ok(()) };
        let (settings, period) = (Settings::default(), last.period);
        let task = SummaryTask {
            agent,
            settings: &settings,
            period,
            sources: turns,
            base: None,
            background: None,
            read_seq: 0,
            now: last.cover.end,
            access_key: None,
        };
        self.add(&annals_llm::question_of(&task)?);
        Ok(())
    }

    fn add(&mut self, messages: &[String; 2]) {
        self.requests += 1;
        self.tokens += messages.iter().map(|text| tokens(text)).sum::<u64>();
    }
}
