//! Times of the day beside "last night": those after midnight belong to the day of the message.

use super::Sentence;

/// Words before the time of an event. "Until" is not among them: "last night until 2 am" is about the evening.
const AT: [&str; 6] = ["from", "at", "around", "about", "between", "since"];

/// Number of words before "last night" that are searched for a time.
const NEAR: usize = 6;

/// Returns whether the first time of the day beside "last night" is after midnight: "last night from 02:10 to 04:35", "at 3 am
/// last night".
pub(super) fn is_after_midnight(sentence: Sentence<'_>, at: usize) -> bool {
    let words = sentence.words;
    let is_at = |position: &usize| *position > 0 && AT.contains(&words[position - 1]);
    let after = (at + 2..words.len()).take(3).filter(|position| is_at(position) || *position == at + 2);
    let before = (at.saturating_sub(NEAR)..at).filter(is_at);
    let first = after.chain(before).find_map(|position| is_small_hour(sentence, position));
    first == Some(true)
}

/// Returns whether the time at a word is between midnight and six; `None` if the word is no time. "5:30" alone does not count,
/// because it may be in the afternoon; "05:30" does.
fn is_small_hour(sentence: Sentence<'_>, at: usize) -> Option<bool> {
    let word = sentence.words[at];
    let digits = word.trim_end_matches(char::is_alphabetic);
    let hour: u8 = digits.parse().ok()?;
    let next = sentence.tokens.get(at + 1).filter(|next| sentence.text[..next.span.start].ends_with(':'));
    let half = at + if next.is_some() { 2 } else { 1 };
    let half: String = sentence.words.iter().skip(half).take_while(|word| word.len() < 3).take(2).copied().collect();
    let is_half =
        |name| word.ends_with(name) || half.starts_with(name) || next.is_some_and(|next| next.lower.ends_with(name));
    let (is_am, is_pm) = (is_half("am"), is_half("pm"));
    let is_clock = next.is_some() || is_am || is_pm;
    let is_small = hour < 5 || hour == 5 && (is_am || digits.starts_with('0')) || hour == 12 && is_am;
    is_clock.then_some(is_small && !is_pm)
}
