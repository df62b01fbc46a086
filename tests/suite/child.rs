//! An MCP server that is a child process of the program.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::flight::until_all_have;
use zoea_rig::{Home, Process, ProcessFigures, Server, until};

/// The line of the configuration that starts this script as the server.
fn command(script: &str) -> String {
    format!("command = [\"sh\", \"-c\", '''{script}''']")
}

/// A galaxy that adds its process id to a file in the home, and keeps its world there.
fn galaxy(home: &Home) -> String {
    let (program, home) = (zoea_rig::program(), home.path());
    format!(
        "echo $$ >> {0}/pids; exec {1} galaxy --stdio --tick 20ms --data {0}/world \
         --logins-per-minute unlimited --refusals-per-minute unlimited",
        home.display(),
        Path::new(&program).display()
    )
}

fn home_with(pilot: &Server, script: impl Fn(&Home) -> String, more: &str) -> Home {
    let home = Home::new();
    home.configure_game(&pilot.url, &command(&script(&home)), more);
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["broadcast", "Mine ore and sell it."]);
    home
}

/// The ids of the processes that were started so far.
fn pids(home: &Home) -> Vec<String> {
    let text = std::fs::read_to_string(home.file("pids")).unwrap_or_default();
    text.lines().map(str::to_string).collect()
}

/// Whether a process runs. One that has ended, and of which nobody has taken notice, does not.
fn is_alive(pid: &str) -> bool {
    std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|text| !text.is_empty())
}

fn until_gone(pid: &str) {
    until("the process is gone", || (!is_alive(pid)).then_some(()));
}

