//! Finds the shortest path between two entities.

use annals_core::{Along, Direction, Fact, Route};

use super::{Graph, NOBODY, Rule};

/// The distance of an entity without a known path.
const FAR: u32 = u32::MAX;

impl Graph {
    /// Returns the facts of the shortest path, in order. `None` if no path is short enough, or if no fact names one of the
    /// ends. Computes the distances from the end. Then, from the start, it always follows the first fact that leads closer, so
    /// that the choice among equally short paths is deterministic.
    pub(crate) fn path(&self, route: &Route) -> Option<Vec<Fact>> {
        let (start, goal) = (self.entity(&route.from)?, self.entity(&route.to)?);
        let distances = self.distances(goal, start, route);
        let mut left = distances[start as usize];
        if left == FAR {
            return None;
        }
        let rule = self.rule(&route.along);
        let (mut here, mut facts) = (start, Vec::new());
        while left > 0 {
            left -= 1;
            let nearer = self.steps(here, &rule).filter(|step| step.far != NOBODY);
            let nearer = nearer.filter(|step| distances[step.far as usize] == left);
            let step = nearer.min_by_key(|step| step.row)?;
            facts.push(self.fact(step.row));
            here = step.far;
        }
        Some(facts)
    }

    /// Returns the distance of each entity from the goal in facts, as far as the start or the depth limit.
    fn distances(&self, goal: u32, start: u32, route: &Route) -> Vec<u32> {
        let back = Along { direction: reversed(route.along.direction), ..route.along.clone() };
        let rule: Rule<'_> = self.rule(&back);
        let mut distances = vec![FAR; self.entities.len()];
        distances[goal as usize] = 0;
        let mut here = vec![goal];
        for distance in 1..=route.depth {
            if distances[start as usize] != FAR {
                break;
            }
            let mut there = Vec::new();
            for step in here.iter().flat_map(|entity| self.steps(*entity, &rule)) {
                if step.far != NOBODY && distances[step.far as usize] == FAR {
                    distances[step.far as usize] = distance;
                    there.push(step.far);
                }
            }
            here = there;
        }
        distances
    }
}

fn reversed(direction: Direction) -> Direction {
    match direction {
        Direction::Out => Direction::In,
        Direction::In => Direction::Out,
        Direction::Both => Direction::Both,
    }
}
