//! Jobs: work that the service does on a schedule. Each run compares the actual state with the required one and does what is
//! missing.
//!
//! A job takes no input, so a run that is late, repeated or missed changes only when the work is done. [`Scheduler`] starts
//! runs, the stores determine what is due ([`Pass`]), and files set the schedule and the bounds ([`Jobs`]). Runs of roll-up and
//! retention check whether the machine's clock can be trusted ([`annals_retention::Trust`]). Never reads a clock itself: the
//! caller passes one in.

mod declared;
mod pass;
mod round_robin;
mod runner;
mod scheduler;
mod tasks;

pub use declared::{AgentJob, Jobs, Timing};
pub(crate) use pass::ShouldStop;
pub use pass::{Pass, Retained, RolledUp};
pub use round_robin::{RoundRobin, Sweep};
pub use runner::{Outcome, Runs};
pub use scheduler::{JobStatus, ScheduledJob, Scheduler};
pub use tasks::{Compaction, Moment, MomentClock, Report, RetentionTask, RollUpTask, Task, Verification};
