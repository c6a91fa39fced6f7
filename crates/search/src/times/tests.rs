//! Tests of the times found in questions that are asked on Wednesday, 2026-03-04.

mod about;
mod languages;
mod phrases;
mod phrases_of_others;

use super::*;

/// Finds the times in a text on a day in Berlin, each as `words=from..to`.
fn shown(language: &str, text: &str, today: &str) -> Vec<String> {
    shown_in("Europe/Berlin", language, text, today)
}

fn shown_in(zone: &str, language: &str, text: &str, today: &str) -> Vec<String> {
    let day = |day: Option<Date>| day.map_or_else(String::new, |day| day.to_string());
    let times = understand(text, language, zone, today.parse().unwrap()).times;
    times.iter().map(|time| format!("{}={}..{}", time.words, day(time.days.from), day(time.days.to))).collect()
}

/// Finds the times in a text and expects them.
#[track_caller]
fn check_in(language: &str, text: &str, expect: &[&str]) {
    assert_eq!(shown(language, text, "2026-03-04"), expect, "{text:?}");
}

#[track_caller]
fn check(text: &str, expect: &[&str]) {
    check_in("en", text, expect);
}

#[test]
fn days_and_weeks_are_found() {
    check("what did Ann say yesterday?", &["yesterday=2026-03-03..2026-03-03"]);
    check("and the day before yesterday", &["the day before yesterday=2026-03-02..2026-03-02"]);
    check("last week, or last Friday?", &["last week=2026-02-23..2026-03-01", "last Friday=2026-02-27..2026-02-27"]);
    check("on Tuesday", &["Tuesday=2026-03-03..2026-03-03"]);
    check("on Wednesday", &["Wednesday=2026-02-25..2026-02-25"]);
    check("next Wednesday", &["next Wednesday=2026-03-11..2026-03-11"]);
    check("the Saturday before last", &["Saturday before last=2026-02-21..2026-02-21"]);
    check("this Wednesday", &["this Wednesday=2026-03-04..2026-03-04"]);
    check("the week of 8 May 2023", &["week of 8 May 2023=2023-05-08..2023-05-14"]);
    check(
        "the week of 2026-02-18 and the weekend of 3 March",
        &["week of 2026-02-18=2026-02-16..2026-02-22", "weekend of 3 March=2026-03-07..2026-03-08"],
    );
    check("the week of March", &["March=2026-03-01..2026-03-31"]);
    check("last weekend", &["last weekend=2026-02-28..2026-03-01"]);
    check("2 weeks ago", &["2 weeks ago=2026-02-16..2026-02-22"]);
    check("two weeks ago", &["two weeks ago=2026-02-16..2026-02-22"]);
    check("a week ago", &["a week ago=2026-02-23..2026-03-01"]);
    check("3 days ago", &["3 days ago=2026-03-01..2026-03-01"]);
    check("in the last 3 days", &["last 3 days=2026-03-01..2026-03-04"]);
    check("last night", &["last night=2026-03-03..2026-03-03"]);
}

#[test]
fn days_and_units_beside_a_time_are_found() {
    check("the Friday before 5 March 2024", &["Friday before 5 March 2024=2024-03-01..2024-03-01"]);
    check("the Tuesday before 5 March 2024", &["Tuesday before 5 March 2024=2024-02-27..2024-02-27"]);
    check("the Tuesday after 5 March 2024", &["Tuesday after 5 March 2024=2024-03-12..2024-03-12"]);
    check("the Monday after Easter 2024", &["Monday after Easter 2024=2024-04-08..2024-04-08"]);
    check("the week before 9 June 2023", &["week before 9 June 2023=2023-06-02..2023-06-08"]);
    check("the week after 9 June 2023", &["week after 9 June 2023=2023-06-10..2023-06-16"]);
    check("the weekend before 15 July 2023", &["weekend before 15 July 2023=2023-07-08..2023-07-09"]);
    check("the weekend after 13 July 2023", &["weekend after 13 July 2023=2023-07-15..2023-07-16"]);
    check("the day before 1 March 2024", &["day before 1 March 2024=2024-02-29..2024-02-29"]);
    check("the month before July 2024", &["month before July 2024=2024-06-01..2024-06-30"]);
    check("the year after 2019", &["year after 2019=2020-01-01..2020-12-31"]);
    check("two months before July 2024", &["two months before July 2024=2024-05-01..2024-05-31"]);
    check("3 days after 30 December 2024", &["3 days after 30 December 2024=2025-01-02..2025-01-02"]);
    check("the week before last Friday", &["week before last Friday=2026-02-20..2026-02-26"]);
    check("the week before last", &["week before last=2026-02-16..2026-02-22"]);
    check("the day before we met", &[]);
    check("on Friday before lunch", &["Friday=2026-02-27..2026-02-27"]);
    check("the last two weeks of August 2023", &["last two weeks of August 2023=2023-08-18..2023-08-31"]);
    check_in("de", "am Montag vor Ostern 2024", &["Montag vor Ostern 2024=2024-03-25..2024-03-25"]);
    check_in("fr", "la semaine avant le 9 juin 2023", &["semaine avant le 9 juin 2023=2023-06-02..2023-06-08"]);
}

