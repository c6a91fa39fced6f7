//! Selects the pruned turns that a target reaches, by the data that pruning kept of them and by their traces in other records.

use std::collections::{BTreeMap, BTreeSet};

use annals_core::ports::Target;
use annals_core::{Agent, Base, Grain, Interval, MemoryId, Period, Timestamp, Zones, entity_key};

use super::subject::Subject;
use crate::catalog::agent_data::{AgentData, Pruned};

/// The pruned turns that a target reaches.
#[derive(Default)]
pub(super) struct Resolved {
    /// Pruned turns to delete.
    pub(super) gone: BTreeMap<MemoryId, Pruned>,
    /// Number of turns that may have left traces and cannot be assigned to the target or excluded from it.
    pub(super) unresolved: u64,
    /// Sealed periods that may contain text of unresolved turns, or of a turn to delete of which the day is unknown.
    pub(super) unresolved_in: BTreeSet<Period>,
    /// Number of pruned turns that stay, unresolved ones included.
    pub(super) kept: u64,
}

/// The traces of one pruned turn in sealed texts, operations and statements.
#[derive(Default)]
struct Remains {
    periods: BTreeSet<Period>,
    day: Option<Period>,
    said_at: Option<Timestamp>,
    has_statement: bool,
    names_subject: bool,
}

impl Resolved {
    pub(super) fn new(agent: &Agent, data: &AgentData, target: &Target, subject: &Subject, zones: &Zones) -> Resolved {
        let texts = data.bases.iter().flat_map(|(period, base)| {
            let present = data.summary(agent, *period).map(|summary| data.as_base(summary));
            [Some(base.clone()), present].into_iter().flatten().map(|text| (*period, text)).collect::<Vec<_>>()
        });
        let texts: Vec<(Period, Base)> = texts.collect();
        let reworded: BTreeSet<Period> = texts
            .iter()
            .filter(|(period, text)| is_above(*period) && !text.verbatim)
            .map(|(period, _)| *period)
            .collect();
        let mut resolved = Resolved::default();
        for (id, turn) in &data.pruned {
            let remains = remains(data, &texts, id, subject);
            let day = turn.day.or(remains.day);
            let turn = Pruned { day, at: turn.at.or(remains.said_at), ..turn.clone() };
            let may_cover = |period: &&Period| day.is_none_or(|day| day.ancestor(period.grain()) == **period);
            let read_by_models: BTreeSet<Period> = reworded.iter().filter(may_cover).copied().collect();
            if takes(target, id, &turn, &remains, subject, zones) {
                if day.is_none() {
                    resolved.unresolved_in.extend(read_by_models);
                }
                resolved.gone.insert(id.clone(), turn);
                continue;
            }
            resolved.kept += 1;
            let is_left = !remains.periods.is_empty() || remains.said_at.is_some() || remains.has_statement;
            if (is_left || !read_by_models.is_empty()) && cannot_tell(target, &turn, zones) {
                resolved.unresolved += 1;
                resolved.unresolved_in.extend(remains.periods.into_iter().chain(read_by_models));
            }
        }
        resolved
    }
}

fn is_above(period: Period) -> bool {
    period.grain() > Grain::Daily
}

fn remains(data: &AgentData, texts: &[(Period, Base)], id: &MemoryId, subject: &Subject) -> Remains {
    let mut remains = Remains::default();
    let named =
        |words: &[String], text: &str| subject.is_named_in(text) || words.iter().any(|word| subject.is_named_in(word));
    for (period, text) in texts {
        for sentence in text.sentences.iter().filter(|sentence| sentence.from.contains(id)) {
            remains.periods.insert(*period);
            if text.verbatim {
                remains.names_subject |= named(sentence.speaker.as_slice(), &sentence.text);
                // The other turns of the sentence may be of earlier days, and only have given it a name.
                if sentence.from.first() == Some(id) {
                    remains.day.get_or_insert(Period::of(Grain::Daily, sentence.day));
                }
            }
        }
        if !is_above(*period) && text.sources.contains(id) {
            remains.day = Some(*period);
            if !text.verbatim {
                remains.periods.insert(*period);
            }
        }
    }
    for operation in data.log.values().filter(|operation| operation.source == *id) {
        remains.said_at = Some(operation.said_at);
        remains.names_subject |= subject.is_named_by_operation(operation);
    }
    for statement in data.statements.values().filter(|statement| statement.sources.contains(id)) {
        remains.has_statement = true;
        let names = named(&statement.who, &statement.text);
        remains.names_subject |= statement.sources.len() == 1 && names;
    }
    remains
}

fn takes(target: &Target, id: &MemoryId, turn: &Pruned, remains: &Remains, subject: &Subject, zones: &Zones) -> bool {
    match target {
        Target::Memories(ids) => ids.contains(id),
        Target::Conversation(name) => turn.conversation.as_ref() == Some(name),
        Target::Subject(_) => {
            let speaker = turn.speaker.as_ref().map(|name| entity_key(name));
            remains.names_subject || speaker.is_some_and(|name| subject.is(&name))
        }
        Target::Range(range) => match (turn.at, turn.day) {
            (Some(at), _) => range.contains(at),
            (None, Some(day)) => {
                let day = zones.day_interval(day.first_day());
                range.start <= day.start && day.end <= range.end
            }
            (None, None) => false,
        },
        Target::Agent => true,
    }
}

fn cannot_tell(target: &Target, turn: &Pruned, zones: &Zones) -> bool {
    let overlaps = |range: &Interval, day: Period| zones.day_interval(day.first_day()).overlaps(range);
    match target {
        Target::Conversation(_) => turn.conversation.is_none(),
        Target::Range(range) => turn.at.is_none() && turn.day.is_none_or(|day| overlaps(range, day)),
        _ => false,
    }
}
