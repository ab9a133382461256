//! What each kind of schema becomes, in a notation that fits a line: `name: T` must be there, `name?: T` may be left out, `name??: T` may
//! be left out or `null`, `..T` are further members.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use expect_test::expect_file;
use mcp_contract::json::{Json, Pointer, parse};
use mcp_contract::schema::CompiledSchema;

use super::{AnyReason, Lowered, Presence, Shape, TypeDef, lower};

/// The schemas of the table, by what they show.
fn schemas() -> Vec<(String, Json)> {
    let text = include_str!("../../tests/schemas.json");
    let table = parse(text).unwrap();
    table.as_object().unwrap().iter().map(|(name, schema)| (name.clone(), schema.clone())).collect()
}

fn lowered(schema: &Json, arguments: bool) -> Lowered {
    lower(CompiledSchema::compile(schema).unwrap().document(), arguments)
}

#[test]
fn each_kind_of_schema_has_its_shape() {
    let mut text = String::new();
    for (name, schema) in schemas() {
        writeln!(text, "{name}").unwrap();
        let (arguments, result) = (notation(&lowered(&schema, true)), notation(&lowered(&schema, false)));
        text.push_str(&arguments);
        if arguments != result {
            writeln!(text, "  as a result:\n{result}").unwrap();
        }
        text.push('\n');
    }
    expect_file!["../../tests/shapes.txt"].assert_eq(&text);
}

/// Every type of a schema, one a line; a type is called by its path, or by its key where another one has the same path.
fn notation(lowered: &Lowered) -> String {
    let mut names: BTreeMap<&Pointer, String> = BTreeMap::new();
    for (key, named) in &lowered.types {
        let path = format!("<{}>", named.path.join("."));
        let name = if names.values().any(|name| *name == path) { format!("<{}>", key.as_str()) } else { path };
        names.insert(key, name);
    }
    let mut text = String::new();
    let write = Notation { names: &names };
    if !matches!(&lowered.root, Shape::Named(key) if lowered.types[key].path.is_empty()) {
        writeln!(text, "  {}", write.shape(&lowered.root)).unwrap();
    }
    for (key, named) in &lowered.types {
        writeln!(text, "  {} = {}", names[key], write.definition(&named.def)).unwrap();
    }
    for (pointer, reason) in &lowered.untyped {
        writeln!(text, "  {} is any JSON: {}", pointer.as_str(), reason.text()).unwrap();
    }
    text
}

struct Notation<'a> {
    names: &'a BTreeMap<&'a Pointer, String>,
}

impl Notation<'_> {
    fn shape(&self, shape: &Shape) -> String {
        match shape {
            Shape::Any(_) => "any".to_owned(),
            Shape::Null => "null".to_owned(),
            Shape::Bool => "bool".to_owned(),
            Shape::I64 => "i64".to_owned(),
            Shape::U64 => "u64".to_owned(),
            Shape::F64 => "f64".to_owned(),
            Shape::String => "text".to_owned(),
            Shape::List(element) => format!("[{}]", self.shape(element)),
            Shape::Tuple(elements) => format!("({})", self.all(elements)),
            Shape::Map(value) => format!("{{*: {}}}", self.shape(value)),
            Shape::Named(key) => self.names[key].clone(),
            Shape::Boxed(key) => format!("box {}", self.names[key]),
            Shape::Nullable(inner) => format!("{}?", self.shape(inner)),
        }
    }

    fn all(&self, shapes: &[Shape]) -> String {
        shapes.iter().map(|shape| self.shape(shape)).collect::<Vec<_>>().join(", ")
    }

    fn definition(&self, def: &TypeDef) -> String {
        match def {
            TypeDef::Object(object) => {
                let fields = object.fields.iter().map(|(name, field)| {
                    let (presence, shape) = field.presence();
                    let mark = match presence {
                        Presence::Required => "",
                        Presence::Optional => "?",
                        Presence::OptionalOrNull => "??",
                    };
                    format!("{name}{mark}: {}", self.shape(shape))
                });
                let rest = object.rest.iter().map(|rest| format!("..{}", self.shape(rest)));
                format!("{{{}}}", fields.chain(rest).collect::<Vec<_>>().join(", "))
            }
            TypeDef::Enum(def) => {
                let open = def.open.then_some("…".to_owned());
                let values = def.values.iter().map(|value| format!("{value:?}"));
                values.chain(open).collect::<Vec<_>>().join(" | ")
            }
            TypeDef::Union(union) => {
                let variants =
                    union.variants.iter().map(|(part, shape)| format!("{} {}", part.name(), self.shape(shape)));
                variants.collect::<Vec<_>>().join(" | ")
            }
            TypeDef::Tagged(tagged) => {
                let variants = tagged.variants.iter().map(|variant| match &variant.content {
                    Some(key) => format!("{:?} {}", variant.value, self.names[key]),
                    None => format!("{:?}", variant.value),
                });
                format!("by {}: {}", tagged.tag, variants.collect::<Vec<_>>().join(" | "))
            }
        }
    }
}

