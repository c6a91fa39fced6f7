//! Statistics of measured times.

use std::time::Duration;

use hdrhistogram::Histogram;

/// Returns a histogram in microseconds with three significant digits. Times over a minute count as a minute.
pub(crate) fn histogram(times: impl Iterator<Item = Duration>) -> Histogram<u64> {
    let mut histogram =
        Histogram::new_with_max(60_000_000, 3).expect("a minute in microseconds with 3 digits is allowed");
    for time in times {
        histogram.saturating_record(u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
    }
    histogram
}

/// Returns a quantile of times in microseconds, converted to milliseconds.
pub(crate) fn quantile_ms(histogram: &Histogram<u64>, quantile: f64) -> f64 {
    round(histogram.value_at_quantile(quantile) as f64 / 1000.0)
}

/// Converts a duration to milliseconds, rounded to two decimals.
pub(crate) fn in_ms(time: Duration) -> f64 {
    round(time.as_secs_f64() * 1000.0)
}

/// Rounds to two decimals.
pub(crate) fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
