//! The summary to write. Renders the requests for it and checks the answers. Does not call the model.

use annals_core::ports::SummaryTask;
use annals_core::{Error, Grain, Result, Zones};

use super::background;
use super::content::{Content, share_from};
use super::grounding::{self, EntailmentCheck, Evidence};
use super::lines::{self, Line};
use super::sentences::CitedSentence;
use crate::config::Ungrounded;
use crate::extractive::Language;
use crate::prompts::{
    AmendData, Context, MergeData, Prompt, Rendered, SummaryData, SummaryFrame, example, fence, language_name,
};

/// Smallest context window with room for an example beside instructions, answer and messages.
pub(super) const MIN_WINDOW_FOR_EXAMPLE: u64 = 8_192;

/// A summary of at least this many sentences is refused if the sources support none of them. With fewer sentences, this may be
/// a false alarm.
const UNSUPPORTED: usize = 3;

/// Minimum share of the content words of a summary that its sources contain. A summary with a smaller share is refused if it is
/// in the language of the sources. Good summaries have more than half; the inventions of a small model have few.
const MIN_SHARE: f64 = 0.2;

/// Minimum content words of a summary that is compared with its sources by [`MIN_SHARE`].
const MIN_COMPARED: usize = 8;

/// Minimum characters of a sentence that is looked for in the example, and removed if it is there. A shorter sentence may occur
/// there by chance.
const OF_EXAMPLE: usize = 20;

/// The period to summarise, with its input and language.
pub(super) struct Subject<'a> {
    task: &'a SummaryTask<'a>,
    grain: Grain,
    zones: Zones,
    language: Language,
}

impl<'a> Subject<'a> {
    /// Returns the subject of a task. Detects the language from the lines.
    pub(super) fn new(task: &'a SummaryTask<'a>, zones: Zones, lines: &[Line]) -> Subject<'a> {
        let language = Language::of_texts(lines.iter().map(|line| line.text.as_str()));
        Subject { task, grain: task.period.grain(), zones, language }
    }

    /// Checks like [`Subject::check_by_rules`], and by a model of entailment if there is one.
    pub(super) async fn check(
        &self,
        drafted: &mut Vec<CitedSentence>,
        lines: &[Line],
        policy: Ungrounded,
        entailment: Option<&EntailmentCheck>,
    ) -> Result<u32> {
        let mut faults = self.mark(drafted, lines);
        if let Some(entailment) = entailment {
            faults += entailment.mark(drafted, lines).await;
        }
        self.keep(drafted, lines, policy).map_err(|problem| self.problem(&problem))?;
        Ok(if policy == Ungrounded::Drop { 0 } else { faults })
    }

    /// Removes sentences of the example and those with content of the background alone. Marks or drops those that the sources
    /// do not support, as configured. Fails if no sentence is left, or if there are at least three and none is supported. Also
    /// fails if the sources have hardly any words of the summary: the model did not read them.
    pub(super) fn check_by_rules(
        &self,
        drafted: &mut Vec<CitedSentence>,
        lines: &[Line],
        policy: Ungrounded,
    ) -> std::result::Result<(), String> {
        self.mark(drafted, lines);
        self.keep(drafted, lines, policy)
    }

    /// Removes what comes from the example or the background, and marks what the lines do not support. Returns the number of
    /// faults.
    fn mark(&self, drafted: &mut Vec<CitedSentence>, lines: &[Line]) -> u32 {
        let example = example(self.language, self.grain);
        drafted.retain(|sentence| !is_of_example(&sentence.text, example));
        let background = background::texts(self.task.background);
        let aliases = background::aliases(self.task.background);
        let has_names = self.language != Language::German;
        grounding::mark(drafted, Evidence { lines, background: &background, aliases: &aliases, has_names })
    }

    /// Drops marked sentences if that is configured. The error says why what is left is no summary of the lines.
    fn keep(
        &self,
        drafted: &mut Vec<CitedSentence>,
        lines: &[Line],
        policy: Ungrounded,
    ) -> std::result::Result<(), String> {
        if policy == Ungrounded::Drop {
            drafted.retain(|sentence| !sentence.ungrounded);
        }
        let has_support = drafted.iter().any(|sentence| !sentence.ungrounded);
        if drafted.is_empty() || (!has_support && drafted.len() >= UNSUPPORTED) {
            return Err("the sources support none of its sentences".into());
        }
        if self.is_invented(drafted, lines) {
            return Err("its words are not those of the sources".into());
        }
        Ok(())
    }

    /// Returns whether a summary in the language of its sources has hardly any of their words.
    fn is_invented(&self, drafted: &[CitedSentence], lines: &[Line]) -> bool {
        let written = || drafted.iter().map(|sentence| sentence.text.as_str());
        let sources = Content::of(lines.iter().flat_map(|line| [line.head.as_str(), line.text.as_str()]));
        let share = share_from(&sources, written(), MIN_COMPARED);
        share.is_some_and(|share| share < MIN_SHARE) && Language::of_texts(written()) == self.language
    }

    fn frame(&self, words: usize, window: u64) -> SummaryFrame {
        let (first, last) = self.task.period.cover_days();
        SummaryFrame {
            period: self.task.period.to_string(),
            first_day: first.to_string(),
            last_day: last.to_string(),
            words,
            weekday: first.strftime("%A").to_string(),
            zone: self.zones.name_at(self.zones.cover(self.task.period).start).to_owned(),
            language: language_name(self.language),
            example: if window < MIN_WINDOW_FOR_EXAMPLE { "" } else { example(self.language, self.grain) },
        }
    }

    pub(super) fn render(
        &self,
        prompt: Prompt,
        base: &[Line],
        lines: &[Line],
        words: usize,
        window: u64,
    ) -> Result<Rendered> {
        let frame = self.frame(words, window);
        let sources = fence("sources", &lines::numbered(lines, base.len() + 1));
        let context = match prompt {
            Prompt::Amend => {
                let base = fence("base", &lines::numbered(base, 1));
                Context::Amend(frame, AmendData { base, sources })
            }
            Prompt::Merge => Context::Merge(frame, MergeData { sources }),
            _ => {
                let blocks = background::blocks(self.task.agent, self.task.background, &self.zones, window / 4);
                Context::Summary(frame, SummaryData { sources, ..blocks })
            }
        };
        prompt.render(self.task.settings, &context)
    }

    pub(super) fn problem(&self, problem: &str) -> Error {
        Error::model(format!("summarising {}", self.task.period), problem)
    }
}

/// Returns whether a sentence repeats the example of the prompt, as small models do.
pub(super) fn is_of_example(text: &str, example: &str) -> bool {
    text.chars().count() >= OF_EXAMPLE && example.contains(text.trim())
}
