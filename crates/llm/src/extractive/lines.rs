//! Formats a summary as lines. In front of each are the day, except in working and daily summaries, and the speaker, if the
//! sentence has one.

use annals_core::{Date, Grain, Sentence};

use super::budget::{cut, length};
use super::story;

/// Maximum words of a speaker's name in a line, so that no name uses up the budget.
const NAME: usize = 4;

/// Returns the text of a summary: one line per sentence, so that no sentence seems to continue the one above.
pub(super) fn set<'a>(grain: Grain, sentences: impl IntoIterator<Item = &'a Sentence>) -> String {
    let line = |sentence: &Sentence| head(grain, sentence.day, sentence.speaker.as_deref()) + &sentence.text;
    sentences.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the head of a line with a trailing space: `2023-05-08 Caroline: `, without the day in a working or daily summary.
/// Empty if neither the day nor a speaker is shown.
pub(super) fn head(grain: Grain, day: Date, speaker: Option<&str>) -> String {
    let day = if grain > Grain::Daily { format!("{day} ") } else { String::new() };
    let speaker = speaker.map(|name| format!("{}: ", cut(name, NAME))).unwrap_or_default();
    day + &speaker
}

/// Counts the words of a summary that are names and days at the head of lines, labels, or dates appended to times.
pub(super) fn added<'a>(grain: Grain, sentences: impl IntoIterator<Item = &'a Sentence>) -> usize {
    let of = |sentence: &Sentence| {
        let head = head(grain, sentence.day, sentence.speaker.as_deref());
        let (label, _) = story::parts(&sentence.text);
        length(&head) + label.map_or(0, length) + words_of_dates(&sentence.text)
    };
    sentences.into_iter().map(of).sum()
}

fn words_of_dates(text: &str) -> usize {
    let of = |bracket: &str| bracket.split(']').next().unwrap_or_default().split_whitespace().count();
    text.split(" [").skip(1).map(of).sum()
}

#[cfg(test)]
mod tests {
    use annals_core::Period;

    use super::*;

    fn sentence(day: &str, speaker: Option<&str>, text: &str) -> Sentence {
        let day = day.parse::<Period>().unwrap().first_day();
        Sentence {
            day,
            speaker: speaker.map(str::to_owned),
            text: text.to_owned(),
            from: Vec::new(),
            ungrounded: false,
        }
    }

    #[test]
    fn each_sentence_is_a_line() {
        fn check(grain: Grain, expect: &str) {
            let sentences = [
                sentence("2023-05-08", Some("Ann"), "I moved."),
                sentence("2023-05-08", Some("Ann"), "The flat is bright."),
                sentence("2023-05-09", None, "Small talk only."),
            ];
            assert_eq!(set(grain, &sentences), expect);
        }
        check(Grain::Daily, "Ann: I moved.\nAnn: The flat is bright.\nSmall talk only.");
        check(
            Grain::Weekly,
            "2023-05-08 Ann: I moved.\n2023-05-08 Ann: The flat is bright.\n2023-05-09 Small talk only.",
        );
    }

    #[test]
    fn long_name_is_cut() {
        let day = "2023-05-08".parse::<Period>().unwrap().first_day();
        assert_eq!(head(Grain::Daily, day, Some("a b\nc d e f")), "a b c d…: ");
    }
}
