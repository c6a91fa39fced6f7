//! Answers a query: filters, searches by two legs per grain, ranks, reads back from the catalog, reranks, and drops results
//! that another result covers.

mod plan;

use annals_core::ports::{Access, Findings, Probe, Select, Spread, Table, Watermark};
use annals_core::{
    Agent, Answer, Compared, Date, DateRange, Error, Filter, Fit, Found, Grain, Memory, MemoryId, Query, Reranked,
    Result, TimeExpression, Timestamp, tokens,
};
use futures::future::try_join_all;
use std::collections::HashSet;

use crate::context::as_line;
use crate::placeholders::lower_placeholders;
use crate::query_vectors::QueryVectors;
use crate::question::{Question, without_words_for_now};
use crate::range::Bounds;
use crate::rank::{self, Correction, Ranked, Row, Support};
use crate::rerank::{Billing, RerankRequest};
use crate::score::{Part, Score};
use crate::times::{Understood, asks_for_a_period, understand};
use crate::{Search, drop_covered::drop_covered};
use plan::QueryPlan;

/// Tables with at most this many rows are scored completely: a month of a busy agent's turns, in under 10 ms. In larger tables
/// only the candidates of each leg are scored. Scoring 20,000 rows completely took three times as long as scoring 5,000, and
/// longer than scoring the candidates of 200,000 rows.
pub(crate) const EXACT: usize = 5_000;
/// Maximum number of rows that each leg returns from larger tables. Rises to twice the number of requested results, if that is
/// larger.
const CANDIDATES: usize = 400;
/// Number of the best memories that are read back from the catalog and scored by their content. Rises to twice the number of
/// requested results, if that is larger.
const READ: usize = 200;
/// Maximum number of times that a search of a table is repeated because a new generation has replaced the one it read.
const SWAPS: usize = 3;
/// The maximum number of results of one answer.
const MAX_RESULTS: usize = 1000;

impl Search {
    /// Returns the memories of one agent that match a query at `now`, best first. Without a text, the newest come first, and
    /// passages are left out unless the query asks for them.
    pub async fn answer(&self, agent: &Agent, query: &Query, now: Timestamp) -> Result<Answer> {
        self.conclude(self.gather(agent, query, now).await?, Billing { access_key: None, now }).await
    }

    /// Runs the first half of an answer, the part that uses this machine's processor: searches the tables and ranks the
    /// results. Returns an error if the limit is not within 1 to `MAX_RESULTS`, or the range is empty.
    pub async fn gather<'a>(&self, agent: &'a Agent, query: &'a Query, now: Timestamp) -> Result<Gathered<'a>> {
        if query.limit == 0 || query.limit > MAX_RESULTS {
            return Err(Error::invalid("limit", format!("is {}; 1 to {MAX_RESULTS} are allowed", query.limit)));
        }
        let settings = self.store.settings(agent).await?;
        let zones = settings.zones()?;
        let bounds = Bounds::of(query, &zones, now)?;
        let text = query.text.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let looked_at = text.filter(|_| !query.ignore_times).unwrap_or_default();
        let Understood { times, rest } =
            understand(looked_at, &settings.language, zones.name_at(now), zones.day_of(now));
        let period = period_of_query(bounds.days, &times, &rest, zones.day_of(now));
        let grains = self.grains(agent, query, &bounds).await?;
        let plan = QueryPlan { agent, query, text, settings, zones, bounds, grains, times, period, now };
        let vectors = QueryVectors::new(&*self.embedders, text.unwrap_or_default());
        let RankedRows { mut ranked, support, corrections, compared } = match text {
            Some(text) => self.ranked(&plan, text, &vectors).await?,
            None => RankedRows { ranked: self.newest(&plan).await?, ..RankedRows::default() },
        };
        let words_alone = vectors.words_alone();
        let summaries = self.of_period(&plan).await?;
        ranked.retain(|ranked| summaries.iter().all(|memory| memory.id != ranked.memory.id));
        Ok(Gathered { plan, ranked, summaries, support, corrections, compared, words_alone })
    }

