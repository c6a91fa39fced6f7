//! Text that was recalled from memory and comes back in a conversation. It is stored like any other, but no facts are drawn out
//! of it: what memory said once would count as said again, and grow with every recall.
//!
//! Two signs, both exact. What stands between our own marks, with which every result is handed out, is recalled. And so is a
//! sentence of six words or more that a statement, a summary or somebody else said before, word for word; only an assistant
//! is taken to repeat others' turns, since two people may well say the same of themselves. What is repeated in other words,
//! or in a language without spaces, or was said longer ago than the memories that are looked at, is not recognised.

use std::collections::HashMap;

use annals_core::{Kind, Memory, MemoryId, Role, Timestamp, unfenced};

/// Shorter sentences are said again by chance.
const LEAST_WORDS: usize = 6;

/// The sentences that were said before, as far as they are known.
#[derive(Debug, Default)]
pub struct Told(HashMap<String, Vec<Telling>>);

#[derive(Debug)]
struct Telling {
    /// Who said it; nobody if memory put it into these words.
    by: Option<String>,
    from: Vec<MemoryId>,
    at: Timestamp,
}

impl Told {
    /// What these memories say.
    pub fn new<'m>(memories: impl IntoIterator<Item = &'m Memory>) -> Told {
        let mut told = Told::default();
        for memory in memories {
            match memory.kind {
                Kind::Turn => told.add(&unfenced(&memory.text), &memory.speaker, vec![memory.id.clone()], memory.at()),
                Kind::Fact => told.add(&memory.text, &None, memory.sources.clone(), memory.at()),
                Kind::Summary => {
                    for sentence in &memory.sentences {
                        told.add(&sentence.text, &sentence.speaker, sentence.from.clone(), memory.cover.end);
                    }
                }
            }
        }
        told
    }

    fn add(&mut self, text: &str, by: &Option<String>, from: Vec<MemoryId>, at: Timestamp) {
        for key in sentences(text).filter_map(key) {
            self.0.entry(key).or_default().push(Telling { by: by.clone(), from: from.clone(), at });
        }
    }

    /// The turn without what was recalled; none if nothing is left of it, or if its role is never read.
    pub fn fresh(&self, turn: &Memory) -> Option<Memory> {
        if !matches!(turn.role, Some(Role::User | Role::Assistant)) {
            return None;
        }
        let said = unfenced(&turn.text);
        let text: String = sentences(&said).filter(|sentence| !self.is_recalled(sentence, turn)).collect();
        text.contains(char::is_alphanumeric).then(|| Memory { text, ..turn.clone() })
    }

    fn is_recalled(&self, sentence: &str, turn: &Memory) -> bool {
        let Some(tellings) = key(sentence).and_then(|key| self.0.get(&key)) else { return false };
        // What was drawn out of this very turn, or came later, is no earlier telling: a turn may be read a second time.
        let before = |telling: &&Telling| telling.at < turn.at() && !telling.from.contains(&turn.id);
        let mut others = tellings.iter().filter(before).peekable();
        others.peek().is_some()
            && others.clone().all(|telling| telling.by != turn.speaker)
            && (turn.role == Some(Role::Assistant) || others.any(|telling| telling.by.is_none()))
    }
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['.', '!', '?', '\n', '…', '。', '！', '？'])
}

/// What is compared: the words in lower case. None for a sentence that is too short.
fn key(sentence: &str) -> Option<String> {
    let words: Vec<String> =
        sentence.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    (words.len() >= LEAST_WORDS).then(|| words.join(" "))
}

#[cfg(test)]
mod tests {
    use annals_core::{Grain, Interval, Sentence};
    use annals_testkit::{at, period};

    use super::*;

    const LONG: &str = "I went hiking in the Alps with Bob.";

