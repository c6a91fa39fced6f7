//! Finds the facts about one entity. DuckDB would parse, plan and read the whole table for each query, and the
//! extraction of a month of conversation sends thousands of them.

use annals_core::{Along, Direction, Fact, FactQuery};

use super::Graph;

impl Graph {
    /// Returns the matching facts with `about` as subject or object, by any of its names, in row order.
    pub(crate) fn about(&self, about: &str, query: &FactQuery) -> Vec<Fact> {
        let Some(entity) = self.entity(about) else { return Vec::new() };
        let along = Along {
            direction: Direction::Both,
            predicates: query.predicate.iter().cloned().collect(),
            as_of: query.as_of,
            history: query.history,
            said_within: query.said_within,
        };
        let rule = self.rule(&along);
        let mut rows: Vec<u32> = self.steps(entity, &rule).map(|step| step.row).collect();
        rows.sort_unstable();
        rows.dedup();
        rows.truncate(query.limit.unwrap_or(usize::MAX));
        rows.into_iter().map(|row| self.fact(row)).collect()
    }
}
