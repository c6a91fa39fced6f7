//! Words of a question that show whether it asks when, and whether it is about the present, the past, or what is ahead. Most are
//! English. Those for now, today and tomorrow cover seven languages, those for now and when also Chinese. Pure.

use annals_core::spaced;

use super::contains_any;

/// Phrases of questions that ask for a time.
const WHEN: [&str; 14] = [
    " wann ",
    " quand ",
    " cuando ",
    " quando ",
    " wanneer ",
    " when ",
    " what date ",
    " what day ",
    " what month ",
    " what year ",
    " what time ",
    " which month ",
    " which year ",
    " how long ago ",
];
/// The same in Chinese.
const WHEN_WIDE: [&str; 7] = ["什么时候", "什麼時候", "几号", "哪天", "哪一天", "何时", "几点"];
/// Phrases about the present. Together with the past tense they refer to the past.
const NOW: [&str; 26] = [
    " jetzt ",
    " aktuell ",
    " momentan ",
    " zurzeit ",
    " derzeit ",
    " inzwischen ",
    " maintenant ",
    " actuellement ",
    " ahora ",
    " actualmente ",
    " agora ",
    " atualmente ",
    " adesso ",
    " attualmente ",
    " momenteel ",
    " today ",
    " now ",
    " currently ",
    " current ",
    " still ",
    " these days ",
    " at the moment ",
    " at present ",
    " nowadays ",
    " anymore ",
    " any more ",
];
/// Chinese words for the present. "最近" (lately) is not among them: "最近的" means "nearest".
const NOW_WIDE: [&str; 5] = ["现在", "現在", "目前", "如今", "眼下"];
/// Phrases about the recent past, which count as the present even in the past tense.
const LATELY: [&str; 5] = [" lately ", " latest ", " recently ", " most recent ", " newest "];
/// Words for today and tomorrow. Together with the past tense they refer to the past.
const AHEAD: [&str; 14] = [
    " today ",
    " tonight ",
    " tomorrow ",
    " heute ",
    " morgen ",
    " aujourd hui ",
    " demain ",
    " hoy ",
    " manana ",
    " hoje ",
    " amanha ",
    " oggi ",
    " domani ",
    " vandaag ",
];
/// Words that mark a question as being about the past.
const PAST: [&str; 9] = [" did ", " didn ", " was ", " wasn ", " were ", " weren ", " had ", " hadn ", " used to "];

/// Returns whether the words of a question ask when something was or will be.
pub(super) fn asks_when(words: &str) -> bool {
    contains_any(words, &WHEN) || contains_any(words, &WHEN_WIDE)
}

/// Returns whether the words are about the present or the recent past.
pub(super) fn are_about_now(words: &str) -> bool {
    let is_now = contains_any(words, &NOW) && !are_in_the_past(words);
    contains_any(words, &LATELY) || is_now || contains_any(words, &NOW_WIDE)
}

/// Returns whether the words are about today or tomorrow, and not in the past tense.
pub(super) fn are_ahead(words: &str) -> bool {
    contains_any(words, &AHEAD) && !are_in_the_past(words)
}

pub(super) fn are_in_the_past(words: &str) -> bool {
    contains_any(words, &PAST)
}

/// Returns the question without its words for the present; the whole question if it has no others. "Still" and "current" stay, which
/// are also said of other things, and so do words with a capital letter inside the question: "Apocalypse Now".
pub(crate) fn without_words_for_now(text: &str) -> String {
    /// Maximum words of a phrase in [`NOW`].
    const LONGEST: usize = 3;
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_phrase = |words: &[&str]| {
        let phrase = spaced(&words.join(" "));
        ![" still ", " current "].contains(&phrase.as_str()) && NOW.contains(&phrase.as_str())
    };
    let length_at = |rest: &[&str]| (1..=LONGEST.min(rest.len())).rev().find(|length| is_phrase(&rest[..*length]));
    let (mut kept, mut rest) = (Vec::new(), &words[..]);
    while let Some((first, others)) = rest.split_first() {
        let is_name = rest.len() < words.len() && first.starts_with(char::is_uppercase);
        match length_at(rest).filter(|_| !is_name) {
            Some(length) => rest = &rest[length..],
            None => {
                kept.push(*first);
                rest = others;
            }
        }
    }
    let kept = NOW_WIDE.iter().fold(kept.join(" "), |text, word| text.replace(word, " "));
    if kept.contains(char::is_alphanumeric) { kept } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::super::Question;
    use super::*;

    #[test]
    fn time_phrases_set_asks_when_and_about_now() {
        fn check(text: &str, when: bool, now: bool) {
            let question = Question::new(text, "en");
            assert_eq!((question.asks_when, question.about_now), (when, now), "{text:?}");
        }
        check("When did Ann leave?", true, false);
        check("In which month was it?", true, false);
        check("Where does Ann live now?", false, true);
        check("the whenever of it", false, false);
        check("Was Ann still in Oslo?", false, false);
        check("Who wasn't there anymore?", false, false);
        check("What did Ann buy lately?", false, true);
        check("Does Ann not smoke any more?", false, true);
        check("Where did Ann live?", false, false);
        check("What database is it on today?", false, true);
        check("Wo wohnt Ann jetzt?", false, true);
        check("Wann zieht Ann um?", true, false);
        check("刘哥的孩子什么时候出生？", true, false);
        check("他现在住在哪里？", false, true);
    }

    #[test]
    fn words_for_the_present_are_removed() {
        fn check(text: &str, expect: &str) {
            assert_eq!(without_words_for_now(text), expect, "{text}");
        }
        check("Where is production hosted these days?", "Where is production hosted");
        check("what's our brand colour now", "what's our brand colour");
        check("At the moment, who is on call?", "who is on call?");
        check("Is Ann still there?", "Is Ann still there?");
        check("now", "now");
        check("Who likes Apocalypse Now?", "Who likes Apocalypse Now?");
        check("Which current does the pump draw?", "Which current does the pump draw?");
        check("他现在住在哪里？", "他 住在哪里？");
    }
}
