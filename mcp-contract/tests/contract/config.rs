//! `servers.toml`: what is read, and what is refused. The messages themselves are golden in the end-to-end tests.

use std::time::Duration;

use mcp_contract::config::{Config, ConfigProblem, Connect, Kind, Launch, Namespace, Retry};
use mcp_contract::definition::ToolDefinition;
use mcp_contract::drift::Policy;

fn problems(source: &str) -> Vec<ConfigProblem> {
    match Config::parse(source, "servers.toml") {
        Ok(_) => Vec::new(),
        Err(error) => error.problems().cloned().collect(),
    }
}

#[test]
fn every_supported_key_is_read() {
    let config = Config::parse(
        r#"
[[server]]
name = "github"
command = "npx"
args = ["-y", "${PACKAGE}"]
expand_args = true
env = { TOKEN = "${GITHUB_TOKEN:-none}" }
cwd = "work"
include = ["search_*", "{create,close}_issue"]
exclude = ["search_code"]
namespace = "gh"
required = true
connect_timeout = "2m"
request_timeout = "150ms"

[[server]]
name = "docs"
enabled = false
url = "https://mcp.example.com/mcp"
headers = { Authorization = "Bearer ${DOCS_TOKEN}" }
namespace = false

[generate]
out = "src/tools"
"#,
        "servers.toml",
    )
    .unwrap();
    let [github, docs] = &config.servers[..] else { panic!("two servers") };
    assert_eq!(github.connect_timeout, Duration::from_secs(120));
    assert_eq!(github.request_timeout, Duration::from_millis(150));
    assert!(github.required && github.enabled && !docs.enabled);
    assert_eq!((&github.namespace, &docs.namespace), (&Namespace::Prefix("gh".to_owned()), &Namespace::Bare));
    assert!(github.include[1].matches("close_issue") && !github.include[0].matches("Search_x"));
    let Launch::Stdio(launch) = &github.launch else { panic!("a process") };
    let lookup = |name: &str| (name == "PACKAGE").then(|| "p".to_owned());
    assert_eq!(launch.args[1].resolve(&lookup).unwrap(), "p");
    assert_eq!(launch.env["TOKEN"].resolve(&lookup).unwrap(), "none");
    assert_eq!(config.generate.out, "src/tools");
    assert_eq!(config.enabled().count(), 1);
}

#[test]
fn defaults_are_those_of_the_plan() {
    let config = Config::parse("[[server]]\nname = \"a\"\ncommand = \"x\"\n", "servers.toml").unwrap();
    let server = &config.servers[0];
    assert_eq!((server.connect_timeout, server.request_timeout), (Duration::from_secs(10), Duration::from_secs(30)));
    assert_eq!(server.namespace, Namespace::Prefix("a".to_owned()));
    assert_eq!(config.generate.out, "src/mcp");
    assert!(server.enabled && !server.required);
}

#[test]
fn keys_that_nothing_enforces_are_refused() {
    let found = problems("[[server]]\nname = \"a\"\ncommand = \"x\"\ncapabilities = {}\n");
    assert!(matches!(&found[..], [ConfigProblem::NotSupportedYet { .. }]), "{found:?}");
}

