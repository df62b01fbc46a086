//! Tests with real processes: small servers written for the shell.

use std::path::Path;
use std::time::Instant;

use actors::ports::LinkReply;
use rmcp::model::CallToolRequestParams;

use super::*;
use crate::CallTerms;
use crate::tests::operator::Operator;

/// A server that answers as servers do. What it does with a call comes before what it does with
/// all others.
const SERVER: &str = r#"
say() { printf '%s\n' "$1"; }
answer() { say '{"jsonrpc":"2.0","id":'"$id"',"result":'"$1"'}'; }
while read -r line; do
  id=$(say "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"tools/call"'*) CALL;;
    *'"server/discover"'*) say '{"jsonrpc":"2.0","id":'"$id"',"error":{"code":-32601,"message":"no"}}';;
    *'"initialize"'*) answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}';;
    *'"tools/list"'*) answer '{"tools":[{"name":"look","inputSchema":{"type":"object"}},{"name":7},{"name":"dig","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false}}]}';;
  esac
done
"#;

const RESULT: &str = r#"answer '{"content":[{"type":"text","text":"done"}]}'"#;
const LIMIT: Duration = Duration::from_secs(30);

fn shell(script: &str) -> ChildServer {
    let command = ["sh", "-c", script].map(str::to_string);
    let path = (
        "PATH".to_string(),
        "/usr/local/bin:/usr/bin:/bin".to_string(),
    );
    ChildServer::new(ChildCommand {
        command: command.into(),
        environment: [path].into(),
        guard: None,
    })
}

fn server(call: &str) -> ChildServer {
    shell(&SERVER.replace("CALL", call))
}

async fn dig(session: &ChildSession, limit: Duration) -> Result<LinkReply, ChildFailure> {
    let params = CallToolRequestParams::new("dig");
    session.call(params, CallTerms::new(limit)).await
}

async fn call(session: &ChildSession, limit: Duration) -> Result<String, String> {
    match dig(session, limit).await {
        Ok(LinkReply::Answer(result)) => Ok(result.text),
        other => Err(format!("{other:?}")),
    }
}

async fn until_there(file: &Path) -> String {
    loop {
        match std::fs::read_to_string(file) {
            Ok(text) if text.ends_with('\n') => return text.trim().to_string(),
            Ok(_) | Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    }
}

fn is_alive(pid: &str) -> bool {
    // That of a process which has ended, and of which nobody has taken notice, is empty.
    std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|text| !text.is_empty())
}

#[tokio::test]
async fn a_server_is_asked_for_tools_and_called_and_a_broken_tool_costs_no_other() {
    let session = server(RESULT).open().await.unwrap();
    assert_eq!(&**session.version(), "2025-11-25");
    let listing = session.tools(LIMIT).await.unwrap();
    let names: Vec<&str> = listing.tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["look", "dig"]);
    assert_eq!(listing.tools[1].read_only_hint, Some(false));
    assert_eq!(
        listing.left_out().unwrap(),
        "1 left out: one (it has no name)"
    );
    assert_eq!(call(&session, LIMIT).await, Ok("done".to_string()));
}

/// What a server does with the calls one after the other, and what comes of each. `$1` of `told` stands before the
/// message, `$2` is its text, `$3` stands behind.
const ANSWERS: &str = r#"
told '' done => done
told 'log: working... ' glued => glued
told '[' batch ']' => batch
told '{"jsonrpc":"2.0","method":"notifications/message","params":{}}' two ' bye' => two
told '' "$(printf 'o\tr\001e')" => o\tr e
told '' "$(printf 'or\351')" => or\u{fffd}
told '' '\ud83d' => \u{fffd}
say '{"id":'"$id"'.0,"result":{"content":"bare"}}' => bare
say '{"jsonrpc":"2.0","id":"'"$id"'","error":null,"result":{"content":"both"}}' => both
say '{"jsonrpc":"2.0","id":'"$id"',"result":{"structuredContent":[NaN,-Infinity,1e999,123456789012345678901234567890]}}' => [null,null,1e999,123456789012345678901234567890]
printf '{"jsonrpc":"2.0","id":%s,"result":{"content":"many","structuredContent":[' $id; yes 0, | head -n 300000 | tr -d '\n'; say '0]}}' => many
head -c 9000000 /dev/zero | tr '\0' x; say => Broken("the answer is larger than the 8192 KiB that are read")
fails '{"code":"E_FULL","message":"full"}' => full (E_FULL)
fails '{"message":"full"}' => full
fails '"full"' => full
fails '{"code":3000000000,"message":"full"}' => full (3000000000)
fails '{"code":-1,"message":"full"},"result":null' => full (-1)
say '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"full"}}' => full (-32600)
case "$line" in *_meta*) told '' meta;; *) told '' plain;; esac => plain
"#;

