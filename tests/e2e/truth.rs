//! Generated types against instances of the schemas they were made from, in compiled code.
//!
//! Every valid instance must decode and encode back to an equal value, in the members that are declared. The types of all tools are compiled
//! into one program, which reads instances and writes what became of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mcp_contract::schema::CompiledSchema;
use serde_json::{Value, json};

use crate::instances::{nearly, valid};
use crate::project::{Project, turn};
use crate::random::Random;

/// How many valid instances are made of each schema.
const WANTED: usize = 20;

/// What was found over some listings.
#[derive(Debug, Default)]
pub(crate) struct Truth {
    pub(crate) schemas: usize,
    /// Schemas of which fewer instances than wanted could be made.
    pub(crate) poor: Vec<String>,
    pub(crate) instances: usize,
    pub(crate) nearly: usize,
    /// Valid arguments that leave out the tag of an alternative, which the type always holds.
    pub(crate) untagged: usize,
    /// Valid instances that did not come back.
    pub(crate) wrong: Vec<String>,
}

/// The tools of a project whose code is generated: server module, remote name, and the names of both types.
struct Typed {
    module: String,
    remote_name: String,
    input: String,
    output: String,
}

/// Holds the generated types of a project to instances of its schemas.
pub(crate) fn check(project: &Project) -> Truth {
    let mut truth = Truth::default();
    let mut questions: Vec<(String, bool, Value)> = Vec::new();
    let mut random = Random::new(7);
    let contract = mcp_codegen::Contract::load(&project.path().join("servers.toml")).unwrap();
    for server in &contract.servers {
        for tool in &server.admission.admitted {
            for (side, schema) in [("in", Some(tool.input())), ("out", tool.output())] {
                let Some(schema) = schema else { continue };
                let key = format!("{} {side} {}", server.name, tool.remote_name());
                ask(&key, schema, &mut questions, &mut truth, &mut random);
            }
        }
    }
    let answers = answers(project, &questions);
    dump(&contract, &questions, &answers);
    for ((key, valid, instance), answer) in questions.iter().zip(answers) {
        if !valid {
            continue;
        }
        let arguments = key.contains(" in ");
        match answer {
            Ok(back) if equal(instance, &back, arguments) => {}
            // Arguments are written by callers, who always write the tag of an alternative, also where it may be left out.
            Err(error) if arguments && error.ends_with("expected the tag of an alternative, found nothing") => {
                truth.untagged += 1;
            }
            Ok(back) => truth.wrong.push(format!("{key}: {instance} came back as {back}")),
            Err(error) => truth.wrong.push(format!("{key}: {instance} does not decode: {error}")),
        }
    }
    truth
}

/// What the compiled types of a project make of instances: the server, `in` or `out`, and the tool tell which type.
pub(crate) fn answers(project: &Project, questions: &[(String, bool, Value)]) -> Vec<Result<Value, String>> {
    let _turn = turn();
    let program = build(project, &typed(project));
    run(&program, questions)
}

/// Writes schemas, instances and what became of them to the folder that `MCP_TRUTH_DUMP` names: `scripts/oracle` holds another generator to
/// the same.
fn dump(contract: &mcp_codegen::Contract, questions: &[(String, bool, Value)], answers: &[Result<Value, String>]) {
    let Some(folder) = std::env::var_os("MCP_TRUTH_DUMP").map(PathBuf::from) else { return };
    let sources = folder.join("ours");
    std::fs::create_dir_all(&sources).unwrap();
    let mut schemas = String::new();
    for server in &contract.servers {
        for tool in &server.admission.admitted {
            for (side, schema) in [("in", Some(tool.input())), ("out", tool.output())] {
                let Some(schema) = schema else { continue };
                let key = format!("{} {side} {}", server.name, tool.remote_name());
                writeln!(schemas, "{}", json!([key, schema.document().root()])).unwrap();
            }
        }
        let file = format!("{}.rs", server.name);
        std::fs::copy(contract.base.join("src/mcp").join(&file), sources.join(&file)).unwrap();
    }
    let rows = questions.iter().zip(answers).fold(String::new(), |mut rows, ((key, valid, instance), answer)| {
        writeln!(rows, "{}", json!([key, valid, instance, answer.as_ref().ok()])).unwrap();
        rows
    });
    std::fs::write(folder.join("schemas.jsonl"), schemas).unwrap();
    std::fs::write(folder.join("instances.jsonl"), rows).unwrap();
}

fn ask(
    key: &str,
    schema: &CompiledSchema,
    questions: &mut Vec<(String, bool, Value)>,
    truth: &mut Truth,
    random: &mut Random,
) {
    let mut good = valid(schema, WANTED, random);
    // Arguments are an object, whatever else their schema allows.
    good.retain(|instance| instance.is_object() || !key.contains(" in "));
    truth.schemas += 1;
    if good.len() < WANTED {
        truth.poor.push(format!("{key}: {}", good.len()));
    }
    let near = nearly(&good, random);
    truth.instances += good.len();
    truth.nearly += near.len();
    questions.extend(good.into_iter().map(|instance| (key.to_owned(), true, instance)));
    questions.extend(near.into_iter().map(|instance| (key.to_owned(), false, instance)));
}

