//! Finds the parts of a turn that are not the speaker's own statements: text to work on, pasted text, letters, games and jokes.
//!
//! Relies on plain apostrophes and quotation marks. Reads one turn; `scenes` reads a conversation. Rejects too much rather than too
//! little, because a wrong fact is worse than a missing one.

use regex::Regex;

use super::grammar::pattern;

/// Returns whether nothing in the turn may be taken as the speaker's own statement.
pub(super) fn is_foreign(text: &str) -> bool {
    FOREIGN.is_match(text) || REQUEST.is_match(text) || SCENARIO.is_match(text) || JEST.is_match(text.trim_end())
}

/// Returns whether the sentence introduces text of somebody else, so that what follows is not the speaker's own statement: "My
/// tenant texted me this."
pub(super) fn introduces(sentence: &str) -> bool {
    INTRODUCES.is_match(sentence)
}

/// Returns the lines that the speaker wrote: not quoted, not headed by a name, and only up to what introduces text of others: a
/// colon, the head of a mail, or a letter's form of address.
pub(super) fn own_lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    for line in text.lines().filter(|line| !QUOTED.is_match(line)) {
        if HEAD.is_match(line) || !lines.is_empty() && ADDRESS.is_match(line) {
            break;
        }
        match COLON.find(line) {
            // The text below is what the line introduces.
            Some(colon) if line[colon.end()..].trim().is_empty() => break,
            Some(_) => {}
            None => lines.push(line),
        }
    }
    lines
}

