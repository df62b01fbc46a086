//! Tests of sessions, limits and records, through the frontend's public functions.

use super::*;
use crate::limits::RateAllowance;

const SECOND: Duration = Duration::from_secs(1);

fn frontend(limits: GalaxyLimits, session_rules: SessionRules) -> Frontend {
    let rules = WorldRules::new(1);
    Frontend::new(World::new(rules.clone()), &rules, limits, session_rules)
}

fn plain() -> Frontend {
    frontend(GalaxyLimits::NONE, SessionRules::default())
}

fn call(tool: &str, arguments: Value) -> GameCall {
    let Value::Object(arguments) = arguments else {
        panic!("arguments are an object")
    };
    GameCall {
        tool: tool.to_owned(),
        arguments,
        name: None,
    }
}

fn answer(served: ServedCall) -> GameAnswer {
    match served.reply {
        CallReply::Now(answer) => answer,
        CallReply::Later(_) => panic!("answered later"),
    }
}

fn code(served: ServedCall) -> &'static str {
    answer(served).unwrap_err().code
}

fn register(frontend: &mut Frontend, connection: ConnectionId, name: &str) -> Value {
    let arguments = json!({ "username": name, "empire": "solarian", "registration_code": "CODE" });
    answer(frontend.serve_call(connection, call("register", arguments), SECOND)).unwrap()
}

#[test]
fn a_call_goes_by_its_session_id_or_else_by_its_connection() {
    let mut frontend = plain();
    let welcome = register(&mut frontend, 1, "Ann");
    let status = || call("get_status", json!({}));
    assert!(answer(frontend.serve_call(1, status(), SECOND)).is_ok());
    assert_eq!(
        code(frontend.serve_call(2, status(), SECOND)),
        "session_required"
    );
    let right = json!({ "session_id": welcome["session_id"] });
    assert!(answer(frontend.serve_call(2, call("get_status", right), SECOND)).is_ok());
    for wrong in [json!("your_session_id"), json!(""), json!(7)] {
        let wrong = json!({ "session_id": wrong });
        assert_eq!(
            code(frontend.serve_call(1, call("get_status", wrong), SECOND)),
            "session_invalid"
        );
    }
}

#[test]
fn the_session_argument_can_be_required() {
    let rules = SessionRules {
        needs_argument: true,
        ..SessionRules::default()
    };
    let mut frontend = frontend(GalaxyLimits::NONE, rules);
    let welcome = register(&mut frontend, 1, "Ann");
    assert_eq!(
        code(frontend.serve_call(1, call("get_status", json!({})), SECOND)),
        "session_required"
    );
    let right = json!({ "session_id": welcome["session_id"], "target_poi": "main_belt" });
    let reply = frontend.serve_call(1, call("travel", right), SECOND).reply;
    assert!(
        matches!(reply, CallReply::Later(_)),
        "the argument is not the command's own"
    );
}

#[test]
fn a_new_login_displaces_the_older_one() {
    let mut frontend = plain();
    let welcome = register(&mut frontend, 1, "Ann");
    let login = call(
        "login",
        json!({ "username": "Ann", "password": welcome["password"] }),
    );
    let back = answer(frontend.serve_call(2, login, SECOND)).unwrap();
    assert_ne!(back["session_id"], welcome["session_id"]);
    let status = || call("get_status", json!({}));
    assert_eq!(
        code(frontend.serve_call(1, status(), SECOND)),
        "session_invalid"
    );
    assert!(answer(frontend.serve_call(2, status(), SECOND)).is_ok());
}

#[test]
fn idle_logins_expire_and_used_ones_do_not() {
    let mut frontend = plain();
    register(&mut frontend, 1, "Ann");
    register(&mut frontend, 2, "Ben");
    let status = || call("get_status", json!({}));
    let half = Duration::from_secs(15 * 60);
    assert!(answer(frontend.serve_call(1, status(), half)).is_ok());
    let later = frontend.sweep(half * 2 + SECOND);
    assert_eq!(later.len(), 1, "Ben was idle for 30 minutes: {later:?}");
    assert_eq!(later[0].order.command, "logout");
    assert_eq!(
        code(frontend.serve_call(2, status(), half * 2 + SECOND)),
        "session_invalid"
    );
    assert!(answer(frontend.serve_call(1, status(), half * 2 + SECOND)).is_ok());
    let expired = frontend.serve_call(1, status(), half * 5);
    assert_eq!(expired.records[0].order.command, "logout");
    assert_eq!(code(expired), "session_invalid");
    assert_eq!(frontend.world().online(), 0);
}

