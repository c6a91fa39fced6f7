//! Tests that after any sequence of writes, with constant maintenance, searches find what a plain map would find.
//!
//! LanceDB's code that updates, remaps and merges indexes has a history of wrong answers.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use annals_index::lex;

type Model = BTreeMap<(u8, u32), Part>;

/// Replaces the parts of a memory by parts that contain one of six words, or deletes the memory.
#[derive(Clone, Debug)]
enum Write {
    Parts { memory: u8, parts: u32, day: i64, word: u8 },
    Delete { memory: u8 },
}

fn write() -> impl Strategy<Value = Write> {
    let parts = (0..40u8, 1..4u32, 0..20i64, 0..6u8);
    prop_oneof![
        5 => parts.prop_map(|(memory, parts, day, word)| Write::Parts { memory, parts, day, word }),
        1 => (0..40u8).prop_map(|memory| Write::Delete { memory }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]

    #[test]
    fn tables_agree_with_a_map(batches in prop::collection::vec(prop::collection::vec(write(), 1..5), 60)) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(compare(batches));
    }
}

async fn compare(batches: Vec<Vec<Write>>) {
    let folder = tempfile::tempdir().unwrap();
    let strata = open_busy(local(folder.path())).await.unwrap();
    let mut model = Model::new();
    for (number, writes) in batches.iter().enumerate() {
        strata.apply(&table("a"), batch(writes, &mut model)).await.unwrap();
        if number % 4 == 3 {
            check(&strata, &model).await;
        }
    }
    check(&open(folder.path()).await, &model).await;
}

/// Builds a batch from the writes, and applies them to the model too.
fn batch(writes: &[Write], model: &mut Model) -> Batch {
    let mut last = BTreeMap::new();
    for write in writes {
        match write {
            Write::Parts { memory, .. } | Write::Delete { memory } => last.insert(*memory, write),
        };
    }
    let mut batch = Batch { dimension: DIMENSION, ..Batch::default() };
    for (number, write) in last {
        model.retain(|(memory, _), _| *memory != number);
        match write {
            Write::Delete { .. } => batch.deletes.push(MemoryId::from_text(id(number))),
            Write::Parts { parts, day, word, .. } => {
                for piece in 0..*parts {
                    let part = Part { part: piece, ..part(&id(number), *day, &format!("common word{word}")) };
                    model.insert((number, piece), part.clone());
                    batch.upserts.push(part);
                }
            }
        }
    }
    batch
}

async fn check(strata: &LanceStrata, model: &Model) {
    let all = |_: &Part| true;
    assert_eq!(rows(strata, &table("a")).await, expect(model, all));
    let ranges = [(0, 20), (3, 5), (9, 10), (19, 25)].map(|(from, to)| Interval { start: noon(from), end: noon(to) });
    for within in [vec![Interval::ALWAYS], ranges.to_vec()].concat() {
        let filter = Filter { within, ..Filter::default() };
        let inside = |part: &Part| within.overlaps(&part.cover);
        let probe = Probe { limit: 1_000, ..near(4, filter.clone()) };
        assert_eq!(names(&strata.search(&table("a"), &probe).await.unwrap().hits), expect(model, inside));
        for word in ["common", "word0", "word5"] {
            let probe = Probe { limit: 1_000, filter: filter.clone(), ..words(word) };
            let stem = lex::tokens(word, "en");
            let matches =
                |part: &Part| inside(part) && part.text.split(' ').any(|word| lex::tokens(word, "en") == stem);
            assert_eq!(
                names(&strata.search(&table("a"), &probe).await.unwrap().hits),
                expect(model, matches),
                "{word}"
            );
        }
    }
}

fn expect(model: &Model, passes: impl Fn(&Part) -> bool) -> Vec<String> {
    let passing = model.iter().filter(|(_, part)| passes(part));
    passing.map(|((memory, part), _)| format!("{}#{part}", id(*memory))).collect()
}

fn id(memory: u8) -> String {
    format!("t-{memory:02}")
}

fn noon(day: i64) -> Timestamp {
    instant(at("2026-03-01T12:00:00Z").as_microsecond() + day * DAY_US)
}
