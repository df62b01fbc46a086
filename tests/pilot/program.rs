//! The program `zoea pilot`: its output, its end, its refusals.

use std::process::{ExitStatus, Stdio};

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::served::LIMIT;

fn pilot(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_zoea"))
        .arg("pilot")
        .args(["--addr", "127.0.0.1:0"])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

async fn ended(child: &mut Child) -> ExitStatus {
    tokio::time::timeout(LIMIT, child.wait())
        .await
        .unwrap()
        .unwrap()
}

#[tokio::test]
async fn it_says_where_it_listens_and_stops_in_good_order() {
    for signal in ["-TERM", "-INT"] {
        let mut child = pilot(&["--seed", "9"]);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = tokio::time::timeout(LIMIT, lines.next_line())
            .await
            .unwrap()
            .unwrap()
            .unwrap();
        let address = line
            .strip_prefix("pilot listening on http://")
            .and_then(|rest| rest.strip_suffix("/v1 (seed 9)"))
            .unwrap();
        // The server is ready when it accepts a connection.
        tokio::net::TcpStream::connect(address).await.unwrap();
        let process = child.id().unwrap().to_string();
        Command::new("sh")
            .args(["-c", r#"kill "$0" "$1""#, signal, &process])
            .status()
            .await
            .unwrap();
        assert_eq!(ended(&mut child).await.code(), Some(0), "{signal}");
        assert_eq!(lines.next_line().await.unwrap(), None);
    }
}

#[tokio::test]
async fn it_fails_before_it_says_that_it_listens() {
    for (arguments, status, reason) in [
        (
            &["--record", "/no/such/folder/record"][..],
            1,
            "error: open record /no/such/folder/record",
        ),
        (
            &["--fault", "http-418"],
            2,
            "there is no fault `http-418`; there are http-429",
        ),
        (
            &["--persona", "hero"],
            2,
            "`hero` is not a persona; personas are steady",
        ),
        (&["--nonsense", "3"], 2, "`3` is not a probability"),
    ] {
        let output = pilot(arguments).wait_with_output().await.unwrap();
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains(reason), "{error}");
    }
}
