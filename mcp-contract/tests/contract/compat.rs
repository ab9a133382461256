//! What a change of a schema means for values: proved, shown by an instance, or said to be unknown.

use mcp_contract::compat::{Aside, inclusion};
use mcp_contract::json::parse;
use mcp_contract::schema::CompiledSchema;
use serde_json::{Value, json};

fn compile(schema: &Value) -> CompiledSchema {
    CompiledSchema::compile(&parse(&schema.to_string()).unwrap()).unwrap_or_else(|error| panic!("{schema}: {error}"))
}

/// A schema of arguments with one argument.
fn argument(schema: Value) -> Value {
    json!({"type": "object", "properties": {"a": schema}, "required": ["a"], "additionalProperties": false})
}

/// `takes`: everything is taken. `shown`: an instance shows that it is not. `unknown`: neither.
fn verdict(producer: &Value, acceptor: &Value) -> &'static str {
    let (producer, acceptor) = (compile(producer), compile(acceptor));
    let found = inclusion(&producer, &acceptor);
    for gap in &found.gaps {
        if let Some(witness) = &gap.witness {
            assert!(producer.is_valid(witness) && !acceptor.is_valid(witness), "{witness}");
        }
    }
    match found.gaps.iter().any(|gap| gap.witness.is_some()) {
        true => "shown",
        false if found.gaps.is_empty() => "takes",
        false => "unknown",
    }
}

const DRAFT_4: &str = "http://json-schema.org/draft-04/schema#";
const DRAFT_7: &str = "http://json-schema.org/draft-07/schema#";

