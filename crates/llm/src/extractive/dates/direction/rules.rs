//! The rules for the side of an English weekday. Each has a text in which it holds, and most have one like it in which it does
//! not; the test asks every rule about its own.

use super::{Weekday, tense};

/// A sign in the clause of a weekday.
#[cfg_attr(not(test), expect(dead_code, reason = "the test reads the texts"))]
pub(super) struct Rule {
    holds_in: &'static str,
    but_not_in: &'static str,
    pub(super) holds: fn(&Weekday<'_>) -> bool,
}

const fn rule(holds_in: &'static str, but_not_in: &'static str, holds: fn(&Weekday<'_>) -> bool) -> Rule {
    Rule { holds_in, but_not_in, holds }
}

/// Signs that the weekday is over. They come before those of [`AHEAD`].
pub(super) const PAST: [Rule; 9] = [
    rule("Correction to Thursday: nobody was hurt", "Moved to Thursday", |day| {
        ["correction", "addendum", "update", "follow-up", "erratum"].contains(&day.back(2))
    }),
    rule("Closed since Monday", "It will be closed since Monday", |day| {
        day.back(1) == "since" && !tense::is_announced(day.words, day.at)
    }),
    rule("Thursday's deal is off", "By Thursday's deadline", |day| {
        let is_open = limits(day) || day.back(1) == "before" || tense::is_announced(day.words, day.at);
        day.words[day.at].ends_with("'s") && !is_open
    }),
    rule("Bilge dry after pumping Friday", "Meet me after training Friday", |day| {
        day.back(2) == "after" && day.back(1).ends_with("ing") && !tense::looks_ahead(day.before())
    }),
    rule("Clinics reopen after an attack on Saturday", "We fly to Bergen after a wedding on Saturday", |day| {
        let is_after_event = (2..=6).any(|back| day.back(back) == "after" && ["a", "an"].contains(&day.back(back - 1)));
        let is_of_writer = day.follows(&["i", "i'm", "i'll", "we", "we'll", "will"]);
        day.back(1) == "on" && is_after_event && !is_of_writer
    }),
    rule("A van seen on Sunday is missing", "The dinner booked for Friday is off", |day| {
        let is_verb_next = day.words.get(day.at + 1).is_some_and(|next| ["is", "are", "has", "have"].contains(next));
        let found = ["seen", "found", "lost", "stolen", "taken", "held", "reported", "killed"];
        day.back(1) == "on" && is_verb_next && day.follows(&found)
    }),
    rule("They didn't stop till Sunday", "Closed till Sunday", |day| {
        ends(day) && (2..=4).any(|back| day.back(back) == "didn't")
    }),
    rule("Still sore from Monday", "Pump hired from Monday", is_sore),
    rule("Nine cases now, up from four on Tuesday", "The path will go up from the quay on Tuesday", |day| {
        let compares = (2..=4).any(|back| ["up", "down"].contains(&day.back(back)) && day.back(back - 1) == "from");
        compares && !tense::looks_ahead(day.before())
    }),
];

/// Signs that the weekday is ahead.
pub(super) const AHEAD: [Rule; 6] = [
    rule("I asked for it by Tuesday", "Crews restored power by Tuesday night", limits),
    rule("Pump hired from Monday", "I was off from Monday", |day| {
        day.back(1) == "from" && !is_sore(day) && !day.follows(&["was", "were", "been"])
    }),
    rule("Repairs starting Monday", "We were off starting Monday", |day| {
        ["starting", "beginning"].contains(&day.back(1)) && !day.is_told()
    }),
    rule("Home on Friday", "I drove home on Friday", |day| {
        let place = day.back(if day.back(1) == "on" { 2 } else { 1 });
        ["back", "out", "home"].contains(&place) && !day.is_told()
    }),
    rule("Rang the surgery, got Tuesday", "I got Tuesday wrong", |day| {
        day.note.start + 1 == day.at && ["got", "given", "offered", "booked"].contains(&day.back(1))
    }),
    rule("Cancelled Monday", "Closed Monday", |day| ["cancelled", "canceled", "postponed"].contains(&day.back(1))),
];

/// Returns whether the weekday announces what is to come, whatever else the clause says: "Monday's diary".
pub(super) fn is_agenda(day: &Weekday<'_>) -> bool {
    const AGENDAS: [&str; 8] =
        ["agenda", "diary", "fixtures", "forecast", "line-up", "lineup", "programme", "schedule"];
    let names_agenda = day.words.get(day.at + 1).is_some_and(|next| AGENDAS.contains(next));
    names_agenda && day.words[day.at].ends_with("'s") && !tense::is_past(day.words, day.at)
}

/// Returns whether the weekday is the end of a time: "by Friday", "must be withdrawn by noon on Friday".
fn limits(day: &Weekday<'_>) -> bool {
    let is_limit = day.back(1) == "by" || ends(day) || ["to", "for"].contains(&day.back(1));
    let is_hour_of_limit = day.back(1) == "on" && day.back(3) == "by" && !tense::is_past(day.words, day.at);
    is_limit && !is_done(day) || is_hour_of_limit
}

fn ends(day: &Weekday<'_>) -> bool {
    ["until", "till", "til"].contains(&day.back(1))
}

/// Returns whether something was done by the weekday: "Crews restored power by Tuesday night". A verb behind the day counts
/// only if the day begins the clause: "By Friday we were all sick". "The report, done by Friday" asks for it.
fn is_done(day: &Weekday<'_>) -> bool {
    let is_wanted = ["done", "finished"].contains(&day.back(2))
        && !day
            .follows(&["is", "was", "were", "are", "got", "get", "been", "have", "had", "has", "we've", "i've", "i'm"]);
    if is_wanted {
        return false;
    }
    let verbs = if day.at == 1 { day.words } else { &day.words[..=day.at] };
    day.back(1) == "by" && tense::is_past(verbs, day.at) && !day.before().iter().any(|word| tense::asks(word))
}

fn is_sore(day: &Weekday<'_>) -> bool {
    day.back(1) == "from" && day.follows(&["still", "sore"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extractive::dates::{Sentence, phrases, strip};
    use crate::extractive::tokens::tokens;

    fn holds(rule: &Rule, text: &str) -> bool {
        let tokens = tokens(text);
        let words: Vec<&str> = tokens.iter().map(|token| token.lower.as_str()).collect();
        let at = words.iter().position(|word| phrases::weekday(strip(word)).is_some()).unwrap();
        (rule.holds)(&Weekday::new(Sentence { text, tokens: &tokens, words: &words, past_day: None }, at))
    }

    #[test]
    fn each_rule_holds_in_its_example_and_not_in_the_other() {
        for rule in PAST.iter().chain(&AHEAD) {
            assert!(holds(rule, rule.holds_in), "{}", rule.holds_in);
            assert!(!holds(rule, rule.but_not_in), "{}", rule.but_not_in);
        }
    }
}
