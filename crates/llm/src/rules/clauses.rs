//! Finds the clauses of a turn in which the speaker states something about themselves.
//!
//! Skips a whole turn if it contains text to work on, plays a role or pastes text of others. Skips sentences that suppose,
//! report, hedge or limit, and what a later clause takes back. Cuts the rest where a new clause begins. Other words that follow a statement stay part of its clause,
//! so that no rule matches it.

use annals_core::Date;
use regex::{Captures, Regex};

use super::dates::{self, Side};
use super::framing;
use super::grammar::pattern;
use super::languages;
use crate::extractive::split;

/// Maximum bytes of a sentence. Logs and code have longer "sentences" than people.
const LONGEST: usize = 1000;
/// Minimum words of a question that a statement may precede. Shorter ones are tags: "I love tea, right?"
const LEAST_QUESTION: usize = 4;
/// Maximum bytes of a turn. Longer turns contain text from elsewhere.
const LONGEST_TURN: usize = 4000;

/// A clause, with plain apostrophes and without introductory words ("Yeah, actually, …").
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Clause {
    pub(super) text: String,
    /// Whether its sentence is a plain statement. A sentence that reports or hedges may still name people.
    pub(super) states: bool,
    /// Whether the subject is that of the clause before: "… and work at Siemens".
    pub(super) continues: bool,
}

/// Returns the clauses in order.
pub(super) fn of(text: &str, today: Date) -> Vec<Clause> {
    if text.contains("```") {
        return Vec::new();
    }
    let text = plain(text);
    if text.len() > LONGEST_TURN || framing::is_foreign(&text) {
        return Vec::new();
    }
    let mut quoting = false;
    let mut clauses = Vec::new();
    // The number of clauses before the last sentence that was read.
    let mut before = 0;
    for line in framing::own_lines(&text) {
        for sentence in split::sentences(line, usize::MAX) {
            let starts_quoted = quoting || sentence.starts_with(['"', '\'']);
            quoting ^= has_open_quote(sentence);
            match stated(sentence).filter(|_| !starts_quoted) {
                None => {}
                // "I got a job at Tesla. But I turned it down."
                Some(stated) if TAKES_BACK.is_match(stated) => clauses.truncate(before),
                Some(stated) if TAKEN_BACK.is_match(stated) => {}
                Some(stated) => {
                    before = clauses.len();
                    clauses.extend(of_sentence(stated, today));
                }
            }
            if framing::introduces(sentence) {
                return clauses;
            }
        }
    }
    clauses
}

/// Returns whether the turn begins by taking back what the speaker stated before: "Nope, made you look."
pub(super) fn takes_back(text: &str) -> bool {
    let text = plain(text);
    split::sentences(&text, usize::MAX).next().is_some_and(|first| TAKES_BACK.is_match(first))
}

/// Normalises apostrophes and quotation marks, and removes descriptions of attachments.
pub(super) fn plain(text: &str) -> String {
    let text = text.replace(['’', '`', '´', '‘'], "'").replace(['“', '”', '„', '«', '»'], "\"");
    let text = ATTACHED.replace_all(&text, "");
    NEGATED.replace_all(&text, "${verb}n't").into_owned()
}

fn has_open_quote(text: &str) -> bool {
    text.matches('"').count() % 2 == 1
}

/// Returns what a sentence states: all of it, or what comes before the question at its end ("I'm vegan, what can I cook?").
fn stated(sentence: &str) -> Option<&str> {
    if sentence.len() > LONGEST || HANGOVER.is_match(sentence) {
        return None;
    }
    if !sentence.trim_end_matches(['"', '\'', ')', ' ', '!']).ends_with('?') {
        return Some(sentence);
    }
    let question = QUESTION.captures(sentence)?;
    let is_tag = question["question"].split_whitespace().count() < LEAST_QUESTION;
    let before = &sentence[..question.get(0)?.start()];
    (!is_tag && STARTS_WITH_OWN.is_match(before)).then_some(before)
}

fn of_sentence(sentence: &str, today: Date) -> Vec<Clause> {
    let foreign = languages::in_english(sentence);
    if !foreign.is_empty() {
        return foreign.into_iter().map(|text| Clause { text, states: true, continues: false }).collect();
    }
    let states = !UNSURE.is_match(sentence);
    let mut clauses = Vec::new();
    for (start, piece) in pieces(sentence, today) {
        let text = bare(&piece);
        // "In the novel I live in Rome and I have a dog": no part of it is true.
        if FRAME.is_match(text) && !is_date(text, today) && dates::take(text, today, Side::Past).0 == text {
            break;
        }
        let continues = start > 0 && VERB.is_match(text);
        if !text.is_empty() {
            clauses.push(Clause { text: completed(&piece, text), states, continues });
        }
    }
    clauses
}

