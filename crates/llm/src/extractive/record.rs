//! Stricter rules for records: logs, diaries and timelines. One author writes, nobody answers, and readers see single lines
//! later.
//!
//! In a chat the speakers and the topic give a line its context. In a record a line has only its own words, so a sentence about
//! "the suspects" needs the sentence that introduces them.

mod subjects;

use super::language::Language;
use super::tokens::{Token, is_in, tokens};
use super::{continuations, dates, definite, pronouns, reports, verbs};
use subjects::{
    UNIQUE, has_definite_subject, is_name_of_one, is_of_nobody, is_part, is_plural, is_unique, lacks_subject,
};

/// Number of words from which on a sentence without names and numbers says what it is about.
const PLAIN: usize = 12;

/// Minimum words of a sentence that follows another and can be understood without it. Shorter ones need the sentence
/// before: "Raised threshold", "Took notes".
const TERSE: usize = 5;

/// The form of a conversation, by who takes part in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Two or more speakers, or one who asks or addresses someone.
    Chat,
    /// One author who addresses nobody, or seldom; or news, even of several authors.
    Record,
}

/// Returns the text without its quoted passages.
pub(super) fn unquoted(text: &str) -> String {
    text.split(['"', '“', '”', '«', '»']).step_by(2).collect::<Vec<_>>().join(" ")
}

/// Returns whether the writer asks or addresses someone, so that the text is one side of a chat.
pub(super) fn addresses(text: &str) -> bool {
    if text.trim_end().ends_with(['?', '？']) {
        return true;
    }
    let unquoted = unquoted(text);
    let is_you = |token: &Token| is_in("you your you're you've you'd", &token.lower);
    tokens(&unquoted).iter().any(is_you)
}

/// Returns whether a line has a name. The first word of a sentence does not count. Always false for German, which capitalises
/// every noun.
pub(super) fn is_named(text: &str, language: Language) -> bool {
    let tokens = tokens(text);
    let is_name = |pair: &[Token]| {
        let between = &text[pair[0].span.end..pair[1].span.start];
        has_name(&pair[1..]) && !between.contains(['.', '!', '?', ':', '\n'])
    };
    language != Language::German && tokens.windows(2).any(is_name)
}

/// Returns whether a sentence needs the one before it to be understood.
pub(super) fn continues(tokens: &[Token], language: Language) -> bool {
    let first = tokens.first().map(|first| first.lower.as_str()).unwrap_or_default();
    let has_verb = tokens.iter().any(|token| verbs::is_finite(&token.lower));
    let is_short = tokens.len() < TERSE && (!has_verb || !has_name(tokens.get(1..).unwrap_or_default()))
        || tokens.len() < TERSE - 1;
    // German capitalises every noun.
    let is_counted = tokens.first().is_some_and(is_number) && (language == Language::German || !has_name(tokens));
    is_short
        || is_counted
        || match language {
            Language::English => {
                has_definite_subject(tokens)
                    || lacks_subject(tokens)
                    || reacts(tokens)
                    || is_timed_by_other(tokens)
                    || is_in(CONTINUING, first)
                    || is_part(tokens)
                    || is_total(tokens)
            }
            Language::German => is_in(GERMAN, first) || is_german_predicate(tokens),
            Language::French => is_in(FRENCH, first),
            Language::Spanish => is_in(SPANISH, first) || is_spanish_future(tokens),
            _ => false,
        }
}

/// Returns whether a sentence has at most two words and no verb: "21 pts." Always false for languages without spaces.
pub(super) fn is_label(tokens: &[Token], language: Language) -> bool {
    let has_verb = tokens.iter().any(|token| verbs::is_finite(&token.lower));
    tokens.len() < 3 && !has_verb && language != Language::Unspaced
}

