//! Groups new turns: conversations into tasks for an extractor, tasks into sections with a common watermark.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use annals_core::ports::ReadingSchedule;
use annals_core::{Memory, MemoryId, Timestamp};
use regex::Regex;

use crate::recalled::SeenSentences;

/// Maximum number of turns in a task: what a small model reads well at once.
pub const MAX_TASK_TURNS: usize = 20;
/// Maximum number of characters in a task. A longer turn is a task of its own.
const MAX_TASK_LENGTH: usize = 6000;
/// Maximum number of names that are looked up for a task.
const NAMES: usize = 24;

/// Turns of one conversation that are read together.
#[derive(Debug, Default)]
pub(crate) struct Task {
    /// The turns to read, in order of time, without text recalled from memory.
    pub spoken: Vec<Memory>,
    /// Turns of the task with nothing to read, such as recalled text. What was extracted from their former text is removed.
    pub silent: Vec<MemoryId>,
    /// The sequence of the change that wrote each silent turn.
    silent_seqs: Vec<u64>,
    conversation: Option<String>,
    characters: usize,
    /// The lowest and the highest catalog sequence number of the turns.
    sequences: (u64, u64),
}

impl Task {
    fn has_room_for(&self, turn: &Memory) -> bool {
        self.conversation.as_deref() == turn.conversation()
            && self.spoken.len() + self.silent.len() < MAX_TASK_TURNS
            && self.characters + turn.text.chars().count() <= MAX_TASK_LENGTH
    }

    fn take(&mut self, turn: Memory, seen: &SeenSentences) {
        self.characters += turn.text.chars().count();
        self.sequences = (self.sequences.0.min(turn.seq), self.sequences.1.max(turn.seq));
        match seen.fresh(&turn) {
            Some(fresh) => self.spoken.push(fresh),
            None => {
                self.silent_seqs.push(turn.seq);
                self.silent.push(turn.id);
            }
        }
    }

    /// Returns all turns of the task, each with the sequence number of the change that wrote it.
    pub(crate) fn turns(&self) -> impl Iterator<Item = (MemoryId, u64)> {
        let spoken = self.spoken.iter().map(|turn| (turn.id.clone(), turn.seq));
        spoken.chain(self.silent.iter().cloned().zip(self.silent_seqs.iter().copied()))
    }
}

/// Splits the turns into tasks by conversation and time. Returns the tasks in the order in which their first turns arrived.
pub(crate) fn tasks(mut turns: Vec<Memory>, seen: &SeenSentences) -> Vec<Task> {
    turns.sort_by(|a, b| (a.conversation(), a.at(), a.seq).cmp(&(b.conversation(), b.at(), b.seq)));
    let mut tasks: Vec<Task> = Vec::new();
    for turn in turns {
        match tasks.last_mut().filter(|task| task.has_room_for(&turn)) {
            Some(task) => task.take(turn, seen),
            None => {
                let (conversation, sequences) = (turn.conversation().map(str::to_owned), (turn.seq, turn.seq));
                let mut task = Task { conversation, sequences, ..Task::default() };
                task.take(turn, seen);
                tasks.push(task);
            }
        }
    }
    tasks.sort_by_key(|task| task.sequences);
    tasks
}

/// Tasks that interleave in catalog order. The watermark moves from section to section: everything up to the end of a section
/// has been read, and nothing after it.
#[derive(Debug)]
pub(crate) struct Section {
    pub tasks: Vec<Task>,
    /// The watermark once the section is done.
    pub last: u64,
}

impl Section {
    /// Returns whether the turns of the section are due by the schedule.
    pub fn is_due(&self, schedule: ReadingSchedule, now: Timestamp) -> bool {
        let spoken = self.tasks.iter().flat_map(|task| &task.spoken);
        schedule.is_due(spoken.map(Memory::at), now)
    }
}

/// Returns the sections of a batch of changes that ends with `last`. There is at least one, which may have no tasks.
pub(crate) fn sections(tasks: Vec<Task>, last: u64) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for task in tasks {
        let (first, end) = task.sequences;
        match sections.last_mut().filter(|section| first < section.last) {
            Some(section) => {
                section.last = section.last.max(end);
                section.tasks.push(task);
            }
            None => sections.push(Section { tasks: vec![task], last: end }),
        }
    }
    match sections.last_mut() {
        Some(section) => section.last = last,
        None => sections.push(Section { tasks: Vec::new(), last }),
    }
    sections
}

/// Returns the speakers of the turns, then likely names in them: up to three capitalised words in a row, or a single one that
/// does not also occur in lower case. Each once, and at most `NAMES`.
pub(crate) fn names(turns: &[Memory]) -> Vec<String> {
    static NAME: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\p{Lu}[\p{L}'’-]{2,40}(?: \p{Lu}[\p{L}'’-]{1,40}){0,2}").expect("the pattern is tested")
    });
    let plain: BTreeSet<&str> = turns.iter().flat_map(|turn| turn.text.split(|c: char| !c.is_alphabetic())).collect();
    let named = turns.iter().flat_map(|turn| NAME.find_iter(&turn.text)).map(|name| name.as_str());
    let named = named.filter(|name| !plain.contains(name.to_lowercase().as_str()));
    let mut names: Vec<String> = Vec::new();
    for name in turns.iter().filter_map(Memory::speaker).chain(named) {
        if names.len() < NAMES && names.iter().all(|other| other != name) {
            names.push(name.to_owned());
        }
    }
    names
}
