//! `zoea setup` at a terminal: its questions, leaving it, and what the screen shows.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::terminal::Terminal;
use zoea_rig::Server;
use zoea_rig::answering::{header, listen, read_request, respond};

/// The questions that remain if flags name the server and the game. Enter answers each.
const QUESTIONS: [&str; 5] = [
    "Which model?",
    "How many Myses?",
    "How much may the swarm spend a day?",
    "Run the test now?",
    "Write it",
];

#[test]
fn enter_alone_sets_up_in_a_small_terminal() {
    let pilot = Server::pilot(&["--nonsense", "0"]);
    let folder = TempDir::new().expect("a folder");
    let mut terminal = Terminal::open(60, 15, folder.path());
    let url = &pilot.url;
    terminal.types(&format!(
        "\"$ZOEA\" setup --provider {url} --game offline --no-start\r"
    ));
    for question in QUESTIONS {
        terminal.sees(question);
        terminal.types("\r");
    }
    terminal.sees("starts the swarm.");
    terminal.comes_back();
    let text = std::fs::read_to_string(folder.path().join(".zoea/zoea.toml")).expect("a file");
    assert!(text.contains("tokens_per_day = 20000000"), "{text}");
    assert!(text.contains("{ name = \"epsilon\" }"), "{text}");
}

#[test]
fn a_game_that_is_a_program_is_offered_as_now() {
    let pilot = Server::pilot(&["--nonsense", "0"]);
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join(".zoea/zoea.toml");
    std::fs::create_dir(folder.path().join(".zoea")).expect("a home");
    let program = zoea_rig::program();
    let game = format!("[\"{}\", \"galaxy\", \"--stdio\"]", program.display());
    std::fs::write(&file, format!("[mcp]\ncommand = {game}\n")).expect("a file");
    let mut terminal = Terminal::open(80, 24, folder.path());
    let url = &pilot.url;
    terminal.types(&format!(
        "\"$ZOEA\" setup --provider {url} --myses 1 --cap unlimited --no-start\r"
    ));
    for question in [
        "Which model?",
        "Which game?",
        "Run the test now?",
        "Write it",
    ] {
        terminal.sees(question);
        terminal.types("\r");
    }
    terminal.sees("starts the swarm.");
    terminal.comes_back();
    let text = std::fs::read_to_string(file).expect("a file");
    assert!(text.contains("\"--stdio\""), "{text}");
    assert!(text.contains("upstream = \"\""), "{text}");
}

#[test]
fn whoever_leaves_at_any_question_has_written_nothing() {
    let pilot = Server::pilot(&["--nonsense", "0"]);
    let folder = TempDir::new().expect("a folder");
    let url = &pilot.url;
    for (place, question) in QUESTIONS.iter().enumerate() {
        for leave in ["\u{3}", "\u{1b}"] {
            let mut terminal = Terminal::open(60, 15, folder.path());
            terminal.types(&format!(
                "\"$ZOEA\" setup --provider {url} --game offline\r"
            ));
            for answered in &QUESTIONS[..place] {
                terminal.sees(answered);
                terminal.types("\r");
            }
            terminal.sees(question);
            terminal.types(leave);
            terminal.sees("nothing was written");
            terminal.comes_back();
            assert!(!folder.path().join(".zoea/zoea.toml").exists());
        }
    }
}

#[test]
fn whoever_leaves_while_it_is_tried_has_written_nothing() {
    let slow = Server::pilot(&["--latency", "10m"]);
    let folder = TempDir::new().expect("a folder");
    let mut terminal = Terminal::open(80, 24, folder.path());
    let url = &slow.url;
    terminal.types(&format!(
        "\"$ZOEA\" setup --provider {url} --game offline --myses 1 --cap 1usd\r"
    ));
    for question in ["Which model?", "Run the test now?"] {
        terminal.sees(question);
        terminal.types("\r");
    }
    terminal.sees("· a call");
    terminal.types("\u{3}");
    terminal.sees("nothing was written");
    terminal.comes_back();
    let left = std::fs::read_dir(folder.path().join(".zoea")).expect("a home");
    assert_eq!(left.count(), 0);
}

