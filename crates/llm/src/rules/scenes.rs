//! Reads a conversation: finds the turns that belong to a game, a role play, a story or a language exercise, in which
//! statements are invented, and turns that contain text of others. Also finds the former turn of a speaker.
//!
//! A scene begins with a request for it. It ends when a person ends it, after a pause, or at a turn of another conversation. A
//! scene that began before the turns that the caller passes is not found. Relies on turns in order of time. Reads no
//! statements.

use std::collections::BTreeSet;

use annals_core::ports::ExtractionTask;
use annals_core::{Memory, MemoryId, Role, SignedDuration};
use regex::Regex;

use super::clauses::plain;
use super::grammar::pattern;

/// Pause after which a scene is over.
const PAUSE: SignedDuration = SignedDuration::from_hours(3);

/// Returns the turns with invented statements or with statements of others, among the turns of the task and its context.
pub(super) fn invented(task: &ExtractionTask<'_>) -> BTreeSet<MemoryId> {
    let mut invented = BTreeSet::new();
    let mut last: Option<(&Memory, String)> = None;
    let mut is_on = false;
    for turn in task.context.iter().chain(task.turns) {
        let text = plain(&turn.text);
        let before = last.as_ref().filter(|(last, _)| is_continued(last, turn));
        let is_ended = before.is_none() || turn.role() == Some(Role::User) && ENDS.is_match(&text);
        is_on = (is_on && !is_ended) || super::is_read(turn) && begins(&text);
        if is_on || before.is_some_and(|(last, text)| announces_text(last, text)) {
            invented.insert(turn.id.clone());
        }
        last = Some((turn, text));
    }
    invented
}

fn is_continued(last: &Memory, turn: &Memory) -> bool {
    last.conversation() == turn.conversation() && turn.at().duration_since(last.at()) < PAUSE
}

/// Returns whether the turn announces that the next one is a text: an assistant asks for one, or the turn ends with a colon.
fn announces_text(turn: &Memory, text: &str) -> bool {
    turn.role() == Some(Role::Assistant) && ASKS_FOR_TEXT.is_match(text) || text.trim_end().ends_with(':')
}

/// Returns whether a part of the turn asks for a scene or announces one. A statement about one does not: "I wrote a story last
/// year."
fn begins(text: &str) -> bool {
    text.split(['.', '!', '?', '\n', ',', ';', ':']).filter(|part| !ENDS.is_match(part)).any(|part| {
        (SCENE.is_match(part) || TALE.is_match(part)) && (WISHES.is_match(part) || COMMANDS.is_match(part))
            || CASTS.is_match(part)
            || ANNOUNCES.is_match(part)
            || GAME.is_match(part) && !REMEMBERED.is_match(part)
    })
}

/// Returns whether a sentence ends a scene.
pub(super) fn ends(sentence: &str) -> bool {
    ENDS.is_match(sentence)
}

/// Returns the turn of the same speaker in the same conversation before a turn of the task; `None` after a pause.
pub(super) fn former<'a>(task: &ExtractionTask<'a>, turn: &Memory) -> Option<&'a Memory> {
    let before = task.context.iter().chain(task.turns).take_while(|one| one.id != turn.id);
    before
        .filter(|one| one.speaker() == turn.speaker() && one.conversation() == turn.conversation())
        .last()
        .filter(|one| turn.at().duration_since(one.at()) < PAUSE)
}

/// Returns whether the turn directly before a turn of the task has a question mark, in the same conversation and without a
/// pause between them.
pub(super) fn is_answer(task: &ExtractionTask<'_>, turn: &Memory) -> bool {
    let before = task.context.iter().chain(task.turns).take_while(|one| one.id != turn.id).last();
    before.is_some_and(|before| is_continued(before, turn) && before.text.contains('?'))
}

