//! Extracts facts from turns: one request for as many turns as fit, and filtering of its answer.

mod elements;

use annals_core::ports::ExtractionTask;
use annals_core::{Error, Extracted, Purpose, Result, Timestamp, Zones};
use serde_json::Value;

use super::ask::{Job, Paid};
use super::background::{since, up_to};
use super::channel::{MARGIN, MIN_ROOM};
use super::form::Form;
use super::lines::{self, Line};
use super::subject::MIN_WINDOW_FOR_EXAMPLE;
use super::{Endpoint, answer, tokens};
use crate::extractive::Language;
use crate::prompts::{
    Context, ExtractionData, ExtractionFrame, Prompt, Rendered, extraction_example, fence, language_name,
    sanitized_line,
};

use elements::Keep;

/// Maximum facts, and maximum operations, from one turn. The prompt names these numbers, and further elements are rejected.
pub(super) const MAX_PER_TURN: usize = 8;

/// The background of a request (known facts, predicates, names, preceding turns) gets one token for every four of the turns.
const SHARE_OF_BACKGROUND: u64 = 4;

/// Maximum number of preceding lines shown with each part of the turns.
const CONTEXT: usize = 4;

/// Returns the statements and fact operations that the extraction model finds in the turns. Returns nothing for requests that
/// are only counted.
pub(super) async fn read(endpoint: &Endpoint, task: ExtractionTask<'_>) -> Result<Extracted> {
    let Some(last) = task.turns.last() else { return Ok(Extracted::default()) };
    let zones = task.settings.zones()?;
    let way = endpoint.way_of_extraction();
    let job = Job {
        agent: task.agent,
        settings: task.settings,
        purpose: Purpose::Extraction,
        read_seq: task.turns.iter().map(|turn| turn.seq).max().unwrap_or_default(),
        period: None,
        about: last.at(),
        now: task.now,
        way: &way,
        access_key: task.access_key,
    };
    let all = lines::of_turns(task.turns, &zones, true)?;
    let mut context = lines::of_turns(task.context, &zones, true)?;
    let window = endpoint.channel(Purpose::Extraction)?.sizes().await.window;
    let prompts = ExtractionPrompts::new(&task, zones.clone(), window);
    let mut keep = Keep::new(&task, &zones, prompts.language);
    let reader = Reader { endpoint, prompts, job };
    for part in lines::split(all, reader.room().await?) {
        reader.read_part(&part, &context, &mut keep).await?;
        context.extend(part);
    }
    Ok(keep.found)
}

struct Reader<'a> {
    endpoint: &'a Endpoint,
    prompts: ExtractionPrompts<'a>,
    job: Job<'a>,
}

/// Renders the requests for the facts in the turns of a task.
pub(super) struct ExtractionPrompts<'a> {
    task: &'a ExtractionTask<'a>,
    zones: Zones,
    about: Timestamp,
    language: Language,
    /// Whether the window has room for an example.
    has_example: bool,
}

