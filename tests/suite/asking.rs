//! Questions of a server during a call (elicitation), which the operator answers on the command
//! line while the swarm runs.

use serde_json::{Value, json};
use zoea_rig::{AskingGame, Home, Process, Server, until};

use crate::flight::until_all_have;

/// What a game asks before it lets anybody dock.
fn which_ore() -> Value {
    json!({
        "mode": "form",
        "message": "Which ore?\u{1b}[2J",
        "requestedSchema": {
            "type": "object",
            "properties": {
                "ore": {"type": "string", "enum": ["iron", "gold"], "enumNames": ["Iron", "Gold"]},
                "count": {"type": "integer", "minimum": 1, "maximum": 9, "default": 2},
                "hint": {"type": "string", "maxLength": 30},
            },
            "required": ["ore"],
        },
    })
}

/// A model that docks and undocks for ever.
fn player() -> Server {
    Server::pilot(&["--persona", "docker"])
}

fn home_at(game: &str, pilot: &Server, more: &str) -> Home {
    let home = Home::new();
    home.configure_game(&pilot.url, game, more);
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["broadcast", "Dock."]);
    home
}

fn url(game: &AskingGame) -> String {
    format!("upstream = \"{}\"", game.url)
}

/// The question that waits for the operator.
fn question(home: &Home) -> Value {
    until("the server asks", || {
        let question = home.mysis("alpha")["question"].clone();
        (!question.is_null()).then_some(question)
    })
}

fn answers(game: &AskingGame, count: usize) -> Vec<Value> {
    until("the game has the answers", || {
        let answers = game.answers();
        (answers.len() >= count).then_some(answers)
    })
}

/// The notices of a kind so far.
fn notices(home: &Home, code: &str) -> Vec<String> {
    let events = home.lines(&["events", "--json", "--limit", "0"]);
    let is_it = |event: &&Value| event["code"] == code;
    let text = |event: &Value| event["text"].as_str().expect("a text").to_string();
    events.iter().filter(is_it).map(text).collect()
}

#[test]
fn while_frozen_no_answer_reaches_the_server_and_the_time_to_answer_stands_still() {
    for game in [
        AskingGame::with_sessions(which_ore()),
        AskingGame::stateless(which_ore()),
    ] {
        let pilot = player();
        let home = home_at(&url(&game), &pilot, "answer_timeout = \"3s\"\n");
        let mut swarm = home.fly(&["--start-swarm"]);
        question(&home);
        home.ok(&["freeze"]);
        let begun = std::time::Instant::now();
        until("more than the time to answer has passed", || {
            (begun.elapsed().as_secs() >= 5).then_some(())
        });
        home.ok(&["answer", "alpha", "ore=Gold"]);
        let begun = std::time::Instant::now();
        until("a while has passed", || {
            assert_eq!(game.answers(), [Value::Null; 0]);
            (begun.elapsed().as_secs() >= 1).then_some(())
        });
        home.ok(&["thaw"]);
        until_all_have(&mut swarm, 1, &["dock"]);
        assert_eq!(
            answers(&game, 1)[0],
            json!({"action": "accept", "content": {"ore": "gold", "count": 2}})
        );
        stop(swarm);
    }
}

fn stop(swarm: Process) {
    swarm.signal("-TERM");
    assert!(swarm.wait().success());
}

