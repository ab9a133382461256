//! Which of the listed tools are taken, and under which local names.
//!
//! Two pure steps, used alike by the generator and at run time: [`inspect`] judges each tool of one server alone,
//! [`assign`] gives local names over all servers. A tool that passed is another type than one that did not: a
//! [`Candidate`] holds compiled schemas, an [`AdmittedTool`] holds a name as well, and neither can be made elsewhere.

mod assign;
mod host;
mod inspect;
mod reason;
mod select;

pub use assign::{Admission, AdmittedTool, Pins, ServerAdmission, assign};
pub use host::{Objection, Screen, Screens, without};
pub use inspect::{Candidate, Inspection, inspect};
pub use reason::{Note, Reason, RefusedTool};
pub use select::UnmatchedGlob;
