//! Finds the clauses of a turn in which the speaker states something about themselves.
//!
//! Skips a whole turn if it is very long, contains code or text for the assistant to work on, plays a role, jests or pastes
//! text of others. Marks sentences that suppose, report or hedge: at most people and pets are read from them. Cuts the rest
//! where a new clause begins. Records for each clause whether the speakers plainly speak for themselves in it, and whether it
//! may take back an earlier statement. Other words that follow a statement stay part of its clause, so that no rule matches it
//! unless `tails` removes them.

mod links;

use annals_core::{CalendarNames, Date};
use regex::{Captures, Regex};

use super::dates::{self, Side};
use super::framing::{self, Voice};
use super::grammar::pattern;
use super::languages;
use crate::extractive::split;
use links::link;
pub(super) use links::{Link, takes_back};

/// Maximum bytes of a sentence that is read. Logs and code have longer "sentences" than people.
const LONGEST: usize = 1000;
/// Minimum words of a question that a statement may precede. Shorter ones are tags: "I love tea, right?"
const LEAST_QUESTION: usize = 4;
/// Maximum bytes of a turn that is read. Longer turns contain text from elsewhere.
const LONGEST_TURN: usize = 4000;

/// A clause, with plain apostrophes and without introductory words ("Yeah, actually, …").
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Clause {
    /// Empty for a question, or another sentence that states nothing.
    pub(super) text: String,
    /// Whether the sentence is a plain statement up to this clause. A sentence that reports or hedges is none, but may still
    /// name people.
    pub(super) states: bool,
    /// Whether the subject is that of the clause before: "… and work at Siemens".
    pub(super) continues: bool,
    /// Whether this is the first clause of its sentence.
    pub(super) is_first: bool,
    pub(super) voice: Voice,
    pub(super) link: Link,
}

/// Returns the clauses of a turn in order, without those of quoted sentences. Dates count from `today`, the day of the turn.
/// Stops after a sentence that introduces text of others. Returns nothing for a long turn, or one that contains code or text
/// for the assistant to work on.
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
    for line in framing::own_lines(&text) {
        for sentence in split::sentences(&line, usize::MAX) {
            let starts_quoted = quoting || sentence.starts_with(['"', '\'']);
            quoting ^= has_open_quote(sentence);
            if !starts_quoted {
                clauses.extend(of_sentence(sentence, today));
            }
            if framing::introduces(sentence) {
                return clauses;
            }
        }
    }
    clauses
}

/// Removes additions at the end: "… now, actually!"
pub(super) fn without_tail(clause: &str) -> &str {
    TAIL.find(clause).map_or(clause, |tail| clause[..tail.start()].trim_end())
}

/// Adds the subject that a short note leaves out at its beginning: "moved to Tampere last month", "vegan btw". A participle or
/// an adjective gets a subject only if the turn has a word such as "now": "living in Ghent" may be a topic.
pub(super) fn with_subject(clause: &str, turn: &str) -> String {
    match clause {
        _ if HAS_DONE.is_match(clause) => format!("I {clause}"),
        _ if IS_DOING.is_match(clause) && (IS_NOTE.is_match(turn) || clause.starts_with("Allergic")) => {
            format!("I'm {clause}")
        }
        _ => clause.to_owned(),
    }
}

/// Returns the length of the part of a clause before any word that supposes something; that of the whole clause if there is
/// none.
pub(super) fn certain_length(clause: &str) -> usize {
    SUPPOSES.find(clause).map_or(clause.len(), |word| word.start())
}

/// Normalises apostrophes and quotation marks, writes "dont" as "don't", and removes descriptions of attachments and ages in
/// brackets.
pub(super) fn plain(text: &str) -> String {
    let text = text.replace(['’', '`', '´', '‘'], "'").replace(['“', '”', '„', '«', '»'], "\"");
    let text = ATTACHED.replace_all(&text, "");
    let text = AGED.replace_all(&text, "$name");
    NEGATED.replace_all(&text, "${verb}n't").into_owned()
}

