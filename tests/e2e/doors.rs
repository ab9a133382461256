//! The three doors onto one generator: checked-in files, `build.rs`, and the macro.
//!
//! Packages are built as users build them, by cargo in folders of their own, against a shared target folder.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::MutexGuard;

use expect_test::{Expect, expect};

use crate::project::{Project, turn};

/// The listing of the fixture: a tool with everything, one that takes nothing, and one that is refused.
pub(crate) const LISTING: &str = r#"[
  {"name": "add_note", "description": "Add a note.", "inputSchema": {"type": "object", "properties": {"title": {"type": "string"}, "tags": {"type": "array", "items": {"enum": ["red", "green"]}}}, "required": ["title"]}, "outputSchema": {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}},
  {"name": "list_notes", "inputSchema": {"type": "object"}},
  {"name": "export {notes}", "inputSchema": {"type": "object", "properties": {"format": {"type": "text"}}}}
]"#;

const SERVERS: &str = "[[server]]\nname = \"notes\"\ncommand = \"unused\"\n";

/// A package with an accepted snapshot.
struct Package {
    project: Project,
    _turn: MutexGuard<'static, ()>,
}

impl Package {
    fn new(main: &str) -> Self {
        let turn = turn();
        let project = Project::new(SERVERS);
        project.write("listing.json", LISTING);
        let listing = format!("notes={}", project.path().join("listing.json").display());
        assert!(project.run(&["snapshot", "--listing", &listing]).ends_with("exit code 0"));
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let manifest = format!(
            "[package]\nname = \"doors\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
             mcp-runtime = {{ path = \"{}\", features = [\"macros\"] }}\ntokio = {{ version = \"1\", features = [\"macros\", \"rt\"] }}\n\n\
             [build-dependencies]\nmcp-codegen = {{ path = \"{}\" }}\n\n[profile.dev]\ndebug = false\n",
            root.join("runtime").display(),
            root.join("mcp-codegen").display()
        );
        project.write("Cargo.toml", &manifest);
        project.write("src/main.rs", main);
        std::fs::copy(root.join("Cargo.lock"), project.path().join("Cargo.lock")).unwrap();
        Self { project, _turn: turn }
    }

    fn cargo(&self, arguments: &[&str]) -> Output {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut command = Command::new(env!("CARGO"));
        command.args(arguments).env("CARGO_TARGET_DIR", root.join("target/doors")).current_dir(self.project.path());
        command.env_remove("CARGO_MANIFEST_DIR").env_remove("MCP_CODEGEN_PULL").output().unwrap()
    }

    /// What the compiler says, errors only, with the machine's paths replaced.
    fn errors(&self) -> String {
        let output = self.cargo(&["check", "--quiet", "--color", "never"]);
        assert!(!output.status.success(), "it compiles");
        let text =
            String::from_utf8(output.stderr).unwrap().replace(&format!("{}/", self.project.path().display()), "");
        let kept =
            |paragraph: &&str| paragraph.starts_with("error") && !paragraph.starts_with("error: could not compile");
        let errors = text.split("\n\n").filter(kept).collect::<Vec<_>>().join("\n\n");
        errors.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    }
}

/// A program that uses the modules of every door alike.
const PROGRAM: &str = r#"
mod mcp;
mod built { include!(concat!(env!("OUT_DIR"), "/mcp.rs")); }
mcp_runtime::mcp_import!(pub(crate) mod imported = "servers.toml");
mod elsewhere { pub use ::mcp_runtime as other; }
mcp_runtime::mcp_import!(mod renamed = "servers.toml", crate = crate::elsewhere::other);

macro_rules! door {
    ($name:ident, $module:path) => {
        mod $name {
            use $module as mcp;
            use mcp::notes::{AddNote, AddNoteOutput, AddNoteTagsItem, ListNotes, Notes, NotesHandler, NotesServer};
            use mcp_runtime::{HandlerResult, Importer};

            struct Fake;
            impl NotesHandler for Fake {
                async fn add_note(&self, args: AddNote) -> HandlerResult<AddNote> {
                    assert_eq!(args.tags, Some(vec![AddNoteTagsItem::Green]));
                    Ok(AddNoteOutput { id: args.title.len() as i64 })
                }
            }

            pub async fn run() {
                let importer = Importer::builder(mcp::CONTRACT).in_process("notes", NotesServer(Fake)).start().await.unwrap();
                let notes = Notes::new(&importer);
                let note = AddNote { tags: Some(vec![AddNoteTagsItem::Green]), ..AddNote::new("four") };
                assert_eq!(notes.add_note(note).await.unwrap().into_output().unwrap().id, 4);
                assert!(notes.list_notes(ListNotes::default()).await.is_err());
                assert_eq!(importer.imported_tools().len(), 2);
                importer.close().await;
                println!("{} works", stringify!($name));
            }
        }
    };
}
door!(by_files, crate::mcp);
door!(by_build, crate::built);
door!(by_macro, crate::imported);
door!(by_macro_elsewhere, crate::renamed);

#[tokio::main(flavor = "current_thread")]
async fn main() {
    by_files::run().await;
    by_build::run().await;
    by_macro::run().await;
    by_macro_elsewhere::run().await;
}
"#;

#[test]
fn every_door_gives_the_same_modules() {
    let package = Package::new(PROGRAM);
    package.project.write(
        "build.rs",
        "fn main() {\n    mcp_codegen::Builder::new().generate().unwrap_or_else(|error| panic!(\"{error}\"));\n}\n",
    );
    assert!(package.project.run(&["generate"]).ends_with("exit code 0"));
    let before = package.project.files(".");
    let output = package.cargo(&["run"]);
    let (said, told) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{told}");
    assert_eq!(said, "by_files works\nby_build works\nby_macro works\nby_macro_elsewhere works\n");
    assert!(
        told.contains("warning: doors@0.1.0: server notes: tool \"export {notes}\" is refused: /inputSchema"),
        "{told}"
    );
    // Nothing is written outside the target folder.
    let after = package.project.files(".");
    let changed: Vec<_> =
        after.iter().filter(|(file, text)| before.get(*file) != Some(text)).map(|(file, _)| file).collect();
    assert!(changed.iter().all(|file| file.ends_with("Cargo.lock")), "{changed:?}");
    // A second build has nothing to do, and an edit of a snapshot that nothing embeds is noticed.
    let fresh = package.cargo(&["build", "--verbose"]);
    assert!(String::from_utf8_lossy(&fresh.stderr).contains("Fresh doors"), "it builds again and again");
    let refused =
        package.project.files("mcp/notes").into_keys().find(|file| file.to_str().unwrap().contains("export")).unwrap();
    let edited = package.project.read(refused.to_str().unwrap()).replace("text", "txet");
    package.project.write(refused.to_str().unwrap(), &edited);
    let output = package.cargo(&["build", "--verbose"]);
    assert!(!output.status.success(), "an edit was not noticed: {}", String::from_utf8_lossy(&output.stderr));
}

/// The same items in the same order, whichever door they come through: the files are the inline text with its modules taken out.
#[test]
fn files_and_inline_text_are_the_same_tokens() {
    let project = Project::new(SERVERS);
    project.write("listing.json", LISTING);
    let listing = format!("notes={}", project.path().join("listing.json").display());
    project.run(&["snapshot", "--listing", &listing]);
    assert!(project.run(&["generate"]).ends_with("exit code 0"));
    let tokens = |text: &str| text.parse::<proc_macro2::TokenStream>().unwrap().to_string();
    let options = mcp_codegen::Options::default();
    let inline = mcp_codegen::offline::expand(project.path(), &options).unwrap();
    let root = tokens(&project.read("src/mcp/mod.rs"));
    let whole =
        root.replace("pub mod notes ;", &format!("pub mod notes {{ {} }}", tokens(&project.read("src/mcp/notes.rs"))));
    assert_ne!(root, whole);
    assert_eq!(tokens(&inline.text), whole);
}

/// The examples of the README, each as a package of its own.
#[test]
fn the_examples_of_the_doors_are_complete() {
    let doors = [
        (include_str!("../fixtures/doors/files.rs"), None, true),
        (include_str!("../fixtures/doors/built.rs"), Some(include_str!("../fixtures/doors/build.rs")), false),
        (include_str!("../fixtures/doors/imported.rs"), None, false),
    ];
    for (main, build, generate) in doors {
        let package = Package::new(main);
        if let Some(build) = build {
            package.project.write("build.rs", build);
        }
        if generate {
            assert!(package.project.run(&["generate"]).ends_with("exit code 0"));
        }
        let output = package.cargo(&["run", "--quiet"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(String::from_utf8_lossy(&output.stdout), "AddNote { title: \"water the plants\", tags: None }\n");
    }
}

/// Each message of the macro.
#[test]
fn errors_of_the_macro_say_what_to_do() {
    let import = "mcp_runtime::mcp_import!(pub mod mcp = \"servers.toml\");\nfn main() {}\n";
    let check = |edit: &dyn Fn(&Project), main: &str, expected: Expect| {
        let package = Package::new(main);
        edit(&package.project);
        expected.assert_eq(&package.errors());
    };
    check(
        &|_| {},
        &import.replace("servers.toml", "nowhere.toml"),
        expect![[r#"
        error: cannot read nowhere.toml: No such file or directory (os error 2)
         --> src/main.rs:1:40
          |
        1 | mcp_runtime::mcp_import!(pub mod mcp = "nowhere.toml");
          |                                        ^^^^^^^^^^^^^^"#]],
    );
    check(
        &|_| {},
        &import.replace("servers.toml", "/etc/servers.toml"),
        expect![[r#"
        error: the path of servers.toml is relative to the folder of the package
         --> src/main.rs:1:40
          |
        1 | mcp_runtime::mcp_import!(pub mod mcp = "/etc/servers.toml");
          |                                        ^^^^^^^^^^^^^^^^^^^"#]],
    );
    check(
        &|_| {},
        &import.replace("pub mod mcp", "pub mcp"),
        expect![[r#"
        error: expected the path of servers.toml, or `pub mod NAME = "servers.toml"`
         --> src/main.rs:1:30
          |
        1 | mcp_runtime::mcp_import!(pub mcp = "servers.toml");
          |                              ^^^"#]],
    );
    check(
        &|_| {},
        &import.replace(");", ", krate = x);"),
        expect![[r#"
        error: expected nothing more, or `crate = path`
         --> src/main.rs:1:56
          |
        1 | mcp_runtime::mcp_import!(pub mod mcp = "servers.toml", krate = x);
          |                                                        ^^^^^"#]],
    );
    check(
        &|project| project.configure(&SERVERS.replace("command", "comand")),
        import,
        expect![[r#"
        error: error: neither `command` nor `url`
                --> servers.toml:1:1
                 |
               1 | [[server]]
                 | ^^^^^^^^^^ this server has no transport
                 |
                 = help: add `command = "…"` (a process) or `url = "…"` (streamable HTTP)
       
               error: unknown key `comand` in [[server]]
                --> servers.toml:3:1
                 |
               3 | comand = "unused"
                 | ^^^^^^ unknown key
                 |
                 = help: did you mean `command`?
       
               servers.toml: 2 problems
         --> src/main.rs:1:40
          |
        1 | mcp_runtime::mcp_import!(pub mod mcp = "servers.toml");
          |                                        ^^^^^^^^^^^^^^"#]],
    );
    check(
        &|project| project.configure(&(SERVERS.to_owned() + "args = [\"more\"]\n")),
        import,
        expect![[r#"
        error: server notes: the snapshot was taken before its launch definition changed; take a new one with: mcp-codegen snapshot notes
         --> src/main.rs:1:40
          |
        1 | mcp_runtime::mcp_import!(pub mod mcp = "servers.toml");
          |                                        ^^^^^^^^^^^^^^"#]],
    );
    check(
        &|project| project.configure(&SERVERS.replace("notes", "others")),
        import,
        expect![[r#"
        error: server others: no snapshot yet; take one with: mcp-codegen snapshot others
         --> src/main.rs:1:40
          |
        1 | mcp_runtime::mcp_import!(pub mod mcp = "servers.toml");
          |                                        ^^^^^^^^^^^^^^"#]],
    );
    check(
        &|project| {
            project.write(
                "mcp/notes/list_notes.json",
                &project.read("mcp/notes/list_notes.json").replace("object", "array"),
            );
        },
        import,
        expect![[r#"
            error: mcp/notes: list_notes.json was changed: its definition does not have the digest that is written down; restore the folder from version control, or replace it with: mcp-codegen snapshot notes --accept
             --> src/main.rs:1:40
              |
            1 | mcp_runtime::mcp_import!(pub mod mcp = "servers.toml");
              |                                        ^^^^^^^^^^^^^^"#]],
    );
    let uses = "mcp_runtime::mcp_import!(\"servers.toml\");\nfn main() {}\n\
                pub fn call(notes: &notes::Notes) { notes.export_notes(notes::ExportNotes::new(\"pdf\")); }\n";
    let package = Package::new(uses);
    let errors = package.errors();
    // The rest of what the compiler says is the compiler's.
    let first: std::collections::BTreeSet<&str> = errors.lines().filter(|line| line.starts_with("error")).collect();
    let refused = "error[E0277]: the tool `export (notes)` of server `notes` was refused: /inputSchema: \"text\" is no type of \
                   JSON Schema (string, number, integer, boolean, object, array, null) (at /properties/format/type); only its author can mend it, and `exclude` leaves the tool out";
    assert_eq!(first, [refused].into());
}

/// A build script that compares with the live server when asked: drift, its end of the build, a server that is down, and no network.
#[test]
fn a_build_compares_with_the_live_servers_when_asked() {
    let package = Package::new("fn main() {}\n");
    let project = &package.project;
    project.configure(&crate::project::hostile("notes", "ok"));
    assert!(project.run(&["snapshot", "--accept"]).ends_with("exit code 0"));
    let manifest = project.read("Cargo.toml");
    let manifest = manifest.replace("mcp-codegen\" }", "mcp-codegen\", features = [\"pull\"] }");
    project.write("Cargo.toml", &manifest.replace(", features = [\"macros\"]", ""));
    let script = |more: &str| {
        let text = format!(
            "fn main() {{\n    mcp_codegen::Builder::new(){more}.generate().unwrap_or_else(|error| panic!(\"{{error}}\"));\n}}\n"
        );
        project.write("build.rs", &text);
    };
    let compile = |variables: &[(&str, &str)]| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut command = Command::new(env!("CARGO"));
        command.arg("check").env("CARGO_TARGET_DIR", root.join("target/doors")).current_dir(project.path());
        let output = command.envs(variables.iter().copied()).output().unwrap();
        (output.status.success(), String::from_utf8(output.stderr).unwrap())
    };
    script("");
    let (built, told) = compile(&[]);
    assert!(built && !told.contains("server notes"), "{told}");
    let (built, told) = compile(&[("MCP_CODEGEN_PULL", "1")]);
    assert!(built && !told.contains("server notes"), "{told}");
    // The accepted snapshot describes another offer than the live one.
    project.write("other.json", r#"[{"name": "good", "inputSchema": {"type": "object"}}]"#);
    let listing = format!("notes={}", project.path().join("other.json").display());
    assert!(project.run(&["snapshot", "--listing", &listing, "--accept"]).ends_with("exit code 0"));
    let drift = "server notes no longer offers what was accepted (good, what it says of itself); look at it with: mcp-codegen snapshot notes";
    let (built, told) = compile(&[("MCP_CODEGEN_PULL", "1")]);
    assert!(built && told.contains(drift), "{told}");
    let (built, told) = compile(&[("MCP_CODEGEN_PULL", "1"), ("DOCS_RS", "1")]);
    assert!(built && !told.contains(drift), "{told}");
    script(".on_drift(mcp_codegen::OnDrift::Fail)");
    let (built, told) = compile(&[("MCP_CODEGEN_PULL", "1")]);
    assert!(!built && told.contains(drift), "{told}");
    script("");
    project.configure(&project.read("servers.toml").replace("[\"ok\"]", "[\"exit\"]"));
    assert!(project.run(&["snapshot", "--listing", &listing]).ends_with("exit code 0"));
    let (built, told) = compile(&[("MCP_CODEGEN_PULL", "1")]);
    assert!(built && told.contains("server notes: the process ended"), "{told}");
    // What nobody has committed can be built all the same, when both the script and the environment ask for it, and says so.
    project.configure(&crate::project::hostile("notes", "ok"));
    std::fs::remove_dir_all(project.path().join("mcp")).unwrap();
    project.write("src/main.rs", "mod mcp { include!(concat!(env!(\"OUT_DIR\"), \"/mcp.rs\")); }\nfn main() { let _ = mcp::notes::Good::default(); }\n");
    script(".pull(mcp_codegen::Pull::IfMissing)");
    let (built, told) = compile(&[]);
    assert!(!built && told.contains("no snapshot yet; take one with: mcp-codegen snapshot notes"), "{told}");
    let before = project.files(".");
    let (built, told) = compile(&[("MCP_CODEGEN_PULL", "1")]);
    assert!(built, "{told}");
    script(".pull(mcp_codegen::Pull::Live)");
    let (built, told) = compile(&[("MCP_CODEGEN_PULL", "1")]);
    assert!(built, "{told}");
    let changed: Vec<_> = project
        .files(".")
        .into_iter()
        .filter(|(file, text)| before.get(file) != Some(text))
        .map(|(file, _)| file)
        .collect();
    assert_eq!(changed, [Path::new("build.rs")]);
    let out = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/doors/debug/build")).unwrap();
    let generated = out.filter_map(|entry| std::fs::read_to_string(entry.unwrap().path().join("out/mcp.rs")).ok());
    assert!(generated.into_iter().any(|text| text.contains("**Unpinned**") && text.contains("pub struct Good")));
}
