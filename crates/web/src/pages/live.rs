//! Notifies open pages of changes by server-sent events. An event has no content; the browser loads the parts of the page
//! again, with the same checks as for the whole page.
//!
//! A stream ends after a minute, or when the service stops. The browser then connects again, and the visitor is checked as for
//! any page. The number of streams is bounded, because each holds a connection.

use std::convert::Infallible;
use std::time::Duration;

use annals_core::ports::Scope;
use annals_core::{Agent, Digest, Result};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures::stream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, sleep, sleep_until};

use super::Shown;
use crate::fields::Query;
use crate::link;
use crate::site::Site;
use crate::visit::{Visitor, empty};

/// Interval of keep-alive comments, which keep proxies from closing the connection.
const KEEP_ALIVE: Duration = Duration::from_secs(20);
/// Delay before a browser connects again.
const RETRY: Duration = Duration::from_secs(2);

/// A stream of events, with the state of the page that the browser last got.
struct Watch {
    site: Site,
    agent: Option<Agent>,
    last: String,
    ends: Instant,
    is_first: bool,
    _permit: OwnedSemaphorePermit,
}

/// Serves `GET /events?agent=…&since=…`: a stream of events about an agent, or for the operator without an agent. Answers 503
/// if too many streams are open.
pub(crate) async fn events(
    State(site): State<Site>,
    visitor: Visitor,
    headers: HeaderMap,
    Query(query): Query,
) -> Shown {
    visitor.needs(Scope::Search)?;
    let agent = match query.get("agent") {
        // The agent need not exist: a first import creates it while its page is open.
        Some(name) => Some(site.service.agent(&visitor.caller, name).await?),
        None => {
            visitor.needs_all()?;
            None
        }
    };
    let Ok(_permit) = site.streams.clone().try_acquire_owned() else {
        return Ok(([(header::RETRY_AFTER, "15")], empty(StatusCode::SERVICE_UNAVAILABLE)).into_response());
    };
    let seen = headers.get("last-event-id").and_then(|id| id.to_str().ok()).or_else(|| query.get("since"));
    let last = match seen {
        Some(seen) => seen.to_owned(),
        None => pulse(&site, agent.as_ref()).await?,
    };
    let lifetime = site.stream_times.lifetime;
    let watch = Watch { site, agent, last, ends: Instant::now() + lifetime, is_first: true, _permit };
    let events = Sse::new(stream::unfold(watch, next)).keep_alive(KeepAlive::new().interval(KEEP_ALIVE));
    // Without this header some proxies would hold the events back.
    Ok(([(HeaderName::from_static("x-accel-buffering"), "no")], events).into_response())
}

/// Returns a comment at first, which sets the delay for connecting again. Then waits for the next change and returns its event.
/// Returns `None` at the end of the stream, and if the state of the page cannot be read.
async fn next(mut watch: Watch) -> Option<(std::result::Result<Event, Infallible>, Watch)> {
    if std::mem::take(&mut watch.is_first) {
        return Some((Ok(Event::default().retry(RETRY).comment("open")), watch));
    }
    loop {
        let pulse = pulse(&watch.site, watch.agent.as_ref()).await.ok()?;
        if pulse != watch.last {
            watch.last.clone_from(&pulse);
            return Some((Ok(Event::default().event("change").id(pulse).data("change")), watch));
        }
        tokio::select! {
            () = watch.site.stop.cancelled() => return None,
            () = sleep_until(watch.ends) => return None,
            () = sleep(watch.site.stream_times.pause) => {}
        }
    }
}

/// Returns a string that changes when the content of a page of this agent changes. Without an agent, it changes when the
/// process accepts a message of any agent, an import makes progress, or a job begins or ends.
async fn pulse(site: &Site, agent: Option<&Agent>) -> Result<String> {
    if let Some(agent) = agent {
        return site.service.pulse(agent).await;
    }
    let mut parts = vec![site.service.pulse_of_all()];
    if let Some(jobs) = site.host.as_ref().and_then(|host| host.jobs()) {
        let status = jobs.status().await;
        parts.extend(status.iter().map(|job| format!("{} {} {}", job.name, job.runs.ended, job.runs.is_running())));
    }
    Ok(Digest::of(parts).to_string()[..16].to_owned())
}

/// Returns the address of the events of a page, or `None` if the visitor may not receive them. Must be called before the page
/// reads anything, so that no change is missed. Events without an agent concern the whole process, so only the operator
/// receives them.
pub(super) async fn address(site: &Site, visitor: &Visitor, agent: Option<&Agent>) -> Result<Option<String>> {
    let may_see = visitor.caller.may(Scope::Search) && (agent.is_some() || visitor.is_operator());
    if !may_see {
        return Ok(None);
    }
    let since = pulse(site, agent).await?;
    let agent = agent.map(|agent| ("agent", agent.name()));
    Ok(Some(link::with("/events", agent.into_iter().chain([("since", since.as_str())]))))
}
