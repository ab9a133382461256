//! What Rust types can say of a schema.
//!
//! [`Shape`] is a small closed model between schemas and tokens. Validity is never its affair (arguments are held to the
//! server's real schema by the validator), so where a schema says more than a type can, the shape is wider, down to [`Shape::Any`]
//! for that part, with the reason. It is narrower in two places: an integer without bounds is an `i64`, and an
//! object that declares members has no others unless the schema asks for them.

mod lower;
mod object;
mod scalar;
mod union;

use std::collections::BTreeMap;

use mcp_contract::json::Pointer;

pub(crate) use lower::lower;

/// The shape of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Any JSON.
    Any(AnyReason),
    Bool,
    I64,
    U64,
    F64,
    String,
    List(Box<Shape>),
    /// An object whose members are all alike.
    Map(Box<Shape>),
    /// A type of its own: an object or an enumeration.
    Named(TypeKey),
    /// A named type inside itself.
    Boxed(TypeKey),
    /// A value, or `null`.
    Nullable(Box<Shape>),
}

/// Where a named type stands: the pointer of its schema. References lead to one key.
pub(crate) type TypeKey = Pointer;

/// Why a part of a schema became any JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AnyReason {
    /// The schema accepts everything: that *is* its type.
    Unconstrained,
    /// Several alternatives that no single type holds.
    Union,
    /// Values of several types under `enum` or `const`.
    MixedValues,
    /// `allOf`, `if`, `not` and their like, beyond what can be merged exactly.
    Composition,
    /// Elements that differ by their place.
    Tuple,
    /// Members whose names follow patterns.
    PatternProperties,
    /// Nothing can be valid.
    Unsatisfiable,
    /// More values or levels than types should have.
    Large,
}

impl AnyReason {
    /// The reason as a reader of generated docs sees it.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Unconstrained => "the schema accepts any value",
            Self::Union => "the schema offers alternatives of different types",
            Self::MixedValues => "the schema lists values of different types",
            Self::Composition => "the schema is composed of conditions that no type expresses",
            Self::Tuple => "the schema gives each element its own type",
            Self::PatternProperties => "the schema names members by patterns",
            Self::Unsatisfiable => "the schema accepts no value",
            Self::Large => "the schema is too large to be a type",
        }
    }
}

/// A type that gets a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TypeDef {
    Object(ObjectDef),
    Enum(EnumDef),
}

/// An object with declared members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ObjectDef {
    /// By wire name.
    pub(crate) fields: BTreeMap<String, Field>,
    /// What members beyond the declared ones hold, where the schema asks for them.
    pub(crate) rest: Option<Shape>,
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) shape: Shape,
    pub(crate) presence: Presence,
    pub(crate) doc: FieldDoc,
}

/// Whether a member must be there, and whether `null` means something else than its absence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Required,
    /// May be left out.
    Optional,
    /// May be left out, or be `null`, and the two differ.
    OptionalOrNull,
}

/// What a field's docs say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FieldDoc {
    /// The server's description: foreign text.
    pub(crate) description: Option<String>,
    /// Constraints that the type does not carry, such as `1 to 100`; values in them are foreign text.
    pub(crate) constraints: Vec<String>,
}

/// An enumeration of strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EnumDef {
    /// The values, in the order of the schema.
    pub(crate) values: Vec<String>,
}

/// The types of one schema.
#[derive(Clone, Debug)]
pub(crate) struct Lowered {
    /// The type of the whole.
    pub(crate) root: Shape,
    /// The named types, by where they stand.
    pub(crate) types: BTreeMap<TypeKey, NamedType>,
    /// The parts that became any JSON although the schema constrains them.
    pub(crate) untyped: Vec<(Pointer, AnyReason)>,
}

/// A named type, before it has its name.
#[derive(Clone, Debug)]
pub(crate) struct NamedType {
    /// The properties that lead to it from the root: its name is made of them.
    pub(crate) path: Vec<String>,
    pub(crate) def: TypeDef,
}
