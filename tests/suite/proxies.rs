//! Proxies: nothing of this machine goes through one, and what does is told (row W3).

use parking_lot::Mutex;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::Arc;
use std::thread;

use zoea_rig::{Home, Server, texts, until, zoea};

/// What an order says, so that it is found wherever it goes.
const ORDER: &str = "meet-me-at-the-hidden-base";
const VARIABLES: [&str; 6] = [
    "HTTP_PROXY",
    "http_proxy",
    "ALL_PROXY",
    "all_proxy",
    "HTTPS_PROXY",
    "https_proxy",
];

/// A proxy that keeps all bytes that it gets. With a target it forwards every connection there, whatever
/// host the request names; without one it refuses.
struct ListeningProxy {
    address: String,
    bytes: Arc<Mutex<Vec<u8>>>,
}

impl ListeningProxy {
    fn start(target: Option<String>) -> ListeningProxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let kept = bytes.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (target, kept) = (target.clone(), kept.clone());
                thread::spawn(move || serve(client, target.as_deref(), &kept));
            }
        });
        ListeningProxy { address, bytes }
    }

    fn received(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock()).into_owned()
    }
}

fn serve(mut client: TcpStream, target: Option<&str>, kept: &Mutex<Vec<u8>>) {
    let mut server = target.map(|target| TcpStream::connect(target).expect("the target listens"));
    if let Some(server) = &server {
        let (mut from, mut to) = (
            server.try_clone().expect("a socket"),
            client.try_clone().expect("a socket"),
        );
        thread::spawn(move || std::io::copy(&mut from, &mut to));
    }
    let mut piece = [0; 65536];
    while let Ok(count @ 1..) = client.read(&mut piece) {
        kept.lock().extend_from_slice(&piece[..count]);
        let passed = match &mut server {
            Some(server) => server.write_all(&piece[..count]),
            None => client.write_all(b"HTTP/1.1 502 X\r\nContent-Length: 5\r\n\r\nproxy"),
        };
        if passed.is_err() {
            return;
        }
    }
}

/// The command without any variable of this machine, and with these.
fn with_variables(mut command: Command, variables: &[(&str, &str)]) -> Command {
    for name in VARIABLES
        .iter()
        .chain(&["NO_PROXY", "no_proxy", "REQUEST_METHOD"])
    {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied());
    command
}

fn run_command(command: Command) -> (bool, String) {
    let mut command = command;
    let output = command.output().expect("the command runs");
    let (out, err) = texts(&output);
    (output.status.success(), out + &err)
}

#[test]
fn nothing_of_this_machine_reaches_a_proxy_whatever_the_variables_say() {
    let proxy = ListeningProxy::start(None);
    let address = format!("http://{}", proxy.address);
    let (pilot, galaxy) = (Server::pilot(&[]), Server::galaxy(&[]));
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    let all = VARIABLES.map(|name| (name, address.as_str()));
    let command = |arguments: &[&str], more: &[(&str, &str)]| {
        with_variables(home.command(arguments), &[&all[..], more].concat())
    };
    let run = command(&["run", "--headless", "--json"], &[]);
    let _swarm = home.launch(run);
    let none = [("NO_PROXY", "")];
    for arguments in [
        &["mysis", "create", "alpha"][..],
        &["send", "alpha", ORDER],
        &["status"],
        &["doctor"],
    ] {
        let (is_ok, text) = run_command(command(arguments, &none));
        assert!(is_ok, "{arguments:?}: {text}");
        assert!(!text.contains("proxied"), "{text}");
    }
    until("alpha plays", || {
        (home.mysis("alpha")["turns"].as_u64() >= Some(1)).then_some(())
    });
    assert_eq!(proxy.received(), "");
}

#[test]
fn offline_play_and_setup_ask_this_machine_without_a_proxy() {
    let proxy = ListeningProxy::start(None);
    let all = VARIABLES.map(|name| (name, proxy.address.as_str()));
    let home = Home::new();
    let run = [
        "run",
        "--offline",
        "--headless",
        "--json",
        "--tick",
        "20ms",
        "--myses",
        "1",
        "--for",
        "5s",
    ];
    let (is_ok, text) = run_command(with_variables(home.command(&run), &all));
    assert!(is_ok, "{text}");
    assert!(text.contains("tool_returned"), "{text}");
    let setup = [
        "setup",
        "--yes",
        "--provider",
        "http://localhost:9/v1",
        "--model",
        "m",
    ];
    let (_, text) = run_command(with_variables(home.command(&setup), &all));
    assert!(text.contains("http://localhost:9"), "{text}");
    assert_eq!(proxy.received(), "");
}