/// What the generated files say of their tools.
fn typed(project: &Project) -> Vec<Typed> {
    let mut found = Vec::new();
    for (file, text) in project.files("src/mcp") {
        let module = file.file_stem().unwrap().to_str().unwrap().to_owned();
        // Long names are broken over lines.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for tool in text.split("impl mcp_runtime::Tool for ").skip(1) {
            let (input, rest) = tool.split_once(" { type Output = ").unwrap();
            let (output, rest) = rest.split_once("; pinned!(").unwrap();
            let literal = rest.trim_start();
            let remote_name: syn::LitStr = syn::parse_str(&literal[..literal_end(literal)]).unwrap();
            let (input, output) = (input.to_owned(), output.to_owned());
            found.push(Typed { module: module.clone(), remote_name: remote_name.value(), input, output });
        }
    }
    found
}

/// Where the literal at the beginning of a text ends.
fn literal_end(text: &str) -> usize {
    let mut escaped = false;
    for (index, character) in text.char_indices().skip(1) {
        match character {
            '"' if !escaped => return index + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

/// The program that decodes and encodes.
fn build(project: &Project, tools: &[Typed]) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let manifest = format!(
        "[package]\nname = \"truth\"\nedition = \"2024\"\n\n[dependencies]\nmcp-runtime = {{ path = \"{}\" }}\nserde_json = \"1\"\n\n\
         [profile.dev]\ndebug = false\n\n[workspace]\n",
        root.join("runtime").display()
    );
    project.write("Cargo.toml", &manifest);
    std::fs::copy(root.join("Cargo.lock"), project.path().join("Cargo.lock")).unwrap();
    let mut by_module: BTreeMap<&str, String> = BTreeMap::new();
    for tool in tools {
        let arms = by_module.entry(&tool.module).or_default();
        let Typed { module, remote_name, input, output } = tool;
        writeln!(arms, "        (\"in\", {remote_name:?}) => back::<mcp::{module}::{input}>(value),").unwrap();
        if !output.starts_with("mcp_runtime::") {
            let output = qualified(output, module);
            writeln!(arms, "        (\"out\", {remote_name:?}) => back::<{output}>(value),").unwrap();
        }
    }
    let mut main = String::from(include_str!("truth_main.txt"));
    for (module, arms) in &by_module {
        writeln!(
            main,
            "fn {module}(side: &str, tool: &str, value: Value) -> Result<Value, String> {{\n    match (side, tool) {{\n{arms}        \
             _ => Err(\"no such tool\".to_owned()),\n    }}\n}}"
        )
        .unwrap();
    }
    let arms: String = by_module.keys().fold(String::new(), |mut arms, module| {
        writeln!(arms, "        \"{module}\" => {module}(side, tool, value),").unwrap();
        arms
    });
    writeln!(
        main,
        "fn answer(server: &str, side: &str, tool: &str, value: Value) -> Result<Value, String> {{\n    match server {{\n{arms}        \
         _ => Err(\"no such server\".to_owned()),\n    }}\n}}"
    )
    .unwrap();
    project.write("src/main.rs", &main);
    let target = root.join("target/doors");
    let mut command = Command::new(env!("CARGO"));
    command.args(["build", "--quiet"]).env("CARGO_TARGET_DIR", &target).current_dir(project.path());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    target.join("debug/truth")
}

/// A type of a module as another module spells it.
fn qualified(output: &str, module: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for character in output.chars().chain(" ".chars()) {
        if character.is_alphanumeric() || character == '_' {
            word.push(character);
            continue;
        }
        match word.as_str() {
            "" | "Vec" | "Option" | "String" | "bool" | "i64" | "u64" | "f64" | "Box" => out.push_str(&word),
            "BTreeMap" => out.push_str("std::collections::BTreeMap"),
            "Value" => out.push_str("serde_json::Value"),
            name => write!(out, "mcp::{module}::{name}").unwrap(),
        }
        word.clear();
        out.push(character);
    }
    out.trim().to_owned()
}

fn run(program: &Path, questions: &[(String, bool, Value)]) -> Vec<Result<Value, String>> {
    let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let lines: Vec<String> = questions.iter().map(|(key, _, instance)| json!([key, instance]).to_string()).collect();
    let writer = std::thread::spawn(move || {
        for line in lines {
            writeln!(stdin, "{line}").unwrap();
        }
    });
    let answers = BufReader::new(child.stdout.take().unwrap()).lines();
    let answers = answers.map(|line| {
        let answer: Value = serde_json::from_str(&line.unwrap()).unwrap();
        match answer.get("error") {
            Some(error) if answer.get("value").is_none() => Err(error.as_str().unwrap().to_owned()),
            _ => Ok(answer["value"].clone()),
        }
    });
    let answers = answers.collect();
    writer.join().unwrap();
    assert!(child.wait().unwrap().success());
    answers
}

/// Equal as JSON, numbers by value. Arguments may leave out what was `null`: there the two mean the same.
pub(crate) fn equal(a: &Value, b: &Value, arguments: bool) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64() && (a.is_f64() || b.is_f64()),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b, arguments))
        }
        (Value::Object(a), Value::Object(b)) => {
            let kept = |(key, a): (&String, &Value)| match b.get(key) {
                Some(b) => equal(a, b, arguments),
                None => arguments && a.is_null(),
            };
            b.keys().all(|key| a.contains_key(key)) && a.iter().all(kept)
        }
        _ => a == b,
    }
}
