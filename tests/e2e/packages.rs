//! Packages and workspaces: several configurations side by side, and a package built from what `cargo package` packed.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::doors::LISTING;
use crate::project::{Project, turn};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Accepts the fixture's listing for a configuration of a project.
fn accept(project: &Project, config: &str, server: &str) {
    let folder = Path::new(config).parent().unwrap();
    project.write(config, &format!("[[server]]\nname = \"{server}\"\ncommand = \"unused\"\n"));
    project.write("listing.json", LISTING);
    let listing = format!("{server}={}", project.path().join("listing.json").display());
    let said = project.run_in(config, &["snapshot", "--listing", &listing]);
    assert!(said.ends_with("exit code 0"), "{said}");
    assert!(project.path().join(folder).join("mcp").join(server).join("server.json").is_file());
}

fn cargo(project: &Project, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments).env("CARGO_TARGET_DIR", root().join("target/doors")).current_dir(project.path());
    let output = command.env_remove("CARGO_MANIFEST_DIR").output().unwrap();
    (output.status.success(), String::from_utf8(output.stderr).unwrap())
}

fn manifest(name: &str, more: &str) -> String {
    let runtime = root().join("runtime");
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n{more}\n[dependencies]\n\
         mcp-runtime = {{ path = \"{}\", features = [\"macros\"] }}\n",
        runtime.display()
    )
}

const PROFILE: &str = "\n[profile.dev]\ndebug = false\n";

#[test]
fn two_packages_of_a_workspace_and_two_configurations_of_a_package() {
    let _turn = turn();
    let project = Project::new("");
    std::fs::remove_file(project.path().join("servers.toml")).unwrap();
    project.write("Cargo.toml", &format!("[workspace]\nmembers = [\"one\", \"two\"]\nresolver = \"3\"\n{PROFILE}"));
    std::fs::copy(root().join("Cargo.lock"), project.path().join("Cargo.lock")).unwrap();
    for (package, config, server) in [
        ("one", "one/servers.toml", "notes"),
        ("two", "two/servers.toml", "notes"),
        ("two", "two/more/tools.toml", "extra"),
    ] {
        project.write(&format!("{package}/Cargo.toml"), &manifest(package, ""));
        accept(&project, config, server);
    }
    project.write("one/src/lib.rs", "mod mcp;\npub use mcp::notes::AddNote;\n");
    let said = project.run_in("one/servers.toml", &["generate"]);
    assert!(said.ends_with("exit code 0"), "{said}");
    project.write(
        "two/src/lib.rs",
        "mcp_runtime::mcp_import!(pub mod mcp = \"servers.toml\");\n\
         mcp_runtime::mcp_import!(pub mod more = \"more/tools.toml\");\n\
         pub fn both() -> (mcp::notes::AddNote, more::extra::AddNote) {\n    \
         (mcp::notes::AddNote::new(\"a\"), more::extra::AddNote::new(\"b\"))\n}\n",
    );
    let (built, told) = cargo(&project, &["check"]);
    assert!(built, "{told}");
}

#[test]
fn a_package_is_built_from_what_was_packed() {
    let _turn = turn();
    let project = Project::new("");
    accept(&project, "servers.toml", "notes");
    let more = "license = \"MIT\"\ndescription = \"d\"\nrepository = \"https://example.com\"\n\n[workspace]\n";
    let manifest =
        manifest("packed", more).replace("mcp-runtime = { path", "mcp-runtime = { version = \"0.1.0\", path");
    let generator = root().join("mcp-codegen");
    let build = format!(
        "\n[build-dependencies]\nmcp-codegen = {{ version = \"0.1.0\", path = \"{}\" }}\n",
        generator.display()
    );
    project.write("Cargo.toml", &(manifest + &build + PROFILE));
    project.write(
        "build.rs",
        "fn main() {\n    mcp_codegen::Builder::new().generate().unwrap_or_else(|error| panic!(\"{error}\"));\n}\n",
    );
    project.write(
        "src/lib.rs",
        "pub mod built {\n    include!(concat!(env!(\"OUT_DIR\"), \"/mcp.rs\"));\n}\n\
         mcp_runtime::mcp_import!(pub mod imported = \"servers.toml\");\n",
    );
    std::fs::copy(root().join("Cargo.lock"), project.path().join("Cargo.lock")).unwrap();
    // Nothing of ours is in a registry; everything else comes from where the workspace has it.
    let patches: Vec<String> = [
        ("mcp-runtime", "runtime"),
        ("mcp-runtime-macros", "mcp-macros"),
        ("mcp-codegen", "mcp-codegen"),
        ("mcp-contract", "mcp-contract"),
        ("mcp-wire", "mcp-wire"),
    ]
    .iter()
    .map(|(name, folder)| format!("patch.crates-io.{name}.path=\"{}\"", root().join(folder).display()))
    .collect();
    let mut arguments = vec!["package", "--offline", "--allow-dirty"];
    arguments.extend(patches.iter().flat_map(|patch| ["--config", patch]));
    let (packed, told) = cargo(&project, &arguments);
    // The verification builds the package, and fails where a build script writes into its sources.
    assert!(packed && told.contains("Verifying packed"), "{told}");
}