#[test]
fn another_server_is_reached_through_the_proxy_and_that_is_told_by_doctor_and_status() {
    let pilot = Server::pilot(&[]);
    let proxy = ListeningProxy::start(Some(pilot.address()));
    let named = format!("http://operator:hunter2@{}", proxy.address);
    let home = Home::new();
    home.configure_game("http://model.test/v1", "upstream = \"\"", "");
    let keyed = "[providers.other]\nendpoint = \"http://other.test/v1\"\nmodel = \"m\"\napi_key_env = \"OTHER_KEY\"\n";
    let text = std::fs::read_to_string(home.file("zoea.toml")).expect("a configuration");
    std::fs::write(home.file("zoea.toml"), text + keyed).expect("a configuration");
    let variables = [
        ("HTTP_PROXY", named.as_str()),
        ("NO_PROXY", "other.test"),
        ("OTHER_KEY", "sk-of-other"),
    ];
    let command = |arguments: &[&str]| with_variables(home.command(arguments), &variables);
    let _swarm = home.launch(command(&["run", "--headless", "--json"]));
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["send", "alpha", ORDER]);
    until("alpha is answered", || {
        let rows = home.lines(&["log", "alpha", "--kind", "reply", "--json"]);
        (!rows.is_empty()).then_some(())
    });
    let received = proxy.received();
    assert!(received.contains("http://model.test/v1/chat/completions") && received.contains(ORDER));
    let token = std::fs::read_to_string(home.file("control.token")).expect("a token");
    assert!(
        !received.contains(token.trim()),
        "the control token went through the proxy"
    );
    let line = format!(
        "proxied: provider pilot at http://model.test is reached through http://{}, which HTTP_PROXY names",
        proxy.address
    );
    // The variables of the program count, not those of the command.
    let status = home.ok(&["status"]);
    assert!(status.contains(&line), "{status}");
    let json = home.json(&["status", "--json"]);
    assert_eq!(json["proxied"][0]["variable"], "HTTP_PROXY");
    assert_eq!(json["proxied"].as_array().map(Vec::len), Some(1));
    let (_, doctor) = run_command(command(&["doctor"]));
    assert!(doctor.contains(&line), "{doctor}");
    let unencrypted = "unencrypted: provider other: sent unencrypted to http://other.test: its key";
    assert!(doctor.contains(unencrypted), "{doctor}");
    assert!(!(status + &doctor).contains("hunter2"), "{doctor}");
}

#[test]
fn a_proxy_of_another_kind_is_refused_in_words() {
    let home = Home::new();
    home.configure("http://model.test/v1", "", "");
    for (value, said) in [
        (
            "socks5://operator:hunter2@127.0.0.1:1080",
            "http_proxy names a socks5 proxy",
        ),
        (
            "socks5h://127.0.0.1:1080",
            "http_proxy names a socks5h proxy",
        ),
        ("socks4://127.0.0.1:1080", "http_proxy names a socks4 proxy"),
        (
            "http://operator:hunter2@:notaport",
            "http_proxy does not hold the address of a proxy",
        ),
    ] {
        let command =
            |arguments: &[&str]| with_variables(home.command(arguments), &[("http_proxy", value)]);
        for arguments in [&["run", "--headless", "--for", "1s"][..], &["doctor"]] {
            let (is_ok, text) = run_command(command(arguments));
            assert!(!is_ok, "{arguments:?} succeeded");
            assert!(text.contains(said) && text.contains("NO_PROXY"), "{text}");
            assert!(!text.contains("hunter2"), "{text}");
        }
        // What needs no proxy works.
        let (is_ok, text) = run_command(command(&["status"]));
        assert!(is_ok, "{text}");
    }
}

#[test]
fn a_galaxy_over_standard_input_is_reached_without_a_proxy() {
    let proxy = ListeningProxy::start(None);
    let all = VARIABLES.map(|name| (name, proxy.address.as_str()));
    let mut galaxy = zoea();
    galaxy.args(["galaxy", "--stdio"]);
    let mut galaxy = with_variables(galaxy, &all);
    galaxy.stdin(std::process::Stdio::piped());
    galaxy.stdout(std::process::Stdio::piped());
    let mut child = galaxy.spawn().expect("the galaxy starts");
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let mut input = child.stdin.take().expect("an input");
    writeln!(input, "{hello}").expect("the message leaves");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let (out, err) = texts(&output);
    assert!(out.contains("serverInfo"), "{out} {err}");
    assert_eq!(proxy.received(), "");
}
