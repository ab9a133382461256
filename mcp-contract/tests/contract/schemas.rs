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
            matches!(error, SchemaError::Dialect { .. })
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
fn no_way_around_the_bounds_on_work() {
    let twice = |target: &str| json!({"allOf": [{"$ref": target}, {"$ref": target}]});
    // From level to level instead of at one level.
    let levels = (1..=3).map(|level| {
        let inner = json!({"items": {"$ref": format!("#/$defs/a{}", level - 1)}});
        (format!("a{level}"), json!({"allOf": vec![inner; 200]}))
    });
    let mut definitions: serde_json::Map<String, Value> = levels.collect();
    definitions.insert("a0".to_owned(), json!({"type": "string"}));
    let by_level = json!({"$defs": definitions, "properties": {"x": {"$ref": "#/$defs/a3"}}});
    // Behind an identifier that moves what `#` means.
    let chain = |links: usize| -> serde_json::Map<String, Value> {
        (0..links).map(|link| (format!("y{link}"), twice(&format!("#/$defs/y{}", link + 1)))).collect()
    };
    let mut inner = chain(30);
    inner.insert("y30".to_owned(), json!({}));
    let nested = json!({"$id": "urn:n", "$defs": inner, "$ref": "#/$defs/y0"});
    let mut outer: serde_json::Map<String, Value> = (0..=30).map(|link| (format!("y{link}"), json!({}))).collect();
    outer.insert("N".to_owned(), nested);
    let by_identifier = json!({"$defs": outer, "allOf": [{"$ref": "#/$defs/N"}]});
    // Under keywords that nobody knows.
    let mut unknown: serde_json::Map<String, Value> =
        (0..30).map(|link| (format!("y{link}"), twice(&format!("#/y{}", link + 1)))).collect();
    unknown.insert("y30".to_owned(), json!({}));
    unknown.insert("x".to_owned(), json!({"properties": {"a": {"$ref": "#/y0"}}}));
    unknown.insert("allOf".to_owned(), json!([{"$ref": "#/x"}]));
    // A long chain instead of a wide one.
    let mut links: serde_json::Map<String, Value> = (0..4_000)
        .map(|link| (format!("d{link}"), json!({"allOf": [{"$ref": format!("#/$defs/d{}", link + 1)}]})))
        .collect();
    links.insert("d4000".to_owned(), json!({"properties": {"a": {"$ref": "#/$defs/d0"}}}));
    let by_length = json!({"$defs": links, "$ref": "#/$defs/d0"});
    for schema in [by_level, by_identifier, Value::Object(unknown), by_length] {
        let error = compile(&schema).map(|_| ()).unwrap_err();
        assert!(matches!(error, SchemaError::Expansion { .. }), "{error:?}");
    }
    let key = "k".repeat(5_000);
    assert!(matches!(compile(&json!({"properties": {key: {}}})).map(|_| ()), Err(SchemaError::TooLarge { .. })));
    let text = "x".repeat(2 << 20);
    assert!(matches!(compile(&json!({"description": text})).map(|_| ()), Err(SchemaError::TooLarge { .. })));
    let patterns: serde_json::Map<String, Value> =
        (0..1_500).map(|index| (format!("p{index}"), json!({"pattern": format!("^a{{{index}}}$")}))).collect();
    assert!(matches!(compile(&json!({"properties": patterns})).map(|_| ()), Err(SchemaError::TooLarge { .. })));
}

#[test]
fn errors_do_not_multiply_with_the_depth_of_an_instance() {
    let again = json!({"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]});
    let compiled = compile(&json!({"anyOf": [again, again]})).unwrap();
    let deep = (0..60).fold(json!({}), |inner, _| json!({"a": inner}));
    assert_eq!(compiled.violations(&deep).len(), 1);
    // A tree has two children, but each of them is another value: its errors are told.
    let tree =
        compile(&json!({"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}, "n": {"type": "integer"}}}))
            .unwrap();
    assert_eq!(tree.violations(&json!({"left": {"right": {"n": "x"}}}))[0].pointer.as_str(), "/left/right/n");
}

#[test]
fn references_are_resolved_as_identifiers_say() {
    let cases = [
        (
            json!({"$id": "http://e/s#", "$ref": "http://e/s#/definitions/a", "definitions": {"a": {"type": "string"}}}),
            json!(1),
        ),
        (json!({"$defs": {"x": {"$id": "http://e/x.json", "type": "string"}}, "$ref": "http://e/x.json"}), json!(1)),
        (
            json!({"$id": "http://e/root.json", "$defs": {"x": {"$id": "x.json", "type": "string"}}, "$ref": "x.json"}),
            json!(1),
        ),
        (
            json!({"$defs": {"n": {"$id": "urn:n", "$defs": {"s": {"type": "string"}}, "$ref": "#/$defs/s"}, "s": {}}, "$ref": "#/$defs/n"}),
            json!(1),
        ),
        (
            json!({"components": {"schemas": {"A": {"pattern": "^\\d+$"}}}, "$ref": "#/components/schemas/A"}),
            json!("x"),
        ),
        (
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": {"$id": "#here", "type": "string"}}, "allOf": [{"$ref": "#here"}]}),
            json!(1),
        ),
        (json!({"$defs": {"t": {"$dynamicAnchor": "t", "type": "string"}}, "$dynamicRef": "#t"}), json!(1)),
    ];
    for (schema, invalid) in cases {
        let compiled = compile(&schema).unwrap_or_else(|error| panic!("{schema}: {error}"));
        assert!(!compiled.is_valid(&invalid), "{schema}");
    }
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