#[test]
fn a_question_stands_in_the_status_until_an_answer_that_fits_lets_the_call_go_on() {
    let (game, pilot) = (AskingGame::with_sessions(which_ore()), player());
    let home = home_at(&url(&game), &pilot, "");
    let mut swarm = home.fly(&["--start-swarm"]);
    let asked = question(&home);
    assert_eq!(
        game.capabilities(),
        json!({"elicitation": {"form": {}, "url": {}}})
    );
    let host = game
        .url
        .trim_start_matches("http://")
        .trim_end_matches("/mcp");
    assert_eq!(
        (
            &asked["number"],
            &asked["server"],
            &asked["message"],
            &asked["url"]
        ),
        (&json!(1), &json!(host), &json!("Which ore?"), &Value::Null)
    );
    let names: Vec<&Value> = asked["fields"].as_array().expect("fields").iter().collect();
    assert_eq!(names[0]["name"], "ore");
    assert_eq!(
        names[0]["options"][1],
        json!({"value": "gold", "title": "Gold"})
    );
    assert_eq!(
        (&names[1]["type"], &names[1]["max"]),
        (&json!("integer"), &json!(9))
    );
    let page = home.ok(&["status"]);
    for line in [
        "asks through alpha (number 1): Which ore?",
        "  ore= one of iron (Iron), gold (Gold)",
        "  count= a whole number from 1 to 9, may be left out, else 2",
        "`zoea answer alpha field=value …`, or --decline",
    ] {
        assert!(page.contains(line), "{line} in {page}");
    }
    for (pairs, why) in [
        (
            &[][..],
            "ore: is required (one of iron (Iron), gold (Gold))",
        ),
        (
            &["ore=tin"][..],
            "ore: must be one of iron (Iron), gold (Gold)",
        ),
        (
            &["ore=iron", "count=10"],
            "count: must be a whole number from 1 to 9",
        ),
        (&["ore=iron", "size=1"], "size: there is no such field"),
        (&["--question", "7", "ore=iron"], "that question is gone"),
    ] {
        let (_, printed) = home.fails(&[&["answer", "alpha"], pairs].concat());
        assert!(printed.contains(why), "{printed}");
    }
    assert_eq!(question(&home), asked, "it stays open");
    let printed = home.ok(&["answer", "alpha", "ore=Gold", "hint=open sesame 77"]);
    assert_eq!(printed, "answered for alpha\n");
    until_all_have(&mut swarm, 1, &["dock"]);
    assert_eq!(
        answers(&game, 1)[0],
        json!({"action": "accept", "content": {"ore": "gold", "count": 2,
            "hint": "open sesame 77"}})
    );
    // The next call asks again.
    until("the next question", || {
        (question(&home)["number"] == 2).then_some(())
    });
    assert_eq!(
        home.ok(&["answer", "alpha", "--decline"]),
        "declined for alpha\n"
    );
    assert_eq!(answers(&game, 2)[1], json!({"action": "decline"}));
    let orders: Vec<String> = notices(&home, "answer");
    let is_refused = |text: &&String| text.contains("refused");
    let (refused, given): (Vec<&String>, Vec<&String>) = orders.iter().partition(is_refused);
    assert_eq!(
        given,
        [
            "answered the server's question",
            "declined the server's question"
        ]
    );
    // Why an answer does not fit may quote it.
    assert!(refused.contains(&&"an answer that does not fit was refused".to_string()));
    assert!(
        !refused.iter().any(|text| text.contains("must be")),
        "{refused:?}"
    );
    assert!(notices(&home, "server_asks")[0].ends_with("asks: Which ore?"));
    stop(swarm);
    // Nothing that was answered is kept.
    for file in std::fs::read_dir(home.path()).expect("a home").flatten() {
        if let Ok(bytes) = std::fs::read(file.path()) {
            let found = bytes.windows(14).any(|part| part == b"open sesame 77");
            assert!(!found, "{:?}", file.path());
        }
    }
    let (_, printed) = home.fails(&["answer", "alpha", "ore=iron"]);
    assert!(printed.contains("that question is gone"), "{printed}");
}

#[test]
fn a_question_that_nobody_answers_is_cancelled_and_the_model_is_told() {
    let (game, pilot) = (AskingGame::with_sessions(which_ore()), player());
    // The call itself has less time than its question.
    let game_line = format!(
        "{}\ntool_timeout = \"300ms\"\nanswer_timeout = \"1s\"",
        url(&game)
    );
    let home = home_at(&game_line, &pilot, "");
    let swarm = home.fly(&["--start-swarm"]);
    assert_eq!(answers(&game, 1)[0], json!({"action": "cancel"}));
    let result = until("the call has a result", || {
        let rows = home.lines(&["log", "alpha", "--kind", "result", "--json"]);
        let texts = rows.iter().filter_map(|row| row["content"].as_str());
        texts
            .map(str::to_string)
            .find(|text| text.contains("operator"))
    });
    assert!(
        result.contains("\"operator\":\"cancel\"")
            && result.contains("The operator did not answer within 1s"),
        "{result}"
    );
    assert!(
        notices(&home, "server_asks")
            .iter()
            .any(|text| text.contains("no answer to its question"))
    );
    stop(swarm);
}

