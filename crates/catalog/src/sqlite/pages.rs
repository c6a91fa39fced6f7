//! Reads and overwrites the unused parts of SQLite's pages through SQLite's own page table (`sqlite_dbpage`). The file
//! is not opened a second time, because closing it would drop SQLite's locks (`ahead.rs`).
//!
//! With `secure_delete` SQLite zeroes deleted rows and freed pages. But when a page is split or joined, rows that move
//! to another page leave their bytes in the gap between the page's index and its rows; a later deletion overwrites only
//! the row's new position. So this module overwrites the gaps and the free blocks among the rows, which SQLite never
//! reads. Page layout: <https://sqlite.org/fileformat2.html#b_tree_pages>.

use std::collections::HashSet;
use std::ops::Range;
use std::time::{Duration, Instant};

use annals_core::{Error, Phrases};
use rusqlite::{Connection, OptionalExtension, params};

use crate::db::Result;

/// The limits of one piece: pages read, pages written, and time spent. Other work waits for the end of the piece. On a busy
/// machine or a slow disk the time limit applies first.
const READ: u32 = 256;
const WRITTEN: u32 = 16;
const TIME: Duration = Duration::from_millis(5);

/// The first byte of an overflow page or a freelist page is the highest byte of a page number. Below this many pages
/// (128 GiB) it cannot equal the type byte of a page with rows.
const MOST_PAGES: u32 = 2 << 24;

/// A buffer of zeros, as long as SQLite's largest page.
static ZEROS: [u8; 65_536] = [0; 65_536];

/// The state of a walk over the pages.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    /// The page to continue with; `None` at the end.
    pub(crate) next: Option<u32>,
    /// Rows that this connection has changed so far. A higher number when the walk continues shows that others wrote
    /// meanwhile.
    pub(crate) changes: u64,
}

/// Returns whether pages can be cleaned one by one: SQLite must have been built with the page table, and the file must
/// be small enough to tell kinds of pages apart.
pub(crate) fn can_be_cleaned(connection: &Connection) -> Result<bool> {
    let sql = "SELECT 1 FROM pragma_module_list WHERE name = 'sqlite_dbpage'";
    Ok(connection.prepare_cached(sql)?.exists([])? && count(connection)? < MOST_PAGES)
}

/// Overwrites the unused parts of some pages, starting with page `from`. Runs inside a transaction.
pub(crate) fn clean(connection: &Connection, from: u32) -> Result<Progress> {
    let last = count(connection)?;
    let mut write = connection.prepare_cached("UPDATE sqlite_dbpage SET data = ?2 WHERE pgno = ?1")?;
    let (mut page, mut written, begun) = (from, 0, Instant::now());
    while page <= last && page - from < READ && written < WRITTEN && (page == from || begun.elapsed() < TIME) {
        if let Some(clean) = without_remains(connection, page)? {
            write.execute(params![page, clean])?;
            written += 1;
        }
        page += 1;
    }
    Ok(Progress { next: (page <= last).then_some(page), changes: connection.total_changes() })
}

/// Searches the unused parts of some pages for the phrases, starting with page `from`. Returns whether one was found,
/// and the progress.
pub(crate) fn unused_space_contains(connection: &Connection, phrases: &Phrases, from: u32) -> Result<(bool, Progress)> {
    let last = count(connection)?;
    let mut free = None;
    let (mut page, begun) = (from, Instant::now());
    while page <= last && page - from < READ && (page == from || begun.elapsed() < TIME) {
        let held = look(connection, page, |content| {
            let Some(unused) = unused(page, content)? else {
                // Overflow pages in use look like free pages. The free list is read only if such a page contains a
                // phrase.
                return Ok(phrases.is_in(content).then_some(true));
            };
            Ok(unused.into_iter().any(|range| phrases.is_in(&content[range])).then_some(false))
        })?;
        let is_found = match held {
            Some(true) => {
                if free.is_none() {
                    free = Some(free_pages(connection)?);
                }
                free.as_ref().is_some_and(|free| free.contains(&page))
            }
            Some(false) => true,
            None => false,
        };
        if is_found {
            return Ok((true, Progress { next: None, changes: connection.total_changes() }));
        }
        page += 1;
    }
    Ok((false, Progress { next: (page <= last).then_some(page), changes: connection.total_changes() }))
}

