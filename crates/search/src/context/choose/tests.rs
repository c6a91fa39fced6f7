//! Tests of the choice among candidates that are built by hand.

use annals_core::{ContextItem, Date};

use super::*;

fn ids(all: &str) -> Vec<MemoryId> {
    all.split_whitespace().map(MemoryId::from_text).collect()
}

fn candidate(id: &str, kind: ContextKind, pool: Pool, text: &str, score: f64) -> Candidate {
    let days = (kind == ContextKind::Turn).then(|| (day(), day()));
    let item = ContextItem { id: id.into(), short: String::new(), kind, days, text: text.into(), score, tokens: 0 };
    Candidate { item, pool, at: None, sources: Vec::new(), summary: None, head: 0 }
}

fn day() -> Date {
    "2026-03-04".parse().unwrap()
}

fn turn(id: &str, text: &str) -> Candidate {
    Candidate { sources: ids(id), ..candidate(id, ContextKind::Turn, Pool::Found, text, 5.0) }
}

fn fact(id: &str, text: &str, from: &str) -> Candidate {
    Candidate { sources: ids(from), ..candidate(id, ContextKind::Fact, Pool::Facts, text, 3.0) }
}

/// Returns a summary with these sentences, each with the turns that it comes from.
fn summary(id: &str, pool: Pool, sentences: &[(&str, &str)]) -> Candidate {
    let line = |(text, from): &(&str, &str)| Line { day: None, text: (*text).into(), from: ids(from), quoted_above: 0 };
    let summary = Some(("2026-W10".parse().unwrap(), sentences.iter().map(line).collect()));
    Candidate { summary, ..candidate(id, ContextKind::Summary, pool, "", 4.0) }
}

/// Returns the chosen candidates, sorted: the id of each, and for a summary its sentences.
fn shown(candidates: &[Candidate], budget: u64, relevance: Relevance, query_words: &str) -> Vec<String> {
    let query_words = super::super::prompt_terms::words(query_words);
    let chosen = choose(candidates, &Limits { budget, relevance, query_words: &query_words });
    let line = |candidate: &Candidate| {
        let lines = candidate.summary.iter().flat_map(|(_, lines)| lines.iter().map(|line| line.text.as_str()));
        [&[candidate.item.id.as_str()], &lines.collect::<Vec<_>>()[..]].concat().join(" ")
    };
    let mut all: Vec<String> = chosen.candidates.iter().map(line).collect();
    all.sort();
    all
}

#[test]
fn fact_and_sentence_are_dropped_if_their_turn_is_shown() {
    let all = [
        turn("t-1", "I moved to Bern"),
        fact("f-1", "Ann lives in Bern", "t-1"),
        fact("f-2", "Ann likes tea", "t-2"),
        summary("s-1", Pool::Found, &[("moved", "t-1"), ("sold", "t-3")]),
        summary("s-2", Pool::Found, &[("bern", "t-1")]),
    ];
    assert_eq!(shown(&all, 1000, Relevance::Strong, ""), ["f-2", "s-1 sold", "t-1"]);
    // If the turn does not fit, the fact is shown.
    let long = turn("t-1", &"I moved to Bern. ".repeat(30));
    assert_eq!(shown(&[long, all[1].clone()], 100, Relevance::Strong, ""), ["f-1"]);
}

#[test]
fn long_turn_is_excerpted_and_its_facts_are_kept() {
    let minutes = format!("{}The roof costs 4,000 euros. {}", "It rained. ".repeat(300), "It snowed. ".repeat(300));
    let long = Candidate { head: 5, ..turn("t-1", &format!("Ann: {minutes}")) };
    let all = [long, fact("f-1", "roof costs 4,000 euros", "t-1")];
    let query_words = super::super::prompt_terms::words("what does the roof cost?");
    let chosen = choose(&all, &Limits { budget: 600, relevance: Relevance::Strong, query_words: &query_words });
    let [fact, excerpt] = &chosen.candidates[..] else { panic!("{:?}", chosen.candidates) };
    assert_eq!((fact.item.id.as_str(), chosen.omitted), ("f-1", 0));
    let text = &excerpt.item.text;
    assert!(text.starts_with("Ann: … It rained.") && text.contains("The roof costs 4,000 euros."), "{text}");
    assert!(excerpt.item.tokens <= EXCERPT.1, "{}", excerpt.item.tokens);
}

