//! Reads outlines of Logseq: each bullet without indent becomes a message, with the bullets below it.

use annals_core::Result;

use crate::kinds::notes::clock;
use crate::kinds::notes::daily::Daily;
use crate::kinds::texts::MadeIds;
use crate::output::Output;
use crate::skipped::Skip;

/// A bullet without indent, with the bullets below it.
struct Block {
    line: u64,
    /// The value of the bullet's property `id`.
    id: Option<String>,
    lines: Vec<String>,
}

/// Passes on the blocks of a journal. The id of a message is the block's property `id`, or made of the block's first line. So
/// further bullets may be added below that line, but a changed first line is a new message.
pub fn write(daily: &Daily<'_>, output: &mut Output<'_>) -> Result<()> {
    let mut ids = MadeIds::default();
    let blocks = blocks(daily.body);
    if blocks.is_empty() {
        output.skip(Skip::no_message("empty note", daily.location));
        return Ok(());
    }
    daily.begin(output)?;
    for block in blocks {
        let location = daily.location.at_line(daily.lines_above + block.line);
        let text = block.lines.join("\n").trim().to_owned();
        if text.is_empty() {
            output.skip(Skip::no_message("empty block", &location));
            continue;
        }
        if is_computed(&text) {
            output.skip(Skip::no_message("query or embedded block", &location));
            continue;
        }
        let first = text.lines().next().unwrap_or_default();
        let clock = clock::leading(first.trim_start_matches(['*', '_', ' '])).map(|(clock, _)| clock);
        let id = block.id.unwrap_or_else(|| ids.next(&[first]));
        daily.message(id, text, daily.time(clock.as_ref(), output), &location, output)?;
    }
    Ok(())
}

/// Returns whether Logseq displays something else instead of the block's text: the result of a query, or another block.
fn is_computed(text: &str) -> bool {
    let is_macro = ["{{query", "{{embed", "{{renderer"].iter().any(|begin| text.starts_with(begin));
    is_macro && text.ends_with("}}") && !text.contains('\n')
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let content = line.strip_prefix('-').filter(|rest| rest.is_empty() || rest.starts_with(' '));
        match (content, blocks.last_mut()) {
            (Some(content), _) => blocks.push(Block { line: number, id: None, lines: vec![content.trim().to_owned()] }),
            (None, None) => blocks.push(Block { line: number, id: None, lines: vec![line.to_owned()] }),
            (None, Some(block)) => block.add(line),
        }
    }
    blocks
}

impl Block {
    fn add(&mut self, line: &str) {
        let own = line.strip_prefix('\t').or(line.strip_prefix("  ")).unwrap_or(line);
        let property = own.trim().split_once(":: ").or(own.trim().split_once("::"));
        match property.map(|(key, value)| (key, value.trim())) {
            // An indented `id` belongs to a block below.
            Some(("id", value)) if !own.starts_with([' ', '\t']) => {
                self.id = Some(value.to_owned()).filter(|id| !id.is_empty());
            }
            Some(("id" | "collapsed" | "logseq.order-list-type", _)) => {}
            _ => self.lines.push(own.trim_end().to_owned()),
        }
    }
}