// Text to work on, role play, fiction, and text of others.
pattern!(
    FOREIGN,
    r#"(?imx)\b(?:translat\w+|proof-?read\w*|rewrite|rephrase\w*|reword\w*|paraphrase\w*|summari[sz]e|grammar|cover\ letter|
        role-?\ ?play\w*|pretend\w*|fiction\w*|hypothetical\w*|lyrics|screenplay|dialogues?|transcripts?|examples?|for\ instance|template|
        scenarios?|personas?|poems?|sample|character|protagonist|narrator|d&d|dnd|cosplay\w*|
        übersetz\w*|rollenspiel\w*|stell\ dir\ vor|traduis\w*|traduire|jeu\ de\ rôle|traduce\w*|traducir|imagina|imagínate|
        wrote:|truths?\ and\ (?:a|one|two)\ lies?|truth\ or\ dare|plot\ twist|would\ you\ rather|never\ have\ i\ ever|(?:20|twenty)\ questions|
        picture\ this|manifesting|(?:in|out\ of)\ character|which\ (?:one\ |of\ (?:these|those|them|the\ two)\ )?(?:is|are|sounds)\ (?:true|false|grammatical|right|better|(?:a|the)\ lie|fake|correct)|your\ exercise|
        how\ (?:do|would)\ (?:you|i)\ say|what\ does\ .*\ mean|dreamt|dreamed|april\ fools?)\b|
      \be\.g\.|
      \b(?:in|for)\ (?:the|my|our|a|this|that|your)\ (?:\w+\ )?(?:stor(?:y|ies)|novel|game|film|movie|play|dream|song|show|sitcom|
        simulation|campaign|exercise|video|book|skit|comic|parody)\b|
      ^\s*(?:dear\ (?:sir|madam|mr|ms|mrs|dr|hiring|customer|team|all)\b|(?:best|kind|warm)\ regards|regards,|sincerely|yours\ (?:truly|faithfully)|best\ wishes)|
      ^\s*(?:let's\ (?:play|say|pretend|imagine)|act\ as|you\ are\ an?\ |imagine|suppose|write\ |correct\ |edit\ |fix\ (?:this|the|my)|day\ \d+\ of|
        from:|subject:|to:|prompt|system|user:|assistant:|on\ .{1,60}\ wrote|here(?:'s|\ is|\ are)\ (?:the|my|a|an|what))"#
);
// Requests about a text, which stands before or after them.
pattern!(
    REQUEST,
    r"(?ix)(?:^|[.!?:]\s+|\n\s*|\b(?:please|you|to)\ )
        (?:improve|shorten|polish|check|correct|fix|edit|extract|classify|label|parse|simplify|analy[sz]e|annotate|tag|format|convert|turn|make|
           expand|continue|finish|complete|review|critique|rate|read|score|judge)\b
        [^.!?:\n]{0,40}\b(?:sentences?|text|paragraphs?|messages?|e-?mails?|essay|letter|bio|cv|résumé|resume|bullets?|story|post|caption|speech|toast|
           note|tone|wording|entities|sentiment|sound\ (?:more|less|better)|(?:more|less)\ (?:formal|polite|natural|casual|friendly|professional))\b
      |^\W*(?:(?:please|ok(?:ay)?|now|hey)[\s,]+)*(?:improve|shorten|polish|check|correct|fix|edit|roast|rate|judge|continue|expand|simplify|make)
        (?:\ (?:it|this|that|my\ \w+))?(?:\ \w+)?\s*[.!]\s
      |\bignore\ (?:this|that|all|(?:the\ |my\ )?(?:previous|last|above))\b|^\W*test(?:ing)?(?:\W+test(?:ing)?)*[.!:]\s
      |\bis\ (?:this|that|it)\ (?:sentence|phrase|text|paragraph)\b|\bis\ (?:this|that)\ (?:correct|right|grammatical|good)\ (?:english|german|french|spanish|grammar)\b"
);
// A setting that the speaker makes up.
pattern!(
    SCENARIO,
    r"(?ix)(?:^|[.!?]\s+|\n\s*)(?:ok(?:ay)?,?\ |so,?\ |now,?\ |please\ )*
        (?:(?:assume|consider|simulate|suppose|imagine|picture|say\ that)\b|let(?:'s|\ us|\ me)\ (?:assume|say|imagine|pretend|suppose|play|role|be))
      |\byou(?:'re|'ll\ be|\ be|\ are|\ play)\ (?:the|an?|my)\b[^.!?\n]{0,40}\bi(?:'m|'ll|\ am|\ play|\ will)\b
      |\byou(?:'re|\ are)\ (?:now\ )?(?:my|an?|the)\ (?:\w+\ ){0,2}\w+\ now\b|\bact\ (?:as|like)\ (?:an?|my|the)\b
      |^\s*dear\ (?:santa|(?-i:[A-CE-Z]\p{L}+|D[^i]\p{L}+))"
);
// A text of others before what it says. "Your message" and "my phone" are none.
pattern!(
    INTRODUCES,
    r"(?ix)\b(?:(?:an?|the|this|that|these|his|her|their|following|another|\w+'s)\ (?:\w+\ ){0,2}?|my\ )
        (?:(?:homework|essay|assignment|speech|toast|cv|résumé|resume|bio|profile)\b)
      |\b(?:an?|the|this|that|these|his|her|their|following|another|\w+'s)\ (?:\w+\ ){0,2}?
        (?:note|letter|e-?mails?|message|text|tweet|caption|sticker|sign|poster|review|script|chorus|verse|quote|advert|listing|article|
           voicemail|introduction|headline|joke|riddle|slogan|motto|statement)\b
      |^(?:(?:the|a|an)\ )?(?:cv|résumé|resume|bio|profile|speech|letter|note|message)\ (?:of|from|by)\b
      |\b(?:texted|sent|wrote|told|said|learn|reads?|got|found|heard|posted|received|saw|shouted)\b[^.!?]{0,25}\b(?:this|these|the\ following|as\ follows|like\ this)\b
      |\bthe\ following\s*[.!]*$
      |\b(?:customer|client|user|patient|tenant|student|guest|reader|caller|applicant)s?\ (?:\w+\ )?(?:wrote|writes|sa(?:ys|id)|ask(?:s|ed)|complain(?:s|ed)|claim(?:s|ed)|called|told)\b
      |\b(?:introduc|describ|present)\w*\ (?:himself|herself|themselves|itself)\b|\b(?:goes|starts|begins)\ (?:like|with|something)\b
      |^(?:my\ )?(?:[\w']+\ ){1,3}on\ the\ phone\s*[.!]*$
      |\bfrom\ (?:an?|the|my)\ (?:recruiter|bot|spammer|scammer|customer|client|reader|fan|stranger)\b"
);
pattern!(
    JEST,
    r"(?i)\b(?:just kidding|jk|joking|kidding|sarcas\w+|/s|yeah right|trust me|as if|not really|in my dreams)\b|(?:^|[.!?,] )not[.!]*$|(?:^|[.!?] )(?:god,? |oh,? |man,? )*(?:i wish|if only|in your dreams)[.!]|\bsays? no ?(?:one|body)\b|said no ?(?:one|body)\b|\bschön wär(?:'s|s|e es|e das)\b|\b(?:nur|kleiner) (?:spaß|scherz|witz)\b|\bje (?:plaisante|rigole)\b|\bes (?:broma|una broma)\b"
);
// Quoted lines, and lines of a log or chat that begin with a time or a name.
pattern!(QUOTED, r#"^\s*(?:>|\||# |-- |//|<[^>]{1,40}>|\[[^\]]{1,40}\]|\*|!\w|/\w|\(\d|\d{1,2}:\d\d)"#);
// Excludes colons in times and emoticons.
pattern!(COLON, r"[\p{L}\d)\]][*_]{0,2}:(?:\s|$)");
// The head of a mail or of a message in a pasted chat.
pattern!(
    HEAD,
    r"(?i)^\s*(?:(?:from|to|fwd?|re|subject)\b(?: \S+){1,4}|(?-i:\p{Lu}\p{Ll}+)(?: (?-i:\p{Lu}\p{Ll}+))?,? \[?\d{1,2}[:.]\d\d\b.{0,12})\s*$"
);
pattern!(
    ADDRESS,
    r"(?i)^\s*(?:hi|hello|hey|dear|good (?:morning|evening|afternoon)|hallo|liebe[rs]?|bonjour|cher|chère|hola|querid[oa])\b[^,.!?]{0,40},"
);
