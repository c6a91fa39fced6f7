//! Filters and normalises a model's facts and operations. Each element is judged alone. A bad one is rejected with a reason
//! that quotes no text.

mod origins;

use std::collections::{HashMap, HashSet};

use annals_core::ports::ExtractionTask;
use annals_core::{
    ALIAS, CONTEXT, Date, Extracted, FactOperation, Grain, Memory, MemoryId, Period, Properties, Role, SPEAKER,
    Statement, Timestamp, Verb, Zones, entity_key, predicate_name,
};
use serde_json::Value;
use unicode_segmentation::UnicodeSegmentation;

use super::super::background::since;
use super::super::grounding::{Evidence, Shown};
use super::super::lines::Line;
use super::super::subject::is_of_example;
use super::super::{answer, suspicion};
use super::MAX_PER_TURN;
use crate::extractive::Language;
use crate::prompts::extraction_example;
use crate::rules::is_form_of;
use origins::Origins;

/// Maximum bytes of a subject, predicate or object: they are names and short nouns. An operation with a longer one is rejected.
const MAX_TERM_LENGTH: usize = 200;

/// Maximum bytes of a statement, which is one sentence. A longer one is rejected.
const MAX_FACT_LENGTH: usize = 600;

/// Importance of a statement and confidence of an operation if the model gives none.
const MIDDLING: f64 = 0.5;

/// Maximum deletions from one turn. Further ones are rejected: so many are an order to delete rather than a change in
/// somebody's life.
const MAX_DELETES_PER_TURN: usize = 3;

/// The elements that have been kept so far, with the data to judge further ones.
pub(super) struct Keep<'a> {
    pub(super) found: Extracted,
    task: &'a ExtractionTask<'a>,
    zones: &'a Zones,
    turns: HashMap<&'a MemoryId, &'a Memory>,
    /// Content words of the turns and of the preceding turns. The deletion of an object without any of these words is refused,
    /// and so is an object of the example.
    named: HashSet<String>,
    origins: Origins,
    /// The language of the turns, and of the example in the prompt.
    language: Language,
    seen: HashSet<MemoryId>,
    facts: HashMap<MemoryId, usize>,
    operations: HashMap<MemoryId, u32>,
    deletes: HashMap<MemoryId, usize>,
}

type Kept<T> = Result<T, &'static str>;

