//! Finds the clauses of a turn in which the speaker states something about themselves.
//!
//! Skips a whole turn if it contains text to work on, plays a role or pastes text of others. Skips sentences that suppose,
//! report, hedge or limit, and what a later clause takes back. Cuts the rest where a new clause begins. Other words that follow a statement stay part of its clause,
//! so that no rule matches it.

use annals_core::Date;
use regex::{Captures, Regex};

use super::dates::{self, Side};
use super::grammar::pattern;
use super::languages;
use crate::extractive::split;

/// Maximum bytes of a sentence. Logs and code have longer "sentences" than people.
const LONGEST: usize = 1000;
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
    if text.len() > LONGEST_TURN || FOREIGN.is_match(&text) || JEST.is_match(text.trim_end()) {
        return Vec::new();
    }
    let mut quoting = false;
    let mut clauses = Vec::new();
    // The number of clauses before the last sentence that was read.
    let mut before = 0;
    for line in own_lines(&text) {
        for sentence in split::sentences(line, usize::MAX) {
            let starts_quoted = quoting || sentence.starts_with(['"', '\'']);
            quoting ^= has_open_quote(sentence);
            if starts_quoted || !is_read(sentence) {
                continue;
            }
            // "I got a job at Tesla. But I turned it down."
            if TAKES_BACK.is_match(sentence) {
                clauses.truncate(before);
            } else if !TAKEN_BACK.is_match(sentence) {
                before = clauses.len();
                clauses.extend(of_sentence(sentence, today));
            }
        }
    }
    clauses
}

/// Normalises apostrophes and quotation marks, and removes descriptions of attachments.
fn plain(text: &str) -> String {
    let text = text.replace(['’', '`', '´', '‘'], "'").replace(['“', '”', '„', '«', '»'], "\"");
    ATTACHED.replace_all(&text, "").into_owned()
}

/// Returns the lines that the speaker wrote: not quoted, not headed by a name, and only up to a colon that introduces something.
fn own_lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    for line in text.lines().filter(|line| !QUOTED.is_match(line)) {
        match COLON.find(line) {
            // The text below is what the line introduces.
            Some(colon) if line[colon.end()..].trim().is_empty() => break,
            Some(_) => {}
            None => lines.push(line),
        }
    }
    lines
}

fn has_open_quote(text: &str) -> bool {
    text.matches('"').count() % 2 == 1
}

