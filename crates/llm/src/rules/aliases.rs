//! Names of speakers: which other names they may give themselves, and statements about themselves by name. A wrong alias merges
//! two people. So a new name must be a form of the speaker's name, unless the speaker has none.

use std::borrow::Cow;
use std::collections::BTreeSet;

use annals_core::ports::ExtractionTask;
use annals_core::{Memory, Role, entity_key, folded, words};
use regex::{Captures, Regex};

use super::classes::FIRST_NAMES;
use super::grammar::pattern;

/// Minimum letters of a name part that is compared: shorter ones occur in too many other names.
const LEAST_LETTERS: usize = 3;

/// Users who speak in the turns of a task or in the turns before, by entity key.
pub(super) struct Speakers(BTreeSet<String>);

impl Speakers {
    pub(super) fn of(task: &ExtractionTask<'_>) -> Speakers {
        let turns = task.turns.iter().chain(task.context).filter(|turn| turn.role() == Some(Role::User));
        Speakers(turns.filter_map(Memory::speaker).map(entity_key).collect())
    }

    /// Returns whether a speaker may have the name that a clause gives them. It must be a form of the speaker's name, and not
    /// the name of a user who speaks in the task. A speaker without a name may have any other, if the clause is a plain
    /// introduction and there is a single user.
    pub(super) fn may_be_called(&self, speaker: &str, name: &str, found: &Captures<'_>) -> bool {
        if self.0.contains(&entity_key(name)) {
            return false;
        }
        if speaker == Role::User.as_str() {
            // Only a plain introduction counts, and only if there is a single user, so that "user" is unambiguous.
            let is_introduction = found.get_match().as_str().to_lowercase().starts_with("my ");
            return is_introduction && self.0.len() == 1;
        }
        is_form_of(speaker, name)
    }

    /// Returns whether somebody else writes under the name of the speaker, or the speaker plays somebody else: "Tom here, Ann
    /// is driving.", "I'm Lady Ashcroft". Speakers without a common given name may have another one.
    pub(super) fn is_other(&self, speaker: &str, clause: &str) -> bool {
        let claims = CLAIMS.captures(clause).filter(|_| FIRST_NAMES.has(speaker));
        if claims.is_some_and(|found| {
            (found.name("title").is_some() || FIRST_NAMES.has(&found["name"])) && !is_form_of(speaker, &found["name"])
        }) {
            return true;
        }
        let name = WRITES.captures(clause).and_then(|found| found.iter().skip(1).flatten().next());
        name.is_some_and(|name| speaker != Role::User.as_str() && !is_form_of(speaker, name.as_str()))
    }

    /// Returns whether a name belongs to a speaker, so that it may be a form of address: "my sister, Bob, …".
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains(&entity_key(name))
    }
}

/// Rewrites a clause in which a speaker speaks of themselves by their own first name: "Ben lives in Lisbon", said by Ben.
/// Returns other clauses unchanged.
pub(super) fn in_first_person<'a>(clause: &'a str, speaker: &str) -> Cow<'a, str> {
    let own = entity_key(speaker);
    let is_own =
        |name: &str| own != Role::User.as_str() && entity_key(name) == own.split(' ').next().unwrap_or_default();
    let Some(found) = OF_A_NAME.captures(clause).filter(|found| is_own(&found["name"])) else { return clause.into() };
    let verb = match &found["verb"] {
        "is" => "am",
        "has" => "have",
        "studies" => "study",
        "quit" | "moved" | "bought" | "adopted" | "joined" | "got" => &found["verb"],
        verb => verb.trim_end_matches('s'),
    };
    format!("I {verb}{}", &clause[found[0].len()..]).into()
}

pattern!(
    CLAIMS,
    r"^(?i:i'm|im|i am|my name is|my name's) (?P<title>(?:Lady|Sir|Lord|Dr|Captain|Queen|King|Princess|Prince|Count|Countess|Duke|Baron|Brother|Sister|Inspector|Professor)\.? )?(?P<name>\p{Lu}\p{Ll}{2,})(?: \p{Lu}\p{Ll}+)?(?:$|, )"
);

pattern!(
    WRITES,
    r"^(\p{Lu}\p{Ll}{2,}) here\b|^(?i:this is) (\p{Lu}\p{Ll}{2,}),? (?i:on|from|using|with|typing|writing|here)\b|^(?i:it's|its|it is) (\p{Lu}\p{Ll}{2,}) (?i:here|from|on|using)\b"
);

pattern!(
    OF_A_NAME,
    r"^(?P<name>\p{Lu}\p{L}+) (?P<verb>is|has|lives|works|likes|loves|hates|enjoys|speaks|plays|studies|owns|quit|moved|bought|adopted|joined|got)\b"
);

/// Returns whether a word of one name, of at least three letters, is a prefix of a word of the other: Annie and Ann, Ann Smith
/// and ann_s.
pub(crate) fn is_form_of(speaker: &str, name: &str) -> bool {
    let words = |text: &str| -> Vec<String> { words(&folded(text)).map(str::to_owned).collect() };
    let (speaker, name) = (words(speaker), words(name));
    let begins = |one: &str, other: &str| one.chars().count() >= LEAST_LETTERS && other.starts_with(one);
    speaker.iter().any(|one| name.iter().any(|other| begins(one, other) || begins(other, one)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clause_about_the_speaker_by_name_is_in_first_person() {
        fn check(clause: &str, speaker: &str, expect: &str) {
            assert_eq!(in_first_person(clause, speaker), expect);
        }
        check("Ben lives in Lisbon", "Ben", "I live in Lisbon");
        check("Ben is vegan", "Ben Smith", "I am vegan");
        check("Ben moved to Lisbon", "ben", "I moved to Lisbon");
        for (clause, speaker) in
            [("Benny lives in Lisbon", "Ben"), ("Ben lives in Lisbon", "Ann"), ("User is vegan", "user")]
        {
            check(clause, speaker, clause);
        }
    }

    #[test]
    fn other_names_must_be_forms_of_the_name() {
        for (speaker, name) in [("Ann", "Annie"), ("Annie", "Ann"), ("ann_s", "Ann Smith"), ("Bob Smith", "Bob")] {
            assert!(is_form_of(speaker, name), "{speaker} {name}");
        }
        for (speaker, name) in [("Mallory", "Ann"), ("Bob", "Robert"), ("Jo", "Joan"), ("Joan", "Jo"), ("", "Ann")] {
            assert!(!is_form_of(speaker, name), "{speaker} {name}");
        }
    }
}
