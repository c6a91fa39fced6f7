//! The words of a query, each with the tokens by which rows may contain it.

use std::collections::HashMap;

use annals_core::detected_language;

use super::languages::Languages;
use super::stem::Stem;
use super::terms::{Single, Term, terms};
use super::{cut, stop};

/// Chinese words that ask, the longer before those that they contain. Pairs of characters are no stop words, so these are removed
/// before the query is split into pairs.
const ASKING: [&str; 22] = [
    "什么时候",
    "什麼時候",
    "为什么",
    "為什麼",
    "怎么样",
    "怎麼樣",
    "怎么办",
    "怎麼辦",
    "什么",
    "什麼",
    "怎么",
    "怎麼",
    "怎样",
    "怎樣",
    "哪里",
    "哪裡",
    "哪儿",
    "哪个",
    "哪些",
    "多少",
    "是谁",
    "是誰",
];

/// The words of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// The distinct words, in order.
    pub words: Vec<Word>,
}

/// A word of a query. A row that has several of its tokens contains the word more than once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The distinct tokens of the word: its stem in each language. The first are those without a language, then those of the
    /// languages of the query and the agent.
    pub tokens: Vec<String>,
}

/// The stemmers for a query.
struct Stems {
    /// That of the language in which it is asked. Words with one stem in this language are one word.
    asked: Stem,
    /// Those of the rows' languages, whose tokens name the language. First that of the query and the agent's.
    tagged: Vec<Stem>,
    /// Those of stems without a language: of English rows, of rows whose language is unclear, and of all rows that were written
    /// before languages were detected, in the agent's language.
    untagged: Vec<Stem>,
}

/// Returns the distinct words of a query. Leaves out stop words of the language in which it is asked, unless the query has no
/// other words. `language` is the agent's, `held` are the languages of the rows.
pub fn query(text: &str, language: &str, held: Languages) -> Query {
    let asked = detected_language(text, language).unwrap_or(language);
    let without_asking = ASKING.iter().fold(text.to_owned(), |text, word| text.replace(word, " "));
    let text = if without_asking.contains(char::is_alphanumeric) { &without_asking } else { text };
    let stems = Stems::of(asked, language, held);
    let mut words: Vec<(Word, bool)> = Vec::new();
    let mut known: HashMap<(String, bool), usize> = HashMap::new();
    for term in terms(text, Single::Lone) {
        let (key, tokens, is_stop_word) = match term {
            Term::Word(word) => (stems.asked.stem(&word), stems.tokens(&word), stop::is_stop_word(&word, &stems.asked)),
            Term::Whole(token) => (cut(token.clone()), vec![cut(token)], false),
        };
        let index = *known.entry((key, is_stop_word)).or_insert(words.len());
        match words.get_mut(index) {
            Some((word, _)) => word.add(tokens),
            None => {
                let mut word = Word { tokens: Vec::with_capacity(tokens.len()) };
                word.add(tokens);
                words.push((word, is_stop_word));
            }
        }
    }
    let has_others = words.iter().any(|(_, is_stop_word)| !is_stop_word);
    words.retain(|(_, is_stop_word)| !(has_others && *is_stop_word));
    Query { words: words.into_iter().map(|(word, _)| word).collect() }
}

impl Word {
    fn add(&mut self, tokens: Vec<String>) {
        for token in tokens {
            if !self.tokens.contains(&token) {
                self.tokens.push(token);
            }
        }
    }
}

impl Stems {
    fn of(asked: &str, agents: &str, held: Languages) -> Stems {
        let mut tagged: Vec<Stem> = held.stems().collect();
        tagged.sort_by_key(|stem| stem.code() != asked && stem.code() != agents);
        let asked = Stem::of(asked);
        let mut untagged = vec![Stem::ENGLISH, asked, Stem::of(agents)];
        untagged.dedup_by_key(|stem| stem.code());
        Stems { asked, tagged, untagged }
    }

    fn tokens(&self, word: &str) -> Vec<String> {
        let untagged = self.untagged.iter().map(|stem| stem.stem(word));
        untagged.chain(self.tagged.iter().filter_map(|stem| stem.tagged(word))).collect()
    }
}
