//! The table `[catalog]`: where the source of truth is.

use annals_catalog::is_postgres_url;
use annals_core::Fault;
use schemars::JsonSchema;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Configuration key of the database's URL. The URL may hold a password.
pub(crate) const URL: &str = "catalog.url";

/// The table `[catalog]`: the database that keeps the source of truth.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct CatalogConfig {
    /// A PostgreSQL database (15 or newer, empty or used by Annals before) that keeps the catalog instead of the file
    /// `catalog.sqlite`: `postgres://annals:password@localhost/annals`. To a server on another machine the connection is
    /// encrypted, and the server's certificate is checked, unless `sslmode=disable` is added.
    #[serde(deserialize_with = "secret", serialize_with = "redacted")]
    #[schemars(with = "Option<String>")]
    pub url: Option<SecretString>,
}

impl CatalogConfig {
    /// Returns the URL, with its password; `None` if the catalog is a file.
    pub(crate) fn url(&self) -> Option<&str> {
        self.url.as_ref().map(ExposeSecret::expose_secret)
    }

    /// Returns the faults of the values, each named as in the file.
    pub(super) fn faults(&self) -> Vec<Fault> {
        let wrong = self.url().filter(|url| !is_postgres_url(url));
        let reason = "is not the URL of a PostgreSQL database, such as postgres://annals@localhost/annals; \
            special characters of a password are percent-encoded";
        wrong.map(|_| Fault::new(URL, reason)).into_iter().collect()
    }
}

/// Deserializes a text as a secret, which debug output does not show.
pub(super) fn secret<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SecretString>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.map(SecretString::from))
}

/// Serializes only whether a secret is set.
pub(super) fn redacted<S: Serializer>(secret: &Option<SecretString>, serializer: S) -> Result<S::Ok, S::Error> {
    secret.as_ref().map(|_| "(set)").serialize(serializer)
}
