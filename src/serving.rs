//! Serving: HTTP at a port of ours, so that whoever has no business there cannot keep out who has.
//!
//! A connection is a stranger's until somebody shows on it that they may be here. There are few places
//! for strangers, the oldest of them gives way to whoever comes, and none may stay for long. Whatever
//! comes must be meant for this machine: see [`guard`].

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
use strangers::StrangerConnections;

/// How long nobody is let in after the system refused to.
const REFUSED_PAUSE: Duration = Duration::from_millis(100);

/// How much patience there is with connections.
#[derive(Clone, Copy, Debug)]
pub struct AcceptLimits {
    /// Strangers at once; one more, and the oldest is shown out.
    pub max_strangers: usize,
    /// How long a stranger may stay; `None`: as long as there is room.
    pub stranger_time: Option<Duration>,
    /// How long a connection may say nothing, and how long the head of a request may take.
    pub head_time: Duration,
}

/// Serves whoever comes until it is told to stop; then those at hand are answered. Dropped, it cuts
/// them off.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    patience: AcceptLimits,
    stop: CancellationToken,
) {
    let strangers = StrangerConnections::new(patience.max_strangers);
    let mut attended = JoinSet::new();
    let mut reserve = open_spare();
    loop {
        // Cancel-safe: a connection that is not accepted stays in the system's queue.
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        while attended.try_join_next().is_some() {}
        match accepted {
            Ok((connection, _)) => {
                // A frame that takes several packets must not wait for the other side to confirm the
                // first.
                if let Err(error) = connection.set_nodelay(true) {
                    tracing::debug!(%error, "failed to set nodelay");
                }
                let visitor = strangers.add_stranger();
                let (router, stop) = (router.clone(), stop.clone());
                attended.spawn(answer_connection(
                    connection, router, visitor, patience, stop,
                ));
                if reserve.is_none() {
                    reserve = open_spare();
                }
            }
            // The descriptor that is kept for this goes to whoever is next, and the oldest stranger
            // makes room for the one after.
            Err(error) if descriptors::is_exhaustion(&error) => {
                strangers.evict_oldest();
                if reserve.take().is_none() {
                    tracing::warn!(%error, "nobody can be let in: {}", descriptors::exhaustion_advice());
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
    while attended.join_next().await.is_some() {}
}

/// A descriptor that is held so that it can be given up.
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

/// Answers what comes over one connection, for as long as there is patience with it.
async fn answer_connection(
    connection: TcpStream,
    router: Router,
    visitor: AcceptedConnection,
    patience: AcceptLimits,
    stop: CancellationToken,
) {
    let seen = visitor.clone();
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(seen.clone());
        router.clone().oneshot(request)
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(patience.head_time);
    let mut served = pin!(http.serve_connection(TokioIo::new(connection), service));
    let mut overstayed = pin!(async {
        match patience.stranger_time {
            Some(time) => tokio::time::sleep(time).await,
            None => std::future::pending().await,
        }
    });
    let (mut is_stopping, mut may_stay) = (false, false);
    loop {
        // Cancel-safe: all of them go on where they were.
        tokio::select! {
            ended = served.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection broke off");
                }
                return;
            }
            () = visitor.shown_out() => return,
            () = stop.cancelled(), if !is_stopping => {
                is_stopping = true;
                served.as_mut().graceful_shutdown();
            }
            () = overstayed.as_mut(), if !may_stay => {
                if visitor.is_stranger() {
                    return;
                }
                may_stay = true;
            }
        }
    }
}

#[cfg(test)]
mod tests;
