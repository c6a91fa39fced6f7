//! Walks and paths by the simplest algorithm: every step scans all facts.

use std::collections::BTreeSet;

use annals_core::{Along, Direction, Fact, Reached, Route, Walk, entity_key};

use super::{keys, names};

/// Returns the facts that a walk reaches, by depth and then in the order of `facts`.
pub(super) fn walk(facts: &[Fact], walk: &Walk) -> Vec<Reached> {
    let mut reached: Vec<Reached> = Vec::new();
    let mut here = names(facts, &walk.from);
    for depth in 1..=walk.depth {
        let mut there = here.clone();
        for fact in facts.iter().filter(|fact| walk.along.follows(fact)) {
            let ends = ends(fact, &walk.along);
            let leads = ends.iter().filter(|[near, _]| here.contains(near));
            let leads: Vec<&[String; 2]> = leads.collect();
            if !leads.is_empty() && reached.iter().all(|known| known.fact.id != fact.id) {
                reached.push(Reached { fact: fact.clone(), depth });
            }
            there.extend(leads.iter().flat_map(|[_, far]| names(facts, far)));
        }
        here = there;
    }
    reached.truncate(walk.limit.unwrap_or(usize::MAX));
    reached
}

/// Returns the shortest path, or `None` if no fact names one of the two ends or no path has at most `depth` facts. Each round
/// extends the best path to every entity by one fact.
pub(super) fn path(facts: &[Fact], route: &Route) -> Option<Vec<Fact>> {
    let is_named = |name: &str| facts.iter().any(|fact| keys(fact).contains(&entity_key(name)));
    let (start, goal) = (names(facts, &route.from), names(facts, &route.to));
    if !is_named(&route.from) || !is_named(&route.to) || start.is_empty() || goal.is_empty() {
        return None;
    }
    let mut ways: Vec<(BTreeSet<String>, Vec<usize>)> = vec![(start, Vec::new())];
    for _ in 0..=route.depth {
        if let Some((_, way)) = ways.iter().find(|(entity, _)| *entity == goal) {
            return Some(way.iter().map(|row| facts[*row].clone()).collect());
        }
        let mut longer: Vec<(BTreeSet<String>, Vec<usize>)> = Vec::new();
        for (entity, way) in &ways {
            for (row, fact) in facts.iter().enumerate().filter(|(_, fact)| route.along.follows(fact)) {
                for [near, far] in ends(fact, &route.along) {
                    if entity.contains(&near) && !far.is_empty() {
                        longer.push((names(facts, &far), [way.as_slice(), &[row]].concat()));
                    }
                }
            }
        }
        longer.sort_by(|(_, a), (_, b)| a.cmp(b));
        for (entity, way) in longer {
            if ways.iter().all(|(known, _)| *known != entity) {
                ways.push((entity, way));
            }
        }
    }
    None
}

/// Returns the keys of the near and the far end, for each direction in which the fact may be followed.
fn ends(fact: &Fact, along: &Along) -> Vec<[String; 2]> {
    let [subject, object] = keys(fact);
    let (out, back) = ([subject.clone(), object.clone()], [object, subject]);
    match along.direction {
        Direction::Out => vec![out],
        Direction::In => vec![back],
        Direction::Both => vec![out, back],
    }
}
