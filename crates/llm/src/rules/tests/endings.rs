//! Facts that end, are corrected or are taken back. The messages are by Ann, from Wednesday, 10 May 2023, at noon.

use annals_core::FactOperation;

use super::conversations::{check as check_turns, found_after, turns};
use super::{check, fold, found_in, line};

/// Checks the current facts after each turn was read as a task of its own, as in a running service.
fn check_facts(texts: &[&str], expect: &[&str]) {
    let turns = turns(texts);
    let mut log = Vec::new();
    for next in 0..turns.len() {
        let known = fold(&log);
        log.extend(found_after(&turns[..next], &turns[next..=next], &known));
    }
    assert_eq!(current(&log), expect, "{texts:#?}");
    assert_eq!(current(&found_in(&turns, &[])), expect, "as one task: {texts:#?}");
}

/// Returns the facts that hold after the last turn.
fn current(log: &[FactOperation]) -> Vec<String> {
    let now = "2023-05-10T13:00:00Z".parse().unwrap();
    let facts = fold(log).into_iter().filter(|fact| fact.valid_to.is_none_or(|end| end > now));
    facts.map(|fact| format!("{} {} {}", fact.subject, fact.predicate, fact.object)).collect()
}

#[test]
fn plan_that_is_given_up_ends() {
    check_facts(&["Tom: I'm moving to Bodø in August.", "Tom: Change of plan: I'm not moving to Bodø."], &[]);
    let plan = "Tom: I'm moving to Oslo in August.";
    check_facts(&[plan], &["Tom plans moving to Oslo"]);
    for end in [
        "Change of plan: I'm not moving to Oslo.",
        "Change of plans. We're not moving to Oslo after all.",
        "We aren't moving to Oslo after all.",
        "I'm not going to move to Oslo anymore.",
        "The move to Oslo is off.",
        "Our move to Oslo has been called off.",
    ] {
        check_facts(&[plan, &format!("Tom: {end}")], &[]);
    }
    for other in [
        "Eva is not moving to Oslo.",
        "I'm not moving to Oslo yet.",
        "I'm not moving to Oslo in August, but in June.",
        "I'm not moving to Oslo because of the weather.",
        "If I'm not moving to Oslo, I'll be sad.",
        "The move to Oslo is off to a good start.",
        "I'm not moving to Bergen.",
        "Is the move to Oslo off?",
    ] {
        check_facts(&[plan, &format!("Tom: {other}")], &["Tom plans moving to Oslo"]);
    }
    check_facts(&["Tom: I'm going to visit Oslo in June.", "Tom: I'm not moving to Oslo."], &["Tom plans visit Oslo"]);
}

#[test]
fn fact_ends_by_the_name_alone() {
    let dog = "Tom: We have a dog named Rex.";
    for end in
        ["Rex passed away peacefully.", "Rex had to be put to sleep.", "We had to put Rex down.", "We gave Rex away."]
    {
        check_facts(&[dog, &format!("Tom: {end}")], &[]);
    }
    for other in ["Rexham died.", "Did Rex die?", "If Rex died I would cry.", "Rex nearly died."] {
        check_facts(&[dog, &format!("Tom: {other}")], &["Tom has_pet Rex"]);
    }
    check_facts(&["Tom: I work at Initech.", "Tom: I left Initech at six."], &["Tom works_at Initech"]);
    check_facts(&["Tom: I'm allergic to nuts.", "Tom: I'm not allergic to nuts after all."], &[]);
    check_facts(&["Tom: I live in Leeds.", "Tom: I've moved out of Leeds."], &[]);
    check_facts(&["Tom: My girlfriend is Carla.", "Tom: I'm single again."], &["Tom marital_status single"]);
}

#[test]
fn new_boss_replaces_the_former_one() {
    let former = "Tom: My boss is Karen.";
    check_facts(&[former, "Tom: My new boss is Mia."], &["Tom has_boss Mia"]);
    check_facts(&[former, "Tom: Mia is my boss now."], &["Tom has_boss Mia"]);
    check_facts(&[former, "Tom: My new boss is nice."], &["Tom has_boss Karen"]);
    check_facts(&[former, "Tom: My new boss is Catholic."], &["Tom has_boss Karen"]);
}

