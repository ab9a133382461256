//! What a server ran: in memory, and in a file where it has to outlive the process.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One tool that was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Execution {
    /// The remote name.
    pub tool: String,
    /// The arguments as they came.
    pub arguments: Value,
}

/// The tools that were run.
#[derive(Debug, Default)]
pub(super) struct Count {
    executions: Mutex<Vec<Execution>>,
    file: Option<PathBuf>,
}

impl Count {
    pub(super) fn in_file(file: PathBuf) -> Self {
        Self { file: Some(file), ..Self::default() }
    }

    /// Counts before anything is answered, so that a process that is killed has counted.
    pub(super) fn ran(&self, tool: &str, arguments: &Value) {
        let execution = Execution { tool: tool.to_owned(), arguments: arguments.clone() };
        if let Some(file) = &self.file {
            let line = serde_json::to_string(&execution).unwrap_or_default() + "\n";
            let file = OpenOptions::new().create(true).append(true).open(file);
            // One write of one line: lines of processes that overlap do not mix.
            file.and_then(|mut file| file.write_all(line.as_bytes())).expect("the executions can be written down");
        }
        self.executions.lock().unwrap_or_else(PoisonError::into_inner).push(execution);
    }

    pub(super) fn executions(&self) -> Vec<Execution> {
        self.executions.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
