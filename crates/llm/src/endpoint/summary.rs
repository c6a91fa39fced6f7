//! Writes one summary. Input too long for one request is summarised in parts, and the parts are merged.

use annals_core::ports::{Engine, SummaryTask};
use annals_core::{Draft, Error, Grain, Purpose, Result};

use super::ask::{Job, Paid};
use super::channel::{MARGIN, MIN_ROOM};
use super::form::Form;
use super::lines::{self, Line};
use super::sentences::{self, CitedSentence};
use super::subject::Subject;
use super::{Endpoint, tokens};
use crate::Extractive;
use crate::prompts::{Prompt, Rendered};
use crate::word_limit::word_limit;

/// Minimum word limit of a daily or partial summary: room for one sentence.
const FLOOR: usize = 25;

/// Maximum rounds of partial summaries and merges, after which the summary fails. Each round has only a fraction of the parts
/// of the round before.
const MERGES: usize = 6;

/// Tokens that are assumed for each word of a partial summary in the next request, including its share of the number and date
/// in front.
const TOKENS_PER_WORD: u64 = 6;

/// Tokens that an answer has for each word of the summary, including its share of the JSON around it.
const TOKENS_PER_WORD_WRITTEN: u64 = 3;

/// Minimum tokens of room in a request that merges parts or amends a sealed summary, even if the server is slow.
const MIN_ROOM_TO_MERGE: u64 = 1_536;

/// Writes the summary of a period with the model for its grain. If the sources have no lines, the built-in engine writes it.
pub(super) async fn write(endpoint: &Endpoint, task: SummaryTask<'_>) -> Result<Draft> {
    let (zones, grain) = (task.settings.zones()?, task.period.grain());
    let late = lines::of(grain, task.sources, &zones)?;
    let base = task.base.map(|base| lines::of_base(base, task.period.cover_days().0)).unwrap_or_default();
    if late.is_empty() {
        // Without lines there is nothing to ask a model for.
        return Extractive.summarize(task).await;
    }
    let all = [base.clone(), late.clone()].concat();
    let way = endpoint.way(&task, zones.cover(task.period).end).await?;
    let job = Job {
        agent: task.agent,
        settings: task.settings,
        purpose: Purpose::of(grain),
        read_seq: task.read_seq,
        period: Some(task.period),
        about: zones.cover(task.period).end,
        now: task.now,
        way: &way,
        access_key: task.access_key,
    };
    // Saved answers are found by the digest of the request. A later pass reads the answers of a batch and must build the same
    // request, so the background is left out: it may have changed by then, because the previous period may have been
    // summarised in the same batch.
    let background = task.background.filter(|_| !way.has_no_hurry());
    let task = SummaryTask { background, ..task };
    let subject = Subject::new(&task, zones, &all);
    let mut scribe = Scribe { endpoint, subject, job, grain, tokens: 0 };
    let mut drafted = if task.base.is_some() { scribe.amended(base, late).await? } else { scribe.digest(late).await? };
    let entailment = endpoint.entailment.as_ref();
    let ungrounded = scribe.subject.check(&mut drafted, &all, endpoint.ungrounded, entailment).await?;
    Ok(draft(grain, drafted, ungrounded, scribe.tokens))
}

/// Converts the sentences of a model to the summary that is stored.
pub(super) fn draft(grain: Grain, drafted: Vec<CitedSentence>, ungrounded: u32, tokens: u64) -> Draft {
    Draft {
        text: sentences::set(grain, &drafted),
        ungrounded,
        sentences: drafted.into_iter().map(CitedSentence::sentence).collect(),
        tokens,
        verbatim: false,
    }
}

struct Scribe<'a> {
    endpoint: &'a Endpoint,
    subject: Subject<'a>,
    job: Job<'a>,
    grain: Grain,
    /// Tokens paid so far.
    tokens: u64,
}

