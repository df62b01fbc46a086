//! HTTP: the one place that builds a client, and what every reader of answers shares.
//!
//! No redirect is followed: requests contain conversations, passwords and keys, which are for no
//! server but the one that the operator named.

pub mod answers;
mod idle;
pub mod kept;
pub mod mend;
pub mod proxies;
pub mod raw_json;
pub mod redirects;
pub mod sse;
pub mod waits;

use std::time::{Duration, SystemTime};

use reqwest::redirect::Policy;
use reqwest::{ClientBuilder, Url};
use secrecy::{ExposeSecret, SecretString};
use thiserror::Error;

use zoea_system::descriptors;
use zoea_text::names::beginning;
use zoea_text::redact::Redactor;
use zoea_text::trouble::Trouble;

use proxies::Proxies;
use redirects::{Redirected, refuse_redirect};

pub use waits::retry_after;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const CERTIFICATE_VARIABLES: [&str; 2] = ["SSL_CERT_FILE", "SSL_CERT_DIR"];

/// Builds a client for servers of others. The caller sets the time limits of whole requests, since some
/// answers take minutes. Requests go through the proxies that the environment names (`proxies`).
///
/// A system that has no certificates of authorities, such as a container with nothing but the
/// program, gets those that Mozilla trusts and that the program carries. Where the operator names
/// certificates (`SSL_CERT_FILE`, `SSL_CERT_DIR`), only those count.
///
/// # Errors
/// No certificates are where the operator says, or TLS cannot be set up.
pub fn build_client() -> Result<reqwest::Client, ClientError> {
    build(|builder| Proxies::of_process().install(builder))
}

/// Builds a client for servers of our own: the control interface and the simulators. It uses no proxy,
/// wherever their address points.
pub fn build_direct_client() -> Result<reqwest::Client, ClientError> {
    build(|builder| Ok(builder.no_proxy()))
}

fn build(
    route: impl Fn(ClientBuilder) -> Result<ClientBuilder, reqwest::Error>,
) -> Result<reqwest::Client, ClientError> {
    // A second installation fails and changes nothing, as the provider is always the same one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    #[expect(
        clippy::disallowed_methods,
        reason = "rustls reads these variables from the process itself; they are no setting of ours"
    )]
    let named = CERTIFICATE_VARIABLES
        .into_iter()
        .find(|name| std::env::var_os(name).is_some());
    let builder = || route(client_builder()).map_err(ClientError::Other);
    match (builder()?.build(), named) {
        (Ok(client), _) => Ok(client),
        (Err(cause), Some(variable)) => Err(ClientError::Named { variable, cause }),
        (Err(_), None) => build_with_carried_certificates(builder()?).map_err(ClientError::Other),
    }
}

/// Why no client could be built.
#[derive(Debug, Error)]
pub enum ClientError {
    /// The operator names certificates that are not there.
    #[error("{variable} names no certificates that can be read ({}); unset it, or set it to the file or directory that has them", causes(.cause))]
    Named {
        variable: &'static str,
        /// What the TLS library says.
        cause: reqwest::Error,
    },
    /// Anything else.
    #[error("{}", causes(.0))]
    Other(reqwest::Error),
}

fn build_with_carried_certificates(
    builder: ClientBuilder,
) -> Result<reqwest::Client, reqwest::Error> {
    let carried = webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter();
    let carried = carried
        .map(|root| reqwest::Certificate::from_der(root))
        .collect::<Result<Vec<_>, _>>()?;
    builder.tls_certs_only(carried).build()
}

fn client_builder() -> ClientBuilder {
    reqwest::Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_max_idle_per_host(idle::max_idle(descriptors::current_limit()))
        .pool_idle_timeout(idle::IDLE_TIME)
        .user_agent(concat!("zoea/", env!("CARGO_PKG_VERSION")))
        .redirect(Policy::custom(refuse_redirect))
}

/// The number of characters of a redirect's target that are shown.
const MAX_TARGET_CHARS: usize = 200;

