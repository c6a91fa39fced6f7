//! Renders requests and reads answers about a period without an endpoint, to record the answers of a model or a person and to
//! judge them later.

use annals_core::ports::{ExtractionTask, SummaryTask};
use annals_core::{Draft, Error, Result};
use serde_json::Value;

use super::extraction::ExtractionPrompts;
use super::form::Form;
use super::grounding::EntailmentCheck;
use super::lines;
use super::sentences;
use super::subject::Subject;
use super::summary::{draft, words_for};
use crate::config::Ungrounded;
use crate::prompts::Prompt;

/// A window that is large enough for every period in one request.
const WINDOW: u64 = 1 << 20;

/// Maximum tokens of the background of an extraction request.
const BACKGROUND: u64 = 1_000;

/// Returns the two messages, instructions and data, that ask for the summary of a period in one request. Ignores a sealed
/// summary in `task.base`.
pub fn question_of(task: &SummaryTask<'_>) -> Result<[String; 2]> {
    let (zones, grain) = (task.settings.zones()?, task.period.grain());
    let all = lines::of(grain, task.sources, &zones)?;
    let words = words_for(grain, &all);
    let rendered = Subject::new(task, zones, &all).render(Prompt::of(grain), &[], &all, words, WINDOW)?;
    Ok([rendered.system, rendered.user])
}

/// Returns the two messages that ask for the facts of a task's turns in one request, with at most 1,000 tokens of background.
pub fn extraction_question_of(task: &ExtractionTask<'_>) -> Result<[String; 2]> {
    let rendered = ExtractionPrompts::whole(task, BACKGROUND)?;
    Ok([rendered.system, rendered.user])
}

/// Reads an answer to the request of [`question_of`] as an endpoint does: every sentence is traced and checked. Removes orders,
/// credentials, sentences of the prompt's example, sentences with content of the background alone, and sentences beyond twice
/// the word limit. Always marks sentences without support and never drops them. The rules judge, and a model if one is given.
/// Fails with [`Error::Model`] if no usable sentence is left, or if there are at least three and none has support.
pub async fn draft_of(task: &SummaryTask<'_>, answer: &Value, entailment: Option<&EntailmentCheck>) -> Result<Draft> {
    let (zones, grain) = (task.settings.zones()?, task.period.grain());
    let all = lines::of(grain, task.sources, &zones)?;
    let subject = Subject::new(task, zones, &all);
    let read = sentences::read(answer, &all).map_err(|problem| Error::model(Form::Summary.name(), problem))?;
    let mut drafted = sentences::within(words_for(grain, &all) * 2, read);
    let ungrounded = subject.check(&mut drafted, &all, Ungrounded::Mark, entailment).await?;
    Ok(draft(grain, drafted, ungrounded, 0))
}
