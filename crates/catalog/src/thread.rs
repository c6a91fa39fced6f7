//! The one thread that owns the connection, and group commit.
//!
//! Jobs arrive over a bounded channel; the thread takes those that wait, up to a maximum. Reads and non-transactional
//! statements run before the write batch; reads need no transaction, because nobody else can write between their statements, except where a
//! process [only reads](Transactions::read_only).
//! The writes run one after another in one transaction, each in its own savepoint, so that a failed one rolls back alone. They
//! are answered only after the commit; if it fails, all of them fail. A read that follows an answered write sees it. A job in
//! pieces, such as a file copy, lets waiting jobs run between its pieces; there is one at a time. A job that panics fails, and
//! the thread continues.
//!
//! A connection to a database server may be lost. The work under way is then repeated as a whole on a new connection, so a job
//! is a function that can run again. If the connection is lost during a commit, the driver finds out whether the commit
//! happened. The transaction is repeated only if it did not, and fails if this cannot be found out.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::JoinHandle;

use annals_core::Error;
use tokio::sync::{mpsc, oneshot};

use crate::db::{self, Db, Failure, Result, Transactions};

/// Capacity of the job channel, and maximum number of jobs in one commit: large enough for many concurrent callers, and a bound
/// on how long the first one waits for the last.
const WAITING: usize = 128;

/// Maximum number of times that a job or a transaction is tried, if the connection is lost or another transaction conflicts
/// each time.
const ATTEMPTS: usize = 4;

/// A handle to the thread. Dropping it waits until all jobs are done and the connection is closed, unless it only reads.
pub struct Thread<C> {
    /// `Some` until the handle is dropped; closing the channel ends the thread.
    jobs: Option<mpsc::Sender<Job<C>>>,
    /// `None` if nobody waits for the end of the thread.
    thread: Option<JoinHandle<()>>,
}

