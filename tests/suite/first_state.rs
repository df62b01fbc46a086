//! The first that a model sees of the game is what the game answers to the login.

use serde_json::json;
use zoea_rig::{Home, ScriptedReply, ScriptedServer, until};

#[test]
fn the_first_request_after_a_login_tells_what_it_answered() {
    let game = ScriptedServer::game_without_sessions(json!({
        "player": {"username": "rex", "credits": 4242, "current_system": "krynn"},
        "ship": {"fuel": 77, "max_fuel": 100, "cargo_used": 12},
    }));
    let model = ScriptedServer::start("/v1", |request| {
        let text = request.body.to_string();
        let message = match text.contains("0123456789") || text.contains("krynn") {
            true => json!({"role": "assistant", "content": "I see."}),
            false => json!({"role": "assistant", "content": null, "tool_calls": [{
                "id": "c1", "type": "function",
                "function": {"name": "register", "arguments": "{\"username\": \"rex\"}"}}]}),
        };
        ScriptedReply::json(&json!({
            "id": "c", "object": "chat.completion", "model": "pilot",
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
        }))
    });
    let home = Home::new();
    home.configure(&model.url, &game.url, "");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["broadcast", "Mine ore."]);
    let swarm = home.fly(&["--start-swarm"]);
    // A request that is under way at the kill would be taken for the first one after it.
    until("it has an account, and its turn is over", || {
        let mysis = home.mysis("alpha");
        (mysis["account"].is_string() && mysis["turns"] != 0).then_some(())
    });
    swarm.signal("-KILL");
    swarm.wait();
    let asked = model.requests().len();
    let _again = home.fly(&["--resume"]);
    let first = until("it is asked again", || model.requests().get(asked).cloned());
    let text = first.body.to_string();
    for printed in ["login (", "4242", "krynn", "77"] {
        assert!(text.contains(printed), "{printed} in {text}");
    }
    assert!(!text.contains("0123456789abcdef"), "no password");
    // So do the operator's figures, before any tool was called.
    let mysis = until("the figures tell of the login", || {
        let mysis = home.mysis("alpha");
        mysis.to_string().contains("4242").then_some(mysis)
    });
    for printed in ["\"system\":\"krynn\"", "\"fuel\":77", "\"cargo\":12"] {
        assert!(mysis.to_string().contains(printed), "{printed} in {mysis}");
    }
}
