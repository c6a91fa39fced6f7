//! The grain as a model chooses it: one word, or `auto`.

use annals_core::Grain;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How coarse the memories shall be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Choice {
    #[default]
    Auto,
    Working,
    Daily,
    Weekly,
    Monthly,
    Quarterly,
    Yearly,
}

impl Choice {
    /// The grain; none if it is left to the service.
    pub(super) fn grain(self) -> Option<Grain> {
        match self {
            Choice::Auto => None,
            Choice::Working => Some(Grain::Working),
            Choice::Daily => Some(Grain::Daily),
            Choice::Weekly => Some(Grain::Weekly),
            Choice::Monthly => Some(Grain::Monthly),
            Choice::Quarterly => Some(Grain::Quarterly),
            Choice::Yearly => Some(Grain::Yearly),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_grain_is_a_word_and_so_is_auto() {
        for grain in Grain::ALL {
            let choice: Choice = serde_json::from_value(grain.as_str().into()).unwrap();
            assert_eq!(choice.grain(), Some(grain));
        }
        assert_eq!(serde_json::from_value::<Choice>("auto".into()).unwrap().grain(), None);
    }
}
