//! Applies the rules of the table to a clause. Returns what it states about the speaker, from which day, and of which kind.
//!
//! Tries the whole clause first, then its forms without a tail (`tails`), and takes the longest that any rule matches. Does not
//! write the log of operations: `operations` decides how a statement changes it.

use annals_core::{ALIAS, Date, Memory, Properties, Verb, entity_key};
use jiff::ToSpan;
use regex::{Captures, Regex};
use serde_json::Value;

use super::aliases::{Speakers, in_first_person};
use super::classes::TITLES;
use super::clauses::{self, Clause};
use super::dates::{self, Side, When};
use super::forms::Entry;
use super::framing::Voice;
use super::grammar::{self, pattern};
use super::objects::{self, Shape};
use super::people::{self, About};
use super::polarity;
use super::table::{CLAUSES, MENTIONS, Rule, States};
use super::tails::{self, Form};

/// Named capture groups of the rules' patterns, each with the class to which the captured text must belong.
const CLASSES: [(&str, Shape); 12] = [
    ("place", Shape::Place),
    ("former", Shape::Place),
    ("employer", Shape::Employer),
    ("school", Shape::School),
    ("occupation", Shape::Occupation),
    ("pet", Shape::Pets),
    ("thing", Shape::Belonging),
    ("skill", Shape::Skill),
    ("name", Shape::Names),
    ("first", Shape::FirstName),
    ("children", Shape::Children),
    ("dish", Shape::Food),
];

/// A statement about the speaker that a rule found.
pub(super) struct Triple {
    /// Whom the statement is about; `None` for the speaker.
    pub(super) person: Option<String>,
    pub(super) verb: Verb,
    pub(super) predicate: String,
    pub(super) object: String,
    pub(super) former: Option<String>,
    pub(super) properties: Properties,
    pub(super) confidence: f64,
    pub(super) day: Option<Date>,
    /// First day after the planned date.
    pub(super) end: Option<Date>,
}

impl Triple {
    /// Returns the statement that a fact has ended now.
    pub(super) fn ended(person: Option<String>, predicate: String, object: String, confidence: f64) -> Triple {
        let (former, properties, day, end) = (None, Properties::new(), None, None);
        Triple { person, verb: Verb::Delete, predicate, object, former, properties, confidence, day, end }
    }
}

/// Returns what a clause states about the speaker.
pub(super) fn triples(clause: &Clause, turn: &Memory, speakers: &Speakers) -> Vec<Triple> {
    let text = in_first_person(&clause.text, turn.speaker().unwrap_or_default());
    let polar = polarity::of(&text);
    let mut triples = Vec::new();
    if clause.states {
        // An ending may have a rule of its own: "I no longer eat meat".
        triples = of_statement(&text, false, turn, speakers);
        if triples.is_empty() && polar.ended {
            triples = of_statement(&polar.clause, true, turn, speakers);
        }
    }
    if matches!(clause.voice, Voice::Own | Voice::Conversation) && !polar.ended && !GONE.is_match(&clause.text) {
        let dated = Dated::of(&clause.text, turn);
        let mentions = MENTIONS.iter().flat_map(|rule| of_rule(rule, &dated, false, turn, speakers));
        let is_sure = |triple: &Triple| {
            clause.states
                || STARTS_WITH_MY.is_match(&clause.text)
                || triple.predicate == "has_pet" && STARTS_WITH_OUR.is_match(&clause.text)
        };
        triples.extend(mentions.filter(is_sure));
    }
    triples
}

/// Returns what a clause states about somebody else.
pub(super) fn triples_about(about: &About, clause: &Clause, turn: &Memory, speakers: &Speakers) -> Vec<Triple> {
    let is_told = matches!(clause.voice, Voice::Own | Voice::Conversation | Voice::Describes);
    if !clause.states || !is_told || GONE.is_match(&clause.text) || speakers.has(&about.person.name) {
        return Vec::new();
    }
    let mut triples = of_statement(&about.clause, false, turn, speakers);
    triples.retain(|triple| people::may_have(&triple.predicate));
    triples.iter_mut().for_each(|triple| triple.person = Some(about.person.name.clone()));
    triples
}