#[test]
fn preferences_and_what_was_given_up_are_facts() {
    check("I prefer short answers.", &["Ann prefers short answers"]);
    check("I prefer window seats on trains.", &["Ann prefers window seats"]);
    check("I've quit smoking.", &["Ann gave_up smoking"]);
    check_facts(&["Tom: I've quit smoking.", "Tom: I started smoking again."], &[]);
    check("I prefer not to say.", &[]);
    check("Tom quit smoking.", &[]);
    check("I'd prefer short answers if I were you.", &[]);
}

#[test]
fn what_belongs_to_somebody_else_is_taken_back() {
    check_facts(
        &["Tom: My cat is called Miso.", "Tom: no wait, that's my sister's cat. Mine is called Tofu."],
        &["Tom has_pet Tofu"],
    );
    check_facts(
        &[
            "Tom: My cat is called Miso.",
            "assistant: Lovely!",
            "Tom: Sorry, it's my sister's cat",
            "Tom: Mine's called Tofu.",
        ],
        &["Tom has_pet Tofu"],
    );
    check(
        "My cat is called Miso. No wait, that's my sister's cat. Mine is called Tofu.",
        &["Ann has_pet Tofu {kind: cat}"],
    );
    for other in
        ["That's my sister's favourite name.", "Eva, that's my sister's cat.", "Wait, is that your sister's cat?"]
    {
        check_facts(&["Tom: My cat is called Miso.", &format!("Tom: {other}")], &["Tom has_pet Miso"]);
    }
    check_facts(&["Tom: I live in Leeds.", "Tom: Sorry, it's Eva's birthday."], &["Tom lives_in Leeds"]);
    check_facts(&["Tom: My car is fast.", "Tom: Mine is called Tofu."], &[]);
    check_facts(&["Tom: Mine is called Tofu."], &[]);
    check_facts(
        &["Eva: My cat is called Miso.", "Tom: What is yours called? Mine is called Tofu!"],
        &["Eva has_pet Miso"],
    );
}

#[test]
fn value_that_is_corrected_in_its_sentence_is_not_stated() {
    for text in [
        "My favourite band is Queen, wait, no, ABBA.",
        "My favourite band is Queen - wait, I mean ABBA.",
        "My favourite band is Queen, sorry, ABBA.",
        "My favourite band is Queen, actually ABBA.",
        "I work at Siemens, nope, Bosch.",
        "I live in Rome, hold on, Milan.",
    ] {
        check(text, &[]);
    }
    check("My favourite band is Queen, they're great.", &["Ann has_favorite Queen {kind: band}"]);
    check("I live in Rome, sorry for the late answer.", &["Ann lives_in Rome"]);
}

#[test]
fn next_turn_denies_what_a_turn_stated() {
    for denial in ["NOT!", "not", "just kidding", "Just kidding!!", "lol NOT"] {
        check_facts(&["Tom: I'm vegan.", &format!("Tom: {denial}")], &[]);
    }
    for other in ["Not today!", "Not a big fan of tofu though.", "Not bad."] {
        check_facts(&["Tom: I'm vegan.", &format!("Tom: {other}")], &["Tom diet vegan"]);
    }
    check_turns(&["Tom: I'm vegan.", "Ann: NOT!"], &["Tom diet vegan"]);
}

#[test]
fn engagement_that_is_called_off_ends() {
    let engaged = "Tom: I'm engaged to Mia.";
    for end in ["We called off the engagement.", "We've broken off our engagement", "The engagement is off."] {
        check_facts(&[engaged, "Tom: We got engaged in March.", &format!("Tom: {end}")], &[]);
    }
    for other in [
        "They called off the engagement.",
        "We called off the engagement party.",
        "We almost called off the engagement.",
        "Eva said we called off the engagement.",
    ] {
        check_facts(&[engaged, &format!("Tom: {other}")], &["Tom engaged_to Mia"]);
    }
}