    /// Runs the second half of an answer: waits for the reranking model, if there is one, then drops results that another
    /// result covers and applies the limits. Books the call of the model as `billing` says.
    pub async fn conclude(&self, gathered: Gathered<'_>, billing: Billing<'_>) -> Result<Answer> {
        let Gathered { plan, mut ranked, summaries, support, corrections, compared, words_alone } = gathered;
        let query = plan.query;
        let (reranked, conversations) = match plan.text {
            Some(text) => {
                let reranked = self.order(&plan, text, billing, &mut ranked).await;
                let mut conversations = rank::conversations(&ranked, &support, &self.weights);
                conversations.truncate(query.limit);
                rank::repeats(&mut ranked, &self.weights);
                rank::raise_corrections(&mut ranked, &corrections);
                lower_placeholders(&mut ranked);
                (reranked, conversations)
            }
            None => (Reranked::NotRequested, Vec::new()),
        };
        let first = summaries.iter().map(|memory| memory.id.clone()).collect();
        put_first(summaries, &mut ranked);
        let results = within_tokens(drop_covered(plan.found(ranked), query.limit, &first), query.tokens);
        let range_is_empty = results.is_empty() && self.is_empty(&plan).await?;
        let QueryPlan { grains, times, period, bounds, .. } = plan;
        let (range, cover) = (bounds.days_of(Grain::Working), bounds.days_of(Grain::Weekly));
        let summary_range = Some(cover).filter(|cover| *cover != range);
        Ok(Answer {
            range,
            summary_range,
            results,
            compared,
            range_is_empty,
            grains,
            times,
            period,
            conversations,
            reranked,
            words_alone,
        })
    }

    /// Reorders the best results by the reranking model. Expects the results sorted best first, and sorts them by their new
    /// scores.
    async fn order(
        &self,
        plan: &QueryPlan<'_>,
        question: &str,
        billing: Billing<'_>,
        ranked: &mut [Ranked],
    ) -> Reranked {
        let lines = ranked.iter().map(|ranked| (as_line(&ranked.memory), ranked.score.total()));
        let shown = self.shown(&plan.settings, lines);
        let request = RerankRequest { agent: plan.agent, question, billing };
        let (reranked, changes) = self.rerank(request, shown).await;
        for (ranked, change) in ranked.iter_mut().zip(changes) {
            ranked.score.add(Part::Rerank, change);
        }
        rank::sort_ranked(ranked);
        reranked
    }

    /// Returns the best memories with their scores, and turns near them that correct them.
    async fn ranked(&self, plan: &QueryPlan<'_>, text: &str, vectors: &QueryVectors<'_>) -> Result<RankedRows> {
        let mut question = Question::new(text, &plan.settings.language);
        question.about_now &= !plan.is_about_the_past();
        // A memory says "now" of its own time.
        let words = if question.about_now { without_words_for_now(text) } else { text.to_owned() };
        let probe = Probe {
            vector: None,
            text: Some(words),
            language: plan.settings.language.clone(),
            filter: Filter::default(),
            limit: CANDIDATES.max(plan.query.limit * 2),
            exact: self.exact,
        };
        let tables = try_join_all(plan.grains.iter().map(|grain| self.probe(plan, *grain, &probe, vectors))).await?;
        let (mut rows, conversations) = rank::all(tables, &self.weights.for_question(text));
        rank::neighbours(&mut rows, &self.weights);
        let support = rank::support(&mut rows, &conversations, &self.weights);
        let best = rank::best(&rows, READ.max(plan.query.limit * 2));
        let (mut ranked, corrections) = self.with_corrections(plan, &rows, best).await?;
        let named_times = plan.named_times();
        let wanted = rank::QuestionContext { question: &question, named_times: &named_times, now: plan.now };
        rank::content(&mut ranked, &wanted, &self.weights);
        rank::sort_ranked(&mut ranked);
        let Spread { rows, mean: mean_similarity, .. } = conversations.similarity;
        let compared = Compared { rows, mean_similarity, known_words: conversations.known_words };
        Ok(RankedRows { ranked, support, corrections, compared })
    }

