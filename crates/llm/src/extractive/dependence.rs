//! Decides whether a sentence can be understood alone.

use super::language::Language;
use super::openers;
use super::questions;
use super::tokens::{Token, is_in};
use super::verbs;

/// The degree to which a sentence depends on others, best first. A summary takes only sentences of the best degree in its
/// period, and faint ones that fill it if it would otherwise be very short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Dependence {
    /// The sentence says who did what.
    Independent,
    /// The sentence can be understood alone, but says nothing definite.
    Faint,
    /// The sentence needs one before it to be understood.
    Leaning,
    /// A question, a greeting, a reaction, a masked credential, a line that ends with a colon: it has no content of its own.
    Aside,
}

/// Returns how far a sentence depends on others.
pub(super) fn of(sentence: &str, tokens: &[Token], language: Language) -> Dependence {
    if questions::is_marked(sentence) || sentence.contains("[masked") || sentence.ends_with([':', '：']) {
        return Dependence::Aside;
    }
    match language {
        Language::English => english(tokens),
        Language::Unspaced => unspaced(sentence),
        other => foreign(tokens, other),
    }
}

fn english(tokens: &[Token]) -> Dependence {
    let word = |at: usize| tokens.get(at).map(|token| token.lower.as_str()).unwrap_or_default();
    if is_label(tokens)
        || openers::is_reaction(tokens)
        || is_in("photo picture image pic screenshot", word(1)) && word(2) == "of"
    {
        return Dependence::Aside;
    }
    if refers_back(tokens) || is_about_it(tokens) || is_fragment(tokens) {
        Dependence::Leaning
    } else {
        Dependence::Independent
    }
}

/// Returns whether an English sentence begins with words for something that was named before.
fn refers_back(tokens: &[Token]) -> bool {
    let word = |at: usize| tokens.get(at).map(|token| token.lower.as_str()).unwrap_or_default();
    let stem = word(0).split('\'').next().unwrap_or_default();
    match stem {
        "this" => !is_in(TIMES, word(1)),
        "there" => !["is", "are", "was", "were", "will", "has", "have"].contains(&word(1)) && !word(0).contains('\''),
        "here" | "you" | "your" | "yours" => true,
        "the" => is_in("same latter former other others next following previous rest result one ones", word(1)),
        "at" | "in" | "on" | "from" | "after" | "before" | "with" | "for" | "by" | "of" | "to" => {
            is_in("that this those these it them him her which whom", word(1))
                && !(word(1) == "this" && is_in(TIMES, word(2)))
        }
        "i" | "we" => is_in(ANSWERS, word(1)) && tokens.len() < 4,
        _ => is_in(LEANING, stem),
    }
}

/// Returns whether a short English sentence is about something that only another one names: "Holm Line have moved it", "I think
/// it went well". With an article, a possessive or a second clause it may name the thing itself: "I tried sushi and loved it".
fn is_about_it(tokens: &[Token]) -> bool {
    const MAX_WORDS: usize = 6;
    const OWN: &str = "a an the my our your his her their this that and but or so to time";
    let word = |at: usize| tokens.get(at).map(|token| token.lower.as_str()).unwrap_or_default();
    let has_own = tokens.iter().any(|token| is_in(OWN, &token.lower));
    let ends = tokens.last().is_some_and(|last| is_in("it them then there", &last.lower));
    let is_thought = is_in("i we", word(0))
        && is_in("think thought hope hoped guess bet suppose believe reckon know knew", word(1))
        && is_in("it it's they they're he he's she she's", word(2));
    // "Tried yoga, loved it"
    let is_one_clause = tokens.windows(2).all(|pair| pair[1].span.start - pair[0].span.end <= 1);
    tokens.len() <= MAX_WORDS && is_one_clause && !has_own && (ends || is_thought)
}

/// Returns whether a message cannot begin with this sentence. In a log it can begin with a fragment: "New frames in."
pub(super) fn leans(sentence: &str, tokens: &[Token], language: Language) -> bool {
    let is_note = language == Language::English && !refers_back(tokens);
    of(sentence, tokens, language) == Dependence::Leaning && !is_note
}

