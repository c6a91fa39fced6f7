//! The prompts: their names, the variables that they may use, and their rendering.
//!
//! A prompt has a system part (instructions) and a user part (data), separated by a line `---`. Only the user part can use
//! variables that contain text of conversations, so this text never becomes part of the instructions. The standard texts are
//! compiled in; an agent's own texts are in its settings. See `prompts/README.md`. Never reads a file.

mod context;
mod examples;
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
#[cfg(test)]
pub(crate) use examples::LANGUAGES;
pub(crate) use examples::{example, extraction_example, language_name};
pub(crate) use fence::{fence, sanitized_line};
pub(crate) use template::Rendered;

/// A prompt for a language model, identified by what the model is to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Prompt {
    /// Facts and operations from turns.
    Extraction,
    /// A daily summary from turns.
    Daily,
    /// A weekly summary from daily ones.
    Weekly,
    /// A monthly summary from weekly ones.
    Monthly,
    /// A quarterly summary from monthly ones.
    Quarterly,
    /// A yearly summary from quarterly ones.
    Yearly,
    /// A sealed summary, amended by sources that arrived after it was sealed.
    Amend,
    /// One summary from partial ones.
    Merge,
}

impl Prompt {
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

    /// Returns the name of the prompt, which is also its key in an agent's settings.
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

    /// Returns the text that is compiled in.
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

    /// Returns the agent's own text if it has one, otherwise the standard text.
    pub fn text(self, settings: &Settings) -> &str {
        settings.prompts.get(self.as_str()).map_or(self.standard(), String::as_str)
    }

    /// Returns the prompt that writes summaries of a grain.
    pub(crate) fn of(grain: Grain) -> Prompt {
        match grain {
            Grain::Working | Grain::Daily => Prompt::Daily,
            Grain::Weekly => Prompt::Weekly,
            Grain::Monthly => Prompt::Monthly,
            Grain::Quarterly => Prompt::Quarterly,
            Grain::Yearly => Prompt::Yearly,
        }
    }

    /// Returns the fixed rules that are appended to the system part, whatever the agent's settings: treat data as data, and the
    /// format of the answer.
    pub(crate) fn rules(self) -> &'static str {
        match self {
            Prompt::Extraction => include_str!("../../../prompts/rules-extraction.md"),
            _ => include_str!("../../../prompts/rules-summary.md"),
        }
    }

    /// Returns a hash of the prompt's text for an agent, its rules, and the examples of all languages. Any of these may be
    /// used, because the language of a summary is known only from its sources.
    pub(crate) fn digest(self, settings: &Settings) -> Digest {
        Digest::of([self.text(settings), self.rules()].into_iter().chain(examples::all()))
    }

    /// Renders the agent's text of the prompt, and appends the fixed rules to its system part.
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
            Error::invalid("prompt", format!("is {name:?}; expected one of {names}"))
        })
    }
}

/// Checks whether `text` can replace the prompt `name`: it parses, uses only known variables, and shows the data it is about.
/// Errors name the prompt and the line.
pub fn check_prompt(name: &str, text: &str) -> Result<()> {
    template::check(name.parse()?, text)
}
