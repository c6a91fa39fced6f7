//! The words of a sentence and their kinds.
//!
//! The lists contain only the most common words of English conversation, and function words of some other languages. In all
//! other languages every word counts as content, unless its form shows a number or a name.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use annals_core::CalendarNames;
use unicode_segmentation::UnicodeSegmentation;

use super::language::Language;
use super::names::Names;

/// Function of a word in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Function words, courtesy and applause, without content.
    Light,
    /// A word with content that is not particular.
    Content,
    /// Who, when or how much: a proper name other than a speaker's, a calendar word, a number.
    Particular,
}

/// Returns the words of a sentence in lower case with their kinds, in order. A URL, path or piece of code is one word. Dates
/// that were appended to times are left out.
pub(super) fn of(sentence: &str, language: Language, names: &Names) -> Vec<(String, Kind)> {
    let mut words = Vec::new();
    let mut is_date = false;
    for token in sentence.split_whitespace() {
        is_date |= token.starts_with('[') && !token.starts_with("[masked");
        if is_date {
            is_date = !token.contains(']');
            continue;
        }
        let token = token.trim_matches(|c: char| !c.is_alphanumeric() && !CURRENCIES.contains(c));
        if is_number(token) {
            words.push((token.to_lowercase(), Kind::Particular));
        } else if token.contains(CODE) {
            words.push((token.to_lowercase(), Kind::Content));
        } else {
            for word in token.unicode_words() {
                let lower = lower(word);
                let kind = match kind(word, &lower, !words.is_empty(), names) {
                    Kind::Content if language.is_grammar(&lower) => Kind::Light,
                    // German capitalises every noun.
                    Kind::Particular if language == Language::German && !TIME.contains(lower.as_str()) => Kind::Content,
                    kind => kind,
                };
                words.push((lower, kind));
            }
        }
    }
    words
}

/// Returns whether a word has content: "Oh well" has none.
pub(super) fn has_content(sentence: &str, language: Language, names: &Names) -> bool {
    of(sentence, language, names).iter().any(|(_, kind)| *kind != Kind::Light)
}

/// Returns whether at least two words have content.
pub(super) fn is_informative(sentence: &str, language: Language, names: &Names) -> bool {
    of(sentence, language, names).iter().filter(|(_, kind)| *kind != Kind::Light).count() >= 2
}

const CURRENCIES: &str = "$€£¥₹";

/// Returns whether a token is a number, with or without a currency or a unit of at most two letters: "£1,000", "2nd", "5:30pm",
/// "1980s". Tokens that begin with a letter, such as "v2.6", are not.
fn is_number(token: &str) -> bool {
    let digits = token.trim_start_matches(|c| CURRENCIES.contains(c));
    let unit = digits.trim_start_matches(|c: char| c.is_numeric() || ".,:/-–".contains(c));
    digits.starts_with(char::is_numeric) && unit.chars().count() <= 2 && unit.chars().all(char::is_alphabetic)
}

/// Characters that mark a token as a URL, a path or code.
const CODE: [char; 12] = ['=', '#', '@', '_', '/', '\\', '|', '<', '>', '{', '}', '~'];

/// Returns the word in lower case, with plain apostrophes and without the genitive "'s".
fn lower(word: &str) -> String {
    let lower = word.to_lowercase().replace('’', "'");
    lower.strip_suffix("'s").map(str::to_owned).unwrap_or(lower)
}

fn kind(word: &str, lower: &str, inside: bool, names: &Names) -> Kind {
    let capital = word.starts_with(char::is_uppercase);
    // A lower-case nickname counts only as an address at the beginning: "trey: look at this".
    let may_be_name = capital || !inside;
    if LIGHT.contains(lower) || is_one_letter(word) || (may_be_name && names.is_speaker(lower)) {
        Kind::Light
    } else if TIME.contains(lower) || (capital && inside) {
        Kind::Particular
    } else {
        Kind::Content
    }
}

/// Returns whether the word is a single ASCII letter, which is a typo or part of an emoticon. In Chinese one character can be
/// a word.
fn is_one_letter(word: &str) -> bool {
    word.len() == 1
}

static LIGHT: LazyLock<BTreeSet<&str>> =
    LazyLock::new(|| [GRAMMAR, COURTESY, ABSTRACT].into_iter().flat_map(|list| list.split(' ')).collect());
static TIME: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    let CalendarNames { months, weekdays } = CalendarNames::ENGLISH;
    TIMES.split(' ').chain(months).chain(weekdays).collect()
});

const GRAMMAR: &str = "a an the and or but if so of to in on at for with by from as off up down out over into about \
    than then there here this that these those it its he him his she her they them their we us our you your i me my \
    mine myself yourself itself themselves who whom whose which what when where why how not no nor only just also too \
    very such some any all both each few more most other own same is am are was were be been being do does did done \
    doing have has had having can could will would shall should may might must let lets get gets it'd it'll i'm i've \
    i'd i'll you're you've you'd you'll he'd he'll she'd she'll we're we've we'd we'll they're they've they'd they'll \
    isn't aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't can't cannot couldn't won't wouldn't \
    shouldn't ain't im ive dont cant thats hes shes theyre youre youve weve theyve theres whats didnt doesnt isnt wasnt arent \
    werent havent hasnt hadnt couldnt wouldnt shouldnt wont because 'cause cuz though although while through during between again once \
    ever never always still even much many lot lots bit kind sort thing things something anything everything nothing \
    someone anyone everyone one ones way like well maybe perhaps quite rather around after before until since without \
    gonna wanna gotta kinda sorta";

