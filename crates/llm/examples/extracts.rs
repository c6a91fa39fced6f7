//! Evaluates the summaries of the built-in engine, grain by grain.
//!
//!     cargo run -p annals-llm --example extracts -- messages.jsonl [queries.jsonl] [--first N]
//!     cargo run -p annals-llm --example extracts -- messages.jsonl --sample 30 --seed 7 [--faults]
//!     cargo run -p annals-llm --example extracts -- messages.jsonl queries.jsonl --lost [AGENT]
//!     cargo run -p annals-llm --example extracts -- messages.jsonl --events events.jsonl [--show yearly]
//!     cargo run -p annals-llm --example extracts -- messages.jsonl --worth labels.jsonl [--show monthly]
//!
//! Groups turns by agent and UTC day, rolls them up from days to years, and prints per grain how many sentences stand alone,
//! their faults (`checker`), and how many evidence turns are represented and quoted (`Table`).

#![allow(clippy::print_stdout)]

mod input;

/// The files in the folder of the same name.
mod extracts {
    pub mod checker;
    pub mod events;
    pub mod lost;
    pub mod worth;
}

use std::collections::{BTreeMap, BTreeSet};

use annals_core::ports::{Background, SummaryTask};
use annals_core::{Agent, Body, Digest, Engine, Grain, Memory, MemoryId, Period, Sentence, Settings, Zones};
use annals_llm::Extractive;

use extracts::checker::Fault;
use extracts::events::Gold;
use extracts::worth::Labels;
use extracts::{checker, events, lost, worth};
use input::{Failure, content, days, evidence, lines};

/// Number of earlier turns that the engine gets as background, as in the summarizer.
const EARLIER: usize = 200;

/// The evidence turns of one agent.
type Evidence<'a> = Vec<&'a Memory>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let options = Options::read()?;
    let mut messages = lines(&options.files[0])?;
    messages.truncate(options.first);
    let evidence = options.files.get(1).map(|file| Ok::<_, Failure>(evidence(&lines(file)?))).transpose()?;
    let mut agents: BTreeMap<String, Vec<Vec<Memory>>> = BTreeMap::new();
    for ((agent, _), turns) in days(&messages)? {
        agents.entry(agent).or_default().push(turns);
    }
    if let Some(agent) = &options.lost {
        lost::print(&agents, &evidence.unwrap_or_default(), agent);
        return Ok(());
    }
    let important = options.events.as_ref().map(|file| lines(file)).transpose()?;
    let labels =
        options.worth.as_ref().map(|file| lines(file)).transpose()?.map(|lines| Labels::new(&lines, options.show));
    let (mut tables, mut figures): (BTreeMap<Grain, Table>, _) = (BTreeMap::new(), BTreeMap::new());
    let mut judged = BTreeMap::new();
    for (name, days) in agents {
        let agent = Agent::new(&name)?;
        let turns: Vec<&Memory> = days.iter().flatten().collect();
        let is_evidence = |turn: &&&Memory| {
            evidence.as_ref().is_some_and(|evidence| evidence.contains(&(name.clone(), message(turn))))
        };
        let evidence: Evidence = turns.iter().filter(is_evidence).copied().collect();
        let gold = important.as_ref().map(|lines| Gold::new(lines, &turns, options.show));
        let mut finer: Vec<Vec<Memory>> = days.clone();
        for grain in Grain::SUMMARIES {
            let mut written = Vec::new();
            for (place, children) in finer.iter().enumerate() {
                let earlier = if grain == Grain::Daily { finer[..place].concat() } else { Vec::new() };
                written.push(summary(&agent, grain, children, earlier).await?);
            }
            gold.iter().for_each(|gold| gold.add(grain, &written, &mut figures));
            labels.iter().for_each(|labels| labels.add(&name, &written, &turns, &mut judged));
            tables.entry(grain).or_default().add(&written, &evidence);
            finer = siblings(written, grain);
        }
    }
    if important.is_some() {
        events::print(&figures);
    } else if labels.is_some() {
        worth::print(&judged);
    } else if options.sample > 0 {
        tables.iter().for_each(|(grain, table)| table.print_sample(*grain, &options));
    } else {
        print_tables(&tables, evidence.is_some());
    }
    Ok(())
}