#[test]
fn units_that_are_asked_for_are_no_times() {
    check("How many days ago did I buy the lamp?", &[]);
    check("How many weeks before Easter 2024 was it?", &["before Easter 2024=..2024-03-28"]);
    check("How many days did I spend in Rome last year?", &["last year=2025-01-01..2025-12-31"]);
    check_in("de", "Wie viele Wochen vor Ostern 2024 war das?", &["vor Ostern 2024=..2024-03-28"]);
}

#[test]
fn months_quarters_and_years_are_found() {
    check("what happened last month?", &["last month=2026-02-01..2026-02-28"]);
    check("in July 2023", &["July 2023=2023-07-01..2023-07-31"]);
    check("in May 2024", &["May 2024=2024-05-01..2024-05-31"]);
    check("in may and in March", &["may=2025-05-01..2025-05-31", "March=2026-03-01..2026-03-31"]);
    check("in June's heat", &["June=2025-06-01..2025-06-30"]);
    check("last March", &["last March=2025-03-01..2025-03-31"]);
    check("May I march? A march, one may say", &[]);
    check("last year and 2019", &["last year=2025-01-01..2025-12-31", "2019=2019-01-01..2019-12-31"]);
    check("last quarter", &["last quarter=2025-10-01..2025-12-31"]);
    check("the third quarter of 2025", &["third quarter of 2025=2025-07-01..2025-09-30"]);
    check("2026-Q1 or 2026-w10", &["2026-Q1=2026-01-01..2026-03-31", "2026-w10=2026-03-02..2026-03-08"]);
    check("three months ago", &["three months ago=2025-12-01..2025-12-31"]);
    check("over the past two months", &["past two months=2026-01-04..2026-03-04"]);
    check("last summer", &["last summer=2025-06-01..2025-08-31"]);
    check("the summer of 2024", &["summer of 2024=2024-06-01..2024-08-31"]);
}

#[test]
fn dates_and_holidays_are_found() {
    check("on 3 May 2024", &["3 May 2024=2024-05-03..2024-05-03"]);
    check("on May 3rd", &["May 3rd=2025-05-03..2025-05-03"]);
    check("on May 3, 2024", &["May 3 2024=2024-05-03..2024-05-03"]);
    check("the 3rd of March", &["3rd of March=2026-03-03..2026-03-03"]);
    check("on 2026-01-31", &["2026-01-31=2026-01-31..2026-01-31"]);
    check("since Easter", &["since Easter=2025-04-18.."]);
    check("at Christmas", &["Christmas=2025-12-24..2025-12-26"]);
    check("since last Monday", &["since last Monday=2026-03-02.."]);
    check("since July 2025", &["since July 2025=2025-07-01.."]);
}

#[test]
fn words_without_a_time_give_none() {
    check("", &[]);
    check("the second of five, 12 sat in 3019", &[]);
    check("last of the 10 boats ago", &[]);
    check("2026-13-45", &[]);
    check("since he left, the last one", &[]);
    check("a day in the life, many years", &[]);
}