fn kill(pid: &str) {
    let killed = std::process::Command::new("sh")
        .args(["-c", r#"kill -9 "$0""#, pid])
        .status();
    assert!(killed.expect("kill runs").success(), "{pid}");
}

fn fly(home: &Home, count: usize) -> Process {
    let mut swarm = home.fly(&["--start-swarm"]);
    until_all_have(&mut swarm, count, &["mine", "sell"]);
    swarm
}

#[test]
fn a_swarm_plays_on_a_process_and_takes_it_with_it_and_doctor_asks_one() {
    let pilot = Server::pilot(&[]);
    let home = home_with(&pilot, galaxy, "");
    let doctor = home.ok(&["doctor"]);
    assert!(
        doctor.contains("✓ mcp: spacemolt-gameserver (sh) offers "),
        "{doctor}"
    );
    let of_doctor = pids(&home).remove(0);
    assert!(!is_alive(&of_doctor));
    let swarm = fly(&home, 1);
    let pid = pids(&home).remove(1);
    assert!(is_alive(&pid));
    assert_eq!(home.mysis("alpha")["mcp"], "ok");
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
    assert!(!is_alive(&pid));
}

#[test]
fn a_process_that_is_killed_is_started_again_and_the_swarm_plays_on() {
    let pilot = Server::pilot(&[]);
    let home = home_with(&pilot, galaxy, "");
    let mut swarm = fly(&home, 1);
    kill(&pids(&home)[0]);
    until_all_have(&mut swarm, 1, &["mine", "sell"]);
    assert_eq!(pids(&home).len(), 2);
    assert_eq!(home.mysis("alpha")["state"], "running");
}

#[test]
fn a_program_that_is_killed_leaves_no_process_behind() {
    let pilot = Server::pilot(&[]);
    // It goes on after the end of its input.
    let stubborn = |home: &Home| format!("{}; exec sleep 1000", galaxy(home).replace("exec ", ""));
    let home = home_with(&pilot, stubborn, "");
    let swarm = fly(&home, 1);
    let pid = pids(&home).remove(0);
    assert!(is_alive(&pid));
    swarm.signal("-KILL");
    swarm.wait();
    until_gone(&pid);
}

#[test]
fn a_server_that_cannot_start_is_told_with_its_last_words_and_no_secret() {
    let pilot = Server::pilot(&[]);
    let script = |_: &Home| "echo \"no $GAME_KEY, no game ($OTHER)\" >&2; exit 3".to_string();
    let more = "[mcp.env]\nGAME_KEY = { env = \"MY_KEY\" }\n";
    let home = home_with(&pilot, script, more);
    let mut command = home.command(&["run", "--headless", "--json", "--start-swarm"]);
    command
        .env("MY_KEY", "k-5518-very-secret")
        .env("OTHER", "not for servers");
    let swarm = home.launch(command);
    let why = until("the operator is told", || {
        let text = home.ok(&["status"]);
        text.contains("exit status: 3").then_some(text)
    });
    assert!(why.contains("no game ()"), "{why}");
    let log = || std::fs::read_to_string(home.file("zoea.log")).expect("a log");
    until("the log has its words", || {
        log().contains("stderr: no ").then_some(())
    });
    assert!(![why, log()].iter().any(|text| text.contains("k-5518")));
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
}

#[test]
fn a_command_and_a_url_exclude_each_other() {
    let home = Home::new();
    let game = "command = [\"sh\"]\nupstream = \"http://127.0.0.1:1/mcp\"\ntoken_env = \"TOKEN\"";
    home.configure_game("http://127.0.0.1:1/v1", game, "");
    let (status, printed) = home.fails(&["run", "--headless"]);
    assert_eq!(status, 2, "{printed}");
    assert!(
        printed.contains("mcp.command is given beside upstream"),
        "{printed}"
    );
    assert!(
        printed.contains("mcp.token_env is given beside command"),
        "{printed}"
    );
}

/// A server for the shell that is called `flood`, has one tool, and does this once it has told so.
fn shell_server(then: &str) -> String {
    format!(
        r#"say() {{ printf "%s\n" "$1"; }}
answer() {{ say "{{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}}"; }}
while read -r line; do
  id=${{line#*\"id\":}}; id=${{id%%[,\}}]*}}
  case "$line" in
    *server/discover*) say "{{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{{\"code\":-32601,\"message\":\"no\"}}}}";;
    *initialize\"*) answer "{{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{{\"tools\":{{}}}},\"serverInfo\":{{\"name\":\"flood\",\"version\":\"1\"}}}}";;
    *tools/list*) answer "{{\"tools\":[{{\"name\":\"get_status\",\"inputSchema\":{{\"type\":\"object\"}}}}]}}"; {then};;
  esac
done"#
    )
}

#[test]
fn a_server_that_floods_costs_little_and_is_told_and_the_program_answers_and_ends() {
    let ask = |method: &str| {
        format!(
            r#"exec yes "{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"{method}\",\"params\":{{}}}}""#
        )
    };
    let floods = [
        ask("ping"),
        ask("sampling/createMessage"),
        r#"exec yes "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"data\":\"ore\"}}""#
            .to_string(),
    ];
    for flood in floods {
        let pilot = Server::pilot(&[]);
        let home = home_with(&pilot, |_| shell_server(&flood), "");
        let swarm = home.fly(&["--start-swarm"]);
        let printed = until("the operator is told", || {
            let text = home.ok(&["events"]);
            text.contains("its process was ended").then_some(text)
        });
        assert!(printed.contains("the server "), "{printed}");
        let asked = Instant::now();
        home.ok(&["status"]);
        assert!(asked.elapsed() < Duration::from_secs(2), "{flood}");
        let memory = ProcessFigures::of(swarm.pid()).pss;
        assert!(memory < 256 << 20, "{flood}: {memory} bytes");
        let log = std::fs::metadata(home.file("zoea.log"))
            .expect("a log")
            .len();
        assert!(log < 100 << 10, "{flood}: {log} bytes of log");
        let ending = Instant::now();
        swarm.signal("-TERM");
        assert!(swarm.wait().success());
        assert!(ending.elapsed() < Duration::from_secs(3), "{flood}");
    }
}
