//! Summaries with a planted fault in several languages, and the examples of the prompts, which have none.

use annals_core::{Date, Grain, MemoryId};
use serde_json::Value;

use super::{CitedSentence, Evidence, Line, mark};
use crate::endpoint::answer::citations;
use crate::extractive::Language;
use crate::prompts::{LANGUAGES, example};

/// Counts the faults of a summary of a message from 7 May 2031, a Wednesday.
fn count(language: Language, summary: &str, source: &str) -> u32 {
    let day = jiff::civil::date(2031, 5, 7);
    let lines = [line("1", "18:02 Mia: ", source, day)];
    let mut drafted = vec![sentence(summary, day, &["1"])];
    mark(&mut drafted, evidence(&lines, language))
}

fn evidence(lines: &[Line], language: Language) -> Evidence<'_> {
    Evidence { lines, background: &[], aliases: &[], has_names: language != Language::German }
}

fn line(id: &str, head: &str, text: &str, day: Date) -> Line {
    Line {
        head: head.into(),
        text: text.into(),
        days: (day, day),
        from: vec![MemoryId::from_text(id)],
        group: String::new(),
    }
}

fn sentence(text: &str, day: Date, from: &[&str]) -> CitedSentence {
    let from = from.iter().map(|id| MemoryId::from_text(*id)).collect();
    CitedSentence { text: text.into(), day, is_of_one_day: true, from, ungrounded: false }
}

/// Parses a line of an example: `[1] 18:02 Mia: I got it!` or `[1] 2031-05-07 Mia got a job.`
fn line_of_example(text: &str) -> Line {
    let (id, text) = text.trim_start_matches('[').split_once("] ").unwrap();
    let day = text.get(..10).and_then(|date| date.parse().ok());
    let (head, text) = match day {
        Some(_) => text.split_at(11),
        None => text.split_at(text.find(": ").unwrap() + 2),
    };
    line(id, head, text, day.unwrap_or(jiff::civil::date(2031, 5, 7)))
}

#[test]
fn answers_of_the_examples_are_grounded_in_their_input() {
    for (language, grain) in LANGUAGES.iter().flat_map(|language| [(language, Grain::Daily), (language, Grain::Weekly)])
    {
        let (input, answer) = example(*language, grain).split_once("\n\n").unwrap();
        let lines: Vec<Line> = input.lines().map(line_of_example).collect();
        let answer: Value = serde_json::from_str(answer).unwrap();
        for element in answer["sentences"].as_array().unwrap() {
            let cited: Vec<String> = citations(element.get("sources")).iter().map(ToString::to_string).collect();
            let cited: Vec<&str> = cited.iter().map(String::as_str).collect();
            let text = element["text"].as_str().unwrap();
            let mut drafted = vec![sentence(text, lines[0].days.0, &cited)];
            assert_eq!(mark(&mut drafted, evidence(&lines, *language)), 0, "{text}");
        }
    }
}

#[test]
fn years_and_months_follow_from_spans() {
    fn check(language: Language, source: &str, summary: &str, expect: u32) {
        assert_eq!(count(language, summary, source), expect, "{source} {summary}");
    }
    let english = |source, summary, expect| check(Language::English, source, summary, expect);
    english("I moved here last year.", "Mia moved there in 2030.", 0);
    english("I moved here last year.", "Mia moved there in 2029.", 1);
    english("I moved here.", "Mia moved there in 2030.", 1);
    english("We married three years ago.", "They married in 2028.", 0);
    english("We married three years ago.", "They married in 2027.", 1);
    english("We fly next month.", "They fly in June 2031.", 0);
    english("We fly next month.", "They fly in August 2031.", 1);
    english("We fly next week.", "They fly in July 2031.", 1);
    check(Language::German, "Letztes Jahr bin ich umgezogen.", "Mia ist 2030 umgezogen.", 0);
    check(Language::Unspaced, "我去年搬家了。", "米娅2030年搬家了。", 0);
}

#[test]
fn german() {
    let source =
        "Ich hab die Stelle! Ab nächsten Montag in der Eckbäckerei, für 14 Euro. Bis Juni zahle ich Ole drei Raten.";
    let check = |summary: &str, expect| assert_eq!(count(Language::German, summary, source), expect, "{summary}");
    check("Mia hat die Stelle ab dem 12. Mai 2031, für 14 Euro.", 0);
    check("Mia fängt am Montag an.", 0);
    check("Bis Juni 2031 zahlt sie Ole drei Raten.", 0);
    check("Bis Juni zahlt sie Ole 3 Raten.", 0);
    check("Mia fängt am 12. Juli 2031 an.", 1);
    check("Bis August 2031 zahlt sie Ole drei Raten.", 1);
    check("Mia bekommt 16 Euro.", 1);
    check("Sie zahlt Ole vier Raten.", 1);
    check("Sie zahlt es Thomas zurück.", 1);
}

#[test]
fn spanish() {
    let source =
        "Empiezo el lunes que viene en la panadería, 14 euros por hora. Antes de junio le pago a Ole tres cuotas.";
    let check = |summary: &str, expect| assert_eq!(count(Language::Spanish, summary, source), expect, "{summary}");
    check("Mia empieza el 12 de mayo de 2031, por 14 euros.", 0);
    check("Antes de junio de 2031 le paga a Ole tres cuotas.", 0);
    check("Le paga a Ole 3 cuotas.", 0);
    check("Mia empieza el 12 de julio de 2031.", 1);
    check("Antes de agosto de 2031 le paga a Ole.", 1);
    check("Mia gana 16 euros.", 1);
    check("Le paga a Ole cuatro cuotas.", 1);
    check("Le paga a Tomás tres cuotas.", 1);
}

#[test]
fn chinese() {
    let source = "我拿到工作了！下周一去面包店上班，每小时14欧元。六月前我还给Ole三百欧元。";
    let check = |summary: &str, expect| assert_eq!(count(Language::Unspaced, summary, source), expect, "{summary}");
    check("米娅2031年5月12日开始上班，每小时14欧元。", 0);
    check("她在2031年6月前还给Ole300欧元。", 0);
    check("她六月前还给Ole三百欧元。", 0);
    check("米娅2031年7月12日开始上班。", 1);
    check("她在2031年8月前还给Ole钱。", 1);
    check("米娅每小时16欧元。", 1);
    check("她六月前还给Bob三百欧元。", 1);
}

#[test]
fn other_languages() {
    fn check(language: Language, summary: &str, source: &str, expect: u32) {
        assert_eq!(count(language, summary, source), expect, "{summary}");
    }
    let source = "Je commence lundi prochain, et avant juin je rends trois livres à Ole.";
    check(Language::French, "Mia commence le 12 mai 2031 et rend trois livres à Ole avant juin 2031.", source, 0);
    check(Language::French, "Mia commence le 12 août 2031.", source, 1);
    check(Language::French, "Mia rend cinq livres à Ole, qui est très content.", source, 1);
    let source = "Ho pagato cinquecento euro, comincio martedì prossimo.";
    check(Language::Italian, "Mia comincia il 13 maggio 2031.", source, 0);
    check(Language::Italian, "Mia comincia il 13 giugno 2031.", source, 1);
    check(Language::Portuguese, "A Mia começa a 12 de maio de 2031.", "Começo na segunda que vem", 0);
    check(Language::Dutch, "Mia begint op 12 mei 2031.", "Ik begin volgende maandag", 0);
    check(Language::Dutch, "Mia begint op 12 juni 2031.", "Ik begin volgende maandag", 1);
}
