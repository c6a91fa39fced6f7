//! Implements the ports. Each method submits one job to the thread, with its own context for errors.

mod accesses;
mod archive;
mod blocks;
mod catalog;
mod erasure;
mod idempotency;
mod journal;
mod keys;
mod replies;
mod seals;
