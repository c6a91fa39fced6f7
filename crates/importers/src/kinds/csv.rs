//! Reads CSV files with a row per message. The caller maps fields to columns (`content` → `Text`). A column that has the name
//! of a field, or a usual name such as `message`, needs no mapping. The separator may be a comma, semicolon, tab or bar. The
//! encoding may be UTF-8, or UTF-16 with a byte order mark, as spreadsheets write it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};

use annals_core::{Date, Error, Fault, Message, Result, Role, Timestamp};
use csv::{ByteRecord, Reader, ReaderBuilder};
use encoding_rs_io::DecodeReaderBytesBuilder;
use jiff::fmt::strtime;

use crate::dates;
use crate::detect::{Fit, Sample};
use crate::item::Location;
use crate::kind::Importer;
use crate::kinds::local_time::{self, Orders};
use crate::kinds::notes::clock;
use crate::kinds::texts::MadeIds;
use crate::options::{DateOrder, Options};
use crate::output::Output;
use crate::skipped::{Skip, SkipReason};
use crate::source::{Entry, Source};

pub struct Csv;

/// The fields of a message: name, whether a file must have a column for it, and further usual names of the column.
const FIELDS: [(&str, bool, &[&str]); 6] = [
    ("content", true, &["message", "text", "body"]),
    ("at", true, &["timestamp", "datetime", "date", "time", "created_at", "sent_at"]),
    ("name", false, &["author", "sender", "speaker", "from"]),
    ("role", false, &[]),
    ("conversation", false, &["thread", "chat", "channel"]),
    ("id", false, &["message_id"]),
];
/// Formats of dates with the English name of a month. Each may be followed by one of [`TIMES`].
const NAMED_MONTHS: [&str; 6] = ["%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y", "%d-%b-%Y", "%Y %b %d"];
const TIMES: [&str; 4] = ["", " %H:%M", " %H:%M:%S", " %I:%M %p"];
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

impl Importer for Csv {
    fn recognise(&self, sample: &mut Sample<'_>) -> Fit {
        match sample.entries().iter().find(|entry| is_table(entry)) {
            Some(entry) => Fit::Possible(format!("{} is a table; name its columns", entry.path)),
            None => Fit::No,
        }
    }

    fn read(&self, source: &mut Source, output: &mut Output<'_>) -> Result<()> {
        for entry in source.entries().to_vec() {
            if !is_table(&entry) {
                output.skip(Skip::no_message("file that is no table", &entry.location()));
                continue;
            }
            let order = order(source, &entry, output)?;
            read_table(source, &entry, order, output)?;
        }
        Ok(())
    }
}

fn is_table(entry: &Entry) -> bool {
    ["csv", "tsv", "tab"].into_iter().any(|extension| entry.has_extension(extension))
}

/// The index of the column of each field. Fields without a column are missing.
struct Columns(BTreeMap<&'static str, usize>);

impl Columns {
    /// Finds the columns in the first row. Returns an error that names the columns of the file if `content` or `at` has no
    /// column, if a field has several possible columns, or if the options map an unknown field or name a missing column.
    fn find(headers: &ByteRecord, options: &Options, location: &Location) -> Result<Columns> {
        let names: Vec<String> = headers.iter().map(|name| String::from_utf8_lossy(name).trim().to_owned()).collect();
        let wrong = |reason: String| {
            let reason = format!("{reason}; the columns of the file are {}", names.join(", "));
            Error::Invalid(Fault { file: Some(location.file.to_string()), ..Fault::new("--columns", reason) })
        };
        if let Some(field) = options.columns.keys().find(|field| FIELDS.iter().all(|(known, ..)| known != field)) {
            let known = FIELDS.map(|(name, ..)| name).join(", ");
            return Err(wrong(format!("maps the unknown field {field:?}; fields are {known}")));
        }
        let mut columns = BTreeMap::new();
        for (field, is_needed, usual) in FIELDS {
            let column = match options.columns.get(field) {
                Some(name) => {
                    let column = position(&names, name);
                    Some(column.ok_or_else(|| wrong(format!("maps {field} to {name:?}, which is no column")))?)
                }
                None => of_field(field, usual, &names).map_err(wrong)?,
            };
            if column.is_none() && is_needed {
                return Err(wrong(format!("must name the column of {field}: --columns {field}=COLUMN")));
            }
            columns.extend(column.map(|column| (field, column)));
        }
        Ok(Columns(columns))
    }

    /// Returns the value of a field without surrounding white space; `None` if it is missing or empty.
    fn value<'r>(&self, row: &'r [String], field: &str) -> Option<&'r str> {
        row.get(*self.0.get(field)?).map(|value| value.trim()).filter(|value| !value.is_empty())
    }
}

