//! Dates of sentences as people write them in chats, logs and notes: each got a wrong date once, or must keep the right one.

use super::{check, check_on};

#[test]
fn times_of_colloquial_sentences_get_the_date_that_is_meant_or_none() {
    for sentence in [
        "I start my last semester of nursing school soon.",
        "We move in the last week of January.",
        "Skipped the run, third time in a week.",
        "It usually clears in a day or two.",
        "The appeal has passed £50,000 in two days.",
        "I've not seen my brother in six years.",
        "Zero missed readings in 7 weeks.",
        "They work Mon–Fri and one weekend in two.",
        "He wants Leo back in the Thursday group.",
        "I asked for my two days back from July.",
        "I was supposed to call her Sunday and I didn't.",
        "It sleeps 6, fri 2 to mon 5 may.",
        "Friday on-call rotates Marisol, Kwabena, me.",
        "It had threatened Saturday services since Christmas.",
        "Whit Monday.",
    ] {
        check(sentence, sentence);
    }
    check("Nine cases now, up from four on Tuesday.", "Nine cases now, up from four on Tuesday [2026-03-03].");
    check("Rang the surgery, got Tuesday.", "Rang the surgery, got Tuesday [2026-03-10].");
    check("Kestle walked the job with me, price Friday.", "Kestle walked the job with me, price Friday [2026-03-06].");
    check("Monday's diary: council meets in private.", "Monday's [2026-03-09] diary: council meets in private.");
    check(
        "Came in to find the container cut open over the weekend.",
        "Came in to find the container cut open over the weekend [2026-02-28 to 2026-03-01].",
    );
    check("Bilge dry after pumping Friday.", "Bilge dry after pumping Friday [2026-02-27].");
    check(
        "Got the placement, six weeks starting Monday.",
        "Got the placement, six weeks starting Monday [2026-03-09].",
    );
    check(
        "Jabs done on all 11 cattle, vet back Thursday.",
        "Jabs done on all 11 cattle, vet back Thursday [2026-03-05].",
    );
    check("Hiring was approved, advert out Thursday.", "Hiring was approved, advert out Thursday [2026-03-05].");
    check("Regen'd the column on Friday.", "Regen'd the column on Friday [2026-02-27].");
    check("Legs still wobbly from Tuesday.", "Legs still wobbly from Tuesday [2026-03-03].");
    check("Last polls before Sunday's election.", "Last polls before Sunday's [2026-03-08] election.");
    check("They told Beth, she's coming up on Saturday.", "They told Beth, she's coming up on Saturday [2026-03-07].");
    check("Joe's got an interview on Monday.", "Joe's got an interview on Monday [2026-03-09].");
    check("He didn't stop till Sunday night.", "He didn't stop till Sunday night [2026-03-01].");
    check(
        "Which loaf was sold by the yard? Answer on Thursday.",
        "Which loaf was sold by the yard? Answer on Thursday [2026-03-05].",
    );
    check("We have agreed to meet in two weeks.", "We have agreed to meet in two weeks [2026-03-18].");
    check("How was everyone's Wednesday?", "How was everyone's Wednesday [2026-03-04]?");
    check("I did Thursday, 4,000 of the black.", "I did Thursday [2026-02-26], 4,000 of the black.");
    check("Sunday evening yes, got a project till 4.", "Sunday evening [2026-03-08] yes, got a project till 4.");
    check(
        "Not Wednesday. They want another echo, so Saturday now.",
        "Not Wednesday [2026-03-04]. They want another echo, so Saturday [2026-03-07] now.",
    );
    check("Rang, no answer, they're shut til Friday.", "Rang, no answer, they're shut til Friday [2026-03-06].");
    check("Free Wednesday.", "Free Wednesday [2026-03-04].");
    check("Dentist Wednesday.", "Dentist Wednesday [2026-03-11].");
    check("I did the last night shift in Bern.", "I did the last night shift in Bern.");
    check(
        "Solicitor says exchange this Friday isn't happening, they haven't sent the papers.",
        "Solicitor says exchange this Friday [2026-03-06] isn't happening, they haven't sent the papers.",
    );
    check("Eggs come twice a week from Friday.", "Eggs come twice a week from Friday [2026-03-06].");
    check("Eggs twice a week from now on.", "Eggs twice a week from now on.");
    check("Prices of eggs double in a week.", "Prices of eggs double in a week.");
    check("She will be towed at the next spring tide.", "She will be towed at the next spring tide.");
    check("The table I booked for Saturday has a view.", "The table I booked for Saturday [2026-03-07] has a view.");
    check("The match moved to Sunday is in Bern.", "The match moved to Sunday [2026-03-08] is in Bern.");
    check(
        "We fly to Bergen after a wedding on Saturday.",
        "We fly to Bergen after a wedding on Saturday [2026-03-07].",
    );
    check("By Tuesday the water had gone down.", "By Tuesday [2026-03-03] the water had gone down.");
    check("At work this Monday they fired Tom.", "At work this Monday [2026-03-02] they fired Tom.");
    check("Tuesday no sleep, baby cried.", "Tuesday [2026-03-03] no sleep, baby cried.");
    check("Saturday great fun, Anna sang.", "Saturday [2026-02-28] great fun, Anna sang.");
    check(
        "Tom comes to Bern on Tuesday, not Wednesday.",
        "Tom comes to Bern on Tuesday [2026-03-10], not Wednesday [2026-03-11].",
    );
    check("The bakery is shut. Until Wednesday.", "The bakery is shut. Until Wednesday [2026-03-11].");
    check("This Monday we lost the match.", "This Monday [2026-03-02] we lost the match.");
    check(
        "Notes by Saturday noon please and one set of notes.",
        "Notes by Saturday noon [2026-03-07] please and one set of notes.",
    );
    check("Sunday, went to church.", "Sunday [2026-03-01], went to church.");
    check("A van seen at 2 am on Sunday is missing.", "A van seen at 2 am on Sunday [2026-03-01] is missing.");
    check(
        "Clinics reopen after a ransomware attack on Saturday.",
        "Clinics reopen after a ransomware attack on Saturday [2026-02-28].",
    );
    check("First Wednesday not at work.", "First Wednesday [2026-03-04] not at work.");
}

