//! The tool `forget_memory`: reports what would be erased, and erases it when called again with the confirmation from the first
//! answer. Text in a memory that persuades a model to forget contains no valid confirmation.

use annals_core::ports::Scope;
use annals_core::{Agent, Date, Timestamp, one_line};
use annals_service::Service;
use annals_service::wire::{ForgetAnswer, ForgetReport, ForgetRequest, MemoryView, ProofView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::refusal::Refusal;
use super::tool::{Effect, Tool};
use super::{confirmation, text};

/// Maximum number of ids of one kind in the text. The structured answer has all of them.
const MAX_LISTED: usize = 20;

pub(super) struct ForgetMemory;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// Ids of memories: turns and statements.
    #[serde(default)]
    ids: Vec<String>,
    /// A person or thing: everything that names it in text, facts, conversation or id, and everything that it said.
    subject: Option<String>,
    /// A whole conversation, by name.
    conversation: Option<String>,
    /// First day of the messages to forget, inclusive: YYYY-MM-DD.
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    from: Option<Date>,
    /// Last day of the messages to forget, inclusive: YYYY-MM-DD.
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    to: Option<Date>,
    /// Only reports what would be erased. False erases it, which cannot be undone.
    #[serde(default = "yes")]
    dry_run: bool,
    /// The confirmation from the dry run with the same arguments. Needed when dry_run is false.
    confirmation: Option<String>,
}

impl Arguments {
    /// Returns the selection as one text, which the confirmation is bound to. The same arguments give the same text.
    fn target(&self) -> String {
        let days = [self.from, self.to].map(|day| day.map(|day| day.to_string()));
        serde_json::json!([self.ids, self.subject, self.conversation, days]).to_string()
    }
}

/// Maximum number of characters that are shown of a memory that would be erased.
const SAMPLE: usize = 80;

/// What was or would be erased, and the confirmation if a dry run found something.
pub(super) struct Answer {
    forgotten: ForgetAnswer,
    /// The first memories that would be erased, as the person would recognise them.
    samples: Vec<String>,
    confirmation: Option<String>,
}

/// What was erased, or would be erased.
#[derive(Serialize, JsonSchema)]
pub(super) struct Structured {
    /// Text for the model.
    text: String,
    /// To be sent back with dry_run false within ten minutes. Only after a dry run that found something.
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmation: Option<String>,
    #[serde(flatten)]
    forgotten: ForgetAnswer,
}

fn yes() -> bool {
    true
}

impl Tool for ForgetMemory {
    const NAME: &'static str = "forget_memory";
    const TITLE: &'static str = "Forget";
    const DESCRIPTION: &'static str = "Forgets for good, everywhere: the turns, what was drawn out of them, and their traces in \
        summaries. Give exactly one of ids, subject, conversation, or days (from, to or both). First call it as it is to see what would go; \
        only when the person agrees, call it again with dry_run false and the confirmation that the first answer holds.";
    const SCOPE: Scope = Scope::Admin;
    const EFFECT: Effect = Effect::Destroys;
    type Arguments = Arguments;
    type Answer = Answer;
    type Structured = Structured;

    async fn call(service: &Service, agent: &Agent, arguments: Arguments, now: Timestamp) -> Result<Answer, Refusal> {
        let what = arguments.target();
        let Arguments { ids, conversation, subject, from, to, dry_run, confirmation } = arguments;
        if !dry_run {
            confirmation::check(confirmation.as_deref(), agent, &what, now).map_err(Refusal::Arguments)?;
        }
        let request = ForgetRequest { ids, conversation, subject, from, to, dry_run };
        let forgotten = service.forget(agent, request, now).await?;
        let ForgetReport { answer: forgotten, samples } = service.with_samples(agent, forgotten).await?;
        let samples = samples.iter().map(sample).collect();
        let confirmation = (dry_run && !parts(&forgotten).is_empty()).then(|| confirmation::issue(agent, &what, now));
        Ok(Answer { forgotten, samples, confirmation })
    }

    fn text(answer: &Answer) -> String {
        let parts = parts(&answer.forgotten);
        let text = match (&answer.forgotten.proof, &answer.confirmation) {
            _ if parts.is_empty() => "Nothing matches, so there is nothing to forget.".to_owned(),
            (Some(proof), _) => format!("Forgotten: {}.\n{}", parts.join("; "), proved(proof)),
            (None, confirmation) => format!(
                "Nothing is forgotten yet. This would be forgotten: {}.\n{}If the person agrees, call forget_memory again with the same \
                 arguments, dry_run false and confirmation {:?}, within ten minutes. It cannot be undone.",
                parts.join("; "),
                answer.samples.concat(),
                confirmation.as_deref().unwrap_or_default()
            ),
        };
        [vec![text], limits(&answer.forgotten)].concat().join("\n")
    }

