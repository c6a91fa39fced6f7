//! Examples of answers in each of eight languages: a summary of a day, one of a longer period, and an extraction. An example in the
//! language of the sources keeps small models from answering in English.

use annals_core::Grain;

use crate::extractive::Language;

/// The languages with examples.
pub(crate) const LANGUAGES: [Language; 8] = [
    Language::English,
    Language::German,
    Language::French,
    Language::Spanish,
    Language::Portuguese,
    Language::Italian,
    Language::Dutch,
    Language::Unspaced,
];

/// Separator between the example for a day and the one for a longer period.
const BETWEEN: &str = "\n---\n";

/// Returns the example for a grain in a language; empty if there is none.
pub(crate) fn example(language: Language, grain: Grain) -> &'static str {
    let (day, longer) = of(language).split_once(BETWEEN).unwrap_or_default();
    if grain <= Grain::Daily { day.trim() } else { longer.trim() }
}

/// Returns the example of an extraction in a language; empty if there is none.
pub(crate) fn extraction_example(language: Language) -> &'static str {
    let example = match language {
        Language::English => include_str!("../../../../prompts/examples/extraction/en.md"),
        Language::German => include_str!("../../../../prompts/examples/extraction/de.md"),
        Language::French => include_str!("../../../../prompts/examples/extraction/fr.md"),
        Language::Spanish => include_str!("../../../../prompts/examples/extraction/es.md"),
        Language::Portuguese => include_str!("../../../../prompts/examples/extraction/pt.md"),
        Language::Italian => include_str!("../../../../prompts/examples/extraction/it.md"),
        Language::Dutch => include_str!("../../../../prompts/examples/extraction/nl.md"),
        Language::Unspaced => include_str!("../../../../prompts/examples/extraction/zh.md"),
        Language::Other => "",
    };
    example.trim()
}

/// Returns the English name of a language; empty if it is not known.
pub(crate) fn language_name(language: Language) -> &'static str {
    match language {
        Language::English => "English",
        Language::German => "German",
        Language::French => "French",
        Language::Spanish => "Spanish",
        Language::Portuguese => "Portuguese",
        Language::Italian => "Italian",
        Language::Dutch => "Dutch",
        // Chinese or Japanese: the prompt then says "the language of the lines".
        Language::Unspaced | Language::Other => "",
    }
}

/// Returns the examples of summaries in all languages, for the digest of a prompt.
pub(super) fn all() -> [&'static str; 8] {
    LANGUAGES.map(of)
}

fn of(language: Language) -> &'static str {
    match language {
        Language::English => include_str!("../../../../prompts/examples/en.md"),
        Language::German => include_str!("../../../../prompts/examples/de.md"),
        Language::French => include_str!("../../../../prompts/examples/fr.md"),
        Language::Spanish => include_str!("../../../../prompts/examples/es.md"),
        Language::Portuguese => include_str!("../../../../prompts/examples/pt.md"),
        Language::Italian => include_str!("../../../../prompts/examples/it.md"),
        Language::Dutch => include_str!("../../../../prompts/examples/nl.md"),
        Language::Unspaced => include_str!("../../../../prompts/examples/zh.md"),
        Language::Other => "",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn every_language_has_both_examples_with_answers_that_parse() {
        for (language, grain) in
            LANGUAGES.iter().flat_map(|language| [(language, Grain::Daily), (language, Grain::Weekly)])
        {
            let (lines, answer) = example(*language, grain).split_once("\n\n").unwrap();
            assert_eq!(lines.lines().count(), 3, "{language:?} {grain}");
            let answer: Value = serde_json::from_str(answer).unwrap();
            let sentences = answer["sentences"].as_array().unwrap();
            assert!(
                sentences.iter().all(|sentence| sentence["text"].as_str().unwrap().contains("2031")),
                "{language:?}"
            );
            let texts = lines.lines().filter_map(|line| line.split_once(": ")).map(|(_, text)| text);
            assert_eq!(Language::of_texts(texts), if grain == Grain::Daily { *language } else { Language::English });
        }
        assert_eq!(example(Language::Other, Grain::Daily), "");
    }

    #[test]
    fn every_language_has_an_example_of_an_extraction_that_cites_its_turns() {
        for language in LANGUAGES {
            let (lines, answer) = extraction_example(language).split_once("\n\n").unwrap();
            let texts = lines.lines().filter_map(|line| line.split_once(": ")).map(|(_, text)| text);
            assert_eq!(Language::of_texts(texts), language);
            let answer: Value = serde_json::from_str(answer).unwrap();
            let [facts, operations] = ["facts", "operations"].map(|list| answer[list].as_array().unwrap());
            for element in facts.iter().chain(operations) {
                let source = format!("[{}] 2031-05-07 ", element["source"]);
                assert!(lines.lines().any(|line| line.starts_with(&source)), "{language:?} {element}");
            }
            let object = operations[0]["object"].as_str().unwrap();
            assert!(lines.contains(object), "{language:?} {object}");
        }
    }
}