#[derive(Default)]
struct Options {
    files: Vec<String>,
    first: usize,
    /// Prints this many sentences of each grain, drawn by `seed`, for review by a person.
    sample: usize,
    seed: u64,
    /// Restricts the sample to sentences with faults.
    faults: bool,
    /// Counts at which step the daily summaries lost the evidence turns, and prints the lost turns of this agent.
    lost: Option<String>,
    /// Counts which important events the summaries quote.
    events: Option<String>,
    /// Counts how many lines quote what a reader wants, by the labels of this file.
    worth: Option<String>,
    /// Prints the summaries of this grain, with the important events that they lack.
    show: Option<Grain>,
}

impl Options {
    fn read() -> Result<Options, Failure> {
        let mut options = Options { first: usize::MAX, seed: 1, ..Options::default() };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut number = || arguments.next().unwrap_or_default().parse::<u64>();
            match argument.as_str() {
                "--first" => options.first = usize::try_from(number()?)?,
                "--sample" => options.sample = usize::try_from(number()?)?,
                "--seed" => options.seed = number()?,
                "--lost" => options.lost = Some(arguments.next().unwrap_or_default()),
                "--events" => options.events = arguments.next(),
                "--worth" => options.worth = arguments.next(),
                "--show" => options.show = Some(arguments.next().unwrap_or_default().parse()?),
                "--faults" => options.faults = true,
                _ => options.files.push(argument),
            }
        }
        if options.files.is_empty() {
            Err("usage: extracts messages.jsonl [queries.jsonl]".into())
        } else {
            Ok(options)
        }
    }
}

fn message(turn: &Memory) -> String {
    turn.message().unwrap_or_default().to_owned()
}

/// Groups the summaries of a grain by the periods of the next coarser one.
fn siblings(written: Vec<Memory>, grain: Grain) -> Vec<Vec<Memory>> {
    let Some(coarser) = Grain::SUMMARIES.into_iter().find(|coarser| *coarser > grain) else { return Vec::new() };
    let mut periods: BTreeMap<Period, Vec<Memory>> = BTreeMap::new();
    for summary in written {
        periods.entry(summary.period.ancestor(coarser)).or_default().push(summary);
    }
    periods.into_values().collect()
}

async fn summary(agent: &Agent, grain: Grain, sources: &[Memory], earlier: Vec<Memory>) -> Result<Memory, Failure> {
    let (settings, period) = (Settings::default(), sources[0].period.ancestor(grain));
    let now = sources[sources.len() - 1].at();
    let earlier = earlier[earlier.len().saturating_sub(EARLIER)..].to_vec();
    let background = Background { earlier, ..Background::default() };
    let (base, background) = (None, Some(&background));
    let task = SummaryTask {
        agent,
        settings: &settings,
        period,
        sources,
        base,
        read_seq: 0,
        now,
        background,
        access_key: None,
    };
    let draft = Extractive.summarize(task).await?;
    Ok(Memory {
        id: MemoryId::summary(agent, period),
        grain,
        period,
        cover: Zones::new("UTC")?.cover(period),
        days: (sources[0].days.0, sources[sources.len() - 1].days.1),
        text: draft.text,
        pinned: false,
        seq: 0,
        body: Body::Summary {
            sentences: draft.sentences,
            sources: sources.iter().map(|source| source.id.clone()).collect(),
        },
    })
}

/// Results for the summaries of one grain. Of the turns that are evidence for a query, *represented* are those with at least
/// half of their distinct content words in the summary, *quoted* those with a sentence in it.
#[derive(Default)]
struct Table {
    summaries: usize,
    words: usize,
    /// The sentences, except notes of small talk.
    sentences: Vec<Sentence>,
    faults: BTreeMap<Fault, usize>,
    faulty: usize,
    evidence: usize,
    represented: usize,
    quoted: usize,
}

