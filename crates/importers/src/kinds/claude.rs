//! placeholder

use annals_core::Result;

use crate::detect::{Fit, Sample};
use crate::kind::Importer;
use crate::output::Output;
use crate::source::Source;

/// Reads.
pub struct Claude;

impl Importer for Claude {
    fn recognise(&self, _: &mut Sample<'_>) -> Fit {
        Fit::No
    }

    fn read(&self, _: &mut Source, _: &mut Output<'_>) -> Result<()> {
        Ok(())
    }
}
