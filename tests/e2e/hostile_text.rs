//! Hostile names, descriptions and values in generated code: it compiles, and nothing of them runs.

use std::path::Path;
use std::process::Command;

use crate::project::{Project, accepted_risks, turn};

/// Texts that try to become code, documentation tests, HTML, links, lints, or terminal commands. Whatever of them ran would leave the file
/// `canary` behind.
const TEXTS: &[&str] = &[
    "*/ fn main() { std::fs::write(\"canary\", \"\").unwrap(); } /*",
    "\"] #[doc = \"x",
    "r#\"raw\"# and \\ and \\\" and \u{0} and \u{202e}bidi and \u{e0041}tags",
    "```\nstd::fs::write(\"canary\", \"\").unwrap();\n```",
    "```rust\nstd::fs::write(\"canary\", \"\").unwrap();",
    "~~~rust,no_run\nnever closed",
    "    std::fs::write(\"canary\", \"\").unwrap();",
    "- item\n\n      std::fs::write(\"canary\", \"\").unwrap();\n1. one\n\t\tstd::fs::write(\"canary\", \"\").unwrap();",
    "> ```\n> std::fs::write(\"canary\", \"\").unwrap();\n> ```",
    "`\\` `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx ~~~ std::fs::write(\"canary\", \"\").unwrap();`",
    "<script>alert(1)</script> <b> ![i](https://e.example/p.png) [x] [y](z) <https://e.example> https://e.example/bare",
    "# Heading\n====\n---\n| a | b |\n|---|---|\n[^1]: note\n[ref]: https://e.example",
    "{{T}} {} {0} {Self} %s ${x} #{y} &#x202e; &lt;",
    "line one\r\nline two\rline three\u{2028}four\u{85}five",
];

const NAMES: &[&str] = &[
    "into",
    "try_into",
    "new",
    "with",
    "clone",
    "self",
    "Self",
    "crate",
    "type",
    "fn",
    "async",
    "r#type",
    "Option",
    "String",
    "Vec",
    "Some",
    "None",
    "Ok",
    "Err",
    "Result",
    "Box",
    "Value",
    "Nullable",
    "Call",
    "Json",
    "Mismatch",
    "Serialize",
    "Future",
    "BTreeMap",
    "SERVER",
    "Hostile",
    "HostileHandler",
    "HostileServer",
    "serve",
    "contract",
    "drop",
    "eq",
    "fmt",
    "a.b",
    "a_b",
    "a b",
    "a-b",
    "A_B",
    "ab",
    "aB",
    "日本",
    "\u{202e}x",
    "\0",
    "\n",
    "\"",
    "`",
    "\\",
    "*/",
    "../x",
    "9",
    "_",
    "__",
    "-",
    "",
    "x output",
    "x",
    "rest",
    "unlisted",
    "Unlisted",
];

#[test]
fn hostile_text_compiles_and_never_runs() {
    let mut tools = Vec::new();
    for (index, name) in NAMES.iter().enumerate() {
        let text = TEXTS[index % TEXTS.len()];
        let values: Vec<&str> = TEXTS.iter().chain(NAMES).copied().collect();
        let property = serde_json::json!({"type": "string", "description": text, "pattern": "^a$", "default": text});
        let inner = serde_json::json!({"type": "object", "description": text, "properties": {*name: {"enum": values}, "output": property}, "required": [name]});
        let schema = serde_json::json!({
            "type": "object",
            "title": text,
            "properties": {*name: property, "output": inner, "again": {"$ref": "#/properties/output"}, "self": {"$ref": "#"}},
            "required": [name],
            "additionalProperties": index % 2 == 0
        });
        tools.push(
            serde_json::json!({"name": name, "description": text, "inputSchema": schema, "outputSchema": schema}),
        );
    }
    // Refused ones leave names and reasons behind.
    for text in TEXTS.iter().chain(&["t", "T", "h", "hostile refused"]) {
        tools.push(serde_json::json!({"name": text, "description": text, "inputSchema": {"type": text}}));
    }
    let _turn = turn();
    let server = "[[server]]\nname = \"hostile\"\ncommand = \"x\"\n".to_owned();
    let project = Project::new(&(server + &accepted_risks()));
    project.write("hostile.json", &serde_json::Value::from(tools).to_string());
    let listing = format!("hostile={}", project.path().join("hostile.json").display());
    assert!(project.run(&["snapshot", "--listing", &listing]).ends_with("exit code 0"));
    assert!(project.run(&["generate"]).ends_with("exit code 0"));
    let code = project.read("src/mcp/hostile.rs");
    assert!(!code.contains(['\u{202e}', '\0', '\u{e0041}']), "hidden characters reached the source");

    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let manifest = format!(
        "[package]\nname = \"hostile-text\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n[dependencies]\nmcp-runtime = {{ path = \"{}\", features = [\"macros\"] }}\n[profile.dev]\ndebug = false\n",
        root.join("runtime").display()
    );
    project.write("Cargo.toml", &manifest);
    project.write("src/lib.rs", "//! Hostile text.\n#![deny(warnings)]\n\npub mod mcp;\n");
    std::fs::copy(root.join("Cargo.lock"), project.path().join("Cargo.lock")).unwrap();
    for arguments in [&["test", "--doc", "--quiet"][..], &["doc", "--no-deps", "--quiet"]] {
        let mut command = Command::new(env!("CARGO"));
        command.args(arguments).env("CARGO_TARGET_DIR", root.join("target/doors")).env("RUSTDOCFLAGS", "-D warnings");
        let output = command.current_dir(project.path()).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {told}");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(arguments[0] != "test" || said.contains("running 0 tests"), "{said}");
    }
    assert!(project.files(".").keys().all(|file| !file.ends_with("canary")));
}
