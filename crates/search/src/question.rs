//! Extracts features of a question that help to find its answer, such as whether it asks for a time or about the present. Pure.
//! Most phrases are English. The words for today and tomorrow cover seven languages, the pronouns also Chinese.

use annals_core::{folded, is_wide, words};

/// Features of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    /// The words in lower case, without accents and punctuation, each between single spaces.
    words: String,
    /// Whether the question asks when something was or will be.
    pub(crate) asks_when: bool,
    /// Whether the question is about the present or the recent past.
    pub(crate) about_now: bool,
    /// Whether the question is about today or tomorrow and not in the past tense.
    pub(crate) is_ahead: bool,
    /// The speaker that the question asks about, if its pronouns show one.
    pub(crate) asked_speaker: Option<AskedSpeaker>,
    /// Whether the question is about the asker, or about what the asker and the assistant said or did. "Tell me a joke" and
    /// "Who are you?" are not personal: they only address the assistant. Pronouns of the first person count in all languages.
    pub(crate) is_personal: bool,
}

/// The speaker that a question asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AskedSpeaker {
    /// "Where do I live?": the person who asks.
    Asker,
    /// "What did you recommend?": the assistant.
    Assistant,
}

/// First-person and second-person pronouns by language.
const PERSONS: [(&str, &[&str], &[&str]); 7] = [
    ("en", &["i", "my", "me", "mine", "myself"], &["you", "your"]),
    (
        "de",
        &["ich", "mein", "meine", "meinen", "meinem", "meiner", "mir", "mich"],
        &["du", "dein", "deine", "dir", "dich"],
    ),
    ("fr", &["je", "j", "mon", "ma", "mes", "moi", "me"], &["tu", "vous", "ton", "ta", "tes", "votre", "vos"]),
    ("es", &["yo", "mi", "mis", "me"], &["tu", "tus", "te", "usted"]),
    ("pt", &["eu", "meu", "minha", "meus", "minhas", "me"], &["tu", "voce", "seu", "sua", "te"]),
    ("it", &["io", "mio", "mia", "miei", "mie", "mi"], &["tu", "tuo", "tua", "ti"]),
    ("nl", &["ik", "mijn", "mij", "me"], &["jij", "je", "jouw"]),
];

/// English pronouns of the first person, except "me".
const FIRST_PERSON: [&str; 7] = [" i ", " my ", " mine ", " myself ", " we ", " us ", " our "];
/// Pronouns of the first person in other languages, without those that are also English words. They make a prompt personal
/// whatever the agent's language is, because many agents keep the default.
const FIRST_PERSON_ABROAD: [&str; 25] = [
    " ich ", " mein ", " meine ", " meinen ", " meinem ", " meiner ", " mich ", " je ", " moi ", " mes ", " mis ",
    " meu ", " minha ", " meus ", " minhas ", " mio ", " miei ", " ik ", " mijn ", " mij ", " nous ", " wir ",
    " unser ", " unsere ", " notre ",
];
/// Phrases that show that "me" or "you" refers to something remembered. Words of the past tense show the same.
const REMEMBERED: [&str; 9] =
    [" about me ", " remember ", " remind ", " recall ", " you know ", " have you ", " you ve ", " told ", " said "];

/// Phrases in which "I" means anyone: "How do I center a div?" asks for instructions, "explain it like I'm five" for an
/// easy answer. They are removed before the prompt is checked for pronouns.
const ANYONE: [&str; 12] = [
    " how do i ",
    " how can i ",
    " how could i ",
    " how would i ",
    " how should i ",
    " like i m ",
    " wie kann ich ",
    " wie mache ich ",
    " comment puis je ",
    " comment je peux ",
    " hoe kan ik ",
    " hoe moet ik ",
];

/// Phrases of questions that ask for a time.
const WHEN: [&str; 9] = [
    " when ",
    " what date ",
    " what day ",
    " what month ",
    " what year ",
    " what time ",
    " which month ",
    " which year ",
    " how long ago ",
];
/// Phrases about the present. Together with the past tense they refer to the past.
const NOW: [&str; 10] = [
    " now ",
    " currently ",
    " current ",
    " still ",
    " these days ",
    " at the moment ",
    " at present ",
    " nowadays ",
    " anymore ",
    " any more ",
];
/// Phrases about the recent past, which count as the present even in the past tense.
const LATELY: [&str; 5] = [" lately ", " latest ", " recently ", " most recent ", " newest "];
/// Words for today and tomorrow. Together with the past tense they refer to the past.
const AHEAD: [&str; 14] = [
    " today ",
    " tonight ",
    " tomorrow ",
    " heute ",
    " morgen ",
    " aujourd hui ",
    " demain ",
    " hoy ",
    " manana ",
    " hoje ",
    " amanha ",
    " oggi ",
    " domani ",
    " vandaag ",
];
/// Words that mark a question as being about the past.
const PAST: [&str; 9] = [" did ", " didn ", " was ", " wasn ", " were ", " weren ", " had ", " hadn ", " used to "];

impl Question {
    /// Extracts the features of a question, with the pronouns of `language`.
    pub(crate) fn new(text: &str, language: &str) -> Question {
        let words = spaced(text);
        let has = |phrases: &[&str]| contains_any(&words, phrases);
        let about_now = has(&LATELY) || (has(&NOW) && !has(&PAST));
        let is_ahead = has(&AHEAD) && !has(&PAST);
        let is_english = language == "en" || PERSONS.iter().all(|(code, ..)| *code != language);
        // The phrases are English. In other languages every pronoun counts.
        let refers = || !is_english || words.chars().any(is_wide) || has(&REMEMBERED) || has(&PAST);
        let own = ANYONE.iter().fold(words.clone(), |words, phrase| words.replace(phrase, " "));
        let is_personal = contains_any(&own, &FIRST_PERSON_ABROAD)
            || (is_english && contains_any(&own, &FIRST_PERSON))
            || (asked_speaker(&own, language).is_some() && refers());
        let asked_speaker = asked_speaker(&words, language);
        Question { asks_when: has(&WHEN), about_now, is_ahead, asked_speaker, is_personal, words }
    }