/// An address without the parts that may be secret.
pub fn shown_address(url: &Url) -> String {
    let path = url.path().trim_end_matches('/');
    let shown = format!("{}{path}", url.origin().ascii_serialization());
    beginning(&shown, MAX_TARGET_CHARS).into_owned()
}

/// The sentence for a failed request: the server, where it is, what helps, and the causes. Of the URL
/// only scheme, host and port are told, since the rest may contain a secret.
pub fn error_text(error: &reqwest::Error) -> String {
    let cause = std::error::Error::source(error);
    if let Some(redirected) = cause.filter(|cause| cause.is::<Redirected>()) {
        return redirected.to_string();
    }
    let proxied = error.url().and_then(proxy_in_words);
    let running = proxied.as_deref().unwrap_or("is it running?");
    let (what, then): (_, &[&str]) = if let Some(tls) = tls_error(error) {
        (
            "answers, but no encrypted connection to it can be made",
            tls_advice(tls),
        )
    } else if error.is_connect() {
        ("cannot be reached", &[running])
    } else if error.is_timeout() {
        ("gave no answer in time", &[])
    } else if error.is_body() || error.is_decode() {
        ("broke its answer off", &[])
    } else {
        ("did not answer", &[])
    };
    let address = error.url().map(|url| url.origin().ascii_serialization());
    Trouble {
        whom: "the server",
        address: address.as_deref(),
        what,
        since: None,
        then,
        chain: cause.map(causes).as_deref(),
    }
    .to_string()
}

/// The proxy that requests to this address go through, as an advice.
fn proxy_in_words(url: &Url) -> Option<String> {
    let proxies = Proxies::of_process();
    let proxy = proxies.proxy_of(url)?;
    Some(proxy.trouble().unwrap_or_else(|| {
        let address = proxy.shown_address().unwrap_or_default();
        format!(
            "requests to it go through the proxy {address}, which {} names",
            proxy.variable()
        )
    }))
}

/// Why the encryption failed; `None` where another thing did. If it failed, somebody answered.
fn tls_error<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a rustls::Error> {
    if let Some(tls) = error.downcast_ref() {
        return Some(tls);
    }
    // The source of such an error is that of what it holds.
    let held = error.downcast_ref::<std::io::Error>();
    let held = held.and_then(std::io::Error::get_ref);
    held.and_then(|held| tls_error(held))
        .or_else(|| error.source().and_then(tls_error))
}

/// A client keeps the certificates of authorities that were there when it was built.
fn tls_advice(error: &rustls::Error) -> &'static [&'static str] {
    let unknown = rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer);
    match *error == unknown {
        true => &[
            "the certificates of authorities (the system's, or those of SSL_CERT_FILE and SSL_CERT_DIR) are read at \
             the start, so a program that runs has to be started again after a change of them",
        ],
        false => &[],
    }
}

pub fn causes(error: &dyn std::error::Error) -> String {
    let chain = std::iter::successors(Some(error), |error| error.source());
    let chain: Vec<String> = chain.map(ToString::to_string).collect();
    let text = chain.join(": ");
    // The library's name for the step says nothing to an operator.
    let said = text.strip_prefix("client error (Connect): ");
    said.unwrap_or(&text).to_string()
}

/// The most of a server's words that is shown, in characters.
const MAX_SHOWN_CHARS: usize = 600;

pub fn excerpt(text: &str) -> String {
    beginning(text.trim(), MAX_SHOWN_CHARS).into_owned()
}

/// What a server said, behind a colon; nothing where it said nothing.
pub fn said(text: &str) -> String {
    match excerpt(text) {
        said if said.is_empty() => said,
        said => format!(": {said}"),
    }
}

/// The advice for a connection that failed because this machine has no file descriptor left; `None`
/// for other causes. The other side was not even reached.
pub fn descriptor_advice(error: &reqwest::Error) -> Option<String> {
    let is_named = std::iter::successors(Some(error as &dyn std::error::Error), |error| {
        error.source()
    })
    .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
    .any(descriptors::is_exhaustion);
    // A name lookup that fails for lack of a descriptor does not say so.
    let is_hidden = || error.is_connect() && descriptors::are_exhausted();
    (is_named || is_hidden()).then(descriptors::exhaustion_advice)
}

