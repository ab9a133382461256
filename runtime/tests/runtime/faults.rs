//! Ten thousand actions against servers that are killed, reset, stalled and that lie: nothing runs twice, nothing is lost, nothing leaks.
//!
//! Each call has a number, and the server counts by number what it ran. The seed is printed; `MCP_SEED` repeats a run.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_runtime::testing::{Fault, HttpServer, Planned, TestServer};
use mcp_runtime::{Approval, Builder, CallOptions, Event, Importer, Outcome};
use serde_json::{Value, json};

use crate::contract::{contract, one, tool};

/// A stream of numbers that are random enough, and the same for a seed.
struct Random(AtomicU64);

impl Random {
    fn below(&self, bound: u64) -> u64 {
        let mut x = self.0.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed);
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (x ^ (x >> 31)) % bound
    }
}

fn seed() -> u64 {
    let seed = std::env::var("MCP_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(|| {
        std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(1, |now| now.as_secs() ^ u64::from(now.subsec_nanos()))
    });
    println!("MCP_SEED={seed}");
    seed
}

/// What goes wrong with a call: two thirds of them are answered.
fn fault(random: &Random) -> Planned {
    let fault = match random.below(36) {
        0 => Fault::Death,
        1 => Fault::LastWords,
        2 => Fault::Half,
        3 => Fault::Silence,
        4 => Fault::Late(Duration::from_millis(random.below(80))),
        5 => Fault::WrongId,
        6 => Fault::NotJson,
        7 => Fault::status(429),
        8 => Fault::status(503),
        9 => Fault::status(500),
        10 => Fault::status(404),
        11 => Fault::Error { code: -32602, message: "no".to_owned() },
        12 => Fault::Error { code: -32000, message: "connection closed".to_owned() },
        13 => Fault::EndOfStream,
        _ => return Fault::None.into(),
    };
    if random.below(2) == 0 { fault.after_running() } else { fault.without_running() }
}

/// Issues calls, a few at a time, and gives the outcome of each.
async fn issue(importer: &Importer, calls: u64) -> BTreeMap<u64, Outcome> {
    let outcomes: Arc<Mutex<BTreeMap<u64, Outcome>>> = Arc::default();
    let mut running = tokio::task::JoinSet::new();
    for number in 0..calls {
        let (importer, outcomes) = (importer.clone(), Arc::clone(&outcomes));
        running.spawn(async move {
            let options = CallOptions::default().timeout(Duration::from_millis(60)).key(number.to_string());
            let answer = importer.call("s_t", json!({"call": number}), options).await;
            let outcome = answer.map_or_else(|error| error.outcome(), |_| Outcome::Done);
            assert!(outcomes.lock().unwrap().insert(number, outcome).is_none());
        });
        if running.len() >= 16 {
            running.join_next().await.unwrap().unwrap();
        }
    }
    while let Some(done) = running.join_next().await {
        done.unwrap();
    }
    Arc::into_inner(outcomes).unwrap().into_inner().unwrap()
}

/// Holds what the server ran to what callers were told.
fn hold(outcomes: &BTreeMap<u64, Outcome>, executions: impl Iterator<Item = Value>, calls: u64) {
    let mut ran: BTreeMap<u64, usize> = BTreeMap::new();
    for arguments in executions {
        *ran.entry(arguments["call"].as_u64().unwrap()).or_default() += 1;
    }
    assert_eq!(outcomes.len() as u64, calls, "no call is without an outcome");
    let mut told: BTreeMap<Outcome, usize> = BTreeMap::new();
    for (number, outcome) in outcomes {
        *told.entry(*outcome).or_default() += 1;
        let times = ran.get(number).copied().unwrap_or_default();
        assert!(times <= 1, "call {number} ran {times} times");
        match outcome {
            Outcome::NotSent => assert_eq!(times, 0, "call {number} was said not to be sent, and ran"),
            Outcome::Done | Outcome::Rejected | Outcome::Unknown => {}
        }
    }
    println!("{calls} calls: {told:?}; {} ran", ran.len());
    assert!(told[&Outcome::Done] > 0 && told[&Outcome::Unknown] > 0);
}

/// What the process holds open.
fn descriptors() -> Option<usize> {
    std::fs::read_dir("/proc/self/fd").ok().map(Iterator::count)
}

fn tasks() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

