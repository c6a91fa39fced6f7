//! Replays the committed answers for the demo. The minimums lie a little below the figures of `docs/models.md`. So the tests
//! fail if the check of sources becomes worse, the reader of answers breaks or a file is damaged.

use std::path::Path;

use annals_core::Grain;

use super::measures::Kept;
use super::*;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/summaries").join(name)
}

async fn replayed(planted: bool) -> Report {
    let args = Summaries {
        messages: repository().join("crates/annals/demo/messages.jsonl"),
        queries: None,
        agent: None,
        answers: Some(fixture("demo/today.jsonl")),
        periods: None,
        sources: Some(fixture("demo/sources.jsonl")),
        freeze: None,
        references: Some(fixture("demo/references.jsonl")),
        questions: None,
        base_url: None,
        model: None,
        key_env: None,
        replay: None,
        planted,
        grounding: None,
        contradiction: 0.9,
        unsupported: false,
        json: false,
    };
    judge(&args).await.unwrap()
}

fn percent(kept: Kept) -> f64 {
    kept.percent().unwrap()
}

#[tokio::test]
async fn replayed_answers_keep_their_figures() {
    let report = replayed(false).await;
    let check = |grain: Grain, summaries: usize, cited: f64, dates: f64, ungrounded: f64| {
        let sums = &report.sums[&(grain, "answers")];
        assert_eq!(sums.summaries, summaries, "{grain}");
        assert!(percent(sums.cited) >= cited, "{grain}: {:?} cited", sums.cited);
        assert!(percent(sums.dates) >= dates, "{grain}: {:?} dates", sums.dates);
        assert!(percent(sums.ungrounded) <= ungrounded, "{grain}: {:?} without support", sums.ungrounded);
    };
    check(Grain::Daily, 44, 58.0, 41.0, 9.0);
    check(Grain::Weekly, 12, 51.0, 53.0, 4.0);
    check(Grain::Monthly, 3, 31.0, 42.0, 22.0);
    check(Grain::Quarterly, 1, 29.0, 42.0, 17.0);
    check(Grain::Yearly, 1, 29.0, 42.0, 20.0);
    let [one, two, longest] = report.sums[&(Grain::Weekly, "answers")].rouge.means().unwrap();
    assert!(one >= 0.58 && two >= 0.32 && longest >= 0.49, "ROUGE {one} {two} {longest}");
}

#[tokio::test]
async fn planted_faults_are_found() {
    let planted = replayed(true).await.planted;
    let check = |kind: &str, found: f64| {
        let kept = planted.found[kind];
        assert!(percent(kept) >= found, "{kind}: {kept:?} found");
    };
    check("foreign name", 97.0);
    check("other name", 20.0);
    check("number", 95.0);
    check("date, 45 days off", 97.0);
    check("date, 3 days off", 60.0);
    check("negation", 50.0);
    check("order", 100.0);
    assert!(percent(planted.alarms) <= 9.0, "{:?} false alarms", planted.alarms);
}