#[test]
fn spellings_of_the_same_are_the_same() {
    let in_7 = |mut schema: Value| {
        schema["$schema"] = json!(DRAFT_7);
        schema
    };
    let pairs = [
        (
            argument(json!({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 10})),
            argument(json!({"type": "integer", "minimum": 1, "maximum": 9})),
        ),
        (argument(json!({"type": "integer", "minimum": 0.5})), argument(json!({"type": "integer", "minimum": 1}))),
        (argument(json!({"const": "v"})), argument(json!({"enum": ["v"]}))),
        (argument(json!({"enum": ["a", "b"]})), argument(json!({"type": "string", "enum": ["b", "a"]}))),
        (argument(json!({"enum": ["a", "b"]})), argument(json!({"anyOf": [{"const": "a"}, {"const": "b"}]}))),
        (
            argument(json!({"type": ["string", "null"]})),
            argument(json!({"anyOf": [{"type": "null"}, {"type": "string"}]})),
        ),
        (
            argument(json!({"type": ["string", "null"]})),
            argument(json!({"oneOf": [{"type": "null"}, {"type": "string"}]})),
        ),
        (argument(json!({"type": "boolean"})), argument(json!({"enum": [true, false]}))),
        (argument(json!({"type": "number"})), argument(json!({"anyOf": [{"type": "integer"}, {"type": "number"}]}))),
        (argument(json!({"type": "string", "minLength": 0})), argument(json!({"type": "string"}))),
        (argument(json!({"type": "array", "minItems": 0, "items": {}})), argument(json!({"type": "array"}))),
        (
            argument(json!({"type": "string"})),
            json!({"$defs": {"s": {"type": "string"}}, "type": "object", "properties": {"a": {"$ref": "#/$defs/s"}}, "required": ["a"], "additionalProperties": false}),
        ),
        (
            argument(json!({"allOf": [{"type": "string"}, {"minLength": 1}]})),
            argument(json!({"type": "string", "minLength": 1})),
        ),
        (argument(json!({"type": "integer"})), argument(json!({"type": "number", "multipleOf": 1}))),
        (
            argument(json!({"type": "string", "pattern": "^[0-9]+$"})),
            argument(json!({"type": "string", "pattern": "^\\d+$"})),
        ),
        (
            argument(json!({"type": "string", "format": "uri"})),
            in_7(argument(json!({"type": "string", "format": "uri"}))),
        ),
        (argument(json!({"type": "string"})), in_7(argument(json!({"type": "string"})))),
        (
            json!({"$schema": DRAFT_4, "type": "object", "properties": {"a": {"type": "number", "minimum": 0, "exclusiveMinimum": true}}}),
            json!({"type": "object", "properties": {"a": {"type": "number", "exclusiveMinimum": 0}}}),
        ),
        (
            in_7(
                json!({"type": "object", "properties": {"a": {"type": "array", "items": [{"type": "string"}], "additionalItems": false}}}),
            ),
            json!({"type": "object", "properties": {"a": {"type": "array", "prefixItems": [{"type": "string"}], "items": false}}}),
        ),
        (
            json!({"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}}}}}),
            json!({"type": "object", "properties": {"n": {"$ref": "#/definitions/m"}}, "definitions": {"m": {"type": "object", "properties": {"next": {"$ref": "#/definitions/m"}}}}}),
        ),
        (argument(json!({"not": {"type": "string"}})), argument(json!({"not": {"type": "string"}, "title": "A"}))),
    ];
    for (one, other) in pairs {
        assert_eq!((verdict(&one, &other), verdict(&other, &one)), ("takes", "takes"), "{one}\n{other}");
    }
}

#[test]
fn what_narrows_is_shown_and_its_reverse_is_taken() {
    let object =
        |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required});
    let pairs = [
        (argument(json!({"type": ["string", "integer"]})), argument(json!({"type": "integer"}))),
        (argument(json!({"type": "number"})), argument(json!({"type": "integer"}))),
        (argument(json!({"type": ["string", "null"]})), argument(json!({"type": "string"}))),
        (argument(json!({"anyOf": [{"type": "string"}, {"type": "null"}]})), argument(json!({"type": "string"}))),
        (argument(json!({"enum": ["debug", "info"]})), argument(json!({"enum": ["info"]}))),
        (
            argument(json!({"enum": ["debug", "Info"]})),
            argument(json!({"enum": ["debug", "Info"], "pattern": "^[a-z]+$"})),
        ),
        (argument(json!({"type": "string"})), argument(json!({"type": "string", "minLength": 3}))),
        (argument(json!({"type": "string"})), argument(json!({"type": "string", "maxLength": 3}))),
        (argument(json!({"type": "string"})), argument(json!({"type": "string", "pattern": "^[A-Z]+$"}))),
        (
            argument(json!({"type": "string", "pattern": "^[a-z]+$"})),
            argument(json!({"type": "string", "pattern": "^[a-z]{1,9}$"})),
        ),
        (
            argument(json!({"type": "integer"})),
            argument(json!({"type": "integer", "maximum": 9_007_199_254_740_991_i64})),
        ),
        (argument(json!({"type": "number", "minimum": 0})), argument(json!({"type": "number", "exclusiveMinimum": 0}))),
        (argument(json!({"type": "number"})), argument(json!({"type": "number", "multipleOf": 5}))),
        (
            argument(json!({"type": "array", "items": {"type": "string"}})),
            argument(json!({"type": "array", "items": {"type": "string", "minLength": 1}})),
        ),
        (argument(json!({"type": "array"})), argument(json!({"type": "array", "minItems": 2}))),
        (argument(json!({"type": "array"})), argument(json!({"type": "array", "uniqueItems": true}))),
        (argument(json!({"type": "array"})), argument(json!({"type": "array", "prefixItems": [{"type": "string"}]}))),
        (
            argument(json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]})),
            argument(json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer", "minimum": 3}]})),
        ),
        (object(json!({"a": {}, "b": {}}), json!(["a"])), object(json!({"a": {}, "b": {}}), json!(["a", "b"]))),
        (
            argument(object(json!({"a": {"type": "string"}}), json!([]))),
            argument(object(json!({"a": {"type": "string"}}), json!(["a"]))),
        ),
        (
            argument(json!({"type": "object", "additionalProperties": {"type": "string"}})),
            argument(json!({"type": "object", "additionalProperties": false})),
        ),
        (
            argument(json!({"type": "object", "additionalProperties": true})),
            argument(json!({"type": "object", "additionalProperties": {"type": "string"}})),
        ),
        (
            argument(json!({"type": "object"})),
            argument(json!({"type": "object", "properties": {}, "additionalProperties": false})),
        ),
        (
            argument(json!({"type": "object", "additionalProperties": {}})),
            argument(json!({"type": "object", "additionalProperties": {}, "propertyNames": {"pattern": "^[a-z]+$"}})),
        ),
        (
            argument(json!({"type": "object", "additionalProperties": {}})),
            argument(json!({"type": "object", "additionalProperties": {}, "maxProperties": 2})),
        ),
        (
            argument(
                json!({"anyOf": [{"type": "object", "properties": {"k": {"const": "a"}}, "required": ["k"]}, {"type": "object", "properties": {"k": {"const": "b"}}, "required": ["k"]}]}),
            ),
            argument(json!({"type": "object", "properties": {"k": {"const": "a"}}, "required": ["k"]})),
        ),
        (
            json!({"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "object", "properties": {"v": {}, "next": {"$ref": "#/$defs/n"}}}}}),
            json!({"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "object", "properties": {"v": {"type": "string"}, "next": {"$ref": "#/$defs/n"}}}}}),
        ),
        (
            argument(json!({"oneOf": [{"type": "integer"}, {"type": "string"}]})),
            argument(json!({"oneOf": [{"type": "integer"}, {"type": "number"}]})),
        ),
        (argument(json!({})), argument(json!({"not": {"type": "string"}}))),
        (
            json!({"$schema": DRAFT_7, "type": "object", "properties": {"a": {"type": "string"}}}),
            json!({"$schema": DRAFT_7, "type": "object", "properties": {"a": {"type": "string", "format": "date"}}}),
        ),
    ];
    for (wide, narrow) in pairs {
        assert_eq!(verdict(&wide, &narrow), "shown", "{wide}\n{narrow}");
        if !narrow.to_string().contains("\"not\"") && !narrow.to_string().contains("{\"type\":\"number\"}]") {
            assert_eq!(verdict(&narrow, &wide), "takes", "{narrow}\n{wide}");
        }
    }
}

#[test]
fn what_no_instance_shows_is_told_aside() {
    let open = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}});
    let less = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let closed = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "additionalProperties": false});
    let asides = |producer: &Value, acceptor: &Value| {
        let found = inclusion(&compile(producer), &compile(acceptor));
        assert_eq!(found.gaps, [], "{producer} {acceptor}");
        let told = found.asides.iter().map(|aside| match aside {
            Aside::Undeclared { producer, .. } => format!("undeclared {}", producer.as_str()),
            Aside::Closed { acceptor, .. } => format!("closed {}", acceptor.as_str()),
            _ => unreachable!(),
        });
        told.collect::<Vec<_>>()
    };
    assert_eq!(asides(&open, &less), ["undeclared /properties/b"]);
    assert_eq!(asides(&open, &closed), ["closed /additionalProperties"]);
    assert_eq!(asides(&less, &open), Vec::<String>::new());
    assert_eq!(asides(&closed, &open), Vec::<String>::new());
}