/// Returns what a line of a form states.
pub(super) fn triples_of_form(entry: &Entry, turn: &Memory, speakers: &Speakers) -> Vec<Triple> {
    let dated = Dated::of(&entry.clause, turn);
    let mut triples = of_statement(&entry.clause, false, turn, speakers);
    triples.extend(MENTIONS.iter().flat_map(|rule| of_rule(rule, &dated, false, turn, speakers)));
    triples.iter_mut().for_each(|triple| triple.person.clone_from(&entry.person));
    triples
}

/// Returns the statements of the longest form of the clause that any rule matches.
fn of_statement(clause: &str, ended: bool, turn: &Memory, speakers: &Speakers) -> Vec<Triple> {
    let certain = clauses::certain_length(clause);
    let is_dated = Dated::of(clause, turn).past.1.is_some();
    let forms = tails::forms(clause).into_iter().filter(|form| form.text.len() <= certain);
    let of_form = |form: Form<'_>| -> Vec<Triple> {
        let dated = Dated::of(form.text, turn);
        // The date of an event may be in the removed part.
        let loses_date = form.may_lose_date() && is_dated && dated.past.1.is_none();
        let rules = CLAUSES.iter().filter(|rule| form.may_match(rule) && !(loses_date && rule.states.needs_moment()));
        rules.flat_map(|rule| of_rule(rule, &dated, ended, turn, speakers)).collect()
    };
    forms.map(of_form).find(|triples| !triples.is_empty()).unwrap_or_default()
}

/// A clause without its date, and the date. An ambiguous date is resolved both to the past and to the future.
struct Dated {
    past: (String, Option<When>),
    future: (String, Option<When>),
}

impl Dated {
    fn of(clause: &str, turn: &Memory) -> Dated {
        let take = |side| dates::take(clause, turn.days.0, side);
        Dated { past: take(Side::Past), future: take(Side::Future) }
    }
}

fn of_rule(rule: &Rule, clause: &Dated, ended: bool, turn: &Memory, speakers: &Speakers) -> Vec<Triple> {
    let (text, when) = if rule.is_ahead() { &clause.future } else { &clause.past };
    let reading = Reading { rule, text, when: when.as_ref(), ended, turn, speakers };
    let whole = rule.pattern.captures_iter(text).filter(|found| ends_well(text, found));
    whole.flat_map(|found| reading.triples(&found)).collect()
}

/// Returns whether a name ends where the match ends. In "my uncle Bob joke fell flat" a noun follows, so the name is part of
/// another.
fn ends_well(text: &str, found: &Captures<'_>) -> bool {
    let rest = rest(text, found);
    !rest.starts_with(' ') || FOLLOWS_NAME.is_match(rest)
}

/// Returns the text after a match.
fn rest<'t>(text: &'t str, found: &Captures<'_>) -> &'t str {
    &text[found.get(0).map_or(0, |found| found.end())..]
}

/// The application of a rule to a clause.
struct Reading<'a> {
    rule: &'a Rule,
    /// The clause without its date.
    text: &'a str,
    when: Option<&'a When>,
    ended: bool,
    turn: &'a Memory,
    speakers: &'a Speakers,
}

