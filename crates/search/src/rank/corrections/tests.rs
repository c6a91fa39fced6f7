use annals_core::Fit;
use annals_core::ports::Position;

use super::*;
use crate::fixture::{memory, turn_body};
use crate::score::Score;

/// Returns a memory and its row for `Speaker: text`, at this place of a conversation. `words` are the words of the question:
/// the text matches those that it contains.
fn turn(conversation: usize, index: u32, line: &str, words: &[&str]) -> (Row, Ranked) {
    let (speaker, text) = line.split_once(": ").unwrap();
    let id = format!("{conversation}-{index:02}");
    let mut memory = memory(&id, "2026-03-04".parse().unwrap(), turn_body(speaker, Role::User));
    memory.text = text.to_owned();
    memory.seq = conversation as u64 * 100 + u64::from(index);
    let has = |word: &&str| text.to_lowercase().contains(*word);
    let matched = words.iter().enumerate().filter(|(_, word)| has(word)).fold(0, |bits, (bit, _)| bits | 1 << bit);
    let fit = Fit { similarity: 0.0, words: words.iter().filter(|word| has(word)).count() as f64 / words.len() as f64 };
    let mut score = Score::default();
    score.add(Part::Words, 10.0 * fit.words - f64::from(index) / 10.0);
    let position = Position { conversation, index };
    let row = Row { memory: memory.id.clone(), positions: Some((position, position)), matched, fit, score };
    (row, Ranked { memory, access: None, score, fit })
}

/// Finds the corrections in conversations, which are separated by `~`. Expects them as `correction of corrected`, by position.
#[track_caller]
fn check(question: &str, lines: &[&str], expect: &[&str]) {
    let words: Vec<&str> = question.split(' ').collect();
    let (mut rows, mut ranked) = (Vec::new(), Vec::new());
    let (mut conversation, mut index) = (0, 0);
    for line in lines {
        if *line == "~" {
            (conversation, index) = (conversation + 1, 0);
            continue;
        }
        let (row, memory) = turn(conversation, index, line, &words);
        rows.push(row);
        ranked.push(memory);
        index += 1;
    }
    let found = find_corrections(&rows, &ranked);
    let found: Vec<String> =
        found.iter().map(|correction| format!("{} of {}", correction.by, correction.corrected)).collect();
    assert_eq!(found, expect, "{lines:?}");
}

#[test]
fn correction_belongs_to_the_nearest_turn_that_it_can_correct() {
    let tuesday = "Mia: The meeting is on Tuesday at 9";
    check("meeting", &[tuesday, "Tom: Fine", "Mia: no, it's Wednesday at 10, not Tuesday"], &["0-02 of 0-00"]);
    check("meeting", &[tuesday, "Tom: Fine", "Mia: sorry, Wednesday"], &["0-02 of 0-00"]);
    check("meeting", &[tuesday, "Mia: Dinner is at 8", "Mia: sorry, 8:30"], &["0-02 of 0-01"]);
    check("meeting", &[tuesday, "Mia: Dinner is at 8", "Mia: no, not Tuesday, Friday"], &["0-02 of 0-00"]);
    check("landlord", &["Mia: My landlord is Mr Hargreaves", "Mia: oops, Hargrove, not Hargreaves"], &["0-01 of 0-00"]);
    check("door", &["Mia: I chose green", "Mia: scratch that, blue"], &["0-01 of 0-00"]);
    check("zug", &["Jo: Der Zug fährt um 7:12", "Lea: So früh", "Jo: Sorry, ich meinte 8:12"], &["0-02 of 0-00"]);
    check("stimmer", &["Jo: Er kommt am Donnerstag", "Jo: nee, Freitag, nicht Donnerstag"], &["0-01 of 0-00"]);
    check("piso", &["Ana: Es la tercera planta", "Ana: Uy, cuarta planta, no tercera"], &["0-01 of 0-00"]);
    check("reunión", &["Ana: La reunión es el martes", "Ana: perdón, el miércoles"], &["0-01 of 0-00"]);
    check("开会", &["林: 星期二开会", "陈: 好的", "林: 不对，是星期三"], &["0-02 of 0-00"]);
}

#[test]
fn what_only_begins_like_a_correction_corrects_nothing() {
    let tuesday = "Mia: The meeting is on Tuesday at 9";
    for other in [
        "Tom: no, it's Wednesday at 10, not Tuesday",
        "Mia: Sorry for the noise, the 3 kids are here",
        "Mia: no problem, 5 of us come",
        "Mia: See you on Friday",
        "Mia: sorry, wrong window",
        "Mia: I mean, it's fine",
        "Mia: Sorry, I was in Rome for 3 weeks and then my laptop died and nobody could mend it",
        "Mia: It was not easy to find a room",
    ] {
        check("meeting", &[tuesday, other], &[]);
    }
    // An answer to a question of somebody else.
    check("meeting", &[tuesday, "Tom: Do you leave at 5?", "Mia: no, at 6"], &[]);
    // Too far away, or in another conversation.
    let between = ["Tom: Fine"; 8];
    check("meeting", &[&[tuesday][..], &between, &["Mia: sorry, Wednesday"]].concat(), &[]);
    check("meeting", &[tuesday, "~", "Mia: sorry, Wednesday"], &[]);
}

