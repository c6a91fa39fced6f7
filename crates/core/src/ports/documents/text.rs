//! The text of a document that is searched, and the text of each passage. Exports contain ranges of this text, so changing
//! how it is computed makes them invalid.

mod values;

use std::borrow::Cow;
use std::ops::Range;

use super::{Content, Document, Passage};
use crate::ports::DocumentKey;
use crate::{Agent, Body, Fault, Grain, Interval, Memory, MemoryId, Timestamp};

/// Maximum number of characters of a title, and of a heading, in a passage.
const MAX_TITLE_LENGTH: usize = 80;
/// Maximum ratio of the length of all passages together, plus their number, to the length of the text. Lengths are in
/// characters. A document from an archive with a higher ratio is refused.
const MAX_OVERLAP: u64 = 4;

impl Document {
    /// Returns the text that is searched: the whole content, or the values that `indexed` selects from a JSON value, one per
    /// line. Empty if `indexed` is an empty list.
    pub fn searched_text(&self) -> Cow<'_, str> {
        let mut parts = self.searched_parts();
        if parts.len() == 1 { parts.remove(0) } else { Cow::Owned(parts.join("\n")) }
    }

    /// Returns the parts of the text that is searched: each value that `indexed` selects from a JSON value, or the whole
    /// content as one part. No parts if `indexed` is an empty list.
    pub fn searched_parts(&self) -> Vec<Cow<'_, str>> {
        match (&self.content, &self.indexed) {
            (_, Some(paths)) if paths.is_empty() => Vec::new(),
            (Content::Text(text), _) => vec![Cow::Borrowed(text)],
            (Content::Json(_), None) => vec![Cow::Owned(self.full_text())],
            (Content::Json(value), Some(paths)) => values::selected(value, paths).into_iter().map(Cow::Owned).collect(),
        }
    }

    /// Returns the whole content, searched or not: the text, or each value of a JSON value with its path. Leaves out values of
    /// a JSON value that would make the result longer than 4 MiB.
    pub fn full_text(&self) -> String {
        match &self.content {
            Content::Text(text) => text.clone(),
            Content::Json(value) => values::all(value),
        }
    }

    /// Checks a document from an archive. Fails if `day` is not the period of a day, or if a passage does not lie within the
    /// searched text. Also fails if the passages overlap more than those of any embedder (`MAX_OVERLAP`), because they would
    /// then take far more space than the document.
    pub fn check(&self) -> Result<(), Fault> {
        if self.day.grain() != Grain::Daily {
            return Err(Fault::new("day", format!("{} is not a day", self.day)));
        }
        let length = self.searched_text().chars().count() as u64;
        let lengths = self.passages.iter().map(|passage| u64::from(passage.end.saturating_sub(passage.start)));
        let total = lengths.fold(self.passages.len() as u64, u64::saturating_add);
        let is_within = |passage: &Passage| passage.start <= passage.end && u64::from(passage.end) <= length;
        if self.passages.iter().all(is_within) && total <= MAX_OVERLAP * length.max(1) {
            return Ok(());
        }
        Err(Fault::new("passages", "do not fit the text of the document"))
    }

    /// Returns the texts of its passages. Each begins with a line that has the title of the document and the heading above the
    /// passage, if there are any. Selected values of a JSON value get no title, because only these values are searched.
    pub fn passage_texts(&self) -> Vec<String> {
        let (title, text) = (self.title(), self.searched_text());
        let (places, headings) = (Places::of(&text, &self.passages), headings(&text));
        let range =
            |passage: &Passage| places.byte(passage.start)..places.byte(passage.end).max(places.byte(passage.start));
        self.passages.iter().map(|passage| titled(&title, &text, &headings, range(passage))).collect()
    }

    /// Returns the passages of the document as memories, in order. Their `seq` is 0; the caller assigns a number to each.
    pub fn memories(&self, agent: &Agent) -> Vec<Memory> {
        let texts = self.passage_texts().into_iter();
        let texts = (0_u32..).zip(texts).zip(&self.passages);
        texts.map(|((ordinal, text), passage)| self.memory(agent, ordinal, *passage, text)).collect()
    }

    fn memory(&self, agent: &Agent, ordinal: u32, passage: Passage, text: String) -> Memory {
        let end = Timestamp::from_microsecond(self.updated_at.as_microsecond() + 1).unwrap_or(Timestamp::MAX);
        Memory {
            id: MemoryId::passage(agent, &self.document_key(), ordinal),
            grain: Grain::Working,
            period: self.day,
            cover: Interval { start: self.updated_at, end },
            days: self.day.cover_days(),
            text,
            pinned: false,
            seq: 0,
            body: Body::Passage { document: self.document_key(), ordinal, passage, expires_at: self.expires_at },
        }
    }

    /// Returns the key, cut to 80 characters, as the title. Returns an empty text for selected values of a JSON value, and for
    /// a key that looks generated. Such a key has only hexadecimal digits and hyphens, with at least one decimal digit.
    fn title(&self) -> String {
        if self.indexed.is_some() && matches!(self.content, Content::Json(_)) {
            return String::new();
        }
        let is_id = |c: char| c.is_ascii_hexdigit() || c == '-';
        let DocumentKey { key, .. } = self.document_key();
        let is_generated = key.chars().all(is_id) && key.chars().any(|c| c.is_ascii_digit());
        if is_generated { String::new() } else { key.chars().take(MAX_TITLE_LENGTH).collect() }
    }
}

