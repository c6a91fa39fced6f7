//! Texts that look like facts and are not.

use super::check;

#[test]
fn questions_suppositions_quotes_and_reports_give_no_facts() {
    for text in [
        "Do I like tea?",
        "I love tea, right?",
        "If I lived in Rome, I like tea.",
        "I'd love a dog.",
        "I would love to visit Rome.",
        "I wish I lived in Rome.",
        "I might move to Oslo.",
        "Maybe I'm going to adopt a cat.",
        "I almost bought a car.",
        "She said I live in Rome.",
        "Tom told me, I love tea.",
        "He asked, \"I live in Rome.\"",
        "\"I live in Rome. I love tea.\" That was the song.",
        "\"Hello there. I live in Rome. Goodbye.\" That was the song.",
        "> I live in Rome.",
        "I live in Rome, just kidding!",
        "Imagine I live in Rome.",
        "Go live in Rome!",
        "You love tea.",
        "It feels as if I live in Rome.",
        "I never liked tea.",
        "I don't live in Rome.",
        "I think I love tea.",
        "[shared a picture: I love tea]",
        // "A company" is not the name of an employer.
        "I work at a company.",
        "I work for a small company.",
        "I work at company.",
        "I work at a startup.",
        "I work for a small start-up.",
        // A week, a month or a weekend is not a birthday.
        "My birthday is next week.",
        "My birthday was last week.",
        "My birthday is this weekend.",
        "My birthday is next month.",
    ] {
        check(text, &[]);
    }
}

#[test]
fn statements_that_are_taken_back_give_no_facts() {
    for text in [
        "I got a job at Tesla, but I turned it down.",
        "I got a job at Tesla but turned it down!",
        "I got a job at Tesla. But I turned it down.",
        "I got a job at Tesla. I turned it down in the end.",
        "I'm moving to Oslo. Nah, changed my mind.",
        "I moved to Oslo. No, wait, I've changed my mind.",
        "Ich wohne in Berlin. Schön wär's.",
        "Ich habe einen Kater.",
        "J'habite à Paris. Je plaisante.",
        "I got a job at Tesla, but declined.",
        "I got a job at Tesla, and then declined the offer because of the commute.",
        "I got a job at Tesla, but it fell through.",
        "I got a job at Tesla but I said no.",
        "I got a job at Tesla, but I've changed my mind.",
        "I got a job at Tesla, until it was withdrawn.",
        "I started working at Tesla, but the offer was rescinded.",
        "Ich arbeite bei Siemens, aber ich habe abgelehnt.",
        "Ich habe einen Job bei Siemens bekommen, aber ich habe ihn abgelehnt.",
        "Je travaille chez Renault, mais j'ai refusé.",
        "Trabajo en Seat, pero lo rechacé.",
    ] {
        check(text, &[]);
    }
    check("I live in Rome. I got a job at Tesla. But I turned it down.", &["Ann lives_in Rome"]);
    check("I live in Rome, and I refused to move to Oslo.", &["Ann lives_in Rome"]);
}

#[test]
fn objects_without_meaning_of_their_own_give_no_facts() {
    for text in [
        "I love it!",
        "I love that too.",
        "I love your paintings.",
        "I love how they play.",
        "I love this series.",
        "I love the view.",
        "I love their work.",
        "I love games that make you think.",
        "I love the friends I have.",
        "I love all the yellow leaves.",
        "I love the self-acceptance and love theme.",
        "I'm a huge fan!",
        "I'm a big fan of them.",
        "I'm passionate about sharing that with others.",
        "I'm passionate about creating a safe, inviting place.",
        "I started a course that is fun.",
        "I bought a console for my partner.",
        "I have a question.",
        "I have a photo of a dog.",
        "I'm going to check it out.",
        "I'm gonna keep going.",
        "I want to tell you something.",
        "I want to share this with you.",
        "I live in a small town.",
        "I'm living my dream.",
        "I moved from the couch.",
        "I have lived in Rome.",
        "I lived in Rome.",
        "I work at night.",
        "I got a great omelette the first time!",
        "I got to feed a horse a carrot.",
        "I'm a mix of excited and scared.",
        "I'm used to living in Rome.",
        "This is my favorite!",
        "It's one of my favorites.",
        "My favorite was when we were down 10.",
        "I have a meeting.",
        "I've got people like you in my corner.",
        "I play one more game with friends.",
        "I may be vegan soon.",
    ] {
        check(text, &[]);
    }
}

#[test]
fn statements_after_what_is_not_in_the_speakers_voice_give_no_facts() {
    for before in [
        "Make it rhyme.",
        "Label each of them as true or false.",
        "Our customer wrote in.",
        "My tenant texted me this.",
        "The sticker on his car.",
        "Sweet home Alabama.",
        "He introduced himself.",
    ] {
        check(&format!("{before} I live in Rome."), &[]);
    }
    for before in ["Hey Gina!", "Barely.", "I'm tired. The flight was long.", "How are you?", "That's great!"] {
        check(&format!("{before} I live in Rome."), &["Ann lives_in Rome"]);
    }
}

#[test]
fn what_follows_a_statement_may_take_it_back() {
    for after in [
        ". Got you!",
        ". Was. Until May.",
        ", but they want me to leave.",
        ". Nope.",
        ". Four years later I came back.",
    ] {
        check(&format!("I live in Rome{after}"), &[]);
    }
    for after in [". It's lovely.", " and we are happy.", ", but I work at Fiat."] {
        let found =
            super::found_in(&[super::turn(0, annals_core::Role::User, "Ann", &format!("I live in Rome{after}"))], &[]);
        assert_eq!(super::line(&found[0]), "Ann lives_in Rome", "{after}");
    }
}
