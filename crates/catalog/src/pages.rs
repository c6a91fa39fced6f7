//! The parts of SQLite's pages that hold no row, seen through SQLite's own table of pages (`sqlite_dbpage`), so that nobody opens
//! the file beside it.
//!
//! With `secure_delete` SQLite writes zeros over rows that are deleted and over pages that become free. One thing stays: when a
//! page is split or joined, rows that move to another page leave their bytes behind, in the gap between the page's index and its
//! rows. A row that is deleted later is overwritten only where it is then. So the gaps, and the free blocks among the rows, are
//! overwritten here; SQLite never reads them. Layout of pages: <https://sqlite.org/fileformat2.html#b_tree_pages>.

use std::collections::HashSet;
use std::ops::Range;
use std::time::{Duration, Instant};

use annals_core::{Error, Phrases};
use rusqlite::{Connection, OptionalExtension, params};

use crate::failure::Result;

/// Pages that are looked at in one piece, how many may be written in it, and how long it may take: so long does other work wait. On
/// a machine that is busy, or whose disk is slow, the time is over first.
const READ: u32 = 256;
const WRITTEN: u32 = 16;
const TIME: Duration = Duration::from_millis(5);

/// The first byte of an overflow page or of a list of free pages is the highest of a page number. Below this many pages (128 GiB)
/// it cannot be mistaken for the kind of a page with rows.
const MOST_PAGES: u32 = 2 << 24;

/// The largest page of SQLite.
static ZEROS: [u8; 65_536] = [0; 65_536];

/// How far a walk over the pages has come.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    /// The page to go on with; none at the end.
    pub(crate) next: Option<u32>,
    /// Rows that this connection has changed so far. If it is more when the walk goes on, others wrote meanwhile.
    pub(crate) changes: u64,
}

/// Whether pages can be cleaned one by one: whether SQLite was built with the table of pages, and the file is not too large to tell
/// kinds of pages apart.
pub(crate) fn can_be_cleaned(connection: &Connection) -> Result<bool> {
    let sql = "SELECT 1 FROM pragma_module_list WHERE name = 'sqlite_dbpage'";
    Ok(connection.prepare_cached(sql)?.exists([])? && count(connection)? < MOST_PAGES)
}

/// Overwrites the unused parts of some pages, beginning with page `from`. Part of a transaction.
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

/// Whether unused parts of some pages, beginning with page `from`, hold any of the phrases; and how far it came.
pub(crate) fn unused_space_holds(connection: &Connection, phrases: &Phrases, from: u32) -> Result<(bool, Progress)> {
    let last = count(connection)?;
    let mut free = None;
    let (mut page, begun) = (from, Instant::now());
    while page <= last && page - from < READ && (page == from || begun.elapsed() < TIME) {
        let held = look(connection, page, |content| {
            let Some(unused) = unused(page, content)? else {
                // Pages of long rows, which belong to somebody, are told from free ones only where there is something to find.
                return Ok(phrases.is_in(content).then_some(true));
            };
            Ok(unused.into_iter().any(|range| phrases.is_in(&content[range])).then_some(false))
        })?;
        let holds = match held {
            Some(true) => {
                if free.is_none() {
                    free = Some(free_pages(connection)?);
                }
                free.as_ref().is_some_and(|free| free.contains(&page))
            }
            Some(false) => true,
            None => false,
        };
        if holds {
            return Ok((true, Progress { next: None, changes: connection.total_changes() }));
        }
        page += 1;
    }
    Ok((false, Progress { next: (page <= last).then_some(page), changes: connection.total_changes() }))
}

/// The page with zeros in its unused parts, unless they are that already.
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

/// Looks at a page. One that is not there any more is skipped.
fn look<T>(connection: &Connection, page: u32, look: impl FnOnce(&[u8]) -> Result<Option<T>>) -> Result<Option<T>> {
    let mut read = connection.prepare_cached("SELECT data FROM sqlite_dbpage WHERE pgno = ?1")?;
    let mut rows = read.query([page])?;
    match rows.next()? {
        Some(row) => look(row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?),
        None => Ok(None),
    }
}

