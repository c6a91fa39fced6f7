//! Retention plans for users: what each plan keeps, what is past a plan before anything is deleted, and what was deleted.

use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::command::Annals;
use crate::service::Served;
use crate::story::days;

fn with_summaries() -> Annals {
    let annals = Annals::new();
    annals.import(&days("ann", 40, 2));
    annals.json(&["rollup"]);
    annals
}

#[test]
fn plans_list_what_they_keep() {
    let annals = Annals::new();
    let shown = annals.run(&["plans"]);
    let free = shown.out.lines().find(|line| line.starts_with("free")).unwrap_or_default();
    assert_eq!(
        free, "free      keeps messages 48h, days 30d, weeks 6w, months 6mo, quarters 4q, years 2y",
        "{}",
        shown.err
    );
    assert!(shown.out.contains("keep      keeps everything"), "{}", shown.out);
    let plans = annals.json(&["plans"]);
    let free = plans["plans"].as_array().unwrap().iter().find(|plan| plan["name"] == "free").unwrap();
    assert_eq!((&free["keeps"]["working"], &free["keeps"]["yearly"]), (&json!("48h"), &json!("2y")));
    // A custom plan is listed as well.
    annals.import(&days("ann", 1, 1));
    std::fs::create_dir(annals.data().join("retention")).unwrap();
    let mine = "working = \"7d\"\ndaily = \"forever\"\nweekly = \"forever\"\nmonthly = \"forever\"\n\
        quarterly = \"forever\"\nyearly = \"forever\"\n";
    std::fs::write(annals.data().join("retention/mine.toml"), mine).unwrap();
    assert!(annals.run(&["plans"]).out.contains("mine      keeps messages 7d, days forever"));
}

#[test]
fn setting_a_plan_reports_what_is_past_it() {
    let annals = with_summaries();
    let set = annals.run(&["agent", "set", "ann", "--plan", "free"]);
    assert!(set.out.contains("keeps messages 48h, days 30d"), "{}", set.out);
    assert!(
        set.out.contains("129 memories are past this plan and will be removed: 80 working, 40 daily"),
        "{}",
        set.out
    );
    assert!(set.out.contains("`annals retain --dry-run` lists them"), "{}", set.out);
    // As JSON, and only after a change of plan.
    let set = annals.json(&["agent", "set", "ann", "--plan", "free"]);
    assert_eq!(set["past_plan"]["grains"]["working"], json!(80), "{set}");
    assert_eq!(annals.json(&["agent", "show", "ann"]).get("past_plan"), None);
    let kept = annals.json(&["agent", "set", "ann", "--plan", "keep"]);
    assert_eq!(kept["past_plan"]["memories"], json!(0));
}

#[test]
fn retain_reports_what_it_prunes() {
    let annals = with_summaries();
    annals.json(&["agent", "set", "ann", "--plan", "free"]);
    let preview = annals.run(&["retain", "--dry-run"]);
    assert!(preview.out.contains("the plan free keeps messages 48h"), "{}", preview.out);
    assert!(preview.out.contains("would be pruned") && preview.out.contains("working: 80 memories"), "{}", preview.out);
    let done = annals.run(&["retain", "--trust-clock"]);
    assert!(done.out.contains(" pruned, "), "{}", done.out);
    assert!(!done.out.contains("would be pruned"), "{}", done.out);
    assert!(annals.run(&["retain", "--trust-clock"]).out.contains("0 memories pruned"));
}

#[tokio::test]
async fn service_lists_plans_and_reports_what_is_past_one() {
    let served = Served::over(with_summaries());
    let (status, plans) = served.get("/v1/plans").await;
    assert_eq!(status, StatusCode::OK, "{plans}");
    assert!(plans["plans"].as_array().unwrap().iter().any(|plan| plan["keeps"]["working"] == "48h"), "{plans}");
    let change = json!({ "plan": "free" });
    let (_, set) = served.ask(Method::PUT, "/v1/agents/ann/settings", None, Some(&change)).await;
    assert_eq!(set["past_plan"]["grains"]["working"], json!(80), "{set}");
}
