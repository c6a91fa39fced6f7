//! Formats the figures as JSON and as tables.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::ask::QuestionResult;
use super::measures::{Measures, names, percent};
use crate::figures::{histogram, in_ms, quantile_ms as ms, round};
use crate::world::{Footprint, Import};

/// All measurements of a set.
pub(crate) struct Report {
    /// Figures of all questions, by unit and measure.
    pub overall: Value,
    by_type: Map<String, Value>,
    latency: Value,
    memory: Value,
    questions: usize,
    left_out: usize,
    ablation: Vec<(&'static str, Value)>,
}

impl Report {
    /// Builds the report of one round of questions.
    pub(crate) fn new(results: &[QuestionResult], left_out: usize, footprint: &Footprint, import: Import) -> Report {
        let classes: BTreeSet<&str> = results.iter().map(|result| result.class.as_str()).collect();
        let of_class = |class: &str| {
            let these: Vec<&QuestionResult> = results.iter().filter(|result| result.class == class).collect();
            let mut figures = figures(&these);
            figures["questions"] = these.len().into();
            (class.to_owned(), figures)
        };
        Report {
            overall: figures(&results.iter().collect::<Vec<_>>()),
            by_type: classes.into_iter().map(of_class).collect(),
            latency: latency(results, import),
            memory: memory(footprint),
            questions: results.len(),
            left_out,
            ablation: Vec::new(),
        }
    }

    /// Adds a round without one part of the ranking.
    pub(crate) fn ablated(&mut self, part: &'static str, results: &[QuestionResult]) {
        self.ablation.push((part, figures(&results.iter().collect::<Vec<_>>())));
    }

    pub(crate) fn in_json(&self) -> Value {
        let mut all = json!({
            "overall": self.overall, "by_type": self.by_type, "latency_ms": self.latency, "memory": self.memory,
            "questions": self.questions, "left_out": self.left_out,
        });
        if !self.ablation.is_empty() {
            let without: BTreeMap<&str, &Value> =
                self.ablation.iter().map(|(part, figures)| (*part, figures)).collect();
            all["without"] = json!(without);
        }
        all
    }

    pub(crate) fn table(&self) -> String {
        let mut text = format!(
            "{} questions; {} more were left out, for no message of their agent is their evidence.\n\n",
            self.questions, self.left_out
        );
        for unit in ["turn", "conversation"] {
            let mut columns = vec![("overall".to_owned(), &self.overall[unit])];
            columns.extend(self.by_type.iter().map(|(class, figures)| (class.clone(), &figures[unit])));
            text += &table(unit, &columns);
        }
        text += &format!("latency_ms {}\nmemory {}\n", self.latency, self.memory);
        if !self.ablation.is_empty() {
            text += "\nwithout          turn hit@5  ndcg@10   conversation hit@5  hit@10\n";
            let all = [("(everything)", &self.overall)];
            for (part, figures) in all.into_iter().chain(self.ablation.iter().map(|(part, figures)| (*part, figures))) {
                let (turn, conversation) = (&figures["turn"], &figures["conversation"]);
                let _ = writeln!(
                    text,
                    "{part:<16} {:>10.2} {:>8.2} {:>20.2} {:>7.2}",
                    number(turn, "hit@5"),
                    number(turn, "ndcg@10"),
                    number(conversation, "hit@5"),
                    number(conversation, "hit@10"),
                );
            }
        }
        text
    }
}

fn table(unit: &str, columns: &[(String, &Value)]) -> String {
    let mut text = format!("{unit:<14}");
    columns.iter().for_each(|(name, _)| text += &format!("{name:>14}"));
    text.push('\n');
    for name in names() {
        text += &format!("{name:<14}");
        columns.iter().for_each(|(_, figures)| text += &format!("{:>14.2}", number(figures, &name)));
        text.push('\n');
    }
    text + "\n"
}

fn number(figures: &Value, name: &str) -> f64 {
    figures[name].as_f64().unwrap_or_default()
}

fn figures(results: &[&QuestionResult]) -> Value {
    let of = |part: fn(&QuestionResult) -> &Measures| Value::Object(percent(results.iter().map(|result| part(result))));
    json!({ "turn": of(|result| &result.turn), "conversation": of(|result| &result.conversation) })
}

fn latency(results: &[QuestionResult], import: Import) -> Value {
    let search = histogram(results.iter().map(|result| result.search));
    let embedding = histogram(results.iter().map(|result| result.embedding));
    let total = histogram(results.iter().map(|result| result.search + result.embedding));
    json!({
        "search_p50": ms(&search, 0.5), "search_p95": ms(&search, 0.95),
        "embedding_p50": ms(&embedding, 0.5), "embedding_p95": ms(&embedding, 0.95),
        "total_p50": ms(&total, 0.5), "total_p95": ms(&total, 0.95),
        "import_total": in_ms(import.total()),
        "import_embedding": in_ms(import.embedding),
    })
}

fn memory(footprint: &Footprint) -> Value {
    json!({
        "memories": footprint.memories,
        "bytes_per_memory": round(footprint.bytes_per_memory),
        "resident_mb": footprint.resident_mb,
        "peak_mb": footprint.peak_mb,
    })
}
