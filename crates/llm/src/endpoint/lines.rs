//! The input of a request as numbered lines, each with the turns it came from, and its division into parts that fit.

use annals_core::{Base, Date, Grain, Memory, MemoryId, Result, Role, Sentence, Timestamp, Zones};
use jiff::tz::TimeZone;

use super::tokens;
use crate::prompts::sanitized_line;

/// Line number that is assumed when the tokens of a line are counted, because the real one is not known yet.
const WIDEST_LINE_NUMBER: usize = 99_999;

/// Maximum characters of a speaker or conversation, so that a long name does not fill the window.
const MAX_NAME_LENGTH: usize = 60;

/// Words at the beginning and at the end of a long turn of an assistant that are shown.
const ANSWER_ENDS_SHOWN: (usize, usize) = (120, 60);

/// One line of the input of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Time and speaker of a turn (`2026-03-04 09:00 Ann: `), or day and speaker of a sentence of a summary. The date of a turn
    /// and the speaker of a sentence may be missing.
    pub(super) head: String,
    /// Content of the turn or sentence.
    pub(super) text: String,
    /// First and last day that a sentence about this line may have.
    pub(super) days: (Date, Date),
    /// Turns that the line came from.
    pub(super) from: Vec<MemoryId>,
    /// The conversation or summary that the line belongs to. Lines of one group stay together if possible.
    pub(super) group: String,
}

impl Line {
    /// Returns the line with its number, as it stands in the request.
    pub(super) fn numbered(&self, number: usize) -> String {
        format!("[{number}] {}{}", self.head, self.text)
    }

    fn tokens(&self) -> u64 {
        // The line break counts as one token.
        tokens::at_most(&self.numbered(WIDEST_LINE_NUMBER)) + 1
    }
}

/// Returns the lines for a summary's sources: one per turn, or one per sentence of each finer summary. A summary without
/// sentences is one line. Leaves out empty lines.
pub(super) fn of(grain: Grain, sources: &[Memory], zones: &Zones) -> Result<Vec<Line>> {
    if grain == Grain::Daily {
        return of_turns(sources, zones, false);
    }
    Ok(sources.iter().flat_map(of_summary).filter(|line| !line.text.is_empty()).collect())
}

/// Returns one line per turn of a user or an assistant: date and time or only the time, the conversation if there are several,
/// the speaker, and the role of an assistant: `09:00 [support] Aria (assistant): `. Leaves out system and tool turns. Without
/// dates, lines of one conversation are kept together, in the order in which the conversations began.
pub(super) fn of_turns(turns: &[Memory], zones: &Zones, dated: bool) -> Result<Vec<Line>> {
    let turns = || turns.iter().filter(|turn| !matches!(turn.role(), Some(Role::System | Role::Tool)));
    let first = turns().next().map(Memory::conversation);
    let has_several = turns().any(|turn| Some(turn.conversation()) != first);
    let lines = turns().map(|turn| of_turn(turn, zones, dated, has_several)).collect::<Result<Vec<_>>>()?;
    let lines = lines.into_iter().filter(|line| !line.text.is_empty()).collect();
    Ok(if dated { lines } else { by_conversation(lines) })
}

/// Moves the lines of each conversation together; keeps their order.
fn by_conversation(mut lines: Vec<Line>) -> Vec<Line> {
    let mut order: Vec<String> = Vec::new();
    for line in &lines {
        if !order.contains(&line.group) {
            order.push(line.group.clone());
        }
    }
    let index = |line: &Line| order.iter().position(|group| *group == line.group);
    lines.sort_by_key(index);
    lines
}

/// Returns the text of a turn on one line. Shortens a long turn of an assistant, because its explanations are not events.
fn shortened(turn: &Memory) -> String {
    let text = sanitized_line(&turn.text);
    let words: Vec<&str> = text.split(' ').collect();
    if turn.role() != Some(Role::Assistant) || words.len() <= ANSWER_ENDS_SHOWN.0 + ANSWER_ENDS_SHOWN.1 {
        return text;
    }
    format!("{} […] {}", words[..ANSWER_ENDS_SHOWN.0].join(" "), words[words.len() - ANSWER_ENDS_SHOWN.1..].join(" "))
}