/// Splits a sentence at its joints; returns the pieces with their positions. A date before a clause belongs to that clause.
fn pieces(sentence: &str, today: Date) -> Vec<(usize, String)> {
    let next = |joint: &Captures<'_>| (1..joint.len()).find_map(|group| joint.get(group)).map(|next| next.start());
    let starts = JOINT.captures_iter(sentence).filter_map(|joint| Some((joint.get(0)?.start(), next(&joint)?)));
    let starts = starts.filter(|(_, next)| !has_open_quote(&sentence[..*next]));
    let mut pieces: Vec<(usize, String)> = Vec::new();
    let mut begin = 0;
    for (end, next) in starts.chain([(sentence.len(), sentence.len())]) {
        let piece = sentence[begin..end.max(begin)].to_owned();
        // "My sister Eva and I …" is one clause.
        if next < sentence.len() && SUBJECT.is_match(bare(&piece)) {
            continue;
        }
        match pieces.last_mut().filter(|(_, before)| is_date(bare(before), today)) {
            Some((_, date)) => *date = format!("{} {piece}", bare(date)),
            None => pieces.push((begin, piece)),
        }
        begin = next;
    }
    pieces
}

fn is_date(text: &str, today: Date) -> bool {
    matches!(dates::take(text, today, Side::Past), (rest, Some(_)) if rest.is_empty())
}

/// Adds the subject that casual messages leave out: "just moved to Oslo".
fn completed(piece: &str, bare: &str) -> String {
    let is_own = JUST.is_match(piece) && DONE.is_match(bare);
    if is_own { format!("I {bare}") } else { bare.to_owned() }
}

/// Removes fillers and forms of address at the beginning ("Hey Mel, yeah, I …") and additions at the end ("… now, actually!").
fn bare(clause: &str) -> &str {
    let lead = LEAD.find(clause).map_or(0, |lead| lead.end());
    let clause = clause[lead..].trim();
    TAIL.find(clause).map_or(clause, |tail| clause[..tail.start()].trim_end())
}

