//! A game server with an unusual list of tools.

use std::net::TcpStream;

use serde_json::{Value, json};

use zoea_rig::answering::{listen, read_request, respond};
use zoea_rig::{Home, Server, until};

/// An MCP server with these tools, which lives as long as the test's process.
fn serve(tools: &Value) -> String {
    let tools = tools.to_string();
    let address = listen(move |stream| {
        while answer(&stream, &tools).is_some() {}
        None
    });
    format!("http://{address}/mcp")
}

fn answer(stream: &TcpStream, tools: &str) -> Option<()> {
    let (_, body) = read_request(stream)?;
    let asked: Value = serde_json::from_slice(&body).ok()?;
    let result = match asked["method"].as_str()? {
        "initialize" => json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
            "serverInfo": {"name": "odd", "version": "1"}})
        .to_string(),
        "tools/list" => format!("{{\"tools\":{tools}}}"),
        "tools/call" => json!({"content": [{"type": "text", "text": "done"}]}).to_string(),
        _ => return respond(stream, 202, "", ""),
    };
    let id = &asked["id"];
    let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}");
    respond(stream, 200, "content-type: application/json\r\n", body)
}

/// A swarm of `myses` Myses that plays against a server with these tools.
fn playing(myses: usize, tools: &Value) -> (Home, zoea_rig::Process, Server) {
    let pilot = Server::pilot(&[]);
    let home = Home::new();
    home.configure(&pilot.url, &serve(tools), "");
    for number in 0..myses {
        home.ok(&["mysis", "create", &format!("m{number}")]);
    }
    home.ok(&["broadcast", "Mine ore."]);
    let swarm = home.fly(&["--start-swarm"]);
    (home, swarm, pilot)
}

#[test]
fn a_tool_without_a_schema_is_left_out_and_told_once_and_the_others_are_there() {
    let (home, mut swarm, _pilot) = playing(
        3,
        &json!([
            {"name": "mine", "inputSchema": {"type": "object"}},
            {"name": "bare"},
        ]),
    );
    let (mut printed, mut turns) = (0, 0);
    while printed == 0 || turns < 12 {
        let line = swarm.line().expect("the swarm goes on");
        let event: Value = serde_json::from_str(&line).expect("JSON");
        turns += u32::from(event["event"] == "model_replied");
        if event["code"] == "tools_left_out" {
            let text = event["text"].as_str().expect("a text");
            assert!(text.contains("bare (it has no inputSchema)"), "{text}");
            printed += 1;
        }
        assert_ne!(event["code"], "mcp_down", "{event}");
        assert_ne!(event["to"], "errored", "{event}");
    }
    assert_eq!(printed, 1);
    assert_eq!(home.mysis("m0")["mcp"], "ok");
    let doctor = home.run(&["doctor"]);
    let shown = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(
        shown.contains("offers 1 tools; 1 left out: bare"),
        "{shown}"
    );
}

#[test]
fn a_hundred_thousand_tools_keep_nobody_waiting() {
    let tools: Value = (0..100_000)
        .map(|number| json!({"name": format!("t{number}"), "inputSchema": {"type": "object"}}))
        .collect();
    let (home, mut swarm, _pilot) = playing(10, &tools);
    let mut turns = 0;
    while turns < 10 {
        let line = swarm.line().expect("the swarm goes on");
        let event: Value = serde_json::from_str(&line).expect("JSON");
        turns += u32::from(event["event"] == "model_replied");
        assert_ne!(event["to"], "errored", "{event}");
    }
    until("control answers, and the game is there", || {
        (home.mysis("m0")["mcp"] == "ok").then_some(())
    });
}
