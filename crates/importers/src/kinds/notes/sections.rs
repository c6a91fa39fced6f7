//! Splits a Markdown note into sections, one for each heading with text below it.
//!
//! A section begins with its heading line. A heading without text of its own is written before its first subsection, so that no
//! line is lost. Lines in fenced code are not read as headings.

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The headings above the text, from the highest level to the section's own; empty for text before the first heading.
    pub headings: Vec<String>,
    /// The number of the section's first line, counted from 1.
    pub line: u64,
    /// The line number of the section's own heading, or of its first line if it has no heading.
    pub own_line: u64,
    /// The text with its heading lines, without white space around it.
    pub text: String,
}

pub struct Sections {
    /// Sections with text, in order.
    pub sections: Vec<Section>,
    /// Headings that have no text and no subsection with text, with their line numbers.
    pub empty: Vec<(u64, String)>,
}

pub fn split(text: &str) -> Sections {
    let mut splitter =
        Splitter { path: Vec::new(), open: Open::default(), waiting: Vec::new(), found: Vec::new(), empty: Vec::new() };
    let mut fence: Option<(char, usize)> = None;
    for (line, number) in text.lines().zip(1..) {
        let in_code = fence.is_some();
        fence = next_fence(line, fence);
        match heading(line).filter(|_| !in_code && fence.is_none()) {
            Some((level, title)) => splitter.heading(level, title, line, number),
            None => splitter.open.push(line, number),
        }
    }
    splitter.close();
    splitter.drop_waiting(0);
    Sections { sections: splitter.found, empty: splitter.empty }
}

/// The lines of the section that is being read.
#[derive(Default)]
struct Open {
    line: u64,
    heading: String,
    body: String,
}

impl Open {
    fn push(&mut self, line: &str, number: u64) {
        if self.line == 0 {
            self.line = number;
        }
        self.body.push_str(line);
        self.body.push('\n');
    }
}

struct Splitter {
    /// Level and title of the headings above.
    path: Vec<(usize, String)>,
    open: Open,
    /// Headings without text yet: level, line number and line.
    waiting: Vec<(usize, u64, String)>,
    found: Vec<Section>,
    empty: Vec<(u64, String)>,
}

impl Splitter {
    fn heading(&mut self, level: usize, title: &str, line: &str, number: u64) {
        self.close();
        self.drop_waiting(level);
        self.path.retain(|(above, _)| *above < level);
        self.path.push((level, title.to_owned()));
        self.open = Open { line: number, heading: line.trim_end().to_owned(), body: String::new() };
    }

    /// Ends the open section. Without text, its heading waits for a subsection.
    fn close(&mut self) {
        let open = std::mem::take(&mut self.open);
        let body = open.body.trim_matches(['\n', '\r']).trim_end();
        if body.trim().is_empty() {
            if let Some((level, _)) = self.path.last().filter(|_| !open.heading.is_empty()) {
                self.waiting.push((*level, open.line, open.heading));
            }
            return;
        }
        let line = self.waiting.first().map_or(open.line, |(_, line, _)| *line);
        let mut lines: Vec<String> = self.waiting.drain(..).map(|(_, _, heading)| heading).collect();
        lines.extend((!open.heading.is_empty()).then_some(open.heading));
        lines.push(body.to_owned());
        let headings = self.path.iter().map(|(_, title)| title.clone()).collect();
        self.found.push(Section { headings, line, own_line: open.line, text: lines.join("\n").trim().to_owned() });
    }

    /// Moves waiting headings to `empty` if a heading of `level` ends them before they got a subsection with text.
    fn drop_waiting(&mut self, level: usize) {
        let (keep, gone): (Vec<_>, Vec<_>) = self.waiting.drain(..).partition(|(above, _, _)| *above < level);
        self.waiting = keep;
        self.empty.extend(gone.into_iter().map(|(_, line, heading)| (line, heading)));
    }
}

/// Returns level and title of an ATX heading: one to six `#`, then white space or the end. Returns `None` for any other line.
fn heading(line: &str) -> Option<(usize, &str)> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    let line = line.trim();
    let level = line.len() - line.trim_start_matches('#').len();
    let rest = &line[level..];
    if indent > 3 || !(1..=6).contains(&level) || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    Some((level, rest.trim().trim_end_matches('#').trim_end()))
}

/// Returns the code fence that is open after a line: its character and length. Returns `None` if none is open.
fn next_fence(line: &str, open: Option<(char, usize)>) -> Option<(char, usize)> {
    let trimmed = line.trim_start();
    let mark = trimmed.chars().next().filter(|c| matches!(c, '`' | '~'));
    let length = mark.map_or(0, |mark| trimmed.len() - trimmed.trim_start_matches(mark).len());
    match (open, mark) {
        (None, Some(mark)) if length >= 3 && !trimmed[length..].contains(mark) => Some((mark, length)),
        (Some((mark, opened)), Some(found))
            if mark == found && length >= opened && trimmed[length..].trim().is_empty() =>
        {
            None
        }
        (open, _) => open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &[(&str, u64, &str)], empty: &[&str]) {
        let Sections { sections, empty: found } = split(text);
        let sections: Vec<(String, u64, &str)> = sections
            .iter()
            .map(|section| (section.headings.join(" > "), section.line, section.text.as_str()))
            .collect();
        let expect: Vec<(String, u64, &str)> =
            expect.iter().map(|(headings, line, text)| ((*headings).to_owned(), *line, *text)).collect();
        assert_eq!(sections, expect);
        assert_eq!(found.iter().map(|(_, heading)| heading.as_str()).collect::<Vec<_>>(), empty);
    }

    #[test]
    fn each_heading_with_text_is_a_section() {
        check(
            "a\n\n# B\n\nb\n## C\nc\n# D\nd\n",
            &[("", 1, "a"), ("B", 3, "# B\nb"), ("B > C", 6, "## C\nc"), ("D", 8, "# D\nd")],
            &[],
        );
        check("## Closed ##\nx", &[("Closed", 1, "## Closed ##\nx")], &[]);
    }

    #[test]
    fn heading_without_text_stands_before_its_first_subsection() {
        check("# A\n## B\n### C\nc\n## D\nd", &[("A > B > C", 1, "# A\n## B\n### C\nc"), ("A > D", 5, "## D\nd")], &[]);
        check("## A\n## B\nb\n# C\n", &[("B", 2, "## B\nb")], &["## A", "# C"]);
    }

    #[test]
    fn code_and_hashtags_are_no_headings() {
        check("```sh\n# a\n```\n#tag\n    # indented", &[("", 1, "```sh\n# a\n```\n#tag\n    # indented")], &[]);
        check("~~~~\n```\n# a\n~~~\n~~~~\n# B\nb", &[("", 1, "~~~~\n```\n# a\n~~~\n~~~~"), ("B", 6, "# B\nb")], &[]);
        check("`` ` ``\n# B\nb", &[("", 1, "`` ` ``"), ("B", 2, "# B\nb")], &[]);
    }
}
