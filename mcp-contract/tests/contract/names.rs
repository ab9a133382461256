//! Local names: shape, hash, ownership, pins.

use std::collections::BTreeSet;

use mcp_contract::admission::{Admission, Pins, Reason, assign, inspect};
use mcp_contract::config::{Config, Namespace, ServerName};
use mcp_contract::listing::Listing;
use mcp_contract::name::{is_local_name, spellings};

fn listing(names: &[&str]) -> Listing {
    let tools: Vec<_> = names.iter().map(|name| serde_json::json!({"name": name, "inputSchema": {}})).collect();
    Listing::from_saved(&serde_json::Value::from(tools).to_string()).unwrap()
}

/// Admission of some servers, given as name, namespace and tools.
fn admit(servers: &[(&str, &str, &[&str])], pins: &Pins, reserved: &[&str]) -> Admission {
    let source: String = servers
        .iter()
        .map(|(name, namespace, _)| {
            format!("[[server]]\nname = \"{name}\"\ncommand = \"x\"\nnamespace = {namespace}\n")
        })
        .collect();
    let config = Config::parse(&source, "servers.toml").unwrap();
    let inspections =
        config.servers.iter().zip(servers).map(|(server, (_, _, tools))| inspect(server, &listing(tools))).collect();
    assign(inspections, pins, &reserved.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>())
}

fn local(admission: &Admission, server: &str, tool: &str) -> Option<String> {
    let admitted = &admission.server(server)?.admitted;
    Some(admitted.iter().find(|admitted| admitted.remote_name() == tool)?.local_name().to_owned())
}

#[test]
fn every_spelling_fits_every_provider() {
    let long = "x".repeat(200);
    let (nines, dashes) = ("9".repeat(70), "-".repeat(70));
    let names = [
        &*nines,
        &*dashes,
        "a",
        "repo/create.issue",
        "日本",
        "",
        "9",
        "-",
        "a b  c",
        "a\nb",
        &long,
        "é",
        "__",
        "-a",
        "A.B-C_d",
    ];
    for name in names {
        for namespace in [Namespace::Bare, Namespace::Prefix("p".repeat(40)), Namespace::Prefix("git_hub".to_owned())] {
            let spellings = spellings(&namespace, name);
            assert!(is_local_name(&spellings.hashed), "{name:?} {namespace:?} {spellings:?}");
            assert!(spellings.plain.as_deref().is_none_or(is_local_name), "{name:?} {namespace:?} {spellings:?}");
        }
    }
    let git = Namespace::Prefix("git_hub".to_owned());
    assert_eq!(spellings(&git, "repo/create.issue").plain.unwrap(), "git_hub_repo_create_issue");
    assert_eq!(spellings(&Namespace::Bare, "create.issue").plain.unwrap(), "create_issue");
    assert_eq!(spellings(&git, &long).hashed.len(), 64);
    assert_ne!(spellings(&git, &long).hashed, spellings(&git, &(long.clone() + "y")).hashed);
}

#[test]
fn within_a_server_the_name_that_needs_no_reshaping_keeps_it() {
    let none = Pins::new();
    for order in [["a_b", "a.b", "a b"], ["a b", "a.b", "a_b"]] {
        let admission = admit(&[("s", "true", &order)], &none, &[]);
        assert_eq!(local(&admission, "s", "a_b").unwrap(), "s_a_b");
        let (dot, space) = (local(&admission, "s", "a.b").unwrap(), local(&admission, "s", "a b").unwrap());
        assert!(dot.starts_with("s_a_b_") && space.starts_with("s_a_b_") && dot != space);
    }
    // Alone, a reshaped name needs no hash; two that reshape alike both carry one.
    assert_eq!(local(&admit(&[("s", "true", &["a.b"])], &none, &[]), "s", "a.b").unwrap(), "s_a_b");
    let both = admit(&[("s", "true", &["a.b", "a b"])], &none, &[]);
    assert_eq!(local(&both, "s", "a.b").unwrap().len(), "s_a_b_".len() + 8);
}

#[test]
fn across_servers_the_first_in_the_configuration_owns_a_name() {
    let admission = admit(&[("one", "false", &["x", "y"]), ("two", "false", &["x", "z"])], &Pins::new(), &["y"]);
    assert_eq!(local(&admission, "one", "x").unwrap(), "x");
    assert_eq!(local(&admission, "two", "z").unwrap(), "z");
    let refused = |server: &str| admission.server(server).unwrap().refused[0].clone();
    assert!(matches!(refused("two").reason, Reason::Contested { owner, .. } if owner == "server one, tool \"x\""));
    assert!(matches!(refused("one").reason, Reason::Contested { owner, .. } if owner == "the host's own tools"));
}

#[test]
fn joined_names_that_coincide_are_one_contest() {
    let admission = admit(&[("a", "true", &["b_c"]), ("a_b", "true", &["c"])], &Pins::new(), &[]);
    assert_eq!(local(&admission, "a", "b_c").unwrap(), "a_b_c");
    assert!(matches!(admission.server("a_b").unwrap().refused[0].reason, Reason::Contested { .. }));
}

#[test]
fn a_pin_outlives_a_neighbour_an_order_and_an_outage() {
    let server = |name: &str| ServerName::new(name).unwrap();
    let pins = Pins::from([(server("s"), [("a.b".to_owned(), "s_a_b".to_owned())].into())]);
    let admission = admit(&[("s", "true", &["a_b", "a.b"])], &pins, &[]);
    assert_eq!(local(&admission, "s", "a.b").unwrap(), "s_a_b");
    assert!(local(&admission, "s", "a_b").unwrap().starts_with("s_a_b_"));
    // The later server has the name since before; the earlier one gets it only when the pin is gone.
    let pins = Pins::from([(server("two"), [("x".to_owned(), "x".to_owned())].into())]);
    let admission = admit(&[("one", "false", &["x"]), ("two", "false", &["x"])], &pins, &[]);
    assert_eq!((local(&admission, "one", "x"), local(&admission, "two", "x")), (None, Some("x".to_owned())));
    let outage = admit(&[("one", "false", &["x"])], &pins, &[]);
    assert_eq!(local(&outage, "one", "x"), None);
    let freed = admit(&[("one", "false", &["x"]), ("two", "false", &["y"])], &pins, &[]);
    assert_eq!(local(&freed, "one", "x").unwrap(), "x");
    // A pin that the prefix no longer gives does not hold.
    let renamed = admit(&[("two", "\"t\"", &["x"])], &pins, &[]);
    assert_eq!(local(&renamed, "two", "x").unwrap(), "t_x");
}
