use std::io::{Read, Write};
use std::path::Path;
use std::sync::atomic::Ordering;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::{Limits, Source};
use crate::kinds::testing::zipped;

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn streamed(name: &str, bytes: &[u8], limits: Limits) -> annals_core::Result<Source> {
    let scratch = tempfile::tempdir().unwrap();
    Source::from_reader(name, &mut &bytes[..], scratch.path(), limits)
}

/// Reads all files and returns each as `PATH=TEXT`, or `PATH!ERROR` if it cannot be read.
fn read_all(source: &mut Source) -> Vec<String> {
    let mut found = Vec::new();
    for entry in source.entries().to_vec() {
        let mut text = String::new();
        let result = source.open_entry(&entry).and_then(|mut input| input.read_to_string(&mut text));
        found.push(match result {
            Ok(_) => format!("{}={text}", entry.path),
            Err(cause) => format!("{}!{cause}", entry.path),
        });
    }
    found
}

#[track_caller]
fn refused(bytes: &[u8], expect: &str) {
    let error = streamed("x.zip", bytes, Limits::default()).err().expect("refused").to_string();
    assert!(error.contains(expect), "{error}");
}

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn folders_are_listed_in_order_and_gzip_is_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "b/two.json", b"2");
    write(folder.path(), "a.jsonl.gz", &gzipped(b"1"));
    write(folder.path(), "c.txt", b"");
    let mut source = Source::open(&[folder.path()], Limits::default()).unwrap();
    assert_eq!(read_all(&mut source), ["a.jsonl.gz=1", "b/two.json=2", "c.txt="]);
    let first = &source.entries()[0];
    assert_eq!((first.stem(), first.has_extension("jsonl"), first.has_extension("gz")), ("a", true, false));
}

#[test]
fn archives_and_streams_are_read() {
    let archive = zipped(&[("z.json", b"2"), ("a/b.json", &gzipped(b"1"))]);
    assert_eq!(read_all(&mut streamed("x", &archive, Limits::default()).unwrap()), ["a/b.json=1", "z.json=2"]);
    assert_eq!(
        read_all(&mut streamed("chat.json.gz", &gzipped(b"[]"), Limits::default()).unwrap()),
        ["chat.json.gz=[]"]
    );
    assert_eq!(read_all(&mut streamed("chat.json", b"[]", Limits::default()).unwrap()), ["chat.json=[]"]);
}

#[test]
fn places_name_the_archive_if_there_are_several() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "one.zip", &zipped(&[("c.json", b"1")]));
    write(folder.path(), "two.zip", &zipped(&[("c.json", b"2")]));
    write(folder.path(), "three.json", b"3");
    let paths = ["one.zip", "two.zip", "three.json"].map(|name| folder.path().join(name));
    let source = Source::open(&paths, Limits::default()).unwrap();
    let locations: Vec<String> = source.entries().iter().map(|entry| entry.location().to_string()).collect();
    assert_eq!(locations, ["one.zip/c.json", "two.zip/c.json", "three.json"]);
    assert_eq!(&*source.entries()[0].path, "c.json");
}

#[test]
fn links_are_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "secret/key", b"x");
    write(folder.path(), "export/a.json", b"1");
    std::os::unix::fs::symlink(folder.path().join("secret"), folder.path().join("export/link")).unwrap();
    let mut source = Source::open(&[folder.path().join("export")], Limits::default()).unwrap();
    assert_eq!(read_all(&mut source), ["a.json=1"]);
    assert_eq!(source.refused()[0].0.to_string(), "link");
}

#[test]
fn unsafe_paths_refuse_the_archive() {
    for path in ["../x.json", "/etc/passwd", "a/../../x", "..\\x.json", "C:\\x.json", "a/.."] {
        refused(&zipped(&[("ok.json", b"1"), (path, b"2")]), "unsafe path");
    }
}

#[test]
fn damaged_and_empty_archives_are_refused() {
    refused(b"PK\x03\x04nonsense", "not a readable ZIP archive");
    refused(&zipped(&[]), "contains no files");
    let whole = zipped(&[("a.json", b"{}")]);
    refused(&whole[..whole.len() - 10], "not a readable ZIP archive");
}

#[test]
fn too_many_files_are_refused() {
    let archive = zipped(&[("a", b"1"), ("b", b"2"), ("c", b"3")]);
    let error = streamed("x.zip", &archive, Limits { entries: 2, ..Limits::default() }).err().unwrap();
    assert!(error.to_string().contains("contains 3 files; 2 are allowed"), "{error}");
}

#[test]
fn file_that_expands_too_far_is_cut_off() {
    let zeros = vec![b' '; 3 << 20];
    let limits = Limits { free: 1 << 20, ..Limits::default() };
    let inner = gzipped(&zeros);
    for bytes in [zipped(&[("bomb.json", &zeros)]), gzipped(&zeros), zipped(&[("bomb.json.gz", &inner)])] {
        let read = read_all(&mut streamed("x", &bytes, limits).unwrap());
        assert!(read[0].contains("zip bomb"), "{}", &read[0][..80]);
    }
    let total = Limits { expanded: 1 << 20, ratio: u64::MAX, ..Limits::default() };
    assert!(read_all(&mut streamed("x", &gzipped(&zeros), total).unwrap())[0].contains("zip bomb"));
}

#[test]
fn overlapping_entries_are_refused() {
    // The entry of the second name points at the data of the first.
    let mut archive = zipped(&[("a.json", b"same length"), ("b.json", b"same length")]);
    let second = find(&archive, b"PK\x01\x02", 1);
    archive[second + 42..second + 46].copy_from_slice(&0_u32.to_le_bytes());
    refused(&archive, "overlapping");
}

fn find(bytes: &[u8], what: &[u8], skip: usize) -> usize {
    bytes.windows(what.len()).enumerate().filter(|(_, window)| *window == what).nth(skip).unwrap().0
}

#[test]
fn missing_paths_are_reported() {
    let error = Source::open(&["/nowhere/export.zip"], Limits::default()).err().unwrap();
    assert_eq!(error.to_string(), "/nowhere/export.zip does not exist");
}

#[test]
fn files_of_macos_are_not_read() {
    let archive = zipped(&[("a.json", b"1"), ("__MACOSX/._a.json", b"x"), (".DS_Store", b"x")]);
    let mut source = streamed("x.zip", &archive, Limits::default()).unwrap();
    assert_eq!(read_all(&mut source), ["a.json=1"]);
    assert_eq!(source.refused().len(), 2);
}

#[test]
fn stored_bytes_are_counted_while_they_are_read() {
    let text = "x".repeat(100_000);
    for bytes in [text.clone().into_bytes(), gzipped(text.as_bytes()), zipped(&[("a", text.as_bytes())])] {
        let mut source = streamed("a", &bytes, Limits::default()).unwrap();
        let (size, before) = (source.size(), source.bytes_read().load(Ordering::Relaxed));
        read_all(&mut source);
        let read = source.bytes_read().load(Ordering::Relaxed) - before;
        // An archive has a header before each file.
        assert!(read >= size && read <= size + 200, "{read} of {size}");
    }
}
