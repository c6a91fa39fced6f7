//! Port `ModelStates`: the configured models as they have worked in this process.

use crate::Purpose;

/// What is known of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelState {
    /// Name of the model.
    pub model: String,
    /// URL of its server.
    pub base_url: String,
    /// What it is used for.
    pub purposes: Vec<Purpose>,
    /// Context window in use: tokens of question and answer together.
    pub window: u64,
    /// Tokens of messages that one request has at most: as many as are answered in about a minute.
    pub room: u64,
    /// Tokens of a question that it reads per second; `None` until it was measured.
    pub reading: Option<f64>,
    /// Tokens of an answer that it writes per second; `None` until it was measured.
    pub writing: Option<f64>,
    /// Answered requests.
    pub requests: u64,
    /// Requests being answered.
    pub running: u64,
    /// Seconds that the answered requests took together.
    pub seconds: f64,
    /// Tokens of questions.
    pub tokens_in: u64,
    /// Those of them that the server had cached.
    pub cached: u64,
    /// Tokens of answers.
    pub tokens_out: u64,
    /// Tokens of the answer that is being written.
    pub current: u64,
}

/// Observes the configured models.
pub trait ModelStates: Send + Sync {
    /// Returns the present state of each model. Never waits.
    fn model_states(&self) -> Vec<ModelState>;
}
