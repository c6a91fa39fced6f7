//! The tokens that one agent may cost on one day, which begins at midnight UTC.
//!
//! The order of what searches find has a budget of its own: however much is asked, summaries are written, and the other way round.

use annals_core::ports::Replies;
use annals_core::{Agent, Date, Error, Purpose, Result, Timestamp};
use jiff::tz::TimeZone;

/// Whether `need` tokens are left of `limit`, of which the kinds of work that `counts` names have taken.
pub(super) async fn afford(
    replies: &dyn Replies,
    agent: &Agent,
    counts: fn(Purpose) -> bool,
    (need, limit): (u64, u64),
    now: Timestamp,
) -> Result<()> {
    let today = now.to_zoned(TimeZone::UTC).date();
    let usage = replies.usage(agent, midnight(today, now)).await?;
    let of_today = usage.iter().filter(|usage| usage.day == today && counts(usage.purpose));
    let spent: u64 = of_today.map(|usage| usage.tokens_in + usage.tokens_out).sum();
    if spent.saturating_add(need) <= limit {
        return Ok(());
    }
    let again = today.tomorrow().map_or(Timestamp::MAX, |tomorrow| midnight(tomorrow, Timestamp::MAX));
    Err(Error::Budget { limit, again })
}

fn midnight(day: Date, otherwise: Timestamp) -> Timestamp {
    day.to_zoned(TimeZone::UTC).map_or(otherwise, |midnight| midnight.timestamp())
}
