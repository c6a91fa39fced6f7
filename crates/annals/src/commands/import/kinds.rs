//! Imports files of another program into one agent: reads them in this process, and sends the items to be stored.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use annals_core::{Agent, Error, ObjectKind, Result, Role, Zones};
use annals_importers::{Kind, Limits, Options, Source};
use annals_service::calls::{GetSettings, ImportItems};
use annals_service::wire::{ImportReport, ItemsRequest};
use annals_service::{ProgressSink, read_source};
use futures::StreamExt;
use futures::stream::unfold;
use jiff::tz::TimeZone;

use super::report;
use crate::catalog;
use crate::cli::{Global, Import};
use crate::commands::{data, now};
use crate::failure;
use crate::progress::Bars;
use crate::run_or_hand_over::Client;
use crate::view::print_json;

/// Time between two updates of the progress display.
const SHOWN_EVERY: Duration = Duration::from_millis(200);

pub(crate) async fn run(global: &Global, args: &Import, kind: Kind) -> Result<ExitCode> {
    args.time_zone.as_deref().map(Zones::new).transpose()?;
    let agent = Agent::new(args.agent.as_deref().unwrap_or_default())?;
    refuse_data_folder(global, &args.files)?;
    let source = sources(global, args, kind)?;
    let report = if args.dry_run {
        preview(global, args, kind, &agent, source).await?
    } else {
        import(global, args, kind, &agent, source).await?
    };
    if global.json {
        print_json(&report);
    } else {
        report::print(&report);
    }
    warn_of_names(args, kind, &report);
    if report.found.is_empty() && !report.skipped.is_empty() {
        let reason = "holds nothing that can be imported; the report says what was skipped";
        return Err(Error::invalid("the source", reason));
    }
    Ok(ExitCode::SUCCESS)
}

/// Warns if, in a source that names its people, `--me` is none of their names, or no message is from an `--assistant`.
fn warn_of_names(args: &Import, kind: Kind, report: &ImportReport) {
    if !matches!(kind, Kind::Slack | Kind::WhatsApp | Kind::Csv) {
        return;
    }
    let people = &report.found.people;
    let speaks = |name: &str| people.keys().any(|other| other.to_lowercase() == name.to_lowercase());
    if let Some(me) = args.me.as_deref().filter(|me| !people.is_empty() && !speaks(me)) {
        failure::print(&format!("annals: --me {me:?} is none of the people here: {}", report::people(&report.found)));
    }
    if !args.assistant.is_empty() && !report.found.roles.contains_key(Role::Assistant.as_str()) {
        failure::print(&format!("annals: nothing here is from --assistant {:?}", args.assistant.join(", ")));
    }
}

/// Refuses to read the data folder, files in it, and a folder that contains it. If this process serves it, closing a file of
/// the catalog would drop SQLite's locks.
pub(crate) fn refuse_data_folder(global: &Global, files: &[PathBuf]) -> Result<()> {
    let Ok(data) = data(global)?.canonicalize() else { return Ok(()) };
    for path in files {
        let Ok(named) = path.canonicalize() else { continue };
        if named.starts_with(&data) || (data.starts_with(&named) && catalog::exists(&data)) {
            let reason = "is the data folder of Annals, or contains it; name the files of the other program";
            return Err(Error::invalid(path.display().to_string(), reason));
        }
    }
    Ok(())
}

/// Opens the files. Standard input is copied to a file without a name, because it is read more than once. It cannot be read
/// together with files.
fn sources(global: &Global, args: &Import, kind: Kind) -> Result<Source> {
    let Some(_) = args.files.iter().find(|path| path.as_os_str() == "-") else {
        return Source::open(&args.files, Limits::default());
    };
    if args.files.len() > 1 {
        return Err(Error::invalid("-", "reads standard input, and cannot be given together with files"));
    }
    let data = data(global)?;
    let scratch = if data.is_dir() && !args.dry_run { data } else { std::env::temp_dir() };
    Source::from_reader(kind.file_name(), &mut std::io::stdin(), &scratch, Limits::default())
}

