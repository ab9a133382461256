//! The code of the README, to the letter, compiled against generated modules and run where no server is needed.

use mcp_runtime::{Actor, Approval, ApprovalRequest, CallOptions, HandlerResult, Importer};

use crate::generated as mcp;
use crate::generated::filesystem::{Filesystem, FilesystemHandler, FilesystemServer, ReadTextFile, ReadTextFileOutput};

async fn read_note(importer: &Importer) -> Result<String, Box<dyn std::error::Error>> {
    let filesystem = Filesystem::new(importer);
    let arguments = ReadTextFile { head: Some(10.0), ..ReadTextFile::new("/srv/notes/today.md") };
    let reply = filesystem.read_text_file(arguments).await?;
    println!("as text: {}", reply.text());
    Ok(reply.into_output()?.content)
}

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let importer = Importer::builder(mcp::CONTRACT).approver(ask).start().await?;
    let agent = importer.agent(Actor::new("assistant"));
    for tool in agent.tools().await {
        println!("{}: {}", tool.local_name, tool.description.unwrap_or_default());
    }
    let arguments = serde_json::json!({"path": "/srv/notes"});
    let reply = agent.call("filesystem_list_directory", arguments, CallOptions::default()).await?;
    println!("for the model: {}", reply.for_model());
    importer.close().await;
    Ok(())
}

/// Asks a person; here, whoever sits at the terminal.
async fn ask(request: ApprovalRequest) -> Approval {
    println!("{} wants {} with {}", request.actor.name(), request.local_name, request.arguments);
    Approval::Denied("nobody is there".to_owned())
}

struct Fake;

impl FilesystemHandler for Fake {
    async fn read_text_file(&self, args: ReadTextFile) -> HandlerResult<ReadTextFile> {
        Ok(ReadTextFileOutput { content: format!("what stands in {}", args.path) })
    }
}

async fn without_a_server() -> Result<(), Box<dyn std::error::Error>> {
    let importer =
        Importer::builder(mcp::CONTRACT).in_process("filesystem", FilesystemServer(Fake)).start().await?;
    assert_eq!(read_note(&importer).await?, "what stands in /srv/notes/today.md");
    Ok(())
}

#[tokio::test]
async fn the_fake_of_the_readme_works() {
    // The other servers of the fixture are out of reach here, which costs their tools and nothing else.
    without_a_server().await.unwrap();
}

#[tokio::test]
async fn the_program_of_the_readme_says_what_is_out_of_reach() {
    let error = run().await.unwrap_err();
    assert!(error.to_string().starts_with("the call of filesystem_list_directory was not sent"), "{error}");
}
