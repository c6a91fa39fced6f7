//! Compares summaries with the events that a person finds important: a line of JSON for each, `{"grain": "monthly", "period":
//! "2025-03", "event": "…", "evidence": ["id of a message", …]}`.

use std::collections::{BTreeMap, BTreeSet};

use annals_core::{Grain, Memory, MemoryId, Sentence};
use serde_json::Value;

/// The important events of one period.
pub type Events = Vec<(String, BTreeSet<String>)>;

/// The important events by period, and the ids of messages by the ids of their turns.
pub struct Gold {
    events: BTreeMap<String, Events>,
    messages: BTreeMap<MemoryId, String>,
    pub shows: Option<Grain>,
}

impl Gold {
    pub fn new(lines: &[Value], turns: &[&Memory], shows: Option<Grain>) -> Gold {
        let mut events: BTreeMap<String, Events> = BTreeMap::new();
        for line in lines {
            let text = |field: &str| line[field].as_str().unwrap_or_default().to_owned();
            let evidence = line["evidence"].as_array().into_iter().flatten().filter_map(Value::as_str);
            events.entry(text("period")).or_default().push((text("event"), evidence.map(str::to_owned).collect()));
        }
        let message = |turn: &&Memory| (turn.id.clone(), turn.message().unwrap_or_default().to_owned());
        Gold { events, messages: turns.iter().map(message).collect(), shows }
    }

    /// Adds the figures of these summaries: events that are quoted, all events, sentences that quote one, all sentences.
    pub fn add(&self, grain: Grain, summaries: &[Memory], figures: &mut BTreeMap<Grain, [usize; 4]>) {
        for summary in summaries {
            let Some(events) = self.events.get(&summary.period.to_string()) else { continue };
            let sentences = summary.sentences();
            let is_quoted = |evidence: &BTreeSet<String>| sentences.iter().any(|one| self.is_of(one, evidence));
            let is_of_event = |one: &&Sentence| events.iter().any(|(_, evidence)| self.is_of(one, evidence));
            let found = events.iter().filter(|(_, evidence)| is_quoted(evidence)).count();
            let of_events = sentences.iter().filter(is_of_event).count();
            let all = figures.entry(grain).or_default();
            for (sum, more) in all.iter_mut().zip([found, events.len(), of_events, sentences.len()]) {
                *sum += more;
            }
            if self.shows == Some(grain) {
                println!("\n## {}", summary.period);
                for one in sentences {
                    println!("{} {} {}", if is_of_event(&one) { "*" } else { " " }, one.day, one.text);
                }
                for (event, _) in events.iter().filter(|(_, evidence)| !is_quoted(evidence)) {
                    println!("missing: {event}");
                }
            }
        }
    }

    /// Returns whether a line quotes one of the messages. The line of a period without quotes has all messages as its sources.
    fn is_of(&self, sentence: &Sentence, evidence: &BTreeSet<String>) -> bool {
        let is_quote = !sentence.is_placeholder();
        is_quote
            && sentence.from.iter().filter_map(|id| self.messages.get(id)).any(|message| evidence.contains(message))
    }
}

/// Prints the figures as a table in Markdown, one row per grain.
pub fn print(figures: &BTreeMap<Grain, [usize; 4]>) {
    println!("| grain | important events quoted | sentences about them |\n| --- | --- | --- |");
    for (grain, [found, events, of_events, sentences]) in figures {
        let share = |part: &usize, of: &usize| format!("{part} of {of}, {:.0} %", 100.0 * *part as f64 / *of as f64);
        println!("| {grain} | {} | {} |", share(found, events), share(of_events, sentences));
    }
}
