//! A table of phrases with the days that they mean on Thursday, 2026-11-26, in Berlin and in Sydney.

use super::shown_in;

/// Checks all lines of a table and lists those that fail.
#[track_caller]
pub(super) fn check_all(zone: &str, table: &[(&str, &str, &str)]) {
    let failed: Vec<String> = table
        .iter()
        .filter_map(|(language, text, expect)| {
            let shown = shown_in(zone, language, text, "2026-11-26");
            let days: Vec<&str> = shown.iter().map(|time| time.split_once('=').unwrap().1).collect();
            (days.join(" ") != *expect).then(|| format!("{language} {text:?}: {shown:?}, expected {expect:?}"))
        })
        .collect();
    assert!(failed.is_empty(), "{} of {} phrases:\n{}", failed.len(), table.len(), failed.join("\n"));
}

#[test]
fn english_phrases() {
    check_all(
        "Europe/Berlin",
        &[
            ("en", "What did we do at the weekend?", "2026-11-21..2026-11-22"),
            ("en", "How was the weekend?", "2026-11-21..2026-11-22"),
            ("en", "last weekend", "2026-11-21..2026-11-22"),
            ("en", "the weekend before last", "2026-11-14..2026-11-15"),
            ("en", "What did I buy on the 2nd?", "2026-11-02..2026-11-02"),
            ("en", "Who called on the 30th?", "2026-10-30..2026-10-30"),
            ("en", "Who was there on the 26th, and why?", "2026-11-26..2026-11-26"),
            ("en", "Who slept on the 2nd floor?", ""),
            ("en", "What was on the 31st page?", ""),
            ("en", "sales in H1", "2026-01-01..2026-06-30"),
            ("en", "in H2 2025", "2025-07-01..2025-12-31"),
            ("en", "in the first half of 2024", "2024-01-01..2024-06-30"),
            ("en", "in the second half of last year", "2025-07-01..2025-12-31"),
            ("en", "in the first half of May", "2026-05-01..2026-05-15"),
            ("en", "goals in the first half of the match", ""),
            ("en", "Q3 last year", "2025-07-01..2025-09-30"),
            ("en", "in Q2 of this year", "2026-04-01..2026-06-30"),
            ("en", "in March last year", "2025-03-01..2025-03-31"),
            ("en", "last year in March", "2025-03-01..2025-03-31"),
            ("en", "at Christmas last year", "2025-12-24..2025-12-26"),
            ("en", "this time last year", "2025-11-19..2025-12-03"),
            ("en", "what did I do this time last week", "2026-11-19..2026-11-19"),
            ("en", "What was it that you said the other day?", "2026-11-19..2026-11-25"),
            ("en", "on 5/12/2025", ""),
            ("en", "on 25/12/2025", "2025-12-25..2025-12-25"),
            ("en", "on 12/25/2025", "2025-12-25..2025-12-25"),
            ("en", "the week of 3 March", "2026-03-02..2026-03-08"),
            ("en", "the week of March 3rd", "2026-03-02..2026-03-08"),
            ("en", "earlier this year", "2026-01-01..2026-11-26"),
            ("en", "Who visited early this year?", "2026-01-01..2026-03-31"),
            ("en", "in early 2024", "2024-01-01..2024-03-31"),
            ("en", "on 25/12", "2025-12-25..2025-12-25"),
            ("en", "since 10/14", "2026-10-14.."),
            ("en", "on 8/11", ""),
            ("en", "Was the heater on 24/7?", ""),
            ("en", "Who ate 3/4 of the cake, in 1/2 an hour?", ""),
            ("en", "the Saturday before last", "2026-11-14..2026-11-14"),
            ("en", "the Thursday before last", "2026-11-12..2026-11-12"),
            ("en", "three Saturdays ago", "2026-11-07..2026-11-07"),
            ("en", "Where do I go on Saturdays?", ""),
            ("en", "What do I have next Wednesday?", "2026-12-02..2026-12-02"),
            ("en", "Who sat on Wednesday next to Ann?", "2026-11-25..2026-11-25"),
            ("en", "next Thursday", "2026-12-03..2026-12-03"),
            ("en", "What did she do next on Friday?", "2026-11-20..2026-11-20"),
            ("en", "What shall we do next Easter?", ""),
            ("en", "earlier this week", "2026-11-23..2026-11-26"),
            ("en", "at the beginning of May", "2026-05-01..2026-05-10"),
            ("en", "between March and June", "2026-03-01..2026-06-30"),
            ("en", "Where did I live in the nineties?", "1990-01-01..1999-12-31"),
            ("en", "music of the 80s", "1980-01-01..1989-12-31"),
            ("en", "in the late 1990s", "1996-08-31..1999-12-31"),
            ("en", "in her thirties, at 90s speed", ""),
            ("en", "since Tuesday", "2026-11-24.."),
            ("en", "until Easter", "..2026-04-06"),
            ("en", "from the 2nd to the 5th", "2026-11-02..2026-11-05"),
            ("en", "over the summer", "2026-06-01..2026-08-31"),
            ("en", "in April and June", "2026-04-01..2026-04-30 2026-06-01..2026-06-30"),
        ],
    );
}

