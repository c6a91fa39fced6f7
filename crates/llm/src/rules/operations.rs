//! From clauses to entries of the operation log.

use annals_core::{Date, Fact, FactOperation, Memory, Properties, Timestamp, Verb, Zones, entity_key};
use regex::Captures;
use serde_json::Value;

use super::clauses;
use super::dates::{self, Side, When};
use super::grammar;
use super::people::People;
use super::phrase::{self, Shape};
use super::polarity;
use super::table::{CLAUSES, MENTIONS, Rule, Says};

/// The operations found so far in the turns of one task.
pub(super) struct Operations<'a> {
    zones: &'a Zones,
    known: &'a [Fact],
    now: Timestamp,
    log: Vec<FactOperation>,
}

impl<'a> Operations<'a> {
    pub(super) fn new(zones: &'a Zones, known: &'a [Fact], now: Timestamp) -> Operations<'a> {
        Operations { zones, known, now, log: Vec::new() }
    }

    pub(super) fn into_log(self) -> Vec<FactOperation> {
        self.log
    }

    /// Adds what a turn states.
    pub(super) fn read(&mut self, turn: &Memory, people: &People) {
        let first = self.log.len();
        for clause in clauses::of(&turn.text) {
            for triple in stated(&clause, turn, people) {
                self.add(turn, first, triple);
            }
        }
    }

    /// Adds an operation, unless the turn said so before.
    fn add(&mut self, turn: &Memory, first: usize, triple: Triple) {
        let Triple { verb, subject, predicate, former, properties, confidence, .. } = triple;
        let object =
            if verb == Verb::Delete { self.known_object(&subject, &predicate, &triple.object) } else { triple.object };
        let key = |verb: Verb, subject: &str, predicate: &str, object: &str| {
            (verb, entity_key(subject), predicate.to_owned(), entity_key(object))
        };
        let new = key(verb, &subject, &predicate, &object);
        let said = self.log[first..].iter().any(|one| key(one.verb, &one.subject, &one.predicate, &one.object) == new);
        if said {
            return;
        }
        let position = u32::try_from(self.log.len() - first).expect("a turn states fewer facts than it has bytes");
        self.log.push(FactOperation {
            id: FactOperation::id(&turn.id, position),
            verb,
            subject,
            predicate,
            object,
            replaces: former,
            properties,
            confidence,
            at: self.moment(turn, triple.day),
            said_at: turn.at(),
            source: turn.id.clone(),
            position,
            recorded_at: self.now,
        });
    }

    /// The start of a day in the past; else the moment when it was said.
    fn moment(&self, turn: &Memory, day: Option<Date>) -> Timestamp {
        let start = |day| self.zones.day_interval(day).start;
        day.filter(|day| *day < turn.days.0).map_or(turn.at(), start)
    }

    /// What ends is seldom called by its full name: "the trip" ends "trip to Rome", if there is one such value only.
    fn known_object(&self, subject: &str, predicate: &str, object: &str) -> String {
        let is_meant = |of: &str, by: &str, value: &str| {
            entity_key(of) == entity_key(subject) && by == predicate && names(value, object)
        };
        let known = self.known.iter().filter(|fact| fact.valid_to.is_none());
        let known =
            known.filter(|fact| is_meant(&fact.subject, &fact.predicate, &fact.object)).map(|fact| &fact.object);
        let just_said = self.log.iter().filter(|one| one.verb != Verb::Delete);
        let just_said =
            just_said.filter(|one| is_meant(&one.subject, &one.predicate, &one.object)).map(|one| &one.object);
        let mut candidates: Vec<&String> = known.chain(just_said).collect();
        candidates.dedup_by_key(|candidate| entity_key(candidate));
        match candidates.as_slice() {
            [only] => (*only).clone(),
            _ => object.to_owned(),
        }
    }
}

/// Whether every word of a value's short name is in the value.
fn names(value: &str, short: &str) -> bool {
    let (value, short) = (entity_key(value), entity_key(short));
    !short.is_empty() && short.split(' ').all(|word| value.split(' ').any(|other| other == word))
}

/// What a rule found.
struct Triple {
    verb: Verb,
    subject: String,
    predicate: String,
    object: String,
    former: Option<String>,
    properties: Properties,
    confidence: f64,
    day: Option<Date>,
}

