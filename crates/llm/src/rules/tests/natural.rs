//! Statements in natural messages: with more words after them, after fragments, in small letters; and the same words where they
//! state nothing.

use annals_core::Role;

use super::{check, check_by, conversations};

#[test]
fn what_follows_a_statement_may_leave_it_as_it_is() {
    check(
        "I'm a data analyst at Safaricom by day and a poor goalkeeper by night.",
        &["Ann works_as data analyst", "Ann works_at Safaricom"],
    );
    check("I have narcolepsy, so driving is out.", &["Ann has_condition narcolepsy"]);
    check("I'm learning the banjo and the neighbours know it.", &["Ann learns the banjo"]);
    check("I live in Whitby, if that matters to the cloud.", &["Ann lives_in Whitby"]);
    check("I'm allergic to wool because life is unfair.", &["Ann allergic_to wool"]);
    check("I play the cello in an amateur quartet.", &["Ann plays the cello"]);
    check("I speak Greek to them while their father cooks.", &["Ann speaks Greek"]);
    check("We have two ferrets but they sleep in the shed.", &["Ann has_pet two ferrets"]);
    check(
        "I don't eat pork or rabbit, so please keep that in mind.",
        &["Ann does_not_eat pork", "Ann does_not_eat rabbit"],
    );
    check("I sold my car on Friday, so there's money.", &["DELETE Ann owns car from 2023-05-05"]);
    check("I'm flying to Rome on Friday for a wedding.", &["Ann plans flying to Rome {when: 2023-05-12}"]);
    check("My wife Eva and I are arguing about sugar.", &["Ann married_to Eva"]);
}

#[test]
fn relatives_in_passing_have_no_date_and_names_that_are_no_verbs() {
    check("I've been living with my aunt Eva since May, she had a fall.", &["Ann has_aunt Eva"]);
    check("my boss said she'd write me a reference", &[]);
    check("Vivo en Medellín con mi hermano.", &["Ann lives_in Medellín"]);
}

#[test]
fn what_follows_a_statement_may_change_it() {
    for text in [
        "I'm a nurse on paper, in reality I push a mop.",
        "I'm a doctor at heart.",
        "I'm a doctor, well, almost.",
        "I'm a teacher in the school play.",
        "I'm a plumber (retired).",
        "I'm a nurse, cook and driver to three kids.",
        "I'm a historian by inclination.",
        "I'm a driver for my kids all day.",
        "I'm a baker, said nobody.",
        "I'm a lawyer, or so my card says.",
        "I live in Rome in my head.",
        "I live in Paris, in the novel at least.",
        "I moved to Leeds for a month.",
        "I moved to Leeds, then to Hull.",
        "I moved to Leeds, hated it, and came home.",
        "I have a horse and a half.",
        "I have a cat that belongs to my neighbour.",
        "I have two cats, both plush.",
        "I have three kids in my care today.",
        "I have a dog and pony show to prepare.",
        "I have diabetes in the family.",
        "I love rock and roll with extra salt.",
        "I don't eat fish that smiles at me.",
        "I'm vegan on Mondays.",
        "I'm married to the sea and its moods.",
        "I play the piano in my mind.",
        "I'm studying French for my trip to Nice.",
        "I got a job at Tesla, but they withdrew it.",
        "I have a heart murmur, joked the doctor.",
    ] {
        check(text, &[]);
    }
}

#[test]
fn afterthought_takes_a_statement_back() {
    for after in ["In my mind.", "Figuratively.", "Of sorts.", "Had.", "No, Georgia!"] {
        check(&format!("I live in Rome. {after}"), &[]);
    }
    check("I'm a locksmith. My van is blue.", &["Ann works_as locksmith"]);
    check("I live in Rome. No, I won't tell you where.", &["Ann lives_in Rome"]);
}

#[test]
fn plain_sentences_before_a_statement_do_not_hide_it() {
    for before in [
        "Two things.",
        "Bit of a strange question.",
        "Logbook, day 3.",
        "Everyone in my family plays something.",
        "The roof leaked.",
        "Please be blunt.",
        "Barely.",
        "Quick question about taxes:",
        "The vet says our cat is fat.",
    ] {
        check(&format!("{before} I live in Rome."), &["Ann lives_in Rome"]);
    }
}

