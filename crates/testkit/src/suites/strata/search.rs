//! Search by vector and by words, with filters.

use annals_core::ports::{Batch, Hit, Part, Probe};
use annals_core::{Filter, Interval, Kind, MemoryId, Strata};

use super::{STRATA_DIMENSION, part, table, towards, upsert};
use crate::{at, period, utc_cover};

async fn search(strata: &dyn Strata, probe: Probe) -> Vec<Hit> {
    let mut hits = strata.search(&table(), &probe).await.unwrap().hits;
    hits.sort_by(|a, b| (&a.memory, a.part).cmp(&(&b.memory, b.part)));
    hits
}

/// Searches by words. Returns the ids and scores of the hits.
async fn words(strata: &dyn Strata, text: &str) -> Vec<(String, f32)> {
    let hits =
        search(strata, Probe { text: Some(text.into()), language: "en".into(), limit: 20, ..Probe::default() }).await;
    assert!(hits.iter().all(|hit| hit.similarity.is_none()), "{hits:?}");
    hits.iter().map(|hit| (hit.memory.to_string(), hit.relevance.expect("the words found it"))).collect()
}

/// Returns the ids that pass a filter. A search by vector and one by words must agree.
async fn passing(strata: &dyn Strata, filter: Filter) -> Vec<String> {
    let by_vector = Probe { vector: Some(towards(0, 0.0)), filter: filter.clone(), limit: 20, ..Probe::default() };
    let by_words = Probe { text: Some("tea".into()), language: "en".into(), filter, limit: 20, ..Probe::default() };
    let ids = |hits: Vec<Hit>| hits.iter().map(|hit| hit.memory.to_string()).collect::<Vec<_>>();
    let found = ids(search(strata, by_vector).await);
    assert_eq!(ids(search(strata, by_words).await), found, "words and vector pass different filters");
    found
}

pub(super) async fn most_similar_rows_are_first(strata: &dyn Strata) {
    let turned = |index: u32| Part { vector: towards(0, index as f32 * 0.2), ..part(&format!("t-{index}"), 0, 0, "x") };
    upsert(strata, (0..8).map(turned).collect()).await;
    let hits = search(strata, Probe { vector: Some(towards(0, 0.0)), limit: 3, ..Probe::default() }).await;
    let ids: Vec<_> = hits.iter().map(|hit| hit.memory.as_str()).collect();
    assert_eq!(ids, ["t-0", "t-1", "t-2"]);
    for (index, hit) in hits.iter().enumerate() {
        let similarity = hit.similarity.expect("the vector found it");
        assert!((similarity - (index as f32 * 0.2).cos()).abs() < 1e-3, "{hit:?} is not the cosine");
        assert_eq!(hit.relevance, None);
    }
    // The opposite vector has the lowest similarity, -1.
    let away = towards(0, std::f32::consts::PI);
    let hits = search(strata, Probe { vector: Some(away), limit: 20, ..Probe::default() }).await;
    assert!((hits[0].similarity.unwrap() + 1.0).abs() < 1e-3, "{:?}", hits[0]);
}

pub(super) async fn limit_applies_to_each_leg(strata: &dyn Strata) {
    upsert(strata, (0..4).map(|index| part(&format!("t-near{index}"), 0, 0, "rain")).collect()).await;
    upsert(strata, (0..4).map(|index| part(&format!("t-word{index}"), 0, 3, "tea")).collect()).await;
    upsert(strata, vec![part("t-both", 0, 0, "tea")]).await;
    let probe = Probe { vector: Some(towards(0, 0.0)), text: Some("tea".into()), limit: 2, ..Probe::default() };
    let hits = search(strata, probe.clone()).await;
    assert!((2..=4).contains(&hits.len()), "{hits:?}");
    assert!(hits.iter().filter(|hit| hit.relevance.is_some()).count() >= 2, "{hits:?}");
    let hits = search(strata, Probe { limit: 5, ..probe }).await;
    assert_eq!(hits.len(), 9, "{hits:?}");
    let worded: Vec<_> = hits.iter().filter(|hit| hit.relevance.is_some()).collect();
    assert_eq!(worded.len(), 5, "{hits:?}");
}

