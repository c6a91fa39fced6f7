//! Reads a conversation: finds the turns that belong to a game, a role play, a story or a language exercise, whose statements are
//! invented, and the turn that a turn takes back.
//!
//! A scene begins with a request for it and ends with words that end it, or with a pause. Relies on turns in order of time and on the
//! turns before the task. Reads no statements.

use std::collections::BTreeSet;

use annals_core::ports::ExtractionTask;
use annals_core::{Memory, MemoryId, SignedDuration};
use regex::Regex;

use super::clauses::plain;
use super::grammar::pattern;

/// A scene is over after a pause of this many hours.
const PAUSE: SignedDuration = SignedDuration::from_hours(3);

/// Returns the turns of the task that belong to a scene.
pub(super) fn invented(task: &ExtractionTask<'_>) -> BTreeSet<MemoryId> {
    let mut in_scene = BTreeSet::new();
    let mut last: Option<&Memory> = None;
    let mut is_on = false;
    for turn in task.context.iter().chain(task.turns) {
        let is_continued = last.is_some_and(|last| {
            last.conversation() == turn.conversation() && turn.at().duration_since(last.at()) < PAUSE
        });
        let text = plain(&turn.text);
        is_on = (is_on && is_continued && !ENDS.is_match(&text)) || BEGINS.is_match(&text);
        if is_on {
            in_scene.insert(turn.id.clone());
        }
        last = Some(turn);
    }
    in_scene
}

/// Returns the turn of the same speaker before a turn of the task, unless there was a pause.
pub(super) fn former<'a>(task: &ExtractionTask<'a>, turn: &Memory) -> Option<&'a Memory> {
    let before = task.context.iter().chain(task.turns).take_while(|one| one.id != turn.id);
    before
        .filter(|one| one.speaker() == turn.speaker() && one.conversation() == turn.conversation())
        .last()
        .filter(|one| turn.at().duration_since(one.at()) < PAUSE)
}

pattern!(
    BEGINS,
    r"(?imx)\b(?:let's|let\ us|can\ we|could\ we|shall\ we|can\ you|could\ you|will\ you|we\ could|wanna|want\ to|i\ want|i'd\ (?:like|love)\ to|we'll|i'll|i\ will|
          i\ need|help\ me(?:\ to)?|please|game:|ok(?:ay)?,?|now)\ [^.!?\n]{0,30}?\b(?:role-?\ ?play(?:ing)?|pretend|play\ (?:a\ (?:word\ )?game|twenty\ questions|20\ questions|house|doctor)|
          act\ (?:it\ )?out|(?:practi[cs]e|rehearse|simulate|mock)\b[^.!?\n]{0,20}\b(?:interview|negotiation|conversation|dialogue|call|scene|speech|pitch|
          english|spanish|french|german|italian|portuguese|dutch|japanese|chinese|korean|russian))\b
      |\bi(?:'m|\ am)\ practi[cs]ing\ (?:my\ )?(?:english|spanish|french|german|italian|portuguese|dutch|japanese|chinese|korean|russian|for)\b
      |^\s*(?:please\ )?(?:act\ as|pretend|imagine\ you(?:'re|\ are)|play\ the\ (?:role|part)|be\ my\ \w+|you(?:'re|\ are)\ (?:now\ )?an?\ (?:\w+\ ){0,4}(?:in|from|who|named)\b)
      |\bfrom\ now\ on\b[^.!?\n]{0,40}\b(?:translate|correct|rewrite|rephrase|proofread|answer|respond|speak|reply|you\ are|you're|act)\b
      |\b(?:translate|correct|proofread|rewrite|rephrase|fix)\ (?:everything|all|whatever|what|every\ \w+|each\ \w+|my\ (?:sentences|messages|texts?|english|grammar))\b
      |(?:^|[.!?]\s+|\b(?:please|you|me|me\ to|let's|let\ us)\ )(?:write|continue|finish|start|tell)\b[^.!?\n]{0,40}\b(?:story|novel|scene|script|screenplay|monologue|dialogue|fanfic\w*|text\ adventure)\b
      |\b(?:i'm|i\ am)\ thinking\ of\ (?:a|an|some)\ (?:person|character|celebrity|animal|famous)|\b(?:made[- ]up|fictional|fictitious|invented)\b
      |\b(?:text\ adventure|d&d\ (?:campaign|session|game)|mad\ libs|two\ truths)\b
      |\b(?:lass(?:t)?\ uns|wir\ spielen|jouons|on\ joue|juguemos|vamos\ a\ jugar)\b[^.!?\n]{0,30}\b(?:rollenspiel|rolle|spiel\w*|jeu|rôle|juego|rol)\b
      |\b(?:übersetze?|korrigiere?)\ (?:alles|jeden|meine)\b|\b(?:corrige|traduis)\ (?:tout|mes|chaque)\b|\b(?:corrige|traduce)\ (?:todo|mis|cada)\b"
);
pattern!(
    ENDS,
    r"(?ix)\b(?:stop|end|ends|pause|quit|leave|leaving|enough|done|over|finished|back\ to|drop|without)\b[^.!?\n]{0,30}
        \b(?:game|role-?\ ?play\w*|scene|story|pretend\w*|practi[cs]\w*|reality|character|exercise|translat\w+|correct\w+|interview|me|us)\b
      |\bout\ of\ character\b|\b(?:real|serious|actual|different|another|unrelated|new)\ (?:question|life|talk|topic|thing)\b|\b(?:seriously|honestly)\ now\b|\bnow\ seriously\b|\bunrelated\b|\bfor\ real\b"
);
