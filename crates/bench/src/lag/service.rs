//! A separate service process over a data folder, stopped with SIGTERM.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep};

use crate::growth::Failure;
use crate::load::client::Client;

/// Limits that a single key does not reach, because this benchmark measures latency, not throughput.
const LIMITS: [&str; 3] = ["limits.requests_per_minute=1000000", "limits.burst=100000", "limits.concurrent=1000"];

/// Jobs that [`Service::settle`] waits for. They run at the start if they never ran over this folder.
const AT_START: [&str; 3] = ["rollup", "compaction", "verification"];
const DEADLINE: Duration = Duration::from_secs(900);

/// A running service. Dropping it kills the process.
pub(crate) struct Service {
    process: Child,
    address: String,
}

impl Service {
    /// Starts the command on a free port. Returns once it listens.
    pub(crate) async fn start(command: &Path, data: &Path) -> Result<Service, Failure> {
        let mut call = Command::new(command);
        call.arg("serve").arg("--data").arg(data).args([
            "--json",
            "--listen",
            "127.0.0.1:0",
            "--set",
            "log.level=error",
        ]);
        call.args(LIMITS.iter().flat_map(|limit| ["--set", *limit]));
        let process = call.stdout(Stdio::piped()).kill_on_drop(true).spawn();
        let mut process = process.map_err(|error| format!("cannot start {}: {error}", command.display()))?;
        let out = process.stdout.take().ok_or("the service has no standard output")?;
        let line = BufReader::new(out).lines().next_line().await?.ok_or("the service ended at once")?;
        let greeting: Value = serde_json::from_str(&line)?;
        let address = greeting["address"].as_str().and_then(|address| address.strip_prefix("http://"));
        Ok(Service { process, address: address.ok_or("the service has printed no address")?.to_owned() })
    }

    /// Waits until the jobs that run at the start are done. Fails after [`DEADLINE`].
    pub(crate) async fn settle(&self) -> Result<(), Failure> {
        let until = Instant::now() + DEADLINE;
        let mut client = Client::connect(&self.address, None).await?;
        loop {
            let metrics = client.text("/metrics").await?;
            if AT_START.iter().all(|job| metrics.contains(&format!("annals_job_seconds_count{{job=\"{job}\"}}"))) {
                return Ok(());
            }
            if Instant::now() > until {
                return Err("the jobs of the service's start take too long".into());
            }
            sleep(Duration::from_millis(200)).await;
        }
    }

    /// Returns host and port.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Returns the resident memory that the service reports, in MiB.
    pub(crate) async fn resident_mb(&self) -> Result<f64, Failure> {
        Ok(Client::connect(&self.address, None).await?.resident().await? / 1_048_576.0)
    }

    /// Stops the service and waits until it has exited.
    pub(crate) async fn stop(mut self) -> Result<(), Failure> {
        let number = self.process.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        kill_process(number.ok_or("the service has ended already")?, Signal::TERM)?;
        let status = self.process.wait().await?;
        if status.success() { Ok(()) } else { Err(format!("the service ended with {status}").into()) }
    }
}