async fn import(global: &Global, args: &Import, kind: Kind, agent: &Agent, source: Source) -> Result<ImportReport> {
    let client = Client::open_or_create(global).await?;
    let options = options(args, client.now(), zone(args, Some(&client), agent).await?);
    let (size, read) = (source.size(), source.bytes_read());
    let request = ItemsRequest { from: kind.to_string(), time_zone: args.time_zone.clone(), unforget: args.unforget };
    let (items, summary) = read_source(kind, source, options).into_parts();
    let items = unfold(items, async |mut items| {
        let item = serde_json::to_value(items.recv().await?);
        Some((item.map_err(|cause| Error::storage("sending an item of an import", cause)), items))
    });
    let import = Box::pin(client.call_with(ImportItems { agent: agent.name().to_owned(), request }, items.boxed()));
    let stored = show_bytes(&Bars::new(global.json), size, &read, import).await?;
    // If the source has an error, the items before it are stored.
    let summary = summary.await.map_err(|cause| Error::storage("reading the source", cause))??;
    Ok(ImportReport::new(agent.name(), kind.as_str(), &summary, Some(stored)))
}

/// Reads everything and stores nothing. Creates no data folder.
async fn preview(global: &Global, args: &Import, kind: Kind, agent: &Agent, source: Source) -> Result<ImportReport> {
    let client = if catalog::exists(&data(global)?) { Some(Client::open(global).await?) } else { None };
    let options = options(args, now(global), zone(args, client.as_ref(), agent).await?);
    let (size, read) = (source.size(), source.bytes_read());
    let reader = read_source(kind, source, options);
    let summary = show_bytes(&Bars::new(global.json), size, &read, reader.finish()).await?;
    Ok(ImportReport::new(agent.name(), kind.as_str(), &summary, None))
}

/// Returns the zone for times without an offset: the given zone, otherwise the zone of the agent, or UTC if there is no data
/// folder yet.
async fn zone(args: &Import, client: Option<&Client>, agent: &Agent) -> Result<TimeZone> {
    let name = match (&args.time_zone, client) {
        (Some(name), _) => name.clone(),
        (None, Some(client)) => zone_of(client, agent).await?,
        (None, None) => "UTC".to_owned(),
    };
    TimeZone::get(&name).map_err(|_| Error::invalid("time_zone", format!("is {name:?}, which is no IANA time zone")))
}

/// Returns the time zone of an agent; UTC, the zone of new agents, if the agent does not exist.
async fn zone_of(client: &Client, agent: &Agent) -> Result<String> {
    match client.call(GetSettings { agent: agent.name().to_owned() }).await {
        Ok(settings) => Ok(settings.time_zone),
        Err(Error::NotFound { what: ObjectKind::Agent, .. }) => Ok("UTC".to_owned()),
        Err(error) => Err(error),
    }
}

fn options(args: &Import, now: annals_core::Timestamp, zone: TimeZone) -> Options {
    let defaults = Options::new(now);
    Options {
        me: args.me.clone(),
        assistants: args.assistant.clone(),
        zone,
        branches: args.branches.unwrap_or(defaults.branches),
        tools: args.tools,
        thinking: args.thinking,
        date_order: args.date_order,
        columns: args.columns.iter().cloned().collect(),
        ..defaults
    }
}

/// Waits for work, and shows how much of the source was read.
async fn show_bytes<T>(bars: &Bars, size: u64, read: &Arc<AtomicU64>, work: impl Future<Output = T>) -> T {
    let (total, mut shown) = (size.div_ceil(1024), 0);
    let stage = bars.begin("reading KiB", total);
    let mut ticks = tokio::time::interval(SHOWN_EVERY);
    let mut work = std::pin::pin!(work);
    loop {
        let done = tokio::select! {
            done = &mut work => Some(done),
            _ = ticks.tick() => None,
        };
        // Some files are read more than once, so the count may exceed the total.
        let now = if done.is_some() { total } else { (read.load(Ordering::Relaxed) / 1024).min(total) };
        stage.advance(now.saturating_sub(shown));
        shown = shown.max(now);
        if let Some(done) = done {
            return done;
        }
    }
}
