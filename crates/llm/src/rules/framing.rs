//! Finds the parts of a turn that are not the speaker's own statements: text to work on, pasted text, letters, games and jokes.
//! Classifies whose voice a sentence is in: facts are read from a sentence only if everything before it is understood or
//! plainly the speaker's.
//!
//! Relies on plain apostrophes and quotation marks. Reads one turn; `scenes` reads a conversation. Rejects too much rather than
//! too little, because a wrong fact is worse than a missing one.

use annals_core::CalendarNames;
use regex::Regex;

use super::classes::{EMPHASISED, NOT_NAMES};
use super::grammar::pattern;
use super::scenes;

/// Maximum words of a sentence that counts as a heading.
const LONGEST_HEADING: usize = 5;

/// Returns whether nothing in the turn may be taken as the speaker's own statement.
pub(super) fn is_foreign(text: &str) -> bool {
    FOREIGN.is_match(text) || REQUEST.is_match(text) || JEST.is_match(text.trim_end())
}

/// Returns whether the sentence is about speech, a text or fiction, or points ahead to one, so that what follows may not be the
/// speaker's own statement: "My tenant texted me this."
pub(super) fn introduces(sentence: &str) -> bool {
    !OPENS.is_match(sentence) && INTRODUCES.is_match(&PLEASANTRY.replace(sentence, ""))
        || REPORTS.is_match(sentence) && !REPORTS_ALL.is_match(sentence)
}

/// Whose voice a sentence is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Voice {
    /// The speaker speaks of themselves.
    Own,
    /// A question, small talk, a form of address, a fragment: the speaker says nothing of themselves, but nobody else speaks.
    Conversation,
    /// About other people. After a sentence of the speaker's own, the speaker says it; otherwise it may begin a quotation or a
    /// story.
    Describes,
    /// A few words without a verb: the answer to a question, or the heading of a quoted text or a role.
    Heading,
    /// The text after the sentence may be a quotation, a role or an example.
    Unclear,
}

/// Returns whose voice a sentence is in. `bare` is the sentence without its introductory words.
pub(super) fn voice(sentence: &str, bare: &str) -> Voice {
    match bare {
        // Only introductory words: "Guess what!"
        "" => Voice::Conversation,
        _ if READY.is_match(sentence) => Voice::Unclear,
        _ if OWN.is_match(bare) => Voice::Own,
        _ if scenes::ends(sentence) || sentence.contains('?') => Voice::Conversation,
        _ if STAGES.is_match(sentence) || ORDERS.is_match(bare) => Voice::Unclear,
        _ if is_heading(sentence) => Voice::Heading,
        _ if OTHERS.is_match(bare) || is_about_a_name(bare) => Voice::Describes,
        _ => Voice::Conversation,
    }
}

/// Returns whether the sentence begins with a name. "It", "Friday" and "Life" are none.
fn is_about_a_name(bare: &str) -> bool {
    OF_A_NAME.captures(bare).is_some_and(|found| !NOT_NAMES.has(&found["name"]) && !EMPHASISED.has(&found["name"]))
}

/// Returns whether the sentence is an afterthought of a few words that limits what comes before it: "In my dreams.", "Of
/// toast.", "Had."
pub(super) fn limits(sentence: &str) -> bool {
    LIMITS.is_match(sentence) && sentence.split_whitespace().count() < LONGEST_HEADING
}

/// Returns whether the sentence is a few words without a verb that do not say what kind of message follows: "Affirmations.",
/// "Future me.", "Sweet home Alabama."
fn is_heading(sentence: &str) -> bool {
    let words = sentence.split_whitespace().count();
    (1..=LONGEST_HEADING).contains(&words)
        && sentence.contains(char::is_alphabetic)
        && !SAYS_SOMETHING.is_match(sentence)
        && !PLAIN_TALK.is_match(sentence)
}

/// Returns the lines that the speaker wrote, without quoted lines. Stops at a mark that introduces text of others: the head of
/// a mail or of a chat message, a letter's form of address below the first line, or a colon at the end of a line. Of a line
/// with a colon elsewhere, keeps the sentences before it. A label for a message of one's own is removed with its colon:
/// "Question: …".
pub(super) fn own_lines(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines().filter(|line| !QUOTED.is_match(line)) {
        if HEAD.is_match(line) || !lines.is_empty() && ADDRESS.is_match(line) {
            break;
        }
        let line = LABEL.replace_all(line, "$start");
        let Some(colon) = COLON.find(&line) else {
            lines.push(line.into_owned());
            continue;
        };
        let before = line[..colon.start()].rfind(['.', '!', '?']).map_or("", |end| &line[..=end]);
        // "Edit: cancelled" may take back what comes before it.
        lines.push(if EDITS.is_match(&line[before.len()..]) { String::new() } else { before.to_owned() });
        // The text below is what the line introduces.
        if line[colon.end()..].trim().is_empty() {
            break;
        }
    }
    lines
}

