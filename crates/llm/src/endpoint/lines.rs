//! The input of a question as numbered lines, each of which knows the turns behind it, and its division into parts that fit.

use annals_core::{Base, Date, Grain, Memory, MemoryId, Result, Role, Sentence, Timestamp, Zones};
use jiff::tz::TimeZone;

use super::tokens;
use crate::prompts::tame;

/// The widest number in brackets that is counted with a line.
const WIDEST_NUMBER: usize = 99_999;

/// Names are cut to this, so that no name takes up a window.
const LONGEST_NAME: usize = 60;

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// When and who: `2026-03-04 09:00 Ann: `.
    pub(super) head: String,
    /// What was said.
    pub(super) text: String,
    /// The days it may tell of.
    pub(super) days: (Date, Date),
    /// The turns behind it.
    pub(super) from: Vec<MemoryId>,
    /// Lines of one group stay together where they can: a conversation, or one summary.
    pub(super) group: String,
}

impl Line {
    /// As a model sees it.
    pub(super) fn numbered(&self, number: usize) -> String {
        format!("[{number}] {}{}", self.head, self.text)
    }

    fn tokens(&self) -> u64 {
        // And the line break.
        tokens::at_most(&self.numbered(WIDEST_NUMBER)) + 1
    }
}

/// The lines of what a summary is made of: one for each turn, or one for each sentence of each finer summary.
pub(super) fn of(grain: Grain, sources: &[Memory], zones: &Zones) -> Result<Vec<Line>> {
    if grain == Grain::Daily {
        return of_turns(sources, zones, false);
    }
    Ok(sources.iter().flat_map(of_summary).filter(|line| !line.text.is_empty()).collect())
}

/// A line for each turn of a user or an assistant, with its date or only its time, the conversation where there are several, and
/// who speaks in which role: `09:00 [support] Aria (assistant): `. Instructions and answers of tools are nobody's words.
pub(super) fn of_turns(turns: &[Memory], zones: &Zones, dated: bool) -> Result<Vec<Line>> {
    let turns = || turns.iter().filter(|turn| !matches!(turn.role, Some(Role::System | Role::Tool)));
    let first = turns().next().map(|turn| &turn.conversation);
    let has_several = turns().any(|turn| Some(&turn.conversation) != first);
    let lines = turns().map(|turn| of_turn(turn, zones, dated, has_several)).collect::<Result<Vec<_>>>()?;
    Ok(lines.into_iter().filter(|line| !line.text.is_empty()).collect())
}

fn of_turn(turn: &Memory, zones: &Zones, dated: bool, has_several: bool) -> Result<Line> {
    let date = if dated { format!("{} ", turn.days.0) } else { String::new() };
    let conversation = turn.conversation.as_deref().filter(|_| has_several);
    let conversation = conversation.map(|conversation| format!("[{}] ", name(conversation))).unwrap_or_default();
    Ok(Line {
        head: format!("{date}{} {conversation}{}: ", clock(turn.at(), zones)?, speaker(turn)),
        text: tame(&turn.text),
        days: turn.days,
        from: vec![turn.id.clone()],
        group: turn.conversation.clone().unwrap_or_default(),
    })
}

/// Who speaks. The role is said of an assistant that has a name like a person's.
fn speaker(turn: &Memory) -> String {
    let speaker = turn.speaker.as_deref().unwrap_or("unknown");
    match turn.role.filter(|role| *role == Role::Assistant && role.as_str() != speaker) {
        Some(role) => format!("{} ({role})", name(speaker)),
        None => name(speaker),
    }
}

fn of_summary(summary: &Memory) -> Vec<Line> {
    if !summary.sentences.is_empty() {
        return summary.sentences.iter().map(|sentence| of_sentence(sentence, summary.id.as_str())).collect();
    }
    vec![Line {
        head: format!("{} ", summary.days.0),
        text: tame(&summary.text),
        days: summary.days,
        from: summary.sources.clone(),
        group: summary.id.as_str().to_owned(),
    }]
}

/// The lines of a sealed summary, which stay together.
pub(super) fn of_base(base: &Base, day: Date) -> Vec<Line> {
    if base.sentences.is_empty() {
        let from = base.sources.clone();
        return vec![Line {
            head: String::new(),
            text: tame(&base.text),
            days: (day, day),
            from,
            group: String::new(),
        }];
    }
    base.sentences.iter().map(|sentence| of_sentence(sentence, "")).collect()
}

fn of_sentence(sentence: &Sentence, group: &str) -> Line {
    let speaker = sentence.speaker.as_deref().map(|speaker| format!("{}: ", name(speaker))).unwrap_or_default();
    Line {
        head: format!("{} {speaker}", sentence.day),
        text: tame(&sentence.text),
        days: (sentence.day, sentence.day),
        from: sentence.from.clone(),
        group: group.to_owned(),
    }
}

/// A speaker's name on one line and not too long.
pub(super) fn name(speaker: &str) -> String {
    tame(speaker).chars().take(LONGEST_NAME).collect()
}

fn clock(at: Timestamp, zones: &Zones) -> Result<String> {
    let zone =
        TimeZone::get(zones.name_at(at)).map_err(|_| annals_core::Error::invalid("time_zone", "is not known"))?;
    Ok(at.to_zoned(zone).strftime("%H:%M").to_string())
}

/// The lines with their numbers from `first` on, as one text.
pub(super) fn numbered(lines: &[Line], first: usize) -> String {
    let lines: Vec<String> = lines.iter().enumerate().map(|(index, line)| line.numbered(first + index)).collect();
    lines.join("\n")
}

/// Tokens of the lines together.
pub(super) fn tokens(lines: &[Line]) -> u64 {
    lines.iter().map(Line::tokens).sum()
}

/// The lines in parts of at most `room` tokens: cut between groups where a whole group fits into a part, else between
/// lines, and inside a line only where that alone is too long.
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

/// A line cut at words, or inside a word where that is too long, into lines that fit.
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

/// A word in pieces that fit; addresses and texts without spaces can be of any length.
fn short(word: &str, room: u64) -> Vec<String> {
    if tokens::at_most(word) <= room {
        return vec![word.to_owned()];
    }
    // No character weighs more than five tokens.
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
    fn parts_are_cut_between_groups_first() {
        let text = "word ".repeat(10);
        let lines: Vec<Line> =
            ["a", "a", "b", "b", "b", "c", "c", "c", "c", "c"].map(|group| line(group, &text)).into();
        let each = line("a", &text).tokens();
        let parts = split(lines, each * 4);
        let groups: Vec<String> =
            parts.iter().map(|part| part.iter().map(|line| line.group.as_str()).collect()).collect();
        assert_eq!(groups, ["aa", "bbbc", "cccc"]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_every_part_fits(
            texts in proptest::collection::vec(("[abc]", "(\\PC| ){1,300}"), 1..12), room in 60_u64..400,
        ) {
            let lines: Vec<Line> = texts.iter().map(|(group, text)| line(group, &tame(text))).collect();
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
