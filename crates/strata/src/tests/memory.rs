//! Tests of tables in memory: after any writes they agree with the plain `MemoryStrata`, and with the same table loaded
//! anew.

use annals_core::ports::{Conversations, Findings, Spread};
use annals_testkit::MemoryStrata;
use proptest::prelude::*;

use super::*;

/// Replaces the parts of a memory, or deletes it if `parts` is 0. Conversation 0 means none.
#[derive(Clone, Debug)]
pub(super) struct Write {
    memory: u8,
    parts: u32,
    second: i64,
    conversation: u8,
    word: u8,
}

pub(super) fn write() -> impl Strategy<Value = Write> {
    let fields = (0..60_u8, 0..3_u32, 0..40_i64, 0..4_u8, 0..5_u8);
    fields.prop_map(|(memory, parts, second, conversation, word)| Write { memory, parts, second, conversation, word })
}

impl Write {
    fn parts(&self) -> impl Iterator<Item = Part> {
        let start = at("2026-03-04T12:00:00Z").as_microsecond() + self.second * 1_000_000;
        let whole = Part {
            cover: Interval { start: instant(start), end: instant(start + 1) },
            conversation: (self.conversation > 0).then(|| format!("talk{}", self.conversation)),
            // `MemoryStrata` does not stem, and has no words for date and speaker.
            text: format!("zebra{} crossing{}", self.word, self.memory % 3),
            vector: unit(i64::from(self.memory)),
            ..part(&format!("t-{:02}", self.memory), 0, "")
        };
        (0..self.parts).map(move |part| Part { part, ..whole.clone() })
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn in_memory_tables_agree_with_reloaded_and_plain_ones(batches in prop::collection::vec(prop::collection::vec(write(), 1..30), 1..6)) {
        tokio::runtime::Runtime::new().unwrap().block_on(compare(batches));
    }
}

async fn compare(batches: Vec<Vec<Write>>) {
    let folder = tempfile::tempdir().unwrap();
    let (kept, plain) = (open(folder.path()).await, MemoryStrata::new());
    for writes in batches {
        let batch = batch(&writes);
        plain.apply(&table("a"), batch.clone()).await.unwrap();
        kept.apply(&table("a"), batch).await.unwrap();
        for probe in probes() {
            let found = search(&kept, &probe).await;
            let anew = search(&open(folder.path()).await, &probe).await;
            check_all(&found.all_conversations, &anew.all_conversations);
            // Which of equal hits are among the best is not specified.
            let same = (&found.hits, &found.conversations) == (&anew.hits, &anew.conversations);
            assert!(probe.exact == 0 || same, "{found:?} or {anew:?}");
            check(&found, &search(&plain, &probe).await);
        }
    }
}

pub(super) fn batch(writes: &[Write]) -> Batch {
    let last: std::collections::BTreeMap<u8, &Write> = writes.iter().map(|write| (write.memory, write)).collect();
    let gone = last.values().filter(|write| write.parts == 0);
    let deletes = gone.map(|write| MemoryId::from_text(format!("t-{:02}", write.memory))).collect();
    Batch { dimension: DIMENSION, upserts: last.values().flat_map(|write| write.parts()).collect(), deletes }
}

pub(super) fn probes() -> Vec<Probe> {
    let second = |number: i64| instant(at("2026-03-04T12:00:00Z").as_microsecond() + number * 1_000_000);
    let within = Interval { start: second(5), end: second(30) };
    let conversation = Some("talk2".to_owned());
    let filters = [
        Filter::default(),
        Filter { within, ..Filter::default() },
        Filter { conversation, within, ..Filter::default() },
        Filter { kinds: vec![Kind::Statement], ..Filter::default() },
    ];
    let probe = |filter: &Filter| Probe { text: Some("zebra1 crossing2".into()), ..near(7, filter.clone()) };
    filters.iter().flat_map(|filter| [usize::MAX, 0].map(|exact| Probe { exact, limit: 5, ..probe(filter) })).collect()
}

/// Searches and normalises the findings: hits and conversations are sorted, positions follow the names of the
/// conversations, and figures lose the digits that depend on the order of summation.
pub(super) async fn search(strata: &dyn Strata, probe: &Probe) -> Findings {
    let mut found = strata.search(&table("a"), probe).await.unwrap();
    let mut order: Vec<usize> = (0..found.conversations.len()).collect();
    order.sort_by_key(|place| found.conversations[*place].name.clone());
    for hit in &mut found.hits {
        if let Some(position) = &mut hit.position {
            position.conversation = order.iter().position(|place| *place == position.conversation).unwrap();
        }
    }
    let round = |figure: f32| (figure * 1_000.0).round() / 1_000.0;
    found.conversations.iter_mut().for_each(|conversation| conversation.similarity = round(conversation.similarity));
    found.hits.iter_mut().for_each(|hit| hit.relevance = hit.relevance.map(round));
    found.conversations.sort_by(|a, b| a.name.cmp(&b.name));
    found.hits.sort_by(|a, b| (&a.memory, a.part).cmp(&(&b.memory, b.part)));
    found
}

pub(super) fn check_all(found: &Conversations, expect: &Conversations) {
    assert_eq!(found.holders, expect.holders);
    assert!(alike(found.similarity, expect.similarity), "{found:?} or {expect:?}");
}

fn alike(a: Spread, b: Spread) -> bool {
    a.rows == b.rows && (a.mean - b.mean).abs() < 0.01 && (a.deviation - b.deviation).abs() < 0.02
}

/// Checks that the findings agree. The values of relevance are not compared, because the constants of BM25 differ.
/// Similarities may differ slightly, because vectors in memory have eight bits a number.
fn check(found: &Findings, plain: &Findings) {
    assert!(alike(found.similarity, plain.similarity), "{:?} or {:?}", found.similarity, plain.similarity);
    check_all(&found.all_conversations, &plain.all_conversations);
    assert_eq!(found.rarity.len(), plain.rarity.len());
    // Which of equal hits are among the best is not specified.
    if [found, plain].iter().all(|all| all.hits.len() == all.similarity.rows) {
        let hits = |found: &Findings| -> Vec<_> {
            let hit = |hit: &Hit| (hit.memory.clone(), hit.part, hit.position, hit.matched, hit.relevance.is_some());
            found.hits.iter().map(hit).collect()
        };
        assert_eq!(hits(found), hits(plain));
        let conversations = |found: &Findings| -> Vec<_> {
            found.conversations.iter().map(|one| (one.name.clone(), one.parts, one.matched)).collect()
        };
        assert_eq!(conversations(found), conversations(plain));
    }
}

#[tokio::test]
async fn found_part_brings_the_other_parts_of_its_turn_and_neighbouring_parts() {
    let folder = tempfile::tempdir().unwrap();
    let strata = open(folder.path()).await;
    let texts =
        |memory: &str, number, day| Part { part: number, conversation: Some("talk".into()), ..part(memory, day, "x") };
    let found = Part { vector: unit(12), ..texts("t-2", 1, 1) };
    let beside = [texts("t-1", 0, 0), texts("t-2", 0, 1), texts("t-2", 2, 1), texts("t-3", 0, 2), texts("t-3", 1, 2)];
    strata.apply(&table("a"), upserts(beside.into_iter().chain([found, texts("t-4", 0, 3)]))).await.unwrap();
    let probe = Probe { limit: 1, ..near(12, Filter::default()) };
    let hits = strata.search(&table("a"), &probe).await.unwrap().hits;
    assert_eq!(names(&hits), ["t-1#0", "t-2#0", "t-2#1", "t-2#2", "t-3#0"]);
}

#[tokio::test]
async fn sign_comparison_finds_most_of_the_nearest_vectors() {
    let folder = tempfile::tempdir().unwrap();
    let busy =
        Maintenance { limits: CacheLimits { signs_from: 0, ..CacheLimits::of(64 << 20) }, ..Maintenance::default() };
    let signs = LanceStrata::maintained(local(folder.path()), busy).await.unwrap();
    let parts = (0..20_000).map(|number| Part { vector: scattered(number), ..part(&format!("t-{number}"), 0, "x") });
    signs.apply(&table("a"), upserts(parts)).await.unwrap();
    let whole = LanceStrata::open(folder.path(), CacheLimits::of(64 << 20)).await.unwrap();
    let mut found = 0;
    for number in 0..20 {
        let vector = Some(mixed(&scattered(number * 7), &scattered(50_000 + number)));
        let probe = Probe { vector, limit: 10, ..Probe::default() };
        let exact = names(&whole.search(&table("a"), &probe).await.unwrap().hits);
        let near = names(&signs.search(&table("a"), &probe).await.unwrap().hits);
        assert!(near.contains(&format!("t-{}#0", number * 7)), "{near:?}");
        found += exact.iter().filter(|name| near.contains(name)).count();
    }
    // Among unrelated vectors the ten best are hardly better than the rest; for texts 97 of 100 are found.
    assert!(found >= 120, "{found} of 200");
}

fn scattered(seed: i64) -> Vec<f32> {
    let mut state = seed as u64 * 2 + 1;
    let random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f32 / (1_u64 << 31) as f32 - 0.5
    };
    normal(std::iter::repeat_with(random).skip(4).take(64).collect())
}

fn mixed(a: &[f32], b: &[f32]) -> Vec<f32> {
    normal(a.iter().zip(b).map(|(a, b)| a + b / 2.0).collect())
}

fn normal(vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    vector.into_iter().map(|number| number / length).collect()
}
