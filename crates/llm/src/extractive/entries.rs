//! Keeps the short entries of a record together: who wrote "Told Anna." meant the sentence before it.
//!
//! A line of a log or a wire is one statement, often in several short sentences. Its later ones are quoted with the first, or not
//! at all. Longer lines are paragraphs, whose sentences are judged one by one.

use super::budget::length;
use super::dependence::Dependence;
use super::language::Language;
use super::reading::Read;

/// Maximum words of a line that is kept together.
const TOGETHER: usize = 40;

/// Makes the later sentences of each short line depend on its first one that can begin a quotation.
pub(super) fn join(read: &mut [Read]) {
    let mut rest = read;
    while !rest.is_empty() {
        let end = rest.iter().skip(1).position(|one| one.begins_line).map_or(rest.len(), |at| at + 1);
        let (line, others) = rest.split_at_mut(end);
        join_line(line);
        rest = others;
    }
}

fn join_line(line: &mut [Read]) {
    // Chinese does not shorten its sentences in logs.
    let is_unspaced = line.iter().any(|one| one.language == Language::Unspaced);
    if is_unspaced || line.iter().map(|one| length(&one.text)).sum::<usize>() > TOGETHER {
        return;
    }
    let first = line.iter().position(|one| one.dependence < Dependence::Leaning);
    for later in line.iter_mut().skip(first.map_or(usize::MAX, |first| first + 1)) {
        later.dependence = later.dependence.max(Dependence::Leaning);
        later.continues = true;
    }
}
