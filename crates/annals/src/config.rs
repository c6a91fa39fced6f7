//! The configuration: `annals.toml`, overridden by the environment, overridden by flags.
//!
//! Every key has one name everywhere: `listen` in the table `[server]` is `server.listen` in messages, `ANNALS_SERVER_LISTEN`
//! in the environment and `--set server.listen=…` on the command line. Unknown keys and wrong values are refused before
//! anything is opened; all of them are reported at once, with their places. Never shows a line or a value that may hold a key.

mod catalog;
mod cluster;
mod file;
mod layers;
mod objects;
mod read;

use std::path::{Path, PathBuf};

use annals_core::{Error, Fault, Result};
use annals_llm::{EmbedderConfig, EmbedderSettings, Models, ModelsConfig};
use annals_server::config::{BackupConfig, LogConfig, ServerConfig};
use annals_service::config::Limits;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cli::Global;
pub(crate) use catalog::{CatalogConfig, URL as CATALOG_URL};
pub(crate) use cluster::{ClusterConfig, host_and_port};
pub(crate) use file::without_secrets;
use layers::Layers;
pub(crate) use layers::Origin;
pub(crate) use objects::{ObjectsConfig, URL as OBJECTS_URL};

/// The name of the configuration file in the data folder.
pub(crate) const NAME: &str = "annals.toml";

/// Why Annals makes no backup of a catalog in PostgreSQL, and what to do.
const NO_COPY: &str = "Annals cannot copy a catalog in PostgreSQL; back the database up with pg_dump or \
    continuous archiving, and the files annals.toml, retention, jobs and prompts of the data folder beside it";

/// The complete configuration, validated.
pub(crate) struct Config {
    pub catalog: CatalogConfig,
    pub objects: ObjectsConfig,
    pub cluster: ClusterConfig,
    pub server: ServerConfig,
    pub limits: Limits,
    pub log: LogConfig,
    pub backup: BackupConfig,
    pub models: Models,
    pub embedder: EmbedderSettings,
    /// The file that was read, if there is one.
    pub file: Option<PathBuf>,
    /// Every key with its value and origin; keys and the URL of the catalog are redacted.
    pub settings: Vec<Setting>,
}

/// The effective value of one key.
#[derive(Debug)]
pub(crate) struct Setting {
    /// The key with its tables: `server.listen`.
    pub key: String,
    /// Null if nothing is set.
    pub value: Value,
    pub origin: Origin,
}

/// All tables as deserialized, not yet validated.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "annals.toml", description = "The configuration of Annals. Every key has a default.")]
struct Written {
    catalog: CatalogConfig,
    objects: ObjectsConfig,
    cluster: ClusterConfig,
    server: ServerConfig,
    limits: Limits,
    log: LogConfig,
    models: ModelsConfig,
    embedder: EmbedderConfig,
    backup: BackupConfig,
}

impl Config {
    /// Loads the configuration of a data folder: from the file named by `--config`, or else from the one in the folder, if
    /// there is one; then from the environment and from `--set`. Fails with all faults that it finds, or at once if the file
    /// cannot be read or is not valid TOML.
    pub(crate) fn load(global: &Global, data: &Path) -> Result<Config> {
        let file = file_of(global.config.as_deref(), data);
        let mut layers = Layers::new(&serde_json::to_value(Written::default()).unwrap_or_default());
        if let Some(path) = &file {
            layers.add_file(path)?;
        }
        layers.add_environment(std::env::vars_os());
        layers.add_flags(&global.set);
        let written = layers.read();
        layers.refuse_unknown_variables();
        Config::check(written, layers, file)
    }

    /// Loads the file in a data folder alone, without the environment and flags of this process, which are for another folder.
    pub(crate) fn of_folder(folder: &Path) -> Result<Config> {
        let file = file_of(None, folder);
        let mut layers = Layers::new(&serde_json::to_value(Written::default()).unwrap_or_default());
        if let Some(path) = &file {
            layers.add_file(path)?;
        }
        let written = layers.read();
        Config::check(written, layers, file)
    }

    fn check(written: Written, mut layers: Layers, file: Option<PathBuf>) -> Result<Config> {
        let settings = layers.settings(&serde_json::to_value(&written).unwrap_or_default());
        let Written { catalog, objects, cluster, server, limits, log, models, embedder, backup } = written;
        layers.fault_all(catalog.faults());
        layers.fault_all(objects.faults());
        layers.fault_all(cluster.faults(catalog.url.is_some() && objects.url.is_some()));
        layers.fault_all(server.faults());
        layers.fault_all(limits.faults());
        layers.fault_all(backup.faults());
        if catalog.url.is_some() && backup.target.is_some() {
            layers.fault_all(vec![Fault::new("backup.target", format!("cannot be set with catalog.url: {NO_COPY}"))]);
        }
        let models = models.check(|name| std::env::var(name).ok()).map_err(|faults| layers.fault_all(faults));
        let embedder = embedder.check(|name| std::env::var(name).ok()).map_err(|faults| layers.fault_all(faults));
        match (models, embedder, layers.into_faults()) {
            (Ok(models), Ok(embedder), faults) if faults.is_empty() => {
                Ok(Config { catalog, objects, cluster, server, limits, log, backup, models, embedder, file, settings })
            }
            (_, _, faults) => Err(Error::Faults(faults)),
        }
    }
}

/// Returns the JSON schema of the file, in the draft that editors of TOML understand.
pub(crate) fn schema() -> Value {
    let settings = SchemaSettings::draft07().with_transform(RecursiveTransform(remove_table_default));
    settings.into_generator().into_root_schema_for::<Written>().to_value()
}

/// Removes the default of a whole table, which repeats the defaults of its keys, and null defaults, because TOML has no null.
fn remove_table_default(schema: &mut Schema) {
    if schema.get("default").is_some_and(|default| default.is_object() || default.is_null()) {
        schema.remove("default");
    }
}

/// Returns the error for a backup of a catalog in PostgreSQL.
pub(crate) fn no_copy() -> Error {
    Error::invalid(catalog::URL, format!("is set: {NO_COPY}"))
}

/// Returns whether the value of a key is secret.
pub(crate) fn is_secret(key: &str) -> bool {
    key == catalog::URL || key.rsplit('.').next() == Some("key")
}

fn file_of(named: Option<&Path>, data: &Path) -> Option<PathBuf> {
    let own = data.join(NAME);
    named.map(Path::to_owned).or_else(|| own.exists().then_some(own))
}