/// Returns whether a sentence that begins an entry is about something that an earlier entry introduced: "The talks
/// resume", "Investigators published a report".
pub(super) fn is_known(tokens: &[Token], language: Language) -> bool {
    let word = |at: usize| tokens.get(at).map(|token| token.lower.as_str()).unwrap_or_default();
    if language != Language::English {
        return !definite::is_of_writer(tokens, language)
            && (definite::begins(tokens, language)
                || definite::ends(tokens, language)
                || reports::lacks_introduction(tokens, language)
                || is_report(tokens, language) && definite::is_in_report(tokens, language));
    }
    let is_of_writer = verbs::is_past(word(0)) || word(0).ends_with("ing");
    let is_role = is_in(CONTINUING, word(0)) && !has_name(tokens.get(1..).unwrap_or_default());
    let is_subject = has_definite_subject(tokens) && !is_unique(tokens);
    let is_object = !is_of_writer && definite::ends(tokens, language)
        || is_report(tokens, language) && definite::is_in_report(tokens, language);
    // "11 more bodies"
    let is_further = tokens.windows(2).any(|pair| is_number(&pair[0]) && pair[1].lower == "more");
    (is_role
        || is_subject
        || is_object
        || is_further
        || is_part(tokens)
        || is_unanchored(tokens)
        || reports::lacks_introduction(tokens, language)
        || is_of_nobody(tokens))
        && !continuations::is_of_writer(tokens)
}

/// Returns whether a sentence reports what others do, with a subject and a verb. In a log the writer is the subject, and
/// definite nouns belong to the writer: "Hard disk of the laptop failed".
fn is_report(tokens: &[Token], language: Language) -> bool {
    let Some(first) = tokens.first().filter(|first| first.is_capital()) else { return false };
    // The verbs of other languages are not known.
    let has_verb = language != Language::English || tokens.iter().skip(1).any(|token| verbs::is_finite(&token.lower));
    let is_of_writer = verbs::is_past(&first.lower) || first.lower.ends_with("ing");
    has_verb && !is_of_writer && !continuations::is_of_writer(tokens)
}

/// Returns whether a short sentence names nothing, but has a definite noun that must be known already: "Helicopters fire on
/// vehicles leaving the compound". Lines of a log that begin with a verb ("Turned off the old gateway") have the writer as
/// their subject.
fn is_unanchored(tokens: &[Token]) -> bool {
    let Some(first) = tokens.first().filter(|first| first.is_capital()) else { return false };
    let is_of_writer = verbs::is_past(&first.lower) || first.lower.ends_with("ing");
    let is_known = |pair: &[Token]| {
        pair[0].lower == "the" && !pair[1].is_capital() && !is_number(&pair[1]) && !is_in(UNIQUE, &pair[1].lower)
    };
    let is_plain = tokens.len() < PLAIN && names(tokens) == 0 && !tokens.iter().any(is_number);
    !is_of_writer && is_plain && tokens.windows(2).any(is_known)
}

/// Returns whether the time counts from the sentence before: "the same evening", "two days later".
fn is_timed_by_other(tokens: &[Token]) -> bool {
    let is_time =
        |word: &str| is_in("day days evening night morning week weeks hour hours month months year years", word);
    tokens.windows(2).any(|pair| {
        is_in("same next following", &pair[0].lower) && is_time(&pair[1].lower)
            || is_time(&pair[0].lower) && is_in("later earlier before", &pair[1].lower)
    })
}

/// Returns whether the main verb only answers what the sentence before reports: "The FLN denies responsibility", "Hav said the
/// money would go to schools".
pub(super) fn reacts(tokens: &[Token]) -> bool {
    const REACTIONS: &str = "denies denied rejects rejected declined declines said says told called calls accepts accepted described describes blames \
        blamed insists insisted admitted admits vowed welcomed dismissed";
    let Some(verb) = tokens.iter().skip(1).position(|token| verbs::is_finite(&token.lower)) else { return false };
    // "Norlund dismissed Jens Holt" is no reaction.
    let is_of_person = tokens[verb + 1].lower == "dismissed" && tokens.get(verb + 2).is_some_and(Token::is_capital);
    is_in(REACTIONS, &tokens[verb + 1].lower) && !is_of_person
}

