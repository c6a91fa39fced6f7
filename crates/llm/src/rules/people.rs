//! Who a clause is about.

use std::collections::BTreeSet;

use annals_core::entity_key;
use annals_core::ports::ExtractionTask;
use regex::Regex;

use super::grammar::{pattern, spelled};

/// Those who are known by name: who speaks, whom facts are known of, and who is introduced ("my sister Anna").
pub(super) struct People {
    known: BTreeSet<String>,
    speakers: BTreeSet<String>,
}

impl People {
    /// Those of a task.
    pub(super) fn of(task: &ExtractionTask<'_>) -> People {
        let turns = || task.turns.iter().chain(task.context);
        let speakers: BTreeSet<String> = turns().filter_map(|turn| turn.speaker.as_deref()).map(entity_key).collect();
        let known = task.known.iter().map(|fact| fact.subject.as_str());
        let introduced = turns().flat_map(|turn| INTRODUCED.captures_iter(&turn.text));
        let introduced = introduced.filter_map(|found| found.name("o")).map(|name| name.as_str());
        let known = known.chain(introduced).map(entity_key).chain(speakers.iter().cloned()).collect();
        People { known, speakers }
    }

    /// The subject that the words in its place mean: the speaker for "I" and "we".
    pub(super) fn subject(&self, words: &str, speaker: &str, is_persons: bool) -> Option<String> {
        if matches!(words.to_lowercase().as_str(), "i" | "we") {
            return Some(speaker.to_owned());
        }
        let name = TRAILING_NAME.find(words)?.as_str();
        let is_relative = name.len() < words.len();
        let is_known = is_relative || self.known.contains(&entity_key(name)) || (is_persons && !NOBODY.is_match(name));
        is_known.then(|| name.to_owned())
    }

    /// Whether the name is that of somebody who takes part in the talk, so that it may be a call.
    pub(super) fn talks(&self, name: &str) -> bool {
        self.speakers.contains(&entity_key(name))
    }
}

static INTRODUCED: std::sync::LazyLock<Regex> = std::sync::LazyLock::new(|| {
    let pattern = spelled("(?i)\\b(?:my|our) {relative},? (?P<o>{name})");
    Regex::new(&pattern).expect("a pattern of the rules is valid")
});

pattern!(TRAILING_NAME, r"\p{Lu}\p{Ll}+(?:-\p{Lu}\p{Ll}+)?(?: \p{Lu}\p{Ll}+)?$");
// Words with which sentences begin, and which are therefore written like names.
pattern!(
    NOBODY,
    r"(?x)^(?:It|That|This|These|Those|There|He|She|They|You|Everyone|Everybody|Someone|Somebody|Nobody|Anyone|Who|What|Which|Life|
      Music|Nature|Nothing|Everything|Something|Each|One|Two|Three|Many|Some|Most|All|Both|Family|People|Home|Work|God|Today|Tomorrow|
      Yesterday|Mom|Dad|My|Our|His|Her|Their|Your|The|A|An|If|When|Where|Why|How|And|But|So|Or|Not|Here|Now|Then|Also|Go|Come|Try|Just|Please|Let|Do|Did|Can|Will|Is|Are|Was|Art|Love|
      \p{L}+ing|\p{L}+day)\b"
);
