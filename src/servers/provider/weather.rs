//! Weather: refusals that pass by themselves although their status says that the request is wrong. A
//! server is loading its model, or something in front of it answers in its place.

use super::error_hints::holds;

const SENTENCES: [(&[&str], &str); 6] = [
    (
        &[
            "no models loaded",
            "no model loaded",
            "model is not loaded",
            "model not loaded",
            "model was unloaded",
            "model unloaded",
            "model has been unloaded",
        ],
        "its server has no model loaded: load it there, or keep it loaded",
    ),
    (
        &[
            "model has crashed",
            "exit code: null",
            "model crashed",
            "runner process has terminated",
            "engine is dead",
        ],
        "the model crashed in its server: it may need more memory, or a smaller context",
    ),
    (
        &[
            "model is loading",
            "loading model",
            "currently loading",
            "still loading",
            "is starting up",
            "warming up",
            "not ready yet",
            "model is not ready",
        ],
        "its server is loading the model",
    ),
    (
        &[
            "just a moment",
            "challenge-platform",
            "cf-chl",
            "attention required! | cloudflare",
            "enable javascript and cookies",
        ],
        "Cloudflare in front of the server requires a browser: allow this machine's address there",
    ),
    (
        &[
            "no healthy upstream",
            "upstream connect error",
            "no available server",
            "bad gateway",
            "service unavailable",
            "connection refused",
        ],
        "the proxy in front of the server does not reach it",
    ),
    (
        &[
            "try again later",
            "please try again",
            "please retry",
            "temporarily unavailable",
            "temporarily overloaded",
            "is overloaded",
            "currently overloaded",
            "at capacity",
            "server is busy",
            "high demand",
        ],
        "the server asks to wait",
    ),
];
/// Words of a filter of contents. Such a refusal may ask to try again, with another text.
const CONTENT_WORDS: [&str; 2] = ["different prompt", "usage policy"];
/// What a proxy answers that knows no server for an address.
const NO_ROUTE: &str = "404 page not found";

/// What may be the cause of a refusal that passes by itself; `None` of another one.
pub(super) fn cause(status: u16, body: &str, own: &str) -> Option<&'static str> {
    if status == 404 && body.trim() == NO_ROUTE {
        return Some(
            "the proxy in front of the server knows no such address at the moment: check the provider's endpoint",
        );
    }
    let is_page = body.trim_start().starts_with('<');
    if !is_page && holds(own, &CONTENT_WORDS) {
        return None;
    }
    let text = if is_page { body } else { own };
    let found = SENTENCES.iter().find(|(words, _)| holds(text, words));
    found.map(|(_, cause)| *cause)
}
