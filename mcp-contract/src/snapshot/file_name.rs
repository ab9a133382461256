//! File names for tools: readable, portable, and never the server's to choose.
//!
//! A remote name is foreign text: it may hold separators, dots, reserved device names, or differ from another only in
//! letter case. What is not plainly safe is reshaped, and what is reshaped carries a hash.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};

use crate::json::hex;

/// How much of a remote name is kept.
const KEEP: usize = 80;

/// Names that are special to an operating system or to the snapshot itself.
const RESERVED: &[&str] = &["aux", "con", "nul", "prn", "server"];

/// The file name of each tool, such as `create_issue.json`.
///
/// ```
/// let names = mcp_contract::snapshot::file_names(["Get", "get", "a/b"]);
/// assert_eq!(names["get"], "get.json");
/// assert!(names["Get"].starts_with("Get-") && names["a/b"].starts_with("a_b-"));
/// ```
#[must_use]
pub fn file_names<'a>(remote_names: impl IntoIterator<Item = &'a str>) -> BTreeMap<String, String> {
    let slugs: BTreeMap<&str, (String, bool)> = remote_names.into_iter().map(|name| (name, slug(name))).collect();
    let mut folded: BTreeMap<String, usize> = BTreeMap::new();
    for (slug, reshaped) in slugs.values() {
        *folded.entry(slug.to_ascii_lowercase()).or_default() += usize::from(!reshaped);
    }
    slugs
        .iter()
        .map(|(name, (slug, reshaped))| {
            let lower = slug.to_ascii_lowercase();
            let clashes = *slug != lower && folded[&lower] > 1;
            let stem = if *reshaped || clashes {
                format!("{slug}-{}", &hex(&Sha256::digest(name.as_bytes()))[..8])
            } else {
                slug.clone()
            };
            ((*name).to_owned(), format!("{stem}.json"))
        })
        .collect()
}

/// A safe spelling, and whether it differs from the name.
fn slug(name: &str) -> (String, bool) {
    let slug: String = name
        .chars()
        .take(KEEP)
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' })
        .collect();
    let lower = slug.to_ascii_lowercase();
    let device = lower.len() == 4
        && (lower.starts_with("com") || lower.starts_with("lpt"))
        && lower.ends_with(|c: char| c.is_ascii_digit());
    let reshaped =
        ends_in_hash(&lower) || slug != name || slug.is_empty() || device || RESERVED.contains(&lower.as_str());
    (slug, reshaped)
}

/// Whether a name looks like one that carries a hash, and could be taken for it.
fn ends_in_hash(name: &str) -> bool {
    let Some((_, hash)) = name.rsplit_once('-') else { return false };
    hash.len() == 8 && hash.bytes().all(|b| b.is_ascii_hexdigit())
}
