//! The guard: refuses requests without the token.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use zoea_settings::Secret;

use crate::interface::serving::AcceptedConnection;

/// A router that requires the token as `Authorization: Bearer …`.
pub(super) fn behind_token(router: Router, token: &Secret) -> Router {
    let token: Arc<str> = token.expose().into();
    router.layer(from_fn_with_state(token, require_token))
}

async fn require_token(State(token): State<Arc<str>>, request: Request, next: Next) -> Response {
    let given = request
        .headers()
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(bearer_token);
    if given.is_some_and(|given| is_same(given.as_bytes(), token.as_bytes())) {
        if let Some(visitor) = request.extensions().get::<AcceptedConnection>() {
            visitor.admit();
        }
        return next.run(request).await;
    }
    let challenge = [
        (header::WWW_AUTHENTICATE, "Bearer"),
        (header::CONNECTION, "close"),
    ];
    let text = "the control interface needs the token of HOME/control.token as a bearer token";
    (StatusCode::UNAUTHORIZED, challenge, text).into_response()
}

/// The token of such a header. The name of the scheme has no case (RFC 9110).
fn bearer_token(header: &str) -> Option<&str> {
    let (scheme, token) = header.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| token.trim_start_matches(' '))
}

/// Compares two texts in a time that does not reveal where they differ.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |diff, (x, y)| diff | (x ^ y)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheme_of_the_header_has_no_case() {
        for header in ["Bearer abc", "bearer abc", "BEARER  abc"] {
            assert_eq!(bearer_token(header), Some("abc"), "{header}");
        }
        for header in ["abc", "Bearerabc", "Basic abc", ""] {
            assert_eq!(bearer_token(header), None, "{header}");
        }
    }

    #[test]
    fn only_the_whole_token_is_the_token() {
        assert!(is_same(b"abc", b"abc"));
        assert!(!is_same(b"abc", b"abd"));
        assert!(!is_same(b"ab", b"abc"));
    }
}
