//! Implementations of the ports [`annals_core::Engine`] (summaries), [`annals_core::Extractor`] (facts),
//! [`annals_core::Reranker`] (order of search results) and [`annals_core::Embedder`] (vectors of an endpoint), and a client of
//! the hub that models are pulled from.
//!
//! [`Extractive`] and [`Rules`] are built in: they need no model, no network and no key. [`Endpoint`] calls the configured chat
//! models ([`Models`]) with the prompts in `prompts/`, [`RerankEndpoint`] calls a rerank model. [`Auto`] chooses between the
//! built-in implementations and [`Endpoint`] for each agent and kind of work. This crate never reads the system clock
//! or random numbers; only the endpoints and the hub use the network, and only the hub touches files.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod auto;
mod config;
mod endpoint;
mod extractive;
mod hub;
mod prompts;
mod rules;
mod word_limit;

pub use auto::Auto;
pub use config::{
    Api, BUILT_IN, DurationSetting, EmbedderChoice, EmbedderConfig, EmbedderSettings, EmbeddingModel, EndpointConfig,
    FolderModel, GroundingConfig, GroundingModel, JsonMode, Model, Models, ModelsConfig, PoolingConfig, Reasoning,
    RerankConfig, RerankModel, Shares, Ungrounded,
};
pub use endpoint::{
    EmbeddingEndpoint, Endpoint, EntailmentCheck, RerankEndpoint, draft_of, extraction_question_of, question_of,
};
pub use extractive::{Extractive, Step, explain};
pub use hub::{Checksum, Hub, HubFile, Listing, fetched_files};
pub use prompts::{Prompt, check_prompt};
pub use rules::Rules;
