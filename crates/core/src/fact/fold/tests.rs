use proptest::prelude::*;

use super::*;
use crate::MemoryId;

/// Parses operations, one per line, as `day verb subject predicate object[<replaces]`. Each line is a turn of its own.
pub(in crate::fact) fn log(lines: &str) -> Vec<FactOperation> {
    lines.lines().map(str::trim).filter(|line| !line.is_empty()).enumerate().map(|(at, line)| read(at, line)).collect()
}

fn read(at: usize, line: &str) -> FactOperation {
    let words: Vec<&str> = line.split(' ').collect();
    let (object, replaces) = match words.get(4).copied().unwrap_or_default().split_once('<') {
        Some((object, former)) => (object, Some(former.to_owned())),
        None => (words.get(4).copied().unwrap_or_default(), None),
    };
    let day: Timestamp = format!("{}T12:00:00Z", words[0]).parse().unwrap();
    let source = MemoryId::from_text(format!("t-{at}"));
    FactOperation {
        id: FactOperation::id(&source, 0),
        verb: words[1].parse().unwrap(),
        subject: words[2].into(),
        predicate: words[3].into(),
        object: object.into(),
        replaces,
        properties: Default::default(),
        confidence: 0.9,
        at: day,
        said_at: day,
        source,
        position: 0,
        recorded_at: day,
    }
}

