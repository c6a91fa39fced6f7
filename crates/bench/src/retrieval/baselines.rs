//! Baseline rankings of the same messages: plain BM25 over whole messages, and nearest vectors.

use std::collections::{HashMap, HashSet};

use annals_core::{Agent, Embedder, Interval, MemoryId, Message, Result};
use annals_index::lex::tokens;

use super::measures::{Measures, measure};
use crate::input::{Messages, Question};
use crate::world::World;

/// The usual constants of BM25, k1 and b.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.75;
/// Number of nearest message parts that the ranking by vectors considers.
const NEAREST: usize = 400;

/// The result of one question.
pub(crate) struct Ranked {
    /// Measures of the ranked turns.
    pub turn: Measures,
    /// Measures of the ranked conversations.
    pub conversation: Measures,
}

/// The messages of one agent with their words.
struct Corpus<'m> {
    messages: &'m [Message],
    /// For each word, the messages that contain it, with its frequency.
    holders: HashMap<String, Vec<(usize, f64)>>,
    lengths: Vec<f64>,
}

impl<'m> Corpus<'m> {
    fn new(messages: &'m [Message]) -> Corpus<'m> {
        let mut corpus = Corpus { messages, holders: HashMap::new(), lengths: Vec::new() };
        for (index, message) in messages.iter().enumerate() {
            let words = tokens(&message.content, "en");
            corpus.lengths.push(words.len() as f64);
            let mut times: HashMap<String, f64> = HashMap::new();
            words.into_iter().for_each(|word| *times.entry(word).or_default() += 1.0);
            times.into_iter().for_each(|(word, times)| corpus.holders.entry(word).or_default().push((index, times)));
        }
        corpus
    }

    /// Returns the messages that contain a word of the question, best first.
    fn ranked(&self, question: &str) -> Vec<&'m Message> {
        let mean = self.lengths.iter().sum::<f64>() / self.lengths.len().max(1) as f64;
        let mut scores: HashMap<usize, f64> = HashMap::new();
        for word in tokens(question, "en").into_iter().collect::<HashSet<_>>() {
            let holders = self.holders.get(&word).map_or(&[][..], Vec::as_slice);
            let (all, held) = (self.lengths.len() as f64, holders.len() as f64);
            let rarity = (1.0 + (all - held + 0.5) / (held + 0.5)).ln();
            for (index, times) in holders {
                let held_back = SATURATION * (1.0 - LENGTH + LENGTH * self.lengths[*index] / mean);
                *scores.entry(*index).or_default() += rarity * times * (SATURATION + 1.0) / (times + held_back);
            }
        }
        let mut scores: Vec<(usize, f64)> = scores.into_iter().collect();
        scores.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        scores.into_iter().map(|(index, _)| &self.messages[index]).collect()
    }
}

/// Ranks by plain BM25 over stemmed words.
pub(crate) fn by_words(messages: &Messages, questions: &[Question]) -> Vec<Ranked> {
    let corpora: HashMap<&Agent, Corpus<'_>> =
        messages.iter().map(|(agent, messages)| (agent, Corpus::new(messages))).collect();
    let ranked = |question: &Question| {
        let found = corpora[&question.agent].ranked(&question.text);
        let turns = found.iter().filter_map(|message| message.client_id.clone());
        judged(turns.collect(), found.iter().map(|message| message.conversation.clone()).collect(), question)
    };
    questions.iter().map(ranked).collect()
}

/// Ranks the messages of the [`NEAREST`] nearest parts by vector similarity; a message counts by its best part.
pub(crate) async fn by_vectors(world: &World, questions: &[Question]) -> Result<Vec<Ranked>> {
    let mut all = Vec::with_capacity(questions.len());
    for question in questions {
        let vector = world.embedder.embed_query(question.text.clone()).await?;
        let near = world.nearest(&question.agent, vector, Interval::ALWAYS, NEAREST).await?;
        let mut seen = HashSet::new();
        let near: Vec<MemoryId> = near.into_iter().filter(|id| seen.insert(id.clone())).collect();
        let found = world.memories(&question.agent, &near).await?;
        let turns = found.iter().filter_map(|memory| memory.message().map(str::to_owned)).collect();
        let conversations = found.iter().filter_map(|memory| memory.conversation().map(str::to_owned)).collect();
        all.push(judged(turns, conversations, question));
    }
    Ok(all)
}

/// Judges a ranking of turns, best first. Ranks their conversations by the best turn of each, and judges that ranking too.
fn judged(turns: Vec<String>, mut conversations: Vec<String>, question: &Question) -> Ranked {
    let mut seen = HashSet::new();
    conversations.retain(|conversation| seen.insert(conversation.clone()));
    Ranked { turn: measure(&turns, &question.evidence), conversation: measure(&conversations, &question.conversations) }
}

#[cfg(test)]
mod tests {
    use annals_core::{Role, Timestamp};

    use super::*;

    #[test]
    fn rarer_words_and_shorter_messages_rank_first() {
        let message = |(index, text): (usize, &&str)| Message {
            conversation: "c".into(),
            client_id: Some(index.to_string()),
            role: Role::User,
            name: None,
            content: (*text).into(),
            at: Timestamp::UNIX_EPOCH,
        };
        let texts = ["a boat in the sun", "the red boat", "the boat", "rain"];
        let messages: Vec<Message> = texts.iter().enumerate().map(message).collect();
        let order = |question: &str| {
            let corpus = Corpus::new(&messages);
            corpus.ranked(question).iter().filter_map(|message| message.client_id.clone()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(order("boats"), "2 1 0");
        assert_eq!(order("red boats"), "1 2 0");
        assert_eq!(order("snow"), "");
    }
}
