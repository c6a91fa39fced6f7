//! Searches a table on disk, for tables that are too large for memory.
//!
//! The vector leg compares every row that passes the filter, so it is exact. The text leg ranks by LanceDB's BM25 over
//! its index, and row by row over rows that are not indexed yet. Both legs read one version of the table. The
//! statistics cover only the hits instead of all rows. LanceDB counts each token of a word as a word of its own. Neighbouring
//! parts of the hits are not added.

use std::collections::{BTreeMap, HashMap, HashSet};

use annals_core::ports::{Conversation, Conversations, Findings, Hit, Position, Probe, Spread};
use annals_core::{Filter, Interval, MemoryId};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int64Type, UInt32Type};
use arrow_array::{Array, RecordBatch};
use futures::TryStreamExt;
use lancedb::DistanceType;
use lancedb::expr::{DfExpr, col, is_in, lit};
use lancedb::index::scalar::FullTextSearchQuery;
use lancedb::query::{ExecutableQuery, QueryBase, Select};

use crate::rows::{CONVERSATION, END, KIND, LEX, MEMORY, PART, START, VECTOR};
use annals_index::lex::{self, Languages, Query, Word};

/// LanceDB's names of computed columns.
const DISTANCE: &str = "_distance";
const SCORE: &str = "_score";

/// Number of words that are looked for in all languages; of further ones, only the first tokens are. In a table of 20,000 rows
/// all languages take about 6 ms a word.
const IN_ALL_LANGUAGES: usize = 16;
const LIKELY_TOKENS: usize = 4;

/// Searches a version of a table with `rows` rows.
pub(crate) async fn search(snapshot: &lancedb::Table, probe: &Probe, rows: usize) -> lancedb::Result<Findings> {
    let limit = if rows <= probe.exact { rows } else { probe.limit.min(rows) };
    let mut hits = Hits::default();
    let filter = condition(&probe.filter);
    if let Some(vector) = &probe.vector {
        let similar = by_vector(snapshot, vector, filter.clone(), limit).await?;
        similar
            .iter()
            .for_each(|batch| hits.add(batch, DISTANCE, |hit, distance| hit.similarity = Some(1.0 - distance)));
    }
    let query = |text| lex::query(text, &probe.language, Languages::ALL);
    let query = probe.text.as_deref().map(query).unwrap_or_default();
    if !query.words.is_empty() {
        let worded = by_words(snapshot, &query, filter, limit).await?;
        worded.iter().for_each(|batch| hits.add(batch, SCORE, |hit, score| hit.relevance = Some(score)));
        worded.iter().for_each(|batch| hits.mark(batch, &query));
    }
    Ok(hits.findings(query.words.len()))
}

async fn by_vector(
    table: &lancedb::Table,
    vector: &[f32],
    filter: Option<DfExpr>,
    limit: usize,
) -> lancedb::Result<Vec<RecordBatch>> {
    let query = table.query().nearest_to(vector)?.column(VECTOR).distance_type(DistanceType::Cosine);
    run(query.bypass_vector_index(), DISTANCE, filter, limit).await
}

async fn by_words(
    table: &lancedb::Table,
    query: &Query,
    filter: Option<DfExpr>,
    limit: usize,
) -> lancedb::Result<Vec<RecordBatch>> {
    let words = FullTextSearchQuery::new(tokens(query).join(" ")).with_column(LEX.to_owned())?;
    run(table.query().full_text_search(words), SCORE, filter, limit).await
}

/// Returns the tokens to look for: all tokens of the first words, and the most likely ones of the others.
fn tokens(query: &Query) -> Vec<&str> {
    let most = |index| if index < IN_ALL_LANGUAGES { usize::MAX } else { LIKELY_TOKENS };
    let words = query.words.iter().enumerate();
    words.flat_map(|(index, word)| word.tokens.iter().take(most(index)).map(String::as_str)).collect()
}

/// Returns the best rows that pass the filter, with their scores. LanceDB filters before it ranks by default.
async fn run(
    query: impl QueryBase + ExecutableQuery,
    score: &str,
    filter: Option<DfExpr>,
    limit: usize,
) -> lancedb::Result<Vec<RecordBatch>> {
    let query = query.select(Select::columns(&[MEMORY, PART, CONVERSATION, START, END, LEX, score])).limit(limit);
    let query = match filter {
        Some(filter) => query.only_if_expr(filter),
        None => query,
    };
    query.execute().await?.try_collect().await
}

