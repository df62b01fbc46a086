//! A long line to the servers: each byte takes a while in each direction, a connection takes as long as
//! there and back to open, and at its end may stand TLS.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustls::HandshakeKind;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_rustls::TlsAcceptor;

/// The most that is read at once, and how many such pieces are on their way.
const PIECE: usize = 16 << 10;
const ON_THE_WAY: usize = 64;

/// What came over the line.
#[derive(Default)]
pub(crate) struct Traffic {
    pub(crate) connections: AtomicU64,
    pub(crate) whole_handshakes: AtomicU64,
    pub(crate) resumed_handshakes: AtomicU64,
}

/// A line, as long as its runtime lives.
pub(crate) struct Line {
    pub(crate) address: SocketAddr,
    pub(crate) traffic: Arc<Traffic>,
}

impl Line {
    /// A line to a server. `delay` is that of one direction.
    pub(crate) async fn to(server: SocketAddr, delay: Duration, tls: Option<TlsAcceptor>) -> Line {
        let traffic = Arc::new(Traffic::default());
        let end = match tls {
            Some(tls) => end_of_tls(server, tls, traffic.clone()).await,
            None => server,
        };
        let listener = bind().await;
        let address = listener.local_addr().expect("an address");
        let counted = traffic.clone();
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                counted.connections.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(carry(near, end, delay));
            }
        });
        Line { address, traffic }
    }
}

async fn bind() -> TcpListener {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await;
    listener.expect("a port")
}

/// The far end, where TLS is taken off. Returns its address.
async fn end_of_tls(server: SocketAddr, tls: TlsAcceptor, traffic: Arc<Traffic>) -> SocketAddr {
    let listener = bind().await;
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (tls, traffic) = (tls.clone(), traffic.clone());
            tokio::spawn(async move {
                let mut stream = tls.accept(stream).await.ok()?;
                let count = match stream.get_ref().1.handshake_kind() {
                    Some(HandshakeKind::Resumed) => &traffic.resumed_handshakes,
                    Some(HandshakeKind::Full | HandshakeKind::FullWithHelloRetryRequest) | None => {
                        &traffic.whole_handshakes
                    }
                };
                count.fetch_add(1, Ordering::Relaxed);
                let mut plain = TcpStream::connect(server).await.ok()?;
                // Who is gone ends the connection.
                tokio::io::copy_bidirectional(&mut stream, &mut plain)
                    .await
                    .ok()
            });
        }
    });
    address
}

async fn carry(near: TcpStream, end: SocketAddr, delay: Duration) -> Option<()> {
    near.set_nodelay(true).ok()?;
    // The client counts as connected at once, so that what opening takes is waited for here.
    tokio::time::sleep(delay * 2).await;
    let far = TcpStream::connect(end).await.ok()?;
    far.set_nodelay(true).ok()?;
    let (near_out, near_in) = near.into_split();
    let (far_out, far_in) = far.into_split();
    tokio::join!(
        later(near_out, far_in, delay),
        later(far_out, near_in, delay)
    );
    Some(())
}

/// Copies what comes, each piece a while after it came.
async fn later(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, delay: Duration) {
    let (send, mut way) = mpsc::channel::<(Instant, Vec<u8>)>(ON_THE_WAY);
    let reading = async move {
        let mut piece = vec![0; PIECE];
        while let Ok(read @ 1..) = from.read(&mut piece).await {
            let arrives = Instant::now() + delay;
            if send.send((arrives, piece[..read].to_vec())).await.is_err() {
                return;
            }
        }
    };
    let writing = async move {
        while let Some((arrives, piece)) = way.recv().await {
            tokio::time::sleep_until(arrives).await;
            if to.write_all(&piece).await.is_err() {
                return;
            }
        }
        // Who is gone needs no end.
        let _ = to.shutdown().await;
    };
    tokio::join!(reading, writing);
}

/// A certificate of its own for this machine, in a file that a client may trust, and TLS with it.
pub(crate) fn own_certificate(directory: &Path) -> (std::path::PathBuf, TlsAcceptor) {
    let (certificate, key) = (directory.join("cert.pem"), directory.join("key.pem"));
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
        ])
        .args(["-nodes", "-days", "2", "-subj", "/CN=localhost"])
        .args(["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .arg("-keyout")
        .arg(&key)
        .arg("-out")
        .arg(&certificate)
        .output()
        .expect("openssl is there");
    assert!(made.status.success(), "{made:?}");
    let chain = CertificateDer::pem_file_iter(&certificate).expect("a certificate");
    let chain = chain.collect::<Result<Vec<_>, _>>().expect("a certificate");
    let key = PrivateKeyDer::from_pem_file(&key).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("TLS")
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .expect("a certificate with its key");
    (certificate, TlsAcceptor::from(Arc::new(config)))
}
