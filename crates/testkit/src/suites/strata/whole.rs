//! Results that depend on all rows: neighbours, conversations, distributions of scores.

use annals_core::ports::{Batch, Findings, Part, Probe};
use annals_core::{Filter, Interval, MemoryId, Strata};

use super::{STRATA_DIMENSION, part, table, towards, upsert};
use crate::at;

/// Builds a turn at a second past midnight of 2026-03-04. Its vector is turned away from the query's by `away` steps of 0.1.
fn turn(id: &str, conversation: &str, second: u32, away: u32, text: &str) -> Part {
    let start = at(&format!("2026-03-04T00:00:{second:02}Z"));
    let end = at(&format!("2026-03-04T00:00:{second:02}.000001Z"));
    Part {
        conversation: Some(conversation.into()),
        cover: Interval { start, end },
        vector: towards(0, away as f32 * 0.1),
        ..part(id, 0, 0, text)
    }
}

async fn nearest(strata: &dyn Strata, limit: usize, filter: Filter) -> Findings {
    let probe = Probe { vector: Some(towards(0, 0.0)), text: Some("tea".into()), filter, limit, ..Probe::default() };
    strata.search(&table(), &Probe { language: "en".into(), ..probe }).await.unwrap()
}

/// Compares the hits with `id:conversation:index`, sorted.
#[track_caller]
fn check(findings: &Findings, expect: &str) {
    let position = |hit: &annals_core::ports::Hit| {
        let position = hit.position.expect("all are turns");
        format!("{}:{}:{}", hit.memory, findings.conversations[position.conversation].name, position.index)
    };
    let mut positions: Vec<String> = findings.hits.iter().map(position).collect();
    positions.sort();
    assert_eq!(positions.join(" "), expect);
}

pub(super) async fn table_without_rows_has_only_word_rarity(strata: &dyn Strata) {
    strata
        .apply(
            &table(),
            Batch { dimension: STRATA_DIMENSION, deletes: vec![MemoryId::from_text("t-0")], ..Batch::default() },
        )
        .await
        .unwrap();
    let found = nearest(strata, 1, Filter::default()).await;
    // Word rarity is reported without rows as well: words that no row contains decide whether memory has anything relevant.
    assert_eq!(
        found,
        Findings { rarity: found.rarity.clone(), rarest: found.rarest, ..Findings::default() },
        "of a table never written"
    );
    upsert(strata, vec![turn("t-1", "a", 1, 0, "tea")]).await;
    strata
        .apply(
            &table(),
            Batch { dimension: STRATA_DIMENSION, deletes: vec![MemoryId::from_text("t-1")], ..Batch::default() },
        )
        .await
        .unwrap();
    let found = nearest(strata, 1, Filter::default()).await;
    assert_eq!(
        found,
        Findings { rarity: found.rarity.clone(), rarest: found.rarest, ..Findings::default() },
        "of a table that lost all"
    );
}

pub(super) async fn neighbours_of_the_best_hits_are_returned(strata: &dyn Strata) {
    let turns = (0..5_u32).map(|number| turn(&format!("t-{number}"), "a", number, 2 + number.abs_diff(2), "rain"));
    let other = turn("t-x", "b", 2, 9, "rain");
    upsert(strata, turns.chain([other]).collect()).await;
    let findings = nearest(strata, 1, Filter::default()).await;
    check(&findings, "t-1:a:1 t-2:a:2 t-3:a:3");
    assert!(findings.hits.iter().all(|hit| hit.similarity.is_some()), "{findings:?}");
    let before = Interval { start: at("2026-03-04T00:00:00Z"), end: at("2026-03-04T00:00:03Z") };
    check(&nearest(strata, 1, Filter { within: before, ..Filter::default() }).await, "t-1:a:1 t-2:a:2");
}

pub(super) async fn late_turns_take_their_position(strata: &dyn Strata) {
    upsert(strata, vec![turn("t-1", "a", 1, 0, "rain"), turn("t-9", "a", 9, 9, "rain")]).await;
    check(&nearest(strata, 1, Filter::default()).await, "t-1:a:0 t-9:a:1");
    upsert(strata, vec![turn("t-5", "a", 5, 5, "rain"), turn("t-0", "a", 0, 5, "rain")]).await;
    check(&nearest(strata, 1, Filter::default()).await, "t-0:a:0 t-1:a:1 t-5:a:2");
    // A revision moves the turn to a later time.
    upsert(strata, vec![turn("t-1", "a", 7, 0, "rain")]).await;
    check(&nearest(strata, 1, Filter::default()).await, "t-1:a:2 t-5:a:1 t-9:a:3");
}

pub(super) async fn conversation_statistics_cover_all_parts(strata: &dyn Strata) {
    let turns = [("t-1", "a", 1, 1, "tea"), ("t-2", "a", 2, 3, "rain"), ("t-3", "b", 3, 8, "rain")];
    upsert(
        strata,
        turns.map(|(id, conversation, second, away, text)| turn(id, conversation, second, away, text)).to_vec(),
    )
    .await;
    let findings = nearest(strata, 1, Filter::default()).await;
    let found: Vec<_> = findings
        .conversations
        .iter()
        .map(|conversation| (&*conversation.name, conversation.parts, conversation.matched))
        .collect();
    assert_eq!(found, [("a", 2, 1)], "that of the hits");
    let mean = (0.1_f32.cos() + 0.3_f32.cos()) / 2.0;
    assert!((findings.conversations[0].similarity - mean).abs() < 0.01, "{findings:?}");
    let (all, both) = (findings.all_conversations, f64::from(mean + 0.8_f32.cos()) / 2.0);
    assert_eq!((all.similarity.rows, all.holders), (2, vec![1]));
    assert!((all.similarity.mean - both).abs() < 0.01 && all.similarity.deviation > 0.05, "{:?}", all.similarity);
    let filter = Filter { conversation: Some("b".into()), ..Filter::default() };
    let conversations = nearest(strata, 1, filter).await.conversations;
    assert_eq!(
        conversations.iter().map(|conversation| (&*conversation.name, conversation.parts)).collect::<Vec<_>>(),
        [("b", 1)]
    );
}

pub(super) async fn score_statistics_cover_all_rows_that_pass_the_filter(strata: &dyn Strata) {
    let texts = ["tea", "rain", "rain", "rain"];
    let turns = texts.iter().zip(0..).map(|(text, number)| turn(&format!("t-{number}"), "a", number, number, text));
    upsert(strata, turns.collect()).await;
    let first = Interval { start: at("2026-03-04T00:00:00Z"), end: at("2026-03-04T00:00:02Z") };
    for (within, rows) in [(Interval::ALWAYS, 4), (first, 2)] {
        let findings = nearest(strata, 1, Filter { within, ..Filter::default() }).await;
        let cosines = (0..rows).map(|number| (number as f32 * 0.1).cos());
        let mean = f64::from(cosines.sum::<f32>() / rows as f32);
        let (similarity, relevance) = (findings.similarity, findings.relevance);
        assert_eq!((similarity.rows, relevance.rows), (rows, rows), "{findings:?}");
        assert!((similarity.mean - mean).abs() < 0.01, "{similarity:?} is not around {mean}");
        let tea = findings.hits.iter().find_map(|hit| hit.relevance).expect("one says so");
        assert!((relevance.mean * rows as f64 - f64::from(tea)).abs() < 1e-3, "{relevance:?}");
    }
}
