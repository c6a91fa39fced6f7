//! The note of a week, month, quarter or year, and the links between the notes of periods.

use annals_core::Period;

use super::day::push;
use super::escape::paragraphs;

/// Returns the Markdown note of a period, with links to the notes of its coarser and finer periods.
pub fn note(period: Period, text: &str, has_note: impl Fn(&Period) -> bool) -> String {
    let (first, last) = period.cover_days();
    let mut note = format!("---\ntype: {}\nfrom: {first}\nto: {last}\n", period.grain());
    push(&mut note, format_args!("{}---\n\n# {period}\n\n{}\n", links(period, &has_note), paragraphs(text)));
    let parts: Vec<String> =
        period.children().iter().filter(|part| has_note(part)).map(|part| format!("[[{part}]]")).collect();
    if !parts.is_empty() {
        push(&mut note, format_args!("\nParts: {}\n", parts.join(", ")));
    }
    note
}

/// Returns the line of a front matter that links to the coarser period, if it has a note.
pub fn links(period: Period, has_note: impl Fn(&Period) -> bool) -> String {
    period.parent().filter(|parent| has_note(parent)).map_or(String::new(), |parent| format!("up: \"[[{parent}]]\"\n"))
}
