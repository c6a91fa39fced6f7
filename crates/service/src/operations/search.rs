//! Search by text, grain and date range, with a hint if little is found.

use annals_core::{Agent, Answer, Date, Error, Fault, Grain, Period, Query, Result, Timestamp};
use annals_search::Gathered;

use crate::Service;
use crate::wire::{MemoryView, SearchAnswer, SearchRequest};

/// Number of results below which an answer may contain a hint on where else to search.
const FEW: usize = 3;

/// Maximum bytes of a question. Words after the first 500 or so do not change the vector of the question.
const MAX_QUESTION_LENGTH: usize = 32 * 1024;

/// Maximum value of `min_days_ago` and `max_days_ago`. No message is older.
const MAX_DAYS: u32 = 1_000_000;

impl Service {
    /// Returns the memories that match, best first; without a query, the newest first. Fails if the request is out of range.
    pub async fn search(&self, agent: &Agent, request: SearchRequest, now: Timestamp) -> Result<SearchAnswer> {
        let query = query(request)?;
        let answer = self.answer(agent, &query, now).await?;
        let time_zone = self.parts.store.settings(agent).await?.present_zone().to_owned();
        let hint = (answer.results.len() < FEW).then(|| hint(&query, &answer)).flatten();
        Ok(SearchAnswer {
            agent: agent.name().to_owned(),
            time_zone,
            range: answer.range.into(),
            summary_range: answer.summary_range.map(Into::into),
            results: answer.results.iter().map(MemoryView::from).collect(),
            grains: answer.grains,
            said: answer.times.into_iter().map(Into::into).collect(),
            period: answer.period.map(Into::into),
            conversations: answer.conversations.into_iter().map(Into::into).collect(),
            reranked: answer.reranked.is_done(),
            not_reranked_because: answer.reranked.why_not().map(str::to_owned),
            range_is_empty: answer.range_is_empty,
            words_alone_because: answer.words_alone,
            incomplete_because: None,
            hint,
        })
    }

    /// Answers a query. If a table is damaged, rebuilds it and tries again. With a text, counts an access to each result.
    pub async fn answer(&self, agent: &Agent, query: &Query, now: Timestamp) -> Result<Answer> {
        if let Some(text) = &query.text {
            bounded("query", text)?;
        }
        let gathered = self.gather(agent, query, now).await?;
        // Holds no search permit: waiting for a model needs no core.
        let answer = self.parts.search.conclude(gathered, self.billing()).await?;
        self.check_vectors(answer.words_alone.as_deref())?;
        // Without a text, memories were listed and not searched for.
        if query.text.is_some() {
            self.access_counter.note(agent, answer.results.iter().map(|found| found.memory.id.clone()), now);
        }
        Ok(answer)
    }

    /// Fails if a replica has searched by words alone, because it cannot open a model. The process that writes may have it.
    pub(super) fn check_vectors(&self, words_alone_because: Option<&str>) -> Result<()> {
        match words_alone_because {
            Some(why) if self.parts.is_replica => Err(Error::unavailable("embedding the question", why.to_owned())),
            _ => Ok(()),
        }
    }

    async fn gather<'a>(&self, agent: &'a Agent, query: &'a Query, now: Timestamp) -> Result<Gathered<'a>> {
        match self.gather_once(agent, query, now).await {
            Err(error) => {
                self.mend_tables(agent, error, now).await?;
                self.gather_once(agent, query, now).await
            }
            gathered => gathered,
        }
    }

    async fn gather_once<'a>(&self, agent: &'a Agent, query: &'a Query, now: Timestamp) -> Result<Gathered<'a>> {
        let _permit = self.searches.acquire().await;
        self.parts.search.gather(agent, query, now).await
    }
}

/// Fails if a question is too long, because each word of it is looked up before any filter applies.
pub(super) fn bounded(field: &str, text: &str) -> Result<()> {
    if text.len() <= MAX_QUESTION_LENGTH {
        return Ok(());
    }
    let (size, most) = (text.len().div_ceil(1024), MAX_QUESTION_LENGTH / 1024);
    Err(Error::invalid(field, format!("has {size} KiB; {most} KiB are allowed; send only the question")))
}