impl Scribe<'_> {
    /// Summarises all lines, in parts if they are too long for one request. Fails if [`MERGES`] rounds are not enough.
    async fn digest(&mut self, all: Vec<Line>) -> Result<Vec<CitedSentence>> {
        let words = words_for(self.grain, &all);
        let mut prompt = Prompt::of(self.grain);
        let mut parts = lines::split(all, self.room(prompt).await?);
        for _ in 0..MERGES {
            if let [only] = parts.as_slice() {
                return self.ask(prompt, &[], only, words).await;
            }
            let room = self.room(Prompt::Merge).await?;
            let (mut partial, mut in_batch) = (Vec::new(), None);
            for part in &parts {
                let share = share(room, parts.len()).max(FLOOR).min(words_for(self.grain, part));
                match self.ask(prompt, &[], part, share).await {
                    // All parts go into one batch.
                    Err(error @ Error::InBatch) => in_batch = Some(error),
                    // The limit is strict, so that the number of parts falls in each round.
                    drafted => partial.extend(sentences::within(share * 3 / 2, drafted?)),
                }
            }
            if let Some(error) = in_batch {
                return Err(error);
            }
            prompt = Prompt::Merge;
            parts = lines::split(partial.iter().map(CitedSentence::line).collect(), room);
        }
        Err(self.problem("the context window is too small for the text to summarize"))
    }

    /// Amends the base with the late lines. Summarises the late lines first if both together are too long.
    async fn amended(&mut self, base: Vec<Line>, late: Vec<Line>) -> Result<Vec<CitedSentence>> {
        let room = self.room(Prompt::Amend).await?;
        let words = word_limit(self.grain).min(words(&base) + words_for(self.grain, &late));
        let fits = |late: &[Line]| lines::tokens(&base) + lines::tokens(late) <= room;
        if fits(&late) {
            return self.ask(Prompt::Amend, &base, &late, words).await;
        }
        let late: Vec<Line> = self.digest(late).await?.iter().map(CitedSentence::line).collect();
        if !fits(&late) {
            return Err(self.problem("the context window is too small for the sealed summary and the late messages"));
        }
        self.ask(Prompt::Amend, &base, &late, words).await
    }

    /// Sends one request. The lines of the base are numbered first.
    async fn ask(&mut self, prompt: Prompt, base: &[Line], lines: &[Line], words: usize) -> Result<Vec<CitedSentence>> {
        let all = [base, lines].concat();
        let window = self.endpoint.channel(self.job.purpose)?.sizes().await.window;
        let rendered = self.subject.render(prompt, base, lines, words, window)?;
        // What is refused here is asked for again, and is not saved as the answer to this request.
        let (subject, policy) = (&self.subject, self.endpoint.ungrounded);
        let read = |answer: &serde_json::Value| {
            let sentences = sentences::read(answer, &all)?;
            subject.check_by_rules(&mut sentences.clone(), &all, policy)?;
            Ok(sentences)
        };
        let Paid { value, tokens } = self.endpoint.ask(&self.job, Form::Summary, rendered, &read).await?;
        self.tokens += tokens;
        Ok(sentences::within(words * 2, value))
    }

    /// Returns the tokens available for the lines of one request: as many as the server reads and answers in about a minute.
    /// Parts are merged and sealed summaries amended in larger requests, because every further round of merging loses
    /// something. Requests of a batch use all that the window allows.
    async fn room(&self, prompt: Prompt) -> Result<u64> {
        let channel = self.endpoint.channel(self.job.purpose)?;
        let window = channel.sizes().await.window;
        let Rendered { system, user } = self.subject.render(prompt, &[], &[], word_limit(self.grain), window)?;
        let fixed = tokens::of_messages([system.as_str(), user.as_str()]) + MARGIN;
        let most = channel.most_room(fixed).await;
        if most < MIN_ROOM {
            return Err(self.problem(&format!(
                "prompt and answer leave no room for messages in a context window of {window} tokens"
            )));
        }
        if self.job.way.has_no_hurry() {
            return Ok(most);
        }
        let longest = word_limit(self.grain) as u64 * TOKENS_PER_WORD_WRITTEN;
        let fitting = channel.fitting_room(fixed, most, Some(longest));
        Ok(if matches!(prompt, Prompt::Merge | Prompt::Amend) {
            fitting.max(MIN_ROOM_TO_MERGE.min(most))
        } else {
            fitting
        })
    }

    fn problem(&self, problem: &str) -> Error {
        self.subject.problem(problem)
    }
}

/// Returns the maximum words of each partial summary, so that all `parts` of them fit into one request of `room` tokens.
fn share(room: u64, parts: usize) -> usize {
    usize::try_from(room / TOKENS_PER_WORD).unwrap_or(usize::MAX) / parts
}

/// Returns the maximum number of words that a prompt asks for in a summary of these lines: for a day a quarter of their words,
/// at least [`FLOOR`] and at most the limit of the grain; for longer periods that limit. An answer may have up to twice as many
/// words as were asked for; the rest is cut.
pub(super) fn words_for(grain: Grain, lines: &[Line]) -> usize {
    let limit = word_limit(grain);
    if grain == Grain::Daily { limit.min(FLOOR.max(words(lines) / 4)) } else { limit }
}

fn words(lines: &[Line]) -> usize {
    lines.iter().map(|line| sentences::length(&line.text)).sum()
}
