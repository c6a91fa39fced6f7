//! Arguments of `annals price` and `costs`.

use clap::{Args, Subcommand};

use super::Range;
use super::value::amount;

#[derive(Subcommand)]
pub(crate) enum Price {
    /// List the prices of a million tokens
    List,
    /// Set the price of a model, as its provider lists it; the prices of other models stay
    Set(SetPrice),
    /// Remove the price of a model; the prices of other models stay
    Remove {
        /// Name of the model, as `annals price list` prints it
        model: String,
    },
}

#[derive(Args)]
pub(crate) struct SetPrice {
    /// Name of the model, as in the configuration and in `annals costs`
    pub model: String,
    /// Currency of the price, such as EUR; all prices are in one currency [default: that of the other prices]
    #[arg(long, value_name = "C")]
    pub currency: Option<String>,
    /// Price of a million tokens of requests
    #[arg(long, value_name = "N", value_parser = amount, allow_negative_numbers = true)]
    pub input: f64,
    /// Price of a million tokens of answers
    #[arg(long, value_name = "N", value_parser = amount, allow_negative_numbers = true)]
    pub output: f64,
    /// Price of a million tokens of requests that the provider reads from its prompt cache [default: as --input]
    #[arg(long, value_name = "N", value_parser = amount, allow_negative_numbers = true)]
    pub cached_input: Option<f64>,
    /// Price of a million tokens of requests that the provider writes to its prompt cache [default: as --input]
    #[arg(long, value_name = "N", value_parser = amount, allow_negative_numbers = true)]
    pub cache_write: Option<f64>,
}

#[derive(Args)]
pub(crate) struct Costs {
    /// Only this agent [default: all agents of the default workspace, and those that were deleted]
    #[arg(long, value_name = "A")]
    pub agent: Option<String>,
    #[command(flatten)]
    pub range: Range,
}
