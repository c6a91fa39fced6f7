//! Attaches the disk of `disk.rs` to SQLite as a VFS.
//!
//! Behaves like SQLite's own unix files where it matters here: the folder is synced with the first sync of a newly
//! created log or journal, and by a deletion that requests it; never with the database file. Needs no locks and no
//! shared memory, because the catalog opens its file exclusively.

#![expect(unsafe_code, reason = "a SQLite VFS is a table of C functions")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::ffi::{self, sqlite3_file, sqlite3_int64, sqlite3_io_methods, sqlite3_vfs};

use super::disk::Disk;

const LONGEST_PATH: c_int = 512;
const BLOCK: c_int = 4096;
/// 2000-01-01 as a Julian day; nothing here depends on the time.
const NOW: f64 = 2_451_544.5;

/// A disk registered with SQLite under a name. Lives as long as the process, as a registered VFS must.
pub(crate) struct Drive {
    name: String,
    disk: &'static Disk,
}

impl Drive {
    pub(crate) fn new() -> Drive {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let name = format!("power-cut-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let disk: &'static Disk = Box::leak(Box::default());
        let vfs = Box::leak(Box::new(table(disk, CString::new(name.clone()).unwrap())));
        // SAFETY: the table and everything it points to live for ever, and only SQLite changes it from here on.
        let code = unsafe { ffi::sqlite3_vfs_register(vfs, 0) };
        assert_eq!(code, ffi::SQLITE_OK);
        Drive { name, disk }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn disk(&self) -> &Disk {
        self.disk
    }
}

fn table(disk: &'static Disk, name: CString) -> sqlite3_vfs {
    sqlite3_vfs {
        iVersion: 1,
        szOsFile: c_int::try_from(size_of::<OpenFile>()).unwrap(),
        mxPathname: LONGEST_PATH,
        pNext: std::ptr::null_mut(),
        zName: name.into_raw(),
        pAppData: std::ptr::from_ref(disk).cast_mut().cast(),
        xOpen: Some(open),
        xDelete: Some(delete),
        xAccess: Some(access),
        xFullPathname: Some(full_path),
        xDlOpen: None,
        xDlError: None,
        xDlSym: None,
        xDlClose: None,
        xRandomness: Some(randomness),
        xSleep: Some(sleep),
        xCurrentTime: Some(current_time),
        xGetLastError: Some(last_error),
        xCurrentTimeInt64: None,
        xSetSystemCall: None,
        xGetSystemCall: None,
        xNextSystemCall: None,
    }
}

/// SQLite's handle of an open file, in memory that SQLite allocates.
#[repr(C)]
struct OpenFile {
    base: sqlite3_file,
    disk: &'static Disk,
    file: usize,
    /// Whether its next sync is the first of a newly created log or journal.
    sync_folder: bool,
}

static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 1,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(lock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: None,
    xShmLock: None,
    xShmBarrier: None,
    xShmUnmap: None,
    xFetch: None,
    xUnfetch: None,
};

/// SAFETY for all functions below: SQLite calls them as documented, with the table or an open file created here, text
/// that ends with NUL, and buffers of the given length.
unsafe fn disk_of(vfs: *mut sqlite3_vfs) -> &'static Disk {
    unsafe { &*(*vfs).pAppData.cast::<Disk>() }
}

unsafe fn opened<'f>(file: *mut sqlite3_file) -> &'f mut OpenFile {
    unsafe { &mut *file.cast::<OpenFile>() }
}

unsafe fn text<'t>(name: *const c_char) -> Option<&'t str> {
    (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_str().unwrap())
}

unsafe extern "C" fn open(
    vfs: *mut sqlite3_vfs,
    name: *const c_char,
    file: *mut sqlite3_file,
    flags: c_int,
    flags_given: *mut c_int,
) -> c_int {
    let disk = unsafe { disk_of(vfs) };
    unsafe { (*file).pMethods = std::ptr::null() };
    let Some((index, made)) = disk.open(unsafe { text(name) }, flags & ffi::SQLITE_OPEN_CREATE != 0) else {
        return ffi::SQLITE_CANTOPEN;
    };
    let sync_folder = made && flags & (ffi::SQLITE_OPEN_WAL | ffi::SQLITE_OPEN_MAIN_JOURNAL) != 0;
    let base = sqlite3_file { pMethods: &raw const METHODS };
    unsafe { file.cast::<OpenFile>().write(OpenFile { base, disk, file: index, sync_folder }) };
    if !flags_given.is_null() {
        unsafe { *flags_given = flags };
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn delete(vfs: *mut sqlite3_vfs, name: *const c_char, sync_folder: c_int) -> c_int {
    let (disk, name) = unsafe { (disk_of(vfs), text(name)) };
    match disk.delete(name.unwrap_or_default(), sync_folder != 0) {
        Ok(true) => ffi::SQLITE_OK,
        Ok(false) => ffi::SQLITE_IOERR_DELETE_NOENT,
        Err(_) => ffi::SQLITE_IOERR_DELETE,
    }
}

unsafe extern "C" fn access(vfs: *mut sqlite3_vfs, name: *const c_char, _: c_int, found: *mut c_int) -> c_int {
    let (disk, name) = unsafe { (disk_of(vfs), text(name)) };
    unsafe { *found = c_int::from(disk.exists(name.unwrap_or_default())) };
    ffi::SQLITE_OK
}

unsafe extern "C" fn full_path(_: *mut sqlite3_vfs, name: *const c_char, room: c_int, out: *mut c_char) -> c_int {
    let name = unsafe { CStr::from_ptr(name) }.to_bytes_with_nul();
    if name.len() > usize::try_from(room).unwrap_or(0) {
        return ffi::SQLITE_CANTOPEN;
    }
    unsafe { std::ptr::copy_nonoverlapping(name.as_ptr().cast(), out, name.len()) };
    ffi::SQLITE_OK
}

unsafe extern "C" fn randomness(_: *mut sqlite3_vfs, length: c_int, out: *mut c_char) -> c_int {
    unsafe { std::ptr::write_bytes(out, 7, usize::try_from(length).unwrap_or(0)) };
    length
}

unsafe extern "C" fn sleep(_: *mut sqlite3_vfs, microseconds: c_int) -> c_int {
    microseconds
}

unsafe extern "C" fn current_time(_: *mut sqlite3_vfs, out: *mut f64) -> c_int {
    unsafe { *out = NOW };
    ffi::SQLITE_OK
}

unsafe extern "C" fn last_error(_: *mut sqlite3_vfs, _: c_int, _: *mut c_char) -> c_int {
    0
}

unsafe extern "C" fn close(_: *mut sqlite3_file) -> c_int {
    ffi::SQLITE_OK
}

unsafe extern "C" fn read(file: *mut sqlite3_file, out: *mut c_void, length: c_int, at: sqlite3_int64) -> c_int {
    let (file, length) = (unsafe { opened(file) }, usize::try_from(length).unwrap_or(0));
    let out = unsafe { std::slice::from_raw_parts_mut(out.cast::<u8>(), length) };
    let found = file.disk.read(file.file, offset(at), out);
    out[found..].fill(0);
    if found == length { ffi::SQLITE_OK } else { ffi::SQLITE_IOERR_SHORT_READ }
}

unsafe extern "C" fn write(file: *mut sqlite3_file, from: *const c_void, length: c_int, at: sqlite3_int64) -> c_int {
    let (file, length) = (unsafe { opened(file) }, usize::try_from(length).unwrap_or(0));
    let bytes = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), length) };
    code(file.disk.write(file.file, offset(at), bytes), ffi::SQLITE_IOERR_WRITE)
}