/// The unused parts of a page with rows; none of any other page.
fn unused(page: u32, content: &[u8]) -> Result<Option<Vec<Range<usize>>>> {
    // The first page begins with the header of the file.
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
        // Its first four bytes are its place in the list.
        unused.push(block + 4..block + size);
        block = next;
    }
    Ok(Some(unused))
}

/// All free pages: a list of lists of page numbers.
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
    use crate::open::{Options, open};

    /// `scripts/env.sh` has SQLite built with it.
    #[test]
    fn sqlite_is_built_with_the_table_of_pages() {
        let folder = Folder::new();
        assert!(can_be_cleaned(&open(&folder.path(), &Options::default()).unwrap()).ok().unwrap());
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
        // Kind, first free block, rows, first byte of rows, fragments.
        check(2, &[13, 0, 0, 0, 3, 1, 0, 0], &[], Some(&[(14, 256)]));
        check(2, &[10, 0, 0, 0, 0, 2, 0, 0], &[], Some(&[(8, 512)]));
        check(2, &[5, 0, 0, 0, 3, 1, 0, 0], &[], Some(&[(18, 256)]));
        check(1, &[13, 0, 0, 0, 3, 1, 0, 0], &[], Some(&[(114, 256)]));
        let blocks = [(272, [1, 64, 0, 10]), (320, [0, 0, 0, 4])];
        check(2, &[13, 1, 16, 0, 3, 1, 0, 0], &blocks, Some(&[(14, 256), (276, 282), (324, 324)]));
        check(2, &[0, 0, 0, 9], &[], None);
    }

    #[test]
    fn pages_that_cannot_be_are_damage() {
        for header in [&[13, 0, 0, 0, 3, 0, 4, 0][..], &[13, 0, 0, 0, 3, 3, 0, 0], &[13, 1, 254, 0, 3, 1, 0, 0], &[13]]
        {
            assert!(unused(2, &[header, &[1; 500]].concat()[..header.len().max(8) + 400]).is_err(), "{header:?}");
        }
    }

    /// Puts words into a page where SQLite may leave them.
    fn plant(connection: &Connection, page: u32) {
        let read = "SELECT data FROM sqlite_dbpage WHERE pgno = ?1";
        let mut content: Vec<u8> = connection.query_row(read, [page], |row| row.get(0)).unwrap();
        content[2000..2009].copy_from_slice(b"swordfish");
        connection.execute("UPDATE sqlite_dbpage SET data = ?2 WHERE pgno = ?1", params![page, content]).unwrap();
    }

    /// Looks at all pages, in as many pieces as it takes.
    fn is_found(connection: &Connection) -> bool {
        let phrases = Phrases::new(["swordfish"]);
        let mut from = Some(1);
        while let Some(page) = from {
            let (holds, progress) = unused_space_holds(connection, &phrases, page).ok().unwrap();
            if holds {
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
        let connection = open(&folder.path(), &Options::default()).unwrap();
        let root = "SELECT rootpage FROM sqlite_schema WHERE name = 'block'";
        plant(&connection, connection.query_row(root, [], |row| row.get(0)).unwrap());
        assert!(is_found(&connection));
        clean_all(&connection);
        assert!(!is_found(&connection));
        let check: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(check, "ok");
    }

    #[test]
    fn remains_in_a_free_page_are_found_and_those_in_a_row_are_none() {
        let folder = Folder::new();
        let connection = open(&folder.path(), &Options::default()).unwrap();
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
    fn free_pages_are_found_in_all_their_lists() {
        let folder = Folder::new();
        let connection = open(&folder.path(), &Options::default()).unwrap();
        connection
            .execute_batch(
                "CREATE TABLE long (text TEXT); INSERT INTO long VALUES (hex(zeroblob(4000000))); DROP TABLE long",
            )
            .unwrap();
        let told: u32 = connection.query_row("PRAGMA freelist_count", [], |row| row.get(0)).unwrap();
        assert!(told > 1900, "{told}");
        assert_eq!(free_pages(&connection).ok().unwrap().len(), told as usize);
    }
}
