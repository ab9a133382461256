//! How a command ended, when it did not fail.

/// The result of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Nothing is left to do.
    Fine,
    /// Somebody has to accept, regenerate or refuse something.
    ToDo,
    /// A server is out of reach, so that it is not known.
    CouldNotTell,
}

impl Outcome {
    /// The exit code of the process.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::ToDo => 1,
            Self::CouldNotTell => 3,
        }
    }
}
