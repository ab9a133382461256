//! Each kind of bad input, with the message that somebody sees.

use expect_test::{Expect, expect};

use crate::project::{Project, hostile};

fn check(project: &Project, arguments: &[&str], expected: &Expect) {
    expected.assert_eq(&project.run(arguments));
}

#[test]
fn broken_toml() {
    check(
        &Project::new("[[server]]\nname = \"a\ncommand = \"x\"\n"),
        &["check"],
        &expect![[r#"
        mcp-codegen: error: not TOML: invalid basic string, expected `"`
         --> servers.toml:2:10
          |
        2 | name = "a
          |          ^ here

        servers.toml: 1 problem
        exit code 2"#]],
    );
}

#[test]
fn every_problem_of_a_configuration_at_once() {
    let servers = r#"
[[server]]
name = "git hub"
comand = "npx"

[[server]]
name    = "docs"
url     = "ftp://example.com"
headers = { Authorization = "Bearer abcdefghijklmnopqrstuvwxyz" }
drift   = "trust"
connect_timeout = "10"

[[server]]
name    = "DOCS"
command = "x"
args    = ["--token=${TOKEN}"]
include = ["[a"]
namespace = "9lives"
env     = { A = "${B", C = 7 }

[generate]
out = "../elsewhere"
"#;
    check(
        &Project::new(servers),
        &["check"],
        &expect![[r#"
            mcp-codegen: error: neither `command` nor `url`
             --> servers.toml:2:1
              |
            2 | [[server]]
              | ^^^^^^^^^^ this server has no transport
              |
              = help: add `command = "…"` (a process) or `url = "…"` (streamable HTTP)

            error: `git hub` cannot be a server's name
             --> servers.toml:3:8
              |
            3 | name = "git hub"
              |        ^^^^^^^^^ not a server name
              |
              = help: a name is a letter followed by letters, digits, `_` or `-`, at most 40 characters; a prefix for tool names can be set apart with `namespace = "…"`

            error: unknown key `comand` in [[server]]
             --> servers.toml:4:1
              |
            4 | comand = "npx"
              | ^^^^^^ unknown key
              |
              = help: did you mean `command`?

            error: `url` is not an HTTP address
             --> servers.toml:8:11
              |
            8 | url     = "ftp://example.com"
              |           ^^^^^^^^^^^^^^^^^^^ not an address
              |
              = help: an address starts with `http://` or `https://`

            error: `headers.Authorization` looks like a bearer token
             --> servers.toml:9:29
              |
            9 | headers = { Authorization = "Bearer abcdefghijklmnopqrstuvwxyz" }
              |                             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ a secret in a committed file
              |
              = help: name an environment variable instead: `${TOKEN}`; and replace the credential, it may be in the history already

            error: `drift` cannot be "trust"
              --> servers.toml:10:11
               |
            10 | drift   = "trust"
               |           ^^^^^^^ not one of the words
               |
               = help: write "quarantine" or "compatible" or "follow"

            error: `connect_timeout` is not a duration
              --> servers.toml:11:19
               |
            11 | connect_timeout = "10"
               |                   ^^^^ not a duration
               |
               = help: write a whole number and a unit: "150ms", "10s", "2m"

            error: the server names `docs` and `DOCS` differ only in letter case, `-` and `_`
              --> servers.toml:14:11
               |
            14 | name    = "DOCS"
               |           ^^^^^^ taken

            error: a variable in `args` without `expand_args = true`
              --> servers.toml:16:12
               |
            16 | args    = ["--token=${TOKEN}"]
               |            ^^^^^^^^^^^^^^^^^^ would be passed on as it stands
               |
               = help: arguments are visible to other users of the machine; prefer `env`, or set `expand_args = true`

            error: `[a` is not a glob: unclosed character class; missing ']'
              --> servers.toml:17:12
               |
            17 | include = ["[a"]
               |            ^^^^ not a glob

            error: `9lives` cannot start a tool's name
              --> servers.toml:18:13
               |
            18 | namespace = "9lives"
               |             ^^^^^^^^ not a prefix
               |
               = help: use letters, digits, `_` and `-`, starting with a letter or `_`; `namespace = false` means none

            error: `env.A`: `${` is never closed; write `$${` for a literal `${`
              --> servers.toml:19:17
               |
            19 | env     = { A = "${B", C = 7 }
               |                 ^^^^^ cannot be resolved

            error: `env.C` must be a string, not integer
              --> servers.toml:19:28
               |
            19 | env     = { A = "${B", C = 7 }
               |                            ^ wrong type

            error: `out` leaves the package
              --> servers.toml:22:7
               |
            22 | out = "../elsewhere"
               |       ^^^^^^^^^^^^^^ not a folder inside the package
               |
               = help: name a folder relative to this file, such as "src/mcp"

            servers.toml: 14 problems
            exit code 2"#]],
    );
}

#[test]
fn an_unset_variable() {
    let servers = "[[server]]\nname = \"a\"\nurl = \"http://127.0.0.1:1/\"\nheaders = { Authorization = \"Bearer ${DOCS_TOKEN}\" }\n";
    check(
        &Project::new(servers),
        &["snapshot"],
        &expect![[r#"
        server a: the environment variable DOCS_TOKEN is not set; `headers.Authorization` in servers.toml needs it (set it, or give it a fallback: ${DOCS_TOKEN:-…})
        exit code 3"#]],
    );
}

#[test]
fn an_unset_variable_costs_that_server_only() {
    let servers = format!(
        "{}[[server]]\nname = \"needy\"\ncommand = \"x\"\nenv = {{ A = \"${{NEEDED}}\" }}\n",
        hostile("fine", "ok")
    );
    check(
        &Project::new(&servers),
        &["snapshot"],
        &expect![[r#"
        server needy: the environment variable NEEDED is not set; `env.A` in servers.toml needs it (set it, or give it a fallback: ${NEEDED:-…})
        fine: 1 tool, first snapshot
        exit code 3"#]],
    );
}

#[test]
fn a_command_that_is_not_there() {
    check(
        &Project::new("[[server]]\nname = \"a\"\ncommand = \"no-such-command-anywhere\"\n"),
        &["snapshot"],
        &expect![[r#"
            server a: the command "no-such-command-anywhere" was not found in PATH; install it, or give its path in `command`
            exit code 3"#]],
    );
}

#[test]
fn a_folder_that_is_not_there() {
    check(
        &Project::new("[[server]]\nname = \"a\"\ncommand = \"sh\"\ncwd = \"nowhere\"\n"),
        &["snapshot"],
        &expect![[r#"
            server a: the folder "nowhere" does not exist; `cwd` names it
            exit code 3"#]],
    );
}

#[test]
fn a_server_that_exits_at_once() {
    check(
        &Project::hostile("exit"),
        &["snapshot"],
        &expect![[r#"
        server server: the process ended (exit status: 3) instead of answering
          its last words (standard error):
            reading configuration
            fatal: DATABASE_URL is \u{1b}[31mmissing\u{1b}[0m
        exit code 3"#]],
    );
}

#[test]
fn a_silent_server() {
    check(
        &Project::hostile("silent"),
        &["snapshot"],
        &expect![[r#"
        server server: no handshake within 2s; a first start can take longer: raise `connect_timeout`
        exit code 3"#]],
    );
}

#[test]
fn a_server_that_refuses_the_handshake() {
    check(
        &Project::hostile("refuse"),
        &["snapshot"],
        &expect![[r#"
        server server: the server answered with error -32601: Method not found
        exit code 3"#]],
    );
}

#[test]
fn bad_tools_among_good_ones() {
    let project = Project::hostile("bad-tool");
    check(
        &project,
        &["snapshot"],
        &expect![[r##"
            server: entry 8 of the listing is no tool: /name must be a non-empty string, not number
            server: entry 9 of the listing is no tool: /name must be a non-empty string, not an empty one
            server: entry 10 of the listing is no tool: a tool must be an object, not string
            server: refused "bad_description": /description must be a string, not number
            server: refused "bad_type": /inputSchema: "int" is no type of JSON Schema (string, number, integer, boolean, object, array, null) (at /properties/n/type); only its author can mend it, and `exclude` leaves the tool out
            server: refused "dangling": /inputSchema: the reference "#/$defs/Nope" at /properties/n/$ref leads nowhere inside this schema (nothing is ever fetched); only its author can mend it, and `exclude` leaves the tool out
            server: refused "fetches": /inputSchema: the reference "https://example.com/schema.json" at /$ref leads nowhere inside this schema (nothing is ever fetched); only its author can mend it, and `exclude` leaves the tool out
            server: refused "no_schema": /inputSchema is missing: what arguments the tool takes is not known
            server: refused "null_schema": /inputSchema is missing: what arguments the tool takes is not known
            server: 8 tools, first snapshot
            exit code 0"##]],
    );
    check(
        &project,
        &["list"],
        &expect![[r##"
            server (hostile 1)
              admitted  server_good  ("good")
              admitted  server_yes_hint  ("yes_hint")
                        note: /annotations/readOnlyHint is ignored: it is string
              refused   "bad_description"
                        /description must be a string, not number
              refused   "bad_type"
                        /inputSchema: "int" is no type of JSON Schema (string, number, integer, boolean, object, array, null) (at /properties/n/type); only its author can mend it, and `exclude` leaves the tool out
              refused   "dangling"
                        /inputSchema: the reference "#/$defs/Nope" at /properties/n/$ref leads nowhere inside this schema (nothing is ever fetched); only its author can mend it, and `exclude` leaves the tool out
              refused   "fetches"
                        /inputSchema: the reference "https://example.com/schema.json" at /$ref leads nowhere inside this schema (nothing is ever fetched); only its author can mend it, and `exclude` leaves the tool out
              refused   "no_schema"
                        /inputSchema is missing: what arguments the tool takes is not known
              refused   "null_schema"
                        /inputSchema is missing: what arguments the tool takes is not known
              no tool   entry 10: a tool must be an object, not string
              no tool   entry 9: /name must be a non-empty string, not an empty one
              no tool   entry 8: /name must be a non-empty string, not number
            exit code 0"##]],
    );
}

#[test]
fn one_remote_name_twice() {
    let project = Project::hostile("twice");
    check(
        &project,
        &["snapshot"],
        &expect![[r#"
        server: refused "differs": the server lists two different tools under this name
        server: 2 tools, first snapshot
        exit code 0"#]],
    );
    check(
        &project,
        &["list"],
        &expect![[r#"
        server (hostile 1)
          admitted  server_good  ("good")
          admitted  server_same  ("same")
          refused   "differs"
                    the server lists two different tools under this name
        exit code 0"#]],
    );
}

#[test]
fn a_contested_name_across_two_servers() {
    let servers = hostile("first", "ok") + "namespace = false\n\n" + &hostile("second", "ok") + "namespace = false\n";
    check(
        &Project::new(&servers),
        &["snapshot"],
        &expect![[r#"
        second: refused "good": the local name good belongs to server first, tool "good"; give one of the two servers a `namespace`, or leave the tool out with `exclude`
        first: 1 tool, first snapshot
        second: 1 tool, first snapshot
        exit code 0"#]],
    );
}

#[test]
fn an_endless_cursor() {
    check(
        &Project::hostile("cursor"),
        &["snapshot"],
        &expect![[r#"
        server server: the listing never ends: after 2 pages a cursor came back that was there before
        exit code 3"#]],
    );
}

#[test]
fn an_answer_of_100_mb() {
    check(
        &Project::hostile("huge"),
        &["snapshot"],
        &expect![[r#"
        server server: the answer is longer than 16 MiB and was not read
        exit code 3"#]],
    );
}

#[test]
fn duplicate_keys_and_numbers_out_of_range() {
    let project = Project::hostile("duplicate-key");
    check(
        &project,
        &["snapshot"],
        &expect![[r#"
            server: entry 1 of the listing is no tool: the key "inputSchema" stands twice in the whole document
            server: refused "big": /inputSchema: the number 1e400 at /properties/n/maximum is out of range; only its author can mend it, and `exclude` leaves the tool out
            server: 2 tools, first snapshot
            exit code 0"#]],
    );
    check(
        &project,
        &["list"],
        &expect![[r#"
            server (hostile 1)
              admitted  server_good  ("good")
              refused   "big"
                        /inputSchema: the number 1e400 at /properties/n/maximum is out of range; only its author can mend it, and `exclude` leaves the tool out
              no tool   entry 1: the key "inputSchema" stands twice in the whole document
            exit code 0"#]],
    );
}

#[test]
fn a_reply_that_is_not_json() {
    check(
        &Project::hostile("not-json"),
        &["snapshot"],
        &expect![[r#"
        server server: the answer is no reply: it is not JSON
        exit code 3"#]],
    );
}

#[test]
fn a_listing_without_tools() {
    check(
        &Project::hostile("no-tools"),
        &["snapshot"],
        &expect![[r#"
        server server: the answer is no reply: a listing without usable `tools`: missing field `tools` at line 1 column 14
        exit code 3"#]],
    );
}

#[test]
fn globs_that_match_nothing() {
    let servers = hostile("server", "ok") + "include = [\"goo?\", \"search_*\"]\nexclude = [\"debug\"]\n";
    check(
        &Project::new(&servers),
        &["snapshot"],
        &expect![[r#"
            server server: `search_*` in `include` matches no tool that the server lists; correct it, or take it out
            server server: `debug` in `exclude` matches no tool that the server lists; correct it, or take it out
            server: 1 tool, first snapshot
            exit code 0"#]],
    );
}

#[test]
fn a_server_that_is_not_configured() {
    check(
        &Project::hostile("ok"),
        &["snapshot", "sever"],
        &expect![[r#"
        mcp-codegen: there is no server "sever"; the configuration has: server
        exit code 2"#]],
    );
}

#[test]
fn saved_listings_that_are_none() {
    let project = Project::hostile("ok");
    project.write("empty.json", "");
    project.write("reply.json", r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#);
    project.write("other.json", r#"{"prompts":[]}"#);
    let mut said = String::new();
    for file in ["empty.json", "reply.json", "other.json", "missing.json"] {
        let listing = format!("server={}", project.path().join(file).display());
        said.push_str(&project.run(&["snapshot", "--listing", &listing]));
        said.push('\n');
    }
    expect![[r#"
        mcp-codegen: empty.json: not JSON: EOF while parsing a value at line 1 column 0
        exit code 2
        mcp-codegen: reply.json: the reply is an error: {"code":-32601,"message":"no"}
        exit code 2
        mcp-codegen: other.json: no tools found: expected a JSON-RPC reply to tools/list, an object with a member "tools", or an array of tools
        exit code 2
        mcp-codegen: cannot read missing.json: No such file or directory (os error 2)
        exit code 2
    "#]].assert_eq(&said);
}

#[test]
fn a_snapshot_that_was_edited_by_hand() {
    let project = Project::hostile("ok");
    project.run(&["snapshot"]);
    let edited = project.read("mcp/server/good.json").replace("A good tool.", "A better tool.");
    project.write("mcp/server/good.json", &edited);
    check(
        &project,
        &["check"],
        &expect![[r#"
            mcp-codegen: mcp/server: good.json was changed: its definition does not have the digest that is written down; restore the folder from version control, or replace it with: mcp-codegen snapshot server --accept
            exit code 1"#]],
    );
}

#[test]
fn a_file_of_somebody_elses_where_code_belongs() {
    let project = Project::hostile("ok");
    project.run(&["snapshot"]);
    project.write("src/mcp/mod.rs", "// mine\n");
    check(
        &project,
        &["generate"],
        &expect![[r#"
        mcp-codegen: src/mcp/mod.rs was not generated by mcp-codegen and is not overwritten; move it, or set `out` in [generate]
        exit code 2"#]],
    );
    assert_eq!(project.read("src/mcp/mod.rs"), "// mine\n");
}
