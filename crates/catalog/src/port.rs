//! The ports' methods, each handed to the thread as one job with its own words for errors.

mod accesses;
mod archive;
mod blocks;
mod catalog;
mod erasure;
mod journal;
mod keys;
mod replies;
mod requests;
mod seals;
