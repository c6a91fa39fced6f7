//! Finds text that was recalled from memory and comes back in a conversation. It is stored like any other, but no facts are
//! extracted from it: they would count as stated again with every recall.
//!
//! Text counts as recalled if it stands between our own marks, which surround every result. A sentence of six words or more
//! counts as recalled if it occurred before in the same words and its speaker did not say it before. In a user's turn only an
//! earlier sentence without a speaker counts (a statement, or a summary's own words), because two people may say the same about
//! themselves. Not recognised: other wording, languages without spaces, and text older than the last memories.
//!
//! Sentences and speakers are kept as hashes: the texts of forgotten memories do not stay in memory.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use annals_core::{Body, Grain, Memory, MemoryId, Role, Timestamp, sentences, unfenced, words};

/// Minimum number of words of a recalled sentence. Shorter sentences are repeated by chance.
const MIN_WORDS: usize = 6;
/// Number of the latest memories of the working grain that are searched for recalled sentences.
const LATEST_MEMORIES: usize = 500;
/// Number of the latest summaries of each grain that are searched for recalled sentences.
const LATEST_SUMMARIES: usize = 50;

/// Sentences that occurred in the last memories.
#[derive(Debug, Default)]
pub(crate) struct SeenSentences {
    occurrences: HashMap<u64, Vec<Occurrence>>,
    /// The hashes of the sentences of each memory.
    memories: HashMap<MemoryId, Vec<u64>>,
    /// The memories of each grain in the order in which they were added. May contain some that were removed.
    order: [VecDeque<MemoryId>; Grain::ALL.len()],
}

#[derive(Debug)]
struct Occurrence {
    memory: MemoryId,
    /// Hash of the speaker. None for a statement, or for a summary's own words.
    by: Option<u64>,
    from: Vec<MemoryId>,
    at: Timestamp,
}

impl SeenSentences {
    /// Collects the sentences of these memories.
    pub(crate) fn new<'m>(memories: impl IntoIterator<Item = &'m Memory>) -> SeenSentences {
        let mut seen = SeenSentences::default();
        memories.into_iter().for_each(|memory| seen.add(memory));
        seen
    }

    /// Returns how many memories of a grain are kept.
    pub(crate) fn last(grain: Grain) -> usize {
        if grain == Grain::Working { LATEST_MEMORIES } else { LATEST_SUMMARIES }
    }

    /// Adds the sentences of a memory, replacing its former ones. Ignores passages. If the grain then has too many memories,
    /// drops the one that was added first.
    pub(crate) fn add(&mut self, memory: &Memory) {
        let assertions = match &memory.body {
            Body::Turn { speaker, .. } => {
                vec![(
                    unfenced(&memory.text).into_owned(),
                    Some(speaker.as_str()),
                    vec![memory.id.clone()],
                    memory.at(),
                )]
            }
            // Facts come from conversations only. Speakers who quote a document say it themselves.
            Body::Passage { .. } => return,
            Body::Statement { sources, .. } => vec![(memory.text.clone(), None, sources.clone(), memory.at())],
            Body::Summary { sentences, .. } => {
                let assertions = sentences.iter().map(|sentence| {
                    (sentence.text.clone(), sentence.speaker.as_deref(), sentence.from.clone(), memory.cover.end)
                });
                assertions.collect()
            }
        };
        self.remove(&memory.id);
        let mut keys = Vec::new();
        for (text, by, from, at) in assertions {
            for key in sentences(&text).filter_map(key) {
                let occurrence = Occurrence { memory: memory.id.clone(), by: by.map(hash), from: from.clone(), at };
                self.occurrences.entry(key).or_default().push(occurrence);
                keys.push(key);
            }
        }
        self.memories.insert(memory.id.clone(), keys);
        let order = &mut self.order[memory.grain as usize];
        order.push_back(memory.id.clone());
        if order.len() > SeenSentences::last(memory.grain)
            && let Some(first) = order.pop_front()
            && !order.contains(&first)
        {
            self.remove(&first);
        }
    }

    pub(crate) fn remove(&mut self, id: &MemoryId) {
        for key in self.memories.remove(id).into_iter().flatten() {
            if let Some(occurrences) = self.occurrences.get_mut(&key) {
                occurrences.retain(|occurrence| occurrence.memory != *id);
                if occurrences.is_empty() {
                    self.occurrences.remove(&key);
                }
            }
        }
    }

    /// Returns the turn without recalled text; none if nothing is left of it, or if its role is never read.
    pub(crate) fn fresh(&self, turn: &Memory) -> Option<Memory> {
        if !matches!(turn.role(), Some(Role::User | Role::Assistant)) {
            return None;
        }
        let unquoted = unfenced(&turn.text);
        let text: String = sentences(&unquoted).filter(|sentence| !self.is_recalled(sentence, turn)).collect();
        text.contains(char::is_alphanumeric).then(|| Memory { text, ..turn.clone() })
    }

    fn is_recalled(&self, sentence: &str, turn: &Memory) -> bool {
        let Some(tellings) = key(sentence).and_then(|key| self.occurrences.get(&key)) else { return false };
        let speaker = turn.speaker().map(hash);
        // A turn may be read a second time, so sentences that were extracted from this turn, or said later, do not count as
        // earlier.
        let before = |telling: &&Occurrence| telling.at < turn.at() && !telling.from.contains(&turn.id);
        let mut others = tellings.iter().filter(before).peekable();
        others.peek().is_some()
            && others.clone().all(|telling| telling.by != speaker)
            && (turn.role() == Some(Role::Assistant) || others.any(|telling| telling.by.is_none()))
    }
}