    fn structured(answer: Answer, text: &str) -> Structured {
        let Answer { mut forgotten, confirmation, .. } = answer;
        // Names of blocks, documents and subjects are text written by people.
        let names = forgotten.blocks.iter_mut().chain(&mut forgotten.documents).chain(&mut forgotten.unfollowed);
        names.for_each(|name| *name = one_line(name));
        Structured { text: text.to_owned(), confirmation, forgotten }
    }
}

/// Returns a line with the beginning of a memory that would be erased.
fn sample(memory: &MemoryView) -> String {
    let text = one_line(&memory.text);
    let first: String = text.chars().take(SAMPLE).collect();
    let more = if first.len() < text.len() { "…" } else { "" };
    let speaker = memory.speaker.as_ref().map(|name| format!("{}: ", one_line(name))).unwrap_or_default();
    format!("[{}] {speaker}{first}{more}\n", memory.id)
}

/// Returns sentences about what the forgetting cannot reach or cannot determine.
fn limits(answer: &ForgetAnswer) -> Vec<String> {
    let unresolved = (answer.unresolved > 0).then(|| {
        let number = usize::try_from(answer.unresolved).unwrap_or(usize::MAX);
        let turns = text::count(number, "older turn", "older turns");
        format!("It is unknown whether {turns} belong to it, because only their ids are left. Tell the person.")
    });
    let unresolved_in = (!answer.unresolved_in.is_empty())
        .then(|| format!("These summaries may still contain text from it: {}.", answer.unresolved_in.join(", ")));
    let unfollowed = (!answer.unfollowed.is_empty()).then(|| {
        let names = answer.unfollowed.join(", ");
        format!("Not forgotten: {names}. These names may mean the same; forget them separately if they do.")
    });
    let prompts = (!answer.prompts.is_empty()).then(|| {
        let prompts = answer.prompts.join(", ");
        format!("The agent's own prompts name it and stay: {prompts}. Tell the person to edit them.")
    });
    let partly_named = answer.partly_named.iter().map(|part| {
        let memories = text::count(part.memories, "memory names", "memories name");
        let (name, ids) = (one_line(&part.name), part.ids.join(", "));
        format!("Not forgotten: {memories} only {name}, a part of the name ({ids}). Ask the person; the subject {name} forgets them.")
    });
    let not_rewritten = answer
        .not_rewritten
        .as_ref()
        .map(|reason| format!("The summaries are not rewritten yet ({reason}); the next roll-up writes them."));
    let limits = [unresolved, unresolved_in, unfollowed, prompts, not_rewritten].into_iter().flatten();
    limits.chain(partly_named).collect()
}

fn parts(answer: &ForgetAnswer) -> Vec<String> {
    let listed = |all: &[String], one: &str, many: &str| {
        let more = if all.len() > MAX_LISTED { ", …" } else { "" };
        let first = all.iter().take(MAX_LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
        (!all.is_empty()).then(|| format!("{} ({first}{more})", text::count(all.len(), one, many)))
    };
    let parts = [
        listed(&answer.turns, "turn", "turns"),
        listed(&answer.pruned, "pruned turn", "pruned turns"),
        listed(&answer.statements, "statement", "statements"),
        listed(&answer.operations, "fact operation", "fact operations"),
        listed(&answer.blocks, "block", "blocks"),
        listed(&answer.documents, "document", "documents"),
        listed(&answer.rebuilt, "summary, rewritten without it", "summaries, rewritten without it"),
        listed(
            &answer.cut,
            "sealed summary, only the sentences from it",
            "sealed summaries, only the sentences from it",
        ),
        listed(&answer.lost, "complete sealed summary", "complete sealed summaries"),
    ];
    parts.into_iter().flatten().collect()
}

fn proved(proof: &ProofView) -> String {
    if proof.clean {
        let sentences = text::count(proof.sentences, "sentence", "sentences");
        return format!("Every store and {} files were searched for {sentences} from it: none was found.", proof.files);
    }
    format!("Still found in: {}. Tell the person.", proof.still_in.join(", "))
}
