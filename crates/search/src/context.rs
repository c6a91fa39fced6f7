//! Collects the lines that help to answer a prompt: the caller's blocks, facts about the named entities and the speaker, the
//! last turns, the summaries of a period that the prompt asks for or else the newest summaries, search results, and parts of
//! the caller's documents. The lines have no repeats and fit a budget of tokens. If memory holds nothing about the prompt,
//! search results, summaries and facts about named entities are left out. If it hardly fits, a few search results and facts are
//! included, but no newest summaries. Facts about the speaker that do not resemble the prompt are left out in both cases,
//! unless the prompt is about the asker or small talk.
//!
//! The lines stand between marks that no text inside can close. Blocks come first: they are instructions written by whoever
//! administers the memory. Everything after them is data, and a note above it says so. Nothing is stored.

mod choose;
mod documents;
mod entities;
mod excerpt;
mod floor;
mod items;
mod known;
mod lasting;
mod likeness;
mod namesakes;
mod prompt_terms;
mod render;
mod scope;
mod small_talk;
mod speaker;

use std::collections::HashSet;

use annals_core::{
    Agent, Answer, Context, ContextKind, ContextQuery, DateRange, Error, Found, Kind, Query, Result, Settings,
    Timestamp,
};

use crate::Search;
use crate::placeholders::is_placeholder;
use crate::rerank::{Billing, RerankRequest};
use crate::times;
use floor::{Prompt, Relevance};
pub(crate) use items::as_line;
use items::{Candidate, Pool};
use known::Known;
use scope::{Scope, is_of_period, is_of_requested_period, is_told_of_period};

/// Tokens of a short context line. Determines how many search results are requested: as many as lines of this size fit the
/// budget, within the limits below.
const MIN_LINE_TOKENS: u64 = 20;
/// The fewest and the most search results that compete for the budget.
const MIN_RESULTS: u64 = 40;
const MAX_RESULTS: u64 = 200;

impl Search {
    /// Returns the context that memory adds to a prompt at `now`. Returns an error if the prompt is empty, the budget is 0, the
    /// range is empty, or the documents have too many parts.
    pub async fn context(&self, agent: &Agent, request: &ContextQuery, now: Timestamp) -> Result<Context> {
        let billing = Billing { access_key: None, now };
        Ok(self.conclude_context(self.gather_context(agent, request, now).await?, billing).await)
    }

    /// Runs the first half of a context, the part that uses this machine's processor: collects the candidates.
    pub async fn gather_context<'a>(
        &self,
        agent: &'a Agent,
        request: &'a ContextQuery,
        now: Timestamp,
    ) -> Result<GatheredContext<'a>> {
        check(request)?;
        // A model ranks all candidates together, once, in the second half.
        let unjudged = Search { rerank_config: None, ..self.clone() };
        let answer = unjudged.answer(agent, &query(request), now).await?;
        let settings = self.store.settings(agent).await?;
        let zones = settings.zones()?;
        let blocks = request.blocks.iter().enumerate();
        let mut candidates: Vec<Candidate> = blocks.map(|(index, block)| items::of_block(block, index)).collect();
        candidates.extend(self.last_turns(agent, request, answer.range, &zones, now).await?);
        let Known { named, speaker, subjects } = self.known(agent, request, answer.range, &zones, now).await?;
        let namesakes = namesakes::namesakes(&request.prompt, &subjects, &answer.results);
        let prompt = Prompt {
            text: &request.prompt,
            language: &settings.language,
            today: zones.day_of(now),
            subjects: &subjects,
            namesakes: &namesakes,
        };
        let relevance = relevance(&prompt, &answer);
        let scope = Scope::of(&answer, &prompt, &zones, now);
        let brings_all = relevance == Relevance::Strong || floor::is_about_the_asker(&prompt);
        let speaker = speaker.into_iter().filter(|fact| match scope {
            Scope::Period => is_of_period(&answer, fact.candidate.item.days),
            Scope::All => brings_all || fact.is_related,
        });
        candidates.extend(speaker.map(|fact| fact.candidate));
        let (documents, words_alone) = self.of_documents(request).await?;
        candidates.extend(documents);
        if relevance > Relevance::None {
            candidates.extend(named);
            candidates.extend(found(&answer, relevance, scope));
        }
        if relevance == Relevance::Strong && answer.period.is_none() {
            candidates.extend(self.newest_summaries(agent, answer.range, &zones, now).await?);
        }
        let mut candidates = without_repeats(candidates);
        if let Some(period) = answer.period {
            self.mark_lasting_lines(agent, period, &mut candidates, &zones, now).await?;
        }
        let query_words = query_words(&prompt, &answer, scope);
        let (range, words_alone) = (answer.range, answer.words_alone.or(words_alone));
        Ok(GatheredContext { agent, request, query_words, settings, range, candidates, relevance, words_alone })
    }

    /// Runs the second half of a context: waits for the reranking model, if there is one, then chooses the candidates that fit
    /// the budget. Books the call of the model as `billing` says.
    pub async fn conclude_context(&self, gathered: GatheredContext<'_>, billing: Billing<'_>) -> Context {
        let GatheredContext { agent, request, query_words, settings, range, mut candidates, relevance, words_alone } =
            gathered;
        // The model does not rank blocks, which always come first, or the last turns, which are included because they are the
        // last.
        let is_judged = |candidate: &Candidate| !matches!(candidate.pool, Pool::Blocks | Pool::LastTurn);
        let judged = candidates.iter().filter(|candidate| is_judged(candidate));
        let shown = self.shown(&settings, judged.map(|judged| (judged.item.text.clone(), judged.item.score)));
        let request_of_model = RerankRequest { agent, question: &request.prompt, billing };
        let (reranked, changes) = self.rerank(request_of_model, shown).await;
        for (candidate, change) in candidates.iter_mut().filter(|candidate| is_judged(candidate)).zip(changes) {
            candidate.item.score += change;
        }
        best_first(&mut candidates);
        let limits = choose::Limits { budget: request.budget, relevance, query_words: &query_words };
        let chosen = choose::choose(&candidates, &limits);
        let items = render::arrange(chosen.candidates);
        let text = render::render(&items);
        let (tokens, omitted) = (annals_core::tokens(&text), chosen.omitted);
        let is_known = relevance > Relevance::DOUBTFUL;
        Context { tokens, text, items, omitted, is_known, range, reranked, words_alone }
    }
}

