//! Conversations whose earlier turns decide what a turn states.

use annals_core::ports::ExtractionTask;
use annals_core::{Agent, Extractor, Fact, FactOperation, Memory, Role, Settings};
use jiff::SignedDuration;

use super::{Rules, fold, found_in, line, turn};

/// Returns turns of one conversation, each given as `speaker: text`.
pub(super) fn turns(texts: &[&str]) -> Vec<Memory> {
    let turns = texts.iter().enumerate().map(|(number, text)| {
        let (speaker, text) = text.split_once(": ").unwrap();
        let role = if speaker == "assistant" { Role::Assistant } else { Role::User };
        turn(number, role, speaker, text)
    });
    in_minutes(turns.collect())
}

/// Sets the times of turns a minute apart.
pub(super) fn in_minutes(mut turns: Vec<Memory>) -> Vec<Memory> {
    for (number, turn) in turns.iter_mut().enumerate() {
        turn.cover.start += SignedDuration::from_mins(i64::try_from(number).unwrap());
        turn.cover.end = turn.cover.start;
    }
    turns
}

/// Returns the operations that are found in turns that follow those of `context`.
pub(super) fn found_after(context: &[Memory], turns: &[Memory], known: &[Fact]) -> Vec<FactOperation> {
    let (agent, settings, now) = (Agent::new("a").unwrap(), Settings::default(), turns[0].at());
    let task = ExtractionTask {
        agent: &agent,
        settings: &settings,
        turns,
        context,
        known,
        predicates: &[],
        now,
        access_key: None,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(Rules.extract(task)).unwrap().operations
}

pub(super) fn found(texts: &[&str]) -> Vec<String> {
    found_in(&turns(texts), &[]).iter().map(line).collect()
}

pub(super) fn check(texts: &[&str], expect: &[&str]) {
    assert_eq!(found_in(&turns(texts), &[]).iter().map(line).collect::<Vec<_>>(), expect, "{texts:#?}");
}

#[test]
fn turns_of_a_scene_state_nothing() {
    for begin in [
        "user: let's do a roleplay, you're a bartender in Paris",
        "user: Let's play pretend. You are a shopkeeper.",
        "user: I'm practising English, please correct my sentences.",
        "user: From now on translate everything I write into French.",
        "user: I want to practise for a job interview. I'll use a made up CV.",
        "user: help me write a first person short story",
        "user: Let's play 20 questions, I'm thinking of a person and answer as them",
        "user: Lass uns ein Rollenspiel machen.",
        "user: Corrige mis frases, por favor.",
    ] {
        check(&[begin, "assistant: Gladly!", "user: I live in Rome. I have a dog named Rex."], &[]);
    }
}

#[test]
fn scene_ends_with_words_or_a_pause() {
    let game = ["user: Let's play pretend.", "user: I live in Rome."];
    check(&[game[0], game[1], "user: Stop the game. I live in Oslo."], &["user lives_in Oslo"]);
    let mut later = turns(&game);
    later[1].cover.start += SignedDuration::from_hours(3);
    later[1].cover.end = later[1].cover.start;
    assert_eq!(found_in(&later, &[]).iter().map(line).collect::<Vec<_>>(), ["user lives_in Rome"]);
}

/// In a running service each turn is a task of its own; the turns before it are its context.
#[test]
fn scene_holds_turn_by_turn_until_a_person_ends_it() {
    let mut texts = vec!["user: Let's do a roleplay, you are a baker in Paris."];
    texts.extend(["user: I live in Rome.", "assistant: Bonjour! Don't stop the story."].repeat(20));
    texts.extend(["user: Ok, stop the roleplay.", "user: I live in Oslo."]);
    let turns = turns(&texts);
    let found = (0..turns.len()).flat_map(|next| found_after(&turns[..next], &turns[next..=next], &[]));
    assert_eq!(found.map(|one| line(&one)).collect::<Vec<_>>(), ["user lives_in Oslo"]);
}

#[test]
fn text_that_an_assistant_asked_for_states_nothing() {
    check(&["user: I have a question.", "assistant: Sure, paste the text.", "user: I live in Rome."], &[]);
    check(
        &["user: I have a question.", "assistant: Where do you live?", "user: I live in Rome."],
        &["user lives_in Rome"],
    );
}

#[test]
fn words_about_games_begin_no_scene() {
    for text in [
        "I love role-playing games.",
        "My son plays pretend all day.",
        "I wrote a story last year.",
        "I translate for a living.",
    ] {
        let text = format!("Ann: {text}");
        let found = found_in(&turns(&[&text, "Ann: I live in Rome."]), &[]);
        assert_eq!(found.last().map(line).as_deref(), Some("Ann lives_in Rome"), "{text}");
    }
}

#[test]
fn next_turn_takes_back_what_a_turn_stated() {
    check(&["Tom: I'm moving to Leeds in June.", "Ann: Really?", "Tom: Nope, made you look."], &[]);
    check(&["Tom: I live in Leeds.", "Tom: Sorry, typo. I live in Leiden."], &["Tom lives_in Leiden"]);
    check(&["Tom: I live in Leeds.", "Ann: Sorry, typo."], &["Tom lives_in Leeds"]);
}

/// In a running service each turn is a task of its own, and the turns before it are its context.
#[test]
fn taking_back_ends_what_an_earlier_task_stored() {
    let turns = turns(&["Tom: I live in Leeds.", "Tom: Sorry, typo. I live in Leiden."]);
    let known = fold(&found_in(&turns[..1], &[]));
    let found = found_after(&turns[..1], &turns[1..], &known);
    assert_eq!(found.iter().map(line).collect::<Vec<_>>(), ["DELETE Tom lives_in Leeds", "Tom lives_in Leiden"]);
}