#[tokio::test]
async fn an_answer_is_read_in_whatever_form_it_comes() {
    let cases = ANSWERS.trim().lines().map(|line| line.split_once(" => "));
    let cases: Vec<(&str, &str)> = cases.map(|case| case.expect("two columns")).collect();
    let numbered = cases.iter().enumerate();
    let numbered = numbered.map(|(at, (answer, _))| format!("{}) {answer};;\n", at + 1));
    let script = format!(
        r#"n=$((n+1)); case $n in {} esac"#,
        numbered.collect::<String>()
    );
    let helpers = r#"
told() { say "$1"'{"jsonrpc":"2.0","id":'"$id"',"result":{"content":[{"type":"text","text":"'"$2"'"}]}}'"$3"; }
fails() { say '{"jsonrpc":"2.0","id":'"$id"',"error":'"$1"'}'; }
"#;
    let session = shell(&format!("{helpers}{}", SERVER.replace("CALL", &script)));
    let session = session.open().await.unwrap();
    for (answer, wanted) in cases {
        let got = match dig(&session, LIMIT).await {
            Ok(LinkReply::Answer(result)) => result.text,
            Err(failure @ ChildFailure::Refused { .. }) => failure.to_string(),
            Err(other) => format!("{other:?}"),
            Ok(LinkReply::Task(task)) => panic!("{answer}: {task:?}"),
        };
        let wanted = wanted.replace("\\t", "\t").replace("\\u{fffd}", "\u{fffd}");
        assert_eq!(got, wanted, "{answer}");
    }
}

