//! A server as a child process: its own group, a small environment, a drained standard error, and no orphan.
//!
//! Launchers such as `npx` start the real server as a grandchild, so a process is always the leader of a group and the
//! group is ended as a whole. Ending is polite and bounded: the closed standard input, then SIGTERM, then SIGKILL. A
//! value that is dropped without all that kills the group at once.

use std::collections::VecDeque;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use crate::endpoint::StdioEndpoint;
use crate::error::WireErrorKind;

/// The variables that are passed on without being named: what programs need to start at all, and nothing that is secret.
const PASSED_ON: &[&str] = &[
    "HOME",
    "LANG",
    "LC_ALL",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER", // Unix
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
    "WINDIR", // Windows
];

/// How much of standard error is kept, in bytes.
const STDERR_KEPT: usize = 8 << 10;

/// How many of its last lines an error shows.
const STDERR_LINES: usize = 12;

/// How long each step of an orderly end may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a process wrote to standard error, as far as it is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct StderrTail(Arc<Mutex<VecDeque<u8>>>);

impl StderrTail {
    /// The last lines.
    pub(crate) fn lines(&self) -> Vec<String> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = kept.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let skipped = lines.len().saturating_sub(STDERR_LINES);
        lines.into_iter().skip(skipped).map(str::to_owned).collect()
    }

    /// Reads to the end of the stream, for as long as the process lives: a full pipe would stop it.
    async fn drain(self, mut stderr: ChildStderr) {
        let mut chunk = [0; 4096];
        while let Ok(read @ 1..) = stderr.read(&mut chunk).await {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend(&chunk[..read]);
            let surplus = kept.len().saturating_sub(STDERR_KEPT);
            kept.drain(..surplus);
        }
    }
}

/// A running server process.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    group: Option<u32>,
    stderr: StderrTail,
}

impl Process {
    /// Starts the process and gives its two pipes.
    pub(crate) fn start(endpoint: &StdioEndpoint) -> Result<(Self, ChildStdin, ChildStdout), WireErrorKind> {
        let mut command = command(endpoint);
        // To the system a missing folder looks like a missing program.
        if let Some(folder) = endpoint.cwd.as_ref().filter(|folder| !folder.is_dir()) {
            return Err(WireErrorKind::NoFolder { folder: folder.clone() });
        }
        let mut child = command.spawn().map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => WireErrorKind::CommandNotFound { command: endpoint.command.clone() },
            _ => WireErrorKind::Spawn { command: endpoint.command.clone(), source },
        })?;
        let stderr = StderrTail::default();
        if let Some(pipe) = child.stderr.take() {
            tokio::spawn(stderr.clone().drain(pipe));
        }
        let (stdin, stdout) = child.stdin.take().zip(child.stdout.take()).expect("both were asked for");
        let group = child.id();
        Ok((Self { child, group, stderr }, stdin, stdout))
    }

    pub(crate) fn stderr(&self) -> &StderrTail {
        &self.stderr
    }

    /// How the process ended, if it does so within a moment.
    pub(crate) async fn ended(&mut self) -> Option<String> {
        let status = tokio::time::timeout(Duration::from_millis(300), self.child.wait()).await;
        let status = status.ok()?.ok()?;
        // What was written last may still be in the pipe.
        tokio::time::sleep(Duration::from_millis(20)).await;
        Some(describe(status))
    }

    /// Ends the process and its group. The pipes were closed before, which is how a server learns that it is not needed.
    pub(crate) async fn end(mut self) {
        if tokio::time::timeout(PATIENCE, self.child.wait()).await.is_err() {
            self.signal(Signal::Terminate);
            if tokio::time::timeout(PATIENCE, self.child.wait()).await.is_err() {
                self.signal(Signal::Kill);
                let _ = tokio::time::timeout(PATIENCE, self.child.wait()).await;
            }
        }
        // The leader is gone; what it started may not be. `Drop` ends the rest of the group.
    }

    /// Ends a process that was never of use: its caller has waited long enough. It is asked first, because a launcher may have to
    /// stop what it started elsewhere, such as a container.
    pub(crate) async fn end_now(mut self) {
        self.signal(Signal::Terminate);
        let _ = tokio::time::timeout(PATIENCE / 4, self.child.wait()).await;
    }

    #[cfg(unix)]
    fn signal(&self, signal: Signal) {
        use nix::sys::signal::{Signal as Unix, killpg};
        let signal = match signal {
            Signal::Terminate => Unix::SIGTERM,
            Signal::Kill => Unix::SIGKILL,
        };
        if let Some(group) = self.group.and_then(|group| i32::try_from(group).ok()) {
            // Nobody left to signal is what is wanted.
            let _ = killpg(nix::unistd::Pid::from_raw(group), signal);
        }
    }

    #[cfg(not(unix))]
    fn signal(&mut self, _signal: Signal) {
        let _ = self.child.start_kill();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.signal(Signal::Kill);
    }
}

#[derive(Clone, Copy)]
enum Signal {
    Terminate,
    Kill,
}

fn command(endpoint: &StdioEndpoint) -> Command {
    let mut command = Command::new(&endpoint.command);
    command
        .args(&endpoint.args)
        .env_clear()
        .envs(PASSED_ON.iter().filter_map(|name| Some((name, std::env::var_os(name)?))))
        .envs(&endpoint.env)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    if let Some(cwd) = &endpoint.cwd {
        command.current_dir(cwd);
    }
    #[cfg(unix)]
    command.process_group(0);
    command
}

fn describe(status: ExitStatus) -> String {
    status.to_string()
}
