//! Texts that a model's server refuses and that stand in no row of others: what a game answers to the
//! login, and the model's own words.

use serde_json::{Value, json};

use zoea_rig::{Home, ScriptedReply, ScriptedRequest, ScriptedServer, until};

/// A game whose player has a motto that is refused.
fn game() -> ScriptedServer {
    let player = json!({"player": {"credits": 4242, "motto": "POISON"}});
    ScriptedServer::game_without_sessions(player)
}

fn is_refused(request: &ScriptedRequest) -> bool {
    request.body.to_string().contains("POISON")
}

/// A model that does this, and whose server refuses each request with the poison in it.
fn model(
    wanted: impl Fn(&str) -> Option<(&'static str, Value)> + Send + Sync + 'static,
) -> ScriptedServer {
    ScriptedServer::start("/v1", move |request| match is_refused(request) {
        true => ScriptedReply::json(&json!({"error": {"message": "Content Exists Risk"}}))
            .with_status(400),
        false => request.calling(wanted(&request.body.to_string())),
    })
}

fn refused(model: &ScriptedServer) -> usize {
    model
        .requests()
        .iter()
        .filter(|one| is_refused(one))
        .count()
}

/// Waits until the Mysis was refused and is served again, and asserts what that has cost.
fn assert_plays_on(home: &Home, model: &ScriptedServer) {
    until("it was refused, and is served again", || {
        let requests = model.requests();
        let last = requests.iter().rposition(is_refused)?;
        (requests.len() > last + 1).then_some(())
    });
    let count = refused(model);
    assert!(count <= 4, "{count} requests were refused");
    assert_eq!(home.mysis("alpha")["state"], "running");
    let held = home.json(&["held", "--json"]);
    assert_eq!(held.as_array().map(Vec::len), Some(1), "{held}");
    assert!(held[0]["text"].to_string().contains("POISON"), "{held}");
}

#[test]
fn what_the_login_answers_is_left_out_where_the_models_server_refuses_it_also_after_a_kill() {
    let game = game();
    let model = model(|text| match text.contains("Game account: rex") {
        true => Some(("mine", json!({}))),
        false => Some(("register", json!({"username": "rex"}))),
    });
    let home = Home::new();
    home.configure(&model.url, &game.url, "");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["broadcast", "Mine ore."]);
    let swarm = home.fly(&["--start-swarm"]);
    until("it has an account", || {
        home.mysis("alpha")["account"].is_string().then_some(())
    });
    swarm.signal("-KILL");
    swarm.wait();
    let again = home.fly(&["--resume"]);
    assert_plays_on(&home, &model);
    again.signal("-KILL");
    again.wait();
    let (asked, before) = (model.requests().len(), refused(&model));
    let _third = home.fly(&["--resume"]);
    until("it plays", || {
        (model.requests().len() > asked + 3).then_some(())
    });
    assert_eq!(refused(&model), before, "it is known after a kill");
}

#[test]
fn what_the_model_says_itself_is_left_out_where_its_own_server_refuses_it() {
    let game = game();
    let model = model(|text| {
        let is_order = text.contains("greet Rex") && !text.contains("\"role\":\"tool\"");
        is_order.then(|| ("say", json!({"text": "POISON to you"})))
    });
    let home = Home::new();
    home.configure(&model.url, &game.url, "");
    home.ok(&["mysis", "create", "alpha"]);
    let _swarm = home.fly(&["--start-swarm"]);
    home.ok(&["send", "alpha", "greet Rex"]);
    until("it was refused", || (refused(&model) > 0).then_some(()));
    home.ok(&["send", "alpha", "and now rest"]);
    assert_plays_on(&home, &model);
    let said = game.requests().into_iter();
    let said = said.filter(|request| request.called() == Some("say"));
    assert_eq!(said.count(), 1, "it is said once");
}