// "dont", "cant"; "won't" and "can't" begin with the stems "wo" and "ca".
pattern!(NEGATED, r"(?i)\b(?P<verb>do|does|did|ca|wo|is|are|was|were|have|has|would|could|should)nt\b");
pattern!(ATTACHED, r"\[(?:shared|sent|attached|photo|image|picture|video)[^\]]*\]?");
// A tomcat has a name or says something more.
pattern!(HANGOVER, r"(?i)\beinen (?:\w+ )?kater[\s.!]*$");
pattern!(
    UNSURE,
    r"(?ix)\b(?:if|would|could|might|may\ be|wish(?:es|ed)?|maybe|perhaps|possibly|probably|suppos\w+|imagin\w+|unless|whether|almost|nearly|
        should|shall|must|apparently|allegedly|hopefully|technically|basically|practically|virtually|theoretically|ideally|obviously|
        figuratively|so\ to\ speak|sort\ of|kind\ of|kinda|in\ theory|in\ a\ way|someday|some\ day|one\ day|eventually|temporar\w+|until|till|
        for\ (?:now|the\ (?:day|night|week|weekend|month|summer|winter|moment|time\ being|party))|when|whenever|while|once|
        dreams?|dreaming|guess|assum\w+|bet|lie|lied|lying|fake|prank|costume|halloween|feels?\ like|felt\ like|seems?|like\ a|like\ an|
        said|says|saying|say|told|tells|tell\ (?:people|them|him|her|everyone)|claims?|claimed|asked|asks|thinks?|thought|believes?|believed|heard|according\ to|mentioned|wrote|writes|
        texted|texts|tweeted|posted|quoted|quotes?|goes|was\ like|were\ like|be\ like|insists|swears|announced|replied|answered|shouted|yelled|
        sang|sings|calls?\ me\ an?|what\ i\ call|so-called|bio|headline|title\ says)\b
      |\b(?:i|we|you|he|she|they|it)'d\b"
);
// "…, but I turned it down": what came before did not come about.
pattern!(
    TAKEN_BACK,
    r"(?ix)[\s,;–—-](?:
        (?:and|but|yet|until|though|although|however|then|only|except)\b[^.;!?]{0,40}?\b(?:
          turned\ (?:(?:it|them|that|this|the\ \w+)\ down|down(?:\ the\ \w+)?)
          |(?:declined|refused|rejected|passed\ on|backed\ out\ of|withdrew\ from|(?:did\ not|didn't)\ (?:take|accept))
            (?:\ (?:it|them|that|this|the\ (?:job|offer|position|post|role|place|invitation)))?
          |said\ no|fell\ through|backed\ out|pulled\ out|changed\ (?:my|our)\ minds?|never\ happened|(?:did\ not|didn't)\ (?:happen|work\ out)
          |(?:was|were|got|been)\ (?:then\ |later\ )?(?:withdrawn|rescinded|revoked|cancell?ed|called\ off|turned\ down|rejected)
        )
      |(?:aber|doch|jedoch|allerdings)\b[^.;!?]{0,50}?\b(?:abgelehnt|abgesagt|ausgeschlagen|zurückgezogen|geplatzt|nein\ gesagt|lehnte\ (?:\w+\ )?ab)
      |(?:mais|pourtant|cependant)\b[^.;!?]{0,50}?\b(?:refusé\w*|décliné\w*|rejeté\w*|annulée?s?|renoncé|dit\ non|tombée?s?\ à\ l'eau|changé\ d'avis)
      |(?:pero|aunque|sin\ embargo)\b[^.;!?]{0,50}?\b(?:rechac\w+|dije\ que\ no|declin\w+|cancel(?:ó|aron|ad\w+)|retir(?:ó|aron)|renuncié|cambié\ de\ (?:idea|opinión))
    )(?:$|[\s.,;!)]+(?:$|in\b|later|because|as\b|since|after|again|anyway|yesterday|last|at\b|when|so\b|due|im\b|weil|wegen|finalement|al\ final|por))"
);
// The same as a sentence of its own.
pattern!(
    TAKES_BACK,
    r"(?ix)^(?:(?:and|but|so|then|yet|however|sadly|unfortunately|eventually|later|in\ the\ end|nah|no|nope|wait|actually|well)[\s,.!…-]+)*(?:
        (?:changed|i've\ changed|we've\ changed)\ (?:my|our)\ minds?|made\ you\ look|gotcha|got\ (?:you|ya)|was|not\ any\ ?more|just\ messing(?:\ with\ you)?
        |(?:(?:\w+\ )?(?:days?|weeks?|months?|years?)\ later,?\ )?(?:i|we)\ (?:came|moved|went|flew)\ (?:back|home)(?:\ (?:home|again))?
        |(?:i|we|it|they|the\ \w+)\b[^.;!?]{0,20}?\b(?:turned\ (?:(?:it|them|that|this|the\ (?:job|offer))\ down|down\ (?:the\ )?\w+)
          |(?:declined|refused|rejected)(?:\ (?:it|them|the\ (?:job|offer|position)))?|said\ no|fell\ through|backed\ out|changed\ (?:my|our)\ minds?
          |(?:was|were|got)\ (?:withdrawn|rescinded|revoked|cancell?ed|called\ off))
      |(?:aber\ |doch\ |leider\ )*(?:ich|wir)\ (?:habe|haben)\b[^.;!?]{0,30}?\b(?:abgelehnt|abgesagt|ausgeschlagen|nein\ gesagt)
      |(?:mais\ |finalement,?\ )*(?:j'ai|je\ l'ai|nous\ avons)\b[^.;!?]{0,20}?\b(?:refusé\w*|décliné\w*|dit\ non)
      |(?:pero\ |al\ final,?\ )*(?:lo|la|los|las)\ rechac(?:é|amos)
    )(?:\ (?:though|anyway|later|in\ the\ end))?[\s.!]*$
    |^(?:(?:actually|wait|no|nope|sorry|oops|hmm)[\s,.!…-]+)*(?:scratch\ that|strike\ that|correction|typo|never\ ?mind|nvm|ignore\ that|i\ take\ that\ back|my\ mistake|i\ misspoke|edit:)\b"
);
// A clause ends only where one begins that does not change its meaning.
pattern!(
    JOINT,
    r"(?ix)(?:
        (?:\s*[,;.]|\s+[-–—]+|[—–])\s*(?:(?:and|but|so|plus|because|since|although|though)\s+)?
          ((?:(?:also|now|then|actually|recently|yesterday|currently|just|today|sometimes|hopefully)\s+)?
            (?:i|i'm|i've|im|we|we're|we've|my|our|it|it's|they|they're|he|she|this|that's|there|what|how|can|please|just\ so\ you|lol|thanks|sadly|so|which)\b)
      |\s+(?:and|but|so|plus|'?cause|because|since|although|though|which)\s+
          ((?:(?:also|now|then|actually|recently|currently|just)\s+)?
            (?:i|i'm|i've|im|we|we're|we've|my|our|it|it's|they|they're|he|she|this|that's|there)\b)
      |\s+(?:and|but)\s+(?:also\s+|now\s+|currently\s+)?((?:work|live|love|like|hate|have|speak|play|study|own|still|am|was|don't|can't|do\ not|cannot|haven't)\b)
      |\s*,?\s+(?:so|because|but|which)\s+((?:bear|don't|be|need|looking|no|\w+ing|excited|happy|coffee|please|any|the)\b)
    )"
);
pattern!(
    LEAD,
    r"(?ix)^(?:(?:
        hey|hi|hello|yo|yeah|yea|yep|yes|no|nope|nah|well|oh|ah|aw+|wow|woah|whoa|haha+|lol|so|and|but|also|actually|honestly|anyways?|btw|
        by\ the\ way|plus|okay|ok|sure|thanks|thank\ you|personally|currently|right\ now|these\ days|nowadays|guess\ what|as\ you\ know|
        you\ know(?:\ what)?|to\ be\ honest|honest(?:ly)?|in\ fact|of\ course|fortunately|unfortunately|luckily|sadly|then|now|lately|
        recently|definitely|absolutely|totally|cool|nice|great|awesome|right|true|same\ here|me\ too|for\ me|as\ for\ me|besides|
        finally|good\ question|fun\ fact|on\ another\ note|like\ i\ said|i\ have\ to\ say|speaking\ of\ which|oh\ yeah|yup|hmm+|um+|uh+|mm+|gosh|man|dude|congrats|
        hi\ all|hi\ everyone|hello\ all|hello\ everyone|fyi|
        ngl|lowkey|tbh|omg+|idk|ugh+|bruh|fr|lmao+|ok\ so|wait|listen|literally|look|oops|sry|sorry|
        just|in\ the\ meantime|meanwhile|outside\ of\ work|in\ my\ (?:free|spare)\ time|as\ well|because|since|although|though
        )\b[\s,!.:;–-]*
        (?:(?-i:[A-Z])\p{L}+[,!.]\s+)?
      |(?-i:[A-Z])\p{L}+[,!]\s+
    )+"
);
pattern!(
    TAIL,
    r#"(?ix)(?:,\s+not\ \p{L}[\p{L}'\ ]{1,30}|[\s,]+(?:now|too|as\ well|again|here|these\ days|at\ the\ moment|right\ now|currently|nowadays|actually|by\ the\ way|btw|honestly|
        sadly|lately|already|finally|lol+|lmao+|omg|wow|fr|rn|tho|y'?all|tbh|ngl|imo|smh|never\ again|
        for\ (?:work|school|college|uni|university|love|good|a\ living|(?:a|my|the|a\ new|my\ new)\ job)|so\ much|very\ much|a\ lot|together|though|obsessively|for\ sure|every\ (?:day|morning|evening|week|weekend|\w+day)|
        in\ the\ (?:mornings?|evenings?)|with\ (?:my\ )?friends|in\ a\ band|at\ home)|[\s.!;,:–—()-]|[^\p{L}\p{M}\p{N}"'?%+\#&/<>@])+$"#
);
// Introductions that limit the statement to some context.
pattern!(
    FRAME,
    r"(?i)^(?:in|at|on|as|for|during|with|under|like|by|after|before|wherever|per|from|inside|within|according|back|every|each|whoever|someone|somebody|nobody|no one)\b"
);
// A question after a statement. "Is that right?" is about the statement.
pattern!(
    QUESTION,
    r"(?ix)(?:\s*[,;]|\s+[-–—]+)\s*(?:and\ |so\ |but\ )?
        (?P<question>(?:what|how|which|where|when|why|who|whose|can|could|should|would|will|do|does|did|are|any|have|has|am|may|is\ (?:there|my|an?|the|[a-su-z]\p{L}{3,}))\b[^?]*\?)\W*$"
);
pattern!(
    STARTS_WITH_OWN,
    r"(?i)^(?:(?:hi|hello|hey|ok|okay|so|well)[,!. ]+)*(?:i|i'm|im|i've|ive|we|we're|we've|my|our)\b"
);
pattern!(JUST, r"(?i)^(?:(?:omg|ok|so|hey|well|lol|btw|yay|and|guess what)[,!.\s]+)*(?:just|finally|recently)\s");
pattern!(
    DONE,
    r"(?i)^(?:moved|adopted|bought|quit|sold|joined|became|graduated|got (?:a|an|my|engaged|married|divorced|promoted|laid|fired)|started|signed up)\b"
);
pattern!(SUBJECT, r"^(?:(?i:my|our) (?:[\w'-]+ ){0,2}[\w'-]+|\p{Lu}\p{Ll}+)$");
pattern!(VERB, r"(?i)^(?:work|live|love|like|hate|have|speak|play|study|own)\b");
