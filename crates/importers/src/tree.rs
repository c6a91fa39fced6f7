//! Handles conversations as trees: each message names its parent, and edits and regenerated answers make branches.

use std::collections::HashSet;

use annals_core::Timestamp;

use crate::dates::later;
use crate::options::Branches;

/// One message in a tree.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// The index of the parent; `None` for a root.
    pub parent: Option<usize>,
    /// When the message was said, if known.
    pub at: Option<Timestamp>,
}

/// The path from a root to a leaf.
#[derive(Debug, PartialEq, Eq)]
pub struct Branch {
    /// The last message.
    pub leaf: usize,
    /// All messages from the root to the leaf.
    pub path: Vec<usize>,
    /// The number of messages, from the root, that belong to an earlier branch too.
    pub shared: usize,
}

/// Returns the branches to read: the active one first and, if all are wanted, the others by the time of their last message.
/// Leaves out a branch without messages of its own. Returns none if there is no leaf and no `current`. The active branch ends
/// at `current`; without it, at the deepest leaf, and of several equally deep ones at the latest. `nodes` must have an order
/// that does not change between exports.
pub fn branches(nodes: &[Node], current: Option<usize>, wanted: Branches) -> Vec<Branch> {
    let depths = depths(nodes);
    let is_parent: HashSet<usize> = nodes.iter().filter_map(|node| node.parent).collect();
    let mut leaves: Vec<usize> = (0..nodes.len()).filter(|node| !is_parent.contains(node)).collect();
    leaves.sort_by_key(|leaf| (nodes[*leaf].at, *leaf));
    let deepest = leaves.iter().copied().max_by_key(|leaf| (depths[*leaf], nodes[*leaf].at, *leaf));
    let Some(active) = current.or(deepest) else { return Vec::new() };
    let others = leaves.into_iter().filter(|leaf| wanted == Branches::All && *leaf != active);
    let mut seen = HashSet::new();
    std::iter::once(active).chain(others).filter_map(|leaf| branch(nodes, leaf, &mut seen)).collect()
}

/// Returns the nodes that are in none of the branches.
pub fn unread(nodes: &[Node], branches: &[Branch]) -> Vec<usize> {
    let read: HashSet<usize> = branches.iter().flat_map(|branch| branch.path.iter().copied()).collect();
    (0..nodes.len()).filter(|node| !read.contains(node)).collect()
}

/// Returns the path to a leaf, or `None` if all its messages are in `seen`. Adds its messages to `seen`.
fn branch(nodes: &[Node], leaf: usize, seen: &mut HashSet<usize>) -> Option<Branch> {
    let path = path(nodes, leaf);
    let shared = path.iter().take_while(|node| seen.contains(*node)).count();
    let has_own = shared < path.len();
    seen.extend(&path);
    has_own.then_some(Branch { leaf, path, shared })
}

/// Returns the messages from the root to a leaf. A damaged tree may have a cycle; the path then begins where the cycle closes.
fn path(nodes: &[Node], leaf: usize) -> Vec<usize> {
    let mut path = Vec::new();
    let mut on_path = HashSet::new();
    let mut next = Some(leaf);
    while let Some(node) = next.filter(|node| on_path.insert(*node)) {
        path.push(node);
        next = nodes[node].parent;
    }
    path.reverse();
    path
}

/// Returns the number of ancestors of each node. Each node is visited a bounded number of times, however deep the tree is.
fn depths(nodes: &[Node]) -> Vec<usize> {
    let mut depths: Vec<Option<usize>> = vec![None; nodes.len()];
    for node in 0..nodes.len() {
        let mut unknown = Vec::new();
        let mut on_way = HashSet::new();
        let mut next = Some(node);
        while let Some(at) = next.filter(|at| depths[*at].is_none() && on_way.insert(*at)) {
            unknown.push(at);
            next = nodes[at].parent;
        }
        let first = next.and_then(|known| depths[known]).map_or(0, |depth| depth + 1);
        for (depth, at) in (first..).zip(unknown.into_iter().rev()) {
            depths[at] = Some(depth);
        }
    }
    depths.into_iter().map(Option::unwrap_or_default).collect()
}

/// The times of a conversation as a whole.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// When it was begun.
    pub created: Option<Timestamp>,
    /// The time of its earliest dated message.
    pub earliest: Option<Timestamp>,
    /// When it was last changed.
    pub updated: Option<Timestamp>,
}

