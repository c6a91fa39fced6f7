//! An in-memory disk that tracks what would survive a power cut.
//!
//! The model: a write, truncation, creation or deletion is visible to the running process at once, and is sure to
//! survive only after a sync. Syncing a file keeps its content; syncing the folder keeps its set of names. Of unsynced
//! changes the disk may have kept any part: each sector of a write, each truncation, each name.

use std::collections::HashMap;

use parking_lot::{Mutex, MutexGuard};

const SECTOR: usize = 512;

/// The power is off; the operation had no effect.
#[derive(Debug)]
pub(super) struct PowerGone;

/// What happens to unsynced changes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unsynced {
    AllLost,
    /// Each part is lost or kept at random; the seed decides.
    LostByChance(u64),
}

#[derive(Default)]
pub(crate) struct Disk(Mutex<State>);

#[derive(Default)]
struct State {
    files: Vec<File>,
    /// The names that the process sees; `synced_names` are those that survive.
    names: HashMap<String, usize>,
    synced_names: HashMap<String, usize>,
    steps: u64,
    milestones: Vec<u64>,
    power_goes_at: Option<u64>,
}

#[derive(Default)]
struct File {
    content: Vec<u8>,
    synced: Vec<u8>,
    unsynced: Vec<Change>,
}

enum Change {
    Write(usize, Vec<u8>),
    Truncate(usize),
}

impl Disk {
    /// Resets to an empty disk, with the power on.
    pub(crate) fn clear(&self) {
        *self.state() = State::default();
    }

    /// Cuts the power at this step, counted from 0: that step and all later ones fail.
    pub(crate) fn power_goes_at(&self, step: u64) {
        self.state().power_goes_at = Some(step);
    }

    /// Returns the number of steps since the disk was cleared or the power came back. Each write, truncation, sync and deletion
    /// is a step; creating a file is none.
    pub(crate) fn steps(&self) -> u64 {
        self.state().steps
    }

    /// Returns the steps that were syncs or deletions.
    pub(crate) fn milestones(&self) -> Vec<u64> {
        self.state().milestones.clone()
    }

    /// Returns whether a file that has a name contains these bytes.
    pub(crate) fn contains(&self, bytes: &[u8]) -> bool {
        let state = self.state();
        let mut files = state.names.values().map(|file| &state.files[*file].content);
        files.any(|content| content.windows(bytes.len()).any(|window| window == bytes))
    }

    /// Cuts the power if it is still on, and restarts with what survived.
    pub(crate) fn power_is_back(&self, unsynced: Unsynced) {
        let mut state = self.state();
        let mut chance = Chance(unsynced);
        let mut names = state.synced_names.clone();
        let mut touched: Vec<&String> = state.names.keys().chain(state.synced_names.keys()).collect();
        touched.sort();
        touched.dedup();
        for name in touched {
            if chance.kept() {
                match state.names.get(name) {
                    Some(file) => names.insert(name.clone(), *file),
                    None => names.remove(name),
                };
            }
        }
        let files = state.files.iter().map(|file| file.after_power_cut(&mut chance)).collect();
        *state = State { files, synced_names: names.clone(), names, ..State::default() };
    }

    /// Returns the file of that name and whether it was created. Creates a missing file only if `create` is set.
    pub(super) fn open(&self, name: Option<&str>, create: bool) -> Option<(usize, bool)> {
        let mut state = self.state();
        if let Some(file) = name.and_then(|name| state.names.get(name)) {
            return Some((*file, false));
        }
        if !create {
            return None;
        }
        let file = state.files.len();
        state.files.push(File::default());
        if let Some(name) = name {
            state.names.insert(name.to_owned(), file);
        }
        Some((file, true))
    }

    pub(super) fn exists(&self, name: &str) -> bool {
        self.state().names.contains_key(name)
    }

    pub(super) fn delete(&self, name: &str, sync_folder: bool) -> Result<bool, PowerGone> {
        let mut state = self.step(true)?;
        let existed = state.names.remove(name).is_some();
        if sync_folder {
            state.synced_names = state.names.clone();
        }
        Ok(existed)
    }

    /// Reads from `at` on; returns the number of bytes read.
    pub(super) fn read(&self, file: usize, at: usize, into: &mut [u8]) -> usize {
        let state = self.state();
        let content = state.files[file].content.get(at..).unwrap_or_default();
        let length = content.len().min(into.len());
        into[..length].copy_from_slice(&content[..length]);
        length
    }

    pub(super) fn size(&self, file: usize) -> usize {
        self.state().files[file].content.len()
    }

    pub(super) fn write(&self, file: usize, at: usize, bytes: &[u8]) -> Result<(), PowerGone> {
        self.change(file, Change::Write(at, bytes.to_vec()))
    }

    pub(super) fn truncate(&self, file: usize, size: usize) -> Result<(), PowerGone> {
        self.change(file, Change::Truncate(size))
    }

    pub(super) fn sync(&self, file: usize, with_folder: bool) -> Result<(), PowerGone> {
        let mut state = self.step(true)?;
        let File { content, synced, unsynced } = &mut state.files[file];
        unsynced.clear();
        synced.clone_from(content);
        if with_folder {
            state.synced_names = state.names.clone();
        }
        Ok(())
    }

    fn change(&self, file: usize, change: Change) -> Result<(), PowerGone> {
        let file = &mut self.step(false)?.files[file];
        change.apply(&mut file.content);
        file.unsynced.push(change);
        Ok(())
    }

    fn step(&self, milestone: bool) -> Result<MutexGuard<'_, State>, PowerGone> {
        let mut state = self.state();
        if state.power_goes_at.is_some_and(|last| state.steps >= last) {
            return Err(PowerGone);
        }
        let step = state.steps;
        state.steps += 1;
        if milestone {
            state.milestones.push(step);
        }
        Ok(state)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock()
    }
}

impl File {
    fn after_power_cut(&self, chance: &mut Chance) -> File {
        let mut content = self.synced.clone();
        for change in &self.unsynced {
            change.apply_by_chance(&mut content, chance);
        }
        File { synced: content.clone(), content, unsynced: Vec::new() }
    }
}

impl Change {
    fn apply(&self, content: &mut Vec<u8>) {
        match self {
            Change::Write(at, bytes) => overwrite(content, *at, bytes),
            Change::Truncate(size) => content.truncate(*size),
        }
    }

    fn apply_by_chance(&self, content: &mut Vec<u8>, chance: &mut Chance) {
        match self {
            Change::Write(at, bytes) => {
                let sectors = (*at..).step_by(SECTOR).zip(bytes.chunks(SECTOR));
                sectors.filter(|_| chance.kept()).for_each(|(at, sector)| overwrite(content, at, sector));
            }
            Change::Truncate(size) if chance.kept() => content.truncate(*size),
            Change::Truncate(_) => {}
        }
    }
}

/// Writes bytes; fills a gap between the end and `at` with zeros.
fn overwrite(content: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    content.resize(content.len().max(at + bytes.len()), 0);
    content[at..at + bytes.len()].copy_from_slice(bytes);
}

struct Chance(Unsynced);

impl Chance {
    /// Draws one bit from a splitmix64 generator.
    fn kept(&mut self) -> bool {
        let Unsynced::LostByChance(state) = &mut self.0 else { return false };
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) & 1 == 1
    }
}