impl<'a> Keep<'a> {
    pub(super) fn new(task: &'a ExtractionTask<'a>, zones: &'a Zones, language: Language) -> Keep<'a> {
        Keep {
            found: Extracted::default(),
            task,
            zones,
            turns: task.turns.iter().map(|turn| (&turn.id, turn)).collect(),
            named: task.turns.iter().chain(task.context).flat_map(|turn| words(&turn.text)).collect(),
            origins: Origins::of(task),
            language,
            seen: HashSet::new(),
            facts: HashMap::new(),
            operations: HashMap::new(),
            deletes: HashMap::new(),
        }
    }

    /// Adds the usable elements of an answer about these lines. `context` are the lines shown before them.
    pub(super) fn answer(&mut self, [facts, operations]: &[Vec<Value>; 2], lines: &[Line], context: &[Line]) {
        let shown = self.shown(&[context, lines].concat());
        for (index, fact) in facts.iter().enumerate() {
            match self.statement(fact, lines, &shown) {
                Ok(Some(statement)) => self.found.statements.push(statement),
                Ok(None) => {}
                Err(reason) => self.found.rejected.push(format!("fact {}: {reason}", index + 1)),
            }
        }
        for (index, operation) in operations.iter().enumerate() {
            match self.operation(operation, lines, &shown) {
                Ok(operation) => self.found.operations.push(operation),
                Err(reason) => self.found.rejected.push(format!("operation {}: {reason}", index + 1)),
            }
        }
    }

    /// Returns the lines and the known facts as evidence to check statements against.
    fn shown(&self, lines: &[Line]) -> Shown {
        let background: Vec<String> = self.task.known.iter().map(|fact| since(fact, self.zones)).collect();
        let language = Language::of_texts(lines.iter().map(|line| line.text.as_str()));
        let has_names = language != Language::German;
        Shown::new(Evidence { lines, background: &background, aliases: &[], has_names })
    }

    /// Parses a statement. Returns `None` if it has been added already. The error is the reason for rejecting the element.
    fn statement(&mut self, element: &Value, lines: &[Line], shown: &Shown) -> Kept<Option<Statement>> {
        let turn = self.source(element, lines)?;
        let text = answer::text(element, "text").ok_or("has no text")?;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.len() > MAX_FACT_LENGTH {
            return Err("is longer than a sentence");
        }
        if let Some(suspicion) = suspicion::of_text(&text) {
            return Err(suspicion.as_str());
        }
        if is_of_example(&text, extraction_example(self.language)) {
            return Err("repeats the example of the prompt");
        }
        let context = self.origins.of_words(turn, &text).ok_or("states what only the background says")?;
        if shown.lacks(&text) {
            return Err("has a name, number or date that was not shown");
        }
        let id = MemoryId::statement(self.task.agent, &turn.id, &text);
        if self.seen.contains(&id) {
            return Ok(None);
        }
        let count = self.facts.entry(turn.id.clone()).or_default();
        if *count == MAX_PER_TURN {
            return Err("is one too many for its turn");
        }
        *count += 1;
        self.seen.insert(id.clone());
        Ok(Some(Statement {
            id,
            text,
            topic: topic(element),
            importance: share(element, "importance").unwrap_or(MIDDLING),
            confidence: share(element, "confidence"),
            who: who(element, turn),
            when: self.when(element),
            day: Period::of(Grain::Daily, turn.days.0),
            cover: turn.cover,
            sources: [vec![turn.id.clone()], context].concat(),
        }))
    }

    fn operation(&mut self, element: &Value, lines: &[Line], shown: &Shown) -> Kept<FactOperation> {
        let turn = self.source(element, lines)?;
        let verb: Verb = answer::text(element, "op").and_then(|op| op.parse().ok()).ok_or("has no known op")?;
        let term = |name| answer::text(element, name).map(|text| resolved(text, turn));
        let subject = term("subject").filter(|subject| is_term(subject)).ok_or("has no usable subject")?;
        let predicate = answer::text(element, "predicate").map(predicate_name).filter(|name| is_term(name));
        let predicate = predicate.ok_or("has no usable predicate")?;
        let object = term("object").filter(|object| is_term(object)).ok_or("has no usable object")?;
        if predicate == ALIAS && verb != Verb::Delete && !may_be_called(turn, &subject, &object) {
            return Err("gives a name that is not a form of the speaker's own");
        }
        let of_example = extraction_example(self.language).contains(&format!("\"object\": \"{object}\""));
        if of_example && !words(&object).any(|word| self.named.contains(&word)) {
            return Err("repeats the example of the prompt");
        }
        let replaces = term("replaces").filter(|replaces| verb == Verb::Update && is_term(replaces));
        let objects = [Some(&object), replaces.as_ref()].into_iter().flatten();
        if let Some(suspicion) = objects.filter_map(|term| suspicion::of_triple(&subject, &predicate, term)).next() {
            return Err(suspicion.as_str());
        }
        // Lower case at the beginning, so that capitalised terms count as names.
        if verb != Verb::Delete && shown.lacks(&format!("of {subject} and {object}")) {
            return Err("has a name, number or date that was not shown");
        }
        let verb = match (verb, &replaces) {
            // An update without a former value would end all values, even of a predicate that has many.
            (Verb::Update, None) => Verb::Insert,
            _ => verb,
        };
        if verb != Verb::Insert && suspicion::gives_orders(&turn.text) {
            return Err("ends something on the word of a turn that gives orders");
        }
        if verb == Verb::Delete {
            self.may_end(turn, &object)?;
        }
        let context = self.origins.of_terms(turn, &[&subject, &object]);
        let position = self.operations.entry(turn.id.clone()).or_default();
        if *position as usize == MAX_PER_TURN {
            return Err("is one too many for its turn");
        }
        let own_position = *position;
        *position += 1;
        Ok(FactOperation {
            id: FactOperation::id(&turn.id, own_position),
            verb,
            subject,
            predicate,
            object,
            replaces,
            properties: properties(turn, context),
            confidence: share(element, "confidence").unwrap_or(MIDDLING),
            at: self.when(element).unwrap_or(turn.at()),
            said_at: turn.at(),
            source: turn.id.clone(),
            position: own_position,
            recorded_at: self.task.now,
        })
    }

    /// Checks whether the turn may end this fact: a turn of the task or one of the turns before them must contain a word of the
    /// object, and one turn may end at most [`MAX_DELETES_PER_TURN`] facts.
    fn may_end(&mut self, turn: &Memory, object: &str) -> Kept<()> {
        if !words(object).any(|word| self.named.contains(&word)) {
            return Err("deletes what nobody named");
        }
        let ended = self.deletes.entry(turn.id.clone()).or_default();
        *ended += 1;
        if *ended > MAX_DELETES_PER_TURN { Err("is one deletion too many for its turn") } else { Ok(()) }
    }

    /// Returns the turn of the first line of `lines` that an element cites. Fails if it cites none of them.
    fn source(&self, element: &Value, lines: &[Line]) -> Kept<&'a Memory> {
        let cited = element.get("source").or_else(|| element.get("sources"));
        let cited = answer::citations(cited).into_iter().filter_map(|number| lines.get(number.checked_sub(1)?));
        cited.filter_map(|line| self.turns.get(line.from.first()?)).next().copied().ok_or("cites no turn")
    }