impl<C: Transactions + Send + 'static> Thread<C> {
    /// Starts the thread on an open connection.
    pub(crate) fn start(db: C) -> annals_core::Result<Thread<C>> {
        Thread::spawn(Owner {
            db,
            #[cfg(test)]
            answers_before_commit: false,
        })
    }

    /// Does the same for a connection that only reads. Dropping the handle does not wait, because no work needs to be finished.
    pub(crate) fn start_to_read(db: C) -> annals_core::Result<Thread<C>> {
        let mut thread = Thread::start(db)?;
        thread.thread = None;
        Ok(thread)
    }

    /// Starts a thread that loses acknowledged writes, to show that tests find it.
    #[cfg(test)]
    pub(crate) fn answering_before_commit(db: C) -> annals_core::Result<Thread<C>> {
        Thread::spawn(Owner { db, answers_before_commit: true })
    }

    fn spawn(owner: Owner<C>) -> annals_core::Result<Thread<C>> {
        let (jobs, waiting) = mpsc::channel(WAITING);
        let thread = std::thread::Builder::new()
            .name("catalog".into())
            .spawn(move || owner.serve(waiting))
            .map_err(|error| Error::storage("starting the catalog's thread", error))?;
        Ok(Thread { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Runs a job that changes nothing. `doing` is the context of its errors, for example `listing agents`.
    pub(crate) async fn read<T, F>(&self, doing: &'static str, work: F) -> annals_core::Result<T>
    where
        T: Send + 'static,
        F: Fn(&dyn Db) -> Result<T> + Send + 'static,
    {
        self.hand_in(doing, move |db: &C| work(db), Job::Apart).await
    }

    /// Runs a job on the connection itself, outside the shared transaction; when this returns, its change is on disk.
    pub(crate) async fn alone<T, F>(&self, doing: &'static str, work: F) -> annals_core::Result<T>
    where
        T: Send + 'static,
        F: Fn(&C) -> Result<T> + Send + 'static,
    {
        self.hand_in(doing, work, Job::Apart).await
    }

    /// Runs a job that changes data; when this returns a result, the change is on disk. After an error it is rolled back,
    /// unless the error says that the outcome is unknown.
    pub(crate) async fn write<T, F>(&self, doing: &'static str, work: F) -> annals_core::Result<T>
    where
        T: Send + 'static,
        F: Fn(&dyn Db) -> Result<T> + Send + 'static,
    {
        self.hand_in(doing, move |db: &C| work(db), Job::Write).await
    }

    /// Does the same as [`Thread::write`], for a job on the connection itself.
    pub(crate) async fn write_directly<T, F>(&self, doing: &'static str, work: F) -> annals_core::Result<T>
    where
        T: Send + 'static,
        F: Fn(&C) -> Result<T> + Send + 'static,
    {
        self.hand_in(doing, work, Job::Write).await
    }

    /// Runs a job in pieces, outside a transaction. Between its pieces the job calls its second argument, which runs the
    /// waiting jobs.
    pub(crate) async fn in_pieces<T, F>(&self, doing: &'static str, work: F) -> annals_core::Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&C, &mut dyn FnMut()) -> annals_core::Result<T> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let work: InPieces<C> = Box::new(move |db, between| {
            // The caller may have gone away: ignore that.
            let _ = reply.send(run_job(doing, || work(db, between)));
        });
        self.submit(doing, Job::InPieces(work)).await?;
        answer.await.map_err(|_| ended(doing))?
    }

    async fn hand_in<T, F>(
        &self,
        doing: &'static str,
        work: F,
        job: fn(Box<dyn Task<C>>) -> Job<C>,
    ) -> annals_core::Result<T>
    where
        T: Send + 'static,
        F: Fn(&C) -> Result<T> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        self.submit(doing, job(Box::new(Pending { doing, work, result: None, reply }))).await?;
        answer.await.map_err(|_| ended(doing))?
    }

    async fn submit(&self, doing: &'static str, job: Job<C>) -> annals_core::Result<()> {
        self.jobs.as_ref().expect("taken only when dropped").send(job).await.map_err(|_| ended(doing))
    }
}

fn ended(doing: &'static str) -> Error {
    Error::storage(doing, "the catalog's thread has ended")
}

impl<C> Drop for Thread<C> {
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            // If the thread itself panicked, its callers have got an error.
            let _ = thread.join();
        }
    }
}

enum Job<C> {
    Write(Box<dyn Task<C>>),
    Apart(Box<dyn Task<C>>),
    InPieces(InPieces<C>),
}

type InPieces<C> = Box<dyn FnOnce(&C, &mut dyn FnMut()) + Send>;

/// A job, without the types of its work and its result.
trait Task<C>: Send {
    /// Runs the job and returns whether to keep its changes.
    fn run(&mut self, db: &C) -> bool;

    /// Sends the result to the caller, or an error if the job did not run or the commit failed.
    fn answer(self: Box<Self>, commit: Result<(), db::Error>);
}

struct Pending<T, F> {
    doing: &'static str,
    work: F,
    result: Option<Result<T>>,
    reply: oneshot::Sender<annals_core::Result<T>>,
}

impl<C, T, F> Task<C> for Pending<T, F>
where
    T: Send,
    F: Fn(&C) -> Result<T> + Send,
{
    fn run(&mut self, db: &C) -> bool {
        let work = &self.work;
        self.result.insert(run_job(self.doing, || work(db))).is_ok()
    }

    fn answer(self: Box<Self>, commit: Result<(), db::Error>) {
        let result = match (commit, self.result) {
            (Ok(()), result) => result.expect("all jobs of a transaction that was committed ran"),
            // The job's own disk error is more specific than the failed commit it caused.
            (Err(_), Some(Err(own @ Failure::Db(_)))) => Err(own),
            (Err(error), _) => Err(Failure::Db(error)),
        };
        // The caller may have gone away: ignore that.
        let _ = self.reply.send(result.map_err(|failure| failure.context(self.doing)));
    }
}

/// Runs a job, and returns an error if it panics. Unwind safety: the savepoint of a write is rolled back, and nothing else
/// outlives the job.
fn run_job<T, E: From<Error>>(doing: &'static str, job: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let panicked = |_| Err(Error::storage(doing, "the job panicked").into());
    catch_unwind(AssertUnwindSafe(job)).unwrap_or_else(panicked)
}

struct Owner<C> {
    db: C,
    #[cfg(test)]
    answers_before_commit: bool,
}

impl<C: Transactions> Owner<C> {
    /// Runs jobs until the handle is dropped and the queue is empty.
    fn serve(self, mut waiting: mpsc::Receiver<Job<C>>) {
        let mut long = VecDeque::new();
        while let Some(first) = waiting.blocking_recv() {
            self.work(Some(first), &mut waiting, &mut long);
            while let Some(job) = long.pop_front() {
                job(&self.db, &mut || self.work(None, &mut waiting, &mut long));
            }
        }
    }

    /// Runs `first` and the jobs that wait now, [`WAITING`] at most, and collects jobs in pieces in `long`. If there is no
    /// connection, all of them fail except those in pieces.
    fn work(&self, first: Option<Job<C>>, waiting: &mut mpsc::Receiver<Job<C>>, long: &mut VecDeque<InPieces<C>>) {
        let others = std::iter::from_fn(|| waiting.try_recv().ok());
        let (mut writes, mut apart) = (Vec::new(), Vec::new());
        for job in first.into_iter().chain(others).take(WAITING) {
            match job {
                Job::Write(task) => writes.push(task),
                Job::Apart(task) => apart.push(task),
                Job::InPieces(job) => long.push_back(job),
            }
        }
        if let Err(error) = self.db.ready() {
            apart.into_iter().chain(writes).for_each(|task| task.answer(Err(error.clone())));
            return;
        }
        // Reads need not wait for the disk: every write that they must see was committed before they were submitted.
        for mut task in apart {
            self.run_apart(&mut *task);
            task.answer(Ok(()));
        }
        self.write_together(writes);
    }

    fn run_apart(&self, task: &mut dyn Task<C>) {
        for _ in 0..ATTEMPTS {
            self.db.read_only(|| {
                task.run(&self.db);
            });
            if !self.db.must_repeat() || self.db.ready().is_err() {
                return;
            }
        }
    }

    fn write_together(&self, mut writes: Vec<Box<dyn Task<C>>>) {
        if writes.is_empty() {
            return;
        }
        let mut outcome = self.commit_together(&mut writes);
        for _ in 1..ATTEMPTS {
            if !outcome.as_ref().is_err_and(db::Error::is_transient) {
                break;
            }
            outcome = self.db.ready().and_then(|()| self.commit_together(&mut writes));
        }
        for write in writes {
            write.answer(outcome.clone());
        }
    }

    fn commit_together(&self, writes: &mut Vec<Box<dyn Task<C>>>) -> Result<(), db::Error> {
        self.db.transaction(|| {
            let run = writes.iter_mut().try_for_each(|write| self.db.savepoint(|| write.run(&self.db)));
            #[cfg(test)]
            if self.answers_before_commit {
                writes.drain(..).for_each(|write| write.answer(Ok(())));
            }
            run
        })
    }
}
