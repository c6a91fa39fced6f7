//! A summary as lines: who said it, and for weeks and coarser on which day.

use annals_core::{Date, Grain, Sentence};

use super::budget::cut;

/// A speaker's name in a line has at most so many words, so that no name can use up a budget.
const NAME: usize = 4;

/// The text of a summary: one line per run of sentences with the same label.
pub(super) fn set<'a>(grain: Grain, sentences: impl IntoIterator<Item = &'a Sentence>) -> String {
    let mut text = String::new();
    let mut last: Option<&Sentence> = None;
    for sentence in sentences {
        if last.is_some_and(|last| share_a_line(grain, last, sentence)) {
            text.push_str(joint(&text));
        } else {
            text.push_str(if text.is_empty() { "" } else { "\n" });
            text.push_str(&head(grain, sentence.day, sentence.speaker.as_deref()));
        }
        text.push_str(&sentence.text);
        last = Some(sentence);
    }
    text
}

/// The head of a line, with the space behind it: `2023-05-08 Caroline: `, in a daily summary without the day.
pub(super) fn head(grain: Grain, day: Date, speaker: Option<&str>) -> String {
    let day = if grain > Grain::Daily { format!("{day} ") } else { String::new() };
    let speaker = speaker.map(|name| format!("{}: ", cut(name, NAME))).unwrap_or_default();
    day + &speaker
}

fn share_a_line(grain: Grain, one: &Sentence, next: &Sentence) -> bool {
    one.speaker == next.speaker && (grain <= Grain::Daily || one.day == next.day)
}

/// What stands between two sentences of a line. Clauses and lines of a chat end without a mark of their own.
fn joint(line: &str) -> &'static str {
    if line.ends_with(char::is_alphanumeric) { "; " } else { " " }
}

#[cfg(test)]
mod tests {
    use annals_core::Period;

    use super::*;

    fn sentence(day: &str, speaker: Option<&str>, text: &str) -> Sentence {
        let day = day.parse::<Period>().unwrap().first_day();
        Sentence { day, speaker: speaker.map(str::to_owned), text: text.to_owned(), from: Vec::new() }
    }

    #[test]
    fn a_line_is_what_one_speaker_said_on_one_day() {
        fn check(grain: Grain, expect: &str) {
            let sentences = [
                sentence("2023-05-08", Some("Ann"), "I moved."),
                sentence("2023-05-08", Some("Ann"), "the flat is bright"),
                sentence("2023-05-08", Some("Ann"), "So is the yard!"),
                sentence("2023-05-08", Some("Bob"), "Mine is dark."),
                sentence("2023-05-09", Some("Bob"), "It rained."),
                sentence("2023-05-10", None, "Small talk only."),
            ];
            assert_eq!(set(grain, &sentences), expect);
        }
        check(
            Grain::Daily,
            "Ann: I moved. the flat is bright; So is the yard!\nBob: Mine is dark. It rained.\nSmall talk only.",
        );
        check(
            Grain::Weekly,
            "2023-05-08 Ann: I moved. the flat is bright; So is the yard!\n2023-05-08 Bob: Mine is dark.\n\
             2023-05-09 Bob: It rained.\n2023-05-10 Small talk only.",
        );
    }

    #[test]
    fn no_name_uses_up_a_budget() {
        let day = "2023-05-08".parse::<Period>().unwrap().first_day();
        assert_eq!(head(Grain::Daily, day, Some("a b\nc d e f")), "a b c d…: ");
    }
}