#[test]
fn update_belongs_to_earlier_turns_of_the_subject() {
    let (old, new) = ("Mia: The offer for the boat is 38k", "Mia: update: the offer for the boat is 42k now");
    check("offer boat", &[old, "~", new], &["1-00 of 0-00"]);
    let plan = "Mia: Change of plan: dinner moves to the Thai place";
    check("dinner", &["Mia: dinner is at Luigi's", "~", plan], &["1-00 of 0-00"]);
    let bath = "Jo: Planänderung: das Bad wird salbeigrün";
    check("bad", &["Jo: Das Bad wird grau", "~", bath], &["1-00 of 0-00"]);
    let bike = "Ana: Actualización: dan 2.100 por la moto";
    check("moto", &["Ana: Me dan 1.800 por la moto", "~", bike], &["1-00 of 0-00"]);
    check("offer boat", &[old, old, "~", new], &["1-00 of 0-00", "1-00 of 0-01"]);
    // Another speaker, another subject, no beginning of an update, a question, and the older one said later.
    check("offer boat", &[old, "~", "Tom: update: the offer for the boat is 42k now"], &[]);
    check("offer boat", &[old, "~", "Mia: update: the house is 420k now"], &[]);
    check("offer boat", &[old, "~", "Mia: The offer for the boat is 42k now"], &[]);
    check("offer boat", &[old, "~", "Mia: Update? Is the offer for the boat 42k now?"], &[]);
    check("offer boat", &[new, "~", old], &[]);
}

#[test]
fn corrections_are_raised_above_what_they_correct_newest_first() {
    #[track_caller]
    fn check(scores: &[f64], corrections: &[(usize, usize)], expect: &[usize]) {
        let turns = scores.iter().zip(0_u32..).map(|(total, index)| {
            let (_, mut ranked) = turn(0, index, "Mia: tea", &["tea"]);
            ranked.score = Score::default();
            ranked.score.add(Part::Words, *total);
            ranked
        });
        let mut ranked: Vec<Ranked> = turns.collect();
        let id = |index: usize| ranked[index].memory.id.clone();
        let corrections: Vec<Correction> =
            corrections.iter().map(|(by, corrected)| Correction { corrected: id(*corrected), by: id(*by) }).collect();
        let ids: Vec<MemoryId> = (0..scores.len()).map(id).collect();
        super::super::sort_ranked(&mut ranked);
        raise_corrections(&mut ranked, &corrections);
        let order: Vec<usize> =
            ranked.iter().filter_map(|ranked| ids.iter().position(|id| *id == ranked.memory.id)).collect();
        assert_eq!(order, expect, "{scores:?} {corrections:?}");
    }
    check(&[5.0, 4.0, 1.0], &[(2, 0)], &[2, 0, 1]);
    check(&[5.0, 4.0, 1.0], &[(2, 1)], &[0, 2, 1]);
    check(&[4.0, 3.0, 5.0], &[(2, 0)], &[2, 0, 1]);
    // Two corrections of one turn, and a correction of a correction.
    check(&[5.0, 1.0, 2.0], &[(1, 0), (2, 0)], &[2, 1, 0]);
    check(&[5.0, 1.0, 2.0], &[(1, 0), (2, 1)], &[2, 1, 0]);
    // An update of several turns goes above the best of them.
    check(&[5.0, 4.0, 1.0], &[(2, 0), (2, 1)], &[2, 0, 1]);
    check(&[5.0, 4.0, 1.0], &[], &[0, 1, 2]);
}

#[test]
fn turns_after_the_best_ones_are_read_back() {
    let rows: Vec<Row> = (0..30).map(|index| turn(index / 15, index as u32 % 15, "Mia: tea", &["tea"]).0).collect();
    let numbers = |found: Vec<Row>| found.iter().map(|row| row.memory.to_string()).collect::<Vec<_>>().join(" ");
    let best = [rows[0].clone(), rows[2].clone()];
    assert_eq!(numbers(followers(&rows, &best)), "0-01 0-03 0-04 0-05 0-06 0-07 0-08 0-09 0-10");
    assert_eq!(numbers(followers(&rows, &[rows[12].clone()])), "0-13 0-14");
    assert_eq!(numbers(followers(&rows, &[])), "");
}
