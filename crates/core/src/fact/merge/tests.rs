use super::*;
use crate::fact::fold;
use crate::fact::fold::tests::log;

/// `subject object: why` of the merges of a log, one a line; each line of the log as `day verb subject predicate object`,
/// underscores of names standing for spaces.
#[track_caller]
fn check(lines: &str, expect: &[&str]) {
    let mut log = log(lines);
    for operation in &mut log {
        operation.subject = operation.subject.replace('_', " ");
        operation.object = operation.object.replace('_', " ");
    }
    let found: Vec<String> = fold(&log).iter().filter_map(show).collect();
    assert_eq!(found, expect, "{lines}");
    log.reverse();
    let reversed: Vec<String> = fold(&log).iter().filter_map(show).collect();
    assert_eq!(reversed, expect, "in another order: {lines}");
}

fn show(fact: &Fact) -> Option<String> {
    let why = fact.properties.get(MERGED_BECAUSE)?.as_str()?;
    Some(format!("{} = {}: {why}", fact.subject, fact.object))
}

#[test]
fn names_of_the_same_words_are_one() {
    check(
        "2026-01-01 INSERT Dr._Bob_Smith likes tea
         2026-01-02 INSERT Ann knows Bob_Smith",
        &["Dr. Bob Smith = Bob Smith: same_words"],
    );
    check(
        "2026-01-01 INSERT J.R.R._Tolkien likes tea
         2026-01-02 INSERT J._R._R._Tolkien likes jazz
         2026-01-03 INSERT Bob_Smith's likes tea
         2026-01-04 INSERT Prof._Bob_Smith likes tea",
        &["J. R. R. Tolkien = J.R.R. Tolkien: same_words", "Prof. Bob Smith = Bob Smith's: same_words"],
    );
    // Of one word only a title could tell them apart, and two titles do.
    check("2026-01-01 INSERT Mr._Smith likes tea\n2026-01-02 INSERT Smith likes jazz", &[]);
    check(
        "2026-01-01 INSERT Mr._Alex_Kim likes tea
         2026-01-02 INSERT Mrs._Alex_Kim likes jazz
         2026-01-03 INSERT Alex_Kim likes rain",
        &[],
    );
    check("2026-01-01 INSERT Ann likes Route_66.\n2026-01-02 INSERT Ann likes Route-66", &[]);
}

#[test]
fn a_first_name_is_that_of_the_only_one_it_fits() {
    let bob = "2026-01-01 INSERT Bob plays cello
        2026-01-02 INSERT Bob_Smith plays cello";
    check(bob, &["Bob = Bob Smith: only_full_name"]);
    check(
        &format!("{bob}\n2026-01-03 INSERT Dr._Bob_Smith likes tea").replace("Bob_Smith plays", "Bob_Smith plays"),
        &["Bob = Bob Smith: only_full_name", "Dr. Bob Smith = Bob Smith: same_words"],
    );
    // Nothing that only they share.
    check("2026-01-01 INSERT Bob plays cello\n2026-01-02 INSERT Bob_Smith likes tea", &[]);
    check(&format!("{bob}\n2026-01-03 INSERT Eve plays cello"), &[]);
    // Two fit.
    check(&format!("{bob}\n2026-01-03 INSERT Ann knows Bob_Jones"), &[]);
    // One fact names both, or they differ.
    check(&format!("{bob}\n2026-01-03 INSERT Bob_Smith parent_of Bob"), &[]);
    check(&format!("{bob}\n2026-01-03 INSERT Bob lives_in Rome\n2026-01-04 INSERT Bob_Smith lives_in Oslo"), &[]);
    check(
        &format!(
            "{bob}\n2026-01-03 INSERT Bob lives_in Rome\n2026-01-04 DELETE Bob lives_in Rome\n2026-01-05 INSERT Bob_Smith lives_in Oslo"
        ),
        &["Bob = Bob Smith: only_full_name"],
    );
    // A thing is no first name.
    check("2026-01-01 INSERT Ann likes apple\n2026-01-02 INSERT Ann likes apple_pie", &[]);
}

#[test]
fn a_slip_in_a_long_name_needs_two_shared_facts() {
    let one = "2026-01-01 INSERT Jonathan_Reed plays cello
        2026-01-02 INSERT Jonathan_Reed visited Lyon
        2026-01-03 INSERT Jonathan_Reed likes tea
        2026-01-04 INSERT Johnathan_Reed plays cello";
    check(one, &[]);
    let two = format!("{one}\n2026-01-05 INSERT Johnathan_Reed visited Lyon");
    check(&two, &["Johnathan Reed = Jonathan Reed: misspelling"]);
    // As much speaks for another.
    let other = "2026-01-06 INSERT Jonathaan_Reed likes tea
        2026-01-07 INSERT Jonathaan_Reed owns Rex
        2026-01-08 INSERT Jonathan_Reed owns Rex";
    check(&format!("{two}\n{other}"), &[]);
}

#[test]
fn what_was_said_already_is_not_concluded_and_what_was_retracted_never() {
    let bob = "2026-01-01 INSERT Bob plays cello\n2026-01-02 INSERT Bob_Smith plays cello";
    check(&format!("{bob}\n2026-01-03 INSERT Bob_Smith also_known_as bob"), &[]);
    for retraction in ["Bob also_known_as Bob_Smith", "Bob_Smith also_known_as BOB", "Bob also_known_as "] {
        check(&format!("{bob}\n2026-01-03 DELETE {retraction}"), &[]);
    }
    check(&format!("{bob}\n2026-01-03 DELETE Eve also_known_as Bob_Smith"), &["Bob = Bob Smith: only_full_name"]);
}

#[test]
fn a_merge_says_why_and_by_what() {
    let mut log = log("2026-01-01 INSERT Bob plays cello\n2026-01-02 INSERT Bob_Smith plays cello");
    log[1].subject = "Bob Smith".into();
    let facts = fold(&log);
    assert_eq!(facts.len(), 3);
    let merge = facts.iter().find(|fact| fact.predicate == ALIAS).unwrap();
    assert_eq!(merge.properties["evidence"], serde_json::json!([log[0].id, log[1].id]));
    assert_eq!(merge.sources, [log[0].source.clone(), log[1].source.clone()]);
    assert_eq!((merge.valid_from, merge.valid_to), (log[1].at, None));
    assert!(merge.id.starts_with("m-") && merge.confidence < 1.0);
    assert_eq!(fold(&log[1..]).len(), 1, "it goes with what spoke for it");
}
