//! Facts that are found and texts without facts, in small cases. The messages are by Ann, from Wednesday, 10 May 2023, at noon.

mod conversations;
mod endings;
mod invented;
mod labelled;
mod languages;
mod natural;
mod no_fact;
mod people;
mod random;
mod reviewed;

use annals_core::ports::ExtractionTask;
use annals_core::{
    Agent, Body, Fact, FactOperation, Grain, Interval, MemoryId, Period, SPEAKER, Timestamp, TurnKey, UNTIL, Verb,
    Zones, fold,
};

use super::*;

fn turn(number: usize, role: Role, speaker: &str, text: &str) -> Memory {
    let at: Timestamp = "2023-05-10T12:00:00Z".parse().unwrap();
    let day = Zones::new("UTC").unwrap().day_of(at);
    let key = TurnKey { conversation: "c".into(), id: format!("{number:03}") };
    Memory {
        id: MemoryId::turn(&Agent::new("a").unwrap(), &key),
        grain: Grain::Working,
        period: Period::of(Grain::Daily, day),
        cover: Interval { start: at, end: at },
        days: (day, day),
        text: text.to_owned(),
        pinned: false,
        seq: 0,
        body: Body::Turn { speaker: speaker.to_owned(), role, conversation: key.conversation, message: key.id },
    }
}

#[test]
fn turn_on_which_a_rule_panics_is_rejected_and_the_others_are_read() {
    let turns = ["one", "two", "three"].map(|text| turn(0, Role::User, "Ann", text));
    let mut read = Vec::new();
    let rejected = read_each(turns.iter(), |turn| {
        assert_ne!(turn.text, "two");
        read.push(turn.text.as_str());
    });
    assert_eq!((read, rejected.len()), (vec!["one", "three"], 1), "{rejected:?}");
}

