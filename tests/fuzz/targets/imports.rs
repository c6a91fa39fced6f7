//! Files of other programs, as `annals import --from` reads them: plain, in a ZIP archive and compressed, as files and as streams.

use std::io::Write;
use std::path::{Path, PathBuf};

use annals_core::{Error, Message};
use annals_importers::{Branches, Imported, Item, Kind, Limits, Options, Source, detect, import};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::command::{NOW, files};
use crate::fuzz::{Verdict, fuzz};
use crate::import_from::{fixture, zip};

/// Bounds small enough for random archives to reach them.
const LIMITS: Limits = Limits { entries: 100, expanded: 16 << 20, ratio: 200, free: 1 << 20 };
/// Maximum size of a fixture. Larger fixtures have nothing that smaller ones lack.
const MAX_BYTES: u64 = 64 << 10;

/// Returns every fixture with its kind and file name in the first line: `slack 2026-03-09.json`.
fn good() -> Vec<Vec<u8>> {
    let root = PathBuf::from(fixture(""));
    let found = files(&root).into_iter().filter(|file| {
        let is_expected = file.extension().is_some_and(|end| end == "expect");
        !is_expected && file.metadata().is_ok_and(|metadata| metadata.len() <= MAX_BYTES)
    });
    found.map(|file| with_head(&root, &file)).collect()
}

fn with_head(root: &Path, file: &Path) -> Vec<u8> {
    let kind = file.strip_prefix(root).unwrap().iter().next().unwrap().to_string_lossy().into_owned();
    let kind = kind.split('.').next().unwrap();
    let name = file.file_name().unwrap().to_string_lossy();
    [format!("{kind} {name}\n").as_bytes(), &std::fs::read(file).unwrap()].concat()
}

/// Returns the kind and the name in the first line, and the content after it. A mutation may change the kind, so that another
/// importer reads the file.
fn parts(input: &[u8]) -> (Option<Kind>, String, &[u8]) {
    let end = input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
    let head = String::from_utf8_lossy(&input[..end]).into_owned();
    let (kind, name) = head.split_once(' ').unwrap_or(("", &head));
    let plain = name.chars().filter(|c| c.is_ascii_graphic() && *c != '/').take(60).collect::<String>();
    let kind = Kind::ALL.iter().copied().find(|known| known.as_str() == kind);
    (kind, plain, input.get(end + 1..).unwrap_or_default())
}

fn options() -> Options {
    let me = Some("Ann".to_owned());
    Options { tools: true, thinking: true, branches: Branches::All, me, ..Options::new(NOW.parse().unwrap()) }
}

/// Checks that an error is about the input or an option, and says why.
fn input_error(error: &Error) -> Verdict {
    match error {
        Error::Invalid(_) | Error::Faults(_) | Error::Storage { .. } if !error.to_string().is_empty() => Ok(()),
        other => Err(format!("not reported as a fault of the input: {other}")),
    }
}

/// Checks that a message can be stored.
fn storable(imported: &Imported) -> Verdict {
    let Item::Message(message) = &imported.item else { return Ok(()) };
    let names = [Some(&message.conversation), message.client_id.as_ref(), message.name.as_ref()];
    let is_name =
        |name: &String| !name.is_empty() && name.len() <= Message::MAX_NAME_BYTES && !name.contains(char::is_control);
    if names.into_iter().flatten().all(is_name) && message.content.len() <= Message::MAX_CONTENT_BYTES {
        Ok(())
    } else {
        Err(format!("a message that cannot be stored: {message:?}"))
    }
}

/// Imports a source as the given kind, or as the one that is detected. Returns the number of items.
fn imported(kind: Option<Kind>, source: annals_core::Result<Source>) -> Result<usize, String> {
    let mut source = match source {
        Ok(source) => source,
        Err(error) => return input_error(&error).map(|()| 0),
    };
    let kind = match kind.map_or_else(|| detect(&mut source).clear(), Ok) {
        Ok(kind) => kind,
        Err(error) => return input_error(&error).map(|()| 0),
    };
    let (mut count, mut verdict) = (0, Ok(()));
    let done = import(kind, &mut source, &options(), &mut |item| {
        count += 1;
        verdict = std::mem::replace(&mut verdict, Ok(())).and_then(|()| storable(&item));
        Ok(())
    });
    done.map(drop).or_else(|error| input_error(&error))?;
    verdict.map(|()| count)
}

/// Imports the input from a file, and once more from a stream. Checks that both give the same number of items.
fn check(input: &[u8]) -> Verdict {
    let (kind, name, content) = parts(input);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("x{name}"));
    std::fs::write(&path, content).unwrap();
    let from_file = imported(kind, Source::open(&[&path], LIMITS))?;
    let name = path.file_name().unwrap().to_str().unwrap();
    let streamed = imported(kind, Source::from_reader(name, &mut &*content, folder.path(), LIMITS))?;
    if from_file == streamed { Ok(()) } else { Err(format!("{from_file} items of the file, {streamed} of the stream")) }
}

#[test]
fn files_of_other_programs_are_imported_or_refused_with_a_reason() {
    fuzz("imports", &good(), check);
}

#[test]
fn archives_are_read_or_refused_with_a_reason() {
    let text = std::fs::read(fixture("chatgpt.json")).unwrap();
    let mut compressed = GzEncoder::new(Vec::new(), Compression::default());
    compressed.write_all(&text).unwrap();
    // An archive with an entry that expands a thousand times.
    let mut zeros = GzEncoder::new(Vec::new(), Compression::best());
    zeros.write_all(&vec![b' '; 4 << 20]).unwrap();
    let sources = [
        ("chatgpt export.zip", zip("conversations.json", &text)),
        ("chatgpt conversations.json.gz", compressed.finish().unwrap()),
        ("chatgpt spaces.json.gz", zeros.finish().unwrap()),
    ];
    let good = sources.map(|(head, bytes)| [format!("{head}\n").as_bytes(), &bytes].concat());
    fuzz("archives", &good, check);
}

/// Repeats one file of each kind up to a mebibyte, because the work must not grow faster than the input.
#[test]
fn long_files_are_read_to_their_end() {
    let mut of_kinds = good();
    of_kinds.dedup_by_key(|input| parts(input).0);
    let long: Vec<Vec<u8>> = of_kinds.iter().map(|input| lengthened(input)).collect();
    fuzz("long imports", &long, check);
}

fn lengthened(input: &[u8]) -> Vec<u8> {
    let (_, _, content) = parts(input);
    let head = &input[..input.len() - content.len()];
    let times = (1 << 20) / content.len().max(1);
    [head, &content.repeat(times.max(1))].concat()
}
