//! `annals plans`: prints what each retention plan keeps.

use std::process::ExitCode;

use annals_core::{Error, Grain, Result};
use annals_retention::{Plan, Plans};
use annals_service::wire::PlanView;

use super::open;
use crate::cli::Global;
use crate::view::{BOLD, DIM, print_json, say};

pub async fn run(global: &Global) -> Result<ExitCode> {
    // Custom plans are files in the data folder. Without a folder there are only the built-in plans.
    let plans = match open(global).await {
        Ok(folder) => folder.plans.clone(),
        Err(Error::NotFound { what: "data folder", .. }) => Plans::built_in(),
        Err(error) => return Err(error),
    };
    if global.json {
        print_json(&plans.all().map(|(name, plan)| PlanView::new(name, plan)).collect::<Vec<_>>());
        return Ok(ExitCode::SUCCESS);
    }
    for (name, plan) in plans.all() {
        say!("{BOLD}{name:<9}{BOLD:#} {}", keeps(plan));
    }
    say!(
        "{DIM}Counted from the end of the time that a memory covers. Only memories that a coarser summary covers are pruned.{DIM:#}"
    );
    Ok(ExitCode::SUCCESS)
}

/// Describes what a plan keeps, by grain.
pub fn keeps(plan: &Plan) -> String {
    if plan.is_forever() {
        return "keeps everything".to_owned();
    }
    let kept = Grain::ALL.map(|grain| format!("{} {}", name_of(grain), plan.keep(grain)));
    format!("keeps {}", kept.join(", "))
}

fn name_of(grain: Grain) -> &'static str {
    match grain {
        Grain::Working => "messages",
        Grain::Daily => "days",
        Grain::Weekly => "weeks",
        Grain::Monthly => "months",
        Grain::Quarterly => "quarters",
        Grain::Yearly => "years",
    }
}
