//! The limit on the length of a summary, which the built-in engine and the prompts for models share.

use annals_core::Grain;

/// Returns the maximum number of words of a summary of the grain: the most that the built-in engine writes, and that a prompt
/// asks a model for.
pub(crate) fn word_limit(grain: Grain) -> usize {
    match grain {
        Grain::Working | Grain::Daily => 200,
        Grain::Weekly => 300,
        Grain::Monthly => 400,
        Grain::Quarterly => 500,
        Grain::Yearly => 600,
    }
}
