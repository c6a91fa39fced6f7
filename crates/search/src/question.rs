//! Extracts features of a question that help to find its answer, such as whether it is about the asker. Whose words it asks for
//! is in `asked_speaker`, whether it asks for a time or about the present in `time_words`. Pure. Most phrases are English.
//! Pronouns cover seven languages and Chinese.

mod asked_speaker;
mod time_words;

use annals_core::{is_wide, spaced};

use asked_speaker::{PERSONS, asked_speaker};

pub(crate) use asked_speaker::AskedSpeaker;
pub(crate) use time_words::without_words_for_now;

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

/// English pronouns of the first person, except "me".
const FIRST_PERSON: [&str; 7] = [" i ", " my ", " mine ", " myself ", " we ", " us ", " our "];
/// Objects in the first person, by which people also ask for a joke or a translation: "Erzähl mir einen Witz", "给我讲个笑话".
const OBJECTS: [&str; 10] = ["me", "mir", "mich", "moi", "mi", "mij", "ti", "uns", "nos", "ons"];
/// Chinese beginnings of requests for a joke, a text, a translation, an explanation or advice.
const REQUESTS: [&str; 12] = [
    "给我讲",
    "给我写",
    "给我说",
    "给我解释",
    "给我翻译",
    "给我推荐一",
    "帮我",
    "请告诉我",
    "告诉我",
    "教我",
    "跟我说说",
    "给我一",
];
/// Pronouns of the first person in other languages, without those that are also English words. They make a prompt personal
/// whatever the agent's language is, because many agents keep the default.
const FIRST_PERSON_ABROAD: [&str; 33] = [
    " ich ",
    " mein ",
    " meine ",
    " meinen ",
    " meinem ",
    " meiner ",
    " je ",
    " mon ",
    " mes ",
    " mi ",
    " mis ",
    " nuestro ",
    " nuestra ",
    " eu ",
    " meu ",
    " minha ",
    " meus ",
    " minhas ",
    " nosso ",
    " nossa ",
    " mio ",
    " miei ",
    " nostro ",
    " nostra ",
    " ik ",
    " mijn ",
    " nous ",
    " wir ",
    " unser ",
    " unsere ",
    " notre ",
    " onze ",
    " ons ",
];
/// Phrases that show that "me" or "you" refers to something remembered. Words of the past tense show it too.
const REMEMBERED: [&str; 9] =
    [" about me ", " remember ", " remind ", " recall ", " you know ", " have you ", " you ve ", " told ", " said "];
/// German, French, Spanish, Portuguese, Italian and Dutch words that show the same as [`REMEMBERED`], between spaces.
const REMEMBERED_ABROAD: &str = "erinnere erinner erinnerst weisst hast habe haben gesagt erzahlt empfohlen war warst waren hatte hattest \
    rappelle rappelles souviens sais savez as avez dit etais etait avais recuerda recuerdame recuerdas sabes \
    dijiste dije dicho has habias conte contaste recomendaste era estaba lembra lembras sabe disse disseste recomendou tinha tinhas \
    ricorda ricordi ricordami sai hai detto consigliato avevi eri herinner weet heb hebt hebben zei gezegd verteld aangeraden had";
/// Chinese words that show the same as [`REMEMBERED`].
const REMEMBERED_WIDE: [&str; 14] = [
    "记得",
    "记不记得",
    "提醒",
    "说过",
    "告诉过",
    "给过",
    "聊过",
    "提过",
    "讲过",
    "推荐",
    "建议",
    "上次",
    "之前",
    "知道我",
];

/// Phrases in which "I" means anyone: "How do I center a div?" asks for instructions, "explain it like I'm five" for an
/// easy answer. They are removed before the prompt is checked for pronouns.
const ANYONE: [&str; 22] = [
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
    " hoe maak ik ",
    " wie zentriere ich ",
    " wie schreibe ich ",
    " wie berechne ich ",
    " comment je fais ",
    " como eu posso ",
    " como eu faco ",
    " come posso io ",
    " was kann ich gegen ",
    " que puis je faire contre ",
];

impl Question {
    /// Extracts the features of a question, with the pronouns of `language`; those of English for a language that has none
    /// here.
    pub(crate) fn new(text: &str, language: &str) -> Question {
        let words = spaced(text);
        let is_english = language == "en" || PERSONS.iter().all(|(code, ..)| *code != language);
        let own = ANYONE.iter().fold(words.clone(), |words, phrase| words.replace(phrase, " "));
        let own = REQUESTS.iter().fold(own, |words, request| words.replace(request, " "));
        let is_personal = contains_any(&own, &FIRST_PERSON_ABROAD)
            || own.contains('我')
            || (is_english && contains_any(&own, &FIRST_PERSON))
            || has_first_person(&own, language)
            || (asked_speaker(&own, language).is_some() && refers_to_memory(&words, is_english));
        let asked_speaker = asked_speaker(&words, language);
        Question {
            asks_when: time_words::asks_when(&words),
            about_now: time_words::are_about_now(&words),
            is_ahead: time_words::are_ahead(&words),
            asked_speaker,
            is_personal,
            words,
        }
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

/// Returns whether words in a language other than English have a pronoun of the first person that is no object.
fn has_first_person(words: &str, language: &str) -> bool {
    let own = PERSONS.iter().find(|(code, ..)| *code == language && *code != "en").map(|(_, own, _)| *own);
    let counts = |word: &str| own.is_some_and(|own| own.contains(&word)) && !OBJECTS.contains(&word);
    words.split(' ').any(counts)
}

/// Returns whether the words refer to something remembered or past. Words of one language are not read in another: "was" is
/// German for "what", and "as" is French for "have".
fn refers_to_memory(words: &str, is_english: bool) -> bool {
    let is_remembered = |word: &str| REMEMBERED_ABROAD.split_whitespace().any(|known| known == word);
    let refers = match is_english {
        true => contains_any(words, &REMEMBERED) || time_words::are_in_the_past(words),
        false => words.split(' ').any(is_remembered),
    };
    refers || contains_any(words, &REMEMBERED_WIDE)
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
        for addressed in [
            "Tell me a joke",
            "Who are you?",
            "Can you write it as a table?",
            "Can you speak French?",
            "Give me an example",
            "Who won?",
        ] {
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
        check("de", "Wer ist das?", false);
        for (language, addressed) in [
            ("de", "Erzähl mir einen Witz"),
            ("de", "Was kannst du?"),
            ("fr", "Raconte-moi une blague"),
            ("es", "Cuéntame un chiste, ¿quién eres tú?"),
            ("pt", "Conta-me uma piada"),
            ("it", "Ti piace il mare?"),
            ("nl", "Vertel me een grap"),
            ("en", "给我讲个笑话。"),
            ("en", "你是谁？"),
            ("en", "帮我写一首诗"),
        ] {
            check(language, addressed, false);
        }
        for (language, personal) in [
            ("de", "Was hast du mir empfohlen?"),
            ("fr", "Qu'est-ce que tu m'as dit sur moi ?"),
            ("es", "¿Qué me dijiste?"),
            ("it", "Cosa mi hai detto?"),
            ("nl", "Wat heb je me verteld?"),
            ("en", "你推荐了什么？"),
            ("en", "帮我想想我的医生叫什么"),
            ("en", "¿Cómo se llama mi gato?"),
        ] {
            check(language, personal, true);
        }
    }
}