    /// Reads the best rows back. Also reads the turns that soon follow the first of them, and keeps those that correct a turn.
    async fn with_corrections(
        &self,
        plan: &QueryPlan<'_>,
        rows: &[Row],
        mut best: Vec<Row>,
    ) -> Result<(Vec<Ranked>, Vec<Correction>)> {
        let followers = rank::followers(rows, &best);
        let only_following: HashSet<MemoryId> = followers.iter().map(|row| row.memory.clone()).collect();
        best.extend(followers);
        let mut ranked = self.read_back(plan, best.clone()).await?;
        let corrections = rank::find_corrections(&best, &ranked);
        let corrects = |id: &MemoryId| corrections.iter().any(|correction| correction.by == *id);
        ranked.retain(|ranked| !only_following.contains(&ranked.memory.id) || corrects(&ranked.memory.id));
        Ok((ranked, corrections))
    }

    /// Searches the table of a grain. If a rebuild has replaced the table's generation meanwhile, searches the new generation,
    /// at most [`SWAPS`] times.
    async fn probe(
        &self,
        plan: &QueryPlan<'_>,
        grain: Grain,
        probe: &Probe,
        vectors: &QueryVectors<'_>,
    ) -> Result<Findings> {
        let mut watermark = self.store.watermark(plan.agent, grain).await?;
        for _ in 0..SWAPS {
            let found = self.probe_generation(plan, grain, &watermark, probe, vectors).await;
            let after = self.store.watermark(plan.agent, grain).await?;
            if after.generation == watermark.generation {
                return found;
            }
            watermark = after;
        }
        self.probe_generation(plan, grain, &watermark, probe, vectors).await
    }

    async fn probe_generation(
        &self,
        plan: &QueryPlan<'_>,
        grain: Grain,
        watermark: &Watermark,
        probe: &Probe,
        vectors: &QueryVectors<'_>,
    ) -> Result<Findings> {
        let vector = match &watermark.model {
            Some(model) => vectors.by(model).await?,
            None => None,
        };
        let table = Table { agent: plan.agent.clone(), grain, generation: watermark.generation };
        self.strata.require(&table, watermark.applied).await?;
        self.strata.search(&table, &Probe { vector, filter: plan.filter(grain), ..probe.clone() }).await
    }

    /// Returns the summaries of the period that the question asks for, without those that the query's filters exclude.
    async fn of_period(&self, plan: &QueryPlan<'_>) -> Result<Vec<Memory>> {
        let Some(days) = plan.period else { return Ok(Vec::new()) };
        let grains = &plan.query.grains;
        let admits = |memory: &Memory| plan.admits(memory) && (grains.is_empty() || grains.contains(&memory.grain));
        let summaries = self.summaries_of(plan.agent, days, &plan.bounds, &plan.zones).await?;
        Ok(summaries.into_iter().filter(admits).collect())
    }

    /// Reads the rows back from the catalog, which is authoritative. Drops rows that the catalog no longer holds, and rows that
    /// no longer match the query according to the catalog's data.
    async fn read_back(&self, plan: &QueryPlan<'_>, rows: Vec<Row>) -> Result<Vec<Ranked>> {
        let ids: Vec<MemoryId> = rows.iter().map(|row| row.memory.clone()).collect();
        let mut scores =
            rows.into_iter().map(|row| (row.memory, (row.score, row.fit))).collect::<std::collections::HashMap<_, _>>();
        let recalled = self.store.recall(plan.agent, &ids).await?.into_iter();
        let ranked = |(memory, access): (Memory, Option<Access>)| {
            let (score, fit) = scores.remove(&memory.id).unwrap_or_default();
            Ranked { memory, access, score, fit }
        };
        Ok(recalled.filter(|(memory, _)| plan.admits(memory)).map(ranked).collect())
    }

