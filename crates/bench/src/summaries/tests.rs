//! Replays the committed answers for the demo. The minimums lie a little below the figures of `docs/models.md`. So the tests
//! fail if the check of sources becomes worse, the reader of answers breaks or a file is damaged.

use std::path::Path;

use annals_core::Grain;

use annals_testkit::{Dialect, ModelServer};

use super::measures::Kept;
use super::*;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/summaries").join(name)
}

async fn replayed(planted: bool) -> Report {
    judge(&demo(planted)).await.unwrap()
}

fn demo(planted: bool) -> Summaries {
    Summaries {
        messages: repository().join("crates/annals/demo/messages.jsonl"),
        queries: None,
        agent: None,
        answers: Some(fixture("demo/today.jsonl")),
        periods: None,
        sources: Some(fixture("demo/sources.jsonl")),
        freeze: None,
        references: Some(fixture("demo/references.jsonl")),
        questions: None,
        models: None,
        base_url: None,
        model: None,
        key_env: None,
        replay: None,
        planted,
        grounding: None,
        contradiction: 0.9,
        unsupported: false,
        json: false,
    }
}

/// Any API and all settings of models can be judged, and the end of the week before is shown as in a roll-up.
#[tokio::test]
async fn model_of_a_configuration_is_judged_and_shown_the_week_before() {
    let server = ModelServer::speaking(Dialect::Anthropic, []);
    let file = tempfile::NamedTempFile::new().unwrap();
    let config = format!(
        "[server]\nlisten = \"127.0.0.1:1\"\n[models]\napi = \"anthropic\"\nbase_url = \"{}\"\nmodel = \"test\"\nkey = \"sk\"\n\
         daily_tokens = 0\n",
        server.base_url()
    );
    std::fs::write(file.path(), config).unwrap();
    let args = Summaries { answers: None, sources: None, models: Some(file.path().to_owned()), ..demo(false) };
    let report = judge(&args).await.unwrap();
    let weeks = &report.sums[&(Grain::Weekly, "endpoint")];
    assert!(weeks.summaries > 1 && weeks.tokens > 0, "{weeks:?}");
    let asked: Vec<String> = server.requests().iter().map(|request| request.body.to_string()).collect();
    assert!(asked.iter().any(|request| request.contains("<before id=")), "{}", asked.last().unwrap());
}

#[test]
fn configuration_without_models_is_an_error() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "[server]\n").unwrap();
    let args = Summaries { answers: None, models: Some(file.path().to_owned()), ..demo(false) };
    let error = Writer::of(&args).err().unwrap().to_string();
    assert!(error.contains("has no table [models]"), "{error}");
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
