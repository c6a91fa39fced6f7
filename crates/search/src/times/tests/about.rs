//! Tables of questions about a period itself, and of questions for a detail within a period.

use crate::times::{asks_for_a_period, understand};

const PERIOD: &[(&str, &str)] = &[
    ("en", "what happened in May?"),
    ("en", "how was last week?"),
    ("en", "Summarise 2023"),
    ("en", "catch me up on the last month"),
    ("en", "what was I up to in spring?"),
    ("en", "recap of Q2"),
    ("en", "What did I do last weekend?"),
    ("en", "What have I been doing this week?"),
    ("en", "What have we been up to since Tuesday?"),
    ("en", "Give me an overview of the first half of 2024"),
    ("en", "give me the highlights of last year"),
    ("en", "How did last month go for Anna?"),
    ("en", "What's been going on since March?"),
    ("en", "What did Anna and I do yesterday?"),
    ("en", "What did I miss last week?"),
    ("en", "Walk me through last Tuesday"),
    ("en", "How has my year been so far?"),
    ("en", "bring me up to speed on this week"),
    ("en", "Can you summarize what happened between March and June?"),
    ("en", "What was last summer like?"),
    ("en", "Anything interesting happen last month?"),
    ("de", "was war letzten Monat los?"),
    ("de", "Was ist im Mai passiert?"),
    ("de", "Wie lief die letzte Woche?"),
    ("de", "Fass das letzte Quartal zusammen"),
    ("de", "Fasse bitte 2023 zusammen."),
    ("de", "Was habe ich letzte Woche gemacht?"),
    ("de", "Was hat Anna im Mai gemacht?"),
    ("de", "Was haben wir am Wochenende so getrieben?"),
    ("de", "Gib mir einen Überblick über das letzte Jahr"),
    ("de", "Wie war mein Sommer?"),
    ("de", "Erzähl mir von letzter Woche"),
    ("de", "Rückblick auf 2023"),
    ("de", "Was gab es gestern Neues?"),
    ("fr", "Que s'est-il passé en mai ?"),
    ("fr", "Qu'est-ce qui s'est passé la semaine dernière ?"),
    ("fr", "Comment était la semaine dernière ?"),
    ("fr", "Résume l'année 2023"),
    ("fr", "Fais-moi un résumé du mois dernier"),
    ("fr", "Qu'est-ce que j'ai fait le week-end dernier ?"),
    ("fr", "Quoi de neuf depuis mardi ?"),
    ("fr", "Qu'a fait Anna en mai ?"),
    ("es", "resume mi semana"),
    ("es", "¿Qué pasó en mayo?"),
    ("es", "¿Cómo fue la semana pasada?"),
    ("es", "¿Qué hice el fin de semana pasado?"),
    ("es", "Hazme un resumen del mes pasado"),
    ("es", "¿Qué hizo Anna en mayo?"),
    ("es", "¿Qué tal la semana pasada?"),
    ("es", "Ponme al día de la última semana"),
    ("pt", "O que aconteceu em maio?"),
    ("pt", "Como foi a semana passada?"),
    ("pt", "O que eu fiz no fim de semana passado?"),
    ("pt", "Resuma o ano de 2023"),
    ("pt", "Faz-me um resumo do mês passado"),
    ("pt", "O que a Anna fez em maio?"),
    ("it", "Cosa è successo a maggio?"),
    ("it", "Com'è andata la settimana scorsa?"),
    ("it", "Che cosa ho fatto lo scorso weekend?"),
    ("it", "Riassumi il 2023"),
    ("it", "Fammi un riassunto del mese scorso"),
    ("it", "Cosa ha fatto Anna a maggio?"),
    ("nl", "Wat is er in mei gebeurd?"),
    ("nl", "Hoe was vorige week?"),
    ("nl", "Wat heb ik vorig weekend gedaan?"),
    ("nl", "Vat 2023 samen"),
    ("nl", "Geef me een samenvatting van vorige maand"),
    ("nl", "Wat heeft Anna in mei gedaan?"),
    ("zh", "五月发生了什么？"),
    ("zh", "上周怎么样？"),
    ("zh", "总结一下2023年"),
    ("zh", "上个月我都做了什么？"),
    ("zh", "回顾一下第二季度"),
    ("zh", "安娜五月做了什么？"),
    ("zh", "上周末我干了什么？"),
];

