//! What writes summaries, finds facts and judges what was found: ports [`annals_core::Engine`], [`annals_core::Extractor`] and
//! [`annals_core::Reranker`].
//!
//! [`Extractive`] is built in and needs no model, no network and no key; [`Endpoint`] asks the configured models ([`Models`])
//! with the prompts in `prompts/`; [`RerankEndpoint`] asks the one for the order of results; [`Auto`] chooses between the two for each agent and kind of work. Never reads a file, the
//! system's clock or chance; only the endpoint talks to a network.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod auto;
mod config;
mod endpoint;
mod extractive;
mod prompts;
mod rules;

pub use auto::Auto;
pub use config::{EndpointConfig, JsonMode, Model, Models, ModelsConfig, RerankConfig, RerankModel, Wait};
pub use endpoint::{Endpoint, RerankEndpoint};
pub use extractive::{Extractive, Step, explain};
pub use prompts::{Prompt, check_prompt};
pub use rules::Rules;
