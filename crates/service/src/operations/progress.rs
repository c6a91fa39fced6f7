//! Progress of long operations, reported to the caller in stages.

/// A receiver of the progress of a long operation.
pub trait ProgressSink: Sync {
    /// Begins a stage with this many items. The stage ends when the returned value is dropped.
    fn begin(&self, stage: &str, items: u64) -> Box<dyn Stage>;

    /// Returns whether the progress is displayed. If not, an operation need not determine the amount of work in advance.
    fn is_shown(&self) -> bool;

    /// Returns whether the operation should end early, once the work that it has begun is saved.
    fn should_stop(&self) -> bool {
        false
    }
}

/// A stage of an operation, such as `embedding`. Ends when it is dropped.
pub trait Stage: Send + Sync {
    /// Adds a number of finished items.
    fn advance(&self, items: u64);

    /// Shows a note about the work, in place of the previous note.
    fn note(&self, _text: &str) {}
}

/// A receiver that ignores progress.
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