fn is_read(sentence: &str) -> bool {
    sentence.len() <= LONGEST
        && !HANGOVER.is_match(sentence)
        && !sentence.trim_end_matches(['"', '\'', ')', ' ', '!']).ends_with('?')
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
            clauses.push(Clause { text: text.to_owned(), states, continues });
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

/// Removes fillers and forms of address at the beginning ("Hey Mel, yeah, I …") and additions at the end ("… now, actually!").
fn bare(clause: &str) -> &str {
    let lead = LEAD.find(clause).map_or(0, |lead| lead.end());
    let clause = clause[lead..].trim();
    TAIL.find(clause).map_or(clause, |tail| clause[..tail.start()].trim_end())
}

pattern!(ATTACHED, r"\[(?:shared|sent|attached|photo|image|picture|video)[^\]]*\]?");
// Text to work on, role play, fiction, and text of others.
pattern!(
    FOREIGN,
    r#"(?imx)\b(?:translat\w+|proof-?read\w*|rewrite|rephrase\w*|reword\w*|paraphrase\w*|summari[sz]e|grammar|cover\ letter|
        role-?\ ?play\w*|pretend\w*|fiction\w*|hypothetical\w*|lyrics|screenplay|dialogues?|transcripts?|examples?|for\ instance|template|
        scenarios?|personas?|poems?|sample|character|protagonist|narrator|d&d|dnd|cosplay\w*|
        übersetz\w*|rollenspiel\w*|stell\ dir\ vor|traduis\w*|traduire|jeu\ de\ rôle|traduce\w*|traducir|imagina|imagínate|
        wrote:|how\ (?:do|would)\ (?:you|i)\ say|what\ does\ .*\ mean|dreamt|dreamed|april\ fools?)\b|
      \be\.g\.|
      \b(?:in|for)\ (?:the|my|our|a|this|that|your)\ (?:\w+\ )?(?:stor(?:y|ies)|novel|game|film|movie|play|dream|song|show|sitcom|
        simulation|campaign|exercise|video|book|skit|comic|parody)\b|
      ^\s*(?:dear\ (?:sir|madam|mr|ms|mrs|dr|hiring|customer|team|all)\b|(?:best|kind|warm)\ regards|regards,|sincerely|yours\ (?:truly|faithfully)|best\ wishes)|
      ^\s*(?:let's\ (?:play|say|pretend|imagine)|act\ as|you\ are\ an?\ |imagine|suppose|write\ |correct\ |edit\ |fix\ (?:this|the|my)|
        from:|subject:|to:|prompt|system|user:|assistant:|on\ .{1,60}\ wrote|here(?:'s|\ is|\ are)\ (?:the|my|a|an|what))"#
);
pattern!(
    JEST,
    r"(?i)\b(?:just kidding|jk|joking|kidding|sarcas\w+|/s|yeah right|trust me|as if|not really|in my dreams)\b|(?:^|[.!,] )not[.!]*$|\bsays? no ?(?:one|body)\b|said no ?(?:one|body)\b|\bschön wär(?:'s|s|e es|e das)\b|\b(?:nur|kleiner) (?:spaß|scherz|witz)\b|\bje (?:plaisante|rigole)\b|\bes (?:broma|una broma)\b"
);
// A tomcat has a name or says something more.
pattern!(HANGOVER, r"(?i)\beinen (?:\w+ )?kater[\s.!]*$");
// Quoted lines, and lines of a log or chat that begin with a time or a name.
pattern!(QUOTED, r#"^\s*(?:>|\||<[^>]{1,40}>|\[[^\]]{1,40}\]|\*|!\w|/\w|\(\d|\d{1,2}:\d\d)"#);
// Excludes colons in times and emoticons.
pattern!(COLON, r"[\p{L}\d)\]][*_]{0,2}:(?:\s|$)");
pattern!(
    UNSURE,
    r"(?ix)\b(?:if|would|could|might|may\ be|wish(?:es|ed)?|maybe|perhaps|possibly|probably|suppos\w+|imagin\w+|unless|whether|almost|nearly|
        should|shall|must|apparently|allegedly|hopefully|technically|basically|practically|virtually|theoretically|ideally|obviously|
        figuratively|so\ to\ speak|sort\ of|kind\ of|kinda|in\ theory|in\ a\ way|someday|some\ day|one\ day|eventually|temporar\w+|until|till|
        for\ (?:now|the\ (?:day|night|week|weekend|month|summer|winter|moment|time\ being|party))|when|whenever|while|once|
        dreams?|dreaming|guess|assum\w+|bet|lie|lied|lying|fake|prank|costume|halloween|feels?\ like|felt\ like|seems?|like\ a|like\ an|
        said|says|saying|say|told|tells|tell\ (?:people|them|him|her|everyone)|claims?|claimed|asked|asks|thinks?|thought|believes?|believed|heard|according\ to|mentioned|wrote|writes|
        texted|texts|tweeted|posted|quoted|quotes?|goes|was\ like|were\ like|be\ like|insists|swears|announced|replied|answered|shouted|yelled|
        sang|sings|calls?\ me\ an?|bio|headline|title\ says)\b
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
        (?:changed|i've\ changed|we've\ changed)\ (?:my|our)\ minds?
        |(?:i|we|it|they|the\ \w+)\b[^.;!?]{0,20}?\b(?:turned\ (?:(?:it|them|that|this|the\ (?:job|offer))\ down|down\ (?:the\ )?\w+)
          |(?:declined|refused|rejected)(?:\ (?:it|them|the\ (?:job|offer|position)))?|said\ no|fell\ through|backed\ out|changed\ (?:my|our)\ minds?
          |(?:was|were|got)\ (?:withdrawn|rescinded|revoked|cancell?ed|called\ off))
      |(?:aber\ |doch\ |leider\ )*(?:ich|wir)\ (?:habe|haben)\b[^.;!?]{0,30}?\b(?:abgelehnt|abgesagt|ausgeschlagen|nein\ gesagt)
      |(?:mais\ |finalement,?\ )*(?:j'ai|je\ l'ai|nous\ avons)\b[^.;!?]{0,20}?\b(?:refusé\w*|décliné\w*|dit\ non)
      |(?:pero\ |al\ final,?\ )*(?:lo|la|los|las)\ rechac(?:é|amos)
    )(?:\ (?:though|anyway|later|in\ the\ end))?[\s.!]*$"
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
      |\s+(?:and|but)\s+(?:also\s+|now\s+|currently\s+)?((?:work|live|love|like|hate|have|speak|play|study|own|still|am|was)\b)
      |\s*,?\s+(?:so|because|but|which)\s+((?:no|\w+ing|excited|happy|coffee|please|any|the)\b)
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
        just|in\ the\ meantime|meanwhile|outside\ of\ work|in\ my\ (?:free|spare)\ time|as\ well|because|since|although|though
        )\b[\s,!.:;–-]*
        (?:(?-i:[A-Z])\p{L}+[,!.]\s+)?
      |(?-i:[A-Z])\p{L}+[,!]\s+
    )+"
);
pattern!(
    TAIL,
    r#"(?ix)(?:[\s,]+(?:now|too|as\ well|again|here|these\ days|at\ the\ moment|right\ now|currently|nowadays|actually|by\ the\ way|btw|honestly|
        sadly|lately|already|finally|so\ much|very\ much|a\ lot|together|though|obsessively|for\ sure|every\ (?:day|morning|evening|week|weekend|\w+day)|
        in\ the\ (?:mornings?|evenings?)|with\ (?:my\ )?friends|in\ a\ band|at\ home)|[\s.!;,:–—()-]|[^\p{L}\p{M}\p{N}"'?%+\#&/<>@])+$"#
);
// Introductions that limit the statement to some context.
pattern!(
    FRAME,
    r"(?i)^(?:in|at|on|as|for|during|with|under|like|by|after|before|wherever|per|from|inside|within|according|back|every|each|whoever|someone|somebody|nobody|no one)\b"
);
pattern!(SUBJECT, r"^(?:(?i:my|our) (?:[\w'-]+ ){0,2}[\w'-]+|\p{Lu}\p{Ll}+)$");
pattern!(VERB, r"(?i)^(?:work|live|love|like|hate|have|speak|play|study|own)\b");
