//! Detects whether a question asks for a period itself, such as "what happened in July?" or "summarise last week", rather than
//! for a detail said in that period. Pure.

use annals_core::{folded, is_wide};

use super::chinese::simplified;

/// Phrases that request a summary, if only words of a request precede them: "can you summarise", but not "who sent the
/// recap".
const SUMMARISE: &[&str] = &[
    "summarise",
    "summarize",
    "summary",
    "sum up",
    "recap",
    "overview",
    "rundown",
    "catch me up",
    "zusammenfassung",
    "zusammenfassen",
    "fasse",
    "fass",
    "uberblick",
    "ruckblick",
    "resumee",
    "resume",
    "resume-moi",
    "bilan",
    "recapitulatif",
    "resumen",
    "resumir",
    "resumeme",
    "resumer",
    "resuma",
    "resumo",
    "riassumi",
    "riassumere",
    "riassunto",
    "riepilogo",
    "samenvatting",
    "samenvatten",
    "vat samen",
    "overzicht",
    "terugblik",
    "总结",
    "概括",
    "回顾",
];
/// Words that may precede a phrase of [`SUMMARISE`] in a request.
const REQUEST: &str = "
    a an another brief can could do general get give good i i'd in just let's like make may me my need our please quick short show the
    to us want we will would write you
    bitte du eine einen einer einem die den gib gibst ich kannst konntest kurz kurze kurzen mach mir schreib sie uns
    de fais fais-moi donne donne-moi ecris il moi peux pouvez pourrais tu un une veux voudrais vous le la
    dame haz hazme puedes podrias quiero me el escribe
    da-me faz faz-me faca fazer pode podes quero um uma o
    dammi fai fammi fare puoi potresti vorrei
    een geef het je kan kun kunt maak mij wil";
