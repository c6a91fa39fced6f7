//! Conformance suite of port `Embedder`.

use annals_core::Embedder;

use super::{SuiteTest, cases, run};

/// Runs every case on `embedder`.
pub async fn embedder_suite<E: Embedder + 'static>(embedder: &E) {
    let cases: Vec<SuiteTest<dyn Embedder>> = cases![
        vectors_have_unit_length,
        vector_of_a_text_does_not_depend_on_its_batch,
        vectors_are_in_input_order,
        texts_that_share_words_are_nearer,
        empty_batch_is_accepted,
        short_text_is_one_range,
        ranges_cover_the_text_and_fit_the_window,
        long_text_is_cut_at_sentence_ends,
        long_text_is_embedded_by_its_window,
        model_has_a_name,
    ];
    run("embedder", cases, async || embedder as &dyn Embedder).await;
}

/// Largest difference per component between two vectors of one text. It allows for rounding only, because a vector must not
/// depend on the other texts of its batch.
const ROUNDING: f32 = 1e-5;

const ODD: [&str; 9] =
    ["", " ", "?", "ok", "a\0b", "\u{feff}e\u{301}", "👩‍👩‍👧", "我昨天在东京吃了拉面。", "O'Brien’s café — 7 €"];

/// Returns texts of very different lengths.
fn texts() -> Vec<String> {
    let long = "The ship came in at dawn, and nobody was there to see it. ".repeat(30);
    ODD.iter().map(ToString::to_string).chain(["tea and cake".into(), long, "x".repeat(10_000)]).collect()
}

async fn embed(embedder: &dyn Embedder, texts: &[&str]) -> Vec<Vec<f32>> {
    embedder.embed(texts.iter().map(ToString::to_string).collect()).await.unwrap()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn is_same(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= ROUNDING)
}

async fn vectors_have_unit_length(embedder: &dyn Embedder) {
    let vectors = embedder.embed(texts()).await.unwrap();
    assert_eq!(vectors.len(), texts().len());
    for (vector, text) in vectors.iter().zip(texts()) {
        let start: String = text.chars().take(20).collect();
        assert_eq!(vector.len(), embedder.dimension(), "{start:?}");
        assert!((dot(vector, vector) - 1.0).abs() < 1e-3, "{start:?}: {}", dot(vector, vector));
    }
}

async fn vector_of_a_text_does_not_depend_on_its_batch(embedder: &dyn Embedder) {
    let together = embedder.embed(texts()).await.unwrap();
    for (text, vector) in texts().into_iter().zip(together) {
        let start: String = text.chars().take(20).collect();
        let alone = embedder.embed(vec![text]).await.unwrap();
        assert!(is_same(&alone[0], &vector), "{start:?}");
    }
}

async fn vectors_are_in_input_order(embedder: &dyn Embedder) {
    let forwards = embedder.embed(texts()).await.unwrap();
    let mut backwards = embedder.embed(texts().into_iter().rev().collect()).await.unwrap();
    backwards.reverse();
    assert!(forwards.iter().zip(&backwards).all(|(a, b)| is_same(a, b)));
    let twice = embed(embedder, &["tea", "cake", "tea"]).await;
    assert!(is_same(&twice[0], &twice[2]) && !is_same(&twice[0], &twice[1]));
}

async fn texts_that_share_words_are_nearer(embedder: &dyn Embedder) {
    let texts = ["the dog sleeps in the garden", "a dog in the garden", "stock prices fell sharply"];
    let vectors = embed(embedder, &texts).await;
    assert!(dot(&vectors[0], &vectors[1]) > dot(&vectors[0], &vectors[2]));
}

async fn empty_batch_is_accepted(embedder: &dyn Embedder) {
    assert_eq!(embedder.embed(Vec::new()).await.unwrap(), Vec::<Vec<f32>>::new());
}

async fn short_text_is_one_range(embedder: &dyn Embedder) {
    for text in ODD {
        assert_eq!(embedder.split(text).as_slice(), std::slice::from_ref(&(0..text.len())), "{text:?}");
    }
}

async fn ranges_cover_the_text_and_fit_the_window(embedder: &dyn Embedder) {
    let more =
        ["one two three four ".repeat(500), "我昨天在东京吃了拉面".repeat(200), "👩‍👩‍👧 ".repeat(500), "\n".repeat(5_000)];
    for text in texts().into_iter().chain(more) {
        let start: String = text.chars().take(20).collect();
        let ranges = embedder.split(&text);
        assert_eq!(ranges.first().map(|range| range.start), Some(0), "{start:?}");
        assert_eq!(ranges.last().map(|range| range.end), Some(text.len()), "{start:?}");
        assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start), "{start:?}: {ranges:?}");
        for range in ranges {
            let piece = text.get(range.clone()).unwrap_or_else(|| panic!("{start:?}: {range:?} cuts a character"));
            assert_eq!(embedder.split(piece).len(), 1, "{start:?}: {range:?} does not fit the window");
        }
    }
}

async fn long_text_is_cut_at_sentence_ends(embedder: &dyn Embedder) {
    let text = "The ship came in at dawn. Was anybody there to see it? Nobody was! ".repeat(100);
    let ranges = embedder.split(&text);
    assert!(ranges.len() > 1);
    for range in ranges {
        assert!(text[range.clone()].trim_end().ends_with(['.', '?', '!']), "cut inside a sentence at {range:?}");
    }
}

async fn long_text_is_embedded_by_its_window(embedder: &dyn Embedder) {
    let start = "The ship came in at dawn. ".repeat(400);
    let longer = format!("{start}{}", "Nobody was there. ".repeat(400));
    let vectors = embed(embedder, &[&start, &longer]).await;
    assert!(is_same(&vectors[0], &vectors[1]), "what lies beyond the window counts");
}

async fn model_has_a_name(embedder: &dyn Embedder) {
    assert!(!embedder.model().is_empty());
    assert!(embedder.dimension() > 0);
}