impl Reading<'_> {
    fn triples(&self, found: &Captures<'_>) -> Vec<Triple> {
        if !self.fits_its_date() || !self.is_of_its_classes(found) {
            return Vec::new();
        }
        let objects = self.objects(found);
        // "Two dogs, Rex" may address Rex.
        if found.name("count").is_some_and(|count| objects::count(count.as_str()) != Some(objects.len())) {
            return Vec::new();
        }
        let objects = objects.into_iter().filter(|object| self.is_another(object, found));
        objects.map(|object| self.triple(found, object)).collect()
    }

    fn triple(&self, found: &Captures<'_>, object: String) -> Triple {
        let part = |name: &str| found.name(name).map(|part| part.as_str());
        let verb = self.verb();
        let kind = self.kind(found).map(|kind| ("kind".to_owned(), Value::from(kind.to_lowercase())));
        let planned = self.when.filter(|_| self.rule.is_ahead());
        let when = planned.map(|when| ("when".to_owned(), Value::from(when.label.as_str())));
        let predicate = match self.rule.predicate {
            "" => grammar::relation(part("kin").unwrap_or_default()),
            predicate => predicate.to_owned(),
        };
        Triple {
            person: None,
            verb,
            predicate,
            object,
            former: part("former").filter(|_| verb == Verb::Update).map(str::to_owned),
            properties: if verb == Verb::Delete { Properties::new() } else { kind.into_iter().chain(when).collect() },
            confidence: self.rule.confidence,
            day: self.when.filter(|when| self.is_of_the_date(when, found)).map(|when| when.day),
            end: planned.filter(|_| verb != Verb::Delete).map(|when| when.end),
        }
    }

    fn fits_its_date(&self) -> bool {
        let today = self.turn.days.0;
        let states = self.rule.states;
        let Some(when) = self.when else {
            let needs_date = matches!(states, States::Since | States::Plans | States::Dates);
            return !needs_date && (states != States::Began || self.rule.predicate != "practices");
        };
        let is_ahead = when.day > today;
        match states {
            // An ending may not have a date of its own: "I used to work there in 2015".
            _ if self.ended => false,
            // A name in a clause about the distant past may no longer apply.
            States::Holds if self.rule.object == Shape::Names => {
                when.day > today.saturating_sub(2.years()) && (!is_ahead || self.rule.predicate.is_empty())
            }
            // "I started cooking" may be about a dinner.
            States::Since | States::Began if self.rule.predicate == "practices" => {
                !is_ahead && (when.since || states == States::Began) && when.day < today.saturating_sub(2.weeks())
            }
            States::Holds | States::Becomes | States::Since => when.since && !is_ahead,
            States::Turned if self.rule.predicate == "age" => !is_ahead && when.day > today.saturating_sub(1.year()),
            States::Began | States::Turned | States::Ends => !is_ahead,
            States::Dropped => false,
            States::Plans | States::Hopes => is_ahead,
            States::Dates => self.rule.object == Shape::Birthday || when.day.year() < today.year(),
        }
    }

    /// Returns whether the fact begins on the date. It does not if the date is the object, or if the fact holds anyway and the
    /// clause has no "since". A relative begins on the date only if born then: "I have lived with my aunt Eva since May" gives
    /// no date for the aunt.
    fn is_of_the_date(&self, when: &When, found: &Captures<'_>) -> bool {
        match self.rule.states {
            States::Dates => false,
            States::Holds if self.rule.predicate.is_empty() => BORN.is_match(rest(self.text, found)),
            States::Holds => when.since,
            _ => true,
        }
    }

    /// Returns whether each part is of the class that its group requires.
    fn is_of_its_classes(&self, found: &Captures<'_>) -> bool {
        let fits = |(group, shape): &(&str, Shape)| {
            found.name(group).is_none_or(|part| !objects::objects(*shape, part.as_str(), None).is_empty())
        };
        let is_pet = |kind: &str| !objects::objects(Shape::Pets, &format!("a {kind}"), None).is_empty();
        let has_pet = self.rule.predicate != "has_pet" || found.name("kind").is_none_or(|kind| is_pet(kind.as_str()));
        CLASSES.iter().all(fits) && has_pet
    }

    /// Returns the kind of the object, such as "dog" for a pet with a name; `None` if the clause does not say it.
    fn kind(&self, found: &Captures<'_>) -> Option<String> {
        let pet = found.name("pet").filter(|_| self.rule.predicate == "has_pet");
        match pet {
            Some(pet) => Some(objects::kind_of_pet(pet.as_str())),
            None if self.rule.predicate == "has_pet" => {
                found.name("kind").map(|kind| objects::kind_of_pet(kind.as_str()))
            }
            None => found.name("kind").map(|kind| kind.as_str().to_owned()),
        }
    }

    fn verb(&self) -> Verb {
        match self.rule.states {
            _ if self.ended => Verb::Delete,
            States::Ends | States::Dropped => Verb::Delete,
            States::Becomes | States::Turned | States::Dates => Verb::Update,
            States::Holds | States::Since | States::Began | States::Plans | States::Hopes => Verb::Insert,
        }
    }

    fn objects(&self, found: &Captures<'_>) -> Vec<String> {
        if self.ended && self.rule.states != States::Holds && self.rule.states != States::Becomes {
            return Vec::new();
        }
        let kind = found.name("kind").map(|kind| kind.as_str());
        match (self.rule.object, self.when) {
            (Shape::Date, Some(when)) => vec![when.label.clone()],
            (Shape::Birthday, Some(when)) if when.is_a_day() => vec![when.day.strftime("%-d %B").to_string()],
            (Shape::All, _) if self.rule.predicate == "has_pet" => kind.map(str::to_owned).into_iter().collect(),
            (shape, _) => objects::objects(shape, found.name("o").map_or("", |object| object.as_str()), kind),
        }
    }

    /// Returns whether the object is acceptable. An alias must be one that the speaker may have. A name must not be the
    /// speaker's own, nor that of another speaker, which may be a form of address ("my sister, Bob, …"). A relative with a name
    /// must not be the title of a work or brand.
    fn is_another(&self, object: &str, found: &Captures<'_>) -> bool {
        let speaker = self.turn.speaker().unwrap_or_default();
        if self.rule.predicate == ALIAS {
            return entity_key(speaker) != entity_key(object) && self.speakers.may_be_called(speaker, object, found);
        }
        let is_name = matches!(self.rule.object, Shape::Names | Shape::PetName);
        let is_call = is_name && self.speakers.has(object);
        // "My Uncle Ben's rice", "my neighbor Totoro".
        let is_title = found.name("kin").is_some_and(|kin| TITLES.has(&format!("{} {object}", kin.as_str())));
        !is_title && (!is_name || (entity_key(speaker) != entity_key(object) && !is_call))
    }
}