/// Returns whether a line is a heading of Markdown that begins with one to six `#` and a space. Underlined headings do not
/// count.
pub fn is_heading(line: &str) -> bool {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    (1..=6).contains(&level) && line[level..].starts_with(' ')
}

fn titled(title: &str, text: &str, headings: &[Range<usize>], passage: Range<usize>) -> String {
    let part = text[passage.clone()].trim();
    let above = &headings[..headings.partition_point(|line| line.start < passage.start)];
    let above = above.iter().rev().map(|line| &text[line.start..line.end.min(passage.start)]);
    let heading = above
        .into_iter()
        .find(|line| is_heading(line))
        .filter(|_| !is_heading(part.lines().next().unwrap_or_default()));
    let heading: String =
        heading.unwrap_or_default().trim_start_matches('#').trim().chars().take(MAX_TITLE_LENGTH).collect();
    let head: Vec<&str> = [title, &heading].into_iter().filter(|words| !words.is_empty()).collect();
    if head.is_empty() { part.to_owned() } else { format!("{}\n{part}", head.join(": ")) }
}

/// Returns the byte ranges of the lines that are headings, without line ends.
fn headings(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        let begin = start;
        start += line.len();
        begin..begin + line.trim_end_matches(['\r', '\n']).len()
    });
    lines.filter(|line| is_heading(&text[line.clone()])).collect()
}

/// Byte offsets of the characters at which passages start or end. They are found in one pass over the text, because a text may
/// have many passages.
struct Places {
    /// The number of each of these characters and its byte offset, ascending.
    known: Vec<(u32, usize)>,
    end: usize,
}

impl Places {
    fn of(text: &str, passages: &[Passage]) -> Places {
        let mut characters: Vec<u32> = passages.iter().flat_map(|passage| [passage.start, passage.end]).collect();
        characters.sort_unstable();
        characters.dedup();
        let mut wanted = characters.into_iter().peekable();
        let all = (0_u32..).zip(text.char_indices());
        let known = all.filter_map(|(number, (byte, _))| wanted.next_if_eq(&number).map(|number| (number, byte)));
        Places { known: known.collect(), end: text.len() }
    }