/// Sentences that rules for others must not change.
#[test]
fn times_of_what_happened_keep_their_date() {
    check("I drove home on Sunday.", "I drove home on Sunday [2026-03-01].");
    check("We ate out on Saturday.", "We ate out on Saturday [2026-02-28].");
    check("I paid him back Monday.", "I paid him back Monday [2026-03-02].");
    check("I went to my sister's wedding on Saturday.", "I went to my sister's wedding on Saturday [2026-02-28].");
    check("I missed Tom's training on Monday.", "I missed Tom's training on Monday [2026-03-02].");
    check("I saw her last week.", "I saw her last week [2026-02-23 to 2026-03-01].");
    check("I rang twice, no answer Monday.", "I rang twice, no answer Monday [2026-03-02].");
    check(
        "We had a great time, lovely dinner Friday at Luigi's.",
        "We had a great time, lovely dinner Friday [2026-02-27] at Luigi's.",
    );
    check("She felt sick starting Sunday.", "She felt sick starting Sunday [2026-03-01].");
    check("Meet me after training Thursday.", "Meet me after training Thursday [2026-03-05].");
    check("There's no rush, we move in three weeks.", "There's no rush, we move in three weeks [2026-03-25].");
    check("I sold the car a fortnight ago.", "I sold the car a fortnight ago [2026-02-18].");
    check("We move in two fortnights.", "We move in two fortnights [2026-04-01].");
    check("The fortnightly visit was a disaster.", "The fortnightly visit was a disaster.");
    check("He died last year, of course.", "He died last year [2025], of course.");
    check("My sister'd prefer Sunday.", "My sister'd prefer Sunday [2026-03-08].");
}

#[test]
fn weekday_with_its_week_gets_one_date() {
    check("On Tuesday last week the goats got out.", "On Tuesday last week [2026-02-24] the goats got out.");
    check("The party is Thursday of next week.", "The party is Thursday of next week [2026-03-12].");
    check(
        "The shop is closed Mon and Tue next week.",
        "The shop is closed Mon [2026-03-09] and Tue next week [2026-03-10].",
    );
    check_on("2026-03-07", "Swimming restarts this Monday.", "Swimming restarts this Monday [2026-03-09].");
    check_on("2026-03-07", "We moved this Monday.", "We moved this Monday [2026-03-02].");
}

#[test]
fn short_spellings_are_read() {
    check("Bea quit yday and feels younger.", "Bea quit yday [2026-03-03] and feels younger.");
    check("The dinner moved to 2moro.", "The dinner moved to 2moro [2026-03-05].");
    check("The tour begins nxt wk.", "The tour begins nxt wk [2026-03-09 to 2026-03-15].");
}

#[test]
fn tense_of_the_own_part_decides() {
    check("Saw Pulp on Saturday, my voice is gone.", "Saw Pulp on Saturday [2026-02-28], my voice is gone.");
    check(
        "Bruno broke his arm on Saturday, the cast comes off later.",
        "Bruno broke his arm on Saturday [2026-02-28], the cast comes off later.",
    );
    check("The baby was due on Tuesday but is late.", "The baby was due on Tuesday [2026-03-03] but is late.");
}

#[test]
fn weekday_of_names_habits_and_things_gets_no_date() {
    for sentence in [
        "Wednesday Addams is her favourite.",
        "Wilma calls her mother every other Sunday.",
        "He walked one rainy Friday.",
        "Harvey saves the Sunday crossword.",
        "Max usually texts on Thursday.",
    ] {
        check(sentence, sentence);
    }
}
