//! The prompts: what each is called, what it may name, and how it is rendered.
//!
//! A prompt has a system part (instructions) and a user part (data), with a line `---` between. Only the user part sees
//! variables that hold words of conversations, so they cannot get among the instructions. The texts that come with Annals
//! are compiled in; an agent's own stand in its settings. See `prompts/README.md`. Never reads a file.

mod context;
mod fence;
mod grammar;
mod template;
#[cfg(test)]
mod tests;

use std::str::FromStr;

use annals_core::{Digest, Error, Grain, Result, Settings};

pub(crate) use context::{
    AmendData, Context, ExtractionData, ExtractionFrame, MergeData, SummaryData, SummaryFrame, sample,
};
pub(crate) use fence::{fence, tame};
pub(crate) use template::Rendered;

/// What a model can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Prompt {
    /// Facts and operations from turns.
    Extraction,
    /// A day from its turns.
    Daily,
    /// A week from its days.
    Weekly,
    /// A month from its weeks.
    Monthly,
    /// A quarter from its months.
    Quarterly,
    /// A year from its quarters.
    Yearly,
    /// A sealed summary and what came late.
    Amend,
    /// One summary from partial ones.
    Merge,
}

impl Prompt {
    /// All of them.
    pub const ALL: [Prompt; 8] = [
        Prompt::Extraction,
        Prompt::Daily,
        Prompt::Weekly,
        Prompt::Monthly,
        Prompt::Quarterly,
        Prompt::Yearly,
        Prompt::Amend,
        Prompt::Merge,
    ];

    /// The name under which an agent's settings replace it.
    pub fn as_str(self) -> &'static str {
        match self {
            Prompt::Extraction => "extraction",
            Prompt::Daily => "daily",
            Prompt::Weekly => "weekly",
            Prompt::Monthly => "monthly",
            Prompt::Quarterly => "quarterly",
            Prompt::Yearly => "yearly",
            Prompt::Amend => "amend",
            Prompt::Merge => "merge",
        }
    }

    /// The text that comes with Annals.
    pub fn standard(self) -> &'static str {
        match self {
            Prompt::Extraction => include_str!("../../../prompts/extraction.md"),
            Prompt::Daily => include_str!("../../../prompts/daily.md"),
            Prompt::Weekly => include_str!("../../../prompts/weekly.md"),
            Prompt::Monthly => include_str!("../../../prompts/monthly.md"),
            Prompt::Quarterly => include_str!("../../../prompts/quarterly.md"),
            Prompt::Yearly => include_str!("../../../prompts/yearly.md"),
            Prompt::Amend => include_str!("../../../prompts/amend.md"),
            Prompt::Merge => include_str!("../../../prompts/merge.md"),
        }
    }

    /// The text in force for an agent.
    pub fn text(self, settings: &Settings) -> &str {
        settings.prompts.get(self.as_str()).map_or(self.standard(), String::as_str)
    }

    /// The prompt that writes summaries of a grain.
    pub(crate) fn of(grain: Grain) -> Prompt {
        match grain {
            Grain::Working | Grain::Daily => Prompt::Daily,
            Grain::Weekly => Prompt::Weekly,
            Grain::Monthly => Prompt::Monthly,
            Grain::Quarterly => Prompt::Quarterly,
            Grain::Yearly => Prompt::Yearly,
        }
    }

    /// What is added to every system part of its kind, whatever the agent has set: that data is data, and the answer's form.
    pub(crate) fn rules(self) -> &'static str {
        match self {
            Prompt::Extraction => include_str!("../../../prompts/rules-extraction.md"),
            _ => include_str!("../../../prompts/rules-summary.md"),
        }
    }

    /// Hash of all that is fixed in the prompt for an agent.
    pub(crate) fn digest(self, settings: &Settings) -> Digest {
        Digest::of([self.text(settings), self.rules()])
    }

    /// The prompt in force for an agent, filled in.
    pub(crate) fn render(self, settings: &Settings, context: &Context) -> Result<Rendered> {
        let Rendered { system, user } = template::render(self, self.text(settings), context)?;
        Ok(Rendered { system: format!("{system}\n\n{}", self.rules().trim()), user })
    }
}

impl FromStr for Prompt {
    type Err = Error;

    fn from_str(name: &str) -> Result<Prompt> {
        Prompt::ALL.into_iter().find(|prompt| prompt.as_str() == name).ok_or_else(|| {
            let names = Prompt::ALL.map(Prompt::as_str).join(", ");
            Error::invalid("prompt", format!("is {name:?}; it is one of {names}"))
        })
    }
}

/// Whether `text` can stand for the prompt `name`: it parses, names only what there is, and uses the text it is about. The
/// error names the prompt and the line.
pub fn check_prompt(name: &str, text: &str) -> Result<()> {
    template::check(name.parse()?, text)
}
