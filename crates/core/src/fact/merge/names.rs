//! The names in a table of facts: the facts that mention each name, the names of each entity, and the pairs known to be
//! different entities.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::spelling::{Spelling, spelling};
use crate::fact::aliases::is_retraction;
use crate::fact::fold::SINGLE;
use crate::fact::{ALIAS, Fact, FactOperation, entity_key};

/// For each pair of entities, the things that are stated of these two and of no other entity.
pub(crate) type Shared = BTreeMap<[usize; 2], Things>;

/// For each thing, the rows (indexes of facts) that state it.
pub(crate) type Things = Vec<Vec<usize>>;

/// Something that is stated of a subject: a predicate, and the entity of the object.
type Thing<'a> = (&'a str, usize);

/// The names in a table of facts. Each name, and each entity, is identified by an index.
pub(crate) struct Names<'a> {
    facts: &'a [Fact],
    /// Subject and object of each row.
    ends: Vec<[usize; 2]>,
    names: Vec<Name<'a>>,
    /// The entity of each name. `members` has the names of each entity.
    entities: Vec<usize>,
    members: Vec<Vec<usize>>,
    /// Pairs of keys that were stated to be different, the smaller key first. A pair with an empty key means all
    /// aliases of the other key.
    retracted: BTreeSet<[String; 2]>,
}

struct Name<'a> {
    key: String,
    /// The first spelling with capitals, if there is one.
    proper: Option<(&'a str, Spelling)>,
    rows: Vec<usize>,
    is_subject: bool,
}

impl<'a> Names<'a> {
    /// Collects the names of these facts. Names that stated aliases join are one entity.
    pub(crate) fn of(facts: &'a [Fact], operations: &[FactOperation]) -> Names<'a> {
        let mut numbers = HashMap::new();
        let mut names: Vec<Name<'a>> = Vec::new();
        let mut ends = Vec::with_capacity(facts.len());
        for (row, fact) in facts.iter().enumerate() {
            let [subject, object] =
                [&fact.subject, &fact.object].map(|written| note(&mut names, &mut numbers, written, row));
            names[subject].is_subject |= fact.predicate != ALIAS;
            ends.push([subject, object]);
        }
        let members = (0..names.len()).map(|name| vec![name]).collect();
        let entities = (0..names.len()).collect();
        let mut all = Names { facts, ends, names, entities, members, retracted: retracted(operations) };
        for (row, _) in facts.iter().enumerate().filter(|(_, fact)| fact.joins_names()) {
            let [subject, object] = all.ends[row];
            if !all.key(subject).is_empty() && !all.key(object).is_empty() {
                all.join(subject, object);
            }
        }
        all
    }

    /// Returns the names that have a spelling with capitals.
    pub(crate) fn spelled(&self) -> impl Iterator<Item = (usize, &Spelling)> {
        self.names.iter().enumerate().filter_map(|(name, known)| Some((name, &known.proper.as_ref()?.1)))
    }

    pub(crate) fn spelling(&self, name: usize) -> Option<&Spelling> {
        self.names[name].proper.as_ref().map(|(_, spelling)| spelling)
    }

    pub(crate) fn written(&self, name: usize) -> Option<&'a str> {
        self.names[name].proper.as_ref().map(|(written, _)| *written)
    }

    pub(crate) fn key(&self, name: usize) -> &str {
        &self.names[name].key
    }

    /// Returns the rows that mention the name, at least one.
    pub(crate) fn rows(&self, name: usize) -> &[usize] {
        &self.names[name].rows
    }

