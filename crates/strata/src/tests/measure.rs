//! Measurements, on request: `cargo test -p annals-strata measure -- --ignored --nocapture`.
#![expect(clippy::print_stdout, reason = "the figures are what it is run for")]

use std::time::Instant;

use super::*;

const LONG: usize = 384;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes"]
async fn measure() {
    let folder = tempfile::tempdir().unwrap();
    let strata = LanceStrata::open(folder.path(), CacheLimits::of(64 << 20)).await.unwrap();
    println!("start: {} MB resident", resident_mb());
    let mut times = Vec::new();
    for batch in 0..100 {
        times.push(timed(strata.apply(&table("a"), upserts((0..20).map(|row| long(batch * 20 + row))))).await);
    }
    report("upsert of 20 rows, compaction included", times);
    let mut times = Vec::new();
    for batch in 0..8 {
        times
            .push(timed(strata.apply(&table("a"), upserts((0..500).map(|row| long(2_000 + batch * 500 + row))))).await);
    }
    report("apply of 500 rows", times);
    searches(&strata, 6_000).await;
    for batch in 0..94 {
        strata.apply(&table("a"), upserts((0..1_000).map(|row| long(6_000 + batch * 1_000 + row)))).await.unwrap();
    }
    println!("100,000 rows: {} MB resident", resident_mb());
    searches(&strata, 100_000).await;
    let mut times = Vec::new();
    for batch in 0..45 {
        times
            .push(timed(strata.apply(&table("a"), upserts((0..20).map(|row| long(100_000 + batch * 20 + row))))).await);
    }
    report("upsert of 20 rows at 100,000, compaction included", times);
    println!("scan of 100,000 rows: {:.0} ms", timed(strata.scan(&table("a"))).await);
    let mut times = Vec::new();
    for _ in 0..10 {
        let strata = LanceStrata::open(folder.path(), CacheLimits::of(64 << 20)).await.unwrap();
        times.push(timed(strata.search(&table("a"), &Probe { limit: 1, ..words("word7") })).await);
    }
    report("opening and a first search by words", times);
    println!("end: {} MB resident", resident_mb());
}

/// Measures the number of rows from which it is faster to compare signs first.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes"]
async fn signs() {
    let folder = tempfile::tempdir().unwrap();
    let strata = LanceStrata::open(folder.path(), CacheLimits::of(64 << 20)).await.unwrap();
    let mut filled = 0;
    for rows in [1_000, 2_000, 5_000, 10_000, 20_000, 50_000] {
        strata.apply(&table("a"), upserts((filled..rows).map(long))).await.unwrap();
        filled = rows;
        for (what, signs_from) in [("all vectors", usize::MAX), ("signs first", 0)] {
            let memory = CacheLimits { signs_from, ..CacheLimits::of(256 << 20) };
            let strata = LanceStrata::open(folder.path(), memory).await.unwrap();
            let probe = |number: i64| Probe { vector: Some(long(number * 37).vector), limit: 400, ..Probe::default() };
            strata.search(&table("a"), &probe(0)).await.unwrap();
            let mut times = Vec::new();
            for number in 1..200 {
                times.push(timed(strata.search(&table("a"), &probe(number))).await);
            }
            report(&format!("search of {rows} rows, {what}"), times);
        }
    }
}

async fn searches(strata: &LanceStrata, rows: i64) {
    let tenth = Interval { start: long(rows / 2).cover.start, end: long(rows / 2 + rows / 10).cover.start };
    for (what, within) in [("no range", Interval::ALWAYS), ("range of 10 %", tenth)] {
        let filter = Filter { within, ..Filter::default() };
        for (leg, vector, text) in [("both", true, true), ("vector", true, false), ("words", false, true)] {
            let mut times = Vec::new();
            for number in 0..30 {
                let probe = Probe {
                    vector: vector.then(|| long(number * 37).vector),
                    text: text.then(|| format!("word{} word{} word{}", number % 50, number * 7, number * 31)),
                    language: "en".into(),
                    filter: filter.clone(),
                    limit: 50,
                    exact: 0,
                };
                times.push(timed(strata.search(&table("a"), &probe)).await);
            }
            report(&format!("search of {rows} rows, {what}, {leg}"), times);
        }
    }
}

/// Returns the turn of minute `number`, with fifteen words out of some thousands, common ones more often.
fn long(number: i64) -> Part {
    let mut seed = number as u64 + 1;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as f32 / (1u64 << 31) as f32
    };
    let text: Vec<String> = (0..15).map(|_| format!("word{}", (random().powi(3) * 5_000.0) as u32)).collect();
    let vector: Vec<f32> = (0..LONG).map(|_| random() - 0.5).collect();
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    let start = instant(at("2020-01-01T00:00:00Z").as_microsecond() + number * 60_000_000);
    Part {
        vector: vector.iter().map(|number| number / length).collect(),
        cover: Interval { start, end: instant(start.as_microsecond() + 1) },
        ..part(&format!("t-{number:026}"), 0, &text.join(" "))
    }
}

async fn timed<T>(work: impl Future<Output = annals_core::Result<T>>) -> f64 {
    let start = Instant::now();
    work.await.unwrap();
    start.elapsed().as_secs_f64() * 1_000.0
}

fn report(what: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    let at = |percent: usize| times[(times.len() - 1) * percent / 100];
    println!("{what}: p50 {:.2} ms, p95 {:.2} ms, {} MB resident", at(50), at(95), resident_mb());
}

fn resident_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or(0) / 1_024
}
