//! Decides what a sentence does to the statement before it: adds to it, limits it or takes it back.

use regex::Regex;

use super::plain;
use crate::extractive::split;
use crate::rules::framing;
use crate::rules::grammar::pattern;

/// The effect of a clause on the statement before it: on the earlier part of its sentence, or on the sentence before if it is
/// the first clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::rules) enum Link {
    Adds,
    /// "…, but I turned it down": takes the statement back unless a rule matches the clause itself.
    Contrasts,
    /// "No wait, I live in Leiden": takes the statement back.
    Corrects,
}

/// Returns whether the turn begins by taking back what the former turn of the speaker stated: "Nope, made you look."
pub(in crate::rules) fn takes_back(text: &str, former: &str) -> bool {
    let text = plain(text);
    let former = former.to_lowercase();
    // "Sorry, it's Eva's birthday" takes nothing back, because the former turn named no birthday.
    let disowns =
        |first: &str| DISOWNS.captures(first).is_some_and(|found| former.contains(&found["thing"].to_lowercase()));
    split::sentences(&text, usize::MAX).next().is_some_and(|first| TAKES_BACK.is_match(first) || disowns(first))
}

/// Returns the effect of a sentence on the sentence before it.
pub(super) fn link(sentence: &str) -> Link {
    match sentence {
        _ if [&TAKES_BACK, &DISOWNS, &CORRECTS].iter().any(|pattern| pattern.is_match(sentence)) => Link::Corrects,
        _ if CONTRASTS.is_match(sentence) || framing::limits(sentence) => Link::Contrasts,
        _ => Link::Adds,
    }
}

// A sentence that takes back an earlier statement, also one of an earlier turn.
pattern!(
    TAKES_BACK,
    r"(?ix)^(?:(?:and|but|so|then|yet|oh|ha(?:ha)*|lol|ok(?:ay)?|actually|wait|no|nope|nah|not|well|sorry|oops|hmm|just|in\ the\ end|only)[\s,.!…-]+)*(?:
        kidding|joking|messing|jk\b|ps?sych\b|sike\b|gotcha|got\ (?:you|ya)|made\ you\ look|fooled|april\ fool|scratch\ that|strike\ that|typo|correction|edit:
        |(?:i\ )?meant|i\ mean\b|i\ (?:was\ |am\ |just\ )?(?:lied|lying|kidding|joking|misspoke|made\ (?:that|it)\ up)|i'm\ (?:just\ )?(?:lying|kidding|joking)
        |never\ ?mind|nvm|ignore\ (?:that|it|my)|forget\ (?:it|that|what\ i\ said)\W*$|i\ take\ that\ back|my\ mistake|true\b|not\W*$|any\ ?more\b|wrong\ (?:chat|window|person|thread|tab)
        |(?:those|these|that|this|all\ of\ (?:that|it|those|them))\ (?:was|were|is|are)\ (?:all\ |just\ |only\ )*(?:fake|made[-\ ]up|invented|lies|fiction|fictional|not\ true|jokes?|tests?)\b
        |(?:that|this)\ (?:was|is)(?:n't|\ not)?\ (?:an?\ |my\ )?(?:joke|lie|test|true|me|mine|brother|sister|kid|son|daughter|friend)\b
        |(?:i've\ |we've\ )?(?:i\ |we\ )?changed\ (?:my|our)\ minds?|was\W*$|in\ (?:my|your)\ dreams|i\ wish\W*$
    )"
);

// Says that what the speaker named is somebody else's: "No wait, that's my sister's cat."
pattern!(
    DISOWNS,
    r"(?ix)^(?:(?:and|but|oh|ok(?:ay)?|ah|hmm|well|so)[\s,.!…-]+)*(?:(?:no|nope|nah|wait|sorry|oops|actually)[\s,.!…-]+)+
        (?:that|this|it|he|she)(?:'s|\ is|\ was)\ (?:actually\ |really\ )?(?:(?:my|our)\ (?:\w+\ )?\p{L}+'s|(?-i:\p{Lu}\p{Ll}+)'s)\ (?P<thing>\p{L}+)\W*$"
);

// A sentence that takes back an earlier statement of the same turn.
pattern!(
    CORRECTS,
    r"(?i)^(?:(?:no|nope|nah)(?:[.!…]|,? (?:wait|actually|sorry|not|i mean|scratch|in|at|it's|i'm|i am|i live|i work|i don't|that)\b|(?-i:,? \p{Lu}\p{Ll}))|(?:no|nope|nah),? \p{L}+\W*$|(?:wait|actually|not)\b[,.!…\s])"
);

// A sentence that may take back an earlier statement: it has a conjunction, or says what happened to offers, plans and
// purchases.
pattern!(
    CONTRASTS,
    r"(?ix)^(?:but|except|until|though|although|however|yet|or|unless|only|then|well|sadly|unfortunately|aber|doch|leider|mais|pero|sin\ embargo)\b
      |\b(?:turned|declined|refused|rejected|withdrawn|rescinded|revoked|cancell?ed|called\ off|fell\ through|backed\ out|pulled\ out|said\ no|gave\ up
         |(?:came|moved|went|flew|sent|gave)\ (?:\w+\ )?(?:back|home|away)|returned|changed\ (?:my|our)\ minds?
         |abgelehnt|abgesagt|ausgeschlagen|nein\ gesagt|refusé\w*|décliné\w*|dit\ non|rechac(?:é|amos))\b"
);
