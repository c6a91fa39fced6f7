//! What stands in the place of an object, trimmed to a short phrase or refused.

use regex::Regex;

use super::grammar::pattern;

/// Longer phrases are sentences.
const WORDS: usize = 8;

/// Members of an enumeration are no longer; else "and" belongs to the phrase.
const MEMBER: usize = 2;

/// What may stand in the place of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// One of few words that the pattern itself lists.
    Listed,
    /// A thing or an activity: "playing the piano", "tea and coffee" (two of them).
    Thing,
    /// A thing that is not pointed at: no "the view".
    Kind,
    /// A thing of the kind that the pattern ends in: a dog, not the love of one.
    Owned,
    /// What somebody means to do: "a trip to Rome", "visiting Rome".
    Deed,
    /// The same after "to": "visit Rome", but not "a concert".
    Act,
    /// Somebody's names, one or more.
    Names,
    /// Somewhere with a name: "Rome, Italy".
    Place,
    /// Something with a name, or in quotation marks.
    Title,
    /// The date that was told.
    Told,
    /// The day of the year that was told.
    Birthday,
    /// Nothing is named: all values of the predicate are meant.
    All,
}

/// The objects in a piece of text; none if it holds none that stands on its own.
pub(super) fn objects(shape: Shape, text: &str) -> Vec<String> {
    let whole = || vec![text.trim().to_owned()];
    match shape {
        Shape::Listed => whole(),
        Shape::All => vec![String::new()],
        // Dates have been taken out of the text.
        Shape::Told | Shape::Birthday => Vec::new(),
        Shape::Names => NAME.find_iter(text).map(|name| name.as_str().to_owned()).collect(),
        Shape::Place => found(&PLACE, text),
        Shape::Title => found(&TITLE, text),
        Shape::Thing => things(cut(text)),
        Shape::Owned => things(cut(text).filter(|phrase| !RELATED.is_match(phrase))),
        Shape::Kind => things(cut(text).filter(|phrase| !is_pointed_at(phrase) && !is_qualified(text))),
        Shape::Act if NO_VERB.is_match(text) => Vec::new(),
        Shape::Deed | Shape::Act => {
            cut(text).filter(|deed| !VAGUE.is_match(deed) && !is_qualified(text)).and_then(thing).into_iter().collect()
        }
    }
}

/// All members of an enumeration, if each stands on its own.
fn things(phrase: Option<&str>) -> Vec<String> {
    let members = phrase.map(members).unwrap_or_default();
    members.into_iter().map(thing).collect::<Option<_>>().unwrap_or_default()
}

fn found(pattern: &Regex, text: &str) -> Vec<String> {
    let found = pattern.find(text.trim()).map(|found| found.as_str().trim_matches(['"', ' ', ',', '.']).to_owned());
    found.filter(|name| !name.is_empty()).into_iter().collect()
}

/// Up to where another clause begins, without what is added at the end ("a lot", "right now").
fn cut(text: &str) -> Option<&str> {
    if let Some(named) = NAMED.captures(text) {
        return named.name("title").map(|title| title.as_str().trim_matches('"'));
    }
    let end = BOUNDARY.find(text).map_or(text.len(), |boundary| boundary.start());
    let mut phrase = text[..end].trim();
    if text[end..].starts_with(',') && UNFINISHED.is_match(phrase) {
        return None;
    }
    while let Some(added) = ADDED.find(phrase) {
        phrase = phrase[..added.start()].trim_end_matches([' ', ',', '.', '!', ';', ':']);
    }
    Some(phrase).filter(|phrase| !phrase.is_empty())
}

/// "games that make you think" are not all games, nor are "the friends I have".
fn is_qualified(text: &str) -> bool {
    BOUNDARY.find(text).is_some_and(|boundary| QUALIFIES.is_match(boundary.as_str()))
}

