//! Calls about keys for access from outside.

use annals_core::Result;
use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize};

use super::{Call, Context};
use crate::wire::{KeyView, NewKey, NewKeyAnswer};

/// Creates a key. Only this answer contains the secret.
#[derive(Debug, Serialize, Deserialize)]
pub struct AddKey {
    pub key: NewKey,
}

impl Call for AddKey {
    const NAME: &'static str = "add_key";
    type Answer = NewKeyAnswer;

    async fn run(self, context: Context<'_>) -> Result<NewKeyAnswer> {
        let fill = |bytes: &mut [u8]| context.host.fill_random(bytes);
        let (issued, view) = context.service().add_key(self.key, context.now, fill).await?;
        Ok(NewKeyAnswer { view, key: issued.text.expose_secret().to_owned() })
    }
}

/// Lists all keys, without their secrets.
#[derive(Debug, Serialize, Deserialize)]
pub struct ListKeys {}

impl Call for ListKeys {
    const NAME: &'static str = "list_keys";
    type Answer = Vec<KeyView>;

    async fn run(self, context: Context<'_>) -> Result<Vec<KeyView>> {
        context.service().keys(context.now).await
    }
}

/// Sets or removes the limit of tokens of a key.
#[derive(Debug, Serialize, Deserialize)]
pub struct LimitKey {
    /// Public id of the key.
    pub id: String,
    /// Maximum tokens per UTC day; `None` removes the limit.
    pub daily_tokens: Option<u64>,
}

impl Call for LimitKey {
    const NAME: &'static str = "limit_key";
    type Answer = ();

    async fn run(self, context: Context<'_>) -> Result<()> {
        context.service().limit_key(&self.id, self.daily_tokens).await
    }
}

/// Revokes a key. It stays in the list of keys.
#[derive(Debug, Serialize, Deserialize)]
pub struct RevokeKey {
    /// Public id of the key: its part between `annals_` and the secret.
    pub id: String,
}

impl Call for RevokeKey {
    const NAME: &'static str = "revoke_key";
    type Answer = ();

    async fn run(self, context: Context<'_>) -> Result<()> {
        context.service().revoke_key(&self.id, context.now).await
    }
}