#[test]
fn divorce_under_way_ends_the_marriage() {
    let married = "Tom: My wife is called Mia.";
    for end in [
        "Mia and I are getting divorced.",
        "Mia and I are getting a divorce.",
        "My wife and I are getting divorced.",
        "My wife Mia and I are getting divorced.",
        "We're getting divorced.",
    ] {
        check_facts(&[married, &format!("Tom: {end}")], &[]);
    }
    for other in [
        "Mia and Ben are getting divorced.",
        "My parents are getting divorced.",
        "Mia and I are not getting divorced.",
        "If Mia and I are getting divorced, I keep the cat.",
        "Mia and I aren't getting divorced, relax.",
    ] {
        check_facts(&[married, &format!("Tom: {other}")], &["Tom married_to Mia"]);
    }
}

#[test]
fn dismissal_ends_the_work() {
    let work = "Tom: I work at Siemens.";
    for end in [
        "They fired me.",
        "I got fired.",
        "I got fired today!",
        "I was laid off.",
        "My boss fired me",
        "I've been made redundant.",
    ] {
        check_facts(&[work, &format!("Tom: {end}")], &[]);
    }
    for other in [
        "They fired me up.",
        "He fired me an email.",
        "They nearly fired me.",
        "They let me go home early.",
        "If they fired me, I would laugh.",
        "They fired my colleague.",
        "I was fired up.",
        "Meta fired me up.",
    ] {
        check_facts(&[work, &format!("Tom: {other}")], &["Tom works_at Siemens"]);
    }
}

#[test]
fn demotion_replaces_the_occupation() {
    let work = "Tom: I work as a manager.";
    for end in ["I was demoted to clerk.", "I got demoted to clerk", "I've been demoted to clerk."] {
        check_facts(&[work, &format!("Tom: {end}")], &["Tom works_as clerk"]);
    }
    for other in [
        "My colleague was demoted to clerk.",
        "I was nearly demoted to clerk.",
        "I was demoted to tears.",
        "I wasn't demoted to clerk.",
    ] {
        check_facts(&[work, &format!("Tom: {other}")], &["Tom works_as manager"]);
    }
}

#[test]
fn thing_that_is_sold_or_wrecked_ends() {
    let car = "Tom: I drive a Honda Civic.";
    for end in [
        "sold the Honda",
        "crashed the Honda, it's scrap",
        "I crashed my Honda. It's a write-off.",
        "I wrecked the Honda, it's totaled",
        "We scrapped the Honda.",
    ] {
        check_facts(&[car, &format!("Tom: {end}")], &[]);
    }
    for other in [
        "crashed the Honda, it's fine",
        "I crashed the Honda.",
        "Eva crashed the Honda, it's scrap",
        "almost sold the Honda",
        "He sold the Honda.",
        "crashed the party, it's over",
        "crashed the Honda. My phone? It's scrap.",
    ] {
        check_facts(&[car, &format!("Tom: {other}")], &["Tom owns Honda Civic"]);
    }
}

#[test]
fn new_pet_has_the_name_after_the_comma() {
    check("We got a new dog, Zsa.", &["Ann has_pet Zsa {kind: dog}"]);
    check("I have a cat, Whiskers.", &["Ann has_pet Whiskers {kind: cat}"]);
    check("We got a new dog.", &["Ann has_pet dog"]);
    for text in ["We got a new dog, Labrador.", "We got a new dog, Honey!", "We got a new dog, Dude."] {
        check(text, &["Ann has_pet dog"]);
    }
    // A first name may address somebody.
    check("We got a new dog, Tom.", &["Ann has_pet dog"]);
    check("We got a new dog, Alexa!", &["Ann has_pet dog"]);
    check("We got a new phone, Zsa.", &[]);
    check("They got a new dog, Zsa.", &[]);
    check("We nearly got a new dog, Zsa.", &[]);
}

#[test]
fn relative_exists_from_the_day_of_birth() {
    check("Our daughter Ida was born on Saturday.", &["Ann has_daughter Ida from 2023-05-06"]);
    check("My nephew Ole was born yesterday!", &["Ann has_nephew Ole from 2023-05-09"]);
    check("My daughter Ida fell on Saturday.", &["Ann has_daughter Ida"]);
    check("My daughter Ida was bored on Saturday.", &["Ann has_daughter Ida"]);
    check("Our daughter Ida will be born on Saturday.", &[]);
}

