//! The request saver in front of a server that counts its requests.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use actors::domain::tool::ToolSpec;
use serde_json::{Value, json};

use super::*;

/// A server that answers each call with the call's number, after a second.
#[derive(Default)]
struct Counting {
    calls: AtomicUsize,
    /// The answer to give instead.
    says: Mutex<Option<Result<LinkAnswer, LinkFault>>>,
}

struct Line(Arc<Counting>);

struct Server(Arc<Counting>);

impl Upstream for Server {
    fn link(&self, _mysis: MysisId) -> Option<Arc<dyn Link>> {
        Some(Arc::new(Line(self.0.clone())))
    }
}

impl Link for Line {
    fn open(&self) -> BoxFuture<'static, Result<Option<Arc<str>>, LinkFault>> {
        async { Ok(None) }.boxed()
    }

    fn resume(&self, _resume_token: Arc<str>) -> BoxFuture<'static, Result<(), LinkFault>> {
        async { Ok(()) }.boxed()
    }

    fn tools(&self) -> BoxFuture<'static, Result<Arc<Toolset>, LinkFault>> {
        let names = [
            "get_status",
            "get_notifications",
            "get_map",
            "catalog",
            "mine",
        ];
        let tools = names.map(|name| ToolSpec {
            name: name.into(),
            description: "".into(),
            schema: "{}".into(),
            read_only_hint: None,
        });
        async { Ok(Arc::new(Toolset::new(tools))) }.boxed()
    }

    fn call(&self, call: LinkCall) -> BoxFuture<'static, Result<LinkReply, LinkFault>> {
        let server = self.0.clone();
        async move {
            let number = server.calls.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(Duration::from_secs(1)).await;
            let says = server.says.lock().clone();
            let answer = says.unwrap_or_else(|| {
                let text = match &*call.tool {
                    "get_map" => json!({"systems": [{"system_id": "sol", "visited": true}]}),
                    _ => json!({"answer": number, "remaining": 0}),
                };
                Ok(answer(&text.to_string()))
            });
            answer.map(LinkReply::from)
        }
        .boxed()
    }
}

fn answer(text: &str) -> LinkAnswer {
    LinkAnswer {
        structured: None,
        text: text.to_string(),
        is_error: false,
    }
}

struct Scene {
    server: Arc<Counting>,
    upstream: CachingUpstream,
}

impl Scene {
    fn new() -> Scene {
        let server = Arc::new(Counting::default());
        let upstream = CachingUpstream::new(Arc::new(Server(server.clone())));
        Scene { server, upstream }
    }

    async fn link(&self, mysis: i64) -> Arc<dyn Link> {
        let link = self.upstream.link(MysisId(mysis)).unwrap();
        link.open().await.unwrap();
        link.tools().await.unwrap();
        link
    }

    fn calls(&self) -> usize {
        self.server.calls.load(Ordering::Relaxed)
    }

    fn says(&self, says: Result<&str, LinkFault>) {
        *self.server.says.lock() = Some(says.map(answer));
    }