    /// Returns whether the question contains the whole name, or its first word if that has more than two bytes.
    pub(crate) fn names(&self, name: &str) -> bool {
        let name = spaced(name);
        let whole = name.trim();
        let first = whole.split(' ').next().unwrap_or_default();
        // Names in wide scripts have no spaces around them.
        let is_within = whole.chars().any(is_wide) && self.words.contains(whole);
        !whole.is_empty()
            && (is_within
                || self.words.contains(&name)
                || (first.len() > 2 && self.words.contains(&format!(" {first} "))))
    }
}

fn contains_any(words: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| words.contains(phrase))
}

fn asked_speaker(words: &str, language: &str) -> Option<AskedSpeaker> {
    let persons = PERSONS.iter().find(|(code, ..)| *code == language).unwrap_or(&PERSONS[0]);
    let has = |forms: &[&str]| words.split(' ').any(|word| forms.contains(&word));
    if has(persons.2) || words.contains(['你', '您']) {
        Some(AskedSpeaker::Assistant)
    } else {
        (has(persons.1) || words.contains('我')).then_some(AskedSpeaker::Asker)
    }
}

/// Returns the text as folded words between single spaces, with one before the first and after the last.
pub(crate) fn spaced(text: &str) -> String {
    words(&folded(text)).fold(String::from(" "), |all, word| all + word + " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_whole_or_by_first_name() {
        fn check(question: &str, name: &str, expect: bool) {
            assert_eq!(Question::new(question, "en").names(name), expect, "{name} in {question:?}");
        }
        check("What does José's dog eat?", "Jose", true);
        check("what does ann eat", "Ann Lee", true);
        check("Anna's dog", "Ann", false);
        check("did al win", "Al Green", false);
        check("did al green win", "Al Green", true);
        check("what?", "", false);
        check("the user said", "user", true);
        check("田中さんはどこに住んでいますか", "田中", true);
        check("山田さんはどこに住んでいますか", "田中", false);
    }

    #[test]
    fn pronouns_decide_which_speaker_is_asked_about() {
        fn check(language: &str, text: &str, expect: Option<AskedSpeaker>) {
            assert_eq!(Question::new(text, language).asked_speaker, expect, "{text:?}");
        }
        check("en", "Where do I live?", Some(AskedSpeaker::Asker));
        check("en", "What's my dog's name?", Some(AskedSpeaker::Asker));
        check("en", "What did you tell me about it?", Some(AskedSpeaker::Assistant));
        check("en", "Where does Ann live?", None);
        check("de", "Wo wohne ich?", Some(AskedSpeaker::Asker));
        check("de", "Was hast du empfohlen?", Some(AskedSpeaker::Assistant));
        check("it", "i libri di Anna", None);
        check("xx", "where do I live", Some(AskedSpeaker::Asker));
        check("en", "我住在哪里？", Some(AskedSpeaker::Asker));
        check("en", "你推荐了什么？", Some(AskedSpeaker::Assistant));
    }

    #[test]
    fn prompts_that_only_address_the_assistant_are_not_personal() {
        fn check(language: &str, text: &str, expect: bool) {
            assert_eq!(Question::new(text, language).is_personal, expect, "{text:?}");
        }
        for personal in [
            "Where do I live?",
            "What did you recommend?",
            "What do you know about the trip?",
            "Remind me of the plan",
            "What was it that you told me?",
            "Where did we meet?",
            "Tell me about me",
            "我住在哪里？",
        ] {
            check("en", personal, true);
        }
        for addressed in ["Tell me a joke", "Who are you?", "Can you speak French?", "Give me an example", "Who won?"] {
            check("en", addressed, false);
        }
        for anyone in ["How do I exit vim?", "How would I prove this?", "Explain monads to me like I'm five."] {
            check("en", anyone, false);
        }
        for abroad in
            ["Wo wohne ich?", "Où est-ce que je travaille ?", "Waar is mijn sleutel?", "Qual é o meu emprego?"]
        {
            check("en", abroad, true);
        }
        check("en", "Comment puis-je planter un arbre ?", false);
        check("en", "How do I get to my sister's?", true);
        check("en", "How often do I swim?", true);
        check("de", "Wie kann ich einen Baum pflanzen?", false);
        check("de", "Wie kann ich meinen Baum retten?", true);
        check("de", "Erzähl mir einen Witz", true);
        check("de", "Wer ist das?", false);
    }

    #[test]
    fn time_phrases_set_asks_when_and_about_now() {
        fn check(text: &str, when: bool, now: bool) {
            let question = Question::new(text, "en");
            assert_eq!((question.asks_when, question.about_now), (when, now), "{text:?}");
        }
        check("When did Ann leave?", true, false);
        check("In which month was it?", true, false);
        check("Where does Ann live now?", false, true);
        check("the whenever of it", false, false);
        check("Was Ann still in Oslo?", false, false);
        check("Who wasn't there anymore?", false, false);
        check("What did Ann buy lately?", false, true);
        check("Does Ann not smoke any more?", false, true);
        check("Where did Ann live?", false, false);
    }
}
