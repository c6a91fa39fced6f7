//! The built-in engine: a summary is a selection of the input's sentences, in order of time, within a budget of words.
//!
//! Purely lexical: the same on every processor, free, and without a model. Reads messages (without `mails` that others wrote)
//! by sentence (`reading`: `clean`, `labels`, `spacing`, `wrapped`, `split`, `openers`, `pronouns`, `full_names`, `dates`),
//! rates whether each stands alone (`dependence`, `continuations`, and for records `record`, `definite`, `reports`, `status`,
//! `entries`) and its content (`worth`: `word_kinds`, `events`, `news`, `vague`, `salience`, `recurrence`), selects the best without
//! repetition (`choose`) and formats them (`lines`). Without any, there is a line for `small_talk`. Sentences of a sealed base
//! compete with late ones. Never rewords: a line is one sentence of a turn, one sentence with those that depend on it, or a
//! whole message of a short day. Words are removed (remarks, links, cuts marked "…") or added: names for pronouns and surnames,
//! dates in brackets, the message before a reply (`replies`), what the writer corrected (`corrections`), the sender of a
//! mail, and in records the name of their subject (`story`). All turns that contributed words are the sources of a line.

mod budget;
mod candidates;
mod choose;
mod clean;
mod continuations;
mod corrections;
mod dates;
mod definite;
mod dependence;
mod ellipsis;
mod entries;
mod events;
mod explain;
mod full_names;
mod labels;
mod language;
mod lines;
mod mails;
mod names;
mod news;
mod openers;
mod pronouns;
mod questions;
mod reading;
mod record;
mod recurrence;
mod replies;
mod reports;
mod salience;
mod small_talk;
mod spacing;
pub(crate) mod split;
mod status;
mod story;
#[cfg(test)]
mod tests;
mod tokens;
mod unnamed;
mod vague;
mod verbs;
mod word_kinds;
mod worth;
mod wrapped;

use std::panic::{AssertUnwindSafe, catch_unwind};

use annals_core::ports::SummaryTask;
use annals_core::{Author, Base, Digest, Draft, Engine, Error, Grain, Memory, Result, Sentence, Settings};
use async_trait::async_trait;

use candidates::Input;
pub use explain::{Step, explain};
pub(crate) use language::Language;

use crate::word_limit::word_limit;

/// Part of the recipe that is stored with each summary. Change it with every change to this folder that can change a summary,
/// so that older summaries are recognised as outdated.
const VERSION: &str = "extractive 19";

/// The built-in engine for summaries.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extractive;

#[async_trait]
impl Engine for Extractive {
    fn recipe(&self, _settings: &Settings, grain: Grain) -> Digest {
        Digest::of([VERSION, grain.as_str(), &word_limit(grain).to_string()])
    }

    fn author(&self, _settings: &Settings, _grain: Grain) -> Option<Author> {
        Some(Author { engine: VERSION.to_owned(), model: None, prompt: None })
    }

    /// Selects the sentences of a summary. Fails only if a rule panics: such a defect must not stop the summaries of other
    /// periods. Never waits.
    async fn summarize(&self, task: SummaryTask<'_>) -> Result<Draft> {
        catch_unwind(AssertUnwindSafe(|| written(task)))
            .map_err(|_| Error::model(format!("summarising {}", task.period), "the built-in engine failed"))
    }
}

fn written(task: SummaryTask<'_>) -> Draft {
    let grain = task.period.grain();
    match task.base {
        Some(base) if task.sources.is_empty() => kept(base),
        Some(base) => amended(grain, base, task.sources, earlier(task)),
        None => draft(grain, sentences(grain, None, task.sources, earlier(task)), true),
    }
}

/// Returns the turns before the day of the summary, which may contain names for the entries of a record.
fn earlier(task: SummaryTask<'_>) -> &[Memory] {
    task.background.map_or(&[], |background| &background.earlier)
}

/// Returns the base as a draft, unchanged.
fn kept(base: &Base) -> Draft {
    let Base { text, sentences, verbatim, .. } = base.clone();
    Draft { text, sentences, tokens: 0, ungrounded: 0, verbatim }
}

/// Amends a base with late turns. Keeps the base unchanged if neither it nor the late turns have a sentence worth quoting.
fn amended(grain: Grain, base: &Base, late: &[Memory], earlier: &[Memory]) -> Draft {
    let sentences = sentences(grain, Some(base), late, earlier);
    if sentences.is_empty() { kept(base) } else { draft(grain, sentences, base.verbatim) }
}

fn draft(grain: Grain, sentences: Vec<Sentence>, verbatim: bool) -> Draft {
    Draft { text: lines::set(grain, &sentences), sentences, tokens: 0, ungrounded: 0, verbatim }
}

/// Returns the chosen sentences. Empty only if there is a base and no sentence is worth quoting.
fn sentences(grain: Grain, base: Option<&Base>, sources: &[Memory], earlier: &[Memory]) -> Vec<Sentence> {
    let input = Input::of(grain, base, sources, earlier);
    let pool = input.pool();
    let chosen = choose::within(grain, input.budget, &pool);
    if chosen.is_empty() && base.is_none() {
        let head = lines::head(grain, input.sources[0].days.0, None);
        return vec![small_talk::sentence(&input.sources, input.has_notes(), input.budget.room(&head))];
    }
    chosen.into_iter().map(|index| pool[index].sentence.clone()).collect()
}

/// Returns the sources in the order of the catalog, so that the order of the argument does not affect the result.
fn in_order(sources: &[Memory]) -> Vec<&Memory> {
    let mut sources: Vec<&Memory> = sources.iter().collect();
    sources.sort_by_key(|memory| (memory.at(), memory.conversation(), memory.message(), &memory.id));
    sources
}