/// Returns whether the text labels a picture or an article: "Photo: …", "Read more: …", "Follow our live coverage".
fn is_label(tokens: &[Token]) -> bool {
    const LABELS: &str = "photo photos photograph photographs image images picture pictured caption infographic video audio source sources credit advertisement subscribe copyright related watch figure";
    let word = |at: usize| tokens.get(at).map(|token| token.lower.as_str()).unwrap_or_default();
    is_in("read see click sign follow tell", word(0))
        && is_in("more also here up our us live", word(1))
        && (word(0) != "sign" || word(2) == "for")
        || is_in(LABELS, word(0)) && tokens.get(1).is_none_or(|next| next.span.start > tokens[0].span.end + 1)
}

/// Nouns that turn "this" into a time, which gets a date.
const TIMES: &str = "morning afternoon evening night week weekend month quarter year summer winter spring autumn fall past coming monday tuesday wednesday \
    thursday friday saturday sunday semester term day";

/// First words of sentences that depend on the sentence before: pronouns, and words that continue it.
const LEANING: &str = "he she it they that these those his her hers him them their theirs its such itll because which who whose whom \
    whereas meaning especially including like than even both neither either another others same too until not none or nor than such hence \
    itself himself herself themselves reminds reminded";

/// Verbs of short answers: "I do", "we will".
const ANSWERS: &str = "do did will can could am have would should think know was";

/// Returns whether the sentence has no verb and is not a headline. A headline has a name or number and at least four words.
pub(super) fn is_fragment(tokens: &[Token]) -> bool {
    let has_verb = tokens.iter().any(|token| verbs::is_finite(&token.lower))
        || tokens.first().is_some_and(|first| first.lower.ends_with("ing"));
    let has_particular = tokens.iter().skip(1).any(Token::is_capital)
        || tokens.iter().any(|token| token.raw.starts_with(|c: char| c.is_ascii_digit()));
    !has_verb && (!has_particular || tokens.len() < 4)
}

/// Returns whether an English sentence is a fragment that does not refer to a sentence before it.
pub(super) fn is_bare_fragment(tokens: &[Token]) -> bool {
    tokens.len() > 1
        && is_fragment(tokens)
        && !refers_back(tokens)
        && !is_label(tokens)
        && !openers::is_reaction(tokens)
}

fn foreign(tokens: &[Token], language: Language) -> Dependence {
    let word = |at: usize| tokens.get(at).map(|token| token.lower.as_str()).unwrap_or_default();
    let (leaning, asides) = match language {
        Language::German => (
            "er sie es ihr ihre ihm ihnen sein seine dies dieser diese dieses jener deshalb deswegen dort dann danach dabei dafür \
             damit daraufhin darum darauf davon dazu außerdem trotzdem",
            "hallo hi danke bitte guten gute tschüss ja nein ok okay super toll schön klar genau herzlichen gern gerne",
        ),
        Language::French => (
            "il elle ils elles ce c'est cela ça ceci lui leur son sa ses celui celle ensuite puis donc alors",
            "bonjour bonsoir salut merci oui non ok d'accord super bravo félicitations génial parfait",
        ),
        Language::Spanish => (
            "él ella ellos ellas le les lo eso esto ese esa su sus aquello luego entonces después además",
            "hola gracias sí no ok vale claro genial perfecto buenos buenas felicidades adiós qué",
        ),
        Language::Portuguese => (
            "ele ela eles elas isso isto esse essa aquilo seu sua",
            "olá oi obrigado obrigada sim não ok claro ótimo perfeito bom boa parabéns tchau que",
        ),
        Language::Italian => (
            "lui lei loro questo questa quello quella ciò esso",
            "ciao grazie sì no ok certo perfetto buongiorno buonasera complimenti bello che",
        ),
        Language::Dutch => (
            "hij zij ze dat dit deze die zijn haar hun",
            "hallo hoi dank bedankt ja nee ok oké prima leuk goedemorgen gefeliciteerd dag",
        ),
        _ => ("", ""),
    };
    // Courtesy is short; a longer sentence that begins with "no" or "ja" may have content.
    let is_thanks = is_in(THANKS, word(0));
    if is_in(asides, word(0)) && (tokens.len() < 6 || is_thanks && tokens.len() < 12) {
        Dependence::Aside
    } else if is_in(leaning, word(0)) && !is_in("y faut", word(1)) {
        Dependence::Leaning
    } else {
        Dependence::Independent
    }
}

