//! Calls about what models cost, and about their prices.

use annals_core::Result;
use serde::{Deserialize, Serialize};

use super::{Call, Context};
use crate::Caller;
use crate::wire::{CostsAnswer, CostsRequest, PriceView, PricesView};

/// Returns the costs of one agent, or of all agents of the default workspace, erased ones too.
#[derive(Debug, Serialize, Deserialize)]
pub struct ReadCosts {
    /// The days, and the agent if it is one.
    pub request: CostsRequest,
}

impl Call for ReadCosts {
    const NAME: &'static str = "read_costs";
    type Answer = CostsAnswer;

    async fn run(self, context: Context<'_>) -> Result<CostsAnswer> {
        let (service, request, now) = (context.service(), &self.request, context.now);
        match &request.agent {
            Some(name) => service.costs(&[context.agent(name).await?], request, now).await,
            None => service.costs_of_all(&Caller::local(), request, now).await,
        }
    }
}

/// Lists the prices of models.
#[derive(Debug, Serialize, Deserialize)]
pub struct ListPrices {}

impl Call for ListPrices {
    const NAME: &'static str = "list_prices";
    type Answer = PricesView;

    async fn run(self, context: Context<'_>) -> Result<PricesView> {
        context.service().prices().await
    }
}

/// Sets the price of one model, and keeps the others.
#[derive(Debug, Serialize, Deserialize)]
pub struct SetPrice {
    pub price: PriceView,
    /// Currency of the price; that of the other prices if absent.
    pub currency: Option<String>,
}

impl Call for SetPrice {
    const NAME: &'static str = "set_price";
    type Answer = PricesView;

    async fn run(self, context: Context<'_>) -> Result<PricesView> {
        context.service().set_price(self.price, self.currency).await
    }
}

/// Removes the price of one model, and keeps the others.
#[derive(Debug, Serialize, Deserialize)]
pub struct RemovePrice {
    /// Name of the model.
    pub model: String,
}

impl Call for RemovePrice {
    const NAME: &'static str = "remove_price";
    type Answer = PricesView;

    async fn run(self, context: Context<'_>) -> Result<PricesView> {
        context.service().remove_price(&self.model).await
    }
}
