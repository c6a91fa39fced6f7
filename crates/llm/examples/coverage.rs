//! Measures how many of the turns that answer later queries the daily summaries keep.
//!
//!     cargo run -p annals-llm --example coverage -- messages.jsonl queries.jsonl
//!
//! Groups turns by agent and UTC day and summarises each day. Compares the engine with two selections of equal length: the
//! first sentences of the day, and random ones (mean of five seeds).

#![allow(clippy::print_stdout)]

mod input;

use std::collections::{BTreeMap, BTreeSet};

use annals_core::ports::SummaryTask;
use annals_core::{Agent, Draft, Engine, Memory, MemoryId, Settings};
use annals_llm::Extractive;
use annals_testkit::Dice;
use unicode_segmentation::UnicodeSegmentation;

use input::{Failure, content, days, evidence, lines};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let [messages, queries] = files.as_slice() else {
        return Err("usage: coverage messages.jsonl queries.jsonl".into());
    };
    let days = days(&lines(messages)?)?;
    let evidence = evidence(&lines(queries)?);
    let mut scores: BTreeMap<&str, Score> = BTreeMap::new();
    for ((agent, _), turns) in &days {
        let draft = summarize(agent, turns).await?;
        let evidence: Vec<&Memory> = turns
            .iter()
            .filter(|turn| evidence.contains(&(agent.clone(), turn.message().unwrap_or_default().to_owned())))
            .collect();
        let words = draft.sentences.iter().map(|sentence| count(&sentence.text)).sum();
        scores.entry("engine").or_default().add(&evidence, &quoted(&draft, turns), 1.0);
        scores.entry("lead").or_default().add(&evidence, &first(&sentences(turns), words), 1.0);
        for seed in 1..=5 {
            let mut shuffled = sentences(turns);
            Dice::new(seed).shuffle(&mut shuffled);
            scores.entry("random").or_default().add(&evidence, &first(&shuffled, words), 0.2);
        }
    }
    println!("{} days, {:.0} evidence turns", days.len(), scores["engine"].evidence);
    println!("| choice | represented | quoted | words a day |\n| --- | --- | --- | --- |");
    for name in ["engine", "lead", "random"] {
        let score = &scores[name];
        let (represented, quoted) = (score.represented / score.evidence, score.quoted / score.evidence);
        let words = score.words / days.len() as f64;
        println!("| {name} | {:.1} % | {:.1} % | {words:.1} |", 100.0 * represented, 100.0 * quoted);
    }
    Ok(())
}

async fn summarize(agent: &str, turns: &[Memory]) -> Result<Draft, Failure> {
    let (agent, settings, period) = (Agent::new(agent)?, Settings::default(), turns[0].period);
    let now = turns[turns.len() - 1].at();
    let task = SummaryTask {
        agent: &agent,
        settings: &settings,
        period,
        sources: turns,
        base: None,
        read_seq: 0,
        now,
        background: None,
        access_key: None,
    };
    Ok(Extractive.summarize(task).await?)
}

/// A sentence and its turn.
type ChatMessage<'a> = (&'a Memory, String);

/// The counts for one selection. Of the distinct evidence turns (`evidence`), a turn is *represented* if at least half of its
/// distinct content words are in the day's sentences, and *quoted* if one of its sentences was chosen. Speakers and dates at
/// the head of lines do not count for any selection. The baselines keep the sentence that crosses the length whole.
#[derive(Default)]
struct Score {
    evidence: f64,
    represented: f64,
    quoted: f64,
    words: f64,
}

impl Score {
    fn add(&mut self, evidence: &[&Memory], summary: &[ChatMessage], weight: f64) {
        let content_words: BTreeSet<String> = summary.iter().flat_map(|(_, text)| content(text)).collect();
        for turn in evidence {
            let words: BTreeSet<String> = content(&turn.text).collect();
            let found = words.iter().filter(|word| content_words.contains(*word)).count();
            self.evidence += weight;
            self.represented += if !words.is_empty() && found * 2 >= words.len() { weight } else { 0.0 };
            self.quoted += if summary.iter().any(|(of, _)| of.id == turn.id) { weight } else { 0.0 };
        }
        self.words += weight * summary.iter().map(|(_, text)| count(text)).sum::<usize>() as f64;
    }
}

fn quoted<'a>(draft: &Draft, turns: &'a [Memory]) -> Vec<ChatMessage<'a>> {
    let turn = |id: &MemoryId| turns.iter().find(|turn| turn.id == *id).expect("a draft quotes its sources only");
    let whole = draft.sentences.iter().filter(|sentence| sentence.speaker.is_some());
    whole.map(|sentence| (turn(&sentence.from[0]), sentence.text.clone())).collect()
}

fn sentences(turns: &[Memory]) -> Vec<ChatMessage<'_>> {
    let of_turn = |turn| turn_sentences(turn).map(move |text| (turn, text.trim().to_owned()));
    turns.iter().flat_map(of_turn).collect()
}

fn first<'a>(sentences: &[ChatMessage<'a>], words: usize) -> Vec<ChatMessage<'a>> {
    let mut used = 0;
    let fits = |message: &&ChatMessage| {
        let fits = used < words;
        used += count(&message.1);
        fits
    };
    sentences.iter().take_while(fits).cloned().collect()
}

fn turn_sentences(turn: &Memory) -> impl Iterator<Item = &str> {
    turn.text.unicode_sentences()
}

fn count(text: &str) -> usize {
    text.split_whitespace().count()
}
