//! Distinguishes chats from records: by who takes part in a conversation, and how often its writer asks or addresses someone.

use std::collections::{BTreeMap, BTreeSet};

use annals_core::{Base, Memory};

use super::speakers;
use crate::extractive::record::Form;
use crate::extractive::{news, record};

/// Minimum turns of a conversation with one writer, and maximum share of its turns that ask or address someone, so that it
/// counts as a log and not as a chat.
const LOG: usize = 4;
const ASKING: f64 = 0.2;

/// Returns the conversations in which more than one speaker takes part, or whose only writer asks or addresses someone. A log
/// with few questions ("since when??") is not a chat, nor are reports of several newspapers.
pub(super) fn chats<'a>(sources: &[&'a Memory], earlier: &[&'a Memory]) -> BTreeSet<&'a str> {
    let mut speakers: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for turn in sources {
        speakers.entry(turn.conversation().unwrap_or_default()).or_default();
    }
    // Other speakers of the conversation may have written on earlier days only.
    for turn in sources.iter().chain(earlier) {
        let of_conversation = speakers.get_mut(turn.conversation().unwrap_or_default());
        of_conversation.into_iter().for_each(|known| _ = known.insert(turn.speaker().unwrap_or_default()));
    }
    let is_chat = |(conversation, speakers): &(&str, BTreeSet<&str>)| {
        let is_of_it = |turn: &&&Memory| turn.conversation() == Some(*conversation);
        let count = |turns: &[&Memory], asking: bool| {
            turns.iter().filter(is_of_it).filter(|turn| !asking || record::addresses(&turn.text)).count()
        };
        let asking = count(sources, true);
        let is_log = || {
            let turns = count(sources, false) + count(earlier, false);
            turns >= LOG && (asking + count(earlier, true)) as f64 <= ASKING * turns as f64
        };
        let is_news = || news::is(sources.iter().chain(earlier).filter(is_of_it).copied());
        speakers.len() > 1 && !is_news() || asking > 0 && !is_log()
    };
    speakers.into_iter().filter(is_chat).map(|(conversation, _)| conversation).filter(|one| !one.is_empty()).collect()
}

/// Returns [`Form::Chat`] if one of the conversations is a chat, or if several speakers write in the period and the texts are
/// not news. Otherwise returns [`Form::Record`].
pub(super) fn form<'a>(base: Option<&'a Base>, sources: &[&'a Memory], earlier: &[&'a Memory]) -> Form {
    let distinct: BTreeSet<&str> = speakers(base, sources).collect();
    let is_of_one = distinct.len() < 2 || news::is(sources.iter().chain(earlier).copied());
    if is_of_one && chats(sources, earlier).is_empty() { Form::Record } else { Form::Chat }
}
