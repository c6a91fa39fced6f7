//! Edits the content of files, and formats line numbers, sizes and listings. All functions are pure. The wording of every
//! result is that of Anthropic's SDK.

use std::collections::BTreeMap;

/// Number of characters to which line numbers are padded.
const WIDTH: usize = 6;
/// Maximum number of lines of a file that can be viewed. To view a longer file is an error.
pub(super) const MAX_LINES: usize = 999_999;
/// Size in bytes that listings show for a directory, as file systems do.
const DIRECTORY: u64 = 4096;
/// Number of levels of directories that a listing shows.
const LEVELS: usize = 2;

/// Formats lines with their numbers; the first line has the number `first`.
fn numbered<'l>(lines: impl Iterator<Item = &'l str>, first: usize) -> String {
    let numbered = lines.enumerate().map(|(index, line)| format!("{:>WIDTH$}\t{line}", index + first));
    numbered.collect::<Vec<_>>().join("\n")
}

/// Returns a content with line numbers: all lines, or those from the first to the second number of `range`. A second number of
/// -1 stands for the last line; other negative numbers count from the end, as in Python's slices.
pub(super) fn view(path: &str, content: &str, range: Option<&[i64]>) -> String {
    let lines: Vec<&str> = content.split('\n').collect();
    let (start, end) = match range {
        Some([first, last]) => {
            let start = usize::try_from(*first).unwrap_or(0).max(1) - 1;
            (start, if *last == -1 { lines.len() } else { from_end(*last, lines.len()) })
        }
        _ => (0, lines.len()),
    };
    let shown = lines.get(start..end.min(lines.len())).unwrap_or_default();
    format!("Here's the content of {path} with line numbers:\n{}", numbered(shown.iter().copied(), start + 1))
}

/// Returns the index of the end of a range. Counts a negative number from the end, as Python's slices do.
fn from_end(index: i64, length: usize) -> usize {
    match usize::try_from(index) {
        Ok(index) => index,
        Err(_) => length.saturating_sub(usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX)),
    }
}

/// Replaces the only occurrence of a text. Returns the new content and the result, or the error.
pub(super) fn str_replace(path: &str, content: &str, old: &str, new: &str) -> Result<(String, String), String> {
    let count = if old.is_empty() { content.chars().count() + 1 } else { content.matches(old).count() };
    if count == 0 {
        return Err(format!("No replacement was performed, old_str `{old}` did not appear verbatim in {path}."));
    }
    if count > 1 {
        let lines: Vec<String> = lines_with(content, old).iter().map(ToString::to_string).collect();
        let lines = lines.join(", ");
        return Err(format!(
            "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}. Please ensure it is unique"
        ));
    }
    let changed = content.replacen(old, new, 1);
    let line = content[..content.find(old).unwrap_or_default()].matches('\n').count();
    let lines: Vec<&str> = changed.split('\n').collect();
    let start = line.saturating_sub(2);
    let snippet = numbered(lines[start..lines.len().min(line + 3)].iter().copied(), start + 1);
    let result = format!(
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}"
    );
    Ok((changed, result))
}

/// Returns the line of each occurrence, overlapping ones included.
fn lines_with(content: &str, text: &str) -> Vec<usize> {
    let ends = content.char_indices().map(|(index, _)| index).chain([content.len()]);
    let (mut lines, mut line, mut last) = (Vec::new(), 1, 0);
    for index in ends.filter(|index| content[*index..].starts_with(text)) {
        line += content[last..index].matches('\n').count();
        last = index;
        lines.push(line);
    }
    lines
}

/// Inserts a text as lines after the line with this number; 0 stands for the beginning. Returns the new content, or the error
/// if there is no such line.
pub(super) fn insert(content: &str, behind: i64, text: &str) -> Result<String, String> {
    let mut lines: Vec<&str> = content.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    let index = usize::try_from(behind).ok().filter(|index| *index <= lines.len());
    let Some(index) = index else {
        let last = lines.len();
        return Err(format!("Invalid `insert_line` parameter: {behind}. It should be within the range [0, {last}]."));
    };
    lines.insert(index, text.trim_end_matches('\n'));
    let mut changed = lines.join("\n");
    if !changed.ends_with('\n') {
        changed.push('\n');
    }
    Ok(changed)
}

/// Formats a size in bytes as listings show it.
pub(super) fn size(bytes: u64) -> String {
    if bytes == 0 {
        return "0B".to_owned();
    }
    let unit = (bytes.ilog2() / 10).min(3);
    let size = bytes as f64 / (1_u64 << (10 * unit)) as f64;
    let name = ["B", "K", "M", "G"][unit as usize];
    if size.fract() == 0.0 { format!("{size:.0}{name}") } else { format!("{size:.1}{name}") }
}

/// A directory and its entries by name.
#[derive(Debug, Default)]
pub(super) struct Directory {
    entries: BTreeMap<String, Entry>,
}

#[derive(Debug)]
enum Entry {
    File(u64),
    Directory(Directory),
}

