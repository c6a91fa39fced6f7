//! Keeps the short entries of a record together: "Told Anna." refers to the sentence before it.
//!
//! A line of a log or a wire is one statement, often in several short sentences. Its later sentences are quoted with the first,
//! or not at all. Longer lines are paragraphs, whose sentences are judged one by one.

use super::budget::length;
use super::dependence::Dependence;
use super::language::Language;
use super::reading::Read;
use super::record;
use super::tokens::tokens;

/// Maximum words of a line that is kept together.
const TOGETHER: usize = 40;

/// Makes the later sentences of each short line depend on its first one that can begin a quotation. Lines in Chinese or
/// Japanese stay unchanged.
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
    // Chinese logs do not consist of such short sentences.
    let is_unspaced = line.iter().any(|one| one.language == Language::Unspaced);
    if is_unspaced || line.iter().map(|one| length(&one.text)).sum::<usize>() > TOGETHER {
        return;
    }
    let first = line.iter().position(|one| one.dependence < Dependence::Leaning);
    // "No one was hurt. Debris fell into the sea." After such a sentence, only one that begins with a name is clear.
    if let Some(first) = first.filter(|first| *first > 0 && !record::begins_with_name(&tokens(&line[*first].text))) {
        line[first..].iter_mut().for_each(|one| one.dependence = one.dependence.max(Dependence::Leaning));
    }
    for later in line.iter_mut().skip(first.map_or(usize::MAX, |first| first + 1)) {
        later.dependence = later.dependence.max(Dependence::Leaning);
        later.continues = true;
    }
}

#[cfg(test)]
mod tests {
    use super::super::names::Names;
    use super::super::reading;
    use super::super::record::Form;
    use super::super::story::Story;
    use super::*;

    #[test]
    fn later_sentences_of_a_short_entry_are_quoted_with_the_first() {
        fn check(entry: &str, expect: &[&str]) {
            let names = Names::of(["Log"].into_iter());
            let read = reading::of(entry, "2026-03-04".parse().unwrap(), 60, &names, Form::Record, &Story::default());
            let quotable = read.iter().filter(|one| one.dependence == Dependence::Independent);
            assert_eq!(quotable.map(|one| one.text.as_str()).collect::<Vec<_>>(), expect, "{entry}");
        }
        check(
            "Nora sold the red boat in Bergen. Told Anna in Oslo.",
            &["Nora sold the red boat in Bergen.", "Nora sold the red boat in Bergen. Told Anna in Oslo."],
        );
        check(
            "Mayor Ida Lund resigned in Bergen. She gave no reason.",
            &["Mayor Ida Lund resigned in Bergen.", "Mayor Ida Lund resigned in Bergen. She gave no reason."],
        );
        check("The talks resume. Bouchard flies to Cairo.", &["Bouchard flies to Cairo."]);
        check(
            "Nora sold a red boat.\nAnna bought two oars in Oslo.",
            &["Nora sold a red boat.", "Anna bought two oars in Oslo."],
        );
    }
}
