//! Detects whether a question asks for a period itself, such as "what happened in July?" or "summarise last week", rather than
//! for a detail said in that period. Pure.

use annals_core::{folded, is_wide};

use super::chinese::simplified;

/// Phrases that request a summary, whatever the rest of the question says.
const SUMMARISE: &[&str] = &[
    "summarise",
    "summarize",
    "summary of",
    "sum up",
    "recap",
    "overview of",
    "catch me up",
    "zusammenfassung",
    "zusammenfassen",
    "fasse",
    "uberblick",
    "resume",
    "resumen",
    "resumer",
    "resumir",
    "resuma",
    "resumo",
    "riassumi",
    "riassunto",
    "samenvatting",
    "vat samen",
    "总结",
    "概括",
    "回顾",
];
/// Phrases that ask about a period, unless the question names another topic.
const HAPPENED: &[&str] = &[
    "what happened",
    "what has happened",
    "what was going on",
    "what went on",
    "what all happened",
    "how was",
    "how were",
    "how did",
    "what was new",
    "what is new",
    "what's new",
    "anything new",
    "what did",
    "tell me about",
    "what was",
    "what have",
    "what changed",
    "what has changed",
    "was ist",
    "was passierte",
    "was ist geschehen",
    "was geschah",
    "was war",
    "wie war",
    "wie lief",
    "was gab es",
    "passe",
    "s'est passe",
    "comment s'est",
    "comment etait",
    "que paso",
    "que ocurrio",
    "como fue",
    "como estuvo",
    "aconteceu",
    "como foi",
    "cosa e successo",
    "che cosa e successo",
    "com'e andat",
    "wat gebeurde",
    "wat is er gebeurd",
    "hoe was",
    "什么",
    "啥",
    "哪些事",
    "怎么样",
    "怎么过",
    "怎样",
    "如何",
];
/// Words that name no topic besides the period.
const NEUTRAL: &str = "
    a about all an and anything around at been between brief by catch changed did do doing during events everything for from give
    go going had happen happened has have he her his how i important in is it life like lives main me month my new of on our over
    overview please quarter recap remember she short so sum summarise summarize summary tell that the their there they things this
    time to up us was we week went were what what's whole with year you your day
    alles am bitte das den der die es gab geschah geschehen im ist lief mein meine mir passiert passierte uns war wie
    au comment en est est-ce etait la le passe que qu qu'est-ce qu'est qui s s'est s'est-il ce
    como el estuvo fue los mi ocurrio paso
    aconteceu em foi na no o
    andata andato che com'e cosa e nel successo
    de er gebeurd gebeurde het hoe wat";

/// Chinese words that name no topic besides the period, each before the words that it contains.
const NEUTRAL_CHINESE: &str = "
    这段时间 那段时间 的时候 怎么样 发生 什么 怎样 怎么 如何 事情 哪些 总结 概括 回顾 一下 一些 告诉 说说 讲讲 谈谈 期间 生活 情况 新鲜
    主要 重要 特别 整个 晚上 我 你 您 他 她 们 大家 了 过 做 干 忙 些 事 有 的 得 都 呢 吗 啊 是 在 请 帮 给 里 那 这 啥";

/// Prepositions before the person of a question such as "how was July for Ann?". A name after one of them may be written in
/// lower case.
const FOR: [&str; 6] = ["for", "fur", "pour", "para", "per", "voor"];

/// Returns whether a question asks for a summary of its times or for what happened in them. `rest` is the question without its
/// times; it may contain a name: "how was July for Ann?".
pub(crate) fn asks_for_a_period(rest: &str) -> bool {
    let text = simplified(&folded(rest)).replace('’', "'");
    SUMMARISE.iter().any(|words| contains_words(&text, words)) || names_only_a_period(rest)
}

/// Returns whether a question asks for what happened in its times, and names no other topic. `rest` is the question without its
/// times.
pub(super) fn names_only_a_period(rest: &str) -> bool {
    let text = simplified(&folded(rest)).replace('’', "'");
    let asks = SUMMARISE.iter().chain(HAPPENED).any(|words| contains_words(&text, words));
    asks && names_nothing_but_somebody(rest)
}

fn names_nothing_but_somebody(rest: &str) -> bool {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let is_for = |word: &str| FOR.contains(&folded(word).as_str());
    let is_for_somebody = |index: usize| index > 0 && is_for(words[index - 1]);
    words.iter().enumerate().all(|(index, word)| is_for(word) || is_for_somebody(index) || names_nothing(word))
}

/// Returns whether the text contains these words at word boundaries. Next to a Chinese character every position is a boundary.
fn contains_words(text: &str, words: &str) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_wide(c));
    text.match_indices(words).any(|(index, _)| {
        !is_letter(text[..index].chars().next_back()) && !is_letter(text[index + words.len()..].chars().next())
    })
}

/// Returns whether a word names no topic: it is neutral, begins with a capital letter like a name, or has no letters or digits.
fn names_nothing(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let is_name = bare.chars().next().is_some_and(char::is_uppercase);
    if bare.contains(is_wide) {
        return names_nothing_in_chinese(bare);
    }
    bare.is_empty() || is_name || is_neutral(bare)
}

/// Returns whether a Chinese text, which is not split into words, consists of neutral words and of names in Latin letters.
fn names_nothing_in_chinese(text: &str) -> bool {
    let neutral = NEUTRAL_CHINESE.split_whitespace();
    let left = neutral.fold(simplified(text), |left, word| left.replace(word, " "));
    left.split(|c: char| !c.is_alphanumeric()).all(|word| !word.contains(is_wide) && names_nothing(word))
}

/// Returns whether a word names no topic because it is usual in questions about periods, such as "happened" and "what".
pub(crate) fn is_neutral(word: &str) -> bool {
    let folded = folded(word).replace('’', "'");
    NEUTRAL.split_whitespace().any(|neutral| neutral == folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn question_without_another_topic_asks_for_the_period() {
        fn check(rest: &str, expect: bool) {
            assert_eq!(asks_for_a_period(rest), expect, "{rest:?}");
        }
        check("What happened in ?", true);
        check("how was ?", true);
        check("How was for Caroline?", true);
        check("how was for ann lee?", false);
        check("how was for caroline?", true);
        check("wie war für jonas?", true);
        check("Summarise please", true);
        check("Summarise the project in", true);
        check("What did Ann do in", true);
        check("What happened to the cat in", false);
        check("How was the party on", false);
        check("What did Ann buy", false);
        check("why was the trip cancelled in", false);
        check("Was ist im passiert?", true);
        check("Wie war ?", true);
        check("Was hat Ann im gekauft?", false);
        check("Que s'est-il passé en ?", true);
        check("¿Qué pasó en ?", true);
        check("O que aconteceu em ?", true);
        check("Cosa è successo a ?", true);
        check("Wat gebeurde er in ?", true);
        check("发生了什么？", true);
        check("我做了什么？", true);
        check("Ann做了什么？", true);
        check("請總結一下", true);
        check("我过得怎么样", true);
        check("我的生日怎么样", false);
        check("我在哪里吃饭", false);
        check("我吃了什么", false);
        check("", false);
    }
}