/// Returns a time for each message of a path: its own time, or else a millisecond after the message before it, or else the time
/// of the conversation. A message is never earlier than the message before it. All times are `None` if neither a message nor
/// the conversation has a time.
pub fn times(own: &[Option<Timestamp>], span: Span) -> Vec<Option<Timestamp>> {
    let first_dated = own.iter().flatten().next().copied();
    let begin = span.created.or(span.earliest).or(first_dated).or(span.updated);
    // Messages before the first dated message must not be later than that message.
    let begin = begin.map(|begin| first_dated.map_or(begin, |first| begin.min(first)));
    let mut before: Option<Timestamp> = None;
    own.iter()
        .map(|own| {
            before = match (*own, before) {
                (Some(at), Some(before)) => Some(at.max(before)),
                (None, Some(before)) => Some(later(before, 1)),
                (Some(at), None) => Some(at),
                (None, None) => begin,
            };
            before
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds a tree from the parents of its nodes, with `.` for a root. The time of each node is its number in seconds.
    fn tree(parents: &str) -> Vec<Node> {
        let node = |(number, parent): (i64, &str)| Node {
            parent: parent.parse().ok(),
            at: Timestamp::from_second(number).ok(),
        };
        (0..).zip(parents.split_whitespace()).map(node).collect()
    }

    #[track_caller]
    fn check(parents: &str, current: Option<usize>, wanted: Branches, expect: &[(&[usize], usize)]) {
        let found = branches(&tree(parents), current, wanted);
        let found: Vec<(&[usize], usize)> = found.iter().map(|branch| (&branch.path[..], branch.shared)).collect();
        assert_eq!(found, expect, "{parents}");
    }

    #[test]
    fn active_branch_ends_at_the_current_node() {
        check(". 0 1 0 3", Some(2), Branches::Active, &[(&[0, 1, 2], 0)]);
        check(". 0 1 0 3", Some(2), Branches::All, &[(&[0, 1, 2], 0), (&[0, 3, 4], 1)]);
        let nodes = tree(". 0 1 0 3");
        assert_eq!(unread(&nodes, &branches(&nodes, Some(2), Branches::Active)), [3, 4]);
    }

    #[test]
    fn without_a_current_node_the_deepest_and_then_latest_leaf_is_taken() {
        check(". 0 0 1 3 2", None, Branches::Active, &[(&[0, 1, 3, 4], 0)]);
        check(". 0 0", None, Branches::Active, &[(&[0, 2], 0)]);
        check(". .", None, Branches::All, &[(&[1], 0), (&[0], 0)]);
    }

    #[test]
    fn cycles_end() {
        check("1 0", None, Branches::All, &[]);
        check("1 0", Some(0), Branches::All, &[(&[1, 0], 0)]);
        check("2 0 1 2", None, Branches::Active, &[(&[0, 1, 2, 3], 0)]);
    }

    #[test]
    fn deep_trees_are_walked_without_recursion() {
        let nodes: Vec<Node> = (0..200_000_usize).map(|n| Node { parent: n.checked_sub(1), at: None }).collect();
        assert_eq!(branches(&nodes, None, Branches::All)[0].path.len(), 200_000);
    }

    #[track_caller]
    fn check_times(own: &[i64], span: [i64; 2], expect: &[i64]) {
        let moment = |seconds: &i64| (*seconds > 0).then(|| Timestamp::from_second(*seconds).unwrap());
        let own: Vec<_> = own.iter().map(moment).collect();
        let span = Span { created: moment(&span[0]), earliest: None, updated: moment(&span[1]) };
        let found: Vec<i64> = times(&own, span).iter().map(|at| at.map_or(0, Timestamp::as_millisecond)).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn undated_messages_follow_the_date_rule() {
        check_times(&[0, 5, 0, 0, 9], [4, 0], &[4000, 5000, 5001, 5002, 9000]);
        check_times(&[0, 0], [0, 7], &[7000, 7001]);
        check_times(&[0, 5], [6, 0], &[5000, 5000]);
        check_times(&[5, 3], [0, 0], &[5000, 5000]);
        check_times(&[0, 0], [0, 0], &[0, 0]);
    }
}
