//! Messages whose statements are made up or are not the speaker's, and plain messages that resemble them.

use super::{Role, found_in, line, turn};

fn found(text: &str) -> Vec<String> {
    found_in(&[turn(0, Role::User, "Ann", text)], &[]).iter().map(line).collect()
}

/// Checks that no message gives a fact. Names all that do.
fn check_none(messages: &[&str]) {
    let wrong: Vec<_> =
        messages.iter().map(|text| (text, found(text))).filter(|(_, found)| !found.is_empty()).collect();
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), messages.len());
}

#[test]
fn tasks_for_an_assistant_state_nothing() {
    check_none(&[
        "Write a story in which I am a pilot. I live in Rome and I have a dog named Rex.",
        "Write a story where I work at Siemens.",
        "Generate five product reviews. I have two cats and I love tea.",
        "Give me a monologue for a sailor. I was born in Lisbon. I have three sons.",
        "Compose a song about a trucker. I live in Texas.",
        "Put it in the past tense. I work at Bosch.",
        "Make it sound posh. I live in Leeds.",
        "Use simpler words. I am a nurse at Charité.",
        "Change it to the third person. I live in Madrid.",
        "Replace the name. My name is Paul and I live in Boston.",
        "Swap the countries around. I live in Spain.",
        "How would that be in Italian? I have a brother named Luca.",
        "Is a comma needed here? I live in Oslo, I have a dog.",
        "Which tense is right here? I have lived in Rome since 2019.",
        "Explain the mistake. I have lived in Rome since 2010.",
        "Where is the verb? I live in Leipzig.",
        "Fill in anything. I am 35 years old. I live in Utrecht.",
        "Write in the first person as a fisherman. I live in Bergen.",
        "Speak as my dead uncle. I was born in Cork.",
        "Continue from here. I live in Rome.",
        "Pick the odd one out. I live in Rome. I live in Oslo.",
        "Come up with an excuse for him. I live in Dublin.",
        "Respond in the voice of a retired teacher. I live in Bath.",
        "Type exactly that. I am a doctor.",
        "Schreib eine Geschichte, in der ich Pilot bin. Ich wohne in Rom.",
        "Verfasse ein Gedicht. Ich wohne in Berlin.",
        "Formuliere das höflicher. Ich arbeite bei Bosch.",
        "Wie heißt das auf Englisch? Ich habe einen Hund.",
        "Écris une histoire où je suis pilote. J'habite à Rome.",
        "Rédige un poème. J'habite à Paris.",
        "Comment dit-on en anglais ? J'ai un chien.",
        "Escribe un cuento en el que soy piloto. Vivo en Roma.",
        "Redacta una carta. Vivo en Sevilla.",
        "¿Cómo se dice en inglés? Tengo un perro.",
    ]);
}

#[test]
fn suppositions_state_nothing() {
    check_none(&[
        "Suppose that I live in Berlin. How much tax do I pay?",
        "Say I live in Paris. What do I pay in tax?",
        "Let's say I work at Tesla. What do I earn?",
        "Assume I'm a nurse. Which visa do I need?",
        "Let us assume the following. I live in Oslo. I have two kids.",
        "For the sake of argument, I live in Madrid.",
        "For the sake of argument. I live in Madrid.",
        "Consider this case. I am a teacher. I live in Bonn.",
        "In this scenario I am a teacher.",
        "Hypothetically speaking, I'm married to Anna.",
        "In an alternate universe, I live in Tokyo and I work at Sony.",
        "In another life I am a vet. I live in Lisbon.",
        "As a thought experiment, I live in Vienna and I have a dog.",
        "Just for the exercise. I live in Vienna and I have a dog.",
        "The year is 2050. I live in Oslo and I have two robots.",
        "It is the year 1890. I live in London.",
        "Fast forward ten years. I live in Rome. I have three kids.",
        "Me in ten years. I live in Rome. I have three kids.",
        "Picture it. I live in Rome. I have three kids.",
        "What if? I live in Rome. I have a dog.",
        "By the time you get it I live in Lima.",
        "In my head I live in Paris.",
        "Given that I live in Norway, what is my tax?",
        "Nehmen wir an, ich wohne in Wien und arbeite bei Siemens.",
        "Angenommen, ich wohne in Hamburg. Wie viel Steuern zahle ich?",
        "Mal angenommen, ich bin Lehrer. Was verdiene ich?",
        "Gehen wir davon aus. Ich wohne in Bonn.",
        "Was wäre, wenn? Ich wohne in Rom.",
        "Supposons que j'habite à Paris et que je travaille chez Renault.",
        "Supposons. J'habite à Lyon.",
        "Imaginons. J'habite à Lyon.",
        "Admettons, j'habite à Nice.",
        "Supongamos. Vivo en Madrid.",
        "Pongamos por caso. Vivo en Lima.",
        "Digamos que vivo en Quito.",
    ]);
}

