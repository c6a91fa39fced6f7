//! Splits a document into passages that each fit the embedder's window: at each heading; within a section, between paragraphs
//! if possible, otherwise between sentences. Paragraphs of a section that fit together share a passage.

use std::ops::Range;

use annals_core::ports::{Document, Passage, is_heading};

use crate::Writer;

/// Maximum number of parts of a document that are split one by one. If there are more, the whole text is split as one.
const MAX_PARTS: usize = 64;

impl Writer {
    /// Returns the passages of a document. The selected values of a JSON document do not share passages, so that each is found
    /// as if it were alone, unless there are more than `MAX_PARTS`.
    pub fn passages_of(&self, document: &Document) -> Vec<Passage> {
        let parts = document.searched_parts();
        if parts.len() > MAX_PARTS {
            return self.passages(&document.searched_text());
        }
        let (mut found, mut start) = (Vec::new(), 0_u32);
        for part in parts {
            let passages = self.passages(&part).into_iter();
            found.extend(passages.map(|one| Passage { start: start + one.start, end: start + one.end }));
            // A line break joins the parts.
            start += u32::try_from(part.chars().count()).unwrap_or(u32::MAX) + 1;
        }
        found
    }

    /// Returns the passages of a text in order. Blank text has none.
    pub fn passages(&self, text: &str) -> Vec<Passage> {
        let mut found: Vec<Range<usize>> = Vec::new();
        let mut open: Option<Block> = None;
        for block in blocks(text) {
            if let Some(before) = &mut open {
                let joined = before.range.start..block.range.end;
                // A heading begins a passage, but one without text below it goes with the next.
                if (!block.is_heading || before.is_heading) && self.fits(&text[joined.clone()]) {
                    *before = Block { range: joined, is_heading: before.is_heading && block.is_heading };
                    continue;
                }
                self.close(text, before.range.clone(), &mut found);
            }
            open = Some(block);
        }
        if let Some(last) = open {
            self.close(text, last.range, &mut found);
        }
        in_characters(text, &found)
    }

    fn fits(&self, text: &str) -> bool {
        self.embedders.configured().split(text).len() == 1
    }

    /// Adds a range, cut by the embedder at sentences if it is too long.
    fn close(&self, text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
        let parts = self.embedders.configured().split(&text[range.clone()]).into_iter();
        let parts = parts.map(|part| range.start + part.start..range.start + part.end);
        found.extend(parts.filter(|part| !text[part.clone()].trim().is_empty()));
    }
}

/// A paragraph or a heading, without the blank lines before it.
struct Block {
    range: Range<usize>,
    is_heading: bool,
}

fn blocks(text: &str) -> Vec<Block> {
    let (mut blocks, mut start): (Vec<Block>, usize) = (Vec::new(), 0);
    let mut goes_on = false;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let is_heading = is_heading(line.trim_end());
        if line.trim().is_empty() {
            goes_on = false;
        } else if let Some(last) = blocks.last_mut().filter(|_| goes_on && !is_heading) {
            last.range.end = end;
        } else {
            blocks.push(Block { range: start..end, is_heading });
            goes_on = !is_heading;
        }
        start = end;
    }
    blocks
}

/// Converts ranges of bytes, in order, to ranges of characters.
fn in_characters(text: &str, ranges: &[Range<usize>]) -> Vec<Passage> {
    let (mut byte, mut character) = (0, 0_u32);
    let mut to = |byte_index: usize| {
        let between = text[byte..byte_index].chars().count();
        (byte, character) = (byte_index, character.saturating_add(u32::try_from(between).unwrap_or(u32::MAX)));
        character
    };
    ranges.iter().map(|range| Passage { start: to(range.start), end: to(range.end) }).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use annals_testkit::{MemoryCatalog, MemoryStrata, WordEmbedder, one_embedder};

    use super::*;

    fn writer() -> Writer {
        Writer::new(Arc::new(MemoryCatalog::new()), Arc::new(MemoryStrata::new()), one_embedder(WordEmbedder::new()))
    }

    /// Returns the texts of the passages, trimmed.
    fn parts(text: &str) -> Vec<String> {
        let characters: Vec<char> = text.chars().collect();
        let part =
            |passage: &Passage| characters[passage.start as usize..passage.end as usize].iter().collect::<String>();
        writer().passages(text).iter().map(|passage| part(passage).trim().to_owned()).collect()
    }

    #[test]
    fn short_text_is_one_passage_and_blank_text_none() {
        assert_eq!(parts("tea\n\nand càke"), ["tea\n\nand càke"]);
        assert_eq!(parts(" \n\n "), Vec::<String>::new());
        assert_eq!(parts(""), Vec::<String>::new());
    }

    #[test]
    fn heading_begins_a_passage() {
        let found = parts("# Trip\n\n## Food\nBread.\n\nCheese.\n\n## Drink\n\nTea.\n# End");
        assert_eq!(found, ["# Trip\n\n## Food\nBread.\n\nCheese.", "## Drink\n\nTea.", "# End"]);
    }

    #[test]
    fn long_text_is_cut_between_paragraphs_else_between_sentences() {
        let (paragraph, sentence) = ("wörd ".repeat(25).trim().to_owned(), format!("{}.", "word ".repeat(20).trim()));
        assert_eq!(parts(&format!("{paragraph}\n\n{paragraph}")), [paragraph.as_str(), paragraph.as_str()]);
        let long = format!("{sentence} {sentence} {sentence}");
        let found = parts(&long);
        assert!(found.len() > 1 && found.iter().all(|part| part.ends_with("word.")), "{found:?}");
    }

    #[test]
    fn passages_cover_every_word_of_a_text() {
        let text = (0..500).map(|n| format!("w{n}{}", if n % 7 == 0 { ".\n\n" } else { " " })).collect::<String>();
        let found = parts(&text).join(" ");
        assert_eq!(found.split_whitespace().collect::<Vec<_>>(), text.split_whitespace().collect::<Vec<_>>());
    }
}
