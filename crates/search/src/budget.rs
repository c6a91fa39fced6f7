//! A budget of tokens for results: the best that fit, whole. Pure.

use annals_core::{Found, tokens};

/// Leaves out what no longer fits; what is shorter further down may.
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
