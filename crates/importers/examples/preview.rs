//! Prints a summary of what an import would store, and every item with `--items`; stores nothing: `preview PATH… [--from KIND]
//! [--me NAME] [--time-zone ZONE] [--branches all] [--tools] [--thinking] [--items]`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the output of an example")]

use std::process::ExitCode;

use annals_core::{Error, Result, Timestamp};
use annals_importers::{Imported, Limits, Options, Source, detect, import};
use jiff::tz::TimeZone;

fn main() -> ExitCode {
    match preview(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn preview(mut args: impl Iterator<Item = String>) -> Result<()> {
    #[expect(clippy::disallowed_methods, reason = "a program's clock is read at its start, and passed in")]
    let mut options = Options::new(Timestamp::now());
    let (mut paths, mut kind, mut shows_items) = (Vec::new(), None, false);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| Error::invalid(&arg, "needs a value"));
        match arg.as_str() {
            "--from" => kind = Some(value()?.parse()?),
            "--me" => options.me = Some(value()?),
            "--time-zone" => options.zone = zone(&value()?)?,
            "--branches" => options.branches = value()?.parse()?,
            "--tools" => options.tools = true,
            "--thinking" => options.thinking = true,
            "--items" => shows_items = true,
            _ => paths.push(arg),
        }
    }
    let mut source = Source::open(&paths, Limits::default())?;
    let kind = match kind {
        Some(kind) => kind,
        None => detect(&mut source).clear()?,
    };
    let mut sink = |Imported { location, item }| {
        if shows_items {
            println!("{location}: {item:?}");
        }
        Ok(())
    };
    let summary = import(kind, &mut source, &options, &mut sink)?;
    println!("kind           {kind}\n{summary}");
    Ok(())
}

fn zone(name: &str) -> Result<TimeZone> {
    TimeZone::get(name).map_err(|_| Error::invalid("time_zone", format!("{name:?} is not an IANA time zone")))
}