#[test]
fn english_names_verbs_and_numbers_that_look_like_times() {
    check_all(
        "Europe/Berlin",
        &[
            ("en", "What did April say about the car?", ""),
            ("en", "Where does June work?", ""),
            ("en", "What is May's phone number?", ""),
            ("en", "Has August called back?", ""),
            ("en", "What did June do?", ""),
            ("en", "Did I lend the book to April or to June?", ""),
            ("en", "Is Summer allergic to nuts?", ""),
            ("en", "Did I like Friday Night Lights?", ""),
            ("en", "Did Ann read The Thursday Murder Club?", ""),
            ("en", "What did I buy on Black Friday?", ""),
            ("en", "Ruby Tuesday is my song", ""),
            ("en", "Did I finish 1984 by Orwell?", ""),
            ("en", "Have I seen Blade Runner 2049?", ""),
            ("en", "What did I think of Wonder Woman 1984?", ""),
            ("en", "Do you think this may be the cause?", ""),
            ("en", "Did they want to march to the square?", ""),
            ("en", "I may call, they march, one may fall", ""),
            ("en", "What did the doctor say after the fall?", ""),
            ("en", "What do we do this December?", ""),
            ("en", "What do we do this winter?", ""),
            ("en", "What did we do this summer?", "2026-06-01..2026-08-31"),
            ("en", "What did we do this March?", "2026-03-01..2026-03-31"),
            ("en", "What did the doctor say in the fall?", "2026-09-01..2026-11-30"),
            ("en", "Did I walk 2001 steps?", ""),
            ("en", "Who paid 1984 euros? Or $1984? Or 2010 €?", ""),
            ("en", "What did Ann say in 5 minutes?", ""),
            ("en", "issue #2024 and room 2019", ""),
            ("en", "Have I been to Easter Island?", ""),
            ("en", "Where do I go on weekends?", ""),
            ("en", "a weekend trip, my weekend house", ""),
            ("en", "a second opinion, the first half", ""),
            ("en", "What did I do on Friday night?", "2026-11-20..2026-11-20"),
            ("en", "What did Ann say on Friday? She was late", "2026-11-20..2026-11-20"),
            ("en", "On Friday Ann called; why?", "2026-11-20..2026-11-20"),
            ("en", "the Oslo trip in 2019 by bus", "2019-01-01..2019-12-31"),
            ("en", "What did I do in 1984?", "1984-01-01..1984-12-31"),
            ("en", "Summarise 2023", "2023-01-01..2023-12-31"),
            ("en", "How was April?", "2026-04-01..2026-04-30"),
            ("en", "What did April say in June?", "2026-06-01..2026-06-30"),
        ],
    );
}

#[test]
fn seasons_of_the_southern_hemisphere() {
    let table = [
        ("en", "last summer", "2025-12-01..2026-02-28"),
        ("en", "in the summer of 2024", "2024-12-01..2025-02-28"),
        ("en", "in winter", "2026-06-01..2026-08-31"),
        ("en", "What was I up to in spring?", "2026-09-01..2026-11-30"),
        ("es", "en otoño", "2026-03-01..2026-05-31"),
        ("pt", "no verão passado", "2025-12-01..2026-02-28"),
        ("zh", "去年冬天", "2025-06-01..2025-08-31"),
    ];
    for zone in [
        "Australia/Sydney",
        "America/Sao_Paulo",
        "Pacific/Auckland",
        "Africa/Johannesburg",
        "America/Argentina/Cordoba",
    ] {
        check_all(zone, &table);
    }
    check_all("Europe/Berlin", &[("en", "in winter", "2025-12-01..2026-02-28")]);
}
