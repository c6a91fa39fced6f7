//! Implementations of the ports [`annals_core::Engine`] (summaries), [`annals_core::Extractor`] (facts) and
//! [`annals_core::Reranker`] (order of search results).
//!
//! [`Extractive`] and [`Rules`] are built in: they need no model, no network and no key. [`Endpoint`] calls the configured chat
//! models ([`Models`]) with the prompts in `prompts/`, [`RerankEndpoint`] calls a rerank model. [`Auto`] chooses between the
//! built-in implementations and [`Endpoint`] for each agent and kind of work. This crate never reads files, the system clock or
//! random numbers; only the endpoints use the network.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod auto;
mod config;
mod endpoint;
mod extractive;
mod prompts;
mod rules;

pub use auto::Auto;
pub use config::{
    Api, EndpointConfig, JsonMode, Model, Models, ModelsConfig, Reasoning, RerankConfig, RerankModel, Shares,
    Ungrounded, Wait,
};
pub use endpoint::{Endpoint, RerankEndpoint, draft_of, extraction_question_of, question_of};
pub use extractive::{Extractive, Step, explain};
pub use prompts::{Prompt, check_prompt};
pub use rules::Rules;
