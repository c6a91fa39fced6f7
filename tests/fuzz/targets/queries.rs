//! Questions with times in eight languages, as a search of the service understands them.

use serde_json::json;

use crate::command::Annals;
use crate::fuzz::{Verdict, fuzz};
use crate::service::Served;
use crate::story::days;

use super::requests::ask;

const LANGUAGES: [&str; 8] = ["en", "de", "fr", "es", "pt", "it", "nl", "zh"];

const GOOD: [&str; 16] = [
    "What happened two weeks ago, and in the week of 8 May 2023?",
    "Where did I go between March 3rd and the 12th of April 2026 at half past nine?",
    "the day before yesterday, last Friday, next month, this quarter, Q3 2025, 2026-W10",
    "in the summer of 1999 or 3 1/2 years before 2024-02-29T23:59:60Z",
    "Was geschah vor zwei Wochen am 3. März und im letzten Herbst?",
    "zwischen dem 1.2.2026 und dem 30.02.2026, vorgestern um halb zehn",
    "Qu'est-ce qui s'est passé il y a trois mois, le 1er mai ?",
    "la semaine dernière, avant-hier, entre le 3 et le 5 janvier 2026",
    "¿Qué pasó hace dos semanas, el 5 de mayo de 2026?",
    "anteayer, el mes pasado, entre enero y marzo",
    "O que aconteceu há duas semanas, em 5 de maio de 2026?",
    "Che cosa è successo due settimane fa, il 5 maggio 2026?",
    "l'altro ieri, il mese scorso, tra gennaio e marzo",
    "Wat gebeurde er twee weken geleden, op 5 mei 2026?",
    "两周前发生了什么？二〇二六年三月五日，上个月，前天",
    "2026年3月5日到3月12日之间，去年夏天",
];

#[test]
fn questions_are_answered_in_every_language() {
    let annals = Annals::new();
    for language in LANGUAGES {
        annals.import(&days(language, 3, 1));
        // Chinese is understood with any language.
        if language != "zh" {
            annals.json(&["agent", "set", language, "--language", language]);
        }
    }
    let served = Served::over_unlimited(annals);
    let address = served.address.trim_start_matches("http://").to_owned();
    let good = GOOD.map(|question| question.as_bytes().to_vec());
    fuzz("queries", &good, |input| LANGUAGES.iter().try_for_each(|language| check(&address, language, input)));
}

/// Sends the input as a question and as a prompt. The service may refuse a long input.
fn check(address: &str, language: &str, input: &[u8]) -> Verdict {
    let text = String::from_utf8_lossy(input);
    for (path, body) in [("search", json!({"query": text, "limit": 2})), ("context", json!({"prompt": text}))] {
        let answer = ask(address, format!("POST /v1/agents/{language}/{path}\n{body}").as_bytes())?;
        let status = answer.split(' ').nth(1).unwrap_or_default();
        if !["200", "400", "413", "422"].contains(&status) {
            return Err(format!("{language} {path}: {answer}"));
        }
    }
    Ok(())
}