const DETAIL: &[(&str, &str)] = &[
    ("en", "what did Anna say about the car in May?"),
    ("en", "how was the concert last week?"),
    ("en", "which book did I read in June?"),
    ("en", "What did I buy last weekend?"),
    ("en", "Did I update my resume last week?"),
    ("en", "Did I resume my piano lessons in May?"),
    ("en", "Where did we eat on Friday?"),
    ("en", "Who won the match last Tuesday?"),
    ("en", "What happened to my bike in May?"),
    ("en", "How was the weather last summer?"),
    ("en", "Tell me about the meeting last Monday"),
    ("en", "What was the name of the hotel in March?"),
    ("en", "How much did I spend last month?"),
    ("en", "What did the doctor tell me yesterday?"),
    ("en", "How did the interview go last week?"),
    ("en", "Who sent the recap last week?"),
    ("en", "When did I give the overview of the plan in May?"),
    ("en", "Was I ill in May?"),
    ("en", "What was the summary of the book that I read in June?"),
    ("en", "What happened with the Tesla last month?"),
    ("de", "Was hat Anna im Mai über das Auto gesagt?"),
    ("de", "Wie war das Konzert letzte Woche?"),
    ("de", "Welches Buch habe ich im Juni gelesen?"),
    ("de", "Was habe ich letzte Woche gekauft?"),
    ("de", "Wie lief das Gespräch am Montag?"),
    ("de", "Was war am Freitag mit dem Zug?"),
    ("de", "Wo war ich im Urlaub letzten Sommer?"),
    ("de", "Wie war meine Prüfung gestern?"),
    ("de", "Wer war am Wochenende da?"),
    ("fr", "Qu'a dit Anna à propos de la voiture en mai ?"),
    ("fr", "Comment était le concert la semaine dernière ?"),
    ("fr", "Quel livre ai-je lu en juin ?"),
    ("fr", "Où avons-nous mangé vendredi ?"),
    ("fr", "Qu'est-ce que j'ai acheté hier ?"),
    ("fr", "Que s'est-il passé avec le train mardi ?"),
    ("es", "¿Qué dijo Anna sobre el coche en mayo?"),
    ("es", "¿Cómo fue el concierto la semana pasada?"),
    ("es", "¿Qué libro leí en junio?"),
    ("es", "¿Qué compré ayer?"),
    ("es", "¿Dónde comimos el viernes?"),
    ("pt", "O que a Anna disse sobre o carro em maio?"),
    ("pt", "Como foi o concerto na semana passada?"),
    ("pt", "Que livro li em junho?"),
    ("pt", "O que comprei ontem?"),
    ("it", "Cosa ha detto Anna dell'auto a maggio?"),
    ("it", "Com'è andato il concerto la settimana scorsa?"),
    ("it", "Che libro ho letto a giugno?"),
    ("it", "Dove abbiamo mangiato venerdì?"),
    ("nl", "Wat zei Anna in mei over de auto?"),
    ("nl", "Hoe was het concert vorige week?"),
    ("nl", "Welk boek heb ik in juni gelezen?"),
    ("nl", "Wat heb ik gisteren gekocht?"),
    ("zh", "安娜五月说了什么关于车的事？"),
    ("zh", "上周的音乐会怎么样？"),
    ("zh", "我六月读了什么书？"),
    ("zh", "昨天我买了什么？"),
    ("zh", "上周五我们在哪里吃饭？"),
];

/// Questions of a second list, written after the rules.
const SECOND_PERIOD: &[(&str, &str)] = &[
    ("en", "How did my October go?"),
    ("en", "What's new since last Friday?"),
    ("en", "Could you give me a quick rundown of last quarter?"),
    ("en", "What was going on in my life in 2022?"),
    ("en", "Fill me in on yesterday"),
    ("en", "What did we get up to over Christmas?"),
    ("en", "How was everything in March?"),
    ("de", "Was ist seit Ostern alles passiert?"),
    ("de", "Wie ging es mir im Frühling?"),
    ("de", "Kannst du mir den letzten Monat zusammenfassen?"),
    ("de", "Was haben Anna und ich gestern gemacht?"),
    ("fr", "Quoi de neuf cette semaine ?"),
    ("fr", "Raconte-moi mon été"),
    ("es", "¿Qué ha pasado esta semana?"),
    ("es", "Cuéntame qué hice ayer"),
    ("es", "¿Cómo me fue en 2022?"),
    ("pt", "O que se passou na semana passada?"),
    ("pt", "Como foi o meu dia ontem?"),
    ("it", "Cosa abbiamo fatto ieri?"),
    ("nl", "Wat is er vorige week allemaal gebeurd?"),
    ("zh", "昨天过得怎么样？"),
    ("zh", "去年夏天我们做了什么？"),
];

/// Questions for a detail, of the second list.
const SECOND_DETAIL: &[(&str, &str)] = &[
    ("en", "What did Tom recommend last weekend?"),
    ("en", "How was dinner on Saturday?"),
    ("en", "What was the score on Sunday?"),
    ("en", "Which songs did I play in the nineties?"),
    ("en", "What did I do with my keys yesterday?"),
    ("en", "Tell me about the dog I met in June"),
    ("de", "Wie war der Film am Freitag?"),
    ("de", "Was hat der Arzt gestern gesagt?"),
    ("de", "Worüber haben wir letzte Woche gesprochen?"),
    ("fr", "Comment s'est passé l'entretien lundi ?"),
    ("fr", "Qui m'a appelé hier ?"),
    ("es", "¿Cómo me fue en el examen ayer?"),
    ("es", "¿Qué me recomendó Luis en abril?"),
    ("pt", "Quem me ligou ontem?"),
    ("it", "Com'è stata la riunione lunedì?"),
    ("nl", "Hoe was het eten gisteren?"),
    ("zh", "上周我见了谁？"),
];

/// Checks all questions of a table and lists those with another result.
fn check_all(table: &[(&str, &str)], expect: bool) {
    let is_wrong = |(language, text): &&(&str, &str)| {
        let found = understand(text, language, "Europe/Berlin", "2026-11-26".parse().unwrap());
        (!found.times.is_empty() && asks_for_a_period(&found.rest)) != expect
    };
    let wrong: Vec<_> = table.iter().filter(is_wrong).collect();
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), table.len());
}

#[test]
fn question_about_a_period_asks_for_it() {
    check_all(PERIOD, true);
}

#[test]
fn second_list_of_questions_about_a_period_asks_for_it() {
    check_all(SECOND_PERIOD, true);
}

#[test]
fn question_for_a_detail_does_not_ask_for_its_period() {
    check_all(DETAIL, false);
}

#[test]
fn second_list_of_questions_for_a_detail_does_not_ask_for_its_period() {
    check_all(SECOND_DETAIL, false);
}
