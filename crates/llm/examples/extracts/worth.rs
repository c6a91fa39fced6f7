//! Compares lines with the judgement of a person about each sentence: a line of JSON for each, `{"agent": "…", "message": "id",
//! "sentence": "…", "worth": 0 to 4, "alone": 0 or 1}`. The worth is the coarsest summary in which the reader wants the sentence: 1 is
//! its day, 2 its week, 3 its month, 4 its quarter and year. A sentence that is alone is understood without any other.

use std::collections::{BTreeMap, BTreeSet};

use annals_core::{Grain, Memory, MemoryId, Sentence};
use serde_json::Value;

/// Share of the pairs of words of a judged sentence that a line has if it quotes the sentence.
const QUOTED: f64 = 0.75;

struct Judged {
    agent: String,
    pairs: BTreeSet<(String, String)>,
    worth: u64,
    is_alone: bool,
}

/// The judged sentences by agent and message.
pub struct Labels {
    judged: BTreeMap<(String, String), Vec<Judged>>,
    /// Prints the lines of this grain with their judgement.
    shows: Option<Grain>,
}

#[derive(Default)]
pub struct Figures {
    lines: usize,
    worthy: usize,
    alone: usize,
    both: usize,
    found: usize,
    wanted: usize,
}

impl Labels {
    pub fn new(lines: &[Value], shows: Option<Grain>) -> Labels {
        let mut labels: BTreeMap<_, Vec<Judged>> = BTreeMap::new();
        for line in lines {
            let text = |field: &str| line[field].as_str().unwrap_or_default().to_owned();
            let judged = Judged {
                agent: text("agent"),
                pairs: pairs(&text("sentence")),
                worth: line["worth"].as_u64().unwrap_or_default(),
                is_alone: line["alone"] == 1,
            };
            labels.entry((text("agent"), text("message"))).or_default().push(judged);
        }
        Labels { judged: labels, shows }
    }

    /// Adds the figures of the summaries of an agent. A line counts as worth its place if one of its sentences is, and as alone if
    /// its first one is.
    pub fn add(&self, agent: &str, summaries: &[Memory], turns: &[&Memory], figures: &mut BTreeMap<Grain, Figures>) {
        let Some(grain) = summaries.first().map(|summary| summary.grain) else { return };
        let message = |turn: &&Memory| (turn.id.clone(), turn.message().unwrap_or_default().to_owned());
        let messages: BTreeMap<MemoryId, String> = turns.iter().map(message).collect();
        let (figures, least) = (figures.entry(grain).or_default(), grade(grain));
        let mut quoted = BTreeSet::new();
        for line in summaries.iter().flat_map(Memory::sentences).filter(|line| !line.is_placeholder()) {
            let of_line = self.quoted(agent, line, &messages);
            let Some(first) = of_line.first() else { continue };
            let is_worthy = of_line.iter().any(|one| one.worth >= least);
            if self.shows == Some(grain) {
                let worth = of_line.iter().map(|one| one.worth).max().unwrap_or_default();
                println!("{agent} {worth} {} {} {}", u8::from(first.is_alone), line.day, line.text);
            }
            figures.lines += 1;
            figures.worthy += usize::from(is_worthy);
            figures.alone += usize::from(first.is_alone);
            figures.both += usize::from(is_worthy && first.is_alone);
            quoted.extend(of_line.into_iter().filter(|one| one.worth >= least).map(std::ptr::from_ref));
        }
        figures.found += quoted.len();
        let of_agent = self.judged.values().flatten().filter(|one| one.agent == agent);
        figures.wanted += of_agent.filter(|one| one.worth >= least).count();
    }

    /// Returns the judged sentences that a line quotes.
    fn quoted(&self, agent: &str, line: &Sentence, messages: &BTreeMap<MemoryId, String>) -> Vec<&Judged> {
        let held = pairs(&line.text);
        let of_message =
            line.from.iter().filter_map(|id| self.judged.get(&(agent.to_owned(), messages.get(id)?.clone())));
        let is_quoted = |one: &&Judged| {
            let shared = one.pairs.intersection(&held).count();
            !one.pairs.is_empty() && shared as f64 >= QUOTED * one.pairs.len() as f64
        };
        of_message.flatten().filter(is_quoted).collect()
    }
}

fn grade(grain: Grain) -> u64 {
    match grain {
        Grain::Working | Grain::Daily => 1,
        Grain::Weekly => 2,
        Grain::Monthly => 3,
        Grain::Quarterly | Grain::Yearly => 4,
    }
}

/// Returns the pairs of neighbouring words, without dates in brackets. A single word is a pair with itself.
fn pairs(text: &str) -> BTreeSet<(String, String)> {
    let mut bare = String::new();
    let mut depth = 0;
    for character in text.chars() {
        depth += i32::from(character == '[');
        if depth == 0 {
            bare.push(character);
        }
        depth -= i32::from(character == ']' && depth > 0);
    }
    let words: Vec<String> = annals_core::words(&bare).map(str::to_lowercase).collect();
    match words.as_slice() {
        [one] => BTreeSet::from([(one.clone(), one.clone())]),
        words => words.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect(),
    }
}

pub fn print(figures: &BTreeMap<Grain, Figures>) {
    println!(
        "| grain | lines | worth it | alone | both | of what is worth it, quoted |\n| --- | --- | --- | --- | --- | --- |"
    );
    for (grain, Figures { lines, worthy, alone, both, found, wanted }) in figures {
        let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        let [worthy, alone, both] = [worthy, alone, both].map(|part| share(*part, *lines));
        let quoted = share(*found, *wanted);
        println!("| {grain} | {lines} | {worthy:.1} % | {alone:.1} % | {both:.1} % | {quoted:.1} % of {wanted} |");
    }
}
