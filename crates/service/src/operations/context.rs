//! Context for a prompt: the memories, facts and documents that help to answer it, within a token budget.

use std::ops::RangeInclusive;

use annals_core::{
    Agent, Context, ContextBlock, ContextDocument, ContextItem, ContextKind, ContextQuery, Error, MemoryId, Query,
    Result, Timestamp, days_text,
};
use annals_search::GatheredContext;

use super::search::{Days, bounded};
use crate::Service;
use crate::wire::{ContextAnswer, ContextItemView, ContextRequest, DocumentIn};

const MAX_DOCUMENTS: usize = 100;
/// Maximum bytes of all documents together. A longer text would be split into more parts than a search compares.
const MAX_DOCUMENT_BYTES: usize = 512 * 1024;
/// Maximum bytes of an id or a title. The title is compared together with every part.
const MAX_TITLE_LENGTH: usize = 1024;
/// Allowed token budgets. A smaller one has no room for a memory; a larger one exceeds what a prompt should contain.
const BUDGETS: RangeInclusive<u64> = 64..=100_000;

impl Service {
    /// Returns the context for a prompt. Counts an access to each memory in it. Fails if a text of the request is too long or
    /// the budget is out of range.
    pub async fn context(&self, agent: &Agent, request: ContextRequest, now: Timestamp) -> Result<ContextAnswer> {
        check(&request)?;
        let blocks = self.parts.store.blocks(agent).await?;
        let blocks = blocks.into_iter().map(|block| ContextBlock { name: block.name, text: block.text });
        let query = ContextQuery { blocks: blocks.collect(), ..query(request)? };
        self.compare_facts(agent).await?;
        let gathered = self.gather_context(agent, &query, now).await?;
        // Holds no search permit: waiting for a model needs no core.
        let context = self.parts.search.conclude_context(gathered, self.billing()).await;
        self.check_vectors(context.words_alone.as_deref())?;
        self.access_counter.note(agent, context.items.iter().filter_map(memory), now);
        Ok(answer(agent, context))
    }

    /// Gathers candidates for a context. Rebuilds a damaged table and tries again.
    async fn gather_context<'a>(
        &self,
        agent: &'a Agent,
        query: &'a ContextQuery,
        now: Timestamp,
    ) -> Result<GatheredContext<'a>> {
        match self.gather_context_once(agent, query, now).await {
            Err(error) => {
                self.mend_tables(agent, error, now).await?;
                self.gather_context_once(agent, query, now).await
            }
            gathered => gathered,
        }
    }

    async fn gather_context_once<'a>(
        &self,
        agent: &'a Agent,
        query: &'a ContextQuery,
        now: Timestamp,
    ) -> Result<GatheredContext<'a>> {
        let _permit = self.searches.acquire().await;
        self.parts.search.gather_context(agent, query, now).await
    }
}

/// Returns a hint if items were left out by the budget, if nothing was found for the prompt or its dates, or if what was found
/// may not answer the prompt. Otherwise returns `None`.
fn hint(context: &Context) -> Option<String> {
    let left_out = match context.omitted {
        0 => None,
        1 => Some("1 more matches the prompt but exceeds the budget".to_owned()),
        many => Some(format!("{many} more match the prompt but exceed the budget")),
    };
    match left_out {
        Some(left_out) => Some(format!("{left_out}; ask for a larger budget, or search.")),
        None if context.is_known && context.items.is_empty() => {
            Some("Memory holds nothing for these dates.".to_owned())
        }
        None if context.is_known => None,
        None if context.items.iter().any(|item| memory(item).is_some()) => {
            Some("Memory may know nothing about this.".to_owned())
        }
        None => Some("Memory knows nothing about this.".to_owned()),
    }
}

