//! What writes summaries and finds facts: ports [`annals_core::Engine`] and [`annals_core::Extractor`].
//!
//! [`Extractive`] is built in and needs no model, no network and no key; [`Endpoint`] asks the configured models ([`Models`])
//! with the prompts in `prompts/`; [`Auto`] chooses between the two for each agent and kind of work. Never reads a file, the
//! system's clock or chance; only the endpoint talks to a network.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod auto;
mod config;
mod endpoint;
mod extractive;
mod prompts;
mod rules;

pub use auto::Auto;
pub use config::{EndpointConfig, JsonMode, Model, Models, ModelsConfig, Wait};
pub use endpoint::Endpoint;
pub use extractive::Extractive;
pub use prompts::{Prompt, check_prompt};
pub use rules::Rules;