/// Returns the page with zeros in its unused parts; `None` if they are zero already.
fn without_remains(connection: &Connection, page: u32) -> Result<Option<Vec<u8>>> {
    look(connection, page, |content| {
        let ranges = unused(page, content)?.unwrap_or_default();
        if ranges.iter().all(|range| content[range.clone()] == ZEROS[..range.len()]) {
            return Ok(None);
        }
        let mut clean = content.to_vec();
        ranges.into_iter().for_each(|range| clean[range].fill(0));
        Ok(Some(clean))
    })
}

/// Passes the content of a page to `look`, and returns its result; `None` if the page no longer exists.
fn look<T>(connection: &Connection, page: u32, look: impl FnOnce(&[u8]) -> Result<Option<T>>) -> Result<Option<T>> {
    let mut read = connection.prepare_cached("SELECT data FROM sqlite_dbpage WHERE pgno = ?1")?;
    let mut rows = read.query([page])?;
    match rows.next()? {
        Some(row) => look(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?),
        None => Ok(None),
    }
}

/// Returns the unused parts of a page with rows; `None` for any other page.
fn unused(page: u32, content: &[u8]) -> Result<Option<Vec<Range<usize>>>> {
    // The first page begins with the file header.
    let header = if page == 1 { 100 } else { 0 };
    let index = match content.get(header) {
        Some(2 | 5) => header + 12,
        Some(10 | 13) => header + 8,
        _ => return Ok(None),
    };
    let damaged = || Error::damaged(format!("page {page} of the catalog"), "its index points beyond its end");
    let number = |at: usize| content.get(at..at + 2).map(|bytes| usize::from(bytes[0]) << 8 | usize::from(bytes[1]));
    let rows = number(header + 3).ok_or_else(damaged)?;
    let mut begin = number(header + 5).ok_or_else(damaged)?;
    if begin == 0 {
        begin = ZEROS.len();
    }
    let gap = index + 2 * rows..begin;
    if gap.start > gap.end || gap.end > content.len() {
        return Err(damaged().into());
    }
    let mut unused = vec![gap];
    let mut block = number(header + 1).ok_or_else(damaged)?;
    while block != 0 {
        let (next, size) = number(block).zip(number(block + 2)).ok_or_else(damaged)?;
        if size < 4 || block + size > content.len() || (next != 0 && next < block + size) {
            return Err(damaged().into());
        }
        // The first four bytes of a block link it into the list.
        unused.push(block + 4..block + size);
        block = next;
    }
    Ok(Some(unused))
}