/// The days that a request asks for. All bounds apply together.
pub(super) struct Days {
    pub(super) from: Option<Date>,
    pub(super) to: Option<Date>,
    pub(super) min_days_ago: Option<u32>,
    pub(super) max_days_ago: Option<u32>,
    pub(super) period: Option<String>,
}

impl Days {
    /// Returns a query for these days. Lists all faults of the bounds.
    pub(super) fn query(self) -> Result<Query> {
        let Days { from, to, min_days_ago, max_days_ago, period } = self;
        let mut faults = Vec::new();
        for (field, days) in [("min_days_ago", min_days_ago), ("max_days_ago", max_days_ago)] {
            if days.is_some_and(|days| days > MAX_DAYS) {
                faults.push(Fault::new(field, format!("is above {MAX_DAYS}")));
            }
        }
        let period = period.map(|label| label.parse::<Period>()).transpose().unwrap_or_else(|error| {
            faults.push(match error {
                Error::Invalid(fault) => fault,
                other => Fault::new("period", other.to_string()),
            });
            None
        });
        if !faults.is_empty() {
            return Err(Error::Faults(faults));
        }
        Ok(Query { from, to, min_days_ago, max_days_ago, period, ..Query::default() })
    }
}

fn query(request: SearchRequest) -> Result<Query> {
    let days = Days {
        from: request.from,
        to: request.to,
        min_days_ago: request.min_days_ago,
        max_days_ago: request.max_days_ago,
        period: request.period,
    };
    Ok(Query {
        text: request.query,
        grains: request.grains,
        ignore_times: request.ignore_times,
        strict: request.strict,
        kinds: request.kinds,
        conversation: request.conversation,
        tokens: request.budget_tokens,
        explain: request.explain,
        limit: request.limit,
        ..days.query()?
    })
}

/// Returns what else to try. The requested grains may not hold the requested time, because it is too new or was pruned, or the
/// range of dates may be too narrow.
fn hint(query: &Query, answer: &Answer) -> Option<String> {
    let is_limited = !query.grains.is_empty() && query.grains.len() < Grain::ALL.len();
    let bounded = answer.range.from.is_some() || answer.range.to.is_some();
    match (is_limited, bounded) {
        (true, _) => {
            Some("Little was found; search without grains, which looks into those that hold each time.".to_owned())
        }
        (false, true) if answer.range_is_empty => {
            Some("There are no memories of these days; try a wider range of dates.".to_owned())
        }
        (false, true) => Some("Little was found; try a wider range of dates.".to_owned()),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use annals_core::{Compared, DateRange, Reranked};
    use jiff::civil::date;

    use super::*;

    #[test]
    fn oversized_question_is_refused() {
        assert!(bounded("query", &"x".repeat(32 * 1024)).is_ok());
        let refused = bounded("prompt", &"x".repeat(32 * 1024 + 1)).unwrap_err().to_string();
        assert_eq!(refused, "prompt has 33 KiB; 32 KiB are allowed; send only the question");
    }

    #[test]
    fn hint_names_all_grains_or_a_wider_range() {
        fn check(grains: &[Grain], bounded: bool, empty: bool, expect: &str) {
            let query = Query { grains: grains.to_vec(), ..Query::default() };
            let range = DateRange { from: bounded.then(|| date(2026, 3, 1)), to: None };
            let answer = Answer {
                range,
                summary_range: None,
                results: Vec::new(),
                compared: Compared::default(),
                grains: Vec::new(),
                times: Vec::new(),
                period: None,
                conversations: Vec::new(),
                range_is_empty: empty,
                reranked: Reranked::NotRequested,
                words_alone: None,
            };
            let hint = hint(&query, &answer).unwrap_or_default();
            assert!(hint.contains(expect) && hint.is_empty() == expect.is_empty(), "{hint}");
        }
        check(&[Grain::Working, Grain::Daily], false, false, "without grains");
        check(&[Grain::Yearly], true, true, "without grains");
        check(&Grain::ALL, true, false, "wider range");
        check(&[], true, true, "There are no memories");
        check(&[], false, false, "");
    }
}
