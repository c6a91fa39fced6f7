//! The tool `forget_memory`: says what would go, and makes it go once that is asked for.

use annals_core::ports::Scope;
use annals_core::{Agent, Date, Timestamp};
use schemars::JsonSchema;
use serde::Deserialize;

use super::refusal::Refusal;
use super::text;
use super::tool::{Effect, Tool};
use crate::Service;
use crate::wire::{ForgetAnswer, ForgetRequest, ProofView};

/// Ids of one kind in the text; all of them are in the structured answer.
const MOST_LISTED: usize = 20;

pub(super) struct ForgetMemory;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Arguments {
    /// Memories by id: turns and statements.
    #[serde(default)]
    ids: Vec<String>,
    /// Whatever names this person or thing, or was said by them.
    subject: Option<String>,
    /// A whole conversation.
    conversation: Option<String>,
    /// First day of what was said, inclusive: YYYY-MM-DD.
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    from: Option<Date>,
    /// Last day of what was said, inclusive: YYYY-MM-DD.
    #[schemars(with = "Option<String>", extend("format" = "date"))]
    to: Option<Date>,
    /// Only says what would go. With false it goes, and cannot be taken back.
    #[serde(default = "yes")]
    dry_run: bool,
}

fn yes() -> bool {
    true
}

impl Tool for ForgetMemory {
    const NAME: &'static str = "forget_memory";
    const TITLE: &'static str = "Forget";
    const DESCRIPTION: &'static str = "Forgets for good, everywhere: the turns, what was drawn out of them, and their traces in \
        summaries. Give exactly one of ids, subject, conversation, or from and to. First call it as it is to see what would go; \
        only when the person agrees, call it again with dryRun false.";
    const SCOPE: Scope = Scope::Admin;
    const EFFECT: Effect = Effect::Destroys;
    type Arguments = Arguments;
    type Answer = ForgetAnswer;

    async fn call(
        service: &Service,
        agent: &Agent,
        arguments: Arguments,
        now: Timestamp,
    ) -> Result<ForgetAnswer, Refusal> {
        let Arguments { ids, subject, conversation, from, to, dry_run } = arguments;
        let request = ForgetRequest { ids, conversation, subject, from, to, dry_run };
        Ok(service.forget(agent, request, now).await?)
    }

    fn text(answer: &ForgetAnswer) -> String {
        let parts = parts(answer);
        match (&answer.proof, parts.is_empty()) {
            (_, true) => "Nothing fits that, so nothing is to be forgotten.".to_owned(),
            (None, _) => format!(
                "Nothing is forgotten yet. It would go: {}.\nTo do it, call forget_memory again with the same arguments and \
                 dryRun false. It cannot be taken back.",
                parts.join("; ")
            ),
            (Some(proof), _) => format!("Forgotten: {}.\n{}", parts.join("; "), proved(proof)),
        }
    }
}

fn parts(answer: &ForgetAnswer) -> Vec<String> {
    let listed = |all: &[String], one: &str, many: &str| {
        let more = if all.len() > MOST_LISTED { ", …" } else { "" };
        let first = all.iter().take(MOST_LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
        (!all.is_empty()).then(|| format!("{} ({first}{more})", text::count(all.len(), one, many)))
    };
    let parts = [
        listed(&answer.turns, "turn", "turns"),
        listed(&answer.statements, "statement", "statements"),
        listed(&answer.operations, "entry of the log of facts", "entries of the log of facts"),
        listed(&answer.rebuilt, "summary written anew", "summaries written anew"),
        listed(&answer.cut, "sealed summary without its sentences", "sealed summaries without their sentences"),
        listed(&answer.lost, "sealed summary altogether", "sealed summaries altogether"),
    ];
    parts.into_iter().flatten().collect()
}

fn proved(proof: &ProofView) -> String {
    if proof.clean {
        let sentences = text::count(proof.sentences, "sentence", "sentences");
        return format!("Every store and {} files were searched for {sentences} of it: none is left.", proof.files);
    }
    format!("Still found in: {}. Tell the person.", proof.still_in.join(", "))
}
