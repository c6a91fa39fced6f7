//! Generates the facts of a random graph.

use annals_core::{Fact, Interval, MemoryId, Timestamp};
use rand::Rng;
use rand::rngs::StdRng;

const START: i64 = 1_700_000_000_000_000;
const MINUTE: i64 = 60_000_000;
const PREDICATES: [&str; 4] = ["knows", "works_with", "likes", "lives_near"];

/// Distribution of entities over the ends of facts.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    /// All entities are equally frequent.
    Even,
    /// A few entities are very frequent: the tenth occurs about 7 % as often as the first.
    Skewed,
}

impl Shape {
    /// Returns the name used in reports.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Shape::Even => "even",
            Shape::Skewed => "skewed",
        }
    }
}

/// Returns the name of a random entity out of `entities`.
pub(crate) fn entity(entities: usize, shape: Shape, random: &mut StdRng) -> String {
    let draw: f64 = random.random();
    let draw = match shape {
        Shape::Even => draw,
        Shape::Skewed => draw * draw * draw,
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between nought and their number")]
    let number = (draw * entities as f64) as usize;
    format!("Person {number}")
}

/// Generates facts in order of time; about one in ten has ended.
pub(crate) fn facts(count: usize, entities: usize, shape: Shape, random: &mut StdRng) -> Vec<Fact> {
    (0_i64..)
        .take(count)
        .map(|number| {
            let (subject, object) = (entity(entities, shape, random), entity(entities, shape, random));
            fact(number, subject, object, random.random_ratio(1, 10))
        })
        .collect()
}

fn fact(number: i64, subject: String, object: String, has_ended: bool) -> Fact {
    let from = Timestamp::from_microsecond(START + number * MINUTE).unwrap_or(Timestamp::MAX);
    let end = Timestamp::from_microsecond(from.as_microsecond() + MINUTE).unwrap_or(Timestamp::MAX);
    Fact {
        id: format!("o-{number:026}"),
        subject,
        predicate: PREDICATES[usize::try_from(number).unwrap_or_default() % PREDICATES.len()].into(),
        object,
        properties: Default::default(),
        confidence: 0.9,
        valid_from: from,
        valid_to: has_ended.then_some(end),
        recorded_at: end,
        mentioned: Interval { start: from, end },
        sources: vec![MemoryId::from_text(format!("t-{number:026}"))],
        superseded_by: None,
    }
}