fn found_in(turns: &[Memory], known: &[Fact]) -> Vec<FactOperation> {
    let (agent, settings) = (Agent::new("a").unwrap(), Settings::default());
    let now = "2023-05-11T00:00:00Z".parse().unwrap();
    let task = ExtractionTask {
        agent: &agent,
        settings: &settings,
        turns,
        context: &[],
        known,
        predicates: &[],
        now,
        access_key: None,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let found = runtime.block_on(Rules.extract(task)).unwrap();
    assert!(found.statements.is_empty() && found.rejected.is_empty());
    found.operations
}

/// Formats an operation: `Ann likes tea`, `DELETE Ann likes tea`, `UPDATE Ann lives_in Oslo (was Rome)`, with `{when: 2023-06}`
/// and `from 2022-01-01`.
fn line(operation: &FactOperation) -> String {
    let FactOperation { verb, subject, predicate, object, .. } = operation;
    let verb = if *verb == Verb::Insert { String::new() } else { format!("{verb} ") };
    let former = operation.replaces.as_ref().map(|former| format!(" (was {former})")).unwrap_or_default();
    let properties = operation.properties.iter().filter(|(name, _)| *name != SPEAKER && *name != UNTIL);
    let properties = properties.map(|(name, value)| format!(" {{{name}: {}}}", value.as_str().unwrap()));
    let from = if operation.at == operation.said_at {
        String::new()
    } else {
        format!(" from {:.10}", operation.at.to_string())
    };
    format!("{verb}{subject} {predicate} {object}{former}{}{from}", properties.collect::<String>())
        .trim_end()
        .to_owned()
}

fn check_by(role: Role, speaker: &str, text: &str, expect: &[&str]) {
    let found = found_in(&[turn(0, role, speaker, text)], &[]);
    assert_eq!(found.iter().map(line).collect::<Vec<_>>(), expect, "{text}");
}

fn check(text: &str, expect: &[&str]) {
    check_by(Role::User, "Ann", text, expect);
}

#[test]
fn likes_and_dislikes_are_found() {
    check("I love hiking.", &["Ann likes hiking"]);
    check("i really like tea and coffee", &["Ann likes tea", "Ann likes coffee"]);
    check("I enjoy tea, coffee, and cake!", &["Ann likes tea", "Ann likes coffee", "Ann likes cake"]);
    check("Yeah, I love fantasy and sci-fi movies, they're great.", &["Ann likes fantasy", "Ann likes sci-fi movies"]);
    check("I’m a big fan of video games.", &["Ann likes video games"]);
    check("I've always loved horses", &["Ann likes horses"]);
    check("I like painting, because it calms me.", &["Ann likes painting"]);
    check("I love playing the piano.", &["Ann likes playing the piano"]);
    check("I love to travel.", &["Ann likes travel"]);
    check("I hate crowds.", &["Ann dislikes crowds", "DELETE Ann likes crowds"]);
    check("I don't really like dark beer.", &["Ann dislikes dark beer", "DELETE Ann likes dark beer"]);
    check("My favorite book is The Hobbit.", &["Ann has_favorite The Hobbit {kind: book}"]);
    check("Harry Potter is my favourite book!", &["Ann has_favorite Harry Potter {kind: book}"]);
}

#[test]
fn homes_and_origins_are_found() {
    check("I live in Rome.", &["Ann lives_in Rome"]);
    check("We live in Santa Fe, New Mexico.", &["Ann lives_in Santa Fe, New Mexico"]);
    check("Last year I moved to Oslo.", &["UPDATE Ann lives_in Oslo from 2022-01-01"]);
    check("In 2019, I moved to Oslo.", &["UPDATE Ann lives_in Oslo from 2019-01-01"]);
    check("On Friday we moved to Oslo.", &["UPDATE Ann lives_in Oslo from 2023-05-05"]);
    check("My wife and I live in Rome.", &["Ann lives_in Rome"]);
    check("I live in Rome and work at Fiat.", &["Ann lives_in Rome", "Ann works_at Fiat"]);
    check("I want to live in Rome and work at Fiat.", &[]);
    check("I moved from Rome to Oslo in March 2022", &["UPDATE Ann lives_in Oslo (was Rome) from 2022-03-01"]);
    check("I've lived in Rome for ten years.", &["Ann lives_in Rome from 2013-01-01"]);
    check("I'm originally from Sweden.", &["Ann is_from Sweden"]);
    check("I was born in Lyon in 1990.", &["Ann born_in Lyon from 1990-01-01", "UPDATE Ann born_on 1990"]);
    check("I was born on 5 May 1990.", &["UPDATE Ann born_on 1990-05-05"]);
    check("My birthday is on May 5th.", &["UPDATE Ann has_birthday 5 May"]);
    check("Today is my birthday!", &["UPDATE Ann has_birthday 10 May"]);
    check("I'm 34 years old.", &["UPDATE Ann age 34"]);
    check("I just turned 30 last week!", &["UPDATE Ann age 30 from 2023-05-01"]);
}

#[test]
fn work_and_study_are_found() {
    check("I work at Google.", &["Ann works_at Google"]);
    check("I've been working for a small bakery since 2019.", &["Ann works_at bakery from 2019-01-01"]);
    check("I work as a nurse.", &["Ann works_as nurse"]);
    check("I'm a software engineer at a bank.", &["Ann works_as software engineer", "Ann works_at bank"]);
    check("I started a new job as a Financial Analyst last week", &["Ann works_as Financial Analyst from 2023-05-01"]);
    check("I quit my job at Acme yesterday.", &["DELETE Ann works_at Acme from 2023-05-09"]);
    check("I lost my job.", &["DELETE Ann works_at"]);
    check("I'm studying marine biology.", &["Ann studies marine biology"]);
    check("I graduated from Yale.", &["Ann graduated_from Yale"]);
    check("I'm an engineering student.", &["Ann is_a engineering student"]);
    check("I joined a gym last week!", &["Ann member_of gym from 2023-05-01"]);
    check("I joined the queue. I joined a team meeting.", &[]);
    check("I signed up for a pottery class.", &["Ann attends pottery class"]);
    check("I'm taking a screenwriting class.", &[]);
    check("I volunteer at the local shelter.", &["Ann volunteers_at shelter"]);
}

#[test]
fn belongings_and_pets_are_found() {
    check("I have a dog.", &["Ann has_pet dog"]);
    check("We have two cats and a dog", &["Ann has_pet two cats", "Ann has_pet dog"]);
    check("I adopted a rescue puppy named Luna!", &["Ann has_pet Luna {kind: rescue puppy}"]);
    check("I took my dog Max to the vet.", &["Ann has_pet Max {kind: dog}"]);
    check("I adopted a pup from a shelter in Stamford last week.", &["Ann has_pet pup from 2023-05-01"]);
    check("We got another cat named Bailey too.", &["Ann has_pet Bailey {kind: cat}"]);
    check("I opened an online clothing store and it's been great!", &["Ann owns online clothing store"]);
    check("Last year I went there with my dog Max", &["Ann has_pet Max {kind: dog}"]);
    check("I have three kids.", &["Ann has_children three kids"]);
    check("I bought a new car yesterday.", &["Ann owns car from 2023-05-09"]);
    check("I own a bakery.", &["Ann owns bakery"]);
    check("I opened my own shop", &["Ann owns shop"]);
    check("I sold my car.", &["DELETE Ann owns car"]);
    check("We have two dogs, Rex and Max.", &["Ann has_pet Rex {kind: dog}", "Ann has_pet Max {kind: dog}"]);
    check("Our cats are called Salt and Pepper.", &["Ann has_pet Salt {kind: cat}", "Ann has_pet Pepper {kind: cat}"]);
    check("We have three dogs, Rex.", &["Ann has_pet three dogs"]);
    check("I have two interviews, Google and Meta.", &[]);
    check("I drive a Toyota Yaris. I drive a truck.", &["Ann owns Toyota Yaris"]);
}

#[test]
fn family_and_partners_are_found() {
    check("I'm married to Tom.", &["Ann married_to Tom", "UPDATE Ann marital_status married"]);
    check("I'm married.", &["UPDATE Ann marital_status married"]);
    check("We got engaged last month!", &["UPDATE Ann marital_status engaged from 2023-04-01"]);
    check("My sister Anna is here.", &["Ann has_sister Anna"]);
    check("I went there with my older brother Tom and my mom.", &["Ann has_brother Tom"]);
    check("My husband's name is Jack.", &["Ann married_to Jack"]);
    check("I have two sisters named Eva and Ida.", &["Ann has_sister Eva", "Ann has_sister Ida"]);
    check("My brother Tom works at Ikea.", &["Ann has_brother Tom", "Tom works_at Ikea"]);
    check("My mother is Greta and my father is Hans.", &["Ann has_mother Greta", "Ann has_father Hans"]);
    check("My mother is Catholic. My brother is Christian. My boss is Frank. My partner is Siemens.", &[]);
    check("I have two sisters, Mia and Lena.", &["Ann has_sister Mia", "Ann has_sister Lena"]);
    check("My kids are Noah and Ella.", &["Ann has_child Noah", "Ann has_child Ella"]);
    check("My wife Clara and I live in Graz.", &["Ann lives_in Graz", "Ann married_to Clara"]);
    check("Our partner Siemens is here. Our son Theo too.", &["Ann has_son Theo"]);
    check("If it's a girl, our daughter Ida will be born in June.", &[]);
    check("Tom and I are engaged.", &["Ann engaged_to Tom", "UPDATE Ann marital_status engaged"]);
    check("I'm 42, married to Olu.", &["UPDATE Ann age 42", "Ann married_to Olu", "UPDATE Ann marital_status married"]);
    check("My sister Eva is 42, married to Tom.", &["Ann has_sister Eva", "UPDATE Eva age 42"]);
}

#[test]
fn statements_about_others_give_no_facts() {
    check("Eva lives in Rome.", &[]);
    check("My sister Eva came. Eva loves sushi.", &["Ann has_sister Eva"]);
    check("Everyone loves pizza.", &[]);
    check("Music lives in Vienna.", &[]);
    check("Hiking has a dog.", &[]);
    check("She lives in Rome.", &[]);
    check("Ann lives in Rome.", &["Ann lives_in Rome"]);
}

#[test]
fn skills_food_and_health_are_found() {
    check("I speak Spanish and French.", &["Ann speaks Spanish", "Ann speaks French"]);
    check("I'm learning German now", &["Ann learns German"]);
    check("I started learning how to play the piano.", &["Ann learns the piano"]);
    check("I play the violin.", &["Ann plays the violin"]);
    check("I'm allergic to peanuts.", &["Ann allergic_to peanuts"]);
    check("I'm vegan now.", &["Ann diet vegan"]);
    check("I don't eat meat.", &["Ann does_not_eat meat"]);
    check("I started surfing five years ago", &["Ann practices surfing from 2018-01-01"]);
    check("I've been painting for seven years", &["Ann practices painting from 2016-01-01"]);
    check("I visited Italy last year", &["Ann visited Italy from 2022-01-01"]);
}

#[test]
fn plans_and_wishes_are_found() {
    check("I'm planning to visit Rome next month.", &["Ann plans visit Rome {when: 2023-06}"]);
    check("I'm going to adopt a cat on Friday", &["Ann plans adopt a cat {when: 2023-05-12}"]);
    check("We're planning a trip to Rome.", &["Ann plans trip to Rome"]);
    check("I'm flying to Boston tomorrow", &["Ann plans flying to Boston {when: 2023-05-11}"]);
    check("I want to become a counselor.", &["Ann wants become a counselor"]);
    check("I'm going to sort my papers on Friday", &[]);
    check("I've always wanted to learn Spanish.", &["Ann wants learn Spanish"]);
}

#[test]
fn names() {
    check_by(Role::User, "user", "My name is Ann.", &["user also_known_as Ann"]);
    check("Call me Annie!", &["Ann also_known_as Annie"]);
    check("My name is Ann.", &[]);
}

#[test]
fn endings_delete_facts() {
    check("I no longer like tea.", &["DELETE Ann likes tea"]);
    check("I don't like tea anymore.", &["DELETE Ann likes tea"]);
    check("I'm not working at Google any more.", &["DELETE Ann works_at Google"]);
    check("I used to live in Rome.", &["DELETE Ann lives_in Rome"]);
    check("Eva no longer lives in Rome.", &[]);
    check("I used to play tennis.", &["DELETE Ann plays tennis"]);
    check("I used to live in Rome in 2015.", &[]);
    check("My boyfriend Luca and I broke up.", &["DELETE Ann has_partner Luca"]);
    check("Luca and I split up.", &["DELETE Ann has_partner Luca"]);
    check("My dog Max died. My cat died.", &["DELETE Ann has_pet Max", "DELETE Ann has_pet cat"]);
    check("I quit my job next week.", &[]);
    check("Forget that I love tea.", &["DELETE Ann likes tea"]);
    check("Please forget that I live in Rome", &["DELETE Ann lives_in Rome"]);
    check("I stopped playing the guitar.", &["DELETE Ann plays the guitar", "DELETE Ann learns the guitar"]);
    check("We cancelled the trip to Rome.", &["DELETE Ann plans trip to Rome"]);
    check("We broke up.", &["DELETE Ann has_partner"]);
    check("Ben and I are not together anymore.", &["DELETE Ann has_partner Ben"]);
    check("I'm no longer with IKEA.", &["DELETE Ann works_at IKEA"]);
    check("The trip has been cancelled.", &["DELETE Ann plans trip"]);
}

#[test]
fn introductions_and_greetings_do_not_hide_what_follows() {
    check("Let me introduce myself. I'm a nurse.", &["Ann works_as nurse"]);
    check("I said yes! I live in Rome.", &["Ann lives_in Rome"]);
    check("Happy new year! I live in Rome.", &["Ann lives_in Rome"]);
    check("Sorry for the long message. I live in Rome.", &["Ann lives_in Rome"]);
    check("Let me introduce the speaker. I live in Rome.", &[]);
    check("Sorry for this message from Tom. I live in Rome.", &[]);
}

#[test]
fn short_notes_state_facts_only_if_they_are_no_topics() {
    check("vegan btw", &["Ann diet vegan"]);
    check("moved to Tampere last month", &["UPDATE Ann lives_in Tampere from 2023-04-01"]);
    check("living in Ghent now", &["Ann lives_in Ghent"]);
    for text in ["living in Ghent", "vegan or vegetarian now?", "learning Swedish", "My brother? Moved to Oslo."] {
        check(text, &[]);
    }
}

#[test]
fn only_turns_of_people_are_read() {
    check_by(Role::System, "system", "I love tea.", &[]);
    check_by(Role::Tool, "tool", "I live in Rome.", &[]);
    check_by(Role::Assistant, "assistant", "I love helping people.", &[]);
    check_by(Role::Assistant, "Melanie", "I love tea.", &["Melanie likes tea"]);
    check_by(Role::User, "user", "I love tea.", &["user likes tea"]);
}

/// With quadratic run time this test would take hours.
#[test]
fn huge_turn_is_read_like_any_other() {
    for piece in ["and I love \" ", "I love tea and ", "x", "I, my, we; ", "公寓"] {
        check(&piece.repeat(1_000_000 / piece.len()), &[]);
    }
}

#[test]
fn form_of_address_is_not_a_relative() {
    let turns = [turn(0, Role::User, "Ann", "I saw my sister, Bob!"), turn(1, Role::User, "Bob", "Nice.")];
    assert_eq!(found_in(&turns, &[]), []);
}

#[test]
fn ended_fact_is_found_by_part_of_its_name() {
    let extracted = |texts: &[&str], known: &[Fact]| {
        let turns: Vec<Memory> =
            texts.iter().enumerate().map(|(number, text)| turn(number, Role::User, "Ann", text)).collect();
        found_in(&turns, known)
    };
    let of_texts = extracted(&["We're planning a trip to Rome.", "We cancelled the trip."], &[]);
    assert_eq!(
        of_texts.iter().map(line).collect::<Vec<_>>(),
        ["Ann plans trip to Rome", "DELETE Ann plans trip to Rome"]
    );
    let known = fold(&of_texts[..1]);
    assert_eq!(line(&extracted(&["We cancelled the trip."], &known)[0]), "DELETE Ann plans trip to Rome");
    let two =
        extracted(&["We're planning a trip to Rome. We're planning a trip to Oslo.", "We cancelled the trip."], &[]);
    assert_eq!(line(&two[2]), "DELETE Ann plans trip");
}

#[test]
fn operations_are_numbered_per_turn_and_reproducible() {
    let turns = [
        turn(0, Role::User, "Ann", "I love tea. I love tea. I live in Rome."),
        turn(1, Role::User, "Ann", "I love tea."),
    ];
    let found = found_in(&turns, &[]);
    let positions: Vec<(&MemoryId, u32)> = found.iter().map(|one| (&one.source, one.position)).collect();
    assert_eq!(positions, [(&turns[0].id, 0), (&turns[0].id, 1), (&turns[1].id, 0)]);
    assert!(found.iter().all(|one| one.id == FactOperation::id(&one.source, one.position)));
    assert!(found.iter().all(|one| one.recorded_at.to_string().starts_with("2023-05-11")));
    assert_eq!(found_in(&turns, &[]), found);
}

#[test]
fn folded_operations_give_the_current_facts() {
    fn check(texts: &[&str], expect: &[&str]) {
        let turns = texts.iter().enumerate().map(|(number, text)| turn(number, Role::User, "Ann", text));
        let mut turns: Vec<Memory> = turns.collect();
        for (minute, turn) in turns.iter_mut().enumerate() {
            let at = turn.cover.start + jiff::SignedDuration::from_mins(i64::try_from(minute).unwrap());
            turn.cover = Interval { start: at, end: at };
        }
        let facts = fold(&found_in(&turns, &[]));
        let current = facts.iter().filter(|fact| fact.valid_to.is_none());
        let mut current: Vec<String> = current.map(|fact| format!("{} {}", fact.predicate, fact.object)).collect();
        current.sort();
        assert_eq!(current, expect);
    }
    check(&["I have a dog named Max.", "My dog died."], &[]);
    check(&["I have a dog.", "I took my dog Max to the vet.", "My cat Mia slept."], &["has_pet Max", "has_pet Mia"]);
    check(&["I live in Bonn.", "I moved to Rome.", "I moved from Rome to Oslo."], &["lives_in Oslo"]);
    check(&["I love tea.", "I love jazz."], &["likes jazz", "likes tea"]);
    check(&["I love tea.", "I hate tea."], &["dislikes tea"]);
    check(&["I love tea.", "Forget that I love tea."], &[]);
    check(&["We're planning a trip to Rome.", "We cancelled the trip to Rome."], &[]);
    check(&["I moved from Rome to Oslo."], &["lives_in Oslo"]);
    check(&["I love tea."; 10], &["likes tea"]);
}