#[test]
fn times_in_other_languages_are_found() {
    check_in("de", "Was war letzten Monat?", &["letzten Monat=2026-02-01..2026-02-28"]);
    check_in(
        "de",
        "im März 2024 und vor zwei Wochen",
        &["März 2024=2024-03-01..2024-03-31", "vor zwei Wochen=2026-02-16..2026-02-22"],
    );
    check_in("de", "am 3. März, seit Ostern", &["3 März=2026-03-03..2026-03-03", "seit Ostern=2025-04-18.."]);
    check_in("de", "gestern und am Dienstag", &["gestern=2026-03-03..2026-03-03", "Dienstag=2026-03-03..2026-03-03"]);
    check_in("fr", "le mois dernier", &["mois dernier=2026-02-01..2026-02-28"]);
    check_in(
        "fr",
        "il y a deux semaines, en juillet 2023",
        &["il y a deux semaines=2026-02-16..2026-02-22", "juillet 2023=2023-07-01..2023-07-31"],
    );
    check_in(
        "fr",
        "hier, depuis Pâques, l'été 2024",
        &["hier=2026-03-03..2026-03-03", "depuis Pâques=2025-04-18..", "été 2024=2024-06-01..2024-08-31"],
    );
    check_in(
        "es",
        "el mes pasado y hace dos semanas",
        &["mes pasado=2026-02-01..2026-02-28", "hace dos semanas=2026-02-16..2026-02-22"],
    );
    check_in(
        "es",
        "en julio de 2023, el martes",
        &["julio de 2023=2023-07-01..2023-07-31", "martes=2026-03-03..2026-03-03"],
    );
    check_in(
        "pt",
        "no mês passado, há duas semanas",
        &["mês passado=2026-02-01..2026-02-28", "há duas semanas=2026-02-16..2026-02-22"],
    );
    check_in(
        "pt",
        "em julho de 2023 e ontem",
        &["julho de 2023=2023-07-01..2023-07-31", "ontem=2026-03-03..2026-03-03"],
    );
    check_in(
        "it",
        "il mese scorso, due settimane fa",
        &["mese scorso=2026-02-01..2026-02-28", "due settimane fa=2026-02-16..2026-02-22"],
    );
    check_in("it", "a luglio 2023, ieri", &["luglio 2023=2023-07-01..2023-07-31", "ieri=2026-03-03..2026-03-03"]);
    check_in(
        "nl",
        "vorige maand, twee weken geleden",
        &["vorige maand=2026-02-01..2026-02-28", "twee weken geleden=2026-02-16..2026-02-22"],
    );
    check_in("nl", "in juli 2023, sinds Pasen", &["juli 2023=2023-07-01..2023-07-31", "sinds Pasen=2025-04-18.."]);
}

#[test]
fn bounds_are_found() {
    check("before May 2024", &["before May 2024=..2024-04-30"]);
    check("soup until Easter", &["until Easter=..2025-04-21"]);
    check("after last March", &["after last March=2025-04-01.."]);
    check("from 3 to 5 March", &["3 to 5 March=2026-03-03..2026-03-05"]);
    check("March 1-3", &["March 1 - 3=2026-03-01..2026-03-03"]);
    check("on 3–5 May 2024", &["3 – 5 May 2024=2024-05-03..2024-05-05"]);
    check("from May to July 2024", &["May to July 2024=2024-05-01..2024-07-31"]);
    check("from November to February", &["November to February=2025-11-01..2026-02-28"]);
    check("between March and May 2025", &["March and May 2025=2025-03-01..2025-05-31"]);
    check("in March and May 2025", &["March=2026-03-01..2026-03-31", "May 2025=2025-05-01..2025-05-31"]);
    check("from Monday to Wednesday", &["Monday to Wednesday=2026-02-23..2026-02-25"]);
    check("before the party, after lunch, until he left, between us and them", &[]);
    check_in("de", "vor Ostern, nach dem 3. März", &["vor Ostern=..2025-04-17", "nach dem 3 März=2026-03-04.."]);
    check_in("de", "bis Juli 2025", &["bis Juli 2025=..2025-07-31"]);
    check_in("fr", "avant Noël", &["avant Noël=..2025-12-23"]);
    check_in("es", "entre marzo y mayo de 2025", &["marzo y mayo de 2025=2025-03-01..2025-05-31"]);
}

#[test]
fn parts_of_months_and_years_are_found() {
    check("the last week of February", &["last week of February=2026-02-22..2026-02-28"]);
    check("the first week of March 2025", &["first week of March 2025=2025-03-01..2025-03-07"]);
    check("the 5th week of February 2024", &["5th week of February 2024=2024-02-29..2024-02-29"]);
    check("the 5th week of February 2026", &["February 2026=2026-02-01..2026-02-28"]);
    check("early March, mid-February", &["early March=2026-03-01..2026-03-10", "mid February=2026-02-10..2026-02-18"]);
    check("in late 2024", &["late 2024=2024-10-01..2024-12-31"]);
    check("the end of May 2025", &["end of May 2025=2025-05-21..2025-05-31"]);
    check("the end of the line, an early bird", &[]);
    check("week 53 of 2020 or week 10", &["week 53 of 2020=2020-12-28..2021-01-03", "week 10=2026-03-02..2026-03-08"]);
    check("in Q3 and Q1 2024", &["Q3=2025-07-01..2025-09-30", "Q1 2024=2024-01-01..2024-03-31"]);
    check("on 29 February", &["29 February=2024-02-29..2024-02-29"]);
    check_in("de", "Anfang März, KW 9", &["Anfang März=2026-03-01..2026-03-10", "KW 9=2026-02-23..2026-03-01"]);
}

