//! The field of the timeline for going to a day, week, month, quarter, year or decade.

use annals_core::{Agent, Error};
use annals_service::Service;
use maud::{Markup, html};

use crate::link;
use crate::timeline::{Window, around, labelled};

/// Returns the window that a text names; `None` without a text, or if the text names no time.
pub(super) async fn target(service: &Service, agent: &Agent, text: Option<&str>) -> Result<Option<Window>, Error> {
    let Some(text) = text else { return Ok(None) };
    let now = service.now();
    let today = service.zones(agent).await?.day_of(now);
    if let Some(window) = labelled(text, today) {
        return Ok(Some(window));
    }
    Ok(service.days_named(agent, text, now).await?.map(|(from, to)| around(from, to)))
}

/// Draws the field. If its text names no time, the timeline shows `window` again.
pub(super) fn form(agent: &str, window: Window) -> Markup {
    html! {
        form.jump method="get" action=(link::agent(agent, "")) {
            input type="hidden" name="period" value=(window);
            label.hidden for="go" { "Go to a day, week, month or year" }
            input #go name="go" size="12" maxlength="60" required placeholder="2026-W24, March" autocomplete="off" dir="auto";
            button type="submit" { "Go" }
        }
    }
}

/// Draws the message for a text that names no time.
pub(super) fn missed(text: Option<&str>) -> Markup {
    html! {
        @if let Some(text) = text {
            p.notice role="status" { "“" bdi { (text) } "” names no time. Write 2026-06-10, 2026-W24, 2026-06, 2026-Q2, 2026 or 2020s, or words such as “last week” or “March 2026”." }
        }
    }
}
