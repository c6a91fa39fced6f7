//! Finds all facts within some distance of an entity, the nearest first.

use annals_core::{Reached, Walk};
use fixedbitset::FixedBitSet;

use super::{Graph, NOBODY};

impl Graph {
    /// Returns the facts that a walk reaches, by depth and then in row order, up to the walk's limit. `None` if the
    /// entities on the way have more than `most` facts, followed or not: the result is then unknown.
    pub(crate) fn walk(&self, walk: &Walk, most: usize) -> Option<Vec<Reached>> {
        let limit = walk.limit.unwrap_or(usize::MAX);
        let Some(start) = self.entity(&walk.from) else { return Some(Vec::new()) };
        let rule = self.rule(&walk.along);
        let mut visited = FixedBitSet::with_capacity(self.entities.len());
        let mut followed = FixedBitSet::with_capacity(self.facts.len());
        visited.insert(start as usize);
        let (mut here, mut reached, mut looked_at) = (vec![start], Vec::new(), 0);
        for depth in 1..=walk.depth {
            looked_at += here.iter().map(|entity| self.degree(*entity)).sum::<usize>();
            if looked_at > most {
                return None;
            }
            let (mut there, mut rows) = (Vec::new(), Vec::new());
            for step in here.iter().flat_map(|entity| self.steps(*entity, &rule)) {
                if !followed.put(step.row as usize) {
                    rows.push(step.row);
                }
                if step.far != NOBODY && !visited.put(step.far as usize) {
                    there.push(step.far);
                }
            }
            rows.sort_unstable();
            let left = limit - reached.len();
            reached.extend(rows.iter().take(left).map(|row| Reached { fact: self.fact(*row), depth }));
            if reached.len() == limit || there.is_empty() {
                break;
            }
            here = there;
        }
        Some(reached)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::fact;

    #[test]
    fn walk_over_too_many_facts_returns_none() {
        let graph =
            Graph::of(vec![fact("Ann", "knows", "Bob"), fact("Bob", "knows", "Cid"), fact("Bob", "likes", "tea")]);
        let check = |depth, most, expect: Option<usize>| {
            let walk = Walk { from: "ann".into(), depth, ..Walk::default() };
            assert_eq!(graph.walk(&walk, most).map(|reached| reached.len()), expect, "{depth} {most}");
        };
        // One fact names Ann, three name Bob.
        check(1, 0, None);
        check(1, 1, Some(1));
        check(2, 3, None);
        check(2, 4, Some(3));
        check(9, usize::MAX, Some(3));
    }
}