fn of_turn(turn: &Memory, zones: &Zones, dated: bool, has_several: bool) -> Result<Line> {
    let date = if dated { format!("{} ", turn.days.0) } else { String::new() };
    let conversation = turn.conversation().filter(|_| has_several);
    let conversation = conversation.map(|conversation| format!("[{}] ", name(conversation))).unwrap_or_default();
    Ok(Line {
        head: format!("{date}{} {conversation}{}: ", clock(turn.at(), zones)?, speaker(turn)),
        text: shortened(turn),
        days: turn.days,
        from: vec![turn.id.clone()],
        group: turn.conversation().unwrap_or_default().to_owned(),
    })
}

/// Returns the speaker's name, or "unknown"; adds the role to an assistant with a name of its own.
pub(super) fn speaker(turn: &Memory) -> String {
    let speaker = turn.speaker().unwrap_or("unknown");
    match turn.role().filter(|role| *role == Role::Assistant && role.as_str() != speaker) {
        Some(role) => format!("{} ({role})", name(speaker)),
        None => name(speaker),
    }
}

/// Returns one line per sentence. Leaves out sentences that a model invented: without their mark, a longer period would repeat
/// them as facts.
fn of_summary(summary: &Memory) -> Vec<Line> {
    if !summary.sentences().is_empty() {
        let supported = summary.sentences().iter().filter(|sentence| !sentence.ungrounded);
        return supported.map(|sentence| of_sentence(sentence, summary.id.as_str())).collect();
    }
    vec![Line {
        head: format!("{} ", summary.days.0),
        text: sanitized_line(&summary.text),
        days: summary.days,
        from: summary.sources().to_vec(),
        group: summary.id.as_str().to_owned(),
    }]
}

/// Returns the lines of a sealed summary, all in one group, without sentences that a model invented. `day` is the day of a summary that has no sentences.
pub(super) fn of_base(base: &Base, day: Date) -> Vec<Line> {
    if base.sentences.is_empty() {
        let from = base.sources.clone();
        return vec![Line {
            head: String::new(),
            text: sanitized_line(&base.text),
            days: (day, day),
            from,
            group: String::new(),
        }];
    }
    base.sentences.iter().filter(|sentence| !sentence.ungrounded).map(|sentence| of_sentence(sentence, "")).collect()
}

fn of_sentence(sentence: &Sentence, group: &str) -> Line {
    let speaker = sentence.speaker.as_deref().map(|speaker| format!("{}: ", name(speaker))).unwrap_or_default();
    Line {
        head: format!("{} {speaker}", sentence.day),
        text: sanitized_line(&sentence.text),
        days: (sentence.day, sentence.day),
        from: sentence.from.clone(),
        group: group.to_owned(),
    }
}

/// Returns the name of a speaker or conversation, on one line and cut to [`MAX_NAME_LENGTH`].
pub(super) fn name(speaker: &str) -> String {
    sanitized_line(speaker).chars().take(MAX_NAME_LENGTH).collect()
}

fn clock(at: Timestamp, zones: &Zones) -> Result<String> {
    let zone =
        TimeZone::get(zones.name_at(at)).map_err(|_| annals_core::Error::invalid("time_zone", "is not known"))?;
    Ok(at.to_zoned(zone).strftime("%H:%M").to_string())
}

/// Joins the lines, numbered from `first` on.
pub(super) fn numbered(lines: &[Line], first: usize) -> String {
    let lines: Vec<String> = lines.iter().enumerate().map(|(index, line)| line.numbered(first + index)).collect();
    lines.join("\n")
}

/// Returns an upper estimate of the tokens of the lines.
pub(super) fn tokens(lines: &[Line]) -> u64 {
    lines.iter().map(Line::tokens).sum()
}

