//! The steps of the tour.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use mcp_runtime::{CallError, HandlerResult, Importer};
use rmcp::ServiceExt as _;

use crate::demo::Demo;
use crate::mcp;
use crate::mcp::demo::{
    AddNote, AddNoteOutput, AddNotePriority, Demo as DemoClient, DemoHandler, DemoServer, ListNotes,
};

type Step = Result<(), Box<dyn Error>>;

pub(crate) async fn tour() -> Step {
    let folder = tempfile::tempdir()?;
    write_project(folder.path())?;

    title(1, "The snapshot: what a server offers, written down");
    command(folder.path(), &["snapshot"])?;
    println!("\nCommitted from now on, one file a tool. mcp/demo/add_note.json begins:");
    let file = std::fs::read_to_string(folder.path().join("mcp/demo/add_note.json"))?;
    println!("{}", indented(file.lines().take(12)));

    title(2, "The code: typed Rust for the tools that were admitted");
    command(folder.path(), &["generate"])?;
    println!("\nThis program was built with the same module, in examples/quickstart/src/mcp/demo.rs:");
    let source = include_str!("mcp/demo.rs");
    let shown = source.lines().skip_while(|line| !line.starts_with("/// Add a note")).take_while(|line| *line != "}");
    println!("{}", indented(shown.chain(["}"])));

    typed_calls().await?;
    in_process().await?;

    title(5, "A server changes: you see it before your users do");
    println!("The demo server's operator rewords a description.\n");
    std::fs::write(folder.path().join("reworded"), "")?;
    command(folder.path(), &["snapshot"])?;
    println!();
    command(folder.path(), &["check"])?;
    println!(
        "\nNothing was generated from it, and a program that runs withdraws the tool until somebody accepts the change:"
    );
    after_the_change().await?;
    println!("\nThat is all. Your turn: README.md, \"Daily use\".");
    Ok(())
}

/// The typed client, over a real MCP connection to the demo server.
async fn typed_calls() -> Step {
    title(3, "The call: arguments and results are types");
    let importer = importer(false).await?;
    let demo = DemoClient::new(&importer);
    let note = AddNote { priority: Some(AddNotePriority::High), ..AddNote::new("Water the plants") };
    let added = demo.add_note(note).await?.into_output()?;
    println!("demo.add_note(..)   -> note {} \"{}\"", added.id, added.title);
    let notes = demo.list_notes(ListNotes::default()).await?;
    println!("demo.list_notes(..) -> {}", notes.text());

    println!("\nWhat a model asks for comes as JSON, and is held to the same schema before anything leaves:");
    let arguments = serde_json::json!({"title": "", "colour": "green"});
    match importer.call("demo_add_note", arguments, mcp_runtime::CallOptions::default()).await {
        Err(error @ CallError::InvalidArguments { .. }) => println!("{error}"),
        other => return Err(format!("expected the arguments to be refused, got {other:?}").into()),
    }
    importer.close().await;
    Ok(())
}

struct Fake;

impl DemoHandler for Fake {
    async fn add_note(&self, args: AddNote) -> HandlerResult<AddNote> {
        Ok(AddNoteOutput { id: 7, title: args.title })
    }
}

/// A test of your own needs no server: implement the generated trait and serve it in process.
async fn in_process() -> Step {
    title(4, "The fake: the same trait, served in process");
    let importer = Importer::builder(mcp::CONTRACT).in_process("demo", DemoServer(Fake)).start().await?;
    let demo = DemoClient::new(&importer);
    let added = demo.add_note(AddNote::new("From a test")).await?.into_output()?;
    println!("demo.add_note(..)   -> note {} \"{}\"", added.id, added.title);
    match demo.list_notes(ListNotes::default()).await {
        Err(error) => println!("demo.list_notes(..) -> {error}"),
        Ok(notes) => return Err(format!("nobody implements list_notes, yet it gave {notes:?}").into()),
    }
    importer.close().await;
    Ok(())
}

async fn after_the_change() -> Step {
    let importer = importer(true).await?;
    match DemoClient::new(&importer).list_notes(ListNotes::default()).await {
        Err(error) => println!("demo.list_notes(..) -> {error}"),
        Ok(notes) => return Err(format!("a changed tool was called: {notes:?}").into()),
    }
    importer.close().await;
    Ok(())
}

/// Connects to a demo server inside this process, over a pipe. Without the override it would be started as servers.toml says.
async fn importer(reworded: bool) -> Result<Importer, Box<dyn Error>> {
    let builder = Importer::builder(mcp::CONTRACT).transport("demo", move || {
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        tokio::spawn(async move {
            if let Ok(server) = Demo::reworded(reworded).serve(theirs).await {
                let _ = server.waiting().await;
            }
        });
        Box::new(ours)
    });
    Ok(builder.start().await?)
}

/// A package as small as can be, whose server is this program.
fn write_project(folder: &Path) -> Step {
    let program = std::env::current_exe()?;
    let program = program.to_str().ok_or("the program's path is no UTF-8")?.replace('\\', "\\\\");
    let servers = format!(
        "[[server]]\nname    = \"demo\"\ncommand = \"{program}\"\nargs    = [\"serve\"]\ncwd     = \".\"\nexclude = [\"debug_*\"]\n"
    );
    std::fs::write(folder.join("servers.toml"), servers)?;
    std::fs::write(folder.join("Cargo.toml"), "[package]\nname = \"tour\"\n")?;
    Ok(())
}

/// Runs a command of `mcp-codegen` as its users do, and shows what it says.
fn command(folder: &Path, arguments: &[&str]) -> Step {
    use clap::Parser as _;
    println!("$ mcp-codegen {}", arguments.join(" "));
    let config = folder.join("servers.toml");
    let config = config.to_str().ok_or("the temporary folder's path is no UTF-8")?.to_owned();
    let line = ["mcp-codegen", "--config", &config].into_iter().chain(arguments.iter().copied());
    let args = mcp_codegen_cli::Args::try_parse_from(line)?;
    let mut said = Vec::new();
    // The commands start their own runtime, as they do in their own process.
    let outcome = std::thread::scope(|scope| {
        let command = scope.spawn(|| {
            let variables = |name: &str| std::env::var(name).ok();
            mcp_codegen_cli::run(&args, &mut mcp_codegen_cli::Shell { out: &mut said, variables: &variables })
        });
        command.join()
    });
    let outcome = outcome.map_err(|_| "the command panicked")??;
    let said = String::from_utf8_lossy(&said).replace(&format!("{}/", folder.display()), "");
    print!("{}\n(exit code {})\n", said.trim_end(), outcome.exit_code());
    Ok(())
}

fn title(step: u8, text: &str) {
    println!("\n=== {step}. {text}\n");
}

fn indented<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "    {line}");
        text
    })
}
