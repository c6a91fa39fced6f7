//! The picture of the strata: a lane for each grain over one axis of time, and a strip with the number of turns. Pure: converts
//! an answer of `Service::periods` to SVG and lists. Positions are percentages, so the picture fits any width without a script.

mod axis;
mod density;
mod jump;
mod lane;
mod list;
mod picture;
mod window;

pub(crate) use jump::{around, labelled};
pub(crate) use list::outline;
pub(crate) use picture::{Mark, Picture, legend};
pub(crate) use window::Window;
