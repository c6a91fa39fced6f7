use super::*;
use crate::fact::fold;
use crate::fact::fold::tests::log;

/// Checks the merges of a log, as `subject = object: reason`, one per line. Each line of the log is `day verb subject
/// predicate object`, where underscores in names stand for spaces.
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
fn names_of_the_same_words_are_merged() {
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
    // The name without a title is kept, however long it is.
    check(
        "2026-01-01 INSERT Dr_JRR_Tolkien likes tea
         2026-01-02 INSERT J._R._R._Tolkien likes jazz",
        &["Dr JRR Tolkien = J. R. R. Tolkien: same_words"],
    );
    // A single word with a title is not merged, and neither are names with titles of two genders.
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
fn first_name_merges_into_the_only_matching_full_name() {
    let bob = "2026-01-01 INSERT Bob plays cello
        2026-01-02 INSERT Bob_Smith plays cello";
    check(bob, &["Bob = Bob Smith: only_full_name"]);
    check(
        &format!("{bob}\n2026-01-03 INSERT Dr._Bob_Smith likes tea"),
        &["Bob = Bob Smith: only_full_name", "Dr. Bob Smith = Bob Smith: same_words"],
    );
    // No fact is common to these two names only.
    check("2026-01-01 INSERT Bob plays cello\n2026-01-02 INSERT Bob_Smith likes tea", &[]);
    check(&format!("{bob}\n2026-01-03 INSERT Eve plays cello"), &[]);
    // The same if the name of the third person is not the last in the log.
    check(
        "2026-01-01 INSERT Bob plays cello\n2026-01-02 INSERT Eve plays cello\n2026-01-03 INSERT Bob_Smith plays cello",
        &[],
    );
    // A shared alias with an empty entity key does not count as something in common, and joins no names.
    let unnamed = "2026-01-03 INSERT Bob also_known_as ?\n2026-01-04 INSERT Bob_Smith also_known_as ?";
    check(&format!("2026-01-01 INSERT Bob likes tea\n2026-01-02 INSERT Bob_Smith likes jazz\n{unnamed}"), &[]);
    check(&format!("{bob}\n{unnamed}"), &["Bob = Bob Smith: only_full_name"]);
    // Two full names match the first name.
    check(&format!("{bob}\n2026-01-03 INSERT Ann knows Bob_Jones"), &[]);
    // One fact names both, or they differ in a single-valued predicate.
    check(&format!("{bob}\n2026-01-03 INSERT Bob_Smith parent_of Bob"), &[]);
    check(&format!("{bob}\n2026-01-03 INSERT Bob lives_in Rome\n2026-01-04 INSERT Bob_Smith lives_in Oslo"), &[]);
    check(
        &format!(
            "{bob}\n2026-01-03 INSERT Bob lives_in Rome\n2026-01-04 DELETE Bob lives_in Rome\n2026-01-05 INSERT Bob_Smith lives_in Oslo"
        ),
        &["Bob = Bob Smith: only_full_name"],
    );
    // The same with subject and object exchanged, and through an alias.
    check(&format!("{bob}\n2026-01-03 INSERT Bob parent_of Bob_Smith"), &[]);
    check(
        &format!("{bob}\n2026-01-03 INSERT Bob also_known_as Bobby\n2026-01-04 INSERT Bob_Smith parent_of Bobby"),
        &[],
    );
    // A text in lower case is a thing, which has no first name.
    check("2026-01-01 INSERT Ann likes apple\n2026-01-02 INSERT Ann likes apple_pie", &[]);
}

#[test]
fn only_overlapping_single_values_prevent_a_merge() {
    let bob = "2026-01-01 INSERT Bob plays cello\n2026-01-02 INSERT Bob_Smith plays cello";
    let check_with = |more: &str| check(&format!("{bob}\n{more}"), &["Bob = Bob Smith: only_full_name"]);
    // One value ends when the other begins, in either order.
    check_with(
        "2026-01-03 INSERT Bob lives_in Rome\n2026-01-05 DELETE Bob lives_in Rome\n2026-01-05 INSERT Bob_Smith lives_in Oslo",
    );
    check_with(
        "2026-01-03 INSERT Bob_Smith lives_in Oslo\n2026-01-05 DELETE Bob_Smith lives_in Oslo\n2026-01-05 INSERT Bob lives_in Rome",
    );
    // Different predicates, spellings of the same value, and names do not contradict each other.
    check_with("2026-01-03 INSERT Bob lives_in Rome\n2026-01-04 INSERT Bob_Smith works_as baker");
    check_with("2026-01-03 INSERT Bob lives_in Rome\n2026-01-04 INSERT Bob_Smith lives_in rome");
    check_with("2026-01-03 INSERT Bob has_name Bobby\n2026-01-04 INSERT Bob_Smith has_name Robert");
    // Single-valued predicates of other subjects do not count.
    check_with("2026-01-03 INSERT Rex lives_in Bob\n2026-01-04 INSERT Tom lives_in Bob_Smith");
}

#[test]
fn only_first_names_merge_into_full_names() {
    fn check_names(name: &str, full: &str, expect: &[&str]) {
        check(&format!("2026-01-01 INSERT {name} plays cello\n2026-01-02 INSERT {full} plays cello"), expect);
    }
    check_names("Bob", "Bob_Lee_Smith", &["Bob = Bob Lee Smith: only_full_name"]);
    check_names("Bob", "Bob_Lee_Ray_Smith", &[]);
    check_names("Bob_of_the_Hill", "Bob_Smith", &[]);
    check_names("Mr._Bob", "Bob_Smith", &[]);
    check_names("Al", "Al_Green", &[]);
    // The first name must be the subject of a fact other than an alias.
    check(
        "2026-01-01 INSERT Robert plays cello
         2026-01-02 INSERT Bob also_known_as Robert
         2026-01-03 INSERT Bob_Smith plays cello",
        &[],
    );
}

#[test]
fn misspelling_needs_two_shared_facts() {
    let one = "2026-01-01 INSERT Jonathan_Reed plays cello
        2026-01-02 INSERT Jonathan_Reed visited Lyon
        2026-01-03 INSERT Jonathan_Reed likes tea
        2026-01-04 INSERT Johnathan_Reed plays cello";
    check(one, &[]);
    let two = format!("{one}\n2026-01-05 INSERT Johnathan_Reed visited Lyon");
    check(&two, &["Johnathan Reed = Jonathan Reed: misspelling"]);
    // Another name has equally strong evidence.
    let other = "2026-01-06 INSERT Jonathaan_Reed likes tea
        2026-01-07 INSERT Jonathaan_Reed owns Rex
        2026-01-08 INSERT Jonathan_Reed owns Rex";
    check(&format!("{two}\n{other}"), &[]);
    // The same if the name with two candidates comes after one of them in time.
    check(&format!("{two}\n{other}").replace("2026-01-04 INSERT Johnathan", "2025-01-04 INSERT Johnathan"), &[]);
}

#[test]
fn stated_or_retracted_aliases_are_not_inferred() {
    let bob = "2026-01-01 INSERT Bob plays cello\n2026-01-02 INSERT Bob_Smith plays cello";
    check(&format!("{bob}\n2026-01-03 INSERT Bob_Smith also_known_as bob"), &[]);
    // An alias that was stated once still counts after another name replaced it.
    let replaced = "2026-01-03 INSERT Bob also_known_as Bob_Smith\n2026-01-04 UPDATE Bob also_known_as Rob";
    check(&format!("{bob}\n{replaced}"), &[]);
    let retractions = ["Bob also_known_as Bob_Smith", "Bob_Smith also_known_as BOB", "Bob also_known_as "];
    for retraction in retractions.into_iter().chain(["Bob_Smith also_known_as "]) {
        check(&format!("{bob}\n2026-01-03 DELETE {retraction}"), &[]);
    }
    // A DELETE of an alias of another pair, or with another predicate, has no effect.
    for other in ["Eve also_known_as Bob_Smith", "Bob knows Bob_Smith"] {
        check(&format!("{bob}\n2026-01-03 DELETE {other}"), &["Bob = Bob Smith: only_full_name"]);
    }
}

#[test]
fn merge_gives_reason_and_evidence() {
    let mut log = log("2026-01-01 INSERT Bob plays cello\n2026-01-02 INSERT Bob_Smith plays cello");
    log[1].subject = "Bob Smith".into();
    let facts = fold(&log);
    assert_eq!(facts.len(), 3);
    let merge = facts.iter().find(|fact| fact.predicate == ALIAS).unwrap();
    assert_eq!(merge.properties["evidence"], serde_json::json!([log[0].id, log[1].id]));
    assert_eq!(merge.sources, [log[0].source.clone(), log[1].source.clone()]);
    assert_eq!((merge.valid_from, merge.valid_to), (log[1].at, None));
    assert_eq!((merge.recorded_at, merge.mentioned.start), (log[1].recorded_at, log[0].said_at));
    assert_eq!(merge.mentioned.end, facts.iter().map(|fact| fact.mentioned.end).max().unwrap());
    assert!(merge.id.starts_with("m-") && merge.confidence < 1.0);
    assert_eq!(fold(&log[1..]).len(), 1, "it goes with what spoke for it");
}

#[test]
fn merge_limits_evidence_and_lists_each_source_once() {
    let check_of = |things: usize, is_one_source: bool, expect: [usize; 2]| {
        let line = |thing: usize| {
            format!("2026-01-01 INSERT Bob likes t{thing}\n2026-01-02 INSERT Bob_Smith likes t{thing}\n")
        };
        let mut log = log(&(0..things).map(line).collect::<String>());
        for operation in &mut log {
            operation.subject = operation.subject.replace('_', " ");
            if is_one_source {
                operation.source = MemoryId::from_text("t-one");
            }
        }
        let facts = fold(&log);
        let merge = facts.iter().find(|fact| fact.predicate == ALIAS).unwrap();
        assert_eq!([merge.properties[EVIDENCE].as_array().unwrap().len(), merge.sources.len()], expect, "{things}");
    };
    check_of(2, true, [4, 1]);
    check_of(4, false, [8, 8]);
    check_of(20, false, [MAX_EVIDENCE, MAX_EVIDENCE]);
}