    pub(crate) fn fact(&self, row: usize) -> &'a Fact {
        &self.facts[row]
    }

    pub(crate) fn entity(&self, name: usize) -> usize {
        self.entities[name]
    }

    /// Returns whether any fact other than an alias is about the name.
    pub(crate) fn is_subject(&self, name: usize) -> bool {
        self.names[name].is_subject
    }

    /// Returns the names of an entity that have a spelling with capitals.
    pub(crate) fn of_entity(&self, entity: usize) -> impl Iterator<Item = (usize, &Spelling)> {
        self.members[entity].iter().filter_map(|name| Some((*name, self.spelling(*name)?)))
    }

    /// Finds the things that exactly two entities have in common. Returns, for each such pair, the rows that state the same
    /// predicate and object of both.
    pub(crate) fn shared(&self) -> Shared {
        let things = (0..self.facts.len()).filter(|row| self.facts[*row].predicate != ALIAS);
        let mut things: Vec<(Thing<'a>, usize, usize)> =
            things.map(|row| (self.thing(row), self.entities[self.ends[row][0]], row)).collect();
        things.sort_unstable();
        let mut shared = Shared::new();
        for same in things.chunk_by(|(one, ..), (other, ..)| one == other) {
            let (first, last) = (same[0].1, same[same.len() - 1].1);
            if first != last && same.iter().all(|(_, entity, _)| *entity == first || *entity == last) {
                shared.entry([first, last]).or_default().push(same.iter().map(|(_, _, row)| *row).collect());
            }
        }
        shared
    }

    fn thing(&self, row: usize) -> Thing<'a> {
        (&self.facts[row].predicate, self.entities[self.ends[row][1]])
    }

    /// Merges the entity of `name` into the entity of `into`.
    pub(crate) fn join(&mut self, into: usize, name: usize) {
        let (into, from) = (self.entities[into], self.entities[name]);
        if into != from {
            let moved = std::mem::take(&mut self.members[from]);
            moved.iter().for_each(|name| self.entities[*name] = into);
            self.members[into].extend(moved);
        }
    }

    /// Returns whether evidence shows two different entities: a retracted alias, a fact that names both, or two values
    /// of a single-valued predicate at the same time.
    pub(crate) fn are_two(&self, one: usize, other: usize) -> bool {
        let [ours, theirs] = [one, other].map(|name| self.entities[name]);
        self.is_retracted(ours, theirs) || self.meet(ours, theirs) || self.differ(ours, theirs)
    }

    fn is_retracted(&self, ours: usize, theirs: usize) -> bool {
        let retracted = |one: &str, other: &str| self.retracted.contains(&pair(one, other));
        self.members[ours].iter().map(|name| self.key(*name)).any(|one| {
            let mut others = self.members[theirs].iter().map(|name| self.key(*name));
            retracted(one, "") || others.any(|other| retracted(other, "") || retracted(one, other))
        })
    }

    fn meet(&self, ours: usize, theirs: usize) -> bool {
        let ends = self.rows_of(ours).map(|row| self.ends[row].map(|name| self.entities[name]));
        ends.into_iter().any(|ends| ends == [ours, theirs] || ends == [theirs, ours])
    }

    fn differ(&self, ours: usize, theirs: usize) -> bool {
        let theirs: Vec<usize> = self.singles_of(theirs).collect();
        self.singles_of(ours).any(|row| theirs.iter().any(|other| self.exclude(row, *other)))
    }

    /// Returns the rows with single-valued predicates about an entity. Excludes names, because an entity may have
    /// several.
    fn singles_of(&self, entity: usize) -> impl Iterator<Item = usize> {
        let is_single = |predicate: &str| SINGLE.contains(&predicate) && !predicate.ends_with("name");
        self.rows_of(entity)
            .filter(move |row| self.entities[self.ends[*row][0]] == entity && is_single(&self.facts[*row].predicate))
    }

    fn exclude(&self, row: usize, other: usize) -> bool {
        let (one, another) = (&self.facts[row], &self.facts[other]);
        let together = one.valid_to.is_none_or(|end| another.valid_from < end)
            && another.valid_to.is_none_or(|end| one.valid_from < end);
        one.predicate == another.predicate && together && self.thing(row) != self.thing(other)
    }

    fn rows_of(&self, entity: usize) -> impl Iterator<Item = usize> {
        self.members[entity].iter().flat_map(|name| self.rows(*name)).copied()
    }
}

/// Returns the number of a name that occurs in a row; adds the name if it is new.
fn note<'a>(names: &mut Vec<Name<'a>>, numbers: &mut HashMap<String, usize>, written: &'a str, row: usize) -> usize {
    let key = entity_key(written);
    let number = match numbers.get(&key) {
        Some(number) => *number,
        None => {
            numbers.insert(key.clone(), names.len());
            names.push(Name { key, proper: None, rows: Vec::new(), is_subject: false });
            names.len() - 1
        }
    };
    let name = &mut names[number];
    if name.rows.last() != Some(&row) {
        name.rows.push(row);
    }
    if name.proper.is_none() {
        name.proper = spelling(written, &name.key).map(|spelling| (written, spelling));
    }
    number
}

fn retracted(operations: &[FactOperation]) -> BTreeSet<[String; 2]> {
    let ends = operations.iter().filter(|operation| is_retraction(operation));
    ends.map(|operation| pair(&entity_key(&operation.subject), &entity_key(&operation.object))).collect()
}

fn pair(one: &str, other: &str) -> [String; 2] {
    [one.min(other).to_owned(), one.max(other).to_owned()]
}
