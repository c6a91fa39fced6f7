//! Formats the figures as Markdown tables for the docs. Pure.

use annals_core::Grain;
use annals_core::numbers::count;

use super::measure::{Cold, Measured};

/// A row's name, and its cell for an age.
type Row = (&'static str, fn(&Measured) -> String);

const HELD: [Row; 6] = [
    ("text of its messages, MB", |at| format!("{:.1}", at.text_bytes as f64 / 1e6)),
    ("turns", |at| count(at.memories[Grain::Working as usize])),
    ("summaries: daily, weekly, monthly, quarterly, yearly", |at| {
        at.memories[1..].iter().map(|number| count(*number)).collect::<Vec<_>>().join(", ")
    }),
    ("on disk: all / tables / catalog, MB", |at| {
        let mb = [at.disk.bytes, at.disk.tables, at.disk.catalog].map(|bytes| count((bytes + 500_000) / 1_000_000));
        mb.join(" / ")
    }),
    ("bytes on disk per memory", |at| count(at.disk.bytes / at.memories.iter().sum::<u64>().max(1))),
    ("resident: opened / first answer / all asked / at most, MB", |at| {
        let (start, warm) = (&at.cold.start, &at.warm);
        [start.opened_mb, start.resident_mb, warm.resident_mb, warm.peak_mb].map(count).join(" / ")
    }),
];

const COLD: [Row; 5] = [
    ("process started to first answer, files read from disk", |at| ms(at.from_disk.process_ms)),
    ("process started to first answer", |at| ms(at.cold.process_ms)),
    ("of that: model / stores / embedding / search", |at| parts(&at.cold)),
    ("the same, files read from disk", |at| parts(&at.from_disk)),
    ("the questions after that, files read from disk, p50 / p95", |at| {
        pair(at.next_from_disk.p50, at.next_from_disk.p95)
    }),
];

const WARM: [Row; 8] = [
    ("question about the last days", |at| pair(at.warm.recent.p50, at.warm.recent.p95)),
    ("– with embedding", |at| pair(at.warm.recent.embedded_p50, at.warm.recent.embedded_p95)),
    ("about the first month, as a filter", |at| pair(at.warm.period.p50, at.warm.period.p95)),
    ("– with embedding", |at| pair(at.warm.period.embedded_p50, at.warm.period.embedded_p95)),
    ("about the first month, in words", |at| pair(at.warm.words.p50, at.warm.words.p95)),
    ("– with embedding", |at| pair(at.warm.words.embedded_p50, at.warm.words.embedded_p95)),
    ("context for a prompt", |at| pair(at.warm.context.p50, at.warm.context.p95)),
    ("– with embedding", |at| pair(at.warm.context.embedded_p50, at.warm.context.embedded_p95)),
];

/// Returns three tables: contents, cold start, warm process.
pub(crate) fn tables(all: &[Measured]) -> String {
    let tables = [("holds", &HELD[..]), ("cold, ms", &COLD), ("warm, p50 / p95 in ms", &WARM)];
    tables.map(|(name, rows)| table(name, rows, all)).join("\n")
}

fn table(name: &str, rows: &[Row], all: &[Measured]) -> String {
    let ages: Vec<String> = all.iter().map(|at| age(at.days)).collect();
    let line = |name: &str, cells: Vec<String>| format!("| {name} | {} |\n", cells.join(" | "));
    let mut text = line(name, ages);
    text += &line("---", vec!["---".to_owned(); all.len()]);
    for (name, figure) in rows {
        text += &line(name, all.iter().map(figure).collect());
    }
    text
}

fn age(days: usize) -> String {
    match days {
        1 => "1 day".into(),
        _ => format!("{} days", count(days as u64)),
    }
}

fn parts(cold: &Cold) -> String {
    let start = &cold.start;
    [start.model_ms, start.stores_ms, start.embedding_ms, start.search_ms].map(ms).join(" / ")
}

fn pair(one: f64, other: f64) -> String {
    format!("{} / {}", ms(one), ms(other))
}

/// Formats milliseconds with one decimal below 10, without decimals otherwise.
fn ms(ms: f64) -> String {
    if ms < 9.95 { format!("{ms:.1}") } else { format!("{ms:.0}") }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use serde_json::json;

    /// Returns sample figures that grow with the age.
    pub fn measured(days: usize) -> Measured {
        let part = days as f64 / 10.0;
        let times = json!({ "count": 100, "p50": part, "p95": part * 2.0, "embedded_p50": part + 5.0,
            "embedded_p95": part * 2.0 + 5.0 });
        let cold = json!({ "process_ms": part + 100.0, "start": { "model_ms": 80.5, "stores_ms": 3.25,
            "embedding_ms": 5.0, "search_ms": part, "answered_ms": part + 90.0, "opened_mb": 60, "resident_mb": days } });
        serde_json::from_value(json!({
            "days": days, "text_bytes": days * 10_240, "memories": [days * 186, days, days / 7, days / 30, days / 91, 0],
            "disk": { "bytes": days * 1_000_000, "catalog": days * 300_000, "tables": days * 700_000 },
            "from_disk": cold, "next_from_disk": times, "cold": cold,
            "warm": { "recent": times, "period": times, "words": times, "context": times, "resident_mb": days + 1,
                "peak_mb": days + 2 },
        }))
        .unwrap()
    }

    #[test]
    fn every_age_has_a_column() {
        let text = tables(&[measured(30), measured(3650)]);
        let line = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap_or_default();
        assert_eq!(text.lines().next(), Some("| holds | 30 days | 3,650 days |"));
        assert_eq!(line("| turns"), "| turns | 5,580 | 678,900 |");
        assert!(line("| on disk").ends_with("| 30 / 21 / 9 | 3,650 / 2,555 / 1,095 |"));
        assert!(line("| of that").ends_with("| 80 / 3.2 / 5.0 / 3.0 | 80 / 3.2 / 5.0 / 365 |"));
        assert!(line("| context").ends_with("| 3.0 / 6.0 | 365 / 730 |"));
        assert!(text.lines().all(|line| line.is_empty() || line.matches('|').count() == 4));
    }
}
