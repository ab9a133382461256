//! Every public future can be sent to another thread: a compile-time assertion, which is why nothing here runs.

#![allow(dead_code, reason = "what compiles is the test")]

use mcp_runtime::testing::TestServer;
use mcp_runtime::{
    Agent, ApprovalRequest, Approver, Builder, CallOptions, Credentials, Events, Function, Importer, Value,
};

fn send<T: Send>(_: T) {}

fn shared<T: Send + Sync + 'static>() {}

fn futures(builder: Builder, importer: &Importer, agent: &Agent, events: &mut Events, function: &Function) {
    send(builder.start());
    send(importer.call("", Value::Null, CallOptions::default()));
    send(importer.refresh(None));
    send(importer.close());
    send(agent.tools());
    send(agent.call("", Value::Null, CallOptions::default()));
    send(function.call(String::new(), Value::Null));
    send(events.next());
}

fn hooks(approver: &dyn Approver, credentials: &dyn Credentials, request: ApprovalRequest, server: &TestServer) {
    send(approver.ask(request));
    send(credentials.header("", None));
    send(server.http());
}

fn values() {
    shared::<Importer>();
    shared::<Agent>();
    shared::<Function>();
    shared::<TestServer>();
    shared::<mcp_runtime::CallError>();
    shared::<mcp_runtime::StartError>();
    shared::<mcp_runtime::Event>();
}
