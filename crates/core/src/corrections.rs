//! Beginnings by which people correct themselves, in eight languages: "sorry, I meant …", "nein, doch erst …", "不对，…". Pure.

use crate::{CalendarNames, folded, is_wide, spaced, words};

/// How surely a text begins as a correction, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CorrectionLead {
    /// Not as a correction.
    None,
    /// With a word that may also begin something else, such as "sorry" or "no".
    Weak,
    /// With words for a correction, which are also used to explain, such as "I mean".
    Clear,
    /// With words that are only used for a correction.
    Certain,
}

/// Maximum words of a correction.
const MAX_WORDS: usize = 20;
/// Maximum words of a correction with a weak beginning.
const MAX_WEAK: usize = 12;
/// Beginnings of all languages, folded. One of these may follow another.
const WEAK: &str = "no|nope|sorry|wait|oh|ah|hmm|oops|whoops|actually|not|nein|nee|ne|ach|moment|falsch|uy|ups|perdon|espera|non|pardon|attends|\
    oups|nao|desculpa|ops|scusa|aspetta|wacht|不对|不是|等等|抱歉|啊|哦|不";
const CLEAR: &str = "i mean|i meant|make that|update|update on|ich meine|ich meinte|doch nicht|doch erst|doch lieber|digo|quise decir|je veux dire|\
    je voulais dire|plutot|quero dizer|queria dizer|volevo dire|cioe|anzi|ik bedoel|ik bedoelde|aktualisierung|actualizacion|mise a jour|atualizacao|\
    aggiornamento|我是说|更新|应该是";
const CERTAIN: &str = "correction|scratch that|my mistake|typo|i was wrong|i misspoke|korrektur|quatsch|verschrieben|vertippt|mein fehler|correccion|\
    me equivoque|mejor dicho|erratum|je me suis trompe|je me suis trompee|correcao|enganei me|me enganei|correzione|mi sono sbagliato|\
    mi sono sbagliata|errata corrige|change of plan|change of plans|plananderung|cambio de planes|changement de programme|\
    mudanca de planos|cambio di programma|correctie|vergissing|foutje|更正|说错了|打错了|记错了|写错了|计划有变";
/// Words after "sorry" and "no" that begin an excuse or an answer.
const EXCUSES: &str = "for|to|about|that|i m|im|we re|but|if|my|problem|worries|idea|way|one|dass|fur|aber|ich bin|que|por|pero|estoy|mais|pour|je suis|mas|ma|per|maar|dat|voor|good|bad|sure|\
    yet|much|enough|great";

/// English short forms of weekdays and months, without those that are also words ("sun", "mar").
const SHORT_NAMES: [&str; 16] = [
    "tue", "tues", "weds", "thu", "thur", "thurs", "fri", "feb", "apr", "jun", "jul", "aug", "sept", "oct", "nov",
    "dec",
];

/// Returns how surely the text begins as a correction. A text of more than 20 words is none, nor is one of more than 12 words
/// with a weak beginning. Two characters of a wide script count as a word.
pub fn correction_lead(text: &str) -> CorrectionLead {
    let spaced = spaced(text);
    let count = spaced.split_whitespace().count() + text.chars().filter(|c| is_wide(*c)).count() / 2;
    if count > MAX_WORDS {
        return CorrectionLead::None;
    }
    let (mut rest, mut is_weak) = (spaced.trim_start(), false);
    loop {
        if strip(rest, CERTAIN).is_some() {
            return CorrectionLead::Certain;
        }
        if strip(rest, CLEAR).is_some() {
            return CorrectionLead::Clear;
        }
        let Some(after) = strip(rest, WEAK) else { break };
        (rest, is_weak) = (after, true);
    }
    let is_excuse = strip(rest, EXCUSES).is_some();
    if is_weak && !is_excuse && count <= MAX_WEAK { CorrectionLead::Weak } else { CorrectionLead::None }
}

/// Returns whether a text has a number, or the name of a month or weekday.
pub fn has_value(text: &str) -> bool {
    has_number(text) || words(&folded(text)).any(is_value)
}

fn has_number(text: &str) -> bool {
    const NUMERALS: &str = "一二两三四五六七八九十百";
    const UNITS: &str = "点号月日天年个人块元万千百十岁楼层";
    let is_counted = |(number, unit): (char, char)| NUMERALS.contains(number) && UNITS.contains(unit);
    text.contains(|c: char| c.is_ascii_digit())
        || ["周", "星期"].iter().any(|week| text.contains(week))
        || text.chars().zip(text.chars().skip(1)).any(is_counted)
}

/// Returns whether a folded word contains a digit or is the name of a month or weekday in one of the languages of
/// [`CalendarNames`].
pub fn is_value(word: &str) -> bool {
    let is_name = |names: &CalendarNames| {
        names
            .weekdays
            .iter()
            .chain(&names.months)
            .any(|name| *name == word || (!name.is_ascii() && folded(name) == word))
    };
    word.contains(|c: char| c.is_ascii_digit()) || SHORT_NAMES.contains(&word) || CalendarNames::all().any(is_name)
}

/// Returns the rest of the text after the phrase that it begins with; `None` if it begins with none of them.
fn strip<'t>(text: &'t str, phrases: &str) -> Option<&'t str> {
    let text = text.trim_start();
    phrases.split('|').find_map(|phrase| {
        let rest = text.strip_prefix(phrase)?;
        (phrase.ends_with(is_wide) || rest.is_empty() || rest.starts_with(' ')).then_some(rest)
    })
}

#[cfg(test)]
mod tests {
    use super::CorrectionLead::{Certain, Clear, None, Weak};
    use super::*;

    #[test]
    fn lead_is_read_from_the_beginning() {
        fn check(text: &str, expect: CorrectionLead) {
            assert_eq!(correction_lead(text), expect, "{text:?}");
        }
        check("sorry, Friday 19th", Weak);
        check("No wait, the 14th", Weak);
        check("Oh no, I meant the 14th", Clear);
        check("Nein, doch erst am Dienstag", Clear);
        check("Perdón, me equivoqué", Certain);
        check("不对，是五月三号", Weak);
        check("更正：三点", Certain);
        check("sorry to hear that", None);
        check("no problem", None);
        check("Not good enough", None);
        check("not Thursday", Weak);
        check("Momentum is back", None);
        check(&format!("sorry, {}", "and so on ".repeat(4)), None);
        check(&format!("correction: {}", "and so on ".repeat(4)), Certain);
        check(&format!("correction: {}", "and so on ".repeat(7)), None);
        check("", None);
    }

    #[test]
    fn value_is_a_number_or_a_name_of_the_calendar() {
        fn check(text: &str, expect: bool) {
            assert_eq!(has_value(text), expect, "{text:?}");
        }
        check("the 14th", true);
        check("Am MÄRZ", true);
        check("dec or Thu", true);
        check("三点", true);
        check("周二", true);
        check("in the sun", false);
        check("一起", false);
    }
}