#[test]
fn hanging_up_and_logging_out_end_the_login() {
    let mut frontend = plain();
    register(&mut frontend, 1, "Ann");
    register(&mut frontend, 2, "Ben");
    assert_eq!(frontend.disconnect(1).len(), 1);
    assert_eq!(frontend.disconnect(1).len(), 0);
    let goodbye = answer(frontend.serve_call(2, call("logout", json!({})), SECOND)).unwrap();
    assert_eq!(goodbye["message"], "Logged out successfully");
    assert_eq!(
        code(frontend.serve_call(2, call("mine", json!({})), SECOND)),
        "session_invalid"
    );
    assert_eq!(frontend.world().online(), 0);
}

#[test]
fn each_kind_of_call_has_its_limit() {
    let mut frontend = frontend(
        GalaxyLimits {
            queries: RateAllowance::PerMinute(3),
            chats: RateAllowance::PerMinute(1),
            ..GalaxyLimits::NONE
        },
        SessionRules::default(),
    );
    register(&mut frontend, 1, "Ann");
    let status = || call("get_status", json!({}));
    for _ in 0..3 {
        assert!(answer(frontend.serve_call(1, status(), SECOND)).is_ok());
    }
    let refusal = answer(frontend.serve_call(1, status(), 11 * SECOND)).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "rate_limited: Too many requests. Please slow down. Retry in 50 seconds."
    );
    let hello = || call("chat", json!({ "channel": "system", "content": "hello" }));
    assert!(answer(frontend.serve_call(1, hello(), SECOND)).is_ok());
    assert_eq!(
        code(frontend.serve_call(1, hello(), SECOND)),
        "rate_limited"
    );
    assert!(answer(frontend.serve_call(1, status(), 62 * SECOND)).is_ok());
}

#[test]
fn what_changes_the_world_is_recorded_without_secrets() {
    let mut frontend = plain();
    let welcome = register(&mut frontend, 1, "Ann");
    let login = json!({ "username": "Ann", "password": welcome["password"] });
    let login = frontend.serve_call(1, call("login", login), SECOND);
    assert_eq!(login.records[0].order.command, "login");
    assert!(login.records[0].order.arguments.is_empty());
    let session = answer(login).unwrap()["session_id"].clone();
    assert!(
        frontend
            .serve_call(1, call("get_status", json!({})), SECOND)
            .records
            .is_empty()
    );
    let entry = json!({ "entry": "hello", "session_id": session });
    let log = frontend.serve_call(1, call("captains_log_add", entry), SECOND);
    assert_eq!(
        Value::Object(log.records[0].order.arguments.clone()),
        json!({ "entry": "hello" })
    );
    let mut mine = call("mine", json!({}));
    mine.name = Some("call-7".to_owned());
    assert!(
        frontend.serve_call(1, mine, SECOND).records.is_empty(),
        "not before its tick"
    );
    frontend.tick();
    let ticked = frontend.tick();
    assert_eq!(ticked.records[0].failed, Some("no_resources"));
    assert_eq!(ticked.records[0].order.call.as_deref(), Some("call-7"));
    assert_eq!(ticked.records[0].tick, frontend.world().now());
}

#[test]
fn what_needs_no_login_is_answered_to_strangers() {
    let mut frontend = plain();
    for tool in [
        "help",
        "get_commands",
        "get_version",
        "get_guide",
        "session",
        "forum_list",
    ] {
        assert!(
            answer(frontend.serve_call(9, call(tool, json!({})), SECOND)).is_ok(),
            "{tool}"
        );
    }
    assert_eq!(
        code(frontend.serve_call(9, call("commentary", json!({})), SECOND)),
        "unknown_command"
    );
}