#[tokio::test]
async fn a_message_over_several_lines_is_named_in_the_failure_of_the_call() {
    let session = server(r#"say '{'; say '  "jsonrpc": "2.0",'"#).open().await;
    let failure = call(&session.unwrap(), Duration::from_millis(500)).await;
    let said = r#"no answer within 500ms; it sent a line that is no message: { "jsonrpc": "2.0","#;
    assert_eq!(
        failure,
        Err(format!("Err({:?})", ChildFailure::Broken(said.to_string())))
    );
}

#[tokio::test]
async fn a_session_is_opened_whatever_the_answer_lacks_that_nobody_uses() {
    let whole = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}"#;
    assert!(SERVER.contains(whole));
    for (about, name) in [
        (
            r#""capabilities":{"tools":{}},"serverInfo":{"name":"sh"}"#,
            "sh",
        ),
        (r#""capabilities":{"tools":[]}"#, "sh"),
        (r#""serverInfo":{"name":"odd","version":1}"#, "odd"),
        (r#""capabilities":[],"serverInfo":[]"#, "sh"),
        (r#""capabilities":{"tools":true},"instructions":7"#, "sh"),
    ] {
        let given = format!(r#"{{"protocolVersion":"2025-11-25",{about}}}"#);
        let script = SERVER.replace("CALL", RESULT).replace(whole, &given);
        let session = shell(&script).open().await;
        let session = session.unwrap_or_else(|why| panic!("{about}: {why}"));
        assert_eq!(&**session.name(), name, "{about}");
        assert_eq!(call(&session, LIMIT).await, Ok("done".to_string()));
    }
    let script = SERVER.replace(whole, r#"{"capabilities":{}}"#);
    let why = shell(&script).open().await.err().unwrap().to_string();
    assert_eq!(
        why,
        "it does not speak MCP: it answered the question for a session with something else"
    );
}

#[tokio::test]
async fn a_list_with_a_number_that_is_none_costs_no_tool() {
    let list = r#"{"name":7}"#;
    let odd = r#"{"name":"wait","inputSchema":{"properties":{"s":{"default":Infinity}}}},{"name":"rest","inputSchema":[]}"#;
    let session = shell(&SERVER.replace(list, odd)).open().await.unwrap();
    let listing = session.tools(LIMIT).await.unwrap();
    let names: Vec<&str> = listing.tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["look", "wait", "rest", "dig"]);
}

#[tokio::test]
async fn a_tool_that_is_called_as_a_task_only_is_left_out_and_named() {
    // A list is read as it is, whatever else is in it.
    for broken in ["", r#"{"name":7},"#] {
        let tools = r#"{"name":"look","inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}},"#;
        let study = r#"{"name":"study","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}"#;
        let list = format!(r#"*'"tools/list"'*) answer '{{"tools":[{broken}{tools}{study}]}}';;"#);
        let script = SERVER.replace("CALL", RESULT);
        let script = script.replace(
            "    *'\"tools/list\"'*)",
            &format!("    {list}\n    *'\"other\"'*)"),
        );
        let listing = shell(&script)
            .open()
            .await
            .unwrap()
            .tools(LIMIT)
            .await
            .unwrap();
        let names: Vec<&str> = listing.tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["look"]);
        let output = listing.left_out().unwrap();
        assert!(
            output.ends_with("study (it is called as a task only)"),
            "{output}"
        );
    }
}

#[tokio::test]
async fn a_later_page_that_cannot_be_used_costs_none_before_it() {
    let pages = r#"*'"cursor"'*) answer '{"tools":5}';;
    *'"tools/list"'*) answer '{"tools":[{"name":"look","inputSchema":{"type":"object"}}],"nextCursor":"2"}';;
    *'"tools/list"'*)"#;
    let script = SERVER.replace("CALL", RESULT);
    let session = shell(&script.replace(r#"*'"tools/list"'*)"#, pages));
    let listing = session.open().await.unwrap().tools(LIMIT).await.unwrap();
    assert_eq!(listing.tools.len(), 1);
    let output = listing.left_out().unwrap();
    assert!(output.contains("page 2 cannot be used"), "{output}");
    // Of the first page there is nothing to stay.
    let broken = script.replace(r#"answer '{"tools":["#, r#"answer '{"toolz":["#);
    let failure = shell(&broken).open().await.unwrap().tools(LIMIT).await;
    assert!(
        matches!(failure, Err(ChildFailure::Broken(_))),
        "{failure:?}"
    );
}

#[tokio::test]
async fn a_process_that_dies_in_a_call_leaves_its_outcome_open_and_the_next_call_unsent() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("called");
    let script = format!(
        "echo 'out of ore' >&2; echo $$ > {}; sleep 1000",
        file.display()
    );
    let session = server(&script).open().await.unwrap();
    let killing = async {
        let pid = until_there(&file).await.parse().unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    };
    let (failure, ()) = tokio::join!(dig(&session, LIMIT), killing);
    let Err(ChildFailure::Lost(why)) = failure else {
        panic!("{failure:?}");
    };
    assert!(
        why.contains("signal: 9") && why.ends_with("its last words: out of ore"),
        "{why}"
    );
    assert!(session.is_over());
    let next = dig(&session, LIMIT).await;
    assert!(matches!(next, Err(ChildFailure::Gone(_))), "{next:?}");
}

#[tokio::test]
async fn what_is_no_message_is_passed_over_and_a_message_without_end_ends_the_session() {
    let garbage = format!("say 'Listening!'; say '{{\"a\":1}}'; say '\u{1b}[2J'; {RESULT}");
    let session = server(&garbage).open().await.unwrap();
    assert_eq!(call(&session, LIMIT).await, Ok("done".to_string()));
    let session = server("yes ore | tr -d '\\n'").open().await.unwrap();
    let failure = dig(&session, LIMIT).await;
    let Err(ChildFailure::Lost(why)) = failure else {
        panic!("{failure:?}");
    };
    assert!(why.contains("larger than is read"), "{why}");
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_given_up_after_the_limit() {
    let session = server(":").open().await.unwrap();
    let failure = call(&session, Duration::from_millis(50)).await;
    assert_eq!(failure, Err("Err(TooLate(50ms))".to_string()));
    assert!(!session.is_over());
}

#[tokio::test]
async fn a_server_that_asks_for_input_is_told_that_there_is_none_and_goes_on() {
    let asks = r#"call=$id
say '{"jsonrpc":"2.0","id":99,"method":"elicitation/create","params":{"message":"Which ore?","requestedSchema":{"type":"object","properties":{"ore":{"type":"string"}}}}}'
read -r reply
id=$call
case "$reply" in *'"decline"'*) answer '{"content":[{"type":"text","text":"declined"}]}';; esac"#;
    let session = server(asks).open().await.unwrap();
    assert_eq!(call(&session, LIMIT).await, Ok("declined".to_string()));
}

#[tokio::test]
async fn an_error_of_the_server_is_a_refusal() {
    let refusal =
        r#"say '{"jsonrpc":"2.0","id":'"$id"',"error":{"code":-32602,"message":"no such tool"}}'"#;
    let session = server(refusal).open().await.unwrap();
    let failure = dig(&session, LIMIT).await;
    assert!(
        matches!(
            failure,
            Err(ChildFailure::Refused {
                code: Some(-32602),
                ..
            })
        ),
        "{failure:?}"
    );
}

#[tokio::test]
async fn what_cannot_start_or_ends_at_once_says_why() {
    let nowhere = ChildServer::new(ChildCommand {
        command: ["/nowhere/to/be/found".to_string()].into(),
        environment: Arc::default(),
        guard: None,
    });
    let output = |failure: Result<ChildSession, ChildFailure>| match failure {
        Err(ChildFailure::NotReady(why)) => why,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("it is open"),
    };
    let why = output(nowhere.open().await);
    assert!(
        why.starts_with("/nowhere/to/be/found cannot be started: "),
        "{why}"
    );
    let why = output(
        shell("echo 'Error: GAME_KEY is missing' >&2; exit 3")
            .open()
            .await,
    );
    assert_eq!(
        why,
        "the server's process has ended (exit status: 3); its last words: Error: GAME_KEY is missing"
    );
}

#[tokio::test]
async fn a_server_that_takes_nothing_before_initialize_is_asked_by_that_alone() {
    let server = |discover: &str| {
        let script = SERVER.replace("CALL", RESULT);
        let known = r#"*'"server/discover"'*) say '{"jsonrpc":"2.0","id":'"$id"',"error":{"code":-32601,"message":"no"}}';;"#;
        assert!(script.contains(known));
        shell(&script.replace(known, &format!(r#"*'"server/discover"'*) {discover};;"#)))
    };
    for discover in [
        "answer '{}'",
        r#"answer '{"tools":[]}'"#,
        "answer null",
        "exit 0",
        "echo 'expected initialize' >&2; exit 1",
        r#"say '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"not initialized"}}'"#,
        r#"say '{"jsonrpc":"2.0","id":'"$id"',"error":{"code":-32020,"message":"no"}}'"#,
    ] {
        let server = server(discover);
        let session = server.open().await;
        let session = session.unwrap_or_else(|why| panic!("{discover}: {why}"));
        let output = call(&session, LIMIT).await;
        assert_eq!(output, Ok("done".to_string()), "{discover}");
    }
    let script = SERVER.replace("answer '{\"protocolVersion\"", "say '{\"jsonrpc\":\"2.0\",\"id\":'\"$id\"',\"error\":{\"code\":-32000,\"message\":\"no\\nlicence\"}}'; : '{\"protocolVersion\"");
    assert_ne!(script, SERVER);
    let why = shell(&script).open().await.err().unwrap().to_string();
    assert_eq!(why, "it refuses the session: no licence (-32000)");
}

#[tokio::test]
async fn a_process_sees_what_is_named_for_it_and_nothing_else() {
    // A shell adds some variables of its own.
    let seen = "env | cut -d= -f1 | sort | grep -v -e '^_$' -e PWD -e SHLVL -e OLDPWD | tr '\\n' ' ' >&2; exit 1";
    let why = shell(seen).open().await.err().unwrap().to_string();
    assert!(why.ends_with("its last words: PATH"), "{why}");
}

#[tokio::test]
async fn the_end_takes_a_process_that_does_not_want_to_and_what_it_started() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("pids");
    let stubborn = format!(
        "trap '' TERM; sleep 1000 & echo $$ $! > {}; {SERVER}\nsleep 1000",
        file.display()
    );
    let server = shell(&stubborn);
    let session = server.open().await.unwrap();
    let pids = until_there(&file).await;
    assert!(pids.split(' ').all(is_alive), "{pids}");
    server.end().await;
    assert!(!pids.split(' ').any(is_alive), "{pids}");
    assert!(call(&session, LIMIT).await.is_err());
}

/// Asks in a call with these fields under this id, and reads until it has the answer.
fn ask_on_the_way(id: u32, properties: &str) -> String {
    format!(
        r#"say '{{"jsonrpc":"2.0","id":{id},"method":"elicitation/create","params":{{"message":"Which ore?","requestedSchema":{{"type":"object","properties":{properties}}}}}}}'
    while read -r reply; do case "$reply" in *'"id":{id}'*) break;; esac; done"#
    )
}

#[tokio::test]
async fn a_question_that_no_type_of_the_library_fits_is_asked_all_the_same() {
    let asks = ask_on_the_way(
        99,
        r#"{"ore":{"anyOf":[{"type":"string"},{"type":"null"}]}}"#,
    );
    let script = format!(
        r#"call=$id
    {asks}
    id=$call
    case "$reply" in *'"content":{{"ore":"iron"}}'*) {RESULT};; esac"#
    );
    let session = server(&script).open().await.unwrap();
    let operator = Operator::accepting().at_once();
    let reply = call_with(&session, &operator, LIMIT).await;
    assert!(matches!(reply, Ok(LinkReply::Answer(_))), "{reply:?}");
    assert_eq!(operator.until_asked(1).await, ["Which ore?"]);
}

#[tokio::test]
async fn a_call_that_is_given_up_cancels_its_question_and_leaves_nobody_to_ask() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("replies");
    let ore = r#"{"ore":{"type":"string"}}"#;
    let script = format!(
        "{}\nfirst=$reply\n{}\nsay \"$first$reply\" > {}",
        ask_on_the_way(98, ore),
        ask_on_the_way(99, ore),
        file.display()
    );
    let session = server(&script).open().await.unwrap();
    let operator = Operator::accepting();
    tokio::select! {
        reply = call_with(&session, &operator, LIMIT) => panic!("{reply:?}"),
        _ = operator.until_asked(1) => {}
    }
    let replies = until_there(&file).await;
    let actions: Vec<&str> = ["cancel", "decline", "accept"]
        .into_iter()
        .filter(|action| replies.contains(&format!(r#""action":"{action}""#)))
        .collect();
    assert_eq!(actions, ["cancel", "decline"], "{replies}");
    assert_eq!(operator.asked.borrow().len(), 1);
    assert_eq!(*operator.withdrawn.borrow(), 1);
}

/// A server that asks in place of a result. It does this then, and that when the call comes again.
fn asking_in_place(then: &str, again: &str) -> ChildServer {
    let question = r#"{"method":"elicitation/create","params":{"message":"Which ore?","requestedSchema":{"type":"object","properties":{"ore":{"type":"string"}}}}}"#;
    server(&format!(
        r#"case "$line" in
      *requestState*) {again};;
      *) answer '{{"resultType":"input_required","requestState":"s","inputRequests":{{"how":{question}}}}}'; {then};;
    esac"#
    ))
}

async fn call_with(
    session: &ChildSession,
    operator: &Operator,
    limit: Duration,
) -> Result<LinkReply, ChildFailure> {
    let asker = operator.asker();
    let terms = CallTerms {
        asker: Some(&asker),
        ..CallTerms::new(limit)
    };
    session.call(CallToolRequestParams::new("dig"), terms).await
}

#[tokio::test]
async fn a_question_in_place_of_a_result_is_answered_when_the_call_comes_again() {
    let again = r#"case "$line" in *'"ore":"iron"'*) answer '{"content":[{"type":"text","text":"done"}]}';; esac"#;
    let session = asking_in_place(":", again).open().await.unwrap();
    let operator = Operator::accepting().at_once();
    let reply = call_with(&session, &operator, LIMIT).await.unwrap();
    let LinkReply::Answer(result) = reply else {
        panic!("{reply:?}");
    };
    assert_eq!(result.text, "done");
}

#[tokio::test]
async fn a_process_that_ends_while_the_operator_is_asked_leaves_the_outcome_open() {
    // It ends, or cannot be heard any longer: then the call comes to nobody when it comes again.
    for end in ["exit 3", "exec >&-; exec sleep 1000"] {
        let session = asking_in_place(end, ":").open().await.unwrap();
        let operator = Operator::accepting();
        let answering = async {
            operator.until_asked(1).await;
            while !session.is_over() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            if end != "exit 3" {
                operator.ring(1);
            }
        };
        let (failure, ()) = tokio::join!(call_with(&session, &operator, LIMIT), answering);
        let Err(ChildFailure::Lost(why)) = failure else {
            panic!("{failure:?}");
        };
        assert!(why.starts_with("after the server had asked: "), "{why}");
    }
}

#[tokio::test]
async fn the_time_of_the_operator_is_not_given_to_the_server() {
    let session = asking_in_place(":", ":").open().await.unwrap();
    let operator = Operator::accepting();
    let (thought, limit) = (Duration::from_secs(4), Duration::from_millis(300));
    let answering = async {
        operator.until_asked(1).await;
        tokio::time::sleep(thought).await;
        operator.ring(1);
        Instant::now()
    };
    let (failure, answered) = tokio::join!(call_with(&session, &operator, limit), answering);
    assert!(
        matches!(failure, Err(ChildFailure::TooLate(_))),
        "{failure:?}"
    );
    let took = answered.elapsed();
    assert!(took < thought / 2, "{took:?} after the answer");
}

/// A server that sends this again and again once it is called, and never reads again.
fn flooding(line: &str) -> ChildServer {
    server(&format!(r#"exec yes '{line}'"#))
}

#[tokio::test]
async fn a_server_that_floods_is_ended_with_the_reason_within_bounds_of_memory() {
    let asks = |method: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{{"message":"?","requestedSchema":{{"type":"object","properties":{{}}}}}}}}"#
        )
    };
    let notification =
        |method: &str| format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{{}}}}"#);
    let asked = "the server asked more than 20 times a second; its process was ended";
    let output = "the server sent more than 1000 messages a second; its process was ended";
    let floods = [
        (asks("ping"), asked),
        (asks("roots/list"), asked),
        (asks("sampling/createMessage"), asked),
        (asks("elicitation/create"), asked),
        (asks("what/is/that"), asked),
        (notification("notifications/message"), output),
        (notification("notifications/tools/list_changed"), output),
        (
            r#"{"jsonrpc":"2.0","id":9,"result":{}}"#.to_string(),
            output,
        ),
        ("Listening!".to_string(), output),
    ];
    for (line, why) in floods {
        let session = flooding(&line).open().await.unwrap();
        let failure = dig(&session, LIMIT).await;
        let Err(ChildFailure::Lost(lost)) = failure else {
            panic!("{line}: {failure:?}");
        };
        assert_eq!(lost, why, "{line}");
        assert!(session.is_over(), "{line}");
        let ending = Instant::now();
        session.end().await;
        assert!(ending.elapsed() < Duration::from_secs(2), "{line}");
    }
}

#[tokio::test]
async fn a_server_that_asks_slowly_is_answered_and_one_that_never_reads_is_ended() {
    let slowly = r#"call=$id
for n in 1 2 3 4 5 6 7 8 9 10; do
  for m in 0 1 2 3 4 5 6 7 8 9; do say '{"jsonrpc":"2.0","id":'"$n$m"',"method":"ping"}'; read -r reply; done
done
id=$call
answer '{"content":[{"type":"text","text":"done"}]}'"#;
    let session = server(slowly).open().await.unwrap();
    assert_eq!(call(&session, LIMIT).await, Ok("done".to_string()));
    // Each answer repeats the long id, so that few of them fill the pipe.
    let long = "x".repeat(20_000);
    let never_reads = format!(
        r#"for n in $(seq 100); do say '{{"jsonrpc":"2.0","id":"'"$n"'{long}","method":"ping"}}'; done; exec sleep 1000"#
    );
    let session = server(&never_reads).open().await.unwrap();
    let failure = dig(&session, LIMIT).await;
    let Err(ChildFailure::Lost(why)) = failure else {
        panic!("{failure:?}");
    };
    assert!(why.contains("does not read the answers"), "{why}");
}
