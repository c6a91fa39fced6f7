//! Variables of each prompt. The first part of a context (the frame) is visible in both parts of the prompt. The second part
//! (the data) contains text of conversations and is visible in the user part only.

use serde::Serialize;

use super::{Prompt, fence};

/// All variables of one prompt.
#[derive(Clone, Debug)]
pub(crate) enum Context {
    /// Variables of a summary of one of the five grains.
    Summary(SummaryFrame, SummaryData),
    /// Variables of a merge of partial summaries.
    Merge(SummaryFrame, MergeData),
    /// Variables of an amendment of a sealed period.
    Amend(SummaryFrame, AmendData),
    /// Variables of the extraction of facts.
    Extraction(ExtractionFrame, ExtractionData),
}

/// Variables that describe the summary to write, such as its period, length and language. They contain no text of a
/// conversation, so both parts of the prompt may use them.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SummaryFrame {
    /// Label of the period, as `2026-W10`.
    pub(crate) period: String,
    /// First day of the cover of the period, as `2026-03-02`.
    pub(crate) first_day: String,
    /// Last day of the cover of the period.
    pub(crate) last_day: String,
    pub(crate) words: usize,
    /// Weekday of the first day.
    pub(crate) weekday: String,
    /// Name of the time zone of the days.
    pub(crate) zone: String,
    /// English name of the language of the sources; empty if it is not known.
    pub(crate) language: &'static str,
    /// An example in that language; empty if there is none, or no room for it.
    pub(crate) example: &'static str,
}

/// Sources of a summary, with background. All but `sources` are empty if there is no such background.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct SummaryData {
    /// Name and description of the agent, fenced.
    pub(crate) agent: String,
    /// Known facts about the names in the sources, fenced.
    pub(crate) known: String,
    /// The end of the summary of the previous period, fenced.
    pub(crate) before: String,
    /// Numbered lines, fenced.
    pub(crate) sources: String,
}

/// Partial summaries to merge.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct MergeData {
    /// Numbered sentences, fenced.
    pub(crate) sources: String,
}

/// A sealed summary, and the sources that arrived after it was sealed.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct AmendData {
    /// Numbered sentences of the sealed summary, fenced.
    pub(crate) base: String,
    /// Numbered lines of the late sources, fenced. The numbers continue those of `base`.
    pub(crate) sources: String,
}

/// Variables that describe the extraction. They contain no text of a conversation.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ExtractionFrame {
    /// Day of the last turn to read.
    pub(crate) today: String,
    /// Weekday of that day.
    pub(crate) weekday: String,
    /// Name of the time zone of the days.
    pub(crate) zone: String,
    /// Maximum facts from one turn.
    pub(crate) facts: usize,
    /// Maximum operations from one turn.
    pub(crate) operations: usize,
    /// English name of the language of the turns; empty if it is not known.
    pub(crate) language: &'static str,
    /// An example in that language; empty if there is none, or no room for it.
    pub(crate) example: &'static str,
}

/// Turns to extract facts from, with background. All but `sources` are empty if there is no such background.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ExtractionData {
    /// Names of the speakers, fenced.
    pub(crate) speakers: String,
    /// Known facts about the speakers and the names in the turns, fenced.
    pub(crate) known: String,
    /// Names of predicates, fenced.
    pub(crate) predicates: String,
    /// Preceding turns, fenced.
    pub(crate) context: String,
    /// Numbered turns, fenced.
    pub(crate) sources: String,
}

/// Returns a small context. A prompt is rendered with it to check it when it is set.
pub(crate) fn sample(prompt: Prompt) -> Context {
    let frame = SummaryFrame {
        period: "2026-W10".into(),
        first_day: "2026-03-02".into(),
        last_day: "2026-03-08".into(),
        words: 300,
        weekday: "Monday".into(),
        zone: "Europe/Lisbon".into(),
        language: "English",
        example: "[1] An example.",
    };
    let sources = fence("sources", "[1] 2026-03-04 Ann moved to Lisbon.\n[2] 2026-03-05 Bob came to help.");
    match prompt {
        Prompt::Extraction => Context::Extraction(
            ExtractionFrame {
                today: "2026-03-04".into(),
                weekday: "Wednesday".into(),
                zone: "Europe/Lisbon".into(),
                facts: 8,
                operations: 8,
                language: "English",
                example: "[1] An example.",
            },
            ExtractionData {
                speakers: fence("speakers", "Ann, Bob"),
                known: fence("known", "- Ann, lives_in, Porto (since 2025-06-01)"),
                predicates: fence("predicates", "lives_in, likes"),
                context: fence("context", "2026-03-04 09:00 Bob: How was the move?"),
                sources: fence("sources", "[1] 2026-03-04 09:01 Ann: Done! I live in Lisbon now."),
            },
        ),
        Prompt::Amend => {
            let base = fence("base", "[1] 2026-03-04 Ann moved to Lisbon.");
            let sources = fence("sources", "[2] 2026-03-05 Ann's landlord is called Rui.");
            Context::Amend(frame, AmendData { base, sources })
        }
        Prompt::Merge => Context::Merge(frame, MergeData { sources }),
        _ => Context::Summary(
            frame,
            SummaryData {
                agent: fence("agent", "helper\nLooks after the household."),
                known: fence("known", "- Ann, lives_in, Porto (since 2025-06-01)"),
                before: fence("before", "Ann looked for a flat."),
                sources,
            },
        ),
    }
}