/// Returns the index of the column with this name; `None` if there is none. Ignores case if no name is equal.
fn position(names: &[String], name: &str) -> Option<usize> {
    let equal = names.iter().position(|column| column == name);
    equal.or_else(|| names.iter().position(|column| column.eq_ignore_ascii_case(name)))
}

/// Returns the index of the column that has the name of the field, or else of the only column with a usual name; `None` if
/// there is neither. Returns an error if several columns have usual names.
fn of_field(field: &str, usual: &[&str], names: &[String]) -> std::result::Result<Option<usize>, String> {
    if let Some(column) = position(names, field) {
        return Ok(Some(column));
    }
    let found: Vec<usize> = usual.iter().filter_map(|name| position(names, name)).collect();
    match found[..] {
        [first, second, ..] => {
            let (first, second) = (&names[first], &names[second]);
            Err(format!("must name the column of {field}, which may be {first} or {second}: --columns {field}={first}"))
        }
        _ => Ok(found.first().copied()),
    }
}

/// Decides the order of day and month over all dates of a table. If the dates do not show it, returns the order in the options,
/// or an error if they have none.
fn order(source: &mut Source, entry: &Entry, output: &mut Output<'_>) -> Result<DateOrder> {
    let location = entry.location();
    let mut orders = Orders::default();
    let options = output.options();
    each_row(source, entry, options, |columns, row, _| {
        let written =
            row.ok().and_then(|row| local_time::leading(columns.value(&row, "at")?).map(|(written, _)| written));
        written.iter().for_each(|written| orders.add(written));
        Ok(())
    })?;
    orders.decide().or(options.date_order).ok_or_else(|| {
        let reason =
            "is not clear: no date has a day above 12; name the order with --date-order dmy or --date-order mdy";
        Error::Invalid(Fault {
            file: Some(location.file.to_string()),
            ..Fault::new("the order of day and month", reason)
        })
    })
}

fn read_table(source: &mut Source, entry: &Entry, order: DateOrder, output: &mut Output<'_>) -> Result<()> {
    let location = entry.location();
    let mut ids = MadeIds::default();
    let options = output.options();
    each_row(source, entry, options, |columns, row, line| {
        let location = location.at_line(line);
        match row {
            Ok(row) => message(columns, &row, order, &mut ids, &location, output),
            Err(fault) => {
                output.skip(Skip::damaged("damaged row", fault, &location));
                Ok(())
            }
        }
    })
}

fn message(
    columns: &Columns,
    row: &[String],
    order: DateOrder,
    ids: &mut MadeIds,
    location: &Location,
    output: &mut Output<'_>,
) -> Result<()> {
    let Some(content) = columns.value(row, "content") else {
        output.skip(Skip::no_message("row without content", location));
        return Ok(());
    };
    let time = columns.value(row, "at");
    let Some(at) = time.and_then(|text| instant(text, order, output.options())) else {
        output.skip(Skip::new(SkipReason::Undated, "row without a readable time", time.unwrap_or_default(), location));
        return Ok(());
    };
    let name = columns.value(row, "name");
    let role = match columns.value(row, "role") {
        Some(text) => match role_of(text) {
            Some(role) => role,
            None => {
                output.skip(Skip::unknown(format!("unknown role {text:?}"), "", location));
                return Ok(());
            }
        },
        None if name.is_some_and(|name| output.options().assistants.iter().any(|other| other == name)) => {
            Role::Assistant
        }
        None => Role::User,
    };
    let file = location.file.rsplit('/').next().unwrap_or_default();
    let conversation = format!("csv:{}", columns.value(row, "conversation").unwrap_or(file));
    let made = || ids.next(&[&conversation, &at.to_string(), name.unwrap_or_default(), content]);
    let id = columns.value(row, "id").map_or_else(made, str::to_owned);
    let name = name.map(str::to_owned).or_else(|| output.name_of(role));
    output.message(Message { conversation, client_id: Some(id), role, name, content: content.to_owned(), at }, location)
}

fn role_of(text: &str) -> Option<Role> {
    match text.to_lowercase().as_str() {
        "user" | "human" => Some(Role::User),
        "assistant" | "ai" | "bot" | "model" | "agent" => Some(Role::Assistant),
        "system" => Some(Role::System),
        "tool" | "function" => Some(Role::Tool),
        _ => None,
    }
}