fn stated(clause: &str, turn: &Memory, people: &People) -> Vec<Triple> {
    let polar = polarity::of(clause);
    let today = turn.days.0;
    let [past, future] = [Side::Past, Side::Future].map(|side| dates::take(&polar.clause, today, side));
    let mut triples = Vec::new();
    for (rules, is_mention) in [(&CLAUSES, false), (&MENTIONS, true)] {
        // Who is mentioned in something that has ended may still be who they were.
        for rule in rules.iter().filter(|_| !(is_mention && polar.ended)) {
            let (text, when) = if rule.is_ahead() { &future } else { &past };
            let reading = Reading { rule, when: when.as_ref(), ended: polar.ended, is_mention, turn, people };
            triples.extend(rule.pattern.captures(text).into_iter().flat_map(|found| reading.triples(&found)));
        }
    }
    triples
}

/// A rule about to be applied to a clause.
struct Reading<'a> {
    rule: &'a Rule,
    when: Option<&'a When>,
    ended: bool,
    is_mention: bool,
    turn: &'a Memory,
    people: &'a People,
}

impl Reading<'_> {
    fn triples(&self, found: &Captures<'_>) -> Vec<Triple> {
        let Some(subject) = self.subject(found) else { return Vec::new() };
        let objects = self.objects(found).into_iter().filter(|object| self.is_another(&subject, object));
        objects.map(|object| self.triple(found, &subject, object)).collect()
    }

    fn triple(&self, found: &Captures<'_>, subject: &str, object: String) -> Triple {
        let part = |name: &str| found.name(name).map(|part| part.as_str());
        let verb = self.verb();
        let ahead = self.when.filter(|when| self.rule.is_ahead() || when.day > self.turn.days.0);
        let kind = part("kind").map(|kind| ("kind".to_owned(), Value::from(kind.to_lowercase())));
        let when = ahead.map(|when| ("when".to_owned(), Value::from(when.label.as_str())));
        let predicate = match self.rule.predicate {
            "" => grammar::relation(part("kin").unwrap_or_default()),
            predicate => predicate.to_owned(),
        };
        Triple {
            verb,
            subject: subject.to_owned(),
            predicate,
            object,
            former: part("former").filter(|_| verb == Verb::Update).map(str::to_owned),
            properties: if verb == Verb::Delete { Properties::new() } else { kind.into_iter().chain(when).collect() },
            confidence: self.rule.confidence,
            day: self.when.map(|when| when.day).filter(|_| self.is_of_the_date()),
        }
    }

    fn has_its_date(&self) -> bool {
        let told = |lies: fn(&Date, &Date) -> bool| self.when.is_some_and(|when| lies(&when.day, &self.turn.days.0));
        match self.rule.says {
            Says::Awaits => told(Date::gt),
            Says::Since => told(Date::lt),
            // What will end has not ended.
            _ if self.verb() == Verb::Delete => !told(Date::gt),
            Says::Holds | Says::Becomes | Says::Plans | Says::Ends => true,
        }
    }

    /// A date that is the object itself is not when it began to hold, nor is that of something in which somebody is
    /// only mentioned.
    fn is_of_the_date(&self) -> bool {
        !self.is_mention && !matches!(self.rule.object, Shape::Told | Shape::Birthday)
    }

    fn verb(&self) -> Verb {
        match self.rule.says {
            _ if self.ended => Verb::Delete,
            Says::Holds | Says::Plans | Says::Awaits | Says::Since => Verb::Insert,
            Says::Becomes => Verb::Update,
            Says::Ends => Verb::Delete,
        }
    }

    /// Without a group for it, a rule is about the speaker.
    fn subject(&self, found: &Captures<'_>) -> Option<String> {
        let speaker = self.turn.speaker.as_deref()?;
        let (words, is_persons) = match (found.name("who"), found.name("anyone")) {
            (Some(who), _) => (who.as_str(), false),
            (_, Some(anyone)) => (anyone.as_str(), true),
            _ => ("I", true),
        };
        self.people.subject(words, speaker, is_persons)
    }

    fn objects(&self, found: &Captures<'_>) -> Vec<String> {
        if !self.has_its_date() {
            return Vec::new();
        }
        match (self.rule.object, self.when) {
            (Shape::Told, Some(when)) => vec![when.label.clone()],
            (Shape::Birthday, Some(when)) if when.is_a_day() => vec![when.day.strftime("%-d %B").to_string()],
            (shape, _) => phrase::objects(shape, found.name("o").map_or("", |object| object.as_str())),
        }
    }

    /// A name in passing may be a call ("my sister, Bob, …"), and nobody is called by the name that they have.
    fn is_another(&self, subject: &str, object: &str) -> bool {
        entity_key(subject) != entity_key(object) && !(self.is_mention && self.people.talks(object))
    }
}