#[test]
fn headings_orders_and_stages_before_a_statement_hide_it() {
    for before in [
        "Affirmations.",
        "Future me.",
        "Sims update.",
        "Case study.",
        "Strange dream.",
        "Charades clue three was me.",
        "Overheard on the tram.",
        "Old CV of mine, 1998.",
        "Lesson four.",
        "You start.",
        "Ok ready?",
        "Manifest it.",
        "Fancy dress on Friday.",
        "Sent from the wrong account.",
        "Tom here, Ann is driving.",
        "The sign at the fence.",
        "He opened the door.",
        "He told me everything.",
        "Note to the cast:",
    ] {
        check(&format!("{before} I live in Rome."), &[]);
    }
}

#[test]
fn few_words_may_answer_a_question() {
    let answer = "Ann: Inger Madsen. I live in Rome.";
    conversations::check(&["Bob: What is your name?", answer], &["Ann lives_in Rome"]);
    conversations::check(&["Bob: Carry on.", answer], &[]);
}

#[test]
fn names_in_small_letters_are_found() {
    check("my brother eli is here", &["Ann has_brother eli"]);
    check("i have a bearded dragon called toast", &["Ann has_pet toast {kind: bearded dragon}"]);
    check("i no longer work at gamestop, they closed", &["DELETE Ann works_at gamestop"]);
    for text in [
        "my sister will call you",
        "my friend may come, my mate jack too",
        "my brother mark my words is late",
        "my dog called the cops basically",
        "i have a cat called nothing yet",
        "i work at target practice",
    ] {
        check(text, &[]);
    }
}

#[test]
fn announced_exercise_is_a_scene_until_a_person_ends_it() {
    for begin in [
        "Warm-up: each of you starts with \"I am\".",
        "Everything invented please!",
        "Second exercise, letters home.",
        "Introduce your characters in first person please.",
        "I'll paste three mails from my inbox.",
        "Welcome to the murder mystery dinner!",
        "Character sheets please.",
        "I'm at the doctor, you are the doctor.",
        "I'll tell you some random facts.",
        "How do you say these in French?",
    ] {
        let begin = format!("Tom: {begin}");
        conversations::check(&[&begin, "Ann: I live in Rome.", "Ann: I'm a sailor."], &[]);
        conversations::check(
            &[&begin, "Ann: I live in Rome.", "Tom: We're done for today.", "Ann: I live in Oslo."],
            &["Ann lives_in Oslo"],
        );
    }
    for before in ["No more exercise for me.", "Karaoke was fun yesterday.", "You are the best.", "I love charades."] {
        let before = format!("Tom: {before}");
        let found = conversations::found(&[&before, "Ann: I live in Rome."]);
        assert!(found.contains(&"Ann lives_in Rome".to_owned()), "{before}");
    }
}

#[test]
fn beginning_of_a_foreign_sentence_is_read() {
    check("Ich wohne in Bremen im dritten Stock und seit gestern ist alles kalt.", &["Ann lives_in Bremen"]);
    check("Mein Sohn heißt Jonte und kommt im August in die Schule.", &["Ann has_son Jonte"]);
    check("Ich spiele Klarinette im Posaunenchor, frag nicht, wieso.", &["Ann plays clarinet"]);
    check("Je suis plombier, donc oui, je sais pourquoi ça fuit.", &["Ann works_as plumber"]);
    check("J'ai trois chats et un canapé en ruine.", &["Ann has_pet three cats"]);
    check("Hola, soy enfermera y hago guardias, ¿cómo organizo las comidas?", &["Ann works_as nurse"]);
    check("Mi perra se llama Nube y se come los calcetines.", &["Ann has_pet Nube {kind: dog}"]);
    for text in [
        "Ich bin Arzt, sagt meine Mutter.",
        "Ich wohne in Bern, wenn ich nicht reise.",
        "Ich bin Lehrer im Theaterstück.",
        "Ich bin Koch, Taxi und Pfleger in einem.",
        "Er sagt immer, ich bin Arzt.",
        "Je suis médecin, dit le clown.",
        "Je suis boulanger dans la pièce.",
        "J'ai un chat dans la gorge.",
        "Soy médico, dice la camiseta.",
        "Vivo en Madrid en mis sueños.",
        "Vivo en Madrid, o eso cree mi jefe.",
    ] {
        check(text, &[]);
    }
}

#[test]
fn another_person_may_write_under_a_name() {
    check_by(Role::User, "Moira", "Hello all, Moira here. I live in Rome.", &["Moira lives_in Rome"]);
    check_by(Role::User, "Ann", "This is Tom on her phone. I live in Rome.", &[]);
    check_by(Role::User, "Ann", "I'm Lady Ashcroft. I live in Rome.", &[]);
    check_by(Role::User, "tuxi", "I'm Peter. I live in Rome.", &["tuxi lives_in Rome"]);
}