impl Table {
    fn add(&mut self, written: &[Memory], evidence: &Evidence) {
        self.summaries += written.len();
        let all: Vec<&Sentence> = written.iter().flat_map(Memory::sentences).collect();
        self.words += written.iter().map(|summary| summary.text.split_whitespace().count()).sum::<usize>();
        for sentence in all.iter().filter(|sentence| sentence.speaker.is_some()) {
            let faults = checker::faults(&sentence.text);
            self.faulty += usize::from(!faults.is_empty());
            faults.into_iter().for_each(|fault| *self.faults.entry(fault).or_default() += 1);
            self.sentences.push((*sentence).clone());
        }
        let quoted: BTreeSet<&MemoryId> = all.iter().flat_map(|sentence| &sentence.from).collect();
        self.evidence += evidence.len();
        self.quoted += evidence.iter().filter(|turn| quoted.contains(&turn.id)).count();
        for summary in written {
            let words: BTreeSet<String> = content(&summary.text).collect();
            let of_it = evidence.iter().filter(|turn| turn.period.ancestor(summary.grain) == summary.period);
            self.represented += of_it.filter(|turn| is_half_in(&words, turn)).count();
        }
    }

    fn share(&self, of: usize) -> String {
        format!("{:.1} %", 100.0 * of as f64 / self.sentences.len().max(1) as f64)
    }

    fn print_sample(&self, grain: Grain, options: &Options) {
        println!("\n## {grain}");
        let is_faulty = |sentence: &&Sentence| !options.faults || !checker::faults(&sentence.text).is_empty();
        let mut drawn: Vec<&Sentence> = self.sentences.iter().filter(is_faulty).collect();
        drawn.sort_by_cached_key(|sentence| {
            let from: Vec<&str> = sentence.from.iter().map(MemoryId::as_str).collect();
            Digest::of([options.seed.to_string(), grain.to_string(), from.join(" "), sentence.text.clone()])
        });
        for (number, sentence) in drawn.iter().take(options.sample).enumerate() {
            let faults = if options.faults { format!("{:?} ", checker::faults(&sentence.text)) } else { String::new() };
            let speaker = sentence.speaker.as_deref().unwrap_or_default();
            println!("{:>2}. {faults}{} {speaker}: {}", number + 1, sentence.day, sentence.text);
        }
    }
}

fn is_half_in(summary: &BTreeSet<String>, turn: &Memory) -> bool {
    let words: BTreeSet<String> = content(&turn.text).collect();
    !words.is_empty() && words.iter().filter(|word| summary.contains(*word)).count() * 2 >= words.len()
}

fn print_tables(tables: &BTreeMap<Grain, Table>, has_queries: bool) {
    println!(
        "| grain | summaries | sentences | words each | stand alone | faults |{}",
        if has_queries { " represented | quoted |" } else { "" }
    );
    println!("| --- | --- | --- | --- | --- | --- |{}", if has_queries { " --- | --- |" } else { "" });
    for (grain, table) in tables {
        let faults: Vec<String> =
            table.faults.iter().map(|(fault, count)| format!("{fault:?} {}", table.share(*count))).collect();
        let percent = |of: usize| 100.0 * of as f64 / table.evidence.max(1) as f64;
        let coverage = if has_queries {
            format!(" {:.1} % | {:.1} % |", percent(table.represented), percent(table.quoted))
        } else {
            String::new()
        };
        println!(
            "| {grain} | {} | {} | {:.0} | {} | {} |{coverage}",
            table.summaries,
            table.sentences.len(),
            table.words as f64 / table.summaries.max(1) as f64,
            table.share(table.sentences.len() - table.faulty),
            faults.join(", "),
        );
    }
}
