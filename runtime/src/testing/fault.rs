//! What a server does wrong.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a server does instead of a plain answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fault {
    /// It answers, as it should.
    None,
    /// It never answers.
    Silence,
    /// It answers after so long.
    Late(Duration),
    /// It ends the connection: the process exits, the pipe closes, the TCP connection is reset.
    Death,
    /// It answers, and ends the connection then.
    LastWords,
    /// It sends half of the answer and ends the connection.
    Half,
    /// It answers with an id that nobody used.
    WrongId,
    /// It answers twice.
    Twice,
    /// It answers with something that is no JSON.
    NotJson,
    /// It writes so many lines that are no messages, and answers then. Over HTTP it just answers.
    Noise(usize),
    /// It answers with an error of the protocol.
    Error {
        /// The code.
        code: i64,
        /// The message.
        message: String,
    },
    /// It answers with this result object, whatever the tool is.
    Says(Value),
    /// Over HTTP: it answers with this status. Over a pipe it never answers.
    Status {
        /// The status.
        status: u16,
        /// Further headers.
        headers: Vec<(String, String)>,
        /// The body.
        body: String,
    },
    /// Over HTTP: it opens an event stream and ends it without the answer. Over a pipe it never answers.
    EndOfStream,
    /// For a listing: it gives the same cursor again and again.
    SameCursor,
}

/// A fault, and whether the tool runs all the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Planned {
    /// What the server does instead of a plain answer.
    pub fault: Fault,
    /// Whether it runs the tool first.
    pub runs: bool,
}

impl Fault {
    /// Over HTTP: a status with a body that is no message.
    #[must_use]
    pub fn status(status: u16) -> Self {
        let headers = vec![("content-type".to_owned(), "text/html".to_owned())];
        Self::Status { status, headers, body: "<html>no</html>".to_owned() }
    }

    /// Over HTTP: a redirect.
    #[must_use]
    pub fn redirect(to: &str) -> Self {
        Self::Status { status: 307, headers: vec![("location".to_owned(), to.to_owned())], body: String::new() }
    }

    /// The tool runs, and the fault hides that.
    #[must_use]
    pub fn after_running(self) -> Planned {
        Planned { fault: self, runs: true }
    }

    /// The tool does not run.
    #[must_use]
    pub fn without_running(self) -> Planned {
        Planned { fault: self, runs: false }
    }

    /// Whether a plain answer is given in the end.
    pub(super) fn answers(&self) -> bool {
        matches!(self, Self::None | Self::Late(_) | Self::LastWords | Self::Twice | Self::Noise(_))
    }
}

impl From<Fault> for Planned {
    /// The tool runs where the caller gets an answer in the end, and does not where it does not.
    fn from(fault: Fault) -> Self {
        let runs = fault.answers();
        Self { fault, runs }
    }
}
