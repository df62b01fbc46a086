//! The guard: whether a request is meant for this machine, and whether its sender may send it.
//!
//! A page of any web site can make a browser send requests to loopback, and can let its own name
//! resolve to loopback. It cannot forge the `Host` header or hide its `Origin`.

use std::net::{Ipv4Addr, Ipv6Addr};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListenScope {
    /// Clients on this machine: both headers must name it.
    Loopback,
    /// Any client that can reach the port under any name, except web pages from elsewhere.
    Anybody,
}

/// Wraps a router so that requests which are not meant for it are refused.
pub fn behind_guard(router: Router, reach: ListenScope) -> Router {
    router.layer(from_fn_with_state(reach, check_headers))
}

async fn check_headers(State(reach): State<ListenScope>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let objection = if reach == ListenScope::Loopback && !is_host_ours(headers) {
        "the Host header names another machine"
    } else if !is_origin_ours(headers) {
        "the Origin header names a page of another machine"
    } else {
        return next.run(request).await;
    };
    let closing = [(header::CONNECTION, "close")];
    (StatusCode::FORBIDDEN, closing, objection).into_response()
}

/// Whether there is exactly one `Host` header and it names this machine.
fn is_host_ours(headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return false;
    };
    host.to_str().is_ok_and(is_loopback)
}

/// Whether there is no `Origin`, as in requests of programs, or exactly one that names this
/// machine.
fn is_origin_ours(headers: &HeaderMap) -> bool {
    let mut origins = headers.get_all(header::ORIGIN).iter();
    match (origins.next(), origins.next()) {
        (None, _) => true,
        (Some(origin), None) => origin
            .to_str()
            .ok()
            .and_then(|origin| origin.strip_prefix("http://"))
            .is_some_and(is_loopback),
        (Some(_), Some(_)) => false,
    }
}

/// Whether an authority, `HOST` or `HOST:PORT`, names this machine and nothing else.
fn is_loopback(text: &str) -> bool {
    let Ok(authority) = text.parse::<Authority>() else {
        return false;
    };
    let host = authority.host();
    let is_ours = match host.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
        Some(host) => host.parse().is_ok_and(|it: Ipv6Addr| it.is_loopback()),
        None => {
            host.eq_ignore_ascii_case("localhost")
                || host.parse().is_ok_and(|it: Ipv4Addr| it.is_loopback())
        }
    };
    // Nothing stands there but what was read.
    let is_whole = match authority.port_u16() {
        Some(port) => port > 0 && text == format!("{host}:{port}"),
        None => text == host,
    };
    is_ours && is_whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_this_machine() {
        for ours in [
            "localhost",
            "LocalHost:80",
            "127.0.0.1",
            "127.0.0.1:65535",
            "127.8.8.8:1",
            "[::1]",
            "[::1]:9464",
            "[0:0:0:0:0:0:0:1]:9464",
        ] {
            assert!(is_loopback(ours), "{ours}");
        }
        for other in [
            "",
            ":80",
            "evil.example",
            "localhost.evil.example",
            "localhost@evil.example",
            "evil@localhost",
            "localhost/",
            "localhost:",
            "localhost:0",
            "localhost:+80",
            "localhost:65536",
            "localhost:80:80",
            "localhost:80evil",
            "127.0.0.1.evil.example",
            "127.1",
            "0.0.0.0:80",
            "10.0.0.1",
            "[::1]evil",
            "[::1]evil.example:80",
            "[::1].evil.example",
            "[::1]:",
            "[::1",
            "::1",
            "[::2]",
            "[::ffff:10.0.0.1]",
        ] {
            assert!(!is_loopback(other), "{other}");
        }
    }
}