impl Reader<'_> {
    async fn read_part(&self, part: &[Line], context: &[Line], keep: &mut Keep<'_>) -> Result<()> {
        let background = self.prompts.background(context, self.room().await? / SHARE_OF_BACKGROUND);
        let rendered = self.prompts.render(part, background)?;
        match self.endpoint.ask(&self.job, Form::Extraction, rendered, &lists).await {
            Ok(Paid { value, .. }) => {
                keep.answer(&value, part, &context[context.len().saturating_sub(CONTEXT)..]);
                Ok(())
            }
            Err(Error::InBatch) if self.job.way.is_counting() => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Returns the tokens available for the turns of one request, without its background. Fails if they are fewer than
    /// [`MIN_ROOM`].
    async fn room(&self) -> Result<u64> {
        let channel = self.endpoint.channel(self.job.purpose)?;
        let nothing = self.prompts.background(&[], 0);
        let Rendered { system, user } = self.prompts.render(&[], nothing)?;
        let fixed = tokens::of_messages([system.as_str(), user.as_str()]) + MARGIN;
        let most = channel.most_room(fixed).await;
        let share = |room: u64| room * SHARE_OF_BACKGROUND / (SHARE_OF_BACKGROUND + 1);
        if share(most) < MIN_ROOM {
            let problem = format!(
                "prompt and answer leave no room for messages in a context window of {} tokens",
                channel.sizes().await.window
            );
            return Err(Error::model("extracting facts", problem));
        }
        // Before the first request, the speed of the server is not known. Most requests come after it, so they are counted in
        // full size.
        let room = if self.job.way.is_counting() { most } else { channel.fitting_room(fixed, most, None) };
        Ok(share(room))
    }
}

impl<'a> ExtractionPrompts<'a> {
    /// Returns the prompts for a task and a model with this context window.
    fn new(task: &'a ExtractionTask<'a>, zones: Zones, window: u64) -> ExtractionPrompts<'a> {
        let about = task.turns.last().map_or(task.now, annals_core::Memory::at);
        let language = Language::of_texts(task.turns.iter().map(|turn| turn.text.as_str()));
        ExtractionPrompts { task, zones, about, language, has_example: window >= MIN_WINDOW_FOR_EXAMPLE }
    }

    /// Returns a single request for all turns of the task. Its background has at most `room` tokens.
    pub(super) fn whole(task: &'a ExtractionTask<'a>, room: u64) -> Result<Rendered> {
        let zones = task.settings.zones()?;
        let all = lines::of_turns(task.turns, &zones, true)?;
        let context = lines::of_turns(task.context, &zones, true)?;
        let prompts = ExtractionPrompts::new(task, zones, MIN_WINDOW_FOR_EXAMPLE);
        prompts.render(&all, prompts.background(&context, room))
    }

    fn render(&self, part: &[Line], background: ExtractionData) -> Result<Rendered> {
        let today = part.last().map_or(self.zones.day_of(self.about), |line| line.days.1);
        let frame = ExtractionFrame {
            today: today.to_string(),
            weekday: today.strftime("%A").to_string(),
            zone: self.zones.name_at(self.about).to_owned(),
            facts: MAX_PER_TURN,
            operations: MAX_PER_TURN,
            language: language_name(self.language),
            example: if self.has_example { extraction_example(self.language) } else { "" },
        };
        let data = ExtractionData { sources: fence("sources", &lines::numbered(part, 1)), ..background };
        Prompt::Extraction.render(self.task.settings, &Context::Extraction(frame, data))
    }

    /// Returns the background for the turns, each kind up to its share of `room`. If not all of a kind fits, the last of the
    /// preceding lines, and the first facts, names and predicates are kept.
    fn background(&self, context: &[Line], room: u64) -> ExtractionData {
        let mut names: Vec<String> = self
            .task
            .turns
            .iter()
            .chain(self.task.context)
            .filter(|turn| turn.speaker().is_some())
            .map(lines::speaker)
            .collect();
        names.sort();
        names.dedup();
        let before: Vec<String> =
            context.iter().rev().take(CONTEXT).map(|line| format!("{}{}", line.head, line.text)).collect();
        let mut before = up_to(room / 3, before);
        before.reverse();
        let known = up_to(room / 3, self.task.known.iter().map(|fact| since(fact, &self.zones)).collect());
        let predicates =
            up_to(room / 6, self.task.predicates.iter().map(|predicate| sanitized_line(predicate)).collect());
        ExtractionData {
            speakers: block("speakers", &up_to(room / 6, names).join(", ")),
            known: block("known", &known.join("\n")),
            predicates: block("predicates", &predicates.join(", ")),
            context: block("context", &before.join("\n")),
            sources: String::new(),
        }
    }
}

/// Returns facts and operations of an answer; a missing list is empty. Fails if it has neither list, or if it has elements but
/// none is usable.
fn lists(found: &Value) -> std::result::Result<[Vec<Value>; 2], String> {
    let (facts, operations) = (answer::list(found, "facts"), answer::list(found, "operations"));
    if facts.is_none() && operations.is_none() {
        return Err("it has neither a list `facts` nor a list `operations`".into());
    }
    let both = [facts, operations].map(|list| list.cloned().unwrap_or_default());
    let has_none = both.iter().all(Vec::is_empty);
    let has_usable = both.iter().flatten().any(|element| {
        answer::text(element, "text").is_some()
            || (answer::text(element, "subject").is_some() && answer::text(element, "predicate").is_some())
    });
    if has_none || has_usable {
        Ok(both)
    } else {
        Err("none of its elements has the fields that were described".into())
    }
}

fn block(name: &str, body: &str) -> String {
    if body.is_empty() { String::new() } else { fence(name, body) }
}