    async fn newest(&self, plan: &QueryPlan<'_>) -> Result<Vec<Ranked>> {
        let mut found: Vec<Memory> = Vec::new();
        for grain in &plan.grains {
            found.extend(self.newest_of(plan, *grain).await?);
        }
        found.sort_by_key(|memory| (std::cmp::Reverse(memory.cover.end), memory.grain));
        Ok(found
            .into_iter()
            .map(|memory| Ranked { memory, access: None, score: Score::default(), fit: Fit::default() })
            .collect())
    }

    /// Lists the newest memories of a grain. The store does not apply `strict`, so it is applied here. Periods of one grain do
    /// not overlap, so `strict` drops at most one memory at each end of the range; therefore the limit of the listing is two
    /// higher.
    async fn newest_of(&self, plan: &QueryPlan<'_>, grain: Grain) -> Result<Vec<Memory>> {
        let limit = plan.query.limit + 2;
        let select = Select { kinds: plan.query.kinds.clone(), limit, ..plan.select(grain) };
        let listed = self.store.list(plan.agent, &select).await?;
        Ok(listed.into_iter().filter(|memory| plan.admits(memory)).collect())
    }

    /// Returns whether the range is without memories of the searched grains. Passages, and memories of periods that are not
    /// over, do not count. Considers only the query's conversation, if the query names one.
    async fn is_empty(&self, plan: &QueryPlan<'_>) -> Result<bool> {
        for grain in &plan.grains {
            // At most one period of a grain is not over, so of two at least one is.
            let select = Select { limit: 2, ..plan.select(*grain) };
            if self.store.list(plan.agent, &select).await?.iter().any(|memory| plan.bounds.is_over(memory)) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Returns the period that the question asks about as a whole: the range of the query or, without a start of the range, the
/// days from the first to the last that the question names. An open end means today. `None` if the question asks for something
/// else or there is no first day.
fn period_of_query(range: DateRange, times: &[TimeExpression], rest: &str, today: Date) -> Option<DateRange> {
    let from = range.from.or_else(|| times.iter().filter_map(|time| time.days.from).min())?;
    let named = || times.iter().map(|time| time.days.to.unwrap_or(today)).max();
    let to = if range.from.is_some() { range.to } else { named() };
    asks_for_a_period(rest).then_some(DateRange { from: Some(from), to: Some(to.unwrap_or(today)) })
}

/// Puts these summaries before all other results, in their order.
fn put_first(summaries: Vec<Memory>, ranked: &mut Vec<Ranked>) {
    let best = ranked.first().map_or(0.0, |ranked| ranked.score.total());
    let count = summaries.len();
    let first = summaries.into_iter().enumerate().map(|(index, memory)| {
        let mut score = Score::default();
        score.add(Part::Period, best + (count - index) as f64);
        Ranked { memory, access: None, score, fit: Fit::default() }
    });
    ranked.splice(0..0, first.collect::<Vec<_>>());
}

/// The first half of an answer: the ranked results of a query, before reranking.
pub struct Gathered<'a> {
    plan: QueryPlan<'a>,
    /// Best first.
    ranked: Vec<Ranked>,
    /// The summaries of the period that the question asks for, the coarsest grain first and each grain in order of time.
    summaries: Vec<Memory>,
    support: Support,
    corrections: Vec<Correction>,
    compared: Compared,
    words_alone: Option<String>,
}

/// The ranked memories, best first; without a text, the newest memories.
#[derive(Default)]
struct RankedRows {
    ranked: Vec<Ranked>,
    support: Support,
    corrections: Vec<Correction>,
    /// What the text was compared with, to judge how well memory fits it.
    compared: Compared,
}

/// Returns the best results that fit a budget of tokens, each whole; all of them without a budget. After one that does not fit,
/// a shorter one may still fit.
fn within_tokens(mut results: Vec<Found>, most: Option<u64>) -> Vec<Found> {
    let Some(mut left) = most else { return results };
    results.retain(|found| {
        let needed = tokens(&found.memory.text);
        let fits = needed <= left;
        left -= if fits { needed } else { 0 };
        fits
    });
    results
}

#[cfg(test)]
mod calendar;
#[cfg(test)]
mod tests;
