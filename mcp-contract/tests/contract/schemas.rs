//! Schemas: what is bounded, what is refused, what a valid instance is.

use mcp_contract::json::parse;
use mcp_contract::schema::{CompiledSchema, SchemaError};
use serde_json::{Value, json};

fn compile(schema: &Value) -> Result<CompiledSchema, SchemaError> {
    CompiledSchema::compile(&parse(&schema.to_string()).unwrap())
}

/// A chain of definitions in which each refers to the one before it twice.
fn doubled(keyword: &str, links: usize) -> Value {
    let mut definitions = serde_json::Map::new();
    definitions.insert("d0".to_owned(), json!({"type": "string"}));
    for link in 1..=links {
        let before = json!({"$ref": format!("#/$defs/d{}", link - 1)});
        definitions.insert(format!("d{link}"), json!({keyword: [before, before]}));
    }
    json!({"$defs": definitions, "$ref": format!("#/$defs/d{links}")})
}

#[test]
fn hostile_schemas_are_refused_in_bounded_time() {
    let nested = |levels: usize| (0..levels).fold(json!({}), |inner, _| json!({"properties": {"a": inner}}));
    let large = |count: usize| Value::Array((0..count).map(Value::from).collect());
    let cases: &[(&str, Value, fn(&SchemaError) -> bool)] = &[
        ("deep", nested(40), |error| matches!(error, SchemaError::TooLarge { what: "levels of nesting", .. })),
        ("large enum", json!({"enum": large(20_000)}), |error| matches!(error, SchemaError::TooLarge { .. })),
        ("doubled allOf", doubled("allOf", 30), |error| matches!(error, SchemaError::Expansion { .. })),
        ("doubled anyOf", doubled("anyOf", 30), |error| matches!(error, SchemaError::Expansion { .. })),
        ("doubled oneOf", doubled("oneOf", 60), |error| matches!(error, SchemaError::Expansion { .. })),
        ("itself", json!({"$ref": "#"}), |error| matches!(error, SchemaError::EmptyCycle { .. })),
        (
            "circle",
            json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}),
            |error| matches!(error, SchemaError::EmptyCycle { .. }),
        ),
        ("circle through not", json!({"not": {"$ref": "#"}}), |error| matches!(error, SchemaError::EmptyCycle { .. })),
        ("network", json!({"$ref": "https://example.com/x"}), |error| matches!(error, SchemaError::Reference { .. })),
        ("file", json!({"properties": {"a": {"$ref": "file:///etc/passwd"}}}), |error| {
            matches!(error, SchemaError::Reference { .. })
        }),
        (
            "dangling",
            json!({"properties": {"a": {"$ref": "#/$defs/no"}}}),
            |error| matches!(error, SchemaError::Reference { pointer, .. } if pointer.as_str() == "/properties/a/$ref"),
        ),
        (
            "unknown type",
            json!({"properties": {"a": {"type": "any"}}}),
            |error| matches!(error, SchemaError::Invalid { pointer, .. } if pointer.as_str() == "/properties/a/type"),
        ),
        ("required inside", json!({"properties": {"required": ["a"]}}), |error| {
            matches!(error, SchemaError::Invalid { .. })
        }),
        ("required true", json!({"properties": {"a": {"required": true}}}), |error| {
            matches!(error, SchemaError::Invalid { .. })
        }),
        ("unknown dialect", json!({"$schema": "https://example.com/mine"}), |error| {
            matches!(error, SchemaError::Invalid { .. })
        }),
        (
            "pattern",
            json!({"properties": {"a": {"pattern": "a(?=b)"}}}),
            |error| matches!(error, SchemaError::Pattern { pointer, .. } if pointer.as_str() == "/properties/a/pattern"),
        ),
        ("pattern key", json!({"patternProperties": {"\\bx": {}}}), |error| {
            matches!(error, SchemaError::PatternKey { .. })
        }),
        ("tuple of another draft", json!({"properties": {"a": {"items": [{}]}}}), |error| {
            matches!(error, SchemaError::Invalid { .. })
        }),
    ];
    for (what, schema, expected) in cases {
        let error = compile(schema).map(|_| ()).expect_err(what);
        assert!(expected(&error), "{what}: {error:?}");
    }
    assert!(matches!(CompiledSchema::compile(&parse("true").unwrap()), Err(SchemaError::NotAnObject { .. })));
}

