//! Limits results to a budget of tokens. Keeps the best results that fit, whole. Pure.

use annals_core::{Found, tokens};

/// Drops results that no longer fit; a shorter one further down may still fit.
pub(crate) fn budget(results: Vec<Found>, most: Option<u64>) -> Vec<Found> {
    let Some(most) = most else { return results };
    let mut left = most;
    let fits = |found: &Found| {
        let needed = tokens(&found.memory.text);
        let fits = needed <= left;
        left -= if fits { needed } else { 0 };
        fits
    };
    let mut fits = fits;
    results.into_iter().filter(|found| fits(found)).collect()
}
