//! Names of workspaces and agents, and the folder of an agent's tables.
//!
//! A name is user text; a path never contains it. So `../x`, quotes and 128 bytes of Greek are valid names, and agents
//! are isolated from each other by path.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use data_encoding::BASE32_NOPAD;
use sha2::{Digest as _, Sha256};

use crate::{Error, Result};

/// The workspace of agents that are named without one.
const DEFAULT_WORKSPACE: &str = "default";
const MAX_NAME_LENGTH: usize = 128;
const FOLDER_LENGTH: usize = 26;

/// One agent within one workspace. Every memory belongs to an agent.
///
/// Two values are equal if workspace and key are equal. The key is the name at the creation and never changes: ids of memories,
/// folders, locks and columns of the catalog derive from it. The name that users see changes when the agent is renamed.
#[derive(Clone, Debug)]
pub struct Agent {
    workspace: String,
    key: String,
    /// The name since it was renamed; `None` if the key is the name.
    shown_name: Option<String>,
}

impl Agent {
    /// Creates an agent of the default workspace. Names are 1 to 128 bytes of UTF-8 without control characters.
    pub fn new(name: &str) -> Result<Agent> {
        Agent::in_workspace(DEFAULT_WORKSPACE, name)
    }

    /// Creates an agent of a named workspace. The same rule applies to both names.
    pub fn in_workspace(workspace: &str, name: &str) -> Result<Agent> {
        check_name("workspace", workspace)?;
        check_name("agent", name)?;
        Ok(Agent { workspace: workspace.to_owned(), key: name.to_owned(), shown_name: None })
    }

    /// Returns the same agent under another name. The key stays.
    pub fn renamed(self, name: &str) -> Result<Agent> {
        check_name("agent", name)?;
        let shown_name = Some(name.to_owned()).filter(|name| *name != self.key);
        Ok(Agent { shown_name, ..self })
    }

    /// Returns the agent with an empty name, which stands for all erased agents of a workspace. Only their token usage, their
    /// reservations and their outstanding requests of batches are stored under it.
    pub fn erased(workspace: &str) -> Result<Agent> {
        check_name("workspace", workspace)?;
        Ok(Agent { workspace: workspace.to_owned(), key: String::new(), shown_name: None })
    }

    /// Returns the workspace, which is the tenant.
    pub fn workspace(&self) -> &str {
        &self.workspace
    }

    /// Returns the name that users see and type.
    pub fn name(&self) -> &str {
        self.shown_name().unwrap_or(&self.key)
    }

    /// Returns the name at the creation, which never changes. Hashes, folders and columns of the catalog use it.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the name if it differs from the key.
    pub fn shown_name(&self) -> Option<&str> {
        self.shown_name.as_deref()
    }

    /// Returns the name of its folder: `lower(base32(sha256(workspace NUL key)))[..26]`. No other form of the name
    /// appears in a path.
    pub fn folder(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(&self.workspace);
        hash.update([0]);
        hash.update(&self.key);
        let mut folder = BASE32_NOPAD.encode(&hash.finalize()).to_lowercase();
        folder.truncate(FOLDER_LENGTH);
        folder
    }

    fn identity(&self) -> (&str, &str) {
        (&self.workspace, &self.key)
    }
}

impl PartialEq for Agent {
    fn eq(&self, other: &Agent) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for Agent {}

impl Hash for Agent {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

impl Ord for Agent {
    fn cmp(&self, other: &Agent) -> Ordering {
        self.identity().cmp(&other.identity())
    }
}

impl PartialOrd for Agent {
    fn partial_cmp(&self, other: &Agent) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn check_name(field: &'static str, name: &str) -> Result<()> {
    if name.is_empty() {
        return Err(Error::invalid(field, "is empty"));
    }
    if name.len() > MAX_NAME_LENGTH {
        return Err(Error::invalid(field, format!("has {} bytes; {MAX_NAME_LENGTH} are allowed", name.len())));
    }
    if let Some(control) = name.chars().find(|c| c.is_control()) {
        return Err(Error::invalid(field, format!("contains the control character {control:?}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printable_text_is_a_valid_name() {
        for name in ["a", "../../etc/passwd", "o'brien \"x\"; --", "Μνήμη", &"x".repeat(128)] {
            let folder = Agent::new(name).unwrap().folder();
            assert_eq!(folder.len(), 26, "{name}");
            assert!(folder.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()), "{folder}");
        }
    }

    #[test]
    fn faults_name_the_field() {
        fn check(name: &str, expect: &str) {
            assert_eq!(Agent::new(name).unwrap_err().to_string(), expect);
        }
        check("", "agent is empty");
        check("a\nb", "agent contains the control character '\\n'");
        check(&"é".repeat(100), "agent has 200 bytes; 128 are allowed");
    }

    #[test]
    fn folder_is_stable_and_differs_between_workspaces() {
        assert_eq!(Agent::new("demo").unwrap().folder(), Agent::new("demo").unwrap().folder());
        assert_ne!(
            Agent::in_workspace("a", "b").unwrap().folder(),
            Agent::in_workspace("ab", "").map_or_else(|_| String::new(), |a| a.folder())
        );
    }

    #[test]
    fn renamed_agent_shows_the_shown_name_and_stays_the_same_agent() {
        fn check(names: &[&str], expect: &str) {
            let ann = Agent::new("ann").unwrap();
            let renamed = names.iter().fold(ann.clone(), |agent, name| agent.renamed(name).unwrap());
            assert_eq!(
                (renamed.name(), renamed.to_string().as_str(), renamed.key()),
                (expect, expect, "ann"),
                "{names:?}"
            );
            assert_eq!((renamed.folder(), &renamed), (ann.folder(), &ann), "{names:?}");
            assert_eq!(renamed.shown_name(), Some(expect).filter(|name| *name != "ann"), "{names:?}");
        }
        check(&["bob"], "bob");
        check(&["bob", "cid"], "cid");
        check(&["ann"], "ann");
        check(&["bob", "ann"], "ann");
        assert!(Agent::new("ann").unwrap().renamed("").is_err());
        assert_ne!(Agent::new("bob").unwrap(), Agent::new("ann").unwrap().renamed("bob").unwrap());
    }
}
