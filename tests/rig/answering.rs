//! The server's side of HTTP, for servers that tests write by hand because their answers are odd.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

/// How long a model of a test thinks. One that answers at once lets its swarm play hundreds of turns a second, while
/// the test waits for something else.
pub(crate) const THINKING: Duration = Duration::from_millis(40);

/// Thinks for so long, as models do.
pub(crate) fn think(time: Duration) {
    #[expect(
        clippy::disallowed_methods,
        reason = "a model takes its time; nothing is decided by how long"
    )]
    std::thread::sleep(time);
}

/// Serves each connection in a thread of its own, as long as the test's process lives. Returns the address.
pub fn listen(serve: impl Fn(TcpStream) -> Option<()> + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let address = listener.local_addr().expect("an address");
    let serve = Arc::new(serve);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let serve = serve.clone();
            // A client that is gone ends its own request only.
            std::thread::spawn(move || serve(stream));
        }
    });
    address
}

/// Reads one request: its head and its body. None where the client is gone.
pub fn read_request(stream: &TcpStream) -> Option<(String, Vec<u8>)> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length: usize = match header(&head, "content-length") {
        Some(length) => length.parse().ok()?,
        None => 0,
    };
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((head, body))
}

/// The value of a header.
pub fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

/// Writes an answer. Each of the headers ends with its line; the length is added.
pub fn respond(
    mut stream: &TcpStream,
    status: u16,
    headers: &str,
    body: impl AsRef<[u8]>,
) -> Option<()> {
    let body = body.as_ref();
    let length = body.len();
    let head = format!("HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\n\r\n");
    stream.write_all(&[head.as_bytes(), body].concat()).ok()
}
