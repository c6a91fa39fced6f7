//! Decides which speaker a question asks about, by its pronouns: the asker or the assistant. "You" in a request, such as "can you
//! recommend a film?", only addresses the assistant. Pure. Pronouns cover seven languages and Chinese, requests English and Chinese.

/// The speaker that a question asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AskedSpeaker {
    /// "Where do I live?": the person who asks.
    Asker,
    /// "What did you recommend?": the assistant.
    Assistant,
}

/// First-person and second-person pronouns by language.
pub(super) const PERSONS: [(&str, &[&str], &[&str]); 7] = [
    ("en", &["i", "my", "me", "mine", "myself", "we", "our", "us"], &["you", "your"]),
    (
        "de",
        &["ich", "mein", "meine", "meinen", "meinem", "meiner", "mir", "mich", "wir", "uns", "unser", "unsere"],
        &["du", "dein", "deine", "dir", "dich"],
    ),
    (
        "fr",
        &["je", "j", "mon", "ma", "mes", "moi", "me", "nous", "notre", "nos"],
        &["tu", "vous", "ton", "ta", "tes", "votre", "vos"],
    ),
    ("es", &["yo", "mi", "mis", "me", "nosotros", "nos", "nuestro", "nuestra"], &["tu", "tus", "te", "usted"]),
    (
        "pt",
        &["eu", "meu", "minha", "meus", "minhas", "me", "nos", "nosso", "nossa"],
        &["tu", "voce", "seu", "sua", "te"],
    ),
    ("it", &["io", "mio", "mia", "miei", "mie", "mi", "noi", "nostro", "nostra"], &["tu", "tuo", "tua", "ti"]),
    ("nl", &["ik", "mijn", "mij", "me", "wij", "ons", "onze"], &["jij", "je", "jouw"]),
];

/// Phrases with "you" that ask for what the asker said: "What did I tell you?"
const TOLD_BY_ASKER: [&str; 19] = [
    " i tell you ",
    " i told you ",
    " i ask you ",
    " i asked you ",
    " i say to you ",
    " i said to you ",
    " ich dir ",
    " ich dich ",
    " je t ai ",
    " te dije ",
    " te conte ",
    " te disse ",
    " ti ho ",
    " ik je ",
    "问过你",
    "告诉过你",
    "跟你说",
    "和你说",
    "跟你提",
];
/// Words for an earlier conversation: "the list from our last chat" was the assistant's.
const CHATS: [&str; 5] = [" chat ", " chats ", " conversation ", " conversations ", " discussion "];
/// Requests for help with something new. What the asker said of themselves helps to answer them.
const REQUESTS: [&str; 20] = [
    " can you ",
    " could you ",
    " would you ",
    " will you ",
    " do you think ",
    " do you have ",
    " do you know ",
    " do you recommend ",
    " do you suggest ",
    " thank you ",
    "你能",
    "你可以",
    "你可不可以",
    "你会",
    "你觉得",
    "你认为",
    "你帮",
    "请你",
    "麻烦你",
    "你有没有",
];
/// Words that ask for what was said before.
const ASK_AGAIN: [&str; 9] =
    [" remind ", " remember ", " recall ", " repeat ", " again ", " earlier ", " previously ", "提醒", "记得"];

/// Returns the speaker that a question asks about, if its pronouns or a request show one.
pub(super) fn asked_speaker(words: &str, language: &str) -> Option<AskedSpeaker> {
    if contains_any(words, &TOLD_BY_ASKER) {
        return Some(AskedSpeaker::Asker);
    }
    if words.contains(" our ") && contains_any(words, &CHATS) {
        return Some(AskedSpeaker::Assistant);
    }
    let is_request = !contains_any(words, &ASK_AGAIN) && contains_any(words, &REQUESTS);
    let rest = if is_request { without_requests(words) } else { words.to_owned() };
    let persons = PERSONS.iter().find(|(code, ..)| *code == language).unwrap_or(&PERSONS[0]);
    let has = |forms: &[&str]| rest.split(' ').any(|word| forms.contains(&word));
    if has(persons.2) || rest.contains(['你', '您']) {
        Some(AskedSpeaker::Assistant)
    } else {
        (is_request || has(persons.1) || rest.contains('我')).then_some(AskedSpeaker::Asker)
    }
}

fn without_requests(words: &str) -> String {
    REQUESTS.iter().fold(words.to_owned(), |words, request| words.replace(request, " "))
}

fn contains_any(words: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| words.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;
    use annals_core::spaced;

    #[test]
    fn pronouns_decide_which_speaker_is_asked_about() {
        fn check(language: &str, text: &str, expect: Option<AskedSpeaker>) {
            assert_eq!(asked_speaker(&spaced(text), language), expect, "{text:?}");
        }
        check("en", "Where do I live?", Some(AskedSpeaker::Asker));
        check("en", "What's my dog's name?", Some(AskedSpeaker::Asker));
        check("en", "What did you tell me about it?", Some(AskedSpeaker::Assistant));
        check("en", "Where does Ann live?", None);
        check("en", "What did I tell you about my health?", Some(AskedSpeaker::Asker));
        check("de", "Was habe ich dir erzählt?", Some(AskedSpeaker::Asker));
        check("de", "Wo wohne ich?", Some(AskedSpeaker::Asker));
        check("de", "Was hast du empfohlen?", Some(AskedSpeaker::Assistant));
        check("it", "i libri di Anna", None);
        check("xx", "where do I live", Some(AskedSpeaker::Asker));
        check("en", "我住在哪里？", Some(AskedSpeaker::Asker));
        check("en", "你推荐了什么？", Some(AskedSpeaker::Assistant));
        check("en", "Can you recommend a film for tonight?", Some(AskedSpeaker::Asker));
        check("en", "What do you think I should cook for our guests?", Some(AskedSpeaker::Asker));
        check("en", "Which film did you recommend?", Some(AskedSpeaker::Assistant));
        check("en", "Can you tell me which film you recommended?", Some(AskedSpeaker::Assistant));
        check("en", "Can you remind me of the name of that film?", Some(AskedSpeaker::Assistant));
        check(
            "en",
            "I look back at our previous chat about films. Which was the first?",
            Some(AskedSpeaker::Assistant),
        );
        check("en", "Where did we go on our last holiday?", Some(AskedSpeaker::Asker));
        check("zh", "你能推荐一部电影吗？", Some(AskedSpeaker::Asker));
        check("zh", "我之前跟你说过什么？", Some(AskedSpeaker::Asker));
    }
}
