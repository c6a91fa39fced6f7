//! What each prompt may name. The first part of each context is for both parts of the prompt, the second, which holds words
//! of conversations, for the user part alone.

use serde::Serialize;

use super::{Prompt, fence};

/// All that one prompt is filled in with.
#[derive(Clone, Debug)]
pub(crate) enum Context {
    /// For the five grains.
    Summary(SummaryFrame, SummaryData),
    /// For partial summaries.
    Merge(SummaryFrame, MergeData),
    /// For a sealed period.
    Amend(SummaryFrame, AmendData),
    /// For facts.
    Extraction(ExtractionFrame, ExtractionData),
}

/// What is to be written.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SummaryFrame {
    /// Label of the period.
    pub(crate) period: String,
    /// First day of its cover.
    pub(crate) first_day: String,
    /// Last day of its cover.
    pub(crate) last_day: String,
    /// The most words.
    pub(crate) words: usize,
}

/// What a summary is made of.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct SummaryData {
    /// Numbered lines, fenced.
    pub(crate) sources: String,
}

/// What partial summaries say.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct MergeData {
    /// Numbered sentences, fenced.
    pub(crate) sources: String,
}

/// What a sealed summary says, and what came late.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct AmendData {
    /// Numbered sentences of the sealed summary, fenced.
    pub(crate) base: String,
    /// Numbered lines of what came late, fenced; numbers go on from those of the base.
    pub(crate) sources: String,
}

/// Where facts are looked for.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ExtractionFrame {
    /// The day of the turns.
    pub(crate) today: String,
    /// Its weekday.
    pub(crate) weekday: String,
    /// The most facts from one turn.
    pub(crate) facts: usize,
    /// The most operations from one turn.
    pub(crate) operations: usize,
}

/// What facts are looked for in. All but `sources` are empty where there are none.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ExtractionData {
    /// Names, fenced.
    pub(crate) speakers: String,
    /// Facts about those who are named, fenced.
    pub(crate) known: String,
    /// Names of predicates, fenced.
    pub(crate) predicates: String,
    /// Turns before, fenced.
    pub(crate) context: String,
    /// Numbered turns, fenced.
    pub(crate) sources: String,
}

/// A small context, by which a prompt is tried when it is set.
pub(crate) fn sample(prompt: Prompt) -> Context {
    let frame = SummaryFrame {
        period: "2026-W10".into(),
        first_day: "2026-03-02".into(),
        last_day: "2026-03-08".into(),
        words: 300,
    };
    let sources = fence("sources", "[1] 2026-03-04 Ann moved to Lisbon.\n[2] 2026-03-05 Bob came to help.");
    match prompt {
        Prompt::Extraction => Context::Extraction(
            ExtractionFrame { today: "2026-03-04".into(), weekday: "Wednesday".into(), facts: 8, operations: 8 },
            ExtractionData {
                speakers: fence("speakers", "Ann, Bob"),
                known: fence("known", "- Ann, lives_in, Porto"),
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
        _ => Context::Summary(frame, SummaryData { sources }),
    }
}