/// Waits until as few tasks and descriptors are left as there were. Other tests of the process may hold some for a while.
async fn settled(before: (usize, Option<usize>)) {
    for _ in 0..4_800 {
        let now = (tasks(), descriptors());
        if now.0 <= before.0 && now.1 <= before.1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("tasks and descriptors were {before:?} and are {:?}", (tasks(), descriptors()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_pipes_nothing_runs_twice_and_nothing_is_lost() {
    const CALLS: u64 = 4_000;
    let random = Arc::new(Random(AtomicU64::new(seed())));
    let before = (tasks(), descriptors());
    let server = TestServer::new([tool("t")]);
    let dice = Arc::clone(&random);
    server.decide(move |name, _| if name == "t" { fault(&dice) } else { Fault::None.into() });
    let importer = one("retry = { attempts = 3, backoff = \"2ms\" }", &[tool("t")], &server).start().await.unwrap();
    let killer = server.clone();
    let killing = tokio::spawn(async move {
        loop {
            tokio::time::sleep(Duration::from_millis(20 + random.below(60))).await;
            killer.hang_up();
        }
    });
    let outcomes = issue(&importer, CALLS).await;
    killing.abort();
    let _ = killing.await;
    hold(&outcomes, server.executions().into_iter().map(|ran| ran.arguments), CALLS);
    importer.close().await;
    drop(importer);
    settled(before).await;
}

fn over(http: &HttpServer) -> Builder {
    let servers = format!(
        "[[server]]\nname = \"s\"\nurl = \"{}\"\nretry = {{ attempts = 3, backoff = \"5ms\" }}\nrequest_timeout = \"2s\"\n",
        http.url()
    );
    Importer::builder(contract(&servers, &[("s", vec![tool("t")])])).approver(|_| async { Approval::Granted })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_http_nothing_runs_twice_and_nothing_is_lost() {
    const CALLS: u64 = 5_000;
    let random = Arc::new(Random(AtomicU64::new(seed())));
    let before = (tasks(), descriptors());
    let server = TestServer::new([tool("t")]);
    let dice = Arc::clone(&random);
    server.decide(move |name, _| if name == "t" { fault(&dice) } else { Fault::None.into() });
    let http = server.http().await.unwrap();
    let port = http.port();
    let importer = over(&http).start().await.unwrap();
    // The server is killed and comes back on its port; sometimes it only forgets its sessions.
    let restarts = server.clone();
    let killing = tokio::spawn(async move {
        let mut http = http;
        loop {
            tokio::time::sleep(Duration::from_millis(30 + random.below(90))).await;
            if random.below(3) == 0 {
                http.forget_sessions([404, 400, 401][usize::try_from(random.below(3)).unwrap()]);
                continue;
            }
            drop(http);
            tokio::time::sleep(Duration::from_millis(random.below(20))).await;
            http = loop {
                match restarts.http_on(port).await {
                    Ok(http) => break http,
                    Err(_) => tokio::time::sleep(Duration::from_millis(2)).await,
                }
            };
        }
    });
    let outcomes = issue(&importer, CALLS).await;
    killing.abort();
    let _ = killing.await;
    hold(&outcomes, server.executions().into_iter().map(|ran| ran.arguments), CALLS);
    assert!(outcomes.values().any(|outcome| *outcome == Outcome::NotSent), "no connection was ever refused");
    importer.close().await;
    drop(importer);
    settled(before).await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_processes_nothing_runs_twice_and_nothing_is_lost() {
    use crate::process::{Script, kill};
    const CALLS: u64 = 1_000;
    let random = Arc::new(Random(AtomicU64::new(seed())));
    let before = (tasks(), descriptors());
    let script = Arc::new(Script::new("faults", &json!([])));
    let importer = script.builder("retry = { attempts = 3, backoff = \"2ms\" }").start().await.unwrap();
    let victim = Arc::clone(&script);
    let killing = tokio::spawn(async move {
        loop {
            tokio::time::sleep(Duration::from_millis(5 + random.below(25))).await;
            kill(victim.pid());
        }
    });
    let outcomes = issue(&importer, CALLS).await;
    killing.abort();
    let _ = killing.await;
    hold(&outcomes, script.executions().into_iter().map(|ran| ran["arguments"].clone()), CALLS);
    importer.close().await;
    drop(importer);
    settled(before).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_that_go_away_lose_no_outcome() {
    const CALLS: u64 = 300;
    let random = Random(AtomicU64::new(seed()));
    let server = TestServer::new([tool("t")]);
    server.decide(|name, _| match name {
        "t" => Fault::Late(Duration::from_millis(15)).after_running(),
        _ => Fault::None.into(),
    });
    let importer = one("", &[tool("t")], &server).start().await.unwrap();
    let mut events = importer.events();
    for number in 0..CALLS {
        let call = importer.call("s_t", json!({"call": number}), CallOptions::default().key(number.to_string()));
        let _ = tokio::time::timeout(Duration::from_millis(random.below(25)), call).await;
    }
    // Whatever ran has an outcome that was told, and none has two.
    let mut told: BTreeMap<String, Outcome> = BTreeMap::new();
    while let Ok(Some(event)) = tokio::time::timeout(Duration::from_millis(500), events.next()).await {
        if let Event::Finished { key: Some(key), outcome, .. } = event {
            assert!(told.insert(key, outcome).is_none());
        }
    }
    for ran in server.executions() {
        let outcome = told.get(&ran.arguments["call"].to_string()).expect("what ran has an outcome");
        assert_ne!(*outcome, Outcome::NotSent);
    }
}
