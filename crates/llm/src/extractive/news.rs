//! News: English records of what others do, such as a newspaper or a chronicle of a company, in which the writer does not
//! occur.
//!
//! A birth or a wedding in a paper is not an event of the reader's life, and a result of a match is not an achievement of the
//! reader. What changes a place or a company counts: deaths, disasters, closures, elections, verdicts, sales.

use annals_core::{Grain, Memory};

use super::events::Event;
use super::language::Language;
use super::record::unquoted;
use super::tokens::{Token, tokens};
use super::{continuations, split, verbs};

/// Minimum number of sentences that are enough to conclude that the writer does not occur.
const MIN_SENTENCES: usize = 10;

/// Maximum number of sentences that are read to decide whether a text is news.
const MAX_SENTENCES: usize = 400;

/// Share of sentences in which a writer or reader occurs, or a writer is the unnamed subject, from which on a text is no news.
/// Newspapers have 2 to 4 %, the logs of ships and of building sites 6 % or more, those of persons 15 % or more, chats half.
const MAX_OWN: f64 = 0.045;

/// Minimum mean number of words of a sentence of news. Newspapers have 12 or more, logs of a program ("Ticket 4412 closed") 3
/// to 6.
const MIN_WORDS: f64 = 9.0;

/// Returns whether these turns or summaries are news. Always false for other languages than English, because only English
/// pronouns of the writer are recognised.
pub(super) fn is<'a>(memories: impl IntoIterator<Item = &'a Memory>) -> bool {
    let sentences = memories.into_iter().flat_map(|memory| {
        let of_summary = memory.sentences().iter().map(|sentence| sentence.text.as_str());
        let of_turn = (memory.grain == Grain::Working).then(|| split::sentences(&memory.text, usize::MAX));
        of_summary.chain(of_turn.into_iter().flatten())
    });
    let sentences: Vec<&str> = sentences.take(MAX_SENTENCES).collect();
    let own = sentences.iter().filter(|sentence| is_own(sentence)).count();
    let words: usize = sentences.iter().map(|sentence| sentence.split_whitespace().count()).sum();
    let count = sentences.len() as f64;
    sentences.len() >= MIN_SENTENCES
        && (own as f64) < MAX_OWN * count
        && words as f64 >= MIN_WORDS * count
        && Language::of_texts(sentences.iter().copied()) == Language::English
}

/// Returns whether the writer or the reader occurs in a sentence, or the writer is its unnamed subject.
fn is_own(sentence: &str) -> bool {
    let unquoted = unquoted(sentence);
    let written = tokens(&unquoted);
    let is_implied = |first: &Token| verbs::is_past(&first.lower) || first.raw.starts_with(char::is_lowercase);
    let begins_with_quote = sentence.starts_with(['"', '“', '«', '„']);
    continuations::is_of_writer(&written) || !begins_with_quote && written.first().is_some_and(is_implied)
}

/// Returns the kind of event of a sentence in news, given its kind in a text about the writer.
pub(super) fn event(words: &[String], event: Event) -> Event {
    let is_any = |list: &str| words.iter().any(|word| is_of(list, word));
    match (is_any(GRAVE), is_any(MINOR), event) {
        (true, false, _) => Event::Life,
        (true, true, _) => Event::Public,
        (false, true, _) => Event::State,
        _ if is_any(TOPICS) => event.max(Event::Public),
        (_, _, Event::Life | Event::Achievement | Event::Gain) => Event::Problem,
        (_, _, event) => event,
    }
}

fn is_of(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|one| one.strip_suffix('*').map_or(one == word, |stem| word.starts_with(stem)))
}

/// Words of events that change a place, a company or a country; a star matches any ending.
const GRAVE: &str = "killed kills dies died dead death deaths hurt injured injures drown* derail* crash* explosion explodes blast destroyed \
    destroys collapse* fire blaze arson flood* earthquake* tsunami hurricane evacuat* contaminat* outbreak epidemic \
    pandemic quarantine* ceasefire coup resigns resigned resignation ousts ousted elected bankrupt* administration \
    insolven* receiver* liquidat* closes closed closing close closure shut shuts shutting redundan* layoff* walkout recall \
    recalls recalled guilty sentenced jailed verdict convicted acquitted acquire* acquires rescue saved reprieve* \
    cyberattack* ransomware hacked hackers breach promoted relegated champions halts halted suspends suspended scraps \
    scrapped abandons abandoned sues sued lawsuit probe indicted   approves approved \
    rejects rejected reopens reopened";

/// What news are about for weeks. A line that mentions one of them is public, but what happened to it decides.
const TOPICS: &str = "war invasion treaty jobs strike strikes merger merge merges takeover acquisition bid leaders leader president minister \
    promotion title";

/// Words of minor events, which fill a newspaper on quiet days.
const MINOR: &str = "match goal goals scored scorer striker goalkeeper penalty penalties fixture friendly fair fête fete festival \
    race raffle tombola pancake parade fireworks weather sunny drizzle rain rainfall thermometer snow fog frost heatwave roadworks diversion \
    bakery cat dog cow swan bees swarm concert exhibition quiz pantomime panto allotment* marrow pumpkin bake cake swim charity photograph \
    anniversary recipe competition prize poetry";

#[cfg(test)]
mod tests {
    use annals_core::Role;

    use super::*;
    use crate::extractive::tests::turn;
    use crate::extractive::tokens::lower;

    #[test]
    fn what_changes_a_place_outranks_what_fills_a_paper() {
        fn check(sentence: &str, in_a_life: Event, expect: Event) {
            assert_eq!(event(&lower(&tokens(sentence)), in_a_life), expect, "{sentence}");
        }
        check("The pottery closes with the loss of 412 jobs.", Event::Public, Event::Life);
        check("Two people were killed when a lift fell.", Event::Public, Event::Life);
        check("A cow got into the hall during a wedding.", Event::Life, Event::State);
        check("The first baby of the year was born at noon.", Event::Life, Event::Problem);
        check("Town won the match, and the goalkeeper was hurt.", Event::Achievement, Event::Public);
        check("Talks on pay resumed.", Event::Happening, Event::Happening);
    }

    #[test]
    fn only_english_texts_without_a_writer_are_news() {
        #[track_caller]
        fn check(sentence: &str, expect: bool) {
            let turns: Vec<_> =
                (0..12).map(|n| turn(1, n, Role::User, if n % 2 == 0 { "Ann" } else { "Bob" }, sentence)).collect();
            assert_eq!(is(&turns), expect, "{sentence}");
        }
        check("The council voted on Tuesday to rebuild the hall behind the old tower.", true);
        check("We voted on Tuesday to rebuild the hall behind the old tower.", false);
        check("Ticket 4412 closed.", false);
        check("Ich habe heute den Vertrag für die neue Wohnung in Bern endlich unterschrieben.", false);
        check("Demain nous partons tous ensemble pour une semaine à Lyon chez la tante.", false);
        check("我今天终于签了新房子的合同,明天我们一起去上海看望我的父母。", false);
    }

    #[test]
    fn writer_is_in_a_log_and_not_in_a_paper() {
        for own in ["I walked in.", "Walked in, 52 minutes.", "so walked", "Our offer was accepted."] {
            assert!(is_own(own), "{own}");
        }
        for other in ["Police arrested a man.", "\"I forgot it,\" said the leader.", "The council voted 9-3."] {
            assert!(!is_own(other), "{other}");
        }
    }
}
