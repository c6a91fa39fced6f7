//! The dashboard and the alerts use only metrics listed in infra/README.md, and together they use all but two of these.

use std::collections::BTreeSet;

fn read(file: &str) -> String {
    let path = format!("{}/../../infra/{file}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns all metric names, without the suffixes that Prometheus adds to a histogram.
fn metrics(text: &str) -> BTreeSet<String> {
    let is_part = |character: char| character.is_ascii_lowercase() || character == '_';
    let words = text.split(|character| !is_part(character)).filter(|word| word.starts_with("annals_"));
    let base = |word: &str| word.trim_end_matches("_bucket").trim_end_matches("_count").to_owned();
    words.map(base).collect()
}

#[test]
fn dashboard_and_alerts_use_the_listed_metrics() {
    let promised = metrics(&read("README.md"));
    assert!(promised.len() > 20, "{promised:?}");
    let shown = metrics(&read("grafana/annals.json"));
    let watched = metrics(&read("prometheus/annals.rules.yml"));
    let watched_in_cluster = metrics(&read("prometheus/cluster.rules.yml"));
    let used: BTreeSet<String> = [shown, watched, watched_in_cluster].into_iter().flatten().collect();
    assert_eq!(used.difference(&promised).collect::<Vec<_>>(), Vec::<&String>::new());
    let unseen: Vec<&String> = promised.difference(&used).collect();
    assert_eq!(unseen, ["annals_dead_letters", "annals_http_requests_in_flight"], "too small for a panel");
}
