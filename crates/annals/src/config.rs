//! `annals.toml`: which models there are. Unknown keys and wrong values are refused, all at once, before anything is opened.

use std::path::Path;

use annals_core::{Error, Fault, Result};
use annals_llm::{Models, ModelsConfig};
use serde::Deserialize;

/// The name of the file in the data folder.
const NAME: &str = "annals.toml";

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    #[serde(default)]
    models: ModelsConfig,
}

/// The models of the file that is named, or of the one in the data folder if there is one.
pub fn models(named: Option<&Path>, data: &Path) -> Result<Models> {
    let own = data.join(NAME);
    let path = named.unwrap_or(&own);
    if named.is_none() && !path.exists() {
        return check(Config::default(), path);
    }
    let failed = |cause| Error::storage(format!("cannot read {}", path.display()), cause);
    let text = std::fs::read_to_string(path).map_err(failed)?;
    let config = toml::from_str(&text).map_err(|error| syntax(&text, &error, path))?;
    check(config, path)
}

fn check(config: Config, path: &Path) -> Result<Models> {
    let faults = match config.models.check(|name| std::env::var(name).ok()) {
        Ok(models) => return Ok(models),
        Err(faults) => faults,
    };
    let file = path.display().to_string();
    Err(Error::Faults(faults.into_iter().map(|fault| Fault { file: Some(file.clone()), ..fault }).collect()))
}

/// The place and the reason, never the line itself: it may hold a key.
fn syntax(text: &str, error: &toml::de::Error, path: &Path) -> Error {
    let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
    let fault = Fault { file: Some(path.display().to_string()), line, ..Fault::new("the file", error.message()) };
    Error::Invalid(fault)
}
