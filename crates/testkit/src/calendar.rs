//! The calendar of `design.md` written down a second time, as plainly as can be, and a walk over it: to hold the first against.
//!
//! - `almanac`: which instants each day of an agent has, found by looking at the clock every quarter of an hour, and which days
//!   each label covers, found by asking every day where it belongs.
//! - `places`: zones and years in which something happens to clocks or calendars, and the days on which it does.
//! - `diary`: what an agent has there in memory, and what of it lies in a range.
//! - `questions`: every way to ask for a time, with the days that each means.
//! - `verdict`: whether an answer holds all that lies in them, and nothing else.
//!
//! Calls nothing of what it is held against. It relies on the same calendar library, but only for what a clock shows at an
//! instant, for the next day, and for weekdays.

mod almanac;
mod diary;
mod places;
mod questions;
mod verdict;

pub use almanac::{Almanac, Move, label};
pub use diary::{Diary, Remembered};
pub use places::{PLACES, Place};
pub use questions::{Question, bounds};