const COURTESY: &str = "hey hi hello hiya howdy bye goodbye cheers welcome thanks thank thx ty please pls sorry ok \
    okay k kk yes yeah yep yup yea ya nope nah sure right exactly indeed absolutely definitely totally certainly \
    agree agreed oh ah aha hm hmm um uh er ha haha hahaha hehe heh lol lmao rofl xd omg btw brb np yw wow whoa woah \
    woo woohoo yay aw aww awww ouch oops damn gosh cool nice great good better best awesome amazing wonderful \
    fantastic incredible fabulous excellent perfect brilliant super terrific lovely beautiful gorgeous sweet neat fun \
    funny interesting inspiring impressive exciting excited glad happy proud sounds sound looks look looking see \
    seeing seen know think guess mean means say says tell hear heard talk talking chat chatting catch keep going go \
    come take care luck love loves loved loving liked hope wish wishes feel feels want need really truly actually \
    literally honestly seriously especially pretty bad fine true course matter problem worries worry mind idea \
    question morning evening afternoon night day days time times later soon tonight today tomorrow guys guy dude man \
    bro buddy pal mate friend dear stuff new anytime make makes making give anyway alright wait congrats \
    congratulations appreciate deserve rock rocks cute stay support kindness enjoy work job yum yummy jk j.k ttyl \
    yess yo bet got gotcha prob probs someday jealous adorable delicious pumped stoked thrilled grateful thankful mm \
    mmm ooh ugh oof yikes sooo soo fab magical uplifting powerful help helps helped helping helpful safe touch chill \
    hang hoping listening posted share sharing shared check spirit completely fully rough tough bummer stinks fingers \
    crossed bon voyage appetit ton tons word words encouragement news pic try trying understand understanding \
    understood forget long easy pleasure honor moment bud buddies fella folks everybody";

/// Feelings, values and words that are too general to say anything about a person.
const ABSTRACT: &str = "motivation motivated motivating motivate motivates inspiration inspired inspires inspire passion passionate joy joyful \
    peace peaceful calm strength strong stronger positivity positive positively memory memories moments journey growth happiness confidence \
    confident vibe vibes dream dreams goals challenge challenges challenging difference effort efforts energy focus focused focusing balance \
    life lives world experiences experience experienced feeling feelings felt blessed special meaningful rewarding progress success succeed \
    successful important importance essential crucial vital valuable invaluable future possibilities potential creative creativity express \
    expressing expression escape therapeutic comfort comforting connection connections connect connected bond bonding bonds together others \
    ourselves path beauty spread impact push pushing pushed hard dedication determination determined resilience believe believing matters \
    mindset perspective perspectives reminder reminders reminds reminded overwhelming overwhelmed hectic crazy wild busy lately totally \
    unforgettable chance blast moment nice keeps keep happened happening happens big little huge small old ready trying tried worth brings \
    bring bringing brought learn learning learned explore exploring discover discovering find finding found finds super dear smile smiles \
    hearts heart soul deeply truly constantly full forward strive striving thing appreciate appreciation appreciated gratitude insane epic \
    lucky inspirational encouraging supportive caring kind warm warmth cozy soothing refreshing fresh relaxing relax relaxed unwind recharge \
    people person everyone's anyone's favorite type types ways part parts side point place places spot spots time times moment stay stays \
    stayed staying";

/// Words for seasons, holidays and other times; months and weekdays are added to them. Relative times such as "last week" are
/// not listed: `dates` appends a date to them.
const TIMES: &str =
    "spring summer autumn winter christmas easter thanksgiving birthday anniversary holiday noon midnight";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_classified_by_kind() {
        fn check(sentence: &str, expect: &[(&str, Kind)]) {
            let names = Names::of(["Melanie Smith"].into_iter());
            let found: Vec<(String, Kind)> =
                of(sentence, Language::English, &names).into_iter().filter(|word| word.1 != Kind::Light).collect();
            let found: Vec<(&str, Kind)> = found.iter().map(|(word, kind)| (word.as_str(), *kind)).collect();
            assert_eq!(found, expect, "{sentence}");
        }
        use Kind::{Content, Particular};
        check("Hey Mel, thanks!", &[]);
        check("Mel’s dog met Ann's cat", &[("dog", Content), ("met", Content), ("ann", Particular), ("cat", Content)]);
        check("it's “melanie”", &[("melanie", Content)]);
        check(
            "Paid £1,000, at 5:30pm on the 2nd.",
            &[("paid", Content), ("£1,000", Particular), ("5:30pm", Particular), ("2nd", Particular)],
        );
        check("we leave on Monday", &[("leave", Content), ("monday", Particular)]);
        check(
            "https://a.example/b?c=1 and /etc/fstab",
            &[("https://a.example/b?c=1", Content), ("etc/fstab", Content)],
        );
        check(
            "install linux-image-2.6",
            &[("install", Content), ("linux", Content), ("image", Content), ("2.6", Content)],
        );
        check("去北京", &[("去", Content), ("北", Content), ("京", Content)]);
        check(":P xD 😀", &[]);
    }
}