/// Returns whether an English or French sentence has a pronoun for someone whom it does not name before: "Board member Bobby
/// Ingram will succeed him", "The president called their families". Always false for other languages.
pub(super) fn refers_to_others(tokens: &[Token], language: Language) -> bool {
    let refers = |at: usize| {
        let before = &tokens[..at];
        match tokens[at].lower.as_str() {
            "him" => names(before) < 2,
            "he" | "she" | "his" | "her" => {
                names(before) == 0 && !before.iter().any(|token| pronouns::is_person(&token.lower))
            }
            "they" | "them" | "their" => names(before) < 2 && !before.iter().any(is_plural),
            _ => false,
        }
    };
    let refers_in_french = |at: usize| {
        let word = tokens[at].lower.as_str();
        is_in("lui elle elles eux celui-ci celle-ci", word)
            || is_in("son sa ses leur leurs", word) && !has_name(&tokens[1.min(at)..at])
    };
    match language {
        Language::English => (0..tokens.len()).any(refers),
        Language::French => (0..tokens.len()).any(refers_in_french),
        _ => false,
    }
}

/// Returns whether one of the first three words is a name. The capital at the beginning of the sentence is not enough.
pub(super) fn begins_with_name(tokens: &[Token]) -> bool {
    let start = &tokens[..tokens.len().min(3)];
    let is_acronym = start.first().is_some_and(|first| definite::is_acronym(first.raw));
    is_acronym || has_name(start.get(1..).unwrap_or_default()) || is_name_of_one(start)
}

/// Counts the names of one or more words.
fn names(tokens: &[Token]) -> usize {
    let is_at = |at: usize| tokens.get(at).is_some_and(|token| has_name(std::slice::from_ref(token)));
    // Every sentence begins with a capital.
    let begins = || {
        is_at(1)
            || definite::is_acronym(tokens[0].raw)
            || tokens.get(1).is_some_and(|next| verbs::is_finite(&next.lower))
    };
    let starts = |at: usize| is_at(at) && if at == 0 { begins() } else { !is_at(at - 1) };
    (0..tokens.len()).filter(|at| starts(*at)).count()
}

/// Returns whether a short sentence without a name takes up something that an earlier entry has: "Repeated with fresh mix",
/// "Disk full again".
pub(super) fn resumes(tokens: &[Token]) -> bool {
    const BACK: &str = "again also another repeat repeated still rerun same second third";
    tokens.len() < PLAIN && names(tokens) == 0 && tokens.iter().any(|token| is_in(BACK, &token.lower))
}

/// Returns whether the sentence sums up or adds to what was reported before: "In all, 29 men died", "In response, …".
fn is_total(tokens: &[Token]) -> bool {
    let word = |at: usize| tokens.get(at).map(|token| token.lower.as_str()).unwrap_or_default();
    word(0) == "in" && is_in("all total response return addition exchange part", word(1))
}

/// Returns whether a German sentence begins with its predicate: "Betroffen sind alle Kliniken", "Gewählt wird im Mai".
fn is_german_predicate(tokens: &[Token]) -> bool {
    let word = |at: usize| tokens.get(at).map(|token| token.lower.as_str()).unwrap_or_default();
    let starts = |list: [&str; 5]| list.iter().any(|start| word(0).starts_with(start));
    let ends = |list: [&str; 3]| list.iter().any(|end| word(0).ends_with(end));
    let is_participle =
        starts(["ge", "be", "ver", "zer", "ent"]) && (word(0).ends_with('t') || word(0).ends_with("en"));
    (is_participle || ends(["ig", "lich", "bar"])) && is_in("ist sind wird werden wurde wurden war waren", word(1))
}

/// Returns whether a Spanish sentence begins with a verb of others in the future: "Declararán el lunes".
fn is_spanish_future(tokens: &[Token]) -> bool {
    tokens.first().is_some_and(|first| first.lower.ends_with("rán") || first.lower.ends_with("rá"))
}

fn has_name(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| token.is_capital() && token.raw.len() > 1 && !dates::is_calendar_word(&token.lower))
}

fn is_number(token: &Token) -> bool {
    token.raw.starts_with(|c: char| c.is_ascii_digit())
}

