//! Asks for contexts and counts what they contain.

use std::collections::{BTreeMap, HashMap};

use annals_core::{Agent, Context, ContextKind, ContextQuery, Message, Result, Role, SignedDuration, Timestamp};

use super::evidence::{Lineage, Source};
use super::periods::{self, PeriodQuestion};
use super::{Ids, last};
use crate::input::{Messages, Question};
use crate::stores::Stores;

/// Counts over the contexts of many questions.
#[derive(Default)]
pub(crate) struct Answered {
    pub questions: usize,
    /// Questions with any evidence in the context.
    pub any: usize,
    /// Questions with all evidence in the context.
    pub all: usize,
    /// Questions with any evidence word for word in the context.
    pub verbatim: usize,
    /// Number of questions with any evidence from a source, by source.
    pub by: BTreeMap<Source, usize>,
    /// Tokens of all contexts.
    pub tokens: u64,
    /// Tokens of the items of each kind.
    pub kinds: BTreeMap<&'static str, u64>,
}

/// Cost of contexts for prompts that are unrelated to the memory.
pub(crate) struct Wasted {
    /// Tokens of each context, ascending.
    pub tokens: Vec<u64>,
}

/// Questions about periods. An answer is right if the summary of the period comes first in the context, after blocks and facts.
#[derive(Default)]
pub(crate) struct Periods {
    /// By grain: the number of questions, and the number of right answers.
    pub by_grain: BTreeMap<String, (usize, usize)>,
}

/// The stores, with everything needed to judge their contexts.
pub(crate) struct Asking<'a> {
    stores: &'a Stores,
    messages: &'a Messages,
    ids: &'a Ids,
    lineage: HashMap<Agent, Lineage>,
}

impl<'a> Asking<'a> {
    /// Loads the lineage of everything that the stores hold now.
    pub(crate) async fn of(stores: &'a Stores, messages: &'a Messages, ids: &'a Ids) -> Result<Asking<'a>> {
        let mut lineage = HashMap::new();
        for agent in messages.keys() {
            lineage.insert(agent.clone(), Lineage::of(stores, agent).await?);
        }
        Ok(Asking { stores, messages, ids, lineage })
    }

    /// Asks each question at its own time or, if `later` is given, that long after the agent's last message.
    pub(crate) async fn questions(
        &self,
        questions: &[Question],
        later: Option<SignedDuration>,
        budget: u64,
    ) -> Result<Answered> {
        let mut answered = Answered::default();
        for question in questions {
            let end = || last(&self.messages[&question.agent], &[]);
            let now = later.map_or(question.at, |later| end() + later);
            let context = self.ask(&question.agent, &question.text, None, budget, now).await?;
            let ids = &self.ids[&question.agent];
            let evidence = question.evidence.iter().filter_map(|id| ids.get(id).cloned()).collect();
            let found = self.lineage[&question.agent].find(&context, &evidence);
            answered.add(&context, &found, evidence.len());
        }
        Ok(answered)
    }

    /// Asks each agent each prompt at the time of the agent's last message, as the agent's most frequent speaker.
    pub(crate) async fn unrelated(&self, prompts: &[String], budget: u64) -> Result<Wasted> {
        let mut tokens = Vec::new();
        for (agent, messages) in self.messages {
            let speaker = speaker(messages);
            for prompt in prompts {
                let context = self.ask(agent, prompt, speaker.clone(), budget, last(messages, &[])).await?;
                tokens.push(context.tokens);
            }
        }
        tokens.sort_unstable();
        Ok(Wasted { tokens })
    }

    /// Asks questions about the periods of each agent.
    pub(crate) async fn periods(&self, budget: u64) -> Result<Periods> {
        let mut all = Periods::default();
        for (agent, messages) in self.messages {
            for PeriodQuestion { text, period, now } in periods::questions(messages) {
                let context = self.ask(agent, &text, None, budget, now).await?;
                let memories = |kind| !matches!(kind, ContextKind::Block | ContextKind::Fact);
                let first = context.items.iter().find(|item| memories(item.kind));
                let is_right =
                    first.is_some_and(|item| item.id == annals_core::MemoryId::summary(agent, period).as_str());
                let (questions, right) = all.by_grain.entry(period.grain().to_string()).or_default();
                (*questions, *right) = (*questions + 1, *right + usize::from(is_right));
            }
        }
        Ok(all)
    }

    async fn ask(
        &self,
        agent: &Agent,
        prompt: &str,
        speaker: Option<String>,
        budget: u64,
        now: Timestamp,
    ) -> Result<Context> {
        let request = ContextQuery { prompt: prompt.to_owned(), budget, speaker, ..ContextQuery::default() };
        self.stores.search.context(agent, &request, now).await
    }
}

impl Answered {
    fn add(&mut self, context: &Context, found: &BTreeMap<Source, usize>, evidence: usize) {
        let most = found.get(&Source::All).copied().unwrap_or_default();
        self.questions += 1;
        self.any += usize::from(most > 0);
        self.all += usize::from(most == evidence);
        self.verbatim += usize::from(found.contains_key(&Source::Turn));
        for source in found.keys() {
            *self.by.entry(*source).or_default() += 1;
        }
        self.tokens += context.tokens;
        for item in &context.items {
            *self.kinds.entry(item.kind.as_str()).or_default() += item.tokens;
        }
    }
}

/// Returns the speaker with the most user messages; `None` if there are none.
fn speaker(messages: &[Message]) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for message in messages.iter().filter(|message| message.role == Role::User) {
        *counts.entry(message.speaker()).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(name, _)| name.to_owned())
}