#[test]
fn turn_is_dropped_if_the_requested_period_covers_it() {
    let all = [
        turn("t-1", "I moved to Bern"),
        turn("t-2", "I sold the boat"),
        summary("s-1", Pool::Period, &[("moved", "t-1"), ("painted", "t-9")]),
    ];
    let limits = Limits { budget: 1000, relevance: Relevance::Strong, query_words: &[] };
    assert_eq!(shown(&all, 1000, Relevance::Strong, ""), ["s-1 moved painted", "t-2"]);
    assert_eq!(choose(&all, &limits).omitted, 0, "what is said already is not left out for the budget");
}

#[test]
fn facts_get_their_share_and_unused_room() {
    let facts: Vec<Candidate> = (10..30)
        .map(|number| fact(&format!("f-{number}"), "Ann likes tea very much", &format!("x-{number}")))
        .collect();
    let turns: Vec<Candidate> =
        (10..60).map(|number| turn(&format!("t-{number}"), "Something that was said")).collect();
    let count = |candidates: &[Candidate], start: &str| {
        shown(candidates, 500, Relevance::Strong, "").iter().filter(|line| line.starts_with(start)).count()
    };
    let both = [&turns[..], &facts[..]].concat();
    let (among, alone) = (count(&both, "f-"), count(&facts, "f-"));
    assert!((1..=5).contains(&among) && alone == 20, "{among} {alone}");
    assert!(count(&both, "t-") > 15);
}

#[test]
fn requested_sentences_of_a_long_summary_are_kept() {
    let sentences = [("Ann painted the whole kitchen", ""), ("Bob sold a boat", ""), ("The cat was ill again", "")];
    let all = [summary("s-1", Pool::Period, &sentences)];
    let room = render::FRAME
        + render::price_of_heading(Section::Summaries)
        + render::price_of_head("2026-W10".parse().unwrap());
    let one = room + render::price_of_sentence(sentences[1].0);
    assert_eq!(shown(&all, one, Relevance::Strong, "Who sold the boats?"), ["s-1 Bob sold a boat"]);
    assert_eq!(shown(&all, room, Relevance::Strong, "Who sold the boats?"), [""; 0]);
    let whole = "s-1 Ann painted the whole kitchen Bob sold a boat The cat was ill again";
    assert_eq!(shown(&all, 500, Relevance::Strong, "Who sold the boats?"), [whole]);
}

#[test]
fn newest_summaries_share_a_tenth_without_repeats() {
    let turns: Vec<Candidate> =
        (10..60).map(|number| turn(&format!("t-{number}"), "Something that was said")).collect();
    let year = summary("s-1", Pool::Newest, &[("Ann moved to Bern", "x-1"), ("Bob sold a boat", "x-2")]);
    let month = summary("s-2", Pool::Newest, &[("Ann moved to Bern", "x-1"), ("The cat was ill", "x-3")]);
    let all = [&turns[..], &[year.clone(), month]].concat();
    let summaries = |candidates: &[Candidate], budget: u64| {
        let lines = shown(candidates, budget, Relevance::Strong, "");
        lines.into_iter().filter(|line| line.starts_with("s-")).collect::<Vec<_>>()
    };
    assert_eq!(summaries(&all, 2000), ["s-1 Ann moved to Bern Bob sold a boat", "s-2 The cat was ill"]);
    assert_eq!(summaries(&all, 300), [""; 0], "where a tenth is less than a sentence");
    // A turn that is shown replaces the sentence made from it.
    let same = [&all[..], &[turn("x-1", "I moved to Bern")]].concat();
    assert_eq!(summaries(&same, 5000), ["s-1 Bob sold a boat", "s-2 The cat was ill"]);
    let limits = Limits { budget: 100, relevance: Relevance::Strong, query_words: &[] };
    assert_eq!(choose(&[year], &limits).omitted, 0, "what comes with every prompt is not missed");
}