const THANKS: &str = "danke merci gracias obrigado obrigada grazie bedankt dank";

fn unspaced(sentence: &str) -> Dependence {
    let bare = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
    let starts = |list: &str| list.split(' ').any(|one| bare.starts_with(one));
    let is_short = bare.chars().count() < 9;
    let is_courtesy = is_short
        && starts(
            "你好 您好 谢谢 謝謝 好的 嗯 哈 早上好 晚安 再见 是的 不客气 太好了 恭喜 こんにちは ありがとう はい おはよう",
        );
    if is_courtesy || asks(bare) {
        Dependence::Aside
    } else if is_bare_reaction(bare)
        || starts(
            "他 她 它 这是 那是 这个是 那个 彼は 彼女 それ これ 我也 理由 原因 因为 所以 但是 而且 不过 然后 因此 另外",
        )
    {
        Dependence::Leaning
    } else {
        Dependence::Independent
    }
}

/// Returns whether a Chinese sentence asks without a question mark, as is usual in chats: "看啥", "怎么了".
fn asks(sentence: &str) -> bool {
    const WORDS: [&str; 8] = ["什么", "啥", "怎么", "谁", "哪", "几点", "为什么", "多少"];
    let bare = sentence.trim_end_matches(|c: char| !c.is_alphanumeric());
    bare.ends_with(['吗', '呢']) || (bare.chars().count() < 7 && WORDS.iter().any(|word| bare.contains(word)))
}

/// Returns whether a Chinese or Japanese sentence is too short to say who did what, and has neither a number nor a mark of a
/// completed action: "好贵".
fn is_bare_reaction(sentence: &str) -> bool {
    let letters = sentence.chars().filter(|c| c.is_alphanumeric()).count();
    letters < 6 && !sentence.contains(|c: char| c.is_ascii_digit() || ['了', '过', 'た', '['].contains(&c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extractive::tokens::tokens;

    #[test]
    fn sentences_are_classified_by_dependence() {
        #[track_caller]
        fn check(expect: Dependence, sentences: &[&str]) {
            for sentence in sentences {
                let tokens = tokens(sentence);
                assert_eq!(of(sentence, &tokens, Language::of(&tokens)), expect, "{sentence}");
            }
        }
        check(
            Dependence::Independent,
            &[
                "I moved to Berlin.",
                "Fixed the login bug",
                "The movers come on Friday.",
                "There was a fire in the kitchen.",
                "This morning [2026-03-04] the pump failed.",
                "Ceasefire in Gaza after 15 months",
                "I tried sushi and loved it.",
                "Tried yoga, loved it.",
                "I think it's time to quit smoking.",
                "We think of moving to Bern soon.",
                "Ich ziehe im Mai nach Bern.",
                "我上个月搬到了柏林。",
                "Il y a un nouveau pont à Lyon.",
            ],
        );
        check(
            Dependence::Leaning,
            &[
                "She eats shoes.",
                "That was in May.",
                "It's a painting of a lake.",
                "Plus the natural light!",
                "two glasses of champagne",
                "Because the boat leaked.",
                "Holm Line have moved it.",
                "I think it went really well.",
                "Biscuit lived there.",
                "Your garden needs water.",
                "Sie ist nach Bern gezogen, das war gut.",
                "她去了北京。",
                "好贵",
                "理由：团队只有四个人。",
            ],
        );
        check(
            Dependence::Aside,
            &[
                "Did the pump fail?",
                "The key is [masked:api-key].",
                "Thanks for the tip!",
                "Here are three reasons:",
                "A photo of a dog on a beach",
                "谢谢！",
                "你什么时候来看我？",
                "怎么了",
                "周末有人去吗",
                "Danke schön!",
                "Follow our live coverage.",
            ],
        );
    }
}
