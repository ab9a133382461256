//! Tools as the requests of model providers want them.
//!
//! A schema goes out verbatim: what a provider does with keywords that it does not know is its affair, and a schema that was bent to please it
//! would be another contract than the one that arguments are held to. What a provider is known to refuse is told beside the
//! specifications, by tool and place, because one such tool makes it refuse the whole request.

mod check;
#[cfg(feature = "rmcp")]
mod onward;
mod provider;

pub use check::SpecFinding;
#[cfg(feature = "rmcp")]
pub use onward::rmcp_tools;
pub use provider::{Provider, Specifications, specifications};
