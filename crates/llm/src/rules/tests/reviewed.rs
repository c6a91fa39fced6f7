//! Sentences from which false facts were once extracted.

use annals_core::Role;

use super::{check, check_by};

#[test]
fn past_states_give_no_facts_and_end_current_ones() {
    check("I worked at Google in 2015.", &[]);
    check("I lived in Rome. I worked at Fiat for ten years.", &[]);
    check("My dog Max died last year.", &["DELETE Ann has_pet Max from 2022-01-01"]);
    check("We had to put our dog Max down.", &["DELETE Ann has_pet Max"]);
    check("My late husband Tom loved sailing.", &[]);
    check("I divorced my husband Tom.", &["DELETE Ann married_to Tom"]);
    check("I broke up with my girlfriend Eva.", &["DELETE Ann has_partner Eva"]);
    check("My old boss Karen called me.", &[]);
    check("I had two cats.", &[]);
    check("I love olives. I used to hate olives.", &["Ann likes olives", "DELETE Ann dislikes olives"]);
    check("My dog Bello died yesterday.", &["DELETE Ann has_pet Bello from 2023-05-09"]);
    check("I quit my job at Siemens on Friday.", &["DELETE Ann works_at Siemens from 2023-05-05"]);
    check(
        "I no longer live in Bern, we moved to Basel yesterday.",
        &["DELETE Ann lives_in Bern", "UPDATE Ann lives_in Basel from 2023-05-09"],
    );
}

#[test]
fn idioms_give_no_facts() {
    for text in [
        "I saw my therapist Dr. Miller.",
        "My girlfriend, Toby and I are going camping.",
        "I had a hot dog for lunch.",
        "We have a dog in this fight.",
        "I'm a terrible cook.",
        "I'm married to my job.",
        "I'm engaged and motivated at work.",
        "I work for free.",
        "I turned 30 pages last night.",
        "I have two kids in my class.",
        "I never eat alone.",
        "I'm allergic to Mondays.",
        "I'm gonna die of embarrassment.",
        "I like Friday for the call.",
        "I love getting woken up at 4am.",
        "My best friend Jack Daniel kept me company.",
        "I took my dog Off the leash.",
        "I volunteer at Nothing.",
        "I'm married to Work.",
        "I'm engaged to Help.",
        "I work for Money.",
        "I work at Heights.",
    ] {
        check(text, &[]);
    }
}

#[test]
fn times_tools_and_programs_are_not_places_or_people() {
    for text in [
        "We moved to Slack from Teams.",
        "I'm based in UTC.",
        "I'm living in London for the weekend.",
        "I live in Oslo from next month.",
        "I'm working at 10 tomorrow.",
        "Vim is an editor.",
        "Google works at scale.",
        "Redis lives in Docker.",
    ] {
        check(text, &[]);
    }
}

#[test]
fn quoted_and_fictional_text_gives_no_facts() {
    for text in [
        "Translate this to French: I live in London and I work at Siemens.",
        "Bob: I live in Oslo",
        "She texted: I moved to Berlin!",
        "Let's roleplay. I'm a detective in Paris.",
        "In the novel, I live in Narnia.",
        "Apparently Anna lives in Lisbon.",
    ] {
        check(text, &[]);
    }
}

#[test]
fn aliases_need_more_than_a_claim() {
    for text in ["Example: my name is Alice.", "I go by Uber everywhere.", "Call me Bob.", "My name is Alice."] {
        check(text, &[]);
    }
    check_by(Role::User, "Mallory", "Call me Ann", &[]);
    check_by(Role::User, "user", "Call me Ann", &[]);
}

#[test]
fn lower_case_place_is_read_if_unambiguous() {
    check("i moved to oslo last week", &["UPDATE Ann lives_in oslo from 2023-05-01"]);
    check("i moved to nice last week", &[]);
}