#[test]
fn the_order_of_keys_changes_nothing() {
    for (name, schema) in schemas() {
        let reversed = reversed(&schema);
        let order = |schema: &Json| format!("{:?}", lowered(schema, true));
        assert_eq!(order(&schema), order(&reversed), "{name}");
    }
}

fn reversed(schema: &Json) -> Json {
    match schema {
        Json::Object(members) => {
            Json::Object(members.iter().rev().map(|(key, value)| (key.clone(), reversed(value))).collect())
        }
        Json::Array(elements) => Json::Array(elements.iter().map(reversed).collect()),
        other => other.clone(),
    }
}

/// What a hostile server can make a schema of, within the bounds of admission, still ends, and soon.
#[test]
fn hostile_schemas_end() {
    let nested = (0..60)
        .fold("{\"type\":\"string\"}".to_owned(), |inner, _| format!("{{\"items\":{inner},\"type\":\"array\"}}"));
    let chain: String = (0..40).fold(String::new(), |mut chain, index| {
        let next = index + 1;
        write!(chain, "\"d{index}\":{{\"properties\":{{\"a\":{{\"$ref\":\"#/$defs/d{next}\"}},\"b\":{{\"$ref\":\"#/$defs/d{next}\"}}}}}},").unwrap();
        chain
    });
    let doubled = format!(
        "{{\"type\":\"object\",\"properties\":{{\"x\":{{\"anyOf\":[{{\"$ref\":\"#/$defs/d0\"}},{{\"allOf\":[{{\"$ref\":\"#/$defs/d1\"}}]}}]}}}},\
         \"$defs\":{{{chain}\"d40\":{{\"type\":\"object\"}}}}}}"
    );
    let values: Vec<String> = (0..9000).map(|index| format!("\"v{index}\"")).collect();
    let members: Vec<String> = (0..9000).map(|index| format!("\"m{index}\":{{\"type\":\"string\"}}")).collect();
    let tuples: String = (0..10).fold(String::new(), |mut tuples, index| {
        let place = format!("{{\"$ref\":\"#/$defs/t{}\"}}", (index + 1) % 10);
        let places = vec![place; 12].join(",");
        write!(
            tuples,
            ",\"t{index}\":{{\"type\":\"array\",\"prefixItems\":[{places}],\"items\":false,\"minItems\":12}}"
        )
        .unwrap();
        tuples
    });
    let long = "word ".repeat(100_000);
    let referring: Vec<String> = (0..5000).map(|index| format!("\"m{index}\":{{\"$ref\":\"#/$defs/A\"}}")).collect();
    let wide: Vec<String> = (0..499).map(|index| format!("\"w{index}\":{{}}")).collect();
    let merged: Vec<String> =
        (0..9000).map(|index| format!("\"m{index}\":{{\"$ref\":\"#/$defs/W\",\"required\":[\"z{index}\"]}}")).collect();
    let cases = [
        format!(
            "{{\"type\":\"object\",\"properties\":{{\"t\":{{\"$ref\":\"#/$defs/t0\"}}}},\"$defs\":{{\"x\":{{}}{tuples}}}}}"
        ),
        format!(
            "{{\"type\":\"object\",\"properties\":{{{}}},\"$defs\":{{\"A\":{{\"type\":\"string\",\"description\":\"{long}\"}}}}}}",
            referring.join(",")
        ),
        format!(
            "{{\"type\":\"object\",\"properties\":{{{}}},\"$defs\":{{\"W\":{{\"type\":\"object\",\"properties\":{{{}}}}}}}}}",
            merged.join(","),
            wide.join(",")
        ),
        format!("{{\"type\":\"object\",\"properties\":{{\"deep\":{nested}}}}}"),
        doubled,
        format!("{{\"type\":\"object\",\"properties\":{{\"many\":{{\"enum\":[{}]}}}}}}", values.join(",")),
        format!("{{\"type\":\"object\",\"properties\":{{{}}}}}", members.join(",")),
    ];
    for text in cases {
        let Ok(schema) = CompiledSchema::compile(&parse(&text).unwrap()) else { continue };
        let lowered = lower(schema.document(), true);
        assert!(lowered.types.len() < 1000, "{}", lowered.types.len());
        assert!(!lowered.untyped.iter().any(|(_, reason)| *reason == AnyReason::Unsatisfiable));
    }
}
