//! Infers which names mean the same entity although nobody stated it: "Dr. Bob Smith" and "Bob Smith", or "Bob" if only
//! one Bob is known.
//!
//! A merge is an alias fact that each fold derives anew. It changes no other fact and lists its reason and evidence. It
//! disappears with its evidence: a rebuild gives the same merges, forgetting needs no extra step, and a second Bob ends
//! it. The log keeps retractions, so a retracted merge does not return. Merging two people is worse than missing a
//! merge. So two names are not merged if one fact names both, or if they have different values of a single-valued
//! predicate at the same time. First names and misspellings are not merged if two candidates match.

mod names;
mod spelling;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{ALIAS, Fact, FactOperation, Properties};
use crate::{Digest, Interval, MemoryId, Timestamp};
use names::{Names, Shared, Things};
use spelling::{Spelling, is_slip};

/// The property of an inferred alias fact that gives the reason of the merge.
pub const MERGED_BECAUSE: &str = "merged_because";
/// The property that lists the ids of the supporting facts.
const EVIDENCE: &str = "evidence";
/// Maximum number of supporting facts and of sources that a merge lists.
const MAX_EVIDENCE: usize = 16;

#[derive(Clone, Copy)]
enum Reason {
    /// The same words, ignoring titles and punctuation.
    SameWords,
    /// One name is a first name. Exactly one entity has a full name that begins with it, and only these two have something in
    /// common.
    OnlyFullName,
    /// A letter is missing, added or swapped within a long word. Only these two have at least two things in common.
    Misspelling,
}

impl Reason {
    fn as_str(self) -> &'static str {
        match self {
            Reason::SameWords => "same_words",
            Reason::OnlyFullName => "only_full_name",
            Reason::Misspelling => "misspelling",
        }
    }

    fn confidence(self) -> f64 {
        match self {
            Reason::SameWords => 0.95,
            Reason::OnlyFullName => 0.8,
            Reason::Misspelling => 0.7,
        }
    }
}

/// Returns the alias facts that follow from `facts`, which must be in the order of a fold. Respects the retractions in
/// the log.
pub(crate) fn merges(facts: &[Fact], operations: &[FactOperation]) -> Vec<Fact> {
    let mut names = Names::of(facts, operations);
    let mut merged = same_words(&mut names);
    let shared = names.shared();
    merged.extend(full_names(&mut names, &shared));
    merged.extend(misspellings(&mut names, &shared));
    merged
}

/// Merges names of the same two or more words into one of them: one without a title if there is one, and the shortest of those.
/// Merges none of them if their titles imply two genders.
fn same_words(names: &mut Names<'_>) -> Vec<Fact> {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (name, spelling) in names.spelled().filter(|(_, spelling)| spelling.words.len() > 1) {
        groups.entry(spelling.words.join(" ")).or_default().push(name);
    }
    let mut merged = Vec::new();
    for mut group in groups.into_values() {
        let genders: BTreeSet<_> = group.iter().filter_map(|name| names.spelling(*name)?.gender).collect();
        if genders.len() > 1 {
            continue;
        }
        group.sort_by(|one, other| rank(names, *one).cmp(&rank(names, *other)));
        for name in &group[1..] {
            let evidence = [*name, group[0]].map(|name| names.rows(name)[0]);
            merged.extend(merge(names, *name, group[0], Reason::SameWords, &evidence));
        }
    }
    merged
}

/// Returns the sort key by which the name to keep comes first: without a title, then short.
fn rank<'a>(names: &'a Names<'_>, name: usize) -> (bool, usize, &'a str) {
    let is_titled = names.spelling(name).is_some_and(|spelling| spelling.is_titled);
    (is_titled, names.key(name).len(), names.key(name))
}

