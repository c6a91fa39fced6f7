//! Finds whether a transaction was committed when the connection was lost before the answer.
//!
//! Each transaction writes its number into the service's row of `commit_mark`. After the loss the new session reads that row:
//! the lock of the session ensures that the former session has ended, so its transaction is committed or rolled back for good.
//! The row moves with the data to a standby that takes over. If another service has started meanwhile, it has removed the row;
//! then the outcome is unknown, and the error says so.

use std::cell::Cell;

use super::{Postgres, errors};
use crate::db::{Db, Error, Result, Sql, Transactions, params};

/// The number of attempts to read the outcome, if the connection is lost again meanwhile. After the last one the outcome counts
/// as unknown.
const ATTEMPTS: usize = 3;

/// The service's random id, and the number of its last transaction.
pub(super) struct Marks {
    service: i64,
    last: Cell<i64>,
}

impl Marks {
    pub(super) fn new() -> Result<Marks, Error> {
        let mut service = [0; 8];
        getrandom::fill(&mut service).map_err(Error::other)?;
        Ok(Marks { service: i64::from_be_bytes(service), last: Cell::new(0) })
    }
}

impl Postgres {
    /// Commits the transaction. If the connection is lost, finds out whether the commit happened.
    pub(super) fn commit(&self) -> Result<(), Error> {
        let number = self.marks.last.get() + 1;
        self.marks.last.set(number);
        let mark = format!(
            "INSERT INTO commit_mark (service, number) VALUES ({}, {number})
                ON CONFLICT (service) DO UPDATE SET number = excluded.number",
            self.marks.service
        );
        match self.batch(&format!("{mark}; COMMIT")) {
            Err(error) if self.must_repeat() => self.outcome(number, error),
            done => done,
        }
    }

    /// Finds the outcome of an interrupted commit. Returns `Ok` if the transaction was committed, a transient error if not, and
    /// another error if the outcome is unknown.
    fn outcome(&self, number: i64, error: Error) -> Result<(), Error> {
        for _ in 0..ATTEMPTS {
            let found = self.ready().map_err(Into::into).and_then(|()| self.marked());
            match found {
                Ok(Some(found)) if found == number => return Ok(()),
                Ok(Some(_)) => return Err(Error::transient(error)),
                Ok(None) => break,
                Err(_) if self.must_repeat() => {}
                Err(_) => break,
            }
        }
        Err(errors::unknown(&error))
    }

    /// Returns the number of the service's last committed transaction; `None` if it has committed none, or if another service
    /// has removed the row.
    fn marked(&self) -> Result<Option<i64>> {
        let db: &dyn Db = self;
        let sql = "SELECT number FROM commit_mark WHERE service = ?1";
        db.query_optional(sql, params![self.marks.service], |row| row.get(0))
    }

    /// Removes the rows of former services.
    pub(super) fn drop_former_marks(&self) -> Result<()> {
        let db: &dyn Db = self;
        let sql = "DELETE FROM commit_mark WHERE service <> ?1";
        db.execute(Sql::Once(sql), params![self.marks.service]).map(|_| ())
    }
}
