//! A listener whose connections can all be cut at once, so that no client can delay the end of the
//! server.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// A listener that gives a token to every connection.
pub(super) struct CancellableListener {
    listener: TcpListener,
    cut: CancellationToken,
}

impl CancellableListener {
    pub(super) fn new(listener: TcpListener, cut: CancellationToken) -> Self {
        Self { listener, cut }
    }
}

impl Listener for CancellableListener {
    type Io = CancellableConnection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (CancellableConnection, SocketAddr) {
        let (stream, peer) = Listener::accept(&mut self.listener).await;
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "failed to set TCP_NODELAY");
        }
        let cut = Box::pin(self.cut.clone().cancelled_owned());
        (CancellableConnection { stream, cut }, peer)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Listener::local_addr(&self.listener)
    }
}

/// A connection that fails as soon as the token is cancelled.
pub(super) struct CancellableConnection {
    stream: TcpStream,
    cut: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl CancellableConnection {
    fn unless_cut<T>(
        &mut self,
        context: &mut Context<'_>,
        act: impl FnOnce(Pin<&mut TcpStream>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if self.cut.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        act(Pin::new(&mut self.stream), context)
    }
}

impl AsyncRead for CancellableConnection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.unless_cut(context, |stream, context| stream.poll_read(context, buffer))
    }
}

impl AsyncWrite for CancellableConnection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.unless_cut(context, |stream, context| stream.poll_write(context, bytes))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.unless_cut(context, |stream, context| stream.poll_flush(context))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.unless_cut(context, |stream, context| stream.poll_shutdown(context))
    }
}
