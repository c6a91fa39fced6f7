//! Extracts facts from turns: one request for as many turns as fit, and filtering of its answer.

mod elements;

use annals_core::ports::ExtractionTask;
use annals_core::{Error, Extracted, Purpose, Result, Timestamp, Zones};
use serde_json::Value;

use super::ask::{Job, Paid};
use super::background::{since, up_to};
use super::batch::Way;
use super::channel::{MARGIN, MIN_ROOM};
use super::form::Form;
use super::lines::{self, Line};
use super::{Endpoint, answer, tokens};
use crate::prompts::{Context, ExtractionData, ExtractionFrame, Prompt, Rendered, fence, tame};

use elements::Keep;

/// Maximum facts, and maximum operations, from one turn.
pub(super) const MAX_PER_TURN: usize = 8;

/// Known facts, predicates, names and preceding turns together get a quarter of the room of the turns.
const SHARE_OF_BACKGROUND: u64 = 4;

/// Number of preceding lines shown with a part.
const CONTEXT: usize = 4;

/// Returns the statements and fact operations that the extraction model finds in the turns.
pub(super) async fn read(endpoint: &Endpoint, task: ExtractionTask<'_>) -> Result<Extracted> {
    let Some(last) = task.turns.last() else { return Ok(Extracted::default()) };
    let zones = task.settings.zones()?;
    let job = Job {
        agent: task.agent,
        settings: task.settings,
        purpose: Purpose::Extraction,
        read_seq: task.turns.iter().map(|turn| turn.seq).max().unwrap_or_default(),
        period: None,
        about: last.at(),
        now: task.now,
        way: &Way::Direct,
    };
    let all = lines::of_turns(task.turns, &zones, true)?;
    let mut context = lines::of_turns(task.context, &zones, true)?;
    let mut keep = Keep::new(&task, &zones);
    let prompts = ExtractionPrompts { task: &task, zones: zones.clone(), about: last.at() };
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

/// Renders the requests about the turns of a task.
pub(super) struct ExtractionPrompts<'a> {
    task: &'a ExtractionTask<'a>,
    zones: Zones,
    /// The time of the last turn.
    about: Timestamp,
}

impl Reader<'_> {
    async fn read_part(&self, part: &[Line], context: &[Line], keep: &mut Keep<'_>) -> Result<()> {
        let background = self.prompts.background(context, self.room().await? / SHARE_OF_BACKGROUND);
        let rendered = self.prompts.render(part, background)?;
        let Paid { value, .. } = self.endpoint.ask(&self.job, Form::Extraction, rendered, &lists).await?;
        keep.answer(&value, part, &context[context.len().saturating_sub(CONTEXT)..]);
        Ok(())
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
        Ok(share(channel.fitting_room(fixed, most)))
    }
}

impl<'a> ExtractionPrompts<'a> {
    /// Returns the one request about all turns of the task, with at most `room` tokens of background.
    pub(super) fn whole(task: &'a ExtractionTask<'a>, room: u64) -> Result<Rendered> {
        let (zones, about) = (task.settings.zones()?, task.turns.last().map_or(task.now, annals_core::Memory::at));
        let all = lines::of_turns(task.turns, &zones, true)?;
        let context = lines::of_turns(task.context, &zones, true)?;
        let prompts = ExtractionPrompts { task, zones, about };
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
        };
        let data = ExtractionData { sources: fence("sources", &lines::numbered(part, 1)), ..background };
        Prompt::Extraction.render(self.task.settings, &Context::Extraction(frame, data))
    }

    /// Returns the background for the turns, each kind up to its share. The last lines and the first facts take precedence.
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
        let predicates = up_to(room / 6, self.task.predicates.iter().map(|predicate| tame(predicate)).collect());
        ExtractionData {
            speakers: block("speakers", &up_to(room / 6, names).join(", ")),
            known: block("known", &known.join("\n")),
            predicates: block("predicates", &predicates.join(", ")),
            context: block("context", &before.join("\n")),
            sources: String::new(),
        }
    }
}

/// Returns facts and operations of an answer. Fails if it has neither list, or if it has elements but none is usable.
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
