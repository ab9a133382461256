//! The borders of what is taken: schemas that make validators overflow, never end, panic or silently accept everything, and those beside them that are fine.

use mcp_contract::json::parse;
use mcp_contract::schema::CompiledSchema;
use serde_json::{Map, Value, json};

const DRAFT_7: &str = "http://json-schema.org/draft-07/schema#";

/// What is to become of a schema.
enum Fate {
    /// Refused at a pointer.
    Refused(&'static str),
    /// Taken: what is valid and what is not.
    Taken(Vec<Value>, Vec<Value>),
}
use Fate::{Refused, Taken};

fn taken(valid: Value, invalid: Value) -> Fate {
    Taken(vec![valid], vec![invalid])
}

/// What of the table does not hold is told all at once.
fn hold(table: Vec<(Value, Fate)>) {
    let mut failures = Vec::new();
    for (schema, fate) in table {
        let text = schema.to_string();
        let shown: String = text.chars().take(160).collect();
        let compiled = CompiledSchema::compile(&parse(&text).unwrap());
        match (compiled, fate) {
            (Ok(compiled), Taken(valid, invalid)) => {
                for (instances, wanted) in [(valid, true), (invalid, false)] {
                    let wrong = |instance: &&Value| {
                        compiled.is_valid(instance) != wanted || compiled.violations(instance).is_empty() != wanted
                    };
                    failures.extend(instances.iter().filter(wrong).map(|instance| format!("{shown}: {instance}")));
                }
            }
            (Err(error), Refused(at)) if error.pointer().as_str() == at => {}
            (Err(error), _) => failures.push(format!("{shown}: refused at {}: {error}", error.pointer())),
            (Ok(_), Refused(_)) => failures.push(format!("{shown}: taken")),
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

fn nested(levels: usize, wrap: fn(Value) -> Value) -> Value {
    (0..levels).fold(json!({}), |inner, _| wrap(inner))
}

fn in_property(schema: Value) -> Value {
    json!({"properties": {"a": schema}})
}

#[test]
fn depth() {
    let wraps: [fn(Value) -> Value; 6] = [
        |inner| json!({"properties": {"a": inner}}),
        |inner| json!({"items": inner}),
        |inner| json!({"allOf": [inner]}),
        |inner| json!({"not": inner}),
        |inner| json!({"x-unknown": inner}),
        |inner| json!({"const": inner}),
    ];
    for wrap in wraps {
        for levels in [70, 100, 120] {
            let schema = nested(levels, wrap);
            let document = parse(&schema.to_string());
            assert!(document.is_err() || CompiledSchema::compile(&document.unwrap()).is_err(), "{levels} levels");
        }
        let text = nested(8, wrap).to_string();
        assert!(CompiledSchema::compile(&parse(&text).unwrap()).is_ok(), "{text}");
    }
    // Text that no value could be built of.
    for levels in [1_000, 10_000, 100_000] {
        assert!(parse(&format!("{}{{}}{}", "{\"items\":".repeat(levels), "}".repeat(levels))).is_err());
    }
}

#[test]
fn work() {
    let doubled = |keyword: &str| {
        let link = |link: usize| json!({keyword: [{"$ref": format!("#/$defs/d{link}")}, {"$ref": format!("#/$defs/d{link}")}]});
        let mut definitions: Map<String, Value> = (1..=30).map(|at| (format!("d{at}"), link(at - 1))).collect();
        definitions.insert("d0".to_owned(), json!({}));
        json!({"$defs": definitions, "$ref": "#/$defs/d30"})
    };
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let schema = doubled(keyword);
        assert!(CompiledSchema::compile(&parse(&schema.to_string()).unwrap()).is_err(), "{keyword}");
    }
    // By members nothing doubles: an instance would have to be as large.
    let mut definitions: Map<String, Value> = (1..=8)
        .map(|at| {
            let before = json!({"$ref": format!("#/$defs/d{}", at - 1)});
            (format!("d{at}"), json!({"properties": {"l": before, "r": before}}))
        })
        .collect();
    definitions.insert("d0".to_owned(), json!({"type": "string"}));
    let again = json!({"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]});
    let many = |count: usize| Value::Array((0..count).map(|number| json!(format!("v{number}"))).collect());
    hold(vec![
        (
            json!({"$defs": definitions, "$ref": "#/$defs/d8"}),
            taken(json!({"l": {"r": {}}}), json!({"l": {"r": {"l": {"l": {"l": {"l": {"l": {"l": 1}}}}}}}})),
        ),
        (
            json!({"anyOf": [again, again]}),
            Taken(vec![], vec![(0..26).fold(json!({}), |inner, _| json!({"a": inner}))]),
        ),
        (in_property(json!({"enum": many(10_000)})), taken(json!({"a": "v9999"}), json!({"a": "w"}))),
        (in_property(json!({"enum": many(100_000)})), Refused("/properties/a/enum")),
        (json!({"uniqueItems": true}), taken(json!((0..5_000).collect::<Vec<_>>()), json!([1, 2, 1]))),
    ]);
}

#[test]
fn patterns_that_cost() {
    let at = |pattern: &str| in_property(json!({"pattern": pattern}));
    let text = |letter: &str, count: usize| json!({"a": letter.repeat(count)});
    let pointer = "/properties/a/pattern";
    let many = (0..20_000).map(|number| number.to_string()).collect::<Vec<_>>().join("|");
    hold(vec![
        (at("(?!z)a*a*a*a*a*\\b!$"), Refused(pointer)),
        (at("(a*)\\1\\1$"), Refused(pointer)),
        (at("^(?:(a*)*)*\\1b$"), Refused(pointer)),
        (at("^(a+)+\\1$"), Refused(pointer)),
        // Linear here, whatever the screens say of those who pass it on.
        (at("^(a+)+$"), taken(text("a", 2_000), text("ab", 1_000))),
        (at("^a{1,100000}$"), Refused(pointer)),
        (at("^((a{1,1000}){1,1000}){1,1000}$"), Refused(pointer)),
        (at("a{4294967295}"), Refused(pointer)),
        (at("^(a)\\1{4294967295}$"), Refused(pointer)),
        (at("a{99999999999999999999}"), Refused(pointer)),
        (at(&many), Refused(pointer)),
        (at(&"a".repeat(1 << 20)), Refused(pointer)),
        (at(&format!("{}a{}", "(".repeat(5_000), ")".repeat(5_000))), Refused(pointer)),
        (at(&format!("{}a{}", "(?=".repeat(500), ")".repeat(500))), Refused(pointer)),
    ]);
    let two_thousand: Map<String, Value> =
        (0..2_000).map(|at| (format!("p{at}"), json!({"pattern": format!("^\\w{{1,100}}x{at}$")}))).collect();
    assert!(CompiledSchema::compile(&parse(&json!({"properties": two_thousand}).to_string()).unwrap()).is_err());
}

#[test]
fn references() {
    hold(vec![
        (in_property(json!({"$ref": "#/$defs/none"})), Refused("/properties/a/$ref")),
        (in_property(json!({"$ref": "http://127.0.0.1/x"})), Refused("/properties/a/$ref")),
        (in_property(json!({"$ref": "https://127.0.0.1/x"})), Refused("/properties/a/$ref")),
        (in_property(json!({"$ref": "file:///x"})), Refused("/properties/a/$ref")),
        (in_property(json!({"$ref": "urn:x"})), Refused("/properties/a/$ref")),
        (in_property(json!({"$ref": "x.json"})), Refused("/properties/a/$ref")),
        (in_property(json!({"$ref": 42})), Refused("/properties/a/$ref")),
        (in_property(json!({"$ref": "http://[::bad"})), Refused("/properties/a/$ref")),
        // What consumes nothing would accept everything.
        (
            json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}),
            Refused("/$defs/a"),
        ),
        (json!({"$ref": "#"}), Refused("")),
        (json!({"allOf": [{"$ref": "#"}]}), Refused("")),
        (json!({"anyOf": [{"$ref": "#"}, {"type": "string"}]}), Refused("")),
        (json!({"if": {"$ref": "#"}}), Refused("")),
        (json!({"not": {"$ref": "#"}}), Refused("")),
        (json!({"$dynamicAnchor": "x", "$dynamicRef": "#x"}), Refused("")),
        (
            json!({"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveAnchor": true, "$recursiveRef": "#"}),
            Refused(""),
        ),
        (
            json!({"$dynamicAnchor": "n", "properties": {"next": {"$dynamicRef": "#n"}, "v": {"type": "string"}}}),
            taken(json!({"next": {"v": "x"}}), json!({"next": {"v": 1}})),
        ),
        (
            json!({"definitions": {"a": {"type": "string"}}, "properties": {"a": {"$ref": "#/definitions/a"}}}),
            taken(json!({"a": ""}), json!({"a": 1})),
        ),
        (
            json!({"$schema": DRAFT_7, "$defs": {"a": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/a"}}}),
            taken(json!({"a": ""}), json!({"a": 1})),
        ),
        (
            json!({"$defs": {"a": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/a", "minLength": 2}}}),
            taken(json!({"a": "xx"}), json!({"a": "x"})),
        ),
        (
            json!({"$schema": DRAFT_7, "definitions": {"a": {"type": "string"}}, "properties": {"a": {"$ref": "#/definitions/a", "minLength": 2}}}),
            taken(json!({"a": "x"}), json!({"a": 1})),
        ),
        // What is no identifier identifies nothing.
        (json!({"$id": 7}), Taken(vec![json!({})], vec![])),
        (
            json!({"$defs": {"a": {"$id": "urn:x", "type": "string"}, "b": {"$id": "urn:x", "type": "integer"}}, "$ref": "urn:x"}),
            Refused("/$ref"),
        ),
    ]);
    let links: Map<String, Value> = (0..5_000)
        .map(|link| (format!("d{link}"), json!({"$ref": format!("#/$defs/d{}", link + 1)})))
        .chain([("d5000".to_owned(), json!({"type": "string"}))])
        .collect();
    let chain = json!({"$defs": links, "properties": {"a": {"$ref": "#/$defs/d0"}}});
    assert!(CompiledSchema::compile(&parse(&chain.to_string()).unwrap()).is_err());
}

#[test]
fn spellings() {
    let pattern = |pattern: &str, valid: &str, invalid: &str| {
        (in_property(json!({"pattern": pattern})), taken(json!({"a": valid}), json!({"a": invalid})))
    };
    let at = "/properties/a";
    hold(vec![
        (in_property(json!({"type": "any"})), Refused("/properties/a/type")),
        (in_property(json!({"type": "str"})), Refused("/properties/a/type")),
        (in_property(json!({"type": []})), Refused("/properties/a/type")),
        (in_property(json!({"type": ["string", "string"]})), Refused("/properties/a/type")),
        (in_property(json!({"type": null})), Refused("/properties/a/type")),
        (in_property(json!({"required": true})), Refused("/properties/a/required")),
        (in_property(json!({"required": null})), Refused("/properties/a/required")),
        (in_property(json!({"required": ["a", "a"]})), Refused("/properties/a/required")),
        (in_property(json!({"items": [{}]})), Refused("/properties/a/items")),
        (
            json!({"$schema": DRAFT_7, "properties": {"a": {"items": [{"type": "string"}]}}}),
            taken(json!({"a": ["x", 1]}), json!({"a": [1]})),
        ),
        (
            json!({"$schema": DRAFT_7, "properties": {"a": {"prefixItems": [{"type": "string"}]}}}),
            Taken(vec![json!({"a": [1]})], vec![]),
        ),
        (json!("x"), Refused("")),
        (json!(42), Refused("")),
        (json!(null), Refused("")),
        (json!([]), Refused("")),
        (in_property(json!(true)), Taken(vec![json!({"a": 1})], vec![])),
        (in_property(json!(false)), Taken(vec![json!({})], vec![json!({"a": 1})])),
        (in_property(json!("x")), Refused(at)),
        (in_property(json!({"pattern": "["})), Refused("/properties/a/pattern")),
        (in_property(json!({"pattern": "*"})), Refused("/properties/a/pattern")),
        (in_property(json!({"pattern": "\\p{Nope}"})), Refused("/properties/a/pattern")),
        (in_property(json!({"pattern": "(?P<x>a)"})), Refused("/properties/a/pattern")),
        (in_property(json!({"pattern": "(?i)abc"})), Refused("/properties/a/pattern")),
        (in_property(json!({"pattern": "(?<x>a)\\k<x>"})), Refused("/properties/a/pattern")),
        pattern("^[a-\\d]$", "-", "b"),
        (in_property(json!({"pattern": "[]"})), Taken(vec![json!({})], vec![json!({"a": "x"})])),
        pattern("^[^]$", "\n", "ab"),
        pattern("^\\uD83D\\uDE00$", "😀", "x"),
        pattern("^\\d$", "1", "١"),
        pattern("^a$", "a", "a\n"),
        pattern("^.$", "😀", "\n"),
        pattern("^\\p{L}\\p{Letter}\\p{Script=Greek}\\p{scx=Greek}$", "aéαβ", "1éαβ"),
        pattern("^\\u{1F600}\\cA$", "😀\u{1}", "😀A"),
        (json!({"$schema": "http://json-schema.org/draft-03/schema#"}), Refused("/$schema")),
        (json!({"$schema": "https://json-schema.org/draft-07/schema"}), Taken(vec![json!({})], vec![])),
        (json!({"$schema": "http://json-schema.org/draft/2020-12/schema"}), Taken(vec![json!({})], vec![])),
        (json!({"$schema": ""}), Taken(vec![json!({})], vec![])),
        (json!({"$schema": 42}), Refused("/$schema")),
        (json!({"$schema": "not a uri"}), Refused("/$schema")),
        (in_property(json!({"multipleOf": 0})), Refused("/properties/a/multipleOf")),
        (in_property(json!({"maxLength": 1.5})), Refused("/properties/a/maxLength")),
        (in_property(json!({"minLength": -1})), Refused("/properties/a/minLength")),
        (in_property(json!({"exclusiveMinimum": true})), Refused("/properties/a/exclusiveMinimum")),
        (in_property(json!({"maxLength": 2.0})), taken(json!({"a": "xx"}), json!({"a": "xxx"}))),
        (in_property(json!({"multipleOf": 0.01})), taken(json!({"a": 19.99}), json!({"a": 19.995}))),
        (
            in_property(json!({"type": "integer"})),
            Taken(vec![json!({"a": 1.0}), json!({"a": 1e20})], vec![json!({"a": 1.5})]),
        ),
        (in_property(json!({"type": "string", "nullable": true})), taken(json!({"a": ""}), json!({"a": null}))),
        (json!({"dependencies": {"a": ["b"]}}), Taken(vec![json!({"a": 1, "b": 1})], vec![json!({"a": 1})])),
    ]);
}
