//! Facts about people whom the speaker names.

use super::check;

#[test]
fn named_relatives_and_friends_have_facts() {
    check("My sister Jo lives in Bath, and I visit her.", &["Ann has_sister Jo", "Jo lives_in Bath"]);
    check("My brother Alan flew in. He is a nurse.", &["Ann has_brother Alan", "Alan works_as nurse"]);
    check(
        "My grandma Rose is 92 and lives in Leeds.",
        &["Ann has_grandmother Rose", "UPDATE Rose age 92", "Rose lives_in Leeds"],
    );
    check(
        "We have two kids, Ivy (6) and Max (3), and Ivy is allergic to peanuts.",
        &["Ann has_child Ivy", "Ann has_child Max", "Ivy allergic_to peanuts"],
    );
    check("My friend Odette has asthma.", &["Ann has_friend Odette", "Odette has_condition asthma"]);
}

#[test]
fn relatives_without_a_name_have_facts() {
    check("My sister is a nurse. She lives in Bath.", &["Ann's sister works_as nurse", "Ann's sister lives_in Bath"]);
    check("my older brother's allergic to nuts", &["Ann's older brother allergic_to nuts"]);
    check("My brother is called Tom. My brother lives in Bath.", &["Ann has_brother Tom", "Tom lives_in Bath"]);
    check("Our daughter is 6 and has asthma.", &["UPDATE Ann's daughter age 6", "Ann's daughter has_condition asthma"]);
    for text in
        ["My mum got a new nurse. She is 24.", "My dad was a nurse.", "Is my dad a nurse?", "If my dad lives in Bath"]
    {
        check(text, &[]);
    }
}

#[test]
fn what_resembles_a_fact_about_a_relative_is_none() {
    for text in [
        "My dad is a bit of a plumber on weekends.",
        "My mum is a nurse in the story I'm writing.",
        "My sister is 30 minutes away.",
        "My son is 18 months old.",
        "My wife is 38 weeks pregnant.",
        "Our partner works at scale.",
        "My dad's boss is a lawyer.",
        "My sister's kids are 4 and 6.",
        "Tom's mum is a nurse.",
        "Apparently my dad has diabetes.",
        "What if my dad has diabetes?",
    ] {
        check(text, &[]);
    }
}

#[test]
fn forms_have_facts() {
    check(
        "Name: Ann Cole\nAge: 34\nJob: nurse\nCity: Leeds\nAllergies: nuts\nDiet: vegan",
        &["UPDATE Ann age 34", "Ann works_as nurse", "Ann lives_in Leeds", "Ann allergic_to nuts", "Ann diet vegan"],
    );
    check(
        "Patient: Tom Baker\nMedication: metformin 500 mg\nWife: Clara",
        &["Tom Baker takes metformin", "Tom Baker married_to Clara"],
    );
    for text in [
        "Write an example\nName: Ann\nJob: nurse",
        "Name: Widget\nLocation: Berlin\nStatus: single",
        "Title: Dune\nAuthor: Frank Herbert\nLanguage: English",
    ] {
        check(text, &[]);
    }
}

#[test]
fn facts_need_a_statement_about_the_person() {
    for text in [
        "Tom lives in Rome.",
        "She is a nurse.",
        "My friend is a nurse.",
        "In the novel my brother Tom lives in Rome.",
        "Write a story: My sister Jo lives in Bath.",
    ] {
        check(text, &[]);
    }
    for text in [
        "My sister Jo wants to live in Rome.",
        "My sister Jo's husband is a nurse. He lives in Bath.",
        "My sister Jo is in Rome this week.",
        "My sister Jo has a dog. She is 14.",
    ] {
        check(text, &["Ann has_sister Jo"]);
    }
}
