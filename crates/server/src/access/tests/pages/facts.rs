//! The page that compares the facts of two days.

use super::*;

#[tokio::test]
async fn fact_that_began_after_a_thousand_others_is_shown_as_begun() {
    let (world, site) = world().await;
    let agent = Agent::new(AGENT).unwrap();
    let earlier = (0..1000).map(|number| message("2026-02-01T10:00:00Z", &format!("Box has_part part-{number}.")));
    fixture::ingest(&world.service, &agent, earlier.collect()).await;
    world.service.read_for_facts(&agent, &|_| ()).await.unwrap();
    let browser = Browser::with(&site, "search").await;
    let page = browser.get("/agents/zebra-seven/facts?as_of=2026-03-01&compare=2026-03-09").await;
    assert!(page.text.contains("Bern") && !page.text.contains("part-"), "{}", page.text);
}
