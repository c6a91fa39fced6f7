//! Progress of long operations, reported in stages to whoever called them.

/// Receives the progress of a long operation.
pub trait ProgressSink: Sync {
    /// Begins a stage with this many items. The stage ends when the returned value is dropped.
    fn begin(&self, stage: &str, items: u64) -> Box<dyn Stage>;

    /// Returns whether anybody sees the progress. If not, no work is done only to know how much there is.
    fn is_shown(&self) -> bool;

    /// Returns whether the caller wants the operation to end as soon as what it has begun is saved.
    fn should_stop(&self) -> bool {
        false
    }
}

/// A stage of an operation.
pub trait Stage: Send + Sync {
    /// Adds finished items.
    fn advance(&self, items: u64);

    /// Shows how the work goes, in place of what was shown so before.
    fn note(&self, _text: &str) {}
}

/// Ignores progress.
pub struct NoProgress;

struct Ignored;

impl ProgressSink for NoProgress {
    fn begin(&self, _: &str, _: u64) -> Box<dyn Stage> {
        Box::new(Ignored)
    }

    fn is_shown(&self) -> bool {
        false
    }
}

impl Stage for Ignored {
    fn advance(&self, _: u64) {}
}