/// Merges a first name into a full name if exactly one entity has a full name that begins with the first name, and if the two
/// entities have something in common that no other entity has.
fn full_names(names: &mut Names<'_>, shared: &Shared) -> Vec<Fact> {
    let mut full: HashMap<&str, BTreeSet<usize>> = HashMap::new();
    for (name, spelling) in names.spelled().filter(|(_, spelling)| spelling.is_full_name()) {
        full.entry(spelling.words[0].as_str()).or_default().insert(names.entity(name));
    }
    let mut candidates = Vec::new();
    for (one, other, rows) in
        shared.iter().flat_map(|([one, other], things)| [(one, other, things), (other, one, things)])
    {
        let alone = names.of_entity(*one).filter(|(_, spelling)| spelling.is_first_name());
        for (name, spelling) in alone.filter(|(name, _)| names.is_subject(*name)) {
            let fits = |spelling: &Spelling, word: &str| spelling.is_full_name() && spelling.words[0] == word;
            let fitting = names.of_entity(*other).filter(|(_, full)| fits(full, &spelling.words[0]));
            let is_only = full.get(spelling.words[0].as_str()).is_some_and(|entities| entities.len() == 1);
            if let Some((into, _)) = fitting.min_by_key(|(name, _)| rank(names, *name)).filter(|_| is_only) {
                candidates.push((name, into, rows));
            }
        }
    }
    let merged = candidates.into_iter();
    merged.filter_map(|(name, into, things)| merge(names, name, into, Reason::OnlyFullName, &things.concat())).collect()
}

/// Merges names of two or more words that differ by one slip of spelling, if their entities have at least two things in common
/// that no other entity has. Does not merge a name that differs by a slip from several such names.
fn misspellings(names: &mut Names<'_>, shared: &Shared) -> Vec<Fact> {
    let mut slips: BTreeMap<usize, Vec<(usize, &Things)>> = BTreeMap::new();
    for ([one, other], things) in shared.iter().filter(|(_, things)| things.len() > 1) {
        let pairs = names.of_entity(*one).flat_map(|one| names.of_entity(*other).map(move |other| (one, other)));
        for ((one, ours), (other, theirs)) in pairs {
            if ours.words.len() > 1 && is_slip(&ours.words, &theirs.words) {
                slips.entry(one).or_default().push((other, things));
                slips.entry(other).or_default().push((one, things));
            }
        }
    }
    let mut merged = Vec::new();
    for (one, others) in &slips {
        let [(other, things)] = others[..] else { continue };
        if *one < other && slips[&other].len() == 1 {
            let is_rarer = names.rows(*one).len() < names.rows(other).len();
            let (rare, usual) = if is_rarer { (*one, other) } else { (other, *one) };
            merged.extend(merge(names, rare, usual, Reason::Misspelling, &things.concat()));
        }
    }
    merged
}

/// Merges the entities of two names and returns the alias fact. Returns `None` if they are one entity already, or if evidence
/// contradicts the merge.
fn merge(names: &mut Names<'_>, name: usize, into: usize, reason: Reason, rows: &[usize]) -> Option<Fact> {
    if names.entity(name) == names.entity(into) || names.are_two(name, into) {
        return None;
    }
    let rows: BTreeSet<usize> = rows.iter().copied().collect();
    let evidence: Vec<&Fact> = rows.iter().take(MAX_EVIDENCE).map(|row| names.fact(*row)).collect();
    let fact = alias(names, name, into, reason, &evidence)?;
    names.join(into, name);
    Some(fact)
}

fn alias(names: &Names<'_>, name: usize, into: usize, reason: Reason, evidence: &[&Fact]) -> Option<Fact> {
    let digest = Digest::of([names.key(name), names.key(into)]).to_string();
    let ids: Vec<&str> = evidence.iter().map(|fact| fact.id.as_str()).collect();
    let mut sources: Vec<MemoryId> = Vec::new();
    for source in evidence.iter().flat_map(|fact| &fact.sources) {
        if !sources.contains(source) && sources.len() < MAX_EVIDENCE {
            sources.push(source.clone());
        }
    }
    let latest = |moment: fn(&Fact) -> Timestamp| evidence.iter().map(|fact| moment(fact)).max();
    Some(Fact {
        id: format!("m-{}", &digest[..26]),
        subject: names.written(name)?.to_owned(),
        predicate: ALIAS.to_owned(),
        object: names.written(into)?.to_owned(),
        properties: Properties::from_iter([
            (MERGED_BECAUSE.to_owned(), reason.as_str().into()),
            (EVIDENCE.to_owned(), ids.into()),
        ]),
        confidence: reason.confidence(),
        valid_from: latest(|fact| fact.valid_from)?,
        valid_to: None,
        recorded_at: latest(|fact| fact.recorded_at)?,
        mentioned: Interval {
            start: evidence.iter().map(|fact| fact.mentioned.start).min()?,
            end: latest(|fact| fact.mentioned.end)?,
        },
        sources,
        superseded_by: None,
    })
}

#[cfg(test)]
mod tests;