#[test]
fn real_schemas_are_taken() {
    for schema in [
        json!({}),
        json!({"$schema": ""}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}]}),
        json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "prefixItems": [{"type": "string"}]}),
        json!({"$schema": "http://json-schema.org/draft-04/schema#", "exclusiveMinimum": true, "minimum": 1}),
        json!({"properties": {"a": {"$ref": "#/properties/b/items/0"}, "b": {"$schema": "x", "items": {"0": {}}}}}),
        json!({"$defs": {"n": {"properties": {"next": {"$ref": "#/$defs/n"}}}}, "$ref": "#/$defs/n"}),
        json!({"properties": {"a": {"$ref": "#here"}}, "$defs": {"x": {"$anchor": "here", "type": "string"}}}),
        json!({"properties": {"a": {"$ref": "#/definitions/a%20b~1c"}}, "definitions": {"a b/c": {}}}),
        json!({"default": {"pattern": "("}, "examples": [{"pattern": "("}], "properties": {"pattern": {"const": {"pattern": "("}}}}),
        json!({"properties": {"a": {"default": null, "type": "string"}}}),
    ] {
        // The reference into a place that is no schema is only as good as what stands there.
        let taken = compile(&schema);
        let odd = schema.to_string().contains("items/0");
        assert!(taken.is_ok() || odd, "{schema}: {:?}", taken.err());
    }
}

#[test]
fn validation_follows_the_dialect_and_our_patterns() {
    let cases = [
        (json!({"pattern": "^\\d+$"}), json!("12"), true),
        (json!({"pattern": "^\\d+$"}), json!("١٢"), false),
        (json!({"pattern": "^\\d+$"}), json!(12), true),
        (
            json!({"patternProperties": {"^\\w+$": {"type": "integer"}}, "additionalProperties": false}),
            json!({"a": 1}),
            true,
        ),
        (
            json!({"patternProperties": {"^\\w+$": {"type": "integer"}}, "additionalProperties": false}),
            json!({"é": 1}),
            false,
        ),
        (json!({"patternProperties": {"a": {"minimum": 1}, "[a]": {"maximum": 2}}}), json!({"a": 3}), false),
        (json!({"patternProperties": {"a": {"minimum": 1}, "[a]": {"maximum": 2}}}), json!({"a": 2}), true),
        (json!({"propertyNames": {"pattern": "^[a-z]+$"}}), json!({"A": 1}), false),
        (json!({"allOf": [{"$ref": "#/x"}], "x": {"pattern": "^a"}}), json!("b"), false),
        (
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/s", "minLength": 9, "definitions": {"s": {"type": "string"}}}),
            json!("short"),
            true,
        ),
        (json!({"type": "integer"}), json!(1.0), true),
        (json!({"enum": [0, "a"]}), json!(false), false),
        (json!({"multipleOf": 0.01}), json!(19.99), true),
    ];
    for (schema, instance, valid) in cases {
        let compiled = compile(&schema).unwrap_or_else(|error| panic!("{schema}: {error}"));
        assert_eq!(compiled.is_valid(&instance), valid, "{schema} {instance}");
        assert_eq!(compiled.violations(&instance).is_empty(), valid, "{schema} {instance}");
    }
}

#[test]
fn hostile_instances_are_bounded() {
    let tree = compile(&json!({"properties": {"a": {"$ref": "#"}}})).unwrap();
    let deep = (0..5_000).fold(json!({}), |inner, _| {
        // Not `json!`, which copies what it is given by recursion.
        Value::Object(std::iter::once(("a".to_owned(), inner)).collect())
    });
    assert!(!tree.is_valid(&deep));
    assert_eq!(tree.violations(&deep)[0].message, "nested deeper than 128 levels");
    let many = compile(&json!({"items": {"type": "string"}})).unwrap();
    let numbers = Value::Array((0..10_000).map(Value::from).collect());
    assert_eq!(many.violations(&numbers).len(), 20);
    // Dropping a value this deep recurses; it is not what is tested.
    std::mem::forget(deep);
}