#[test]
fn times_counted_from_today_are_found() {
    check("on Tuesday last week", &["Tuesday last week=2026-02-24..2026-02-24"]);
    check("Tuesday of last week", &["Tuesday of last week=2026-02-24..2026-02-24"]);
    check("the week before last", &["week before last=2026-02-16..2026-02-22"]);
    check("the weekend before last", &["weekend before last=2026-02-21..2026-02-22"]);
    check("half a year ago", &["half a year ago=2025-09-01..2025-09-30"]);
    check("a year ago today", &["a year ago today=2025-03-04..2025-03-04"]);
    check_in("de", "vorletzte Woche", &["vorletzte Woche=2026-02-16..2026-02-22"]);
    check_in("de", "vor einem halben Jahr", &["vor einem halben Jahr=2025-09-01..2025-09-30"]);
}

#[test]
fn language_of_a_question_need_not_be_the_agents() {
    check("Suppe letzten Monat", &["letzten Monat=2026-02-01..2026-02-28"]);
    check("Suppe im Juli 2025", &["Juli 2025=2025-07-01..2025-07-31"]);
    check("Was war vorgestern?", &["vorgestern=2026-03-02..2026-03-02"]);
    check("soupe le mois dernier", &["mois dernier=2026-02-01..2026-02-28"]);
    check("la soupe d'il y a deux semaines", &["il y a deux semaines=2026-02-16..2026-02-22"]);
    check("sopa el mes pasado", &["mes pasado=2026-02-01..2026-02-28"]);
    check("O que comi no mês passado?", &["mês passado=2026-02-01..2026-02-28"]);
    check("la zuppa del mese scorso", &["mese scorso=2026-02-01..2026-02-28"]);
    check("de soep van vorige maand", &["vorige maand=2026-02-01..2026-02-28"]);
    check_in("de", "soup last month", &["last month=2026-02-01..2026-02-28"]);
    check("What did Sam say in August 2025 about the van?", &["August 2025=2025-08-01..2025-08-31"]);
}

#[test]
fn chinese() {
    check("上个月发生了什么？", &["上个月=2026-02-01..2026-02-28"]);
    check("我2023年7月去了哪里？", &["2023年7月=2023-07-01..2023-07-31"]);
    check("两周前", &["两周前=2026-02-16..2026-02-22"]);
    check("三天前和昨天", &["三天前=2026-03-01..2026-03-01", "昨天=2026-03-03..2026-03-03"]);
    check("上周二", &["上周二=2026-02-24..2026-02-24"]);
    check("周二", &["周二=2026-03-03..2026-03-03"]);
    check("去年的旅行", &["去年=2025-01-01..2025-12-31"]);
    check("过去三个月", &["过去三个月=2025-12-04..2026-03-04"]);
    check("5月3日", &["5月3日=2025-05-03..2025-05-03"]);
    check("我的猫", &[]);
}

#[test]
fn rest_is_the_question_without_its_times() {
    let rest = |text| understand(text, "en", "Europe/Berlin", "2026-03-04".parse().unwrap()).rest;
    assert_eq!(rest("What happened last month in Bern?"), "What happened in Bern?");
    assert_eq!(rest(""), "");
}

#[test]
fn lengths() {
    let range = |from: &str, to: &str| DateRange { from: from.parse().ok(), to: to.parse().ok() };
    assert_eq!(length(range("2026-03-04", "2026-03-04")), Some(1));
    assert_eq!(length(range("2025-01-01", "2025-12-31")), Some(365));
    assert_eq!(length(DateRange::default()), None);
}

#[test]
fn month_or_season_is_found_if_the_question_has_no_other_topic() {
    check("How was March?", &["March=2026-03-01..2026-03-31"]);
    check("How was May for Ann?", &["May=2025-05-01..2025-05-31"]);
    check("Tell me about March", &["March=2026-03-01..2026-03-31"]);
    check("How was my summer?", &["summer=2025-06-01..2025-08-31"]);
    check("What happened in the summer?", &["summer=2025-06-01..2025-08-31"]);
    check("Where did we go in the summer?", &["summer=2025-06-01..2025-08-31"]);
    check_in("de", "Wie war der Sommer?", &["Sommer=2025-06-01..2025-08-31"]);
    check("How was the march?", &[]);
    check("How was the march in March 2025?", &["March 2025=2025-03-01..2025-03-31"]);
    check("Summarise what May said", &[]);
    check("What did May buy?", &[]);
    check("Which summer dress did I buy?", &[]);
}

#[test]
fn unit_so_far_is_the_present_one() {
    check("Tell me about my year so far", &["year so far=2026-01-01..2026-12-31"]);
    check("How was this week so far?", &["this week so far=2026-03-02..2026-03-08"]);
    check_in("de", "Wie war das Jahr bisher?", &["Jahr bisher=2026-01-01..2026-12-31"]);
    check("What did you read so far?", &[]);
}
