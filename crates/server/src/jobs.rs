//! What Annals does by itself: jobs, each a pass that compares what is with what should be and does what is missing.
//!
//! A job takes no input. Late, twice or never, nothing changes but the moment: so the alarm clock only wakes ([`AlarmClock`]),
//! what is to be done follows from the stores ([`Pass`]), and when and how much at a time stands in files ([`Jobs`]). Whether
//! the machine's clock may be believed is asked every time ([`annals_retention::Trust`]). Never reads a clock: who starts it hands one in.

mod alarm;
mod declared;
mod pass;
mod rota;
mod runner;
#[cfg(test)]
mod simulation;
mod task;

pub use alarm::{Alarm, AlarmClock, JobStatus};
pub use declared::{Jobs, Rounds, Timing};
pub use pass::{Alone, Backoff, Enough, Pass, Retained, RolledUp, Tables};
pub use rota::{Rota, Round};
pub use runner::{Outcome, Runs};
pub use task::{Moment, MomentClock, Report, RetentionTask, RollUpTask, Task};
