//! Load on the game's server: the number of requests that a swarm of the real program sends.

use serde_json::Value;

use zoea_rig::zoea;

/// The most requests to the game's server for each mutation that it carries out.
const MOST: f64 = 1.5;

#[test]
#[expect(clippy::cast_precision_loss, reason = "figures far below 2^52")]
fn a_swarm_asks_little_beside_what_it_plays() {
    let home = tempfile::tempdir().expect("a directory");
    let status = zoea()
        .arg("--home")
        .arg(home.path())
        .args([
            "run",
            "--offline",
            "--headless",
            "--for",
            "40s",
            "--tick",
            "100ms",
        ])
        .args(["--seed", "3", "--myses", "5"])
        .stdout(std::process::Stdio::null())
        .status();
    assert!(status.expect("the program runs").success());
    let log = std::fs::read_to_string(home.path().join("offline/zoea.log")).expect("a log");
    let closed = log
        .lines()
        .rev()
        .find(|line| line.contains("the simulated game has closed"));
    let closed: Value = serde_json::from_str(closed.expect("the game's figures")).expect("JSON");
    let figure = |name: &str| {
        let found = closed.get(name).or_else(|| closed["fields"].get(name));
        found.and_then(Value::as_u64).expect("a figure")
    };
    let (requests, mutations) = (figure("requests"), figure("mutations"));
    let each = requests as f64 / mutations.max(1) as f64;
    println!("{requests} requests for {mutations} mutations: {each:.2} each");
    assert!(mutations > 50, "the swarm played: {mutations}");
    assert!(
        each <= MOST,
        "{requests} requests for {mutations} mutations: {each:.2} each"
    );
}
