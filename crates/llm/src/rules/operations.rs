//! Turns clauses into entries of the operation log.

use annals_core::{Date, Fact, FactOperation, Memory, Properties, SPEAKER, Timestamp, UNTIL, Verb, Zones, entity_key};
use regex::Regex;
use serde_json::Value;

use super::aliases::Speakers;
use super::clauses::{self, Clause, Link};
use super::forms;
use super::framing::Voice;
use super::grammar::pattern;
use super::people::{self, Around, Person};
use super::reading::{Triple, triples, triples_about, triples_of_form};
use super::references;

/// Collects the operations that the rules find in the turns of one task.
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

    /// Adds the operations of a turn. `former` is the previous turn of the speaker, which this turn may take back. `is_answer`
    /// is true if the turn follows a question.
    pub(super) fn read(&mut self, turn: &Memory, former: Option<&Memory>, is_answer: bool, speakers: &Speakers) {
        let taken_back = former.filter(|former| clauses::takes_back(&turn.text, &former.text));
        if let Some(former) = taken_back {
            self.log.retain(|one| one.source != former.id);
        }
        let first = self.log.len();
        let form = forms::entries(&turn.text, turn.speaker().unwrap_or_default());
        if !form.is_empty() {
            let triples = form.iter().flat_map(|entry| triples_of_form(entry, turn, speakers));
            triples.for_each(|triple| self.add(turn, first, triple));
            return;
        }
        taken_back.into_iter().for_each(|former| self.take_back(turn, former, speakers));
        // In an answer, "mine" may refer to the question.
        let earlier = former.filter(|_| !is_answer).map(|former| clauses::plain(&former.text)).unwrap_or_default();
        self.read_clauses(turn, first, is_answer, earlier, speakers);
    }

    /// Reads the clauses up to one that is neither understood nor plainly the speaker's: the text after it may be a quotation,
    /// a draft or a role. Stops as well where somebody else writes. `first` is the length of the log before the turn. `earlier`
    /// is the previous turn of the speaker; empty if this one is an answer.
    fn read_clauses(&mut self, turn: &Memory, first: usize, is_answer: bool, mut earlier: String, speakers: &Speakers) {
        let (mut held, mut speaks) = (false, false);
        let mut last_person: Option<Person> = None;
        // The length of the log before the last sentence and before this one.
        let (mut last, mut this) = (self.log.len(), self.log.len());
        for (index, mut clause) in clauses::of(&turn.text, turn.days.0).into_iter().enumerate() {
            // The subject of an answer may be in the question.
            if index == 0 && !is_answer {
                clause.text = clauses::with_subject(&clause.text, &turn.text);
            }
            let original = clause.text.clone();
            if let Some(explicit) = references::explicit(&clause.text, &earlier) {
                clause.text = explicit;
            }
            earlier.push('\n');
            earlier.push_str(&original);
            if speakers.is_other(turn.speaker().unwrap_or_default(), &clause.text) {
                break;
            }
            if clause.is_first {
                (last, this) = (this, self.log.len());
            }
            if clause.continues {
                if !held {
                    continue;
                }
                clause.text = format!("I {}", clause.text);
            }
            let (triples, person) = self.stated(&clause, turn, speakers, last_person.as_ref());
            last_person = person;
            held = !triples.is_empty();
            if clause.link == Link::Corrects || clause.link == Link::Contrasts && !held {
                self.log.truncate(if clause.is_first { last } else { this });
                this = this.min(self.log.len());
            }
            triples.into_iter().for_each(|triple| self.add(turn, first, triple));
            if !held && !is_plain(clause.voice, speaks, is_answer) {
                break;
            }
            speaks |= held || clause.voice == Voice::Own;
        }
    }

    /// Returns what a clause states, and the person whom a pronoun in the next clause means. `last` is the one of the clause before.
    fn stated(
        &self,
        clause: &Clause,
        turn: &Memory,
        speakers: &Speakers,
        last: Option<&Person>,
    ) -> (Vec<Triple>, Option<Person>) {
        let about = people::about(&clause.text, &self.around(turn), last);
        let told: Vec<Triple> = about.iter().flat_map(|about| triples_about(about, clause, turn, speakers)).collect();
        let person = about.filter(|_| !told.is_empty()).map(|about| about.person);
        let mut triples = triples(clause, turn, speakers);
        triples.extend(told);
        // "I have a cat, she died in May": no pet is added.
        if LOST.is_match(&turn.text) {
            triples.retain(|triple| triple.verb == Verb::Delete || !triple.predicate.starts_with("has_"));
        }
        (triples, people::next_person(&clause.text, person))
    }

    /// Ends the known facts that the former turn stated: an earlier task may have stored them.
    fn take_back(&mut self, turn: &Memory, former: &Memory, speakers: &Speakers) {
        let first = self.log.len();
        let mut stated = Operations::new(self.zones, self.known, self.now);
        stated.read(former, None, true, speakers);
        for one in stated.log.into_iter().filter(|one| one.verb != Verb::Delete) {
            let is_known = self.known.iter().any(|fact| {
                is_valid(fact, turn.at())
                    && entity_key(&fact.subject) == entity_key(&one.subject)
                    && (fact.predicate == one.predicate && entity_key(&fact.object) == entity_key(&one.object))
            });
            if is_known {
                let person = Some(one.subject).filter(|subject| Some(subject.as_str()) != turn.speaker());
                self.add(turn, first, Triple::ended(person, one.predicate, one.object, one.confidence));
            }
        }
    }

    /// Adds an operation, unless the turn has no speaker or the same operation was already found in the turn.
    fn add(&mut self, turn: &Memory, first: usize, triple: Triple) {
        let Some(speaker) = turn.speaker() else { return };
        let Triple { person, verb, predicate, former, mut properties, confidence, end, .. } = triple;
        let subject = person.unwrap_or_else(|| speaker.to_owned());
        let object = match verb {
            Verb::Delete => self.known_object(turn, &subject, &predicate, &triple.object),
            _ => triple.object,
        };
        let kind = properties.get("kind").and_then(Value::as_str).unwrap_or_default();
        let replaced = || self.replaced(first, &subject, &predicate, &object, kind);
        let former = former.or_else(|| if verb == Verb::Insert { replaced() } else { None });
        let verb = if former.is_some() { Verb::Update } else { verb };
        let key = |verb: Verb, subject: &str, predicate: &str, object: &str| {
            (verb, entity_key(subject), predicate.to_owned(), entity_key(object))
        };
        let new = key(verb, &subject, &predicate, &object);
        if self.log[first..].iter().any(|one| key(one.verb, &one.subject, &one.predicate, &one.object) == new) {
            return;
        }
        let position = u32::try_from(self.log.len() - first).expect("a turn states fewer facts than it has bytes");
        properties.insert(SPEAKER.to_owned(), Value::from(speaker));
        if let Some(end) = end {
            properties.insert(UNTIL.to_owned(), Value::from(self.zones.day_interval(end).start.to_string()));
        }
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

    /// Returns the current value that a new one replaces, because both cannot hold: a pet that has had no name so far ("my dog
    /// Max"), another way of eating, another favourite of the same kind. "My favourite foods are rice and beans" keeps both: of the turn
    /// itself, whose entries begin at `first`, only pets are replaced.
    fn replaced(&self, first: usize, subject: &str, predicate: &str, object: &str, kind: &str) -> Option<String> {
        const WAYS_OF_EATING: [&str; 4] = ["vegan", "vegetarian", "pescatarian", "pescetarian"];
        let is_way = |value: &str| WAYS_OF_EATING.contains(&value.to_lowercase().as_str());
        let same = |one: &str, other: &str| entity_key(one) == entity_key(other);
        let is_replaced = |held: &str, properties: &Properties| match predicate {
            "has_pet" => !kind.is_empty() && same(held, kind),
            "diet" => is_way(object) && is_way(held),
            "has_favorite" => properties.get("kind").and_then(Value::as_str).is_some_and(|held| same(held, kind)),
            _ => false,
        };
        let end = if predicate == "has_pet" { self.log.len() } else { first };
        let mut held = self.held(subject, predicate, end);
        held.find(|(held, properties)| !same(held, object) && is_replaced(held, properties))
            .map(|(held, _)| held.clone())
    }

    /// Returns the known current values of a predicate with their properties, including those of the log before `end`.
    fn held(&self, subject: &str, predicate: &str, end: usize) -> impl Iterator<Item = (&String, &Properties)> {
        let is_meant = move |of: &str, by: &str| entity_key(of) == entity_key(subject) && by == predicate;
        let known = self.known.iter().filter(|fact| fact.valid_to.is_none());
        let known = known.filter(move |fact| is_meant(&fact.subject, &fact.predicate));
        let new = self.log[..end].iter().filter(|one| one.verb != Verb::Delete);
        let new = new.filter(move |one| is_meant(&one.subject, &one.predicate));
        known.map(|fact| (&fact.object, &fact.properties)).chain(new.map(|one| (&one.object, &one.properties)))
    }

    /// Returns the relatives, friends and partners of the speaker whose names are known.
    fn around<'b>(&'b self, turn: &'b Memory) -> Around<'b> {
        let speaker = turn.speaker().unwrap_or_default();
        let is_of = |subject: &str, predicate: &str| {
            people::is_relation(predicate) && entity_key(subject) == entity_key(speaker)
        };
        let known = self.known.iter().filter(|fact| is_valid(fact, turn.at()) && is_of(&fact.subject, &fact.predicate));
        let new = self.log.iter().filter(|one| one.verb != Verb::Delete && is_of(&one.subject, &one.predicate));
        let known = known.map(|fact| (fact.predicate.as_str(), fact.object.as_str()));
        Around { speaker, named: known.chain(new.map(|one| (one.predicate.as_str(), one.object.as_str()))).collect() }
    }

    /// Returns the start of the day if it is before the day of the turn, otherwise the time of the turn.
    fn moment(&self, turn: &Memory, day: Option<Date>) -> Timestamp {
        let start = |day| self.zones.day_interval(day).start;
        day.filter(|day| *day < turn.days.0).map_or(turn.at(), start)
    }

    /// Returns the full name of a value that ends: "my dog" means "Max" if that is the only dog. Returns `object` if there is
    /// not exactly one candidate.
    fn known_object(&self, turn: &Memory, subject: &str, predicate: &str, object: &str) -> String {
        let is_meant = |of: &str, by: &str, value: &str, properties: &Properties| {
            let kind = properties.get("kind").and_then(Value::as_str);
            let is_kind = kind.is_some_and(|kind| entity_key(kind) == entity_key(object));
            entity_key(of) == entity_key(subject) && by == predicate && (is_kind || names(value, object))
        };
        let known = self.known.iter().filter(|fact| is_valid(fact, turn.at()));
        let known = known.filter(|fact| is_meant(&fact.subject, &fact.predicate, &fact.object, &fact.properties));
        let new = self.log.iter().filter(|one| one.verb != Verb::Delete);
        let new = new.filter(|one| is_meant(&one.subject, &one.predicate, &one.object, &one.properties));
        let mut candidates: Vec<&String> = known.map(|fact| &fact.object).chain(new.map(|one| &one.object)).collect();
        candidates.sort_by_key(|candidate| entity_key(candidate));
        candidates.dedup_by_key(|candidate| entity_key(candidate));
        match candidates.as_slice() {
            [only] => (*only).clone(),
            _ => object.to_owned(),
        }
    }
}