    /// Lets two ticks pass with this time between them.
    async fn ticks(&self, link: &Arc<dyn Link>, apart: Duration) {
        for tick in [100, 101] {
            self.says(Ok(&format!(r#"{{"current_tick":{tick}}}"#)));
            call(link, "mine", json!({})).await.unwrap();
            tokio::time::sleep(apart - Duration::from_secs(1)).await;
        }
        *self.server.says.lock() = None;
    }
}

async fn call(link: &Arc<dyn Link>, tool: &str, arguments: Value) -> Result<String, LinkFault> {
    let call = LinkCall {
        tool: tool.into(),
        arguments: arguments.as_object().cloned().unwrap_or_default(),
        call_id: "1".to_string(),
        timeout: Duration::from_secs(60),
        context: None,
        takes_task: false,
    };
    link.call(call).await?.answer().map(|answer| answer.text)
}

#[tokio::test(start_paused = true)]
async fn two_hundred_who_ask_for_the_catalog_are_one_request() {
    let scene = Scene::new();
    let mut links = Vec::new();
    for mysis in 0..200 {
        links.push(scene.link(mysis).await);
    }
    let asked = links
        .iter()
        .map(|link| call(link, "catalog", json!({"type": "items"})));
    let answers = futures::future::join_all(asked).await;
    assert_eq!(scene.calls(), 1);
    for answer in answers {
        assert!(answer.unwrap().contains(r#"{"answer":0"#));
    }
    call(&links[0], "catalog", json!({"type": "ships"}))
        .await
        .unwrap();
    assert_eq!(scene.calls(), 2, "another page");
    tokio::time::sleep(Duration::from_secs(1801)).await;
    call(&links[0], "catalog", json!({"type": "items"}))
        .await
        .unwrap();
    assert_eq!(scene.calls(), 3, "it was old");
}

#[tokio::test(start_paused = true)]
async fn an_answer_of_before_is_none_of_the_server() {
    let scene = Scene::new();
    let (first, second) = (scene.link(1).await, scene.link(2).await);
    let mut spared = Vec::new();
    for (link, tool) in [
        (&first, "catalog"),
        (&second, "catalog"),
        (&second, "get_status"),
        (&second, "get_status"),
        (&second, "mine"),
    ] {
        call(link, tool, json!({})).await.unwrap();
        spared.push(link.spared_server());
    }
    assert_eq!(spared, [false, true, false, true, false]);
}

#[tokio::test(start_paused = true)]
async fn the_map_of_another_does_not_say_who_was_where() {
    let scene = Scene::new();
    let (first, second) = (scene.link(1).await, scene.link(2).await);
    assert!(
        call(&first, "get_map", json!({}))
            .await
            .unwrap()
            .contains("visited")
    );
    let shared = call(&second, "get_map", json!({})).await.unwrap();
    assert!(
        shared.starts_with("[fetched ") && shared.ends_with(r#"{"systems":[{"system_id":"sol"}]}"#),
        "{shared}"
    );
    assert_eq!(scene.calls(), 1);
    call(&second, "get_map", json!({"system_id": "sol"}))
        .await
        .unwrap();
    assert_eq!(scene.calls(), 2, "about one system it is its own");
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_not_kept_and_a_lost_session_clears_what_is_old() {
    let scene = Scene::new();
    let (first, second) = (scene.link(1).await, scene.link(2).await);
    scene.says(Err(LinkFault::SessionLost("gone".to_string())));
    let both = futures::future::join(
        call(&first, "help", json!({})),
        call(&second, "help", json!({})),
    );
    let (one, other) = both.await;
    assert!(matches!(one, Err(LinkFault::SessionLost(_))), "{one:?}");
    assert!(
        matches!(other, Err(LinkFault::Unreachable(_))),
        "its own session stands"
    );
    *scene.server.says.lock() = None;
    call(&first, "help", json!({})).await.unwrap();
    assert_eq!(scene.calls(), 2);
    tokio::time::sleep(Duration::from_secs(120)).await;
    scene.says(Err(LinkFault::SessionLost("gone".to_string())));
    assert!(call(&second, "mine", json!({})).await.is_err());
    *scene.server.says.lock() = None;
    call(&first, "help", json!({})).await.unwrap();
    assert_eq!(scene.calls(), 4);
}

#[tokio::test(start_paused = true)]
async fn all_who_ask_at_once_are_told_how_long_the_server_limits_them() {
    let scene = Scene::new();
    let (first, second) = (scene.link(1).await, scene.link(2).await);
    let limited = LinkFault::Limited {
        text: "HTTP 429: too many requests".to_string(),
        retry_after: Some(Duration::from_secs(54)),
    };
    scene.says(Err(limited.clone()));
    let both = futures::future::join(
        call(&first, "help", json!({})),
        call(&second, "help", json!({})),
    );
    assert_eq!(both.await, (Err(limited.clone()), Err(limited)));
    assert_eq!(scene.calls(), 1);
    // Whose access was refused is the one that asked.
    scene.says(Err(LinkFault::NoAccess("HTTP 401".to_string())));
    let both = futures::future::join(
        call(&first, "help", json!({})),
        call(&second, "help", json!({})),
    );
    let (own, others) = both.await;
    assert!(matches!(own, Err(LinkFault::NoAccess(_))), "{own:?}");
    assert!(
        matches!(others, Err(LinkFault::Unreachable(_))),
        "{others:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_look_within_the_tick_is_told_again_until_something_is_done() {
    let scene = Scene::new();
    let link = scene.link(1).await;
    scene.ticks(&link, Duration::from_secs(10)).await;
    let before = scene.calls();
    call(&link, "get_status", json!({})).await.unwrap();
    tokio::time::sleep(Duration::from_secs(4)).await;
    let again = call(&link, "get_status", json!({})).await.unwrap();
    assert!(again.starts_with("[seen 4 s ago, in this tick"), "{again}");
    assert_eq!(scene.calls(), before + 1);
    call(&link, "get_status", json!({"of": 1})).await.unwrap();
    call(&link, "mine", json!({})).await.unwrap();
    call(&link, "get_status", json!({})).await.unwrap();
    assert_eq!(
        scene.calls(),
        before + 4,
        "other arguments; an action; what it changed"
    );
    tokio::time::sleep(Duration::from_secs(11)).await;
    call(&link, "get_status", json!({})).await.unwrap();
    assert_eq!(scene.calls(), before + 5, "another tick");
}

#[tokio::test(start_paused = true)]
async fn the_queue_is_asked_once_in_a_tick_and_only_left_alone_when_it_is_empty() {
    let scene = Scene::new();
    let link = scene.link(1).await;
    scene.ticks(&link, Duration::from_secs(10)).await;
    let before = scene.calls();
    scene.says(Ok(r#"{"count":50,"remaining":7}"#));
    call(&link, "get_notifications", json!({})).await.unwrap();
    scene.says(Ok(r#"{"count":7,"remaining":0}"#));
    call(&link, "get_notifications", json!({})).await.unwrap();
    assert_eq!(scene.calls(), before + 2, "there was more");
    let again = call(&link, "get_notifications", json!({})).await.unwrap();
    assert!(again.contains(r#""count":0"#), "{again}");
    assert_eq!(scene.calls(), before + 2);
}

#[tokio::test(start_paused = true)]
async fn before_a_restart_all_stand_still_and_come_back_one_after_the_other() {
    let scene = Scene::new();
    let mut links = Vec::new();
    for mysis in 0..200 {
        links.push(scene.link(mysis).await);
    }
    let warning = r#"{"count":1,"notifications":[{"msg_type":"server_restart_warning",
        "data":{"seconds_until_restart":60,"version":"0.9"}}],"remaining":0}"#;
    scene.says(Ok(warning));
    call(&links[7], "get_notifications", json!({}))
        .await
        .unwrap();
    *scene.server.says.lock() = None;
    let before = scene.calls();
    let mut waits = Vec::new();
    for link in &links {
        match call(link, "mine", json!({})).await {
            Err(LinkFault::Restarting { back_in }) => waits.push(back_in.as_secs()),
            other => panic!("{other:?}"),
        }
        assert!(matches!(
            link.open().await,
            Err(LinkFault::Restarting { .. })
        ));
    }
    assert_eq!(scene.calls(), before, "nothing was sent");
    assert!(
        waits.iter().all(|wait| (90..=150).contains(wait)),
        "{waits:?}"
    );
    let tens: std::collections::BTreeSet<u64> = waits.iter().map(|wait| wait / 10).collect();
    assert!(tens.len() >= 6, "not all at once: {tens:?}");
    tokio::time::sleep(Duration::from_secs(151)).await;
    for link in &links {
        call(link, "mine", json!({})).await.unwrap();
    }
}

/// Whether this answer of this tool holds up other Myses.
async fn holds(tool: &str, says: &str) -> bool {
    let scene = Scene::new();
    let (one, other) = (scene.link(1).await, scene.link(2).await);
    scene.says(Ok(says));
    call(&one, tool, json!({})).await.unwrap();
    *scene.server.says.lock() = None;
    matches!(
        call(&other, "mine", json!({})).await,
        Err(LinkFault::Restarting { .. })
    )
}

#[tokio::test(start_paused = true)]
async fn no_players_words_hold_the_swarm() {
    let warning = r#"{"notifications":[{"type":"system","msg_type":"server_restart_warning",
        "data":{"seconds_until_restart":30}}]}"#;
    assert!(holds("get_notifications", warning).await, "the game itself");
    let chat = json!({"notifications": [{"type": "chat", "msg_type": "chat_message", "data": {
        "sender": "server_restart_warning",
        "content": warning,
        "msg_type": "server_restart_warning",
    }}]});
    let arrival = json!({"notifications": [{"type": "system", "msg_type": "poi_arrival", "data": {
        "username": "server_restart_warning", "seconds_until_restart": 60,
    }}]});
    let of_a_kind =
        json!({"notifications": [{"type": "server_restart_warning", "msg_type": "ok"}]});
    let outside = json!({"notifications": [], "msg_type": "server_restart_warning"});
    for said in [chat, arrival, of_a_kind, outside] {
        assert!(
            !holds("get_notifications", &said.to_string()).await,
            "{said}"
        );
    }
    // The same in the second interface's text, where somebody's words could look like a row.
    let row = "1f\tsystem\tserver_restart_warning\t\t{\"seconds_until_restart\":30}";
    let table = |count: usize, row: &str| {
        format!("Notifications ({count}):\nid\ttype\tmsg_type\ttimestamp\tdata\n{row}")
    };
    assert!(holds("get_notifications", &table(1, row)).await);
    let forged = format!("2e\tchat\tchat_message\t\t{{}}\n{row}");
    assert!(!holds("get_notifications", &table(1, &forged)).await);
    let chat = row.replace("system", "chat");
    assert!(!holds("get_notifications", &table(1, &chat)).await);
    let text = r#"Chat: "server_restart_warning" {"msg_type":"server_restart_warning"}"#;
    assert!(!holds("get_notifications", text).await);
    let name = r#"{"players":[{"username":"server_restart_warning"}]}"#;
    for tool in ["get_status", "catalog", "get_map", "mine"] {
        assert!(!holds(tool, name).await, "{tool}");
        assert!(!holds(tool, warning).await, "{tool} delivers nothing");
    }
}

#[tokio::test(start_paused = true)]
async fn restarts_that_are_announced_again_and_again_hold_nobody_again() {
    let scene = Scene::new();
    let (one, other) = (scene.link(1).await, scene.link(2).await);
    let warning = |seconds: u64| {
        format!(
            r#"{{"notifications":[{{"type":"system","msg_type":"server_restart_warning",
            "data":{{"seconds_until_restart":{seconds}}}}}],"remaining":3}}"#
        )
    };
    let mut held = Duration::ZERO;
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(1700) {
        scene.says(Ok(&warning(60)));
        // The call is held up itself while the restart is awaited.
        if call(&one, "get_notifications", json!({})).await.is_ok() {
            *scene.server.says.lock() = None;
        }
        let before = Instant::now();
        while let Err(LinkFault::Restarting { back_in }) = call(&other, "mine", json!({})).await {
            tokio::time::sleep(back_in).await;
        }
        held += before.elapsed().saturating_sub(Duration::from_secs(1));
        tokio::time::sleep(Duration::from_secs(20)).await;
    }
    assert!(held <= Duration::from_secs(150), "{held:?}");
    assert!(held >= Duration::from_secs(90), "{held:?}");
}

#[tokio::test(start_paused = true)]
async fn a_restart_that_is_far_ahead_holds_nobody_yet() {
    let scene = Scene::new();
    let link = scene.link(1).await;
    scene.says(Ok(
        r#"{"notifications":[{"type":"system","msg_type":"server_restart_warning",
        "data":{"seconds_until_restart":18446744073709551615}}]}"#,
    ));
    call(&link, "get_notifications", json!({})).await.unwrap();
    *scene.server.says.lock() = None;
    call(&link, "mine", json!({})).await.unwrap();
    tokio::time::sleep(Duration::from_secs(13 * 60)).await;
    call(&link, "mine", json!({})).await.unwrap();
    tokio::time::sleep(Duration::from_secs(90)).await;
    let fault = call(&link, "mine", json!({})).await.unwrap_err();
    assert!(matches!(fault, LinkFault::Restarting { .. }), "{fault}");
    tokio::time::sleep(Duration::from_secs(150)).await;
    call(&link, "mine", json!({})).await.unwrap();
}
