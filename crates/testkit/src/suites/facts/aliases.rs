//! Aliases: an entity is found by any of its names.

use annals_core::Facts;

use super::{about, facts, ids, me, store};
use crate::agent;

pub(super) async fn aliases_are_followed_in_both_directions(tables: &dyn Facts) {
    store(tables, "Bob also_known_as Robert\nBob likes tea\nAnn knows Robert\nEve likes tea\nrobert lives_in Rome")
        .await;
    for name in ["Bob", "Robert", "BOB", "róbert"] {
        assert_eq!(ids(tables, about(name)).await, "a b c e", "{name}");
    }
    assert_eq!(ids(tables, about("Eve")).await, "d");
}

pub(super) async fn aliases_of_aliases_are_followed(tables: &dyn Facts) {
    // Aliases in both directions; the last name is eight steps from the first.
    store(
        tables,
        "n0 also_known_as n1
         n2 also_known_as n1
         n2 also_known_as n3
         n4 also_known_as n3
         n4 also_known_as n5
         n6 also_known_as n5
         n6 also_known_as n7
         n8 also_known_as n7
         n8 likes tea
         Ann knows n4
         n9 likes tea",
    )
    .await;
    for name in ["n0", "n4", "n8"] {
        assert_eq!(ids(tables, about(name)).await, "a b c d e f g h i j", "{name}");
    }
}

pub(super) async fn cycle_of_aliases_ends(tables: &dyn Facts) {
    store(
        tables,
        "Bob also_known_as Robert
         Robert also_known_as Rob
         Rob also_known_as Bob
         Rob also_known_as Rob
         Bob also_known_as Robert
         Rob likes tea",
    )
    .await;
    assert_eq!(ids(tables, about("Robert")).await, "a b c d e f");
}

pub(super) async fn former_alias_is_followed(tables: &dyn Facts) {
    let mut table = facts("Ann also_known_as Mrs_Lee 2020-01-01..2025-01-01\nMrs_Lee likes tea\nAnn likes jazz");
    table[0].superseded_by = Some("d".into());
    tables.replace(&me(), table, 1).await.unwrap();
    assert_eq!(ids(tables, about("Mrs Lee")).await, "b c");
    assert_eq!(ids(tables, about("Ann")).await, "b c");
}

pub(super) async fn retracted_alias_is_not_followed(tables: &dyn Facts) {
    store(tables, "Ann also_known_as Mrs_Lee 2020-01-01..2025-01-01\nMrs_Lee likes tea\nAnn likes jazz").await;
    assert_eq!(ids(tables, about("Mrs Lee")).await, "b");
    assert_eq!(ids(tables, about("Ann")).await, "c");
}

pub(super) async fn only_the_alias_predicate_makes_aliases(tables: &dyn Facts) {
    store(tables, "Bob is Robert\nRobert knows Bobby\nBobby also_known as\nas likes tea").await;
    assert_eq!(ids(tables, about("Bob")).await, "a");
    assert_eq!(ids(tables, about("Bobby")).await, "b c");
}

pub(super) async fn empty_alias_joins_nothing(tables: &dyn Facts) {
    store(
        tables,
        "Bob also_known_as ?
         Ann also_known_as !
         ?? also_known_as Eve
         Ann likes tea
         ?? likes jazz",
    )
    .await;
    assert_eq!(ids(tables, about("Bob")).await, "a");
    assert_eq!(ids(tables, about("Ann")).await, "b d");
    assert_eq!(ids(tables, about("Eve")).await, "c");
}

pub(super) async fn alias_of_another_agent_is_ignored(tables: &dyn Facts) {
    tables.replace(&agent("other"), facts("Bob also_known_as Robert"), 1).await.unwrap();
    store(tables, "Bob likes tea\nRobert likes jazz").await;
    assert_eq!(ids(tables, about("Bob")).await, "a");
}