/// Refuses a text that is too long or a budget that is out of range.
fn check(request: &ContextRequest) -> Result<()> {
    bounded("prompt", &request.prompt)?;
    for (field, name) in [("speaker", &request.speaker), ("conversation", &request.conversation)] {
        bounded(field, name.as_deref().unwrap_or_default())?;
    }
    check_documents(&request.documents)?;
    if BUDGETS.contains(&request.budget_tokens) {
        return Ok(());
    }
    let (least, most) = (BUDGETS.start(), BUDGETS.end());
    let why = format!("is {}; {least} to {most} tokens are allowed", request.budget_tokens);
    Err(Error::invalid("budget_tokens", why))
}

/// Returns the query of a request, without blocks.
fn query(request: ContextRequest) -> Result<ContextQuery> {
    let document = |document: DocumentIn| ContextDocument {
        id: document.id,
        title: document.title.unwrap_or_default(),
        text: document.text,
    };
    let days = Days {
        from: request.from,
        to: request.to,
        min_days_ago: request.min_days_ago,
        max_days_ago: request.max_days_ago,
        period: request.period,
    };
    let Query { from, to, min_days_ago, max_days_ago, period, .. } = days.query()?;
    Ok(ContextQuery {
        prompt: request.prompt,
        budget: request.budget_tokens,
        speaker: request.speaker,
        conversation: request.conversation,
        from,
        to,
        min_days_ago,
        max_days_ago,
        period,
        documents: request.documents.into_iter().map(document).collect(),
        ..ContextQuery::default()
    })
}

fn answer(agent: &Agent, context: Context) -> ContextAnswer {
    let item = |item: ContextItem| ContextItemView {
        id: item.id,
        short: item.short,
        kind: item.kind.as_str().to_owned(),
        dates: item.days.map(days_text),
        text: item.text,
        score: item.score,
        tokens: item.tokens,
    };
    ContextAnswer {
        hint: hint(&context),
        known: context.is_known,
        agent: agent.name().to_owned(),
        reranked: context.reranked.is_done(),
        not_reranked_because: context.reranked.why_not().map(str::to_owned),
        words_alone_because: context.words_alone,
        incomplete_because: None,
        text: context.text,
        items: context.items.into_iter().map(item).collect(),
        tokens: context.tokens,
        omitted: context.omitted,
    }
}

fn check_documents(documents: &[DocumentIn]) -> Result<()> {
    let refused = |reason: String| Err(Error::invalid("documents", reason));
    let bytes: usize = documents.iter().map(|document| document.text.len()).sum();
    let is_long = |text: &str| text.len() > MAX_TITLE_LENGTH;
    match () {
        () if documents.len() > MAX_DOCUMENTS => {
            refused(format!("are {}; {MAX_DOCUMENTS} are allowed", documents.len()))
        }
        () if bytes > MAX_DOCUMENT_BYTES => {
            refused(format!("have {} KiB; {} are allowed", bytes.div_ceil(1024), MAX_DOCUMENT_BYTES / 1024))
        }
        () if documents.iter().any(|one| is_long(&one.id) || is_long(one.title.as_deref().unwrap_or_default())) => {
            refused(format!("have an id or title of more than {MAX_TITLE_LENGTH} bytes"))
        }
        () => Ok(()),
    }
}

/// Returns the id of an item that is a turn, statement or summary; `None` for facts, blocks and documents.
fn memory(item: &ContextItem) -> Option<MemoryId> {
    use ContextKind::{Statement, Summary, Turn};
    matches!(item.kind, Turn | Statement | Summary).then(|| MemoryId::from_text(&item.id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_or_too_large_documents_are_refused() {
        fn check(count: usize, title: usize, text: usize, expect: &str) {
            let document = DocumentIn { id: "d".into(), title: Some("x".repeat(title)), text: "x".repeat(text) };
            let message =
                check_documents(&vec![document; count]).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(message.contains(expect) && message.is_empty() == expect.is_empty(), "{message:?}");
        }
        check(100, 1024, 5 * 1024, "");
        check(101, 0, 0, "are 101; 100 are allowed");
        check(1, 1025, 0, "title of more than 1024 bytes");
        check(2, 0, 300 * 1024, "have 600 KiB; 512 are allowed");
    }
}