/// Returns all free pages. SQLite stores them as a list of lists of page numbers.
fn free_pages(connection: &Connection) -> Result<HashSet<u32>> {
    let number = |content: &[u8], at: usize| {
        content.get(at..at + 4).map_or(0, |bytes| u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    };
    let mut free = HashSet::new();
    let mut list = look(connection, 1, |content| Ok(Some(number(content, 32))))?.unwrap_or(0);
    while list != 0 && free.insert(list) {
        let next = look(connection, list, |content| {
            let pages = usize::try_from(number(content, 4)).unwrap_or(0).min(content.len() / 4);
            free.extend((0..pages).map(|index| number(content, 8 + 4 * index)));
            Ok(Some(number(content, 0)))
        })?;
        list = next.unwrap_or(0);
    }
    Ok(free)
}

fn count(connection: &Connection) -> Result<u32> {
    Ok(connection.prepare_cached("PRAGMA page_count")?.query_row([], |row| row.get(0)).optional()?.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Folder;
    use crate::sqlite::open::{Options, open};

    /// `scripts/env.sh` sets the flags that build SQLite with the page table.
    #[test]
    fn sqlite_is_built_with_the_page_table() {
        let folder = Folder::new();
        assert!(can_be_cleaned(&open(&folder.path(), &Options::default()).unwrap().0).ok().unwrap());
    }

    #[test]
    fn unused_parts_are_the_gap_and_the_free_blocks() {
        fn check(page: u32, header: &[u8], blocks: &[(usize, [u8; 4])], expect: Option<&[(usize, usize)]>) {
            let mut content = vec![0xff; 512];
            let start = if page == 1 { 100 } else { 0 };
            content[start..start + header.len()].copy_from_slice(header);
            for (at, block) in blocks {
                content[*at..at + 4].copy_from_slice(block);
            }
            let found = unused(page, &content).ok().unwrap();
            let found: Option<Vec<_>> = found.map(|found| found.iter().map(|range| (range.start, range.end)).collect());
            assert_eq!(found.as_deref(), expect, "{header:?}");
        }
        // The header of a page: type, first free block, number of rows, start of the rows, fragments.
        check(2, &[13, 0, 0, 0, 3, 1, 0, 0], &[], Some(&[(14, 256)]));
        check(2, &[10, 0, 0, 0, 0, 2, 0, 0], &[], Some(&[(8, 512)]));
        check(2, &[5, 0, 0, 0, 3, 1, 0, 0], &[], Some(&[(18, 256)]));
        check(1, &[13, 0, 0, 0, 3, 1, 0, 0], &[], Some(&[(114, 256)]));
        let blocks = [(272, [1, 64, 0, 10]), (320, [0, 0, 0, 4])];
        check(2, &[13, 1, 16, 0, 3, 1, 0, 0], &blocks, Some(&[(14, 256), (276, 282), (324, 324)]));
        check(2, &[0, 0, 0, 9], &[], None);
    }

    #[test]
    fn impossible_page_layout_is_damage() {
        for header in [&[13, 0, 0, 0, 3, 0, 4, 0][..], &[13, 0, 0, 0, 3, 3, 0, 0], &[13, 1, 254, 0, 3, 1, 0, 0], &[13]]
        {
            assert!(unused(2, &[header, &[1; 500]].concat()[..header.len().max(8) + 400]).is_err(), "{header:?}");
        }
    }

    /// Writes text into a page where SQLite may leave remains.
    fn plant(connection: &Connection, page: u32) {
        let read = "SELECT data FROM sqlite_dbpage WHERE pgno = ?1";
        let mut content: Vec<u8> = connection.query_row(read, [page], |row| row.get(0)).unwrap();
        content[2000..2009].copy_from_slice(b"swordfish");
        connection.execute("UPDATE sqlite_dbpage SET data = ?2 WHERE pgno = ?1", params![page, content]).unwrap();
    }

    /// Searches all pages, in as many pieces as needed.
    fn is_found(connection: &Connection) -> bool {
        let phrases = Phrases::new(["swordfish"]);
        let mut from = Some(1);
        while let Some(page) = from {
            let (is_found, progress) = unused_space_contains(connection, &phrases, page).ok().unwrap();
            if is_found {
                return true;
            }
            from = progress.next;
        }
        false
    }

    fn clean_all(connection: &Connection) {
        let mut from = Some(1);
        while let Some(page) = from {
            from = clean(connection, page).ok().unwrap().next;
        }
    }

    #[test]
    fn remains_in_a_gap_are_found_and_overwritten() {
        let folder = Folder::new();
        let connection = open(&folder.path(), &Options::default()).unwrap().0;
        let root = "SELECT rootpage FROM sqlite_schema WHERE name = 'block'";
        plant(&connection, connection.query_row(root, [], |row| row.get(0)).unwrap());
        assert!(is_found(&connection));
        clean_all(&connection);
        assert!(!is_found(&connection));
        let check: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(check, "ok");
    }

    #[test]
    fn remains_are_found_in_free_pages_but_not_in_rows() {
        let folder = Folder::new();
        let connection = open(&folder.path(), &Options::default()).unwrap().0;
        let insert = "CREATE TABLE long (text TEXT); INSERT INTO long VALUES (hex(zeroblob(20000)))";
        connection.execute_batch(insert).unwrap();
        let last = count(&connection).ok().unwrap();
        plant(&connection, last);
        assert!(!is_found(&connection), "it belongs to a row");
        connection.execute_batch("DROP TABLE long").unwrap();
        assert!(!is_found(&connection), "free pages are overwritten");
        plant(&connection, last);
        assert!(is_found(&connection));
    }

    #[test]
    fn free_pages_of_every_list_are_found() {
        let folder = Folder::new();
        let connection = open(&folder.path(), &Options::default()).unwrap().0;
        connection
            .execute_batch(
                "CREATE TABLE long (text TEXT); INSERT INTO long VALUES (hex(zeroblob(4000000))); DROP TABLE long",
            )
            .unwrap();
        let expect: u32 = connection.query_row("PRAGMA freelist_count", [], |row| row.get(0)).unwrap();
        assert!(expect > 1900, "{expect}");
        assert_eq!(free_pages(&connection).ok().unwrap().len(), expect as usize);
    }
}