#[test]
fn who_cannot_play_is_not_asked_again_because_a_flag_named_him() {
    let writes = Server::pilot(&["--nonsense", "0", "--fault", "prose-calls"]);
    let pilot = Server::pilot(&["--nonsense", "0"]);
    let folder = TempDir::new().expect("a folder");
    let mut terminal = Terminal::open(80, 24, folder.path());
    let url = &writes.url;
    terminal.types(&format!(
        "\"$ZOEA\" setup --provider {url} --game offline --myses 1 --cap 1Mtokens --no-start\r"
    ));
    for question in ["Which model?", "Run the test now?"] {
        terminal.sees(question);
        terminal.types("\r");
    }
    terminal.sees("Choose again");
    terminal.sees("Which model server?");
    terminal.types("another\r");
    terminal.sees("[such as");
    terminal.types(&format!("{}\r", pilot.url));
    terminal.sees("Which model?");
    terminal.types("\r");
    terminal.sees("Which game?");
    terminal.types("built-in\r");
    for question in ["Run the test now?", "Write it"] {
        terminal.sees(question);
        terminal.types("\r");
    }
    terminal.sees("starts the swarm.");
    terminal.comes_back();
    let text = std::fs::read_to_string(folder.path().join(".zoea/zoea.toml")).expect("a file");
    assert!(text.contains(&pilot.url) && !text.contains(url), "{text}");
    assert!(text.contains("tokens_per_day = 1000000"), "{text}");
}

#[test]
fn what_is_wrong_with_an_address_stays_in_sight() {
    let galaxy = Server::galaxy(&[]);
    let folder = TempDir::new().expect("a folder");
    let mut terminal = Terminal::open(60, 15, folder.path());
    terminal.types("\"$ZOEA\" setup --game offline\r");
    let choose_another = |terminal: &mut Terminal| {
        terminal.sees("letters filter");
        terminal.types("another\r");
        terminal.sees("[such as");
    };
    let wrong = |terminal: &mut Terminal, address: &str, text: &str| {
        terminal.types(&format!("{address}\r"));
        terminal.until(text, |screen| {
            screen.contents().replace('\n', " ").contains(text)
        });
    };
    choose_another(&mut terminal);
    let text = "`nonsense` is not a model server";
    wrong(&mut terminal, "nonsense", text);
    // Another one is asked for at once.
    terminal.sees("[such as");
    let text = "no server answers there";
    wrong(&mut terminal, "http://127.0.0.1:9", text);
    choose_another(&mut terminal);
    let text = "model server (HTTP 404)";
    wrong(&mut terminal, &galaxy.url, text);
    terminal.sees("letters filter");
    terminal.types("\u{3}");
    terminal.sees("nothing was written");
    terminal.comes_back();
}

