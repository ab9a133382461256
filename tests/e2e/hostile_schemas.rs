//! Schemas that are made to hurt: each is refused with a reason or becomes code that compiles, and soon.

use std::fmt::Write as _;

use crate::project::{Project, accepted_risks};

/// `text` inside `count` pairs of `open` and `close`.
fn nested(open: &str, text: &str, close: &str, count: usize) -> String {
    format!("{}{text}{}", open.repeat(count), close.repeat(count))
}

fn joined(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(",")
}

/// The name of each tool, and its schema.
fn schemas() -> Vec<(&'static str, String)> {
    let with = |inner: &str| format!("{{\"type\": \"object\", \"properties\": {{\"it\": {inner}}}}}");
    let doubled = joined(40, |index| {
        let next = (index + 1) % 40;
        format!(
            "\"d{index}\": {{\"type\": \"object\", \"properties\": {{\"a\": {{\"$ref\": \"#/$defs/d{next}\"}}, \"b\": {{\"$ref\": \"#/$defs/d{next}\"}}}}}}"
        )
    });
    let choices = joined(12, |index| {
        format!(
            "{{\"oneOf\": [{{\"properties\": {{\"p{index}\": {{\"type\": \"string\"}}}}, \"required\": [\"p{index}\"]}}, {{\"properties\": {{\"q{index}\": {{}}}}}}]}}"
        )
    });
    let chain = joined(30, |index| {
        format!(
            "\"c{index}\": {{\"allOf\": [{{\"$ref\": \"#/$defs/c{0}\"}}, {{\"$ref\": \"#/$defs/c{0}\"}}]}}",
            index + 1
        )
    });
    let branches = joined(150, |index| {
        format!(
            "{{\"type\": \"object\", \"properties\": {{\"op\": {{\"const\": \"op {index}\"}}, \"v{index}\": {{\"type\": \"string\"}}}}, \"required\": [\"op\"]}}"
        )
    });
    vec![
        ("nested 10,000 deep", with(&nested("{\"type\": \"array\", \"items\": ", "{}", "}", 10_000))),
        ("nested as deep as may be", with(&nested("{\"items\": ", "{}", "}", 55))),
        ("references that double", format!("{{\"type\": \"object\", \"properties\": {{\"x\": {{\"$ref\": \"#/$defs/d0\"}}}}, \"$defs\": {{{doubled}}}}}")),
        ("conditions that double", format!("{{\"type\": \"object\", \"properties\": {{\"x\": {{\"$ref\": \"#/$defs/c0\"}}}}, \"$defs\": {{{chain}, \"c30\": {{\"type\": \"string\"}}}}}}")),
        ("twelve choices at once", format!("{{\"type\": \"object\", \"allOf\": [{choices}]}}")),
        ("150 branches", with(&format!("{{\"oneOf\": [{branches}]}}"))),
        ("100,000 members", format!("{{\"type\": \"object\", \"properties\": {{{}}}}}", joined(100_000, |index| format!("\"m{index}\": {{\"type\": \"string\"}}")))),
        ("9,000 members", format!("{{\"type\": \"object\", \"properties\": {{{}}}}}", joined(9_000, |index| format!("\"m{index}\": {{\"type\": \"string\"}}")))),
        ("100,000 values", with(&format!("{{\"enum\": [{}]}}", joined(100_000, |index| format!("\"v{index}\""))))),
        ("9,000 values", with(&format!("{{\"enum\": [{}]}}", joined(9_000, |index| format!("\"v{index}\""))))),
        ("a description of 1 MB", with(&format!("{{\"type\": \"string\", \"description\": \"{}\"}}", "word ".repeat(200_000)))),
        ("itself", "{\"type\": \"object\", \"properties\": {\"a\": {\"$ref\": \"#\"}, \"b\": {\"anyOf\": [{\"$ref\": \"#\"}, {\"type\": \"array\", \"items\": {\"$ref\": \"#\"}}]}}}".to_owned()),
        ("nothing but itself", "{\"type\": \"object\", \"properties\": {\"a\": {\"$ref\": \"#/properties/a\"}}}".to_owned()),
    ]
}

#[test]
fn schemas_that_are_made_to_hurt_are_refused_or_compile() {
    // So long a description is refused for its length alone; what it does to the generator is what is looked at here.
    let server = "[[server]]\nname = \"hurt\"\ncommand = \"unused\"\n".to_owned();
    let project = Project::new(&(server + &accepted_risks()));
    let tools = schemas().into_iter().map(|(name, schema)| {
        format!(
            "{{\"name\": \"{name}\", \"description\": \"{}\", \"inputSchema\": {schema}, \"outputSchema\": {schema}}}",
            "long ".repeat(200_000)
        )
    });
    project.write("listing.json", &format!("[{}]", tools.collect::<Vec<_>>().join(",\n")));
    let listing = format!("hurt={}", project.path().join("listing.json").display());
    let said = project.run(&["snapshot", "--listing", &listing]);
    assert!(said.ends_with("exit code 0"), "{said}");
    let contract = mcp_codegen::Contract::load(&project.path().join("servers.toml")).unwrap();
    let mut verdicts = String::new();
    for tool in &contract.servers[0].admission.refused {
        writeln!(verdicts, "{}: {}", tool.remote_name, tool.reason).unwrap();
    }
    for entry in &contract.servers[0].snapshot.undecodable {
        writeln!(verdicts, "entry {}: {}", entry.index, entry.reason).unwrap();
    }
    expect_test::expect![[r#"
        100,000 members: /inputSchema: more than 10000 members in one object at /properties; only its author can mend it, and `exclude` leaves the tool out
        100,000 values: /inputSchema: more than 10000 elements in one array at /properties/it/enum; only its author can mend it, and `exclude` leaves the tool out
        conditions that double: /inputSchema: references expand to more than 10000 schemas for one value at /$defs/c18; only its author can mend it, and `exclude` leaves the tool out
        nothing but itself: /inputSchema: a reference leads back to itself without consuming anything at /properties/a; only its author can mend it, and `exclude` leaves the tool out
        entry 0: nested deeper than 120 levels at /inputSchema/properties/it/items/items/items/items/items/items/items/items/items/items/items/items/items/items/items/items/items/items/items/items/items/items/items/items/items/items/items/items/items…
    "#]].assert_eq(&verdicts);
    assert!(project.run(&["generate"]).ends_with("exit code 0"));
    project.compile();
}
