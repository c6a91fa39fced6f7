//! Names of grains for schemas that a model reads. Without doc comments the schema is a plain list of names, which costs few
//! tokens and is understood by all providers.

use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) enum GrainName {
    Working,
    Daily,
    Weekly,
    Monthly,
    Quarterly,
    Yearly,
}