/// "tea, coffee and cake" is three things; "spending time with family and friends" and "rock and pop music" are one.
fn members(phrase: &str) -> Vec<&str> {
    let members: Vec<&str> = AND.split(phrase).map(str::trim).collect();
    let length = |member: &&str| member.split_whitespace().count();
    let are_alike = members.iter().all(|member| length(member) == length(&members[0]) && length(member) <= MEMBER);
    if are_alike && !PAIR.is_match(phrase) { members } else { vec![phrase] }
}

/// A phrase of a few words that does not lean on what was said before.
fn thing(phrase: &str) -> Option<String> {
    let phrase = phrase.trim_matches(['.', ',', '!', ':', ';', '*', '(', ')', '~', ' ']);
    let quoted = phrase.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).filter(|inner| !inner.contains('"'));
    let phrase = quoted.unwrap_or(phrase);
    if phrase.matches('"').count() % 2 == 1 {
        return None;
    }
    let phrase = DETERMINER.replace(phrase.trim(), "");
    let words = phrase.split_whitespace().count();
    let stands = (1..=WORDS).contains(&words)
        && phrase.chars().filter(|character| character.is_alphanumeric()).count() > 1
        && !LEANING.is_match(&phrase)
        && !DANGLING.is_match(&phrase);
    stands.then(|| phrase.into_owned())
}

/// "the view" is a certain one that the reader does not see; "the Beatles" and "the ocean" are known to all.
fn is_pointed_at(phrase: &str) -> bool {
    POINTED.is_match(phrase) && !KNOWN.is_match(phrase)
}