/// Phrases that ask about a period, unless the question names another topic. `*` stands for any words between two others.
const HAPPENED: &[&str] = &[
    "what happened",
    "what has happened",
    "what was going on",
    "what has been going on",
    "what's been",
    "what went on",
    "what all happened",
    "anything * happen",
    "how was",
    "how were",
    "how did",
    "how has",
    "how have",
    "how's",
    "what was new",
    "what is new",
    "what's new",
    "anything new",
    "what did",
    "tell me about",
    "what was",
    "what were",
    "what have",
    "what has",
    "what changed",
    "what has changed",
    "highlights",
    "walk me through",
    "fill me in",
    "up to speed",
    "was ist",
    "was passierte",
    "was ist geschehen",
    "was geschah",
    "was war",
    "was waren",
    "was lief",
    "was ging",
    "was * gemacht",
    "was * getan",
    "was * getrieben",
    "was * erlebt",
    "was * unternommen",
    "was * angestellt",
    "wie war",
    "wie lief",
    "wie ging",
    "wie verlief",
    "was gab es",
    "was gab's",
    "erzahl",
    "erzahle",
    "auf den neuesten stand",
    "passe",
    "s'est passe",
    "comment s'est",
    "comment etait",
    "comment ca",
    "quoi de neuf",
    "qu'a fait",
    "qu'ai-je fait",
    "qu'as-tu fait",
    "qu'avons-nous fait",
    "qu'est-ce que * fait",
    "raconte",
    "raconte-moi",
    "que paso",
    "que ocurrio",
    "que sucedio",
    "que ha pasado",
    "que hubo",
    "que novedades",
    "que * hecho",
    "que hice",
    "que hizo",
    "que hicimos",
    "que hicieron",
    "que tal",
    "cuentame",
    "ponme al dia",
    "como fue",
    "como me fue",
    "como nos fue",
    "como le fue",
    "como estuvo",
    "aconteceu",
    "o que * fiz",
    "o que * fez",
    "o que * fizemos",
    "o que * fizeram",
    "o que houve",
    "se passou",
    "como foi",
    "como correu",
    "conta-me",
    "me conta",
    "novidades",
    "cosa e successo",
    "che cosa e successo",
    "cosa * fatto",
    "com'e andata",
    "com'e andato",
    "com'e stata",
    "com'e stato",
    "come e andata",
    "come e andato",
    "raccontami",
    "wat gebeurde",
    "wat is er gebeurd",
    "wat is er * gebeurd",
    "wat * gedaan",
    "wat deed",
    "wat deden",
    "wat was er",
    "hoe was",
    "hoe ging",
    "hoe verliep",
    "vertel",
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

/// More words that name no topic in a question about a period, although they may name one in other questions.
const NEUTRAL_BESIDE_A_PERIOD: &str = "
    am as being both bring busy can could else far fill general get go good happening highlights i'd interesting into just kind
    let's like look lot mainly may miss missed mostly notable or others out overall please quick quickly run show since so
    spend speed spent there's those through today together turn two until update walk weekend well will would
    ab allgemein an angestellt auf aus bei bisher dann denn du eigentlich einen er erlebt erzahl erzahle gab's gang ganze ganzen gegangen gelaufen
    gemacht getan getrieben gewesen gib ging hab habe haben habt hast hat ich ihr in kurz los mal man meinem meinen neue neues neuesten noch
    seit sich sie sind so sonst stand uberblick um und unser unsere unserem unseren unternommen verlaufen verlief von vom waren
    wichtiges wir zu zum zur zusammen besonderes interessantes
    a ai ai-je as as-tu a-t-il a-t-elle avez avons avons-nous ca c'est cela choses d dans de depuis des donne du elle etaient eu fait fais faites
    il ils important interessant j j'ai je l les m ma mes mon neuf n nos notre nous on ont passee pendant pour quoi raconte
    raconte-moi special tout tu un une vecu vie vous y
    al anduve con cosas cuentame del dia durante en estado estuve estuvimos fueron ha hace haciendo han has he hecho hemos hice
    hicieron hiciste hicimos hizo hubo importante interesante la las le lo me mis mucho nada nos novedades nuestra nuestro nueva
    nuevo pasado ponme por se sucedio tal todo todos una yo
    ao as com conta conta-me correu da das de do dos durante ela ele eles estava eu fazendo feito fez fiz fizemos fizeram fizeste
    foram houve me meu mi minha nas nos nossa nosso novidades novo os para passou pela pelo se teu tudo uma vida voce
    abbiamo al alla allo andato andati cos'e delle del della di dall dal durante fatto fatta gli ha hai hanno ho i io la le lei lo
    loro lui mi mia mio ne nei nella noi nostra nostro novita per piu raccontami s'e stata stato stati sono ti tutto un una
    aan afgelopen allemaal bijzonders deden deed gedaan ging gegaan hand heb hebben hebt heeft hem hij ik je jij mijn met nieuws
    onze ons over sinds tijdens vertel verliep waren we wij ze zij zo zoal";

/// Chinese words that name no topic besides the period, each before the words that it contains.
const NEUTRAL_CHINESE: &str = "
    这段时间 那段时间 的时候 怎么样 发生 什么 怎样 怎么 如何 事情 哪些 总结 概括 回顾 一下 一些 告诉 说说 讲讲 谈谈 期间 生活 情况 新鲜
    主要 重要 特别 整个 晚上 我 你 您 他 她 们 大家 了 过 做 干 忙 些 事 有 的 得 都 呢 吗 啊 是 在 请 帮 给 里 那 这 啥";

/// Chinese verbs after the name of who did something.
const ACTED: [&str; 8] = ["都做", "做了", "做过", "都干", "干了", "过得", "忙了", "忙些"];

/// Prepositions before the person of a question such as "how was July for Ann?". A name after one of them may be written in
/// lower case.
const FOR: [&str; 6] = ["for", "fur", "pour", "para", "per", "voor"];

/// Articles and the like before nouns. A word with a capital letter after one of them is a topic and no person: "how was the
/// Eurovision?", "wie war das Konzert?".
const BEFORE_NOUN: &str = "
    the my your our his her their der die das den dem des ein eine einen einem mein meine meinem meinen meiner unser unsere unserem
    unseren im beim zum zur het";

/// Returns whether a question asks for a summary of its times or for what happened in them. `rest` is the question without its
/// times; it may contain a name: "how was July for Ann?".
pub(crate) fn asks_for_a_period(rest: &str) -> bool {
    SUMMARISE.iter().any(|phrase| requests(&plain(rest), phrase)) || names_only_a_period(rest)
}

/// Returns whether a question asks for what happened in its times, and names no other topic. `rest` is the question without its
/// times.
pub(crate) fn names_only_a_period(rest: &str) -> bool {
    let text = plain(rest);
    let asks = SUMMARISE.iter().any(|phrase| requests(&text, phrase))
        || HAPPENED.iter().any(|phrase| contains_phrase(&text, phrase));
    asks && names_nothing_but_somebody(rest)
}

/// Returns the text without case, accents and traditional characters, as the phrases above are written.
fn plain(text: &str) -> String {
    simplified(&folded(text)).replace('’', "'")
}

/// Returns whether the text requests a summary with these words.
fn requests(text: &str, phrase: &str) -> bool {
    let is_request = |word: &str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        bare.is_empty()
            || REQUEST.split_whitespace().any(|request| request == bare)
            || (bare.contains(is_wide) && names_nothing_in_chinese(bare))
    };
    find_words(text, phrase).is_some_and(|(start, _)| text[..start].split_whitespace().all(is_request))
}

