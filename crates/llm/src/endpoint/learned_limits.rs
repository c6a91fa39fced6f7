//! What earlier requests have shown about a model: the limits that its server reports, those that its refusals name, its speed,
//! and the tokens that its reasoning needs.
//!
//! Nothing here is stored. After a restart, the first requests show it again.

use parking_lot::Mutex;
use tokio::sync::OnceCell;

use super::channel::locked;
use super::learned_shape::LearnedShape;
use super::limits::Limits;
use super::speed::Speed;
use crate::config::Model;

/// Smallest limit of the tokens of an answer that is read from a refusal. Smaller numbers there are versions or the ends of
/// ranges, and shorter answers hold no summary.
const MIN_OUTPUT: u64 = 256;

/// Limits of a request, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    /// Maximum tokens of request and answer together.
    pub(super) window: u64,
    /// Maximum tokens of the answer, reasoning included.
    pub(super) max_output_tokens: u64,
}

/// What earlier requests have shown about a model, shared by all purposes that use it with the same setting `json`.
#[derive(Debug)]
pub(super) struct LearnedLimits {
    pub(super) limits: OnceCell<Limits>,
    /// The limits after the first answer, if the first ones were preliminary.
    pub(super) final_limits: OnceCell<Limits>,
    pub(super) speed: Speed,
    pub(super) shape: LearnedShape,
    /// Tokens that reasoning has been found to need in addition to the configured maximum of an answer.
    reasoning: Mutex<u64>,
    /// Maximum tokens of request and answer, as the refusal of a longer request named it; [`u64::MAX`] before.
    window: Mutex<u64>,
    /// Maximum tokens of an answer, as a refusal of a larger limit has shown it; [`u64::MAX`] before.
    output: Mutex<u64>,
}

impl LearnedLimits {
    pub(super) fn new(model: &Model) -> LearnedLimits {
        LearnedLimits {
            limits: OnceCell::new(),
            final_limits: OnceCell::new(),
            speed: Speed::default(),
            shape: LearnedShape::of(model),
            reasoning: Mutex::default(),
            window: Mutex::new(u64::MAX),
            output: Mutex::new(u64::MAX),
        }
    }

    /// Returns the newest limits that the server reported; `None` before it has reported any.
    pub(super) fn known_limits(&self) -> Option<Limits> {
        self.final_limits.get().or(self.limits.get()).copied()
    }

    /// Returns the limits of a request, for a model with this window and this configured maximum of an answer.
    pub(super) fn sizes(&self, window: u64, max_output_tokens: u64) -> Sizes {
        let window = window.min(*locked(&self.window));
        let wanted = (max_output_tokens + *locked(&self.reasoning)).min(*locked(&self.output));
        // A window smaller than configured must leave room for the request.
        Sizes { window, max_output_tokens: wanted.min(window / 2) }
    }

    /// Allows twice as many tokens for all further answers, if the server writes so many, and if that is at most half of the
    /// window and leaves room for a request of `count` tokens. Returns whether it does.
    pub(super) fn allow_more_reasoning(&self, sizes: Sizes, count: u64) -> bool {
        let Sizes { window, max_output_tokens } = sizes;
        let doubled = max_output_tokens * 2;
        let fits = doubled <= *locked(&self.output) && doubled <= window / 2 && count + doubled <= window;
        if fits {
            *locked(&self.reasoning) += max_output_tokens;
        }
        fits
    }

    /// Keeps the window that the refusal of a longer request names.
    pub(super) fn lower_window(&self, window: u64) {
        *locked(&self.window) = window;
    }

    /// Keeps the limit of answers that the refusal of a larger one shows: the one that it names, otherwise half of the refused
    /// one. Never raises the limit. Returns false and keeps nothing if that would be too little for an answer.
    pub(super) fn lower_output(&self, refused: u64, numbers: &[u64]) -> bool {
        let limit = named_limit(refused, numbers).unwrap_or(refused / 2);
        if limit >= MIN_OUTPUT {
            let mut output = locked(&self.output);
            *output = limit.min(*output);
        }
        limit >= MIN_OUTPUT
    }

    /// Lowers the limit of answers like [`LearnedLimits::lower_output`], but only if the refusal names one.
    pub(super) fn lower_output_to_named(&self, refused: u64, numbers: &[u64]) {
        if named_limit(refused, numbers).is_some() {
            self.lower_output(refused, numbers);
        }
    }
}

/// Returns the largest number of a refusal below the refused limit.
fn named_limit(refused: u64, numbers: &[u64]) -> Option<u64> {
    numbers.iter().copied().filter(|number| (MIN_OUTPUT..refused).contains(number)).max()
}
