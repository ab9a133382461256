//! Which dialect of JSON Schema a document is written in.

use serde_json::Value;

/// A dialect, in the order of their publication.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Dialect {
    /// Draft 4, whose identifiers are called `id`.
    Draft4,
    /// Draft 6.
    Draft6,
    /// Draft 7.
    Draft7,
    /// 2019-09, from which on what stands beside a reference counts.
    Draft201909,
    /// 2020-12, and what names no dialect, as MCP has it.
    #[default]
    Draft202012,
}

impl Dialect {
    /// The dialect that a document names.
    pub(crate) fn of(root: &Value) -> Self {
        let dialect = root.get("$schema").and_then(Value::as_str).unwrap_or_default();
        let names = [
            ("draft-04", Self::Draft4),
            ("draft-06", Self::Draft6),
            ("draft-07", Self::Draft7),
            ("2019-09", Self::Draft201909),
        ];
        names.into_iter().find(|(name, _)| dialect.contains(name)).map_or(Self::Draft202012, |(_, dialect)| dialect)
    }

    /// The keyword by which a schema names itself.
    pub(super) fn identifier(self) -> &'static str {
        if self == Self::Draft4 { "id" } else { "$id" }
    }

    /// Whether what stands beside a reference counts.
    pub(crate) fn reads_beside_references(self) -> bool {
        self >= Self::Draft201909
    }
}