fn names_nothing_but_somebody(rest: &str) -> bool {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let is_for = |word: &str| FOR.contains(&folded(word).as_str());
    let is_for_somebody = |index: usize| index > 0 && is_for(words[index - 1]);
    let is_noun = |index: usize| index > 0 && is_noun(words[index - 1], words[index]);
    let is_nothing = |(index, word): (usize, &&str)| {
        is_for(word) || is_for_somebody(index) || (names_nothing(word) && !is_noun(index))
    };
    words.iter().enumerate().all(is_nothing)
}

/// Returns whether a word with a capital letter is a noun because an article precedes it.
fn is_noun(before: &str, word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    bare.starts_with(char::is_uppercase)
        && !is_neutral(bare)
        && BEFORE_NOUN.split_whitespace().any(|article| article == folded(before))
}

/// Returns whether the text contains the phrase. `*` in the phrase stands for any words.
fn contains_phrase(text: &str, phrase: &str) -> bool {
    let mut rest = text;
    phrase.split(" * ").all(|part| match find_words(rest, part) {
        Some((_, end)) => {
            rest = &rest[end..];
            true
        }
        None => false,
    })
}

/// Finds words in a text at word boundaries: where they begin and end. Next to a Chinese character every position is a
/// boundary.
fn find_words(text: &str, words: &str) -> Option<(usize, usize)> {
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_wide(c));
    let is_apart = |start: usize, end: usize| {
        !is_letter(text[..start].chars().next_back()) && !is_letter(text[end..].chars().next())
    };
    let found = text.match_indices(words).map(|(start, _)| (start, start + words.len()));
    found.into_iter().find(|(start, end)| is_apart(*start, *end))
}

/// Returns whether a word names no topic: it is neutral, begins with a capital letter like a name, or has no letters or digits.
fn names_nothing(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let is_name = bare.chars().next().is_some_and(char::is_uppercase);
    if bare.contains(is_wide) {
        return names_nothing_in_chinese(bare);
    }
    bare.is_empty()
        || is_name
        || is_neutral(bare)
        || contains(NEUTRAL_BESIDE_A_PERIOD, bare)
        || SUMMARISE.contains(&plain(bare).as_str())
}

/// Returns whether a Chinese text, which is not split into words, consists of neutral words and of names in Latin letters.
fn names_nothing_in_chinese(text: &str) -> bool {
    let neutral = NEUTRAL_CHINESE.split_whitespace();
    let text = simplified(text);
    let left = neutral.fold(without_subject(&text).to_owned(), |left, word| left.replace(word, " "));
    left.split(|c: char| !c.is_alphanumeric()).all(|word| !word.contains(is_wide) && names_nothing(word))
}

/// Returns a Chinese question without the name of who did something: "安娜做了什么". A name has two or three characters.
fn without_subject(text: &str) -> &str {
    let verb = ACTED.iter().filter_map(|verb| text.find(verb)).min().unwrap_or_default();
    if (2..=3).contains(&text[..verb].chars().filter(|c| is_wide(*c)).count()) { &text[verb..] } else { text }
}

/// Returns whether a word names no topic because it is usual in questions about periods, such as "happened" and "what".
pub(crate) fn is_neutral(word: &str) -> bool {
    contains(NEUTRAL, word)
}

fn contains(list: &str, word: &str) -> bool {
    let folded = folded(word).replace('’', "'");
    list.split_whitespace().any(|entry| entry == folded)
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
