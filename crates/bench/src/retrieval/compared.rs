//! Compares rankings: one line for each set, type of question and ranking, so that results below a baseline are visible.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::ask::QuestionResult;
use super::baselines::Ranked;
use super::measures::{Measures, percent};

/// Minimum number of questions of a type. Types with fewer questions are left out as not significant.
const MIN_QUESTIONS: usize = 30;
/// The measures that are columns of the table, each of turns or of conversations.
const COLUMNS: [(&str, &str); 5] = [
    ("turn", "hit@5"),
    ("turn", "ndcg@10"),
    ("turn", "recall@5"),
    ("conversation", "hit@5"),
    ("conversation", "hit@10"),
];

/// Figures of one ranking for one type of question: of turns, then of conversations.
type Figures = [Map<String, Value>; 2];
/// Figures of rankings, by name.
type Rankings = Vec<(&'static str, Figures)>;

/// Our ranking of one set compared with the baselines.
pub(crate) struct Compared {
    set: String,
    /// By type of question: the number of questions, and the figures of each ranking. The empty type stands for all questions.
    types: BTreeMap<String, (usize, Rankings)>,
}

impl Compared {
    /// Compares rankings of the same questions in the same order.
    pub(crate) fn new<const N: usize>(
        set: &str,
        ours: &[QuestionResult],
        others: [(&'static str, Vec<Ranked>); N],
    ) -> Compared {
        let mut types: BTreeSet<&str> = ours.iter().map(|result| result.class.as_str()).collect();
        types.insert("");
        let of_type = |class: &str| {
            let is_in = |index: &usize| class.is_empty() || ours[*index].class == class;
            let indices: Vec<usize> = (0..ours.len()).filter(is_in).collect();
            let mut rankings =
                vec![("Annals", figures(indices.iter().map(|index| (&ours[*index].turn, &ours[*index].conversation))))];
            for (name, ranked) in &others {
                let these = indices.iter().map(|index| (&ranked[*index].turn, &ranked[*index].conversation));
                rankings.push((*name, figures(these)));
            }
            (class.to_owned(), (indices.len(), rankings))
        };
        let types =
            types.into_iter().map(of_type).filter(|(class, (number, _))| class.is_empty() || *number >= MIN_QUESTIONS);
        Compared { set: set.to_owned(), types: types.collect() }
    }

    /// Returns the figures as JSON, by type and ranking.
    pub(crate) fn in_json(&self) -> Value {
        let of_type = |(class, (number, rankings)): (&String, &(usize, Rankings))| {
            let by_name = rankings.iter().map(|(name, [turn, conversation])| {
                ((*name).to_owned(), json!({ "turn": turn, "conversation": conversation }))
            });
            let class = if class.is_empty() { "all" } else { class };
            (class.to_owned(), json!({ "questions": number, "by": by_name.collect::<Map<_, _>>() }))
        };
        Value::Object(self.types.iter().map(of_type).collect())
    }
}

fn figures<'m>(measures: impl Iterator<Item = (&'m Measures, &'m Measures)> + Clone) -> Figures {
    [percent(measures.clone().map(|(turn, _)| turn)), percent(measures.map(|(_, conversation)| conversation))]
}

fn value(figures: &Figures, (unit, name): (&str, &str)) -> f64 {
    figures[usize::from(unit == "conversation")].get(name).and_then(Value::as_f64).unwrap_or_default()
}

/// Formats a table of all sets. Marks each figure of ours that is below that of BM25.
pub(crate) fn table(sets: &[Compared]) -> String {
    let mut text = format!("{:<34}{:>5}  {:<8}", "", "asked", "by");
    COLUMNS.iter().for_each(|(unit, name)| text += &format!("{:>16}", format!("{} {name}", short(unit))));
    text.push('\n');
    for compared in sets {
        for (class, (number, rankings)) in &compared.types {
            let name = if class.is_empty() { compared.set.clone() } else { format!("  {class}") };
            for (index, (by, figures)) in rankings.iter().enumerate() {
                let (name, number) = if index == 0 { (name.as_str(), number.to_string()) } else { ("", String::new()) };
                let _ = write!(text, "{name:<34}{number:>5}  {by:<8}");
                for column in COLUMNS {
                    let is_below = index == 0 && value(figures, column) < value(&rankings[1].1, column);
                    let _ = write!(text, "{:>15.2}{}", value(figures, column), if is_below { '<' } else { ' ' });
                }
                text.push('\n');
            }
        }
    }
    text
}

fn short(unit: &str) -> &str {
    if unit == "conversation" { "conv." } else { "turn" }
}