// The date of the clause is the relative's day of birth.
pattern!(BORN, r"(?i)^ (?:was|were|got) (?:just |finally )?born\b");
// Words that suggest that a person or pet named in the clause is dead, not born yet or no longer the speaker's.
pattern!(
    GONE,
    r"(?i)\b(?:died|dead|dies|dying|death|passed(?: away| on| over| in| last| yesterday|\W*$)|late|lost|lose|loss|buried|bury|funeral|grave|memorial|memory|rip|rest in peace|rest (?:her|his|their) soul|put down|miss|missed|missing|goodbye|broke|split|divorc\w+|separated|dumped|left me|ended things|ex|former|used to|had to (?:put|let)|would have|will be born|lived to|another mother|is not my|isn't my|is (?:an?|our|the) (?:\w+ )?(?:cat|dog|puppy|kitten|retriever|labrador|poodle|rabbit|hamster|horse|parrot|robot|chatbot|app|doll|car|laptop|plant)|goes by|back then|at the time|back in|years ago|in (?:high school|college|school|the \d+s)|as a (?:kid|child|teen\w*|student|girl|boy)|were (?:kids|children|young))\b"
);
// "If it's a girl, our daughter Ida will be born in June": only pets are sure to exist.
pattern!(STARTS_WITH_MY, r"(?i)^my\b");
pattern!(STARTS_WITH_OUR, r"(?i)^our\b");
// What may follow a name: a verb, a preposition, a conjunction, a pronoun or an adverb.
pattern!(
    FOLLOWS_NAME,
    r"(?ix)^\ (?:\W|(?:\w+(?:s|ed|ing|ly|n't)|is|was|are|were|has|had|have|does|did|do|and|or|but|who|whom|to|in|on|at|with|for|from|of|about|by|over|into|
        after|before|came|got|went|took|made|gave|said|told|left|lost|bought|found|met|saw|ate|ran|sat|sang|sent|kept|knew|taught|thought|brought|
        drove|flew|wrote|won|caught|fell|felt|held|heard|led|paid|read|slept|spoke|spent|stood|swam|threw|woke|wore|hurt|cut|hit|put|let|quit|began|
        became|broke|chose|drew|drank|fought|forgot|grew|hid|laid|lent|rode|rose|sold|shot|shut|stole|stuck|beat|bit|built|dug|dealt|
        will|would|can|could|may|might|must|should|just|also|never|always|still|already|once|often|too|then|now|here|there|again|
        yesterday|today|tomorrow|tonight|last|next|because|since|when|while|if|so|like|plus|n|i|we|he|she|they|it|my|our|the|an?|both|all|
        down|up|out|off|back|home|around)\b)"
);
