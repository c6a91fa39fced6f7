//! Addresses of pages. Names of agents and ids may contain any character, so they are percent-encoded.

use url::form_urlencoded::Serializer;

/// Returns the address of a page of an agent: `page` is empty for the timeline.
pub(crate) fn agent(name: &str, page: &str) -> String {
    let separator = if page.is_empty() { "" } else { "/" };
    format!("/agents/{}{separator}{page}", segment(name))
}

/// Returns the address of the page of a memory.
pub(crate) fn memory(agent_name: &str, id: &str) -> String {
    format!("{}/{}", agent(agent_name, "memories"), segment(id))
}

/// Returns the address of the timeline at a window. If `open` is given, that period or memory is opened.
pub(crate) fn timeline(agent_name: &str, window: &str, open: Option<&str>) -> String {
    let open = open.map(|open| ("open", open));
    with(&agent(agent_name, ""), [("period", window)].into_iter().chain(open))
}

/// Returns the address of the timeline at a window, with a day opened. The list of the day's turns begins after a position.
pub(crate) fn turns_after(agent_name: &str, window: &str, day: &str, after: &str) -> String {
    with(&agent(agent_name, ""), [("period", window), ("open", day), ("after", after)])
}

/// Returns the address of the form for signing in, which redirects to `to` afterwards.
pub(crate) fn login(to: &str) -> String {
    with("/login", [("to", to)])
}

/// Appends a query string.
pub(crate) fn with<'a>(path: &str, fields: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let query = Serializer::new(String::new()).extend_pairs(fields).finish();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

/// Returns whether an address is a path of this site, so that a redirect to it cannot lead to another site.
pub(crate) fn is_own(address: &str) -> bool {
    let path = address.strip_prefix('/');
    path.is_some_and(|rest| !rest.starts_with(['/', '\\'])) && !address.chars().any(char::is_control)
}

fn segment(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_~".contains(&byte);
    let encode = |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(encode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_any_character_are_one_segment() {
        assert_eq!(agent("a/b ü.<", "facts"), "/agents/a%2Fb%20%C3%BC%2E%3C/facts");
        assert_eq!(timeline("ann", "2026-Q1", Some("2026-W10")), "/agents/ann?period=2026-Q1&open=2026-W10");
    }

    #[test]
    fn only_pages_of_this_site_are_own() {
        for (address, expect) in [
            ("/", true),
            ("/agents/ann?x=//y", true),
            ("//evil.org", false),
            ("/\\evil.org", false),
            ("http://x", false),
        ] {
            assert_eq!(is_own(address), expect, "{address}");
        }
    }
}