/// Reads a time: ISO 8601, a number of seconds, milliseconds or microseconds since 1970, or a date as written in some country.
/// Returns `None` for other texts. A day without a time of day becomes noon.
fn instant(text: &str, order: DateOrder, options: &Options) -> Option<Timestamp> {
    // Parsing as `Date` also accepts a time after the day, so the text is compared with the day alone.
    if let Some(day) = text.parse::<Date>().ok().filter(|day| day.to_string() == text) {
        return clock::instant(day.at(12, 0, 0, 0), &options.zone).and_then(dates::storable);
    }
    if let Some(at) = dates::of_text(text, &options.zone) {
        return Some(at);
    }
    let Some((written, rest)) = local_time::leading(text) else { return named_month(text, options) };
    // Text after the time may be a zone; any other text makes the time invalid.
    let (zone, length) = clock::zone(rest).unwrap_or((options.zone.clone(), 0));
    rest[length..].trim().is_empty().then(|| written.instant(order, &zone))?.and_then(dates::storable)
}

/// Reads a date such as `4 March 2026` or `Mar 4, 2026 18:30`. A day without a time becomes noon. Returns `None` for other
/// texts.
fn named_month(text: &str, options: &Options) -> Option<Timestamp> {
    let day = NAMED_MONTHS.iter().flat_map(|day| TIMES.map(|time| (format!("{day}{time}"), time.is_empty())));
    let (parsed, is_day) =
        day.filter_map(|(format, is_day)| Some((strtime::parse(format, text).ok()?, is_day))).next()?;
    let at = if is_day { parsed.to_date().ok()?.at(12, 0, 0, 0) } else { parsed.to_datetime().ok()? };
    clock::instant(at, &options.zone).and_then(dates::storable)
}

/// Passes the rows of a table to `read`, with their line numbers.
fn each_row<F>(source: &mut Source, entry: &Entry, options: &Options, mut read: F) -> Result<()>
where
    F: FnMut(&Columns, std::result::Result<Vec<String>, String>, u64) -> Result<()>,
{
    let failed = |cause: String| Error::Invalid(Fault::new(entry.path.to_string(), format!("cannot be read: {cause}")));
    let input = source.open_entry(entry).map_err(|cause| failed(cause.to_string()))?;
    let mut reader = table(input).map_err(|cause| failed(cause.to_string()))?;
    let columns =
        Columns::find(reader.byte_headers().map_err(|cause| failed(cause.to_string()))?, options, &entry.location())?;
    let width = reader.byte_headers().map(ByteRecord::len).unwrap_or_default();
    let mut record = ByteRecord::new();
    loop {
        let row = match reader.read_byte_record(&mut record) {
            Ok(false) => return Ok(()),
            Ok(true) if record.len() > width => Err(format!("has {} fields; the first row has {width}", record.len())),
            Ok(true) => {
                let fields: std::result::Result<Vec<String>, _> =
                    record.iter().map(|field| String::from_utf8(field.to_vec())).collect();
                fields.map_err(|_| "is not UTF-8 text; save the file as UTF-8".to_owned())
            }
            // The input cannot be read further, for example because the end of a gzip file is damaged.
            Err(cause) => {
                let line = reader.position().line();
                return read(&columns, Err(cause.to_string()), line);
            }
        };
        let line = record.position().map_or(0, csv::Position::line);
        read(&columns, row, line)?;
    }
}

/// Opens a table: decodes it according to its byte order mark, and takes the most frequent separator of the first line. Without
/// a mark the bytes are not decoded, so that only a row that is not UTF-8 is reported as damaged.
fn table(input: impl BufRead) -> std::io::Result<Reader<impl Read>> {
    let decoded = DecodeReaderBytesBuilder::new().bom_sniffing(true).strip_bom(true).utf8_passthru(true).build(input);
    let mut input = BufReader::new(decoded);
    let mut first = Vec::new();
    input.by_ref().take(1 << 20).read_until(b'\n', &mut first)?;
    let count = |separator: u8| first.iter().filter(|byte| **byte == separator).count();
    let separator = SEPARATORS.into_iter().rev().max_by_key(|separator| count(*separator)).unwrap_or(b',');
    Ok(ReaderBuilder::new().delimiter(separator).flexible(true).from_reader(std::io::Cursor::new(first).chain(input)))
}

#[cfg(test)]
mod tests;
