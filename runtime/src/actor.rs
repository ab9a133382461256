//! Who asks for a tool, and what the configuration lets them see.
//!
//! The checks that need nobody's answer stand here and run first: the allow-list, then roles, then the ability. The host's gate, which may
//! have to ask somebody, comes after them.

use std::collections::BTreeSet;

use mcp_contract::config::Policies;

/// Who asks: an agent, or a person behind one.
///
/// ```
/// use mcp_runtime::Actor;
/// let support = Actor::new("support").role("staff").ability("refund").allow(["shop_search", "shop_refund"]);
/// assert_eq!(support.name(), "support");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Actor {
    name: String,
    roles: BTreeSet<String>,
    abilities: BTreeSet<String>,
    allowed: Option<BTreeSet<String>>,
}

impl Actor {
    /// An actor without roles and abilities, who may use whatever asks for none.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// With a role, as `roles` in `servers.toml` names it.
    #[must_use]
    pub fn role(mut self, role: impl Into<String>) -> Self {
        self.roles.insert(role.into());
        self
    }

    /// With an ability, as `ability` in `servers.toml` names it.
    #[must_use]
    pub fn ability(mut self, ability: impl Into<String>) -> Self {
        self.abilities.insert(ability.into());
        self
    }

    /// Restricted to these tools, by local name; a second list adds to the first. Without a list, every tool is allowed.
    #[must_use]
    pub fn allow<T: Into<String>>(mut self, local_names: impl IntoIterator<Item = T>) -> Self {
        self.allowed.get_or_insert_default().extend(local_names.into_iter().map(Into::into));
        self
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the actor has a role.
    pub fn has_role(&self, role: &str) -> bool {
        self.roles.contains(role)
    }

    /// Whether the actor has an ability.
    pub fn has_ability(&self, ability: &str) -> bool {
        self.abilities.contains(ability)
    }

    /// Whether the actor's list lets a tool through.
    pub(crate) fn allows(&self, local_name: &str) -> Result<(), String> {
        match &self.allowed {
            Some(allowed) if !allowed.contains(local_name) => Err("it is not on the list of allowed tools".to_owned()),
            _ => Ok(()),
        }
    }

    /// Whether the configuration of a server lets the actor use one of its tools.
    pub(crate) fn may_use(&self, policies: &Policies, remote_name: &str) -> Result<(), String> {
        let roles = policies.roles_of(remote_name);
        if !roles.is_empty() && !roles.iter().any(|role| self.has_role(role)) {
            return Err(format!("it needs the role {}", roles.join(" or ")));
        }
        match &policies.ability {
            Some(ability) if !self.has_ability(ability) => Err(format!("it needs the ability {ability}")),
            _ => Ok(()),
        }
    }
}