/// English first words of sentences without their own subject, or about the rest of something.
const CONTINUING: &str = "according no none nobody must is are was were has have had will would can could should may might does takes begins starts ends costs \
    also so such similar further additional more fewer less only another other others both each all nearly almost about around at damage relatives \
    witnesses experts critics organisers organizers work survivors residents investigators prosecutors lawyers lawmakers officials observers families";

const GERMAN: &str = "jeder jede der die das den dem ein einer eines keiner keine niemand nun damit dazu dabei zudem auch so nur rund etwa mehr weitere andere \
    insgesamt bisher zuvor inzwischen künftig allerdings jedoch doch gelingt grund ursache kritiker ihm ihr ihnen";

const FRENCH: &str = "le la les un une aucun aucune plusieurs certains certaines c'était ce cette ces sa son ses leur leurs deux trois seul seule \
    seuls selon au aux en des dont";

const SPANISH: &str = "el la los las es era fue fueron son eran será serán tenía tiene hay hace hacía según solo sólo uno una dos tres algunos algunas \
    ninguno ninguna muchos muchas su sus esta este estas estos se lo le les";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentence_about_someone_introduced_before_continues() {
        fn check(language: Language, sentence: &str, expect: bool) {
            assert_eq!(continues(&tokens(sentence), language), expect, "{sentence}");
        }
        use Language::{English, French, German, Spanish};
        check(English, "The company said it would appeal to the High Court.", true);
        check(English, "Two of them died on the way.", true);
        check(English, "Must be hauled out.", true);
        check(English, "No one was hurt.", true);
        check(English, "Customs cleared.", true);
        check(English, "The FLN denies responsibility.", true);
        check(English, "Tennant was sworn in the same evening.", true);
        check(English, "The trial of Jens Oberlin opened in Marnstadt.", false);
        check(English, "The EU pledged 12 million euros.", false);
        check(English, "Fixed the leak in the export worker.", true);
        check(English, "Signed on Lena Costa as deckhand.", false);
        check(German, "Betroffen sind alle Kliniken im Land.", true);
        check(German, "Strittig ist vor allem der Ausbau.", true);
        check(German, "Petersen wird zum Sprecher gewählt.", false);
        check(German, "CDU und Grüne einigen sich auf einen Vertrag.", false);
        check(French, "Le texte doit être examiné en février.", true);
        check(Spanish, "Tenía dos hijos de corta edad.", true);
        check(Spanish, "Limpié los cuadros de las tres muertas.", false);
    }

    #[test]
    fn pronoun_for_others_needs_them_in_the_sentence() {
        fn check(sentence: &str, expect: bool) {
            assert_eq!(refers_to_others(&tokens(sentence), Language::English), expect, "{sentence}");
        }
        check("Board member Bobby Ingram will succeed him.", true);
        check("President Ellen Whitmore called their families.", true);
        check("Tens of thousands join his march.", true);
        check("Rebels lay down their arms.", false);
        check("Ann Lee told Bob she trusts him.", false);
    }

    #[test]
    fn definite_subject_without_name_lacks_its_introduction() {
        fn check(sentence: &str, expect: bool) {
            assert_eq!(is_known(&tokens(sentence), Language::English), expect, "{sentence}");
        }
        check("The final toll stands at 94.", true);
        check("The fishing ban was extended until autumn.", true);
        check("The tanker Polaris Venture ran aground.", false);
        check("The company owes its creditors a lot.", true);
        check("Investigators published a report.", true);
        check("Divers recover 11 more bodies from a ship.", true);
        check("21 pts.", false);
        check("One of them collapses in the courtroom.", true);
        check("France recognises the council.", true);
        check("Works council wants job guarantees", true);
        check("The first wafers leave Busan", true);
        check("Hard disk of the field laptop failed, 2 days of notes lost", false);
        check("UNICEF shows the camp.", true);
        check("Bouchard wins the race in Lyon.", false);
        check("Helicopters fire on vehicles leaving the compound.", true);
        check("Turned off the old gateway.", false);
        check("The government closed its border.", false);
        check("The dog took us home.", false);
    }
}