// Text to work on, role play, fiction, and text of others.
pattern!(
    FOREIGN,
    r#"(?imx)\b(?:translat(?:e[ds]?|ing|ions?)|proof-?read\w*|rewrite|rephrase\w*|reword\w*|paraphrase\w*|summari[sz]e|grammar|cover\ letter|
        role-?\ ?play\w*|pretend\w*|fiction\w*|hypothetical\w*|lyrics|screenplay|dialogues?|transcripts?|examples?|for\ instance|template|
        scenarios?|personas?|poems?|sample|character|protagonist|narrator|d&d|dnd|cosplay\w*|
        übersetz\w*|rollenspiel\w*|stell\ dir\ vor|traduis\w*|traduire|jeu\ de\ rôle|traduce\w*|traducir|imagina|imagínate|
        wrote:|truths?\ and\ (?:a|one|two)\ lies?|truth\ or\ dare|plot\ twist|would\ you\ rather|never\ have\ i\ ever|(?:20|twenty)\ questions|
        picture\ this|manifesting|(?:in|out\ of)\ character|which\b.{0,20}\bsounds?|which\ (?:one\ |of\ (?:these|those|them|the\ two)\ )?(?:is|are|sounds)\ (?:true|false|grammatical|right|better|(?:a|the)\ lie|fake|correct)|your\ exercise|
        (?:which|right|wrong|past|present|future|perfect)\ tense|commas?|kommas?|virgules?|verbs?|nouns?|adjectives?|adverbs?|prepositions?|punctuation|(?:in|to|from)\ the\ (?:first|second|third)\ person|
        how\b[^.!?]{0,40}\bin\ (?:english|german|french|spanish|italian|portuguese|dutch|latin|polish|russian|japanese|chinese)|
        wie\ (?:heißt\ (?:das|es|dies)|sagt\ man|sage\ ich)|comment\ (?:dit-on|on\ dit|dire)|cómo\ se\ (?:dice|escribe)|year\ is\ \d{4}|it(?:'s|\ is)\ the\ year|
        how\ (?:do|would)\ (?:you|i)\ say|what\ does\ .*\ mean|dreamt|dreamed|april\ fools?)\b|
      \be\.g\.|
      \b(?:(?:who|what)\ am\ i|wer\ bin\ ich|qui\ suis-je|quién\ soy|what\ if|was\ wäre,?\ wenn|et\ si)\s*\?|
      \b(?:in|for)\ (?:the|my|our|a|this|that|your)\ (?:\w+\ )?(?:stor(?:y|ies)|novel|game|film|movie|play|dream|song|show|sitcom|
        simulation|campaign|exercise|video|book|skit|comic|parody)\b|
      ^\s*(?:dear\ (?:sir|madam|mr|ms|mrs|dr|hiring|customer|team)\b|(?:best|kind|warm)\ regards|regards,|sincerely|yours\ (?:truly|faithfully)|best\ wishes)|
      ^\s*(?:let's\ (?:play|say|pretend|imagine)|act\ as|you\ are\ an?\ |imagine|suppose|write\ |correct\ |edit\ |fix\ (?:this|the|my)|me\ (?:in|at|when|after|before|trying|being|as\ an?)\b|day\ \d+\ of|
        from:|subject:|to:|prompt|system|user:|assistant:|on\ .{1,60}\ wrote|here(?:'s|\ is|\ are)\ (?:the|my|a|an|what))"#
);
// Requests about a text that comes before or after them.
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
// Words for speech, texts and fiction, and words such as "this" that point ahead to one.
pattern!(
    INTRODUCES,
    r"(?ix)\b(?:sentences?|paragraphs?|messages?|texts?|texted|e-?mails?|e-?mailed|letters?|notes?|posted|tweets?|tweeted|captions?|bios?|profiles?|cvs?|résumés?|resumes?|essays?|
        homework|assignments?|stor(?:y|ies)|novels?|chapters?|lyrics|songs?|refrains?|chorus|verses?|poems?|rhymes?|haikus?|limericks?|quot\w+|jokes?|riddles?|roles?|characters?|
        scenes?|scripts?|dreamt|dreamed|dream\ i|lied|lies?|truths?|templates?|samples?|prompts?|personas?|speech(?:es)?|toasts?|interview(?:s|ed)?|dialogues?|
        transcripts?|ad|advert\w*|listing|article|voicemail|stickers?|signs?|posters?|slogans?|mottos?|headlines?|statements?|introduc\w+|describ\w+|
        wrote|written|writes|claim(?:s|ed)|quoted|dictat\w+|shouted|sang|sings|goes\ (?:like|something)|(?:i|he|she|they)\ (?:heard|read)|
        translat(?:e[ds]?|ing|ions?)|correct(?:ed|ion)?|proofread|rewrit\w+|rephrase|paraphrase|pretend\w*|imagin\w+|suppos\w+|assum\w+|hypothe\w+|fiction\w*|invent\w*|made[- ]up|
        on\ the\ phone|as\ follows|following|below|like\ so|(?:same|these|own|first|last|famous)\ words)\b
      |\b(?:this|these)(?:\W*$|:|\ (?:for|from|to|on|as|into|is|one|about|out|down|in)\b)
      |\b(?:an?|the|my|our|your|this|that|one|another|from)\ (?:customer|client|patient|tenant|student|guest|reader|caller|applicant|recruiter)s?\b
      |\b(?:can|could|will|would)\ you\ (?:be|play|act)\b|\byou\ (?:be|play|are|act)\b|\byou(?:'re|'ll\ be)\ (?:now\ )?(?:an?|the|my)\b|\byou\ [^.!?]*\bas\ (?:if|an?|my)\b
      |^i(?:'m|'ll\ be|\ am)\ (?:now\ )?(?:the|your)\ \p{L}+(?:\ now)?\W*$"
);
// The speaker is about to speak of themselves: "Let me introduce myself."
pattern!(
    OPENS,
    r"(?i)^(?:(?:hi|hello|hey|so|ok|okay|first(?: of all)?|well|good (?:morning|evening|afternoon))[\s,!.]+)*(?:please )?(?:let me|allow me to|i'd like to|i would like to|i want to|i should|i'll|i will)(?: just| first| quickly| briefly)? introduce (?:myself|ourselves)(?: first| quickly| briefly| here| properly)?\W*$"
);
// Words about a message that point to no text: "Sorry for the long message, …", "I read your tips", "I've been meaning to tell
// you this for a while."
pattern!(
    PLEASANTRY,
    r"(?i)^(?:sorry|apologies|excuse me|forgive me) (?:for|about) (?:the|this|my|such a) (?:\w+,? )?(?:long |late )?(?:message|post|text|reply|answer|rant|novel|essay|note)s?(?:\s*[,.!;]|\s+but\b|\W*$)|\bi read your \w+|\b(?:tell|ask|mention) (?:you )?(?:this|that) for (?:a while|ages|a long time|weeks|days|months)\b"
);
pattern!(REPORTS, r"(?i)\b(?:said|says|told|tells)\b");
// A report that is complete within its sentence: "I told my parents I'm dropping law."
pattern!(
    REPORTS_ALL,
    r"(?i)\b(?:said|says|told(?: \w+){1,2}|tells(?: \w+){1,2}) (?:that )?(?:(?:i|i'm|im|i'll|i've|we|we're|we'll|we've|you|you're|you'll|he|he's|he'll|she|she's|she'll|it|it's|it'll|they|they're|they'll|my|our|there)\b(?: \S+){2,}|(?:yes|no|sorry|hi|hello|thanks|thank you|goodbye|bye)(?: to [\w' ]+)?[.!]*$|(?:the |my |our )?\w+ (?:is|are|was|were|has|needs?|isn't|aren't)\b)"
);
// A sentence in the speaker's own voice, after its introductory words.
pattern!(
    OWN,
    r"(?ix)^(?:i|i'm|im|i've|ive|i'll|i'd|id|we|we're|we've|we'll|my|our|me\ and|both\ of\ us|ich|wir|mein\w*|unser\w*|je|j'\w*|nous|mon|ma|mes|notre|nos|yo|mi|mis|nuestr[oa]s?|me)\b
      |^(?:yesterday|today|tonight|tomorrow|last|this|next|in|on|since|for|after|before|when|while|as|if|two|three|an?|every|at|during|once|with|even|although|though|back)\b[^.!?]{0,50}\b(?:i|i'm|i've|we|we're|my)\b"
);
// The speaker is about to play a part.
pattern!(
    READY,
    r"(?i)\b(?:ready|your turn|my turn|you (?:start|begin|go first|first)|here (?:goes|we go|it (?:goes|comes|is))|i'?ll (?:start|begin|go first))\W*$"
);
// An order to produce, complete or judge a text, or to play a part.
pattern!(
    ORDERS,
    r"(?ix)^(?:please\ |pls\ |plz\ |kindly\ |now\ |just\ |let's\ |let\ me\ |can't\ you\ )*(?:write|compose|draft|invent|come\ up\ with|change\ (?:it|this|that|the)|replace|swap|translate|say|sing|read|repeat|copy|type|fill|finish|complete|continue|correct|check|fix|edit|improve|rate|roast|judge|guess|play|
        pretend|act|imagine|picture|suppose|be\ (?:my|an?|the|his|her|someone)|become|answer|respond|reply|quote|recite|perform|rehearse|practi[cs]e|test|compare|choose|pick|spot|find|identify|
        classify|label|tag|analy[sz]e|parse|summari[sz]e|use|turn|make|put|convert|note|remember|store|save|memori[sz]e|manifest|visuali[sz]e|envision|consider|take|meet|listen|hear|watch|look|see|dear\ (?:santa|diary|god|lord|(?-i:\p{Lu})\w+)|
        schreib\w*|sag|sing|lies|spiel\w*|korrigier\w*|écris|dis|lis|joue\w*|corrige\w*|escribe|di|lee|juega)\b"
);
// Words of a sentence with a verb.
pattern!(
    SAYS_SOMETHING,
    r"(?ix)\b(?:is|isn't|are|aren't|was|wasn't|were|am|be|been|has|have|had|do|does|did|don't|doesn't|didn't|can|can't|could|will|won't|would|should|may|must|need|needs|want|wants|hope|think|know|see|
        get|gets|got|go|goes|went|come|comes|came|gone|made|make|makes|took|take|takes|gave|give|found|find|left|lost|said|saw|ate|ran|slept|told|kept|put|let|felt|feel|feels|fell|broke|began|
        built|bought|brought|caught|cut|drove|flew|forgot|grew|heard|held|hit|knew|met|paid|quit|read|rang|sat|sent|set|shut|sold|spent|spoke|stood|stuck|swam|taught|thought|threw|woke|won|wore|wrote|
        works?|worked|lives|speaks|teaches|studies|helps?|looks?|sounds?|hurts?|starts?|rains?|snows?|passed|\w{2,}ed|\w+'(?:s|re|ve|ll|d))\b"
);
pattern!(
    LIMITS,
    r"(?i)^(?:(?:in|on|of|to|between|against|at|by|under|inside|only|minus|except|figuratively|metaphorically|technically|mentally|emotionally|spiritually|almost|ok|okay|well|or|im|auf|dans|sur|en|du|des)\b[^.!?]*|had|was|were|once|again|just|sort of|kind of)\W*$"
);
// Words of greetings and small talk, and of headings in people's own logs.
pattern!(
    PLAIN_TALK,
    &r"(?ix)\b(?:hi|hello|hey|heya|hiya|yo|good|morning|evening|afternoon|night|day|days|week|weeks|month|log|logbook|{calendar}|today|tomorrow|yesterday|tonight|weekend|question|questions|thing|things|issue|problem|news|favou?r|request|thanks|thank|thx|ty|cheers|please|sorry|apologies|congrats|congratulations|
        welcome|sure|yes|yeah|yep|no|nope|ok|okay|right|true|fine|cool|nice|great|lovely|wonderful|amazing|awesome|brilliant|perfect|exactly|agreed|same|you|not|never|nothing|nobody|none|all|everyone|everybody|folks|team|guys|
        neighbou?rs|friends|family|fam|brothers|sisters|ladies|again|finally|quick|small|big|short|long|little|bit|lot|rough|busy|quiet|hard|bad|worse|better|best|weather|fair|rain|rainy|sun|sunny|snow|wind|windy|fog|cold|hot|warm|dry|wet|
        tea|coffee|soup|dinner|lunch|breakfast|toast|wow|oh|ah|ugh|phew|lol|haha\w*|omg|yay|hooray|welp|well|so|anyway|also|btw|fyi|ps|first|second|third|firstly|secondly|one|two|three|four|context|background|situation|
        bins|match|train|flight|back|still|already|early|late|soon|later|now|then|barely|hardly|slowly|always|sometimes|often|maybe|perhaps|long\ story|guilty|busted|change\ of\ plans?|true\ story|fun\ fact|full\ disclosure|
        hallo|guten|moin|servus|danke|bitte|ja|nein|genau|schön|bonjour|bonsoir|salut|coucou|merci|oui|non|hola|buenas|buenos|gracias|sí|vale)\b
      |^(?:happy|merry|frohe\w*|bonne|joyeux|feliz)\ (?:new|christmas|easter|birthday|holidays|hanukkah|diwali|eid|thanksgiving|year|weihnachten|neue\w*|ostern|année|noël|anniversaire|año|navidad|cumpleaños)\b
      |^[\d\W]+$|(?:^|quick\ |small\ |little\ |short\ |life\ |family\ |health\ |an\ )update\b|\b\w{3,}ly\b"
    .replace(
        "{calendar}",
        &[CalendarNames::ENGLISH.weekdays.join("|"), CalendarNames::ENGLISH.months.join("|")].join("|")
    )
);
// Subjects that are other people, who may be about to speak.
pattern!(
    OTHERS,
    r"(?ix)^(?:he|he's|she|she's|they|they're|his|her|hers|their|someone|somebody|
        (?:the|an?|this|that|another|every|some)\ (?:\w+\ ){0,2}(?:man|woman|boy|girl|kid|child|guy|lady|bloke|neighbou?r|witness|caller|speaker|stranger|
            robot|parrot|bot|chatbot|machine|computer|ghost|king|queen|pirate|knight|wizard|hero|villain|doll|puppet|toddler|baby|actor|actress|singer|preacher|priest|host|guide|
            doctor|nurse|teacher|boss|driver|clerk|officer|judge|lawyer|landlord|twins|kids|children|patient|student)\b)"
);
pattern!(
    OF_A_NAME,
    r"^(?P<name>\p{Lu}\p{Ll}+)(?: \p{Lu}\p{Ll}+)? (?:is|was|has|had|sounds|looks|loves|likes|stands|sits|enters|turns|walks|comes|came|went|stood|sat)\b"
);
// Words for games, texts, stages and their parts. The text after such a word may be one of these.
pattern!(
    STAGES,
    r"(?ix)\b(?:charades|clues?|riddles?|quiz\w*|trivia|crosswords?|puzzles?|mad\ libs|warm-?ups?|improv\w*|drama|theat(?:er|re)|theatrical|audition\w*|re-?enact\w*|larp\w*|cosplay\w*|costume|
        fancy\ dress|stage|on\ screen|skits?|sketch\w*|monologue\w*|role|roles|pantomime|panto|nativity|puppet\w*|ventriloquis\w*|karaoke|acting|actor|actress|cast|casting|
        dreams?|nightmare|hallucinat\w*|fantas(?:y|ies)|daydream\w*|visions?|hypnosis|past\ life|alter\ ego|
        voices?|overheard|eavesdrop\w*|megaphone|loudspeaker|announcements?|radio|podcast|documentary|episode|subtitles?|trailer|adverts?|commercials?|
        headstone|tombstone|gravestone|epitaph|obituary|obituaries|eulogy|diary|diaries|journal|memoirs?|postcards?|telegram|inscription|engraving|engraved|carved|graffiti|tattoo\w*|
        t-?shirts?|mugs?|bumper|badges?|labels?|placards?|billboards?|banners?|leaflet|flyer|flyers|brochure|pamphlet|fortune\ cookies?|horoscope|tarot|prayers?|psalms?|hymns?|sermons?|scripture|gospel|
        textbooks?|workbooks?|flash\ ?cards?|vocab\w*|duolingo|lessons?|exercises?|drills?|phrasebook|dictation|pronunciation|grammar|exams?|tests?|mock|slides?|handouts?|worksheets?|
        options?|versions?|variants?|alternatives?|attempts?|takes?\ (?:one|two|three|\d)|rounds?|pages?|lines?|paragraphs?|stanzas?|verses?|scenes?|acts?\ (?:one|two|three|[iv\d]+)|parts?\ (?:one|two|three|\d)|
        candidates?|witness\w*|testimony|deposition|affidavit|statements?|suspects?|defendants?|confess\w*|plaintiff|exhibits?|minutes\ of|
        speakers?|callers?|contestants?|players?|npc|avatars?|profiles?|usernames?|nicknames?|screen\ names?|catfish\w*|tinder|dating\ app|hinge|bumble|
        phish\w*|scam\w*|spam|chatbots?|bots?|robots?|parrots?|horoscopes?|model\ card|system\ card|
        template|blanks?|placeholder|dummy|lorem|demo|fillers?|fields?\ (?:are|to)|forms?\ (?:says?|asks?|wants?)|surveys?|questionnaires?|check-?box\w*|
        icebreakers?|opposite\ day|reverse|liars?|fibs?|bluff\w*|tall\ tale|fairy\ tales?|bedtime|myths?|legends?|fables?|parables?|fanfic\w*|headcanon|lore|backstory|
        personas?|mascots?|pov|case\ stud\w+|the\ case|wrong\ (?:account|chat|window|person|thread|number)|affirmations?|manifest\w*|vision\ board|blog|old\ cv|resume|caption|memes?|slogan|jingle|tagline|pitch|elevator\ pitch|sales\ script|
        traum|geträumt|zitat|witz|theater|rolle|übung|spruch|schild|inschrift|tagebuch|rêve\w*|rêvé|citation|blague|théâtre|rôle|exercice|pancarte|sueño|soñé|cita|chiste|teatro|papel|ejercicio|cartel)\b"
);
// Words for a message of one's own, before a colon.
pattern!(
    LABEL,
    r"(?ix)(?P<start>^\s*|[.!?]\s+)(?:(?:and|so|ok|okay|hi|hey|hello|just|also|btw|bonjour|coucou|hallo|hola|an?|my|our|one|another|quick|small|short|little|random|dumb|stupid|silly|daft|first|second|big|
            tiny|some|the|life|kurze|kleine|petite|una)[\s,]+)*
        (?:questions?|updates?|change\ of\ plans?|context|background|ps|p\.s\.?|fyi|news|heads[-\ ]up|confession|situation|problem|issue|reminder|request|about\ me|fun\ fact|tl;?dr|for\ (?:the\ record|context)|
           disclaimer|thing|announcement|good\ news|bad\ news|diet|dietary|allergies|info|frage|info|pregunta|so\ (?:\w+\ ){1,4}(?:knows?|record\ too|record)|long\ story\ short|je\ me\ présente|me\ presento|ich\ stelle\ mich\ (?:kurz\ )?vor|(?:kurz\ )?zu\ mir|let\ me\ introduce\ myself|re(?:\ the)?\ \w+(?:\ \w+)?)
        (?:\ (?:about|on|regarding|zur?|zum|cuisine|sobre)(?:\ \w+){0,3})?\s?:\s"
);
pattern!(
    JEST,
    r"(?i)\b(?:just kidding|jk|joking|kidding|sarcas\w+|/s|yeah right|trust me|as if|als ob|als wär\w*|comme si|como si|not really|in my dreams)\b|(?:^|[.!?,] )not[.!]*$|(?:^|[.!?] )(?:god,? |oh,? |man,? )*(?:i wish|if only|in your dreams)[.!]|\bsays? no ?(?:one|body)\b|said no ?(?:one|body)\b|\bschön wär(?:'s|s|e es|e das)\b|\b(?:nur|kleiner) (?:spaß|scherz|witz)\b|\bje (?:plaisante|rigole)\b|\bes (?:broma|una broma)\b"
);
// Quoted lines, and lines of a log or chat that begin with a time or a name.
pattern!(QUOTED, r#"^\s*(?:>|\||# |-- |//|<[^>]{1,40}>|\[[^\]]{1,40}\]|\*|!\w|/\w|\(\d|\d{1,2}:\d\d)"#);
// Excludes colons in times and emoticons.
pattern!(COLON, r"[\p{L}\d)\]][*_]{0,2}:(?:\s|$)");
pattern!(EDITS, r"(?i)^\s*(?:edit|correction|update|scratch|nvm)\b");
// The head of a mail or of a message in a pasted chat.
pattern!(
    HEAD,
    r"(?i)^\s*(?:(?:from|to|fwd?|re|subject)\b(?: \S+){1,4}|(?-i:\p{Lu}\p{Ll}+)(?: (?-i:\p{Lu}\p{Ll}+))?,? \[?\d{1,2}[:.]\d\d\b.{0,12})\s*$"
);
pattern!(
    ADDRESS,
    r"(?i)^\s*(?:hi|hello|hey|dear|good (?:morning|evening|afternoon)|hallo|liebe[rs]?|bonjour|cher|chère|hola|querid[oa])\b[^,.!?]{0,40},"
);
