//! Limits the number of JSON values in a request.
//!
//! A parsed value takes many times the memory of its text, so a small request could take a
//! gigabyte. An order has a few values. A request with thousands is not an order.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// The most values in a request, which is more than any tool needs.
const MAX_VALUES: usize = 4096;

/// Passes a request on if it is neither too long nor has too many values.
pub(super) async fn limit_request(max_bytes: usize, request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, max_bytes).await else {
        let text = format!("a request has at most {max_bytes} bytes");
        return (StatusCode::PAYLOAD_TOO_LARGE, text).into_response();
    };
    if count_values(&body) > MAX_VALUES {
        let text = format!("a request holds at most {MAX_VALUES} values");
        return (StatusCode::PAYLOAD_TOO_LARGE, text).into_response();
    }
    next.run(Request::from_parts(head, Body::from(body))).await
}

/// Counts the values of a JSON text roughly: brackets, commas and colons outside of strings.
fn count_values(json: &[u8]) -> usize {
    let (mut values, mut is_text, mut is_escaped) = (0, false, false);
    for byte in json {
        if is_text {
            let closes = *byte == b'"' && !is_escaped;
            is_escaped = *byte == b'\\' && !is_escaped;
            is_text = !closes;
        } else {
            is_text = *byte == b'"';
            values += usize::from(matches!(byte, b'{' | b'[' | b',' | b':'));
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_and_what_stands_in_texts_is_not() {
        for (json, count) in [
            (r#"{"a":[1,2]}"#, 4),
            (r#""{[,:]}""#, 0),
            (r#"["\"{{{\\",{}]"#, 3),
            ("", 0),
        ] {
            assert_eq!(count_values(json.as_bytes()), count, "{json}");
        }
    }
}
