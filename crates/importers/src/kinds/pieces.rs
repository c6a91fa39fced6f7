//! The parts of one message: its text, the thinking of the model, and calls and results of tools. The latter two are imported
//! on request.

use annals_core::{Message, Result, Role};

use crate::item::Location;
use crate::output::Output;
use crate::skipped::Skip;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pieces {
    /// The texts that were said, in order.
    pub text: Vec<String>,
    /// The thinking of the model.
    pub thinking: Vec<String>,
    /// Calls and results of tools.
    pub tools: Vec<String>,
}

impl Pieces {
    /// Passes the parts on as messages: thinking as `ID:thinking`, the text as `ID`, tools as `ID:tool`, `ID:tool2` … Counts
    /// thinking and tools as skipped unless the options ask for them. `message` has everything but the content.
    pub fn send(self, message: &Message, location: &Location, output: &mut Output<'_>) -> Result<()> {
        let id = message.client_id.as_deref().unwrap_or_default();
        let has_others = !(self.thinking.is_empty() && self.tools.is_empty());
        if !self.thinking.is_empty() {
            if output.options().thinking {
                let content = join(&self.thinking);
                let id = Some(format!("{id}:thinking"));
                output.message(
                    Message { client_id: id, role: Role::Assistant, name: None, content, ..message.clone() },
                    location,
                )?;
            } else {
                output.skip(Skip::option("thinking (--thinking)", location));
            }
        }
        // A message that has only thinking or tools is not counted as an empty message.
        if !self.text.is_empty() || !has_others {
            output.message(Message { content: join(&self.text), ..message.clone() }, location)?;
        }
        for (content, number) in self.tools.into_iter().zip(1..) {
            if !output.options().tools {
                output.skip(Skip::option("call or result of a tool (--tools)", location));
                continue;
            }
            let id = Some(if number == 1 { format!("{id}:tool") } else { format!("{id}:tool{number}") });
            output.message(
                Message { client_id: id, role: Role::Tool, name: None, content, ..message.clone() },
                location,
            )?;
        }
        Ok(())
    }
}

fn join(texts: &[String]) -> String {
    let filled: Vec<&str> = texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty()).collect();
    filled.join("\n\n")
}
