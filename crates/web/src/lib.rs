//! Pages for people: a memory in a browser. Renders HTML and SVG from the operations of `annals_service`.
//!
//! The crate depends on wire types and operations alone. The server mounts the router, recognises callers that need no key, and
//! limits requests. Pages never read a store, and never load anything from other sites: styles and scripts are in the binary.
//! Every page works without scripts. Text of a memory reaches a page only through `maud`, which escapes it.
//!
//! | module | contents |
//! | --- | --- |
//! | `site` | what pages need, and the router |
//! | `session` | sessions opened with a key, and the tokens that changes need |
//! | `visit` | finds the session of a request, checks the token of a change, adds headers |
//! | `failure` | errors as pages |
//! | `fields` | fields of forms and of query strings |
//! | `layout` | the frame of every page |
//! | `assets` | style, scripts and icon |
//! | `upload` | forms with a file, which may be large |
//! | `labels` | dates, counts and names of states for people |
//! | `link` | addresses of pages |
//! | `pages` | the pages, one file each |
//! | `timeline` | the picture of the strata |

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod assets;
mod failure;
mod fields;
mod labels;
mod layout;
mod link;
mod pages;
mod session;
mod site;
mod timeline;
mod upload;
mod visit;

pub use session::Sessions;
pub use site::{CHANGES, Site, StreamTimes, pages, uploads};
pub use visit::recognise;
