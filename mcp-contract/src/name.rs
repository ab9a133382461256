//! Local tool names: what a model sees.
//!
//! A local name fits every provider's rule, says which server it belongs to, and is a function of server, prefix and
//! remote name alone. There are only two spellings of a tool's name, the plain one and the one with a hash, so that a
//! neighbour can at most change which of the two is used, and a pin in the snapshot settles even that.

use sha2::{Digest as _, Sha256};

use crate::config::Namespace;
use crate::json;

/// The longest local name, in characters: the limit of the strictest model provider.
pub const MAX_LENGTH: usize = 64;

/// Whether a name fits `^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`.
///
/// ```
/// use mcp_contract::name::is_local_name;
/// assert!(is_local_name("github_create-issue") && !is_local_name("9lives") && !is_local_name("a.b"));
/// ```
#[must_use]
pub fn is_local_name(name: &str) -> bool {
    name.len() <= MAX_LENGTH
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

/// The two spellings that a tool's local name can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spellings {
    /// `prefix_remote`; `None` where that would be too long or would say nothing.
    pub plain: Option<String>,
    /// The same, cut where needed, with 8 hex digits of the remote name's SHA-256.
    pub hashed: String,
    /// Whether the remote name stands in the plain spelling unchanged.
    pub verbatim: bool,
}

/// The spellings for a remote name under a namespace.
///
/// ```
/// use mcp_contract::{config::Namespace, name::spellings};
/// let prefix = Namespace::Prefix("git-hub".into());
/// assert_eq!(spellings(&prefix, "repo/create.issue").plain.unwrap(), "git-hub_repo_create_issue");
/// assert_eq!(spellings(&Namespace::Bare, "日本").plain, None);
/// ```
#[must_use]
pub fn spellings(namespace: &Namespace, remote_name: &str) -> Spellings {
    let reshaped = reshape(remote_name);
    let joined = match namespace {
        Namespace::Prefix(prefix) => format!("{prefix}_{reshaped}"),
        Namespace::Bare if reshaped.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') => reshaped.clone(),
        Namespace::Bare => format!("_{reshaped}"),
    };
    let says_something = reshaped.contains(|c: char| c.is_ascii_alphanumeric());
    let hash = json::hex(&Sha256::digest(remote_name.as_bytes()))[..8].to_owned();
    let keep = joined.len().min(MAX_LENGTH - 1 - hash.len());
    let kept = joined[..keep].trim_end_matches(['_', '-']);
    Spellings {
        verbatim: joined.ends_with(remote_name)
            && (joined.len() == remote_name.len() || matches!(namespace, Namespace::Prefix(_))),
        hashed: format!("{kept}_{hash}"),
        plain: (says_something && joined.len() <= MAX_LENGTH).then_some(joined),
    }
}

/// Every run of characters that a local name cannot hold becomes one `_`.
fn reshape(remote_name: &str) -> String {
    let mut reshaped = String::with_capacity(remote_name.len());
    let mut in_run = false;
    for character in remote_name.chars() {
        let fits = character.is_ascii_alphanumeric() || character == '_' || character == '-';
        if fits {
            reshaped.push(character);
        } else if !in_run {
            reshaped.push('_');
        }
        in_run = !fits;
    }
    reshaped
}
