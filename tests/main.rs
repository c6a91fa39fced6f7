//! Annals as people run it: the real command on real folders, in child processes, one module per promise or subject.
//!
//! Most tests see only the command's output, its exit code and its files. Some use the crates directly: `calendar`,
//! `simulation`, `fuzz`, and the planted bugs of `kill`.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

mod adopt;
mod agents;
mod architecture;
mod backup;
mod bad_input;
mod batch;
mod calendar;
mod chaos;
mod cluster;
mod command;
mod config;
mod damage;
mod demo;
mod doctor;
mod documents;
mod examples;
mod export;
mod facts;
mod fairness;
mod forget;
mod fuzz;
mod hostile;
mod import_again;
mod import_from;
mod import_kinds;
mod infra;
mod key_budgets;
mod kill;
mod late;
mod locking;
mod locks;
mod mcp;
mod model_command;
mod models;
mod object_store;
mod permissions;
mod plans;
mod postgres;
mod prices;
mod readme;
mod rerank;
mod retention;
mod service;
mod simulation;
mod slow_endpoint;
mod slow_model;
mod story;
mod surface;
mod switch;
mod takeover;
mod terminal;