/// Converts the filter to an expression; `None` if all rows pass. Users' text enters it as a value only, never as SQL.
fn condition(filter: &Filter) -> Option<DfExpr> {
    let mut conditions = Vec::new();
    // Comparing the times of all rows would take a third of the time of a search of 100,000 rows.
    if filter.within != Interval::ALWAYS {
        conditions.push(col(START).lt(lit(filter.within.end.as_microsecond())));
        conditions.push(col(END).gt(lit(filter.within.start.as_microsecond())));
    }
    if !filter.kinds.is_empty() {
        conditions.push(is_in(col(KIND), filter.kinds.iter().map(|kind| lit(kind.as_str())).collect()));
    }
    if let Some(conversation) = &filter.conversation {
        conditions.push(col(CONVERSATION).eq(lit(conversation.as_str())));
    }
    conditions.into_iter().reduce(DfExpr::and)
}

/// The hits by part, each with its conversation.
#[derive(Default)]
struct Hits(BTreeMap<(MemoryId, u32), (Hit, Option<String>)>);

impl Hits {
    fn add(&mut self, batch: &RecordBatch, score: &str, set: impl Fn(&mut Hit, f32)) {
        let memories = batch[MEMORY].as_string::<i32>();
        let parts = batch[PART].as_primitive::<UInt32Type>();
        let scores = batch[score].as_primitive::<Float32Type>();
        let conversations = batch[CONVERSATION].as_string::<i32>();
        let (starts, ends) = (batch[START].as_primitive::<Int64Type>(), batch[END].as_primitive::<Int64Type>());
        // A row that covers no instant is left out, because no filter can select it, not even one without a range.
        for row in (0..batch.num_rows()).filter(|row| starts.value(*row) < ends.value(*row)) {
            let (memory, part) = (MemoryId::from_text(memories.value(row)), parts.value(row));
            let hit =
                || Hit { memory: memory.clone(), part, position: None, similarity: None, relevance: None, matched: 0 };
            let conversation = || conversations.is_valid(row).then(|| conversations.value(row).to_owned());
            let found = self.0.entry((memory.clone(), part)).or_insert_with(|| (hit(), conversation()));
            set(&mut found.0, scores.value(row));
        }
    }

    /// Records for each row of the batch which of the first 64 words it contains.
    fn mark(&mut self, batch: &RecordBatch, query: &Query) {
        let (memories, lex) = (batch[MEMORY].as_string::<i32>(), batch[LEX].as_string::<i32>());
        let parts = batch[PART].as_primitive::<UInt32Type>();
        for row in 0..batch.num_rows() {
            let key = (MemoryId::from_text(memories.value(row)), parts.value(row));
            let Some((hit, _)) = self.0.get_mut(&key) else { continue };
            let held: HashSet<&str> = lex.value(row).split(' ').collect();
            let is_held = |word: &Word| word.tokens.iter().any(|token| held.contains(token.as_str()));
            let matched_words = query.words.iter().take(64).zip(0_u32..).filter(|(word, _)| is_held(word));
            hit.matched = matched_words.map(|(_, word_index)| 1_u64 << word_index).sum();
        }
    }

    /// Builds the findings. `words` is the number of query words. How rare each of them is is not computed on disk, so all get
    /// the rarity 1.
    fn findings(self, words: usize) -> Findings {
        let mut hits: Vec<(Hit, Option<String>)> = self.0.into_values().collect();
        let conversations = position(&mut hits);
        let hits: Vec<Hit> = hits.into_iter().map(|(hit, _)| hit).collect();
        let similar = || hits.iter().filter_map(|hit| hit.similarity);
        let all_conversations =
            Conversations::of(conversations.iter().map(|conversation| (conversation.similarity, conversation.matched)));
        Findings {
            similarity: Spread::of(similar().count(), similar()),
            relevance: Spread::of(hits.len(), hits.iter().filter_map(|hit| hit.relevance)),
            conversations,
            all_conversations,
            rarity: vec![1.0; words.min(64)],
            rarest: 1.0,
            hits,
        }
    }
}

/// Assigns positions to the hits, and returns their conversations. No two positions are consecutive, because it is
/// unknown which hits are neighbours.
fn position(hits: &mut [(Hit, Option<String>)]) -> Vec<Conversation> {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut conversations: Vec<Conversation> = Vec::new();
    for (hit, name) in hits.iter_mut() {
        let Some(name) = name.take() else { continue };
        let number = *numbers.entry(name).or_insert_with_key(|name| {
            conversations.push(Conversation { name: name.as_str().into(), parts: 0, similarity: 0.0, matched: 0 });
            conversations.len() - 1
        });
        let conversation = &mut conversations[number];
        hit.position = Some(Position { conversation: number, index: conversation.parts * 2 });
        conversation.parts += 1;
        conversation.similarity += hit.similarity.unwrap_or(0.0);
        conversation.matched |= hit.matched;
    }
    conversations.iter_mut().for_each(|conversation| conversation.similarity /= conversation.parts as f32);
    conversations
}