/// Splits the lines into parts of at most `room` tokens. Cuts between groups if a whole group fits into a part, otherwise
/// between lines, and inside a line only if the line alone is too long.
pub(super) fn split(lines: Vec<Line>, room: u64) -> Vec<Vec<Line>> {
    let pieces: Vec<Line> = lines.into_iter().flat_map(|line| pieces(line, room)).collect();
    let mut parts: Vec<Vec<Line>> = Vec::new();
    let mut used = 0;
    for group in pieces.chunk_by(|one, next| one.group == next.group) {
        let whole = tokens(group);
        if used + whole > room && whole <= room {
            parts.push(Vec::new());
            used = 0;
        }
        for line in group {
            let tokens = line.tokens();
            if used + tokens > room || parts.is_empty() {
                parts.push(Vec::new());
                used = 0;
            }
            used += tokens;
            parts.last_mut().expect("one was pushed before the first line").push(line.clone());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Cuts a line between words, or inside a word that is too long, into lines that fit.
fn pieces(line: Line, room: u64) -> Vec<Line> {
    if line.tokens() <= room {
        return vec![line];
    }
    let bare = Line { text: String::new(), ..line.clone() };
    let room = room.saturating_sub(bare.tokens()).max(1);
    let mut texts = vec![String::new()];
    for word in line.text.split_inclusive(' ').flat_map(|word| short(word, room)) {
        let last = texts.last_mut().expect("begins with one");
        if !last.is_empty() && tokens::at_most(last) + tokens::at_most(&word) > room {
            texts.push(word);
        } else {
            last.push_str(&word);
        }
    }
    texts.into_iter().map(|text| Line { text: text.trim().to_owned(), ..bare.clone() }).collect()
}

/// Cuts a word into pieces that fit; URLs and texts without spaces can have any length.
fn short(word: &str, room: u64) -> Vec<String> {
    if tokens::at_most(word) <= room {
        return vec![word.to_owned()];
    }
    // The estimate for one character is at most five tokens.
    let length = usize::try_from(room / 5).unwrap_or(usize::MAX).max(1);
    let characters: Vec<char> = word.chars().collect();
    characters.chunks(length).map(|piece| piece.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn line(group: &str, text: &str) -> Line {
        let day = jiff::civil::date(2026, 3, 4);
        Line { head: "09:00 A: ".into(), text: text.into(), days: (day, day), from: Vec::new(), group: group.into() }
    }

    #[test]
    fn groups_stay_together_if_they_fit() {
        let text = "word ".repeat(10);
        let lines: Vec<Line> =
            ["a", "a", "b", "b", "b", "c", "c", "c", "c", "c"].map(|group| line(group, &text)).into();
        let each = line("a", &text).tokens();
        let parts = split(lines, each * 4);
        let groups: Vec<String> =
            parts.iter().map(|part| part.iter().map(|line| line.group.as_str()).collect()).collect();
        assert_eq!(groups, ["aa", "bbbc", "cccc"]);
    }

    /// A longer period would repeat them without their mark.
    #[test]
    fn invented_sentences_of_a_sealed_summary_are_left_out() {
        let day = jiff::civil::date(2026, 3, 4);
        let sentence =
            |text: &str, ungrounded| Sentence { day, speaker: None, text: text.into(), from: Vec::new(), ungrounded };
        let sentences = vec![sentence("Ann moved.", false), sentence("She paid 70 euros.", true)];
        let base = Base { text: String::new(), sentences, sources: Vec::new(), verbatim: false };
        let texts: Vec<String> = of_base(&base, day).into_iter().map(|line| line.text).collect();
        assert_eq!(texts, ["Ann moved."]);
    }

    proptest! {
        #[test]
        fn split_loses_nothing_and_every_part_fits(
            texts in proptest::collection::vec(("[abc]", "(\\PC| ){1,300}"), 1..12), room in 60_u64..400,
        ) {
            let lines: Vec<Line> = texts.iter().map(|(group, text)| line(group, &sanitized_line(text))).collect();
            let bare = |text: &str| -> String { text.chars().filter(|c| *c != ' ').collect() };
            let before: String = lines.iter().map(|line| bare(&line.text)).collect();
            let parts = split(lines, room);
            for part in &parts {
                prop_assert!(tokens(part) <= room, "{} > {room}", tokens(part));
            }
            let after: String = parts.iter().flatten().map(|line| bare(&line.text)).collect();
            prop_assert_eq!(before, after);
        }
    }
}
