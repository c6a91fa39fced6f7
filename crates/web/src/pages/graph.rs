//! Draws the facts around one name as a graph: the name in the middle, its neighbours on a circle, their neighbours on an outer
//! circle. The layout is computed here, so it needs no script and is the same every time.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use annals_core::entity_key;
use annals_service::wire::FactView;
use maud::{Markup, html};

/// Maximum number of names that are drawn. With more, names cannot be read.
const MAX_NAMES: usize = 150;
const INNER: f64 = 190.0;
const OUTER: f64 = 330.0;
/// Space around the outermost names.
const MARGIN: (f64, f64) = (130.0, 40.0);
/// Maximum number of characters of a name that are drawn.
const MAX_NAME_LENGTH: usize = 22;

struct Node<'a> {
    name: &'a str,
    ring: usize,
    /// The position on the circle, as a fraction of a full turn.
    angle: f64,
    /// The key of the neighbour on the next inner circle; empty for the node in the middle.
    parent: String,
}

/// Draws the facts; `about` returns the address of the page for a name.
pub(super) fn draw(center: &str, facts: &[FactView], about: &dyn Fn(&str) -> String) -> Markup {
    let nodes = arrange(center, facts);
    let left_out = facts
        .iter()
        .any(|fact| [&fact.subject, &fact.object].iter().any(|name| !nodes.contains_key(&entity_key(name))));
    html! {
        @if left_out { p.hint { "Only the nearest " (MAX_NAMES) " names are drawn; the table has all." } }
        div.scroll tabindex="0" role="region" aria-label="Graph" {
            svg.graph viewBox=(view_box(&nodes)) role="group" aria-label=(format!("Facts around {center}; the table below has the same")) {
                @for fact in facts { (edge(fact, &nodes)) }
                @for node in nodes.values() { (drawn(node, about)) }
            }
        }
    }
}

fn arrange<'a>(center: &'a str, facts: &'a [FactView]) -> BTreeMap<String, Node<'a>> {
    let mut nodes = BTreeMap::new();
    let middle = entity_key(center);
    nodes.insert(middle.clone(), Node { name: center, ring: 0, angle: 0.0, parent: String::new() });
    let mut rings: [Vec<String>; 2] = Default::default();
    for ring in 1..=2 {
        for fact in facts {
            for (here, there, name) in
                [(&fact.subject, &fact.object, &fact.object), (&fact.object, &fact.subject, &fact.subject)]
            {
                let (here, there) = (entity_key(here), entity_key(there));
                let hangs = nodes.get(&here).is_some_and(|node| node.ring == ring - 1);
                if hangs && !nodes.contains_key(&there) && nodes.len() < MAX_NAMES {
                    nodes.insert(there.clone(), Node { name, ring, angle: 0.0, parent: here });
                    rings[ring - 1].push(there);
                }
            }
        }
    }
    let [inner, mut outer] = rings;
    place_evenly(&mut nodes, &inner);
    let angle = |nodes: &BTreeMap<String, Node<'_>>, key: &String| nodes[&nodes[key].parent].angle;
    outer.sort_by(|a, b| angle(&nodes, a).total_cmp(&angle(&nodes, b)));
    place_evenly(&mut nodes, &outer);
    nodes
}

/// Spreads the nodes with the keys `ring` evenly over their circle, in this order.
fn place_evenly(nodes: &mut BTreeMap<String, Node<'_>>, ring: &[String]) {
    for (number, key) in ring.iter().enumerate() {
        if let Some(node) = nodes.get_mut(key) {
            node.angle = number as f64 / ring.len() as f64;
        }
    }
}

impl Node<'_> {
    fn at(&self) -> (f64, f64) {
        let radius = [0.0, INNER, OUTER][self.ring];
        let angle = self.angle * TAU;
        (radius * 1.3 * angle.cos(), radius * angle.sin())
    }
}

/// Returns the view box of the SVG. It contains all names.
fn view_box(nodes: &BTreeMap<String, Node<'_>>) -> String {
    let points: Vec<(f64, f64)> = nodes.values().map(Node::at).collect();
    let extent = |of: fn(&(f64, f64)) -> f64, margin: f64| {
        let least = points.iter().map(of).fold(0.0, f64::min) - margin;
        let most = points.iter().map(of).fold(0.0, f64::max) + margin;
        (least, most - least)
    };
    let ((x, width), (y, height)) = (extent(|point| point.0, MARGIN.0), extent(|point| point.1, MARGIN.1));
    // The view box has a minimum width, so that a small graph is not magnified.
    let margin = (1000.0 - width).max(0.0);
    format!("{:.0} {y:.0} {:.0} {height:.0}", x - margin / 2.0, width + margin)
}

fn edge(fact: &FactView, nodes: &BTreeMap<String, Node<'_>>) -> Markup {
    let ends = nodes.get(&entity_key(&fact.subject)).zip(nodes.get(&entity_key(&fact.object)));
    let Some((from, to)) = ends else { return html! {} };
    let ((x1, y1), (x2, y2)) = (from.at(), to.at());
    let name = fact.predicate.replace('_', " ");
    let (x, y) = ((x1 + x2) / 2.0, (y1 + y2) / 2.0);
    html! {
        g.edge.ended[fact.valid_to.is_some()] {
            line x1=(number(x1)) y1=(number(y1)) x2=(number(x2)) y2=(number(y2)) {
                title { (fact.subject) " " (name) " " (fact.object) ", since " (fact.valid_from) @if let Some(end) = &fact.valid_to { " until " (end) } }
            }
            @if from.ring + to.ring <= 1 { text x=(number(x)) y=(number(y)) text-anchor="middle" { (name) } }
        }
    }
}

fn drawn(node: &Node<'_>, about: &dyn Fn(&str) -> String) -> Markup {
    let (x, y) = node.at();
    let name: String = match node.name.char_indices().nth(MAX_NAME_LENGTH) {
        Some((end, _)) => format!("{}…", &node.name[..end]),
        None => node.name.to_owned(),
    };
    let half = (name.chars().count() as f64 * 4.2 + 12.0).max(24.0);
    html! {
        a.node.(format!("ring-{}", node.ring)) href=(about(node.name)) {
            rect x=(number(x - half)) y=(number(y - 13.0)) width=(number(half * 2.0)) height="26" rx="4" {}
            text x=(number(x)) y=(number(y + 5.0)) text-anchor="middle" { (name) }
        }
    }
}

fn number(value: f64) -> String {
    format!("{value:.1}")
}