#[test]
fn an_address_is_shown_and_visited() {
    let asks = json!({"mode": "url", "message": "Pay for the licence.",
        "url": "https://pay.example/licence?id=1", "elicitationId": "e-1"});
    let (game, pilot) = (AskingGame::with_sessions(asks), player());
    let home = home_at(&url(&game), &pilot, "");
    let swarm = home.fly(&["--start-swarm"]);
    let asked = question(&home);
    assert_eq!(asked["url"], "https://pay.example/licence?id=1");
    assert!(
        home.ok(&["status"])
            .contains("  open https://pay.example/licence?id=1")
    );
    home.ok(&["answer", "alpha"]);
    assert_eq!(answers(&game, 1)[0], json!({"action": "accept"}));
    stop(swarm);
}

#[test]
fn a_server_without_sessions_asks_in_place_of_a_result_and_gets_the_call_again() {
    let (game, pilot) = (AskingGame::stateless(which_ore()), player());
    let home = home_at(&url(&game), &pilot, "");
    let mut swarm = home.fly(&["--start-swarm"]);
    question(&home);
    assert_eq!(
        game.capabilities()["elicitation"],
        json!({"form": {}, "url": {}})
    );
    home.ok(&["answer", "alpha", "ore=iron", "count=3"]);
    until_all_have(&mut swarm, 1, &["dock"]);
    assert_eq!(
        answers(&game, 1)[0],
        json!({"action": "accept", "content": {"ore": "iron", "count": 3}})
    );
    stop(swarm);
}

#[test]
fn a_program_that_is_killed_over_a_question_does_not_know_what_became_of_the_call() {
    let (game, pilot) = (AskingGame::with_sessions(which_ore()), player());
    let home = home_at(&url(&game), &pilot, "");
    let swarm = home.fly(&["--start-swarm"]);
    question(&home);
    swarm.signal("-KILL");
    swarm.wait();
    let swarm = home.fly(&["--resume"]);
    let rows = || home.lines(&["log", "alpha", "--kind", "result", "--json"]);
    let result = until("the call has a result", || {
        let texts = rows().into_iter();
        let mut texts = texts.filter_map(|row| Some(row["content"].as_str()?.to_string()));
        texts.find(|text| text.starts_with("outcome unknown"))
    });
    assert!(result.contains("It may have been executed"), "{result}");
    assert_eq!(game.answers(), [Value::Null; 0]);
    stop(swarm);
}

#[test]
fn a_child_process_asks_too_and_the_end_of_the_program_cancels() {
    let script = r#"
say() { printf "%s\n" "$1"; }
answer() { say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
while read -r line; do
  id=$(say "$line" | sed -n "s/.*\"id\":\([0-9]*\).*/\1/p")
  case "$line" in
    *"\"tools/call\""*)
      call=$id
      say "{\"jsonrpc\":\"2.0\",\"id\":99,\"method\":\"elicitation/create\",\"params\":{\"message\":\"Which ore?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"ore\":{\"type\":\"string\"}},\"required\":[\"ore\"]}}}"
      read -r reply; say "$reply" >> REPLIES; id=$call
      answer "{\"content\":[{\"type\":\"text\",\"text\":\"mined\"}]}";;
    *"\"server/discover\""*) say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no\"}}";;
    *"\"initialize\""*) answer "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"sh\",\"version\":\"1\"}}";;
    *"\"tools/list\""*) answer "{\"tools\":[{\"name\":\"dock\",\"inputSchema\":{\"type\":\"object\"}},{\"name\":\"undock\",\"inputSchema\":{\"type\":\"object\"}}]}";;
  esac
done"#;
    let pilot = player();
    let replies = Home::new();
    std::fs::create_dir_all(replies.path()).expect("a directory");
    let file = replies.file("replies");
    let script = script.replace("REPLIES", &file.display().to_string());
    let game = format!("command = [\"sh\", \"-c\", '''{script}''']");
    let home = home_at(&game, &pilot, "");
    let swarm = home.fly(&["--start-swarm"]);
    let asked = question(&home);
    assert_eq!(asked["server"], "sh");
    home.ok(&["answer", "alpha", "ore=iron"]);
    let read = || std::fs::read_to_string(&file).unwrap_or_default();
    until("the process has it", || {
        read()
            .contains(r#""result":{"action":"accept","content":{"ore":"iron"}}"#)
            .then_some(())
    });
    until("the next question", || {
        (question(&home)["number"] == 2).then_some(())
    });
    stop(swarm);
    assert!(read().contains(r#"{"action":"cancel"}"#), "{}", read());
}
