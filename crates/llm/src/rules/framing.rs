//! Finds the parts of a turn that are not the speaker's own statements: text to work on, pasted text, letters, games and jokes. Says of
//! a sentence whose voice it is in: what follows is believed only if everything before it is understood or plainly the speaker's.
//!
//! Relies on plain apostrophes and quotation marks. Reads one turn; `scenes` reads a conversation. Rejects too much rather than too
//! little, because a wrong fact is worse than a missing one.

use regex::Regex;

use super::grammar::pattern;
use super::scenes;

/// Returns whether nothing in the turn may be taken as the speaker's own statement.
pub(super) fn is_foreign(text: &str) -> bool {
    FOREIGN.is_match(text) || REQUEST.is_match(text) || JEST.is_match(text.trim_end())
}

/// Returns whether the sentence is about speech, a text or fiction, or points ahead to one, so that what follows may not be the
/// speaker's own statement: "My tenant texted me this."
pub(super) fn introduces(sentence: &str) -> bool {
    INTRODUCES.is_match(sentence)
}

/// Whose voice a sentence is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Voice {
    /// The speaker speaks of themselves.
    Own,
    /// A question, small talk, a form of address, or no words: the speaker says nothing of themselves, but nobody else speaks.
    Talk,
    /// About others or things. Believable among sentences of one's own, while alone it may begin a quotation or a story.
    Describes,
    /// A command, a fragment, or anything else: what follows it may be a text, a part that is played, an example.
    Unclear,
}

/// Returns whose voice a sentence is in. `bare` is the sentence without its introductory words.
pub(super) fn voice(sentence: &str, bare: &str) -> Voice {
    let is_address = || bare.len() < sentence.trim_end_matches(['.', '!', ' ']).len() && NAMES.is_match(bare);
    let is_talk =
        || scenes::ends(sentence) || !bare.contains(char::is_alphabetic) || sentence.contains('?') || is_address();
    match bare {
        _ if OWN.is_match(bare) => Voice::Own,
        _ if is_talk() || SMALL_TALK.is_match(bare) || SMALL_TALK.is_match(sentence) => Voice::Talk,
        _ if DESCRIBES.is_match(bare) => Voice::Describes,
        _ => Voice::Unclear,
    }
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
// Speech, texts and fiction, or a word that points ahead to one.
pattern!(
    INTRODUCES,
    r"(?ix)\b(?:sentences?|paragraphs?|messages?|texts?|texted|e-?mails?|e-?mailed|letters?|notes?|posted|tweets?|tweeted|captions?|bios?|profiles?|cvs?|résumés?|resumes?|essays?|
        homework|assignments?|stor(?:y|ies)|novels?|chapters?|lyrics|chorus|verses?|poems?|rhymes?|haikus?|limericks?|quot\w+|jokes?|riddles?|roles?|characters?|
        scenes?|scripts?|dreamt|dreamed|dream\ i|lied|lies?|truths?|templates?|samples?|prompts?|personas?|speech(?:es)?|toasts?|interview(?:s|ed)?|dialogues?|
        transcripts?|ad|advert\w*|listing|article|voicemail|stickers?|signs?|posters?|slogans?|mottos?|headlines?|statements?|introduc\w+|describ\w+|
        wrote|written|writes|said|says|told|tells|claim(?:s|ed)|quoted|dictat\w+|shouted|sang|sings|goes\ (?:like|something)|(?:i|he|she|they)\ (?:heard|read)|
        translat\w+|correct(?:ed|ion)?|proofread|rewrit\w+|rephrase|paraphrase|pretend\w*|imagin\w+|suppos\w+|assum\w+|hypothe\w+|fiction\w*|invent\w*|made[- ]up|
        on\ the\ phone|as\ follows|following|below|like\ so)\b
      |\b(?:this|these)(?:\W*$|:|\ (?:for|from|to|on|as|into|is|one|about|out|down|in)\b)
      |\b(?:customer|client|patient|tenant|student|guest|reader|caller|applicant|recruiter)s?\b
      |\b(?:can|could|will|would)\ you\ (?:be|play|act)\b|\byou\ (?:be|play|are|act)\b|\byou(?:'re|'ll\ be)\ (?:now\ )?(?:an?|the|my)\b|^i(?:'m|'ll\ be|\ am)\ the\ \p{L}+\W*$"
);
// A sentence in the speaker's own voice, after its introductory words.
pattern!(
    OWN,
    r"(?ix)^(?:i|i'm|im|i've|ive|i'll|i'd|id|we|we're|we've|we'll|my|our|me\ and|both\ of\ us|ich|wir|mein\w*|unser\w*|je|j'\w*|nous|mon|ma|mes|notre|nos|yo|mi|mis|nuestr[oa]s?|me)\b
      |^(?:yesterday|today|tonight|tomorrow|last|this|next|in|on|since|for|after|before|when|while|as|if|two|three|an?|every|at|during|once|with|even|although|though|back)\b[^.!?]{0,50}\b(?:i|i'm|i've|we|we're|my)\b"
);
// What people say to each other before they speak of themselves.
pattern!(
    SMALL_TALK,
    r"(?ix)^(?:(?:that|it|this)(?:'s|\ is|\ was|\ sounds|\ looks|\ must|\ has|\ made|\ makes)|sounds|glad|happy|good|nice|great|congrat\w*|so\ (?:glad|happy|sorry|cool|nice|good)|long\ time|thanks|thank\ you|
        sorry|sure|no\ (?:worries|problem|way)|long\ day|can't\ wait|looking\ forward|welcome|quick\ (?:one|question|note|update)|question|what\ a|how\ (?:cool|nice|great|lovely)|
        your\b|you(?:'re|\ must|\ should|\ know|\ look|\ have|'ve|\ can)|love\ (?:it|that)|(?:and\ )?you\b|hallo|hi|hey|guten|bonjour|coucou|salut|hola|buen[ao]s|danke|merci|gracias|schön|super)\b"
);
pattern!(NAMES, r"^(?:\p{Lu}\p{L}+\W*){1,2}$");
pattern!(
    DESCRIBES,
    r"(?i)^(?:the|it|it's|he|he's|she|she's|they|they're|there|there's|his|her|their|that|those|some|most|all|everyone|everything|nothing|so (?:many|much)|life|being|(?-i:\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)?) (?:is|was|has|had|sounds|looks|loves|likes))\b"
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