pattern!(NAME, r"\p{Lu}\p{Ll}+(?:-\p{Lu}\p{Ll}+)?(?: \p{Lu}\p{Ll}+)?");
pattern!(PLACE, r"^(?:the )?\p{Lu}[\p{L}.'-]*(?:,? (?:of |de |del |la |the )?\p{Lu}[\p{L}.'-]*)*");
pattern!(
    TITLE,
    r#"^(?:"[^"]+"|(?:The |A )?\p{Lu}[\p{L}\d:.'-]*(?: (?:(?:of|the|and|in|to|a) )*\p{Lu}[\p{L}\d:.'-]*)*)"#
);
pattern!(
    BOUNDARY,
    r#"(?ix)[;:!?()\[\]…–—*]|\s-+\s|\.(?:\s|$|\.)|,\s+(?:and\ )?(?:but|so|which|who|it|i|we|my|too|especially|like|even|just|as|with|where|when|because|that|they|he|she|you|if|the|to|then|\w+ing)\b
     |\b(?:because|'?cause|cuz|since|when|whenever|while|so|but|which|who|whose|where|after|before|until|till|though|although|than|
        unless|especially|thanks|as|except|if|whether|let\ me|to\ help|in\ case|for\ some\ time|for\ a\ while|in\ the\ (?:last|past)|not|that|it's|i'm|is|are|was|were|has|have|makes|make)\b
     |\band\ (?:i|we|it|it's|they|he|she|you|my|our|his|her|their|this|that|that's|there|let|see|hopefully|now|then|just|can't|am|have|had|make|get|feel|felt|got|going|even|also|so|yes|it'll|i'm|i've|i'll|we're)\b
     |\b(?:i|we|you|they)(?:'m|'ve|'ll|'d|'re|\ am|\ have|\ can|\ will|\ do|\ did|\ was|\ had)?\s"#
);
pattern!(
    ADDED,
    r"(?i)(?:^|[\s,]+)(?:a lot|a ton|so much|very much|too|as well|right now|these days|nowadays|now|lately|recently|again|here|there|already|actually|of course|tbh|lol|haha|hehe|btw|much|due|etc|later|earlier|coming(?: up)?|anyway|at the moment|at the same time|though|for sure|together|soon|someday|some ?day|one day|in the future|for now|more|most|even more|and|or|with|for|of|to|in|at|about|by|on|like|super|(?:next|this|last|in the|every|during the) (?:summer|winter|spring|fall|autumn)|next|first|in general|in my (?:free|spare) time|still|today|tonight|myself|instead|mostly|either|all the time|once|every ?day|man|dude|bro|just|also|well|during|through|up|the|a|an|yes|yeah)$"
);
// "a safe" of "a safe, inviting place".
pattern!(UNFINISHED, r"(?i)\b(?:a|an) \w+$");
// Where a clause begins that says which ones are meant, or that shows the words before it to be no object at all.
pattern!(
    QUALIFIES,
    r"(?i)^(?:which|who|whose|where|that|not|it's|i'm|is|are|was|were|has|have|makes|make|(?:i|we|you|they)\b.*)$"
);
pattern!(
    NAMED,
    r#"^(?i:this|a|an|the|these) (?:[\w'-]+ ){1,6}?(?:called|named) (?P<title>"[^"]+"|\p{Lu}[\p{L}\d:.'-]*(?: (?:(?:of|the|and|in|to|a) )*[\p{Lu}\d][\p{L}\d:.'-]*)*)"#
);
pattern!(AND, r",\s*(?:and\s+)?|\s+and\s+|\s*&\s*");
pattern!(PAIR, r"(?i)\b(?:rock (?:and|&) roll|mac (?:and|&) cheese|r&b|dungeons|salt and|arts and crafts|bed and)");
pattern!(
    DETERMINER,
    r"(?i)^(?:(?:to|a|an|some|any|all|both|also|really|just)\s+)*(?:(?:my|our)\s+own\s+)?(?:a\s+|an\s+)?"
);
pattern!(
    LEANING,
    r"(?i)\b(?:it|its|it'll|that|this|these|those|them|'?em|they|their|him|he|she|her|you|your|yours|you're|us|me|someone|something|anything|everything|nothing|somewhere|stuff|things|thing|one|ones|here|there|how|what|why|who|same|such|another|other|others|way|ways|kind|sort|lot|lots|bit|idea|ideas|part|moment|moments|everyone|anyone|all of|particular|what's|who's|i've)\b|^(?:big|huge|massive|total|real|his|about|no|not|never|ever|if|more|most|so|too|very|both|any|each|every|few|many|much|good|great|some|when|being|having|able|seeing|hearing|looking|knowing|thinking|getting to|the fact|i|we|my)\b|^(?:home|night|least|once|work|course|class|classes|group|program|lessons?|tournament|workshop|team|club|community)$"
);
pattern!(DANGLING, r"(?i)\b(?:and|or|of|with|for|to|in|at|on|by|from|the|a|an|my|our|is|are|was)$");
pattern!(
    NO_VERB,
    r"^(?:(?i:a|an|the|my|our|his|her|their|some|another|this|that|bed|sleep|work|school|church|town|college)\b|\p{Lu})"
);
pattern!(POINTED, r"(?i)^(?:all )?(?:of )?the ");
pattern!(RELATED, r"(?i)\b(?:of|for|with|to|about|like|on|in|and)\b");
pattern!(
    KNOWN,
    r"^(?:[Tt]he) (?:\p{Lu}|(?:ocean|sea|beach|beaches|outdoors|mountains?|countryside|woods|forest|sun|snow|rain|sunset|sunrise|moon|stars|wild|piano|guitar|violin|drums|flute|cello|clarinet|saxophone|trumpet|gym|theat(?:er|re)|cinema|arts|cold|heat|winter|summer|autumn|fall|spring|city|water|night sky|desert)\b)"
);
pattern!(
    VAGUE,
    r"(?i)^(?:(?:just|really|also|definitely|always|only)\s+)*(?:be|say|tell|hear|see|know|show|ask|thank|share|keep|do|try|let|miss|admit|think|brag|believe|need|have to|make sure|give|check|take (?:a look|note)|look|congratulate|mention|talk|chat|bring|use|add|help|send|come|hit|focus|stay|spoil|throw|hurt|get (?:back|used|through|better|into|out|some|more|the|my|started)|go (?:for it|with|back|through|home|on with|ahead|all|now|check)|put|remember|remind|feel|hold|end|stop|quit|give up|change|forget|find out|figure|work (?:on|hard)|continue|make (?:it|the|my|some|a|an|people|every\w*)|start (?:with|by|over)|love|enjoy|like|want|rock|crush|sleep|pass|point|express|grab|set|push|catch)\b"
);
