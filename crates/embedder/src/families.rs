//! Prefixes and pooling of well-known families of models, from the descriptions of the models, because the models' folders
//! often lack them. The configuration and a folder's own files take precedence. The prefixes of a family also apply if a
//! folder's files have only empty prompts.

use crate::pooling::Pooling;

pub(crate) struct Family {
    /// Text that the names of the family's models contain, in lower case.
    part: &'static str,
    pub(crate) pooling: Pooling,
    pub(crate) query_prefix: &'static str,
    pub(crate) passage_prefix: &'static str,
}

/// All known families. The more specific names come first, because the first match counts.
const FAMILIES: [Family; 12] = [
    family("e5-mistral", Pooling::LastToken, INSTRUCTION, ""),
    family("multilingual-e5-large-instruct", Pooling::Mean, INSTRUCTION, ""),
    family("e5-", Pooling::Mean, "query: ", "passage: "),
    family("bge-m3", Pooling::Cls, "", ""),
    family("bge-small-zh", Pooling::Cls, CHINESE, ""),
    family("bge-base-zh", Pooling::Cls, CHINESE, ""),
    family("bge-large-zh", Pooling::Cls, CHINESE, ""),
    family("bge-", Pooling::Cls, SENTENCE, ""),
    family("mxbai-embed", Pooling::Cls, SENTENCE, ""),
    family("snowflake-arctic-embed", Pooling::Cls, SENTENCE, ""),
    family("nomic-embed-text", Pooling::Mean, "search_query: ", "search_document: "),
    family("minilm", Pooling::Mean, "", ""),
];

const INSTRUCTION: &str =
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ";
const SENTENCE: &str = "Represent this sentence for searching relevant passages: ";
const CHINESE: &str = "为这个句子生成表示以用于检索相关文章：";

const fn family(
    part: &'static str,
    pooling: Pooling,
    query_prefix: &'static str,
    passage_prefix: &'static str,
) -> Family {
    Family { part, pooling, query_prefix, passage_prefix }
}

/// Returns the family that a model's name belongs to, or `None` if it is unknown.
pub(crate) fn family_of(name: &str) -> Option<&'static Family> {
    let name = name.to_lowercase();
    FAMILIES.iter().find(|family| name.contains(family.part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn family_is_found_by_name() {
        fn check(name: &str, expect: Option<(&str, &str)>) {
            let found = family_of(name).map(|family| (family.query_prefix, family.passage_prefix));
            assert_eq!(found, expect, "{name}");
        }
        check("intfloat/multilingual-e5-small", Some(("query: ", "passage: ")));
        check("multilingual-e5-large-instruct", Some((INSTRUCTION, "")));
        check("BAAI/bge-small-en-v1.5", Some((SENTENCE, "")));
        check("bge-base-zh-v1.5", Some((CHINESE, "")));
        check("BAAI/bge-m3", Some(("", "")));
        check("all-MiniLM-L12-v2", Some(("", "")));
        check("some-model", None);
    }
}
