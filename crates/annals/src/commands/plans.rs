//! `annals plans`: prints what each retention plan keeps.

use std::process::ExitCode;

use annals_core::{Error, Grain, ObjectKind, Result};
use annals_retention::Plans;
use annals_service::calls::ListPlans;
use annals_service::wire::{PlanView, PlansAnswer};

use crate::cli::Global;
use crate::run_or_hand_over::Client;
use crate::view::{BOLD, DIM, print_json, say};

pub(crate) async fn run(global: &Global) -> Result<ExitCode> {
    // Custom plans are files in the data folder. Without a folder there are only the built-in plans.
    let answer = match Client::open(global).await {
        Ok(client) => client.call(ListPlans {}).await?,
        Err(Error::NotFound { what: ObjectKind::DataFolder, .. }) => {
            PlansAnswer { plans: Plans::built_in().all().map(|(name, plan)| PlanView::new(name, plan)).collect() }
        }
        Err(error) => return Err(error),
    };
    if global.json {
        print_json(&answer);
        return Ok(ExitCode::SUCCESS);
    }
    for plan in &answer.plans {
        say!("{BOLD}{:<9}{BOLD:#} {}", plan.name, keeps(plan));
    }
    say!(
        "{DIM}Counted from the end of the time that a memory covers. Only memories that a coarser summary covers are pruned.{DIM:#}"
    );
    Ok(ExitCode::SUCCESS)
}

/// Describes what the plan of this name keeps; empty if there is none.
pub(crate) async fn keeps_of(client: &Client, name: &str) -> Result<String> {
    let plans = client.call(ListPlans {}).await?.plans;
    Ok(plans.iter().find(|plan| plan.name == name).map(keeps).unwrap_or_default())
}

/// Describes what a plan keeps, by grain.
fn keeps(plan: &PlanView) -> String {
    if plan.keeps.values().all(|kept| kept == "forever") {
        return "keeps everything".to_owned();
    }
    let kept = Grain::ALL.map(|grain| format!("{} {}", name_of(grain), plan.keeps[grain.as_str()]));
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
