//! Redirects: none is followed (decision 106), and no body is kept in case one came.

use reqwest::header::LOCATION;
use reqwest::redirect::{Action, Attempt};
use reqwest::{Body, Request, Response, StatusCode, Url};
use thiserror::Error;

#[derive(Debug, Error)]
#[error(
    "the server answered HTTP {status} and sends requests on to {target}; nothing was sent there: \
     if that is where they belong, set the address in the configuration to it"
)]
pub struct Redirected {
    status: u16,
    target: String,
}

impl Redirected {
    /// The path may contain a secret, as one in front of the server may have put it there.
    fn new(status: StatusCode, from: Option<&Url>, to: &Url) -> Redirected {
        let target = to.origin().ascii_serialization();
        let target = match from.map(Url::origin) == Some(to.origin()) {
            true => format!("another path of {target}"),
            false => target,
        };
        Redirected {
            status: status.as_u16(),
            target,
        }
    }

    /// What the answer to a request of [`sent_once`] says, if it redirects a body that is gone.
    pub fn of_answer(response: &Response) -> Option<Redirected> {
        let status = response.status();
        let is_with_body = [
            StatusCode::TEMPORARY_REDIRECT,
            StatusCode::PERMANENT_REDIRECT,
        ];
        if !is_with_body.contains(&status) {
            return None;
        }
        let location = response.headers().get(LOCATION)?.to_str().ok()?;
        let target = response.url().join(location).ok()?;
        Some(Redirected::new(status, Some(response.url()), &target))
    }
}

pub(crate) fn refuse_redirect(attempt: Attempt<'_>) -> Action {
    let from = attempt.previous().last();
    let redirected = Redirected::new(attempt.status(), from, attempt.url());
    attempt.error(redirected)
}

/// A request whose body is let go of once it is sent. The client would keep a copy until the answer
/// comes, for the case of a redirect with the body. What such an answer says is
/// [`Redirected::of_answer`].
pub fn sent_once(mut request: Request) -> Request {
    if let Some(body) = request.body_mut() {
        *body = Body::wrap(std::mem::take(body));
    }
    request
}
