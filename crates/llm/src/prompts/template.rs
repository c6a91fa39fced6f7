//! Renders the text of a prompt to two messages, with minijinja and strict variables.
//!
//! Users who may set a prompt are not trusted with the machine: a template may only show variables and branch on them
//! (`grammar`). Loops, assignments and operators would let a short text compute forever or exhaust memory. Fuel and a limit on
//! the output guard in addition.

use std::io;

use minijinja::{AutoEscape, Environment, Template, UndefinedBehavior, Value};
use serde::Serialize;

use annals_core::{Error, Fault, Result};

use super::{Context, Prompt, grammar, sample};

/// Maximum bytes of one rendered part: more than the window of any model.
const MAX_PART_BYTES: usize = 16 << 20;
/// Maximum instructions of minijinja's virtual machine. A template of the allowed form needs a few for each mark.
const FUEL: u64 = 100_000;

/// The two messages of a rendered prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rendered {
    /// The system message: instructions.
    pub(crate) system: String,
    /// The user message: data.
    pub(crate) user: String,
}

/// Renders the prompt. Errors name the prompt and line, never a value.
pub(super) fn render(prompt: Prompt, text: &str, context: &Context) -> Result<Rendered> {
    let (system, user) = parts(prompt, text)?;
    let (frame, all) = values(context);
    Ok(Rendered { system: system.render(prompt, frame)?, user: user.render(prompt, all)? })
}

/// Checks whether a text can replace the prompt: it parses, names only known variables, has instructions, and shows the
/// sources.
pub(super) fn check(prompt: Prompt, text: &str) -> Result<()> {
    let (system, user) = parts(prompt, text)?;
    let (frame, all) = values(&sample(prompt));
    system.check_names(prompt, &frame)?;
    user.check_names(prompt, &all)?;
    let system = system.render(prompt, frame)?;
    let rendered = user.render(prompt, all.clone())?;
    if system.is_empty() {
        return Err(Error::Invalid(fault(prompt, "has no instructions above the line ---", 1)));
    }
    for name in ["sources", "base"] {
        let block = all.get_attr(name).ok().and_then(|value| value.as_str().map(str::to_owned));
        if block.is_some_and(|block| !rendered.contains(&block)) {
            let reason = format!("does not show the variable {name} in its second part");
            // With a `---` at the very end there is no line below it.
            let line = user.line.min(text.lines().count());
            return Err(Error::Invalid(fault(prompt, reason, line)));
        }
    }
    Ok(())
}

/// The system part or the user part of a prompt.
struct Part<'a> {
    text: &'a str,
    /// The line of the prompt on which the part begins, counted from 1.
    line: usize,
}

/// Returns the parts above and below the first line `---`.
fn parts(prompt: Prompt, text: &str) -> Result<(Part<'_>, Part<'_>)> {
    let mut begin = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if line.trim_end() == "---" {
            let user = Part { text: &text[begin + line.len()..], line: index + 2 };
            return Ok((Part { text: &text[..begin], line: 1 }, user));
        }
        begin += line.len();
    }
    Err(Error::Invalid(fault(prompt, "has no line --- between instructions and data", text.lines().count().max(1))))
}

impl Part<'_> {
    fn render(&self, prompt: Prompt, context: Value) -> Result<String> {
        let environment = environment();
        let template = self.template(prompt, &environment)?;
        let mut rendered = Bounded(Vec::new());
        // The detail of an error can quote a value, and values contain text of conversations.
        let written = template.render_captured_to(context, &mut rendered);
        written.map_err(|error| self.invalid(prompt, &error, error.kind().to_string()))?;
        Ok(String::from_utf8_lossy(&rendered.0).trim().to_owned())
    }

    /// Reports unknown names, also in branches that the sample does not reach.
    fn check_names(&self, prompt: Prompt, context: &Value) -> Result<()> {
        let environment = environment();
        let template = self.template(prompt, &environment)?;
        let mut unknown: Vec<String> = template.undeclared_variables(false).into_iter().collect();
        unknown.retain(|name| {
            context.get_attr(name).is_ok_and(|value| value.is_undefined()) && !is_builtin(&environment, name)
        });
        unknown.sort();
        let Some(name) = unknown.first() else { return Ok(()) };
        let line = self.text.lines().position(|line| line.contains(name.as_str())).unwrap_or(0);
        let reason = format!("names {name}, which this part of it does not know");
        Err(Error::Invalid(fault(prompt, reason, self.line + line)))
    }

    fn template<'a>(&'a self, prompt: Prompt, environment: &'a Environment<'a>) -> Result<Template<'a, 'a>> {
        grammar::check(self.text)
            .map_err(|(line, reason)| Error::Invalid(fault(prompt, reason, self.line + line - 1)))?;
        environment.template_from_str(self.text).map_err(|error| {
            let detail = error.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
            let reason = format!("{}{detail}", error.kind());
            self.invalid(prompt, &error, reason)
        })
    }

    fn invalid(&self, prompt: Prompt, error: &minijinja::Error, reason: String) -> Error {
        let line = self.line + error.line().unwrap_or(1).saturating_sub(1);
        Error::Invalid(fault(prompt, format!("cannot be filled in: {reason}"), line))
    }
}

/// Writer that fails beyond [`MAX_PART_BYTES`] bytes.
struct Bounded(Vec<u8>);

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_PART_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_fuel(Some(FUEL));
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment
}

fn is_builtin(environment: &Environment<'_>, name: &str) -> bool {
    environment.globals().any(|(global, _)| global == name)
}

/// Returns the variables for the system part and for the user part.
fn values(context: &Context) -> (Value, Value) {
    match context {
        Context::Summary(frame, data) => both(frame, data),
        Context::Merge(frame, data) => both(frame, data),
        Context::Amend(frame, data) => both(frame, data),
        Context::Extraction(frame, data) => both(frame, data),
    }
}

fn both(frame: &impl Serialize, data: &impl Serialize) -> (Value, Value) {
    #[derive(Serialize)]
    struct Both<'a, F, D> {
        #[serde(flatten)]
        frame: &'a F,
        #[serde(flatten)]
        data: &'a D,
    }
    (Value::from_serialize(frame), Value::from_serialize(&Both { frame, data }))
}

fn fault(prompt: Prompt, reason: impl Into<String>, line: usize) -> Fault {
    Fault::new(format!("prompt {}", prompt.as_str()), reason).at_line(line)
}
