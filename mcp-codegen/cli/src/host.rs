//! Listings that speak of the machine they were taken on.
//!
//! Some servers write paths, mount points or the name of the host into their descriptions; such a listing differs from machine to machine,
//! and a reviewer should know that before wondering about a change. What is looked for is taken from this machine and printed to nobody else.

use std::path::Path;

use mcp_contract::listing::Listing;
use mcp_contract::text::Shown;

/// What is too common to tell a machine by.
const COMMON: &[&str] =
    &["/", "/proc", "/sys", "/dev", "/run", "/tmp", "/boot", "/home", "/root", "/usr", "/var", "/etc", "/mnt"];

/// A line for each tool that names something of this machine, with where it does.
pub(crate) fn told(server: &str, listing: &Listing, base: &Path) -> Vec<String> {
    let marks = marks(base);
    let mut lines = Vec::new();
    for tool in &listing.tools {
        let text = tool.document().to_pretty();
        if let Some((what, _)) = marks.iter().find(|(_, mark)| names(&text, mark)) {
            let name = Shown(tool.name());
            lines.push(format!("{server}: tool \"{name}\" names {what}: its listing depends on the machine"));
        }
    }
    lines
}

fn marks(base: &Path) -> Vec<(&'static str, String)> {
    let mut marks = Vec::new();
    let variable = |name: &str| std::env::var(name).ok();
    marks.extend(variable("HOME").map(|home| ("the home folder of this machine", home)));
    marks.extend(variable("HOSTNAME").map(|host| ("the name of this machine", host)));
    let folder = base.canonicalize().ok().map(|folder| folder.display().to_string());
    marks.extend(folder.map(|folder| ("the folder of servers.toml", folder)));
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let points = mounts.lines().filter_map(|line| line.split(' ').nth(1));
    let own = points.filter(|point| !COMMON.iter().any(|common| point == common) && !is_of_the_system(point));
    marks.extend(own.map(|point| ("a mount point of this machine", point.to_owned())));
    marks.retain(|(_, mark)| mark.len() > 3 && !COMMON.contains(&mark.as_str()));
    marks
}

fn is_of_the_system(point: &str) -> bool {
    ["/proc/", "/sys/", "/dev/", "/run/", "/etc/", "/boot/"].iter().any(|system| point.starts_with(system))
}

/// Whether a text names a path or host as a whole word.
fn names(text: &str, mark: &str) -> bool {
    text.match_indices(mark).any(|(at, _)| {
        let behind = text[at + mark.len()..].chars().next();
        let before = text[..at].chars().next_back();
        let goes_on = |character: char| character.is_alphanumeric() || matches!(character, '_' | '-');
        !behind.is_some_and(goes_on) && !before.is_some_and(goes_on)
    })
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn whole_names_only() {
        assert!(names("files in /srv/data are", "/srv/data") && names("/srv/data/x", "/srv/data"));
        assert!(!names("files in /srv/database", "/srv/data") && !names("hostname", "host"));
    }
}
