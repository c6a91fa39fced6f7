//! Formats the figures as a table and as JSON.

use std::time::Duration;

use annals_core::Direction;
use hdrhistogram::Histogram;
use serde_json::{Value, json};

use super::Failure;
use super::facts::Shape;

/// Measurements of walks in one direction over one graph.
pub(crate) struct Row {
    shape: Shape,
    degree: usize,
    direction: Direction,
    /// Time of the first walk, which loads the graph from the table.
    first: Duration,
    /// Mean number of facts reached.
    pub reached: usize,
    /// Times of the walks through the port, with complete facts.
    pub annals: Histogram<u64>,
    /// Times of the same walks in SQLite, with complete facts.
    pub sqlite: Histogram<u64>,
    /// Times for entity names alone from SQLite, without fetching facts.
    pub sqlite_names: Histogram<u64>,
}

impl Row {
    /// Returns a row without measurements.
    pub(crate) fn new(shape: Shape, degree: usize, direction: Direction, first: Duration) -> Result<Row, Failure> {
        let [annals, sqlite, sqlite_names] = [empty()?, empty()?, empty()?];
        Ok(Row { shape, degree, direction, first, reached: 0, annals, sqlite, sqlite_names })
    }

    fn json(&self) -> Value {
        let ms = |histogram: &Histogram<u64>| json!({ "p50": at(histogram, 0.5), "p95": at(histogram, 0.95) });
        json!({
            "shape": self.shape.as_str(), "degree": self.degree, "direction": self.direction.as_str(),
            "facts_reached": self.reached, "first_walk_ms": round(self.first.as_secs_f64() * 1000.0),
            "annals_ms": ms(&self.annals), "sqlite_ms": ms(&self.sqlite), "sqlite_names_ms": ms(&self.sqlite_names),
        })
    }

    fn line(&self) -> String {
        let pair = |histogram: &Histogram<u64>| format!("{:.3} / {:.3}", at(histogram, 0.5), at(histogram, 0.95));
        let times = |other: &Histogram<u64>| at(other, 0.5) / at(&self.annals, 0.5).max(0.001);
        format!(
            "{:<7} {:>6} {:<5} {:>8} {:>19} {:>19} {:>19} {:>7.1} {:>7.1} {:>9.0}",
            self.shape.as_str(),
            self.degree,
            self.direction.as_str(),
            self.reached,
            pair(&self.annals),
            pair(&self.sqlite),
            pair(&self.sqlite_names),
            times(&self.sqlite),
            times(&self.sqlite_names),
            self.first.as_secs_f64() * 1000.0,
        )
    }
}

pub(crate) fn report(rows: &[Row], as_json: bool) -> String {
    if as_json {
        return json!({ "walks": rows.iter().map(Row::json).collect::<Vec<_>>() }).to_string();
    }
    let heading = format!(
        "{:<7} {:>6} {:<5} {:>8} {:>19} {:>19} {:>19} {:>7} {:>7} {:>9}",
        "shape",
        "degree",
        "way",
        "facts",
        "annals p50/p95 ms",
        "SQLite p50/p95",
        "its names p50/p95",
        "times",
        "times",
        "first ms",
    );
    [heading].into_iter().chain(rows.iter().map(Row::line)).collect::<Vec<_>>().join("\n")
}

/// Returns an empty histogram for up to a minute, in nanoseconds.
fn empty() -> Result<Histogram<u64>, Failure> {
    Ok(Histogram::new_with_max(60_000_000_000, 3)?)
}

/// Returns a quantile of times in nanoseconds, converted to milliseconds.
fn at(histogram: &Histogram<u64>, quantile: f64) -> f64 {
    round(histogram.value_at_quantile(quantile) as f64 / 1_000_000.0)
}

fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
