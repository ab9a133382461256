//! Local names over all servers.
//!
//! The order of claims is: the host's own tools, names pinned in the snapshots, then servers in configuration order, and
//! within a server the tools whose remote name needs no reshaping before those that do. Nothing depends on which server
//! answered first, so the same contracts give the same names on every machine.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::inspect::{Candidate, Inspection};
use super::reason::{Note, Reason, RefusedTool};
use super::select::UnmatchedGlob;
use crate::config::ServerName;
use crate::definition::ToolDefinition;
use crate::name::{Spellings, spellings};
use crate::schema::CompiledSchema;
use crate::text::Shown;

/// The local names recorded in snapshots: server, remote name, local name.
pub type Pins = BTreeMap<ServerName, BTreeMap<String, String>>;

/// A tool that is taken, with the name under which a model sees it.
#[derive(Clone, Debug)]
pub struct AdmittedTool {
    local_name: String,
    candidate: Candidate,
}

impl AdmittedTool {
    /// The local name.
    #[must_use]
    pub fn local_name(&self) -> &str {
        &self.local_name
    }

    /// The remote name: what goes over the wire.
    #[must_use]
    pub fn remote_name(&self) -> &str {
        self.candidate.definition().name()
    }

    /// The definition.
    #[must_use]
    pub fn definition(&self) -> &ToolDefinition {
        self.candidate.definition()
    }

    /// The schema of its arguments.
    #[must_use]
    pub fn input(&self) -> &Arc<CompiledSchema> {
        self.candidate.input()
    }

    /// The schema of its structured results, where it declares a usable one.
    #[must_use]
    pub fn output(&self) -> Option<&Arc<CompiledSchema>> {
        self.candidate.output()
    }

    /// What a reader should know about it.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        self.candidate.notes()
    }
}

/// The verdict on everything that was listed.
#[derive(Clone, Debug, Default)]
pub struct Admission {
    /// One entry a server, in configuration order.
    pub servers: Vec<ServerAdmission>,
}

/// The verdict on the tools of one server; each list is sorted by remote name.
#[derive(Clone, Debug)]
pub struct ServerAdmission {
    /// The server.
    pub server: ServerName,
    /// The tools that are taken.
    pub admitted: Vec<AdmittedTool>,
    /// The tools that are refused.
    pub refused: Vec<RefusedTool>,
    /// The remote names that the configuration does not want.
    pub excluded: Vec<String>,
    /// The globs of the configuration that matched nothing.
    pub unmatched: Vec<UnmatchedGlob>,
}

impl Admission {
    /// The verdict on one server.
    #[must_use]
    pub fn server(&self, name: &str) -> Option<&ServerAdmission> {
        self.servers.iter().find(|server| server.server.as_str() == name)
    }
}

/// Gives local names to the candidates of all servers.
///
/// `inspections` come in configuration order. `pins` may name servers that were not inspected (because they are out of
/// reach): their names stay theirs. `reserved` are the names of the host's own tools.
#[must_use]
pub fn assign(inspections: Vec<Inspection>, pins: &Pins, reserved: &BTreeSet<String>) -> Admission {
    let mut names = Names::default();
    for name in reserved {
        names.owners.insert(name.clone(), Owner::Host);
    }
    names.reserve_absent(&inspections, pins);
    for inspection in &inspections {
        names.claim_pinned(inspection, pins.get(&inspection.server));
    }
    for inspection in &inspections {
        names.claim_new(inspection);
    }
    Admission { servers: inspections.into_iter().map(|inspection| names.verdict(inspection)).collect() }
}

#[derive(Clone, PartialEq, Eq)]
enum Owner {
    Host,
    Tool { server: ServerName, remote_name: String },
}

#[derive(Default)]
struct Names {
    owners: BTreeMap<String, Owner>,
    assigned: BTreeMap<(ServerName, String), Result<String, Reason>>,
}