#[test]
fn introduction_with_name_and_occupation() {
    super::check_by(
        annals_core::Role::User,
        "Sam",
        "I'm Sam Okafor, backend engineer at Freightly in Berlin",
        &["Sam works_as backend engineer", "Sam works_at Freightly", "Sam also_known_as Sam Okafor"],
    );
    super::check_by(
        annals_core::Role::User,
        "user",
        "Hi! I'm Sam Okafor, backend engineer at Freightly in Berlin.",
        &["user works_as backend engineer", "user works_at Freightly"],
    );
    for text in [
        "I'm Sam Okafor, backend engineer at Freightly in Berlin.",
        "I met Sam Okafor, backend engineer at Freightly in Berlin.",
        "This is Sam Okafor, backend engineer at Freightly in Berlin.",
        "I'm with Sam Okafor, backend engineer at Freightly in Berlin.",
        "I'm not Sam Okafor, backend engineer at Freightly.",
        "I'm Batman, a detective.",
        "I'm Ann, officer.",
        "I'm Ann, nurse, please help.",
        "I'm Ann, the baker's daughter.",
    ] {
        check(text, &[]);
    }
}

#[test]
fn job_that_somebody_got() {
    check("I got the job at Arup!", &["Ann works_at Arup"]);
    check("I got the job at Arup, I start in June.", &["Ann works_at Arup"]);
    for text in [
        "I hope I got the job at Arup.",
        "I almost got the job at Arup.",
        "I didn't get the job at Arup.",
        "Eva got the job at Arup.",
        "I got the job at Arup done.",
        "I got the job at Arup but turned it down.",
        "I got the job offer at Arup.",
        "I found the job at Arup on a website.",
    ] {
        check(text, &[]);
    }
}

#[test]
fn german_title_and_surname_are_a_name() {
    check("Meine Chefin heißt Frau Wiesner.", &["Ann has_boss Frau Wiesner"]);
    check("Mein Chef heißt Herr Klein.", &["Ann has_boss Herr Klein"]);
    for text in [
        "Meine Chefin heißt nicht Frau Wiesner.",
        "Heißt meine Chefin Frau Wiesner?",
        "Die Chefin heißt Frau Wiesner.",
        "Toms Chefin heißt Frau Wiesner.",
        "Meine Chefin heißt Frau Wiesner willkommen.",
    ] {
        check(text, &[]);
    }
}

#[test]
fn ending_of_an_earlier_task_names_the_plan() {
    let turns = turns(&["Tom: I'm moving to Oslo in August.", "Tom: The move to Oslo is off."]);
    let known = fold(&found_in(&turns[..1], &[]));
    let found = found_after(&turns[..1], &turns[1..], &known);
    assert_eq!(found.iter().map(line).collect::<Vec<_>>(), ["DELETE Tom plans moving to Oslo"]);
}

#[test]
fn last_day_at_work_ends_it() {
    let works = "Tom: I work at Siemens.";
    check_facts(&[works, "Tom: Last day at Siemens, they gave me a plant."], &[]);
    check_facts(&[works, "Tom: My last day at school was sad."], &["Tom works_at Siemens"]);
}

#[test]
fn what_somebody_cannot_eat_is_read_from_notes() {
    check_facts(&["Tom: oh and remind me I'm allergic to penicillin."], &["Tom allergic_to penicillin"]);
    check_facts(&["Tom: I can't do peanuts, allergic."], &["Tom allergic_to peanuts"]);
}

#[test]
fn value_that_excludes_another_replaces_it() {
    check_facts(&["Tom: I'm vegan.", "Tom: I'm pescatarian now."], &["Tom diet pescatarian"]);
    check_facts(
        &["Tom: I'm vegan.", "Tom: I'm lactose intolerant."],
        &["Tom diet vegan", "Tom diet lactose intolerant"],
    );
    check_facts(
        &["Tom: My favourite colour is red.", "Tom: My favourite colour is blue.", "Tom: My favourite food is pizza."],
        &["Tom has_favorite blue", "Tom has_favorite pizza"],
    );
    check_facts(&["Tom: I'm married to Eva.", "Tom: I'm single again."], &["Tom marital_status single"]);
}