pub(super) async fn small_table_is_scored_completely(strata: &dyn Strata) {
    upsert(strata, (0..6).map(|index| part(&format!("t-{index}"), 0, index, "tea")).collect()).await;
    upsert(strata, vec![part("t-none", 0, 6, "coffee")]).await;
    let probe = Probe { vector: Some(towards(0, 0.0)), text: Some("tea".into()), limit: 1, ..Probe::default() };
    let found = async |exact| search(strata, Probe { exact, ..probe.clone() }).await;
    assert!((1..=2).contains(&found(6).await.len()));
    for exact in [7, usize::MAX] {
        let hits = found(exact).await;
        assert_eq!(hits.iter().filter(|hit| hit.similarity.is_some()).count(), 7, "{exact}: {hits:?}");
        assert_eq!(hits.iter().filter(|hit| hit.relevance.is_some()).count(), 6, "{exact}: {hits:?}");
    }
}

pub(super) async fn hits_report_their_matched_words(strata: &dyn Strata) {
    let texts = ["zebra crossing", "crossing, crossing", "tea"];
    let parts = texts.iter().enumerate().map(|(index, text)| part(&format!("t-{index}"), 0, index, text));
    upsert(strata, parts.collect()).await;
    let text = Some("zebra crossing zebra lion".into());
    let probe = Probe { text, language: "en".into(), limit: 9, ..Probe::default() };
    let all = strata.search(&table(), &probe).await.unwrap();
    assert_eq!(all.rarity.len(), 3, "one for each word, whether any row holds it or not: {:?}", all.rarity);
    let hits = search(strata, probe).await;
    let matched: Vec<u64> = hits.iter().map(|hit| hit.matched).collect();
    assert_eq!(matched, [0b11, 0b10]);
}

pub(super) async fn hits_report_their_conversation(strata: &dyn Strata) {
    upsert(
        strata,
        vec![Part { conversation: Some("talk".into()), ..part("t-a", 0, 0, "tea") }, part("t-b", 0, 1, "tea")],
    )
    .await;
    let probe = Probe { vector: Some(towards(0, 0.0)), text: Some("tea".into()), limit: 9, ..Probe::default() };
    let findings = strata.search(&table(), &probe).await.unwrap();
    let mut hits = findings.hits;
    hits.sort_by(|a, b| a.memory.cmp(&b.memory));
    let found: Vec<_> = hits
        .iter()
        .map(|hit| hit.position.map(|position| &*findings.conversations[position.conversation].name))
        .collect();
    assert_eq!(found, [Some("talk"), None]);
}

pub(super) async fn filters_apply_before_ranking(strata: &dyn Strata) {
    // The only row inside the range is the least similar and least relevant of many.
    let mut parts: Vec<_> = (0..30).map(|index| part(&format!("t-{index:02}"), 0, 0, "tea tea tea")).collect();
    let inside = utc_cover(period("2026-05-05"));
    parts.push(Part { cover: inside, ..part("t-inside", 0, 4, "a long walk and, at the very end of it, some tea") });
    upsert(strata, parts).await;
    let filter = Filter { within: inside, ..Filter::default() };
    let probe = Probe { vector: Some(towards(0, 0.0)), text: Some("tea".into()), limit: 1, filter, ..Probe::default() };
    let hits = search(strata, probe).await;
    assert_eq!(hits.len(), 1, "{hits:?}");
    assert_eq!(hits[0].memory.as_str(), "t-inside");
    assert!(hits[0].similarity.is_some() && hits[0].relevance.is_some(), "{:?}", hits[0]);
}