unsafe extern "C" fn truncate(file: *mut sqlite3_file, size: sqlite3_int64) -> c_int {
    let file = unsafe { opened(file) };
    code(file.disk.truncate(file.file, offset(size)), ffi::SQLITE_IOERR_TRUNCATE)
}

unsafe extern "C" fn sync(file: *mut sqlite3_file, _: c_int) -> c_int {
    let file = unsafe { opened(file) };
    let sync_folder = std::mem::take(&mut file.sync_folder);
    code(file.disk.sync(file.file, sync_folder), ffi::SQLITE_IOERR_FSYNC)
}

unsafe extern "C" fn file_size(file: *mut sqlite3_file, size: *mut sqlite3_int64) -> c_int {
    let file = unsafe { opened(file) };
    unsafe { *size = sqlite3_int64::try_from(file.disk.size(file.file)).unwrap() };
    ffi::SQLITE_OK
}

unsafe extern "C" fn lock(_: *mut sqlite3_file, _: c_int) -> c_int {
    ffi::SQLITE_OK
}

unsafe extern "C" fn check_reserved_lock(_: *mut sqlite3_file, held: *mut c_int) -> c_int {
    unsafe { *held = 0 };
    ffi::SQLITE_OK
}

unsafe extern "C" fn file_control(_: *mut sqlite3_file, _: c_int, _: *mut c_void) -> c_int {
    ffi::SQLITE_NOTFOUND
}

unsafe extern "C" fn sector_size(_: *mut sqlite3_file) -> c_int {
    BLOCK
}

/// Reports that writing some bytes never damages adjacent bytes, as SQLite assumes of unix files.
unsafe extern "C" fn device_characteristics(_: *mut sqlite3_file) -> c_int {
    ffi::SQLITE_IOCAP_POWERSAFE_OVERWRITE
}

fn offset(at: sqlite3_int64) -> usize {
    usize::try_from(at).unwrap()
}

fn code(done: Result<(), super::disk::PowerGone>, otherwise: c_int) -> c_int {
    done.map_or(otherwise, |()| ffi::SQLITE_OK)
}