impl Names {
    /// Keeps the pinned names of servers that could not be asked.
    fn reserve_absent(&mut self, inspections: &[Inspection], pins: &Pins) {
        let present = |server: &ServerName| inspections.iter().any(|inspection| inspection.server == *server);
        for (server, names) in pins.iter().filter(|(server, _)| !present(server)) {
            for (remote_name, local_name) in names {
                let owner = Owner::Tool { server: server.clone(), remote_name: remote_name.clone() };
                self.owners.entry(local_name.clone()).or_insert(owner);
            }
        }
    }

    /// A pin holds as long as it is a spelling that server and prefix still give.
    fn claim_pinned(&mut self, inspection: &Inspection, pins: Option<&BTreeMap<String, String>>) {
        for candidate in &inspection.candidates {
            let remote_name = candidate.definition().name();
            let Some(pin) = pins.and_then(|pins| pins.get(remote_name)) else { continue };
            let spellings = spellings(&inspection.namespace, remote_name);
            let holds = *pin == spellings.hashed || Some(pin) == spellings.plain.as_ref();
            if holds && !self.owners.contains_key(pin) {
                self.own(inspection, remote_name, pin.clone());
            }
        }
    }

    fn claim_new(&mut self, inspection: &Inspection) {
        let open: Vec<(&str, Spellings)> = inspection
            .candidates
            .iter()
            .map(|candidate| candidate.definition().name())
            .filter(|name| !self.assigned.contains_key(&(inspection.server.clone(), (*name).to_owned())))
            .map(|name| (name, spellings(&inspection.namespace, name)))
            .collect();
        let (verbatim, reshaped): (Vec<_>, Vec<_>) = open.iter().partition(|(_, spellings)| spellings.verbatim);
        for (remote_name, spellings) in &verbatim {
            self.claim(inspection, remote_name, spellings, spellings.plain.as_ref());
        }
        for (remote_name, spellings) in &reshaped {
            let rivals = reshaped.iter().filter(|(_, other)| other.plain == spellings.plain).count();
            let plain = spellings.plain.as_ref().filter(|_| rivals == 1);
            self.claim(inspection, remote_name, spellings, plain);
        }
    }

    fn claim(&mut self, inspection: &Inspection, remote_name: &str, spellings: &Spellings, plain: Option<&String>) {
        let rival = plain.and_then(|plain| self.owners.get(plain));
        let own_rival = matches!(rival, Some(Owner::Tool { server, .. }) if *server == inspection.server);
        let name = match (plain, rival) {
            (Some(plain), None) => plain,
            (Some(plain), Some(_)) if !own_rival => plain,
            _ => &spellings.hashed,
        };
        match self.owners.get(name) {
            None => self.own(inspection, remote_name, name.clone()),
            Some(owner) => {
                let reason = Reason::Contested { local_name: name.clone(), owner: owner.to_string() };
                self.assigned.insert((inspection.server.clone(), remote_name.to_owned()), Err(reason));
            }
        }
    }

    fn own(&mut self, inspection: &Inspection, remote_name: &str, local_name: String) {
        let owner = Owner::Tool { server: inspection.server.clone(), remote_name: remote_name.to_owned() };
        self.owners.insert(local_name.clone(), owner);
        self.assigned.insert((inspection.server.clone(), remote_name.to_owned()), Ok(local_name));
    }

    fn verdict(&mut self, inspection: Inspection) -> ServerAdmission {
        let Inspection { server, candidates, mut refused, excluded, unmatched, .. } = inspection;
        let mut admitted = Vec::new();
        for candidate in candidates {
            let remote_name = candidate.definition().name().to_owned();
            match self.assigned.remove(&(server.clone(), remote_name.clone())) {
                Some(Ok(local_name)) => admitted.push(AdmittedTool { local_name, candidate }),
                Some(Err(reason)) => refused.push(RefusedTool { remote_name, reason }),
                None => unreachable!("every candidate made its claim"),
            }
        }
        refused.sort_by(|a, b| a.remote_name.cmp(&b.remote_name));
        ServerAdmission { server, admitted, refused, excluded, unmatched }
    }
}

impl std::fmt::Display for Owner {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Host => out.write_str("the host's own tools"),
            Self::Tool { server, remote_name } => write!(out, "server {server}, tool \"{}\"", Shown(remote_name)),
        }
    }
}
