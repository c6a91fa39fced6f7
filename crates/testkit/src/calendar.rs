//! A second, deliberately plain implementation of the calendar, to test `core/src/period.rs` and `core/src/zones.rs` against.
//! Uses only the same calendar library, for clock readings, next days, weekdays, ISO weeks and the ends of months.
//!
//! - `almanac`: instants of each day, by reading the clock every 15 minutes; days of each period, by labelling each day.
//! - `places`: zones and years with unusual clocks or calendars, and the days under test.
//! - `diary`: an agent's memories there, and which of them lie in a range.
//! - `questions`: every kind of time bound of a query, with the days that it means.
//! - `verdict`: checks that an answer contains exactly the memories of these days.

mod almanac;
mod diary;
mod places;
mod questions;
mod verdict;

pub use almanac::{Almanac, Move, label};
pub use diary::{Diary, Remembered};
pub use places::{PLACES, Place};
pub use questions::{Question, bounds};