#[test]
fn policies_are_read_and_the_last_rule_that_speaks_wins() {
    let source = r#"
[[server]]
name = "a"
url = "https://a.example/mcp"
pool = false
kind = "annotations"
roles = ["staff", "admin"]
ability = "refund"
connect = "lazy"
drift = "compatible"
trust_rejections = true
retry = { attempts = 4, backoff = "1s" }

[[server.tool]]
match = "find_*"
kind = "read"
roles = ["guest"]

[[server.tool]]
match = "*_all"
kind = "action"
drift = "follow"
enabled = false
"#;
    let config = Config::parse(source, "servers.toml").unwrap();
    let server = &config.servers[0];
    let policies = &server.policies;
    assert_eq!((policies.pool, policies.trust_rejections), (Some(false), true));
    assert_eq!(policies.retry, Retry { attempts: 4, backoff: Duration::from_secs(1) });
    assert_eq!((policies.connect, policies.ability.as_deref()), (Connect::Lazy, Some("refund")));
    let tool = |text: &str| ToolDefinition::decode(text).unwrap();
    let kind =
        |name: &str, hints: &str| policies.kind_of(&tool(&format!(r#"{{"name":"{name}","annotations":{hints}}}"#)));
    assert_eq!(kind("find_one", "{}"), Kind::Read);
    assert_eq!(kind("find_all", r#"{"readOnlyHint":true}"#), Kind::Action);
    assert_eq!(kind("get", r#"{"readOnlyHint":true}"#), Kind::Read);
    assert_eq!(kind("get", r#"{"readOnlyHint":true,"destructiveHint":true}"#), Kind::Action);
    assert_eq!(kind("get", r#"{"readOnlyHint":"yes"}"#), Kind::Action);
    assert_eq!(policies.roles_of("find_all"), ["guest"]);
    assert_eq!(policies.roles_of("get"), ["staff", "admin"]);
    assert_eq!((policies.drift_of("find_all"), policies.drift_of("get")), (Policy::Follow, Policy::Compatible));
    assert!(policies.enables("find_one") && !policies.enables("find_all") && server.follows());

    let quiet = Config::parse("[[server]]\nname = \"a\"\ncommand = \"x\"\n", "servers.toml").unwrap();
    let policies = &quiet.servers[0].policies;
    assert_eq!(policies.kind_of(&tool(r#"{"name":"x","annotations":{"readOnlyHint":true}}"#)), Kind::Action);
    assert_eq!(policies.retry, Retry { attempts: 2, backoff: Duration::from_millis(150) });
    assert!(policies.roles.is_empty() && policies.drift == Policy::Quarantine && !policies.trust_rejections);
}

#[test]
fn policies_that_mean_nothing_are_refused() {
    for (lines, expected) in [
        ("kind = \"write\"", "`kind` cannot be \"write\""),
        ("connect = \"never\"", "`connect` cannot be \"never\""),
        ("drift = true", "`drift` must be a string"),
        ("roles = []", "`roles` is empty"),
        ("ability = \" \"", "`ability` is empty"),
        ("pool = true", "`pool` belongs to a server with `url`"),
        ("retry = true", "`retry` must be false, or a table"),
        ("retry = { attempts = 0 }", "`retry.attempts` must be a whole number from 1 to 10"),
        ("retry = { attempts = 11 }", "`retry.attempts` must be a whole number from 1 to 10"),
        ("retry = { backoff = \"soon\" }", "`retry.backoff` is not a duration"),
        ("retry = { tries = 3 }", "unknown key `tries` in retry"),
        ("tool = 3", "`tool` must be an array of tables"),
        ("[[server.tool]]\nkind = \"read\"", "a rule for tools needs `match`"),
        ("[[server.tool]]\nmatch = \"[\"", "is not a glob"),
        ("[[server.tool]]\nmatch = \"x\"\nability = \"a\"", "unknown key `ability` in [[server.tool]]"),
    ] {
        let source = format!("[[server]]\nname = \"a\"\ncommand = \"x\"\n{lines}\n");
        let error = Config::parse(&source, "servers.toml").unwrap_err().to_string();
        assert!(error.contains(expected), "{lines}: {error}");
    }
}

#[test]
fn credentials_that_are_written_out_are_refused() {
    let literal = [
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "github_pat_11ABCDEFG0123456789abc",
        "glpat-abcdefghijklmnopqrst",
        "sk-abcdefghijklmnopqrstuvwx",
        "xoxb-1234567890-abcdef",
        "AKIAIOSFODNN7EXAMPLE",
        "Bearer abcdefghijklmnopqrstuvwxyz",
        "Basic dXNlcjpwYXNzd29yZA==",
        "https://user:hunter2hunter2@example.com/",
        "https://e.example/mcp?api_key=abcdefghijkl",
    ];
    for value in literal {
        let source = format!("[[server]]\nname = \"a\"\ncommand = \"x\"\nenv = {{ A = \"{value}\" }}\n");
        assert!(matches!(&problems(&source)[..], [ConfigProblem::LiteralCredential { .. }]), "{value}");
    }
    let named = [
        "Bearer ${TOKEN}",
        "${USER}:${PASSWORD}",
        "https://${USER}:${PASSWORD}@example.com/",
        "sk-${REST}",
        "plain",
        "https://e.example/mcp?api_key=${KEY}",
        "Bearer of good news",
    ];
    for value in named {
        let source = format!("[[server]]\nname = \"a\"\ncommand = \"x\"\nenv = {{ A = \"{value}\" }}\n");
        assert_eq!(problems(&source), [], "{value}");
    }
    // A fallback is committed as well.
    let fallback =
        "[[server]]\nname = \"a\"\ncommand = \"x\"\nenv = { A = \"${T:-ghp_abcdefghijklmnopqrstuvwxyz0123456789}\" }\n";
    assert!(matches!(&problems(fallback)[..], [ConfigProblem::LiteralCredential { .. }]));
}

#[test]
fn dollars_and_braces() {
    use mcp_contract::config::Template;
    let lookup = |name: &str| (name == "A").then(|| "1".to_owned());
    for (source, expected) in [
        ("", ""),
        ("$A", "$A"),
        ("${A}", "1"),
        ("x${A}y${A}", "x1y1"),
        ("$${A}", "${A}"),
        ("${B:-}", ""),
        ("${B:-a:-b}", "a:-b"),
        ("cost $5", "cost $5"),
    ] {
        assert_eq!(Template::parse(source).unwrap().resolve(&lookup).unwrap(), expected, "{source}");
    }
    for source in ["${", "${A", "${}", "${1A}", "${A B}"] {
        assert!(Template::parse(source).is_err(), "{source}");
    }
    assert_eq!(Template::parse("${B}").unwrap().resolve(&lookup).unwrap_err().name, "B");
    assert_eq!(Template::literal("${A}").resolve(&lookup).unwrap(), "${A}");
}

#[test]
fn an_accepted_risk_names_tool_signal_and_reason() {
    let with = |risk: &str| problems(&format!("[[server]]\nname = \"a\"\ncommand = \"x\"\naccept_risk = {risk}\n"));
    assert!(with("[{ tool = \"t\", signal = \"concealment\", reason = \"read and judged\" }]").is_empty());
    for (risk, expected) in [
        ("{}", "must be an array of tables"),
        ("[1]", "must be a table"),
        ("[{ tool = \"t\", signal = \"concealment\" }]", "an accepted risk needs `reason`"),
        ("[{ tool = \"t\", signal = \"concealment\", reason = \" \" }]", "empty"),
        ("[{ tool = \"t\", signal = \"poison\", reason = \"x\" }]", "`poison` is no signal of the screens"),
        ("[{ tool = \"[\", signal = \"concealment\", reason = \"x\" }]", "glob"),
        ("[{ tool = \"t\", signal = \"concealment\", reason = \"x\", until = 1 }]", "until"),
    ] {
        let found = with(risk);
        assert!(found.iter().any(|problem| problem.to_string().contains(expected)), "{risk}: {found:?}");
    }
}
