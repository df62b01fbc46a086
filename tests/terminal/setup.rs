//! `zoea setup` under a terminal: its questions, what leaves it, and what is on the screen.

use std::os::unix::fs::PermissionsExt;

use tempfile::TempDir;

use crate::terminal::Terminal;
use zoea_rig::Server;

/// The questions for a server and a game that flags name, each with what Enter takes.
const QUESTIONS: [&str; 5] = [
    "Which model?",
    "How many Myses?",
    "What may they spend a day?",
    "Try it now?",
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
    terminal.sees("starts it.");
    terminal.comes_back();
    let text = std::fs::read_to_string(folder.path().join(".zoea/zoea.toml")).expect("a file");
    assert!(text.contains("tokens_per_day = 20000000"), "{text}");
    assert!(text.contains("{ name = \"epsilon\" }"), "{text}");
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
fn a_key_is_never_on_the_screen_and_goes_into_the_credentials() {
    const KEY: &str = "sesame-sesame-7";
    let locked = Server::pilot(&["--nonsense", "0", "--api-key", KEY]);
    let folder = TempDir::new().expect("a folder");
    let mut terminal = Terminal::open(80, 24, folder.path());
    let url = &locked.url;
    terminal.types(&format!(
        "\"$ZOEA\" setup --provider {url} --game offline --no-start\r"
    ));
    terminal.sees("This server wants a key.");
    terminal.sees("Its key");
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
    terminal.sees("for you alone");
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
    terminal.sees("There is no configuration yet. What now?");
    terminal.types("\u{3}");
    terminal.sees("nothing was written");
    terminal.types("clear; \"$ZOEA\"\r");
    terminal.sees("What now?");
    terminal.types("\u{1b}[B\r");
    terminal.sees("5 Myses");
    terminal.types("q");
    terminal.sees("Quit?");
    terminal.types("y");
    terminal.comes_back();
}
