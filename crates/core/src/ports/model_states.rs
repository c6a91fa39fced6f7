//! Port `ModelStates`: usage and speed of the configured models since this process started.

use crate::Purpose;

/// The settings, usage and speed of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelState {
    /// Name of the model.
    pub model: String,
    /// URL of the server.
    pub base_url: String,
    /// The purposes that it is used for.
    pub purposes: Vec<Purpose>,
    /// Context window in use: tokens of question and answer together.
    pub window: u64,
    /// Maximum tokens of messages in one request, chosen so that it is answered in about a minute.
    pub room: u64,
    /// Tokens of a question that it reads per second; `None` until it was measured.
    pub reading: Option<f64>,
    /// Tokens of an answer that it writes per second; `None` until it was measured.
    pub writing: Option<f64>,
    /// Number of requests that were answered.
    pub requests: u64,
    /// Number of requests that are being answered now.
    pub running: u64,
    /// Seconds that the answered requests took together.
    pub seconds: f64,
    /// Tokens of all questions.
    pub tokens_in: u64,
    /// Tokens of questions that the server had cached.
    pub cached: u64,
    /// Tokens of all answers.
    pub tokens_out: u64,
    /// Tokens of the answer that is being written.
    pub current: u64,
}

/// Observes the configured models.
pub trait ModelStates: Send + Sync {
    /// Returns the present state of each model. Never waits.
    fn model_states(&self) -> Vec<ModelState>;
}