fn has_open_quote(text: &str) -> bool {
    text.matches('"').count() % 2 == 1
}

/// Returns what a sentence states: all of it, or what comes before the question at its end ("I'm vegan, what can I cook?").
/// `None` for any other question, for a very long sentence, and for a German sentence about a hangover.
fn stated(sentence: &str) -> Option<&str> {
    if sentence.len() > LONGEST || HANGOVER.is_match(sentence) {
        return None;
    }
    if !sentence.trim_end_matches(['"', '\'', ')', ' ', '!']).ends_with('?') {
        return Some(sentence);
    }
    let question = QUESTION.captures(sentence)?;
    let is_tag =
        question["question"].split_whitespace().count() < LEAST_QUESTION && !ANY_IDEA.is_match(&question["question"]);
    let before = &sentence[..question.get(0)?.start()];
    (!is_tag && STARTS_WITH_OWN.is_match(before)).then_some(before)
}

fn of_sentence(sentence: &str, today: Date) -> Vec<Clause> {
    let stated = stated(sentence);
    let foreign = languages::in_english(if HANGOVER.is_match(sentence) { "" } else { sentence });
    let voice = match framing::voice(sentence, bare(sentence)) {
        _ if !foreign.is_empty() => Voice::Own,
        voice => voice,
    };
    let link = link(sentence);
    let first = Clause { text: String::new(), states: true, continues: false, is_first: true, voice, link };
    let mut clauses: Vec<Clause> = match stated {
        _ if !foreign.is_empty() => foreign.into_iter().map(|text| Clause { text, ..first.clone() }).collect(),
        Some(stated) => of_statement(stated, &first, today),
        None => vec![first.clone()],
    };
    clauses.iter_mut().skip(1).for_each(|clause| clause.is_first = false);
    if clauses.is_empty() { vec![first] } else { clauses }
}

/// Returns the clauses of a statement. `first` has the properties of its first clause, with an empty text.
fn of_statement(sentence: &str, first: &Clause, today: Date) -> Vec<Clause> {
    let states = !UNSURE.is_match(sentence) && !is_reported(sentence);
    let supposes = SUPPOSES.find(sentence).map_or(sentence.len(), |word| word.start());
    let mut clauses: Vec<Clause> = Vec::new();
    for Piece { begin, text: piece, contrasts } in pieces(sentence, today) {
        let text = bare(&piece);
        // "In the novel I live in Rome and I have a dog": no part of it is true.
        if FRAME.is_match(text) && !is_date(text, today) && dates::take(text, today, Side::Past).0 == text {
            break;
        }
        let states = states && begin <= supposes;
        let text = match clauses.last() {
            Some(before) if SHORT_OF_AM.is_match(text) && BRIEFLY.is_match(&before.text) => format!("am {text}"),
            _ => completed(&piece, text),
        };
        let continues = VERB.is_match(&text);
        let clause = Clause { text, states, ..first.clone() };
        clauses.push(if begin == 0 {
            clause
        } else {
            let link = if contrasts { Link::Contrasts } else { Link::Adds };
            Clause { continues, voice: Voice::Own, link, ..clause }
        });
    }
    clauses
}

/// Returns whether the sentence ends with a report of who said it. "…, and the buyer says …" is another statement.
fn is_reported(sentence: &str) -> bool {
    let is_joined =
        |word: &str| matches!(word.to_lowercase().as_str(), "and" | "but" | "so" | "because" | "which" | "who");
    REPORTED.captures_iter(sentence).any(|found| !found.name("first").is_some_and(|first| is_joined(first.as_str())))
}

/// A part of a sentence between two joints.
struct Piece {
    begin: usize,
    text: String,
    /// Whether the joint before it is "but" or the like.
    contrasts: bool,
}