    fn memory(id: &str, kind: Kind, said_at: &str, text: &str) -> Memory {
        let day = period("2026-03-04");
        Memory {
            id: MemoryId::from_text(id),
            grain: Grain::Working,
            kind,
            period: day,
            cover: Interval { start: at(said_at), end: at(said_at) },
            days: (day.first_day(), day.last_day()),
            text: text.into(),
            speaker: None,
            role: None,
            conversation: None,
            message: None,
            sentences: Vec::new(),
            sources: Vec::new(),
            importance: None,
            confidence: None,
            pinned: false,
            seq: 1,
        }
    }

    fn said(id: &str, speaker: &str, role: Role, text: &str) -> Memory {
        let turn = memory(id, Kind::Turn, "2026-03-04T10:00:00Z", text);
        Memory { speaker: Some(speaker.into()), role: Some(role), ..turn }
    }

    fn earlier(memory: Memory) -> Memory {
        Memory { cover: Interval { start: at("2026-03-03T10:00:00Z"), end: at("2026-03-03T10:00:00Z") }, ..memory }
    }

    #[track_caller]
    fn check(told: &[&Memory], turn: &Memory, expect: Option<&str>) {
        assert_eq!(Told::new(told.iter().copied()).fresh(turn).map(|left| left.text).as_deref(), expect);
    }

    #[test]
    fn an_assistant_that_repeats_somebody_adds_nothing() {
        let ann = earlier(said("t-1", "Ann", Role::User, LONG));
        let repeated = "Noted! i went hiking in the Alps, with Bob. Anything else?";
        check(&[&ann], &said("t-2", "assistant", Role::Assistant, repeated), Some("Noted! Anything else?"));
        check(&[&ann], &said("t-2", "assistant", Role::Assistant, LONG), None);
        check(&[&ann], &said("t-2", "Ann", Role::User, LONG), Some(LONG));
        check(&[&ann], &said("t-2", "Bob", Role::User, LONG), Some(LONG));
        check(
            &[&earlier(said("t-1", "Ann", Role::User, "Yes."))],
            &said("t-2", "a", Role::Assistant, "Yes."),
            Some("Yes."),
        );
    }

    #[test]
    fn what_memory_put_into_words_is_cut_whoever_says_it() {
        let statement = Memory {
            sources: vec![MemoryId::from_text("t-1")],
            ..earlier(memory("f-1", Kind::Fact, "2026-03-03T10:00:00Z", LONG))
        };
        check(&[&statement], &said("t-2", "Bob", Role::User, LONG), None);
        check(&[&statement], &said("t-1", "Ann", Role::User, LONG), Some(LONG));
        let ann = earlier(said("t-1", "Ann", Role::User, LONG));
        check(&[&statement, &ann], &said("t-2", "Ann", Role::User, LONG), Some(LONG));
        let quoted = |speaker: Option<&str>| Memory {
            sentences: vec![Sentence {
                day: period("2026-03-03").first_day(),
                speaker: speaker.map(Into::into),
                text: LONG.into(),
                from: vec![MemoryId::from_text("t-1")],
            }],
            ..earlier(memory("s-1", Kind::Summary, "2026-03-03T00:00:00Z", "2026-03-03 Ann: …"))
        };
        check(&[&quoted(None)], &said("t-2", "Ann", Role::User, LONG), None);
        check(&[&quoted(Some("Ann"))], &said("t-2", "Ann", Role::User, LONG), Some(LONG));
        check(&[&quoted(Some("Ann"))], &said("t-2", "assistant", Role::Assistant, LONG), None);
    }

    #[test]
    fn what_is_said_later_is_no_earlier_telling() {
        let first = earlier(said("t-1", "assistant", Role::Assistant, LONG));
        check(&[&said("t-2", "Ann", Role::User, LONG)], &first, Some(LONG));
    }

    #[test]
    fn instructions_and_answers_of_tools_are_never_read() {
        for role in [Role::System, Role::Tool] {
            check(&[], &said("t-1", "x", role, LONG), None);
        }
        check(&[], &said("t-1", "x", Role::User, "…"), None);
    }
}