/// A model server that knows one model, and wants a key for it. It answers other paths with a page.
fn strict_server() -> String {
    let address = listen(|stream| {
        let (head, _) = read_request(&stream)?;
        let (status, kind, answer) = if !head.contains(" /v1/") {
            (200, "text/html", "<html>hello</html>")
        } else if header(&head, "authorization") != Some("Bearer sesame-sesame") {
            let answer = r#"{"error":{"message":"Incorrect API key provided"}}"#;
            (401, "application/json", answer)
        } else if head.starts_with("GET") {
            (200, "application/json", r#"{"data":[{"id":"qwen3:8b"}]}"#)
        } else {
            let answer =
                r#"{"error":{"message":"model 'gpt-99' not found","type":"not_found_error"}}"#;
            (404, "application/json", answer)
        };
        let headers = format!("content-type: {kind}\r\nconnection: close\r\n");
        respond(&stream, status, &headers, answer)
    });
    format!("http://{address}")
}

/// Waits for a text that may be wrapped.
fn sees_wrapped(terminal: &mut Terminal, text: &str) {
    terminal.until(text, |screen| {
        let lines = screen.contents();
        let words: Vec<&str> = lines.split_whitespace().collect();
        words.join(" ").contains(text)
    });
}

#[test]
fn what_a_server_refuses_is_told_at_the_question_and_nothing_is_written() {
    let url = strict_server();
    let folder = TempDir::new().expect("a folder");
    let mut terminal = Terminal::open(80, 24, folder.path());
    terminal.types(&format!(
        "\"$ZOEA\" setup --provider {url}/v1 --game offline --myses 1 --cap unlimited\r"
    ));
    terminal.sees("This server needs a key.");
    terminal.sees("Key of the server");
    terminal.types("not-the-key\r");
    sees_wrapped(&mut terminal, "refuses the key (HTTP 401)");
    terminal.types("sesame-sesame\r");
    // The list has another model.
    terminal.sees("Which model?");
    terminal.types("another\r");
    terminal.sees("Name of the model");
    terminal.types("gpt-99\r");
    terminal.sees("Run the test now?");
    terminal.types("\r");
    sees_wrapped(
        &mut terminal,
        "has no model gpt-99; set `model` of providers.local to one that it has: qwen3:8b",
    );
    sees_wrapped(
        &mut terminal,
        "gpt-99 cannot play. Choose again, or cancel with Esc.",
    );
    terminal.sees("Which model server?");
    terminal.types("\u{3}");
    terminal.sees("nothing was written");
    // What answers with a page is no model server.
    terminal.types(&format!(
        "clear; \"$ZOEA\" setup --provider {url}/shop --game offline\r"
    ));
    sees_wrapped(&mut terminal, "not a model server");
    terminal.sees("letters filter");
    terminal.types("\u{3}");
    terminal.sees("nothing was written");
    terminal.comes_back();
    let left = std::fs::read_dir(folder.path().join(".zoea")).expect("a home");
    assert_eq!(left.count(), 0);
}

#[test]
fn a_key_is_never_on_the_screen_and_goes_into_the_credentials() {
    const KEY: &str = "sesame-sesame-7";
    let locked = Server::pilot(&["--nonsense", "0", "--api-key", KEY]);
    let folder = TempDir::new().expect("a folder");
    let mut terminal = Terminal::open(80, 24, folder.path());
    let url = &locked.url;
    terminal.types(&format!(
        "\"$ZOEA\" setup --provider {url} --game offline --no-start\r"
    ));
    terminal.sees("This server needs a key.");
    terminal.sees("Key of the server");
    terminal.types("a-wrong-key\r");
    terminal.sees("refuses the key (HTTP 401)");
    terminal.types(KEY);
    terminal.sees("*******");
    terminal.types("\r");
    for question in QUESTIONS {
        terminal.sees(question);
        assert!(
            !terminal.contents().contains("sesame"),
            "{}",
            terminal.contents()
        );
        terminal.types("\r");
    }
    terminal.sees("readable by you only");
    assert!(
        !terminal.contents().contains("sesame"),
        "{}",
        terminal.contents()
    );
    let file = folder.path().join(".zoea/credentials.json");
    assert!(
        std::fs::read_to_string(&file)
            .expect("a file")
            .contains(KEY)
    );
    let mode = std::fs::metadata(file)
        .expect("a file")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn plain_zoea_offers_setup_and_offline_play_where_nothing_is_there_yet() {
    let folder = TempDir::new().expect("a folder");
    let mut terminal = Terminal::open(80, 24, folder.path());
    terminal.types("\"$ZOEA\"\r");
    terminal.sees("There is no configuration yet. What do you want to do?");
    terminal.types("\u{3}");
    terminal.sees("nothing was written");
    terminal.types("clear; \"$ZOEA\"\r");
    terminal.sees("What do you want to do?");
    terminal.types("\u{1b}[B\r");
    // Where nobody runs yet, quitting asks nothing.
    terminal.sees("5 running");
    terminal.types("q");
    terminal.sees("Quit?");
    terminal.types("y");
    terminal.comes_back();
}

/// The usual ports of model servers on this machine.
const USUAL_PORTS: [u16; 5] = [11434, 8080, 1234, 8000, 4000];

#[test]
fn the_walk_from_an_empty_home_takes_few_keys_and_little_time() {
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    let free: Vec<u16> = USUAL_PORTS.into_iter().filter(is_free).collect();
    // If a model server runs on this machine, the test types letters of the port to choose the
    // right one.
    let is_alone = free.len() == USUAL_PORTS.len();
    let port = *free.last().expect("a usual port is free");
    let _pilot = Server::pilot_at(&format!("127.0.0.1:{port}"), &["--nonsense", "0"]);
    let folder = TempDir::new().expect("a folder");
    let mut terminal = Terminal::open(80, 24, folder.path());
    terminal.types("\"$ZOEA\" setup\r");
    let started = Instant::now();
    let mut keys = 0;
    let server = match is_alone {
        true => "\r".to_string(),
        false => format!("{port}\r"),
    };
    for (question, keys_of) in [
        ("Which model server?", &*server),
        ("Which model?", "\r"),
        ("Which game?", "b\r"),
        ("How many Myses?", "\r"),
        ("How much may the swarm spend a day?", "\r"),
        ("Run the test now?", "\r"),
        ("Write it and start?", "\r"),
    ] {
        terminal.sees(question);
        terminal.types(keys_of);
        keys += keys_of.len();
        let seconds = started.elapsed().as_secs_f64();
        println!("{seconds:5.1} s  {question} {keys_of:?}");
    }
    terminal.sees("5 running");
    let took = started.elapsed();
    println!(
        "{:5.1} s  five Myses run, after {keys} keys",
        took.as_secs_f64()
    );
    assert!(keys <= 15, "{keys} keys");
    assert!(took < Duration::from_secs(60), "{took:?}");
}

/// Whether the program runs in this directory.
fn runs_in(folder: &Path) -> bool {
    let processes = std::fs::read_dir("/proc").expect("processes");
    processes.flatten().any(|process| {
        let place = std::fs::read_link(process.path().join("cwd"));
        let program = std::fs::read_to_string(process.path().join("comm"));
        place.is_ok_and(|place| place == folder) && program.is_ok_and(|name| name.trim() == "zoea")
    })
}

#[test]
fn a_terminal_that_goes_away_ends_the_questions_even_if_its_signal_is_ignored() {
    let pilot = Server::pilot(&["--nonsense", "0"]);
    let setup = format!("setup --provider {} --game offline", pilot.url);
    for (command, question) in [
        (setup.as_str(), "Which model?"),
        ("", "What do you want to do?"),
    ] {
        let folder = TempDir::new().expect("a folder");
        let mut terminal = Terminal::open(80, 24, folder.path());
        terminal.types("trap '' HUP\r");
        terminal.types(&format!("\"$ZOEA\" {command}\r"));
        terminal.sees(question);
        assert!(runs_in(folder.path()), "it asks");
        drop(terminal);
        zoea_rig::until("it has ended", || (!runs_in(folder.path())).then_some(()));
    }
}

/// In a session that does not control the terminal, no signal tells that the terminal is gone.
#[test]
fn a_terminal_that_goes_away_without_a_signal_ends_the_swarm() {
    let folder = TempDir::new().expect("a folder");
    let mut terminal = Terminal::open(80, 24, folder.path());
    terminal.types("setsid \"$ZOEA\" run --offline\r");
    terminal.sees("epsilon");
    assert!(runs_in(folder.path()), "it plays");
    drop(terminal);
    zoea_rig::until("it has ended", || (!runs_in(folder.path())).then_some(()));
}
