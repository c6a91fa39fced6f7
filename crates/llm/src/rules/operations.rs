//! Turns clauses into entries of the operation log.

use annals_core::{
    ALIAS, Date, Fact, FactOperation, Memory, Properties, SPEAKER, Timestamp, UNTIL, Verb, Zones, entity_key,
};
use jiff::ToSpan;
use regex::{Captures, Regex};
use serde_json::Value;

use super::aliases::{Speakers, in_first_person};
use super::classes::TITLES;
use super::clauses::{self, Clause, Link};
use super::dates::{self, Side, When};
use super::framing::Voice;
use super::grammar::{self, pattern};
use super::objects::{self, Shape};
use super::polarity;
use super::table::{CLAUSES, MENTIONS, Rule, States};

/// Groups of patterns that are only checked for their class.
const CLASSES: [(&str, Shape); 11] = [
    ("place", Shape::Place),
    ("former", Shape::Place),
    ("employer", Shape::Employer),
    ("school", Shape::School),
    ("occupation", Shape::Occupation),
    ("pet", Shape::Pets),
    ("thing", Shape::Belonging),
    ("skill", Shape::Skill),
    ("name", Shape::Names),
    ("children", Shape::Children),
    ("dish", Shape::Food),
];

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

    /// Adds the operations of a turn. `former` is the speaker's turn before it, which this turn may take back.
    pub(super) fn read(&mut self, turn: &Memory, former: Option<&Memory>, speakers: &Speakers) {
        let taken_back = former.filter(|_| clauses::takes_back(&turn.text));
        if let Some(former) = taken_back {
            self.log.retain(|one| one.source != former.id);
        }
        let first = self.log.len();
        taken_back.into_iter().for_each(|former| self.take_back(turn, former, speakers));
        self.read_clauses(turn, first, speakers);
    }

    /// Reads clauses up to one that nobody understands: what follows it may be a quotation, a draft or a part that is played.
    fn read_clauses(&mut self, turn: &Memory, first: usize, speakers: &Speakers) {
        let is_lost = LOST.is_match(&turn.text);
        let (mut held, mut speaks) = (false, false);
        // The length of the log before the last sentence and before this one.
        let (mut last, mut this) = (self.log.len(), self.log.len());
        for mut clause in clauses::of(&turn.text, turn.days.0) {
            if clause.is_first {
                (last, this) = (this, self.log.len());
            }
            if clause.continues {
                if !held {
                    continue;
                }
                clause.text = format!("I {}", clause.text);
            }
            let mut triples = triples(&clause, turn, speakers);
            // "I have a cat, she died in May."
            triples.retain(|triple| !is_lost || triple.verb == Verb::Delete || !triple.predicate.starts_with("has_"));
            held = !triples.is_empty();
            if clause.link == Link::Corrects || clause.link == Link::Contrasts && !held {
                self.log.truncate(if clause.is_first { last } else { this });
                this = this.min(self.log.len());
            }
            triples.into_iter().for_each(|triple| self.add(turn, first, triple));
            let is_plain =
                matches!(clause.voice, Voice::Own | Voice::Talk) || clause.voice == Voice::Describes && speaks;
            if !held && !is_plain {
                break;
            }
            speaks |= held || clause.voice == Voice::Own;
        }
    }

    /// Ends what the former turn stated, because an earlier task may have stored it.
    fn take_back(&mut self, turn: &Memory, former: &Memory, speakers: &Speakers) {
        let first = self.log.len();
        let mut stated = Operations::new(self.zones, self.known, self.now);
        stated.read(former, None, speakers);
        for one in stated.log.into_iter().filter(|one| one.verb != Verb::Delete) {
            let is_known = self.known.iter().any(|fact| {
                fact.valid_to.is_none()
                    && entity_key(&fact.subject) == entity_key(&one.subject)
                    && (fact.predicate == one.predicate && entity_key(&fact.object) == entity_key(&one.object))
            });
            if is_known {
                self.add(turn, first, Triple::ended(one.predicate, one.object, one.confidence));
            }
        }
    }

    /// Adds an operation, unless the turn has the same one already.
    fn add(&mut self, turn: &Memory, first: usize, triple: Triple) {
        let Some(speaker) = turn.speaker() else { return };
        let Triple { verb, predicate, former, mut properties, confidence, end, .. } = triple;
        let object =
            if verb == Verb::Delete { self.known_object(speaker, &predicate, &triple.object) } else { triple.object };
        let kind = properties.get("kind").and_then(Value::as_str).unwrap_or_default();
        // "My dog Max" is the dog that has had no name so far.
        let unnamed = (predicate == "has_pet" && verb == Verb::Insert && !kind.is_empty())
            .then(|| self.held(speaker, &predicate).find(|held| entity_key(held) == entity_key(kind)).cloned());
        let former = former.or(unnamed.flatten());
        let verb = if former.is_some() { Verb::Update } else { verb };
        let key = |verb: Verb, predicate: &str, object: &str| (verb, predicate.to_owned(), entity_key(object));
        let new = key(verb, &predicate, &object);
        if self.log[first..].iter().any(|one| key(one.verb, &one.predicate, &one.object) == new) {
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
            subject: speaker.to_owned(),
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

    /// Returns the known current values of a predicate, including those found in this task.
    fn held(&self, subject: &str, predicate: &str) -> impl Iterator<Item = &String> {
        let is_meant = move |of: &str, by: &str| entity_key(of) == entity_key(subject) && by == predicate;
        let known = self.known.iter().filter(|fact| fact.valid_to.is_none());
        let known = known.filter(move |fact| is_meant(&fact.subject, &fact.predicate)).map(|fact| &fact.object);
        let new = self.log.iter().filter(|one| one.verb != Verb::Delete);
        known.chain(new.filter(move |one| is_meant(&one.subject, &one.predicate)).map(|one| &one.object))
    }

    /// Returns the start of the day if it is in the past, else the time of the turn.
    fn moment(&self, turn: &Memory, day: Option<Date>) -> Timestamp {
        let start = |day| self.zones.day_interval(day).start;
        day.filter(|day| *day < turn.days.0).map_or(turn.at(), start)
    }

    /// Returns the full name of a value that ends: "my dog" means "Max" if that is the only dog. Returns `object` if there is not
    /// exactly one candidate.
    fn known_object(&self, subject: &str, predicate: &str, object: &str) -> String {
        let is_meant = |of: &str, by: &str, value: &str, properties: &Properties| {
            let kind = properties.get("kind").and_then(Value::as_str);
            let is_kind = kind.is_some_and(|kind| entity_key(kind) == entity_key(object));
            entity_key(of) == entity_key(subject) && by == predicate && (is_kind || names(value, object))
        };
        let known = self.known.iter().filter(|fact| fact.valid_to.is_none());
        let known = known.filter(|fact| is_meant(&fact.subject, &fact.predicate, &fact.object, &fact.properties));
        let new = self.log.iter().filter(|one| one.verb != Verb::Delete);
        let new = new.filter(|one| is_meant(&one.subject, &one.predicate, &one.object, &one.properties));
        let mut candidates: Vec<&String> = known.map(|fact| &fact.object).chain(new.map(|one| &one.object)).collect();
        candidates.dedup_by_key(|candidate| entity_key(candidate));
        match candidates.as_slice() {
            [only] => (*only).clone(),
            _ => object.to_owned(),
        }
    }
}

/// Returns whether every word of the short name is in the value.
fn names(value: &str, short: &str) -> bool {
    let (value, short) = (entity_key(value), entity_key(short));
    !short.is_empty() && short.split(' ').all(|word| value.split(' ').any(|other| other == word))
}

/// What a rule found about the speaker.
struct Triple {
    verb: Verb,
    predicate: String,
    object: String,
    former: Option<String>,
    properties: Properties,
    confidence: f64,
    day: Option<Date>,
    /// First day after the planned date.
    end: Option<Date>,
}

impl Triple {
    /// A fact that has ended now.
    fn ended(predicate: String, object: String, confidence: f64) -> Triple {
        let (former, properties, day, end) = (None, Properties::new(), None, None);
        Triple { verb: Verb::Delete, predicate, object, former, properties, confidence, day, end }
    }
}

fn triples(clause: &Clause, turn: &Memory, speakers: &Speakers) -> Vec<Triple> {
    let text = in_first_person(&clause.text, turn.speaker().unwrap_or_default());
    let polar = polarity::of(&text);
    let mut triples = Vec::new();
    if clause.states {
        // An ending may have a rule of its own: "I no longer eat meat".
        triples = of_rules(&CLAUSES, &text, false, turn, speakers);
        if triples.is_empty() && polar.ended {
            triples = of_rules(&CLAUSES, &polar.clause, true, turn, speakers);
        }
    }
    if matches!(clause.voice, Voice::Own | Voice::Talk) && !polar.ended && !GONE.is_match(&clause.text) {
        let mentions = of_rules(&MENTIONS, &clause.text, false, turn, speakers);
        triples.extend(mentions.into_iter().filter(|_| clause.states || STARTS_WITH_MY.is_match(&clause.text)));
    }
    triples
}

fn of_rules(rules: &[Rule], clause: &str, ended: bool, turn: &Memory, speakers: &Speakers) -> Vec<Triple> {
    let [past, future] = [Side::Past, Side::Future].map(|side| dates::take(clause, turn.days.0, side));
    let mut triples = Vec::new();
    for rule in rules {
        let (text, when) = if rule.is_ahead() { &future } else { &past };
        let reading = Reading { rule, when: when.as_ref(), ended, turn, speakers };
        let whole = rule.pattern.captures_iter(text).filter(|found| ends_well(text, found));
        triples.extend(whole.flat_map(|found| reading.triples(&found)));
    }
    triples
}

/// Returns whether a name ends where the match ends. In "my uncle Bob joke fell flat" a noun follows, so the name is part of another.
fn ends_well(text: &str, found: &Captures<'_>) -> bool {
    let rest = &text[found.get(0).map_or(0, |found| found.end())..];
    !rest.starts_with(' ') || FOLLOWS_NAME.is_match(rest)
}

/// The application of a rule to a clause.
struct Reading<'a> {
    rule: &'a Rule,
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
        let objects = self.objects(found).into_iter().filter(|object| self.is_another(object, found));
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
            verb,
            predicate,
            object,
            former: part("former").filter(|_| verb == Verb::Update).map(str::to_owned),
            properties: if verb == Verb::Delete { Properties::new() } else { kind.into_iter().chain(when).collect() },
            confidence: self.rule.confidence,
            day: self.when.filter(|when| self.is_of_the_date(when)).map(|when| when.day),
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
            States::Plans | States::Hopes => is_ahead,
            States::Dates => self.rule.object == Shape::Birthday || when.day.year() < today.year(),
        }
    }

    /// Returns whether the fact begins on the date. Not if the date is the object, nor if the fact holds anyway and the
    /// clause has no "since".
    fn is_of_the_date(&self, when: &When) -> bool {
        self.rule.states != States::Dates && (self.rule.states != States::Holds || when.since)
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

    /// Returns what sort of thing the object is.
    fn kind(&self, found: &Captures<'_>) -> Option<String> {
        let pet = found.name("pet").filter(|_| self.rule.predicate == "has_pet");
        match pet {
            Some(pet) => objects::objects(Shape::Pets, pet.as_str(), None).into_iter().next(),
            None => found.name("kind").map(|kind| kind.as_str().to_owned()),
        }
    }

    fn verb(&self) -> Verb {
        match self.rule.states {
            _ if self.ended => Verb::Delete,
            States::Ends => Verb::Delete,
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

    /// Rejects the speaker's own name, and names of other speakers, which may be forms of address ("my sister, Bob, …").
    fn is_another(&self, object: &str, found: &Captures<'_>) -> bool {
        let speaker = self.turn.speaker().unwrap_or_default();
        if self.rule.predicate == ALIAS {
            return entity_key(speaker) != entity_key(object) && self.speakers.may_be_called(speaker, object, found);
        }
        let is_call = self.rule.object == Shape::Names && self.speakers.has(object);
        // "My Uncle Ben's rice", "my neighbor Totoro".
        let is_title = found.name("kin").is_some_and(|kin| TITLES.has(&format!("{} {object}", kin.as_str())));
        !is_title && (self.rule.object != Shape::Names || (entity_key(speaker) != entity_key(object) && !is_call))
    }
}

// Words that suggest that a person or pet named in the clause is dead or no longer the speaker's.
pattern!(
    GONE,
    r"(?i)\b(?:died|dead|dies|dying|death|passed|late|lost|lose|loss|buried|bury|funeral|grave|memorial|memory|rip|rest in peace|rest (?:her|his|their) soul|put down|miss|missed|missing|goodbye|broke|split|divorc\w+|separated|dumped|left me|ended things|ex|former|used to|had to (?:put|let)|would have|lived to|another mother|goes by|back then|at the time|back in|years ago|in (?:high school|college|school|the \d+s)|as a (?:kid|child|teen\w*|student|girl|boy)|were (?:kids|children|young))\b"
);
pattern!(
    LOST,
    r"(?i)\b(?:he|she|they|it) (?:has |have |had |just |recently |sadly )*(?:died|passed|left us|is gone|ran away)\b"
);
pattern!(STARTS_WITH_MY, r"(?i)^(?:my|our)\b");
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
