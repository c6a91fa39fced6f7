//! Escapes texts so that they are not read as Markdown structure: list items, paragraphs, table cells, headings, front matter,
//! names of files.

/// Returns a text as the content of a list item: further lines are indented. Outside fenced code, lines that begin with `#`,
/// `---`, `===` or `%%` are escaped.
pub fn item(text: &str) -> String {
    let text = text.trim();
    // A block of code begins on a line of its own, not after the name of the speaker.
    let start = if fence(text).is_some() { "\n  " } else { "" };
    format!("{start}{}", escaped(text).join("\n  "))
}

/// Returns a text as paragraphs. Outside fenced code, lines that begin with `#`, `---`, `===` or `%%` are escaped.
pub fn paragraphs(text: &str) -> String {
    escaped(text.trim()).join("\n")
}

/// Returns the lines of a text; lines outside fenced code are escaped. A fence without an end does not begin fenced code.
fn escaped(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut escaped = Vec::with_capacity(lines.len());
    while escaped.len() < lines.len() {
        let at = escaped.len();
        let ends = |mark: &str| lines[at + 1..].iter().position(|line| line.trim() == mark);
        match fence(lines[at]).and_then(ends) {
            Some(length) => escaped.extend(lines[at..=at + 1 + length].iter().map(|line| line.trim_end().to_owned())),
            None => escaped.push(escaped_line(lines[at])),
        }
    }
    escaped
}

/// Returns the fence mark at the beginning of a text, such as three backticks; `None` if its first line does not begin fenced
/// code.
fn fence(line: &str) -> Option<&str> {
    let line = line.lines().next().unwrap_or_default().trim_start();
    let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let mark = &line[..line.len() - line.trim_start_matches(sign).len()];
    (mark.len() >= 3 && !line[mark.len()..].contains('`')).then_some(mark)
}

fn escaped_line(line: &str) -> String {
    let start = line.trim_start();
    let is_rule = start.len() >= 3 && ["---", "===", "%%"].into_iter().any(|mark| start.starts_with(mark));
    if start.starts_with('#') || is_rule || start.starts_with("%%") {
        return format!("{}\\{start}", &line[..line.len() - start.len()]);
    }
    line.trim_end().to_owned()
}

/// Returns a text as one cell of a table: on one line, with bars and backslashes escaped.
pub fn cell(text: &str) -> String {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    one_line.replace('\\', "\\\\").replace('|', "\\|")
}

/// Returns a text as one line, for a heading.
pub fn heading(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a text as a front matter value in double quotes. Control characters become spaces.
pub fn quoted(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("\"{}\"", plain.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Returns a name for a file: at most 80 letters, digits, hyphens and underscores. Other characters become hyphens. An empty
/// name and the names of some devices get the prefix `block-`.
pub fn file_name(name: &str) -> String {
    let plain: String =
        name.chars().map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' }).collect();
    let cut: String = plain.chars().take(80).collect();
    // Names of devices in Windows.
    let is_device = ["con", "prn", "aux", "nul"].contains(&cut.to_lowercase().as_str());
    if cut.is_empty() || is_device { format!("block-{cut}") } else { cut }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_make_no_structure() {
        assert_eq!(item("a\n# b\n---\n\n  ## c "), "a\n  \\# b\n  \\---\n  \n    \\## c");
        assert_eq!(paragraphs("%%x%%\ny"), "\\%%x%%\ny");
        assert_eq!(cell("a|b\nc\\"), "a\\|b c\\\\");
        assert_eq!(quoted("a\"b\nc"), "\"a\\\"b c\"");
    }

    #[test]
    fn code_stays_as_it_is() {
        assert_eq!(item("So:\n```sh\n# a\n```\n# b"), "So:\n  ```sh\n  # a\n  ```\n  \\# b");
        assert_eq!(item("```\n# a\n```"), "\n  ```\n  # a\n  ```");
        assert_eq!(paragraphs("~~~~\n---\n~~~\n~~~~"), "~~~~\n---\n~~~\n~~~~");
        assert_eq!(paragraphs("```\n# a"), "```\n\\# a", "a fence without an end");
    }

    #[test]
    fn names_of_files_are_safe() {
        assert_eq!(file_name("../a b/ç"), "---a-b-ç");
        assert_eq!(file_name(""), "block-");
        assert_eq!(file_name("CON"), "block-CON");
        assert_eq!(file_name(&"x".repeat(200)).len(), 80);
    }
}