pub(super) async fn ranges_are_half_open(strata: &dyn Strata) {
    // Covers 2026-03-04T00:00 up to 2026-03-05T00:00.
    upsert(strata, vec![part("t-a", 0, 0, "tea")]).await;
    for (start, end, found) in [
        ("2026-03-03T00:00:00Z", "2026-03-04T00:00:00Z", false),
        ("2026-03-03T00:00:00Z", "2026-03-04T00:00:00.000001Z", true),
        ("2026-03-04T12:00:00Z", "2026-03-04T12:00:00.000001Z", true),
        ("2026-03-04T23:59:59.999999Z", "2026-03-09T00:00:00Z", true),
        ("2026-03-05T00:00:00Z", "2026-03-09T00:00:00Z", false),
        ("2026-03-04T12:00:00Z", "2026-03-04T12:00:00Z", false),
    ] {
        let within = Interval { start: at(start), end: at(end) };
        let passed = passing(strata, Filter { within, ..Filter::default() }).await;
        assert_eq!(passed.len(), usize::from(found), "{start} to {end}");
    }
}

pub(super) async fn early_and_late_years_are_found(strata: &dyn Strata) {
    let days = ["0002-01-01", "1660-01-11", "1969-12-31", "9998-12-31"].map(period);
    let parts = days.map(|day| Part { period: day, cover: utc_cover(day), ..part(&format!("t-{day}"), 0, 0, "tea") });
    upsert(strata, parts.to_vec()).await;
    assert_eq!(passing(strata, Filter::default()).await.len(), 4);
    for day in days {
        let filter = Filter { within: utc_cover(day), ..Filter::default() };
        assert_eq!(passing(strata, filter).await, [format!("t-{day}")]);
    }
}

pub(super) async fn kinds_and_conversations_are_filtered(strata: &dyn Strata) {
    let of = |id: &str, kind, conversation: Option<&str>| Part {
        kind,
        conversation: conversation.map(Into::into),
        ..part(id, 0, 0, "tea")
    };
    let quoted = "o'clock \"x\"; --";
    upsert(
        strata,
        vec![
            of("t-a", Kind::Turn, Some("talk")),
            of("t-b", Kind::Turn, Some(quoted)),
            of("t-c", Kind::Statement, None),
            of("t-d", Kind::Summary, None),
        ],
    )
    .await;
    let check = async |kinds: &[Kind], conversation: Option<&str>, expect: &[&str]| {
        let conversation = conversation.map(Into::into);
        let filter = Filter { kinds: kinds.to_vec(), conversation, ..Filter::default() };
        assert_eq!(passing(strata, filter.clone()).await, expect, "{filter:?}");
    };
    check(&[], None, &["t-a", "t-b", "t-c", "t-d"]).await;
    check(&[Kind::Turn], None, &["t-a", "t-b"]).await;
    check(&[Kind::Statement, Kind::Summary], None, &["t-c", "t-d"]).await;
    check(&[], Some("talk"), &["t-a"]).await;
    check(&[], Some(quoted), &["t-b"]).await;
    check(&[Kind::Statement], Some("talk"), &[]).await;
    check(&[], Some("Talk"), &[]).await;
}

/// Stores each text as `t-0`, `t-1`… and asserts which ones the query finds.
async fn check(strata: &dyn Strata, texts: &[&str], query: &str, expect: &[&str]) {
    strata.remove(&table()).await.unwrap();
    let parts = texts.iter().enumerate().map(|(index, text)| part(&format!("t-{index}"), 0, index, text));
    upsert(strata, parts.collect()).await;
    let found: Vec<String> = words(strata, query).await.into_iter().map(|(id, _)| id).collect();
    assert_eq!(found, expect, "{query:?} in {texts:?}");
}