    /// Parses an instant, day, month or year. Returns `None` if it is missing or cannot be read.
    fn when(&self, element: &Value) -> Option<Timestamp> {
        let text = answer::text(element, "when")?;
        if let Ok(moment) = text.parse::<Timestamp>() {
            return Some(moment);
        }
        // A bare year or month means its first day.
        let whole = [text.to_owned(), format!("{text}-01"), format!("{text}-01-01")];
        let day: Date = whole.iter().find_map(|text| text.get(..10)?.parse().ok())?;
        Some(self.zones.day_interval(day).start)
    }
}

/// Returns the properties of an operation: its speaker, and the turns that it draws on besides its own.
fn properties(turn: &Memory, context: Vec<MemoryId>) -> Properties {
    let speaker = turn.speaker().map(|name| (SPEAKER.to_owned(), Value::from(name)));
    let ids: Vec<Value> = context.iter().map(|id| Value::from(id.as_str())).collect();
    let context = Some(ids).filter(|ids| !ids.is_empty()).map(|ids| (CONTEXT.to_owned(), Value::from(ids)));
    speaker.into_iter().chain(context).collect()
}

/// Replaces words by which speakers refer to themselves with the speaker's name.
fn resolved(term: &str, turn: &Memory) -> String {
    const SELF: [&str; 9] = ["i", "me", "my", "myself", "mine", "user", "the user", "speaker", "the speaker"];
    let speaker = turn.speaker().unwrap_or("user");
    // Lines show assistants as "Aria (assistant)". A suffix "(user)" is removed too.
    let term = [" (user)", " (assistant)"].iter().find_map(|role| term.strip_suffix(role)).unwrap_or(term);
    if SELF.contains(&term.to_lowercase().as_str()) { speaker.to_owned() } else { term.to_owned() }
}

/// Returns whether a turn may give its subject this name. The subject must be the speaker. A speaker with a name of its own
/// gets only forms of that name; one that is called "user" gets any name.
fn may_be_called(turn: &Memory, subject: &str, name: &str) -> bool {
    let speaker = turn.speaker().unwrap_or_default();
    entity_key(subject) == entity_key(speaker) && (speaker == Role::User.as_str() || is_form_of(speaker, name))
}

fn is_term(text: &str) -> bool {
    !entity_key(text).is_empty() && text.len() <= MAX_TERM_LENGTH
}

fn topic(element: &Value) -> String {
    let word = answer::text(element, "kind").map(predicate_name).filter(|word| !word.is_empty() && word.len() <= 40);
    word.unwrap_or_else(|| "other".into())
}

/// Returns the people whom a statement is about, at most [`MAX_PER_TURN`]. If the model names nobody, returns the speaker, if
/// the turn has one.
fn who(element: &Value, turn: &Memory) -> Vec<String> {
    let names = match &element["who"] {
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        Value::String(name) => vec![name.as_str()],
        _ => Vec::new(),
    };
    let mut who: Vec<String> = Vec::new();
    for name in names.into_iter().map(|name| resolved(name.trim(), turn)).filter(|name| is_term(name)) {
        if !who.contains(&name) && who.len() < MAX_PER_TURN {
            who.push(name);
        }
    }
    if who.is_empty() { turn.speaker().map(str::to_owned).into_iter().collect() } else { who }
}

fn share(element: &Value, name: &str) -> Option<f64> {
    answer::number(element, name).map(|number| number.clamp(0.0, 1.0))
}

/// Returns the content words of a text in comparable form: without case and accents.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    const LIGHT: [&str; 14] =
        ["a", "an", "and", "at", "for", "her", "his", "in", "my", "of", "on", "the", "to", "with"];
    text.unicode_words().map(entity_key).filter(|word| !LIGHT.contains(&word.as_str()))
}
