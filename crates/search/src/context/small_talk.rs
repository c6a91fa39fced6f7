//! Detects small talk: a greeting, thanks, a "yes". Every chat contains these words, so a comparison of words and vectors finds
//! such a prompt more similar to remembered chats than most questions. Pure.

use annals_core::folded;

/// Words of small talk: a prompt of these words alone is small talk. They are greetings, thanks, function words and the like.
/// Few real questions consist of these words.
const WORDS: &str = "
    hi hello hey heya hiya howdy yo greetings there everyone all again good morning afternoon evening night day weekend
    thanks thank thx ty you your u so much very a lot many for everything that the this it help appreciated appreciate i really
    ok okay k kk alright right fine great cool nice perfect awesome excellent wonderful amazing lovely sounds sound sure go ahead
    got it i see understood makes sense agreed exactly indeed true correct yes yeah yep yup ya no nope nah not now maybe perhaps please
    never mind no worries problem you're welcome re youre bye goodbye cya see ya later soon tomorrow take care have one
    how how's are is s doing going do today what what's whats up new continue proceed carry test testing point idea lol haha hahaha hehe wow oh ah hmm um well and then
    hallo guten tag morgen abend nacht moin servus gruss gott wie geht geht's es dir ihnen euch danke dank schon vielen sehr bitte
    gern gerne ihr lieben liebe lieber zusammen leute allerseits ja nein doch tschuss bis bald spater gut alles klar super prima genau stimmt na und weiter
    bonjour bonsoir salut coucou bonne journee soiree nuit merci beaucoup bien a tous toutes tout le monde comment ca va vas tu allez vous oui non d'accord
    accord parfait au revoir a bientot plus tard s'il te plait de rien continue continuez
    hola buenos buenas dias tardes noches a todos todas amigos chicos chicas que tal como estas esta usted gracias muchas por todo de nada si vale claro perfecto adios
    hasta luego pronto manana favor bueno sigue continua
    ola oi bom boa dia tarde noite pessoal gente tudo bem voce obrigado obrigada muito sim nao tchau ate logo valeu beleza
    ciao buongiorno buonasera buonanotte salve a tutti tutte ragazzi come stai sta va tutto bene grazie mille molte prego arrivederci presto certo perfetto
    hoi dag goedemorgen goedemiddag goedenavond goedendag iedereen allemaal hoe gaat het met je jou u dank bedankt dankjewel dankuwel graag gedaan ja nee
    doei tot ziens straks prima goed verder
    привет здравствуйте здравствуй добрый день утро доброе вечер спасибо большое пожалуйста да нет пока хорошо ладно как дела";
/// Chinese, Japanese and Korean phrases. They are removed from the prompt before its words are checked.
const UNSPACED: [&str; 30] = [
    "你好吗",
    "你好",
    "您好",
    "早上好",
    "上午好",
    "下午好",
    "晚上好",
    "晚安",
    "早安",
    "谢谢你",
    "谢谢您",
    "谢谢",
    "多谢",
    "感谢",
    "再见",
    "拜拜",
    "好的",
    "好吧",
    "是的",
    "不是",
    "没关系",
    "不客气",
    "こんにちは",
    "おはようございます",
    "おはよう",
    "こんばんは",
    "ありがとうございます",
    "ありがとう",
    "さようなら",
    "안녕하세요",
];

/// Returns whether the prompt consists of words of small talk, with or without parts of these names. Also returns true for a
/// prompt without words, such as an emoji; false for a prompt of names alone.
pub(super) fn is_small_talk(prompt: &str, names: &[String]) -> bool {
    let mut text = folded(prompt).replace('’', "'");
    for phrase in UNSPACED {
        text = text.replace(&folded(phrase), " ");
    }
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'').map(|word| word.trim_matches('\''));
    let is_usual = |word: &&str| WORDS.split_whitespace().any(|usual| usual == *word);
    let is_name = |word: &str| names.iter().any(|name| name.split(' ').any(|part| part == word));
    let unusual: Vec<&str> = words.clone().filter(|word| !word.is_empty() && !is_usual(word)).collect();
    // A prompt that is only a name is not small talk: it asks what is known about the name.
    unusual.is_empty() || (unusual.iter().all(|word| is_name(word)) && words.clone().any(|word| is_usual(&word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_thanks_and_assent_are_small_talk_but_questions_are_not() {
        fn check(prompt: &str, expect: bool) {
            assert_eq!(is_small_talk(prompt, &["ann".to_owned()]), expect, "{prompt:?}");
        }
        for prompt in [
            "hi",
            "Good morning!",
            "How's it going?",
            "Thank you so much 🙏",
            "Okay, sounds good.",
            "What’s up?",
            "Vielen Dank, bis später!",
            "Ça va bien, merci.",
            "¡Muchas gracias por todo!",
            "Tudo bem?",
            "Ciao, come stai?",
            "Guten Morgen ihr Lieben",
            "Bonjour tout le monde !",
            "谢谢你！",
            "Спасибо большое",
            "👍",
            "Good morning, Ann!",
        ] {
            check(prompt, true);
        }
        for prompt in [
            "Ann",
            "How is Bob?",
            "Is Ann at work?",
            "What did you recommend?",
            "Thanks, where do I live?",
            "What happened today?",
            "Where am I going tomorrow?",
            "my job",
            "Wie geht es Anna?",
            "谢谢，我住在哪里？",
        ] {
            check(prompt, false);
        }
    }
}
