//! Tests of serving, over real sockets.

use axum::routing::get;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_util::task::AbortOnDropHandle;

use super::*;

const USUAL: AcceptLimits = AcceptLimits {
    max_strangers: 4,
    stranger_time: None,
    head_time: Duration::from_secs(60),
};

struct Port {
    address: std::net::SocketAddr,
    stop: CancellationToken,
    serving: AbortOnDropHandle<()>,
}

/// Serves `/`, and `/in`, which authenticates its connection.
async fn open(limits: AcceptLimits) -> Port {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let admit = |accepted_connection: axum::Extension<AcceptedConnection>| async move {
        accepted_connection.admit();
        "in"
    };
    let router = Router::new()
        .route("/", get(|| async { "here" }))
        .route("/in", get(admit));
    let stop = CancellationToken::new();
    let serving = tokio::spawn(serve(listener, router, limits, stop.clone()));
    Port {
        address,
        stop,
        serving: AbortOnDropHandle::new(serving),
    }
}

impl Port {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address)
            .await
            .expect("a connection")
    }
}

async fn ask(connection: &mut TcpStream, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    connection
        .write_all(request.as_bytes())
        .await
        .expect("the request leaves");
    let mut answer = Vec::new();
    while !answer.ends_with(b"here") && !answer.ends_with(b"in") {
        let mut piece = [0; 1024];
        let read = connection.read(&mut piece).await.expect("an answer");
        assert!(read > 0, "cut off");
        answer.extend_from_slice(&piece[..read]);
    }
    String::from_utf8(answer).expect("text")
}

/// Waits until the other side closes the connection.
async fn closed(connection: &mut TcpStream) {
    let mut piece = [0; 1024];
    let read = async {
        // A reset is an end too.
        while connection.read(&mut piece).await.is_ok_and(|read| read > 0) {}
    };
    let waited = tokio::time::timeout(Duration::from_secs(30), read).await;
    waited.expect("it is closed");
}

#[tokio::test]
async fn idle_strangers_make_room_for_whoever_comes() {
    let port = open(USUAL).await;
    let mut owner = port.connect().await;
    assert!(ask(&mut owner, "/in").await.ends_with("in"));
    let mut idle = Vec::new();
    for _ in 0..300 {
        idle.push(port.connect().await);
    }
    let mut late = port.connect().await;
    assert!(ask(&mut late, "/").await.ends_with("here"));
    for stranger in &mut idle[..290] {
        closed(stranger).await;
    }
    assert!(
        ask(&mut owner, "/").await.ends_with("here"),
        "the owner stays"
    );
}

#[tokio::test]
async fn a_stranger_does_not_stay_and_the_owner_does() {
    let time = Duration::from_millis(200);
    let port = open(AcceptLimits {
        stranger_time: Some(time),
        ..USUAL
    })
    .await;
    let (mut owner, mut stranger) = (port.connect().await, port.connect().await);
    assert!(ask(&mut owner, "/in").await.ends_with("in"));
    assert!(ask(&mut stranger, "/").await.ends_with("here"));
    closed(&mut stranger).await;
    assert!(ask(&mut owner, "/").await.ends_with("here"));
}

#[tokio::test]
async fn the_head_of_a_request_does_not_take_for_ever() {
    let port = open(AcceptLimits {
        head_time: Duration::from_millis(200),
        ..USUAL
    })
    .await;
    let mut slow = port.connect().await;
    let begun = slow.write_all(b"GET / HTTP/1.1\r\nHost: local").await;
    begun.expect("it leaves");
    closed(&mut slow).await;
    let mut silent = port.connect().await;
    closed(&mut silent).await;
}

#[tokio::test]
async fn at_the_end_nobody_is_let_in_and_idle_connections_are_closed() {
    let port = open(USUAL).await;
    let mut idle = port.connect().await;
    assert!(ask(&mut idle, "/").await.ends_with("here"));
    port.stop.cancel();
    closed(&mut idle).await;
    port.serving.await.expect("it ends");
    assert!(TcpStream::connect(port.address).await.is_err());
}