/// Splits a sentence at its joints. A date before a clause belongs to that clause.
fn pieces(sentence: &str, today: Date) -> Vec<Piece> {
    let next = |joint: &Captures<'_>| (1..joint.len()).find_map(|group| joint.get(group)).map(|next| next.start());
    let starts = JOINT.captures_iter(sentence).filter_map(|joint| Some((joint.get(0)?.start(), next(&joint)?)));
    let starts = starts.filter(|(_, next)| !has_open_quote(&sentence[..*next]));
    let mut pieces: Vec<Piece> = Vec::new();
    let (mut begin, mut contrasts) = (0, false);
    for (end, next) in starts.chain([(sentence.len(), sentence.len())]) {
        let text = sentence[begin..end.max(begin)].to_owned();
        // "My sister Eva and I …" is one clause.
        if next < sentence.len() && SUBJECT.is_match(bare(&text)) && !STATES.is_match(&text) {
            continue;
        }
        match pieces.last_mut().filter(|before| is_date(bare(&before.text), today)) {
            Some(date) => date.text = format!("{} {text}", bare(&date.text)),
            None => pieces.push(Piece { begin, text, contrasts }),
        }
        contrasts = CONTRAST.is_match(&sentence[end.max(begin)..next]) && WEAKENS.is_match(&sentence[next..]);
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
    // "Since March" is a date, "since I …" an introduction.
    let lead = SINCE_DATE.find(clause).map_or(lead, |since| lead.min(since.start()));
    without_tail(clause[lead..].trim())
}

// "dont", "cant"; "won't" and "can't" begin with the stems "wo" and "ca".
pattern!(NEGATED, r"(?i)\b(?P<verb>do|does|did|ca|wo|is|are|was|were|have|has|would|could|should)nt\b");
pattern!(AGED, r"(?P<name>\p{Lu}\p{Ll}+) \(\d{1,2}\)");
pattern!(ATTACHED, r"\[(?:shared|sent|attached|photo|image|picture|video)[^\]]*\]?");
// German "einen Kater" at the end of a sentence means a hangover. A sentence about a tomcat continues, for example with
// its name.
pattern!(HANGOVER, r"(?i)\beinen (?:\w+ )?kater[\s.!]*$");
// Words of doubt, which may also come after a statement: "I live in Rome, I think."
pattern!(
    UNSURE,
    r"(?ix)\b(?:maybe|perhaps|possibly|probably|hopefully|basically|practically|virtually|theoretically|ideally|obviously|eventually|some\ ?day|one\ day)\W*$
      |\b(?:wish(?:es|ed)?|supposed\w*|unless|apparently|allegedly|technically|figuratively|so\ to\ speak|in\ theory|in\ a\ way|temporar\w+|
        for\ (?:now|the\ (?:day|night|week|weekend|month|summer|winter|moment|time\ being|party))|
        (?:i|we|they|people|some|folks)\ (?:think|thought|guess|believe|suppose|assume|hope|bet|reckon|imagine|swear)|(?:they|people|some|folks)\ say|
        lie|lied|lying|fake|prank|costume|halloween|re-?enact\w*|larp\w*|cosplay\w*|dress(?:ed|ing)\ up|rehears\w+|in\ character|
        was\ like|were\ like|be\ like|calls?\ me\ an?|what\ i\ call|so-called|bio|headline|title\ says|according\ to|by\ all\ accounts)\b"
);
// A report after a statement: "I live in Rome, my ex says."
pattern!(
    REPORTED,
    r"(?ix)(?:[,;]|\ [-–—])\s*(?P<first>\w+)(?:'\w+)?(?:\ \w+){0,3}?\ ?\b(?:said|says|told|tells|claims?|claimed|asked|asks|thinks?|thought|believes?|believed|mentioned|wrote|writes|
        texted|texts|tweeted|posted|quotes?|insists|insisted|swears|announced|replied|answered|shouted|yelled|cried|whispered|sang|sings|adds|added|states|stated|jokes?|joked|laughs|laughed|muttered|sighed|begged|croaked|grinned|reads|goes)\b
      |[,;]\s*(?:said|says|claims?|claimed|asks|asked|thinks|wrote|writes|insists|swears|shouted|yelled|cried|whispered|sang|sings|states|stated|jokes?|joked|laughs|laughed|muttered|sighed|begged|croaked|reads|goes)\b"
);
// Words that change only what comes after them, or the clause that contains them: "I'm a nurse, so when I get home …"
pattern!(
    SUPPOSES,
    r"(?ix)\b(?:if|would|could|might|may\ be|should|shall|must|when|whenever|while|once|until|till|whether|almost|nearly|sort\ of|kind\ of|kinda|dreams?|dreaming|
        maybe|perhaps|possibly|probably|hopefully|basically|practically|virtually|theoretically|ideally|obviously|eventually|some\ ?day|one\ day|
        feels?\ like|felt\ like|seems?|goes|like\ a|like\ an|guess\w*|assum\w+|suppos\w+|imagin\w+|bet|
        said|says|saying|say|told|tells|tell\ (?:people|them|him|her|everyone)|claims?|claimed|asked|asks|thinks?|thought|believes?|believed|heard|mentioned|wrote|writes|
        texted|texts|tweeted|posted|quoted|quotes?|insists|swears|announced|replied|answered|shouted|yelled|sang|sings)\b
      |\b(?:i|we|you|he|she|they|it)'d\b"
);
pattern!(CONTRAST, r"(?i)\b(?:but|although|though|yet|until|except)\b");
// Words after "but" that weaken or take back the statement before it.
pattern!(
    WEAKENS,
    r"(?ix)\b(?:not|\w+n't|never|only|really|was|were|mine|ours|belongs?|neighbou?rs?'s?|(?:sister|brother|mother|mum|mom|dad|father|friend|boss|ex)'s|on\ paper|in\ name|lie|joke|turned|left|back|
        quit|sold|gave|died|gone|no\ longer|fired|chang\w+|declin\w+|refus\w+|reject\w*|withdr\w+|rescind\w*|revok\w+|cancel\w*|called|fell|backed|pulled|said|returned|used|
        would|could|might|until|soon|moving|leaving|almost|nearly|wish|then|now|actually|want\w*|leave|fake|toy|imaginary)\b"
);
// A clause ends only where another clause begins that does not change its meaning.
pattern!(
    JOINT,
    r"(?ix)(?:
        (?:\s*[,;.]|\s+[-–—]+|[—–])\s*(?:(?:and|but|so|plus|because|since|although|though|yet)\s+)?
          ((?:(?:also|now|then|actually|recently|yesterday|last\ (?:week|weekend|month|year|spring|summer|autumn|fall|winter)|currently|just|today|sometimes|hopefully)\s+)?
            (?:i|i'm|i've|im|we|we're|we've|my|our|it|it's|they|they're|he|she|this|that's|there|what|how|can|please|just\ so\ you|lol|thanks|sadly|so)\b)
      |\s+(?:and|but|so|plus|'?cause|because|since|although|though|yet|until)\s+
          ((?:(?:also|now|then|actually|recently|currently|just)\s+)?
            (?:i|i'm|i've|im|we|we're|we've|my|our|it|it's|they|they're|he|she|this|that's|there)\b)
      |(?:\s*,)?\s+(?:and|but|so|because)\s+((?-i:\p{Lu}\p{Ll}+)(?:'s\ an?|\ is|\ has|\ lives|\ works|\ doesn't|\ can't)\b)
      |\s+(?:and|but)\s+(?:also\s+|now\s+|currently\s+)?((?:lives|works|speaks|has|work|live|love|like|hate|have|speak|play|study|own|still|am|was|don't|can't|do\ not|cannot|haven't)\b)
      |(?:\s*,\s*(?:(?:and|but)\s+)?|\s+(?:and|but)\s+)((?:allergic\ to|married|engaged\ to|divorced|widowed|based\ in|living\ in|working\ (?:as|at|for)|originally\ from)\b)
      |\s*,?\s+(?:so|because|but)\s+((?:bear|don't|be|need|looking|no|\w+ing|excited|happy|coffee|please|any|the)\b)
    )"
);
pattern!(
    LEAD,
    r"(?ix)^(?:(?:
        hey|hi|hello|hiya|yo|quick\ q(?:uestion)?|yeah|yea|yep|yes|no|nope|nah|well|oh|ah|aw+|wow|woah|whoa|haha+|lol|ha|so|and|but|also|actually|honestly|anyways?|btw|
        by\ the\ way|plus|okay|ok|sure|thanks|thank\ you|personally|currently|right\ now|these\ days|nowadays|guess\ what|as\ you\ know|
        you\ know(?:\ what)?|to\ be\ honest|honest(?:ly)?|in\ fact|of\ course|fortunately|unfortunately|luckily|sadly|then|now|lately|
        recently|definitely|absolutely|totally|cool|nice|great|awesome|right|true|same\ here|me\ too|for\ me|as\ for\ me|besides|
        finally|good\ question|fun\ fact|on\ another\ note|like\ i\ said|i\ have\ to\ say|speaking\ of\ which|oh\ yeah|yup|hmm+|um+|uh+|mm+|gosh|man|dude|congrats|
        hi\ all|hi\ everyone|hello\ all|hello\ everyone|fyi|for\ your\ information|(?:before\ we\ (?:start|begin|continue|go\ on),?\ )?you\ (?:should|need\ to)\ know(?:\ that)?|before\ we\ (?:start|begin|continue|go\ on)|
        i\ (?:should|need\ to|have\ to|want\ to|wanted\ to|forgot\ to)\ (?:mention|add|say|tell\ you|let\ you\ know)(?:\ that)?|
        ngl|lowkey|tbh|omg+|idk|ugh+|bruh|fr|lmao+|ok\ so|wait|listen|literally|look|oops|sry|sorry|
        just|(?:good\ )?(?:morning|evening|afternoon)(?:\ all|\ everyone|\ neighbou?rs)?|good\ day|greetings|salaam|first(?:ly|\ of\ all)?|second(?:ly)?|third(?:ly)?|new\ here(?:\ o/)?|(?:please\ |kindly\ |just\ )?(?:note|remember|be\ aware|keep\ in\ mind|remind\ me)(?:\ that)?|as\ (?:you|some\ of\ you|most\ of\ you)\ (?:may\ |might\ |all\ |already\ )*know|for\ (?:the\ record|context|what\ it's\ worth)|(?:just\ )?so\ you\ know|
        on\ a\ (?:personal|happier|different)\ note|in\ other\ news|long\ story\ short|to\ be\ clear|turns\ out|apart\ from\ that|in\ the\ meantime|meanwhile|outside\ of\ work|in\ my\ (?:free|spare)\ time|as\ well|because|since|although|though
        )\b[\s,!.:;–-]*
        (?:(?-i:[A-Z])\p{L}+[,!.]\s+)?
      |(?-i:[A-Z])\p{L}+[,!]\s+
    )+"
);
pattern!(
    TAIL,
    r#"(?ix)(?:,\s+not\ \p{L}[\p{L}'\ ]{1,30}|[\s,]+(?:now|too|as\ well|again|here|these\ days|at\ the\ moment|right\ now|currently|nowadays|actually|by\ the\ way|btw|honestly|
        sadly|lately|already|finally|fyi|irl|in\ real\ life|myself|either|anyway|you\ know|i'm\ afraid|for\ the\ record|just\ so\ you\ know|by\ day|by\ trade|please|thanks|thank\ you|guys|folks|everyone|lol+|lmao+|omg|wow|fr|rn|tho|y'?all|tbh|ngl|imo|smh|never\ again|
        for\ (?:work|school|college|uni|university|love|good|a\ living|(?:a|my|the|a\ new|my\ new)\ job)|so\ much|very\ much|a\ lot|together|though|obsessively|for\ sure|every\ (?:day|morning|evening|week|weekend|\w+day)|
        in\ the\ (?:mornings?|evenings?)|with\ (?:my\ )?friends|in\ a\ band|at\ home)|[\s.!;,:–—()-]|[^\p{L}\p{M}\p{N}"'?%+\#&/<>@])+$"#
);
pattern!(
    SINCE_DATE,
    &format!(
        r"(?i)\bsince (?:\d|last |this |yesterday|then|{}|{})",
        CalendarNames::ENGLISH.months.join("|"),
        CalendarNames::ENGLISH.weekdays.join("|")
    )
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
pattern!(ANY_IDEA, r"(?i)^(?:any \w+|what now|what do)\W*$");
pattern!(
    STARTS_WITH_OWN,
    r"(?i)^(?:(?:hi|hello|hey|ok|okay|so|well)[,!. ]+)*(?:i|i'm|im|i've|ive|we|we're|we've|my|our)\b"
);
pattern!(JUST, r"(?i)^(?:(?:omg|ok|so|hey|well|lol|btw|yay|and|guess what)[,!.\s]+)*(?:just|finally|recently)\s");
pattern!(
    DONE,
    r"(?i)^(?:moved|adopted|bought|quit|sold|joined|became|graduated|got (?:a|an|my|engaged|married|divorced|promoted|laid|fired)|started|signed up)\b"
);
pattern!(
    HAS_DONE,
    r"(?i)^(?:(?:moved|relocated) (?:back |over )?(?:to|from|out of)|(?:stopped|started) (?:taking|the)|(?:lost|quit|left|sold|got fired from) (?:my|our)|(?:sold|crashed|wrecked|totall?ed|scrapped) (?:my|our|the)|broke up with|got (?:married|engaged|divorced)|graduated from|started (?:learning|at|work at|working at)|traded (?:my|the|our)|no longer (?:live|work))\b"
);
pattern!(
    IS_DOING,
    r"(?i)^(?:living in|based in|working (?:at|as|for)|studying|learning|allergic to|vegan|vegetarian|pescatarian|lactose intolerant|married to|engaged to)\b"
);
pattern!(
    IS_NOTE,
    r"(?i)^[^.!?\n]*\b(?:now|currently|rn|btw|by the way|fyi|atm|at the moment|these days|nowadays|again|note|since|from now on)\W*(?:$|[.!\n])|^[^.!?\n]*\bsince (?:\p{Lu}\p{Ll}+|\d{4})\W*(?:$|[.!\n])"
);
pattern!(SUBJECT, r"^(?:(?i:my|our) (?:[\w'-]+ ){0,2}[\w'-]+|\p{Lu}\p{Ll}+)$");
pattern!(STATES, r"(?i)(?:'s|\b(?:is|are|was|were|has|had|died|left|got|moved|works|lives))\b");
// What a second predicate leaves out: "I'm vegan and allergic to nuts", "I'm 42, married to Tom".
pattern!(
    SHORT_OF_AM,
    r"(?i)^(?:allergic to|married|engaged to|divorced|widowed|based in|living in|working (?:as|at|for)|originally from)\b"
);
pattern!(
    BRIEFLY,
    r"(?i)^(?:(?:i'?m|i am|we're|we are)(?: [\w-]+){1,3}|am (?:married|divorced|based|living|working|allergic|engaged|widowed)\b.*)$"
);
pattern!(VERB, r"(?i)^(?:work|live|love|like|hate|have|speak|play|study|own|am)\b");
