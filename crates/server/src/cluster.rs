//! A node of a cluster over HTTP. Which node is active is decided elsewhere: here is what nodes do for each other.
//!
//! | module | contents |
//! | --- | --- |
//! | `standby` | forwards requests to the active node |
//! | `replica` | answers searches on a standby node |
//! | `embedding` | a standby node embeds for the active node |
//! | `reports` | what a standby node has answered, for the limits and the ranking of the active node |
//! | `active` | the routes that the active node has for the others |
//! | `requests` | the key of the cluster, and requests with it |

mod active;
mod embedding;
mod replica;
mod reports;
mod requests;
mod standby;

pub use active::NodeRoutes;
pub use embedding::StandbyEmbedder;
pub use replica::{Replica, report_accesses, report_answered};
pub use standby::{ActiveNode, Standby, StandbyListeners, stand_by};