#[test]
fn what_cannot_be_proved_is_not_called_taken() {
    let one = json!({"type": "object", "properties": {"u": {}, "v": {}}, "oneOf": [{"required": ["u"]}, {"required": ["v"]}]});
    let other = json!({"type": "object", "properties": {"u": {}, "v": {}}, "if": {"required": ["u"]}, "then": {"not": {"required": ["v"]}}, "else": {"required": ["v"]}});
    assert_eq!(verdict(&one, &other), "unknown");
    assert_eq!(verdict(&other, &one), "unknown");
}

#[test]
fn alternatives_that_refer_back_to_themselves_are_told_apart() {
    let filter = |value: Value| {
        json!({"type": "object", "properties": {"filter": {"$ref": "#/$defs/filter"}}, "$defs": {"filter": {"oneOf": [
            {"type": "object", "properties": {"op": {"const": "and"}, "of": {"type": "array", "items": {"$ref": "#/$defs/filter"}}}, "required": ["op", "of"]},
            {"type": "object", "properties": {"op": {"const": "not"}, "of": {"$ref": "#/$defs/filter"}}, "required": ["op", "of"]},
            {"type": "object", "properties": {"op": {"const": "eq"}, "value": value}, "required": ["op", "value"]},
        ]}}})
    };
    assert_eq!(
        verdict(&filter(json!({"type": "string", "minLength": 1})), &filter(json!({"type": "string"}))),
        "takes"
    );
    assert_eq!(
        verdict(&filter(json!({"type": "string"})), &filter(json!({"type": "string", "minLength": 1}))),
        "shown"
    );
    // Many that refer to each other.
    let definitions: serde_json::Map<String, Value> = (0..12)
        .map(|index| {
            let all = (0..12).map(|other| json!({"type": "object", "properties": {"a": {"$ref": format!("#/$defs/d{other}")}}, "required": ["a"]}));
            (format!("d{index}"), json!({"oneOf": all.collect::<Vec<_>>()}))
        })
        .collect();
    let many = |more: Value| json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}, "y": more}, "$defs": definitions});
    assert_eq!(verdict(&many(json!({"type": "string"})), &many(json!({"type": "integer"}))), "shown");
}

#[test]
fn hostile_pairs_end() {
    let branches = |word: &str| {
        (0..300).map(|index| json!({"type": "object", "properties": {"k": {"const": format!("{word}{index}")}}, "required": ["k"]})).collect::<Vec<_>>()
    };
    let many = |word: &str| argument(json!({"anyOf": branches(word)}));
    assert_eq!(verdict(&many("a"), &many("a")), "takes");
    assert_eq!(verdict(&many("a"), &many("b")), "shown");
    let product = |word: &str| {
        argument(
            json!({"allOf": (0..6).map(|at| json!({"anyOf": [{"required": [format!("{word}{at}")]}, {"maxProperties": at}, {"minProperties": 9}]})).collect::<Vec<_>>()}),
        )
    };
    assert_ne!(verdict(&product("a"), &product("b")), "takes");
    let deep = |leaf: &str| {
        (0..14).fold(
            json!({"type": leaf}),
            |inner, _| json!({"type": "object", "properties": {"a": inner}, "required": ["a"]}),
        )
    };
    assert_eq!(verdict(&deep("string"), &deep("integer")), "shown");
}
