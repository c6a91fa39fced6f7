//! Events for pages: they contain only that something changed, their streams are limited in number and time, and end with the
//! service.

use std::time::Duration;

use annals_web::StreamTimes;
use axum::body::BodyDataStream;
use futures::StreamExt;

use super::*;

const EVENTS: &str = "/events?agent=zebra-seven";

/// Returns a site with streams that check for changes often and end soon.
async fn hasty(lifetime: u64) -> (World, Site) {
    let (world, site) = world().await;
    let stream_times = StreamTimes { pause: Duration::from_millis(5), lifetime: Duration::from_millis(lifetime) };
    (world, Site { stream_times, ..site })
}

async fn open(browser: &Browser, path: &str) -> (u16, BodyDataStream) {
    let mut request = Request::builder().uri(path).header(header::HOST, "localhost");
    if let Some(cookie) = &browser.cookie {
        request = request.header(header::COOKIE, cookie);
    }
    let response = browser.app.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    (response.status().as_u16(), response.into_body().into_data_stream())
}

async fn next(events: &mut BodyDataStream) -> Option<String> {
    Some(String::from_utf8(events.next().await?.unwrap().to_vec()).unwrap())
}

#[tokio::test]
async fn event_follows_a_change_and_names_nothing() {
    let (world, site) = hasty(60_000).await;
    let browser = Browser::with(&site, "search").await;
    let (status, mut events) = open(&browser, EVENTS).await;
    assert_eq!(status, 200);
    assert!(next(&mut events).await.unwrap().contains("retry:"));
    let agent = Agent::new(AGENT).unwrap();
    fixture::ingest(&world.service, &agent, vec![message("2026-03-09T10:00:00Z", "Azores again")]).await;
    let event = next(&mut events).await.unwrap();
    assert!(event.contains("event: change") && event.contains("id: "), "{event}");
    tells_nothing(EVENTS, &event.into());
}

#[tokio::test]
async fn page_that_is_older_than_the_memory_gets_an_event_at_once() {
    let (_, site) = hasty(60_000).await;
    let browser = Browser::with(&site, "search").await;
    let (_, mut events) = open(&browser, "/events?agent=zebra-seven&since=former").await;
    next(&mut events).await.unwrap();
    assert!(next(&mut events).await.unwrap().contains("event: change"));
}

#[tokio::test]
async fn stream_ends_after_a_while_and_with_the_service() {
    let (_, site) = hasty(50).await;
    let browser = Browser::with(&site, "search").await;
    let (_, mut events) = open(&browser, EVENTS).await;
    while let Some(event) = next(&mut events).await {
        assert!(!event.contains("change"), "{event}");
    }
    // With the default times a stream lasts a minute, and ends at once with the service.
    let site = Site { stream_times: StreamTimes::default(), ..site };
    let browser = Browser::with(&site, "search").await;
    let (_, mut events) = open(&browser, EVENTS).await;
    next(&mut events).await.unwrap();
    site.stop.cancel();
    assert_eq!(next(&mut events).await, None);
    drop(events);
    assert_eq!(site.streams.available_permits(), 64, "every stream has given its place back");
}

#[tokio::test]
async fn streams_are_bounded_and_need_what_the_page_needs() {
    let (_, site) = world().await;
    let browser = Browser::with(&site, "search").await;
    let taken = site.streams.clone().try_acquire_many_owned(64).unwrap();
    assert_eq!(open(&browser, EVENTS).await.0, 503);
    drop(taken);
    assert_eq!(open(&browser, EVENTS).await.0, 200);
    // The foreign key gets the events of the agent with this name in its own workspace.
    for (name, of_agent, of_all) in
        [("ingest", 403, 403), ("foreign", 200, 403), ("bound", 404, 403), ("admin", 200, 200)]
    {
        let browser = Browser::with(&site, name).await;
        assert_eq!(open(&browser, EVENTS).await.0, of_agent, "{name}");
        assert_eq!(open(&browser, "/events").await.0, of_all, "{name}");
    }
    assert_eq!(open(&Browser::new(&site), EVENTS).await.0, 303);
}
