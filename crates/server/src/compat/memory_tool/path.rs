//! Paths: `/memories` and everything below it, resolved as in a file system without links.

use super::{Result, refused};

const ROOT: &str = "memories";

/// Returns the key of a path: what follows `/memories/`, without dots and doubled slashes. Empty for `/memories` itself.
pub(super) fn resolve(path: &str) -> Result<String> {
    let below = path.strip_prefix("/memories").filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let Some(below) = below else { return refused(format!("Path must start with /memories, got: {path}")) };
    let escapes = || refused(format!("Path {path} would escape /memories directory"));
    let mut parts = vec![ROOT];
    for part in below.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return escapes();
                }
            }
            name => parts.push(name),
        }
    }
    if parts.first() != Some(&ROOT) {
        return escapes();
    }
    if path.chars().any(char::is_control) {
        return refused(format!("Path {path} contains a control character"));
    }
    Ok(parts[1..].join("/"))
}

/// Returns the directories above a key, from the outermost.
pub(super) fn directories(key: &str) -> impl Iterator<Item = &str> {
    key.match_indices('/').map(|(index, _)| &key[..index])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compat::memory_tool::Refusal;

    #[test]
    fn paths_are_resolved_below_the_root() {
        let check = |path: &str, expect: Result<&str, &str>| match (resolve(path), expect) {
            (Ok(found), Ok(expect)) => assert_eq!(found, expect, "{path}"),
            (Err(Refusal::Tool(text)), Err(expect)) => assert!(text.contains(expect), "{path}: {text}"),
            (found, _) => panic!("{path}: {found:?}"),
        };
        check("/memories", Ok(""));
        check("/memories/", Ok(""));
        check("/memories//a/./b.txt/", Ok("a/b.txt"));
        check("/memories/a/../b", Ok("b"));
        check("/memories/../memories/b", Ok("b"));
        check("/memories/%2e%2e/b", Ok("%2e%2e/b"));
        check("/memories/..", Err("would escape"));
        check("/memories/../x", Err("would escape"));
        check("/memories/../../memories/memories/x", Err("would escape"));
        check("/memoriesX/y", Err("must start with"));
        check("memories/y", Err("must start with"));
        check("/etc/passwd", Err("must start with"));
        check("/memories/a\0b", Err("control character"));
    }

    #[test]
    fn directories_of_a_key_come_outermost_first() {
        assert_eq!(directories("a/b/c.txt").collect::<Vec<_>>(), ["a", "a/b"]);
        assert_eq!(directories("c.txt").count(), 0);
    }
}
