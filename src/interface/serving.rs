//! Serving HTTP on the program's own ports, so that unauthenticated clients cannot keep
//! authenticated ones out.
//!
//! A connection is unauthenticated until a request on it shows a token. There are few places for
//! unauthenticated ones: the oldest one makes room for a new one, and none may stay for long. Every request
//! must be meant for this machine: see [`guard`].

pub mod guard;
mod strangers;

use std::fs::File;
use std::io;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use zoea_system::descriptors;

pub use strangers::AcceptedConnection;
use strangers::UnknownConnections;

/// The pause after the system has refused to accept a connection.
const REFUSED_PAUSE: Duration = Duration::from_millis(100);

#[derive(Clone, Copy, Debug)]
pub struct AcceptLimits {
    /// The number of unauthenticated connections at once. One more, and the oldest is cut off.
    pub max_strangers: usize,
    /// The time that one may stay unauthenticated; `None` for no limit while there is room.
    pub stranger_time: Option<Duration>,
    /// The time that a connection may be silent, and that the head of a request may take.
    pub head_time: Duration,
}

/// Serves every connection until `stop` is cancelled, and then answers the requests in flight.
/// Dropping the future cuts all connections off.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: AcceptLimits,
    stop: CancellationToken,
) {
    let mut strangers = UnknownConnections::new(limits.max_strangers);
    let mut answering = JoinSet::new();
    let mut reserve = open_spare();
    loop {
        // Cancel-safe: a connection that is not accepted stays in the system's queue.
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        while answering.try_join_next().is_some() {}
        match accepted {
            Ok((connection, _)) => {
                // A frame of several packets must not wait for the other side to confirm the first
                // one.
                if let Err(error) = connection.set_nodelay(true) {
                    tracing::debug!(%error, "failed to set nodelay");
                }
                let accepted_connection = strangers.add_unknown();
                let (router, stop) = (router.clone(), stop.clone());
                answering.spawn(answer_connection(
                    connection,
                    router,
                    accepted_connection,
                    limits,
                    stop,
                ));
                if reserve.is_none() {
                    reserve = open_spare();
                }
            }
            // The reserve descriptor lets the next connection in. The oldest unauthenticated one makes room
            // for the one after it.
            Err(error) if descriptors::is_exhaustion(&error) => {
                strangers.evict_oldest();
                if reserve.take().is_none() {
                    tracing::warn!(%error, "no connection can be accepted: {}", descriptors::exhaustion_advice());
                    tokio::time::sleep(REFUSED_PAUSE).await;
                    reserve = open_spare();
                }
            }
            Err(error) if is_of_one_connection(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "failed to accept a connection");
                tokio::time::sleep(REFUSED_PAUSE).await;
            }
        }
    }
    drop(listener);
    while answering.join_next().await.is_some() {}
}

/// Opens a reserve descriptor, which can be given up.
fn open_spare() -> Option<File> {
    File::open("/dev/null").ok()
}

fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    )
}

async fn answer_connection(
    connection: TcpStream,
    router: Router,
    accepted_connection: AcceptedConnection,
    limits: AcceptLimits,
    stop: CancellationToken,
) {
    let seen = accepted_connection.clone();
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(seen.clone());
        router.clone().oneshot(request)
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.head_time);
    let mut served = pin!(http.serve_connection(TokioIo::new(connection), service));
    let mut stranger_time_over = pin!(async {
        match limits.stranger_time {
            Some(time) => tokio::time::sleep(time).await,
            None => std::future::pending().await,
        }
    });
    let (mut is_stopping, mut may_stay) = (false, false);
    loop {
        // Cancel-safe: every branch continues where it was.
        tokio::select! {
            ended = served.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection broke off");
                }
                return;
            }
            () = accepted_connection.evicted() => return,
            () = stop.cancelled(), if !is_stopping => {
                is_stopping = true;
                served.as_mut().graceful_shutdown();
            }
            () = stranger_time_over.as_mut(), if !may_stay => {
                if accepted_connection.is_unknown() {
                    return;
                }
                may_stay = true;
            }
        }
    }
}

#[cfg(test)]
mod tests;