/// Candidates for a context, before reranking and before the budget is applied.
pub struct GatheredContext<'a> {
    agent: &'a Agent,
    request: &'a ContextQuery,
    /// The words of the prompt by which sentences of a summary are chosen.
    query_words: Vec<String>,
    settings: Settings,
    range: DateRange,
    /// Without repeats, best first.
    candidates: Vec<Candidate>,
    relevance: Relevance,
    words_alone: Option<String>,
}

fn check(request: &ContextQuery) -> Result<()> {
    if request.prompt.trim().is_empty() {
        return Err(Error::invalid("prompt", "is empty"));
    }
    if request.budget == 0 {
        return Err(Error::invalid("budget", "is 0; nothing fits into it"));
    }
    Ok(())
}

fn query(request: &ContextQuery) -> Query {
    Query {
        text: Some(request.prompt.clone()),
        from: request.from,
        to: request.to,
        min_days_ago: request.min_days_ago,
        max_days_ago: request.max_days_ago,
        period: request.period,
        strict: request.strict,
        limit: usize::try_from((request.budget / MIN_LINE_TOKENS).clamp(MIN_RESULTS, MAX_RESULTS))
            .unwrap_or(usize::MAX),
        ..Query::default()
    }
}

/// Returns how well memory fits the prompt. The fit is strong if any result lies in the period that the prompt asks for.
fn relevance(prompt: &Prompt<'_>, answer: &Answer) -> Relevance {
    match answer.results.iter().any(|found| is_of_requested_period(answer, found)) {
        true => Relevance::Strong,
        false => floor::relevance(prompt, answer),
    }
}

/// Returns the search results as candidates, without placeholders and without those of other days than those of the scope.
/// There is no score threshold per result: low-ranking results cost few tokens in sum, and some of the evidence resembles the
/// prompt only through its neighbours. A threshold lost answers and saved nothing.
fn found(answer: &Answer, relevance: Relevance, scope: Scope) -> impl Iterator<Item = Candidate> + '_ {
    let pool = move |found: &Found| match found.memory.kind() {
        Kind::Summary if is_of_requested_period(answer, found) => Pool::Period,
        _ if relevance < Relevance::Strong => Pool::Few,
        _ => Pool::Found,
    };
    let is_within = move |found: &&Found| scope == Scope::All || is_told_of_period(answer, found);
    let results = answer.results.iter().filter(|found| !is_placeholder(&found.memory)).filter(is_within);
    results.map(move |found| items::of_memory(&found.memory, pool(found), found.score))
}

/// Returns the words of the prompt that name its topic: without words for times and neutral words such as "happened", which
/// would not make a sentence a better answer. A prompt about a period has no topic but the subjects that it names.
fn query_words(prompt: &Prompt<'_>, answer: &Answer, scope: Scope) -> Vec<String> {
    let words = |text: &String| prompt_terms::words(text);
    let dates: HashSet<String> = answer.times.iter().flat_map(|time| words(&time.words)).collect();
    let subjects: HashSet<String> = prompt.subjects.iter().flat_map(words).collect();
    let is_topic = |word: &String| match scope {
        Scope::Period => subjects.contains(word),
        Scope::All => !dates.contains(word) && !times::is_neutral(word),
    };
    prompt_terms::words(prompt.text).into_iter().filter(is_topic).collect()
}

fn best_first(candidates: &mut [Candidate]) {
    candidates.sort_by(|a, b| b.item.score.total_cmp(&a.item.score).then_with(|| a.item.id.cmp(&b.item.id)));
}

/// Removes repeats of an id, or of a text on the same days: keeps the copy among the last turns, or else the one that scores
/// best. The parts of a document of the caller share an id; those with different texts are all kept.
fn without_repeats(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    best_first(&mut candidates);
    // The last turns win over other copies, because they are included for being the last, not for their score.
    candidates.sort_by_key(|candidate| candidate.pool != Pool::LastTurn);
    let mut ids = HashSet::new();
    let mut texts = HashSet::new();
    candidates.retain(|Candidate { item, .. }| {
        let is_new = item.kind == ContextKind::Document || ids.insert((item.kind, item.id.clone()));
        // The same words on another day are a separate memory.
        is_new && texts.insert((item.days, annals_core::folded(&item.text)))
    });
    best_first(&mut candidates);
    candidates
}

#[cfg(test)]
mod tests;