#[test]
fn prompt_unknown_to_memory_gets_ninety_tokens_of_facts() {
    let facts: Vec<Candidate> = (1..9).map(|number| fact(&format!("f-{number}"), "Ann likes tea", "")).collect();
    let chosen = choose(&facts, &Limits { budget: 2000, relevance: Relevance::None, query_words: &[] });
    let text = render::render(&render::arrange(chosen.candidates));
    assert!(!text.is_empty() && annals_core::tokens(&text) <= FEW_FACTS, "{text}");
    assert_eq!(shown(&facts, 2000, Relevance::Strong, "").len(), 8);
}

#[test]
fn prompt_that_memory_hardly_fits_gets_few_results() {
    fn check(candidates: &[Candidate], expect: &[&str]) {
        assert_eq!(shown(candidates, 2000, Relevance::DOUBTFUL, ""), expect);
    }
    let of = |id: &str, words: usize| Candidate { pool: Pool::Few, ..turn(id, &"word ".repeat(words)) };
    check(&[of("t-1", 20), of("t-2", 20), of("t-3", 40), of("t-4", 5)], &["t-1", "t-2", "t-4"]);
    // The best turn is shown even if it exceeds the limit; then nothing else is shown.
    check(&[of("t-1", 500), of("t-2", 5)], &["t-1"]);
    check(&[of("t-1", 5), of("t-2", 500), of("t-3", 5)], &["t-1", "t-3"]);
    let long =
        "He painted the whole kitchen and the bathroom in a colour that nobody else in the house had seen. ".repeat(2);
    let sentences = [("Ann sold the boat", ""), (long.as_str(), ""), (long.as_str(), "")];
    check(&[summary("s-1", Pool::Few, &sentences)], &[&format!("s-1 Ann sold the boat {long}")]);
    let facts: Vec<Candidate> = (1..9).map(|number| fact(&format!("f-{number}"), "Ann likes tea", "")).collect();
    let limits = Limits { budget: 2000, relevance: Relevance::WEAK, query_words: &[] };
    let chosen = choose(&[&facts[..], &[of("t-1", 60)]].concat(), &limits);
    assert!((2..8).contains(&chosen.candidates.len()), "{}", chosen.candidates.len());
    assert_eq!(chosen.omitted, 0);
    // The limit is higher if the prompt fits weakly than if that is doubtful.
    let turns: Vec<Candidate> = (10..60).map(|number| of(&format!("t-{number}"), 40)).collect();
    let count = |relevance| shown(&turns, 5000, relevance, "").len();
    assert_eq!([Relevance::DOUBTFUL, Relevance::WEAK].map(count), [1, 12]);
}

#[test]
fn older_turns_with_the_same_words_give_way_to_other_turns() {
    let on = |id: &str, day: &str, text: &str, score: f64| {
        let mut turn = turn(id, text);
        let day = day.parse().unwrap();
        (turn.item.days, turn.item.score) = (Some((day, day)), score);
        turn
    };
    let question = "Kai: Rename the handlers module.";
    let mut all: Vec<Candidate> =
        (1..=6).map(|day| on(&format!("t-{day}"), &format!("2026-03-0{day}"), question, 9.0)).collect();
    all.push(on("t-answer", "2026-03-06", "assistant: Renamed handlers.py to routes.py.", 1.0));
    let three = (1..1000).map(|budget| shown(&all, budget, Relevance::Strong, "")).find(|shown| shown.len() == 3);
    assert_eq!(three.unwrap(), ["t-5", "t-6", "t-answer"]);
    assert_eq!(shown(&all, 1000, Relevance::Strong, "").len(), all.len(), "they are shown if there is room");
}
