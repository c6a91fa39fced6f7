//! The clauses of a turn that state something in the speaker's own name.

use regex::Regex;

use super::grammar::pattern;
use crate::extractive::split;

/// The most bytes of a sentence that is read.
const LONGEST: usize = 1000;

/// The clauses, in order, with plain apostrophes and without what leads up to them ("Yeah, actually, …").
pub(super) fn of(text: &str) -> Vec<String> {
    let text = plain(text);
    if JEST.is_match(&text) {
        return Vec::new();
    }
    let mut quoting = false;
    let mut clauses = Vec::new();
    for sentence in split::sentences(&text, usize::MAX) {
        let starts_quoted = quoting || sentence.starts_with(['"', '\'']);
        quoting ^= has_open_quote(sentence);
        if !starts_quoted && states(sentence) {
            clauses.extend(in_own_name(sentence).into_iter().map(|clause| bare(clause).to_owned()));
        }
    }
    clauses.retain(|clause| !clause.is_empty());
    clauses
}

/// One kind of apostrophe and quotation mark; without quoted lines and without what describes an attachment.
fn plain(text: &str) -> String {
    let text = text.replace(['’', '`', '´', '‘'], "'").replace(['“', '”', '„'], "\"");
    let own: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with('>')).collect();
    ATTACHED.replace_all(&own.join("\n"), "").into_owned()
}

fn has_open_quote(text: &str) -> bool {
    text.matches('"').count() % 2 == 1
}

/// Neither asked nor supposed, and no log or code, which have longer "sentences" than people.
fn states(sentence: &str) -> bool {
    sentence.len() <= LONGEST
        && !sentence.trim_end_matches(['"', '\'', ')', ' ', '!']).ends_with('?')
        && !SUPPOSED.is_match(sentence)
}

/// The clauses up to the first that tells what somebody said or thought.
fn in_own_name(sentence: &str) -> Vec<&str> {
    let starts = JOINT.captures_iter(sentence).filter_map(|joint| joint.name("next")).map(|next| next.start());
    let mut bounds: Vec<usize> = starts.filter(|start| !has_open_quote(&sentence[..*start])).collect();
    bounds.insert(0, 0);
    bounds.push(sentence.len());
    let clauses = bounds.windows(2).map(|bound| &sentence[bound[0]..bound[1]]);
    clauses.take_while(|clause| !REPORTED.is_match(clause)).collect()
}

/// Without fillers and calls: "Hey Mel, yeah, I …".
fn bare(clause: &str) -> &str {
    let lead = LEAD.find(clause).map_or(0, |lead| lead.end());
    let clause = clause[lead..].trim();
    TAIL.find(clause).map_or(clause, |tail| clause[..tail.start()].trim_end())
}

pattern!(ATTACHED, r"\[(?:shared|sent|attached|photo|image|picture|video)[^\]]*\]?");
pattern!(JEST, r"(?i)\b(?:just kidding|jk|joking|kidding|sarcas\w+)\b");
pattern!(
    SUPPOSED,
    r"(?i)\b(?:if|would|could|might|may be|wish(?:es|ed)?|maybe|perhaps|possibly|suppos\w+|imagin(?:e|ing)|pretend\w*|unless|whether|almost|nearly|let's say)\b|\b(?:i|we|you|he|she|they|it)'d (?:\w+ )?(?:love|like|be|prefer|rather|say|want|hate)\b"
);
pattern!(
    REPORTED,
    r"(?i)\b(?:said|says|saying|told|tells|claims|claimed|asked|asks|thinks|thought|believes|believed|joked|heard|according to|mentioned)\b"
);
// A comma is a joint only before a new subject; a date that follows that one is not the former's.
pattern!(
    JOINT,
    r"(?i)(?:[,;:.]|\s[-–]+|[—–]|\b(?:and|but|so|plus|'?cause|because|since|although|though))\s+(?:(?:and|but|so|plus|because|since|although|though)\s+)?(?P<next>(?:(?:also|now|then|actually|recently|yesterday|currently|just|today)\s+)?(?:i|we|my|our|it|it's|they|he|she)\b|(?-i:[A-Z])\p{L}+ (?:is|has|was|lives|works|likes|loves|moved)\b)"
);
pattern!(
    LEAD,
    r"(?ix)^(?:(?:
        hey|hi|hello|yo|yeah|yea|yep|yes|no|nope|nah|well|oh|ah|aw+|wow|woah|whoa|haha+|lol|so|and|but|also|actually|honestly|anyways?|btw|
        by\ the\ way|plus|okay|ok|sure|thanks|thank\ you|personally|currently|right\ now|these\ days|nowadays|guess\ what|as\ you\ know|
        you\ know(?:\ what)?|to\ be\ honest|honest(?:ly)?|in\ fact|of\ course|fortunately|unfortunately|luckily|sadly|then|now|lately|
        recently|definitely|absolutely|totally|cool|nice|great|awesome|right|true|same\ here|me\ too|for\ me|as\ for\ me|besides|
        finally|good\ question|fun\ fact|on\ another\ note|like\ i\ said|i\ wanted\ to\ (?:tell|let)\ (?:you|ya)\ (?:know\ )?(?:that\ )?|i\ have\ to\ say|speaking\ of\ which|oh\ yeah|yup|hmm+|um+|uh+|mm+|gosh|man|dude|congrats|
        just|in\ the\ meantime|meanwhile|outside\ of\ work|in\ my\ (?:free|spare)\ time|as\ well|because|since|although|though
        )\b[\s,!.:;–-]*
        (?:(?-i:[A-Z])\p{L}+[,!.]\s+)?
      |(?-i:[A-Z])\p{L}+[,!]\s+
    )+"
);
pattern!(TAIL, r"[\s.!;,:–—-]+$");