#[test]
fn parts_and_riddles_state_nothing() {
    check_none(&[
        "Riddle me this. I have two sons and I live in Egypt. What am I?",
        "I was born in Warsaw and I moved to Paris in 1891. Who am I?",
        "Who am I? I was born in Ulm. I play the violin.",
        "Guess who. I live in London. I have a dog named Gromit.",
        "Guess the celebrity. I was born in Honolulu. I have two daughters.",
        "You're a barista and I'm a customer. I am allergic to nuts.",
        "You play my boss. I work at Nestlé.",
        "Be my interviewer. I am a software engineer.",
        "We are at a restaurant and you are the waiter. I am allergic to nuts.",
        "I am your grandmother now. I live in Naples.",
        "From now on I'm Sherlock. I live in London. I play the violin.",
        "Call me Sherlock. I live in London. I play the violin.",
        "Let me be the patient. I am allergic to nuts.",
        "Now you ask me as a doctor. I am allergic to nuts.",
        "Once upon a time there was a boy. I live in Rome, he thought.",
        "Du bist jetzt mein Chef. Ich arbeite bei Siemens.",
        "Tu so, als wärst du mein Arzt. Ich arbeite bei Bayer.",
        "Wer bin ich? Ich wohne in Paris. Ich habe einen Hund.",
        "Tu es mon médecin. J'habite à Lille.",
        "Fais comme si tu étais mon patron. Je travaille chez Renault.",
        "Qui suis-je ? J'habite à Londres. J'ai un chien.",
        "Eres mi médico. Vivo en Bogotá.",
        "Haz como si fueras mi jefe. Trabajo en Seat.",
        "¿Quién soy? Vivo en Londres. Tengo un perro.",
    ]);
}

#[test]
fn songs_and_quotations_state_nothing() {
    check_none(&[
        "That song is stuck in my head. I was born in Chicago.",
        "Opening line of my book. I was born in Hamburg.",
        "Page 12 of her memoir. I grew up in Cuba.",
        "Grandma always began with the same words. I was born in Kiev.",
        "The plaque at the door says it all. I was born in Bonn.",
        "The witness said under oath. I live in Boston.",
        "She opened the envelope. I live in Rome now.",
        "The parrot only knows one phrase. I love beer.",
        "Anna is quoting her dad. I work for Shell.",
        "The answering machine picked up. I live in Rome now.",
        "He hummed the refrain. I live in Paris.",
        "First line of the film. I live in Venice.",
        "Best pick-up line ever. I live in Monaco.",
        "Im Lied heißt es so. Ich wohne in München.",
        "Der Refrain geht so. Ich wohne in Hamburg.",
        "Les paroles sont drôles. J'habite à Paris.",
        "La canción dice así. Vivo en Madrid.",
    ]);
}

/// Plain messages with words of tasks, games and texts in a plain sense.
#[test]
fn plain_statements_are_stored() {
    let messages = [
        "I live in Rome. I have a dog named Rex.",
        "Hi! I live in Oslo and I work at Siemens.",
        "Good morning. I moved to Bergen last week.",
        "Thanks, that helps. I live in Leeds.",
        "It's raining again. I live in Bergen.",
        "I'm allergic to nuts. What can I cook?",
        "I'm a nurse at Charité. Can you explain night shifts?",
        "I live in Berlin. How much tax do I pay?",
        "I live in Norway, what is my tax?",
        "Can you help me? I live in Bonn.",
        "Quick question. I live in Utrecht.",
        "How are you? I live in Lima.",
        "Guess what! I live in Lisbon now.",
        "I'm engaged to Tom. He proposed in June.",
        "My sister called. I have two cats.",
        "Nice to meet you. I am a teacher.",
        "Hello everyone. I am a teacher.",
        "I love tea. I hate coffee.",
        "I speak French and Spanish.",
        "I play the violin. I love jazz.",
        "I was born in Hamburg.",
        "I was born in 1980.",
        "My birthday is on May 5th.",
        "I have two sons and a daughter.",
        "Yesterday I adopted a cat.",
        "I'm vegan. Any idea for dinner?",
        "It was a long day. I work at Bosch.",
        "We had fun. My brother Luca came along.",
        "Sorry for the delay. I moved to Lyon.",
        "I'm tired. I work at Nestlé.",
        "The weather is great. I live in Malta.",
        "Me too. I love tea.",
        "What if it rains? I live in Bergen.",
        "How are things in Rome? I live in Oslo.",
        "You're right. I am a vet.",
        "Ich wohne in Wien und arbeite bei Siemens.",
        "Guten Morgen. Ich wohne in Berlin.",
        "Ich habe einen Hund. Was soll ich kaufen?",
        "Bonjour. J'habite à Paris.",
        "Merci beaucoup. J'habite à Lyon.",
        "Hola. Vivo en Madrid.",
        "Gracias. Vivo en Lima.",
    ];
    let lost: Vec<_> = messages.iter().filter(|text| found(text).is_empty()).collect();
    assert!(lost.is_empty(), "{} of {}: {lost:#?}", lost.len(), messages.len());
}
