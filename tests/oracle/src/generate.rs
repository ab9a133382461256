//! typify's types, one module a schema, and a program that decodes and encodes instances with them.

use std::error::Error;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use serde_json::Value;

/// Writes the package.
pub fn generate(dump: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let schemas = std::fs::read_to_string(dump.join("schemas.jsonl"))?;
    let mut arms = String::new();
    let (mut total, mut failed) = (0, 0);
    // The panics are counted, not shown.
    std::panic::set_hook(Box::new(|_| {}));
    std::fs::create_dir_all(out.join("src"))?;
    for (index, line) in schemas.lines().enumerate() {
        let (key, schema): (String, Value) = serde_json::from_str(line)?;
        total += 1;
        // Its first run tells which modules do not compile.
        if out.join(format!("skip/m{index}")).exists() {
            failed += 1;
            continue;
        }
        match catch_unwind(AssertUnwindSafe(|| module(schema))) {
            Ok(Some((name, text))) => {
                std::fs::write(out.join(format!("src/m{index}.rs")), text)?;
                writeln!(arms, "mod m{index};\nfn a{index}(v: Value) -> Result<Value, String> {{ back::<m{index}::{name}>(v) }}")?;
                writeln!(arms, "// {key}")?;
            }
            _ => {
                failed += 1;
                eprintln!("no types: {key}");
            }
        }
    }
    let table: String = arms.lines().collect::<Vec<_>>().chunks(3).fold(String::new(), |mut table, chunk| {
        let function = chunk[1].trim_start_matches("fn ").split('(').next().unwrap_or_default();
        let _ = writeln!(table, "        {:?} => {function}(v),", chunk[2].trim_start_matches("// "));
        table
    });
    let main = format!("{MAIN}{arms}\nfn answer(key: &str, v: Value) -> Result<Value, String> {{\n    match key {{\n{table}        _ => Err(\"no types\".to_owned()),\n    }}\n}}\n");
    std::fs::write(out.join("src/main.rs"), main)?;
    println!("typify: {total} schemas, {failed} without types that compile");
    Ok(())
}

/// The types of one schema, and the name of the outermost.
fn module(mut schema: Value) -> Option<(String, String)> {
    // Without a title typify makes no type at all.
    schema.as_object_mut()?.insert("title".to_owned(), "Outermost Of All".into());
    let root: schemars::schema::RootSchema = serde_json::from_value(schema).ok()?;
    let mut space = typify::TypeSpace::new(&typify::TypeSpaceSettings::default());
    let id = space.add_root_schema(root).ok()??;
    let name = space.get_type(&id).ok()?.name();
    let file = syn::parse2::<syn::File>(space.to_stream()).ok()?;
    Some((name, prettyplease::unparse(&file)))
}

const MAIN: &str = r#"//! Generated.
#![allow(warnings, clippy::all)]
use std::io::{BufRead as _, BufWriter, Write as _};
use serde_json::{Value, json};
fn main() {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let (key, _, value, _): (String, bool, Value, Option<Value>) = serde_json::from_str(&line.unwrap()).unwrap();
        let answer = std::panic::catch_unwind(|| answer(&key, value)).unwrap_or_else(|_| Err("panic".to_owned()));
        writeln!(out, "{}", match answer { Ok(value) => json!({"value": value}), Err(error) => json!({"error": error}) }).unwrap();
    }
}
fn back<T: serde::Serialize + serde::de::DeserializeOwned>(value: Value) -> Result<Value, String> {
    let typed: T = serde_json::from_value(value).map_err(|error| error.to_string())?;
    serde_json::to_value(&typed).map_err(|error| error.to_string())
}
"#;