/// A request that posts JSON, with retries where they may help.
#[derive(Clone)]
pub struct JsonSender {
    pub http: reqwest::Client,
    pub url: String,
    /// The bearer token, if the receiver wants one.
    pub token: Option<SecretString>,
    /// The time limit of one try.
    pub timeout: Duration,
    /// The pauses before the further tries, where the receiver names none.
    pub waits: &'static [Duration],
}

struct FailedPost {
    why: String,
    is_final: bool,
    /// The wait that the receiver asks for.
    wait: Option<Duration>,
}

impl JsonSender {
    /// Posts the body.
    ///
    /// # Errors
    /// The error of the last try, without the URL, with the receiver's words but for the known secrets. A receiver
    /// that rejects the request itself is tried only once.
    pub async fn send(&self, body: &serde_json::Value, known: &Redactor) -> Result<(), String> {
        let mut waits = self.waits.iter();
        loop {
            let Err(failed) = self.send_once(body, known).await else {
                return Ok(());
            };
            let Some(usual) = waits.next().filter(|_| !failed.is_final) else {
                return Err(failed.why);
            };
            tokio::time::sleep(waits::before_retry(failed.wait, *usual)).await;
        }
    }

    async fn send_once(
        &self,
        body: &serde_json::Value,
        known: &Redactor,
    ) -> Result<(), FailedPost> {
        let mut request = self.http.post(&self.url).timeout(self.timeout).json(body);
        if let Some(token) = &self.token {
            request = request.bearer_auth(token.expose_secret());
        }
        let answer = request.send().await.map_err(|error| FailedPost {
            why: error_text(&error),
            is_final: error.is_redirect(),
            wait: None,
        })?;
        let status = answer.status();
        if status.is_success() {
            return Ok(());
        }
        let is_busy = status.is_server_error() || matches!(status.as_u16(), 408 | 429);
        let wait = retry_after(answer.headers(), SystemTime::now());
        let words = answers::readable(&answers::read_beginning(answer).await);
        Err(FailedPost {
            why: format!("HTTP status {status}{}", said(&known.clean(&words))),
            is_final: !is_busy,
            wait,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use axum::http::{HeaderMap, HeaderValue, StatusCode};
    use tokio::sync::mpsc;

    use super::*;

    const NEVER_AGAIN: [Duration; 1] = [Duration::from_secs(3600)];

    /// A server that gives every request the same answer and counts them. Returns its address.
    async fn served(
        status: u16,
        location: Option<String>,
    ) -> (String, mpsc::UnboundedReceiver<String>) {
        let (sender, received) = mpsc::unbounded_channel();
        let app = axum::Router::new().fallback(move |body: String| async move {
            sender.send(body).expect("the test listens");
            let mut headers = HeaderMap::new();
            if let Some(location) = location {
                headers.insert(
                    "location",
                    HeaderValue::from_str(&location).expect("a value"),
                );
            }
            (
                StatusCode::from_u16(status).expect("a status"),
                headers,
                "{}",
            )
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, app).await });
        (address.to_string(), received)
    }

    #[test]
    fn the_carried_certificates_make_a_client() {
        assert!(webpki_root_certs::TLS_SERVER_ROOT_CERTS.len() > 50);
        let _ = rustls::crypto::ring::default_provider().install_default();
        assert!(build_with_carried_certificates(client_builder()).is_ok());
    }

    #[test]
    fn an_unknown_authority_is_told_with_when_certificates_are_read() {
        let advice_for = |error: rustls::CertificateError| {
            let error = rustls::Error::InvalidCertificate(error);
            let error = std::io::Error::other(error);
            tls_advice(tls_error(&error).expect("it is one of TLS")).join("")
        };
        let unknown = advice_for(rustls::CertificateError::UnknownIssuer);
        assert!(unknown.contains("SSL_CERT_FILE"), "{unknown}");
        assert_eq!(advice_for(rustls::CertificateError::Expired), "");
        assert!(tls_error(&std::io::Error::other("closed")).is_none());
    }

    #[tokio::test]
    async fn a_server_whose_encryption_fails_is_not_asked_whether_it_runs() {
        let http = build_client().unwrap();
        let (plain, _received) = served(200, None).await;
        let failed = http.get(format!("https://{plain}/")).send().await;
        let text = error_text(&failed.unwrap_err());
        assert!(text.contains("no encrypted connection"), "{text}");
        assert!(!text.contains("is it running?"), "{text}");
        // Nobody listens where a server ended.
        let gone = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = gone.local_addr().unwrap();
        drop(gone);
        let failed = http.get(format!("https://{address}/")).send().await;
        let text = error_text(&failed.unwrap_err());
        assert!(text.contains("is it running?"), "{text}");
        assert!(!text.contains("client error"), "{text}");
    }

    #[tokio::test]
    async fn nothing_is_sent_to_where_a_server_sends_requests_on() {
        let http = build_client().unwrap();
        for status in [301, 302, 303, 307, 308] {
            let (other, mut stolen) = served(200, None).await;
            let target = format!("http://user:hunter2@{other}/v2/mcp?key=hunter2#x");
            let (first, mut received) = served(status, Some(target)).await;
            let url = format!("http://{first}/mcp?key=own-secret");
            let refused = http.post(&url).body("password").send().await.unwrap_err();
            assert!(refused.is_redirect(), "{refused:?}");
            let text = error_text(&refused);
            let expected = format!("HTTP {status} and sends requests on to http://{other};");
            assert!(text.contains(&expected), "{text}");
            assert!(
                text.contains("set the address") && !text.contains("hunter2"),
                "{text}"
            );
            assert!(!text.contains("own-secret"), "{text}");
            assert_eq!(received.recv().await.as_deref(), Some("password"));
            assert!(stolen.try_recv().is_err(), "the other host heard of it");
            // A GET follows no redirect either, and a hook is tried once.
            assert!(http.get(&url).send().await.unwrap_err().is_redirect());
            let hook = JsonSender {
                http: http.clone(),
                url,
                token: None,
                timeout: Duration::from_secs(20),
                waits: &NEVER_AGAIN,
            };
            let why = hook
                .send(&serde_json::json!({}), &Redactor::default())
                .await
                .unwrap_err();
            assert!(why.contains("sends requests on"), "{why}");
            assert!(stolen.try_recv().is_err(), "the other host heard of it");
        }
    }

    /// A secret that is cut in the middle would not be recognised.
    #[tokio::test]
    async fn a_hook_waits_as_it_is_asked_to_and_its_refusal_is_told_in_its_words() {
        const SECRET: &str = "k3y-of-the-hook";
        let tries = Arc::new(AtomicUsize::new(0));
        let app = axum::Router::new().fallback(move || {
            let status = match tries.fetch_add(1, Ordering::SeqCst) {
                0 => StatusCode::TOO_MANY_REQUESTS,
                _ => StatusCode::BAD_REQUEST,
            };
            let words = format!("Cannot send {}{SECRET}", "x".repeat(580));
            async move { (status, [("retry-after-ms", "5")], words) }
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let hook = JsonSender {
            http: build_direct_client().unwrap(),
            url: format!("http://{}/hook", listener.local_addr().unwrap()),
            token: None,
            timeout: Duration::from_secs(20),
            waits: &NEVER_AGAIN,
        };
        tokio::spawn(async move { axum::serve(listener, app).await });
        let known = Redactor::new([SECRET.into()]);
        let why = hook.send(&serde_json::json!({}), &known).await.unwrap_err();
        let begins = "HTTP status 400 Bad Request: Cannot send x";
        assert!(why.starts_with(begins) && !why.contains("k3y"), "{why}");
    }
}
