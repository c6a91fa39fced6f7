//! Names of workspaces and agents, and the folder of an agent's tables.
//!
//! A name is user text; a path never contains it. So `../x`, quotes and 128 bytes of Greek are valid names, and agents
//! are isolated from each other by path.

use std::fmt;

use data_encoding::BASE32_NOPAD;
use sha2::{Digest as _, Sha256};

use crate::{Error, Result};

/// The workspace of agents that are named without one.
const DEFAULT_WORKSPACE: &str = "default";
const MAX_NAME_LENGTH: usize = 128;
const FOLDER_LENGTH: usize = 26;

/// One agent within one workspace. Every memory belongs to an agent.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Agent {
    workspace: String,
    name: String,
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
        Ok(Agent { workspace: workspace.to_owned(), name: name.to_owned() })
    }

    /// Returns the agent with an empty name, which stands for all erased agents of a workspace. Only their token usage, their
    /// reservations and their outstanding requests of batches are stored under it.
    pub fn erased(workspace: &str) -> Result<Agent> {
        check_name("workspace", workspace)?;
        Ok(Agent { workspace: workspace.to_owned(), name: String::new() })
    }

    /// Returns the workspace, which is the tenant.
    pub fn workspace(&self) -> &str {
        &self.workspace
    }

    /// Returns the name that the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name of its folder: `lower(base32(sha256(workspace NUL agent)))[..26]`. No other form of the name
    /// appears in a path.
    pub fn folder(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(&self.workspace);
        hash.update([0]);
        hash.update(&self.name);
        let mut folder = BASE32_NOPAD.encode(&hash.finalize()).to_lowercase();
        folder.truncate(FOLDER_LENGTH);
        folder
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
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
}
