//! All facts within some distance of an entity, the nearest first.

use annals_core::{Reached, Walk};

use super::{Graph, NOBODY};

impl Graph {
    /// The facts that a walk reaches, by depth and then in the order of rows. Looks no further than the limit.
    pub fn walk(&self, walk: &Walk) -> Vec<Reached> {
        let limit = walk.limit.unwrap_or(usize::MAX);
        let Some(start) = self.entity(&walk.from) else { return Vec::new() };
        let rule = self.rule(&walk.along);
        let (mut visited, mut taken) = (vec![false; self.entities.len()], vec![false; self.facts.len()]);
        visited[start as usize] = true;
        let (mut here, mut reached) = (vec![start], Vec::new());
        for depth in 1..=walk.depth {
            let (mut there, mut rows) = (Vec::new(), Vec::new());
            for step in here.iter().flat_map(|entity| self.steps(*entity, &rule)) {
                if !std::mem::replace(&mut taken[step.row as usize], true) {
                    rows.push(step.row);
                }
                if step.far != NOBODY && !std::mem::replace(&mut visited[step.far as usize], true) {
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
        reached
    }
}
