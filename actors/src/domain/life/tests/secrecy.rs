//! Secrets in any text of servers and models: none gets into a row, an event or a request.

use super::*;

const SECRET: &str = "sesame-sesame";

fn scene() -> Scene {
    let mut scene = Scene::of(RestoreArgs {
        redactor: Arc::new(Redactor::new([SECRET.into()])),
        ..past()
    });
    let tools = ["mine", "login", "register"].map(|name| ToolSpec {
        name: name.into(),
        description: format!("it knows {SECRET}").into(),
        schema: "{}".into(),
        read_only_hint: None,
    });
    scene.link(LinkState::Ok, Arc::new(Toolset::new(tools)));
    scene
}

fn everything(scene: &Scene) -> String {
    format!("{:?} {:?}", scene.effects, scene.life.status())
}

#[test]
fn every_text_of_an_answer_loses_its_secrets() {
    let mut scene = scene();
    scene.prompt("go");
    let say = |place: &str| format!("{place}:{SECRET}");
    scene.reply(ModelAnswer {
        text: say("text"),
        reasoning: Some(say("reasoning")),
        calls: vec![
            RequestedCall {
                id: say("id"),
                name: say("name"),
                arguments: format!(r#"{{"{SECRET}":"sesame%2Dsesame"}}"#),
            },
            RequestedCall {
                id: SECRET.to_string(),
                name: "mine".to_string(),
                arguments: "{}".to_string(),
            },
        ],
        finish_reason: Some(say("reason")),
        model: Some(say("model")),
        ..ModelAnswer::default()
    });
    scene.leave();
    scene.give_back(&say("result"));
    scene.fail(ModelFault::Permanent { text: say("fault") });
    let everything = everything(&scene);
    assert!(!everything.contains("sesame"), "{everything}");
    for place in [
        "text",
        "reasoning",
        "id",
        "name",
        "reason",
        "model",
        "result",
        "fault",
    ] {
        let clean = format!("{place}:[redacted]");
        assert!(everything.contains(&clean), "{place}");
    }
}

#[test]
fn a_result_that_was_only_redacted_is_not_called_cut() {
    let mut scene = scene();
    scene.prompt("go");
    scene.want(&[("mine", "{}")]);
    scene.leave();
    scene.give_back(&format!("your password is {SECRET}, {SECRET}{SECRET}"));
    let ChatMessage::Tool { text, .. } = scene.last_message() else {
        panic!("the result is sent")
    };
    assert_eq!(&*text, "your password is [redacted], [redacted][redacted]");
    let rows = scene.rows();
    let (_, text, meta) = rows.iter().find_map(|row| row.result()).expect("a result");
    assert_eq!(meta.bytes, text.len() as u64);
}

#[test]
fn a_password_that_the_model_makes_up_for_login_is_kept_nowhere() {
    let mut scene = scene();
    scene.prompt("go");
    let made_up = "correct-horse-1";
    scene.reply(ModelAnswer {
        text: format!("I log in with {made_up}."),
        reasoning: Some(format!("It was {made_up}, I think.")),
        calls: vec![RequestedCall {
            id: "a".to_string(),
            name: "functions.login".to_string(),
            arguments: format!(r#"{{"username":"Quill","password":"{made_up}"}}"#),
        }],
        ..ModelAnswer::default()
    });
    let everything = everything(&scene);
    assert!(!everything.contains(made_up), "{everything}");
    let arguments = r#"{"username":"Quill","password":"[redacted]"}"#;
    assert_eq!(&*scene.call().arguments, arguments);
}

#[test]
fn an_operators_orders_lose_their_secrets() {
    let mut scene = scene();
    let change = ProfileChange {
        model: Some(Some(format!("model:{SECRET}").into())),
        ..ProfileChange::default()
    };
    scene.order(MysisOrder::Configure(change));
    scene.order(MysisOrder::Note(format!("note:{SECRET}").into()));
    scene.prompt(&format!("prompt:{SECRET}"));
    let everything = everything(&scene);
    assert!(!everything.contains("sesame"), "{everything}");
    for place in ["model", "note", "prompt"] {
        let clean = format!("{place}:[redacted]");
        assert!(everything.contains(&clean), "{place}");
    }
}
