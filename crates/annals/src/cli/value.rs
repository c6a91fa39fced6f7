//! Value parsers for command-line arguments, and their error messages.

use std::str::FromStr;

use annals_core::{Date, Direction, EngineChoice, Grain, Kind, Period, Timestamp};
use annals_service::wire::When;

const MOMENT: &str = "expected a time such as 2026-03-04T18:30:00Z or a date such as 2026-03-04";

pub(super) fn grain(text: &str) -> Result<Grain, String> {
    text.parse().map_err(|error: annals_core::Error| error.to_string())
}

pub(super) fn period(text: &str) -> Result<Period, String> {
    text.parse().map_err(|error: annals_core::Error| error.to_string())
}

pub(super) fn kind(text: &str) -> Result<Kind, String> {
    text.parse().map_err(|error: annals_core::Error| error.to_string())
}

pub(super) fn direction(text: &str) -> Result<Direction, String> {
    text.parse().map_err(|error: annals_core::Error| error.to_string())
}

pub(super) fn engine(text: &str) -> Result<EngineChoice, String> {
    match text {
        "auto" => Ok(EngineChoice::Auto),
        "extractive" => Ok(EngineChoice::Extractive),
        _ => Err("expected one of auto, extractive".into()),
    }
}

/// Parses a whole number. Give the argument `allow_negative_numbers`; otherwise clap takes a negative number for an option, and
/// this error message is never shown.
pub(super) fn number<N: FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| "it must be a whole number, and not below zero".to_owned())
}

/// Parses an amount of money; the operation checks its range. Give the argument `allow_negative_numbers`, as for [`number`].
pub(super) fn amount(text: &str) -> Result<f64, String> {
    let amount = text.parse().ok().filter(|amount: &f64| amount.is_finite());
    amount.ok_or_else(|| "it must be a number such as 0.15".to_owned())
}

/// A limit that can be removed: the number, or `None` for the word none. Clap would take an `Option` for an optional argument.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit(pub Option<u64>);

pub(super) fn limit(text: &str) -> Result<Limit, String> {
    let number = || text.parse().map(|number| Limit(Some(number)));
    if text == "none" { Ok(Limit(None)) } else { number().map_err(|_| "it must be a whole number or none".to_owned()) }
}

/// Parses a moment, or a day as its beginning in UTC. For arguments that belong to no agent.
pub(super) fn moment(text: &str) -> Result<Timestamp, String> {
    let of_day = format!("{text}T00:00:00Z");
    text.parse().or_else(|_| of_day.parse()).map_err(|_| MOMENT.to_owned())
}

/// Parses a moment, or a day in the agent's time zone.
pub(super) fn when(text: &str) -> Result<When, String> {
    text.parse().map_err(|_| MOMENT.to_owned())
}

pub(super) fn day(text: &str) -> Result<Date, String> {
    match text.parse::<Period>() {
        Ok(period) if period.grain() == Grain::Daily => Ok(period.first_day()),
        _ => Err("expected a valid date such as 2026-03-04".into()),
    }
}
