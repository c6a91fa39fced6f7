//! The one thread that owns the connection, and group commit.
//!
//! Jobs arrive over a bounded channel; the thread takes all that wait. Reads and non-transactional statements run
//! before the write batch; reads need no transaction, because nobody else can write between their statements. The
//! writes run one after another in one transaction, each in its own savepoint, so that a failed one rolls back alone.
//! They are answered only after the commit; if it fails, all of them fail. A read that follows an answered write sees
//! it. A file copy is made in pieces, one copy at a time, with waiting jobs between the pieces. A job that panics
//! fails; the thread continues.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use annals_core::Error;
use tokio::sync::{mpsc, oneshot};

use crate::Options;
use crate::changes;
use crate::db::{self, Db, Failure, Result, Transactions};
#[cfg(test)]
use crate::sqlite::open::Bug;
use crate::sqlite::{Sqlite, copy};

/// Capacity of the job channel and the most jobs in one commit: large enough for many concurrent callers, and a bound
/// on how long the first one waits for the last.
const WAITING: usize = 128;

/// A handle to the thread. Dropping it waits until all jobs are done and the file is closed.
pub(crate) struct Thread {
    /// `Some` until the handle is dropped; closing the channel ends the thread.
    jobs: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Thread {
    /// Starts the thread on an open connection.
    pub(crate) fn start(db: Sqlite, options: &Options) -> annals_core::Result<Thread> {
        let (jobs, waiting) = mpsc::channel(WAITING);
        let owner = Owner {
            db,
            #[cfg(test)]
            bug: options.bug,
        };
        #[cfg(not(test))]
        let _ = options;
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
        F: FnOnce(&dyn Db) -> Result<T> + Send + 'static,
    {
        self.hand_in(doing, |db| work(db), Job::Apart).await
    }

    /// Runs a job on the file itself, outside the shared transaction; when this returns, its change is on disk.
    pub(crate) async fn alone<T, F>(&self, doing: &'static str, work: F) -> annals_core::Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Sqlite) -> Result<T> + Send + 'static,
    {
        self.hand_in(doing, work, Job::Apart).await
    }

    /// Runs a job that changes data; when this returns, the change is on disk or rolled back.
    pub(crate) async fn write<T, F>(&self, doing: &'static str, work: F) -> annals_core::Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&dyn Db) -> Result<T> + Send + 'static,
    {
        self.hand_in(doing, |db| work(db), Job::Write).await
    }

    /// Does the same as [`Thread::write`], for a job on the pages of the file.
    pub(crate) async fn write_pages<T, F>(&self, doing: &'static str, work: F) -> annals_core::Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Sqlite) -> Result<T> + Send + 'static,
    {
        self.hand_in(doing, work, Job::Write).await
    }

    /// Copies all pages of the file to another, with other jobs between the pieces. Returns the highest sequence
    /// number in the copy, which contains everything that was acknowledged before this call.
    pub(crate) async fn copy(&self, path: &Path) -> annals_core::Result<i64> {
        let (reply, answer) = oneshot::channel();
        let gone = |_| Error::storage("copying the catalog", "the catalog's thread has ended");
        let job = Job::Copy((path.to_owned(), reply));
        self.jobs.as_ref().expect("taken only when dropped").send(job).await.map_err(|_| gone(()))?;
        answer.await.map_err(|_| gone(()))?
    }

    async fn hand_in<T, F>(&self, doing: &'static str, work: F, job: fn(Box<dyn Task>) -> Job) -> annals_core::Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Sqlite) -> Result<T> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let task = Box::new(Pending { doing, work: Some(work), result: None, reply });
        let gone = |_| Error::storage(doing, "the catalog's thread has ended");
        self.jobs.as_ref().expect("taken only when dropped").send(job(task)).await.map_err(|_| gone(()))?;
        answer.await.map_err(|_| gone(()))?
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            // Jobs cannot end the thread, so there is no panic to propagate.
            let _ = thread.join();
        }
    }
}

enum Job {
    Write(Box<dyn Task>),
    Apart(Box<dyn Task>),
    Copy(Copy),
}

/// The target path, and the channel for the resulting sequence number.
type Copy = (PathBuf, oneshot::Sender<annals_core::Result<i64>>);

/// A job with its types erased.
trait Task: Send {
    /// Runs the job and returns whether to keep its changes.
    fn run(&mut self, db: &Sqlite) -> bool;

    /// Sends the result to the caller, or an error if the commit failed.
    fn answer(self: Box<Self>, commit: Result<(), db::Error>);
}

struct Pending<T, F> {
    doing: &'static str,
    work: Option<F>,
    result: Option<Result<T>>,
    reply: oneshot::Sender<annals_core::Result<T>>,
}

impl<T, F> Task for Pending<T, F>
where
    T: Send,
    F: FnOnce(&Sqlite) -> Result<T> + Send,
{
    fn run(&mut self, db: &Sqlite) -> bool {
        let work = self.work.take().expect("a job runs once");
        // Unwind safety: the savepoint is rolled back, and nothing else outlives the job.
        let result = catch_unwind(AssertUnwindSafe(|| work(db)));
        let panicked = |_| Err(Error::storage(self.doing, "the job panicked").into());
        self.result.insert(result.unwrap_or_else(panicked)).is_ok()
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

/// The state on the thread.
struct Owner {
    db: Sqlite,
    #[cfg(test)]
    bug: Option<Bug>,
}

impl Owner {
    /// Runs jobs until the handle is dropped and the queue is empty.
    fn serve(self, mut waiting: mpsc::Receiver<Job>) {
        let mut copies = VecDeque::new();
        while let Some(first) = waiting.blocking_recv() {
            self.work(Some(first), &mut waiting, &mut copies);
            while let Some((path, reply)) = copies.pop_front() {
                let between = || self.work(None, &mut waiting, &mut copies);
                let copied = copy::copy_pages(&self.db, &path, between);
                // Read directly after the last piece: no write can come between.
                let last =
                    || changes::highest_seq(&self.db).map_err(|failure| failure.context("reading the sequences"));
                let _ = reply.send(copied.and_then(|()| last()));
            }
        }
    }

    /// Runs all jobs that wait now, and collects copy jobs in `copies`.
    fn work(&self, first: Option<Job>, waiting: &mut mpsc::Receiver<Job>, copies: &mut VecDeque<Copy>) {
        let others = std::iter::from_fn(|| waiting.try_recv().ok());
        let (mut writes, mut apart) = (Vec::new(), Vec::new());
        for job in first.into_iter().chain(others).take(WAITING) {
            match job {
                Job::Write(task) => writes.push(task),
                Job::Apart(task) => apart.push(task),
                Job::Copy(copy) => copies.push_back(copy),
            }
        }
        // Reads need not wait for the disk: every write that they must see was committed before they were submitted.
        for mut task in apart {
            task.run(&self.db);
            task.answer(Ok(()));
        }
        self.write_together(writes);
    }

    fn write_together(&self, mut writes: Vec<Box<dyn Task>>) {
        if writes.is_empty() {
            return;
        }
        let outcome = self.db.transaction(|| {
            let run = writes.iter_mut().try_for_each(|write| self.db.savepoint(|| write.run(&self.db)));
            #[cfg(test)]
            if self.bug == Some(Bug::AnswerBeforeCommit) {
                writes.drain(..).for_each(|write| write.answer(Ok(())));
            }
            run
        });
        for write in writes {
            write.answer(outcome.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SqliteCatalog;
    use crate::fixture::{Folder, user_turn};
    use crate::power_cut::{Drive, open};
    use annals_core::Agent;
    use annals_core::prelude::*;
    use annals_testkit::{agent, at};
    use futures::FutureExt;
    use futures::future::{join, join_all};
    use std::sync::mpsc as blocking;

    async fn say(catalog: &SqliteCatalog, agent: &Agent, id: &str, text: &str) -> annals_core::Result<()> {
        let turns = vec![user_turn(agent, id, text)];
        catalog.ingest(agent, turns, false, at("2026-06-01T00:00:00Z")).await.map(|_| ())
    }

    async fn turns(catalog: &SqliteCatalog, agent: &Agent) -> u64 {
        catalog.counts(agent).await.unwrap().memories[0]
    }

    /// Sends all the messages while the thread is busy, so that they wait together.
    async fn say_together(
        catalog: &SqliteCatalog,
        agent: &Agent,
        messages: &[(String, &str)],
    ) -> Vec<annals_core::Result<()>> {
        let (started, start) = blocking::channel();
        let (release, released) = blocking::channel::<()>();
        let mut busy = Box::pin(catalog.thread.read("waiting", move |_| {
            started.send(()).unwrap();
            released.recv().unwrap();
            Ok(())
        }));
        assert!(futures::poll!(busy.as_mut()).is_pending());
        start.recv().unwrap();
        // Polled in order: all messages are submitted before the thread is released.
        let sending = join_all(messages.iter().map(|(id, text)| say(catalog, agent, id, text)));
        let answers = join(sending, async { release.send(()).unwrap() }).await.0;
        busy.await.unwrap();
        answers
    }

    fn crowd(count: usize) -> Vec<(String, &'static str)> {
        (0..count).map(|index| (index.to_string(), "tea")).collect()
    }

    #[tokio::test]
    async fn waiting_writes_share_one_sync() {
        let drive = Drive::new();
        let (catalog, me) = (open(&drive, None).unwrap(), agent("me"));
        say(&catalog, &me, "before", "tea").await.unwrap();
        let before = drive.disk().milestones().len();
        let answers = say_together(&catalog, &me, &crowd(50)).await;
        assert!(answers.iter().all(Result::is_ok));
        assert_eq!(drive.disk().milestones().len() - before, 1);
        assert_eq!(turns(&catalog, &me).await, 51);
    }

    #[tokio::test]
    async fn failed_write_rolls_back_only_itself() {
        let folder = Folder::new();
        let (catalog, me) = (folder.open(), agent("me"));
        let mut messages = crowd(5);
        messages.insert(3, ("0".into(), "coffee"));
        let answers = say_together(&catalog, &me, &messages).await;
        let failed: Vec<usize> = (0..6).filter(|index| answers[*index].is_err()).collect();
        assert_eq!(failed, [3], "{answers:?}");
        assert!(matches!(answers[3], Err(Error::Conflict { .. })));
        assert_eq!(turns(&catalog, &me).await, 5);
        assert_eq!(catalog.check().await.unwrap(), Vec::<String>::new());
    }

    #[tokio::test]
    async fn failed_commit_fails_every_write_of_the_batch() {
        let drive = Drive::new();
        let (catalog, me) = (open(&drive, None).unwrap(), agent("me"));
        drive.disk().power_goes_at(drive.disk().steps());
        let mut messages = crowd(5);
        messages.push(("0".into(), "coffee"));
        for answer in say_together(&catalog, &me, &messages).await {
            assert!(matches!(&answer, Err(Error::Storage { what, .. }) if what == "storing messages"), "{answer:?}");
        }
        assert_eq!(turns(&catalog, &me).await, 0);
    }

    #[tokio::test]
    async fn panicking_job_is_rolled_back_and_thread_continues() {
        let folder = Folder::new();
        let (catalog, me) = (folder.open(), agent("me"));
        let panics = |db: &dyn Db| -> Result<()> {
            db.execute("INSERT INTO agent (workspace, name, settings) VALUES ('w', 'n', '{}')", &[])?;
            panic!("planted")
        };
        let error = catalog.thread.write("testing", panics).await.unwrap_err();
        assert_eq!(error.to_string(), "testing: the job panicked");
        assert_eq!(catalog.all_agents().await.unwrap(), []);
        say(&catalog, &me, "1", "tea").await.unwrap();
        assert_eq!(turns(&catalog, &me).await, 1);
    }

    #[tokio::test]
    async fn full_disk_is_an_error_until_space_returns() {
        let folder = Folder::new();
        let (catalog, me) = (folder.open(), agent("me"));
        let room = async |pages: i64| {
            let set = move |db: &Sqlite| Ok(db.batch(&format!("PRAGMA max_page_count = {pages}"))?);
            catalog.thread.alone("testing", set).await.unwrap();
        };
        room(1).await; // No pages beyond those in use.
        let long = "tea ".repeat(100_000);
        let error = say(&catalog, &me, "1", &long).await.unwrap_err();
        assert!(matches!(&error, Error::Storage { .. }), "{error}");
        assert!(error.to_string().contains("full"), "{error}");
        assert_eq!(turns(&catalog, &me).await, 0);
        room(1_000_000).await;
        say(&catalog, &me, "1", &long).await.unwrap();
        assert_eq!(catalog.check().await.unwrap(), Vec::<String>::new());
    }

    #[tokio::test]
    async fn dropping_the_handle_finishes_submitted_jobs() {
        let folder = Folder::new();
        let (catalog, me) = (folder.open(), agent("me"));
        for id in 0..20 {
            // Submitted by the first poll; nobody awaits the answer.
            let _ = say(&catalog, &me, &id.to_string(), "tea").now_or_never();
        }
        drop(catalog);
        assert_eq!(turns(&folder.open(), &me).await, 20);
    }
}