/// Returns a hash of the words in lower case. None for a sentence that is too short.
fn key(sentence: &str) -> Option<u64> {
    let words: Vec<String> = words(sentence).map(str::to_lowercase).collect();
    (words.len() >= MIN_WORDS).then(|| hash(&words.join(" ")))
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use annals_core::{Interval, Sentence};
    use annals_testkit::{at, period};

    use super::*;

    const LONG: &str = "I went hiking in the Alps with Bob.";

    fn memory(id: &str, said_at: &str, text: &str, body: Body) -> Memory {
        let day = period("2026-03-04");
        Memory {
            id: MemoryId::from_text(id),
            grain: Grain::Working,
            period: day,
            cover: Interval { start: at(said_at), end: at(said_at) },
            days: (day.first_day(), day.last_day()),
            text: text.into(),
            pinned: false,
            seq: 1,
            body,
        }
    }

    fn turn(id: &str, speaker: &str, role: Role, text: &str) -> Memory {
        let (conversation, message) = ("talk".into(), id.into());
        let body = Body::Turn { speaker: speaker.into(), role, conversation, message };
        memory(id, "2026-03-04T10:00:00Z", text, body)
    }

    fn earlier(memory: Memory) -> Memory {
        Memory { cover: Interval { start: at("2026-03-03T10:00:00Z"), end: at("2026-03-03T10:00:00Z") }, ..memory }
    }

    #[track_caller]
    fn check(seen: &[&Memory], turn: &Memory, expect: Option<&str>) {
        assert_eq!(SeenSentences::new(seen.iter().copied()).fresh(turn).map(|left| left.text).as_deref(), expect);
    }

    #[test]
    fn assistants_repetition_of_a_user_is_dropped() {
        let ann = earlier(turn("t-1", "Ann", Role::User, LONG));
        let repeated = "Noted! i went hiking in the Alps, with Bob. Anything else?";
        check(&[&ann], &turn("t-2", "assistant", Role::Assistant, repeated), Some("Noted! Anything else?"));
        check(&[&ann], &turn("t-2", "assistant", Role::Assistant, LONG), None);
        check(&[&ann], &turn("t-2", "Ann", Role::User, LONG), Some(LONG));
        check(&[&ann], &turn("t-2", "Bob", Role::User, LONG), Some(LONG));
        check(
            &[&earlier(turn("t-1", "Ann", Role::User, "Yes."))],
            &turn("t-2", "a", Role::Assistant, "Yes."),
            Some("Yes."),
        );
    }

    #[test]
    fn sentence_worded_by_memory_is_dropped_from_any_speaker() {
        let sources = vec![MemoryId::from_text("t-1")];
        let body = Body::Statement { speaker: None, sources, importance: 0.5, confidence: None };
        let statement = memory("f-1", "2026-03-03T10:00:00Z", LONG, body);
        check(&[&statement], &turn("t-2", "Bob", Role::User, LONG), None);
        check(&[&statement], &turn("t-1", "Ann", Role::User, LONG), Some(LONG));
        let ann = earlier(turn("t-1", "Ann", Role::User, LONG));
        check(&[&statement, &ann], &turn("t-2", "Ann", Role::User, LONG), Some(LONG));
        let quoted = |speaker: Option<&str>| {
            let sentence = Sentence {
                day: period("2026-03-03").first_day(),
                speaker: speaker.map(Into::into),
                text: LONG.into(),
                from: vec![MemoryId::from_text("t-1")],
                ungrounded: false,
            };
            let body = Body::Summary { sentences: vec![sentence], sources: Vec::new() };
            earlier(memory("s-1", "2026-03-03T00:00:00Z", "2026-03-03 Ann: …", body))
        };
        check(&[&quoted(None)], &turn("t-2", "Ann", Role::User, LONG), None);
        check(&[&quoted(Some("Ann"))], &turn("t-2", "Ann", Role::User, LONG), Some(LONG));
        check(&[&quoted(Some("Ann"))], &turn("t-2", "assistant", Role::Assistant, LONG), None);
    }

    #[test]
    fn removed_changed_and_oldest_memories_are_not_compared() {
        let repeated = turn("t-2", "assistant", Role::Assistant, LONG);
        let ann = |id: &str, text: &str| earlier(turn(id, "Ann", Role::User, text));
        let mut seen = SeenSentences::new([&ann("t-1", LONG), &ann("t-0", LONG)]);
        assert!(seen.fresh(&repeated).is_none());
        seen.remove(&MemoryId::from_text("t-0"));
        assert!(seen.fresh(&repeated).is_none(), "another memory says the same");
        seen.add(&ann("t-1", "I stayed at home with Bob all day."));
        assert_eq!(seen.fresh(&repeated).map(|left| left.text).as_deref(), Some(LONG));
        seen.add(&ann("t-1", LONG));
        for number in 1..LATEST_MEMORIES {
            seen.add(&ann(&format!("t-other {number}"), "Nothing much happened today in all of the town."));
        }
        assert!(seen.fresh(&repeated).is_none());
        seen.add(&ann("t-last", "Yes."));
        assert!(seen.fresh(&repeated).is_some());
        assert_eq!(seen.memories.len(), LATEST_MEMORIES);
    }

    #[test]
    fn later_sentence_is_no_recall() {
        let first = earlier(turn("t-1", "assistant", Role::Assistant, LONG));
        check(&[&turn("t-2", "Ann", Role::User, LONG)], &first, Some(LONG));
    }

    #[test]
    fn system_and_tool_turns_are_never_read() {
        for role in [Role::System, Role::Tool] {
            check(&[], &turn("t-1", "x", role, LONG), None);
        }
        check(&[], &turn("t-1", "x", Role::User, "…"), None);
    }
}