// Words for a scene, and for work on all text that follows.
pattern!(
    SCENE,
    r"(?ix)\b(?:role-?\ ?play\w*|pretend\w*|make-?\ ?believe|impersonat\w+|simulate|simulation|mock\ \w+|rehears\w+|practi[cs](?:e|ing)|improvis\w+|improv|skits?|
        text\ adventure|d&d|dungeons?|mad\ libs|two\ truths|quiz|trivia|charades|riddles?|made[- ]up|fictional|fictitious|flash\ ?cards?|
        act(?:ing)?\ (?:as|like|out|it\ out)|answer\ as|play\ (?:something|the\ (?:role|part)|a\ (?:\w+\ )?game|along|twenty|house|doctor)|game|
        (?:twenty|20)\ questions|thinking\ of\ (?:a|an|some)\ (?:person|character|celebrity|animal|famous)|alter\ ego|as\ if\ (?:you|i)\ were|
        be\ my\ \w+|imagine|(?:translate|correct|proofread|rewrite|rephrase|repeat)\ (?:everything|all|whatever|what|every|each|any|my|the\ next|the\ following)|correct\ me\W*$|
        my\ (?:next|following)\ (?:messages?|sentences?)|(?:piece|bit|line|sentence|message|part)\ by\ \w+|put\ into\ (?-i:\p{Lu})\w+|
        rollenspiel\w*|übersetze?\ (?:alles|jede\w*|meine)|korrigiere?\ (?:alles|jede\w*|meine|mich)|spielen?\ wir|wir\ spielen|
        jeu\ de\ rôle|jouons|on\ joue|faisons\ semblant|(?:corrige|traduis)\ (?:tout|mes|chaque)|
        juego\ de\ rol|juguemos|vamos\ a\ jugar|finjamos|(?:corrige|traduce)\ (?:todo|mis|cada))\b"
);
pattern!(
    TALE,
    r"(?i)\b(?:write|writing|tell|continue|finish|start|make up|invent|draft|drafting|create|develop|brainstorm|co-write|work(?:ing)? on)\b.*\b(?:stor(?:y|ies)|novel|scene|script|screenplay|monologue|dialogue|fanfic\w*|memoir|character)\b"
);
pattern!(
    WISHES,
    r"(?i)\b(?:please|(?:can|could|would|will|may|shall) (?:you|we|i)|let's|let us|(?:i|we)(?:'d like| would like|'d love| want| wanna| need| have)(?: you)?(?: to)?|(?:i|we)(?:'ll| will)|i(?:'m| am) (?:practi[cs]ing|writing|drafting|working on|preparing|rehearsing|thinking of)|lasst? uns)\b"
);
pattern!(
    COMMANDS,
    r"(?ix)^\W*(?:(?:and|but|so|oh|yes|yeah|no|well|also|hey|hi|hello|ok|okay|now|then|next|just)\W+)*
        (?:from\ now\ on|play|pretend|imagine|act|role|roleplay|be|impersonate|simulate|simulation|rehearse|practi[cs]e|improvise|improv|quiz|trivia|game|mock|story|write|tell|continue|finish|start|make|invent|draft|create|
           help|do|give|translate|correct|proofread|rewrite|rephrase|repeat|ask|interview|text|two|twenty|mad|riddle|charades|flash|spielen|wir|übersetze?|korrigiere?|rollenspiel|
           jeu|jouons|on|faisons|corrige|traduis|juego|juguemos|vamos|finjamos|traduce)\b"
);
// Gives a role to the other speaker.
pattern!(
    CASTS,
    r"(?ix)^\W*(?:(?:ok|okay|so|now|please|hey|hi)\W+)*(?:you(?:'re|\ are)\ now\ (?:an?|the|my)\b|you(?:'re|\ are)\ an?\ (?:\w+\ ){0,4}(?:in|from|who|named|at)\b|(?:you\ (?:be|play)|play)\ (?:the|my)\b|you\ be\ an?\b
        |from\ now\ on\ (?:you|i'm|i\ am|i'll|we|every|all|translate|correct|answer|reply|respond|speak))\b"
);
// Announces an exercise or a game, or the text that is invented in it: "Second exercise, letters home."
pattern!(
    ANNOUNCES,
    r"(?ix)^\W*(?:(?:ok(?:ay)?|so|now|and|right|alright|hi|hey|first|second|third|fourth|next|last|final|another|new|an?|the|our|today's|quick|short|little|warm-?up|bonus)\W+)*
        (?:warm-?up|exercise|improv\w*|ice-?breaker|charades|role-?\ ?play|skit|game\ time|drama\ exercise|acting\ exercise|story\ time|campaign|quest|dungeon|scene)(?:\ (?:one|two|three|four|\d|time|night|game|round))?\W*$
      |\b(?:everything|all\ of\ it|all\ (?:answers|facts|names)|it's\ all|the\ answers|answers|characters|names)\ (?:is\ |are\ |being\ |must\ be\ |should\ be\ |can\ be\ |totally\ |completely\ )*(?:invented|made[-\ ]up|fictional|fake|imaginary|fictitious)\b
      |\b(?:each|one|some|two|both)\ of\ (?:you|us)\ (?:will\ |has\ to\ |must\ |should\ )?(?:starts?|begins?|plays?|invents?|makes?\ up|becomes?|is|acts?|pretends?|introduces?)\b
      |\b(?:the\ others?|the\ rest|everyone(?:\ else)?|everybody(?:\ else)?|you(?:\ all)?)\ (?:has\ to\ |have\ to\ |must\ |can\ |will\ )?guess(?:es)?\b|\b(?:let|have)\ (?:the\ others|us|me|everyone)\ guess\b
      |\b(?:everyone|everybody)\ (?:starts?\ with|begins?\ with|plays|invents?|makes?\ up|becomes|pretends?)\b
      |\b(?:introduce|describe|be|speak\ as|talk\ as|answer\ as)\ your\ characters?\b|\bin\ (?:the\ )?first\ person\b|\byou\ (?:all\ )?(?:stand\ before|find\ yoursel\w+|wake\ up\ in)\b
      |\b(?:we're|we\ are|i'm|i\ am)?\ ?back\ (?:in|into|to)\ (?:character|the\ (?:game|story|scene|rp|role-?\ ?play|dungeon|campaign))\b|^\W*(?:ok(?:ay)?\W+)?(?:and\ )?back\ in\W*$|^\W*(?:and\W+)?action\W*$
      |\b(?:i'll|i\ will|let\ me|i'm\ going\ to|i\ want\ to|i'd\ like\ to)\ (?:paste|dictate|forward|read\ (?:you|out)|copy|type\ (?:out|up)|transcribe)\b.*\b(?:mails?|e-?mails?|messages?|texts?|entries|entry|reviews?|letters?|profiles?|ads|quotes?|
          lines|paragraphs?|chapters?|pages?|verses?|stanzas?|statements?|transcripts?|applications?|bios?|poems?|diary|diaries|interviews?)\b"
);
// Games, shows and texts in which people say what is not true of them.
pattern!(
    GAME,
    r"(?ix)\b(?:murder\ mystery|truth\ or\ dare|would\ you\ rather|never\ have\ i\ ever|two\ truths|caption\ contest|lie\ detector|hot\ seat|charades|karaoke|impressions?\ of|alter\ ego|
        (?:alt|fake|secret)\ (?:account|identity|profile|intro)|character\ sheets?|larp\w*|your\ (?:new\ )?(?:identit(?:y|ies)|envelopes?|roles?|lines|cues?|characters?)|
        (?:random|fake|test|made[-\ ]up|sample|dummy|fictional|invented)\ (?:facts?|data|profile|info|details|answers?|personas?|users?|names?|statements?)|
        mock\ (?:interview|trial|exam)|in\ another\ life|roll\ for|take\ dictation|how\ (?:do|would)\ (?:you|i)\ say\ (?:these|this|them|the\ following)|open\ mic|poetry\ slam)\b
      |\b(?:\w+'s|his|her|old)\ (?:diary|diaries|letters|journal|memoirs?)\W*$
      |^\W*(?:and\ )?(?:i'm|i\ am|i'll\ be|you're|you\ are)\ (?:the|my)\ (?:\w+(?:er|or|ist|ian|ess|ant)|clerk|nurse|judge|guard|king|queen|witness|patient|client|guest|boss)\W*$
      |\byou\ are\ a\ (?:person|character|man|woman|soldier|servant|farmer|merchant)\ (?:from|in|of)\b"
);
pattern!(
    REMEMBERED,
    r"(?i)\b(?:was|were|had|did|went|watched|saw|loved|enjoyed|yesterday|last (?:night|week|month|year|weekend)|ago|used to|loves?|hates?|likes?|enjoy|favou?rite|won|lost|played|nervous|found|read|keep|kept)\b"
);
// An assistant that asks for text gets text of others or a draft.
pattern!(
    ASKS_FOR_TEXT,
    r"(?i)\b(?:paste|send|share|provide|type|show|give|drop|post|upload|go ahead with)\b[^.!?\n]{0,30}\b(?:it|them|text|sentences?|paragraphs?|e-?mails?|message|draft|letter|essay|bio|profile|transcript|content)\b[^.!?\n]{0,40}[.!:]?\s*$|\b(?:paste|send|share|read)(?: me)?(?: the)? (?:first|second|third|next|last|other)(?: one)?[.!:]?\s*$"
);
pattern!(
    ENDS,
    r"(?ix)\b(?:stop|end|ends|ended|pause|quit|leave|leaving|enough|done|over|finished|finish|drop|without|no\ more|exit)\b[^.!?\n]{0,30}
        \b(?:game|role-?\ ?play\w*|scene|story|pretend\w*|practi[cs]\w*|playing|character|exercise|translat\w+|correct\w+|interview|quiz|rehears\w+|simulation|test|act|acting|improv)\b
      |\benough\ (?:of\ \w+\ )?(?:for\ (?:today|now)|now)\b|\bgame\ over\b|\b(?:we're|we\ are)\ done\b|\bthat's\ (?:all|it)\ for\ (?:today|now|tonight)\b|\bthose\ were\ (?:all|the)\b|\bthat's\ (?:the\ end|all\ (?:of\ them|\w+|the\ \w+))\W*$
      |\b(?:game|role-?\ ?play|scene|story|interview|quiz|exercise|practi[cs]e)(?:'s|\ is)\ (?:over|done|finished)\b
      |\b(?:out\ of|break(?:ing)?)\ character\b|\booc\b|\b(?:now|again)\ as\ (?:myself|me)\b|\bback\ to\ (?:reality|real\ life|normal|myself|being\ me)\b|\b(?:in\ )?(?:real|actual)\ (?:life|questions?|talk|me|ones?|data|answers?|things?|facts?|stuff|names?|info(?:rmation)?)\b|\birl\b
      |\b(?:serious|actual|different|another|unrelated|new)\ (?:question|topic)\b|\b(?:seriously|honestly)\ now\b|\bnow\ seriously\b|\bunrelated\b|\bfor\ real\ (?:now|then|this\ time)\b
      |\b(?:rollenspiel|spiel)\ (?:beenden|vorbei|ist\ vorbei)\b|\bfin\ du\ jeu\b|\bfin\ del\ juego\b"
);