impl Directory {
    /// Adds a file of `bytes` bytes, and its parent directories.
    pub(super) fn add_file(&mut self, path: &str, bytes: u64) {
        match path.split_once('/') {
            Some((name, rest)) => self.directory(name).add_file(rest, bytes),
            None => {
                self.entries.entry(path.to_owned()).or_insert(Entry::File(bytes));
            }
        }
    }

    /// Adds a directory and its parents.
    pub(super) fn add_directory(&mut self, path: &str) {
        path.split('/').fold(self, |directory, name| directory.directory(name));
    }

    fn directory(&mut self, name: &str) -> &mut Directory {
        let entry = self.entries.entry(name.to_owned()).or_insert_with(|| Entry::Directory(Directory::default()));
        if matches!(entry, Entry::File(_)) {
            *entry = Entry::Directory(Directory::default());
        }
        let Entry::Directory(directory) = entry else { unreachable!("it was made one above") };
        directory
    }

    /// Returns the listing of this directory, which is shown under `path`.
    pub(super) fn listing(&self, path: &str) -> String {
        let head = format!("Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:");
        let mut lines = vec![head, format!("{}\t{path}", size(DIRECTORY))];
        self.list(path, 1, &mut lines);
        lines.join("\n")
    }

    fn list(&self, path: &str, level: usize, lines: &mut Vec<String>) {
        for (name, entry) in self.entries.iter().filter(|(name, _)| !name.starts_with('.')) {
            match entry {
                Entry::File(bytes) => lines.push(format!("{}\t{path}/{name}", size(*bytes))),
                Entry::Directory(directory) => {
                    lines.push(format!("{}\t{path}/{name}/", size(DIRECTORY)));
                    if level < LEVELS {
                        directory.list(&format!("{path}/{name}"), level + 1, lines);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_one_decimal_unless_they_are_whole() {
        let sizes = [0, 1, 12, 1023, 1024, 1536, 1280, 4096, 1_048_576, 1_572_864, 1 << 40].map(size);
        assert_eq!(sizes, ["0B", "1B", "12B", "1023B", "1K", "1.5K", "1.2K", "4K", "1M", "1.5M", "1024G"]);
    }

    #[test]
    fn view_range_is_a_slice_of_python() {
        let shown = |range: &[i64]| view("P", "a\nb\nc\n", Some(range)).split_once('\n').unwrap().1.replace('\t', ":");
        assert_eq!(shown(&[2, 3]), "     2:b\n     3:c");
        assert_eq!(shown(&[2, -1]), "     2:b\n     3:c\n     4:");
        assert_eq!(shown(&[0, 1]), "     1:a");
        assert_eq!(shown(&[-5, -2]), "     1:a\n     2:b");
        assert_eq!(shown(&[3, 2]), "");
        assert_eq!(shown(&[9, 12]), "");
        assert_eq!(shown(&[1]), "     1:a\n     2:b\n     3:c\n     4:");
    }

    #[test]
    fn replacement_needs_exactly_one_occurrence() {
        let (changed, result) = str_replace("P", "1\n2\n3\n4\n5\n6\n7", "4", "vier\nfour").unwrap();
        assert_eq!(changed, "1\n2\n3\nvier\nfour\n5\n6\n7");
        assert!(result.ends_with(":\n     2\t2\n     3\t3\n     4\tvier\n     5\tfour\n     6\t5"), "{result}");
        assert!(str_replace("P", "aa\naaa", "aa", "b").unwrap_err().contains("in lines: 1, 2, 2."));
        assert!(str_replace("P", "ä\n", "", "b").unwrap_err().contains("in lines: 1, 1, 2."));
        assert_eq!(str_replace("P", "", "", "b").unwrap().0, "b");
        assert!(str_replace("P", "a", "A", "b").unwrap_err().contains("did not appear verbatim in P."));
    }

    #[test]
    fn text_is_inserted_behind_a_line() {
        assert_eq!(insert("a\nb", 1, "x\ny\n\n").unwrap(), "a\nx\ny\nb\n");
        assert_eq!(insert("", 0, "x").unwrap(), "x\n");
        assert_eq!(insert("a\r\nb\r\n", 2, "c").unwrap(), "a\r\nb\r\nc\n");
        assert!(insert("a\n", 2, "x").unwrap_err().contains("range [0, 1]."));
        assert!(insert("a\n", -1, "x").unwrap_err().contains("parameter: -1."));
    }

    #[test]
    fn listing_has_two_levels_without_hidden_names() {
        let mut root = Directory::default();
        root.add_directory("a/b/c");
        root.add_file("a/b/c/deep.txt", 1);
        root.add_file("a/x.txt", 1500);
        root.add_file("a-b.txt", 0);
        root.add_file(".hidden", 1);
        root.add_file("z/.hidden/y", 1);
        let lines: Vec<String> = root.listing("/m").lines().skip(1).map(|line| line.replace('\t', " ")).collect();
        assert_eq!(lines, ["4K /m", "4K /m/a/", "4K /m/a/b/", "1.5K /m/a/x.txt", "0B /m/a-b.txt", "4K /m/z/"]);
    }
}
