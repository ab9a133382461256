//! A user's package in a temporary folder, and the commands run in it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use clap::Parser as _;
use mcp_codegen_cli::{Args, Shell};

/// The misbehaving server.
pub(crate) const HOSTILE: &str = env!("CARGO_BIN_EXE_hostile");

/// A program of the workspace. `cargo test` alone does not build the programs of other packages.
pub(crate) fn program(name: &str) -> PathBuf {
    static BUILT: OnceLock<()> = OnceLock::new();
    BUILT.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut command = std::process::Command::new(env!("CARGO"));
        command.args(["build", "--workspace", "--bins", "--quiet", "--locked", "--offline"]).current_dir(root);
        assert!(command.status().unwrap().success(), "the programs of the workspace do not build");
    });
    let test = std::env::current_exe().unwrap();
    test.parent().and_then(Path::parent).unwrap().join(name)
}

/// A package with a `servers.toml`.
pub(crate) struct Project {
    folder: tempfile::TempDir,
    variables: BTreeMap<String, String>,
}

impl Project {
    pub(crate) fn new(servers: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("Cargo.toml"), "[package]\nname = \"project\"\n").unwrap();
        let project = Self { folder, variables: BTreeMap::new() };
        project.configure(servers);
        project
    }

    /// A package whose only server is the misbehaving one.
    pub(crate) fn hostile(mode: &str) -> Self {
        Self::new(&hostile("server", mode))
    }

    pub(crate) fn configure(&self, servers: &str) {
        self.write("servers.toml", servers);
    }

    pub(crate) fn with(mut self, variable: &str, value: &str) -> Self {
        self.variables.insert(variable.to_owned(), value.to_owned());
        self
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        let path = self.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.path().join(file)).unwrap()
    }

    /// Runs a command; gives what it says, with the machine's paths replaced, and its exit code at the end.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        self.run_in("servers.toml", arguments)
    }

    /// The files that snapshots and pending listings are made of.
    pub(crate) fn snapshots(&self) -> BTreeMap<PathBuf, String> {
        self.files("mcp")
    }

    /// The same for another configuration.
    pub(crate) fn run_in(&self, config: &str, arguments: &[&str]) -> String {
        let config = self.path().join(config);
        let line = ["mcp-codegen", "--config", config.to_str().unwrap()];
        let args = Args::try_parse_from(line.into_iter().chain(arguments.iter().copied())).unwrap();
        let mut said = Vec::new();
        let variables = |name: &str| self.variables.get(name).cloned();
        // A command has its own runtime, which cannot start inside another one.
        let result = std::thread::scope(|scope| {
            let command = || mcp_codegen_cli::run(&args, &mut Shell { out: &mut said, variables: &variables });
            scope.spawn(command).join().unwrap()
        });
        let mut text = String::from_utf8(said).unwrap();
        let code = match result {
            Ok(outcome) => outcome.exit_code(),
            Err(error) => {
                writeln!(text, "mcp-codegen: {error}").unwrap();
                error.exit_code()
            }
        };
        write!(text, "exit code {code}").unwrap();
        text.replace(&format!("{}/", self.path().display()), "").replace(HOSTILE, "<hostile>")
    }

    /// The files below a folder, with their texts.
    pub(crate) fn files(&self, folder: &str) -> BTreeMap<PathBuf, String> {
        let mut files = BTreeMap::new();
        let mut pending = vec![self.path().join(folder)];
        while let Some(folder) = pending.pop() {
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            for path in entries.map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    pending.push(path);
                } else {
                    let text = std::fs::read_to_string(&path).unwrap();
                    files.insert(path.strip_prefix(self.path()).unwrap().to_owned(), text);
                }
            }
        }
        files
    }
}

/// A line that accepts whatever the screens find: for tests of what comes after them.
pub(crate) fn accepted_risks() -> String {
    let risk = |signal: &mcp_contract::screen::Signal| {
        format!("{{ tool = \"*\", signal = \"{signal}\", reason = \"a test\" }}")
    };
    let risks: Vec<String> = mcp_contract::screen::Signal::ALL.iter().map(risk).collect();
    format!("accept_risk = [{}]\n", risks.join(", "))
}

/// The table of a misbehaving server.
pub(crate) fn hostile(name: &str, mode: &str) -> String {
    format!(
        "[[server]]\nname = \"{name}\"\ncommand = \"{HOSTILE}\"\nargs = [\"{mode}\"]\nconnect_timeout = \"2s\"\nrequest_timeout = \"2s\"\n\n"
    )
}

impl Project {
    /// The contract that generated code would embed, for tests that have no generated code.
    pub(crate) fn contract(&self) -> mcp_runtime::Contract {
        let contract = mcp_codegen::Contract::load(&self.path().join("servers.toml")).unwrap();
        let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
        let servers: Vec<mcp_runtime::ServerContract> = contract
            .servers
            .iter()
            .map(|server| {
                let mut files = server.snapshot.render();
                let manifest = leak(files.remove("server.json").unwrap());
                let admitted = |text: &String| !text.contains("\"local_name\": null");
                let tools: Vec<(&'static str, &'static str)> = files
                    .into_iter()
                    .filter(|(_, text)| admitted(text))
                    .map(|(file, text)| (leak(file), leak(text)))
                    .collect();
                mcp_runtime::ServerContract { name: leak(server.name.to_string()), manifest, tools: Vec::leak(tools) }
            })
            .collect();
        mcp_runtime::Contract { config: leak(self.read("servers.toml")), servers: Vec::leak(servers) }
    }
}

/// One build at a time: packages of one name, in one target folder, take each other's place.
pub(crate) fn turn() -> MutexGuard<'static, ()> {
    static BUILDS: Mutex<()> = Mutex::new(());
    BUILDS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Project {
    /// Compiles the generated code as the library of a package that depends on the runtime and nothing else, with warnings denied.
    pub(crate) fn compile(&self) {
        let _turn = turn();
        self.package();
        self.build(&["check", "--quiet", "--lib"]);
    }

    /// Compiles it as a library and as a program, with clippy's default lints denied as well, and its docs, with those of rustdoc; no
    /// description is a test.
    pub(crate) fn compile_every_way(&self) {
        let _turn = turn();
        self.package();
        self.build(&["clippy", "--quiet", "--", "--deny", "warnings"]);
        self.build(&["doc", "--quiet", "--no-deps", "--lib"]);
        let said = self.build(&["test", "--quiet", "--doc"]);
        assert!(said.contains("running 0 tests"), "{said}");
    }

    fn package(&self) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let manifest = format!(
            "[package]\nname = \"project\"\nedition = \"2024\"\n\n[dependencies]\nmcp-runtime = {{ path = \"{}\" }}\n\n\
             [profile.dev]\ndebug = false\n\n[workspace]\n",
            root.join("runtime").display()
        );
        self.write("Cargo.toml", &manifest);
        self.write("src/lib.rs", "//! Generated code.\n#![deny(warnings)]\n\npub mod mcp;\n");
        self.write("src/main.rs", "//! Generated code.\n\nmod mcp;\n\nfn main() {}\n");
        // The same versions as the workspace's, so that no registry is asked.
        std::fs::copy(root.join("Cargo.lock"), self.path().join("Cargo.lock")).unwrap();
    }

    fn build(&self, arguments: &[&str]) -> String {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut command = std::process::Command::new(env!("CARGO"));
        command.args(arguments).env("CARGO_TARGET_DIR", root.join("target/doors")).env("RUSTDOCFLAGS", "-D warnings");
        let output = command.current_dir(self.path()).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}