    /// Returns the byte offset of a character; the length of the text if it has fewer characters.
    fn byte(&self, character: u32) -> usize {
        let found = self.known.binary_search_by_key(&character, |(number, _)| *number);
        found.map_or(self.end, |index| self.known[index].1)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::values::{MAX_PATH_LENGTH, MAX_TEXT_LENGTH};
    use super::*;

    fn document(key: &str, content: Content, indexed: Option<&[&str]>) -> Document {
        let indexed = indexed.map(|paths| paths.iter().map(|path| (*path).to_owned()).collect());
        let at = Timestamp::UNIX_EPOCH;
        Document {
            collection: "notes".into(),
            key: key.into(),
            content,
            indexed,
            created_at: at,
            updated_at: at,
            day: "1970-01-01".parse().unwrap(),
            version: 1,
            lifetime: None,
            expires_at: None,
            passages: Vec::new(),
        }
    }

    #[test]
    fn paths_select_values() {
        let value = json!({"a": {"b": "x", "n": 3}, "list": [{"t": "one"}, {"t": "two"}], "none": null});
        let check = |indexed: Option<&[&str]>, expect: &str| {
            assert_eq!(document("k", Content::Json(value.clone()), indexed).searched_text(), expect, "{indexed:?}");
        };
        check(Some(&["a.b"]), "x");
        check(Some(&["a"]), "b: x\nn: 3");
        check(Some(&["list[*].t"]), "one\ntwo");
        check(Some(&["list[0].t", "list[-1].t", "list[7].t", "none"]), "one\ntwo");
        check(Some(&[]), "");
        check(Some(&["missing"]), "");
        check(None, "a.b: x\na.n: 3\nlist.t: one\nlist.t: two");
        check(Some(&["$"]), "a.b: x\na.n: 3\nlist.t: one\nlist.t: two");
    }

    #[test]
    fn selected_values_are_parts_without_a_title() {
        let value = json!({"a": {"b": "x", "n": 3}, "list": ["one", "two", null]});
        let mut selected = document("plan.md", Content::Json(value), Some(&["a", "list[*]", "missing"]));
        assert_eq!(selected.searched_parts(), ["b: x\nn: 3", "one", "two"]);
        selected.passages = vec![Passage { start: 10, end: 13 }];
        assert_eq!(
            (selected.passage_texts(), &*selected.searched_text()),
            (vec!["one".to_owned()], "b: x\nn: 3\none\ntwo")
        );
        let everything = Document { indexed: None, passages: vec![Passage { start: 0, end: 6 }], ..selected };
        assert_eq!(
            (everything.passage_texts(), everything.searched_parts().len()),
            (vec!["plan.md\na.b: x".to_owned()], 1)
        );
    }

    #[test]
    fn passage_has_title_and_heading() {
        let text = "# Trip\nWe go to Bérn.\n\n## Food\nBread.\n\nCheese.";
        let mut document = document("plan.md", Content::Text(text.into()), None);
        let at = |words: &str| {
            let start = text[..text.find(words).unwrap()].chars().count() as u32;
            Passage { start, end: start + words.chars().count() as u32 }
        };
        document.passages =
            vec![at("# Trip\nWe go to Bérn."), at("## Food\nBread."), at("Cheese."), Passage { start: 900, end: 1000 }];
        let expect = [
            "plan.md\n# Trip\nWe go to Bérn.",
            "plan.md\n## Food\nBread.",
            "plan.md: Food\nCheese.",
            "plan.md: Food\n",
        ];
        assert_eq!(document.passage_texts(), expect);
        document.key = "0b7c2f8e-1111-4222-8333-944455556666".into();
        assert_eq!(document.passage_texts()[0], "# Trip\nWe go to Bérn.");
    }

    /// Passages and values would take minutes or gigabytes if the cost of each grew with the size of the document.
    #[test]
    fn cost_of_many_passages_and_values_is_bounded() {
        let text = "# Tea ☕\n".repeat(100_000);
        let passages = (0..100_000).map(|line| Passage { start: line * 8, end: line * 8 + 7 });
        let passages = passages.collect();
        let many = Document { passages, ..document("k", Content::Text(text), None) };
        let texts = many.passage_texts();
        assert_eq!((texts.len(), texts[99_999].as_str()), (100_000, "k\n# Tea ☕"));
        let value = json!({"n".repeat(400_000): vec![7; 200_000]});
        let long = document("k", Content::Json(value), None).full_text();
        assert!(long.len() <= MAX_TEXT_LENGTH && long.lines().count() > 10_000, "{}", long.len());
        let deep = (0..100).fold(json!("x"), |value, _| json!({"n".repeat(1000): value}));
        assert_eq!(document("k", Content::Json(deep), None).full_text().len(), MAX_PATH_LENGTH + 3);
        let again = document("k", Content::Json(json!({"t": "x".repeat(1 << 20)})), Some(&["t"; 64]));
        assert!(again.searched_text().len() <= MAX_TEXT_LENGTH);
    }

    #[test]
    fn passages_beyond_the_text_are_refused() {
        let check = |ranges: &[(u32, u32)], expect: bool| {
            let passages = ranges.iter().map(|(start, end)| Passage { start: *start, end: *end }).collect();
            let document = Document { passages, ..document("k", Content::Text("Grün tee".into()), None) };
            assert_eq!(document.check().is_ok(), expect, "{ranges:?}");
        };
        check(&[], true);
        check(&[(0, 8)], true);
        check(&[(0, 5), (3, 8)], true);
        check(&[(0, 9)], false);
        check(&[(5, 4)], false);
        check(&[(0, 8); 9], false);
        check(&[(3, 3); 40], false);
    }

    #[test]
    fn headings_are_those_of_markdown() {
        let found: Vec<bool> = ["# A", "###### A", "####### A", "#A", "A #", ""].map(is_heading).to_vec();
        assert_eq!(found, [true, true, false, false, false, false]);
    }
}
