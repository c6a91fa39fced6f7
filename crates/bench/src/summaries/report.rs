//! Prints the figures, by writer and grain.

use std::collections::{BTreeMap, BTreeSet};

use annals_core::{Agent, Grain, Period};
use serde_json::{Value, json};

use super::measures::{Kept, Sums};
use super::planted::Planted;

#[derive(Debug, Default)]
pub(super) struct Report {
    /// Sums by grain, then by writer, so that the figures of both writers are side by side.
    pub(super) sums: BTreeMap<(Grain, &'static str), Sums>,
    periods: BTreeMap<Agent, BTreeSet<Period>>,
    pub(super) planted: Planted,
    /// The judged summaries as lines of a file of frozen sources.
    pub(super) frozen: Vec<String>,
    /// The sentences that their sources do not support, each with its agent and period.
    pub(super) unsupported: Vec<String>,
    /// Tokens that were paid for in this run.
    pub(super) tokens: u64,
}

impl Report {
    pub(super) fn add(&mut self, writer: &'static str, grain: Grain, (agent, period): (Agent, Period), sums: Sums) {
        self.sums.entry((grain, writer)).or_default().add(&sums);
        self.periods.entry(agent).or_default().insert(period);
    }

    /// Returns the periods that were judged.
    pub(super) fn periods_of(&self, agent: &Agent) -> BTreeSet<Period> {
        self.periods.get(agent).cloned().unwrap_or_default()
    }

    pub(super) fn print(&self, json: bool) {
        if json {
            println!("{:#}", self.json());
            return;
        }
        println!(
            "| grain | writer | summaries | words | cited | represented | dates | names | numbers | ungrounded | ROUGE-1 | ROUGE-2 | ROUGE-L | ms | tokens |"
        );
        println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
        for ((grain, writer), sums) in &self.sums {
            let kept = [sums.cited, sums.represented, sums.dates, sums.names, sums.numbers, sums.ungrounded].map(shown);
            let (each, number) = (sums.words / sums.summaries.max(1), sums.summaries);
            let ms = sums.time.as_millis() / sums.summaries.max(1) as u128;
            let tokens = sums.tokens / sums.summaries.max(1) as u64;
            let rouge = rouge_of(sums).map(|score| score.map_or_else(|| "–".to_owned(), |score| score.to_string()));
            println!(
                "| {grain} | {writer} | {number} | {each} | {} | {} | {ms} | {tokens} |",
                kept.join(" | "),
                rouge.join(" | ")
            );
        }
        if self.tokens > 0 {
            println!("\n{} tokens", self.tokens);
        }
        if self.planted.alarms.all > 0 {
            println!("\n| planted | found | of |\n| --- | --- | --- |");
            for (kind, kept) in &self.planted.found {
                println!("| {kind} | {} | {} |", shown(*kept), kept.all);
            }
            println!("| false alarms | {} | {} |", shown(self.planted.alarms), self.planted.alarms.all);
        }
    }

    fn json(&self) -> Value {
        let row = |((grain, writer), sums): (&(Grain, &'static str), &Sums)| {
            json!({
                "grain": grain.as_str(), "writer": writer, "summaries": sums.summaries, "words": sums.words,
                "cited": sums.cited.percent(), "represented": sums.represented.percent(), "dates": sums.dates.percent(),
                "names": sums.names.percent(), "numbers": sums.numbers.percent(), "ungrounded": sums.ungrounded.percent(),
                "rouge_1": rouge_of(sums)[0], "rouge_2": rouge_of(sums)[1], "rouge_l": rouge_of(sums)[2],
                "seconds": sums.time.as_secs_f64(), "tokens": sums.tokens,
            })
        };
        let planted =
            self.planted.found.iter().map(|(kind, kept)| json!({ "kind": kind, "found": kept.kept, "of": kept.all }));
        json!({
            "grains": self.sums.iter().map(row).collect::<Vec<_>>(),
            "planted": planted.collect::<Vec<_>>(),
            "false_alarms": { "found": self.planted.alarms.kept, "of": self.planted.alarms.all },
            "tokens": self.tokens,
        })
    }
}

fn shown(kept: Kept) -> String {
    kept.percent().map_or_else(|| "–".to_owned(), |percent| format!("{percent:.1} %"))
}

/// Returns ROUGE-1, ROUGE-2 and ROUGE-L in percent with one decimal; `None` if no text had a reference.
fn rouge_of(sums: &Sums) -> [Option<f64>; 3] {
    let percent = |mean: f64| (1_000.0 * mean).round() / 10.0;
    sums.rouge.means().map_or([None; 3], |means| means.map(|mean| Some(percent(mean))))
}