/// Formats facts as `subject predicate object from..to xN`, where N is the number of sources.
fn show(facts: &[Fact]) -> String {
    let line = |fact: &Fact| {
        let day = |at: Timestamp| at.to_string()[..10].to_owned();
        let end = fact.valid_to.map(day).unwrap_or_default();
        let (from, count) = (day(fact.valid_from), fact.sources.len());
        format!("{} {} {} {from}..{end} x{count}", fact.subject, fact.predicate, fact.object)
    };
    facts.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check(lines: &str, expect: &str) {
    let expect: Vec<&str> = expect.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(show(&fold(&log(lines))), expect.join("\n"));
}

#[test]
fn two_moves_give_consecutive_homes() {
    check(
        "2026-01-01 INSERT Ann lives_in Rome
         2026-02-01 UPDATE Ann lives_in Oslo<Rome
         2026-03-01 UPDATE Ann lives_in Bern",
        "Ann lives_in Rome 2026-01-01..2026-02-01 x1
         Ann lives_in Oslo 2026-02-01..2026-03-01 x1
         Ann lives_in Bern 2026-03-01.. x1",
    );
}

#[test]
fn insert_ends_the_former_value_of_a_single_valued_predicate() {
    check(
        "2026-01-01 INSERT Ann lives_in Rome
         2026-02-01 INSERT Ann lives_in Oslo",
        "Ann lives_in Rome 2026-01-01..2026-02-01 x1
         Ann lives_in Oslo 2026-02-01.. x1",
    );
}

#[test]
fn update_of_a_single_valued_predicate_ignores_replaces() {
    check(
        "2026-01-01 INSERT Ann lives_in Bern
         2026-02-01 UPDATE Ann lives_in Oslo<Rome",
        "Ann lives_in Bern 2026-01-01..2026-02-01 x1
         Ann lives_in Oslo 2026-02-01.. x1",
    );
}

#[test]
fn other_values_of_a_multi_valued_predicate_stay() {
    check(
        "2026-01-01 INSERT Ann likes tea
         2026-01-02 INSERT Ann likes jazz
         2026-01-03 UPDATE Ann likes coffee<Tea",
        "Ann likes tea 2026-01-01..2026-01-03 x1
         Ann likes jazz 2026-01-02.. x1
         Ann likes coffee 2026-01-03.. x1",
    );
}

#[test]
fn delete_ends_the_named_value_or_all_values() {
    check(
        "2026-01-01 INSERT Ann plans trip
         2026-01-02 INSERT Ann plans party
         2026-01-03 DELETE Ann plans trip",
        "Ann plans trip 2026-01-01..2026-01-03 x1
         Ann plans party 2026-01-02.. x1",
    );
    check("2026-01-01 INSERT Ann likes tea\n2026-01-02 DELETE Ann likes", "Ann likes tea 2026-01-01..2026-01-02 x1");
    check("2026-01-02 DELETE Ann likes tea", "");
}

#[test]
fn marriage_ends_the_engagement_and_divorce_the_marriage() {
    check(
        "2026-01-01 INSERT Ann engaged_to Tom
         2026-02-01 INSERT Ann married_to tom
         2026-03-01 UPDATE Ann marital_status divorced",
        "Ann engaged_to Tom 2026-01-01..2026-02-01 x1
         Ann married_to tom 2026-02-01..2026-03-01 x1
         Ann marital_status divorced 2026-03-01.. x1",
    );
    check(
        "2026-01-01 INSERT Ann engaged_to Tom
         2026-02-01 INSERT Ann married_to Bob
         2026-02-01 DELETE Ann marital_status divorced",
        "Ann engaged_to Tom 2026-01-01.. x1
         Ann married_to Bob 2026-02-01.. x1",
    );
    check(
        "2026-01-01 UPDATE Ann marital_status divorced
         2026-02-01 INSERT Ann married_to Bob",
        "Ann marital_status divorced 2026-01-01.. x1
         Ann married_to Bob 2026-02-01.. x1",
    );
    check_words(
        &[
            ("Ann", "2026-01-01 INSERT Ann married_to Tom"),
            ("Mallory", "2026-02-01 UPDATE Ann marital_status divorced"),
        ],
        "Ann married_to Tom 2026-01-01.. x1
         Ann marital_status divorced 2026-02-01.. x1",
    );
}

#[test]
fn late_import_of_old_operations_keeps_newer_facts() {
    check(
        "2026-01-01 INSERT Ann lives_in Oslo
         2019-01-01 INSERT Ann lives_in Rome",
        "Ann lives_in Rome 2019-01-01..2026-01-01 x1
         Ann lives_in Oslo 2026-01-01.. x1",
    );
}

#[test]
fn repeated_statement_is_one_fact_with_all_sources() {
    let lines: Vec<String> = (1..=10).map(|day| format!("2026-01-{day:02} INSERT ánn likes Tea")).collect();
    check(&lines.join("\n"), "ánn likes Tea 2026-01-01.. x10");
    check("2026-01-01 INSERT Ann likes tea\n2026-01-02 INSERT ANN likes TEA", "Ann likes tea 2026-01-01.. x2");
}

#[test]
fn update_of_an_unknown_value_opens_the_new_value() {
    check("2026-01-01 UPDATE Ann likes coffee<tea", "Ann likes coffee 2026-01-01.. x1");
}

#[test]
fn update_to_the_current_value_confirms_it_and_ends_others() {
    check(
        "2026-01-01 INSERT Ann drives Fiat
         2026-01-02 INSERT Ann drives Saab
         2026-01-03 UPDATE Ann drives saab",
        "Ann drives Fiat 2026-01-01..2026-01-03 x1
         Ann drives Saab 2026-01-02.. x2",
    );
}

#[test]
fn fact_reopens_without_the_operation_that_ended_it() {
    let mut log = log("2026-01-01 INSERT Ann lives_in Rome\n2026-02-01 UPDATE Ann lives_in Oslo");
    let ended = &fold(&log)[0];
    assert_eq!(ended.superseded_by.as_ref(), Some(&log[1].id));
    log.pop();
    assert_eq!(show(&fold(&log)), "Ann lives_in Rome 2026-01-01.. x1");
}

/// Checks the facts of a log. Each line comes with the day on which its object ends by itself, or an empty string.
#[track_caller]
fn check_until(lines: &[(&str, &str)], expect: &str) {
    let mut log = log(&lines.iter().map(|(line, _)| *line).collect::<Vec<_>>().join("\n"));
    for (operation, (_, until)) in log.iter_mut().zip(lines).filter(|(_, (_, until))| !until.is_empty()) {
        operation.properties.insert(UNTIL.to_owned(), format!("{until}T00:00:00Z").into());
    }
    let expect: Vec<&str> = expect.lines().map(str::trim).collect();
    assert_eq!(show(&fold(&log)), expect.join("\n"), "{lines:?}");
}

#[test]
fn fact_with_until_ends_at_that_instant() {
    let flight = ("2026-01-01 INSERT Ann plans Oslo", "2026-01-10");
    check_until(&[flight], "Ann plans Oslo 2026-01-01..2026-01-10 x1");
    let postponed = ("2026-01-05 INSERT Ann plans Oslo", "2026-02-01");
    check_until(&[flight, postponed], "Ann plans Oslo 2026-01-01..2026-02-01 x2");
    let again = ("2026-01-20 INSERT Ann plans Oslo", "2026-02-01");
    check_until(
        &[flight, again],
        "Ann plans Oslo 2026-01-01..2026-01-10 x1
         Ann plans Oslo 2026-01-20..2026-02-01 x1",
    );
    let cancelled = ("2026-01-05 DELETE Ann plans Oslo", "");
    check_until(&[flight, cancelled], "Ann plans Oslo 2026-01-01..2026-01-05 x1");
    check_until(&[flight, ("2026-01-05 INSERT Ann plans Oslo", "")], "Ann plans Oslo 2026-01-01..2026-01-10 x2");
    check_until(&[("2026-01-11 INSERT Ann plans Oslo", "2026-01-10")], "Ann plans Oslo 2026-01-11.. x1");
}

/// Checks the facts of a log. Each line comes with its speaker, or with an empty string for a manual entry.
#[track_caller]
fn check_words(lines: &[(&str, &str)], expect: &str) {
    let mut log = log(&lines.iter().map(|(_, line)| *line).collect::<Vec<_>>().join("\n"));
    for (operation, (speaker, _)) in log.iter_mut().zip(lines).filter(|(_, (speaker, _))| !speaker.is_empty()) {
        operation.properties.insert(SPEAKER.to_owned(), (*speaker).into());
    }
    let expect: Vec<&str> = expect.lines().map(str::trim).collect();
    assert_eq!(show(&fold(&log)), expect.join("\n"), "{lines:?}");
}

#[test]
fn hearsay_changes_neither_end_nor_details_of_first_hand_facts() {
    let mut log = log("2026-01-01 INSERT Ann plans Oslo\n2026-01-02 INSERT Ann plans Oslo");
    for (operation, speaker) in log.iter_mut().zip(["Ann", "Mallory"]) {
        operation.properties.insert(SPEAKER.to_owned(), speaker.into());
    }
    log[1].properties.insert(UNTIL.to_owned(), "2026-01-03T00:00:00Z".into());
    log[1].properties.insert("place".to_owned(), "nowhere".into());
    let facts = fold(&log);
    assert_eq!(show(&facts), "Ann plans Oslo 2026-01-01.. x2");
    assert!(!facts[0].properties.contains_key("place"), "{:?}", facts[0].properties);
}

#[test]
fn hearsay_neither_ends_nor_replaces_first_hand_facts() {
    let home = ("Ann", "2026-01-01 INSERT Ann lives_in Rome");
    let holds = "Ann lives_in Rome 2026-01-01.. x1";
    check_words(&[home, ("Mallory", "2026-01-02 INSERT Ann lives_in Oslo")], holds);
    check_words(&[home, ("Mallory", "2026-01-02 UPDATE Ann lives_in Oslo<Rome")], holds);
    check_words(&[home, ("Mallory", "2026-01-02 DELETE Ann lives_in Rome")], holds);
    check_words(&[home, ("Mallory", "2026-01-02 DELETE Ann lives_in")], holds);
    check_words(&[home, ("Mallory", "2026-01-02 INSERT Ann lives_in rome")], "Ann lives_in Rome 2026-01-01.. x2");
    check_words(&[("", home.1), ("Mallory", "2026-01-02 DELETE Ann lives_in Rome")], holds);
    check_words(
        &[("Ann", "2026-01-01 INSERT Ann married_to Tom"), ("Mallory", "2026-01-02 UPDATE Ann married_to Bob")],
        "Ann married_to Tom 2026-01-01.. x1",
    );
}

#[test]
fn own_statement_or_manual_entry_ends_and_replaces() {
    let home = ("Ann", "2026-01-01 INSERT Ann lives_in Rome");
    let ended = "Ann lives_in Rome 2026-01-01..2026-01-02 x1";
    check_words(&[home, ("ann", "2026-01-02 DELETE Ann lives_in Rome")], ended);
    check_words(&[home, ("", "2026-01-02 DELETE Ann lives_in Rome")], ended);
    let hearsay = ("Mallory", home.1);
    check_words(&[hearsay, ("Bob", "2026-01-02 DELETE Ann lives_in Rome")], ended);
    check_words(
        &[hearsay, ("Ann", "2026-01-02 INSERT Ann lives_in Oslo")],
        "Ann lives_in Rome 2026-01-01..2026-01-02 x1
         Ann lives_in Oslo 2026-01-02.. x1",
    );
}

#[test]
fn statement_under_an_alias_of_the_speaker_is_first_hand() {
    let name = ("user", "2026-01-01 INSERT user also_known_as Ann");
    let home = ("", "2026-01-02 INSERT Ann lives_in Rome");
    let moved = ("user", "2026-01-03 INSERT Ann lives_in Oslo");
    check_words(
        &[name, home, moved],
        "user also_known_as Ann 2026-01-01.. x1
         Ann lives_in Rome 2026-01-02..2026-01-03 x1
         Ann lives_in Oslo 2026-01-03.. x1",
    );
    check_words(&[home, moved], "Ann lives_in Rome 2026-01-02.. x1");
}

#[test]
fn fact_keeps_its_speaker_only_for_hearsay() {
    let speaker = |lines: &[(&str, &str)]| {
        let mut log = log(&lines.iter().map(|(_, line)| *line).collect::<Vec<_>>().join("\n"));
        for (operation, (speaker, _)) in log.iter_mut().zip(lines) {
            operation.properties.insert(SPEAKER.to_owned(), (*speaker).into());
        }
        fold(&log)[0].properties.get(SPEAKER).map(|speaker| speaker.as_str().unwrap().to_owned())
    };
    let line = "2026-01-01 INSERT Ann likes tea";
    assert_eq!(speaker(&[("Bob", line)]).as_deref(), Some("Bob"));
    assert_eq!(speaker(&[("Ann", line)]), None);
    assert_eq!(speaker(&[("Bob", line), ("Ann", line)]), None);
}

fn operations() -> impl Strategy<Value = Vec<FactOperation>> {
    let operation = (1..28_u32, 0..3_usize, 0..2_usize, 0..2_usize, 0..3_usize, 0..4_usize);
    proptest::collection::vec(operation, 0..12).prop_map(|drawn| {
        let lines: Vec<String> = drawn
            .into_iter()
            .map(|(day, verb, subject, predicate, object, former)| {
                let verb = ["INSERT", "UPDATE", "DELETE"][verb];
                let former = ["", "<tea", "<jazz", "<rome"][if verb == "UPDATE" { former } else { 0 }];
                let subject = ["Ann", "Bob"][subject];
                let predicate = ["likes", "lives_in"][predicate];
                let object = ["tea", "jazz", "rome"][object];
                format!("2026-01-{day:02} {verb} {subject} {predicate} {object}{former}")
            })
            .collect();
        log(&lines.join("\n"))
    })
}

proptest! {
    #[test]
    fn arrival_order_does_not_change_the_facts(log in operations(), seed in any::<u64>()) {
        let mut shuffled = log.clone();
        shuffled.sort_by_key(|operation| crate::Digest::of([operation.id.as_bytes(), &seed.to_le_bytes()]));
        prop_assert_eq!(fold(&log), fold(&shuffled));
    }

    #[test]
    fn intervals_are_ordered_and_equal_facts_do_not_overlap(log in operations()) {
        let facts = fold(&log);
        for (at, one) in facts.iter().enumerate() {
            prop_assert!(one.valid_to.is_none_or(|end| one.valid_from <= end));
            for other in &facts[at + 1..] {
                let same = one.subject == other.subject && one.predicate == other.predicate && one.object == other.object;
                let apart = one.valid_to.is_some_and(|end| end <= other.valid_from)
                    || other.valid_to.is_some_and(|end| end <= one.valid_from);
                prop_assert!(!same || apart, "{one:?} {other:?}");
            }
        }
    }
}
