//! What Rust types can say of a schema.
//!
//! [`Shape`] is a small closed model between schemas and tokens. Validity is never its affair (arguments are held to the
//! server's real schema by the validator), so where a schema says more than a type can, the shape is wider, down to [`Shape::Any`]
//! for that part, with the reason. Lowering is algebra: each keyword of a schema gives a shape, alternatives are joined, conditions that
//! hold together are met. It is narrower than the schema in three places: an integer without bounds is an `i64`, an object that
//! declares members has no others unless the schema asks for them, and a member that one alternative declares has that type in all.

mod alternatives;
mod array;
mod join;
mod kinds;
mod lower;
mod meet;
mod object;
mod parts;
mod scalar;
mod settle;
mod tagged;
mod values;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use mcp_contract::json::Pointer;

pub(crate) use lower::lower;
pub(crate) use parts::Part;

/// The shape of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Any JSON.
    Any(AnyReason),
    /// `null` and nothing else.
    Null,
    Bool,
    I64,
    U64,
    F64,
    String,
    List(Box<Shape>),
    /// An array of just so many elements.
    Tuple(Vec<Shape>),
    /// An object whose members are all alike.
    Map(Box<Shape>),
    /// A type of its own.
    Named(TypeKey),
    /// A named type inside itself.
    Boxed(TypeKey),
    /// A value, or `null`.
    Nullable(Box<Shape>),
}

impl Shape {
    /// Why it, or what it holds, is any JSON although the schema says more.
    pub(crate) fn untyped(&self) -> Option<AnyReason> {
        match self {
            Self::Any(reason) => Some(*reason).filter(|reason| *reason != AnyReason::Unconstrained),
            Self::List(inner) | Self::Map(inner) | Self::Nullable(inner) => inner.untyped(),
            Self::Tuple(elements) => elements.iter().find_map(Self::untyped),
            _ => None,
        }
    }
}

/// Where a named type stands: the pointer of its schema. Types that are made from several schemas stand at a step below one of them
/// that no pointer into a document spells (see [`part`]). References lead to one key.
pub(crate) type TypeKey = Pointer;

/// The key of a type that is a part of what stands at `key`: `~` is always followed by a digit in a pointer.
fn part(key: &TypeKey, name: &str) -> TypeKey {
    Pointer::from_spelling(format!("{}/~{name}", key.as_str()))
}

/// Why a part of a schema became any JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AnyReason {
    /// The schema accepts everything: that *is* its type.
    Unconstrained,
    /// Conditions on values whose type is not named.
    Untyped,
    /// Alternatives or conditions of which one is the whole that contains them.
    Union,
    /// A list or tuple that holds itself, with no object between to give it a name.
    Itself,
    /// Members whose names follow patterns, beside others of any kind.
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
            Self::Untyped => "the schema has conditions and names no type",
            Self::Union => "the schema composes itself with something else",
            Self::Itself => "the schema holds itself, and no object stands between",
            Self::PatternProperties => "the schema names members by patterns and allows any others",
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
    Union(UnionDef),
    Tagged(TaggedDef),
}

/// An object with declared members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ObjectDef {
    /// By wire name.
    pub(crate) fields: BTreeMap<String, Field>,
    /// What members beyond the declared ones hold, where the schema asks for them.
    pub(crate) rest: Option<Shape>,
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// What it holds; `null` included, where that is valid.
    pub(crate) shape: Shape,
    pub(crate) required: bool,
    /// Whether its schema only holds in some alternative, or under some condition: where the others, which are silent about it, are what a
    /// value follows, it can hold anything.
    pub(crate) conditional: bool,
    /// Where the schema of the member stands.
    pub(crate) at: Pointer,
    pub(crate) doc: FieldDoc,
}

impl Field {
    /// Whether the member must be there, and the shape of what it then holds.
    pub(crate) fn presence(&self) -> (Presence, &Shape) {
        match &self.shape {
            shape if self.required => (Presence::Required, shape),
            Shape::Nullable(inner) if self.doc.null_default => (Presence::Optional, inner),
            Shape::Nullable(inner) => (Presence::OptionalOrNull, inner),
            Shape::Null => (Presence::OptionalOrNull, &self.shape),
            shape => (Presence::Optional, shape),
        }
    }
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

/// What a schema says of a member beyond its type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FieldDoc {
    /// The server's description: foreign text.
    pub(crate) description: Option<String>,
    /// Constraints that the type does not carry, such as `1 to 100`; values in them are foreign text.
    pub(crate) constraints: Vec<String>,
    /// Whether leaving the member out means `null`.
    pub(crate) null_default: bool,
}

/// An enumeration of strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EnumDef {
    /// The values, in the order of the schema.
    pub(crate) values: Vec<String>,
    /// Whether every other string is valid as well.
    pub(crate) open: bool,
}

/// Values of different JSON types: each variant has its own, so which one a value is can be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnionDef {
    pub(crate) variants: BTreeMap<Part, Shape>,
}

/// Objects that one member tells apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TaggedDef {
    /// The wire name of that member.
    pub(crate) tag: String,
    /// In the order of the schema.
    pub(crate) variants: Vec<Variant>,
}

/// One of several objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Variant {
    /// The value of the tag.
    pub(crate) value: String,
    /// The object without its tag; `None` where it has no other members.
    pub(crate) content: Option<TypeKey>,
    /// The server's description: foreign text.
    pub(crate) description: Option<String>,
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
    /// How many members are declared with a schema that constrains them.
    pub(crate) constrained: usize,
}

/// A named type, before it has its name.
#[derive(Clone, Debug)]
pub(crate) struct NamedType {
    /// The properties that lead to it from the root: its name is made of them.
    pub(crate) path: Vec<String>,
    /// The schema that it was made from, whose pins hold for it.
    pub(crate) at: Pointer,
    pub(crate) def: TypeDef,
}