pub(super) async fn words_match_any_case(strata: &dyn Strata) {
    let texts = ["We drank TEA in Lisbon.", "It rained.", "tea, again", "steam"];
    check(strata, &texts, "tea", &["t-0", "t-2"]).await;
    check(strata, &texts, "LISBON rained", &["t-0", "t-1"]).await;
    check(strata, &texts, "marmalade", &[]).await;
}

pub(super) async fn rare_words_weigh_more(strata: &dyn Strata) {
    let mut parts: Vec<_> = (0..9).map(|index| part(&format!("t-{index}"), 0, 0, "tea in the garden")).collect();
    parts.push(part("t-zebra", 0, 0, "zebra in the garden"));
    upsert(strata, parts).await;
    let found = words(strata, "tea zebra").await;
    let (zebra, tea): (Vec<_>, Vec<_>) = found.iter().partition(|(id, _)| id == "t-zebra");
    assert_eq!((zebra.len(), tea.len()), (1, 9), "{found:?}");
    assert!(tea.iter().all(|(_, relevance)| *relevance < zebra[0].1), "{found:?}");
}

pub(super) async fn query_of_only_stop_words_finds_rows(strata: &dyn Strata) {
    check(strata, &["Who is it at the door?", "Nobody came."], "who is it", &["t-0"]).await;
}

pub(super) async fn chinese_japanese_and_korean_are_found(strata: &dyn Strata) {
    let texts = ["我昨天在东京吃了拉面。", "今日は大阪でラーメンを食べた。", "어제 서울에서 만났다.", "京东的东西"];
    check(strata, &texts, "东京", &["t-0"]).await;
    check(strata, &texts, "ラーメン", &["t-1"]).await;
    check(strata, &texts, "서울", &["t-2"]).await;
}

pub(super) async fn accents_match_any_spelling(strata: &dyn Strata) {
    let texts = ["le café de Zoë", "le cafe\u{301} du coin", "un thé"];
    check(strata, &texts, "Café", &["t-0", "t-1"]).await;
    check(strata, &texts, "CAFE\u{301}", &["t-0", "t-1"]).await;
    check(strata, &texts, "ZOË", &["t-0"]).await;
}

pub(super) async fn query_without_words_finds_nothing(strata: &dyn Strata) {
    for query in ["", " ", "?!", "👩‍👩‍👧"] {
        check(strata, &["tea?", "cake!"], query, &[]).await;
    }
}

pub(super) async fn special_characters_are_matched_literally(strata: &dyn Strata) {
    for query in ["tea AND NOT", "\"tea", "tea* (", "text:tea", "tea\0", "tea' OR 1=1 --", "tea ~3 ^2 +-"] {
        check(strata, &["some tea here", "marmalade"], query, &["t-0"]).await;
    }
}

pub(super) async fn empty_query_finds_nothing(strata: &dyn Strata) {
    upsert(strata, vec![part("t-a", 0, 0, "tea")]).await;
    assert_eq!(search(strata, Probe { limit: 5, ..Probe::default() }).await, []);
}

pub(super) async fn replaced_and_deleted_rows_are_not_found(strata: &dyn Strata) {
    upsert(strata, vec![part("t-a", 0, 0, "tea"), part("t-b", 0, 0, "tea"), part("t-c", 0, 1, "tea")]).await;
    let deletes = vec![MemoryId::from_text("t-b")];
    strata
        .apply(&table(), Batch { dimension: STRATA_DIMENSION, upserts: vec![part("t-a", 0, 5, "coffee")], deletes })
        .await
        .unwrap();
    let found: Vec<_> = words(strata, "tea").await.into_iter().map(|(id, _)| id).collect();
    assert_eq!(found, ["t-c"]);
    let hits = search(strata, Probe { vector: Some(towards(0, 0.0)), limit: 9, ..Probe::default() }).await;
    let near: Vec<_> = hits.iter().filter(|hit| hit.similarity > Some(0.5)).collect();
    assert_eq!(near, Vec::<&Hit>::new());
}