/// Returns whether a clause that states nothing is plainly the speaker's, so that the text after it is too. `speaks` is true if the speaker
/// has stated something of themselves before.
fn is_plain(voice: Voice, speaks: bool, is_answer: bool) -> bool {
    match voice {
        Voice::Own | Voice::Conversation => true,
        Voice::Describes => speaks,
        Voice::Heading => speaks || is_answer,
        Voice::Unclear => false,
    }
}

/// Returns whether every word of the short name is in the value. "The move to Oslo" names "moving to Oslo".
fn names(value: &str, short: &str) -> bool {
    let (value, short) = (entity_key(value), entity_key(short));
    let is_held = |word: &str| value.split(' ').any(|other| infinitive(other) == infinitive(word));
    !short.is_empty() && short.split(' ').all(is_held)
}

/// Returns whether a fact has not ended at a time. A plan has an end in the future.
fn is_valid(fact: &Fact, at: Timestamp) -> bool {
    fact.valid_to.is_none_or(|end| end > at)
}

/// Returns the infinitive of a verb that plans contain; any other word unchanged.
fn infinitive(word: &str) -> &str {
    const VERBS: [(&str, &str); 8] = [
        ("moving", "move"),
        ("going", "go"),
        ("flying", "fly"),
        ("traveling", "travel"),
        ("travelling", "travel"),
        ("visiting", "visit"),
        ("getting", "get"),
        ("adopting", "adopt"),
    ];
    VERBS.iter().find(|(participle, _)| *participle == word).map_or(word, |(_, verb)| verb)
}

// Says that a person or pet named before is dead or gone.
pattern!(
    LOST,
    r"(?i)\b(?:he|she|they|it) (?:has |have |had |just |recently |sadly )*(?:died|passed|left us|is gone|ran away)\b"
);
