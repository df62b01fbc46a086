//! The address of a server, and what all sessions with it share.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

use http::{HeaderName, HeaderValue};
use reqwest::RequestBuilder;

use super::incidents::FailedCalls;
use super::listing::KnownListing;
use super::mirror::MirroredArgument;
use super::{MAX_ANSWER_BYTES, SessionMode};

#[derive(Clone)]
pub struct UpstreamEndpoint {
    pub(super) url: Arc<str>,
    /// The bearer token, if it wants one.
    pub token: Option<Arc<str>>,
    pub headers: Arc<[(HeaderName, HeaderValue)]>,
    pub(super) http: reqwest::Client,
    pub max_answer_bytes: usize,
    /// What is known of the server. All sessions with it share this.
    pub(super) mode: Arc<Mutex<Option<SessionMode>>>,
    /// Whether a server whose way is not known, or has changed, is asked for it.
    pub(super) probes: bool,
    /// Whether the server is told that an operator answers its questions ([`super::CallTerms::asker`]).
    pub asks: bool,
    /// By tool, the arguments that are repeated in headers.
    pub(super) mirrored: Arc<MirroredArguments>,
    pub(super) known_list: Arc<Mutex<Option<KnownListing>>>,
    /// Keeps the calls that fail.
    pub failed_calls: Option<FailedCalls>,
}

type MirroredArguments = Mutex<BTreeMap<Arc<str>, Arc<[MirroredArgument]>>>;

impl UpstreamEndpoint {
    /// A server at this URL that wants no token. Its answers, and its list of tools over all pages,
    /// may have [`MAX_ANSWER_BYTES`].
    pub fn new(url: impl Into<Arc<str>>, http: reqwest::Client) -> UpstreamEndpoint {
        UpstreamEndpoint {
            url: url.into(),
            token: None,
            headers: Arc::default(),
            http,
            max_answer_bytes: MAX_ANSWER_BYTES,
            mode: Arc::default(),
            probes: true,
            asks: false,
            mirrored: Arc::default(),
            known_list: Arc::default(),
            failed_calls: None,
        }
    }

    /// The same, known to have sessions. It is not asked whether it does without.
    #[must_use]
    pub fn with_sessions(mut self) -> UpstreamEndpoint {
        self.mode = Arc::new(Mutex::new(Some(SessionMode::Sessions)));
        self.probes = false;
        self
    }

    /// A request with the token and the headers that are configured.
    pub(super) fn with_access(&self, mut request: RequestBuilder) -> RequestBuilder {
        for (name, value) in &*self.headers {
            request = request.header(name, value);
        }
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    pub(super) fn host(&self) -> Arc<str> {
        let url = reqwest::Url::parse(&self.url).ok();
        let host = url.as_ref().and_then(|url| {
            let host = url.host_str()?;
            Some(match url.port() {
                Some(port) => format!("{host}:{port}"),
                None => host.to_string(),
            })
        });
        host.unwrap_or_else(|| "the server".to_string()).into()
    }
}
